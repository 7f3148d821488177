/* SPDX-License-Identifier: Apache-2.0 */
/*
 * published.h - the contexts of our scopes for readers other than wick, by OpenTelemetry's thread context (OTEP 4947)
 *
 * The other half of foreign.h: libwick.so itself exports the thread-local pointer `otel_thread_ctx_v1`, to a record
 *
 *      trace_id[16]  span_id[8]  valid u8  flags u8  attrs_data_size u16  { key u8, length u8, bytes }*
 *
 * Each record of labels.h has one beside it, at the same index, which the thread writes through a direct ByteBuffer
 * (java/api/src/wick/Published.java): `valid` becomes 0, the rest changes, `valid` becomes 1. Readers read while the
 * thread stands still, so a change is one store to them as well. The pointer is set once for a platform thread, when it
 * gets its record; for a virtual thread whenever it is mounted.
 *
 * `key` is an index into a list of names that the process context holds. The list only grows. Its first two are ours,
 * the others keys of labels.
 *
 * Nobody's publication is mixed with another's: where a process has a process context already, or a library that
 * publishes thread contexts, we do not begin.
 *
 * Threads: all lock; _record and _point do not.
 * Memory:  one mapping, touched as it is used: 640 bytes a record; the names by malloc. Zeros are a valid start.
 */
#ifndef WICK_LABELS_PUBLISHED_H
#define WICK_LABELS_PUBLISHED_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "labels/process_context.h"
#include "mem/mem.h"

enum {
    WICK_PUBLISHED_BYTES = 640, /* of a record, as the proposal advises */
    WICK_PUBLISHED_KEYS = 256,  /* an index is one byte */
    WICK_PUBLISHED_ROOT = 0,    /* wick.local_root_span_id: the outermost span here, 16 hexadecimal digits */
    WICK_PUBLISHED_ENDPOINT,    /* wick.endpoint: its operation */
    WICK_PUBLISHED_OWN,         /* keys that every list begins with */
};

struct wick_published_record {
    uint8_t trace_id[16], span_id[8]; /* big endian */
    uint8_t valid, flags;
    uint16_t attrs_size;
    uint8_t attrs[WICK_PUBLISHED_BYTES - 28 - 8];
    uint64_t writer; /* not of the layout: whose attributes these are, for copies of the Java classes that share it */
};
_Static_assert(sizeof(struct wick_published_record) == WICK_PUBLISHED_BYTES &&
                   offsetof(struct wick_published_record, attrs) == 28 &&
                   offsetof(struct wick_published_record, writer) == WICK_PUBLISHED_BYTES - 8,
               "OTEP 4947");

/* What the process says of itself: settings as resource.h has them. Borrowed for as long as something is published. */
struct wick_published_resource {
    const char *service_name, *attributes;
};

struct wick_published {
    pthread_mutex_t lock;
    struct wick_process_context process;
    struct wick_published_resource resource;
    struct wick_published_record *records; /* by index of a record of labels.h; NULL: nothing is published */
    char *keys[WICK_PUBLISHED_KEYS];
    uint32_t key_count;
};

#define WICK_PUBLISHED_INIT               \
    {                                     \
        .lock = PTHREAD_MUTEX_INITIALIZER \
    }

/* Begins to publish, for `records` threads; does nothing if it has begun. mem: of this process. 0, -WICK_E_STATE
 * (another library publishes in this process), -WICK_E_NOMEM. */
int wick_published_begin(struct wick_published *p, const struct wick_mem *mem,
                         const struct wick_published_resource *resource, uint32_t records);

/* Takes the process context back. Records stay, for threads may be writing to them. */
void wick_published_end(struct wick_published *p);

/* The index of a key, given now if it is new; -1 if there is no room. */
int wick_published_key(struct wick_published *p, const char *s, size_t len);

/* The record beside number n of labels.h, or NULL if nothing is published. */
struct wick_published_record *wick_published_record(const struct wick_published *p, uint32_t n);

/* Makes a record what the calling thread publishes; NULL: nothing. Not for signal handlers: the thread's first call may
 * allocate. */
void wick_published_point(struct wick_published_record *r);

#endif
