/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/json.h"
#include "codec/utf8.h"

#include <inttypes.h>
#include <string.h>

static void before_value(struct wick_json *j)
{
    if (j->comma)
        putc_unlocked(',', j->out);
    j->comma = true;
}

void wick_json_open(struct wick_json *j, char bracket)
{
    before_value(j);
    putc_unlocked(bracket, j->out);
    j->comma = false;
}

void wick_json_close(struct wick_json *j, char bracket)
{
    putc_unlocked(bracket, j->out);
    j->comma = true;
}

void wick_json_key(struct wick_json *j, const char *name)
{
    before_value(j);
    fprintf(j->out, "\"%s\":", name);
    j->comma = false;
}

void wick_json_escape(FILE *out, uint32_t c)
{
    if (c < 0x10000)
        fprintf(out, "\\u%04x", c);
    else
        fprintf(out, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10), 0xdc00 + (c & 0x3ff));
}

void wick_json_str(struct wick_json *j, const char *s, size_t n)
{
    before_value(j);
    putc_unlocked('"', j->out);
    for (size_t i = 0, len; i < n; i += len ? len : 1) {
        len = wick_utf8_length(s + i, n - i);
        unsigned char c = (unsigned char)s[i];
        if (!len)
            fputs("\\ufffd", j->out);
        else if (c == '"' || c == '\\')
            fprintf(j->out, "\\%c", c);
        else if (c == '<' || wick_utf8_is_hidden(wick_utf8_decode(s + i, len)))
            wick_json_escape(j->out, wick_utf8_decode(s + i, len));
        else
            fwrite_unlocked(s + i, 1, len, j->out);
    }
    putc_unlocked('"', j->out);
}

void wick_json_cstr(struct wick_json *j, const char *s)
{
    wick_json_str(j, s, strlen(s));
}

void wick_json_int(struct wick_json *j, int64_t v)
{
    before_value(j);
    fprintf(j->out, "%" PRId64, v);
}

void wick_json_uint(struct wick_json *j, uint64_t v)
{
    before_value(j);
    fprintf(j->out, "%" PRIu64, v);
}

void wick_json_decimal(struct wick_json *j, int64_t v, unsigned places)
{
    uint64_t u = v < 0 ? -(uint64_t)v : (uint64_t)v, scale = 1;
    for (unsigned i = 0; i < places; i++)
        scale *= 10;
    before_value(j);
    fprintf(j->out, "%s%" PRIu64 ".%0*" PRIu64, v < 0 ? "-" : "", u / scale, (int)places, u % scale);
}

void wick_json_raw(struct wick_json *j, const char *text)
{
    before_value(j);
    fputs(text, j->out);
}
