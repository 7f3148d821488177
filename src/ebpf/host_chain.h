/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_chain.h - the time that a thread slept, divided by what the threads did that it waited for
 *
 * Memory:  none but the caller's.
 */
#ifndef WICK_EBPF_HOST_CHAIN_H
#define WICK_EBPF_HOST_CHAIN_H

#include "ebpf/host_event.h"

enum wick_host_doing {
    WICK_HOST_WORKED, /* on a CPU, for all that is known */
    WICK_HOST_QUEUED, /* it waited for a CPU */
    WICK_HOST_DISKED, /* uninterruptibly asleep until an interrupt */
    WICK_HOST_SLEPT,  /* asleep until an interrupt: of a timer, a device or the network */
    WICK_HOST_DOINGS
};

/* Of one process. */
struct wick_host_part {
    const struct wick_host_link *who;
    uint64_t ns[WICK_HOST_DOINGS];
};

/* Divides the time from slept_ns until woken_ns among the processes of n links, the latest first; no more than
 * WICK_HOST_LINKS are used. The parts refer to the links; together they are at most that time, and less if it began
 * before the first link that is known. Returns how many there are. Links may be anything. */
uint32_t wick_host_chain_split(const struct wick_host_link *links, uint32_t n, uint64_t slept_ns, uint64_t woken_ns,
                               struct wick_host_part parts[WICK_HOST_LINKS]);

#endif
