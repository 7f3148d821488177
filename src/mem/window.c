/* SPDX-License-Identifier: Apache-2.0 */
#include "mem/window.h"

#include <string.h>

enum { PAGE = 4096 };

static bool holds(const struct wick_mem_window *w, wick_addr addr, size_t n)
{
    return addr >= w->from && n <= w->len && addr - w->from <= w->len - n;
}

const void *wick_mem_window_at(struct wick_mem_window *w, wick_addr addr, size_t n)
{
    if (!holds(w, addr, n)) {
        w->from = addr & ~(wick_addr)(PAGE - 1);
        w->len = wick_mem_read_most(w->mem, w->from, w->bytes, sizeof w->bytes);
    }
    if (!holds(w, addr, n)) { /* a file begins or ends anywhere */
        w->from = addr;
        w->len = n <= sizeof w->bytes && !wick_mem_read(w->mem, addr, w->bytes, n) ? n : 0;
    }
    return holds(w, addr, n) ? w->bytes + (addr - w->from) : NULL;
}

uint64_t wick_mem_window_u64(struct wick_mem_window *w, wick_addr addr)
{
    uint64_t v = 0;
    const void *at = wick_mem_window_at(w, addr, sizeof v);
    if (at)
        memcpy(&v, at, sizeof v);
    return v;
}

int wick_mem_window_str(struct wick_mem_window *w, wick_addr addr, char *buf, size_t cap)
{
    const char *text = wick_mem_window_at(w, addr, 1);
    size_t held = text ? w->len - (size_t)(addr - w->from) : 0;
    const char *nul = memchr(text ? text : "", 0, held < cap ? held : cap);
    if (!nul)
        return wick_mem_read_str(w->mem, addr, buf, cap); /* it goes on behind the window, or there is none */
    memcpy(buf, text, (size_t)(nul - text) + 1);
    return (int)(nul - text);
}

bool wick_mem_window_is(struct wick_mem_window *w, wick_addr addr, const char *text)
{
    size_t n = strlen(text) + 1;
    const void *at = wick_mem_window_at(w, addr, n);
    return at && !memcmp(at, text, n);
}
