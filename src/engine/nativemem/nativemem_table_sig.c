/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/nativemem/nativemem_table.h"

#include <stddef.h>

/* A count of the filter must not overflow, whatever addresses somebody chooses. */
enum { NOTE_BITS = 16, ADDRESS_BITS = 48, FILTER_MOST = 250 };

static _Atomic uint8_t *filter_of(struct wick_nativemem_table *t, uint64_t address)
{
    return &t->filter[wick_nativemem_hash(address) >> (64 - WICK_NATIVEMEM_FILTER_BITS)];
}

/* The address's first or second bucket. */
static _Atomic uint64_t *bucket_of(struct wick_nativemem_table *t, uint64_t address, int which)
{
    uint64_t hash = wick_nativemem_hash(address) >> (which ? 21 : 34);
    return t->words[hash & ((1 << WICK_NATIVEMEM_BUCKET_BITS) - 1)];
}

static uint64_t word_of(uint64_t address, uint32_t note)
{
    return address >> 3 << NOTE_BITS | note;
}

static int room_in(const _Atomic uint64_t *bucket)
{
    int room = 0;
    for (int i = 0; i < WICK_NATIVEMEM_WAYS; i++)
        room += !wick_load_relaxed(&bucket[i]);
    return room;
}

static bool put(_Atomic uint64_t *bucket, uint64_t word)
{
    for (int i = 0; i < WICK_NATIVEMEM_WAYS; i++) {
        uint64_t none = 0;
        if (!wick_load_relaxed(&bucket[i]) && wick_cas_acq_rel(&bucket[i], &none, word)) /* pairs: take_from */
            return true;
    }
    return false;
}

bool wick_nativemem_table_add_sig(struct wick_nativemem_table *t, uint64_t address, uint32_t note)
{
    _Atomic uint8_t *filter = filter_of(t, address);
    _Atomic uint64_t *first = bucket_of(t, address, 0), *second = bucket_of(t, address, 1);
    if (address >> ADDRESS_BITS || address & 7 || wick_load_relaxed(filter) >= FILTER_MOST)
        return false;
    bool swap = room_in(second) > room_in(first);
    wick_add_relaxed(filter, 1);
    if (put(swap ? second : first, word_of(address, note)) || put(swap ? first : second, word_of(address, note)))
        return true;
    wick_sub_relaxed(filter, 1);
    return false;
}

/* Takes a word of that address out; note: of that number, 0 = of any. */
static uint32_t take_from(struct wick_nativemem_table *t, uint64_t address, uint32_t note)
{
    for (int which = 0; which < 2; which++) {
        _Atomic uint64_t *bucket = bucket_of(t, address, which);
        for (int i = 0; i < WICK_NATIVEMEM_WAYS; i++) {
            uint64_t word = wick_load_acquire(&bucket[i]); /* pairs: put */
            if (!word || word >> NOTE_BITS != address >> 3 || (note && (uint16_t)word != note))
                continue;
            if (wick_cas_acq_rel(&bucket[i], &word, 0)) { /* pairs: put */
                wick_sub_relaxed(filter_of(t, address), 1);
                return (uint16_t)word;
            }
        }
    }
    return 0;
}

uint32_t wick_nativemem_table_take_sig(struct wick_nativemem_table *t, uint64_t address)
{
    return address & 7 ? 0 : take_from(t, address, 0);
}

bool wick_nativemem_table_drop_sig(struct wick_nativemem_table *t, uint64_t address, uint32_t note)
{
    return take_from(t, address, note) != 0;
}

void wick_nativemem_table_clear(struct wick_nativemem_table *t)
{
    for (size_t i = 0; i < sizeof t->filter; i++)
        if (wick_load_relaxed(&t->filter[i])) /* pages that were never in use stay so */
            wick_store_relaxed(&t->filter[i], 0);
    for (size_t i = 0; i < sizeof t->words / sizeof t->words[0]; i++)
        for (int k = 0; k < WICK_NATIVEMEM_WAYS; k++)
            if (wick_load_relaxed(&t->words[i][k]))
                wick_store_relaxed(&t->words[i][k], 0);
}
