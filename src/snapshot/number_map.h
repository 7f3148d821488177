/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number_map.h - numbers for addresses and ids, which come in no order and are never removed
 *
 * Memory:  one array by malloc, which doubles when it is half full.
 */
#ifndef WICK_SNAPSHOT_NUMBER_MAP_H
#define WICK_SNAPSHOT_NUMBER_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wick_number_map {
    struct wick_number_map_slot {
        uint64_t key; /* 0 = free */
        uint32_t value;
    } * slots;
    size_t cap, n; /* cap: a power of two, or 0 */
};

/* The value of a key (not 0) is *value afterwards, which is what it was if the key was there. True if it was. A map
 * that cannot grow keeps what it has and finds nothing new: false, and *failed is set. */
bool wick_number_map_put(struct wick_number_map *m, uint64_t key, uint32_t *value, bool *failed);

/* The value of a key, UINT32_MAX = not there. */
uint32_t wick_number_map_get(const struct wick_number_map *m, uint64_t key);

/* Makes room for one more behind the n elements, of size bytes each, of an array that the values lead into. False:
 * out of memory, and nothing has changed. */
bool wick_number_map_reserve(void **array, uint32_t n, uint32_t *cap, size_t size);

#endif
