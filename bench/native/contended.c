/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes locks of the C library for bench/java/wick/bench/NativeContended.java. Compiled by bench/nativelocks.py,
 * without jni.h: a function of Java's is called with two pointers before its arguments. WORK: steps under the lock.
 */
#include <pthread.h>
#include <stdint.h>
#include <time.h>

enum { THREADS = 4 };

static pthread_mutex_t fought = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int fighting;
static _Atomic int64_t rounds;
static volatile uint64_t sink;

static int64_t clock_ns(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static uint64_t compute(uint64_t x)
{
    for (int i = 0; i < WORK; i++)
        x = x * UINT64_C(6364136223846793005) + 1;
    return x;
}

int64_t Java_wick_bench_NativeContended_free(void *env, void *cls, int64_t n);
/* The thread's CPU time for n locks that no other thread takes. */
int64_t Java_wick_bench_NativeContended_free(void *env, void *cls, int64_t n)
{
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    int64_t since = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    (void)env, (void)cls;
    for (int64_t i = 0; i < n; i++) {
        pthread_mutex_lock(&own);
        pthread_mutex_unlock(&own);
    }
    return clock_ns(CLOCK_THREAD_CPUTIME_ID) - since;
}

static void *fight(void *arg)
{
    uint64_t x = (uintptr_t)arg;
    while (fighting) {
        pthread_mutex_lock(&fought);
        x = compute(x);
        pthread_mutex_unlock(&fought);
        x = compute(x);
        rounds++;
    }
    sink = x;
    return NULL;
}

int64_t Java_wick_bench_NativeContended_fight(void *env, void *cls, int64_t ms);
/* Rounds a second of threads that fight for one mutex for so long. */
int64_t Java_wick_bench_NativeContended_fight(void *env, void *cls, int64_t ms)
{
    pthread_t threads[THREADS];
    int64_t since = clock_ns(CLOCK_MONOTONIC);
    int n = 0;
    (void)env, (void)cls;
    rounds = 0;
    fighting = 1;
    while (n < THREADS && !pthread_create(&threads[n], NULL, fight, (void *)(uintptr_t)(n + 1)))
        n++;
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
    fighting = 0;
    while (n)
        pthread_join(threads[--n], NULL);
    return rounds * 1000000000 / (clock_ns(CLOCK_MONOTONIC) - since);
}
