/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_spread.c - needless work of the JDK that several functions of the program have it do
 *
 *     run     add(balance, deposit)     30 % of CPU time      neither has much of it, and of one it may not even show
 *     accrue  multiply(balance, rate)   26 %                  what kind it is: all is for numbers of 10,000 digits
 *
 * So what kinds of work that is rarely what a program is for come to is added up over all functions, as what shows the
 * kind is; so is logging. The finding names the function that has most of it, and the one after it. Of kinds that are
 * done both ways this holds for two functions of one class: who reads documents in one of them and writes them in the
 * other one has one thing done.
 */
#include <stdlib.h>

#include "analysis/explain/explain_code_kind.h"
#include "analysis/explain/explain_int.h"
#include "base/strbuf.h"
#include "base/sum.h"
#include "model/name.h"

#define TOGETHER_LEAST 0.75 /* of it: what the two functions have that have most */
#define BOTH_LEAST     0.20 /* of it: what the second one has */
#define CLASS_LEAST    0.50 /* of the CPU time: what two functions of one class have */

/* What the function has done of that kind. */
struct part {
    uint32_t function, stack; /* the heaviest, cut there */
    int64_t ns, heaviest_ns;
    bool shown; /* the particular kind, by its own calls */
};

/* The kind of work of the JDK in a sample, and for which function: the stack is cut there; 0 = there is none. */
static uint32_t work_of(const struct wick_explain_facts *f, size_t i, enum wick_explain_code *code)
{
    uint32_t user = wick_explain_user_of(f->p, f->cpu[i].stack, code);
    return *code == WICK_CODE_OTHER ? 0 : user;
}

/* Whether it is done both ways, to read and to write, to get and to set. */
static bool has_two_ways(enum wick_explain_code code)
{
    return code == WICK_CODE_XML || code == WICK_CODE_SERIALISATION || code == WICK_CODE_DATES ||
           code == WICK_CODE_FORMATTING || code == WICK_CODE_REFLECTION;
}

/* Whether it counts over all functions: no program is for it, and logging is beside what any of them does. */
static bool counts_everywhere(const struct wick_explain_facts *f, enum wick_explain_code code)
{
    return code == WICK_CODE_LOGGING || wick_explain_is_needless(wick_explain_code_of_all(f, 0, code));
}

/* The kind that costs most of those that count everywhere, or else of those that have two ways; OTHER = there is
 * none. */
static enum wick_explain_code worst_of(const struct wick_explain_facts *f, bool everywhere, int64_t *ns)
{
    int64_t sums[WICK_CODES] = {0};
    enum wick_explain_code code, worst = WICK_CODE_OTHER;
    for (size_t i = 0; i < f->ncpu; i++)
        if (work_of(f, i, &code))
            sums[code] = wick_sum(sums[code], f->cpu[i].weight_ns);
    for (unsigned c = 0; c < WICK_CODES; c++) {
        code = (enum wick_explain_code)c;
        if (sums[c] > sums[worst] && (everywhere ? counts_everywhere(f, code) : has_two_ways(code)))
            worst = code;
    }
    *ns = sums[worst];
    return worst;
}

/* The two functions that have most of that work, most first. False without memory. */
static bool learn_parts(const struct wick_explain_facts *f, enum wick_explain_code of, struct part out[2],
                        double *quanta)
{
    struct part *parts = calloc(f->p->nfunctions + 1, sizeof *parts);
    int64_t *stacks = calloc(f->p->nstacks + 1, sizeof *stacks);
    bool done = parts && stacks;
    for (size_t i = 0; done && i < f->ncpu; i++) {
        enum wick_explain_code code;
        uint32_t s = work_of(f, i, &code), function = s ? wick_explain_function_at(f->p, s) : 0;
        if (!s || code != of)
            continue;
        struct part *o = &parts[function];
        o->function = function;
        o->ns = wick_sum(o->ns, f->cpu[i].weight_ns);
        stacks[s] = wick_sum(stacks[s], f->cpu[i].weight_ns);
        if (stacks[s] > o->heaviest_ns) {
            o->heaviest_ns = stacks[s];
            o->stack = s;
        }
        *quanta += wick_explain_quantum(&f->cpu[i]);
    }
    out[0] = out[1] = (struct part){0};
    for (uint32_t i = 0; done && i < f->p->nfunctions; i++)
        if (parts[i].ns > out[0].ns) {
            out[1] = out[0];
            out[0] = parts[i];
        } else if (parts[i].ns > out[1].ns) {
            out[1] = parts[i];
        }
    free(stacks);
    free(parts);
    return done;
}

static void say(struct wick_explain *x, struct wick_explain_finding *r, enum wick_explain_code code,
                const struct part parts[2], double ns)
{
    const struct wick_explain_facts *f = x->f;
    struct wick_strbuf second = WICK_STRBUF_INIT;
    wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, ns);
    wick_explain_say(x, r, "kind", wick_explain_codes[code].name);
    wick_explain_say(x, r, "what", wick_explain_codes[code].text);
    wick_explain_say_frame(x, r, "frame", wick_explain_frame_at(f->p, parts[0].stack));
    wick_name_add_frame(&second, f->p, wick_explain_frame_at(f->p, parts[1].stack), WICK_NAME_LINES);
    wick_strbuf_addf(&second, " (%.0f %% of it%s)", 100 * (double)parts[1].ns / ns,
                     parts[1].shown || code != WICK_CODE_MANY_DIGITS ? "" : ", on numbers of 19 digits at least");
    wick_explain_say(x, r, "second", second.buf);
    wick_strbuf_release(&second);
    wick_explain_filter_frame(x, r, wick_explain_frame_at(f->p, parts[0].stack));
    if (r)
        r->advice = wick_explain_codes[code].advice;
}

/* Orders the two so that the first one shows the particular kind; false if neither does, or one has something else. */
static bool show_kind(const struct wick_explain_facts *f, enum wick_explain_code of, enum wick_explain_code code,
                      struct part parts[2])
{
    for (size_t i = 0; i < 2; i++)
        if (!wick_explain_has_part(f, parts[i].function, of, code, &parts[i].shown))
            return false;
    if (!parts[0].shown) {
        struct part first = parts[0];
        parts[0] = parts[1];
        parts[1] = first;
    }
    return parts[0].shown;
}

static uint32_t class_of(const struct wick_profile *p, const struct part *of)
{
    return p->functions[of->function].class_name;
}

/* The finding about the kind of work that costs most of those that count everywhere, or have two ways, if there is
 * one. */
static uint32_t find(struct wick_explain *x, bool everywhere, double least_ns,
                     bool (*is_hot)(const struct wick_explain *x, unsigned code, double ns))
{
    struct wick_explain_facts *f = x->f;
    struct part parts[2];
    double quanta = 0;
    int64_t ns;
    enum wick_explain_code of = worst_of(f, everywhere, &ns);
    if (of == WICK_CODE_OTHER || (double)ns < least_ns || !is_hot(x, of, (double)ns))
        return 0;
    f->failed |= !learn_parts(f, of, parts, &quanta);
    if (f->failed || (double)parts[1].ns < BOTH_LEAST * (double)ns)
        return 0;
    enum wick_explain_code code = wick_explain_code_of_all(f, 0, of);
    double both = (double)wick_sum(parts[0].ns, parts[1].ns);
    if (both < TOGETHER_LEAST * (double)ns || !show_kind(f, of, code, parts))
        return 0;
    bool most =
        both >= CLASS_LEAST * (double)f->sampled_ns || both >= WICK_EXPLAIN_JAVA_LEAST * wick_explain_java_ns(f);
    if (!everywhere && (class_of(f->p, &parts[0]) != class_of(f->p, &parts[1]) || !is_hot(x, of, both) || !most))
        return 0;
    struct wick_explain_finding *r = wick_explain_found(x, (double)ns);
    wick_explain_share_of(x, r, (double)ns, (double)f->sampled_ns, quanta);
    say(x, r, code, parts, (double)ns);
    if (r)
        r->little = !wick_explain_is_needless(code) && wick_explain_is_little(x, (double)ns);
    return r && !r->record_ns ? parts[0].function : 0;
}

uint32_t wick_explain_spread(struct wick_explain *x, double least_ns,
                             bool (*is_hot)(const struct wick_explain *x, unsigned code, double ns))
{
    uint32_t most = find(x, true, least_ns, is_hot);
    return most || least_ns > 0 ? most : find(x, false, least_ns, is_hot);
}
