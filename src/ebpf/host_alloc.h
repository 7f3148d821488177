/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_alloc.h - allocations of all JVMs: which are probed, where, and what becomes of their records
 *
 *     JVM, no agent, or one that does not report   AllocTracer in libjvm.so (hotspot/alloc_tracer.h), of this process
 *     JVM whose agent reports                      wick:alloc__sample in libwick.so (docs/probes.md), of all processes
 *
 * A JVM is met when recording starts, when it starts itself, or with a sample of it. Its own probes are set for that
 * process alone: on JDK 8 the agent sets breakpoints at the same places, and one with an agent is left to it.
 *
 * Memory:  400 bytes for each of at most WICK_HOST_JVMS JVMs.
 */
#ifndef WICK_EBPF_HOST_ALLOC_H
#define WICK_EBPF_HOST_ALLOC_H

#include "ebpf/host_process.h"

enum { WICK_HOST_ALLOC_WHY = 240, WICK_HOST_ALLOC_WAITING = 64, WICK_HOST_ALLOC_ENDED = 16 };

enum wick_host_alloc_source {
    WICK_HOST_ALLOC_NOWHERE,    /* nothing can be seen of it, see why */
    WICK_HOST_ALLOC_BY_SYMBOLS, /* AllocTracer, found by name */
    WICK_HOST_ALLOC_BY_CODE,    /* by what its code looks like: each call is checked */
    WICK_HOST_ALLOC_BY_AGENT,   /* the agent alone, while it reports */
};

struct wick_host_alloc_jvm {
    struct wick_host_birth birth;
    uint32_t pid, number; /* of its probes */
    enum wick_host_alloc_source source;
    bool has_agent, has_end;       /* has_end: what a thread leaves at its end is seen */
    int major;                     /* of the JDK */
    uint64_t calls;                /* of its functions, a while ago */
    char why[WICK_HOST_ALLOC_WHY]; /* of NOWHERE and BY_AGENT: a sentence */
};

/* A process in which a JVM starts, and which is to be read when that is there. */
struct wick_host_alloc_waiting {
    struct wick_host_head head;
    uint64_t due_ns;
    uint32_t tries;
};

struct wick_host_alloc {
    struct wick_host_kernel *kernel;       /* borrowed; NULL = allocations are not recorded */
    struct wick_host_processes *processes; /* borrowed */
    uint32_t type, next_number;
    struct wick_host_alloc_jvm *jvms;
    uint32_t njvms;
    uint64_t counted_ns;    /* when calls were counted last */
    uint64_t rest_until_ns; /* before that no JVM is searched for a sample's sake */
    uint64_t left_out;      /* JVMs for which there was no room */
    uint64_t unread;        /* those that had ended before they were examined */
    struct wick_host_alloc_unseen {
        uint32_t pid;
        char why[WICK_HOST_ALLOC_WHY];
    } * ended; /* those that have ended, of which nothing could be seen: the first WICK_HOST_ALLOC_ENDED */
    uint32_t nended;
    uint64_t nended_all;
    struct wick_host_alloc_waiting waiting[WICK_HOST_ALLOC_WAITING];
    uint32_t nwaiting;
    struct wick_host_file_id *agents; /* files of the agent whose probe is set */
    uint32_t nagents;
};

/* Finds the JVMs that there are, and sets their probes; threshold: bytes. -WICK_E_UNSUPPORTED, _NOMEM. */
int wick_host_alloc_begin(struct wick_host_alloc *a, struct wick_host_kernel *k, struct wick_host_processes *ps,
                          uint64_t threshold, struct wick_err *err);

/* Frees all; the probes go with the kernel side. */
void wick_host_alloc_release(struct wick_host_alloc *a);

/* A process with a sample: if it is a JVM its probes are set. */
void wick_host_alloc_meet(struct wick_host_alloc *a, struct wick_host_process *p);

/* A JVM starts in a process, or the agent in a JVM, as it seems. */
void wick_host_alloc_starts(struct wick_host_alloc *a, const struct wick_host_head *h);

/* Reads those that have started by now; once in a while. */
void wick_host_alloc_round(struct wick_host_alloc *a, uint64_t now_ns);

/* That address space has ended. */
void wick_host_alloc_end(struct wick_host_alloc *a, const struct wick_host_birth *birth);

/* Whether a record is of an allocation: a function that was found by its looks may be another one. */
bool wick_host_alloc_is_one(const struct wick_host_process *p, const struct wick_host_head *h);

/* How many of the record's innermost frames say only how it came about: those of the JVM and of the agent, and the stub
 * from which Java code went there. */
uint32_t wick_host_alloc_skip(const struct wick_host_process *p, const struct wick_host_record *r);

/* The class as the JVM has it ("java/lang/String", "[B"), "" = not known; `room` may be used for it. */
const char *wick_host_alloc_class(const struct wick_host_process *p, const struct wick_host_record *r,
                                  char room[WICK_HOST_CLASS]);

#endif
