/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_cache.h - frames of a recording by what they were made of
 *
 * Memory:  malloc, at most some MiB; a cache that is full starts anew. Without memory nothing is kept.
 */
#ifndef WICK_EBPF_HOST_CACHE_H
#define WICK_EBPF_HOST_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "jfr/writer/writer.h"
#include "model/hash.h"

struct wick_host_key {
    uint64_t address; /* pc, Method* or CodeBlob* */
    uint64_t place;   /* offset in the code, or bytecode index */
    uint64_t kind;    /* enum wick_step_kind, and an identity: compile id or ConstMethod* */
};

struct wick_host_cached {
    struct wick_host_key key;
    uint64_t at_ns;    /* when it was made */
    uint32_t first, n; /* in `frames` */
};

struct wick_host_cache {
    struct wick_host_cached *e;
    struct wick_jfr_frame *frames;
    uint32_t n, cap, nframes, cap_frames;
    struct wick_index index;
};

/* The entry, or NULL; borrowed until the next _put or _clear. */
struct wick_host_cached *wick_host_cache_find(struct wick_host_cache *c, const struct wick_host_key *key);

/* Keeps n frames, in place of what was kept before. */
void wick_host_cache_put(struct wick_host_cache *c, const struct wick_host_key *key, uint64_t now_ns,
                         const struct wick_jfr_frame *frames, uint32_t n);

/* Forgets everything and frees it. */
void wick_host_cache_clear(struct wick_host_cache *c);

#endif
