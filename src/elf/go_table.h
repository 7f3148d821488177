/* SPDX-License-Identifier: Apache-2.0 */
/*
 * go_table.h - unwind rules and names of functions compiled by Go, which have no .eh_frame and, stripped, no symbols
 *
 * Go's linker leaves a table of all functions in every program, stripped or not (.gopclntab): where each begins, its
 * name, and how far the stack pointer is below the return address at each instruction. It is read in the file, where
 * and when it is needed; nothing is built.
 *
 *      .gopclntab   header: version, number of functions, address of the first one, offsets of what follows
 *                   names; pairs (bytes of stack, bytes of code), one list a function; functions sorted by address
 *
 * A function with a frame saves rbp below its return address, as Go's own convention is. Functions that change to
 * another stack are marked, and so are those below which there is nothing: the starts of threads and goroutines.
 *
 * Threads: immutable after _init; any thread may read.
 * Memory:  no allocation.
 */
#ifndef WICK_ELF_GO_TABLE_H
#define WICK_ELF_GO_TABLE_H

#include <stdint.h>

#include "elf/file.h"
#include "elf/unwind_rule.h"
#include "mem/mem.h"

struct wick_go_table {
    uint64_t text;                 /* address from which functions count */
    uint64_t at, size;             /* the section in its file; size 0 = there is none */
    uint64_t names, stacks, funcs; /* offsets in it */
    uint32_t n, kind_at;           /* functions; where a function's description has its kind and flags */
};

/* How deep the stack is in a function, read up to the end of one of its parts. */
struct wick_go_list {
    uint64_t off, lo, hi; /* of what is not in bytes yet, in the section; the part, from the start of the function */
    uint32_t left, have, used, depth, change;
    int rc;
    bool last;
    uint8_t bytes[64];
};

/* Where the last rule was found; zeros at first. It belongs to one table and its reader. */
struct wick_go_found {
    uint64_t begin, end; /* of the function; end 0 = nothing was found */
    bool switches, ends;
    struct wick_go_list list;
};

/* 0; -WICK_E_NOTFOUND: the file is not of Go; -WICK_E_UNSUPPORTED: of Go before 1.18, or it is not known where its code
 * begins; -WICK_E_FORMAT or -WICK_E_FAULT. */
int wick_go_table_init(struct wick_go_table *t, const struct wick_elf_file *f);

/* The rule for executing the instruction at vaddr, and where it holds: *lo <= vaddr < *hi. file: bytes by offset. from
 * makes it faster where rules are asked for one after the other; NULL = they are not.
 * 0, -WICK_E_NOTFOUND, -WICK_E_FORMAT or -WICK_E_FAULT. */
int wick_go_table_rule(const struct wick_go_table *t, const struct wick_mem *file, uint64_t vaddr,
                       struct wick_go_found *from, struct wick_unwind_rule *out, uint64_t *lo, uint64_t *hi);

/* The function that holds vaddr: where it begins, its size, and its name, cut to cap bytes. Returns as above. */
int wick_go_table_function(const struct wick_go_table *t, const struct wick_mem *file, uint64_t vaddr, uint64_t *begin,
                           uint64_t *size, char *name, size_t cap);

#endif
