/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf_order.c - records of several processors in the order of their times
 *
 * Records wait in one buffer, copied; a list of them is sorted when a round ends, those that no later record can
 * precede are handed on, and the rest moves to the front. Memory is two rounds, which perf keeps at what its buffers
 * hold; a file without rounds is cut into pieces of HELD_MAX instead, and then a record may come after one that is
 * younger.
 */
#include <stdlib.h>

#include "import/perf_int.h"

#define HELD_MAX ((size_t)64 << 20)

struct held {
    uint64_t time_ns, offset;
    size_t at; /* in bytes */
    uint16_t size;
    uint32_t number; /* those of one time stay in the order of the file */
};

struct wick_perf_order {
    void (*take)(void *ctx, const struct wick_perf_rec *r, uint64_t offset);
    void *ctx;
    struct wick_strbuf bytes;
    struct held *held;
    size_t n, cap;
    uint64_t youngest, limit; /* of all so far; of those before the round that is going on */
};

struct wick_perf_order *wick_perf_order_new(void (*take)(void *ctx, const struct wick_perf_rec *r, uint64_t offset),
                                            void *ctx)
{
    struct wick_perf_order *o = calloc(1, sizeof *o);
    if (!o)
        return NULL;
    o->take = take;
    o->ctx = ctx;
    wick_strbuf_init(&o->bytes);
    return o;
}

void wick_perf_order_free(struct wick_perf_order *o)
{
    if (!o)
        return;
    wick_strbuf_release(&o->bytes);
    free(o->held);
    free(o);
}

static int by_time(const void *a, const void *b)
{
    const struct held *x = a, *y = b;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int by_number(const void *a, const void *b)
{
    const struct held *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void hand_on(struct wick_perf_order *o, const struct held *h)
{
    const unsigned char *p = (const unsigned char *)o->bytes.buf + h->at;
    struct wick_perf_rec r = {.p = p, .type = wick_perf_u32(p), .misc = wick_perf_u16(p + 4), .size = h->size};
    o->take(o->ctx, &r, h->offset);
}

/* Hands on all up to `limit` and moves the rest to the front. */
static void flush(struct wick_perf_order *o, uint64_t limit)
{
    size_t done = 0, at = 0;
    if (!o->n)
        return;
    qsort(o->held, o->n, sizeof *o->held, by_time);
    while (done < o->n && o->held[done].time_ns <= limit)
        hand_on(o, &o->held[done++]);
    o->n -= done;
    if (!done)
        return;
    memmove(o->held, o->held + done, o->n * sizeof *o->held);
    qsort(o->held, o->n, sizeof *o->held, by_number); /* so that bytes move to the front only */
    for (size_t i = 0; i < o->n; i++) {
        struct held *h = &o->held[i];
        memmove(o->bytes.buf + at, o->bytes.buf + h->at, h->size);
        h->at = at;
        h->number = (uint32_t)i;
        at += h->size;
    }
    wick_strbuf_cut(&o->bytes, at);
}

/* The time before which half of what is held lies. */
static uint64_t middle(struct wick_perf_order *o)
{
    qsort(o->held, o->n, sizeof *o->held, by_time);
    return o->held[o->n / 2].time_ns;
}

int wick_perf_order_add(struct wick_perf_order *o, const struct wick_perf_rec *r, uint64_t time_ns, uint64_t offset)
{
    if (!time_ns) {
        o->take(o->ctx, r, offset);
        return 0;
    }
    if (o->bytes.len > HELD_MAX)
        flush(o, middle(o));
    if (o->n == o->cap) {
        size_t cap = o->cap ? o->cap * 2 : 1024;
        struct held *bigger = reallocarray(o->held, cap, sizeof *bigger);
        if (!bigger)
            return -WICK_E_NOMEM;
        o->held = bigger;
        o->cap = cap;
    }
    o->held[o->n] = (struct held){time_ns, offset, o->bytes.len, r->size, (uint32_t)o->n};
    wick_strbuf_add(&o->bytes, r->p, r->size);
    if (o->bytes.failed)
        return -WICK_E_NOMEM;
    o->n++;
    o->youngest = time_ns > o->youngest ? time_ns : o->youngest;
    return 0;
}

void wick_perf_order_round(struct wick_perf_order *o)
{
    flush(o, o->limit);
    o->limit = o->youngest;
}

void wick_perf_order_end(struct wick_perf_order *o)
{
    flush(o, UINT64_MAX);
}
