/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_keys.c - keys whose hash codes collide, for the rule `hot-code`
 *
 * HashMap and ConcurrentHashMap make a tree of a bin with eight keys or more. With hash codes that spread hardly any
 * bin gets there, so a program that spends its time in such trees has keys with the same hash code. Keys that are no
 * Comparables cannot be ordered then: the tree is searched on both sides, and the JDK asks for each key's class whether
 * it is a Comparable of itself (comparableClassFor). The class of the keys is that of the methods that the tree calls
 * of them.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "base/sum.h"
#include "model/name.h"

static const struct wick_function *function_at(const struct wick_profile *p, uint32_t stack)
{
    return &p->functions[p->frames[p->stacks[stack].frame].function];
}

static bool is_java(const struct wick_profile *p, uint32_t stack)
{
    return wick_frame_kind_is_java(p->frames[p->stacks[stack].frame].kind);
}

/* Whether it searches such a tree, or orders keys for that. */
static bool is_tree(const struct wick_profile *p, uint32_t stack)
{
    static const char *const classes[] = {"java/util/HashMap$TreeNode", "java/util/concurrent/ConcurrentHashMap$Tree"},
                             *const methods[] = {"comparableClassFor", "compareComparables", "tieBreakOrder"};
    const char *class = wick_profile_str(p, function_at(p, stack)->class_name);
    const char *method = wick_profile_str(p, function_at(p, stack)->name);
    if (!is_java(p, stack))
        return false;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (!strncmp(class, classes[i], strlen(classes[i])))
            return true;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (!strcmp(method, methods[i]) &&
            (!strcmp(class, "java/util/HashMap") || !strcmp(class, "java/util/concurrent/ConcurrentHashMap")))
            return true;
    return false;
}

uint32_t wick_explain_collides(const struct wick_profile *p, uint32_t stack)
{
    uint32_t s = stack;
    while (s && !is_tree(p, s))
        s = p->stacks[s].parent;
    while (s && !wick_explain_is_program(p, wick_explain_frame_at(p, s)))
        s = p->stacks[s].parent;
    return s;
}

/* Whether such a tree calls such a method of its keys. */
static bool is_of_key(const struct wick_profile *p, uint32_t stack)
{
    static const char *const methods[] = {"hashCode", "equals", "compareTo"};
    const char *method = wick_profile_str(p, function_at(p, stack)->name);
    uint32_t caller = p->stacks[stack].parent;
    for (size_t i = 0; caller && is_tree(p, caller) && i < sizeof methods / sizeof *methods; i++)
        if (!strcmp(method, methods[i]))
            return wick_explain_is_program(p, wick_explain_frame_at(p, stack));
    return false;
}

/* The class of the key whose method such a tree calls for the function, 0 = none. */
static uint32_t key_of(const struct wick_profile *p, uint32_t stack, uint32_t function)
{
    uint32_t class = 0;
    for (uint32_t s = stack; s; s = p->stacks[s].parent) {
        if (is_of_key(p, s))
            class = function_at(p, s)->class_name;
        else if (class && wick_explain_is_program(p, wick_explain_frame_at(p, s)))
            return wick_explain_function_at(p, s) == function ? class : 0;
    }
    return 0;
}

void wick_explain_say_keys(struct wick_explain *x, struct wick_explain_finding *r, uint32_t function)
{
    const struct wick_explain_facts *f = x->f;
    int64_t *sums = calloc(f->p->nstrings, sizeof *sums);
    struct wick_strbuf name = WICK_STRBUF_INIT;
    uint32_t most = 0;
    x->f->failed |= !sums;
    for (size_t i = 0; sums && i < f->ncpu; i++) {
        uint32_t class = key_of(f->p, f->cpu[i].stack, function);
        sums[class] = class ? wick_sum(sums[class], f->cpu[i].weight_ns) : 0;
        most = sums[class] > sums[most] ? class : most;
    }
    free(sums);
    if (!most)
        return;
    const char *class = wick_profile_str(f->p, most);
    wick_name_add_class(&name, class, strlen(class), 0);
    wick_explain_say(x, r, "keys", name.buf);
    wick_strbuf_release(&name);
}
