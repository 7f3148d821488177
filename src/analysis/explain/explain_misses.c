/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_misses.c - the rule `cache-misses`: work that is done because a lookup finds nothing
 *
 * A cache that never hits shows in no stack: there is only the work that it was to save. But HotSpot counts which way
 * the test of the lookup's answer goes (wick.LookupProfile), and it is known which lines run then; the CPU time below
 * these is what the misses cost.
 *
 * A weak or soft reference has nothing any more where a collection has cleared it. While the JVM counts, something is
 * found as a rule, and it is lost again and again later: what is made anew takes CPU time all the same, and for
 * nothing, as what was made before is asked for again.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_code_kind.h"
#include "analysis/explain/explain_int.h"
#include "base/strbuf.h"
#include "base/sum.h"
#include "model/name.h"

#define MISSED_LEAST  0.90
#define CLEARED_LEAST 1.0  /* collections a second */
#define HALF          0.50 /* of what misses cost: in one function */
#define LOOKUPS_LEAST 200  /* C2 may compile what looks up early, from which on none is counted */

enum { LOOKUPS_MOST = 64 }; /* that are compared with the samples: those with most misses */

static int by_misses(const void *a, const void *b)
{
    const struct wick_explain_lookup *x = a, *y = b;
    return (x->missed < y->missed) - (x->missed > y->missed);
}

/* Whether collections take away what it finds; *rate: how many there are a second. */
static bool is_cleared(const struct wick_explain_facts *f, const struct wick_explain_lookup *l, double *rate)
{
    static const char package[] = "java/lang/ref/";
    *rate = wick_explain_share((double)f->gcs * 1e9, (double)f->duration_ns);
    return !strncmp(wick_profile_str(f->p, l->callee), package, sizeof package - 1) && l->found >= l->missed &&
           *rate >= CLEARED_LEAST;
}

static bool misses(const struct wick_explain_facts *f, const struct wick_explain_lookup *l)
{
    double all = (double)l->found + (double)l->missed, rate;
    return l->first_line > 0 && all >= LOOKUPS_LEAST &&
           ((double)l->missed >= MISSED_LEAST * all || is_cleared(f, l, &rate));
}

void wick_explain_mark_misses(const struct wick_profile *p, const struct wick_explain_lookup *l, bool *through)
{
    for (uint32_t s = 1; s < p->nstacks; s++) { /* callers come before those that they call */
        const struct wick_frame *f = &p->frames[p->stacks[s].frame];
        through[s] = through[p->stacks[s].parent] || (f->function == p->frames[l->frame].function &&
                                                      f->line >= l->first_line && f->line <= l->last_line);
    }
}

static int64_t cost_of(const struct wick_explain_facts *f, const struct wick_explain_lookup *l, bool *through,
                       double *quanta)
{
    int64_t ns = 0;
    *quanta = 0;
    wick_explain_mark_misses(f->p, l, through);
    for (size_t i = 0; i < f->ncpu; i++)
        if (through[f->cpu[i].stack]) {
            ns = wick_sum(ns, f->cpu[i].weight_ns);
            *quanta += wick_explain_quantum(&f->cpu[i]);
        }
    return ns;
}

/* "java/util/Map.get" as other sentences have it. */
static void say_callee(struct wick_explain *x, struct wick_explain_finding *r, const char *callee)
{
    struct wick_strbuf name = WICK_STRBUF_INIT;
    for (; *callee; callee++)
        wick_strbuf_addc(&name, *callee == '/' ? '.' : *callee);
    wick_explain_say(x, r, "callee", name.buf);
    wick_strbuf_release(&name);
}

/* The program's function in which most of that is, if it is another one than the one that looks up: it may make what
 * was not found, or do what else a miss costs, such as making room. */
static void say_most(struct wick_explain *x, struct wick_explain_finding *r, const struct wick_explain_lookup *l,
                     int64_t all_ns, const bool *through)
{
    const struct wick_explain_facts *f = x->f;
    int64_t *ns = calloc(f->p->nfunctions, sizeof *ns), *by_frame = calloc(f->p->nframes, sizeof *by_frame);
    uint32_t most = 0, frame = 0;
    x->f->failed |= !ns || !by_frame;
    for (size_t i = 0; ns && by_frame && i < f->ncpu; i++) {
        enum wick_explain_code code;
        uint32_t at = through[f->cpu[i].stack] ? wick_explain_user_of(f->p, f->cpu[i].stack, &code) : 0;
        uint32_t function = wick_explain_function_at(f->p, at), line = wick_explain_frame_at(f->p, at);
        if (!at)
            continue;
        ns[function] = wick_sum(ns[function], f->cpu[i].weight_ns);
        by_frame[line] = wick_sum(by_frame[line], f->cpu[i].weight_ns);
        most = ns[function] > ns[most] ? function : most;
    }
    for (uint32_t i = 1; most && i < f->p->nframes; i++)
        frame = f->p->frames[i].function == most && by_frame[i] > by_frame[frame] ? i : frame;
    if (frame && most != f->p->frames[l->frame].function && (double)ns[most] > HALF * (double)all_ns) {
        wick_explain_say_frame(x, r, "most", frame);
        wick_explain_figure(r, "part", WICK_EXPLAIN_TIME, (double)ns[most]);
    }
    free(ns);
    free(by_frame);
}

void wick_explain_cache_misses(struct wick_explain *x)
{
    struct wick_explain_facts *f = x->f;
    const struct wick_explain_lookup *most = NULL;
    int64_t most_ns = 0;
    double most_quanta = 0;
    bool *through = f->nlookups ? calloc((size_t)f->p->nstacks + 1, sizeof *through) : NULL;
    if (!through)
        return;
    qsort(f->lookups, f->nlookups, sizeof *f->lookups, by_misses);
    for (size_t i = 0; i < f->nlookups && i < LOOKUPS_MOST; i++) {
        double quanta = 0;
        int64_t ns = misses(f, &f->lookups[i]) ? cost_of(f, &f->lookups[i], through, &quanta) : 0;
        if (ns > most_ns) {
            most = &f->lookups[i];
            most_ns = ns;
            most_quanta = quanta;
        }
    }
    if (!most || wick_explain_share((double)most_ns, (double)f->sampled_ns) < x->rule->threshold) {
        free(through);
        return;
    }
    struct wick_explain_finding *r = wick_explain_found(x, (double)most_ns);
    wick_explain_share_of(x, r, (double)most_ns, (double)f->sampled_ns, most_quanta);
    wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, (double)most_ns);
    wick_explain_say_frame(x, r, "frame", most->frame);
    say_callee(x, r, wick_profile_str(f->p, most->callee));
    double rate, all = (double)most->found + (double)most->missed;
    bool cleared = is_cleared(f, most, &rate);
    if (cleared)
        wick_explain_figure(r, "cleared", WICK_EXPLAIN_NUMBER, rate);
    else
        wick_explain_figure(r, "missed", WICK_EXPLAIN_SHARE, wick_explain_share((double)most->missed, all));
    wick_explain_figure(r, "lookups", WICK_EXPLAIN_NUMBER, all);
    wick_explain_mark_misses(f->p, most, through);
    say_most(x, r, most, most_ns, through);
    free(through);
    if (r && cleared)
        r->advice = "keep what is used often by ordinary references, in a map or cache with a bound: collections clear "
                    "weak references to all that nothing else refers to, and soft ones where memory is short";
    wick_explain_filter_frame(x, r, most->frame);
    if (!r || r->record_ns)
        return;
    x->misses.finding = (size_t)(r - x->out->rows);
    x->misses.lookup = most;
}
