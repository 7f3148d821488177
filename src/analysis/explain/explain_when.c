/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_when.c - when what a finding rests on happened
 *
 * A burst of a few seconds in an hour is a finding of the hour, but its picture is that of these seconds. So the
 * samples that a finding's filters select, or the slow safepoints it counts, are put into bins of time, and the
 * shortest stretch of bins that has most of their weight is searched for. If it is short beside the whole, that is when
 * it was; if not, it goes on all of the time. Few samples lie close together by chance: they say nothing of
 * when. With LEAST_SAMPLES of them, spread evenly, fewer than one stretch in a hundred would be taken for a burst.
 */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "base/sum.h"
#include "model/choose.h"

enum { BINS = 200, LEAST_SAMPLES = 40 };

#define MOST     0.80 /* of the weight */
#define SHORTEST 0.50 /* of the time: a longer stretch is no burst */

struct when {
    const struct wick_explain_facts *f;
    double bins[BINS], all;
    int64_t start_ns, bin_ns;
    size_t n;
};

static bool when_init(struct when *w, const struct wick_explain_facts *f)
{
    int64_t length = f->p->start_ns > 0 ? wick_sum_time(f->p->end_ns, -f->p->start_ns) : 0;
    *w = (struct when){.f = f, .start_ns = f->p->start_ns, .bin_ns = length / BINS};
    return w->bin_ns > 0;
}

/* Weight of a moment, or of a time that lasts, which is spread over it. */
static void add(struct when *w, int64_t time_ns, int64_t duration_ns, double weight)
{
    int64_t first = wick_sum_time(time_ns, -w->start_ns) / w->bin_ns;
    int64_t last = wick_sum_time(wick_sum_time(time_ns, duration_ns > 0 ? duration_ns : 0), -w->start_ns) / w->bin_ns;
    first = first < 0 ? 0 : first < BINS ? first : BINS - 1;
    last = last < first ? first : last < BINS ? last : BINS - 1;
    for (int64_t i = first; i <= last; i++)
        w->bins[i] += weight / (double)(last - first + 1);
    w->all += weight;
    w->n++;
}

/* The shortest stretch with most of the weight, if it is short. */
static void find(const struct when *w, struct wick_explain_finding *r)
{
    int from = 0, best_from = 0, best = BINS + 1;
    double sum = 0, share = 0;
    for (int to = 0; to < BINS; to++) {
        sum += w->bins[to];
        while (sum - w->bins[from] >= MOST * w->all && from < to)
            sum -= w->bins[from++];
        if (sum < MOST * w->all || to + 1 - from >= best)
            continue;
        best_from = from;
        best = to + 1 - from;
        share = sum / w->all;
    }
    if (best > SHORTEST * BINS)
        return;
    r->when_from_ns = w->start_ns + best_from * w->bin_ns;
    r->when_to_ns = best_from + best == BINS ? w->f->p->end_ns : r->when_from_ns + best * w->bin_ns;
    r->when_share = share < 1 ? share : 1;
}

/* --- samples --- */

/* What the filters of a finding select. */
struct selection {
    bool *stacks, *threads;                  /* by number; NULL = all */
    int state;                               /* -1 = any */
    const char *process, *cgroup, *endpoint; /* NULL = any; process: an expression */
};

static bool *matching_threads(const struct wick_profile *p, const char *expression)
{
    bool *out = calloc((size_t)p->nthreads + 1, sizeof *out);
    regex_t regex;
    if (!out || regcomp(&regex, expression, REG_EXTENDED | REG_NOSUB))
        return out;
    for (uint32_t i = 0; i < p->nthreads; i++)
        out[i] = !regexec(&regex, wick_profile_str(p, p->threads[i].name), 0, NULL, 0);
    regfree(&regex);
    return out;
}

/* Stacks with a frame that matches: as if each had one sample. */
static bool *matching_stacks(const struct wick_profile *p, const char *expression)
{
    struct wick_profile each = *p;
    struct wick_shape shape = {0};
    struct wick_chooser c;
    struct wick_err err = {0};
    bool *out = calloc((size_t)p->nstacks + 1, sizeof *out);
    each.aggs = calloc((size_t)p->nstacks + 1, sizeof *each.aggs);
    each.naggs = p->nstacks;
    bool good = out && each.aggs && !wick_shape_test(&shape, WICK_TEST_INCLUDE, NULL, NULL, expression, &err);
    for (uint32_t i = 0; good && i < p->nstacks; i++)
        each.aggs[i].stack = i;
    wick_chooser_init(&c, &shape, &each);
    good = good && wick_chooser_decide(&c, each.naggs);
    for (uint32_t i = 0; good && i < p->nstacks; i++)
        out[i] = wick_chooser_takes(&c, i);
    wick_chooser_release(&c);
    wick_shape_release(&shape);
    free(each.aggs);
    return out;
}

static int state_named(const char *name)
{
    static const struct {
        const char *name;
        int state;
    } states[] = {
#define X(NAME, id, jfr_name) {jfr_name, WICK_EXPLAIN_##NAME},
#include "def/thread_state.def"
#undef X
    };
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (!strcmp(name, states[i].name))
            return states[i].state;
    return WICK_EXPLAIN_STATES; /* none has that */
}

/* The value of "key=value", or NULL. */
static const char *value_of(const struct wick_explain_filter *f, const char *key)
{
    size_t n = strlen(key);
    return !strcmp(f->option, "where") && !strncmp(f->value, key, n) && f->value[n] == '=' ? f->value + n + 1 : NULL;
}

/* False without memory. */
static bool select_by(struct selection *s, const struct wick_explain_finding *r, const struct wick_profile *p)
{
    bool good = true;
    *s = (struct selection){.state = -1};
    for (unsigned i = 0; i < r->nfilters; i++) {
        const struct wick_explain_filter *f = &r->filters[i];
        if (!strcmp(f->option, "include") && !s->stacks) {
            s->stacks = matching_stacks(p, f->value);
            good &= s->stacks != NULL;
        } else if (!strcmp(f->option, "thread") && !s->threads) {
            s->threads = matching_threads(p, f->value);
            good &= s->threads != NULL;
        } else if (!strcmp(f->option, "state")) {
            s->state = state_named(f->value);
        } else if (!strcmp(f->option, "process")) {
            s->process = f->value;
        }
        s->endpoint = value_of(f, "endpoint") ? value_of(f, "endpoint") : s->endpoint;
        s->cgroup = value_of(f, "cgroup") ? value_of(f, "cgroup") : s->cgroup;
    }
    return good;
}

static bool takes(const struct selection *s, const struct wick_profile *p, const regex_t *process,
                  const struct wick_explain_sample *x)
{
    return (!s->stacks || s->stacks[x->stack]) && (!s->threads || s->threads[x->thread]) &&
           (s->state < 0 || (int)x->state == s->state) &&
           (!s->endpoint || !strcmp(wick_profile_str(p, x->endpoint), s->endpoint)) &&
           (!s->cgroup || !strcmp(wick_profile_str(p, x->cgroup), s->cgroup)) &&
           (!process || !regexec(process, wick_profile_str(p, x->process), 0, NULL, 0));
}

static void add_samples(struct when *w, const struct wick_explain_finding *r)
{
    const struct wick_explain_facts *f = w->f;
    bool wall = !strcmp(r->rule->view, "wall");
    const struct wick_explain_sample *rows = wall ? f->wall : !strcmp(r->rule->view, "cpu") ? f->cpu : f->alloc;
    size_t n = wall ? f->nwall : rows == f->cpu ? f->ncpu : f->nalloc;
    struct selection s;
    regex_t process;
    bool good = select_by(&s, r, f->p), by_process = false;
    if (good && s.process)
        good = by_process = !regcomp(&process, s.process, REG_EXTENDED | REG_NOSUB);
    for (size_t i = 0; good && i < n; i++)
        if (takes(&s, f->p, by_process ? &process : NULL, &rows[i]))
            add(w, rows[i].time_ns, wall ? rows[i].weight_ns : 0, (double)rows[i].weight_ns);
    if (by_process)
        regfree(&process);
    free(s.stacks);
    free(s.threads);
}

static bool is_of_safepoints(const struct wick_explain_rule *rule)
{
    return rule == &wick_explain_rules[WICK_EXPLAIN_RULE_LATE_SAFEPOINTS] ||
           rule == &wick_explain_rules[WICK_EXPLAIN_RULE_STARVED_SAFEPOINTS];
}

void wick_explain_learn_when(const struct wick_explain_facts *f, struct wick_explain_finding *r)
{
    static const char *const views[] = {"cpu", "wall", "alloc"};
    struct when w;
    bool sampled = false;
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        sampled |= !strcmp(r->rule->view, views[i]);
    if (!when_init(&w, f))
        return;
    if (is_of_safepoints(r->rule)) {
        for (uint32_t i = 0; i < f->ttsp.nslow; i++)
            add(&w, f->ttsp.slow[i].time_ns, f->ttsp.slow[i].duration_ns, (double)f->ttsp.slow[i].reach_ns);
        sampled = false;
    } else if (sampled && r->nfilters) {
        add_samples(&w, r);
    }
    if (w.all > 0 && (!sampled || w.n >= LEAST_SAMPLES))
        find(&w, r);
}
