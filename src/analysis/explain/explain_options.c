/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_options.c - the rule `jvm-option`: options that make a program slow (def/jvm_option.def)
 *
 * An option is the cause only where what it does is seen: with C1 alone a program that has little to do is as quick as
 * with C2, and collections that clear soft references do no harm where there are none. So each option has its evidence,
 * a part of the CPU time, and its cost is a share of that. Of caches made of soft references the collector's work on
 * them is seen, and not what is made anew; that is what most is allocated for, if it has half of all that is.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "base/sum.h"
#include "model/name.h"

#define ALLOCATES_LEAST 0.50

enum evidence { SOFT_REFERENCES, C1, INTERPRETER, ALLOCATION };

static const struct option {
    const char *option, *opposite;
    unsigned long low, high;
    enum evidence evidence;
    double least, saved;
    const char *effect, *what, *advice;
} options[] = {
#define X(...) {__VA_ARGS__},
#include "def/jvm_option.def"
#undef X
};

/* The last word of the arguments that gives the option; "" = none does, or it is undone, or its number is harmless. */
static void given(const struct option *o, const char *arguments, struct wick_strbuf *out)
{
    size_t n = strlen(o->option), length;
    wick_strbuf_clear(out);
    for (const char *word = arguments; *word; word += length, word += strspn(word, " ")) {
        length = strcspn(word, " ");
        bool undone = *o->opposite && length == strlen(o->opposite) && !strncmp(word, o->opposite, length);
        bool number = o->option[n - 1] == '=';
        if (!undone && (strncmp(word, o->option, n) != 0 || (!number && length != n)))
            continue;
        wick_strbuf_clear(out);
        unsigned long value = number && !undone ? strtoul(word + n, NULL, 10) : o->low;
        if (undone || (number && (word[n] < '0' || word[n] > '9')) || value < o->low || value > o->high)
            continue;
        wick_strbuf_addf(out, "%.*s", (int)length, word);
    }
}

/* Whether the JVM allocates for the stack by a call, not by code in the caller: by names of its functions, and of the
 * stubs through which compiled code calls them, since those of many builds are not known. */
static bool allocates_slowly(const struct wick_profile *p, uint32_t stack)
{
    static const char *const calls[] = {"CollectedHeap::mem_allocate", "MemAllocator::allocate", "Runtime::new_",
                                        "Runtime1::new_"};
    static const char *const stubs[] = {"_new_instance",   "_new_array",        "C2 Runtime new_",
                                        "C1 Runtime new_", "new_instance",      "new_array",
                                        "new_type_array",  "fast_new_instance", "new_object_array"};
    for (uint32_t s = stack; s; s = p->stacks[s].parent) {
        const char *name = wick_profile_str(p, p->functions[wick_explain_function_at(p, s)].name);
        if (wick_frame_kind_is_java(p->frames[p->stacks[s].frame].kind))
            continue;
        for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
            if (strstr(name, calls[i]))
                return true;
        for (size_t i = 0; i < sizeof stubs / sizeof *stubs; i++)
            if (!strncmp(name, stubs[i], strlen(stubs[i])))
                return true;
    }
    return false;
}

static bool has(const struct wick_profile *p, uint32_t stack, enum evidence evidence)
{
    uint32_t s = stack;
    while (s && p->frames[p->stacks[s].frame].kind == WICK_FRAME_INLINED)
        s = p->stacks[s].parent;
    switch (evidence) {
    case SOFT_REFERENCES:
        return wick_explain_is_soft(p, stack);
    case ALLOCATION:
        return allocates_slowly(p, stack);
    case C1:
        return s && p->frames[p->stacks[s].frame].kind == WICK_FRAME_C1;
    default:
        return s && p->frames[p->stacks[s].frame].kind == WICK_FRAME_INTERPRETED;
    }
}

/* The frame of the program for which at least half of what is allocated is, nearest to the leaf; 0 = there is none. */
static uint32_t allocator(struct wick_explain *x, double *share)
{
    const struct wick_explain_facts *f = x->f;
    const struct wick_profile *p = f->p;
    int64_t *sums = calloc(p->nfunctions, sizeof *sums), all = 0;
    uint32_t most = 0, frame = 0;
    x->f->failed |= !sums;
    for (size_t i = 0; sums && i < f->nalloc; i++) {
        uint32_t s = f->alloc[i].stack;
        all = wick_sum(all, f->alloc[i].weight_ns);
        while (s && !wick_explain_is_program(p, wick_explain_frame_at(p, s)))
            s = p->stacks[s].parent;
        if (!s)
            continue;
        uint32_t function = wick_explain_function_at(p, s);
        sums[function] = wick_sum(sums[function], f->alloc[i].weight_ns);
        if (sums[function] > sums[most] || function == most) {
            frame = function == most && frame ? frame : wick_explain_frame_at(p, s);
            most = function;
        }
    }
    *share = sums ? wick_explain_share((double)sums[most], (double)all) : 0;
    free(sums);
    return *share >= ALLOCATES_LEAST ? frame : 0;
}

/* What takes the CPU time would take less of it without the option: that part is not the program's to save. */
static void take_part(struct wick_explain *x, double part)
{
    static const unsigned rules[] = {WICK_EXPLAIN_RULE_HOT_CODE, WICK_EXPLAIN_RULE_HOT_METHOD,
                                     WICK_EXPLAIN_RULE_HOT_CALLS};
    for (size_t i = 0; i < x->out->n; i++)
        for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
            if (x->out->rows[i].rule == &wick_explain_rules[rules[k]])
                x->out->rows[i].cost_ns *= 1 - part;
}

/* Of the CPU time that a finding about hot code is about, the share that the function and what it calls take. */
static double hot_part(const struct wick_explain *x, uint32_t function)
{
    const struct wick_explain_facts *f = x->f;
    int64_t all = 0, part = 0;
    for (size_t i = 0; x->hot.work && i < f->ncpu; i++) {
        if (!wick_explain_goes_through(f->p, f->cpu[i].stack, x->hot.work))
            continue;
        all = wick_sum(all, f->cpu[i].weight_ns);
        if (wick_explain_goes_through(f->p, f->cpu[i].stack, function))
            part = wick_sum(part, f->cpu[i].weight_ns);
    }
    return wick_explain_share((double)part, (double)all);
}

/* Collections that clear soft references, and what is most likely made anew. Its CPU time is what the option costs. */
static void say_cleared(struct wick_explain *x, struct wick_explain_finding *r)
{
    const struct wick_explain_facts *f = x->f;
    double part = 0;
    uint32_t frame = allocator(x, &part);
    int64_t ns = 0;
    wick_explain_figure(r, "collections", WICK_EXPLAIN_NUMBER, (double)f->gcs);
    wick_explain_figure(r, "rate", WICK_EXPLAIN_NUMBER,
                        wick_explain_share((double)f->gcs * 1e9, (double)f->duration_ns));
    for (size_t i = 0; frame && i < f->ncpu; i++)
        if (wick_explain_goes_through(f->p, f->cpu[i].stack, f->p->frames[frame].function))
            ns = wick_sum(ns, f->cpu[i].weight_ns);
    if (!frame || !r)
        return;
    wick_explain_figure(r, "part", WICK_EXPLAIN_SHARE, part);
    wick_explain_say_frame(x, r, "allocator", frame);
    wick_explain_figure(r, "computed", WICK_EXPLAIN_TIME, (double)ns);
    wick_explain_filter_frame(x, r, frame);
    take_part(x, hot_part(x, f->p->frames[frame].function)); /* what it computes is said here */
    r->cost_ns += (double)ns;
}

static void judge(struct wick_explain *x, const struct option *o, const char *option)
{
    const struct wick_explain_facts *f = x->f;
    int64_t ns = 0;
    for (size_t i = 0; i < f->ncpu; i++)
        if (has(f->p, f->cpu[i].stack, o->evidence))
            ns = wick_sum(ns, f->cpu[i].weight_ns);
    bool clears = o->evidence == SOFT_REFERENCES;
    double share = wick_explain_share((double)ns, (double)f->sampled_ns);
    if (share < o->least ||
        !wick_explain_counts(f, wick_explain_wanted(x, (double)f->sampled_ns), x->rule->threshold) ||
        (clears && !f->gcs))
        return;
    if (!clears)
        take_part(x, share * o->saved);
    struct wick_explain_finding *r = wick_explain_found(x, (double)ns * o->saved);
    wick_explain_say(x, r, "option", option);
    wick_explain_say(x, r, "effect", o->effect);
    wick_explain_figure(r, "share", WICK_EXPLAIN_SHARE, share);
    wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, (double)ns);
    wick_explain_say(x, r, "what", o->what);
    if (clears)
        say_cleared(x, r);
    if (r)
        r->advice = o->advice;
}

void wick_explain_jvm_options(struct wick_explain *x)
{
    struct wick_strbuf option = WICK_STRBUF_INIT;
    unsigned said = 0; /* evidence: two options may have the same */
    for (size_t i = 0; x->f->arguments && i < sizeof options / sizeof *options; i++) {
        given(&options[i], wick_profile_str(x->f->p, x->f->arguments), &option);
        if (!option.len || said >> options[i].evidence & 1)
            continue;
        judge(x, &options[i], option.buf);
        said |= 1u << options[i].evidence;
    }
    wick_explain_young(x);
    wick_strbuf_release(&option);
}
