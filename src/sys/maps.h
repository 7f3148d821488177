/* SPDX-License-Identifier: Apache-2.0 */
/*
 * maps.h - /proc/PID/maps, one mapping after the other
 *
 * Which pages of them are resident is in pagemap, which can be read in pieces. /proc/PID/smaps has sums, but the kernel
 * makes them with the lock of the process's mappings held: 10 ms for each GiB of one mapping, in which none of its
 * threads can map anything.
 *
 * Memory:  the caller's struct; a descriptor until _close.
 */
#ifndef WICK_SYS_MAPS_H
#define WICK_SYS_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A path has up to PATH_MAX characters, each up to four with what the kernel escapes. */
enum { WICK_MAPS_BUFFER = 20 << 10 };

struct wick_mapping {
    uint64_t lo, hi, offset, inode;
    unsigned major, minor; /* of the file's device */
    bool readable, writable, executable, shared;
    bool file;        /* of a file, or of memory that can be shared like one */
    const char *path; /* "" = none; "[heap]" and the like; until the next call */
};

struct wick_maps {
    int fd; /* -1 = not open */
    uint32_t at, len;
    bool eof, in_rest; /* of a line whose beginning was delivered */
    uint64_t read;     /* of the file, so far */
    char buf[WICK_MAPS_BUFFER];
};

/* `proc`: descriptor of /proc/PID. 0, -WICK_E_PERM, -WICK_E_GONE. */
int wick_maps_open(struct wick_maps *s, int proc);

/* The same by the process's number, 0 = this one. */
int wick_maps_open_process(struct wick_maps *s, int pid);
void wick_maps_close(struct wick_maps *s);

/* Begins anew with a descriptor of such a file, which is borrowed: without _close. */
void wick_maps_begin(struct wick_maps *s, int fd);

/* 1 = *out is the next mapping, 0 = there is none, -WICK_E_GONE (the process ended), -WICK_E_FORMAT (no such text). */
int wick_maps_next(struct wick_maps *s, struct wick_mapping *out);

/* Finds the mapping that holds addr, from where fd stands, with path "". It uses 5 KiB of the stack and allocates
 * nothing, so it may be called where a lock of the loader or of the allocator is held. False: there is none. */
bool wick_maps_find(int fd, uint64_t addr, struct wick_mapping *out);

/* Parses a line, which ends with a NUL. False if it is none. */
bool wick_maps_parse(const char *line, struct wick_mapping *out);

#endif
