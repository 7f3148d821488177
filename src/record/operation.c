/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operation.c - see operation.h
 *
 * Each class of operations has a function type() of its own, whose symbol begins with the name of the class.
 */
#include "record/operation.h"

#include <stdio.h>
#include <string.h>

enum { VIRTUALS = 24 };

/* Where "::type" begins if that ends the function's name, else NULL. */
static const char *type_of(const char *symbol)
{
    size_t n = strlen(symbol);
    const char *end = strstr(symbol, "::type(");
    return end ? end : n > 6 && !strcmp(symbol + n - 6, "::type") ? symbol + n - 6 : NULL;
}

void wick_operation_name(struct wick_drain *d, wick_addr virtuals, char *out, size_t cap)
{
    wick_addr slots[VIRTUALS];
    out[0] = 0;
    if (!virtuals || wick_mem_read(d->recorder->walker.jvm->mem, virtuals, slots, sizeof slots))
        return;
    for (int k = 0; k < VIRTUALS && !out[0]; k++) {
        const char *symbol = slots[k] ? wick_drain_symbol(d, slots[k]) : "", *end = type_of(symbol);
        if (end && !strncmp(symbol, "VM_", 3))
            snprintf(out, cap, "%.*s", (int)(end - symbol - 3), symbol + 3);
    }
}
