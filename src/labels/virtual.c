/* SPDX-License-Identifier: Apache-2.0 */
/*
 * virtual.c - the virtual threads that have a context, seen from another thread
 *
 * The reader is not the thread that writes, so the record may change while it is read. A context counts if two reads in
 * a row agree: a thread that waits, the case of interest, does not write. Records are never unmapped, and one that was
 * given to another thread has another owner.
 */
#include <string.h>

#include "base/random.h"
#include "labels/labels.h"

enum { LOOKS = 8 };

/* What is compared. */
struct look {
    uint64_t owner, current;
    struct wick_label_span span;
};

static bool holder_at(const struct wick_labels *l, uint32_t record, struct wick_label_holder *out)
{
    uint64_t id = wick_load_acquire(&l->records[record].owner); /* pairs: bind_virtual_locked */
    *out = (struct wick_label_holder){id, wick_load_relaxed(&l->owners[record].since_ns), record};
    return id != 0;
}

uint32_t wick_labels_holders(struct wick_labels *l, struct wick_label_holder *out, uint32_t cap)
{
    uint32_t count = 0;
    pthread_mutex_lock(&l->lock);
    uint32_t top = l->record_top;
    pthread_mutex_unlock(&l->lock);
    for (uint32_t n = 1; n < top; n++) {
        struct wick_label_holder one;
        if (!holder_at(l, n, &one))
            continue;
        if (count < cap)
            out[count] = one;
        count++;
    }
    return count;
}

/* Evenly spaced from a random place on, which makes a draw of each equally likely and none is drawn twice. */
uint32_t wick_labels_draw(struct wick_labels *l, uint64_t *random, struct wick_label_holder *out, uint32_t cap,
                          uint32_t *count)
{
    pthread_mutex_lock(&l->lock);
    uint64_t n = l->held_count, from = n ? wick_random_below(random, n) : 0;
    uint32_t draws = n < cap ? (uint32_t)n : cap;
    for (uint64_t i = 0; i < draws; i++)
        (void)holder_at(l, l->held[(from + i * n) / draws], &out[i]);
    pthread_mutex_unlock(&l->lock);
    *count = (uint32_t)n;
    return draws;
}

static void look_at(const struct wick_label_record *r, struct look *out)
{
    *out = (struct look){.owner = wick_load_acquire(&r->owner),      /* pairs: wick_labels_bind_virtual */
                         .current = wick_load_acquire(&r->current)}; /* pairs: the release store in Record.java */
    uint32_t depth = (uint32_t)out->current;
    if (depth && depth <= WICK_LABELS_DEPTH)
        out->span = *(const volatile struct wick_label_span *)&r->spans[depth - 1];
}

bool wick_labels_holder_context(const struct wick_labels *l, const struct wick_label_holder *h,
                                struct wick_context *out, uint32_t *operation)
{
    const struct wick_label_record *r = &l->records[h->record];
    struct look one, two;
    int looks = 0;
    look_at(r, &two);
    do {
        one = two;
        atomic_thread_fence(memory_order_acquire); /* pairs: the second lazySet of show in Record.java */
        look_at(r, &two);
    } while (memcmp(&one, &two, sizeof one) != 0 && ++looks < LOOKS);
    if (looks == LOOKS || two.owner != h->id || !two.current || (uint32_t)two.current > WICK_LABELS_DEPTH)
        return false;
    *out = (struct wick_context){.trace_hi = two.span.trace_hi,
                                 .trace_lo = two.span.trace_lo,
                                 .span = two.span.span,
                                 .endpoint = two.span.endpoint,
                                 .labels = (uint32_t)(two.current >> 32)};
    *operation = two.span.operation;
    return true;
}

uint64_t wick_labels_holder_place(const struct wick_labels *l, const struct wick_label_holder *h)
{
    return (uint64_t)(uintptr_t)wick_load_relaxed(&l->owners[h->record].thread);
}

void *wick_labels_holder_thread(struct wick_labels *l, const struct wick_label_holder *h,
                                void *use(void *arg, void *thread), void *arg)
{
    void *made = NULL;
    pthread_mutex_lock(&l->lock);
    void *thread = wick_load_relaxed(&l->owners[h->record].thread);
    if (wick_load_relaxed(&l->records[h->record].owner) == h->id && thread)
        made = use(arg, thread);
    pthread_mutex_unlock(&l->lock);
    return made;
}
