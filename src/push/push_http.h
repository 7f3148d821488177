/* SPDX-License-Identifier: Apache-2.0 */
/*
 * push_http.h - one message at a time to a collector, by HTTP or HTTPS
 *
 * The body is an ExportProfilesServiceRequest in protobuf, compressed by gzip, posted as OTLP/HTTP says.
 *
 * Threads: one at a time, but for _abort.
 * Memory:  a connection of libcurl, and 64 KiB of an answer.
 */
#ifndef WICK_PUSH_PUSH_HTTP_H
#define WICK_PUSH_PUSH_HTTP_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct wick_push_http;

enum wick_push_fate {
    WICK_PUSH_TAKEN,
    WICK_PUSH_REFUSED, /* for good: the same message will be refused again */
    WICK_PUSH_LATER,   /* it may be taken another time */
    WICK_PUSH_ENDED,   /* it was ended by _abort: nobody knows */
};

struct wick_push_reply {
    enum wick_push_fate fate;
    uint64_t wait_ns; /* _LATER: as long as the collector asks for; 0 = it does not say */
    char text[240];   /* why it was not taken, or not all of it; "" = it was */
};

/* url: http or https; without a path the one of OTLP, /v1development/profiles. headers: as in
 * OTEL_EXPORTER_OTLP_HEADERS, `key=value,key2=value2`, values percent-encoded; NULL = none. -WICK_E_USAGE or
 * -WICK_E_UNSUPPORTED (no libcurl) with a sentence. */
int wick_push_http_open(struct wick_push_http **h, const char *url, const char *headers, struct wick_err *err);
void wick_push_http_close(struct wick_push_http *h); /* h may be NULL */

/* The address that messages go to. */
const char *wick_push_http_url(const struct wick_push_http *h);

/* Posts n bytes. Takes 30 s at most. */
void wick_push_http_post(struct wick_push_http *h, const void *data, size_t n, struct wick_push_reply *r);

/* From any thread: a post that is under way ends within a second, and so do later ones. */
void wick_push_http_abort(struct wick_push_http *h);

#endif
