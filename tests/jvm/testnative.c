/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What only native code can do to a profiler: threads that the JVM never hears of, and a SIGPROF handler of the
 * application's own. Loaded by Busy.java.
 */
#include <errno.h>
#include <jni.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static _Atomic long prof_signals;

void wick_test_burn(int64_t ns);
__attribute__((noinline)) void wick_test_burn(int64_t ns)
{
    struct timespec t;
    do {
        for (volatile int i = 0; i < 2000; i++) {
        }
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    } while ((int64_t)t.tv_sec * 1000000000 + t.tv_nsec < ns);
}

static void *unattached(void *arg)
{
    wick_test_burn((int64_t)(intptr_t)arg);
    return NULL;
}

/* Runs `count` threads, each for `ns` of CPU time, four at a time. */
JNIEXPORT jint JNICALL Java_Busy_nativeThreads(JNIEnv *env, jclass cls, jint count, jlong ns);
JNIEXPORT jint JNICALL Java_Busy_nativeThreads(JNIEnv *env, jclass cls, jint count, jlong ns)
{
    (void)env, (void)cls;
    int done = 0;
    for (int i = 0; i < count; i += 4) {
        pthread_t t[4];
        int n = 0;
        for (; n < 4 && i + n < count; n++) {
            if (pthread_create(&t[n], NULL, unattached, (void *)(intptr_t)ns))
                break;
            pthread_setname_np(t[n], "unattached");
        }
        for (int k = 0; k < n; k++)
            done += !pthread_join(t[k], NULL);
    }
    return done;
}

/* Computes for `blocked` nanoseconds of CPU time with all signals blocked, then for `open` with none. */
JNIEXPORT void JNICALL Java_Overflows_block(JNIEnv *env, jclass cls, jlong blocked, jlong open);
JNIEXPORT void JNICALL Java_Overflows_block(JNIEnv *env, jclass cls, jlong blocked, jlong open)
{
    sigset_t all, old;
    struct timespec t;
    (void)env, (void)cls;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    int64_t begin = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    wick_test_burn(begin + blocked);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    wick_test_burn(begin + blocked + open);
}

/* Holds the array as long as it takes to use so much CPU time. */
JNIEXPORT void JNICALL Java_Tardy_hold(JNIEnv *env, jclass cls, jbyteArray array, jlong ns);
JNIEXPORT void JNICALL Java_Tardy_hold(JNIEnv *env, jclass cls, jbyteArray array, jlong ns)
{
    (void)cls;
    void *p = (*env)->GetPrimitiveArrayCritical(env, array, NULL);
    struct timespec t;
    if (!p)
        return;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    wick_test_burn((int64_t)t.tv_sec * 1000000000 + t.tv_nsec + ns);
    (*env)->ReleasePrimitiveArrayCritical(env, array, p, 0);
}

static void on_prof(int sig)
{
    (void)sig;
    atomic_fetch_add(&prof_signals, 1);
}

/* Makes the application the owner of SIGPROF, every ms milliseconds of CPU time. */
JNIEXPORT jint JNICALL Java_Busy_ownSigprof(JNIEnv *env, jclass cls, jint ms);
JNIEXPORT jint JNICALL Java_Busy_ownSigprof(JNIEnv *env, jclass cls, jint ms)
{
    (void)env, (void)cls;
    struct sigaction sa = {.sa_handler = on_prof, .sa_flags = SA_RESTART};
    const struct itimerval every = {{0, ms * 1000}, {0, ms * 1000}};
    return sigaction(SIGPROF, &sa, NULL) || setitimer(ITIMER_PROF, &every, NULL);
}

JNIEXPORT jlong JNICALL Java_Busy_sigprofs(JNIEnv *env, jclass cls);
JNIEXPORT jlong JNICALL Java_Busy_sigprofs(JNIEnv *env, jclass cls)
{
    (void)env, (void)cls;
    return atomic_load(&prof_signals);
}

static int wait_on_semaphore(const struct timespec *for_)
{
    struct timespec until;
    sem_t never;
    sem_init(&never, 0, 0);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += for_->tv_sec;
    until.tv_nsec += for_->tv_nsec;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    int r = sem_timedwait(&never, &until);
    int why = errno;
    sem_destroy(&never);
    return r && why == ETIMEDOUT ? 0 : why;
}

/* Waits in one of five calls that SA_RESTART does not cover (signal(7)). 0 if the time is over, otherwise errno. */
JNIEXPORT jint JNICALL Java_Walls_waitIn(JNIEnv *env, jclass cls, jint call, jint ms);
JNIEXPORT jint JNICALL Java_Walls_waitIn(JNIEnv *env, jclass cls, jint call, jint ms)
{
    (void)env, (void)cls;
    const struct timespec ts = {ms / 1000, ms % 1000 * 1000000L};
    struct timeval tv = {ms / 1000, ms % 1000 * 1000L};
    struct epoll_event event;
    int r, fd;
    switch (call) {
    case 0:
        return poll(NULL, 0, ms) ? errno : 0;
    case 1:
        return nanosleep(&ts, NULL) ? errno : 0;
    case 2:
        fd = epoll_create1(0);
        r = epoll_wait(fd, &event, 1, ms) ? errno : 0;
        close(fd);
        return r;
    case 3:
        return select(0, NULL, NULL, NULL, &tv) ? errno : 0;
    default:
        return wait_on_semaphore(&ts);
    }
}
