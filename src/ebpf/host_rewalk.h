/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_rewalk.h - a walk that lacked something in the kernel, again and from a copy of the stack
 *
 * When a program runs for the first time the kernel side knows nothing of it: neither the rules of its code nor, if it
 * is a JVM, its layout. Each walk would end at the first page that is missing, and it would take as many samples as a
 * stack has pages of code until one is complete. So the kernel side hands over registers and the top of the stack with
 * such a walk, and it is repeated here, where all that can be read: the sample itself becomes whole, and all pages on
 * its way are known at once.
 *
 * The stack is that of the sample, and what the copy does not hold is believed where nothing shows that it has
 * changed (host_beyond.h); everything else, code and the JVM's structures, is as it is now. So only samples of
 * the last 50 ms are walked again, each for 5 ms at most.
 *
 * Memory:  the copies that came last, 1 MiB.
 */
#ifndef WICK_EBPF_HOST_REWALK_H
#define WICK_EBPF_HOST_REWALK_H

#include "ebpf/host_process.h"
#include "ebpf/host_rules.h"

enum { WICK_HOST_COPIES = 16 };

struct wick_host_rewalker {
    struct wick_host_copy *copies;
    uint32_t kept;                  /* since the start */
    struct wick_host_record record; /* with better frames */
};

/* 0 or -WICK_E_NOMEM. */
int wick_host_rewalk_init(struct wick_host_rewalker *w);
void wick_host_rewalk_release(struct wick_host_rewalker *w);

/* Keeps a copy of a stack, for the record that follows. */
void wick_host_rewalk_keep(struct wick_host_rewalker *w, const struct wick_host_copy *copy);

/* Walks again what r is the record of, until until_ns (CLOCK_MONOTONIC) at most. Returns r with better frames, in which
 * the pages that the kernel side lacks are marked as by itself, until the next call; NULL if there are none. */
const struct wick_host_record *wick_host_rewalk(struct wick_host_rewalker *w, struct wick_host_rules *rules,
                                                struct wick_host_process *p, const struct wick_host_record *r,
                                                uint64_t until_ns);

#endif
