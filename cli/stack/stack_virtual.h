/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack_virtual.h - `wick stack --virtual`: asks the agent, and prints its answer
 */
#ifndef WICK_CLI_STACK_STACK_VIRTUAL_H
#define WICK_CLI_STACK_STACK_VIRTUAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "sys/jvmlist.h"
#include "sys/proc.h"

struct wick_stack_virtual {
    uint32_t rows;    /* threads to show */
    const char *name; /* only threads whose name contains it; NULL: all */
    bool json;
};

/* 0, -WICK_E_STATE if the agent is not in that JVM, or what the agent answers, with a sentence. */
int wick_stack_virtual(const struct wick_stack_virtual *o, const struct wick_proc *p, const struct wick_jvm_entry *jvm,
                       struct wick_err *err);

#endif
