/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_sequence.c - whether a thread waits for several peers one after another each time that it does its work
 *
 *     board()   ..ask..  ....ask....  .ask.   sleep   ..ask..  ....ask....  .ask.
 *               one round: three waits        |       the next one
 *
 * A wall-clock sample is one event for as long as its thread stays where it was, so of waits longer than the interval
 * each has a row of its own, and rows can be counted. How often the work begins is known from spans. Without them, what
 * the kernel counted of the thread says it: a thread is put on a CPU after each wait, so what is left of its timeslices
 * without those after such waits is at least once for each round. Whatever else makes the thread run (it was preempted,
 * or a lock was not free) makes that number larger, and the waits in a round fewer than they are: no sequence is
 * invented. On a crowded machine too little is left; then it shows in the order only: a function all of whose waits are
 * made by a few others, never the same one twice in a row, goes from one to the next (work that came in any order would
 * have the same one next to itself).
 *
 * The function that asks in sequence is the last one that the stacks of two waits, one after another, have in common
 * before they part; or, if they do not part, who calls the function that waits.
 *
 * Virtual threads are sampled as one, so that their waits cannot be counted.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "base/sum.h"
#include "model/name.h"

#define TIMES_LEAST  2.5 /* waits in a round; one answer may come in two parts */
#define APART_LEAST  1.8 /* if they are made by different functions */
#define ROWS_LEAST   20  /* waits */
#define PAUSES_LEAST 5   /* other waits that were seen, if there are no spans */
#define ASKING_LEAST 0.6 /* of the time of threads: that they wait for answers */
#define STAYS_MOST   0.1 /* of their time in that: in waits that are there at two samples */
#define OFTEN_LEAST  500 /* times a second that each is put on a CPU */
#define MOST_LEAST   0.5 /* of the pairs: a function that has fewer does not ask in sequence */
#define ORDER_LEAST  0.9 /* of the pairs: made by different functions */
#define NAMED_LEAST  0.8 /* of the waiting */
#define SITE_LEAST   0.1 /* of the waiting: one that asks less is not named */

enum { SITES = 4, DEEP = 128 };

/* Functions of the program on a stack, from the root on, and the stack cut at each. */
struct path {
    uint32_t function[DEEP], stack[DEEP];
    unsigned n;
};

struct sum {
    uint32_t function, stack;
    int64_t ns;
};

/* Wall-clock sample i. */
struct look {
    uint32_t thread;
    int64_t time_ns;
    size_t i;
};

struct sequence {
    struct wick_explain *x;
    uint32_t function, endpoint; /* of the waits that the finding is about; 0 = any endpoint */
    struct look *order;          /* by thread and time */
    bool *here;                  /* by thread: it waits there */
    int64_t *by_function;        /* pairs, by the function that asks in sequence */
    uint32_t *stack_of;          /* a stack that is cut there */
    double waits, rounds, pairs_ns, apart_ns;
    int64_t waits_ns;
};

/* Whether sample i waits for a server's answer. */
static bool asks(const struct wick_explain *x, size_t i)
{
    const struct wick_wait *w = &x->waits[i];
    return w->stack && (w->kind == WICK_WAIT_PEER || (w->kind == WICK_WAIT_SOCKET && wick_explain_wait_counts(x, i)));
}

/* Whether it waits for something between two rounds: a timer, the next piece of work. */
static bool pauses(const struct wick_explain *x, size_t i)
{
    enum wick_wait_kind kind = x->waits[i].kind;
    return kind != WICK_WAIT_NONE && !asks(x, i) && wick_wait_role_of(kind) != WICK_WAIT_TROUBLE;
}

static bool is_lambda(const struct wick_profile *p, uint32_t function)
{
    return !strncmp(wick_profile_str(p, p->functions[function].name), "lambda$", strlen("lambda$"));
}

/* What javac makes for private methods that another class calls, to 10. */
static bool is_bridge(const struct wick_profile *p, uint32_t function)
{
    return !strncmp(wick_profile_str(p, p->functions[function].name), "access$", strlen("access$"));
}

/* From the root to the function that waits; recursion counts once. */
static void path_of(const struct wick_profile *p, uint32_t stack, struct path *out)
{
    struct path up = {.n = 0};
    for (uint32_t s = stack; s && up.n < DEEP; s = p->stacks[s].parent) {
        uint32_t function = p->frames[p->stacks[s].frame].function;
        if (!wick_explain_is_program(p, wick_explain_frame_at(p, s)) || is_bridge(p, function) ||
            (up.n && up.function[up.n - 1] == function))
            continue;
        up.function[up.n] = function;
        up.stack[up.n++] = s;
    }
    out->n = up.n;
    for (unsigned i = 0; i < up.n; i++) {
        out->function[i] = up.function[up.n - 1 - i];
        out->stack[i] = up.stack[up.n - 1 - i];
    }
}

/* The stack, cut at the function in which two waits part; *apart: they do. 0 = they have nothing in common. */
static uint32_t parts_at(const struct wick_profile *p, uint32_t one, uint32_t other, bool *apart)
{
    struct path a, b;
    path_of(p, one, &a);
    path_of(p, other, &b);
    unsigned same = 0;
    while (same < a.n && same < b.n && a.function[same] == b.function[same])
        same++;
    *apart = same < a.n || same < b.n;
    if (!*apart && same > 1)
        same--; /* who calls the function that waits */
    while (same > 1 && is_lambda(p, a.function[same - 1]))
        same--; /* a loop of the JDK's: who gave it the lambda */
    return same ? a.stack[same - 1] : 0;
}

static int by_thread(const void *a, const void *b)
{
    const struct look *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->time_ns != y->time_ns ? (x->time_ns < y->time_ns ? -1 : 1) : (x->i > y->i) - (x->i < y->i);
}

/* The root span of that thread at the time, as 1 + its index; 0 = none. Spans are sorted by thread and time. */
static size_t span_at(const struct wick_explain_facts *f, uint32_t thread, int64_t time_ns)
{
    size_t lo = 0, hi = f->nspans;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        const struct wick_explain_span *s = &f->spans[mid];
        if (s->thread < thread || (s->thread == thread && s->begin_ns <= time_ns))
            lo = mid + 1;
        else
            hi = mid;
    }
    while (lo-- > 0 && f->spans[lo].thread == thread)
        if (f->spans[lo].root)
            return f->spans[lo].end_ns > time_ns ? lo + 1 : 0;
    return 0;
}

/* How often the thread began its work by its spans of the endpoint (0 = any); -1 = it has none. */
static double spans_of(const struct wick_explain_facts *f, uint32_t thread, uint32_t endpoint)
{
    double n = 0;
    for (size_t i = 0; i < f->nspans; i++)
        n += f->spans[i].thread == thread && f->spans[i].root && !f->spans[i].unmounts &&
             (!endpoint || f->spans[i].endpoint == endpoint);
    return n > 0 ? n : -1;
}

static void add_pair(struct sequence *q, size_t one, size_t other)
{
    const struct wick_explain *x = q->x;
    bool apart;
    uint32_t stack = parts_at(x->f->p, x->waits[one].stack, x->waits[other].stack, &apart);
    uint32_t function = x->f->p->frames[x->f->p->stacks[stack].frame].function;
    int64_t ns = x->f->wall[other].weight_ns;
    q->pairs_ns += (double)ns;
    q->apart_ns += apart ? (double)ns : 0;
    if (!stack)
        return;
    q->by_function[function] = wick_sum(q->by_function[function], ns);
    q->stack_of[function] = stack;
}

/* Adds the samples of one thread, those of order[from] to order[to - 1]. */
static void add_thread(struct sequence *q, size_t from, size_t to)
{
    const struct wick_explain *x = q->x;
    const struct wick_explain_facts *f = x->f;
    uint32_t thread = q->order[from].thread;
    double rounds = spans_of(f, thread, q->endpoint), waits = 0, paused = 0;
    size_t last = SIZE_MAX, span = 0;
    for (size_t k = from; k < to; k++) {
        size_t i = q->order[k].i, now = rounds > 0 ? span_at(f, thread, f->wall[i].time_ns) : 0;
        if (now != span || pauses(x, i)) {
            paused += pauses(x, i);
            last = SIZE_MAX;
        }
        span = now;
        if (!asks(x, i) || (q->endpoint && f->wall[i].endpoint != q->endpoint) || (rounds > 0 && !now))
            continue;
        if (last != SIZE_MAX)
            add_pair(q, last, i);
        last = i;
        waits++;
        q->waits_ns = wick_sum(q->waits_ns, f->wall[i].weight_ns);
    }
    if (rounds < 0) {
        double slices = thread < f->nuses ? (double)f->uses[thread].slices : 0;
        rounds = paused >= PAUSES_LEAST && slices > waits ? slices - waits : waits;
    }
    q->waits += waits;
    q->rounds += rounds;
}

static void learn(struct sequence *q)
{
    struct wick_explain *x = q->x;
    const struct wick_explain_facts *f = x->f;
    for (size_t i = 0; i < f->nwall; i++) {
        q->order[i] = (struct look){f->wall[i].thread, f->wall[i].time_ns, i};
        if (asks(x, i) && f->p->frames[f->p->stacks[x->waits[i].stack].frame].function == q->function &&
            (!q->endpoint || f->wall[i].endpoint == q->endpoint))
            q->here[f->wall[i].thread] = true;
    }
    qsort(q->order, f->nwall, sizeof *q->order, by_thread);
    for (size_t from = 0, to; from < f->nwall; from = to) {
        uint32_t thread = q->order[from].thread;
        for (to = from; to < f->nwall && q->order[to].thread == thread;)
            to++;
        if (q->here[thread] && !wick_profile_thread_is_many(&f->p->threads[thread]))
            add_thread(q, from, to);
    }
}

/* What the function calls, directly, that waits: by time. */
static unsigned sites_of(const struct sequence *q, uint32_t function, struct sum *out)
{
    const struct wick_explain *x = q->x;
    const struct wick_profile *p = x->f->p;
    unsigned n = 0;
    for (size_t i = 0; i < x->f->nwall; i++) {
        struct path at;
        unsigned k = 0, s = 0;
        if (!asks(x, i) || !q->here[x->f->wall[i].thread])
            continue;
        path_of(p, x->waits[i].stack, &at);
        while (k < at.n && at.function[k] != function)
            k++;
        if (k + 1 >= at.n)
            continue;
        while (s < n && out[s].function != at.function[k + 1])
            s++;
        if (s == n && n < SITES)
            out[n++] = (struct sum){.function = at.function[k + 1], .stack = at.stack[k + 1]};
        if (s < n)
            out[s].ns = wick_sum(out[s].ns, x->f->wall[i].weight_ns);
    }
    return n;
}

/* "app.A.x, app.B.y", those that have a share worth a name; how many; *ns: their time. */
static unsigned name_sites(const struct sequence *q, const struct sum *sites, unsigned n, struct wick_strbuf *out,
                           double *ns)
{
    unsigned named = 0;
    *ns = 0;
    for (unsigned i = 0; i < n; i++) {
        if ((double)sites[i].ns < SITE_LEAST * (double)q->waits_ns)
            continue;
        *ns += (double)sites[i].ns;
        wick_strbuf_adds(out, named++ ? ", " : "");
        wick_name_add_frame(out, q->x->f->p, q->x->f->p->stacks[sites[i].stack].frame, 0);
    }
    return named;
}

static void say(struct sequence *q, struct wick_explain_finding *r)
{
    const struct wick_profile *p = q->x->f->p;
    struct sum sites[SITES];
    struct wick_strbuf names = WICK_STRBUF_INIT;
    uint32_t best = 0;
    for (uint32_t i = 1; i < p->nfunctions; i++)
        best = q->by_function[i] > q->by_function[best] ? i : best;
    double times = wick_explain_share(q->waits, q->rounds);
    if (!best || (double)q->by_function[best] < MOST_LEAST * q->pairs_ns || q->waits < ROWS_LEAST)
        return;
    double named_ns;
    unsigned named = name_sites(q, sites, sites_of(q, best, sites), &names, &named_ns);
    bool in_order =
        named > 1 && q->apart_ns >= ORDER_LEAST * q->pairs_ns && named_ns >= NAMED_LEAST * (double)q->waits_ns;
    times = in_order && times < named ? named : times;
    if (times >= (named > 1 ? APART_LEAST : TIMES_LEAST)) {
        wick_explain_say_frame(q->x, r, "sequence", p->stacks[q->stack_of[best]].frame);
        wick_explain_figure(r, "times", WICK_EXPLAIN_NUMBER, times);
        wick_explain_figure(r, "each", WICK_EXPLAIN_TIME, (double)q->waits_ns / q->waits);
        if (named > 1)
            wick_explain_say(q->x, r, "sites", names.buf);
        if (r)
            r->advice = "ask all before the first answer is waited for, or from several threads, where none needs "
                        "another's answer: then a round takes as long as the longest wait; or ask once for all of them";
    }
    wick_strbuf_release(&names);
}

/* Where threads do little else than wait for answers, and hardly ever stay in one wait from one sample to the next, how
 * often they are put on a CPU says how short their waits are: they ask one question after another, or a long answer
 * comes in pieces. How often one piece of work asks is not known, but that it may be many times is. */
static void say_often(const struct sequence *q, struct wick_explain_finding *r)
{
    const struct wick_explain_facts *f = q->x->f;
    double all = 0, waits = 0, stays = 0, slices = 0;
    for (size_t i = 0; i < f->nwall; i++) {
        const struct wick_explain_sample *s = &f->wall[i];
        double ns = (double)s->weight_ns;
        if (!q->here[s->thread] || wick_profile_thread_is_many(&f->p->threads[s->thread]))
            continue;
        all += ns;
        waits += asks(q->x, i) ? ns : 0;
        stays += asks(q->x, i) && s->count > 1 ? ns : 0;
    }
    for (uint32_t t = 1; t < f->p->nthreads && t < f->nuses; t++)
        slices += q->here[t] ? (double)f->uses[t].slices : 0;
    double often = wick_explain_share(slices * 1e9, all);
    if (waits < ASKING_LEAST * all || stays > STAYS_MOST * waits || often < OFTEN_LEAST ||
        wick_explain_figure_of(r, "sequence"))
        return;
    wick_explain_figure(r, "asks", WICK_EXPLAIN_NUMBER, wick_explain_two_digits(often));
    wick_explain_figure(r, "short", WICK_EXPLAIN_TIME, wick_explain_share(waits, slices));
    r->advice = "if one piece of work asks many times, let it ask once for all of them (a list of keys, a batch): each "
                "question costs a round trip, however quick the answer is";
}

void wick_explain_say_sequence(struct wick_explain *x, struct wick_explain_finding *r, enum wick_wait_kind kind,
                               uint32_t function, uint32_t endpoint)
{
    const struct wick_explain_facts *f = x->f;
    struct sequence q = {.x = x, .function = function, .endpoint = endpoint};
    if (!r || (kind != WICK_WAIT_PEER && kind != WICK_WAIT_SOCKET))
        return;
    q.order = calloc(f->nwall + 1, sizeof *q.order);
    q.here = calloc(f->p->nthreads + 1, sizeof *q.here);
    q.by_function = calloc(f->p->nfunctions + 1, sizeof *q.by_function);
    q.stack_of = calloc(f->p->nfunctions + 1, sizeof *q.stack_of);
    x->f->failed |= !q.order || !q.here || !q.by_function || !q.stack_of;
    if (!x->f->failed) {
        learn(&q);
        say(&q, r);
        say_often(&q, r);
    }
    free(q.order);
    free(q.here);
    free(q.by_function);
    free(q.stack_of);
}
