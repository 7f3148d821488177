/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_room.c - arrays that grow
 */
#include <stdlib.h>

#include "analysis/explain/explain_facts.h"

void *wick_explain_room(void *rows, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return rows;
    size_t wanted = *cap ? *cap * 2 : 256;
    void *p = reallocarray(rows, wanted, size);
    if (p)
        *cap = wanted;
    return p;
}
