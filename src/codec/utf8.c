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
