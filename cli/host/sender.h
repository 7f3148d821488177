/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sender.h - `wick host --otlp`: what is recorded goes to a collector as it comes
 *
 * The recording is an unnamed file in the spool. Each of its chunks covers a period, and when one is complete a thread
 * makes messages of it and frees its space; the recorder is not held up by a collector that is slow or away.
 *
 * Threads: one calls these functions; what it waits for is in a thread of its own.
 * Memory:  push/push.h, a chunk of the recording, which is mapped.
 */
#ifndef WICK_CLI_HOST_SENDER_H
#define WICK_CLI_HOST_SENDER_H

#include <stdint.h>

#include "base/err.h"
#include "push/push.h"
#include "record/output.h"

struct wick_sender;

/* url: of the collector. spool: a directory, NULL = the user's own. Sets *out to the file that the recorder has to
 * write to, owned by the caller. */
int wick_sender_open(struct wick_sender **p, const char *url, const char *spool, uint64_t spool_bytes,
                     struct wick_output *out, struct wick_err *err);

/* The address that messages go to, and the directory in which they wait. */
const char *wick_sender_url(const struct wick_sender *p);
const char *wick_sender_spool(const struct wick_sender *p);

/* The recording has ended: sends the rest, until the collector has taken nothing for ten seconds, a minute at most;
 * what then waits is sent by the next command that has the spool. Both may be NULL. */
void wick_sender_close(struct wick_sender *p, struct wick_push_totals *totals);

#endif
