/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_facts.h - what the kernel says of a thread of this process: is it running, on which processor, since when not
 *
 * Threads: any ordinary thread.
 * Memory:  the caller's structs; no allocation.
 */
#ifndef WICK_ENGINE_THREAD_THREAD_FACTS_H
#define WICK_ENGINE_THREAD_THREAD_FACTS_H

#include <stdint.h>

/* What changes from moment to moment. */
struct wick_thread_now {
    char state;            /* R running or runnable, S sleeping, D in a wait that signals do not end ...; ? unknown */
    char wchan[40];        /* kernel function in which it waits; "0": it does not, or the kernel does not say */
    int32_t last_cpu;      /* -1 = not known */
    uint64_t cpu_ns;       /* CPU time used so far */
    uint64_t run_delay_ns; /* time spent runnable without a processor so far */
    uint64_t major_faults; /* page faults that waited for a disk so far */
};

/* What was set from outside. */
struct wick_thread_rules {
    int32_t nice;         /* -20 .. 19 */
    const char *schedule; /* "SCHED_OTHER", a constant */
    char allowed[260];    /* processors, one bit each, hexadecimal */
};

/* Reads three files of /proc and a clock: about 50 us. Unknown facts stay 0, '?' or -1. */
void wick_thread_now(int32_t tid, struct wick_thread_now *out);
/* Three system calls. */
void wick_thread_rules(int32_t tid, struct wick_thread_rules *out);

#endif
