/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_stuck.c - the rule of `wick explain` about threads that wait for a lock and never get it
 *
 * Two things show such threads. A thread none of whose waits ended, and all of whose samples are at one place, waited
 * for the whole recording: in a deadlock, or for a holder that does not let go. And the agent searches for deadlocks
 * while it records waiting for locks (wick.Deadlock), which also finds one that arose during the
 * recording. Where the JVM was asked itself, its word counts.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "base/sum.h"
#include "model/name.h"

#define STUCK_SPAN 0.80 /* of the recording that a stuck thread was seen to wait */

enum { STUCK_SHOWN = 3, CYCLE_SHOWN = 4 }; /* threads in a sentence */

struct stuck {
    int64_t *ns;      /* by thread: how long it waited for a lock; -1 = it did not only wait */
    uint32_t *where;  /* by thread: the stack, cut at the program's function */
    bool *circle;     /* by thread: it is in a deadlock */
    bool *class_init; /* by thread: it waits for the initialiser of a class */
};

/* Whether the sample is of a thread that the scheduler or a safepoint holds, wherever it is. */
static bool is_held(const struct wick_explain_sample *s)
{
    return s->state == WICK_EXPLAIN_DEFAULT || s->state == WICK_EXPLAIN_RUNNABLE ||
           s->state == WICK_EXPLAIN_WAITING_FOR_CPU || s->state == WICK_EXPLAIN_SAFEPOINT;
}

/* Threads that waited for a lock and did nothing else. A monitor's waiter
 * may wake now and then to check whether it is free, so CPU time says less than that it stays where it is and that none
 * of its waits ended. */
static void find_stuck(const struct wick_explain *x, const struct stuck *o)
{
    const struct wick_explain_facts *f = x->f;
    int64_t *ns = o->ns;
    uint32_t *where = o->where;
    for (uint32_t i = 0; i < f->locks.nrows; i++)
        ns[f->locks.rows[i].thread] = -1;
    for (uint32_t t = 0; !f->locks.recorded && t < f->p->nthreads; t++)
        ns[t] = wick_explain_moved(x, t) ? -1 : 0;
    for (size_t i = 0; i < f->nwall; i++) {
        const struct wick_explain_sample *s = &f->wall[i];
        uint32_t at = x->waits[i].stack;
        if (ns[s->thread] < 0 || !s->thread || wick_profile_thread_is_many(&f->p->threads[s->thread]))
            continue;
        bool class_init = x->waits[i].kind == WICK_WAIT_CLASS_INIT;
        bool waits = class_init || wick_wait_is_lock(x->waits[i].kind);
        o->class_init[s->thread] |= class_init;
        if (!waits && is_held(s))
            at = wick_explain_wait_at(x, s->stack).stack;
        if (!where[s->thread])
            where[s->thread] = at;
        bool same = at && f->p->stacks[where[s->thread]].frame == f->p->stacks[at].frame;
        if (!same || (!waits && !is_held(s)))
            ns[s->thread] = -1;
        else if (waits)
            ns[s->thread] = wick_sum(ns[s->thread], s->weight_ns);
    }
}

/* Threads of deadlocks, wherever they were before: what they waited for locks, and where at last. */
static void find_circles(const struct wick_explain *x, const struct stuck *o)
{
    const struct wick_explain_facts *f = x->f;
    for (size_t i = 0; i < f->nlocked; i++) {
        o->circle[f->locked[i].thread] = true;
        o->ns[f->locked[i].thread] = 0;
    }
    for (size_t i = 0; f->nlocked && i < f->nwall; i++) {
        const struct wick_explain_sample *s = &f->wall[i];
        if (!o->circle[s->thread] || !wick_wait_is_lock(x->waits[i].kind))
            continue;
        o->ns[s->thread] = wick_sum(o->ns[s->thread], s->weight_ns);
        o->where[s->thread] = x->waits[i].stack;
    }
}

/* "a waits for a monitor that b holds, b waits for a java.util...ReentrantLock$NonfairSync that a holds" */
static void add_circle(const struct wick_explain_facts *f, struct wick_strbuf *out)
{
    for (size_t i = 0; i < f->nlocked && i < CYCLE_SHOWN; i++) {
        const struct wick_explain_locked *l = &f->locked[i];
        const char *class_name = wick_profile_str(f->p, l->class_name);
        wick_strbuf_addf(out, "%s%s waits for a ", i ? ", " : "",
                         wick_profile_str(f->p, f->p->threads[l->thread].name));
        if (*class_name)
            wick_name_add_class(out, class_name, strlen(class_name), 0);
        else
            wick_strbuf_adds(out, "monitor");
        wick_strbuf_addf(out, " that %s holds", wick_profile_str(f->p, f->p->threads[l->owner].name));
    }
    if (f->nlocked > CYCLE_SHOWN)
        wick_strbuf_addf(out, ", and %zu more", f->nlocked - CYCLE_SHOWN);
}

/* A deadlock is a fact if the JVM says so, or the search for them. Neither knows of classes' initialisers. */
static void say_verdict(struct wick_explain *x, struct wick_explain_finding *r, bool class_init)
{
    const struct wick_explain_facts *f = x->f;
    struct wick_strbuf circle = WICK_STRBUF_INIT;
    const char *verdict = "a deadlock, or a holder that does not let go";
    if (class_init && !f->nlocked && (!f->deadlock || !*f->deadlock))
        verdict = "initialisers of classes that wait for each other, or one that does not end";
    else if (f->deadlock && *f->deadlock)
        verdict = "a deadlock, as the JVM finds it";
    else if (f->deadlock)
        verdict = "no deadlock, as the JVM finds none, but a holder that does not let go";
    else if (f->nlocked)
        verdict = "a deadlock, as found while it was recorded";
    else if (f->searched)
        verdict = "no deadlock, as none was found while it was recorded, but a holder that does not let go";
    wick_explain_say(x, r, "verdict", verdict);
    if (!f->deadlock)
        add_circle(f, &circle);
    else
        wick_strbuf_adds(&circle, f->deadlock);
    if (circle.len) {
        wick_explain_say(x, r, "cycle", circle.buf);
        if (r)
            r->advice = "take these locks in one order everywhere, or with tryLock; nothing but a restart ends it";
    }
    wick_strbuf_release(&circle);
}

static void add_stuck_thread(const struct wick_explain *x, uint32_t thread, uint32_t where, struct wick_strbuf *out)
{
    const struct wick_profile *p = x->f->p;
    wick_strbuf_addf(out, "%s%s", out->len ? ", " : "", wick_profile_str(p, p->threads[thread].name));
    if (!where)
        return;
    wick_strbuf_adds(out, " at ");
    wick_name_add_frame(out, p, p->stacks[where].frame, WICK_NAME_LINES);
}

/* A thread that may have the lock which others of its name wait for, as it is in the function in which they wait, and
 * does what they would; so do all of that name that are not stuck. 0 = there is none, or some do not. */
static uint32_t active_one(struct wick_explain *x, uint32_t waiter, uint32_t where)
{
    const struct wick_explain_facts *f = x->f;
    uint32_t name = wick_explain_pool_name(f->p, waiter), function = wick_explain_function_at(f->p, where), active = 0;
    struct {
        int64_t all, in, waits;
    } *of = calloc(f->p->nthreads + 1, sizeof *of);
    x->f->failed |= !of;
    for (size_t i = 0; of && i < f->nwall; i++) {
        uint32_t t = f->wall[i].thread;
        of[t].all = wick_sum(of[t].all, f->wall[i].weight_ns);
        if (wick_explain_goes_through(f->p, f->wall[i].stack, function))
            of[t].in = wick_sum(of[t].in, f->wall[i].weight_ns);
        if (wick_wait_is_lock(x->waits[i].kind))
            of[t].waits = wick_sum(of[t].waits, f->wall[i].weight_ns);
    }
    for (uint32_t t = 1; of && t < f->p->nthreads; t++) {
        if (x->stuck[t] || !of[t].all || wick_explain_pool_name(f->p, t) != name)
            continue;
        bool in = (double)of[t].in >= STUCK_SPAN * (double)of[t].all;
        if (in && (double)of[t].waits >= STUCK_SPAN * (double)of[t].all)
            continue; /* it waits as well, if not since the beginning */
        if (!in || !wick_explain_moved(x, t) || (double)of[t].all < STUCK_SPAN * (double)f->duration_ns) {
            active = 0;
            break;
        }
        active = active ? active : t;
    }
    free(of);
    return active;
}

static bool is_same_line(const struct wick_profile *p, uint32_t a, uint32_t b)
{
    const struct wick_frame *x = &p->frames[p->stacks[a].frame], *y = &p->frames[p->stacks[b].frame];
    return x->function == y->function && x->line == y->line; /* interpreted or compiled */
}

/* Whether all that are stuck are of one name, and wait at one place, and it is known that they are in no deadlock. */
static bool are_alike(const struct wick_explain *x, const struct stuck *o, uint32_t first)
{
    const struct wick_explain_facts *f = x->f;
    struct wick_profile *p = f->p;
    if (f->nlocked || (f->deadlock ? *f->deadlock != 0 : !f->searched))
        return false;
    for (uint32_t t = 1; t < p->nthreads; t++)
        if (x->stuck[t] && (o->circle[t] || o->class_init[t] || !o->where[t] ||
                            wick_explain_pool_name(p, t) != wick_explain_pool_name(p, first) ||
                            !is_same_line(p, o->where[t], o->where[first])))
            return false;
    return true;
}

static void say_active(struct wick_explain *x, struct wick_explain_finding *r, const struct stuck *o, uint32_t first)
{
    uint32_t active = first && are_alike(x, o, first) ? active_one(x, first, o->where[first]) : 0;
    if (!active || !r)
        return;
    wick_explain_say(x, r, "active", wick_profile_str(x->f->p, x->f->p->threads[active].name));
    r->advice = "nothing, if they are stand-bys; else release the lock after each piece of work";
    r->rank_ns = 1; /* behind what that one does with the lock, if that is known */
}

/* A few of them, of each place one first: who waits for a lock in another function may be who has it (a read lock, of
 * which one thread requests the write lock). */
static void add_stuck(const struct wick_explain *x, const struct stuck *o, struct wick_strbuf *out)
{
    const struct wick_profile *p = x->f->p;
    uint32_t shown[STUCK_SHOWN], n = 0;
    for (int again = 0; again < 2; again++)
        for (uint32_t t = 1; t < p->nthreads && n < STUCK_SHOWN; t++) {
            bool seen = false;
            for (uint32_t i = 0; i < n; i++)
                seen |= shown[i] == t || (!again && is_same_line(p, o->where[shown[i]], o->where[t]));
            if (!x->stuck[t] || seen)
                continue;
            shown[n++] = t;
            add_stuck_thread(x, t, o->where[t], out);
        }
}

static void say_stuck(struct wick_explain *x, const struct stuck *o)
{
    const struct wick_explain_facts *f = x->f;
    struct wick_strbuf who = WICK_STRBUF_INIT;
    int64_t sum = 0;
    uint32_t count = 0, first = 0; /* the first of which it is known where */
    bool whole = true;             /* all of them, all the time */
    bool class_init = false;
    for (uint32_t t = 1; t < f->p->nthreads; t++) {
        bool long_enough = (double)o->ns[t] >= STUCK_SPAN * (double)f->duration_ns;
        if (!long_enough && !o->circle[t])
            continue;
        x->stuck[t] = true;
        whole &= long_enough;
        class_init |= o->class_init[t];
        sum = wick_sum(sum, o->ns[t]);
        first = first || !o->where[t] ? first : t;
        count++;
    }
    add_stuck(x, o, &who);
    if (count >= (uint32_t)x->rule->threshold) {
        struct wick_explain_finding *r = wick_explain_found(x, (double)sum);
        uint32_t frame = first ? f->p->stacks[o->where[first]].frame : 0;
        wick_explain_filter_frame(x, r, frame);
        wick_explain_figure(r, "count", WICK_EXPLAIN_NUMBER, count);
        wick_explain_say(x, r, "how", whole ? "all the time" : "to the end");
        wick_explain_say(x, r, "who", who.buf);
        wick_explain_say_frame(x, r, "frame", frame);
        say_verdict(x, r, class_init);
        say_active(x, r, o, first);
        if (r && class_init)
            r->advice = wick_wait_help(WICK_WAIT_CLASS_INIT);
        for (size_t i = 0; i < f->nwall; i++)
            if (f->wall[i].state == WICK_EXPLAIN_MONITOR && x->stuck[f->wall[i].thread])
                x->monitors_said_ns += (double)f->wall[i].weight_ns;
    }
    wick_strbuf_release(&who);
}

void wick_explain_stuck(struct wick_explain *x)
{
    size_t n = x->f->p->nthreads + 1;
    struct stuck o = {calloc(n, sizeof *o.ns), calloc(n, sizeof *o.where), calloc(n, sizeof *o.circle),
                      calloc(n, sizeof *o.class_init)};
    if (o.ns && o.where && o.circle && o.class_init) {
        find_stuck(x, &o);
        find_circles(x, &o);
        say_stuck(x, &o);
    } else {
        x->f->failed = true;
    }
    free(o.class_init);
    free(o.circle);
    free(o.where);
    free(o.ns);
}
