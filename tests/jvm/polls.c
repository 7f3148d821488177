/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads of a native library that wait in poll() again and again, and count how often a signal ends it. Loaded by
 * Polls.java.
 */
#include <errno.h>
#include <jni.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

enum { THREADS = 4 };
#define BUSY_NS 100000 /* of CPU time between two calls */

static _Atomic bool leave;
static _Atomic long calls, interrupted;

static long long cpu_ns(void)
{
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return used.tv_sec * 1000000000LL + used.tv_nsec;
}

static void *wait_often(void *arg)
{
    (void)arg;
    while (!atomic_load(&leave)) {
        for (long long end = cpu_ns() + BUSY_NS; cpu_ns() < end;)
            ;
        if (poll(NULL, 0, 1) < 0 && errno == EINTR)
            atomic_fetch_add(&interrupted, 1);
        atomic_fetch_add(&calls, 1);
    }
    return NULL;
}

/* Until so many calls are made. Returns how many of them a signal ended. */
JNIEXPORT jlong JNICALL Java_Polls_run(JNIEnv *env, jclass cls, jlong many);
JNIEXPORT jlong JNICALL Java_Polls_run(JNIEnv *env, jclass cls, jlong many)
{
    (void)env, (void)cls;
    pthread_t t[THREADS];
    int started = 0;
    while (started < THREADS && !pthread_create(&t[started], NULL, wait_often, NULL))
        started++;
    while (started && atomic_load(&calls) < many)
        poll(NULL, 0, 10);
    atomic_store(&leave, true);
    for (int i = 0; i < started; i++)
        pthread_join(t[i], NULL);
    return started ? atomic_load(&interrupted) : -1;
}
