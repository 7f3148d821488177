/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_recorder_int.h - what host_recorder.c, the course of a recording, and host_report.c, what it says of itself,
 * share
 */
#ifndef WICK_EBPF_HOST_RECORDER_INT_H
#define WICK_EBPF_HOST_RECORDER_INT_H

#include "base/strbuf.h"
#include "ebpf/host_alloc.h"
#include "ebpf/host_io.h"
#include "ebpf/host_names.h"
#include "ebpf/host_owner.h"
#include "ebpf/host_priority.h"
#include "ebpf/host_recorder.h"
#include "ebpf/host_rewalk.h"
#include "ebpf/host_socket.h"
#include "ebpf/host_teach.h"
#include "jfr/writer/writer.h"

enum { WICK_HOST_RECORDER_FRAMES = 4096 };

struct wick_host_recorder {
    struct wick_host_kernel *kernel;
    struct wick_host_processes processes;
    struct wick_host_tables tables;
    struct wick_host_names names;
    struct wick_jfr_writer *writer;
    struct wick_opt_host_events choice;
    uint64_t start_ns, start_epoch_ns, flush_ns;
    uint64_t renewed_ns;  /* when names and labels were forgotten last */
    uint64_t taken;       /* records that were samples */
    uint64_t occurrences; /* records that were of counted events */
    uint64_t occurrences_weight;
    uint64_t transfers; /* records of requests to disks that are done */
    uint64_t transfers_weight;
    uint64_t waits_weight;          /* ns, of waits that were written */
    uint64_t stalls, stalls_weight; /* records of stalls for memory */
    struct {
        uint64_t taken, weight;
    } calls, sockets;                     /* records of system calls, and of those on sockets */
    uint64_t allocs_taken, allocs_weight; /* records of allocated objects */
    uint64_t allocs_odd;                  /* of these: none after all */
    struct wick_host_alloc allocs;
    uint8_t *kept; /* records that were put off, one behind the other */
    size_t kept_bytes;
    struct wick_host_priority priority;
    int wait_ms;       /* until the next round begins at the latest */
    uint64_t round_ns; /* when this round of taking records began */
    struct wick_host_rewalker again;
    struct wick_host_rules rules;
    struct wick_host_probe probes[WICK_HOST_COUNTED];
    struct wick_host_ios ios;
    struct wick_host_owners owners;
    struct wick_host_ports ports;
    struct wick_jfr_frame frames[WICK_HOST_RECORDER_FRAMES]; /* of one stack */
    struct wick_strbuf labels;                               /* of one thread */
};

/* Writes the settings of the recording: at the start of each chunk; arg: the recorder. */
void wick_host_report_settings(void *arg, struct wick_jfr_writer *w, uint64_t now_ns);

/* What came of the samples so far. */
void wick_host_report_add_up(struct wick_host_recorder *r, struct wick_host_totals *t);

/* Writes that: about once a second, and at the end. */
void wick_host_report_totals(struct wick_host_recorder *r, uint64_t now_ns);

#endif
