/* SPDX-License-Identifier: Apache-2.0 */
/*
 * smaps.h - /proc/PID/smaps, one mapping after the other
 *
 * The kernel makes the text while it is read, under the process's lock of its mappings, some hundred microseconds a
 * buffer. Who may not take long reads a few mappings at a time; those that come and go meanwhile may be missed.
 *
 * Threads: one at a time.
 * Memory:  the caller's struct; a descriptor until _close.
 */
#ifndef WICK_SYS_SMAPS_H
#define WICK_SYS_SMAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WICK_SMAPS_BUFFER = 16 << 10 };

struct wick_mapping {
    uint64_t lo, hi;
    uint64_t rss, pss, swap; /* bytes; pss: a page that is mapped n times counts as 1/n each time */
    bool readable, writable, executable, shared;
    bool file;        /* of a file, or of memory that can be shared like one */
    const char *path; /* "" = none; "[heap]" and the like; until the next call */
};

struct wick_smaps {
    int fd; /* -1 = not open */
    uint32_t at, len;
    bool eof;
    char buf[WICK_SMAPS_BUFFER];
};

/* `proc`: descriptor of /proc/PID. 0, -WICK_E_PERM, -WICK_E_GONE. */
int wick_smaps_open(struct wick_smaps *s, int proc);
void wick_smaps_close(struct wick_smaps *s);

/* 1 = *out is the next mapping, 0 = there is none, -WICK_E_GONE (the process ended), -WICK_E_FORMAT (no such text). */
int wick_smaps_next(struct wick_smaps *s, struct wick_mapping *out);

/* Parses one mapping's lines, which end with a NUL, and changes them. False if it is none. */
bool wick_smaps_parse(char *text, struct wick_mapping *out);

#endif
