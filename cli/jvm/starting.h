/* SPDX-License-Identifier: Apache-2.0 */
/*
 * starting.h - JVMs in their first moments
 */
#ifndef WICK_CLI_JVM_STARTING_H
#define WICK_CLI_JVM_STARTING_H

#include "sys/proc.h"

/* Waits while a process that has just been started is not yet a JVM that can be attached to: `java` without libjvm.so,
 * or a JVM that does not handle SIGQUIT yet. At most until the process is ten seconds old: the attach then reports what
 * is wrong. Notes when it waits. */
void wick_starting_wait(struct wick_proc *p);

#endif
