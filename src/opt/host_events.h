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

enum {
    WICK_OPT_HOST_COUNTED = 16, /* counted events of one recording */
    WICK_OPT_HOST_NAME = 512,
};

/* An event that is counted: a tracepoint, a probe of a function, or an event of perf. */
struct wick_opt_host_counted {
    char name[WICK_OPT_HOST_NAME]; /* as given, but for a leading "tracepoint:"; not known to exist */
    uint64_t period;               /* occurrences from one sample to the next; 0 = the event's own default */
};

/* What to record; 0 = not. */
struct wick_opt_host_events {
    uint64_t interval_ns;  /* of samples of CPU time */
    uint64_t threshold_ns; /* of time off the CPU: shorter waits are chosen at random, in proportion */
    uint64_t io_period;    /* of requests to disks: one of so many is chosen at random */
    uint64_t stall_ns;     /* of stalls for memory: a threshold likewise */
    uint64_t call_ns;      /* of system calls, likewise */
    uint64_t socket_ns;    /* of those that send to sockets, receive from them or connect them, likewise */
    uint64_t alloc_bytes;  /* of allocated objects: those that stand for fewer are chosen at random, in proportion */
    uint32_t ncounted;
    struct wick_opt_host_counted counted[WICK_OPT_HOST_COUNTED];
};

/* Reads a list of the words of def/host_event.def and of counted events, NAME or NAME=PERIOD. 0, or -WICK_E_USAGE with
 * a sentence. */
int wick_opt_host_events(const char *list, uint64_t interval_ns, struct wick_opt_host_events *out,
                         struct wick_err *err);

#endif
