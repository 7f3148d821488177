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

bool wick_utf8_is_hidden(uint32_t c)
{
    if (c < 0x20 || (c >= 0x7f && c < 0xa0))
        return true;
    if (c < 0xad)
        return false;
    return c == 0xad || c == 0x61c || c == 0x180e || (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
           (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb) || (c & 0xfffe) == 0xfffe ||
           (c >= 0xe0000 && c <= 0xe007f);
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
