/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.h - spans that ended, from the threads of the JVM to the drain thread
 *
 * A client (one copy of the Java classes) has one piece of memory:
 *
 *      [ control page | stripe 0 | stripe 1 | ... ]      stripe: [ head, 56 bytes | cells ]
 *
 * A stripe is a bounded queue: many writers, one reader. Writers are Java threads; they claim a position with a
 * compare-and-swap on a tail that is a Java object, fill the cell and publish it by its sequence, position + 1. The
 * reader moves `head` on; a writer that finds the tail a whole lap ahead of it drops the span and counts it. Threads
 * spread over the stripes and go on to the next one when theirs is full.
 *
 * A writer that is killed between claiming and publishing (a StackOverflowError, say) would stop its stripe for ever.
 * So the reader gives up on a cell that has stayed unpublished, with published ones behind it, for many polls.
 *
 * Threads: one reader; writers in Java.
 * Memory:  mmap, for the life of the process.
 */
#ifndef WICK_LABELS_QUEUE_H
#define WICK_LABELS_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/atomic.h"

enum {
    WICK_LABEL_CONTROL_BYTES = 4096,
    WICK_LABEL_STRIPES = 8,
    WICK_LABEL_CELLS = 2048 /* of a stripe, a power of two */
};

/* How long to wait for a cell that others have overtaken: its writer may have lost its processor. */
#define WICK_LABEL_PATIENCE_NS UINT64_C(5000000000)

/* A span that ended. */
struct wick_label_event {
    _Atomic uint32_t sequence; /* position + 1, low 32 bits */
    uint32_t thread;           /* serial number of the thread, 0 = unknown */
    uint64_t start_ns;         /* CLOCK_MONOTONIC */
    uint64_t duration_ns;
    uint64_t trace_hi, trace_lo, span, root, parent;
    uint32_t endpoint, operation, labels; /* texts */
    uint32_t flags;                       /* WICK_LABEL_... */
};

enum {
    WICK_LABEL_ROOT = 1,   /* the outermost span of its request in this process */
    WICK_LABEL_VIRTUAL = 2 /* of a virtual thread */
};

struct wick_label_stripe {
    _Atomic uint64_t head; /* reader; Java reads it */
    uint64_t waiting_ns;   /* since when the cell at head is overtaken, 0 = it is not */
    uint64_t pad[6];
    struct wick_label_event cells[WICK_LABEL_CELLS];
};

/* Offsets are known to java/api/src/wick/SpanQueue.java. */
struct wick_label_client {
    _Atomic uint32_t recording; /* scopes are to be written */
    uint32_t layout;            /* WICK_LABELS_LAYOUT */
    uint32_t next_stripe;       /* for _take */
    uint8_t pad[WICK_LABEL_CONTROL_BYTES - 12];
    struct wick_label_stripe stripes[WICK_LABEL_STRIPES];
};
_Static_assert(sizeof(struct wick_label_event) == 80 && offsetof(struct wick_label_event, trace_hi) == 24 &&
                   offsetof(struct wick_label_event, endpoint) == 64 &&
                   offsetof(struct wick_label_stripe, cells) == 64 &&
                   offsetof(struct wick_label_client, stripes) == WICK_LABEL_CONTROL_BYTES,
               "WICK_LABELS_LAYOUT 2");

/* Takes one span; false if there is none. now_ns: CLOCK_MONOTONIC. *skipped counts cells that were given up. */
bool wick_label_client_take(struct wick_label_client *c, uint64_t now_ns, struct wick_label_event *out,
                            uint64_t *skipped);

#endif
