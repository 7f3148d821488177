/* SPDX-License-Identifier: Apache-2.0 */
/*
 * window.h - many small reads of a target's memory that lie close together
 *
 * Each read of a target is a system call, so tables and the names in them are read two pages at a time. For what does
 * not change while it is searched: a window is not read again.
 */
#ifndef WICK_MEM_WINDOW_H
#define WICK_MEM_WINDOW_H

#include <stdbool.h>
#include <stddef.h>

#include "mem/mem.h"

enum { WICK_MEM_WINDOW_BYTES = 2 * WICK_MEM_PAGE };

/* Set mem, zero the rest. */
struct wick_mem_window {
    const struct wick_mem *mem;
    wick_addr from;
    size_t len; /* that were readable */
    unsigned char bytes[WICK_MEM_WINDOW_BYTES];
};

/* The n bytes at addr (n at most a page), valid until the next call; NULL if they cannot be read. */
const void *wick_mem_window_at(struct wick_mem_window *w, wick_addr addr, size_t n);

/* The word at addr, 0 if it cannot be read. */
uint64_t wick_mem_window_u64(struct wick_mem_window *w, wick_addr addr);

/* As wick_mem_read_str. */
int wick_mem_window_str(struct wick_mem_window *w, wick_addr addr, char *buf, size_t cap);

/* Whether the string at addr is that one. */
bool wick_mem_window_is(struct wick_mem_window *w, wick_addr addr, const char *text);

#endif
