/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/plain.h"

#include <stdbool.h>
#include <string.h>

#include "codec/utf8.h"

size_t wick_plain_unit(const char *s, size_t left, const char *also, unsigned *columns)
{
    size_t n = wick_utf8_length(s, left);
    bool shown = n && !wick_utf8_is_hidden(wick_utf8_decode(s, n)) && (n > 1 || !strchr(also, *s));
    n += !n;
    *columns = shown ? 1 : 4 * (unsigned)n;
    return n;
}

/* The length of what can be shown as it is from s on. */
static size_t run(const char *s, size_t len, const char *also)
{
    size_t n = 0;
    for (unsigned columns; n < len;) {
        size_t more = wick_plain_unit(s + n, len - n, also, &columns);
        if (columns != 1)
            break;
        n += more;
    }
    return n;
}

void wick_plain_add(struct wick_strbuf *out, const char *s, size_t len, const char *also)
{
    for (size_t i = 0; i < len;) {
        unsigned columns;
        size_t n = run(s + i, len - i, also);
        wick_strbuf_add(out, s + i, n);
        i += n;
        if (i < len)
            for (n = wick_plain_unit(s + i, len - i, also, &columns); n; n--, i++)
                wick_strbuf_addf(out, "\\x%02x", (unsigned char)s[i]);
    }
}

void wick_plain_print(FILE *out, const char *s, size_t len)
{
    for (size_t i = 0; i < len;) {
        unsigned columns;
        size_t n = run(s + i, len - i, "");
        fwrite(s + i, 1, n, out);
        i += n;
        if (i < len)
            for (n = wick_plain_unit(s + i, len - i, "", &columns); n; n--, i++)
                fprintf(out, "\\x%02x", (unsigned char)s[i]);
    }
}

void wick_plain_print_text(FILE *out, const char *s, size_t len)
{
    for (const char *end = s + len, *nl; s < end; s = nl + 1) {
        nl = memchr(s, '\n', (size_t)(end - s));
        wick_plain_print(out, s, (size_t)((nl ? nl : end) - s));
        if (!nl)
            break;
        fputc('\n', out);
    }
}
