/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ttsp_incidents.h - the slow safepoints of recordings, and why their threads were slow to reach them
 *
 * Made of the events wick.SafepointLatency, wick.SafepointLaggard and wick.SafepointArrival. A slow thread's reason
 * comes from what its signals found: what the kernel said of the thread, how long it took to answer, and what stood on
 * top of its stack; the rule that explains the waiting best wins (rules in ttsp_incidents.c).
 *
 * Memory:  malloc; wick_ttsp_incidents_release frees all. Names and stacks are numbers of the profile.
 */
#ifndef WICK_ANALYSIS_WAIT_TTSP_INCIDENTS_H
#define WICK_ANALYSIS_WAIT_TTSP_INCIDENTS_H

#include <stdbool.h>

#include "analysis/range.h"
#include "analysis/read.h"
#include "jfr/reader/reader.h"

enum wick_ttsp_why {
    WICK_TTSP_UNKNOWN,
    WICK_TTSP_LOOP,     /* compiled code without a safepoint poll */
    WICK_TTSP_COPY,     /* one copy, fill or comparison of much memory: a stub without a poll */
    WICK_TTSP_STARVED,  /* it had no processor */
    WICK_TTSP_FAULT,    /* the kernel made it wait: page fault, swap, disk */
    WICK_TTSP_VM,       /* inside the JVM's own code */
    WICK_TTSP_CRITICAL, /* native code held arrays */
    WICK_TTSP_WHYS
};

/* One signal to a slow thread. */
struct wick_ttsp_signal {
    uint32_t file, thread, stack; /* numbers in the profile, 0 = none; file: which input */
    int64_t incident, attempt, time_ns, waited_ns, response_ns, run_delay_ns, cpu_ns, major_faults, last_cpu, nice;
    uint32_t state, wchan, scheduler, allowed; /* strings of the profile */
    bool gave_way;
};

struct wick_ttsp_slow {
    uint32_t file;
    int64_t incident, safepoint, time_ns, duration_ns, reach_ns, java_threads, late_threads;
    bool critical;              /* a collection that waited, not a safepoint */
    uint32_t operation, source; /* strings */
    uint32_t first, count;      /* its slow threads */
};

/* A thread that was slow to reach the safepoint of an incident. */
struct wick_ttsp_culprit {
    uint32_t file, thread;
    int64_t incident, waited_ns; /* until it gave way */
    uint32_t first, count;       /* its signals, by time */
    enum wick_ttsp_why why;
    uint32_t frame;       /* the guilty frame, 0 = none */
    uint32_t caller;      /* the Java frame that led there, if that is another; 0 = none */
    uint32_t stack;       /* a stack that shows it, 0 = none */
    int64_t starved_ns;   /* runnable without a processor while it was awaited */
    int64_t ran_ns;       /* on one, from its first signal to its last */
    int64_t major_faults; /* during the incident */
};

/* What the JVM's counters said of all safepoints, and how much both had grown by then since the first reading. */
struct wick_ttsp_reading {
    uint32_t file;
    int64_t time_ns, safepoints, sync_ns;
};

struct wick_ttsp_incidents {
    struct wick_profile *profile;
    struct wick_ttsp_slow *slow; /* worst first */
    struct wick_ttsp_culprit *culprits;
    struct wick_ttsp_signal *signals;
    struct wick_ttsp_reading *readings; /* in the order of the file */
    uint32_t nslow, nculprits, nsignals, nreadings, cap_slow, cap_culprits, cap_signals, cap_readings;
    uint32_t file;
    int64_t threshold_ns;        /* lowest that a recording was made with, 0 = none was */
    int64_t safepoints, sync_ns; /* all of them, by the JVM's counters, and the time to reach them */
    int64_t last_safepoints, last_sync_ns, counters; /* what they said last, and in which input, from 1 */
    bool failed;                                     /* memory ran out */
};

/* Reads n recordings ("-" = standard input); the profile is initialised and outlives the incidents. 0 or as
 * `read`. */
int wick_ttsp_incidents_read(struct wick_ttsp_incidents *in, struct wick_profile *p, char *const *paths, int n,
                             wick_analysis_reader *read, struct wick_err *err);

/* What collects, for a reader of one input: start with {.profile}, tie at the end; more may be read then, and tied
 * again. */
struct wick_jfr_visitor wick_ttsp_incidents_visitor(struct wick_ttsp_incidents *in);

/* The same for a command that reads other events at the same time: start with {.profile, .file = number of the input},
 * hand over each event of such a type, tie at the end, which ties signals to threads and threads to incidents, worst
 * first. Check `failed` before. */
bool wick_ttsp_incidents_wants(const char *type);
void wick_ttsp_incidents_take(struct wick_ttsp_incidents *in, const struct wick_jfr_event *e);
void wick_ttsp_incidents_tie(struct wick_ttsp_incidents *in);

/* Makes `out` the incidents that touch a range of time, with their threads and signals, after they have been tied; on
 * its own but for the profile. -WICK_E_NOMEM: then `out` has none. */
int wick_ttsp_incidents_choose(struct wick_ttsp_incidents *out, const struct wick_ttsp_incidents *in,
                               const struct wick_range *range);

void wick_ttsp_incidents_release(struct wick_ttsp_incidents *in);

/* "loop", "copy" ...: for JSON. And what it means, for people. */
const char *wick_ttsp_why_name(enum wick_ttsp_why why);
const char *wick_ttsp_why_text(enum wick_ttsp_why why);

#endif
