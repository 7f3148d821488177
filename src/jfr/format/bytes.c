/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings for recordings
 *
 * Names come from class files (modified UTF-8: U+0000 as C0 80, characters beyond the BMP as two 3-byte surrogates),
 * from thread names and from ELF symbols (any bytes). JFR readers decode UTF-8, some of them strictly, so each string
 * is repaired here. The text is walked twice, once to count the bytes that come out, since the count stands in front of
 * them, and once to write.
 */
#include "jfr/format/bytes.h"

#include <stdbool.h>

#include "codec/utf8.h"

#define REPLACEMENT 0xfffdu

static bool is_tail(const uint8_t *p, size_t n, size_t i)
{
    return i < n && (p[i] & 0xc0) == 0x80;
}

/* Decodes a 3-byte form at p, surrogates included; 0 if it is none. */
static uint32_t three(const uint8_t *p, size_t n)
{
    if (n < 3 || (p[0] & 0xf0) != 0xe0 || !is_tail(p, n, 1) || !is_tail(p, n, 2))
        return 0;
    uint32_t c = (uint32_t)(p[0] & 0x0f) << 12 | (uint32_t)(p[1] & 0x3f) << 6 | (p[2] & 0x3f);
    return c >= 0x800 ? c : 0;
}

/* The character at p (n > 0 bytes left) and how many bytes it takes. */
static uint32_t decode(const uint8_t *p, size_t n, size_t *used)
{
    *used = 1;
    if (p[0] < 0x80)
        return p[0];
    if ((p[0] & 0xe0) == 0xc0 && is_tail(p, n, 1)) {
        uint32_t c = (uint32_t)(p[0] & 0x1f) << 6 | (p[1] & 0x3f);
        if (c && c < 0x80)
            return REPLACEMENT;
        *used = 2;
        return c;
    }
    uint32_t c = three(p, n);
    if (c) {
        *used = 3;
        if (c < 0xd800 || c > 0xdfff)
            return c;
        uint32_t low = c < 0xdc00 ? three(p + 3, n - 3) : 0;
        if (low < 0xdc00 || low > 0xdfff)
            return REPLACEMENT;
        *used = 6;
        return 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    if ((p[0] & 0xf8) == 0xf0 && is_tail(p, n, 1) && is_tail(p, n, 2) && is_tail(p, n, 3)) {
        c = (uint32_t)(p[0] & 7) << 18 | (uint32_t)(p[1] & 0x3f) << 12 | (uint32_t)(p[2] & 0x3f) << 6 | (p[3] & 0x3f);
        if (c >= 0x10000 && c <= 0x10ffff) {
            *used = 4;
            return c;
        }
    }
    return REPLACEMENT;
}

uint8_t *wick_jfr_string_at(uint8_t *p, const char *s, size_t n)
{
    if (!s || !n) {
        *p = s ? WICK_JFR_STR_EMPTY : WICK_JFR_STR_NULL;
        return p + 1;
    }
    if (n > WICK_JFR_STRING_MAX)
        n = WICK_JFR_STRING_MAX;
    const uint8_t *in = (const uint8_t *)s;
    size_t used, size = 0, ascii = 0;
    while (ascii < n && in[ascii] < 0x80)
        ascii++;
    for (size_t i = ascii; i < n; i += used)
        size += wick_utf8_size(decode(in + i, n - i, &used));
    *p++ = WICK_JFR_STR_UTF8;
    p = wick_jfr_int_at(p, ascii + size);
    memcpy(p, in, ascii);
    p += ascii;
    for (size_t i = ascii; i < n; i += used)
        p += wick_utf8_encode((char *)p, decode(in + i, n - i, &used));
    return p;
}

void wick_jfr_add_string(struct wick_strbuf *b, const char *s, size_t n)
{
    if (wick_strbuf_grow(b, wick_jfr_string_bound(s ? n : 0)))
        return;
    b->len = (size_t)(wick_jfr_string_at((uint8_t *)b->buf + b->len, s, n) - (uint8_t *)b->buf);
}
