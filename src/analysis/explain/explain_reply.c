/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_reply.c - which threads wait for a reply, and which for something to do
 *
 * Who waits to be notified, or is parked, may be a worker without work or a request that has handed its work to another
 * thread; the stacks are alike. What differs is the object that it waits on. A worker waits on the same one each time,
 * its queue or itself. Who waits for a reply waits on what stands for its question, and that is made anew for each. So
 * a place whose waits are on ever new objects waits for replies, as a future does; if time-outs end them mostly, it
 * only rests. The events of waits have the objects (identity hash codes).
 */
#include <stdlib.h>

#include "analysis/explain/explain_int.h"

#define WAITS_LEAST 8    /* events */
#define NEW_LEAST   0.50 /* of these: on objects that no other of them is on, */
#define EACH_LEAST  2.0  /* and so many for each thread, as each may have one of its own */
#define TIMED_MOST  0.50 /* of these: ended by a time-out */

/* An event of a wait at a place. */
struct seen {
    uint32_t function, thread, file;
    enum wick_wait_kind kind;
    int64_t identity;
    bool timed_out;
};

static int order(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_place(const void *a, const void *b)
{
    const struct seen *x = a, *y = b;
    int r = order(x->function, y->function);
    r = r ? r : order(x->kind, y->kind);
    r = r ? r : order(x->file, y->file);
    return r ? r : order(x->identity, y->identity);
}

static bool is_open(enum wick_wait_kind kind)
{
    return kind == WICK_WAIT_OBJECT_WAIT || kind == WICK_WAIT_CONDITION || kind == WICK_WAIT_PARK;
}

/* Of an open kind: its bit. */
static uint8_t bit_of(enum wick_wait_kind kind)
{
    return kind == WICK_WAIT_OBJECT_WAIT ? 1 : kind == WICK_WAIT_CONDITION ? 2 : 4;
}

static size_t add(const struct wick_explain *x, uint32_t stack, struct seen one, struct seen *rows, size_t n)
{
    const struct wick_profile *p = x->f->p;
    struct wick_wait w = wick_explain_wait_at(x, stack);
    if (!w.stack || !is_open(w.kind) || !one.identity)
        return n;
    one.kind = w.kind;
    one.function = p->frames[p->stacks[w.stack].frame].function;
    rows[n] = one;
    return n + 1;
}

static size_t collect(const struct wick_explain *x, struct seen *rows)
{
    const struct wick_explain_facts *f = x->f;
    size_t n = 0;
    for (size_t i = 0; i < f->nnotices; i++) {
        const struct wick_explain_notice *e = &f->notices[i];
        struct seen one = {.thread = e->thread, .file = e->file, .identity = e->identity, .timed_out = e->timed_out};
        n = add(x, e->stack, one, rows, n);
    }
    for (uint32_t i = 0; i < f->locks.nrows; i++) {
        const struct wick_lock_wait_row *r = &f->locks.rows[i];
        struct seen one = {.thread = r->thread, .file = r->file, .identity = r->identity};
        n = r->park && !r->native ? add(x, r->stack, one, rows, n) : n;
    }
    return n;
}

/* Whether n events of one place, sorted by object, are waits for replies; `threads` is all false before and after. */
static bool replies(const struct seen *rows, size_t n, bool *threads)
{
    double different = 0, waiters = 0, timed = 0;
    for (size_t i = 0; i < n; i++) {
        different += !i || rows[i].identity != rows[i - 1].identity || rows[i].file != rows[i - 1].file;
        waiters += !threads[rows[i].thread];
        timed += rows[i].timed_out;
        threads[rows[i].thread] = true;
    }
    for (size_t i = 0; i < n; i++)
        threads[rows[i].thread] = false;
    return n >= WAITS_LEAST && different >= NEW_LEAST * (double)n && different >= EACH_LEAST * waiters &&
           timed <= TIMED_MOST * (double)n;
}

bool wick_explain_find_replies(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    struct seen *rows = calloc(f->nnotices + f->locks.nrows + 1, sizeof *rows);
    bool *threads = calloc(f->p->nthreads + 1, sizeof *threads);
    uint8_t *found = calloc(f->p->nfunctions + 1, sizeof *found); /* by function: kinds of its waits that are */
    bool done = rows && threads && found;
    size_t n = done ? collect(x, rows) : 0;
    if (n)
        qsort(rows, n, sizeof *rows, by_place);
    for (size_t from = 0, to; from < n; from = to) {
        const struct seen *at = &rows[from];
        for (to = from; to < n && rows[to].function == at->function && rows[to].kind == at->kind;)
            to++;
        if (replies(at, to - from, threads))
            found[at->function] |= bit_of(at->kind);
    }
    for (size_t i = 0; n && i < f->nwall; i++) {
        struct wick_wait *w = &x->waits[i];
        if (w->stack && is_open(w->kind) && found[wick_explain_function_at(f->p, w->stack)] & bit_of(w->kind))
            w->kind = WICK_WAIT_REPLY;
    }
    free(rows);
    free(threads);
    free(found);
    return done;
}
