/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfbroker.h - the CLI's side of the broker (sys/broker.h): opens perf events for one target, and takes its files
 */
#ifndef WICK_CLI_RECORD_PERFBROKER_H
#define WICK_CLI_RECORD_PERFBROKER_H

#include "cli/record/rotation.h"
#include "sys/proc.h"

/* Answers one request waiting on fd. files: what becomes of the recording's chunks, NULL = none are taken. False if the
 * agent has closed it. */
bool wick_perfbroker_serve(int fd, const struct wick_proc *p, struct wick_rotation *files);

/* Finds the thread that process p knows as nstid; returns its id in our pid namespace, 0 if p has none. */
pid_t wick_perfbroker_tid(const struct wick_proc *p, pid_t nstid);

#endif
