/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wall_look.h - what the kernel says of one of our threads, without touching it
 *
 * /proc/self/task/TID/syscall shows whether a thread can run ("running", which includes waiting for a processor), and
 * if it waits, in which system call, with its stack pointer and pc in user mode. /proc/self/task/TID/schedstat shows
 * how long it ran, how long it waited for a processor, and how often it got one. Reading either costs one to two
 * microseconds and does not wake the thread. A process may always read these of itself.
 *
 * Threads: any.
 */
#ifndef WICK_ENGINE_WALL_LOOK_H
#define WICK_ENGINE_WALL_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wick_wall_seen {
    WICK_WALL_GONE,  /* no such thread */
    WICK_WALL_READY, /* runs, or could */
    WICK_WALL_WAITS,
};

struct wick_wall_look {
    uint64_t sp, pc;
    uint8_t state; /* enum wick_jfr_state, as far as the system call shows it */
};

struct wick_wall_sched {
    uint64_t cpu_ns, delay_ns, slices;
};

/* tasks: a descriptor of /proc/self/task. *out is set if the answer is WICK_WALL_WAITS. */
enum wick_wall_seen wick_wall_look(int tasks, int32_t tid, struct wick_wall_look *out);

/* The same from the text of such a file. */
enum wick_wall_seen wick_wall_look_parse(const char *text, struct wick_wall_look *out);

/* 0 or -WICK_E_NOTFOUND. */
int wick_wall_sched(int tasks, int32_t tid, struct wick_wall_sched *out);

/* Whether the thread blocks the signal; false if there is no such thread. */
bool wick_wall_blocks(int tasks, int32_t tid, int signal);

/* CPU time of a thread so far, 0 if there is no such thread. */
uint64_t wick_wall_cpu_ns(int32_t tid);

#endif
