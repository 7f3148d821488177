/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/ids.h"

#include <stdlib.h>

int wick_heap_ids_init(struct wick_heap_ids *ids, const struct wick_heap_ids_range *r, struct wick_heap_store *s,
                       struct wick_err *err)
{
    *ids = (struct wick_heap_ids){.min = r->min, .max = r->max, .most = r->n};
    if (r->n > INT32_MAX - 16)
        return wick_err_set(err, WICK_E_LIMIT, "the dump has more than 2^31 objects");
    ids->shift = r->ones ? (unsigned)__builtin_ctzll(r->ones) : 0;
    uint64_t blocks = ((r->max - r->min) >> ids->shift >> 9) + 1;
    /* 80 bytes a block, against 8 an object */
    if (blocks > r->n / 10 + 1024)
        return wick_heap_store_new(s, &ids->sorted, r->n, 8, false, err);
    return wick_heap_store_new(s, &ids->blocks, blocks, sizeof(struct wick_heap_ids_block), false, err);
}

bool wick_heap_ids_add(struct wick_heap_ids *ids, uint64_t id)
{
    if (ids->added == ids->most || id < ids->min || id > ids->max)
        return false;
    if (ids->sorted.p) {
        wick_heap_u64(&ids->sorted)[ids->added++] = id;
        return true;
    }
    uint64_t bit = (id - ids->min) >> ids->shift;
    ids->added++;
    ((struct wick_heap_ids_block *)ids->blocks.p)[bit >> 9].words[bit >> 6 & 7] |= UINT64_C(1) << (bit & 63);
    return true;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

void wick_heap_ids_finish(struct wick_heap_ids *ids)
{
    ids->n = 0;
    if (ids->sorted.p) {
        uint64_t *v = ids->sorted.p;
        if (ids->added)
            qsort(v, ids->added, sizeof *v, by_value);
        for (uint64_t i = 0; i < ids->added; i++)
            if (!i || v[i] != v[i - 1])
                v[ids->n++] = v[i];
        return;
    }
    struct wick_heap_ids_block *blocks = ids->blocks.p;
    for (size_t i = 0; i < ids->blocks.bytes / sizeof *blocks; i++) {
        uint32_t in_block = 0;
        blocks[i].rank = ids->n;
        for (unsigned word = 0; word < 8; word++) {
            if (word)
                blocks[i].before |= (uint64_t)in_block << (9 * (word - 1));
            in_block += wick_heap_ids_ones(blocks[i].words[word]);
        }
        ids->n += in_block;
    }
}

void wick_heap_ids_release(struct wick_heap_ids *ids, struct wick_heap_store *s)
{
    wick_heap_store_free(s, &ids->blocks);
    wick_heap_store_free(s, &ids->sorted);
}

uint32_t wick_heap_ids_search(const struct wick_heap_ids *ids, uint64_t id)
{
    const uint64_t *v = ids->sorted.p;
    uint32_t lo = 0, hi = ids->n;
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;
        if (v[middle] < id)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo < ids->n && v[lo] == id ? lo : UINT32_MAX;
}
