/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock_note_sig.c - what the threads that wait, the watcher and its signal handler share: the recording that runs, its
 * notes, and the slot of an owner
 */
#include "engine/lock/lock.h"

_Atomic(struct wick_lock_engine *) wick_lock_current;
struct wick_gate wick_lock_gate;

struct wick_lock_note *wick_lock_note_take_sig(struct wick_lock_engine *e)
{
    uint16_t number = wick_notes_take_sig(&e->notes);
    struct wick_lock_note *n = wick_notes_at_sig(&e->notes, number);
    if (n) {
        n->number = number;
        wick_store_relaxed(&n->word, ((wick_load_relaxed(&n->word) >> 2) + 1) << 2 | WICK_LOCK_HELD);
    }
    return n;
}

uint32_t wick_lock_owner_slot_sig(const struct wick_lock_engine *e, enum wick_lock_kind kind, wick_addr monitor,
                                  uint64_t owner)
{
    struct wick_hs_monitor m;
    uint32_t top = wick_threads_top(e->threads);
    if (!owner || kind == WICK_LOCK_WAIT)
        return 0;
    if (kind == WICK_LOCK_NATIVE) {
        const struct wick_engine_thread *t = wick_threads_find_sig(e->threads, (int32_t)owner);
        return t ? (uint32_t)(t - e->threads->slots) : 0;
    }
    wick_hs_monitor_init(&m, e->jvm, kind == WICK_LOCK_MONITOR ? monitor : 0, owner);
    for (uint32_t i = 1; i < top; i++) {
        wick_addr java = wick_load_acquire(&e->threads->slots[i].java); /* pairs: wick_threads_java */
        if (java && wick_hs_monitor_owned_by(e->jvm, &m, java))
            return i;
    }
    return 0;
}

void wick_lock_note_free_sig(struct wick_lock_engine *e, struct wick_lock_note *note)
{
    uint64_t word = wick_load_relaxed(&note->word);
    wick_store_relaxed(&note->word, (word & ~(uint64_t)3) | WICK_LOCK_FREE);
    wick_notes_free_sig(&e->notes, note->number);
}
