/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disturbances.h - what disturbed a program over time: the JVM's own work, limits, and other processes
 *
 * Made of the readings that a recording has once a second or so. Counters that only grow (throttled time, pressure,
 * compilations) become what they grew by from one reading to the next, shares (stolen time) that part of the time since
 * the reading before. Each is then an amount between two times, which can be cut at any range and divided into bins:
 * an amount is taken to be spread evenly between its times. What has a name, other processes, reasons of
 * deoptimisations and long compilations, is kept as such amounts as well.
 *
 * A counter that falls is another one's from then on, and the first reading is where it begins.
 *
 * Memory:  32 bytes an amount; wick_disturbances_release frees all. Names are numbers of the profile.
 */
#ifndef WICK_ANALYSIS_WAIT_DISTURBANCES_H
#define WICK_ANALYSIS_WAIT_DISTURBANCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jfr/reader/reader.h"

enum wick_disturbance {
    WICK_DISTURBANCE_PAUSES,    /* ns that collections stopped the program */
    WICK_DISTURBANCE_THROTTLED, /* ns that the cgroup was stopped at its limit, the sum over CPUs */
    WICK_DISTURBANCE_CPU,       /* ns in which some task waited for a processor, */
    WICK_DISTURBANCE_MEMORY,    /* for memory, */
    WICK_DISTURBANCE_IO,        /* for a disk */
    WICK_DISTURBANCE_STEAL,     /* ns that the hypervisor gave to other guests: that share of the time */
    WICK_DISTURBANCE_OTHERS,    /* ns that other processes had of the allowed processors: that share of the time */
    WICK_DISTURBANCE_COMPILING, /* ns of compiler threads */
    WICK_DISTURBANCE_COMPILED,  /* methods */
    WICK_DISTURBANCE_DEOPTS,    /* compiled frames that went back to the interpreter */
    WICK_DISTURBANCES,
    WICK_DISTURBANCE_NEIGHBOUR = WICK_DISTURBANCES, /* the rest have names: ns of a process by its name */
    WICK_DISTURBANCE_REASON,                        /* deoptimisations by their reason */
    WICK_DISTURBANCE_METHOD,                        /* ns of a long compilation, by method */
    WICK_DISTURBANCE_KINDS
};

/* So much of it from one time to another. */
struct wick_disturbance_amount {
    int64_t start_ns, end_ns, amount;
    uint32_t name; /* a string of the profile; 0 = of no name */
    uint8_t kind;
};

struct wick_disturbance_counter {
    int64_t last, time_ns;
    uint32_t name; /* of the cgroup, 0 = the process's */
    uint8_t kind;
};

struct wick_disturbances {
    struct wick_profile *profile;
    struct wick_disturbance_amount *rows;
    struct wick_disturbance_counter *counters;
    size_t n, cap, ncounters, cap_counters;
    int64_t machine_ns;                    /* the last reading of shares, 0 = none */
    bool recorded[WICK_DISTURBANCE_KINDS]; /* some reading was there, be it of nothing */
    bool failed;                           /* memory ran out */
};

/* What collects, for a reader of one input: start with {.profile}. */
struct wick_jfr_visitor wick_disturbances_visitor(struct wick_disturbances *d);
void wick_disturbances_release(struct wick_disturbances *d);

/* Divides what lies between two times into bins of bin_ns from start_ns on: values[bins]. Returns the sum. */
int64_t wick_disturbances_bins(const struct wick_disturbances *d, enum wick_disturbance kind, int64_t start_ns,
                               int64_t bin_ns, uint32_t bins, int64_t *values);

/* What one name has between two times. */
struct wick_disturbance_share {
    uint32_t name;
    int64_t amount, longest_ns; /* longest: of one amount */
    uint64_t count;             /* of amounts */
};

/* The names of a kind that have something between two times, most first; *out is malloc'ed, NULL without memory. */
size_t wick_disturbances_by_name(const struct wick_disturbances *d, enum wick_disturbance kind, int64_t from_ns,
                                 int64_t to_ns, struct wick_disturbance_share **out);

/* "throttled": for JSON. Whether it is time, not a number. */
const char *wick_disturbance_name(enum wick_disturbance kind);
bool wick_disturbance_is_time(enum wick_disturbance kind);

#endif
