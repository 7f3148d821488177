/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer_internal.h - the writer's state, shared by writer.c (chunks), writer_event.c (events) and writer_pool.c
 * (constants)
 *
 * Threads: as writer.h.
 * Memory:  as writer.h.
 */
#ifndef WICK_JFR_WRITER_WRITER_INTERNAL_H
#define WICK_JFR_WRITER_WRITER_INTERNAL_H

#include "base/strbuf.h"
#include "jfr/format/dense_ids.h"
#include "jfr/writer/writer.h"

struct wick_jfr_writer {
    struct wick_jfr_sink sink;
    struct wick_jfr_source source;
    struct wick_jfr_config config;
    struct wick_jfr_stats stats;
    struct wick_jfr_weight weight; /* of an event that is written now */

    /* The chunk. `size` counts what the header on disk describes; 0 = nothing of the chunk is on disk yet. */
    uint64_t base;            /* offset of the header in the sink */
    uint64_t size;            /* bytes, header included */
    uint64_t last_checkpoint; /* offset from base, 0 = none */
    uint64_t start_ns;        /* CLOCK_MONOTONIC */
    uint64_t start_epoch_ns;  /* the same instant of the wall clock */
    uint64_t origin_ns;       /* tick 0: start_ns - WICK_JFR_LATENESS_NS */
    uint64_t now_ns;          /* latest time given */
    uint64_t retry_at_ns;     /* with stats.error set */
    bool beginning, ending;   /* in chunk_begin, in chunk_end: no rotation now */

    struct wick_strbuf metadata; /* body of the metadata event: the same in every chunk */
    struct wick_strbuf events;   /* pending */
    struct wick_strbuf pools;    /* body of the checkpoint being made */
    struct wick_strbuf scratch;
    struct wick_jfr_frame *frames; /* config.max_frames */

    /* Constants of this chunk. Classes are keyed by name symbol * 4 + is Java * 2 + hidden, packages by
     * name symbol. */
    struct wick_jfr_ids threads, stacks, methods, classes, packages, contexts;
    struct wick_jfr_names symbols, strings, groups;

    uint32_t carry_ns[WICK_JFR_FIELD_COUNT]; /* of SPAN_US fields: what rounding down has left over so far */
};

/* Adds what events of a kind stand for. */
static inline void wick_jfr_weight_add(struct wick_jfr_weight *to, const struct wick_jfr_weight *more)
{
    to->samples += more->samples;
    to->weight += more->weight;
}

/* Builds in w->pools the constants that pending events need and the chunk does not have; *count gets the number of
 * pools, 0 if there is nothing new. 0 or -WICK_E_NOMEM. */
int wick_jfr_pools_build(struct wick_jfr_writer *w, uint32_t *count);

/* The id of a Java class by its internal name, 0 = no memory. */
uint32_t wick_jfr_class_add(struct wick_jfr_writer *w, const char *name);

/* Chooses the numbers of the first chunk. */
void wick_jfr_pools_begin(struct wick_jfr_writer *w);

/* What _build made last is on disk. */
void wick_jfr_pools_commit(struct wick_jfr_writer *w);

/* Forgets all constants: the next chunk begins without any. chunk_exists: the chunk that ends is on disk, so the next
 * one may not use its numbers. */
void wick_jfr_pools_reset(struct wick_jfr_writer *w, bool chunk_exists);

/* Bytes that the pools hold, and giving them all back. */
size_t wick_jfr_pools_bytes(const struct wick_jfr_writer *w);
void wick_jfr_pools_release(struct wick_jfr_writer *w);

/* Ticks since the chunk's origin. */
static inline uint64_t wick_jfr_ticks(const struct wick_jfr_writer *w, uint64_t mono_ns)
{
    return mono_ns > w->origin_ns ? mono_ns - w->origin_ns : 0;
}

#endif
