/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf/host_tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

enum { METHOD_BYTES = 256 << 20, CONTEXT_BYTES = 64 << 20 }; /* that are ever kept */

/* Room for one more of `size` bytes; false without memory. */
static bool make_room(void *array, uint32_t n, uint32_t *cap, size_t size)
{
    void **at = array;
    if (n < *cap)
        return true;
    uint32_t more = *cap ? *cap * 2 : 256;
    void *bigger = more > *cap ? reallocarray(*at, more, size) : NULL;
    if (!bigger)
        return false;
    *at = bigger;
    *cap = more;
    return true;
}

void wick_host_tables_release(struct wick_host_tables *t)
{
    for (uint32_t i = 0; i < t->nmethods; i++)
        free((char *)(uintptr_t)t->methods[i].class_name);
    for (uint32_t i = 0; i < t->ncontexts; i++)
        free(t->contexts[i]);
    free(t->methods);
    free(t->stacks);
    free(t->threads);
    free(t->contexts);
    free(t->frames);
    wick_index_release(&t->by_method);
    wick_index_release(&t->by_stack);
    wick_index_release(&t->by_thread);
    wick_index_release(&t->by_context);
    *t = (struct wick_host_tables){0};
}

/* --- methods --- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool same_method(const struct wick_jfr_method *a, const struct wick_jfr_method *b)
{
    return a->modifiers == b->modifiers && a->kind == b->kind && same_text(a->name, b->name) &&
           same_text(a->class_name ? a->class_name : "", b->class_name ? b->class_name : "") &&
           same_text(a->signature, b->signature);
}

static uint64_t hash_text(uint64_t h, const char *s)
{
    return s ? wick_hash_2(h, wick_hash_bytes(s, strlen(s))) : h;
}

static char *append_text(char **at, const char *s)
{
    size_t n = strlen(s) + 1;
    char *to = *at;
    memcpy(to, s, n);
    *at += n;
    return to;
}

/* Bytes that a method takes: its strings with their ends, and its place. */
static size_t method_bytes(const struct wick_jfr_method *m)
{
    return (m->class_name ? strlen(m->class_name) : 0) + (m->name ? strlen(m->name) : 0) +
           (m->signature ? strlen(m->signature) : 0) + 3 + sizeof *m;
}

/* A copy whose strings are one block. */
static bool copy_method(struct wick_jfr_method *to, const struct wick_jfr_method *m)
{
    const char *class_name = m->class_name ? m->class_name : "", *name = m->name ? m->name : "";
    char *at = malloc(method_bytes(m) - sizeof *m);
    if (!at)
        return false;
    *to = *m;
    to->class_name = append_text(&at, class_name);
    to->name = append_text(&at, name);
    to->signature = m->signature ? append_text(&at, m->signature) : NULL;
    return true;
}

uint32_t wick_host_method(struct wick_host_tables *t, const struct wick_jfr_method *m)
{
    uint64_t h = hash_text(hash_text(hash_text(m->kind, m->class_name), m->name), m->signature);
    uint32_t at = wick_index_start(&t->by_method, h), id;
    while (wick_index_next(&t->by_method, h, &at, &id))
        if (same_method(&t->methods[id], m))
            return id + 1;
    size_t bytes = method_bytes(m);
    if (bytes > METHOD_BYTES - t->method_bytes)
        return 0;
    if (!make_room(&t->methods, t->nmethods, &t->cap_methods, sizeof *t->methods) ||
        !copy_method(&t->methods[t->nmethods], m))
        return 0;
    if (wick_index_add(&t->by_method, h, t->nmethods)) {
        free((char *)(uintptr_t)t->methods[t->nmethods].class_name);
        return 0;
    }
    t->method_bytes += bytes;
    return ++t->nmethods;
}

/* --- stacks --- */

/* Frames have a hole behind their kind, so they are compared and hashed by member. */
static bool same_frames(const struct wick_jfr_frame *a, const struct wick_jfr_frame *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (a[i].method != b[i].method || a[i].line != b[i].line || a[i].bci != b[i].bci || a[i].kind != b[i].kind)
            return false;
    return true;
}

static bool room_for_frames(struct wick_host_tables *t, uint32_t n)
{
    size_t cap = t->cap_frames ? t->cap_frames : 4096;
    while (cap < t->nframes + n)
        cap *= 2;
    if (cap == t->cap_frames)
        return true;
    void *bigger = reallocarray(t->frames, cap, sizeof *t->frames);
    if (!bigger)
        return false;
    t->frames = bigger;
    t->cap_frames = cap;
    return true;
}

uint32_t wick_host_stack(struct wick_host_tables *t, const struct wick_jfr_frame *frames, uint32_t n, bool truncated)
{
    uint64_t h = n + (uint64_t)truncated * 0x10000;
    for (uint32_t i = 0; i < n; i++)
        h = wick_hash_2(h, wick_hash_2((uint64_t)frames[i].method << 32 | frames[i].line,
                                       (uint64_t)frames[i].bci << 8 | frames[i].kind));
    uint32_t at = wick_index_start(&t->by_stack, h), id;
    while (wick_index_next(&t->by_stack, h, &at, &id)) {
        const struct wick_host_stack *s = &t->stacks[id];
        if (s->n == n && s->truncated == truncated && same_frames(t->frames + s->first, frames, n))
            return id + 1;
    }
    if (!make_room(&t->stacks, t->nstacks, &t->cap_stacks, sizeof *t->stacks) || !room_for_frames(t, n) ||
        wick_index_add(&t->by_stack, h, t->nstacks))
        return 0;
    t->stacks[t->nstacks] = (struct wick_host_stack){t->nframes, n, truncated};
    if (n)
        memcpy(t->frames + t->nframes, frames, n * sizeof *frames);
    t->nframes += n;
    return ++t->nstacks;
}

size_t wick_host_passing_bytes(const struct wick_host_tables *t)
{
    return t->nframes * sizeof *t->frames + t->nstacks * sizeof *t->stacks + t->nthreads * sizeof *t->threads;
}

void wick_host_forget_passing(struct wick_host_tables *t)
{
    wick_index_release(&t->by_stack);
    wick_index_release(&t->by_thread);
    t->by_stack = t->by_thread = (struct wick_index){0};
    t->nstacks = t->nthreads = 0;
    t->nframes = 0;
}

/* --- threads and contexts --- */

uint32_t wick_host_thread_number(struct wick_host_tables *t, const struct wick_host_tid *thread)
{
    uint64_t h = hash_text(wick_hash_2(thread->start_ns, thread->tid), thread->comm);
    uint32_t at = wick_index_start(&t->by_thread, h), id;
    while (wick_index_next(&t->by_thread, h, &at, &id)) {
        const struct wick_host_tid *x = &t->threads[id];
        if (x->start_ns == thread->start_ns && x->tid == thread->tid && !strcmp(x->comm, thread->comm))
            return id + 1;
    }
    if (!make_room(&t->threads, t->nthreads, &t->cap_threads, sizeof *t->threads) ||
        wick_index_add(&t->by_thread, h, t->nthreads))
        return 0;
    t->threads[t->nthreads] = *thread;
    return ++t->nthreads;
}

uint32_t wick_host_context(struct wick_host_tables *t, const char *labels)
{
    uint64_t h = hash_text(1, labels);
    uint32_t at = wick_index_start(&t->by_context, h), id;
    while (wick_index_next(&t->by_context, h, &at, &id))
        if (!strcmp(t->contexts[id], labels))
            return id + 1;
    size_t bytes = strlen(labels) + 1 + sizeof *t->contexts;
    char *copy = bytes <= CONTEXT_BYTES - t->context_bytes ? strdup(labels) : NULL;
    if (!copy || !make_room(&t->contexts, t->ncontexts, &t->cap_contexts, sizeof *t->contexts) ||
        wick_index_add(&t->by_context, h, t->ncontexts)) {
        free(copy);
        return 0;
    }
    t->contexts[t->ncontexts] = copy;
    t->context_bytes += bytes;
    return ++t->ncontexts;
}

/* --- starting anew --- */

size_t wick_host_lasting_bytes(const struct wick_host_tables *t)
{
    return t->method_bytes + t->context_bytes;
}

void wick_host_tables_renew(struct wick_host_tables *t, struct wick_host_tables *old)
{
    *old = *t;
    *t = (struct wick_host_tables){0};
}

uint32_t wick_host_carry_method(struct wick_host_tables *t, const struct wick_host_tables *old, uint32_t method)
{
    return method && method <= old->nmethods ? wick_host_method(t, &old->methods[method - 1]) : 0;
}

uint32_t wick_host_carry_context(struct wick_host_tables *t, const struct wick_host_tables *old, uint32_t context)
{
    return context && context <= old->ncontexts ? wick_host_context(t, old->contexts[context - 1]) : 0;
}

/* --- for the writer --- */

static size_t give_stack(void *arg, uint32_t id, struct wick_jfr_frame *out, size_t cap, bool *truncated)
{
    const struct wick_host_tables *t = arg;
    *truncated = false;
    if (!id || id > t->nstacks)
        return 0;
    const struct wick_host_stack *s = &t->stacks[id - 1];
    size_t n = s->n < cap ? s->n : cap;
    *truncated = s->truncated || n < s->n;
    memcpy(out, t->frames + s->first, n * sizeof *out);
    return n;
}

static int give_method(void *arg, uint32_t id, struct wick_jfr_method *out)
{
    const struct wick_host_tables *t = arg;
    if (!id || id > t->nmethods)
        return -WICK_E_NOTFOUND;
    *out = t->methods[id - 1];
    return 0;
}

static int give_thread(void *arg, uint32_t id, struct wick_jfr_thread *out)
{
    const struct wick_host_tables *t = arg;
    if (!id || id > t->nthreads)
        return -WICK_E_NOTFOUND;
    *out = (struct wick_jfr_thread){.os_name = t->threads[id - 1].comm, .os_tid = t->threads[id - 1].tid};
    return 0;
}

static int give_context(void *arg, uint32_t id, struct wick_jfr_context *out)
{
    const struct wick_host_tables *t = arg;
    if (!id || id > t->ncontexts)
        return -WICK_E_NOTFOUND;
    *out = (struct wick_jfr_context){.labels = t->contexts[id - 1]};
    return 0;
}

struct wick_jfr_source wick_host_tables_source(struct wick_host_tables *t)
{
    return (struct wick_jfr_source){t, give_stack, give_method, give_thread, give_context};
}
