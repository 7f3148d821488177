/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock.h - the clocks wick uses, in nanoseconds
 *
 * Threads: any; async-signal-safe (clock_gettime is a vDSO call for these clocks on x86-64 and aarch64).
 */
#ifndef WICK_BASE_CLOCK_H
#define WICK_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* 0 if there is no such clock: the CPU clock of a thread that has ended. */
static inline uint64_t wick_clock_ns(clockid_t id)
{
    struct timespec t;
    if (clock_gettime(id, &t))
        return 0;
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The CPU clock of a thread of this process, as the kernel numbers it (linux/posix-timers.h, CPUCLOCK_PERTHREAD_MASK |
 * CPUCLOCK_SCHED); the C library has it for the calling thread's handle only. */
static inline clockid_t wick_clock_of_thread(int32_t tid)
{
    return (clockid_t)((~(uint32_t)tid << 3) | 6);
}

/* Time since boot without suspend: the time base of events (also perf's CLOCK_MONOTONIC). */
static inline uint64_t wick_clock_mono_ns(void)
{
    return wick_clock_ns(CLOCK_MONOTONIC);
}

/* Time since 1970 UTC. */
static inline uint64_t wick_clock_epoch_ns(void)
{
    return wick_clock_ns(CLOCK_REALTIME);
}

#endif
