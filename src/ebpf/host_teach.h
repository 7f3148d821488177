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

#endif
