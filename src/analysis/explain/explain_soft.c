/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_soft.c - whether collections find soft references, which a cache without a bound of its own is made of
 *
 * The collector keeps what soft references hold for as long as much of the heap is free, so such a cache grows until
 * it is not, each collection goes through all of it, and then much of it is dropped at once. Up to JDK 17 the
 * collector has a phase for soft references alone, which takes time only where there are many; from 18 on only the
 * program's own calls show them, and a heap dump (struct wick_explain_holder).
 */
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "base/sum.h"
#include "model/name.h"

#define SAMPLES_LEAST 5
#define SHARE_LEAST   0.003 /* of CPU time: few references take less */

const char wick_explain_soft_advice[] =
    "a bound for the cache that is made of soft references, by number or size (an LRU), in place of them: they let it "
    "grow until little of the heap is free; what is allocated most is probably what it holds";

bool wick_explain_is_soft(const struct wick_profile *p, uint32_t stack)
{
    static const char *const phases[] = {"process_soft_ref_reconsider", "RefProcPhase1Task"};
    for (uint32_t s = stack; s; s = p->stacks[s].parent) {
        const struct wick_function *f = &p->functions[wick_explain_function_at(p, s)];
        if (wick_frame_kind_is_java(p->frames[p->stacks[s].frame].kind)) {
            uint32_t caller = p->stacks[s].parent;
            if (caller && !strcmp(wick_profile_str(p, f->class_name), "java/lang/ref/SoftReference") &&
                !wick_name_is_jdk(wick_profile_str(p, p->functions[wick_explain_function_at(p, caller)].class_name)))
                return true; /* the JDK has such references of its own */
            continue;
        }
        for (size_t i = 0; i < sizeof phases / sizeof *phases; i++)
            if (strstr(wick_profile_str(p, f->name), phases[i]))
                return true;
    }
    return false;
}

void wick_explain_say_soft(struct wick_explain *x, struct wick_explain_finding *r)
{
    const struct wick_explain_facts *f = x->f;
    int64_t ns = 0;
    size_t n = 0;
    for (size_t i = 0; i < f->ncpu; i++)
        /* the program's own calls say nothing of collections */
        if (!wick_explain_has_java(f->p, f->cpu[i].stack) && wick_explain_is_soft(f->p, f->cpu[i].stack)) {
            ns = wick_sum(ns, f->cpu[i].weight_ns);
            n++;
        }
    double share = wick_explain_share((double)ns, (double)f->sampled_ns);
    if (!r || n < SAMPLES_LEAST || share < SHARE_LEAST)
        return;
    wick_explain_figure(r, "soft", WICK_EXPLAIN_SHARE, share);
    r->advice = wick_explain_soft_advice;
}
