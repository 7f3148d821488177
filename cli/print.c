/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/print.h"

#include <stdbool.h>

void wick_print_name(FILE *out, const char *s, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)s[i], next = i + 1 < len ? (unsigned char)s[i + 1] : 0;
        bool c1 = c == 0xc2 && next >= 0x80 && next < 0xa0;
        if (c < 0x20 || c == 0x7f || c1)
            fprintf(out, "\\x%02x", c);
        else
            fputc(c, out);
        if (c1)
            fprintf(out, "\\x%02x", (unsigned char)s[++i]);
    }
}

/* Length of the well-formed UTF-8 sequence at s, 0 if there is none. */
static unsigned utf8_at(const unsigned char *s)
{
    unsigned n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    for (unsigned i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

void wick_print_json(FILE *out, const char *s, size_t len)
{
    fputc('"', out);
    for (const char *end = s + len; s < end;) {
        unsigned char c = (unsigned char)*s;
        unsigned n = utf8_at((const unsigned char *)s);
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (n == 0)
            fputs("\\ufffd", out);
        else if (c < 0x20 || c == 0x7f)
            fprintf(out, "\\u%04x", c);
        else
            fwrite(s, 1, n, out);
        s += n ? n : 1;
    }
    fputc('"', out);
}
