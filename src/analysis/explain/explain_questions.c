/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_questions.c - whether a read of a socket waits for a request or for an answer
 *
 * What its function does besides shows it, the labels of its waits (engine/thread/awaited.h), or that the threads which
 * read in it make connections again and again.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "base/sum.h"

#define WRITES_LEAST    2    /* samples of a function that writes to a socket, or makes connections */
#define RESTS_LEAST     5    /* waits of a thread for a timer or for work */
#define SLEEPS_LEAST    2    /* times that a thread sleeps between two reads */
#define ONE_MOST        1e8  /* ns: samples of making one connection, such as its TLS handshake */
#define DATAGRAMS_LEAST 0.50 /* of the waits for data of sockets in a function: for datagrams */
#define MAKERS_LEAST    0.33 /* of the waits for data of connections that were opened: by threads that make some */

static bool serve(const struct wick_explain *x, const struct wick_explain_sample *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct wick_wait w = wick_explain_wait_at(x, rows[i].stack);
        if (w.kind == WICK_WAIT_CLIENT || w.kind == WICK_WAIT_EVENT || w.in_request || rows[i].service)
            return true;
    }
    return false;
}

/* Whether clients may come to this process; a selector that never waits for events is one as well. */
static bool accepts(const struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    return serve(x, f->wall, f->nwall) || serve(x, f->cpu, f->ncpu);
}

/* What a function of the program does with sockets: samples of connecting and writing; the first line in which it reads
 * (0 = not known), and the writes before and after that; samples of making connections, of threads that read in it. */
struct talk {
    uint32_t connects, writes, before, after;
    struct wick_explain_seen makes;
    int64_t makers_ns; /* waits of those at connections that this process has opened */
    int32_t read_line;
    int64_t opened_ns, accepted_ns; /* waits at connections that this process has opened, and accepted */
    bool listens;                   /* a thread that reads in it hardly sleeps between reads */
};

/* The line of the program's function at the end of the stack, 0 = not known. */
static int32_t line_at(const struct wick_profile *p, uint32_t stack)
{
    int32_t line = p->frames[p->stacks[stack].frame].line;
    return line > 0 ? line : 0;
}

static void learn_reads(const struct wick_explain *x, const struct wick_explain_sample *rows, size_t n,
                        struct talk *talks)
{
    const struct wick_profile *p = x->f->p;
    for (size_t i = 0; i < n; i++) {
        struct wick_wait w = wick_explain_wait_at(x, rows[i].stack);
        struct talk *t = &talks[wick_explain_function_at(p, w.stack)];
        int32_t line = line_at(p, w.stack);
        if (w.kind == WICK_WAIT_SOCKET && w.stack && line && (!t->read_line || line < t->read_line))
            t->read_line = line;
    }
}

static void learn_writes(const struct wick_explain *x, const struct wick_explain_sample *rows, size_t n,
                         struct talk *talks)
{
    const struct wick_profile *p = x->f->p;
    for (size_t i = 0; i < n; i++) {
        struct wick_wait w = wick_explain_wait_at(x, rows[i].stack);
        struct talk *t = &talks[wick_explain_function_at(p, w.stack)];
        int32_t line = line_at(p, w.stack);
        t->connects += w.kind == WICK_WAIT_CONNECT && w.stack;
        if (w.kind != WICK_WAIT_SOCKET_WRITE || !w.stack)
            continue;
        t->writes++;
        t->before += line && line < t->read_line;
        t->after += line > t->read_line && t->read_line;
    }
}

/* Whether the thread runs in the sample, or could: one that waits for a connection is seen to make it many times. */
static bool is_running(const struct wick_explain_sample *s)
{
    const unsigned runs = 1 << WICK_EXPLAIN_DEFAULT | 1 << WICK_EXPLAIN_RUNNABLE | 1 << WICK_EXPLAIN_WAITING_FOR_CPU;
    return 1u << s->state & runs;
}

static void add_seen(struct wick_explain_seen *all, const struct wick_explain_seen *one)
{
    if (!one->n)
        return;
    all->first_ns = !all->n || one->first_ns < all->first_ns ? one->first_ns : all->first_ns;
    all->last_ns = !all->n || one->last_ns > all->last_ns ? one->last_ns : all->last_ns;
    all->n += one->n;
}

/* By thread: samples of making connections, without those that may be of the same one as the sample before. */
static void learn_connects(const struct wick_explain *x, const struct wick_explain_sample *rows, size_t n,
                           const bool *connects, struct wick_explain_seen *threads)
{
    for (size_t i = 0; i < n; i++) {
        struct wick_explain_seen *seen = &threads[rows[i].thread];
        double since = seen->n ? (double)rows[i].time_ns - (double)seen->last_ns : ONE_MOST;
        if (rows[i].thread && connects[rows[i].stack] && is_running(&rows[i]) && fabs(since) >= ONE_MOST &&
            !wick_explain_is_unmounted(x, rows[i].thread))
            wick_explain_see(seen, rows[i].time_ns);
    }
}

/* A thread that makes connections, and a function in which it reads from some that this process has opened. */
struct reader {
    uint32_t function, thread;
};

static int by_function(const void *a, const void *b)
{
    const struct reader *x = a, *y = b;
    return x->function != y->function ? (x->function > y->function) - (x->function < y->function)
                                      : (x->thread > y->thread) - (x->thread < y->thread);
}

/* Adds up for each function what its readers make. */
static void add_makes(struct reader *readers, size_t n, const struct wick_explain_seen *threads, struct talk *talks)
{
    if (n)
        qsort(readers, n, sizeof *readers, by_function);
    for (size_t i = 0; i < n; i++)
        if (!i || by_function(&readers[i], &readers[i - 1]))
            add_seen(&talks[readers[i].function].makes, &threads[readers[i].thread]);
}

/* Connections that are made all the time are for one question each, or a few, while one to which data come when there
 * are some is made once. */
static void learn_makes(struct wick_explain *x, struct talk *talks)
{
    const struct wick_explain_facts *f = x->f;
    bool *connects = calloc(f->p->nstacks + 1, sizeof *connects);
    struct wick_explain_seen *threads = calloc(f->p->nthreads + 1, sizeof *threads),
                             *running = calloc(f->p->nthreads + 1, sizeof *running); /* by the wall clock */
    struct reader *readers = calloc(f->nwall + 1, sizeof *readers);
    size_t n = 0;
    x->f->failed |= !connects || !threads || !running || !readers;
    if (!x->f->failed) {
        wick_explain_mark_connects(f->p, connects);
        learn_connects(x, f->cpu, f->ncpu, connects, threads);
        learn_connects(x, f->wall, f->nwall, connects, running);
    }
    for (uint32_t t = 1; !x->f->failed && t < f->p->nthreads; t++)
        add_seen(&threads[t], &running[t]);
    for (size_t i = 0; !x->f->failed && i < f->nwall; i++) {
        const struct wick_wait *w = &x->waits[i];
        if (w->kind != WICK_WAIT_SOCKET || !w->stack || !f->wall[i].server || !threads[f->wall[i].thread].n)
            continue;
        struct reader *r = &readers[n++];
        *r = (struct reader){wick_explain_function_at(f->p, w->stack), f->wall[i].thread};
        talks[r->function].makers_ns = wick_sum(talks[r->function].makers_ns, f->wall[i].weight_ns);
    }
    if (!x->f->failed)
        add_makes(readers, n, threads, talks);
    free(connects);
    free(threads);
    free(running);
    free(readers);
}

/* Whose connections it reads from, by the labels of its waits: 1 = this process has opened most of them, -1 = it has
 * accepted them, 0 = that is not known. */
static int who_connects(const struct talk *t)
{
    return (t->opened_ns > t->accepted_ns) - (t->opened_ns < t->accepted_ns);
}

/* Whether its reads wait for answers. Who asks writes a question before it reads, who serves reads a request before it
 * writes; a server that greets does that once. Where lines do not show it, writes alone do so in a process without
 * clients. */
static bool asks(const struct talk *t, bool serves)
{
    return t->connects >= WRITES_LEAST || t->before >= (serves ? WRITES_LEAST : 1) ||
           (!serves && t->writes >= WRITES_LEAST);
}

/* Whether a thread rests there of its own accord, or has no work. */
static bool is_rest(enum wick_wait_kind kind)
{
    return wick_wait_is_timer(kind) || kind == WICK_WAIT_WORK || kind == WICK_WAIT_QUEUE ||
           kind == WICK_WAIT_CONDITION || kind == WICK_WAIT_OBJECT_WAIT || kind == WICK_WAIT_PARK;
}

/* How often a thread rests; how often it has slept between two reads. */
struct rests {
    uint32_t all, between;
    bool read, slept; /* since it has read last */
};

/* Samples of one thread come in order of time, but for a few. */
static void learn_rests(const struct wick_explain *x, struct rests *rests, struct talk *talks)
{
    const struct wick_explain_facts *f = x->f;
    for (size_t i = 0; i < f->nwall; i++) {
        struct rests *r = &rests[f->wall[i].thread];
        bool reads = x->waits[i].kind == WICK_WAIT_SOCKET;
        r->all += is_rest(x->waits[i].kind) && x->waits[i].stack;
        r->between += reads && r->slept;
        r->slept = !reads && r->read && (r->slept || x->waits[i].kind == WICK_WAIT_TIMER);
        r->read |= reads;
    }
    for (size_t i = 0; i < f->nwall; i++)
        if (x->waits[i].kind == WICK_WAIT_SOCKET)
            talks[wick_explain_function_at(f->p, x->waits[i].stack)].listens |=
                rests[f->wall[i].thread].between < SLEEPS_LEAST || wick_explain_is_unmounted(x, f->wall[i].thread);
}

/* Whether all threads that read sockets rest as well: each begins to read when it has asked for something, and none
 * waits for requests. */
static bool all_rest(const struct wick_explain *x, const struct rests *rests)
{
    const struct wick_explain_facts *f = x->f;
    for (size_t i = 0; i < f->nwall; i++)
        if (x->waits[i].kind == WICK_WAIT_SOCKET &&
            (rests[f->wall[i].thread].all < RESTS_LEAST || wick_explain_is_unmounted(x, f->wall[i].thread)))
            return false;
    return true;
}

/* Whether those who read there from connections that this process has opened, or a good part of them, make some all
 * the time. Few are seen to. */
static bool makes_again(const struct wick_explain_facts *f, const struct talk *t)
{
    return wick_explain_connects_again(f, &t->makes) && (double)t->makers_ns >= MAKERS_LEAST * (double)t->opened_ns;
}

/* A read may wait for a request or for an answer: what its function does besides says which. One that only reads may
 * have subscribed to what rarely comes. As writes are short, few of them are sampled; so in a process to which no
 * clients come threads that rest between reads, all of them, ask as well; and those that sleep between reads from
 * connections that this process has opened. */
void wick_explain_find_questions(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    struct talk *talks = calloc(f->p->nfunctions + 1, sizeof *talks);
    struct rests *rests = calloc(f->p->nthreads + 1, sizeof *rests);
    x->f->failed |= !talks || !rests;
    if (!x->f->failed) {
        learn_reads(x, f->cpu, f->ncpu, talks);
        learn_reads(x, f->wall, f->nwall, talks);
        learn_writes(x, f->cpu, f->ncpu, talks);
        learn_writes(x, f->wall, f->nwall, talks);
        learn_makes(x, talks);
        learn_rests(x, rests, talks);
    }
    for (size_t i = 0; !x->f->failed && i < f->nwall; i++) {
        struct talk *t = &talks[wick_explain_function_at(f->p, x->waits[i].stack)];
        t->opened_ns = wick_sum(t->opened_ns, f->wall[i].server ? f->wall[i].weight_ns : 0);
        t->accepted_ns = wick_sum(t->accepted_ns, f->wall[i].service ? f->wall[i].weight_ns : 0);
    }
    bool serves = x->serves = x->f->failed || accepts(x), rested = !serves && all_rest(x, rests);
    for (size_t i = 0; !x->f->failed && i < f->nwall; i++) {
        struct wick_wait *w = &x->waits[i];
        const struct talk *t = &talks[wick_explain_function_at(f->p, w->stack)];
        int opens = who_connects(t);
        bool answers = opens ? opens < 0 : t->after > t->before;
        if (w->kind != WICK_WAIT_SOCKET || !w->stack || answers)
            continue;
        if (rested || (opens && !t->listens && t->after <= t->before) || asks(t, serves && !opens) ||
            (opens && makes_again(f, t)))
            w->kind = WICK_WAIT_PEER;
    }
    free(talks);
    free(rests);
}

static bool receives_datagrams(const struct wick_profile *p, uint32_t stack)
{
    static const char *const classes[] = {"java/net/DatagramSocket", "java/net/PlainDatagramSocketImpl",
                                          "sun/nio/ch/DatagramSocketAdaptor", "sun/nio/ch/DatagramChannelImpl"};
    for (uint32_t s = stack; s; s = p->stacks[s].parent)
        for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
            if (!strcmp(wick_profile_str(p, p->functions[wick_explain_function_at(p, s)].class_name), classes[i]))
                return true;
    return false;
}

/* Whether methods of that class are seen to send something. */
static bool sends_in(const struct wick_explain *x, const struct wick_explain_sample *rows, size_t n,
                     uint32_t class_name)
{
    const struct wick_profile *p = x->f->p;
    for (size_t i = 0; i < n; i++) {
        struct wick_wait w = wick_explain_wait_at(x, rows[i].stack);
        if (w.kind == WICK_WAIT_SOCKET_WRITE && w.stack &&
            p->functions[wick_explain_function_at(p, w.stack)].class_name == class_name)
            return true;
    }
    return false;
}

bool wick_explain_receives_only(const struct wick_explain *x, uint32_t function)
{
    const struct wick_explain_facts *f = x->f;
    uint32_t class_name = f->p->functions[function].class_name;
    int64_t datagrams = 0, all = 0;
    for (size_t i = 0; i < f->nwall; i++) {
        const struct wick_explain_sample *s = &f->wall[i];
        const struct wick_wait *w = &x->waits[i];
        if (w->kind != WICK_WAIT_SOCKET || !w->stack || wick_explain_function_at(f->p, w->stack) != function)
            continue;
        if (s->endpoint || w->in_request)
            return false;
        all = wick_sum(all, s->weight_ns);
        datagrams = wick_sum(datagrams, receives_datagrams(f->p, s->stack) ? s->weight_ns : 0);
    }
    return all && (double)datagrams > DATAGRAMS_LEAST * (double)all && !sends_in(x, f->wall, f->nwall, class_name) &&
           !sends_in(x, f->cpu, f->ncpu, class_name);
}
