/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/utf8.h"

size_t wick_utf8_length(const char *text, size_t left)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t n = s[0] < 0x80                   ? 1
               : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
               : (s[0] & 0xf0) == 0xe0       ? 3
               : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                             : 0;
    if (n == 0 || n > left)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
        (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

uint32_t wick_utf8_decode(const char *text, size_t n)
{
    const unsigned char *s = (const unsigned char *)text;
    uint32_t c = n == 1 ? s[0] : s[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++)
        c = c << 6 | (s[i] & 0x3f);
    return c;
}

size_t wick_utf8_encode(char *out, uint32_t c)
{
    static const uint8_t lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    size_t n = wick_utf8_size(c);
    for (size_t i = n; i-- > 1; c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(lead[n] | c);
    return n;
}

void wick_utf8_addc(struct wick_strbuf *out, uint32_t c)
{
    char bytes[4];
    wick_strbuf_add(out, bytes, wick_utf8_encode(bytes, c));
}

/* In order. Unicode's Default_Ignorable_Code_Point, line and paragraph separators, interlinear marks, and
 * non-characters but the last two of each plane. */
static const struct {
    uint32_t from, to;
} hidden[] = {
    {0x00ad, 0x00ad}, {0x034f, 0x034f}, {0x061c, 0x061c}, {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180b, 0x180f},
    {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f}, {0x3164, 0x3164},   {0xfdd0, 0xfdef},   {0xfe00, 0xfe0f},
    {0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

bool wick_utf8_is_hidden(uint32_t c)
{
    if (c < 0x20 || (c >= 0x7f && c < 0xa0))
        return true;
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden && c >= hidden[i].from; i++)
        if (c <= hidden[i].to)
            return true;
    return (c & 0xfffe) == 0xfffe;
}

void wick_utf8_add(struct wick_strbuf *out, const char *s, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t from = i, len;
        while (i < n && (len = wick_utf8_length(s + i, n - i)))
            i += len;
        wick_strbuf_add(out, s + from, i - from);
        if (i < n)
            wick_strbuf_adds(out, "\xef\xbf\xbd");
        i += i < n;
    }
}
