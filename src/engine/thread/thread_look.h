/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_look.h - what the kernel says of one of our threads, without touching it
 *
 * /proc/self/task/TID/syscall shows whether a thread can run ("running", which includes waiting for a processor), and
 * if it waits, in which system call, with its stack pointer and pc in user mode. /proc/self/task/TID/schedstat shows
 * how long it ran, how long it waited for a processor, and how often it got one. Reading either costs one to two
 * microseconds if it is open (thread_files.h) and does not wake the thread. A process may always read these of itself.
 *
 * Threads: any; several that use one table of files hold a lock.
 */
#ifndef WICK_ENGINE_THREAD_THREAD_LOOK_H
#define WICK_ENGINE_THREAD_THREAD_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/thread/thread_files.h"

enum { WICK_THREAD_LOOK_STACK = 32 << 10 }; /* bytes of a waiting thread's stack that are copied to walk it */

enum wick_thread_seen {
    WICK_THREAD_GONE,  /* no such thread */
    WICK_THREAD_READY, /* runs, or could */
    WICK_THREAD_WAITS,
};

struct wick_thread_look {
    uint64_t sp, pc;
    uint8_t state;   /* enum wick_jfr_state, as far as the system call shows it */
    int32_t socket;  /* that it waits for data of, or for room in, -1 = none */
    bool sends;      /* it waits for room there */
    int32_t file;    /* that it reads, writes or forces to the disk, -1 = none */
    int32_t child;   /* process whose end it waits for, 0 = none */
    uint64_t polled; /* address of the struct pollfd, if it waits in poll for one descriptor; else 0 */
};

struct wick_thread_sched {
    uint64_t cpu_ns, delay_ns, slices;
};

/* *out is set if the answer is WICK_THREAD_WAITS. */
enum wick_thread_seen wick_thread_look(struct wick_thread_files *files, int32_t tid, struct wick_thread_look *out);

/* The same from the text of such a file. */
enum wick_thread_seen wick_thread_look_parse(const char *text, struct wick_thread_look *out);

/* 0 or -WICK_E_NOTFOUND. */
int wick_thread_sched(struct wick_thread_files *files, int32_t tid, struct wick_thread_sched *out);

/* Whether the thread blocks the signal; false if there is no such thread. tasks: a descriptor of /proc/self/task. */
bool wick_thread_look_blocks(int tasks, int32_t tid, int signal);

/* CPU time of a thread so far, 0 if there is no such thread. */
uint64_t wick_thread_look_cpu_ns(int32_t tid);

#endif
