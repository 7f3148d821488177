/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nmt.h - what the JVM says of its own native memory: the report of VM.native_memory
 *
 * With -XX:NativeMemoryTracking=summary or detail the JVM counts what it allocates and maps, by category, and reports
 * it:
 *
 *      -                        GC (reserved=5870KB, committed=5870KB)
 *                                  (malloc=3466KB #111)
 *                                  (mmap: reserved=2404KB, committed=2404KB)
 *
 * and in detail also which addresses it has reserved:
 *
 *      [0x00000000fc000000 - 0x0000000100000000] reserved 65536KB for Java Heap from
 *
 * JDK 8 to 27 agree on these lines and differ in what is between them, which is passed over. The figures are what was
 * asked for, not what is resident: memory that was never touched counts, and what malloc keeps does not.
 *
 * Threads: any.
 * Memory:  malloc for the ranges; wick_nmt_release frees it.
 */
#ifndef WICK_FOOTPRINT_NMT_H
#define WICK_FOOTPRINT_NMT_H

#include <stddef.h>
#include <stdint.h>

#include "footprint/footprint.h"

enum { WICK_NMT_CATEGORIES = 64, WICK_NMT_NAME = 40 };

struct wick_nmt_category {
    char name[WICK_NMT_NAME]; /* "GC"; printable ASCII */
    uint64_t reserved;        /* bytes of address space */
    uint64_t committed;       /* bytes: all of it */
    uint64_t malloced;        /* of it from malloc, arenas included */
    uint64_t mapped;          /* of it committed in mappings */
};

struct wick_nmt {
    struct wick_nmt_category category[WICK_NMT_CATEGORIES];
    uint32_t count;
    uint64_t committed, malloced;    /* sums over the categories */
    struct wick_footprint_claims gc; /* what it has mapped for the collector, by address: in detail only */
};

/* Reads a report that was asked for with scale=KB, any bytes. -WICK_E_FORMAT if it is none, -WICK_E_NOTFOUND if it says
 * that nothing is tracked, -WICK_E_NOMEM; *out is untouched then. */
int wick_nmt_parse(const char *text, size_t len, struct wick_nmt *out);
void wick_nmt_release(struct wick_nmt *n);

#endif
