/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_blame.c - whom threads wait for
 *
 * What is waited for may be held by a thread that waits itself; then the time belongs to the end of that chain, as far
 * as it is known:
 *
 *     lock     -> its owner    by wick.LockOwner: what the owner did during the wait; else by what is done in the
 *                              function, or the class, that takes it
 *     future   -> its task     by the wall-clock samples of the pools' workers, as no event says which task it was
 *     reply    -> likewise, or the thread that is never done
 *     room     -> its consumer by the wall-clock samples of the threads that are never done
 *     answer   -> its server   likewise, of those that take clients or events in this process
 *
 * Each link carries the share of the time that its most common end has in all of them, half of it at least.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "base/sum.h"

#define HELD_LEAST      0.50 /* of the recording: a lock that many wait for is held that long, */
#define HELD_MOST       1.10 /* and by one at a time */
#define COMPLETES_LEAST 2.0  /* samples of a thread that completes futures */
#define DEVIATIONS      2.0  /* as far as samples may be off */
#define WITHIN_LEAST    0.75 /* from how much of a thing is done while others wait by chance (0) to all of it (1) */
#define OUTSIDE_LEAST   8.0  /* samples of it at other times, by chance: with fewer of them, nothing is known */
#define TASKS_LEAST     0.10 /* of the time that one thread waits for tasks: that these take */
#define HELD_UP         0.90 /* of its time: a thread that waits for something else does not get on with its work */

enum { LINKS = WICK_EXPLAIN_LINKS };

/* ---- places ---- */

static struct wick_explain_place *place_of(struct wick_explain *x, struct wick_explain_places *all, struct wick_wait w)
{
    uint32_t function = wick_explain_function_at(x->f->p, w.stack);
    for (size_t i = 0; i < all->n; i++)
        if (all->rows[i].kind == w.kind && all->rows[i].function == function)
            return &all->rows[i];
    struct wick_explain_place *rows = wick_explain_room(all->rows, all->n, &all->cap, sizeof *rows);
    x->f->failed |= !rows;
    if (!rows)
        return NULL;
    all->rows = rows;
    rows[all->n] = (struct wick_explain_place){.kind = w.kind, .function = function, .stack = w.stack};
    return &rows[all->n++];
}

void wick_explain_places_add(struct wick_explain *x, struct wick_explain_places *all, struct wick_wait w, int64_t ns,
                             double quanta)
{
    struct wick_explain_place *at = place_of(x, all, w);
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
    const struct wick_explain_place *x = a, *y = b;
    return x->ns != y->ns ? (x->ns > y->ns ? -1 : 1) : (x->function > y->function) - (x->function < y->function);
}

void wick_explain_places_sort(struct wick_explain_places *all)
{
    if (all->n)
        qsort(all->rows, all->n, sizeof *all->rows, by_time);
}

int64_t wick_explain_places_sum(const struct wick_explain_places *all)
{
    int64_t sum = 0;
    for (size_t i = 0; i < all->n; i++)
        sum = wick_sum(sum, all->rows[i].ns);
    return sum;
}

/* ---- chains ---- */

/* What the owners of the locks did for which threads waited at the place. */
static void owners_of(struct wick_explain *x, const struct wick_explain_place *at, struct wick_explain_places *out)
{
    const struct wick_lock_waits *l = &x->f->locks;
    for (uint32_t i = 0; i < l->nrows; i++) {
        const struct wick_lock_wait_row *r = &l->rows[i];
        if (r->native || !r->owner_stack || r->park != (at->kind != WICK_WAIT_MONITOR))
            continue;
        struct wick_wait waiter = wick_explain_wait_at(x, r->stack), owner = wick_explain_wait_at(x, r->owner_stack);
        if (!waiter.stack || wick_explain_function_at(x->f->p, waiter.stack) != at->function || !owner.stack)
            continue;
        if (wick_wait_role_of(owner.kind) == WICK_WAIT_IDLE)
            owner.kind = WICK_WAIT_NONE;
        if (owner.kind == WICK_WAIT_SOCKET && x->holds_back[wick_explain_function_at(x->f->p, owner.stack)])
            owner.kind = WICK_WAIT_HELD_BACK;
        if (owner.kind == WICK_WAIT_NONE && wick_explain_owner_enters(x, r))
            owner.kind = WICK_WAIT_MONITOR;
        wick_explain_places_add(x, out, owner, r->weight_ns, 0);
    }
    wick_explain_places_sort(out);
}

/* What the thread of wall-clock sample i does: its wait, or (NONE) where the program computes. */
static struct wick_wait doing(const struct wick_explain *x, size_t i)
{
    struct wick_wait w = x->waits[i];
    if (w.kind == WICK_WAIT_NONE)
        w.stack = wick_explain_wait_at(x, x->f->wall[i].stack).stack;
    return w;
}

bool wick_explain_waits_there(const struct wick_explain *x, struct wick_wait w, const struct wick_explain_place *at)
{
    return w.kind == at->kind && w.stack && wick_explain_function_at(x->f->p, w.stack) == at->function;
}

bool wick_explain_goes_through(const struct wick_profile *p, uint32_t stack, uint32_t function)
{
    while (stack && wick_explain_function_at(p, stack) != function)
        stack = p->stacks[stack].parent;
    return stack != 0;
}

/* By function: whether threads wait in it for an object of the pool that is waited for at the place, by its class: a
 * process has pools of several kinds. NULL without memory. */
static bool *takers_of_pool(struct wick_explain *x, const struct wick_explain_place *at)
{
    const struct wick_profile *p = x->f->p;
    bool *takes = calloc(p->nfunctions + 1, sizeof *takes), *lends = calloc(p->nstrings + 1, sizeof *lends);
    x->f->failed |= !takes || !lends;
    for (size_t i = 0; lends && i < x->f->nwall; i++)
        if (wick_explain_waits_there(x, x->waits[i], at))
            lends[x->waits[i].lender] = true;
    for (size_t i = 0; takes && lends && i < x->f->nwall; i++)
        if (x->waits[i].kind == WICK_WAIT_POOL && x->waits[i].stack && lends[x->waits[i].lender])
            takes[wick_explain_function_at(p, x->waits[i].stack)] = true;
    free(lends);
    return takes;
}

static bool goes_through_any(const struct wick_profile *p, uint32_t stack, const bool *functions)
{
    while (stack && !functions[wick_explain_function_at(p, stack)])
        stack = p->stacks[stack].parent;
    return stack != 0;
}

/* Whether wall-clock sample i is of who has what is waited for at the place, doing `w`: it is in the function that
 * waits there, and does not wait. An object of a pool is lent to any function that asks for one, and one that gives it
 * back at once is hardly seen to have it: of a pool, it is in a function that waits for one of the same. */
static bool is_within(const struct wick_explain *x, size_t i, struct wick_wait w, const struct wick_explain_place *at,
                      const bool *takes)
{
    uint32_t stack = x->f->wall[i].stack;
    bool waits = takes ? w.kind == WICK_WAIT_POOL : wick_explain_waits_there(x, w, at);
    return w.stack && wick_wait_role_of(w.kind) != WICK_WAIT_IDLE && !waits &&
           (takes ? goes_through_any(x->f->p, stack, takes) : wick_explain_goes_through(x->f->p, stack, at->function));
}

/* What is done by those who have what is waited for at the place. */
static void within(struct wick_explain *x, const struct wick_explain_place *at, struct wick_explain_places *out)
{
    const struct wick_explain_facts *f = x->f;
    bool *takes = at->kind == WICK_WAIT_POOL ? takers_of_pool(x, at) : NULL;
    for (size_t i = 0; i < f->nwall && (takes || at->kind != WICK_WAIT_POOL); i++) {
        struct wick_wait w = doing(x, i);
        if (is_within(x, i, w, at, takes))
            wick_explain_places_add(x, out, w, f->wall[i].weight_ns, wick_explain_quantum(&f->wall[i]));
    }
    free(takes);
    wick_explain_places_sort(out);
}

bool wick_explain_has_lent(struct wick_explain *x, const struct wick_explain_place *at, bool *lent)
{
    bool *takes = at->kind == WICK_WAIT_POOL ? takers_of_pool(x, at) : NULL, any = false;
    for (size_t i = 0; takes && i < x->f->nwall; i++)
        any |= lent[i] = is_within(x, i, doing(x, i), at, takes);
    free(takes);
    return any;
}

/* Where no event says who owned the lock (virtual threads): what is done in the function that takes it, by those who
 * have it. One has it at a time, so that is as much time as was recorded, if the lock was held most of that; if it is
 * more, or much less, the function does something else as well. */
static void insiders(struct wick_explain *x, const struct wick_explain_place *at, struct wick_explain_places *out)
{
    within(x, at, out);
    double sum = (double)wick_explain_places_sum(out), all = (double)x->f->duration_ns, quanta = 0;
    for (size_t i = 0; i < out->n; i++)
        quanta += out->rows[i].quanta;
    double off = DEVIATIONS * sqrt(quanta);
    if (sum + off < HELD_LEAST * all || sum - off > HELD_MOST * all)
        out->n = 0;
}

/* ---- a lock that other methods of the same class take as well ---- */

/* A time in which a thread waited at the place, by its event. */
struct span {
    int64_t from_ns, to_ns;
};

static double length_of(struct span s)
{
    return (double)((__int128)s.to_ns - s.from_ns);
}

static int by_start(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

/* The times in which at least one thread waited at the place, in order; *n of them. The caller frees them. */
static struct span *spans_of(struct wick_explain *x, const struct wick_explain_place *at, size_t *n)
{
    const struct wick_lock_waits *l = &x->f->locks;
    struct span *rows = calloc(l->nrows + 1, sizeof *rows);
    size_t all = 0, kept = 0;
    x->f->failed |= !rows;
    for (uint32_t i = 0; rows && i < l->nrows; i++) {
        const struct wick_lock_wait_row *r = &l->rows[i];
        struct wick_wait w = r->park && !r->native ? wick_explain_wait_at(x, r->stack) : (struct wick_wait){0};
        if (w.kind == at->kind && w.stack && wick_explain_function_at(x->f->p, w.stack) == at->function &&
            r->duration_ns > 0)
            rows[all++] = (struct span){r->start_ns, wick_sum(r->start_ns, r->duration_ns)};
    }
    if (all)
        qsort(rows, all, sizeof *rows, by_start);
    for (size_t i = 0; i < all; i++)
        if (kept && rows[i].from_ns <= rows[kept - 1].to_ns)
            rows[kept - 1].to_ns = rows[i].to_ns > rows[kept - 1].to_ns ? rows[i].to_ns : rows[kept - 1].to_ns;
        else
            rows[kept++] = rows[i];
    *n = kept;
    return rows;
}

/* The share of a sample's time that lies in the spans. */
static double share_in(const struct span *spans, size_t n, const struct wick_explain_sample *s)
{
    size_t low = 0, high = n; /* the first one that ends after the sample begins */
    int64_t from = s->time_ns, to = wick_sum(from, s->span_ns > 0 ? s->span_ns : 1);
    double in = 0;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (spans[mid].to_ns > from)
            high = mid;
        else
            low = mid + 1;
    }
    for (; low < n && spans[low].from_ns < to; low++)
        in += length_of((struct span){spans[low].from_ns > from ? spans[low].from_ns : from,
                                      spans[low].to_ns < to ? spans[low].to_ns : to});
    return wick_explain_share(in, length_of((struct span){from, to}));
}

/* Whether the stack has a method of the class, or of one within it: "app/Board" has "app/Board$1" and lambdas. */
static bool goes_through_class(const struct wick_profile *p, uint32_t stack, const char *class_name)
{
    size_t len = strlen(class_name);
    for (uint32_t s = stack; s; s = p->stacks[s].parent) {
        const char *name = wick_profile_str(p, p->functions[wick_explain_function_at(p, s)].class_name);
        if (!strncmp(name, class_name, len) && (!name[len] || name[len] == '$'))
            return true;
    }
    return false;
}

/* Whether threads that wait at the place read what clients send: those may be of this process, and wait as well. */
static bool answers(const struct wick_explain *x, const struct wick_explain_place *at)
{
    const struct wick_explain_facts *f = x->f;
    bool *here = calloc(f->p->nthreads + 1, sizeof *here), found = !here;
    x->f->failed |= !here;
    for (size_t i = 0; here && i < f->nwall; i++)
        if (wick_explain_waits_there(x, x->waits[i], at))
            here[f->wall[i].thread] = true;
    for (size_t i = 0; here && i < f->nwall; i++) {
        enum wick_wait_kind kind = x->waits[i].kind;
        found |= here[f->wall[i].thread] && (kind == WICK_WAIT_SOCKET || kind == WICK_WAIT_HELD_BACK ||
                                             kind == WICK_WAIT_CLIENT || kind == WICK_WAIT_EVENT);
    }
    free(here);
    return found;
}

/* Whether wall-clock sample i may be of who has the lock: in the class it computes, or waits for what is outside of the
 * process. What other threads of it end may be what waits for the lock; so may an answer, if these give one. */
static bool may_hold(const struct wick_explain *x, size_t i, struct wick_wait w, const char *class_name, bool answered)
{
    bool socket = w.kind == WICK_WAIT_SOCKET || w.kind == WICK_WAIT_PEER;
    bool works = w.kind == WICK_WAIT_NONE ? 1u << x->f->wall[i].state & WICK_EXPLAIN_WORK
                                          : wick_wait_role_of(w.kind) == WICK_WAIT_TROUBLE || socket;
    return works && w.stack && !wick_explain_is_inner(w.kind) && !(socket && answered) &&
           goes_through_class(x->f->p, x->f->wall[i].stack, class_name);
}

/* Who holds a lock of a class is mostly in another method of that class than who waits for it. What these methods do
 * without the lock, they do whether others wait or not; what its holder does is done while others wait, and hardly ever
 * at other times, so that the events of the waits show which it is. As much time as was waited, if not more, goes to
 * it. */
static void relatives(struct wick_explain *x, const struct wick_explain_place *at, struct wick_explain_places *out)
{
    const struct wick_explain_facts *f = x->f;
    const struct wick_profile *p = f->p;
    size_t nspans = 0;
    struct span *spans = spans_of(x, at, &nspans);
    struct wick_explain_places during = {0}; /* of each place in `out` that part of its time in which others waited */
    const char *class_name = wick_profile_str(p, p->functions[at->function].class_name);
    bool answered = answers(x, at);
    double waited = 0;
    for (size_t i = 0; i < nspans; i++)
        waited += length_of(spans[i]);
    /* of the time in which there are waits: before and after nobody may have had work */
    struct span load = nspans ? (struct span){spans[0].from_ns, spans[nspans - 1].to_ns} : (struct span){0, 1};
    bool alone = at->kind == WICK_WAIT_LOCK || at->kind == WICK_WAIT_READ_LOCK; /* one has it, or a writer does */
    double chance = waited / length_of(load), held = 0;
    for (size_t i = 0; nspans && chance < 1 && i < f->nwall; i++) {
        struct wick_wait w = doing(x, i);
        bool then = f->wall[i].time_ns >= load.from_ns && f->wall[i].time_ns < load.to_ns;
        if (!then || !may_hold(x, i, w, class_name, answered))
            continue;
        double in = share_in(spans, nspans, &f->wall[i]);
        double seen = f->wall[i].count ? (double)f->wall[i].count : 1;
        wick_explain_places_add(x, out, w, f->wall[i].weight_ns, wick_explain_quantum(&f->wall[i]));
        /* in place of quanta: how often it would have been seen at other times, if it did not matter when */
        wick_explain_places_add(x, &during, w, (int64_t)(in * (double)f->wall[i].weight_ns), seen * (1 - chance));
    }
    size_t kept = 0;
    for (size_t i = 0; i < out->n && i < during.n; i++) {
        double in = wick_explain_share((double)during.rows[i].ns, (double)out->rows[i].ns);
        if (in < chance + (1 - chance) * WITHIN_LEAST || during.rows[i].quanta < OUTSIDE_LEAST)
            continue;
        held += (double)during.rows[i].ns;
        out->rows[kept++] = out->rows[i];
    }
    out->n = held >= HELD_LEAST * waited && held > 0 && !(alone && held > HELD_MOST * waited) ? kept : 0;
    free(spans);
    free(during.rows);
    wick_explain_places_sort(out);
}

/* ---- tasks ---- */

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
        const struct wick_function *f = &p->functions[wick_explain_function_at(p, s)];
        const char *name = wick_profile_str(p, f->name), *in = written_in(name, &other);
        if (in != name && f->class_name == w->class_name && wick_explain_function_at(p, s) != waiter && other == len &&
            !memcmp(in, method, len))
            return true;
    }
    return false;
}

/* What the workers of pools do, if they do something; own: those only that run what the waiting method gave them, or
 * threads that do. */
static void tasks(struct wick_explain *x, const struct wick_explain_place *at, bool own,
                  struct wick_explain_places *out)
{
    bool joins = at->kind == WICK_WAIT_THREAD;
    const struct wick_explain_facts *f = x->f;
    for (size_t i = 0; i < f->nwall; i++) {
        struct wick_wait w = doing(x, i);
        if (!w.stack || wick_wait_role_of(w.kind) == WICK_WAIT_IDLE ||
            (!joins && !wick_wait_is_worker(f->p, f->wall[i].stack)))
            continue;
        if (!own || (is_task_of(f->p, f->wall[i].stack, at->function) && !wick_explain_waits_there(x, w, at)))
            wick_explain_places_add(x, out, w, f->wall[i].weight_ns, wick_explain_quantum(&f->wall[i]));
    }
    wick_explain_places_sort(out);
}

/* For how long the thread waits there that does so longest; of samples of no thread, or of many, it is not known. */
static int64_t longest_at(struct wick_explain *x, const struct wick_explain_place *at)
{
    const struct wick_explain_facts *f = x->f;
    int64_t *waits = calloc(f->p->nthreads + 1, sizeof *waits), longest = 0;
    x->f->failed |= !waits;
    for (size_t i = 0; waits && i < f->nwall; i++) {
        int64_t *ns = &waits[f->wall[i].thread];
        bool one = f->wall[i].thread && !wick_profile_thread_is_many(&f->p->threads[f->wall[i].thread]);
        *ns = one && wick_explain_waits_there(x, x->waits[i], at) ? wick_sum(*ns, f->wall[i].weight_ns) : *ns;
        longest = *ns > longest ? *ns : longest;
    }
    free(waits);
    return longest;
}

/* What threads of no pool do that complete futures, in what they complete: it keeps other futures waiting if it takes
 * most of the time. */
static void completers(struct wick_explain *x, struct wick_explain_places *out)
{
    const struct wick_explain_facts *f = x->f;
    for (size_t i = 0; i < f->nwall; i++) {
        struct wick_wait w = doing(x, i);
        if (w.stack && wick_wait_is_completing(f->p, f->wall[i].stack) && !wick_wait_is_worker(f->p, f->wall[i].stack))
            wick_explain_places_add(x, out, w, f->wall[i].weight_ns, wick_explain_quantum(&f->wall[i]));
    }
    if (!wick_explain_counts(f, (double)wick_explain_places_sum(out), HELD_LEAST))
        out->n = 0;
    wick_explain_places_sort(out);
}

/* The only thread that is seen to complete futures, and often enough; 0 = there is none, or several are. */
static uint32_t only_completer(const struct wick_explain_facts *f)
{
    uint32_t thread = 0;
    double seen = 0;
    for (size_t i = 0; i < f->nwall + f->ncpu; i++) {
        const struct wick_explain_sample *s = i < f->nwall ? &f->wall[i] : &f->cpu[i - f->nwall];
        if (!wick_wait_is_completing(f->p, s->stack))
            continue;
        if (!s->thread || (thread && thread != s->thread) || wick_profile_thread_is_many(&f->p->threads[s->thread]))
            return 0;
        thread = s->thread;
        seen += s->count > 1 ? (double)s->count : 1;
    }
    return seen >= COMPLETES_LEAST ? thread : 0;
}

/* How the parks at a place ended. */
struct ends {
    double all_ns, timed_ns; /* by their time-outs */
    double all, timed;       /* numbers of them */
};

static struct ends ends_of(struct wick_explain *x, const struct wick_explain_place *at)
{
    const struct wick_lock_waits *l = &x->f->locks;
    struct ends e = {0};
    for (uint32_t i = 0; i < l->nrows; i++) {
        const struct wick_lock_wait_row *r = &l->rows[i];
        struct wick_wait w = r->park && !r->native ? wick_explain_wait_at(x, r->stack) : (struct wick_wait){0};
        if (w.kind != at->kind || !w.stack || wick_explain_function_at(x->f->p, w.stack) != at->function)
            continue;
        double ns = (double)r->weight_ns, n = wick_explain_share(ns, (double)r->duration_ns);
        e.all_ns += ns;
        e.all += n;
        e.timed_ns += r->timed_out ? ns : 0;
        e.timed += r->timed_out ? n : 0;
    }
    return e;
}

double wick_explain_ran_out(struct wick_explain *x, const struct wick_explain_place *at)
{
    struct ends e = ends_of(x, at);
    return wick_explain_share(e.timed_ns, e.all_ns);
}

/* Whether a batch is waited for there: several elements come, until a time-out ends the wait for more. Who polls for
 * slow answers waits for time-outs again and again before one comes. */
static bool lingers_at(struct wick_explain *x, const struct wick_explain_place *at)
{
    struct ends e = ends_of(x, at);
    return wick_explain_share(e.timed_ns, e.all_ns) >= WICK_EXPLAIN_CHAIN_MOST && e.timed <= e.all / 2;
}

/* Where the only thread that completes futures waits until a time has passed: for a batch to fill up, say. Those that
 * wait for futures wait for that time, if it takes half of the recording or more. */
static void lingerers(struct wick_explain *x, const struct wick_explain_place *at, struct wick_explain_places *out)
{
    const struct wick_explain_facts *f = x->f;
    uint32_t thread = only_completer(f);
    for (size_t i = 0; thread && i < f->nwall; i++)
        if (wick_explain_waits_there(x, x->waits[i], at) &&
            (f->wall[i].thread == thread || wick_wait_is_for_task(f->p, f->wall[i].stack)))
            return; /* it waits as well, or others wait for what a pool runs */
    for (size_t i = 0; thread && i < f->nwall; i++) {
        struct wick_wait w = doing(x, i);
        if (f->wall[i].thread == thread && w.stack)
            wick_explain_places_add(x, out, w, f->wall[i].weight_ns, wick_explain_quantum(&f->wall[i]));
    }
    wick_explain_places_sort(out);
    bool rests = out->n && (out->rows->kind == WICK_WAIT_QUEUE || out->rows->kind == WICK_WAIT_CONDITION);
    if (!rests || !wick_explain_counts(f, (double)out->rows->ns, HELD_LEAST) || !lingers_at(x, out->rows))
        out->n = 0;
}

/* Time of a thread: all, that in which it acts, and that in waits that are trouble; whether it waits at the place. */
struct held {
    int64_t all_ns, acts_ns, held_ns, ready_ns;
    bool here, serves;
};

static void learn_held(struct wick_explain *x, const struct wick_explain_place *at, struct held *of)
{
    const struct wick_explain_facts *f = x->f;
    for (size_t i = 0; i < f->nwall; i++) {
        struct held *h = &of[f->wall[i].thread];
        int64_t ns = f->wall[i].weight_ns;
        bool here = wick_explain_waits_there(x, x->waits[i], at);
        h->here |= here;
        h->serves |= x->waits[i].kind == WICK_WAIT_CLIENT || x->waits[i].kind == WICK_WAIT_EVENT;
        h->all_ns = wick_sum(h->all_ns, ns);
        h->acts_ns = wick_sum(h->acts_ns, wick_explain_course_of(x, i) == WICK_EXPLAIN_ACTS ? ns : 0);
        h->held_ns = wick_sum(h->held_ns, wick_explain_is_trouble(x, i) && !here ? ns : 0);
        if (f->wall[i].state == WICK_EXPLAIN_WAITING_FOR_CPU)
            h->ready_ns = wick_sum(h->ready_ns, ns);
    }
    for (size_t i = 0; i < f->ncpu; i++) {
        enum wick_wait_kind kind = wick_explain_wait_at(x, f->cpu[i].stack).kind;
        of[f->cpu[i].thread].serves |= kind == WICK_WAIT_CLIENT || kind == WICK_WAIT_EVENT;
    }
}

/* What other threads than those that wait at the place do, if one of them may be who ends these waits: one that acts
 * nearly all the time, as it is never done; or, if there is none, one that has something to wait for nearly all the
 * time it has CPUs. servers: only those that take clients or events. */
static void never_done(struct wick_explain *x, const struct wick_explain_place *at, bool servers,
                       struct wick_explain_places *out)
{
    const struct wick_explain_facts *f = x->f;
    struct held *of = calloc(f->p->nthreads + 1, sizeof *of);
    bool acting = false;
    x->f->failed |= !of;
    if (of)
        learn_held(x, at, of);
    if (of)
        of[0] = (struct held){0}; /* samples of no thread */
    for (uint32_t t = 1; of && t < f->p->nthreads; t++) {
        struct held *h = &of[t];
        bool lasts = (double)h->all_ns >= HELD_UP * (double)f->duration_ns && !h->here && (h->serves || !servers);
        bool acts = lasts && (double)h->acts_ns >= HELD_UP * (double)h->all_ns;
        bool held = lasts && (double)h->held_ns >= HELD_UP * ((double)h->all_ns - (double)h->ready_ns) &&
                    h->held_ns > h->ready_ns;
        *h = (struct held){.acts_ns = acts, .held_ns = held};
        acting |= acts;
    }
    for (size_t i = 0; of && i < f->nwall; i++) {
        const struct held *h = &of[f->wall[i].thread];
        struct wick_wait w = doing(x, i);
        enum wick_explain_act course = wick_explain_course_of(x, i);
        bool counts = acting ? h->acts_ns && course == WICK_EXPLAIN_ACTS
                             : h->held_ns && (wick_explain_is_trouble(x, i) || course == WICK_EXPLAIN_ACTS);
        if (w.stack && counts)
            wick_explain_places_add(x, out, w, f->wall[i].weight_ns, wick_explain_quantum(&f->wall[i]));
    }
    free(of);
    wick_explain_places_sort(out);
}

/* What most of the time went to, NULL = to nothing half of it; tasks that compute in many places compute. */
static const struct wick_explain_place *main_of(const struct wick_explain_places *all, bool tasks)
{
    double sum = (double)wick_explain_places_sum(all), computed = 0;
    const struct wick_explain_place *busiest = NULL;
    for (size_t i = all->n; i-- > 0;)
        if (all->rows[i].kind == WICK_WAIT_NONE) {
            computed += (double)all->rows[i].ns;
            busiest = &all->rows[i];
        }
    if (tasks && busiest && computed >= WICK_EXPLAIN_CHAIN_MOST * sum)
        return busiest;
    return all->n && (double)all->rows->ns >= WICK_EXPLAIN_CHAIN_MOST * sum ? all->rows : NULL;
}

bool wick_explain_borrowers(struct wick_explain *x, const struct wick_explain_place *at, struct wick_explain_link *out)
{
    struct wick_explain_places have = {0};
    if (at->kind == WICK_WAIT_SEMAPHORE || at->kind == WICK_WAIT_POOL)
        within(x, at, &have);
    double sum = (double)wick_explain_places_sum(&have);
    const struct wick_explain_place *most = main_of(&have, true);
    bool found = most && wick_explain_counts(x->f, sum, HELD_LEAST);
    if (found)
        *out = (struct wick_explain_link){.kind = most->kind,
                                          .stack = most->stack,
                                          .share = wick_explain_share((double)most->ns, sum),
                                          .threads = wick_explain_share(sum, (double)x->f->duration_ns),
                                          .who = WICK_EXPLAIN_BORROWER};
    free(have.rows);
    return found;
}

/* Whether threads wait there for others to end: as long as these do not wait themselves, that is no trouble. */
static bool ends(enum wick_wait_kind kind)
{
    return kind == WICK_WAIT_POOL_END || kind == WICK_WAIT_THREAD;
}

/* What keeps a place waiting: the most common thing that owners or tasks do. False if nothing is, or nothing is known.
 */
static bool next_link(struct wick_explain *x, const struct wick_explain_place *at, struct wick_explain_link *out)
{
    struct wick_explain_places links = {0};
    bool lock = wick_wait_is_lock(at->kind), joins = at->kind == WICK_WAIT_THREAD, end = ends(at->kind),
         reply = at->kind == WICK_WAIT_REPLY,
         task = end || reply || at->kind == WICK_WAIT_FUTURE || at->kind == WICK_WAIT_LATCH;
    if (lock)
        owners_of(x, at, &links);
    if (lock && !links.n)
        insiders(x, at, &links);
    if (lock && at->kind != WICK_WAIT_MONITOR && !links.n)
        relatives(x, at, &links);
    if (task)
        tasks(x, at, true, &links);
    if (task && !joins && !links.n)
        tasks(x, at, false, &links);
    if (at->kind == WICK_WAIT_FUTURE &&
        (double)wick_explain_places_sum(&links) < TASKS_LEAST * (double)longest_at(x, at))
        links.n = 0; /* they only complete what comes from elsewhere: an answer, a time that is over */
    bool completes = at->kind == WICK_WAIT_FUTURE && !links.n;
    if (completes)
        completers(x, &links);
    completes &= links.n > 0;
    bool lingers = at->kind == WICK_WAIT_FUTURE && !links.n;
    if (lingers)
        lingerers(x, at, &links);
    if (end && (double)wick_explain_places_sum(&links) < WICK_EXPLAIN_CHAIN_MOST * (double)at->ns)
        links.n = 0; /* there are hardly any */
    bool taker = at->kind == WICK_WAIT_QUEUE_FULL, server = at->kind == WICK_WAIT_PEER;
    if (taker || server || (reply && !links.n))
        never_done(x, at, server, &links);
    const struct wick_explain_place *most = main_of(&links, !lock);
    bool found =
        most && (lock || taker || server || reply || at->kind == WICK_WAIT_FUTURE || most->kind != WICK_WAIT_NONE);
    if (found)
        *out = (struct wick_explain_link){
            .kind = most->kind,
            .stack = most->stack,
            .share = wick_explain_share((double)most->ns, (double)wick_explain_places_sum(&links)),
            .threads = wick_explain_share((double)wick_explain_places_sum(&links), (double)x->f->duration_ns),
            .who = lock        ? WICK_EXPLAIN_HOLDER
                   : completes ? WICK_EXPLAIN_COMPLETER
                   : lingers   ? WICK_EXPLAIN_GATHERER
                   : task      ? WICK_EXPLAIN_TASK
                   : server    ? WICK_EXPLAIN_SERVER
                               : WICK_EXPLAIN_TAKER};
    free(links.rows);
    return found;
}

/* Appends links to the place's until one ends the chain; returns the last place that waits. */
static struct wick_wait walk(struct wick_explain *x, struct wick_explain_place *from)
{
    struct wick_wait end = {from->kind, from->stack};
    struct wick_explain_place at = *from;
    from->nlinks = 0;
    while (from->nlinks < LINKS) {
        struct wick_explain_link l;
        if (!next_link(x, &at, &l))
            break;
        uint32_t function = wick_explain_function_at(x->f->p, l.stack);
        bool seen = l.kind == from->kind && function == from->function;
        for (unsigned i = 0; i < from->nlinks; i++)
            seen |=
                l.kind == from->links[i].kind && function == wick_explain_function_at(x->f->p, from->links[i].stack);
        if (seen)
            break;
        from->links[from->nlinks++] = l;
        if (l.kind == WICK_WAIT_NONE)
            break;
        end = (struct wick_wait){l.kind, l.stack};
        at = (struct wick_explain_place){.kind = l.kind, .function = function, .stack = l.stack};
    }
    return end;
}

/* Whether threads take turns at receiving datagrams: one waits for the next one with a lock, for which the others stand
 * by in the same function. */
static bool stand_by(const struct wick_explain *x, const struct wick_explain_place *from, const struct wick_wait *end)
{
    return wick_wait_is_lock(from->kind) && end->kind == WICK_WAIT_SOCKET && from->nlinks == 1 &&
           wick_explain_function_at(x->f->p, end->stack) == from->function &&
           wick_explain_receives_only(x, from->function);
}

/* Moves the time of place i to where the chain ends. Returns time that is nobody's waiting. */
int64_t wick_explain_follow(struct wick_explain *x, struct wick_explain_places *all, size_t i)
{
    struct wick_explain_place from = all->rows[i];
    struct wick_wait end = walk(x, &from);
    if (ends(from.kind) && !from.nlinks && !from.request) {
        all->rows[i].ns = 0; /* that a pool or thread has not ended is no news where its tasks do not wait */
        return from.ns;
    }
    if (from.kind == WICK_WAIT_FUTURE && from.nlinks == 1 && from.links[0].kind == WICK_WAIT_NONE) {
        all->rows[i].ns = 0; /* its task computes: that is what other rules see */
        return 0;
    }
    if (stand_by(x, &from, &end)) {
        all->rows[i].ns = 0;
        x->monitors_said_ns += from.kind == WICK_WAIT_MONITOR ? (double)from.ns : 0;
        return from.ns;
    }
    if (end.kind == from.kind && end.stack == from.stack) {
        if (from.via == WICK_WAIT_NONE)
            all->rows[i] = from; /* with what its holder computes */
        return 0;
    }
    struct wick_explain_place *to = place_of(x, all, end);
    if (!to)
        return 0;
    all->rows[i].ns = 0;
    to->ns = wick_sum(to->ns, from.ns);
    to->quanta += from.quanta;
    to->through_ns = wick_sum(to->through_ns, from.ns);
    to->futures_ns = wick_sum(to->futures_ns, from.kind == WICK_WAIT_FUTURE ? from.ns : 0);
    if (to->via != WICK_WAIT_NONE && from.ns < to->heaviest_ns)
        return 0;
    to->heaviest_ns = from.ns;
    to->via = from.kind;
    to->via_stack = from.stack;
    to->nlinks = from.nlinks;
    memcpy(to->links, from.links, sizeof to->links);
    return 0;
}
