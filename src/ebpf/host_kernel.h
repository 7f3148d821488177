/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_kernel.h - the kernel side of `wick host`: loading it, attaching it to the clock of every CPU, its maps and ring
 *
 * The program (bpf/host.bpf.c) is part of wick. Nothing is pinned in the kernel, so all of it goes with this process.
 * This is the only file that knows libbpf.
 *
 * Memory:  malloc; the kernel's maps are of fixed size, some 20 MiB together.
 */
#ifndef WICK_EBPF_HOST_KERNEL_H
#define WICK_EBPF_HOST_KERNEL_H

#include <stdbool.h>

#include "base/err.h"
#include "ebpf/host_event.h"
#include "ebpf/host_number.h"
#include "ebpf/host_probe.h"

struct wick_host_kernel;

/* Called for each record: a struct wick_host_record, or of WICK_HOST_EXIT a struct wick_host_head. False: the
 * rest is for the next round. */
typedef bool wick_host_take(void *arg, const struct wick_host_head *head);

/* What to load besides what all recordings need: bits. */
enum {
    WICK_HOST_LOAD_COUNTED = 1, /* shifted by the kind: enum wick_host_probe_kind */
    WICK_HOST_LOAD_WAITS = 8,
    WICK_HOST_LOAD_IO = 16,
    WICK_HOST_LOAD_STALLS = 32,
    WICK_HOST_LOAD_CALLS = 64,
    WICK_HOST_LOAD_ALLOCS = 128,
};

/* What is probed for allocations (bpf/host_alloc.h). */
enum wick_host_alloc_probe { WICK_HOST_ALLOC_CALL, WICK_HOST_ALLOC_END, WICK_HOST_ALLOC_REPORT };

/* Where: in process `pid` alone, or with 0 in all that have mapped the file. */
struct wick_host_alloc_at {
    uint32_t pid, type; /* of the kernel's probes of functions */
    const char *path;
    uint64_t place;  /* in the file */
    uint64_t cookie; /* for the program */
};

/* Loads the programs; nothing runs yet. -WICK_E_PERM or _UNSUPPORTED with a message
 * that says what is missing, and what works without it. */
int wick_host_kernel_open(struct wick_host_kernel **out, unsigned what, wick_host_take *take, void *arg,
                          struct wick_err *err);
void wick_host_kernel_close(struct wick_host_kernel *k);

/* Starts samples every interval on each CPU that is online. */
int wick_host_kernel_start(struct wick_host_kernel *k, uint64_t interval_ns, struct wick_err *err);

/* Starts records of the time that threads are off the CPU; shorter waits than the threshold are chosen at random. */
int wick_host_kernel_start_waits(struct wick_host_kernel *k, uint64_t threshold_ns, struct wick_err *err);

/* Whether they are seen by a probe, which each switch of threads then costs, since there is no tracepoint for it. */
bool wick_host_kernel_probes(const struct wick_host_kernel *k);

/* Starts records of a counted event, under that number (below WICK_HOST_COUNTED); name: for messages. Of several places
 * of a probe some may not be attached, which then say why (`error`). */
int wick_host_kernel_start_counted(struct wick_host_kernel *k, struct wick_host_probe *p, uint32_t number,
                                   const char *name, struct wick_err *err);

/* Starts records of requests to block devices, one of `period` at random. */
int wick_host_kernel_start_io(struct wick_host_kernel *k, uint64_t period, struct wick_err *err);

/* Starts records of stalls for memory; shorter ones than the threshold are chosen at random. What the OOM killer ends
 * is always recorded. */
int wick_host_kernel_start_stalls(struct wick_host_kernel *k, uint64_t threshold_ns, struct wick_err *err);

/* Starts records of system calls, and of those on sockets apart; shorter ones than the thresholds are chosen at random,
 * and a threshold of 0 is for none. */
int wick_host_kernel_start_calls(struct wick_host_kernel *k, uint64_t threshold_ns, uint64_t socket_ns,
                                 struct wick_err *err);

/* Starts records of JVMs that start, and of allocated objects where probes are set: what stands for fewer bytes than
 * the threshold is chosen at random. */
int wick_host_kernel_start_allocs(struct wick_host_kernel *k, uint64_t threshold, struct wick_err *err);

/* Sets a probe, under a number from WICK_HOST_COUNTED on. 0 or an errno. And removes those of a number. */
int wick_host_kernel_attach_alloc(struct wick_host_kernel *k, enum wick_host_alloc_probe probe,
                                  const struct wick_host_alloc_at *at, uint32_t number);
void wick_host_kernel_detach_alloc(struct wick_host_kernel *k, uint32_t number);

/* What the probes of a JVM need; NULL: they do nothing any more. -WICK_E_LIMIT: there is no room. */
int wick_host_kernel_put_allocs(struct wick_host_kernel *k, const struct wick_host_birth *birth,
                                const struct wick_host_allocs *allocs);

/* How often the probed functions of that JVM were called. */
uint64_t wick_host_kernel_alloc_calls(struct wick_host_kernel *k, const struct wick_host_birth *birth);

/* What came of a counted event so far, all CPUs together. */
void wick_host_kernel_counted(struct wick_host_kernel *k, uint32_t number, struct wick_host_counted *out);

/* Of perf's events: how often it occurred by the kernel's count, until it is stopped. */
uint64_t wick_host_kernel_occurred(const struct wick_host_kernel *k, uint32_t number);

/* Occurrences of tracepoints at which the kernel ran no program, since one was at work on that CPU (from Linux 6.7 on,
 * which counts them). */
uint64_t wick_host_kernel_missed(const struct wick_host_kernel *k);

/* Stops all; what is in the ring can still be taken. */
void wick_host_kernel_stop(struct wick_host_kernel *k);

/* Waits at most so long for a record that should be taken at once, or for a signal. */
void wick_host_kernel_wait(struct wick_host_kernel *k, int most_ms);

/* Takes the records that are there; false if those are all. */
bool wick_host_kernel_take(struct wick_host_kernel *k);

/* The counts of all CPUs together. */
void wick_host_kernel_counts(struct wick_host_kernel *k, struct wick_host_counts *out);

/* How many ticks the clocks of the CPUs came to, those included that the kernel skipped. */
uint64_t wick_host_kernel_due(const struct wick_host_kernel *k);

/* The birth of the address space that the process of that number has now. 0 or -WICK_E_GONE. */
int wick_host_kernel_birth(struct wick_host_kernel *k, uint32_t pid, struct wick_host_birth *out);

/* What the walks should know. Without room the walks know less. */
void wick_host_kernel_know(struct wick_host_kernel *k, const struct wick_host_birth *birth);
void wick_host_kernel_forget(struct wick_host_kernel *k, const struct wick_host_birth *birth);
int wick_host_kernel_put_jvm(struct wick_host_kernel *k, const struct wick_host_birth *birth,
                             const struct wick_step_jvm *jvm);
void wick_host_kernel_put_thread(struct wick_host_kernel *k, const struct wick_host_thread *thread,
                                 const struct wick_host_java_thread *java);
/* NULL: its threads publish nothing any more. */
int wick_host_kernel_put_publisher(struct wick_host_kernel *k, const struct wick_host_birth *birth,
                                   const struct wick_host_publisher *threads);

/* Whether the kernel side finds out by itself which file some code is from (host_rules.h). */
bool wick_host_kernel_knows_files(struct wick_host_kernel *k);

/* Who takes unwind rules and pages; k must outlive it. */
struct wick_host_rule_sink wick_host_kernel_sink(struct wick_host_kernel *k);

#endif
