/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/print.h"

#include <stdbool.h>

#include "codec/utf8.h"

size_t wick_print_unit(const char *s, size_t left, unsigned *columns)
{
    size_t n = wick_utf8_length(s, left);
    unsigned char c = (unsigned char)*s;
    bool c1 = n == 2 && c == 0xc2 && (unsigned char)s[1] < 0xa0;
    bool shown = n && c >= 0x20 && c != 0x7f && !c1;
    n += !n;
    *columns = shown ? 1 : 4 * (unsigned)n;
    return n;
}

void wick_print_name(FILE *out, const char *s, size_t len)
{
    for (size_t i = 0, n; i < len; i += n) {
        unsigned columns;
        n = wick_print_unit(s + i, len - i, &columns);
        if (columns == 1)
            fwrite(s + i, 1, n, out);
        else
            for (size_t k = i; k < i + n; k++)
                fprintf(out, "\\x%02x", (unsigned char)s[k]);
    }
}

void wick_print_json(FILE *out, const char *s, size_t len)
{
    fputc('"', out);
    for (const char *end = s + len; s < end;) {
        unsigned char c = (unsigned char)*s;
        size_t n = wick_utf8_length(s, (size_t)(end - s));
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
