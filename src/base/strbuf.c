/* SPDX-License-Identifier: Apache-2.0 */
#include "base/strbuf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/err.h"

char wick_strbuf_empty[1];

void wick_strbuf_init(struct wick_strbuf *sb)
{
    *sb = (struct wick_strbuf)WICK_STRBUF_INIT;
}

void wick_strbuf_release(struct wick_strbuf *sb)
{
    if (sb->cap)
        wick_block_free(sb->buf, sb->cap);
    wick_strbuf_init(sb);
}

void wick_strbuf_clear(struct wick_strbuf *sb)
{
    sb->len = 0;
    sb->failed = false;
    if (sb->cap)
        sb->buf[0] = 0;
}

void wick_strbuf_cut(struct wick_strbuf *sb, size_t len)
{
    if (len >= sb->len)
        return;
    sb->len = len;
    sb->buf[len] = 0;
}

int wick_strbuf_grow(struct wick_strbuf *sb, size_t n)
{
    if (sb->failed)
        return -WICK_E_NOMEM;
    if (sb->cap - sb->len > n)
        return 0;
    if (n >= SIZE_MAX / 4 || sb->len >= SIZE_MAX / 4)
        goto fail;
    size_t cap = sb->cap ? sb->cap : 64;
    while (cap - sb->len <= n)
        cap *= 2;
    char *p = wick_block_resize(sb->cap ? sb->buf : NULL, sb->cap, cap);
    if (!p)
        goto fail;
    p[sb->len] = 0;
    sb->buf = p;
    sb->cap = cap;
    return 0;
fail:
    sb->failed = true;
    return -WICK_E_NOMEM;
}

void wick_strbuf_add(struct wick_strbuf *sb, const void *data, size_t n)
{
    if (!n || wick_strbuf_grow(sb, n))
        return;
    memcpy(sb->buf + sb->len, data, n);
    sb->len += n;
    sb->buf[sb->len] = 0;
}

void wick_strbuf_addc(struct wick_strbuf *sb, char c)
{
    wick_strbuf_add(sb, &c, 1);
}

void wick_strbuf_adds(struct wick_strbuf *sb, const char *s)
{
    wick_strbuf_add(sb, s, strlen(s));
}

void wick_strbuf_addf(struct wick_strbuf *sb, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    if (n > 0 && !wick_strbuf_grow(sb, (size_t)n)) {
        vsnprintf(sb->buf + sb->len, (size_t)n + 1, fmt, again);
        sb->len += (size_t)n;
    }
    va_end(again);
    va_end(ap);
}

static char *memdup(const char *s, size_t n)
{
    char *copy = malloc(n);
    return copy ? memcpy(copy, s, n) : NULL;
}

char *wick_strbuf_take(struct wick_strbuf *sb)
{
    char *s = NULL;
    if (!sb->failed && !wick_strbuf_grow(sb, 0))
        s = sb->cap < WICK_BLOCK_LARGE ? sb->buf : memdup(sb->buf, sb->len + 1);
    if (s && s == sb->buf)
        wick_strbuf_init(sb);
    else
        wick_strbuf_release(sb);
    return s;
}
