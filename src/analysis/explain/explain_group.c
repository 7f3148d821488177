/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_group.c - whose the cause is: how time went, the order of findings, and what selects their samples
 *
 * Costs are compared within one account. A thread of the program that has work is on a CPU, ready to run without one,
 * waiting for others, or waiting for memory. All of this comes to a stop during a collection that stops the world, so
 * if those take the share s of the recording, threads that got through N ns of work and waits in the rest of it lost
 * N s / (1 - s) to them. The collector's own threads are no part of N: that they wait for a CPU makes collections
 * longer, and it is there that it counts. So a collector that stops the program for most of the time has most of the
 * time at stake, however crowded the machine is.
 *
 * While the program is stopped, its threads take no CPU from the collector's: if those wait for one, others have it, or
 * a limit keeps them from it. Pauses that would be short with CPUs are no fault of the heap, and whether they are is
 * seen by taking the waiting for CPUs out of both, the pauses and the time between them.
 *
 * In the program's group what only says where time goes comes behind a fault of about the same cost, which may be its
 * cause. A group comes before another one if its most expensive finding costs more; but a fault of the JVM comes before
 * what only says where the program's time goes, unless it costs little beside that.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "base/strbuf.h"
#include "model/name.h"

#define STOPPED_MOST   0.99 /* of the time, so that a quotient remains */
#define FAULT_LEAST    0.12 /* of what the program does that may be well: a fault of the JVM comes before that */
#define NEUTRAL_WEIGHT 0.75 /* of what only says where time goes, beside a fault in the program */

static const struct {
    const char *name, *title;
} groups[WICK_EXPLAIN_GROUPS] = {
    [WICK_EXPLAIN_OF_MACHINE] = {"machine", "The machine"},
    [WICK_EXPLAIN_OF_JVM] = {"jvm", "The JVM"},
    [WICK_EXPLAIN_OF_PROGRAM] = {"program", "The program"},
    [WICK_EXPLAIN_OF_PROFILE] = {"profile", "The profile itself"},
};

const char *wick_explain_group_name(enum wick_explain_group group)
{
    return groups[group].name;
}

const char *wick_explain_group_title(enum wick_explain_group group)
{
    return groups[group].title;
}

/* ---- how time went ---- */

static double not_below_0(double v)
{
    return v > 0 ? v : 0;
}

void wick_explain_learn_parts(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    struct wick_explain_parts *o = &x->out->parts;
    double stop = wick_explain_share((double)f->pauses_ns, (double)f->duration_ns);
    double collecting = (double)f->pauses_ns * (double)(f->allowed ? f->allowed : f->cpus ? f->cpus : 1);
    o->computed_ns = not_below_0(f->got_ns ? (double)f->got_ns - (double)f->gc_ns : (double)f->sampled_ns);
    o->collector_ns = not_below_0((double)f->gc_ns - collecting);
    o->starved_ns = not_below_0((double)f->hungry_delay_ns - (double)f->gc_delay_ns);
    for (size_t i = 0; i < f->nwall; i++)
        if (f->wall[i].state == WICK_EXPLAIN_ALLOCATION)
            o->stalled_ns += (double)f->wall[i].weight_ns;
        else if (f->rivals && f->wall[i].state == WICK_EXPLAIN_WAITING_FOR_CPU) /* of a whole machine */
            o->starved_ns += (double)f->wall[i].weight_ns;
        else if (f->wall[i].state != WICK_EXPLAIN_RUNNABLE && wick_explain_wait_counts(x, i)) /* else: in computed_ns */
            o->waited_ns += (double)f->wall[i].weight_ns;
    stop = stop < STOPPED_MOST ? stop : STOPPED_MOST;
    o->stopped_ns = (o->computed_ns + o->starved_ns + o->waited_ns + o->stalled_ns) * stop / (1 - stop);
}

double wick_explain_others(const struct wick_explain_facts *f)
{
    return wick_explain_share(f->others, (double)f->machines);
}

double wick_explain_limited(const struct wick_explain_facts *f)
{
    return wick_explain_share((double)f->throttled.grown, (double)f->periods.grown);
}

const struct wick_explain_use *wick_explain_vm_thread(const struct wick_explain_facts *f)
{
    for (size_t t = 1; t < f->p->nthreads && t < f->nuses; t++) {
        const struct wick_explain_use *use = &f->uses[t];
        bool ran = use->cpu_ns > 0 || use->delay_ns > 0;
        if (ran && !strcmp(wick_profile_str(f->p, f->p->threads[t].name), "VM Thread"))
            return use;
    }
    return NULL;
}

double wick_explain_pauses_by_work(const struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    const struct wick_explain_parts *o = &x->out->parts;
    double stop = wick_explain_share((double)f->pauses_ns, (double)f->duration_ns);
    double got_on = o->computed_ns + o->waited_ns; /* who waits for the collector mostly does so in its pauses */
    stop = stop < STOPPED_MOST ? stop : STOPPED_MOST;
    double paused = stop * wick_explain_collectors_got(f);
    double between = (1 - stop) * (got_on + o->starved_ns > 0 ? got_on / (got_on + o->starved_ns) : 1);
    return wick_explain_share(paused, paused + between);
}

double wick_explain_stopped(const struct wick_explain *x)
{
    double paused = (double)x->f->pauses_ns, lost = x->out->parts.stopped_ns;
    return lost > paused ? lost : paused;
}

double wick_explain_wanted(const struct wick_explain *x, double cpu_ns)
{
    const struct wick_explain_parts *o = &x->out->parts;
    return cpu_ns + cpu_ns * wick_explain_share(o->starved_ns, o->computed_ns);
}

double wick_explain_whole(const struct wick_explain_parts *parts)
{
    return parts->computed_ns + parts->collector_ns + parts->starved_ns + parts->waited_ns + parts->stalled_ns +
           parts->stopped_ns;
}

const struct wick_explain_finding *wick_explain_costliest(const struct wick_explain_findings *all,
                                                          enum wick_explain_group group)
{
    const struct wick_explain_finding *most = NULL;
    for (size_t i = 0; i < all->n; i++) {
        const struct wick_explain_finding *r = &all->rows[i];
        bool first = !most || (most->led_to && !r->led_to) || (most->led_to == r->led_to && r->cost_ns > most->cost_ns);
        if (r->rule->group == group && !r->rule->risk && first)
            most = r;
    }
    return most;
}

double wick_explain_stake(const struct wick_explain_findings *all, enum wick_explain_group group)
{
    const struct wick_explain_finding *most = wick_explain_costliest(all, group);
    double share = most ? wick_explain_share(most->cost_ns, wick_explain_whole(&all->parts)) : -1;
    return share < 1 ? share : 1;
}

/* ---- order ---- */

/* What is at stake in each group: by its most expensive finding. Where that of the program only says where time goes,
 * and the JVM has a fault that costs a good part of it, the program's comes next. */
static void learn_stakes(const struct wick_explain_findings *all, double *stakes)
{
    double faults[WICK_EXPLAIN_GROUPS] = {0};
    memset(stakes, 0, WICK_EXPLAIN_GROUPS * sizeof *stakes);
    for (size_t i = 0; i < all->n; i++) {
        const struct wick_explain_finding *r = &all->rows[i];
        double *stake = &stakes[r->rule->group], *fault = &faults[r->rule->group];
        *stake = r->cost_ns > *stake ? r->cost_ns : *stake;
        *fault = !r->neutral && r->cost_ns > *fault ? r->cost_ns : *fault;
    }
    double *program = &stakes[WICK_EXPLAIN_OF_PROGRAM], jvm = faults[WICK_EXPLAIN_OF_JVM];
    if (faults[WICK_EXPLAIN_OF_PROGRAM] < jvm && jvm >= FAULT_LEAST * *program && jvm < *program)
        *program = nextafter(jvm, 0);
}

/* For sorting: what is at stake in the group of a finding, and in its endpoint. */
struct rank {
    struct wick_explain_finding row;
    double group_ns, endpoint_ns;
};

/* What only says where time goes is less than a fault of about the same cost, which may be its cause. */
static double weight_of(const struct wick_explain_finding *r)
{
    return wick_explain_rank_of(r) * (r->neutral && r->rule->group == WICK_EXPLAIN_OF_PROGRAM ? NEUTRAL_WEIGHT : 1);
}

static int by_rank(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;
    const struct wick_explain_rule *r = x->row.rule, *s = y->row.rule;
    bool caution = r->group == WICK_EXPLAIN_OF_PROFILE, other = s->group == WICK_EXPLAIN_OF_PROFILE;
    if (caution != other)
        return caution ? 1 : -1;
    if (r->group != s->group && x->group_ns != y->group_ns)
        return x->group_ns > y->group_ns ? -1 : 1;
    if (r->group != s->group)
        return r->group < s->group ? -1 : 1;
    if (x->endpoint_ns != y->endpoint_ns)
        return x->endpoint_ns > y->endpoint_ns ? -1 : 1;
    if (x->row.endpoint != y->row.endpoint)
        return x->row.endpoint < y->row.endpoint ? -1 : 1;
    if (weight_of(&x->row) != weight_of(&y->row))
        return weight_of(&x->row) > weight_of(&y->row) ? -1 : 1;
    return r < s ? -1 : r > s;
}

/* Groups by what their most expensive finding costs; in a group, findings of one endpoint are together. */
void wick_explain_rank(struct wick_explain_findings *out)
{
    wick_explain_set_aside(out);
    struct rank *ranks = out->n ? calloc(out->n, sizeof *ranks) : NULL;
    double stakes[WICK_EXPLAIN_GROUPS];
    out->failed |= out->n && !ranks;
    learn_stakes(out, stakes);
    for (size_t i = 0; ranks && i < out->n; i++) {
        ranks[i].row = out->rows[i];
        ranks[i].group_ns = stakes[out->rows[i].rule->group];
        for (size_t k = 0; k < out->n; k++) {
            const struct wick_explain_finding *o = &out->rows[k], *r = &out->rows[i];
            if (o->rule->group != r->rule->group)
                continue;
            bool together = o == r || (r->endpoint && o->endpoint == r->endpoint);
            if (together && weight_of(o) > ranks[i].endpoint_ns)
                ranks[i].endpoint_ns = weight_of(o);
        }
    }
    if (ranks)
        qsort(ranks, out->n, sizeof *ranks, by_rank);
    for (size_t i = 0; ranks && i < out->n; i++)
        out->rows[i] = ranks[i].row;
    free(ranks);
}

/* ---- chains, and what selects its samples ---- */

void wick_explain_link(struct wick_explain *x, struct wick_explain_finding *r, const char *kind, uint32_t frame,
                       double share)
{
    struct wick_strbuf name = WICK_STRBUF_INIT;
    wick_name_add_frame(&name, x->f->p, frame, WICK_NAME_LINES);
    char *copy = r && name.len ? strdup(name.buf) : NULL;
    wick_strbuf_release(&name);
    if (copy && r->nsteps < WICK_EXPLAIN_LINKS + 1)
        r->steps[r->nsteps++] = (struct wick_explain_step){kind, copy, share};
    else
        free(copy);
}

static void filter(struct wick_explain *x, struct wick_explain_finding *r, const char *option, const char *value)
{
    char *copy = r ? strdup(value) : NULL;
    if (!r || !copy)
        x->out->failed = true;
    else if (r->nfilters < WICK_EXPLAIN_FILTERS)
        r->filters[r->nfilters++] = (struct wick_explain_filter){option, copy};
    else
        free(copy);
}

/* As a regular expression that matches the text and nothing else. */
static void filter_exactly(struct wick_explain *x, struct wick_explain_finding *r, const char *option, const char *text)
{
    struct wick_strbuf exact = WICK_STRBUF_INIT;
    wick_strbuf_addc(&exact, '^');
    for (; *text; text++) {
        if (strchr(".[]()*+?{}|^$\\", *text))
            wick_strbuf_addc(&exact, '\\');
        wick_strbuf_addc(&exact, *text);
    }
    wick_strbuf_addc(&exact, '$');
    if (exact.failed)
        x->out->failed = true;
    else
        filter(x, r, option, exact.buf);
    wick_strbuf_release(&exact);
}

void wick_explain_filter_frame(struct wick_explain *x, struct wick_explain_finding *r, uint32_t frame)
{
    struct wick_strbuf name = WICK_STRBUF_INIT;
    if (frame)
        wick_name_add_frame(&name, x->f->p, frame, 0);
    if (frame)
        filter_exactly(x, r, "include", name.buf);
    wick_strbuf_release(&name);
}

void wick_explain_filter_state(struct wick_explain *x, struct wick_explain_finding *r, enum wick_explain_state state)
{
    static const char *const names[WICK_EXPLAIN_STATES] = {
#define X(NAME, id, jfr_name) [WICK_EXPLAIN_##NAME] = (jfr_name),
#include "def/thread_state.def"
#undef X
    };
    if (names[state])
        filter(x, r, "state", names[state]);
}

void wick_explain_filter_thread(struct wick_explain *x, struct wick_explain_finding *r, uint32_t thread)
{
    if (thread)
        filter_exactly(x, r, "thread", wick_profile_str(x->f->p, x->f->p->threads[thread].name));
}

void wick_explain_filter_process(struct wick_explain *x, struct wick_explain_finding *r, uint32_t process)
{
    if (process)
        filter_exactly(x, r, "process", wick_profile_str(x->f->p, process));
}

static void filter_label(struct wick_explain *x, struct wick_explain_finding *r, const char *key, uint32_t label)
{
    struct wick_strbuf value = WICK_STRBUF_INIT;
    if (label)
        wick_strbuf_addf(&value, "%s=%s", key, wick_profile_str(x->f->p, label));
    if (label)
        filter(x, r, "where", value.buf);
    wick_strbuf_release(&value);
}

void wick_explain_filter_endpoint(struct wick_explain *x, struct wick_explain_finding *r, uint32_t endpoint)
{
    filter_label(x, r, "endpoint", endpoint);
}

void wick_explain_filter_cgroup(struct wick_explain *x, struct wick_explain_finding *r, uint32_t cgroup)
{
    filter_label(x, r, "cgroup", cgroup);
}
