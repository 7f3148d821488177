/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_teach.h - what the kernel side should know for the next walk, as the last one showed
 *
 * The layout of a JVM and the JavaThread of a thread are read when a sample of it comes without them, and the unwind
 * rules of a page of native code when a walk came by without. So only what is met is read, and nothing is polled. It
 * should happen before anything slow is done with the sample, since the next one of the same process may come at any
 * moment.
 *
 * Memory:  the process's list of Java threads.
 */
#ifndef WICK_EBPF_HOST_TEACH_H
#define WICK_EBPF_HOST_TEACH_H

#include "ebpf/host_process.h"
#include "ebpf/host_rules.h"

/* until_ns: when making rules has taken long enough; what is missed will be missed again. */
void wick_host_teach(struct wick_host_processes *ps, struct wick_host_rules *rules, struct wick_host_process *p,
                     const struct wick_host_record *r, uint64_t until_ns);

/* Reads the layout of a JVM of which there is no sample yet, unless that was tried just now. True if it is known. */
bool wick_host_teach_jvm(struct wick_host_processes *ps, struct wick_host_process *p, uint64_t now_ns);

/* A thread's number where its process lives; 0 = not known. */
int32_t wick_host_teach_own_tid(const struct wick_host_process *p, uint32_t tid);

#endif
