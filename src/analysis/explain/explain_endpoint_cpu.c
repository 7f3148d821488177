/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_endpoint_cpu.c - requests that are slow because of what they compute, in a process that uses little CPU time
 *
 * A share of the process's CPU time says nothing of such a process; a share of its requests' time does. Requests are
 * those of an endpoint, by their spans, or where there are none what threads do below the frames of a framework
 * (REQUEST in def/wait_kind.def): of these it is not known when they begin and end, but a thread of which one CPU
 * sample follows another at once, both in a request, has been in it for that time, or in several without a rest.
 *
 * Lack of CPUs makes all of a request take longer alike, so the time without one belongs where the thread was; but of
 * requests without spans it hides that samples follow each other.
 */
#include <stdlib.h>

#include "analysis/explain/explain_code_kind.h"
#include "analysis/explain/explain_int.h"
#include "base/sum.h"

#define LITTLE_MOST 0.25 /* processors: of more, the rules about CPU time have judged */
#define CPU_LEAST   0.02 /* of the recording */
#define SLOW_LEAST  1e7  /* ns: a request that takes less is not slow by what it computes */
#define ROW_LEAST   0.50 /* of the CPU time of requests without spans: in rows of samples */
#define GAP_MOST    1.5  /* times what a sample stands for: between two of a row */

/* States in which a thread could compute; it is where it would go on if it has no CPU. */
enum {
    COMPUTES = 1 << WICK_EXPLAIN_DEFAULT | 1 << WICK_EXPLAIN_RUNNABLE,
    READY = 1 << WICK_EXPLAIN_WAITING_FOR_CPU | 1 << WICK_EXPLAIN_SAFEPOINT
};

/* Whether the sample is of a request of the endpoint; 0 = of one without a span. */
static bool is_of(const struct wick_explain *x, const struct wick_explain_sample *s, uint32_t endpoint)
{
    return s->endpoint == endpoint && (endpoint || wick_explain_wait_at(x, s->stack).in_request);
}

/* Whether wall-clock sample i is in one of these states and no part of a wait, as what the kernel computes in one. */
static bool is_in(const struct wick_explain *x, size_t i, unsigned states)
{
    return 1u << x->f->wall[i].state & states && x->waits[i].kind == WICK_WAIT_NONE;
}

/* The time of its requests that is spent in one of these states. */
static double time_of(const struct wick_explain *x, uint32_t endpoint, unsigned states)
{
    double ns = 0;
    for (size_t i = 0; i < x->f->nwall; i++)
        if ((states == WICK_EXPLAIN_ALL || is_in(x, i, states)) && is_of(x, &x->f->wall[i], endpoint))
            ns += (double)x->f->wall[i].weight_ns;
    return ns;
}

/* Whether requests of the endpoint take long on average. */
static bool spans_are_long(const struct wick_explain_facts *f, uint32_t endpoint)
{
    double sum = 0, n = 0;
    for (size_t i = 0; i < f->nspans; i++)
        if (f->spans[i].root && f->spans[i].endpoint == endpoint) {
            sum += (double)f->spans[i].end_ns - (double)f->spans[i].begin_ns;
            n++;
        }
    return wick_explain_share(sum, n) >= SLOW_LEAST;
}

/* CPU samples of a thread in requests, in a row. */
struct row {
    int64_t last_ns;
    uint64_t n;
    double ns;
};

/* Whether most of the CPU time of requests without spans is in rows: CPU samples of one thread that follow each other
 * by hardly more than the CPU time that each stands for, with nothing but requests between. Samples of a thread come in
 * order of time. Of virtual threads it is not known which of them was sampled. */
static bool rows_are_long(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    struct row *rows = calloc(f->p->nthreads + 1, sizeof *rows);
    double ns = 0, in_rows = 0;
    x->f->failed |= !rows;
    for (size_t i = 0; rows && i < f->ncpu; i++) {
        const struct wick_explain_sample *s = &f->cpu[i];
        struct row *r = &rows[s->thread];
        double gap = (double)s->time_ns - (double)r->last_ns;
        bool request = is_of(x, s, 0);
        if (!request || gap < 0 || gap > GAP_MOST * (double)s->weight_ns)
            *r = (struct row){0};
        if (!request || !s->thread || wick_wait_is_mounted(f->p, s->stack))
            continue;
        r->last_ns = s->time_ns;
        r->n++;
        r->ns += (double)s->weight_ns;
        ns += (double)s->weight_ns;
        in_rows += r->n == 2 ? r->ns : r->n > 2 ? (double)s->weight_ns : 0;
    }
    free(rows);
    return wick_explain_share(in_rows, ns) >= ROW_LEAST;
}

/* The program's function nearest to the leaf that computes most, and the heaviest stack cut there. */
struct most {
    uint32_t function, stack; /* stack: 0 = none computes */
    int64_t ns;
    double quanta;
};

static void learn_most(struct wick_explain *x, uint32_t endpoint, struct most *m)
{
    const struct wick_explain_facts *f = x->f;
    int64_t *sums = calloc(f->p->nfunctions + 1, sizeof *sums), *by_stack = calloc(f->p->nstacks + 1, sizeof *by_stack);
    enum wick_explain_code code;
    x->f->failed |= !sums || !by_stack;
    for (unsigned round = 0; sums && by_stack && round < 2; round++)
        for (size_t i = 0; i < f->nwall; i++) {
            const struct wick_explain_sample *s = &f->wall[i];
            bool here = is_in(x, i, COMPUTES | READY) && is_of(x, s, endpoint);
            uint32_t at = here ? wick_explain_user_of(f->p, s->stack, &code) : 0;
            uint32_t function = wick_explain_function_at(f->p, at);
            if (!at)
                continue;
            if (!round) {
                sums[function] = wick_sum(sums[function], s->weight_ns);
                m->function = sums[function] > sums[m->function] ? function : m->function;
            } else if (function == m->function) {
                m->quanta += wick_explain_quantum(s);
                by_stack[at] = wick_sum(by_stack[at], s->weight_ns);
                m->stack = by_stack[at] > by_stack[m->stack] ? at : m->stack;
            }
        }
    m->ns = sums ? sums[m->function] : 0;
    free(sums);
    free(by_stack);
}

void wick_explain_endpoint_cpu(struct wick_explain *x, uint32_t endpoint)
{
    struct wick_explain_facts *f = x->f;
    double computed = time_of(x, endpoint, COMPUTES);
    if (computed <= 0 || x->out->busy >= LITTLE_MOST || wick_explain_counts(f, computed, LITTLE_MOST) ||
        !(endpoint ? spans_are_long(f, endpoint) : rows_are_long(x)))
        return;
    double all = time_of(x, endpoint, WICK_EXPLAIN_ALL), ready = time_of(x, endpoint, READY);
    struct most m = {0};
    learn_most(x, endpoint, &m);
    /* what it would be with a CPU whenever it needs one */
    double part = (double)m.ns * wick_explain_share(computed, computed + ready);
    if (!m.stack || wick_explain_share(part, all - ready) < x->rule->threshold ||
        !wick_explain_counts(f, (double)m.ns, CPU_LEAST))
        return;
    struct wick_explain_finding *r = wick_explain_found(x, part);
    if (endpoint)
        wick_explain_say_where(x, r, endpoint);
    else
        wick_explain_say(x, r, "where", "the handling of requests");
    wick_explain_share_of(x, r, (double)m.ns, all, m.quanta);
    wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, (double)m.ns);
    wick_explain_say_frame(x, r, "frame", f->p->stacks[m.stack].frame);
    wick_explain_filter_frame(x, r, f->p->stacks[m.stack].frame);
}
