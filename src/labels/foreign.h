/* SPDX-License-Identifier: Apache-2.0 */
/*
 * foreign.h - trace contexts that other libraries publish by OpenTelemetry's thread context (OTEP 4947)
 *
 * A library that publishes exports a thread-local pointer, `otel_thread_ctx_v1`, to a record of the thread's own:
 *
 *      trace_id[16]  span_id[8]  valid u8  flags u8  attrs_data_size u16  attrs        ids: big endian
 *
 * The usual way to a thread-local variable, __tls_get_addr, may allocate, and so is nothing for a signal handler. An
 * ordinary thread finds once where the pointer is; there are two ways, of glibc on x86-64:
 *
 *      static     at the same distance from the thread pointer in each thread: libraries loaded with the program, and
 *                 those that got a place in the room the loader keeps
 *      dynamic    thread pointer -> its vector of blocks -> the module's block, which a thread gets with its first
 *                 access; without one it has no context
 *
 * The vector's layout is an internal matter of the C library. So it is believed only if following it leads where the
 * loader says the pointer is; otherwise nothing is read. All reads are fault-safe.
 *
 * The first publisher that is found is the one, until the process ends; it is kept from being unloaded. Attributes are
 * not read: to be shown, their texts would have to be interned, which a handler cannot do.
 *
 * Threads: _find by one ordinary thread at a time, which pthread_create has made; _read_sig in handlers beside it.
 * Memory:  plain data; zeros are a valid start.
 */
#ifndef WICK_LABELS_FOREIGN_H
#define WICK_LABELS_FOREIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/atomic.h"
#include "elf/image.h"
#include "mem/mem.h"

/* What a sample carries. Plain data, compared byte by byte. */
struct wick_context {
    uint64_t trace_hi, trace_lo, span;
    uint32_t endpoint, labels; /* texts, 0 = none */
    uint32_t awaited;          /* a label besides: the other end of what it waits for; a text, 0 = none */
    uint32_t zero;             /* no padding */
};
_Static_assert(sizeof(struct wick_context) == 40, "no padding");

enum wick_label_foreign_way { WICK_FOREIGN_NONE, WICK_FOREIGN_STATIC, WICK_FOREIGN_DYNAMIC };

struct wick_label_foreign {
    _Atomic uint32_t way; /* enum wick_label_foreign_way; written after the two below, once */
    uint64_t module;      /* dynamic: index in a thread's vector of blocks */
    uint64_t offset;      /* of the pointer, from the thread pointer or in the block (modulo 2^64) */
    bool looked;          /* _find only: the images have been searched */
};

/* Searches for a library that publishes, unless one is known or no image was added since the last search (changed). May
 * wait for a library that is being loaded, as dlopen does. */
void wick_label_foreign_find(struct wick_label_foreign *f, const struct wick_elf_images *images,
                             const struct wick_mem *mem, bool changed);

/* Whether a library other than wick exports such a pointer. Searches all images; not for signal handlers. */
bool wick_label_foreign_exists(const struct wick_mem *mem);

/* Where the calling thread's pointer is, 0 if it has none. Async-signal-safe with a signal-safe mem. */
wick_addr wick_label_foreign_slot_sig(const struct wick_label_foreign *f, const struct wick_mem *mem);

/* The context that the calling thread has published. False if there is none, or the record is not valid or has no ids.
 * Async-signal-safe with a signal-safe mem. */
bool wick_label_foreign_read_sig(const struct wick_label_foreign *f, const struct wick_mem *mem,
                                 struct wick_context *out);

#endif
