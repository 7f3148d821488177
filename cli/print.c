/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/print.h"

#include "codec/json.h"
#include "codec/plain.h"
#include "codec/utf8.h"

size_t wick_print_unit(const char *s, size_t left, unsigned *columns)
{
    return wick_plain_unit(s, left, "", columns);
}

void wick_print_name(FILE *out, const char *s, size_t len)
{
    wick_plain_print(out, s, len);
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
        else if (wick_utf8_is_hidden(wick_utf8_decode(s, n)))
            wick_json_escape(out, wick_utf8_decode(s, n));
        else
            fwrite(s, 1, n, out);
        s += n ? n : 1;
    }
    fputc('"', out);
}
