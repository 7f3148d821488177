/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf_event.h - perf events by name
 *
 * Threads: any.
 */
#ifndef WICK_SYS_PERF_EVENT_H
#define WICK_SYS_PERF_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "base/err.h"

/* Fills type, config and the default period of the event called `name`: perf's names of software and hardware events
 * (def/perf_event.def), rNNN (raw, hexadecimal), subsystem:tracepoint. *cpu_time is set if it counts nanoseconds of CPU
 * time. -WICK_E_USAGE: no such name; -WICK_E_PERM: tracefs is not readable. */
int wick_perf_event_parse(const char *name, struct perf_event_attr *attr, bool *cpu_time, struct wick_err *err);

#endif
