/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that leave a signal handler of a profiler for good, if it lets them: cancelled asynchronously, or by a jump
 * out of a handler of the application's. Loaded by LostHandlers.java.
 */
#include <jni.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 2, JUMP_NS = 137000 };

static void *spin(void *arg)
{
    (void)arg;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (;;)
        ;
    return NULL;
}

static long long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Starts threads that spin and cancels them, for so long; returns how many. */
JNIEXPORT jint JNICALL Java_LostHandlers_cancel(JNIEnv *env, jclass cls, jlong ns);
JNIEXPORT jint JNICALL Java_LostHandlers_cancel(JNIEnv *env, jclass cls, jlong ns)
{
    (void)env, (void)cls;
    long long until = now_ns() + ns;
    int n = 0;
    while (now_ns() < until) {
        pthread_t t[THREADS];
        int started = 0;
        while (started < THREADS && !pthread_create(&t[started], NULL, spin, NULL))
            started++;
        usleep(5000);
        for (int i = 0; i < started; i++) {
            pthread_cancel(t[i]);
            pthread_join(t[i], NULL);
        }
        n += started;
    }
    return n;
}

static sigjmp_buf out;
static _Atomic int jumps;
static long long jump_until;

static void jump(int sig)
{
    (void)sig;
    jumps++;
    siglongjmp(out, 1);
}

static void *spin_and_jump(void *arg)
{
    (void)arg;
    struct sigevent event;
    struct itimerspec each = {{0, JUMP_NS}, {0, JUMP_NS}}, off = {{0, 0}, {0, 0}};
    timer_t timer;
    sigset_t alarm;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGALRM;
    event._sigev_un._tid = (int)syscall(SYS_gettid);
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer))
        return NULL;
    if (!sigsetjmp(out, 1))
        timer_settime(timer, 0, &each, NULL);
    while (now_ns() < jump_until)
        ;
    pthread_sigmask(SIG_BLOCK, &alarm, NULL);
    timer_settime(timer, 0, &off, NULL);
    timer_delete(timer);
    return NULL;
}

/* A thread that spins for so long, and is interrupted by SIGALRM, whose handler jumps out; returns how often. */
JNIEXPORT jint JNICALL Java_LostHandlers_jump(JNIEnv *env, jclass cls, jlong ns);
JNIEXPORT jint JNICALL Java_LostHandlers_jump(JNIEnv *env, jclass cls, jlong ns)
{
    (void)env, (void)cls;
    struct sigaction sa, old;
    pthread_t t;
    memset(&sa, 0, sizeof sa);
    sa.sa_handler = jump;
    sigaction(SIGALRM, &sa, &old);
    jump_until = now_ns() + ns;
    if (!pthread_create(&t, NULL, spin_and_jump, NULL))
        pthread_join(t, NULL);
    sigaction(SIGALRM, &old, NULL);
    return jumps;
}
