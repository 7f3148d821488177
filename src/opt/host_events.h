/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_events.h - what `wick host` records: its options event and interval taken together
 *
 * Threads: pure functions.
 */
#ifndef WICK_OPT_HOST_EVENTS_H
#define WICK_OPT_HOST_EVENTS_H

#include <stdint.h>

#include "base/err.h"

/* What to record; 0 = not. */
struct wick_opt_host_events {
    uint64_t interval_ns;  /* of samples of CPU time */
    uint64_t threshold_ns; /* of time off the CPU: shorter waits are chosen at random, in proportion */
};

/* Reads a list of the words of def/host_event.def. 0, or -WICK_E_USAGE with a sentence. */
int wick_opt_host_events(const char *list, uint64_t interval_ns, struct wick_opt_host_events *out,
                         struct wick_err *err);

#endif
