/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocates and frees native memory for bench/java/wick/bench/NativeMalloc.java. Compiled by bench/nativemem.py,
 * without jni.h: a function of Java's is called with two pointers before its arguments.
 */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

enum { HELD = 4096, BURST = 1000, BURST_NS = 1000000 };

static void *held[HELD];
static volatile char *sink;

static int64_t clock_ns(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Sizes from 16 bytes to 1 KiB; each pair frees the block of HELD pairs ago. */
static void pair(uint64_t i)
{
    size_t size = 16 + (i * 0x9e3779b97f4a7c15u >> 54);
    free(held[i % HELD]);
    sink = held[i % HELD] = malloc(size);
    *sink = 1;
}

int64_t Java_wick_bench_NativeMalloc_pairs(void *env, void *cls, int64_t n);
/* The thread's CPU time for n pairs of malloc and free, one after the other. */
int64_t Java_wick_bench_NativeMalloc_pairs(void *env, void *cls, int64_t n)
{
    int64_t since = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    (void)env, (void)cls;
    for (int64_t i = 0; i < n; i++)
        pair((uint64_t)i);
    return clock_ns(CLOCK_THREAD_CPUTIME_ID) - since;
}

int64_t Java_wick_bench_NativeMalloc_paced(void *env, void *cls, int64_t n);
/* The same at a million a second: a thousand each millisecond, and sleep between them. */
int64_t Java_wick_bench_NativeMalloc_paced(void *env, void *cls, int64_t n)
{
    int64_t since = clock_ns(CLOCK_THREAD_CPUTIME_ID), next = clock_ns(CLOCK_MONOTONIC);
    (void)env, (void)cls;
    for (int64_t i = 0; i < n; i++) {
        pair((uint64_t)i);
        if (i % BURST)
            continue;
        next += BURST_NS;
        const struct timespec until = {next / 1000000000, next % 1000000000};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    }
    return clock_ns(CLOCK_THREAD_CPUTIME_ID) - since;
}
