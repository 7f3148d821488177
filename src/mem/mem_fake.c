/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers as memory, for tests, fuzzers and files that were mapped by hand. */
#include "mem/mem.h"

#include <string.h>

#include "base/err.h"

static int read_fake(const struct wick_mem *m, wick_addr addr, void *buf, size_t n)
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

void wick_mem_fake_init(struct wick_mem *m, const struct wick_mem_fake *fake)
{
    *m = (struct wick_mem){.read = read_fake, .ctx = fake, .fd = -1};
}
