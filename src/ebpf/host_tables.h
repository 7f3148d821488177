/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_tables.h - what samples of a whole machine refer to by number: methods, stacks, threads, contexts
 *
 * Each is interned by content and gets the numbers 1, 2, 3 ...; the JFR writer asks for them (wick_host_tables_source).
 * All grow with time. When stacks and threads take too much, the writer begins a new chunk and they start anew.
 * Methods and contexts keep their numbers for longer, since frames are cached with them: when they take too much the
 * tables are renewed, which makes every number invalid, and what is still needed is carried over.
 *
 * Memory:  malloc; without it, and from 256 MiB of methods or 64 MiB of contexts on, things have number 0, which the
 *          recording shows as unknown.
 */
#ifndef WICK_EBPF_HOST_TABLES_H
#define WICK_EBPF_HOST_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jfr/writer/writer.h"
#include "model/hash.h"

struct wick_host_stack {
    size_t first; /* in frames */
    uint32_t n;
    bool truncated;
};

struct wick_host_tid {
    uint64_t start_ns;
    uint32_t tid;
    char comm[16];
};

struct wick_host_tables {
    struct wick_jfr_method *methods; /* number - 1; their strings are malloc'ed together, class_name first */
    struct wick_host_stack *stacks;
    struct wick_host_tid *threads;
    char **contexts; /* labels as text */
    struct wick_jfr_frame *frames;
    uint32_t nmethods, cap_methods, nstacks, cap_stacks, nthreads, cap_threads, ncontexts, cap_contexts;
    size_t nframes, cap_frames, method_bytes, context_bytes;
    struct wick_index by_method, by_stack, by_thread, by_context;
};

void wick_host_tables_release(struct wick_host_tables *t);

/* The number of a method; its strings are copied. */
uint32_t wick_host_method(struct wick_host_tables *t, const struct wick_jfr_method *m);

/* The number of a stack, leaf first; `truncated`: there were more frames. */
uint32_t wick_host_stack(struct wick_host_tables *t, const struct wick_jfr_frame *frames, uint32_t n, bool truncated);

/* The number of a thread under that name. */
uint32_t wick_host_thread_number(struct wick_host_tables *t, const struct wick_host_tid *thread);

/* The number of a set of labels, "key=value,key=value". */
uint32_t wick_host_context(struct wick_host_tables *t, const char *labels);

/* Bytes that stacks and threads take, and forgetting them. */
size_t wick_host_passing_bytes(const struct wick_host_tables *t);
void wick_host_forget_passing(struct wick_host_tables *t);

/* Bytes that methods and contexts take. */
size_t wick_host_lasting_bytes(const struct wick_host_tables *t);

/* Starts anew: *old gets what there was, for _carry, and is the caller's to release. Called right after a chunk began.
 */
void wick_host_tables_renew(struct wick_host_tables *t, struct wick_host_tables *old);

/* The number of a method, or of a context, that had that number before; 0 if it had none. */
uint32_t wick_host_carry_method(struct wick_host_tables *t, const struct wick_host_tables *old, uint32_t method);
uint32_t wick_host_carry_context(struct wick_host_tables *t, const struct wick_host_tables *old, uint32_t context);

/* The tables as the writer reads them; t must outlive it. */
struct wick_jfr_source wick_host_tables_source(struct wick_host_tables *t);

#endif
