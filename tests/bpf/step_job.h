/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step_job.h - what the test asks of the kernel-side walk (step.bpf.c) and what it gets
 *
 * Threads: the program writes it once, then `done`.
 * Memory:  the only element of an array map.
 */
#ifndef WICK_TESTS_BPF_STEP_JOB_H
#define WICK_TESTS_BPF_STEP_JOB_H

#include "unwind/step.h"

enum { STEP_JOB_FRAMES = 32 };

struct step_job {
    struct wick_step_jvm jvm;
    struct wick_step_state state; /* from here; to where the walk ended */
    struct wick_unwind_rule rule; /* of every native pc if there is one */
    uint64_t function;            /* the start of every native function, 0 = not known */
    uint64_t process, time_ns;    /* of what is kept from walk to walk */
    uint32_t tables, pad;         /* whose tables: 0 = none */
    uint32_t has_rule, done, n, result;
    struct wick_step_frame frames[STEP_JOB_FRAMES];
};

#endif
