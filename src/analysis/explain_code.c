/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_code.c - the rule of `wick explain` about what CPU time is used for
 *
 * A regular expression that backtracks spends its time in a dozen methods of the JDK, none of which stands out, and
 * none of which its user can mend. So CPU time is added up by the program's function that is nearest to the leaf and by
 * the kind of work (def/code_kind.def) that the JDK does for it.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/explain_int.h"
#include "base/sum.h"
#include "model/name.h"

#define CPU_LEAST   0.05 /* of the recording */
#define CALLS_LEAST 0.25 /* the same for calls of any kind: whatever does a little work does most of it somewhere */

enum code {
    CODE_OTHER, /* of the JDK, or the function itself */
#define CODE(NAME, name, text, advice) CODE_##NAME,
#include "def/code_kind.def"
    CODES
};

static const struct {
    const char *name, *text, *advice;
} codes[CODES] = {
    [CODE_OTHER] = {"other", "other code", NULL},
#define CODE(NAME, name, text, advice) [CODE_##NAME] = {name, text, advice},
#include "def/code_kind.def"
};

static enum code code_of(const char *class_name, const char *method)
{
    static const struct {
        const char *class_name, *method;
        enum code code;
    } uses[] = {
#define USES(class, method, NAME) {class, method, CODE_##NAME},
#include "def/code_kind.def"
    };
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (!strncmp(class_name, uses[i].class_name, strlen(uses[i].class_name)) &&
            !strncmp(method, uses[i].method, strlen(uses[i].method)))
            return uses[i].code;
    return CODE_OTHER;
}

static enum code code_of_stub(const char *name)
{
    static const struct {
        const char *text;
        enum code code;
    } stubs[] = {
#define STUB(text, NAME) {text, CODE_##NAME},
#include "def/code_kind.def"
    };
    for (size_t i = 0; i < sizeof stubs / sizeof *stubs; i++)
        if (strstr(name, stubs[i].text))
            return stubs[i].code;
    return CODE_OTHER;
}

/* The stack, cut at the program's function nearest to the leaf, 0 = it has none; what the JDK does for it. */
static uint32_t user_of(const struct wick_profile *p, uint32_t stack, enum code *code)
{
    *code = CODE_OTHER;
    for (uint32_t s = stack; s; s = p->stacks[s].parent) {
        const struct wick_frame *frame = &p->frames[p->stacks[s].frame];
        const struct wick_function *f = &p->functions[frame->function];
        const char *class_name = wick_profile_str(p, f->class_name), *name = wick_profile_str(p, f->name);
        bool java = wick_frame_kind_is_java(frame->kind);
        enum code one = java ? code_of(class_name, name) : code_of_stub(name);
        if (java && one == CODE_OTHER && !wick_name_is_jdk(class_name))
            return s;
        *code = one != CODE_OTHER ? one : *code;
    }
    return 0;
}

/* The heaviest stack that ends in the function for work of that kind; adds to *quanta those of all its samples. */
static uint32_t heaviest(const struct wick_explain *x, uint32_t function, enum code code, int64_t *by_stack,
                         double *quanta)
{
    const struct wick_explain_facts *f = x->f;
    uint32_t best = 0;
    enum code one;
    memset(by_stack, 0, f->p->nstacks * sizeof *by_stack);
    for (size_t i = 0; i < f->ncpu; i++) {
        uint32_t s = user_of(f->p, f->cpu[i].stack, &one);
        if (!s || one != code || f->p->frames[f->p->stacks[s].frame].function != function)
            continue;
        *quanta += wick_explain_quantum(&f->cpu[i]);
        by_stack[s] = wick_sum(by_stack[s], f->cpu[i].weight_ns);
        best = by_stack[s] > by_stack[best] ? s : best;
    }
    return best;
}

static void say(struct wick_explain *x, uint32_t stack, enum code code, int64_t ns, double quanta)
{
    const struct wick_explain_facts *f = x->f;
    struct wick_explain_finding *r = wick_explain_found(x, (double)ns);
    wick_explain_share_of(x, r, (double)ns, (double)f->sampled_ns, quanta);
    wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, (double)ns);
    wick_explain_say(x, r, "kind", codes[code].name);
    wick_explain_say(x, r, "what", codes[code].text);
    wick_explain_say_frame(x, r, "frame", f->p->stacks[stack].frame);
    wick_explain_filter_frame(x, r, f->p->stacks[stack].frame);
    if (r)
        r->advice = codes[code].advice;
}

void wick_explain_hot_code(struct wick_explain *x)
{
    struct wick_explain_facts *f = x->f;
    int64_t *sums = calloc((size_t)f->p->nfunctions * CODES, sizeof *sums);
    int64_t *by_stack = calloc(f->p->nstacks, sizeof *by_stack);
    size_t best = 0;
    f->failed |= !sums || !by_stack;
    for (size_t i = 0; sums && i < f->ncpu; i++) {
        enum code code;
        uint32_t s = user_of(f->p, f->cpu[i].stack, &code);
        if (!s || code == CODE_OTHER)
            continue;
        size_t at = (size_t)f->p->frames[f->p->stacks[s].frame].function * CODES + code;
        sums[at] = wick_sum(sums[at], f->cpu[i].weight_ns);
        best = sums[at] > sums[best] ? at : best;
    }
    int64_t ns = sums ? sums[best] : 0;
    if (by_stack && best && wick_explain_counts(f, wick_explain_wanted(x, (double)ns), CPU_LEAST) &&
        wick_explain_share((double)ns, (double)f->sampled_ns) >= x->rule->threshold) {
        enum code code = (enum code)(best % CODES);
        double quanta = 0;
        uint32_t stack = heaviest(x, (uint32_t)(best / CODES), code, by_stack, &quanta);
        say(x, stack, code, ns, quanta);
        x->code_said = true;
    }
    free(by_stack);
    free(sums);
}

/* The stack, cut at the nearest frame that is no kernel code and, if it can be, has a name. */
static uint32_t callee_of(const struct wick_profile *p, uint32_t stack)
{
    for (uint32_t s = stack; s; s = p->stacks[s].parent) {
        const struct wick_frame *f = &p->frames[p->stacks[s].frame];
        if (f->kind != WICK_FRAME_KERNEL && f->kind != WICK_FRAME_BREAK)
            return wick_explain_named(p, s);
    }
    return stack;
}

/* Of the calls of the function, the one that takes most, and the quanta of all. */
static void say_calls(struct wick_explain *x, uint32_t function, int64_t ns)
{
    const struct wick_explain_facts *f = x->f;
    int64_t *by_callee = calloc(f->p->nfunctions, sizeof *by_callee);
    int64_t *by_stack = calloc(f->p->nstacks, sizeof *by_stack);
    uint32_t most = 0, at = 0, callee_frame = 0;
    double quanta = 0;
    enum code code;
    x->f->failed |= !by_callee || !by_stack;
    for (size_t i = 0; by_callee && by_stack && i < f->ncpu; i++) {
        uint32_t stack = f->cpu[i].stack, s = user_of(f->p, stack, &code);
        if (!s || s == stack || f->p->frames[f->p->stacks[s].frame].function != function)
            continue;
        uint32_t frame = f->p->stacks[callee_of(f->p, stack)].frame, callee = f->p->frames[frame].function;
        quanta += wick_explain_quantum(&f->cpu[i]);
        by_stack[s] = wick_sum(by_stack[s], f->cpu[i].weight_ns);
        at = by_stack[s] > by_stack[at] ? s : at;
        by_callee[callee] = wick_sum(by_callee[callee], f->cpu[i].weight_ns);
        if (callee != function && by_callee[callee] > by_callee[most]) {
            most = callee;
            callee_frame = frame;
        }
    }
    struct wick_explain_finding *r = wick_explain_found(x, (double)ns);
    wick_explain_share_of(x, r, (double)ns, (double)f->sampled_ns, quanta);
    wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, (double)ns);
    wick_explain_say_frame(x, r, "frame", f->p->stacks[at].frame);
    wick_explain_filter_frame(x, r, f->p->stacks[at].frame);
    if (callee_frame) {
        wick_explain_say_frame(x, r, "most", callee_frame);
        wick_explain_figure(r, "part", WICK_EXPLAIN_TIME, (double)by_callee[most]);
    }
    free(by_callee);
    free(by_stack);
}

/* What hundreds of methods of the JDK share is who calls them: the program's function with most CPU time in others'
 * code below it. */
void wick_explain_hot_calls(struct wick_explain *x)
{
    struct wick_explain_facts *f = x->f;
    int64_t *sums = calloc(f->p->nfunctions, sizeof *sums);
    uint32_t best = 0;
    f->failed |= !sums;
    for (size_t i = 0; sums && i < f->ncpu; i++) {
        enum code code;
        uint32_t s = user_of(f->p, f->cpu[i].stack, &code);
        if (!s || s == f->cpu[i].stack)
            continue;
        uint32_t function = f->p->frames[f->p->stacks[s].frame].function;
        sums[function] = wick_sum(sums[function], f->cpu[i].weight_ns);
        best = sums[function] > sums[best] ? function : best;
    }
    int64_t ns = sums ? sums[best] : 0;
    free(sums);
    if (best && !x->code_said && !x->method_said &&
        wick_explain_counts(f, wick_explain_wanted(x, (double)ns), CALLS_LEAST) &&
        wick_explain_share((double)ns, (double)f->sampled_ns) >= x->rule->threshold)
        say_calls(x, best, ns);
}
