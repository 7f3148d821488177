/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.h - the agent's listening thread and its link to the CLI
 *
 * Threads: onload.c's.
 * Memory:  static; one malloc'ed buffer a request.
 */
#ifndef WICK_AGENT_CONTROL_H
#define WICK_AGENT_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Opens the control socket and starts the thread "wick-control"; the second call does nothing. init: the outcome of
 * wick_agent_init, answered to every start if it is an error. */
int wick_control_start(const struct wick_err *init, struct wick_err *err);

/* Runs one option string in this thread ("start,event=cpu,file=x.jfr"). An empty string does nothing. On success
 * err->msg holds what was ignored, one sentence a line (err->code stays 0). */
int wick_control_run(const char *options, size_t len, struct wick_err *err);

/* dev, ino: what fd must be, since the number may have come to mean something else. True if fd is the connection that
 * `wick record -- command` left open and the request in it has not been taken. */
bool wick_control_has_offer(int fd, unsigned long long dev, unsigned long long ino);

/* Takes the connection that `wick record -- command` left open in fd for the first JVM of the command: carries out the
 * request waiting in it and keeps it as a control connection. A JVM that comes too late leaves it alone: also 0. */
int wick_control_adopt(int fd, struct wick_err *err);

/* The VM is up. A recording that was started before begins now, in this thread; commands, the timeout and the next lap
 * of a loop wait until it has. Not with a call above under way in this thread. */
void wick_control_vm_ready(void);

/* Ends a running recording: the JVM is going down. */
void wick_control_shutdown(void);

#endif
