/* SPDX-License-Identifier: Apache-2.0 */
/*
 * footprint.h - where the resident memory of a JVM's process goes
 *
 * Each mapping of the process, or each page of it, is attributed to the part that it belongs to. The sources are asked
 * in this order: the file that is mapped; the JVM, for its heap, code cache, card table and the stacks of Java threads;
 * the heads that the C library's allocator puts before its heaps and its large blocks; stack pointers of threads that
 * sleep; addresses of classes. What nobody claims is a part of its own and never spread over others.
 *
 * It works alike from inside and from outside. Reading takes the kernel about as long as the process has page tables:
 * some ms for a GiB. It goes in steps, so that a thread with other duties may do it; it is no snapshot of a moment
 * then.
 *
 * Threads: one at a time. No lock of the JVM or of the C library is taken, no thread is stopped.
 * Memory:  some KiB, 24 bytes a Java thread, and with ZGC a bit for each page of the heap, from _begin to _end.
 */
#ifndef WICK_FOOTPRINT_FOOTPRINT_H
#define WICK_FOOTPRINT_FOOTPRINT_H

#include "footprint/arenas.h"
#include "hotspot/jvm.h"
#include "sys/maps.h"
#include "sys/pagemap.h"

enum wick_memory_part {
#define X(NAME, name, resident, meaning) WICK_MEMORY_##NAME,
#include "def/memory_part.def"
#undef X
    WICK_MEMORY_PARTS
};

/* Bytes; 0 = none, or not known. */
struct wick_memory_row {
    uint64_t resident, swapped;
    uint64_t reserved;  /* the most that it may become */
    uint64_t committed; /* what may be touched now */
    uint64_t used;      /* what its owner says is in use */
    uint64_t count;     /* of what: memory_part.def */
};

struct wick_footprint {
    struct wick_memory_row row[WICK_MEMORY_PARTS];
    uint64_t resident, swapped; /* of all rows that are part of the resident set, one mapped again not counted again */
    struct wick_arenas arenas;  /* what of malloc's memory is free */
};

struct wick_footprint_claim {
    uint64_t lo, hi;
    enum wick_memory_part part;
};

/* A list that grows. */
struct wick_footprint_claims {
    struct wick_footprint_claim *rows;
    uint32_t count, cap;
    bool failed;
};

/* What is found once for each JVM. */
struct wick_footprint_jvm {
    const struct wick_jvm *jvm;
    wick_addr heap_used[12], heap_capacity[3]; /* jvmstat counters, 0 = none */
    wick_addr metaspace_used, metaspace_committed;
    wick_addr max_heap;                        /* a flag */
    const struct wick_footprint_claims *known; /* ranges that are known besides, NULL = none; borrowed */
    uint32_t chunks_most;                      /* of malloc's free chunks that are read, 0 = a million */
};

/* Reads the JVM's flags and counters: some ms. */
void wick_footprint_open(struct wick_footprint_jvm *f, const struct wick_jvm *jvm);

/* A mapping is cut into pieces with one owner each. */
enum { WICK_FOOTPRINT_PIECES = 64 };

struct wick_footprint_pieces {
    struct wick_footprint_claim rows[WICK_FOOTPRINT_PIECES];
    uint32_t count;
};

struct wick_footprint_walk {
    const struct wick_footprint_jvm *of;
    struct wick_footprint out;
    struct wick_footprint_claims exact;  /* ranges that the JVM names, by address; they do not overlap */
    struct wick_footprint_claims points; /* lo: an address inside a part */
    struct wick_maps maps;
    struct wick_pagemap pagemap;
    int proc;             /* /proc/PID */
    uint64_t library_end; /* of the last mapping, if it was data of a library; its .bss follows */
    uint64_t heap_size;   /* reserved */

    struct wick_mapping mapping; /* that is being counted: */
    struct wick_footprint_pieces pieces;
    uint32_t piece;                    /* this one of them, */
    uint64_t at;                       /* from here on */
    uint64_t resident, swapped, zero;  /* what of the piece was seen so far; zero: resident, or the page of zeros */
    uint64_t zeros[WICK_MEMORY_PARTS]; /* that of all pieces */

    struct wick_footprint_claim open; /* end of the last mapping that nobody claims so far; hi 0 = none */
    uint64_t open_resident, open_swapped, open_zero;
    uint64_t *heap_seen; /* a bit for each page of the file that is the heap: seen in one of its mappings */
    uint64_t heap_pages; /* how many bits there are */

    struct wick_footprint_claim libc; /* its writable data; hi 0 = not seen */
    struct wick_arenas_walk arenas;   /* once all mappings were seen: */
    bool in_arenas;
};

/* 0, -WICK_E_PERM, -WICK_E_GONE, -WICK_E_NOMEM. `proc`: descriptor of /proc/PID, borrowed until _end. */
int wick_footprint_begin(struct wick_footprint_walk *w, const struct wick_footprint_jvm *of, int proc);

/* Goes on for up to `most` mappings, or pieces of up to 16 MiB. 1 = there is more, 0 = w->out is complete,
 * -WICK_E_GONE, -WICK_E_FORMAT. */
int wick_footprint_step(struct wick_footprint_walk *w, uint32_t most);
void wick_footprint_end(struct wick_footprint_walk *w);

/* "Java heap", and whether it is part of the resident set. */
const char *wick_memory_part_name(enum wick_memory_part part);
bool wick_memory_part_resident(enum wick_memory_part part);

/* claims.c: what the JVM and its threads say of addresses, and figures that need no mapping. */
void wick_footprint_claim_jvm(struct wick_footprint_walk *w);
void wick_footprint_claim_threads(struct wick_footprint_walk *w);
void wick_footprint_figures(struct wick_footprint_walk *w);
uint64_t
wick_footprint_kernel_resident(const struct wick_footprint_walk *w); /* the kernel's own count, 0 = not known */
void wick_footprint_add(struct wick_footprint_claims *c, uint64_t lo, uint64_t hi, enum wick_memory_part part);

#endif
