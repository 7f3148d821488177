/* SPDX-License-Identifier: Apache-2.0 */
/*
 * broker.h - what the agent asks of the `wick record` that runs: the messages and the rules
 *
 * While `wick record` runs, the agent may ask it to open a perf event for one of the target's threads. The request is a
 * struct wick_broker_request followed by nothing; the answer is a struct wick_broker_reply and, on success, the
 * descriptor. The CLI may be root and the JVM is not trusted, so the rules below decide what it opens: a counting clock
 * or event that samples addresses of one thread of the target, and nothing that reads other data or patches the kernel.
 *
 * A recording in several files of a JVM that may not be handed a directory goes into one file without a name, the only
 * descriptor that the JVM gets. When a chunk is complete the agent sends a struct wick_broker_take: the command copies
 * what it has not taken yet into a file that it makes itself, and frees the space. No answer means that it was not
 * taken, and that it will be with the next one.
 *
 * Threads: any.
 */
#ifndef WICK_SYS_BROKER_H
#define WICK_SYS_BROKER_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define WICK_BROKER_MAGIC 0x6b636977u /* "wick" */

struct wick_broker_request {
    uint32_t magic;
    uint32_t seq;       /* the reply repeats it */
    int32_t tid;        /* as the target sees it */
    uint32_t attr_size; /* bytes of attr that count: attr.size */
    struct perf_event_attr attr;
};

#define WICK_BROKER_TAKE_MAGIC 0x6b617477u /* "wtak" */

struct wick_broker_take {
    uint32_t magic;
    uint32_t seq;
    uint64_t end; /* the file is complete up to here: whole chunks */
};

struct wick_broker_reply {
    uint32_t magic;
    uint32_t seq;
    int32_t code; /* 0, or -WICK_E_* */
};

/* The agent's side: opens a perf event of this process's thread tid by asking, a descriptor or -WICK_E_*. */
typedef int wick_perf_broker(void *arg, const struct perf_event_attr *attr, int32_t tid);

/* The requester, as far as it decides what it may see. */
struct wick_broker_asker {
    bool perfmon; /* it holds CAP_PERFMON or CAP_SYS_ADMIN in our user namespace */
    bool seccomp; /* it runs under a filter, which may forbid it perf_event_open */
};

/* True if the asker may itself learn kernel addresses. paranoid and kptr_restrict are the values of
 * kernel.perf_event_paranoid and kernel.kptr_restrict. */
bool wick_broker_sees_kernel(const struct wick_broker_asker *a, long paranoid, long kptr_restrict);

/* -WICK_E_PERM if the event would hand kernel addresses to the holder of its descriptor. The agent then asks again with
 * exclude_callchain_kernel. */
int wick_broker_check_addresses(const struct perf_event_attr *attr, struct wick_err *err);

/* Checks a request packet of len bytes against the rules; on success *attr is a clean copy whose unknown tail is zero.
 * -WICK_E_FORMAT for a malformed packet, -WICK_E_PERM for an event that is not opened for others. */
int wick_broker_check(const void *packet, size_t len, struct perf_event_attr *attr, struct wick_err *err);

#endif
