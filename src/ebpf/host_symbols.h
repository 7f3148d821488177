/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_symbols.h - symbol tables that processes share which have mapped the same file
 *
 * Hundreds of processes have mapped the same few libraries, and many live for a moment only: a table is made once,
 * stays while a process has it and for a while after, and is found by what the kernel says of the file (host_file.h).
 *
 * Memory:  so many tables at most, of 12 bytes for each function; each has a descriptor.
 */
#ifndef WICK_EBPF_HOST_SYMBOLS_H
#define WICK_EBPF_HOST_SYMBOLS_H

#include "ebpf/host_file.h"
#include "elf/symbols.h"

enum { WICK_HOST_SYMBOLS = 128, WICK_HOST_SYMBOLS_ROUNDS = 30 }; /* calls of _tidy that a table survives unused */

struct wick_host_symbols {
    struct wick_host_shared {
        struct wick_host_file_id file;
        struct wick_symbols *symbols; /* NULL = a free place */
        uint32_t round;               /* of the last call of _tidy at which a process had it */
    } table[WICK_HOST_SYMBOLS];
    uint32_t round;
};

/* The table of a file, for one more user, who frees it; NULL if there is none. */
struct wick_symbols *wick_host_symbols_take(struct wick_host_symbols *h, const struct wick_host_file_id *file);

/* Keeps a table for others, if there is a place. It stays the caller's as well. */
void wick_host_symbols_keep(struct wick_host_symbols *h, const struct wick_host_file_id *file, struct wick_symbols *s);

/* Gives back tables that no process has had for a while; called about once a second. */
void wick_host_symbols_tidy(struct wick_host_symbols *h);

void wick_host_symbols_release(struct wick_host_symbols *h);

#endif
