/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfbroker.h - the CLI's side of the broker (sys/broker.h): opens perf events for one target, and takes its files
 */
#ifndef WICK_CLIENT_PERFBROKER_H
#define WICK_CLIENT_PERFBROKER_H

#include "client/rotation.h"
#include "sys/proc.h"

/* Answers one request waiting on fd. files: what becomes of the recording's chunks, NULL = none are taken. False if the
 * agent has closed it. */
bool wick_perfbroker_serve(int fd, const struct wick_proc *p, struct wick_rotation *files);

#endif
