/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_sort.c - what the comparisons of a sort cost
 *
 * A sort compares each element some log n times. What its comparator computes, or asks the system for, is done as often
 * for each of the two, and could be done once for each element.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_code_kind.h"
#include "analysis/explain/explain_int.h"
#include "base/sum.h"
#include "model/name.h"

#define MOST 0.80 /* of what a function runs */

static const char *class_at(const struct wick_profile *p, uint32_t stack)
{
    return wick_profile_str(p, p->functions[wick_explain_function_at(p, stack)].class_name);
}

static bool is_java(const struct wick_profile *p, uint32_t stack)
{
    return wick_frame_kind_is_java(p->frames[p->stacks[stack].frame].kind);
}

/* The function of the program that sorts, if what runs at the stack is a comparison of that; else 0. */
static uint32_t sorter_of(const struct wick_profile *p, uint32_t stack)
{
    bool sorts = false;
    for (uint32_t s = p->stacks[stack].parent; s; s = p->stacks[s].parent) {
        if (!is_java(p, s) || strstr(class_at(p, s), "$$Lambda"))
            continue;
        if (!wick_name_is_jdk(class_at(p, s)))
            return sorts ? s : 0;
        sorts |= wick_explain_is_sort(p, s);
    }
    return 0;
}

/* The stack, cut at the call of the function that is furthest from the leaf, 0 = it does not go through it. */
static uint32_t cut_at(const struct wick_profile *p, uint32_t stack, uint32_t function)
{
    uint32_t cut = 0;
    for (uint32_t s = stack; s; s = p->stacks[s].parent)
        cut = wick_explain_function_at(p, s) == function ? s : cut;
    return cut;
}

void wick_explain_say_sort(struct wick_explain *x, struct wick_explain_finding *r, uint32_t function)
{
    const struct wick_explain_facts *f = x->f;
    int64_t all = 0, compares = 0, *sums = r && function ? calloc(f->p->nframes + 1, sizeof *sums) : NULL;
    uint32_t sorter = 0;
    x->f->failed |= r && function && !sums;
    for (size_t i = 0; sums && i < f->ncpu; i++) {
        uint32_t at = cut_at(f->p, f->cpu[i].stack, function), by = at ? sorter_of(f->p, at) : 0;
        uint32_t frame = f->p->stacks[by].frame;
        all = wick_sum(all, at ? f->cpu[i].weight_ns : 0);
        if (!by)
            continue;
        compares = wick_sum(compares, f->cpu[i].weight_ns);
        sums[frame] = wick_sum(sums[frame], f->cpu[i].weight_ns);
        sorter = sums[frame] > sums[sorter] ? frame : sorter;
    }
    if (sorter && (double)compares >= MOST * (double)all)
        wick_explain_say_frame(x, r, "sorter", sorter);
    free(sums);
}
