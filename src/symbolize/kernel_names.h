/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_names.h - names of kernel functions, without reading the kernel's symbols again for each recording
 *
 * The kernel's symbol table costs 20 to 60 ms of CPU and 4 MB, so it goes soon after the last name was asked for. The
 * functions that were found stay, with the addresses that they cover: a program calls a few hundred, and the kernel's
 * own do not move. Those of modules and BPF programs may, and are not kept.
 *
 * Threads: one at a time (the session's lock).
 * Memory:  malloc; of the functions that stay at most WICK_KERNEL_NAMES_KEPT, some 40 bytes each.
 */
#ifndef WICK_SYMBOLIZE_KERNEL_NAMES_H
#define WICK_SYMBOLIZE_KERNEL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

enum { WICK_KERNEL_NAMES_KEPT = 16384 };

struct wick_kallsyms;

struct wick_kernel_names {
    const char *path;            /* of the symbols; NULL = the kernel's */
    struct wick_kallsyms *table; /* NULL = not in memory */
    uint32_t idle;               /* calls of _tidy since it was used */
    uint32_t loads;              /* how often it was read */
    bool failed;                 /* it cannot be read: not tried again before the next recording */
    struct wick_kernel_function {
        uint64_t from, to;
        uint32_t name; /* in text */
    } * known;         /* sorted, disjoint */
    uint32_t n, cap;
    struct wick_strbuf text;
};

/* The one of this process. */
extern struct wick_kernel_names wick_kernel_names;

/* A recording begins: what could not be read then may be readable now. */
void wick_kernel_names_begin(struct wick_kernel_names *k);

/* Writes the name of the function that holds pc, and where the function starts (may be NULL); false: it is not known.
 */
bool wick_kernel_names_find(struct wick_kernel_names *k, uint64_t pc, uint64_t *start, char *name, size_t cap);

/* Drops the table if it was not used during the last 30 calls, or `now`. */
void wick_kernel_names_tidy(struct wick_kernel_names *k, bool now);

/* Bytes held. */
size_t wick_kernel_names_memory(const struct wick_kernel_names *k);

/* Frees all. */
void wick_kernel_names_release(struct wick_kernel_names *k);

#endif
