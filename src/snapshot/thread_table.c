/* SPDX-License-Identifier: Apache-2.0 */
#include "snapshot/thread_table.h"

static uint64_t key_of(uint32_t number, uint32_t depth)
{
    return (uint64_t)number << 32 | depth;
}

uint32_t wick_thread_table_number(struct wick_thread_table *t, uint64_t id)
{
    uint32_t number = t->n + 1;
    void *p = t->all;
    if (!id)
        return 0;
    if (!wick_number_map_reserve(&p, t->n, &t->cap, sizeof *t->all)) {
        t->failed = true;
        return 0;
    }
    t->all = p;
    bool failed = false;
    if (wick_number_map_put(&t->by_id, id, &number, &failed))
        return number;
    t->failed |= failed;
    if (failed)
        return 0;
    t->all[t->n++] = (struct wick_thread_row){0};
    return number;
}

void wick_thread_table_frame(struct wick_thread_table *t, uint32_t number, uint32_t depth, wick_addr method,
                             int32_t bci)
{
    uint32_t at = t->nframes;
    void *p = t->frames;
    if (!number || depth >= WICK_THREAD_FRAMES_MOST)
        return;
    if (!wick_number_map_reserve(&p, t->nframes, &t->frames_cap, sizeof *t->frames)) {
        t->failed = true;
        return;
    }
    t->frames = p;
    bool failed = false, known = wick_number_map_put(&t->by_frame, key_of(number, depth), &at, &failed);
    t->failed |= failed;
    if (known || failed)
        return;
    t->frames[t->nframes++] = (struct wick_thread_frame){method, bci, number, depth};
    struct wick_thread_row *row = &t->all[number - 1];
    row->deepest = depth + 1 > row->deepest ? depth + 1 : row->deepest;
}

const struct wick_thread_frame *wick_thread_table_get(const struct wick_thread_table *t, uint32_t number,
                                                      uint32_t depth)
{
    uint32_t at = wick_number_map_get(&t->by_frame, key_of(number, depth));
    return at == UINT32_MAX ? NULL : &t->frames[at];
}
