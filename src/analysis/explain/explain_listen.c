/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_listen.c - connections that are not accepted, or for which the queue of a listening socket has no room
 *
 * The kernel makes connections, and keeps those that the program has not accepted yet in a queue as long as the backlog
 * that the program asked for. Where it is full, the first packet of another connection is dropped without a word, and
 * who connects sends it again after a second, then after two, four ... It counts such drops for all sockets of a
 * network namespace together (wick.TcpStatistics). How many are in the queues of this process is read once a second
 * (wick.ListeningSocket).
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "base/sum.h"

#define DROPS_LEAST   5    /* in the recording */
#define EACH_NS       1e9  /* that it takes until a packet is sent again, or more */
#define DUE_LEAST     0.50 /* of the time of threads that wait for connections; of the packets sent again */
#define AT_LEAST      0.01 /* of the time: others may wait, elsewhere */
#define RESTS_LEAST   0.80 /* of its time: waits of a thread that has accepted all who have come */
#define READINGS      5    /* of a queue, at least */
#define CROWDED       0.80 /* of these: with somebody in it */
#define MOSTLY        0.50 /* of the time of who accepts; of that in which threads need a CPU: without one */
#define STOPPED_LEAST 0.25 /* of the time: by collections that stop all threads */

/* Whether a thread that takes clients, or events of a selector, often has something else to do: one that waits for the
 * next nearly all the time may have a queue that is full, but only for a moment. */
static bool is_behind(const struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    double *all = calloc(f->p->nthreads, sizeof *all), *rests = calloc(f->p->nthreads, sizeof *rests);
    bool behind = false;
    x->f->failed |= !all || !rests;
    for (size_t i = 0; all && rests && i < f->nwall; i++) {
        enum wick_wait_kind kind = x->waits[i].kind;
        all[f->wall[i].thread] += (double)f->wall[i].weight_ns;
        if (kind == WICK_WAIT_CLIENT || kind == WICK_WAIT_EVENT)
            rests[f->wall[i].thread] += (double)f->wall[i].weight_ns;
    }
    for (uint32_t t = 1; all && rests && t < f->p->nthreads; t++)
        behind |= rests[t] > 0 && rests[t] < RESTS_LEAST * all[t];
    free(all);
    free(rests);
    return behind;
}

/* Whether the queues of this process are known, and nobody was ever seen in one: another process's have no room. */
static bool none_fills(const struct wick_explain_facts *f)
{
    bool known = false, fills = false;
    for (size_t i = 0; i < f->nlistening; i++) {
        known |= f->listening[i].readings >= READINGS;
        fills |= f->listening[i].most > 0;
    }
    return known && !fills && !f->programs_differ;
}

/* Whether a queue of this process at that address was seen without room. */
static bool is_full(const struct wick_explain_facts *f, uint32_t server)
{
    bool full = false;
    for (size_t i = 0; i < f->nlistening && !f->programs_differ && !full; i++)
        full = f->listening[i].most > f->listening[i].backlog &&
               wick_explain_is_listener_of(wick_profile_str(f->p, f->listening[i].address),
                                           wick_profile_str(f->p, server));
    return full;
}

/* Whether most of the waits for connections are for such a queue: who gives up before a second is over sends no packet
 * again. */
static bool wait_for_full(struct wick_explain *x, double waited)
{
    const struct wick_explain_facts *f = x->f;
    enum { UNASKED, HAS_ROOM, HAS_NONE };
    uint8_t *known = calloc(f->p->nstrings + 1, sizeof *known);
    double full = 0;
    x->f->failed |= !known;
    for (size_t i = 0; known && f->nlistening && i < f->nwall; i++) {
        uint32_t server = f->wall[i].server;
        if (!server || x->waits[i].kind != WICK_WAIT_CONNECT || !x->waits[i].stack)
            continue;
        if (known[server] == UNASKED)
            known[server] = is_full(f, server) ? HAS_NONE : HAS_ROOM;
        full += known[server] == HAS_NONE ? (double)f->wall[i].weight_ns : 0;
    }
    free(known);
    return full > 0 && full >= DUE_LEAST * waited;
}

void wick_explain_listen_overflow(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    struct wick_explain_places at = {0};
    double drops = (double)f->listen_overflows.grown, seconds = (double)f->duration_ns / 1e9;
    if (drops < DROPS_LEAST || seconds <= 0 || drops / seconds < x->rule->threshold)
        return;
    for (size_t i = 0; i < f->nwall; i++)
        if (x->waits[i].kind == WICK_WAIT_CONNECT && x->waits[i].stack)
            wick_explain_places_add(x, &at, x->waits[i], f->wall[i].weight_ns, wick_explain_quantum(&f->wall[i]));
    wick_explain_places_sort(&at);
    double waited = (double)wick_explain_places_sum(&at);
    double again = (double)f->syn_retransmits.grown; /* by those who wait here, or others beside this process */
    bool due = at.n && waited > 0 && again * EACH_NS >= DUE_LEAST * waited && drops >= DUE_LEAST * again;
    due |= at.n && wait_for_full(x, waited);
    if (!due && !x->serves) { /* neither end of such a connection is known to be here */
        free(at.rows);
        return;
    }
    struct wick_explain_finding *r = wick_explain_found(x, due ? waited : AT_LEAST * (double)f->duration_ns);
    wick_explain_figure(r, "count", WICK_EXPLAIN_NUMBER, drops);
    wick_explain_figure(r, "rate", WICK_EXPLAIN_NUMBER, wick_explain_two_digits(drops / seconds));
    if (r)
        r->remark = !due && (!is_behind(x) || none_fills(f));
    if (due) {
        wick_explain_figure(r, "waiters", WICK_EXPLAIN_NUMBER, waited / (double)f->duration_ns);
        wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, waited);
        wick_explain_say_frame(x, r, "frame", wick_explain_frame_at(f->p, at.rows[0].stack));
        wick_explain_filter_frame(x, r, wick_explain_frame_at(f->p, at.rows[0].stack));
        x->pool_kinds |= 1ull << WICK_WAIT_CONNECT;
        x->kinds_said |= 1ull << WICK_WAIT_CONNECT;
    }
    free(at.rows);
}

static bool accepts(const struct wick_profile *p, uint32_t stack)
{
    static const char *const classes[] = {"java/net/ServerSocket", "sun/nio/ch/ServerSocketChannelImpl",
                                          "sun/nio/ch/ServerSocketAdaptor", "sun/security/ssl/SSLServerSocketImpl"};
    const struct wick_function *function = &p->functions[wick_explain_function_at(p, stack)];
    const char *name = wick_profile_str(p, function->name);
    bool here = false;
    if (strcmp(name, "accept") != 0 && strcmp(name, "implAccept") != 0)
        return false;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        here |= !strcmp(wick_profile_str(p, function->class_name), classes[i]);
    return here;
}

/* The only thread that was seen to accept connections and has something else to do for half of its time or more; 0 =
 * there is none, or several are. */
static uint32_t acceptor(const struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    const struct wick_profile *p = f->p;
    uint32_t only = 0, n = 0;
    bool *below = calloc(p->nstacks, sizeof *below), *seen = calloc(p->nthreads + 1, sizeof *seen);
    double *all = calloc(p->nthreads + 1, sizeof *all), *rests = calloc(p->nthreads + 1, sizeof *rests);
    bool have = below && seen && all && rests;
    x->f->failed |= !have;
    for (uint32_t s = 1; have && s < p->nstacks; s++)
        below[s] = below[p->stacks[s].parent] || accepts(p, s);
    for (size_t i = 0; have && i < f->ncpu; i++)
        seen[f->cpu[i].thread] |= below[f->cpu[i].stack];
    for (size_t i = 0; have && i < f->nwall; i++) {
        uint32_t t = f->wall[i].thread;
        seen[t] |= below[f->wall[i].stack];
        all[t] += (double)f->wall[i].weight_ns;
        rests[t] += x->waits[i].kind == WICK_WAIT_CLIENT ? (double)f->wall[i].weight_ns : 0;
    }
    for (uint32_t t = 1; have && t < p->nthreads; t++)
        if (seen[t] && rests[t] < MOSTLY * all[t]) {
            only = t;
            n++;
        }
    free(below);
    free(seen);
    free(all);
    free(rests);
    return n == 1 ? only : 0;
}

/* What the thread waits for at one place for most of its time, in place of accepting; false if there is no such. */
static bool say_acceptor(struct wick_explain *x, struct wick_explain_finding *r, uint32_t thread)
{
    const struct wick_explain_facts *f = x->f;
    struct wick_explain_places at = {0};
    double all = 0;
    for (size_t i = 0; i < f->nwall; i++) {
        if (f->wall[i].thread != thread)
            continue;
        all += (double)f->wall[i].weight_ns;
        if (x->waits[i].stack && x->waits[i].kind != WICK_WAIT_CLIENT)
            wick_explain_places_add(x, &at, x->waits[i], f->wall[i].weight_ns, wick_explain_quantum(&f->wall[i]));
    }
    wick_explain_places_sort(&at);
    bool waits = at.n && (double)at.rows[0].ns >= MOSTLY * all;
    if (waits) {
        wick_explain_say(x, r, "thread", wick_profile_str(f->p, f->p->threads[thread].name));
        wick_explain_say(x, r, "awaited", wick_wait_text(at.rows[0].kind));
        wick_explain_figure(r, "of", WICK_EXPLAIN_SHARE, (double)at.rows[0].ns / all);
        wick_explain_say_frame(x, r, "frame", wick_explain_frame_at(f->p, at.rows[0].stack));
        wick_explain_filter_frame(x, r, wick_explain_frame_at(f->p, at.rows[0].stack));
    }
    free(at.rows);
    return waits;
}

/* Whether the rule about full queues says the same: that queue was full. */
static bool overflows(const struct wick_explain *x, const struct wick_explain_listening *l)
{
    bool has = false;
    for (size_t i = 0; i < x->out->n; i++)
        has |=
            x->out->rows[i].rule == &wick_explain_rules[WICK_EXPLAIN_RULE_LISTEN_OVERFLOW] && !x->out->rows[i].remark;
    return has && l->most > l->backlog;
}

/* Whether threads lack CPUs, or collections stop them, which keeps any thread from accepting. */
static bool is_held_up(const struct wick_explain_facts *f)
{
    double delay = (double)f->hungry_delay_ns;
    return wick_explain_share(delay, (double)f->hungry_got_ns + delay) >= MOSTLY ||
           wick_explain_counts(f, (double)f->pauses_ns, STOPPED_LEAST);
}

/* Whether connections neither come nor go: a port may only be held, and those who once tried it have gone. */
static bool is_only_held(const struct wick_explain_listening *l)
{
    return !l->changes && l->most <= l->backlog;
}

void wick_explain_slow_accept(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    const struct wick_explain_listening *most = NULL;
    for (const struct wick_explain_listening *l = f->listening; l < f->listening + f->nlistening; l++)
        if (l->readings >= READINGS && (double)l->with_some >= CROWDED * (double)l->readings &&
            (double)l->waiting >= x->rule->threshold * (double)l->readings && (!most || l->waiting > most->waiting))
            most = l;
    if (!most || overflows(x, most))
        return;
    double waiting = (double)most->waiting / (double)most->readings;
    struct wick_explain_finding *r = wick_explain_found(x, waiting * (double)f->duration_ns);
    wick_explain_figure(r, "waiting", WICK_EXPLAIN_NUMBER, waiting);
    wick_explain_figure(r, "most", WICK_EXPLAIN_NUMBER, (double)most->most);
    wick_explain_figure(r, "backlog", WICK_EXPLAIN_NUMBER, (double)most->backlog);
    wick_explain_say(x, r, "address", wick_profile_str(f->p, most->address));
    uint32_t thread = acceptor(x);
    bool waits = thread && say_acceptor(x, r, thread);
    if (r)
        r->remark = is_only_held(most) || (!waits && is_held_up(f));
}
