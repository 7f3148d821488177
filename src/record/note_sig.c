/* SPDX-License-Identifier: Apache-2.0 */
#include "record/note.h"

#include "base/atomic.h"

static _Atomic uint32_t *link_of(const struct wick_notes *n, uint32_t number)
{
    return (_Atomic uint32_t *)(void *)n->map + number;
}

/* The head of the list after a change of what `head` was. */
static uint64_t changed(uint64_t head, uint32_t number)
{
    return ((head >> 32) + 1) << 32 | number;
}

uint16_t wick_notes_take_sig(struct wick_notes *n)
{
    uint64_t head = wick_load_acquire(&n->head); /* pairs: wick_notes_free_sig */
    while ((uint32_t)head) {
        /* may have been taken by another, and its link be out of date; then the head has also changed */
        uint32_t next = wick_load_relaxed(link_of(n, (uint32_t)head));
        if (wick_cas_acq_rel(&n->head, &head, changed(head, next))) /* pairs: wick_notes_free_sig */
            return (uint16_t)head;
    }
    uint32_t unused = wick_load_relaxed(&n->unused);
    while (unused < n->count)
        if (wick_cas_acq_rel(&n->unused, &unused, unused + 1)) /* pairs: itself, in other threads */
            return (uint16_t)(unused + 1);
    return 0;
}

void *wick_notes_at_sig(const struct wick_notes *n, uint32_t number)
{
    return number && number <= n->count ? n->map + n->first + (number - 1) * n->bytes : NULL;
}

void wick_notes_free_sig(struct wick_notes *n, uint32_t number)
{
    if (!number || number > n->count)
        return;
    uint64_t head = wick_load_relaxed(&n->head);
    do
        wick_store_relaxed(link_of(n, number), (uint32_t)head);
    while (!wick_cas_acq_rel(&n->head, &head, changed(head, number))); /* pairs: wick_notes_take_sig */
}
