/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target.h - which JVM the user means
 *
 * Memory:  the caller closes the process.
 */
#ifndef WICK_CLI_JVM_TARGET_H
#define WICK_CLI_JVM_TARGET_H

#include "sys/jvmlist.h"
#include "sys/proc.h"

/* Opens the process named by word: a pid, or a part of a main class, module or jar that only one JVM has (a JVM whose
 * whole name it is wins). jvm (may be NULL) gets its description. Errors with sentences; several candidates are listed.
 */
int wick_target_open(const char *word, struct wick_proc *p, struct wick_jvm_entry *jvm, struct wick_err *err);

/* The one operand of a command: -WICK_E_USAGE with a sentence if there is none or more than one. */
int wick_target_operand(char **rest, int nrest, const char *command, const char **word, struct wick_err *err);

#endif
