/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_rules.h - unwind rules of native code for the kernel side, a page of code at a time
 *
 * When a walk comes by a page for the first time, the rules of all its instructions are made from .eh_frame, or for Go
 * from its table of functions:
 *
 *      page:  { from byte 0: rule 7 | from byte 18: rule 3 | ... }       pages[file, page] or pages[birth, page]
 *      rule:  CFA = rsp + 24, return address at CFA - 8, ...             rules[number]
 *
 * Different rules are few (host_number.h). The page of a file serves all processes that have mapped it, also those that
 * are not known yet, if the kernel side finds out by itself which file it is; else, and for code that is of no file, it
 * is for that process alone. A page that is missed again has not been found by its file, and gets both.
 *
 * Memory:  that of host_library.h, and 64 KiB.
 */
#ifndef WICK_EBPF_HOST_RULES_H
#define WICK_EBPF_HOST_RULES_H

#include "ebpf/host_library.h"
#include "ebpf/host_number.h"

enum { WICK_HOST_TAUGHT = 2048 };

/* A page that was handed over, or one of a process whose page of the file was: a process that misses it again has not
 * found it. */
struct wick_host_taught {
    struct wick_host_page page;
    uint64_t ns;
};

struct wick_host_rules {
    struct wick_host_numbers numbers;
    struct wick_host_libraries libraries;
    struct wick_host_taught taught[WICK_HOST_TAUGHT];
};

/* 0 or -WICK_E_NOMEM. Borrows the devices. */
int wick_host_rules_init(struct wick_host_rules *r, const struct wick_host_rule_sink *sink,
                         struct wick_host_devices *devices);
void wick_host_rules_release(struct wick_host_rules *r);

/* The rule of the instruction at pc alone. 0, or as wick_eh_rule(). */
int wick_host_rules_find(struct wick_host_rules *r, const struct wick_host_code *code, uint64_t pc,
                         struct wick_unwind_rule *rule);

/* Hands the rules of pc's page to the sink. now_ns: when they were missed, on CLOCK_MONOTONIC. */
void wick_host_rules_page(struct wick_host_rules *r, const struct wick_host_code *code, uint64_t pc, uint64_t now_ns);

/* Whether the sink has them, as far as is remembered. */
bool wick_host_rules_taught(struct wick_host_rules *r, const struct wick_host_code *code, uint64_t pc);

#endif
