/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_waits.c - the rules of `wick explain` about waiting: for what, where, and what keeps that from happening
 *
 * Waits add up by what is waited for (wait_kind.h) and by the program's function that waits, whatever the state in
 * which the kernel has the thread. What is waited for may be held by a thread that waits itself; then the time belongs
 * to the end of that chain, as far as it is known:
 *
 *     lock     -> its owner    by wick.LockOwner: what the owner did during the wait
 *     future   -> its task     by the wall-clock samples of the pools' workers, as no event says which task it was
 *     work     -> a CPU        by the wall-clock samples in the function that should work
 *
 * Each link carries the share of the time that its most common end has in all of them, half of it at least.
 * A thread that did not run at all is not slow, but without work or stuck, so its waits count for `stuck` only; but one
 * within a request waits, however long.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "base/sum.h"
#include "model/name.h"

#define WAIT_LEAST 0.10 /* threads that wait, on average */
#define CHAIN_MOST 0.50 /* a link carries at least this share */
#define HELD_LEAST 0.50 /* of the recording: a lock that many wait for is held that long, */
#define HELD_MOST  1.10 /* and by one at a time */
#define LINK_LEAST 0.01 /* of the time threads have work or wait: less has no chain worth a word */
#define DEVIATIONS 2.0  /* as far as samples may be off */
#define HELD_UP    0.90 /* of its time: a thread that waits for something else does not get on with its work */

enum { LINKS = WICK_EXPLAIN_LINKS };

/* A step of a chain: what the owner or the task does, and how much of the time. */
struct link {
    enum wick_wait_kind kind;
    uint32_t stack;
    double share;
    enum { HOLDER, TASK, TAKER } who;
};

/* Where the program waits for something, or computes (WICK_WAIT_NONE). */
struct place {
    enum wick_wait_kind kind, via; /* via: of the wait that leads here, NONE = none does */
    uint32_t function, stack;      /* the program's; the heaviest stack, cut there */
    struct link links[LINKS];      /* from `via` to here; a last one of kind NONE computes */
    unsigned nlinks;
    bool request; /* a thread's end is waited for there within a request: that counts in any case */
    uint32_t via_stack;
    int64_t ns, heaviest_ns, through_ns; /* through: what of ns was waited for at `via` */
    double quanta;                       /* as of wick_explain_quanta */
};

struct places {
    struct place *rows;
    size_t n, cap;
};

/* ---- places ---- */

static uint32_t function_at(const struct wick_profile *p, uint32_t stack)
{
    return p->frames[p->stacks[stack].frame].function;
}

static struct place *place_of(struct wick_explain *x, struct places *all, struct wick_wait w)
{
    uint32_t function = function_at(x->f->p, w.stack);
    for (size_t i = 0; i < all->n; i++)
        if (all->rows[i].kind == w.kind && all->rows[i].function == function)
            return &all->rows[i];
    struct place *rows = wick_explain_room(all->rows, all->n, &all->cap, sizeof *rows);
    x->f->failed |= !rows;
    if (!rows)
        return NULL;
    all->rows = rows;
    rows[all->n] = (struct place){.kind = w.kind, .function = function, .stack = w.stack};
    return &rows[all->n++];
}

static void add_to(struct wick_explain *x, struct places *all, struct wick_wait w, int64_t ns, double quanta)
{
    struct place *at = place_of(x, all, w);
    if (!at)
        return;
    at->request |= w.in_request && w.kind == WICK_WAIT_THREAD;
    at->quanta += quanta;
    at->ns = wick_sum(at->ns, ns);
    if (ns > at->heaviest_ns) {
        at->heaviest_ns = ns;
        at->stack = w.stack;
    }
}

static int by_time(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->ns != y->ns ? (x->ns > y->ns ? -1 : 1) : (x->function > y->function) - (x->function < y->function);
}

static void sort(struct places *all)
{
    if (all->n)
        qsort(all->rows, all->n, sizeof *all->rows, by_time);
}

static int64_t sum_of(const struct places *all)
{
    int64_t sum = 0;
    for (size_t i = 0; i < all->n; i++)
        sum = wick_sum(sum, all->rows[i].ns);
    return sum;
}

static uint32_t frame_at(const struct wick_profile *p, uint32_t stack)
{
    return p->stacks[stack].frame;
}

/* ---- chains ---- */

/* What the owners of the locks did for which threads waited at the place. */
static void owners_of(struct wick_explain *x, const struct place *at, struct places *out)
{
    const struct wick_lock_waits *l = &x->f->locks;
    for (uint32_t i = 0; i < l->nrows; i++) {
        const struct wick_lock_wait_row *r = &l->rows[i];
        if (r->native || !r->owner_stack || r->park != (at->kind != WICK_WAIT_MONITOR))
            continue;
        struct wick_wait waiter = wick_wait_of(x->f->p, r->stack), owner = wick_wait_of(x->f->p, r->owner_stack);
        if (!waiter.stack || function_at(x->f->p, waiter.stack) != at->function || !owner.stack)
            continue;
        if (wick_wait_role_of(owner.kind) == WICK_WAIT_IDLE)
            owner.kind = WICK_WAIT_NONE;
        if (owner.kind == WICK_WAIT_NONE && wick_explain_owner_enters(x, r))
            owner.kind = WICK_WAIT_MONITOR;
        add_to(x, out, owner, r->weight_ns, 0);
    }
    sort(out);
}

/* What the thread of wall-clock sample i does: its wait, or (NONE) where the program computes. */
static struct wick_wait doing(const struct wick_explain *x, size_t i)
{
    struct wick_wait w = x->waits[i];
    if (w.kind == WICK_WAIT_NONE)
        w.stack = wick_wait_of(x->f->p, x->f->wall[i].stack).stack;
    return w;
}

static bool waits_there(const struct wick_explain *x, struct wick_wait w, const struct place *at)
{
    return w.kind == at->kind && w.stack && function_at(x->f->p, w.stack) == at->function;
}

static bool goes_through(const struct wick_profile *p, uint32_t stack, uint32_t function)
{
    while (stack && function_at(p, stack) != function)
        stack = p->stacks[stack].parent;
    return stack != 0;
}

/* Where no event says who owned the lock (virtual threads): what is done in the function that takes it, by those who
 * have it. One has it at a time, so that is as much time as was recorded, if the lock was held most of that; if it is
 * more, or much less, the function does something else as well. */
static void insiders(struct wick_explain *x, const struct place *at, struct places *out)
{
    const struct wick_explain_facts *f = x->f;
    for (size_t i = 0; i < f->nwall; i++) {
        struct wick_wait w = doing(x, i);
        if (w.stack && wick_wait_role_of(w.kind) != WICK_WAIT_IDLE && !waits_there(x, w, at) &&
            goes_through(f->p, f->wall[i].stack, at->function))
            add_to(x, out, w, f->wall[i].weight_ns, wick_explain_quantum(&f->wall[i]));
    }
    double sum = (double)sum_of(out), all = (double)f->duration_ns, quanta = 0;
    for (size_t i = 0; i < out->n; i++)
        quanta += out->rows[i].quanta;
    double off = DEVIATIONS * sqrt(quanta);
    if (sum + off < HELD_LEAST * all || sum - off > HELD_MOST * all)
        out->n = 0;
    sort(out);
}

/* "plan" of plan() and of lambda$plan$2(), *len long. */
static const char *written_in(const char *method, size_t *len)
{
    static const char lambda[] = "lambda$";
    const char *name = strncmp(method, lambda, strlen(lambda)) ? method : method + strlen(lambda), *end;
    end = name == method ? NULL : strchr(name, '$');
    *len = end ? (size_t)(end - name) : strlen(name);
    return name;
}

/* Whether the stack goes through a lambda that is written in the waiter's method, so that it may be its task. */
static bool is_task_of(const struct wick_profile *p, uint32_t stack, uint32_t waiter)
{
    const struct wick_function *w = &p->functions[waiter];
    size_t len, other;
    const char *method = written_in(wick_profile_str(p, w->name), &len);
    for (uint32_t s = stack; s; s = p->stacks[s].parent) {
        const struct wick_function *f = &p->functions[function_at(p, s)];
        const char *name = wick_profile_str(p, f->name), *in = written_in(name, &other);
        if (in != name && f->class_name == w->class_name && function_at(p, s) != waiter && other == len &&
            !memcmp(in, method, len))
            return true;
    }
    return false;
}

/* What the workers of pools do, if they do something; own: those only that run what the waiting method gave them, or
 * threads that do. */
static void tasks(struct wick_explain *x, const struct place *at, bool own, struct places *out)
{
    bool joins = at->kind == WICK_WAIT_THREAD;
    const struct wick_explain_facts *f = x->f;
    for (size_t i = 0; i < f->nwall; i++) {
        struct wick_wait w = doing(x, i);
        if (!w.stack || wick_wait_role_of(w.kind) == WICK_WAIT_IDLE ||
            (!joins && !wick_wait_is_worker(f->p, f->wall[i].stack)))
            continue;
        if (!own || (is_task_of(f->p, f->wall[i].stack, at->function) && !waits_there(x, w, at)))
            add_to(x, out, w, f->wall[i].weight_ns, wick_explain_quantum(&f->wall[i]));
    }
    sort(out);
}

/* Time of a thread, of that in waits, and without a CPU; whether it waits at the place itself. */
struct held {
    int64_t all_ns, held_ns, ready_ns;
    bool here;
};

/* What other threads than those that wait at the place do, if one of them may be the queue's consumer: if they have
 * something to wait for nearly all the time, one of them does not empty the queue. */
static void held_up(struct wick_explain *x, const struct place *at, struct places *out)
{
    const struct wick_explain_facts *f = x->f;
    struct held *of = calloc(f->p->nthreads + 1, sizeof *of);
    x->f->failed |= !of;
    for (size_t i = 0; of && i < f->nwall; i++) {
        struct held *h = &of[f->wall[i].thread];
        bool held = wick_explain_is_trouble(x, i), here = waits_there(x, x->waits[i], at);
        h->here |= here;
        h->all_ns = wick_sum(h->all_ns, f->wall[i].weight_ns);
        h->held_ns = wick_sum(h->held_ns, held && !here ? f->wall[i].weight_ns : 0);
        if (f->wall[i].state == WICK_EXPLAIN_WAITING_FOR_CPU)
            h->ready_ns = wick_sum(h->ready_ns, f->wall[i].weight_ns);
    }
    for (size_t i = 0; of && i < f->nwall; i++) {
        const struct held *h = &of[f->wall[i].thread];
        struct wick_wait w = doing(x, i);
        bool all = (double)h->all_ns >= HELD_UP * (double)f->duration_ns &&
                   (double)h->held_ns >= HELD_UP * ((double)h->all_ns - (double)h->ready_ns) &&
                   h->held_ns > h->ready_ns;
        bool computes = w.kind == WICK_WAIT_NONE && 1u << f->wall[i].state & WICK_EXPLAIN_WORK;
        if (!h->here && w.stack && (computes || (all && wick_explain_is_trouble(x, i))))
            add_to(x, out, w, f->wall[i].weight_ns, wick_explain_quantum(&f->wall[i]));
    }
    free(of);
    sort(out);
}

/* What most of the time went to, NULL = to nothing half of it; tasks that compute in many places compute. */
static const struct place *main_of(const struct places *all, bool tasks)
{
    double sum = (double)sum_of(all), computed = 0;
    const struct place *busiest = NULL;
    for (size_t i = all->n; i-- > 0;)
        if (all->rows[i].kind == WICK_WAIT_NONE) {
            computed += (double)all->rows[i].ns;
            busiest = &all->rows[i];
        }
    if (tasks && busiest && computed >= CHAIN_MOST * sum)
        return busiest;
    return all->n && (double)all->rows->ns >= CHAIN_MOST * sum ? all->rows : NULL;
}

/* Whether threads wait there for others to end: as long as these do not wait themselves, that is no trouble. */
static bool ends(enum wick_wait_kind kind)
{
    return kind == WICK_WAIT_POOL_END || kind == WICK_WAIT_THREAD;
}

/* What keeps a place waiting: the most common thing that owners or tasks do. False if nothing is, or nothing is known.
 */
static bool next_link(struct wick_explain *x, const struct place *at, struct link *out)
{
    struct places links = {0};
    bool lock = wick_wait_is_lock(at->kind), joins = at->kind == WICK_WAIT_THREAD, end = ends(at->kind),
         task = end || at->kind == WICK_WAIT_FUTURE || at->kind == WICK_WAIT_LATCH;
    if (lock)
        owners_of(x, at, &links);
    if (lock && !links.n)
        insiders(x, at, &links);
    if (task)
        tasks(x, at, true, &links);
    if (task && !joins && !links.n)
        tasks(x, at, false, &links);
    if (end && (double)sum_of(&links) < CHAIN_MOST * (double)at->ns)
        links.n = 0; /* there are hardly any */
    if (at->kind == WICK_WAIT_QUEUE_FULL)
        held_up(x, at, &links);
    const struct place *most = main_of(&links, !lock);
    bool found = most && (lock || at->kind == WICK_WAIT_FUTURE || most->kind != WICK_WAIT_NONE);
    if (found)
        *out = (struct link){.kind = most->kind,
                             .stack = most->stack,
                             .share = wick_explain_share((double)most->ns, (double)sum_of(&links)),
                             .who = lock   ? HOLDER
                                    : task ? TASK
                                           : TAKER};
    free(links.rows);
    return found;
}

/* Appends links to the place's until one ends the chain; returns the last place that waits. */
static struct wick_wait walk(struct wick_explain *x, struct place *from)
{
    struct wick_wait end = {from->kind, from->stack};
    struct place at = *from;
    from->nlinks = 0;
    while (from->nlinks < LINKS) {
        struct link l;
        if (!next_link(x, &at, &l))
            break;
        uint32_t function = function_at(x->f->p, l.stack);
        bool seen = l.kind == from->kind && function == from->function;
        for (unsigned i = 0; i < from->nlinks; i++)
            seen |= l.kind == from->links[i].kind && function == function_at(x->f->p, from->links[i].stack);
        if (seen)
            break;
        from->links[from->nlinks++] = l;
        if (l.kind == WICK_WAIT_NONE)
            break;
        end = (struct wick_wait){l.kind, l.stack};
        at = (struct place){.kind = l.kind, .function = function, .stack = l.stack};
    }
    return end;
}

/* Moves the time of place i to where the chain ends. Returns time that is nobody's waiting. */
static int64_t follow(struct wick_explain *x, struct places *all, size_t i)
{
    struct place from = all->rows[i];
    struct wick_wait end = walk(x, &from);
    if (ends(from.kind) && !from.nlinks && !from.request) {
        all->rows[i].ns = 0; /* that a pool or thread has not ended is no news where its tasks do not wait */
        return from.ns;
    }
    if (from.kind == WICK_WAIT_FUTURE && from.nlinks == 1 && from.links[0].kind == WICK_WAIT_NONE) {
        all->rows[i].ns = 0; /* its task computes: that is what other rules see */
        return 0;
    }
    if (end.kind == from.kind && end.stack == from.stack) {
        if (from.via == WICK_WAIT_NONE)
            all->rows[i] = from; /* with what its holder computes */
        return 0;
    }
    struct place *to = place_of(x, all, end);
    if (!to)
        return 0;
    all->rows[i].ns = 0;
    to->ns = wick_sum(to->ns, from.ns);
    to->quanta += from.quanta;
    to->through_ns = wick_sum(to->through_ns, from.ns);
    if (to->via != WICK_WAIT_NONE && from.ns < to->heaviest_ns)
        return 0;
    to->heaviest_ns = from.ns;
    to->via = from.kind;
    to->via_stack = from.stack;
    to->nlinks = from.nlinks;
    memcpy(to->links, from.links, sizeof to->links);
    return 0;
}

/* Of the time in which threads work in that function, the share in which they are ready to run without a CPU. */
static double without_cpu(const struct wick_explain *x, uint32_t function)
{
    const struct wick_explain_facts *f = x->f;
    double ready = 0, all = 0;
    for (size_t i = 0; i < f->nwall; i++) {
        bool waits = f->wall[i].state == WICK_EXPLAIN_WAITING_FOR_CPU;
        if (!waits && f->wall[i].state != WICK_EXPLAIN_RUNNABLE && f->wall[i].state != WICK_EXPLAIN_DEFAULT)
            continue;
        uint32_t stack = wick_wait_of(f->p, f->wall[i].stack).stack;
        if (!stack || function_at(f->p, stack) != function)
            continue;
        all += (double)f->wall[i].weight_ns;
        ready += waits ? (double)f->wall[i].weight_ns : 0;
    }
    return wick_explain_share(ready, all);
}

/* What keeps those from a CPU that wait for one: "the CPU limit stops the cgroup in 40 % of its periods". */
static void add_why_no_cpu(const struct wick_explain *x, struct wick_strbuf *out)
{
    const struct wick_explain_facts *f = x->f;
    double limited = wick_explain_share((double)f->throttled.grown, (double)f->periods.grown);
    double others = wick_explain_share(f->others, (double)f->machines);
    if (limited >= wick_explain_rules[WICK_EXPLAIN_RULE_CPU_LIMIT].threshold)
        wick_strbuf_addf(out, ": the CPU limit stops the cgroup in %.0f %% of its periods", 100 * limited);
    else if (others >= wick_explain_rules[WICK_EXPLAIN_RULE_NEIGHBOURS].threshold && f->allowed)
        wick_strbuf_addf(out, ": other processes use %.1f of the %d CPUs", others * (double)f->allowed,
                         (int)f->allowed);
}

/* "its holder waits for a lock at app.B.y (92 %), whose holder does (80 %)": the links between the place that waits and
 * that which it ends at; or, if the last one computes, "..., whose holder is busy at app.C.z (70 %)". */
static void add_links(struct wick_explain *x, const struct place *at, bool elsewhere, struct wick_strbuf *out)
{
    for (unsigned i = 0; i < at->nlinks; i++) {
        const struct link *l = &at->links[i];
        bool last = i + 1 == at->nlinks || at->links[i + 1].kind == WICK_WAIT_NONE;
        static const char *const who[] = {[HOLDER] = "holder", [TASK] = "task", [TAKER] = "consumer"};
        if (i)
            wick_strbuf_addf(out, ", whose %s ", who[l->who]);
        else
            wick_strbuf_addf(out, "%s %s ", l->who == TASK ? "the" : "its", who[l->who]);
        if (l->kind == WICK_WAIT_NONE) {
            double ready = without_cpu(x, function_at(x->f->p, l->stack));
            wick_strbuf_adds(out, ready >= CHAIN_MOST ? "waits for a CPU at " : "is busy at ");
            wick_name_add_frame(out, x->f->p, frame_at(x->f->p, l->stack), WICK_NAME_LINES);
            wick_strbuf_addf(out, " (%.0f %%)", 100 * l->share);
            if (ready >= CHAIN_MOST)
                add_why_no_cpu(x, out);
        } else if (last && elsewhere) {
            wick_strbuf_addf(out, "does (%.0f %%)", 100 * l->share);
        } else {
            wick_strbuf_addf(out, "waits for %s at ", wick_wait_text(l->kind));
            wick_name_add_frame(out, x->f->p, frame_at(x->f->p, l->stack), WICK_NAME_LINES);
            wick_strbuf_addf(out, " (%.0f %%)", 100 * l->share);
        }
    }
}

/* ---- waiting ---- */

static void say_chain(struct wick_explain *x, struct wick_explain_finding *r, const struct place *at)
{
    struct wick_strbuf text = WICK_STRBUF_INIT;
    add_links(x, at, at->via != WICK_WAIT_NONE, &text);
    if (at->nlinks)
        wick_explain_say(x, r, at->via == WICK_WAIT_NONE ? "holder" : "chain", text.buf);
    wick_strbuf_release(&text);
    if (at->via != WICK_WAIT_NONE) {
        wick_explain_figure(r, "through", WICK_EXPLAIN_TIME, (double)at->through_ns);
        wick_explain_say(x, r, "via", wick_wait_text(at->via));
        wick_explain_say_frame(x, r, "waiter", frame_at(x->f->p, at->via_stack));
        wick_explain_link(x, r, wick_wait_name(at->via), frame_at(x->f->p, at->via_stack), 1);
    } else if (at->nlinks) {
        wick_explain_link(x, r, wick_wait_name(at->kind), frame_at(x->f->p, at->stack), 1);
    }
    for (unsigned i = 0; i < at->nlinks; i++) {
        const struct link *l = &at->links[i];
        bool ready = l->kind == WICK_WAIT_NONE && without_cpu(x, function_at(x->f->p, l->stack)) >= CHAIN_MOST;
        const char *kind = l->kind != WICK_WAIT_NONE ? wick_wait_name(l->kind) : ready ? "cpu-wait" : "cpu";
        wick_explain_link(x, r, kind, frame_at(x->f->p, l->stack), l->share);
    }
}

static void say_place(struct wick_explain *x, const struct place *at, double whole)
{
    struct wick_explain_finding *r = wick_explain_found(x, (double)at->ns);
    wick_explain_filter_frame(x, r, frame_at(x->f->p, at->stack));
    wick_explain_share_of(x, r, (double)at->ns, whole, at->quanta);
    wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, (double)at->ns);
    wick_explain_say(x, r, "kind", wick_wait_name(at->kind));
    wick_explain_say(x, r, "what", wick_wait_text(at->kind));
    if (r)
        r->advice = wick_wait_help(at->kind);
    wick_explain_say_frame(x, r, "frame", frame_at(x->f->p, at->stack));
    say_chain(x, r, at);
    wick_explain_say_sequence(x, r, at->kind, at->function, 0);
}

/* Then neither those that run, or block their carriers, nor too few carriers are to blame. A carrier without a virtual
 * thread counts while it could run. */
bool wick_explain_carriers_lack_cpu(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    bool *carries = calloc(f->p->nthreads + 1, sizeof *carries);
    double ready = 0, all = 0;
    x->f->failed |= !carries;
    for (size_t i = 0; carries && i < f->nwall; i++)
        carries[f->wall[i].thread] |= wick_wait_is_mounted(f->p, f->wall[i].stack);
    for (size_t i = 0; carries && i < f->nwall; i++) {
        const struct wick_explain_sample *s = &f->wall[i];
        bool waits = s->state == WICK_EXPLAIN_WAITING_FOR_CPU;
        if (!carries[s->thread] ||
            !(waits || s->state == WICK_EXPLAIN_RUNNABLE || wick_wait_is_mounted(f->p, s->stack)))
            continue;
        all += (double)s->weight_ns;
        ready += waits ? (double)s->weight_ns : 0;
    }
    free(carries);
    return all > 0 && wick_explain_counts(f, ready, WAIT_LEAST) && ready >= CHAIN_MOST * all;
}

/* How long threads of the program were ready to run without a CPU, by samples or, as the sampler may lack CPUs as well,
 * by the kernel; 0 = they had one for most of the time. */
static int64_t without_any_cpu(const struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    int64_t ready = 0, ran = 0;
    for (size_t i = 0; i < f->nwall; i++) {
        const struct wick_explain_sample *s = &f->wall[i];
        bool waits = s->state == WICK_EXPLAIN_WAITING_FOR_CPU;
        if (!wick_explain_has_java(f->p, s->stack) ||
            !(waits || s->state == WICK_EXPLAIN_RUNNABLE || s->state == WICK_EXPLAIN_DEFAULT))
            continue;
        ready = wick_sum(ready, waits ? s->weight_ns : 0);
        ran = wick_sum(ran, waits ? 0 : s->weight_ns);
    }
    const struct wick_explain_parts *parts = &x->out->parts;
    double starved = parts->starved_ns > parts->computed_ns ? parts->starved_ns : 0;
    double sampled = ready > ran ? (double)ready : 0;
    return (int64_t)(starved > sampled ? starved : sampled);
}

/* Whether threads wait there for others of which nothing is known but that threads here lack CPUs, for as long or
 * longer: the machine's rules say so. A peer may be on the same machine. */
static bool may_be_the_machines(const struct place *at, int64_t ready_ns)
{
    bool others = wick_wait_is_lock(at->kind) || at->kind == WICK_WAIT_FUTURE || at->kind == WICK_WAIT_LATCH ||
                  at->kind == WICK_WAIT_QUEUE_FULL || at->kind == WICK_WAIT_PEER;
    return others && !at->nlinks && at->via == WICK_WAIT_NONE && at->ns <= ready_ns;
}

void wick_explain_waiting(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    struct places all = {0};
    int64_t work = 0;
    bool no_cpu = wick_explain_carriers_lack_cpu(x);
    for (size_t i = 0; i < f->nwall; i++) {
        bool said = (x->pool_kinds >> x->waits[i].kind & 1) || (no_cpu && x->waits[i].kind == WICK_WAIT_CARRIER);
        if ((wick_explain_is_trouble(x, i) || wick_explain_joins(x, i)) && !said)
            add_to(x, &all, x->waits[i], f->wall[i].weight_ns, wick_explain_quantum(&f->wall[i]));
        else if (1u << f->wall[i].state & WICK_EXPLAIN_WORK || (no_cpu && x->waits[i].kind == WICK_WAIT_CARRIER))
            work = wick_sum(work, f->wall[i].weight_ns);
    }
    double whole = (double)wick_sum(work, sum_of(&all)), least = LINK_LEAST * whole;
    for (size_t i = 0, n = all.n; i < n; i++)
        if ((double)all.rows[i].ns >= least)
            whole -= (double)follow(x, &all, i);
    sort(&all);
    int64_t ready = without_any_cpu(x);
    for (size_t i = 0; i < all.n; i++) {
        const struct place *at = &all.rows[i];
        if (may_be_the_machines(at, ready)) {
            x->monitors_said_ns += at->kind == WICK_WAIT_MONITOR ? (double)at->ns : 0;
            continue;
        }
        if (wick_explain_share((double)at->ns, whole) < x->rule->threshold ||
            !wick_explain_counts(f, (double)at->ns, WAIT_LEAST))
            break;
        say_place(x, at, whole);
        x->kinds_said |= 1ull << at->kind | 1ull << at->via;
        double direct = (double)at->ns - (double)at->through_ns;
        x->monitors_said_ns += at->kind == WICK_WAIT_MONITOR ? direct : 0;
        x->monitors_said_ns += at->via == WICK_WAIT_MONITOR ? (double)at->through_ns : 0;
    }
    for (size_t i = 0; i < f->nwall; i++)
        if (f->wall[i].state == WICK_EXPLAIN_DISK && wick_explain_is_trouble(x, i) &&
            x->kinds_said >> x->waits[i].kind & 1)
            x->disks_said_ns += (double)f->wall[i].weight_ns;
    free(all.rows);
}

/* ---- a pool all of whose threads are busy ---- */

struct pool {
    uint32_t name; /* what its threads' names have in common */
    uint32_t threads;
    int64_t all_ns, idle_ns, requests_ns; /* requests: of those that it serves */
    double quanta;
};

/* Who waits for tasks, as far as it is known which; time of threads by what they wait for. */
struct awaited {
    bool nested; /* all workers wait for tasks, so that nobody does these */
    int64_t futures, latches, answers;
    int64_t refused; /* of threads that run tasks themselves, which a pool had no room for */
};

/* The pool of each thread of one: of[thread] is 1 + its index. */
static size_t find_pools(struct wick_explain *x, struct pool *pools, uint32_t *of)
{
    struct wick_explain_facts *f = x->f;
    size_t n = 0;
    for (size_t i = 0; i < f->nwall; i++) {
        uint32_t t = f->wall[i].thread, name;
        bool works = wick_wait_is_worker(f->p, f->wall[i].stack);
        if (!t || of[t] || !(works || wick_wait_of(f->p, f->wall[i].stack).in_request))
            continue;
        name = wick_explain_pool_name(f->p, t);
        size_t k = 0;
        while (k < n && pools[k].name != name)
            k++;
        if (k == n)
            pools[n++] = (struct pool){.name = name};
        pools[k].threads++;
        of[t] = (uint32_t)k + 1;
    }
    for (size_t i = 0; i < f->nwall; i++) {
        const struct wick_explain_sample *s = &f->wall[i];
        if (!of[s->thread])
            continue;
        struct pool *o = &pools[of[s->thread] - 1];
        o->all_ns = wick_sum(o->all_ns, s->weight_ns);
        o->quanta += wick_explain_quantum(s);
        if (wick_wait_of(f->p, s->stack).in_request)
            o->requests_ns = wick_sum(o->requests_ns, s->weight_ns);
        if (x->waits[i].kind != WICK_WAIT_NONE && wick_wait_role_of(x->waits[i].kind) == WICK_WAIT_IDLE)
            o->idle_ns = wick_sum(o->idle_ns, s->weight_ns);
    }
    return n;
}

/* A client of this process's own server waits for its answer outside of any request. A full queue is known from who
 * runs what was refused, so that nobody else has to wait. */
static int64_t awaited_of(const struct wick_explain *x, const struct pool *o, const struct awaited *a)
{
    bool serves = (double)o->requests_ns >= CHAIN_MOST * (double)o->all_ns;
    int64_t waited = serves ? a->answers : wick_sum(a->futures, a->latches);
    bool refuses = !serves && waited <= o->all_ns && wick_explain_counts(x->f, (double)a->refused, WAIT_LEAST);
    return refuses ? a->refused : waited;
}

/* Whether more threads wait for tasks than the pool has threads, or its queue is full, and these are never without
 * work. One that is made for some tasks and ends with them has no others that could wait for it. */
static bool is_short(const struct wick_explain *x, const struct pool *o, const struct awaited *a)
{
    double busy = wick_explain_share((double)o->all_ns - (double)o->idle_ns, (double)o->all_ns);
    int64_t waited = awaited_of(x, o, a);
    return wick_explain_counts(x->f, (double)o->all_ns, CHAIN_MOST) && busy >= x->rule->threshold &&
           (waited > o->all_ns || (waited && (waited == a->refused || a->nested)));
}

/* What those do who wait for the pool, of one thread or of several. */
static const char *awaited_text(int64_t waited, const struct awaited *a, int64_t duration_ns)
{
    static const char *const texts[][2] = {
        {"runs its tasks itself, since its queue is full", "run its tasks themselves, since its queue is full"},
        {"waits for answers, perhaps of a server in this process",
         "wait for answers, perhaps of a server in this process"},
        {"waits for latches", "wait for latches"},
        {"waits for futures", "wait for futures"}};
    unsigned which = waited == a->refused ? 0 : waited == a->answers ? 1 : a->latches > a->futures ? 2 : 3;
    return texts[which][waited != duration_ns];
}

static void say_pool(struct wick_explain *x, const struct pool *o, size_t index, const uint32_t *of,
                     const struct awaited *a)
{
    const struct wick_explain_facts *f = x->f;
    int64_t waited = awaited_of(x, o, a);
    struct places does = {0};
    for (size_t i = 0; i < f->nwall; i++) {
        struct wick_wait w = x->waits[i];
        if (of[f->wall[i].thread] != index + 1)
            continue;
        if (w.kind == WICK_WAIT_NONE)
            w.stack = wick_wait_of(f->p, f->wall[i].stack).stack;
        if (w.stack)
            add_to(x, &does, w, f->wall[i].weight_ns, wick_explain_quantum(&f->wall[i]));
    }
    sort(&does);
    struct wick_explain_finding *r = wick_explain_found(x, (double)waited);
    wick_explain_say(x, r, "pool", wick_profile_str(f->p, o->name));
    wick_explain_figure(r, "threads", WICK_EXPLAIN_NUMBER, o->threads);
    char workers[48];
    snprintf(workers, sizeof workers, o->threads == 1 ? "only thread" : "%u threads", o->threads);
    wick_explain_say(x, r, "workers", workers);
    double all = (double)o->all_ns, works = all - (double)o->idle_ns;
    wick_explain_share_of(x, r, works, all, o->quanta * wick_explain_share(works, all));
    wick_explain_figure(r, "waiters", WICK_EXPLAIN_NUMBER, (double)waited / (double)f->duration_ns);
    wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, (double)waited);
    wick_explain_say(x, r, "awaited", awaited_text(waited, a, f->duration_ns));
    if (does.n) {
        const struct place *most = does.rows;
        wick_explain_say(x, r, "kind", most->kind ? wick_wait_name(most->kind) : "cpu");
        wick_explain_say(x, r, "what", most->kind ? wick_wait_text(most->kind) : "a CPU, or compute");
        wick_explain_say_frame(x, r, "frame", frame_at(f->p, most->stack));
        wick_explain_filter_frame(x, r, frame_at(f->p, most->stack));
    }
    free(does.rows);
}

/* Whether all that workers of pools do is to wait for tasks that executors are to run, several of them, without an end.
 */
static bool is_nested(const struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    uint32_t first = 0;
    bool several = false;
    for (size_t i = 0; i < f->nwall; i++) {
        const struct wick_explain_sample *s = &f->wall[i];
        enum wick_wait_kind kind = x->waits[i].kind;
        if (!wick_wait_is_worker(f->p, s->stack) ||
            (kind != WICK_WAIT_NONE && wick_wait_role_of(kind) == WICK_WAIT_IDLE))
            continue;
        if (kind != WICK_WAIT_FUTURE || wick_explain_moved(x, s->thread) || !wick_wait_is_for_task(f->p, s->stack))
            return false;
        first = first ? first : s->thread;
        several |= s->thread != first;
    }
    return several;
}

static struct awaited learn_awaited(const struct wick_explain *x)
{
    struct awaited a = {.nested = is_nested(x)};
    for (size_t i = 0; i < x->f->nwall; i++) {
        const struct wick_wait *w = &x->waits[i];
        int64_t ns = x->f->wall[i].weight_ns;
        if (wick_wait_is_refused(x->f->p, x->f->wall[i].stack))
            a.refused = wick_sum(a.refused, ns);
        if (!wick_explain_is_trouble(x, i) && !(a.nested && w->kind == WICK_WAIT_FUTURE))
            continue;
        if (w->kind == WICK_WAIT_FUTURE)
            a.futures = wick_sum(a.futures, ns);
        else if (w->kind == WICK_WAIT_LATCH && !wick_wait_is_worker(x->f->p, x->f->wall[i].stack))
            a.latches = wick_sum(a.latches, ns);
        else if (w->kind == WICK_WAIT_PEER && !w->in_request)
            a.answers = wick_sum(a.answers, ns);
    }
    return a;
}

void wick_explain_pool_busy(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    struct pool *pools = calloc(f->p->nthreads + 1, sizeof *pools);
    uint32_t *of = calloc(f->p->nthreads + 1, sizeof *of);
    struct awaited a = learn_awaited(x);
    double most = (double)wick_sum(wick_sum(wick_sum(a.futures, a.latches), a.answers), a.refused);
    x->f->failed |= !pools || !of;
    size_t n = pools && of && wick_explain_counts(f, most, WAIT_LEAST) ? find_pools(x, pools, of) : 0;
    const struct pool *worst = NULL;
    for (size_t k = 0; k < n; k++)
        if (is_short(x, &pools[k], &a) && (!worst || pools[k].all_ns > worst->all_ns))
            worst = &pools[k];
    if (worst) {
        bool clients = awaited_of(x, worst, &a) == a.answers;
        say_pool(x, worst, (size_t)(worst - pools), of, &a);
        x->pool_said = true;
        x->pool_kinds = clients ? 1ull << WICK_WAIT_PEER : 1ull << WICK_WAIT_FUTURE | 1ull << WICK_WAIT_LATCH;
        x->kinds_said |= x->pool_kinds;
    }
    free(pools);
    free(of);
}

/* ---- endpoints ---- */

void wick_explain_waits_of_endpoint(struct wick_explain *x, uint32_t endpoint)
{
    const struct wick_explain_facts *f = x->f;
    double all = endpoint ? (double)wick_explain_wall(f, false, endpoint, WICK_EXPLAIN_ALL) : 0;
    int64_t ready = endpoint ? without_any_cpu(x) : 0;
    for (unsigned kind = WICK_WAIT_NONE + 1; endpoint && kind < WICK_WAIT_KINDS; kind++) {
        struct places at = {0};
        for (size_t i = 0; i < f->nwall; i++) {
            struct wick_wait w = x->waits[i];
            w.stack = w.stack ? w.stack : f->wall[i].stack;
            if (f->wall[i].endpoint == endpoint && w.kind == kind && w.stack)
                add_to(x, &at, w, f->wall[i].weight_ns, wick_explain_quantum(&f->wall[i]));
        }
        double waited = (double)sum_of(&at);
        bool starved = (kind == WICK_WAIT_PEER || kind == WICK_WAIT_SOCKET) && waited <= (double)ready;
        sort(&at);
        if (at.n && !starved && wick_explain_share(waited, all) >= x->rule->threshold && !(x->kinds_said >> kind & 1) &&
            wick_explain_counts(f, waited, WAIT_LEAST)) {
            struct wick_explain_finding *r = wick_explain_found(x, waited);
            wick_explain_filter_frame(x, r, frame_at(f->p, at.rows[0].stack));
            wick_explain_say_where(x, r, endpoint);
            double quanta = 0;
            for (size_t k = 0; k < at.n; k++)
                quanta += at.rows[k].quanta;
            wick_explain_share_of(x, r, waited, all, quanta);
            wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, waited);
            wick_explain_say(x, r, "kind", wick_wait_name(kind));
            wick_explain_say(x, r, "what", wick_wait_text(kind));
            if (r)
                r->advice = wick_wait_help(kind);
            wick_explain_say_frame(x, r, "frame", frame_at(f->p, at.rows[0].stack));
            wick_explain_figure(r, "most", WICK_EXPLAIN_TIME, (double)at.rows[0].ns);
            wick_explain_say_sequence(x, r, (enum wick_wait_kind)kind, at.rows[0].function, endpoint);
        }
        free(at.rows);
    }
}
