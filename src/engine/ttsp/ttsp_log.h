/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ttsp_log.h - incidents as text (docs/ttsp.md explains each field)
 *
 * Threads: the drain thread.
 * Memory:  malloc during the call.
 */
#ifndef WICK_ENGINE_TTSP_LOG_H
#define WICK_ENGINE_TTSP_LOG_H

#include "engine/ttsp/ttsp.h"

/* Appends the incident to fd. vm_start_ns: what uptimes count from (CLOCK_MONOTONIC), 0 = the process's start. */
void wick_ttsp_log(int fd, struct wick_threads *ts, const struct wick_ttsp_incident *i, uint64_t vm_start_ns);

#endif
