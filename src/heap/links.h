/* SPDX-License-Identifier: Apache-2.0 */
/*
 * links.h - what each object refers to, as lists of numbers
 *
 * A search follows references in no order of the file, and reading an object's record for each would be a system call
 * an object. So the dump is read once more from front to back, and the references are written down as lists:
 *
 *     start[object]                     where its list begins in targets; 0 = it has none
 *     targets  - a b c| d| e f| ...     numbers of objects, the last one of a list marked; in the order of the file
 *
 * Lists lie as the objects lie in the dump, so what the JVM has put close together is close together here.
 *
 * Memory:  arrays of the store: 4 bytes an object (8 if there may be more than 2^32 references) and 4 a reference.
 */
#ifndef WICK_HEAP_LINKS_H
#define WICK_HEAP_LINKS_H

#include <stdbool.h>

#include "heap/store.h"

#define WICK_HEAP_LAST (UINT32_C(1) << 31) /* of a target: the list ends here */

struct wick_heap_links {
    struct wick_heap_array start;   /* u32, or u64 if wide */
    struct wick_heap_array targets; /* u32 */
    uint64_t n, room;               /* of targets */
    bool wide;
};

/* The list of an object; NULL if it refers to nothing. */
static inline const uint32_t *wick_heap_links_of(const struct wick_heap_links *l, uint32_t object)
{
    uint64_t at = l->wide ? ((const uint64_t *)l->start.p)[object] : ((const uint32_t *)l->start.p)[object];
    return at ? (const uint32_t *)l->targets.p + at : NULL;
}

#endif
