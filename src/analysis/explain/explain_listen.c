/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_listen.c - connections for which the queue of a listening socket has no room
 *
 * The kernel makes connections, and keeps those that the program has not accepted yet in a queue as long as the backlog
 * that the program asked for. Where it is full, the first packet of another connection is dropped without a word, and
 * who connects sends it again after a second, then after two, four ... It counts such drops for all sockets of a
 * network namespace together (wick.TcpStatistics).
 */
#include <stdlib.h>

#include "analysis/explain/explain_int.h"
#include "base/sum.h"

#define DROPS_LEAST 5    /* in the recording */
#define EACH_NS     1e9  /* that it takes until a packet is sent again, or more */
#define DUE_LEAST   0.50 /* of the time of threads that wait for connections; of the packets sent again */
#define AT_LEAST    0.01 /* of the time: others may wait, elsewhere */
#define RESTS_LEAST 0.80 /* of its time: waits of a thread that has accepted all who have come */

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
    if (!due && !x->serves) { /* neither end of such a connection is known to be here */
        free(at.rows);
        return;
    }
    struct wick_explain_finding *r = wick_explain_found(x, due ? waited : AT_LEAST * (double)f->duration_ns);
    wick_explain_figure(r, "count", WICK_EXPLAIN_NUMBER, drops);
    wick_explain_figure(r, "rate", WICK_EXPLAIN_NUMBER, wick_explain_two_digits(drops / seconds));
    if (r)
        r->remark = !due && !is_behind(x);
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
