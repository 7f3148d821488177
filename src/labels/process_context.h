/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process_context.h - what a process publishes about itself for profilers, by OpenTelemetry's process context (OTEP
 * 4719)
 *
 * A mapping whose name a reader finds in /proc/PID/maps, because it begins with /memfd:OTEL_CTX or [anon:OTEL_CTX]:
 *
 *      "OTEL_CTX"  version u32 = 2  payload_size u32  published_ns u64  payload u64        32 bytes
 *
 * `payload` is the address of a message ProcessContext of protocol buffers, anywhere in the process. `published_ns`, of
 * CLOCK_BOOTTIME, is 0 while the two fields beside it change. A reader copies the header, then the payload, and begins
 * again if published_ns is not what it was. So that a slow reader finds its payload where the header said, payloads are
 * kept in two buffers in turn.
 *
 * A process has one context. The mapping is not inherited by a child made with fork, which is another process.
 *
 * Threads: one at a time (the caller's lock); readers are other processes.
 * Memory:  a page; two strings by malloc. Zeros are a valid start.
 */
#ifndef WICK_LABELS_PROCESS_CONTEXT_H
#define WICK_LABELS_PROCESS_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/atomic.h"
#include "base/strbuf.h"

#define WICK_PROCESS_CONTEXT_NAME "OTEL_CTX"

/* Whether a mapping has the name of a context. A kernel may add " (deleted)" behind it. */
static inline bool wick_process_context_is_named(const char *path)
{
    static const char *const names[] = {"/memfd:" WICK_PROCESS_CONTEXT_NAME, "[anon:" WICK_PROCESS_CONTEXT_NAME "]",
                                        "[anon_shmem:" WICK_PROCESS_CONTEXT_NAME "]"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
        found = !strncmp(path, names[i], strlen(names[i]));
    return found;
}

struct wick_process_context_header {
    char signature[8];
    uint32_t version, payload_size;
    _Atomic uint64_t published_ns;
    uint64_t payload;
};
_Static_assert(sizeof(struct wick_process_context_header) == 32, "OTEP 4719, version 2");

struct wick_process_context {
    struct wick_process_context_header *header; /* NULL: nothing is published */
    struct wick_strbuf payloads[2];
    unsigned turn; /* of the one that is published */
};

/* Whether this process has a context, of whatever maker. */
bool wick_process_context_exists(void);

/* Publishes a copy of the payload, or replaces the one of before. 0 or -WICK_E_NOMEM: nothing has changed. */
int wick_process_context_publish(struct wick_process_context *c, const struct wick_strbuf *payload);

/* Takes the context back. */
void wick_process_context_withdraw(struct wick_process_context *c);

#endif
