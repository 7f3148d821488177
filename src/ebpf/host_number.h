/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_number.h - numbers of different unwind rules, which the rows of a page name
 *
 * There are two halves of numbers. When those of one are used up, all pages are forgotten and the other half begins
 * anew: pages are made again when walks miss them, and what a walk has found a moment before still means what it did.
 *
 *      half 0:  1 ... 8191         the pages' rules
 *      half 1:  8192 ... 16383     those of the time before, of which no page is left
 *
 * A process that is made of ever new rules would keep all others from theirs, so a half lasts a second at least; rules
 * that come in the meantime have no number.
 *
 * Memory:  malloc, 512 KiB at most.
 */
#ifndef WICK_EBPF_HOST_NUMBER_H
#define WICK_EBPF_HOST_NUMBER_H

#include "ebpf/host_event.h"
#include "ebpf/host_library.h"
#include "model/hash.h"

/* Who is given rules and pages: the kernel side (host_kernel.h). */
struct wick_host_rule_sink {
    void (*put_rule)(void *arg, uint32_t number, const struct wick_unwind_rule *rule);
    void (*put_page)(void *arg, const struct wick_host_page *page, const struct wick_host_rows *rows);
    void (*forget_pages)(void *arg);
    wick_host_identify *identify; /* NULL: pages are known by the process alone */
    void *arg;
};

struct wick_host_numbers {
    struct wick_host_rule_sink sink;
    struct wick_unwind_rule *rules; /* of this half, in the order of their numbers */
    uint32_t n, half;
    uint64_t begun_ns; /* when this half began */
    struct wick_index index;
};

/* No rules yet. 0 or -WICK_E_NOMEM. */
int wick_host_numbers_init(struct wick_host_numbers *n, const struct wick_host_rule_sink *sink);
void wick_host_numbers_release(struct wick_host_numbers *n);

/* The number of a rule, which the sink has then; 0 = there is none. now_ns: CLOCK_MONOTONIC. */
uint16_t wick_host_number(struct wick_host_numbers *n, const struct wick_unwind_rule *rule, uint64_t now_ns);

#endif
