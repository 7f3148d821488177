/* SPDX-License-Identifier: Apache-2.0 */
/*
 * push.h - recordings to a collector, as OTLP profiles, by way of a spool on disk
 *
 *     wick_push_open(&p, ...);
 *     for (;;) {
 *         if (a recording is complete) wick_push_recording(p, ...);
 *         wait until wick_push_round(p, now) says;
 *     }
 *
 * A message is in the spool before it is sent and until it was taken, so nothing is lost while the collector is away,
 * as long as the spool has room: then the oldest messages go, and are counted. After a failure it is tried again, first
 * after a second, then after twice as long and so on up to a minute, each a little earlier or later by chance, or after
 * what the collector asks for.
 *
 * Threads: one at a time, but for _abort.
 * Memory:  while a recording is added its profile and message; while one is sent the message.
 */
#ifndef WICK_PUSH_PUSH_H
#define WICK_PUSH_PUSH_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct wick_push;

struct wick_push_config {
    const char *url, *headers; /* push/push_http.h */
    const char *spool;         /* a directory */
    uint64_t spool_bytes;
    const char *service; /* service.name of the resource */
    const char *host;    /* its host.name */
    /* Gets a sentence when sending begins to fail, when it works again, and for each message that is refused. */
    void (*note)(void *ctx, const char *text);
    void *ctx;
};

struct wick_push_totals {
    uint64_t sent, sent_bytes;       /* messages that were taken; bytes as they went over the network */
    uint64_t refused;                /* by the collector, for good */
    uint64_t dropped, dropped_bytes; /* of the spool: there was no room */
    uint64_t broken;                 /* could not be written to the spool, or read again */
    uint64_t waiting, waiting_bytes; /* in the spool now */
};

/* Strings of c are borrowed. */
int wick_push_open(struct wick_push **p, const struct wick_push_config *c, struct wick_err *err);
void wick_push_close(struct wick_push *p, struct wick_push_totals *totals); /* p and totals may be NULL */

/* The address that messages go to. */
const char *wick_push_url(const struct wick_push *p);

/* Puts a recording (JFR) into the spool: a message for each event type with samples; one without any is nothing.
 * Returns the first error, but goes on with the other types. */
int wick_push_recording(struct wick_push *p, const void *jfr, size_t n, struct wick_err *err);

/* Sends what is due, one message at most. Returns when to call it again (CLOCK_MONOTONIC, ns): UINT64_MAX = when there
 * is another recording. */
uint64_t wick_push_round(struct wick_push *p, uint64_t now_ns);

/* From any thread: what is being sent ends within a second, and nothing is sent afterwards. */
void wick_push_abort(struct wick_push *p);

#endif
