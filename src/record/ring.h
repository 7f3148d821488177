/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring.h - a bounded queue of events: many writers in signal handlers, one reader
 *
 * Each cell has a sequence number that says whose turn it is (Vyukov's bounded queue):
 *
 *      sequence == position          free: a writer at this position may take it
 *      sequence == position + 1      full: the reader at this position may take it
 *      after reading                 sequence = position + capacity, free for the next lap
 *
 * A writer claims a position with one compare-and-swap on `tail`, fills the cell and publishes it by its sequence. A
 * writer that is interrupted in between delays the reader at that cell and no other thread. A full ring is not waited
 * for: the event is dropped and counted by the caller.
 *
 * There is one ring per CPU, so that handlers rarely touch the same cache lines; a handler that migrates in the middle
 * is still correct.
 *
 * Threads: wick_ring_put_sig from any number of threads and handlers; wick_ring_get from one thread.
 * Memory:  the cells are the creator's.
 */
#ifndef WICK_RECORD_RING_H
#define WICK_RECORD_RING_H

#include <stdbool.h>

#include "base/atomic.h"
#include "record/event.h"

struct wick_ring_cell {
    _Atomic uint64_t sequence;
    struct wick_event event;
};

struct wick_ring {
    _Alignas(64) _Atomic uint64_t tail; /* writers */
    _Alignas(64) uint64_t head;         /* reader */
    struct wick_ring_cell *cells;
    uint64_t mask; /* capacity - 1; the capacity is a power of two */
};

static inline void wick_ring_init(struct wick_ring *r, struct wick_ring_cell *cells, uint64_t capacity)
{
    r->cells = cells;
    r->mask = capacity - 1;
    r->head = 0;
    wick_store_relaxed(&r->tail, 0);
    for (uint64_t i = 0; i < capacity; i++)
        wick_store_relaxed(&cells[i].sequence, i);
}

enum { WICK_RING_TRIES = 64 }; /* a handler never waits: so many lost races mean a full ring */

/* False if the ring is full. */
static inline bool wick_ring_put_sig(struct wick_ring *r, const struct wick_event *e)
{
    uint64_t at = wick_load_relaxed(&r->tail);
    for (int i = 0; i < WICK_RING_TRIES; i++) {
        struct wick_ring_cell *c = &r->cells[at & r->mask];
        int64_t turn = (int64_t)(wick_load_acquire(&c->sequence) - at); /* pairs: wick_ring_get */
        if (turn < 0)
            return false;
        if (turn > 0) {
            at = wick_load_relaxed(&r->tail);
            continue;
        }
        if (wick_cas_acq_rel(&r->tail, &at, at + 1)) {
            c->event = *e;
            wick_store_release(&c->sequence, at + 1); /* pairs: wick_ring_get */
            return true;
        }
    }
    return false;
}

/* False if there is nothing to read (or the next writer has not finished). */
static inline bool wick_ring_get(struct wick_ring *r, struct wick_event *e)
{
    struct wick_ring_cell *c = &r->cells[r->head & r->mask];
    if (wick_load_acquire(&c->sequence) != r->head + 1) /* pairs: wick_ring_put_sig */
        return false;
    *e = c->event;
    wick_store_release(&c->sequence, r->head + r->mask + 1); /* pairs: wick_ring_put_sig */
    r->head++;
    return true;
}

#endif
