/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that wait for locks of the C library, and measure themselves how long. Loaded by NativeLocks.java, and, as
 * a copy of its own: a library that comes and goes while others record.
 */
#include <dlfcn.h>
#include <jni.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { MUTEX, RWLOCK, COND, KINDS };

static struct {
    pthread_mutex_t mutex;
    pthread_rwlock_t rwlock;
    pthread_mutex_t gate; /* of the condition, held for a moment only */
    pthread_cond_t cond;
} locks = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};

static _Atomic int64_t truth[KINDS];
static _Atomic int64_t crowded; /* ns that the threads waited for a CPU, in their waits or beside them */
static _Atomic int running, churning;
static pthread_t churner;
static char churned[4096];

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void nap_us(long us)
{
    nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL);
}

static void waited(int kind, int64_t since)
{
    atomic_fetch_add(&truth[kind], now_ns() - since);
}

static inline __attribute__((always_inline)) void enter(pthread_mutex_t *m)
{
    if (pthread_mutex_trylock(m)) {
        int64_t since = now_ns();
        pthread_mutex_lock(m);
        waited(MUTEX, since);
    }
}

__attribute__((noinline)) static void take_mutex(long hold_us)
{
    enter(&locks.mutex);
    nap_us(hold_us);
    pthread_mutex_unlock(&locks.mutex);
}

static void take_rwlock(long hold_us, int write)
{
    if (write ? pthread_rwlock_trywrlock(&locks.rwlock) : pthread_rwlock_tryrdlock(&locks.rwlock)) {
        int64_t since = now_ns();
        if (write)
            pthread_rwlock_wrlock(&locks.rwlock);
        else
            pthread_rwlock_rdlock(&locks.rwlock);
        waited(RWLOCK, since);
    }
    nap_us(hold_us);
    pthread_rwlock_unlock(&locks.rwlock);
}

static void wait_cond(long us)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    int64_t ns = (int64_t)until.tv_nsec + us * 1000;
    until.tv_sec += ns / 1000000000;
    until.tv_nsec = ns % 1000000000;
    enter(&locks.gate);
    int64_t since = now_ns();
    pthread_cond_timedwait(&locks.cond, &locks.gate, &until);
    waited(COND, since);
    pthread_mutex_unlock(&locks.gate);
}

/* What the calling thread has waited for a CPU, ns. */
static int64_t run_queue_ns(void)
{
    long long used = 0, delayed = 0;
    FILE *f = fopen("/proc/thread-self/schedstat", "r");
    if (f) {
        if (fscanf(f, "%lld %lld", &used, &delayed) != 2)
            delayed = 0;
        fclose(f);
    }
    return delayed;
}

static void *contend(void *arg)
{
    long number = (long)(intptr_t)arg;
    for (long turn = number; atomic_load(&running); turn++) {
        switch (number % KINDS) {
        case MUTEX:
            take_mutex(1000 + turn % 4 * 700);
            break;
        case RWLOCK:
            take_rwlock(1000 + turn % 4 * 700, (int)(turn % 2));
            break;
        default:
            wait_cond(1000 + turn % 4 * 700);
        }
    }
    atomic_fetch_add(&crowded, run_queue_ns());
    return NULL;
}

/* Threads contend for so long. Also for dlsym. */
void wick_test_contend(long ms, int threads);
void wick_test_contend(long ms, int threads)
{
    static const char *const names[] = {"nat-mutex", "nat-rwlock", "nat-cond"};
    pthread_t t[64];
    int n = 0;
    atomic_store(&running, 1);
    for (; n < threads && n < 64; n++) {
        if (pthread_create(&t[n], NULL, contend, (void *)(intptr_t)n))
            break;
        pthread_setname_np(t[n], names[n % KINDS]);
    }
    nap_us(ms * 1000);
    atomic_store(&running, 0);
    while (n)
        pthread_join(t[--n], NULL);
}

int64_t wick_test_truth(int kind);
int64_t wick_test_truth(int kind)
{
    return kind == KINDS ? atomic_load(&crowded) : atomic_load(&truth[kind]);
}

JNIEXPORT void JNICALL Java_NativeLocks_contend(JNIEnv *env, jclass cls, jlong ms, jint threads);
JNIEXPORT void JNICALL Java_NativeLocks_contend(JNIEnv *env, jclass cls, jlong ms, jint threads)
{
    (void)env, (void)cls;
    wick_test_contend(ms, threads);
}

JNIEXPORT jlong JNICALL Java_NativeLocks_truth(JNIEnv *env, jclass cls, jint kind);
JNIEXPORT jlong JNICALL Java_NativeLocks_truth(JNIEnv *env, jclass cls, jint kind)
{
    (void)env, (void)cls;
    return wick_test_truth(kind);
}

/* The mutex, in a Java thread. */
JNIEXPORT void JNICALL Java_NativeLocks_take(JNIEnv *env, jclass cls, jlong hold_us);
JNIEXPORT void JNICALL Java_NativeLocks_take(JNIEnv *env, jclass cls, jlong hold_us)
{
    (void)env, (void)cls;
    take_mutex(hold_us);
}

/* N uncontended locks; the time they took. */
JNIEXPORT jlong JNICALL Java_NativeLocks_quick(JNIEnv *env, jclass cls, jlong n);
JNIEXPORT jlong JNICALL Java_NativeLocks_quick(JNIEnv *env, jclass cls, jlong n)
{
    (void)env, (void)cls;
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    int64_t since = now_ns();
    for (jlong i = 0; i < n; i++) {
        pthread_mutex_lock(&own);
        pthread_mutex_unlock(&own);
    }
    return now_ns() - since;
}

static void *copy;

/* Opens a copy of this library, by its path; false if that fails. */
JNIEXPORT jboolean JNICALL Java_NativeLocks_open(JNIEnv *env, jclass cls, jstring path);
JNIEXPORT jboolean JNICALL Java_NativeLocks_open(JNIEnv *env, jclass cls, jstring path)
{
    const char *p = (*env)->GetStringUTFChars(env, path, NULL);
    (void)cls;
    copy = p ? dlopen(p, RTLD_LAZY | RTLD_LOCAL) : NULL;
    if (p)
        (*env)->ReleaseStringUTFChars(env, path, p);
    return copy != NULL;
}

/* Lets the copy's threads contend; what they measured, of mutexes. */
JNIEXPORT jlong JNICALL Java_NativeLocks_contendInCopy(JNIEnv *env, jclass cls, jlong ms, jint threads);
JNIEXPORT jlong JNICALL Java_NativeLocks_contendInCopy(JNIEnv *env, jclass cls, jlong ms, jint threads)
{
    void (*run)(long, int) = (void (*)(long, int))dlsym(copy, "wick_test_contend");
    int64_t (*measured)(int) = (int64_t(*)(int))dlsym(copy, "wick_test_truth");
    (void)env, (void)cls;
    run(ms, threads);
    return measured(MUTEX);
}

/* Opens and closes a copy again and again; its threads contend for a moment each time. */
static void *churn(void *arg)
{
    (void)arg;
    for (int i = 0; atomic_load(&churning); i++) {
        void *lib = dlopen(churned, RTLD_NOW | RTLD_LOCAL);
        void (*run)(long, int) = lib ? (void (*)(long, int))dlsym(lib, "wick_test_contend") : NULL;
        if (run && i % 2)
            run(3, 3);
        if (lib)
            dlclose(lib);
    }
    return NULL;
}

JNIEXPORT jboolean JNICALL Java_NativeLocks_churn(JNIEnv *env, jclass cls, jstring path);
JNIEXPORT jboolean JNICALL Java_NativeLocks_churn(JNIEnv *env, jclass cls, jstring path)
{
    const char *p = (*env)->GetStringUTFChars(env, path, NULL);
    (void)cls;
    if (!p)
        return 0;
    snprintf(churned, sizeof churned, "%s", p);
    (*env)->ReleaseStringUTFChars(env, path, p);
    atomic_store(&churning, 1);
    return !pthread_create(&churner, NULL, churn, NULL);
}

JNIEXPORT void JNICALL Java_NativeLocks_rest(JNIEnv *env, jclass cls);
JNIEXPORT void JNICALL Java_NativeLocks_rest(JNIEnv *env, jclass cls)
{
    (void)env, (void)cls;
    atomic_store(&churning, 0);
    pthread_join(churner, NULL);
}
