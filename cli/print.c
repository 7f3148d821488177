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

/* How many bytes of s take up to so many columns, or are left when the rest takes up to so many. */
static size_t bytes_up_to(const char *s, size_t len, unsigned columns)
{
    unsigned used = 0, more;
    size_t at = 0;
    while (at < len) {
        size_t n = wick_print_unit(s + at, len - at, &more);
        if (used + more > columns)
            break;
        used += more;
        at += n;
    }
    return at;
}

static size_t bytes_before_last(const char *s, size_t len, unsigned columns)
{
    unsigned all = 0, more;
    size_t n, at = 0;
    for (; at < len; at += n, all += more)
        n = wick_print_unit(s + at, len - at, &more);
    for (at = 0; at < len && all > columns; at += n, all -= more)
        n = wick_print_unit(s + at, len - at, &more);
    return at;
}

void wick_print_fitted(FILE *out, const char *s, size_t len, unsigned columns)
{
    static const char dots[] = "...";
    enum { DOTS = sizeof dots - 1 };
    if (columns <= DOTS || bytes_up_to(s, len, columns) == len) {
        wick_print_name(out, s, columns <= DOTS ? bytes_up_to(s, len, columns) : len);
        return;
    }
    unsigned tail = (columns - DOTS) * 2 / 3; /* of a method, its name and its class say most */
    size_t head = bytes_up_to(s, len, columns - DOTS - tail), rest = bytes_before_last(s, len, tail);
    wick_print_name(out, s, head);
    fputs(dots, out);
    wick_print_name(out, s + rest, len - rest);
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
