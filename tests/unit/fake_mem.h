/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_mem.h - buffers as memory (mem/mem.h), for tests and fuzzers of what reads another address space
 *
 * Threads: any number may read; async-signal-safe.
 * Memory:  the caller's; nothing is copied.
 */
#ifndef WICK_TESTS_UNIT_FAKE_MEM_H
#define WICK_TESTS_UNIT_FAKE_MEM_H

#include <string.h>

#include "base/err.h"
#include "mem/mem.h"

/* One piece of a fake address space. Pieces may touch; a read may not cross from one to the next. */
struct wick_mem_range {
    wick_addr addr;
    size_t size;
    const void *data;
};

struct wick_mem_fake {
    const struct wick_mem_range *ranges;
    size_t n;
};

static inline int wick_mem_fake_read(const struct wick_mem *m, wick_addr addr, void *buf, size_t n)
{
    const struct wick_mem_fake *f = m->ctx;
    for (size_t i = 0; i < f->n; i++) {
        const struct wick_mem_range *r = &f->ranges[i];
        uint64_t at = addr - r->addr;
        if (addr >= r->addr && at <= r->size && n <= r->size - at) {
            if (n)
                memcpy(buf, (const char *)r->data + at, n);
            return 0;
        }
    }
    return -WICK_E_FAULT;
}

/* Borrows fake and all it points to. */
static inline void wick_mem_fake_init(struct wick_mem *m, const struct wick_mem_fake *fake)
{
    *m = (struct wick_mem){.read = wick_mem_fake_read, .ctx = fake, .fd = -1};
}

#endif
