/* SPDX-License-Identifier: Apache-2.0 */
#include "labels/queue.h"

#include <string.h>

static struct wick_label_event *cell_at(struct wick_label_stripe *s, uint64_t position)
{
    return &s->cells[position % WICK_LABEL_CELLS];
}

static bool published(struct wick_label_stripe *s, uint64_t position)
{
    /* pairs: the release store in SpanQueue.java */
    return wick_load_acquire(&cell_at(s, position)->sequence) == (uint32_t)(position + 1);
}

/* Whether the cell at head has been overtaken for so long that its writer will not come back. */
static bool abandoned(struct wick_label_stripe *s, uint64_t head, uint64_t now_ns)
{
    bool overtaken = false;
    for (uint64_t i = 1; i < WICK_LABEL_CELLS && !overtaken; i++)
        overtaken = published(s, head + i);
    if (!overtaken)
        s->waiting_ns = 0;
    else if (!s->waiting_ns)
        s->waiting_ns = now_ns ? now_ns : 1;
    return overtaken && now_ns > s->waiting_ns && now_ns - s->waiting_ns > WICK_LABEL_PATIENCE_NS;
}

static bool take(struct wick_label_stripe *s, uint64_t now_ns, struct wick_label_event *out, uint64_t *skipped)
{
    uint64_t head = wick_load_relaxed(&s->head);
    if (!published(s, head)) {
        if (!abandoned(s, head, now_ns))
            return false;
        ++*skipped;
        while (!published(s, ++head))
            ++*skipped;
    }
    s->waiting_ns = 0;
    const struct wick_label_event *e = cell_at(s, head);
    memcpy((uint8_t *)out, (const uint8_t *)e, sizeof *out);
    wick_store_release(&s->head, head + 1); /* pairs: the load of head in SpanQueue.java */
    return true;
}

bool wick_label_client_take(struct wick_label_client *c, uint64_t now_ns, struct wick_label_event *out,
                            uint64_t *skipped)
{
    for (uint32_t i = 0; i < WICK_LABEL_STRIPES; i++) {
        struct wick_label_stripe *s = &c->stripes[(c->next_stripe + i) % WICK_LABEL_STRIPES];
        if (take(s, now_ns, out, skipped)) {
            c->next_stripe =
                (c->next_stripe + i) % WICK_LABEL_STRIPES; /* empty one before the next: it is in the cache */
            return true;
        }
    }
    return false;
}
