/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stretches.h - all objects that lie in some stretches of the heap, whatever the order of the dump
 *
 * Serial, Parallel, CMS and G1 dump objects as they lie. ZGC and Shenandoah dump them as they find them along the
 * references, so that one object in the dump says nothing of the next one's distance. Of such a dump every object of
 * some stretches of 64 KiB is kept, stretches drawn by their address, fewer of them as more objects come; sorted, these
 * are neighbours.
 *
 * Memory:  malloc, at most 6 MiB.
 */
#ifndef WICK_HEAP_STRETCHES_H
#define WICK_HEAP_STRETCHES_H

#include <stdbool.h>
#include <stdint.h>

/* An object, as far as its neighbour's address says something of its size. */
struct wick_heap_seen {
    uint64_t id;
    uint32_t class; /* of an instance, else WICK_HEAP_NONE */
    uint32_t bytes; /* elements of a byte[] */
    uint32_t refs;  /* elements of an array of references */
};

struct wick_heap_stretches {
    struct wick_heap_seen *kept;
    uint32_t n, cap;
    uint32_t thinned;     /* a stretch in 2^thinned is kept */
    uint64_t seen, falls; /* objects; those with a lower address than the one before */
    uint64_t last;
    bool failed; /* out of memory: there are none */
};

/* Takes note of an object, in the order of the dump; s = {0} at first. */
void wick_heap_stretches_see(struct wick_heap_stretches *s, const struct wick_heap_seen *o);

/* Whether the dump has the objects as they lie, but for the changes from one region to the next. */
bool wick_heap_stretches_in_order(const struct wick_heap_stretches *s);

/* Sorts what was kept by address. */
void wick_heap_stretches_sort(struct wick_heap_stretches *s);

/* Whether two objects lie in one stretch. */
bool wick_heap_stretches_join(uint64_t id, uint64_t other);

void wick_heap_stretches_release(struct wick_heap_stretches *s);

#endif
