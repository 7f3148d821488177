/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Native memory that a program knows all about: every function that allocates, in sites of their own, and what frees
 * it. Loaded by NativeMem.java, and, as a copy, by itself: a library that comes and goes while others record.
 */
#include <dlfcn.h>
#include <jni.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Where memory is kept: each allocation begins with the address of the one before. */
struct kept {
    struct kept *before;
    size_t bytes;
};

static struct kept *blocks, *mappings;
static _Atomic int running;
static char churned[4096];

static void keep(struct kept **list, void *p, size_t bytes)
{
    struct kept *k = p;
    k->before = *list;
    k->bytes = bytes;
    *list = k;
}

/* One site for each function. Not inlined, and each has work behind the call, so that it is a frame of its own. */
#define SITE(name, call)                                      \
    __attribute__((noinline)) static void *name(size_t bytes) \
    {                                                         \
        void *p = call;                                       \
        if (p)                                                \
            *(volatile char *)p = 1;                          \
        return p;                                             \
    }

static void *aligned(size_t bytes)
{
    void *p;
    return posix_memalign(&p, 64, bytes) ? NULL : p;
}

SITE(by_malloc, malloc(bytes))
SITE(by_calloc, calloc(bytes / 16, 16))
SITE(by_realloc, realloc(malloc(bytes / 2), bytes))
SITE(by_posix_memalign, aligned(bytes))
SITE(by_aligned_alloc, aligned_alloc(64, bytes))
SITE(by_memalign, memalign(64, bytes))
SITE(by_mmap, mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))

static void *(*const sites[])(size_t) = {by_malloc,        by_calloc,   by_realloc, by_posix_memalign,
                                         by_aligned_alloc, by_memalign, by_mmap};
enum { MMAP = 6 };

/* n allocations of so many bytes that are kept. */
static void leak(int site, long n, size_t bytes)
{
    for (long i = 0; i < n; i++) {
        void *p = sites[site](bytes);
        if (p && p != MAP_FAILED)
            keep(site == MMAP ? &mappings : &blocks, p, bytes);
    }
}

/* Moves the end of the data segment. */
__attribute__((noinline)) static void by_sbrk(long bytes)
{
    char *p = sbrk(bytes);
    if (p != MAP_FAILED && bytes > 0)
        *(volatile char *)p = 1;
}

/* n that are given back at once. */
__attribute__((noinline)) static void balance(long n, size_t bytes)
{
    for (long i = 0; i < n; i++) {
        void *p = by_malloc(bytes);
        free(p);
    }
}

static void give_back(void)
{
    for (struct kept *k; (k = blocks); free(k))
        blocks = k->before;
    for (struct kept *k; (k = mappings); munmap(k, k->bytes))
        mappings = k->before;
}

/* ---- what a hook has to live with ---- */

static void on_signal(int number)
{
    (void)number;
    /* what is allowed there: malloc itself may hang */
    munmap(mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 8192);
}

static pthread_key_t at_end;

static void destroy(void *p)
{
    free(p);
    free(malloc(3000));
}

static void *churn(void *arg)
{
    long number = (long)(intptr_t)arg;
    pthread_setspecific(at_end, malloc(2000));
    if (number == 1)
        pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL);
    for (long i = 0; atomic_load(&running); i++) {
        void *p[16];
        for (int k = 0; k < 16; k++)
            p[k] = malloc((size_t)(16 + (i * 37 + k * 611) % 4000));
        for (int k = 0; k < 16; k++)
            p[k] = k % 3 ? p[k] : realloc(p[k], 5000);
        for (int k = 0; k < 16; k++)
            free(p[k]);
        if (i % 64 == 0)
            munmap(mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 65536);
        pthread_testcancel();
    }
    return NULL;
}

static void fork_once(int i)
{
    pid_t child = i % 2 ? fork() : vfork();
    if (!child && i % 2) {
        for (int k = 0; k < 2000; k++)
            free(malloc(5000));
        _exit(0);
    }
    if (!child) {
        free(malloc(700));
        _exit(0);
    }
    if (child > 0)
        waitpid(child, NULL, 0);
}

static void load_once(int i)
{
    void *copy = dlopen(churned, RTLD_NOW | RTLD_LOCAL);
    void (*run)(long, size_t) = copy ? (void (*)(long, size_t))dlsym(copy, "wick_test_balance") : NULL;
    if (run)
        run(100 + i % 50, 4000);
    if (copy)
        dlclose(copy);
}

/* Threads that allocate and end, are cancelled or interrupted, libraries and processes that come and go, for so long.
 */
static void stress(long ms)
{
    enum { THREADS = 4 };
    struct timespec begin, now;
    signal(SIGUSR2, on_signal);
    pthread_key_create(&at_end, destroy);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int i = 0;; i++) {
        pthread_t t[THREADS];
        atomic_store(&running, 1);
        for (long k = 0; k < THREADS; k++)
            pthread_create(&t[k], NULL, churn, (void *)(intptr_t)k);
        pthread_kill(t[0], SIGUSR2);
        fork_once(i);
        load_once(i);
        pthread_cancel(t[1]);
        pthread_kill(t[2], SIGUSR2);
        atomic_store(&running, 0);
        for (int k = 0; k < THREADS; k++)
            pthread_join(t[k], NULL);
        clock_gettime(CLOCK_MONOTONIC, &now);
        if ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 >= ms)
            break;
    }
    pthread_key_delete(at_end);
}

/* Time of n pairs of malloc and free, in ns; `spread`: of many blocks at a time. */
static int64_t pairs(long n, size_t bytes, int spread)
{
    enum { MOST = 1 << 12 };
    static void *held[MOST];
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (long i = 0; i < n; i++) {
        void **at = &held[spread ? i % MOST : 0];
        free(*at);
        *at = malloc(bytes);
    }
    clock_gettime(CLOCK_MONOTONIC, &b);
    return (int64_t)(b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec;
}

/* For dlsym. */
void wick_test_balance(long n, size_t bytes);
void wick_test_balance(long n, size_t bytes)
{
    balance(n, bytes);
}

void wick_test_leak(long n, size_t bytes);
void wick_test_leak(long n, size_t bytes)
{
    leak(0, n, bytes);
}

/* ---- references ---- */

/* Global references to one object, each a slot in memory of the JVM's. They are never deleted. */
__attribute__((noinline)) static void by_reference(JNIEnv *env, jobject object, long n)
{
    for (long i = 0; i < n; i++)
        if (!(*env)->NewGlobalRef(env, object))
            return;
}

/* ---- for Java ---- */

JNIEXPORT void JNICALL Java_NativeMem_refer(JNIEnv *env, jclass cls, jlong n);
JNIEXPORT void JNICALL Java_NativeMem_refer(JNIEnv *env, jclass cls, jlong n)
{
    by_reference(env, cls, n);
}

JNIEXPORT void JNICALL Java_NativeMem_move(JNIEnv *env, jclass cls, jlong bytes);
JNIEXPORT void JNICALL Java_NativeMem_move(JNIEnv *env, jclass cls, jlong bytes)
{
    (void)env, (void)cls;
    by_sbrk(bytes);
}

JNIEXPORT void JNICALL Java_NativeMem_leak(JNIEnv *env, jclass cls, jint site, jlong n, jlong bytes);
JNIEXPORT void JNICALL Java_NativeMem_leak(JNIEnv *env, jclass cls, jint site, jlong n, jlong bytes)
{
    (void)env, (void)cls;
    leak(site, n, (size_t)bytes);
}

JNIEXPORT void JNICALL Java_NativeMem_balance(JNIEnv *env, jclass cls, jlong n, jlong bytes);
JNIEXPORT void JNICALL Java_NativeMem_balance(JNIEnv *env, jclass cls, jlong n, jlong bytes)
{
    (void)env, (void)cls;
    balance(n, (size_t)bytes);
}

JNIEXPORT void JNICALL Java_NativeMem_giveBack(JNIEnv *env, jclass cls);
JNIEXPORT void JNICALL Java_NativeMem_giveBack(JNIEnv *env, jclass cls)
{
    (void)env, (void)cls;
    give_back();
}

static const char *path_of(JNIEnv *env, jstring path, char *out, size_t cap)
{
    const char *p = (*env)->GetStringUTFChars(env, path, NULL);
    snprintf(out, cap, "%s", p ? p : "");
    if (p)
        (*env)->ReleaseStringUTFChars(env, path, p);
    return out;
}

JNIEXPORT void JNICALL Java_NativeMem_stress(JNIEnv *env, jclass cls, jstring copy, jlong ms);
JNIEXPORT void JNICALL Java_NativeMem_stress(JNIEnv *env, jclass cls, jstring copy, jlong ms)
{
    (void)cls;
    path_of(env, copy, churned, sizeof churned);
    stress(ms);
}

JNIEXPORT jlong JNICALL Java_NativeMem_pairs(JNIEnv *env, jclass cls, jlong n, jlong bytes, jboolean spread);
JNIEXPORT jlong JNICALL Java_NativeMem_pairs(JNIEnv *env, jclass cls, jlong n, jlong bytes, jboolean spread)
{
    (void)env, (void)cls;
    return pairs(n, (size_t)bytes, spread);
}

static void *copy_of_this;

JNIEXPORT jboolean JNICALL Java_NativeMem_open(JNIEnv *env, jclass cls, jstring path);
JNIEXPORT jboolean JNICALL Java_NativeMem_open(JNIEnv *env, jclass cls, jstring path)
{
    char name[4096];
    (void)cls;
    copy_of_this = dlopen(path_of(env, path, name, sizeof name), RTLD_LAZY | RTLD_LOCAL);
    return copy_of_this != NULL;
}

JNIEXPORT void JNICALL Java_NativeMem_leakInCopy(JNIEnv *env, jclass cls, jlong n, jlong bytes);
JNIEXPORT void JNICALL Java_NativeMem_leakInCopy(JNIEnv *env, jclass cls, jlong n, jlong bytes)
{
    void (*run)(long, size_t) = (void (*)(long, size_t))dlsym(copy_of_this, "wick_test_leak");
    (void)env, (void)cls;
    run(n, (size_t)bytes);
}
