/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_recorder.h - a recording of everything that runs on this machine, without an agent in any process
 *
 *     struct wick_host_recorder *r;
 *     wick_host_recorder_open(&r, ...);
 *     wick_host_recorder_write_to(r, ...);
 *     while (...) wick_host_recorder_round(r);
 *     wick_host_recorder_close(r, &totals);
 *
 * Samples are jdk.ExecutionSample, each with the weight of one interval and the labels `process` and, where there is
 * one, `container`; those of counted events are wick.PerfSample with the weight of one period.
 * fired = recorded + sum of drops, as in recordings of one JVM.
 *
 * Threads: one; it needs 512 KiB of stack (elf/demangle.h).
 * Memory:  host_kernel.h, host_process.h, host_tables.h, the writer's.
 */
#ifndef WICK_EBPF_HOST_RECORDER_H
#define WICK_EBPF_HOST_RECORDER_H

#include "base/err.h"
#include "ebpf/host_alloc.h"
#include "ebpf/host_event.h"
#include "ebpf/host_probe.h"
#include "ebpf/host_process.h"
#include "opt/host_events.h"
#include "record/output.h"

struct wick_host_recorder;

enum { WICK_HOST_UNSEEN = 8 };

/* What came of the samples of one type: fired = recorded + the drops. */
struct wick_host_sum {
    uint64_t fired, recorded, ring_full, nested, output_full, out_of_memory, unreported;
    uint64_t walk_ns; /* time in the kernel side, all CPUs */
};

struct wick_host_totals {
    struct wick_host_sum cpu, wait, counted, io, stall, call, socket, alloc;
    uint64_t skipped;                         /* ticks that the kernel left out: not fired */
    uint64_t processes, ended, jvms, refused; /* met; gone before they could be read; JVMs; those that make no sense */
    uint32_t refused_pid[WICK_HOST_REFUSED];  /* some of the latter, so many: */
    uint32_t nrefused_pids;
    uint64_t switches;            /* onto CPUs: of these, some end a wait that is recorded */
    uint64_t requests;            /* to disks */
    uint64_t stalls;              /* for memory */
    uint64_t calls, socket_calls; /* system calls, and those on sockets */
    uint64_t objects;             /* that JVMs showed: of these, some are samples of allocations */
    uint64_t alloc_jvms;          /* whose allocations were recorded, at the end */
    struct {
        uint32_t pid;
        char why[WICK_HOST_ALLOC_WHY];
    } unseen[WICK_HOST_UNSEEN]; /* some of those whose allocations were not, so many: */
    uint32_t nunseen;
    uint64_t unseen_all;          /* all of them */
    uint64_t alloc_unread;        /* JVMs that had ended before they were examined */
    uint64_t oom_kills, oom_lost; /* lost: of these, not recorded */
    uint64_t missed;              /* occurrences at which the kernel ran no program: not fired */
    struct {
        uint64_t hits, fired; /* occurrences and samples of a counted event */
        uint64_t skipped;     /* occurrences that the kernel counted and did not sample: not fired */
    } each[WICK_HOST_COUNTED];
    uint64_t cgroups_left_out; /* there was no room for their CPU limits */
    int error;                 /* of the output, 0 = none */
};

/* Starts sampling. */
int wick_host_recorder_open(struct wick_host_recorder **r, const struct wick_opt_host_events *choice,
                            struct wick_err *err);

/* What was found for a counted event, by its number; borrowed until _close. */
const struct wick_host_probe *wick_host_recorder_probe(const struct wick_host_recorder *r, uint32_t number);

/* Writes the recording to `out` (borrowed until _close), in chunks of chunk_ns (0 = as long as they may be): called
 * once, before the first round. Apart from _open, so that no file is touched where nothing can be sampled. */
int wick_host_recorder_write_to(struct wick_host_recorder *r, struct wick_output *out, uint64_t chunk_ns,
                                struct wick_err *err);

/* Waits a little, less if a new process was met or a signal comes, and writes what was sampled. */
void wick_host_recorder_round(struct wick_host_recorder *r);

/* Ends it. totals may be NULL, and so may r. */
void wick_host_recorder_close(struct wick_host_recorder *r, struct wick_host_totals *totals);

#endif
