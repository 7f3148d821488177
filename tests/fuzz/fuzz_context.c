/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_context.c - any bytes as what a process publishes about itself, and as the record of a thread of it
 *
 * The first two bytes are how many are the message; the rest is the record. What comes out must be labels: no text in
 * it ends one early, or has a key of wick's own.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "labels/context_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool good)
{
    if (!good)
        abort();
}

/* ",key=value,key=value": each part has a key, and one sign between it and its value, before which is no backslash. */
static void check(const char *text)
{
    for (const char *c = text; *c;) {
        need(*c++ == ',');
        need(strncmp(c, "process=", 8) != 0 && strncmp(c, "container=", 10) != 0);
        size_t key = strcspn(c, "=,\\");
        need(key && c[key] == '=');
        for (c += key + 1; *c && *c != ','; c += 1 + (*c == '\\' && c[1]))
            need((unsigned char)*c >= 0x20 && *c != '=');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wick_context_reader r = {0};
    struct wick_strbuf out = WICK_STRBUF_INIT;
    size_t n = size < 2 ? 0 : (size_t)data[0] | (size_t)data[1] << 8;
    n = size < 2 ? 0 : n < size - 2 ? n : size - 2;
    if (size >= 2) {
        wick_context_reader_parse(&r, data + 2, n);
        wick_context_reader_labels(&r, data + 2 + n, size - 2 - n, &out);
        check(out.buf);
    }
    free(wick_context_reader_service_of((const char *)data, size));
    wick_strbuf_release(&out);
    wick_context_reader_release(&r);
    return 0;
}
