/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_loop.c - an event loop that blocks
 *
 *     thread   select.read.write.select.[== waits for a server ==].select.read
 *                                        nobody else is served ^
 *
 * A thread that waits for events of a selector serves many connections, one after another: while it waits for anything
 * else, none of them gets on, and what is seen of that is only that clients wait. It is such a thread that was seen at
 * its selector, and whatever else it waits for within the loop blocks that.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "base/sum.h"

/* A thread, by its wall-clock samples, and those of CPU time: one that is blocked all the time never waits for events,
 * but asks for them. */
struct loop {
    size_t events;     /* samples at its selector */
    int64_t blocks_ns; /* time in which it waits for something else within the loop */
    uint32_t at;       /* the program's function that asks for events; 0 = none was seen */
};

/* Whether a thread that has this to wait for stands still for others; what has nothing to do, and what is a queue by
 * another name, does not. */
static bool blocks(enum wick_wait_kind kind)
{
    return kind != WICK_WAIT_NONE &&
           (wick_wait_role_of(kind) == WICK_WAIT_TROUBLE || kind == WICK_WAIT_TIMER || kind == WICK_WAIT_SOCKET ||
            kind == WICK_WAIT_DISK || kind == WICK_WAIT_DIRECT_BUFFER);
}

static uint32_t function_of(const struct wick_explain *x, size_t i)
{
    return x->waits[i].stack ? wick_explain_function_at(x->f->p, x->waits[i].stack) : 0;
}

/* Whether the stack has a function of that class. */
static bool is_in_class(const struct wick_profile *p, uint32_t stack, uint32_t class_name)
{
    for (uint32_t s = stack; s; s = p->stacks[s].parent)
        if (p->functions[wick_explain_function_at(p, s)].class_name == class_name)
            return true;
    return false;
}

/* Whether the wait is within the loop: below the function that selects, or, if that was seen more than once, in a class
 * that has a function of its own for it (Netty's). A client that waits for its own answers by a selector is not around
 * what its user does. */
static bool is_blocked(const struct wick_explain *x, const struct loop *loops, size_t i)
{
    const struct wick_profile *p = x->f->p;
    const struct loop *l = &loops[x->f->wall[i].thread];
    uint32_t stack = x->waits[i].stack;
    if (!l->at || !blocks(x->waits[i].kind) || !stack || function_of(x, i) == l->at)
        return false;
    return wick_explain_goes_through(p, stack, l->at) || (x->waits[i].kind != WICK_WAIT_TIMER && l->events > 1 &&
                                                          is_in_class(p, stack, p->functions[l->at].class_name));
}

/* Whether the program asks for events itself, and not a client of the JDK that waits so for its own answer. */
static bool is_own_selector(const struct wick_profile *p, uint32_t stack, uint32_t user)
{
    for (uint32_t s = stack; s && s != user; s = p->stacks[s].parent) {
        const struct wick_frame *f = &p->frames[p->stacks[s].frame];
        const char *class_name = wick_profile_str(p, p->functions[f->function].class_name);
        if (wick_frame_kind_is_java(f->kind) && strncmp(class_name, "sun/nio/ch/", strlen("sun/nio/ch/")) != 0 &&
            strncmp(class_name, "java/nio/channels/", strlen("java/nio/channels/")) != 0)
            return false;
    }
    return true;
}

static void note_events(const struct wick_explain *x, const struct wick_explain_sample *s, struct wick_wait w,
                        struct loop *loops)
{
    if (w.kind != WICK_WAIT_EVENT || !w.stack || !s->thread || !is_own_selector(x->f->p, s->stack, w.stack))
        return;
    loops[s->thread].events++; /* a wait, not its ticks */
    loops[s->thread].at = wick_explain_function_at(x->f->p, w.stack);
}

static void learn(const struct wick_explain *x, struct loop *loops)
{
    const struct wick_explain_facts *f = x->f;
    for (size_t i = 0; i < f->ncpu; i++)
        note_events(x, &f->cpu[i], wick_explain_wait_at(x, f->cpu[i].stack), loops);
    for (size_t i = 0; i < f->nwall; i++)
        note_events(x, &f->wall[i], x->waits[i], loops);
    for (size_t i = 0; i < f->nwall; i++)
        if (is_blocked(x, loops, i))
            loops[f->wall[i].thread].blocks_ns = wick_sum(loops[f->wall[i].thread].blocks_ns, f->wall[i].weight_ns);
}

/* Whether these answers may be the loop's: of this process, or at least of this machine. */
static bool is_near(const struct wick_explain_finding *w)
{
    const struct wick_explain_figure *server = wick_explain_figure_of(w, "server");
    return server && (strstr(server->text, "this process") || !strncmp(server->text, "127.", 4) ||
                      !strncmp(server->text, "[::1]", 5));
}

/* Whether the chain of what is waited for goes through the place at which the loop waits. */
static bool goes_through_loop(const struct wick_explain_finding *w, const struct wick_explain_finding *r)
{
    const struct wick_explain_figure *frame = wick_explain_figure_of(r, "frame");
    for (unsigned i = 0; frame && i < w->nsteps; i++)
        if (w->steps[i].frame && !strcmp(w->steps[i].frame, frame->text))
            return true;
    return false;
}

/* Clients that wait for the loop wait because of it, whatever it waits for. */
static void put_before_clients(struct wick_explain *x, struct wick_explain_finding *r)
{
    for (size_t i = 0; r && i < x->out->n; i++) {
        struct wick_explain_finding *w = &x->out->rows[i];
        const struct wick_explain_figure *kind = wick_explain_figure_of(w, "kind");
        bool answers = w->rule == &wick_explain_rules[WICK_EXPLAIN_RULE_WAITING] && !w->rank_ns && kind &&
                       !strcmp(kind->text, wick_wait_name(WICK_WAIT_PEER));
        bool through = w->rule == &wick_explain_rules[WICK_EXPLAIN_RULE_WAITING] && !w->rank_ns &&
                       wick_explain_figure_of(w, "chain") && goes_through_loop(w, r);
        if (!(answers && is_near(w)) && !through)
            continue;
        if (w->cost_ns < r->cost_ns)
            continue;
        r->rank_ns = w->cost_ns > r->rank_ns ? w->cost_ns : r->rank_ns;
        w->rank_ns = r->cost_ns;
    }
}

static void say(struct wick_explain *x, const struct loop *loops, uint32_t thread)
{
    const struct wick_explain_facts *f = x->f;
    struct wick_explain_places at = {0};
    double ns = (double)loops[thread].blocks_ns;
    for (size_t i = 0; i < f->nwall; i++)
        if (f->wall[i].thread == thread && is_blocked(x, loops, i))
            wick_explain_places_add(x, &at, x->waits[i], f->wall[i].weight_ns, wick_explain_quantum(&f->wall[i]));
    wick_explain_places_sort(&at);
    struct wick_explain_finding *r = at.n ? wick_explain_found(x, ns) : NULL;
    if (r) {
        enum wick_wait_kind kind = at.rows[0].kind;
        uint32_t frame = wick_explain_frame_at(f->p, at.rows[0].stack);
        wick_explain_filter_thread(x, r, thread);
        wick_explain_say(x, r, "thread", wick_profile_str(f->p, f->p->threads[thread].name));
        wick_explain_figure(r, "share", WICK_EXPLAIN_SHARE, ns / (double)f->duration_ns);
        wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, ns);
        wick_explain_say(x, r, "kind", wick_wait_name(kind));
        wick_explain_say(x, r, "what", wick_wait_text(kind));
        wick_explain_say_frame(x, r, "frame", frame);
        wick_explain_say_end(x, r, kind, at.rows[0].function, 0);
        put_before_clients(x, r);
    }
    free(at.rows);
}

void wick_explain_blocked_loop(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    struct loop *loops = calloc(f->p->nthreads + 1, sizeof *loops);
    uint32_t worst = 0;
    x->f->failed |= !loops;
    if (loops)
        learn(x, loops);
    for (uint32_t t = 1; loops && t < f->p->nthreads; t++)
        if (loops[t].blocks_ns > loops[worst].blocks_ns && !wick_profile_thread_is_many(&f->p->threads[t]))
            worst = t;
    if (worst && wick_explain_counts(f, (double)loops[worst].blocks_ns, x->rule->threshold))
        say(x, loops, worst);
    free(loops);
}
