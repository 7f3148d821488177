/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor.h - findings of `wick doctor`
 *
 * A check examines one thing and adds a finding: what it found, and how to change it. FAIL: something
 * wick needs is missing; WARN: it works with less; OK.
 *
 * Memory:  findings are copied into the list, freed by wick_doctor_clear.
 */
#ifndef WICK_DOCTOR_DOCTOR_H
#define WICK_DOCTOR_DOCTOR_H

#include <stddef.h>

#include "sys/jvmlist.h"
#include "sys/proc.h"

enum wick_doctor_level { WICK_DOCTOR_OK, WICK_DOCTOR_WARN, WICK_DOCTOR_FAIL };

struct wick_doctor_finding {
    enum wick_doctor_level level;
    char name[32];
    char what[400], fix[400]; /* fix "" = nothing to do */
};

struct wick_doctor {
    struct wick_doctor_finding *list;
    size_t count;
};

/* Adds a finding; what is formatted, fix is taken as it is (NULL = none). */
void wick_doctor_add(struct wick_doctor *d, enum wick_doctor_level level, const char *name, const char *fix,
                     const char *what, ...) __attribute__((format(printf, 5, 6)));
void wick_doctor_clear(struct wick_doctor *d);

/* This machine and this user: perf, kernel symbols, tracefs, capabilities, limits, the agent (lib: as for
 * wick_agentlib_find). */
void wick_doctor_host(struct wick_doctor *d, const char *lib);

/* One JVM: version, attach, flags, privileges, container, cgroup, limits. */
void wick_doctor_jvm(struct wick_doctor *d, const struct wick_proc *p, const struct wick_jvm_entry *jvm);

#endif
