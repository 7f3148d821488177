/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all kinds of target memory share.
 *
 * Strings: nobody knows how long a string is before it is read, and a read that runs over the last readable byte fails
 * as a whole. So it is read in pieces that never cross a 64-byte line (hence never a page), and a piece that fails is
 * retried in halves: a file may end anywhere.
 */
#include "mem/mem.h"

#include <string.h>
#include <unistd.h>

#include "base/err.h"

size_t wick_mem_read_most(const struct wick_mem *m, wick_addr addr, void *buf, size_t n)
{
    size_t first = m->read_first && n >= WICK_MEM_PAGE ? m->read_first(m, addr, buf, n) : 0;
    if (first)
        return first;
    for (; n >= WICK_MEM_PAGE; n /= 2) {
        size_t bytes = (size_t)(((addr + n) & ~(wick_addr)(WICK_MEM_PAGE - 1)) - addr);
        if (bytes && !wick_mem_read(m, addr, buf, bytes))
            return bytes;
    }
    return 0;
}

int wick_mem_read_str(const struct wick_mem *m, wick_addr addr, char *buf, size_t cap)
{
    size_t len = 0;
    while (len < cap) {
        size_t n = 64 - (size_t)((addr + len) & 63);
        if (n > cap - len)
            n = cap - len;
        int rc = wick_mem_read(m, addr + len, buf + len, n);
        while (rc == -WICK_E_FAULT && n > 1) {
            n /= 2;
            rc = wick_mem_read(m, addr + len, buf + len, n);
        }
        if (rc)
            return rc;
        const char *nul = memchr(buf + len, 0, n);
        if (nul)
            return (int)(nul - buf);
        len += n;
    }
    return -WICK_E_LIMIT;
}

void wick_mem_release(struct wick_mem *m)
{
    if (m->fd >= 0 && m->pid)
        close(m->fd);
    m->fd = -1;
}
