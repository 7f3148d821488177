/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arenas.h - what glibc's malloc has in use, what it holds free, and what malloc_trim would give back
 *
 * Read from memory, of this process or another; no lock is taken, nothing of the allocator is called. It goes in steps.
 *
 * Memory:  the caller's structs; the larger one has 18 KiB.
 */
#ifndef WICK_FOOTPRINT_ARENAS_H
#define WICK_FOOTPRINT_ARENAS_H

#include <stdbool.h>
#include <stdint.h>

#include "mem/mem.h"
#include "sys/pagemap.h"

enum wick_arenas_state {
#define X(NAME, text) WICK_ARENAS_##NAME,
#include "def/arenas_state.def"
#undef X
    WICK_ARENAS_STATES
};

/* Bytes, if the state is WICK_ARENAS_KNOWN or _PARTLY. What threads keep for themselves (tcache) counts as in use, as
 * in mallinfo2. */
struct wick_arenas {
    enum wick_arenas_state state;
    uint32_t arenas, blocks; /* blocks: those with a mapping of their own */
    uint64_t used;           /* in arenas */
    uint64_t free;           /* in free chunks, those at the ends of arenas excluded */
    uint64_t top;            /* at the ends of arenas */
    uint64_t mapped;         /* in blocks with a mapping of their own; in use */
    uint64_t trimmable;      /* whole free pages that are resident, where malloc_trim looks for them */
};

/* A sum over free chunks. */
struct wick_arenas_sum {
    uint64_t free, trimmable;
};

/* struct malloc_chunk, as far as lists have it. */
struct wick_arenas_chunk {
    uint64_t before, size, next, previous;
};

struct wick_arenas_walk {
    struct wick_arenas out;

    /* Private from here. */
    const struct wick_mem *mem;
    struct wick_pagemap *pagemap;
    wick_addr main, arena;         /* the first, and the one that is read; 0 = none is left */
    uint32_t bins;                 /* offset of the lists in an arena, which differs between versions */
    uint32_t bin;                  /* the list that is read, */
    wick_addr chunk;               /* from this one on; 0 = from its start */
    struct wick_arenas_chunk head; /* that chunk's, */
    uint32_t tries;                /* of it that failed */
    uint32_t chunks, most;         /* that were read of all lists, and may be */
    uint64_t system;               /* what the arenas got from the kernel, */
    uint64_t of_arena;             /* and this one */
    struct wick_arenas_sum in_bin;
    wick_addr block; /* a piece of memory that was read in this step, 0 = none: chunks are often neighbours */
    uint8_t bytes[1024];
    uint64_t data[2048]; /* an arena, or a piece of libc's data */
};

/* lo to hi: libc's writable data, 0 = the process has none. Reads up to `most` chunks, 0 = a million. Both pointers are
 * borrowed. */
void wick_arenas_begin(struct wick_arenas_walk *w, const struct wick_mem *mem, struct wick_pagemap *pagemap,
                       uint64_t lo, uint64_t hi, uint32_t most);

/* Reads up to 256 chunks. True: there is more; false: w->out is complete. */
bool wick_arenas_step(struct wick_arenas_walk *w);

static inline bool wick_arenas_known(const struct wick_arenas *a)
{
    return a->state == WICK_ARENAS_KNOWN || a->state == WICK_ARENAS_PARTLY;
}

/* "known", or why there are no figures. */
const char *wick_arenas_state_name(enum wick_arenas_state state);

#endif
