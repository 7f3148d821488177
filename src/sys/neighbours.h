/* SPDX-License-Identifier: Apache-2.0 */
/*
 * neighbours.h - which other processes use the processors
 *
 * Two readings of /proc/PID/stat, compared. What a process used before the first one does not count, nor does one that
 * began and ended between two. In a container only its own processes are seen.
 *
 * Memory:  two arrays, a row for each process of the machine, until _release.
 */
#ifndef WICK_SYS_NEIGHBOURS_H
#define WICK_SYS_NEIGHBOURS_H

#include <stddef.h>
#include <stdint.h>

enum { WICK_NEIGHBOUR_NAME = 128 };

struct wick_neighbour {
    int32_t pid;
    char name[WICK_NEIGHBOUR_NAME]; /* "cc1"; of a JVM also its main class or jar: "java org.acme.Main" */
    uint64_t cpu_ns;                /* in the period, in steps of the kernel's ticks */
};

struct wick_neighbour_row;

struct wick_neighbours {
    const char *proc; /* "/proc" */
    int32_t self;     /* this process is none */
    uint64_t read_ns, next_ns;
    struct wick_neighbour_row *was, *is; /* by pid */
    size_t nwas, cap_was, cap_is;
};

/* proc: where that file system is mounted; self: the pid that is no neighbour. */
void wick_neighbours_init(struct wick_neighbours *n, const char *proc, int32_t self);
void wick_neighbours_release(struct wick_neighbours *n);

/* Reads what all processes used and gives those that used most since the last reading, most first; the period in ns. 0
 * at the first reading, and while the next one is not due: a reading rests for 200 times of the CPU time it took. */
uint32_t wick_neighbours_read(struct wick_neighbours *n, uint64_t now_ns, struct wick_neighbour *out, uint32_t most,
                              uint64_t *period_ns);

/* The next reading is a first one again. */
void wick_neighbours_forget(struct wick_neighbours *n);

#endif
