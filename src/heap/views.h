/* SPDX-License-Identifier: Apache-2.0 */
/*
 * views.h - byte buffers that keep arrays alive of which they use little
 *
 * A slice of a ByteBuffer has a few bytes of an array, and keeps all of it alive. The arrays meant are those that only
 * byte buffers refer to, of which these use less than half, all of them together: a message that is held by slices
 * which cover it is none of them, nor one that the program also refers to itself.
 *
 * Memory:  arrays of the store: 20 bytes a byte buffer of the dump, and one bit an object, while it lasts.
 */
#ifndef WICK_HEAP_VIEWS_H
#define WICK_HEAP_VIEWS_H

#include "heap/retained.h"

struct wick_heap_views {
    uint64_t buffers, arrays; /* how many buffers share how many such arrays */
    uint64_t used, bytes;     /* bytes of the arrays that the buffers have, and of the arrays */
    uint32_t owner, view;     /* an object that refers to such a buffer, and that one; of the class below */
    uint32_t class;           /* whose instances refer to the most of them; WICK_HEAP_NONE = nothing does */
    uint64_t owned;           /* to how many, if of those that refer to one the first counts */
};

/* Bytes that would be free if the buffers were copies of what they use. */
static inline uint64_t wick_heap_views_waste(const struct wick_heap_views *v)
{
    return v->bytes > v->used ? v->bytes - v->used : 0;
}

/* Finds them among what can be reached. 0, or an error with a sentence. */
int wick_heap_views_find(struct wick_heap_views *v, struct wick_heap_graph *g, const struct wick_heap_retained *r,
                         struct wick_err *err);

/* Appends who refers to the buffers, as "head of acme.Message". Nothing if that is not known. */
void wick_heap_views_owner_add(const struct wick_heap_views *v, struct wick_heap_graph *g, struct wick_strbuf *out);

#endif
