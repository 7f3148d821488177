/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_wait.h - from a wait that the kernel side saw to events
 *
 * A wait is one record and up to as many events as it has phases: time asleep, with the process that ended it; then
 * time without a processor, split up among the processes that ran in it, the rest under none. The weights add up to the
 * length of the wait.
 */
#ifndef WICK_EBPF_HOST_WAIT_H
#define WICK_EBPF_HOST_WAIT_H

#include "ebpf/host_span.h"
#include "ebpf/host_tables.h"

/* The state of its time asleep (WICK_JFR_STATE_*), by how it waited and by its n frames. */
unsigned wick_host_wait_state(const struct wick_host_tables *t, const struct wick_host_head *h,
                              const struct wick_jfr_frame *frames, uint32_t n);

/* Writes its events; returns the sum of their weights in ns. */
uint64_t wick_host_wait_write(const struct wick_host_span_source *of, const struct wick_host_record *s, unsigned state);

#endif
