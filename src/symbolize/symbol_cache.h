/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbol_cache.h - the symbol tables of the images that are being symbolized now
 *
 * Loading a table costs CPU time, keeping it costs memory and a descriptor, and new addresses come in bursts. So a
 * table is loaded when the first address in its image is seen, and dropped when none was for a while (_tidy), or when
 * there are too many tables (`max`): the one that was not used for the longest time goes first. That an image has no
 * symbols is remembered in the same way.
 *
 * Memory:  malloc; without it images have no symbols, nothing else.
 */
#ifndef WICK_SYMBOLIZE_SYMBOL_CACHE_H
#define WICK_SYMBOLIZE_SYMBOL_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/symbols.h"

enum { WICK_SYMBOL_CACHE_ROUNDS = 30 }; /* calls of _tidy that an unused table survives */

struct wick_symbol_cache {
    uint32_t max; /* tables at a time; 0 = no limit */
    struct wick_symbol_cache_entry {
        uint32_t image;               /* the caller's number */
        uint32_t round;               /* in which it was last used */
        uint64_t use;                 /* number of its last use */
        struct wick_symbols *symbols; /* NULL: it has none that can be read */
    } * e;
    uint32_t n, cap;
    uint32_t round; /* calls of _tidy */
    uint64_t uses;
};

/* An empty cache of at most `max` tables. */
void wick_symbol_cache_init(struct wick_symbol_cache *c, uint32_t max);
void wick_symbol_cache_release(struct wick_symbol_cache *c);

/* Whether the table of an image is there; *symbols is NULL if the image is known to have none. Borrowed until the next
 * _add, _tidy or _release. */
bool wick_symbol_cache_find(struct wick_symbol_cache *c, uint32_t image, const struct wick_symbols **symbols);

/* Takes the table of an image (NULL: it has none); returns it, or NULL if out of memory. */
const struct wick_symbols *wick_symbol_cache_add(struct wick_symbol_cache *c, uint32_t image,
                                                 struct wick_symbols *symbols);

/* One round is over: drops what was not used for WICK_SYMBOL_CACHE_ROUNDS of them. */
void wick_symbol_cache_tidy(struct wick_symbol_cache *c);

/* Drops all tables. */
void wick_symbol_cache_clear(struct wick_symbol_cache *c);

/* Bytes held. */
size_t wick_symbol_cache_memory(const struct wick_symbol_cache *c);

#endif
