/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_ends.c - the names of servers, clients, files and processes that threads wait for
 *
 * The labels peer, local and file of the samples of waits have them (engine/thread/awaited.h). Where several are waited
 * for at one place, the first of them is named, with its share, and how many others there are.
 *
 * For the end of a process threads of the JDK wait, and the program's wait for these: so of processes it is not known
 * which place waits for which, only what all of them do.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "base/strbuf.h"
#include "base/sum.h"
#include "model/name.h"

#define NAMED_LEAST    0.50 /* of the time of the waits at a place: with a label */
#define HELD_LEAST     0.50 /* of the time of those who wait for a server: its answers are held back */
#define OFTEN_LEAST    2.0  /* times a second that a thread is put on a CPU, at which its waits may be many, */
#define BETWEEN_MOST   50.0 /* and as often as that for what it does in between */
#define CONNECTS_LEAST 5    /* samples of making connections, */
#define GOES_ON        0.50 /* in so much of the recording, */
#define CONNECTS_SHARE 0.10 /* and of the CPU time of those who wait for answers */
#define ONE_LEAST      0.95 /* of that: for one, so that the others are not mentioned */

enum end { SERVER, CLIENTS, FILE_OF, ENDS };

/* The figure of a finding that has the name; of waits to connect or write it is who does not accept, or read. */
static const char *figure_of(enum end end, enum wick_wait_kind kind)
{
    static const char *const figures[ENDS] = {"server", "service", "file"};
    if ((kind == WICK_WAIT_SOCKET_WRITE || kind == WICK_WAIT_CONNECT) && end != FILE_OF)
        return end == SERVER ? "destination" : "receivers";
    return figures[end];
}

/* Time by string of the profile. */
struct named {
    int64_t *ns, all;
};

static uint32_t name_of(const struct wick_explain_sample *s, enum end end)
{
    return end == SERVER ? s->server : end == CLIENTS ? s->service : s->file;
}

bool wick_explain_is_listener_of(const char *address, const char *server)
{
    size_t n = strcspn(server, ", "); /* of a figure: what is said of it follows */
    const char *port = strrchr(address, ':');
    bool four = !strncmp(address, "0.0.0.0:", 8),
         all = !strncmp(address, "[::]:", 5); /* which takes those of four, too */
    bool near = !strncmp(server, "127.", 4) || (all && !strncmp(server, "[::1]:", 6));
    if (strlen(address) == n && !strncmp(address, server, n))
        return true;
    return (four || all) && near && port && n > strlen(port) && !strncmp(server + n - strlen(port), port, strlen(port));
}

bool wick_explain_is_own(const struct wick_explain_facts *f, uint32_t server)
{
    bool own = false;
    for (size_t i = 0; i < f->nlistening && !f->programs_differ && !own; i++)
        own = wick_explain_is_listener_of(wick_profile_str(f->p, f->listening[i].address),
                                          wick_profile_str(f->p, server));
    for (size_t i = 0; i < f->nwall && !f->programs_differ; i++) {
        if (f->wall[i].process)
            return false;
        own |= f->wall[i].service == server;
    }
    return own;
}

static void say(struct wick_explain *x, struct wick_explain_finding *r, enum end end, enum wick_wait_kind kind,
                const struct named *n)
{
    const struct wick_profile *p = x->f->p;
    uint32_t most = 0, others = 0;
    for (uint32_t s = 1; s < p->nstrings; s++) {
        others += n->ns[s] > 0;
        most = n->ns[s] > n->ns[most] ? s : most;
    }
    if (!most)
        return;
    struct wick_strbuf text = WICK_STRBUF_INIT;
    double share = wick_explain_share((double)n->ns[most], (double)n->all);
    wick_strbuf_adds(&text, wick_profile_str(p, most));
    if (share < ONE_LEAST)
        wick_strbuf_addf(&text, " (%.0f %%) and %u %s", 100 * share, others - 1, others > 2 ? "others" : "other");
    else if (end == SERVER && wick_explain_is_own(x->f, most))
        wick_strbuf_adds(&text, ", which is this process");
    wick_explain_say(x, r, figure_of(end, kind), text.buf);
    wick_strbuf_release(&text);
}

/* The waits that a finding is about. */
struct waits {
    enum wick_wait_kind kind;
    uint32_t function, endpoint; /* endpoint: 0 = any */
};

static bool is_among(const struct wick_explain *x, size_t i, const struct waits *of)
{
    const struct wick_wait *w = &x->waits[i];
    return w->kind == of->kind && w->stack && wick_explain_function_at(x->f->p, w->stack) == of->function &&
           (!of->endpoint || x->f->wall[i].endpoint == of->endpoint);
}

/* What most of them wait for; ENDS = most have no label. */
static enum end most_of(const struct wick_explain *x, const struct waits *of, int64_t *ns)
{
    const struct wick_explain_facts *f = x->f;
    int64_t all = 0, by[ENDS] = {0};
    enum end most = SERVER;
    for (size_t i = 0; i < f->nwall; i++) {
        if (!is_among(x, i, of))
            continue;
        all = wick_sum(all, f->wall[i].weight_ns);
        for (enum end end = SERVER; end < ENDS; end++)
            by[end] = wick_sum(by[end], name_of(&f->wall[i], end) ? f->wall[i].weight_ns : 0);
    }
    for (enum end end = SERVER; end < ENDS; end++)
        most = by[end] > by[most] ? end : most;
    *ns = by[most];
    return by[most] && (double)by[most] >= NAMED_LEAST * (double)all ? most : ENDS;
}

void wick_explain_say_end(struct wick_explain *x, struct wick_explain_finding *r, enum wick_wait_kind kind,
                          uint32_t function, uint32_t endpoint)
{
    const struct wick_explain_facts *f = x->f;
    const struct waits of = {kind, function, endpoint};
    struct named n = {0};
    enum end end = r && f->ends ? most_of(x, &of, &n.all) : ENDS;
    if (end == ENDS)
        return;
    n.ns = calloc(f->p->nstrings + 1, sizeof *n.ns);
    x->f->failed |= !n.ns;
    for (size_t i = 0; n.ns && i < f->nwall; i++) {
        uint32_t name = name_of(&f->wall[i], end);
        if (name && is_among(x, i, &of))
            n.ns[name] = wick_sum(n.ns[name], f->wall[i].weight_ns);
    }
    if (n.ns)
        say(x, r, end, kind, &n);
    free(n.ns);
}

/* Who waits for the answer of a server in this process, whose answers are held back, waits for these, if that is a good
 * part of it. */
void wick_explain_follow_held_back(struct wick_explain *x, struct wick_explain_finding *r)
{
    const struct wick_explain_figure *server = r ? wick_explain_figure_of(r, "server") : NULL;
    if (!server || !strstr(server->text, ", which is this process"))
        return;
    for (size_t i = 0; i < x->out->n; i++) {
        struct wick_explain_finding *held = &x->out->rows[i];
        const struct wick_explain_figure *service = wick_explain_figure_of(held, "service");
        size_t n = service ? strlen(service->text) : 0;
        if (held->rule != &wick_explain_rules[WICK_EXPLAIN_RULE_HELD_BACK] || !n ||
            strncmp(server->text, service->text, n) != 0 || server->text[n] != ',' ||
            held->cost_ns < HELD_LEAST * r->cost_ns)
            continue;
        double before = wick_explain_rank_of(held);
        r->led_to = true;
        r->rank_ns = held->cost_ns < r->cost_ns ? nextafter(held->cost_ns, 0) : 0;
        held->rank_ns = before < r->cost_ns ? r->cost_ns : held->rank_ns;
        return;
    }
}

/* The stack cut at the program's frame that starts a process, 0 = none does. */
static uint32_t starter_of(const struct wick_profile *p, uint32_t stack)
{
    bool starts = false;
    for (uint32_t s = stack; s; s = p->stacks[s].parent) {
        const struct wick_function *function = &p->functions[wick_explain_function_at(p, s)];
        starts |= !strcmp(wick_profile_str(p, function->class_name), "java/lang/ProcessBuilder");
        if (starts && wick_explain_is_program(p, wick_explain_frame_at(p, s)))
            return s;
    }
    return 0;
}

/* Whether the stack's leaf is a method that makes a connection. */
static bool is_connect(const struct wick_profile *p, uint32_t stack)
{
    const struct wick_function *function = &p->functions[wick_explain_function_at(p, stack)];
    const char *class_name = wick_profile_str(p, function->class_name), *name = wick_profile_str(p, function->name);
    bool socket = !strcmp(class_name, "java/net/Socket") || !strcmp(class_name, "sun/nio/ch/SocketChannelImpl");
    return wick_frame_kind_is_java(p->frames[p->stacks[stack].frame].kind) &&
           ((socket && (!strcmp(name, "connect") || !strcmp(name, "createImpl"))) || !strcmp(name, "startHandshake"));
}

void wick_explain_mark_connects(const struct wick_profile *p, bool *stacks)
{
    for (uint32_t s = 1; s < p->nstacks; s++) /* callers come before those that they call */
        stacks[s] = stacks[p->stacks[s].parent] || is_connect(p, s);
}

/* The stack cut at the program's frame that makes a connection, 0 = none does. */
static uint32_t connector_of(const struct wick_profile *p, uint32_t stack)
{
    bool connects = false;
    for (uint32_t s = stack; s; s = p->stacks[s].parent) {
        connects |= is_connect(p, s);
        if (connects && wick_explain_is_program(p, wick_explain_frame_at(p, s)))
            return s;
    }
    return 0;
}

void wick_explain_see(struct wick_explain_seen *seen, int64_t time_ns)
{
    seen->first_ns = !seen->n || time_ns < seen->first_ns ? time_ns : seen->first_ns;
    seen->last_ns = !seen->n || time_ns > seen->last_ns ? time_ns : seen->last_ns;
    seen->n++;
}

bool wick_explain_connects_again(const struct wick_explain_facts *f, const struct wick_explain_seen *seen)
{
    return seen->n >= CONNECTS_LEAST &&
           (double)seen->last_ns - (double)seen->first_ns >= GOES_ON * (double)f->duration_ns;
}

/* What those who wait at a place do besides. */
struct besides {
    uint32_t frame; /* where most of it is done */
    struct wick_explain_seen found;
    double cpu_ns, all_cpu_ns; /* CPU time of it, and all of these threads */
};

/* By thread: whether it waits at the place. */
static bool *threads_at(struct wick_explain *x, const struct wick_explain_place *at)
{
    bool *here = calloc(x->f->p->nthreads + 1, sizeof *here);
    x->f->failed |= !here;
    for (size_t i = 0; here && i < x->f->nwall; i++)
        here[x->f->wall[i].thread] |= wick_explain_waits_there(x, x->waits[i], at);
    return here;
}

/* `of` cuts a stack at the frame of the program to which its time goes, 0 = to none. */
static struct besides besides_at(struct wick_explain *x, const struct wick_explain_place *at,
                                 uint32_t (*of)(const struct wick_profile *p, uint32_t stack))
{
    const struct wick_explain_facts *f = x->f;
    struct besides b = {0};
    bool *here = threads_at(x, at);
    int64_t *ns = calloc(f->p->nframes, sizeof *ns);
    x->f->failed |= !ns;
    for (size_t i = 0; here && ns && i < f->nwall + f->ncpu; i++) {
        const struct wick_explain_sample *s = i < f->nwall ? &f->wall[i] : &f->cpu[i - f->nwall];
        double cpu = i < f->nwall ? 0 : (double)s->weight_ns;
        uint32_t cut = here[s->thread] ? of(f->p, s->stack) : 0, frame = f->p->stacks[cut].frame;
        b.all_cpu_ns += here[s->thread] ? cpu : 0;
        if (!cut)
            continue;
        wick_explain_see(&b.found, s->time_ns);
        b.cpu_ns += cpu;
        ns[frame] = wick_sum(ns[frame], s->weight_ns);
        b.frame = ns[frame] > ns[b.frame] ? frame : b.frame;
    }
    free(here);
    free(ns);
    return b;
}

/* Those who wait for processes at the place may start them at another one, one for each task. */
static void say_starter(struct wick_explain *x, struct wick_explain_finding *r, const struct wick_explain_place *at)
{
    struct besides b = besides_at(x, at, starter_of);
    if (b.frame && x->f->p->frames[b.frame].function != at->function)
        wick_explain_say_frame(x, r, "starter", b.frame);
}

/* Those who wait for answers at the place may make a connection for each question, which takes next to no time here and
 * much at its other end. */
void wick_explain_say_connector(struct wick_explain *x, struct wick_explain_finding *r,
                                const struct wick_explain_place *at)
{
    struct besides b = r && at->kind == WICK_WAIT_PEER ? besides_at(x, at, connector_of) : (struct besides){0};
    if (!wick_explain_connects_again(x->f, &b.found) || b.cpu_ns < CONNECTS_SHARE * b.all_cpu_ns)
        return;
    wick_explain_say_frame(x, r, "connector", b.frame);
    if (wick_explain_figure_of(r, "sequence") || wick_explain_figure_of(r, "asks"))
        return;
    r->advice =
        "keep connections open and use them again (a pool, HTTP keep-alive): each new one costs round trips, and "
        "its other end what it does before the first answer";
}

void wick_explain_say_child(struct wick_explain *x, struct wick_explain_finding *r, const struct wick_explain_place *at)
{
    const struct wick_explain_facts *f = x->f;
    bool process = r && at->kind == WICK_WAIT_PROCESS;
    int64_t all = 0, full = 0, most_ns = 0;
    uint32_t most = 0;
    if (process)
        say_starter(x, r, at);
    for (size_t i = 0; process && i < f->nwall; i++) {
        const struct wick_explain_sample *s = &f->wall[i];
        all = wick_sum(all, s->child ? s->weight_ns : 0);
        full = wick_sum(full, s->pipe_full ? s->weight_ns : 0);
        if (s->pipe_full && s->weight_ns > most_ns) {
            most = s->child;
            most_ns = s->weight_ns;
        }
    }
    double share = wick_explain_share((double)full, (double)all);
    if (!most || share < NAMED_LEAST)
        return;
    wick_explain_say(x, r, "blocked", wick_profile_str(f->p, most));
    wick_explain_figure(r, "full", WICK_EXPLAIN_SHARE, share);
    r->advice = "read what the process writes, its errors as well, before or while waiting for its end, or send it to "
                "a file (ProcessBuilder.redirectOutput, redirectError, Redirect.DISCARD): a pipe has room for 64 KiB, "
                "and who writes more waits for a reader";
}

void wick_explain_learn_lasting(struct wick_explain *x, struct wick_explain_finding *r,
                                const struct wick_explain_place *at)
{
    const struct wick_explain_facts *f = x->f;
    bool asked = r && (at->kind == WICK_WAIT_PROCESS || at->kind == WICK_WAIT_FILE_LOCK);
    bool *here = asked ? threads_at(x, at) : NULL;
    double waits = 0, others = 0, slices = 0;
    for (size_t i = 0; here && i < f->nwall; i++)
        if (here[f->wall[i].thread])
            *(wick_explain_waits_there(x, x->waits[i], at) ? &waits : &others) += (double)f->wall[i].weight_ns;
    for (uint32_t t = 1; here && t < f->p->nthreads && t < f->nuses; t++)
        slices += here[t] ? (double)f->uses[t].slices : 0;
    free(here);
    if (asked)
        r->lasting = slices > 0 && slices * 1e9 < OFTEN_LEAST * waits + BETWEEN_MOST * others;
}
