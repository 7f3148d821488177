/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_int.h - what the rules of `wick explain` share: making a finding and giving it figures
 *
 * Threads: one at a time.
 * Memory:  that of the findings.
 */
#ifndef WICK_ANALYSIS_EXPLAIN_INT_H
#define WICK_ANALYSIS_EXPLAIN_INT_H

#include "analysis/explain_rules.h"

struct wick_explain {
    struct wick_explain_facts *f;
    struct wick_explain_findings *out;
    const struct wick_explain_rule *rule; /* that is being applied */
};

/* A new finding of the rule, NULL without memory; what follows takes NULL. */
struct wick_explain_finding *wick_explain_found(struct wick_explain *x, double cost_ns);

/* A figure of it; text is copied; a frame is named as everywhere, and left out if it is 0. */
void wick_explain_figure(struct wick_explain_finding *r, const char *key, enum wick_explain_unit unit, double value);
void wick_explain_say(struct wick_explain *x, struct wick_explain_finding *r, const char *key, const char *text);
void wick_explain_say_frame(struct wick_explain *x, struct wick_explain_finding *r, const char *key, uint32_t frame);

/* A finding if the part is at least the rule's threshold of the whole, with the figures share and time; else NULL. */
struct wick_explain_finding *wick_explain_by_share(struct wick_explain *x, double part_ns, double whole_ns,
                                                   double cost_ns);

static inline double wick_explain_share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* explain_memory.c: the rules about memory, and what is said of allocations beside other findings. */
void wick_explain_memory_limit(struct wick_explain *x);
void wick_explain_memory_pressure(struct wick_explain *x);
void wick_explain_oom_killed(struct wick_explain *x);
void wick_explain_out_of_memory(struct wick_explain *x);
void wick_explain_heap_limit(struct wick_explain *x);
void wick_explain_page_cache(struct wick_explain *x);
void wick_explain_memory_growth(struct wick_explain *x);
void wick_explain_live_set(struct wick_explain *x);

/* explain_heap.c: the rules about what collections find. */
void wick_explain_humongous(struct wick_explain *x);
void wick_explain_promotion(struct wick_explain *x);
void wick_explain_oversized(struct wick_explain *x);
void wick_explain_cleaners(struct wick_explain *x);

/* Adds as "user" the code that most often makes objects of a class, or starts them, by samples of any kind. */
void wick_explain_say_user(struct wick_explain *x, struct wick_explain_finding *r, const char *class_name);

/* Adds of which class most of the objects are, and where those were allocated (class, frame, caller); and by the key
 * `size`, unless that is NULL, what one of them weighs on average. Nothing if there are none. */
void wick_explain_say_class(struct wick_explain *x, struct wick_explain_finding *r,
                            const struct wick_explain_sample *rows, size_t n, const char *size);

/* explain_native.c: native memory that is not freed. */
void wick_explain_native_leak(struct wick_explain *x);

/* Adds where most is allocated, and of which class, if that was recorded. */
void wick_explain_say_allocations(struct wick_explain *x, struct wick_explain_finding *r);

#endif
