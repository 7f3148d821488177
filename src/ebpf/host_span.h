/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_span.h - events of what a thread did from one moment to another: stalls for memory; and OOM kills
 *
 * The caller has named the frames; what else the record has becomes fields and labels here.
 */
#ifndef WICK_EBPF_HOST_SPAN_H
#define WICK_EBPF_HOST_SPAN_H

#include "ebpf/host_event.h"
#include "ebpf/host_process.h"
#include "jfr/writer/writer.h"

/* Of which thread and stack a record is; all borrowed. */
struct wick_host_span_source {
    struct wick_jfr_writer *writer;
    struct wick_host_processes *processes;
    struct wick_host_process *process;
    const char *labels;     /* that the thread published, each behind a comma; NULL = none */
    const char *lock_owner; /* name of the thread that had the lock which it waited for; NULL = none is known */
    uint32_t thread, stack; /* numbers in the tables */
};

/* Writes wick.MemoryStall. */
void wick_host_span_stall(const struct wick_host_span_source *of, const struct wick_host_head *h);

/* The victim of an OOM kill, met if it was not known, so that its container and cgroup are read while it is there: it
 * has been sent a signal, and gives back its memory first. NULL = no memory. Borrowed until the next process is met. */
const struct wick_host_process *wick_host_span_victim(struct wick_host_processes *ps, const struct wick_host_head *h);

/* Writes wick.OomKill; the victim is met if it was not known, after which `of->process` may be gone. */
void wick_host_span_oom(const struct wick_host_span_source *of, const struct wick_host_head *h);

#endif
