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

enum { THREADS = 2, ROUNDS = 40, JUMPS = 2000, JUMP_NS = 137000 };
#define SPIN_NS 2000000 /* of CPU time, before a thread is cancelled */

static void *spin(void *arg)
{
    (void)arg;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (;;)
        ;
    return NULL;
}

static long long cpu_ns(pthread_t t)
{
    struct timespec used = {0, 0};
    clockid_t clock;
    if (!pthread_getcpuclockid(t, &clock))
        clock_gettime(clock, &used);
    return used.tv_sec * 1000000000LL + used.tv_nsec;
}

/* Starts threads that spin and cancels them, again and again; returns how many. */
JNIEXPORT jint JNICALL Java_LostHandlers_cancel(JNIEnv *env, jclass cls);
JNIEXPORT jint JNICALL Java_LostHandlers_cancel(JNIEnv *env, jclass cls)
{
    (void)env, (void)cls;
    int n = 0;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t t[THREADS];
        int started = 0;
        while (started < THREADS && !pthread_create(&t[started], NULL, spin, NULL))
            started++;
        for (int i = 0; i < started; i++) {
            while (cpu_ns(t[i]) < SPIN_NS)
                usleep(100);
            pthread_cancel(t[i]);
            pthread_join(t[i], NULL);
        }
        n += started;
    }
    return n;
}

static sigjmp_buf out;
static _Atomic int jumps;

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
    while (jumps < JUMPS)
        ;
    pthread_sigmask(SIG_BLOCK, &alarm, NULL);
    timer_settime(timer, 0, &off, NULL);
    timer_delete(timer);
    return NULL;
}

/* A thread that spins and is interrupted by SIGALRM, whose handler jumps out; returns how often. */
JNIEXPORT jint JNICALL Java_LostHandlers_jump(JNIEnv *env, jclass cls);
JNIEXPORT jint JNICALL Java_LostHandlers_jump(JNIEnv *env, jclass cls)
{
    (void)env, (void)cls;
    struct sigaction sa, old;
    pthread_t t;
    memset(&sa, 0, sizeof sa);
    sa.sa_handler = jump;
    sigaction(SIGALRM, &sa, &old);
    jumps = 0;
    if (!pthread_create(&t, NULL, spin_and_jump, NULL))
        pthread_join(t, NULL);
    sigaction(SIGALRM, &old, NULL);
    return jumps;
}
