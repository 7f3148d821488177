/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock_graph.h - who blocks whom, and by which locks
 *
 * The waits of lock_waits.h as the edges of a graph: from threads that waited by a lock to threads that held it.
 * Threads whose names differ in numbers only are one node, "pool-*-thread-*", and so are locks of one class: that is
 * what a picture of a server with 200 workers and as many sessions shows. Waits that nobody's ownership makes longer,
 * those of idle threads, are left out.
 *
 * Memory:  64 bytes a wait while it works.
 */
#ifndef WICK_ANALYSIS_WAIT_LOCK_GRAPH_H
#define WICK_ANALYSIS_WAIT_LOCK_GRAPH_H

#include "analysis/wait/lock_waits.h"

struct wick_lock_flow {
    uint32_t waiter, owner;             /* names of the nodes, strings of the profile */
    uint32_t class_name;                /* of the lock, as in struct wick_lock_wait_row */
    bool park, native;                  /* the same */
    bool owner_known;                   /* otherwise owner is 0 */
    uint32_t waiter_stack, owner_stack; /* of its longest wait, and of the longest one whose owner was seen; 0 = none */
    int64_t weight_ns, longest_ns, seen_ns; /* seen: the longest wait whose owner was seen */
    uint64_t waits;
};

/* The edges, heaviest first; free(*out). Adds strings to the profile. -WICK_E_NOMEM. */
int wick_lock_graph(const struct wick_lock_waits *w, struct wick_lock_flow **out, size_t *n);

#endif
