/* SPDX-License-Identifier: Apache-2.0 */
#include "base/block.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static bool is_mapped(size_t bytes)
{
    return bytes >= WICK_BLOCK_LARGE;
}

void *wick_block_resize(void *p, size_t from, size_t to)
{
    if (to > PTRDIFF_MAX)
        return NULL;
    if (!is_mapped(from) && !is_mapped(to))
        return realloc(p, to);
    void *q;
    if (is_mapped(from) && is_mapped(to)) {
        q = mremap(p, from, to, MREMAP_MAYMOVE);
        return q == MAP_FAILED ? NULL : q;
    }
    if (is_mapped(to))
        q = mmap(NULL, to, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    else
        q = malloc(to);
    if (!q || q == MAP_FAILED)
        return NULL;
    if (p) {
        memcpy(q, p, from < to ? from : to);
        wick_block_free(p, from);
    }
    return q;
}

void wick_block_free(void *p, size_t bytes)
{
    if (p && is_mapped(bytes))
        munmap(p, bytes);
    else
        free(p);
}

/* ---- heapsort ---- */

struct heap {
    char *at;
    size_t size;
    int (*compare)(const void *, const void *);
};

static void swap(const struct heap *h, size_t a, size_t b)
{
    char *x = h->at + a * h->size, *y = h->at + b * h->size;
    for (size_t i = 0; i < h->size; i++) {
        char c = x[i];
        x[i] = y[i];
        y[i] = c;
    }
}

static bool is_less(const struct heap *h, size_t a, size_t b)
{
    return h->compare(h->at + a * h->size, h->at + b * h->size) < 0;
}

/* Lets the element at `i` sink until none of the n elements below it is greater. */
static void sink(const struct heap *h, size_t i, size_t n)
{
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && is_less(h, child, child + 1))
            child++;
        if (!is_less(h, i, child))
            return;
        swap(h, i, child);
    }
}

void wick_block_sort(void *array, size_t n, size_t size, int (*compare)(const void *, const void *))
{
    struct heap h = {array, size, compare};
    for (size_t i = n / 2; i > 0; i--)
        sink(&h, i - 1, n);
    while (n > 1) {
        swap(&h, 0, --n);
        sink(&h, 0, n);
    }
}
