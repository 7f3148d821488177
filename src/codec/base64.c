/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/base64.h"

#include <string.h>

#include "base/leb128.h"

void wick_base64_init(struct wick_base64 *b, FILE *out)
{
    b->out = out;
    b->len = 0;
}

void wick_base64_finish(struct wick_base64 *b)
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[sizeof b->buf / 3 * 4];
    size_t n = 0;
    for (size_t i = 0; i < b->len; i += 3) {
        size_t have = b->len - i;
        uint32_t v = (uint32_t)b->buf[i] << 16;
        v |= have > 1 ? (uint32_t)b->buf[i + 1] << 8 : 0;
        v |= have > 2 ? b->buf[i + 2] : 0;
        text[n++] = alphabet[v >> 18];
        text[n++] = alphabet[v >> 12 & 63];
        text[n++] = have > 1 ? alphabet[v >> 6 & 63] : '=';
        text[n++] = have > 2 ? alphabet[v & 63] : '=';
    }
    fwrite(text, 1, n, b->out);
    b->len = 0;
}

void wick_base64_add(struct wick_base64 *b, const void *data, size_t n)
{
    const uint8_t *s = data;
    while (n) {
        size_t part = sizeof b->buf - b->len < n ? sizeof b->buf - b->len : n;
        memcpy(b->buf + b->len, s, part);
        b->len += part;
        s += part;
        n -= part;
        if (b->len == sizeof b->buf)
            wick_base64_finish(b);
    }
}

void wick_base64_add_int(struct wick_base64 *b, uint64_t v)
{
    uint8_t buf[9];
    wick_base64_add(b, buf, wick_leb128_jfr_write(buf, v));
}
