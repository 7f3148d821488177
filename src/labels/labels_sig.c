/* SPDX-License-Identifier: Apache-2.0 */
/*
 * labels_sig.c - the handler's view of the thread it has interrupted
 *
 * The record belongs to the interrupted thread, which stands still: one load of `current` and plain loads of
 * the span below its depth see exactly what the thread had made visible.
 */
#include "labels/labels.h"

#include <string.h>

#include "mem/mem.h"

static const struct wick_label_record *find_virtual(const struct wick_labels *l, uint64_t id)
{
    const _Atomic uint32_t *bucket = &l->virtual_slots[(size_t)wick_labels_bucket(id) * WICK_LABELS_WAYS];
    for (int i = 0; i < WICK_LABELS_WAYS; i++) {
        uint32_t n = wick_load_acquire(&bucket[i]); /* pairs: wick_labels_bind */
        if (n && wick_load_relaxed(&l->records[n].owner) == id)
            return &l->records[n];
    }
    return NULL;
}

uint32_t wick_labels_virtual(const struct wick_labels *l, uint64_t virtual_id)
{
    const struct wick_label_record *r = virtual_id ? find_virtual(l, virtual_id) : NULL;
    return r ? (uint32_t)(r - l->records) : 0;
}

static bool word_sig(const struct wick_mem *mem, uint64_t at, uint64_t *out)
{
    return at && !wick_mem_read(mem, at, out, sizeof *out);
}

/* Whether a virtual thread is mounted on the calling thread; *id gets its id, 0 = not known. java: its JavaThread, or
 * 0. Reads through `mem`, because a thread that is about to end may have lost its JavaThread already. Async-signal-safe
 * with a signal-safe mem. */
static bool mount_id_sig(const struct wick_label_mount *m, const struct wick_mem *mem, uint64_t java, uint64_t *id)
{
    uint64_t own, current, own_object, current_object;
    if (!java || m->own_offset <= 0 || m->current_offset <= 0)
        return false;
    if (!word_sig(mem, java + (uint32_t)m->own_offset, &own) ||
        !word_sig(mem, java + (uint32_t)m->current_offset, &current) || !word_sig(mem, own, &own_object) ||
        !word_sig(mem, current, &current_object) || own_object == current_object)
        return false;
    uint32_t at = wick_load_acquire(&m->id_offset); /* pairs: wick_label_mount_see */
    *id = 0;
    return !at || word_sig(mem, java + at, id);
}

bool wick_labels_mounted_has(const struct wick_labels *l, uint64_t java)
{
    uint64_t id;
    const struct wick_label_record *r = NULL;
    if (wick_load_relaxed(&l->virtual_threads) && mount_id_sig(&l->mount, l->mem, java, &id) && id)
        r = find_virtual(l, id);
    return r && wick_load_relaxed(&r->current);
}

static const struct wick_label_record *find(const struct wick_labels *l, int32_t tid, uint64_t java)
{
    uint64_t id;
    if (wick_load_relaxed(&l->virtual_threads) && mount_id_sig(&l->mount, l->mem, java, &id))
        return id ? find_virtual(l, id) : NULL;
    if (tid <= 0 || tid >= WICK_LABELS_MAX_TID)
        return NULL;
    uint32_t n = wick_load_acquire(&l->record_of_tid[tid]); /* pairs: wick_labels_bind */
    return n ? &l->records[n] : NULL;
}

bool wick_labels_read_sig(const struct wick_labels *l, int32_t tid, uint64_t java, struct wick_context *out)
{
    const struct wick_label_record *r = find(l, tid, java);
    uint64_t current = r ? wick_load_acquire(&r->current) : 0; /* pairs: the release store in Record.java */
    uint32_t depth = (uint32_t)current;
    if (!current || depth > WICK_LABELS_DEPTH)
        return false;
    *out = (struct wick_context){.labels = (uint32_t)(current >> 32)};
    if (depth) {
        const struct wick_label_span *s = &r->spans[depth - 1];
        out->trace_hi = s->trace_hi;
        out->trace_lo = s->trace_lo;
        out->span = s->span;
        out->endpoint = s->endpoint;
    }
    return true;
}
