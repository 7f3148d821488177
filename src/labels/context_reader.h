/* SPDX-License-Identifier: Apache-2.0 */
/*
 * context_reader.h - what another process publishes about itself and its threads: OpenTelemetry's process context and
 * thread context (OTEP 4719, OTEP 4947)
 *
 * The other side of process_context.h and published.h. The process context has the service's name, and the names of the
 * attributes that records of threads have by number.
 *
 * All of it is another process's, and may be anything: sizes are bounded, texts are made UTF-8 without characters that
 * act on the text around them, and attributes that have the name of a label of wick's own are left out.
 *
 * Threads: one at a time (the caller's lock).
 * Memory:  malloc, at most some 200 KiB. Zeros are a valid start.
 */
#ifndef WICK_LABELS_CONTEXT_READER_H
#define WICK_LABELS_CONTEXT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "mem/mem.h"

enum {
    WICK_CONTEXT_READER_KEYS = 256,    /* a number is one byte */
    WICK_CONTEXT_READER_TEXT = 255,    /* bytes of a name */
    WICK_CONTEXT_READER_LABELS = 1024, /* bytes of all that a record says, but for its ids */
    WICK_CONTEXT_READER_PAYLOAD = 64 << 10,
};

struct wick_context_reader {
    uint64_t published_ns; /* of what was read last, on the clock of who published it; 0 = nothing has been read */
    char *service;         /* service.name; NULL = none, or not known to it either */
    char **keys;           /* names of attributes */
    uint32_t nkeys;
};

void wick_context_reader_release(struct wick_context_reader *r);

/* Takes what a message ProcessContext of n bytes says instead of what was known. 0, -WICK_E_FORMAT (what was known
 * stays) or -WICK_E_NOMEM. */
int wick_context_reader_parse(struct wick_context_reader *r, const uint8_t *message, size_t n);

/* Reads the context whose header is mapped at `header`, unless it is still what was read last. 0, -WICK_E_STATE (it is
 * being changed: try again), -WICK_E_FORMAT, -WICK_E_FAULT, -WICK_E_GONE or -WICK_E_NOMEM. */
int wick_context_reader_read(struct wick_context_reader *r, const struct wick_mem *mem, wick_addr header);

/* The service's name by the settings in an environment (n bytes, each variable with its NUL): OTEL_SERVICE_NAME, or
 * OTEL_RESOURCE_ATTRIBUTES. malloc; NULL = there is none. */
char *wick_context_reader_service_of(const char *environment, size_t n);

/* Appends ",key=value" for each attribute of a thread's record and for the ids of its trace and span; nothing for a
 * record that is not valid. Of attributes with the same number the first one counts, and one that would make the text
 * longer than WICK_CONTEXT_READER_LABELS is left out. False if it has attributes whose names are not known
 * (yet); they are left out. */
bool wick_context_reader_labels(const struct wick_context_reader *r, const uint8_t *record, size_t n,
                                struct wick_strbuf *out);

/* Appends a value of a label, n bytes of any sort, with a backslash before what would end it. */
void wick_context_reader_value(struct wick_strbuf *out, const char *text, size_t n);

#endif
