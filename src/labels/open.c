/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open.c - which threads have a context now, 64 at a time
 *
 * Eight bytes, each 0 or 1, become eight bits by one multiplication: its eight terms move bit 8 i to bit 56 + i.
 */
#include "labels/labels.h"

#define LOWEST UINT64_C(0x0101010101010101) /* bit of each byte */
#define GATHER UINT64_C(0x0102040810204080)

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "byte i of a word is place i");

uint64_t wick_labels_open(const struct wick_labels *l, uint32_t word, uint64_t *carriers)
{
    uint64_t open = 0;
    *carriers = 0;
    for (uint32_t i = 0; i < 8; i++) {
        uint64_t bytes = wick_load_relaxed(&l->places->words[word * 8 + i]);
        open |= ((bytes & LOWEST) * GATHER >> 56) << (8 * i);
        *carriers |= ((bytes >> 1 & LOWEST) * GATHER >> 56) << (8 * i);
    }
    return open;
}

void wick_labels_carrier(struct wick_labels *l, uint32_t place)
{
    if (place < WICK_LABELS_PLACES)
        wick_store_relaxed(&l->places->bytes[place], WICK_LABELS_CARRIER);
}
