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

enum { MOST = WICK_CONTEXT_READER_LABELS + 128 }; /* the ids come besides */

static void need(bool good)
{
    if (!good)
        abort();
}

static const char *const own[] = {"process=",     "container=",        "pod=",          "unit=",
                                  "service=",     "cgroup=",           "container.id=", "k8s.pod.uid=",
                                  "process.pid=", "wick.java_thread.", "thread.id=",    "service.name="};

/* ",key=value,key=value": each part has a key, and one sign between it and its value, before which is no backslash. */
static void check(const char *text)
{
    for (const char *c = text; *c;) {
        need(*c++ == ',');
        for (size_t i = 0; i < sizeof own / sizeof *own; i++)
            need(strncmp(c, own[i], strlen(own[i])) != 0);
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
        need(out.len <= MOST);
        check(out.buf);
    }
    free(wick_context_reader_service_of((const char *)data, size));
    wick_strbuf_release(&out);
    wick_context_reader_release(&r);
    return 0;
}
