/* SPDX-License-Identifier: Apache-2.0 */
/*
 * window.c - two pages kept, so that a page's worth is always within
 *
 * A window begins at the page of the address that was asked for. Whatever starts in a page and is no longer than a
 * page ends within two, so one read serves each request, and those that follow nearby for free. Of the two pages as
 * many as there are is enough: the second may be unmapped.
 *
 * Where memory begins or ends within a page (segments of a file), that read fails although the bytes are there. So
 * they are read alone, exactly, and are the window until the next miss.
 *
 * A failure leaves the window empty: no request finds bytes of a former place. What is returned points into the
 * window, so it holds only until the next call, which may move it.
 *
 * A string has no known length. If it ends within the window it is taken from there, otherwise read by itself, piece
 * by piece (mem.c).
 */
#include "mem/window.h"

#include <string.h>

static bool holds(const struct wick_mem_window *w, wick_addr addr, size_t n)
{
    return addr >= w->from && n <= w->len && addr - w->from <= w->len - n;
}

const void *wick_mem_window_at(struct wick_mem_window *w, wick_addr addr, size_t n)
{
    if (!holds(w, addr, n)) {
        w->from = addr & ~(wick_addr)(WICK_MEM_PAGE - 1);
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
