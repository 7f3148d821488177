/* SPDX-License-Identifier: Apache-2.0 */
/*
 * classify.h - what kind of work a stack is, and whether it is work at all
 *
 * Both are inferred from names alone: those of HotSpot's threads and functions, of the JDK's methods that wait, and of
 * the kernel's and libc's. So they work for recordings of any profiler, and they are guesses where a program uses such
 * names for something else.
 *
 * Threads: reads the profile only.
 */
#ifndef WICK_MODEL_CLASSIFY_H
#define WICK_MODEL_CLASSIFY_H

#include "model/profile.h"

enum wick_work {
#define X(name, text) WICK_WORK_##name,
#include "def/work.def"
#undef X
    WICK_WORK_COUNT
};

/* "GC", "Java" ... */
const char *wick_work_name(enum wick_work w);

/* The class of a stack in a thread. Of several that fit the first of def/work.def counts. */
enum wick_work wick_classify(const struct wick_profile *p, uint32_t stack, uint32_t thread);

/* What a thread of the JVM does by the name that HotSpot gives it, perhaps cut by the kernel; WICK_WORK_COUNT = it is
 * none of those for collections and compilations. */
enum wick_work wick_classify_thread(const char *name);

/* True if the stack is that of a thread that waits for work: parked, asleep, in a poll or an accept, and in no request
 * (label "endpoint"), which would wait as well. A sample of time on a processor is never idle. */
bool wick_classify_is_idle(const struct wick_profile *p, const struct wick_agg *a);

#endif
