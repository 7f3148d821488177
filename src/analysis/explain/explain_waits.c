/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_waits.c - the rules of `wick explain` about waiting: for what, where, and what keeps that from happening
 *
 * Waits add up by what is waited for (wait_kind.h) and by the program's function that waits, whatever the state in
 * which the kernel has the thread. What is waited for may be held by a thread that waits itself; then the time belongs
 * to the end of that chain (explain_blame.c). A place that works but has no CPU is one that waits for it.
 * A thread that did not run at all is not slow, but without work or stuck, so its waits count for `stuck` only; but one
 * within a request waits, however long.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "base/sum.h"
#include "model/name.h"

#define WAIT_LEAST   0.10 /* threads that wait, on average */
#define TIMED_MOST   0.75 /* of the time of waits: ended by time-outs */
#define OWN_MOST     2.0  /* waits for each thread without a CPU */
#define SERVED_LEAST 0.75 /* of what clients wait: requests of this process wait for trouble */
#define SERVED_HERE  0.50 /* the same of clients that are known to ask this process */
#define FEW_MOST     1.25 /* threads that wait for a class, on average */
#define LINK_LEAST   0.01 /* of the time threads have work or wait: less has no chain worth a word */

/* Of the time in which threads work in that function, the share in which they are ready to run without a CPU. */
static double without_cpu(const struct wick_explain *x, uint32_t function)
{
    const struct wick_explain_facts *f = x->f;
    double ready = 0, all = 0;
    for (size_t i = 0; i < f->nwall; i++) {
        bool waits = f->wall[i].state == WICK_EXPLAIN_WAITING_FOR_CPU;
        if (!waits && f->wall[i].state != WICK_EXPLAIN_RUNNABLE && f->wall[i].state != WICK_EXPLAIN_DEFAULT)
            continue;
        uint32_t stack = wick_explain_wait_at(x, f->wall[i].stack).stack;
        if (!stack || wick_explain_function_at(f->p, stack) != function)
            continue;
        all += (double)f->wall[i].weight_ns;
        ready += waits ? (double)f->wall[i].weight_ns : 0;
    }
    return wick_explain_share(ready, all);
}

/* Of the machine's CPUs, what other processes use; 0 = too little to be a neighbours' finding. */
static double others_share(const struct wick_explain_facts *f)
{
    double others = wick_explain_others(f);
    return others >= wick_explain_rules[WICK_EXPLAIN_RULE_NEIGHBOURS].threshold ? others : 0;
}

/* What keeps those from a CPU that wait for one: "the CPU limit stops the cgroup in 40 % of its periods". */
static void add_why_no_cpu(const struct wick_explain *x, struct wick_strbuf *out)
{
    const struct wick_explain_facts *f = x->f;
    double limited = wick_explain_limited(f);
    double others = others_share(f);
    if (limited >= wick_explain_rules[WICK_EXPLAIN_RULE_CPU_LIMIT].threshold)
        wick_strbuf_addf(out, ": the CPU limit stops the cgroup in %.0f %% of its periods", 100 * limited);
    else if (others > 0 && f->allowed)
        wick_strbuf_addf(out, ": other processes use %.1f of the %d CPUs", others * (double)f->allowed,
                         (int)f->allowed);
}

/* "its holder waits for a lock at app.B.y (92 %), whose holder waits there (80 %)": the links between the place that
 * waits and that which it ends at; or, if the last one computes, "..., whose holder is busy at app.C.z (70 %)". */
static void add_links(struct wick_explain *x, const struct wick_explain_place *at, bool elsewhere,
                      struct wick_strbuf *out)
{
    for (unsigned i = 0; i < at->nlinks; i++) {
        const struct wick_explain_link *l = &at->links[i];
        bool last = i + 1 == at->nlinks || at->links[i + 1].kind == WICK_WAIT_NONE;
        static const char *const first[] = {[WICK_EXPLAIN_HOLDER] = "its holder",
                                            [WICK_EXPLAIN_TASK] = "the task",
                                            [WICK_EXPLAIN_TAKER] = "its consumer",
                                            [WICK_EXPLAIN_SERVER] = "a busy server",
                                            [WICK_EXPLAIN_BORROWER] = "borrowers",
                                            [WICK_EXPLAIN_COMPLETER] = "the completing thread",
                                            [WICK_EXPLAIN_GATHERER] = "the thread that completes them"};
        static const char *const next[] = {[WICK_EXPLAIN_HOLDER] = "holder",     [WICK_EXPLAIN_TASK] = "task",
                                           [WICK_EXPLAIN_TAKER] = "consumer",    [WICK_EXPLAIN_SERVER] = "server",
                                           [WICK_EXPLAIN_BORROWER] = "borrower", [WICK_EXPLAIN_COMPLETER] = "completer",
                                           [WICK_EXPLAIN_GATHERER] = "completer"};
        bool many = !i && l->who == WICK_EXPLAIN_BORROWER;
        const char *waits = many ? "wait" : "waits";
        wick_strbuf_addf(out, i ? ", whose %s " : "%s ", (i ? next : first)[l->who]);
        if (l->who == WICK_EXPLAIN_BORROWER)
            wick_strbuf_addf(out, "(at least %.1f threads on average) ", l->threads);
        if (l->kind == WICK_WAIT_NONE) {
            double ready = without_cpu(x, wick_explain_function_at(x->f->p, l->stack));
            if (ready >= WICK_EXPLAIN_CHAIN_MOST)
                wick_strbuf_addf(out, "%s for a CPU at ", waits);
            else
                wick_strbuf_adds(out, many ? "are busy at " : "is busy at ");
            wick_name_add_frame(out, x->f->p, wick_explain_frame_at(x->f->p, l->stack), WICK_NAME_LINES);
            wick_strbuf_addf(out, " (%.0f %%)", 100 * l->share);
            if (ready >= WICK_EXPLAIN_CHAIN_MOST)
                add_why_no_cpu(x, out);
        } else if (last && elsewhere) {
            wick_strbuf_addf(out, "%s there (%.0f %%)", waits, 100 * l->share);
        } else {
            wick_strbuf_addf(out, "%s for %s at ", waits, wick_wait_text(l->kind));
            wick_name_add_frame(out, x->f->p, wick_explain_frame_at(x->f->p, l->stack), WICK_NAME_LINES);
            wick_strbuf_addf(out, " (%.0f %%)", 100 * l->share);
        }
    }
}

/* ---- waiting ---- */

static void say_chain(struct wick_explain *x, struct wick_explain_finding *r, const struct wick_explain_place *at)
{
    struct wick_strbuf text = WICK_STRBUF_INIT;
    add_links(x, at, at->via != WICK_WAIT_NONE, &text);
    if (r)
        r->by_tasks = at->nlinks > 0;
    for (unsigned i = 0; r && i < at->nlinks; i++)
        r->by_tasks &= at->links[i].who == WICK_EXPLAIN_TASK;
    if (at->nlinks)
        wick_explain_say(x, r, at->via == WICK_WAIT_NONE ? "holder" : "chain", text.buf);
    wick_strbuf_release(&text);
    if (r)
        r->held_up_ns = (double)at->through_ns - (double)at->futures_ns;
    if (at->via != WICK_WAIT_NONE) {
        wick_explain_figure(r, "through", WICK_EXPLAIN_TIME, (double)at->through_ns);
        wick_explain_say(x, r, "via", wick_wait_text(at->via));
        wick_explain_say_frame(x, r, "waiter", wick_explain_frame_at(x->f->p, at->via_stack));
        wick_explain_link(x, r, wick_wait_name(at->via), wick_explain_frame_at(x->f->p, at->via_stack), 1);
    } else if (at->nlinks) {
        wick_explain_link(x, r, wick_wait_name(at->kind), wick_explain_frame_at(x->f->p, at->stack), 1);
    }
    for (unsigned i = 0; i < at->nlinks; i++) {
        const struct wick_explain_link *l = &at->links[i];
        bool ready = l->kind == WICK_WAIT_NONE &&
                     without_cpu(x, wick_explain_function_at(x->f->p, l->stack)) >= WICK_EXPLAIN_CHAIN_MOST;
        const char *kind = l->kind != WICK_WAIT_NONE ? wick_wait_name(l->kind) : ready ? "cpu-wait" : "cpu";
        wick_explain_link(x, r, kind, wick_explain_frame_at(x->f->p, l->stack), l->share);
    }
}

/* Where a chain ends at what is lent: what those do who have it. */
static void say_borrowers(struct wick_explain *x, struct wick_explain_finding *r, const struct wick_explain_place *at)
{
    struct wick_explain_place lent = {.kind = at->kind, .function = at->function, .stack = at->stack, .nlinks = 1};
    struct wick_strbuf text = WICK_STRBUF_INIT;
    if (!wick_explain_borrowers(x, at, &lent.links[0]))
        return;
    add_links(x, &lent, false, &text);
    wick_explain_say(x, r, "holder", text.buf);
    const struct wick_explain_link *l = &lent.links[0];
    wick_explain_link(x, r, l->kind != WICK_WAIT_NONE ? wick_wait_name(l->kind) : "cpu",
                      wick_explain_frame_at(x->f->p, l->stack), l->share);
    wick_strbuf_release(&text);
}

/* Where none of the waits ended, nobody is slow, but missing. */
static void say_none_ends(struct wick_explain *x, struct wick_explain_finding *r, const struct wick_explain_place *at)
{
    bool full = at->kind == WICK_WAIT_QUEUE_FULL, lent = at->kind == WICK_WAIT_POOL || at->kind == WICK_WAIT_SEMAPHORE;
    if ((!full && !lent) || !wick_explain_none_ends(x, at))
        return;
    wick_explain_say(x, r, "holder",
                     full ? "nothing is taken from it, so that none of them ended"
                          : "nothing is given back, so that none of them ended");
    if (r)
        r->advice = full ? "find who should take from it and does not: a thread that ended, or a scheduled task, which "
                           "an exception ends for good; catch and log what such tasks throw"
                         : "give back in finally, whatever fails in between";
}

/* Where time-outs end most of the waits, what was to end them does not come, however quick it is. */
static void say_timed_out(struct wick_explain *x, struct wick_explain_finding *r, const struct wick_explain_place *at)
{
    bool tasks = at->kind == WICK_WAIT_LATCH || at->kind == WICK_WAIT_FUTURE || at->kind == WICK_WAIT_REPLY;
    double share = tasks ? wick_explain_timed_out(x, at) : 0;
    if (share < TIMED_MOST)
        return;
    wick_explain_figure(r, "timed", WICK_EXPLAIN_SHARE, share);
    if (r)
        r->advice = "find why what they wait for does not come: a task that fails before it counts down or completes "
                    "(submit() keeps its exception where nobody reads it), a lost message; or it takes longer than "
                    "the time-out";
}

/* Where the thread that completes what others wait for waits with a time-out, and that mostly runs out. */
static void say_lingers(struct wick_explain *x, struct wick_explain_finding *r, const struct wick_explain_place *at)
{
    if (!at->nlinks || at->links[at->nlinks - 1].who != WICK_EXPLAIN_GATHERER)
        return;
    wick_explain_figure(r, "timed", WICK_EXPLAIN_SHARE, wick_explain_ran_out(x, at));
    if (r)
        r->advice = "wait for fewer elements, or for less time: not as many come as are waited for, so that the "
                    "time-out is what all wait for";
}

/* Who waits at a place, and what its only thread does besides; several: or that is not known. */
struct waiters {
    uint32_t thread;       /* one of them */
    bool several, request; /* request: one waits within a request */
    int64_t rests_ns, disk_ns;
};

static struct waiters waiters_at(const struct wick_explain *x, const struct wick_explain_place *at)
{
    const struct wick_explain_facts *f = x->f;
    struct waiters w = {0};
    for (size_t i = 0; i < f->nwall; i++) {
        const struct wick_wait *wait = &x->waits[i];
        uint32_t thread = f->wall[i].thread;
        if (!wick_explain_waits_there(x, *wait, at))
            continue;
        w.several |= !thread || (w.thread && w.thread != thread) || wick_profile_thread_is_many(&f->p->threads[thread]);
        w.thread = thread;
        w.request |= wait->in_request || f->wall[i].endpoint;
        w.disk_ns = wick_sum(w.disk_ns, f->wall[i].state == WICK_EXPLAIN_DISK ? f->wall[i].weight_ns : 0);
    }
    for (size_t i = 0; i < f->nwall; i++)
        if (f->wall[i].thread == w.thread &&
            (wick_wait_is_timer(x->waits[i].kind) || x->waits[i].kind == WICK_WAIT_QUEUE))
            w.rests_ns = wick_sum(w.rests_ns, f->wall[i].weight_ns);
    return w;
}

/* Whether threads wait for a lock at another place, which may be the same lock. */
static bool others_lock(const struct wick_explain *x, uint32_t thread)
{
    for (size_t i = 0; i < x->f->nwall; i++)
        if (wick_wait_is_lock(x->waits[i].kind) && x->f->wall[i].thread != thread)
            return true;
    return false;
}

/* Of a lock whose holder is not seen, which keeps all others out, whether others wait as well; of a class that is made
 * ready, whether many do. */
static void learn_lone(const struct wick_explain *x, struct wick_explain_finding *r,
                       const struct wick_explain_place *at)
{
    bool lock = wick_wait_is_lock(at->kind) && at->kind != WICK_WAIT_READ_LOCK;
    if (!r || !(lock || at->kind == WICK_WAIT_CLASS_INIT) || at->nlinks || at->via != WICK_WAIT_NONE)
        return;
    struct waiters w = waiters_at(x, at);
    bool alone = lock ? !w.several && !others_lock(x, w.thread) : (double)at->ns < FEW_MOST * (double)x->f->duration_ns;
    r->lone = alone && !w.request;
}

/* Whether threads wait for a lock whose owner waits in that function. */
static bool is_owners(const struct wick_explain *x, uint32_t function)
{
    const struct wick_lock_waits *l = &x->f->locks;
    for (uint32_t i = 0; i < l->nrows; i++) {
        uint32_t at = l->rows[i].owner_stack ? wick_explain_wait_at(x, l->rows[i].owner_stack).stack : 0;
        if (at && wick_explain_function_at(x->f->p, at) == function)
            return true;
    }
    return false;
}

/* left: the part of the whole by which it is enough (is_much). */
static void say_place(struct wick_explain *x, const struct wick_explain_place *place, double whole, double left)
{
    struct wick_explain_place with = *place, *at = &with;
    if (!at->nlinks && wick_explain_borrowers(x, at, &at->links[0]))
        at->nlinks = 1;
    struct wick_explain_finding *r = wick_explain_found(x, (double)at->ns);
    wick_explain_filter_frame(x, r, wick_explain_frame_at(x->f->p, at->stack));
    wick_explain_share_of(x, r, (double)at->ns, whole, at->quanta);
    if (left < whole)
        wick_explain_share_left(x, r, (double)at->ns, left, at->quanta);
    wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, (double)at->ns);
    wick_explain_say(x, r, "kind", wick_wait_name(at->kind));
    wick_explain_say(x, r, "what", wick_wait_text(at->kind));
    if (r)
        r->advice = wick_wait_help(at->kind);
    wick_explain_say_frame(x, r, "frame", wick_explain_frame_at(x->f->p, at->stack));
    say_chain(x, r, at);
    if (at->via != WICK_WAIT_NONE)
        say_borrowers(x, r, at);
    if (at->kind == WICK_WAIT_CARRIER && !at->nlinks)
        wick_explain_say_carriers(x, r);
    if (at->kind == WICK_WAIT_PINNED)
        wick_explain_say_pinning(x, r, wick_explain_frame_at(x->f->p, at->stack));
    if (at->kind == WICK_WAIT_HELD_BACK) {
        if (at->via == WICK_WAIT_NONE)
            wick_explain_filter_state(x, r, WICK_EXPLAIN_HELD_BACK);
        wick_explain_say_writer(x, r, at);
    }
    bool nobody = x->closed && wick_wait_role_of(at->kind) == WICK_WAIT_DEPENDS && wick_explain_is_inner(at->kind);
    if (nobody && !at->nlinks)
        wick_explain_say(x, r, "holder", "hardly any thread works: they wait for each other");
    if (nobody && r)
        r->advice =
            "find whose wake-up is missing: notify() may wake one that can do nothing with it (notifyAll(), or a "
            "condition for each kind of waiter), and a time-out ends what a lost one should have ended";
    if (!at->nlinks && at->via == WICK_WAIT_NONE)
        say_none_ends(x, r, at);
    if (at->via == WICK_WAIT_NONE)
        say_timed_out(x, r, at);
    if (!at->nlinks && at->via == WICK_WAIT_NONE)
        wick_explain_say_ran_out(x, r, at);
    say_lingers(x, r, at);
    wick_explain_say_lock_class(x, r, at);
    wick_explain_say_taken(x, r, at);
    wick_explain_say_lost(x, r, at);
    wick_explain_say_pacer(x, r, at);
    wick_explain_say_worker(x, r, at);
    wick_explain_say_lazy(x, r, at);
    wick_explain_say_barrier(x, r, at);
    wick_explain_say_sequence(x, r, at->kind, at->function, 0);
    wick_explain_say_end(x, r, at->kind, at->function, 0);
    if (!wick_wait_is_lock(at->via))
        wick_explain_follow_held_back(x, r);
    wick_explain_say_child(x, r, at);
    wick_explain_learn_lasting(x, r, at);
    learn_lone(x, r, at);
    if (r)
        r->in_request = waiters_at(x, at).request && !is_owners(x, at->function);
    wick_explain_say_connector(x, r, at);
    if (at->via == WICK_WAIT_NONE)
        wick_explain_say_lengths(x, r, at->kind, at->function);
    else
        wick_explain_say_lengths(x, r, at->via, wick_explain_function_at(x->f->p, at->via_stack));
}

/* Then neither those that run, or block their carriers, nor too few carriers are to blame, unless an option allows
 * half as many as there are CPUs, or fewer. A carrier without a virtual thread counts while it could run. */
bool wick_explain_carriers_lack_cpu(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    if (f->carriers && 2 * f->carriers <= wick_explain_cpus(f))
        return false;
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
    return all > 0 && wick_explain_counts(f, ready, WAIT_LEAST) && ready >= WICK_EXPLAIN_CHAIN_MOST * all;
}

/* How long threads of the program were ready to run without a CPU, by samples or, as the sampler may lack CPUs as well,
 * by the kernel; 0 = they had one for most of the time. */
int64_t wick_explain_without_cpu(const struct wick_explain *x)
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

/* Whether clients of this process may wait for what a thread does: others wait for what somebody in it completes. */
static bool may_be_awaited(const struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    double ns = 0;
    for (size_t i = 0; x->serves && i < f->nwall; i++) {
        enum wick_wait_kind kind = x->waits[i].kind;
        bool completes = kind == WICK_WAIT_REPLY || kind == WICK_WAIT_FUTURE || kind == WICK_WAIT_LATCH;
        ns += completes && wick_explain_is_trouble(x, i) ? (double)f->wall[i].weight_ns : 0;
    }
    return ns > 0 && wick_explain_counts(f, ns, WAIT_LEAST);
}

/* What is known of full queues in the process: by function, 1 + the only thread that waits in it for room; by thread,
 * its time and that in which it waits for a timer. */
struct rooms {
    uint32_t *only;
    int64_t *all_ns, *timer_ns;
};

/* Whether all that waits for others in this process is one thread at each place that waits for room in a queue, none of
 * them in a request. */
static bool learn_rooms(const struct wick_explain *x, const struct rooms *o)
{
    const struct wick_explain_facts *f = x->f;
    double others = 0;
    for (size_t i = 0; i < f->nwall; i++) {
        const struct wick_wait *w = &x->waits[i];
        uint32_t thread = f->wall[i].thread;
        int64_t ns = f->wall[i].weight_ns;
        o->all_ns[thread] = wick_sum(o->all_ns[thread], ns);
        o->timer_ns[thread] = wick_sum(o->timer_ns[thread], wick_wait_is_timer(w->kind) ? ns : 0);
        if (!wick_explain_is_inner(w->kind) || !wick_explain_is_trouble(x, i))
            continue;
        uint32_t *only = &o->only[wick_explain_function_at(f->p, w->stack)];
        if (w->kind != WICK_WAIT_QUEUE_FULL)
            others += (double)ns;
        else if (!thread || (*only && *only != thread + 1) || w->in_request || f->wall[i].endpoint ||
                 wick_profile_thread_is_many(&f->p->threads[thread]))
            return false;
        else
            *only = thread + 1;
    }
    return !wick_explain_counts(f, others, WAIT_LEAST);
}

/* Whether the place is one of a pipeline of full queues, of a thread each, that nobody is known to wait for, and a
 * thread that may be its last stage keeps a pace: it waits for a timer half of its time or more, and goes on often. */
static bool is_paced(const struct wick_explain *x, const struct wick_explain_place *at)
{
    size_t n = x->f->p->nthreads + 1;
    struct rooms o = {calloc(x->f->p->nfunctions + 1, sizeof *o.only), calloc(n, sizeof *o.all_ns),
                      calloc(n, sizeof *o.timer_ns)};
    bool full = at->kind == WICK_WAIT_QUEUE_FULL && (at->via == WICK_WAIT_NONE || at->via == WICK_WAIT_QUEUE_FULL);
    bool paced = false;
    x->f->failed |= !o.only || !o.all_ns || !o.timer_ns;
    for (unsigned i = 0; i < at->nlinks; i++)
        full &= at->links[i].kind == WICK_WAIT_QUEUE_FULL;
    full = full && at->nlinks && o.only && o.all_ns && o.timer_ns && learn_rooms(x, &o);
    for (uint32_t t = 1; full && t < x->f->p->nthreads; t++)
        paced |= o.timer_ns[t] > 0 && (double)o.timer_ns[t] >= WICK_EXPLAIN_CHAIN_MOST * (double)o.all_ns[t] &&
                 wick_explain_is_often(x->f, t);
    free(o.only);
    free(o.all_ns);
    free(o.timer_ns);
    return paced;
}

/* Whether only one thread waits there, and nobody for it as far as is known: one that makes elements and waits for room
 * in the queue runs ahead of who takes them, unless others could take them as well, and so do those of a pipeline whose
 * last stage keeps a pace; one that forces a file to the disk and rests longer than that could do more. */
static bool nobody_minds(struct wick_explain *x, const struct wick_explain_place *at, const struct waiters *w)
{
    if (w->several || w->request || wick_explain_none_ends(x, at))
        return false;
    if (at->nlinks || at->via != WICK_WAIT_NONE)
        return is_paced(x, at);
    if (at->kind == WICK_WAIT_QUEUE_FULL)
        return !wick_explain_is_worker_uneven(x, at);
    return at->kind == WICK_WAIT_FILE_SYNC && w->rests_ns > w->disk_ns && !may_be_awaited(x);
}

/* Whether those who wait there for answers may be this process's own clients, of threads one of which lacks a CPU at
 * any time: each may hold up several. */
static bool may_be_own(const struct wick_explain *x, const struct wick_explain_place *at, const struct waiters *w,
                       int64_t ready_ns)
{
    return at->kind == WICK_WAIT_PEER && x->serves && !w->request && !at->nlinks && ready_ns >= x->f->duration_ns &&
           (double)at->ns <= OWN_MOST * (double)ready_ns;
}

/* Whether the answers that are awaited there come from this process or from elsewhere, by what half of the waits say,
 * if it is known where the process listens. */
enum from { FROM_UNKNOWN, FROM_HERE, FROM_ELSEWHERE };

static enum from come_from(struct wick_explain *x, const struct wick_explain_place *at)
{
    const struct wick_explain_facts *f = x->f;
    uint8_t *known = calloc(f->p->nstrings + 1, sizeof *known);
    int64_t ns[FROM_ELSEWHERE + 1] = {0};
    x->f->failed |= !known;
    for (size_t i = 0; known && f->nlistening && i < f->nwall; i++) {
        uint32_t server = f->wall[i].server;
        if (!server || !wick_explain_waits_there(x, x->waits[i], at))
            continue;
        if (known[server] == FROM_UNKNOWN)
            known[server] = wick_explain_is_own(f, server) ? FROM_HERE : FROM_ELSEWHERE;
        ns[known[server]] = wick_sum(ns[known[server]], f->wall[i].weight_ns);
    }
    free(known);
    int64_t half = at->ns / 2 + at->ns % 2;
    return ns[FROM_ELSEWHERE] >= half ? FROM_ELSEWHERE : ns[FROM_HERE] >= half ? FROM_HERE : FROM_UNKNOWN;
}

/* Whether those who wait there for answers are this process's own clients: what its requests wait for is their time as
 * well, and says more. Of clients that are not known to ask it, what a long poll waits for says nothing. */
static bool are_own(struct wick_explain *x, const struct wick_explain_place *at, const struct waiters *w)
{
    int64_t served = 0, polled = 0;
    if (at->kind != WICK_WAIT_PEER || !x->serves || w->request || at->nlinks || at->via != WICK_WAIT_NONE)
        return false;
    for (size_t i = 0; i < x->f->nwall; i++) {
        enum wick_wait_kind kind = x->waits[i].kind;
        bool serves =
            kind == WICK_WAIT_THREAD || wick_wait_is_timer(kind) || wick_wait_role_of(kind) == WICK_WAIT_TROUBLE;
        int64_t *sum = serves ? &served : &polled;
        if (x->waits[i].in_request && wick_explain_is_trouble(x, i))
            *sum = wick_sum(*sum, x->f->wall[i].weight_ns);
    }
    if ((double)served + (double)polled < SERVED_HERE * (double)at->ns)
        return false;
    enum from from = come_from(x, at);
    return from == FROM_HERE || (from == FROM_UNKNOWN && (double)served >= SERVED_LEAST * (double)at->ns);
}

/* Whether threads wait there for others of which nothing is known but that they, or threads here, lack CPUs, for as
 * long or longer: the machine's rules say so. A peer may be on the same machine, and acknowledge late without a CPU. */
static bool may_be_the_machines(const struct wick_explain *x, const struct wick_explain_place *at,
                                const struct waiters *w, int64_t ready_ns)
{
    const struct wick_explain_link *last = at->nlinks ? &at->links[at->nlinks - 1] : NULL;
    bool others = wick_wait_is_lock(at->kind) || at->kind == WICK_WAIT_FUTURE || at->kind == WICK_WAIT_LATCH ||
                  at->kind == WICK_WAIT_REPLY || at->kind == WICK_WAIT_QUEUE_FULL || at->kind == WICK_WAIT_PEER ||
                  at->kind == WICK_WAIT_HELD_BACK;
    bool lacks = last && last->kind == WICK_WAIT_NONE && last->who != WICK_EXPLAIN_HOLDER &&
                 without_cpu(x, wick_explain_function_at(x->f->p, last->stack)) >= WICK_EXPLAIN_CHAIN_MOST;
    return others && (!last || lacks) && at->via == WICK_WAIT_NONE &&
           (at->ns <= ready_ns || may_be_own(x, at, w, ready_ns));
}

/* Whether half of the CPU time in one function or more is for another one, which calls it. */
static bool is_called_by(const struct wick_explain_facts *f, uint32_t function, uint32_t caller)
{
    int64_t all = 0, part = 0;
    for (size_t i = 0; i < f->ncpu; i++) {
        if (!wick_explain_goes_through(f->p, f->cpu[i].stack, function))
            continue;
        all = wick_sum(all, f->cpu[i].weight_ns);
        part = wick_sum(part, wick_explain_goes_through(f->p, f->cpu[i].stack, caller) ? f->cpu[i].weight_ns : 0);
    }
    return all && (double)part >= WICK_EXPLAIN_CHAIN_MOST * (double)all;
}

/* Whether the function, which has a lock, needs a CPU most of all, and for work that need not be done; and hot-code has
 * not said yet who waits for that. */
static bool lacks_cpu_for_needless(const struct wick_explain *x, uint32_t function)
{
    const struct wick_explain_facts *f = x->f;
    const struct wick_explain_finding *r = &x->out->rows[x->hot.finding];
    const struct wick_explain_figure *time = wick_explain_figure_of(r, "time");
    double all = 0;
    if (!x->coded.needless || x->coded.finding != x->hot.finding || wick_explain_figure_of(r, "awaited") ||
        without_cpu(x, function) < WICK_EXPLAIN_CHAIN_MOST)
        return false;
    for (size_t i = 0; i < f->ncpu; i++)
        all += wick_explain_goes_through(f->p, f->cpu[i].stack, function) ? (double)f->cpu[i].weight_ns : 0;
    return time && time->value >= WICK_EXPLAIN_CHAIN_MOST * all;
}

/* Whether those that wait at the place wait for what a finding about CPU time is about, so that it is a part of that:
 * the last one of the chain computes there, or calls it. Who waits for a lock would go on without it, whatever its
 * holder does; but where that needs a CPU most of all, for what need not be done, the lock is soon free without it. */
static bool is_of_hot(const struct wick_explain *x, const struct wick_explain_place *at)
{
    const struct wick_explain_link *last = at->nlinks ? &at->links[at->nlinks - 1] : NULL;
    if (!last || last->kind != WICK_WAIT_NONE || !x->hot.work)
        return false;
    uint32_t function = wick_explain_function_at(x->f->p, last->stack);
    if (last->who == WICK_EXPLAIN_HOLDER && !lacks_cpu_for_needless(x, function))
        return false;
    return wick_explain_goes_through(x->f->p, last->stack, x->hot.work) || is_called_by(x->f, x->hot.work, function);
}

static void add_to_hot(struct wick_explain *x, const struct wick_explain_place *at)
{
    struct wick_explain_finding *r = &x->out->rows[x->hot.finding];
    uint32_t waiter = at->via != WICK_WAIT_NONE ? at->via_stack : at->stack;
    enum wick_wait_kind kind = at->via != WICK_WAIT_NONE ? at->via : at->kind;
    if (wick_explain_figure_of(r, "awaited"))
        return; /* those who wait longest */
    wick_explain_figure(r, "waiters", WICK_EXPLAIN_NUMBER, (double)at->ns / (double)x->f->duration_ns);
    wick_explain_say(x, r, "awaited", wick_wait_text(kind));
    wick_explain_say_frame(x, r, "waiter", wick_explain_frame_at(x->f->p, waiter));
    if (!x->saturated_said && (double)at->ns > r->cost_ns) /* else that has them at stake */
        r->cost_ns = (double)at->ns;
    if (!x->saturated_said && r->rank_ns > 0 && (double)at->ns > r->rank_ns)
        r->rank_ns = (double)at->ns;
}

/* Whether a wait takes about as long on a machine without a CPU to spare: a timer or a disk ends it, no process. */
static bool needs_no_cpu(const struct wick_explain *x, const struct wick_explain_place *at)
{
    int64_t disk = 0;
    if (wick_wait_is_timer(at->kind))
        return true;
    for (size_t i = 0; i < x->f->nwall; i++)
        if (x->f->wall[i].state == WICK_EXPLAIN_DISK && wick_explain_waits_there(x, x->waits[i], at))
            disk = wick_sum(disk, x->f->wall[i].weight_ns);
    return (double)disk >= WICK_EXPLAIN_CHAIN_MOST * ((double)at->ns - (double)at->through_ns);
}

/* What threads wait for CPUs that other processes take: it is not the program's, and hides no wait that would be as
 * long without. What they wait for each other, and for a CPU limit, is. */
static double crowded_out(const struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    double others = f->got_ns ? others_share(f) * (double)f->allowed * (double)f->duration_ns : 0;
    double limited = wick_explain_limited(f);
    double ready = (double)wick_explain_wall(f, true, 0, 1 << WICK_EXPLAIN_WAITING_FOR_CPU);
    return ready * (1 - limited) * wick_explain_share(others, others + (double)f->got_ns);
}

/* Whether so much of that time is worth a finding. */
static bool is_much(const struct wick_explain *x, double ns, double whole)
{
    return wick_explain_share(ns, whole) >= x->rule->threshold && wick_explain_counts(x->f, ns, WAIT_LEAST);
}

/* Each place belongs to one rule, and its share is of the same whole. */
static void say_places(struct wick_explain *x, bool held_back)
{
    const struct wick_explain_facts *f = x->f;
    struct wick_explain_places all = {0};
    int64_t work = 0;
    bool no_cpu = wick_explain_carriers_lack_cpu(x);
    for (size_t i = 0; i < f->nwall; i++) {
        bool said = (x->pool_kinds >> x->waits[i].kind & 1) || (no_cpu && x->waits[i].kind == WICK_WAIT_CARRIER);
        if ((wick_explain_is_trouble(x, i) || wick_explain_joins(x, i)) && !said)
            wick_explain_places_add(x, &all, x->waits[i], f->wall[i].weight_ns, wick_explain_quantum(&f->wall[i]));
        else if (1u << f->wall[i].state & WICK_EXPLAIN_WORK || (no_cpu && x->waits[i].kind == WICK_WAIT_CARRIER))
            work = wick_sum(work, f->wall[i].weight_ns);
    }
    double whole = (double)wick_sum(work, wick_explain_places_sum(&all)), least = LINK_LEAST * whole;
    for (size_t i = 0, n = all.n; i < n; i++)
        if ((double)all.rows[i].ns >= least)
            whole -= (double)wick_explain_follow(x, &all, i);
    wick_explain_places_sort(&all);
    double crowded = crowded_out(x);
    int64_t ready = wick_explain_without_cpu(x), spared = 0;
    for (size_t i = 0; i < all.n; i++) {
        struct wick_explain_place *at = &all.rows[i];
        bool held = at->kind == WICK_WAIT_HELD_BACK && (double)at->ns >= least && wick_explain_may_write(x, at);
        if (held != held_back)
            continue;
        if (at->kind == WICK_WAIT_HELD_BACK && !held) /* others have written that: it waits for what it reads */
            at->kind = WICK_WAIT_SOCKET;
        bool asked = at->kind == WICK_WAIT_PEER || at->kind == WICK_WAIT_QUEUE_FULL || at->kind == WICK_WAIT_FILE_SYNC;
        struct waiters w = {.several = true}; /* for no other kind it matters who waits */
        if (asked && (double)at->ns >= least)
            w = waiters_at(x, at);
        if (!is_of_hot(x, at) && may_be_the_machines(x, at, &w, ready)) {
            x->monitors_said_ns += at->kind == WICK_WAIT_MONITOR ? (double)at->ns : 0;
            continue;
        }
        if (are_own(x, at, &w))
            continue;
        if (nobody_minds(x, at, &w)) {
            spared = wick_sum(spared, w.disk_ns);
            continue;
        }
        double left = whole - crowded, own = (double)at->ns - (double)at->through_ns;
        if (!is_much(x, (double)at->ns, left))
            break; /* nor are those that follow, which are shorter, of any kind */
        if (is_much(x, (double)at->ns, whole))
            left = whole;
        else if (!is_much(x, own, left) || !needs_no_cpu(x, at))
            continue;
        if (is_of_hot(x, at))
            add_to_hot(x, at);
        else
            say_place(x, at, whole, left);
        x->kinds_said |= 1ull << at->kind | 1ull << at->via;
        double direct = (double)at->ns - (double)at->through_ns;
        x->monitors_said_ns += at->kind == WICK_WAIT_MONITOR ? direct : 0;
        x->monitors_said_ns += at->via == WICK_WAIT_MONITOR ? (double)at->through_ns : 0;
    }
    x->disks_said_ns += x->kinds_said >> WICK_WAIT_FILE_SYNC & 1 ? 0 : (double)spared;
    for (size_t i = 0; !held_back && i < f->nwall; i++)
        if (f->wall[i].state == WICK_EXPLAIN_DISK && wick_explain_is_trouble(x, i) &&
            x->kinds_said >> x->waits[i].kind & 1)
            x->disks_said_ns += (double)f->wall[i].weight_ns;
    free(all.rows);
}

void wick_explain_held_back(struct wick_explain *x)
{
    say_places(x, true);
}

void wick_explain_waiting(struct wick_explain *x)
{
    say_places(x, false);
}

/* ---- endpoints ---- */

void wick_explain_waits_of_endpoint(struct wick_explain *x, uint32_t endpoint)
{
    const struct wick_explain_facts *f = x->f;
    double all = endpoint ? (double)wick_explain_wall(f, false, endpoint, WICK_EXPLAIN_ALL) : 0;
    int64_t ready = endpoint ? wick_explain_without_cpu(x) : 0;
    for (unsigned kind = WICK_WAIT_NONE + 1; endpoint && kind < WICK_WAIT_KINDS; kind++) {
        struct wick_explain_places at = {0};
        for (size_t i = 0; i < f->nwall; i++) {
            struct wick_wait w = x->waits[i];
            w.stack = w.stack ? w.stack : f->wall[i].stack;
            if (f->wall[i].endpoint == endpoint && w.kind == kind && w.stack)
                wick_explain_places_add(x, &at, w, f->wall[i].weight_ns, wick_explain_quantum(&f->wall[i]));
        }
        double waited = (double)wick_explain_places_sum(&at);
        bool starved = (kind == WICK_WAIT_PEER || kind == WICK_WAIT_SOCKET) && waited <= (double)ready;
        wick_explain_places_sort(&at);
        if (at.n && !starved && wick_explain_share(waited, all) >= x->rule->threshold && !(x->kinds_said >> kind & 1) &&
            wick_explain_counts(f, waited, WAIT_LEAST)) {
            struct wick_explain_finding *r = wick_explain_found(x, waited);
            wick_explain_filter_frame(x, r, wick_explain_frame_at(f->p, at.rows[0].stack));
            wick_explain_say_where(x, r, endpoint);
            double quanta = 0;
            for (size_t k = 0; k < at.n; k++)
                quanta += at.rows[k].quanta;
            wick_explain_share_of(x, r, waited, all, quanta);
            wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, waited);
            wick_explain_say(x, r, "kind", wick_wait_name(kind));
            wick_explain_say(x, r, "what", wick_wait_text(kind));
            if (r) {
                r->advice = wick_wait_help(kind);
                r->in_request = !is_owners(x, at.rows[0].function);
            }
            wick_explain_say_frame(x, r, "frame", wick_explain_frame_at(f->p, at.rows[0].stack));
            wick_explain_figure(r, "most", WICK_EXPLAIN_TIME, (double)at.rows[0].ns);
            wick_explain_say_sequence(x, r, (enum wick_wait_kind)kind, at.rows[0].function, endpoint);
            wick_explain_say_end(x, r, (enum wick_wait_kind)kind, at.rows[0].function, endpoint);
        }
        free(at.rows);
    }
}
