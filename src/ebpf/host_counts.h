/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_counts.h - the kernel side counts on each CPU; here the counts are summed
 */
#ifndef WICK_EBPF_HOST_COUNTS_H
#define WICK_EBPF_HOST_COUNTS_H

#include "ebpf/host_event.h"

/* Adds those of a CPU. */
void wick_host_counts_add(struct wick_host_counts *out, const struct wick_host_counts *of);

#endif
