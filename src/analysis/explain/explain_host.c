/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_host.c - the rules of `wick explain` about processes that wait for CPUs, of recordings of a whole machine
 *
 * `wick host -e sched` divides the time that a thread waits for a CPU among the processes that had that CPU in that
 * time. So it is known for each process how long it waited and whom for; what it used itself is known with -e cpu. A
 * process whose own threads stand in each other's way and one that others crowd out differ in these figures.
 *
 * A cgroup with a CPU limit is stopped for the rest of a period in which it has used what it may. The kernel counts
 * these periods; the labels of samples say which processes of it, or of those below it, used the CPU until then.
 *
 * The time that a thread sleeps is divided among the processes on which it depended, by what these did. Where those
 * wait for a CPU, a process is slow that has all the CPU time it asks for. Threads that wait for work depend on nobody.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "analysis/wait/wait_kind.h"
#include "base/strbuf.h"
#include "base/sum.h"

#define WAIT_LEAST 0.25 /* of the recording: thread time worth a sentence */
#define PART_LEAST 0.05 /* of the waiting: a name worth mentioning */

enum {
    FINDINGS = 3,
    CGROUPS = 10, /* at most so many findings about those that are stopped */
    NAMES = 3,
    THROTTLED_LEAST = 3 /* periods: fewer happen to any cgroup in which something starts */
};

/* By the number of the string that is a process's name. */
struct waiting {
    int64_t *queued, *used;
};

static bool learn(struct wick_explain_facts *f, struct waiting *w)
{
    w->queued = calloc(f->p->nstrings, sizeof *w->queued);
    w->used = calloc(f->p->nstrings, sizeof *w->used);
    if (!w->queued || !w->used)
        return false;
    for (size_t i = 0; i < f->nwall; i++)
        if (f->wall[i].state == WICK_EXPLAIN_WAITING_FOR_CPU)
            w->queued[f->wall[i].process] = wick_sum(w->queued[f->wall[i].process], f->wall[i].weight_ns);
    for (size_t i = 0; i < f->ncpu; i++)
        w->used[f->cpu[i].process] = wick_sum(w->used[f->cpu[i].process], f->cpu[i].weight_ns);
    return true;
}

/* How long each process had the CPUs that this one waited for. */
static int64_t *rivals_of(struct wick_explain_facts *f, uint32_t process)
{
    int64_t *ran = calloc(f->p->nstrings, sizeof *ran);
    f->failed |= !ran;
    for (size_t i = 0; ran && i < f->nwall; i++) {
        const struct wick_explain_sample *s = &f->wall[i];
        if (s->process == process && s->rival && s->state == WICK_EXPLAIN_WAITING_FOR_CPU)
            ran[s->rival] = wick_sum(ran[s->rival], s->weight_ns);
    }
    return ran;
}

static uint32_t most_of(const int64_t *sums, uint32_t n)
{
    uint32_t most = 0;
    for (uint32_t i = 1; i < n; i++)
        most = sums[i] > sums[most] ? i : most;
    return most;
}

/* "cc1-4711 (61 %), its own threads (12 %)": those that have most of the time; sums are used up. */
static void say_shares(struct wick_explain *x, struct wick_explain_finding *r, const char *key, int64_t *sums,
                       uint32_t own, double of)
{
    const struct wick_profile *p = x->f->p;
    struct wick_strbuf who = WICK_STRBUF_INIT;
    for (int i = 0; i < NAMES; i++) {
        uint32_t most = most_of(sums, p->nstrings);
        double share = wick_explain_share((double)sums[most], of);
        if (!most || share < PART_LEAST)
            break;
        wick_strbuf_addf(&who, "%s%s (%.0f %%)", i ? ", " : "",
                         most == own ? "its own threads" : wick_profile_str(p, most), share * 100);
        sums[most] = 0;
    }
    if (who.len)
        wick_explain_say(x, r, key, who.buf);
    wick_strbuf_release(&who);
}

static void say_rivals(struct wick_explain *x, struct wick_explain_finding *r, uint32_t process, double queued)
{
    int64_t *ran = rivals_of(x->f, process);
    if (ran)
        say_shares(x, r, "who", ran, process, queued);
    free(ran);
}

void wick_explain_crowded_out(struct wick_explain *x)
{
    struct wick_explain_facts *f = x->f;
    struct waiting w = {0};
    f->failed |= f->rivals && !learn(f, &w);
    for (int i = 0; f->rivals && !f->failed && i < FINDINGS; i++) {
        uint32_t process = most_of(w.queued, f->p->nstrings);
        double queued = (double)w.queued[process];
        double share = wick_explain_share(queued, queued + (double)w.used[process]);
        if (!process || !wick_explain_counts(f, queued, WAIT_LEAST))
            break;
        w.queued[process] = 0;
        if (share < x->rule->threshold)
            continue;
        struct wick_explain_finding *r = wick_explain_found(x, queued);
        wick_explain_filter_process(x, r, process);
        wick_explain_filter_state(x, r, WICK_EXPLAIN_WAITING_FOR_CPU);
        wick_explain_say(x, r, "process", wick_profile_str(f->p, process));
        wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, queued);
        if (w.used[process])
            wick_explain_figure(r, "share", WICK_EXPLAIN_SHARE, share);
        say_rivals(x, r, process, queued);
    }
    free(w.queued);
    free(w.used);
}

/* --- what waits for others that have no CPU --- */

/* By the number of the string that is a process's name: how long it depended on what others did, and how long these
 * waited for a CPU in that time. */
struct depending {
    int64_t *all, *queued;
};

static bool is_dependence(const struct wick_explain *x, size_t i)
{
    const struct wick_explain_sample *s = &x->f->wall[i];
    return s->peer && s->doing && s->peer != s->process && s->state != WICK_EXPLAIN_WAITING_FOR_CPU &&
           wick_wait_role_of(x->waits[i].kind) != WICK_WAIT_IDLE &&
           strcmp(wick_profile_str(x->f->p, s->doing), "interrupt") != 0;
}

static bool is_queued(const struct wick_explain *x, size_t i)
{
    return !strcmp(wick_profile_str(x->f->p, x->f->wall[i].doing), "run-queue");
}

static bool learn_dependence(const struct wick_explain *x, struct depending *d)
{
    const struct wick_explain_facts *f = x->f;
    d->all = calloc(f->p->nstrings, sizeof *d->all);
    d->queued = calloc(f->p->nstrings, sizeof *d->queued);
    if (!d->all || !d->queued)
        return false;
    for (size_t i = 0; i < f->nwall; i++) {
        const struct wick_explain_sample *s = &f->wall[i];
        if (!is_dependence(x, i))
            continue;
        d->all[s->process] = wick_sum(d->all[s->process], s->weight_ns);
        if (is_queued(x, i))
            d->queued[s->process] = wick_sum(d->queued[s->process], s->weight_ns);
    }
    return true;
}

/* Those that it waited for without a CPU, and who had the CPUs that the first of them waited for. */
static void say_peers(struct wick_explain *x, struct wick_explain_finding *r, uint32_t process, double queued)
{
    struct wick_explain_facts *f = x->f;
    int64_t *peers = calloc(f->p->nstrings, sizeof *peers), waited = 0;
    f->failed |= !peers;
    for (size_t i = 0; peers && i < f->nwall; i++)
        if (f->wall[i].process == process && is_dependence(x, i) && is_queued(x, i))
            peers[f->wall[i].peer] = wick_sum(peers[f->wall[i].peer], f->wall[i].weight_ns);
    uint32_t peer = peers ? most_of(peers, f->p->nstrings) : 0;
    for (size_t i = 0; peer && i < f->nwall; i++)
        if (f->wall[i].process == peer && f->wall[i].state == WICK_EXPLAIN_WAITING_FOR_CPU)
            waited = wick_sum(waited, f->wall[i].weight_ns);
    if (peer) {
        say_shares(x, r, "peers", peers, process, queued);
        wick_explain_say(x, r, "peer", wick_profile_str(f->p, peer));
        say_rivals(x, r, peer, (double)waited);
    }
    free(peers);
}

void wick_explain_starved_peer(struct wick_explain *x)
{
    struct wick_explain_facts *f = x->f;
    struct depending d = {0};
    f->failed |= f->peers && !learn_dependence(x, &d);
    for (int i = 0; f->peers && !f->failed && i < FINDINGS; i++) {
        uint32_t process = most_of(d.queued, f->p->nstrings);
        double queued = (double)d.queued[process], share = wick_explain_share(queued, (double)d.all[process]);
        if (!process || !wick_explain_counts(f, queued, WAIT_LEAST))
            break;
        d.queued[process] = 0;
        if (share < x->rule->threshold)
            continue;
        struct wick_explain_finding *r = wick_explain_found(x, queued);
        wick_explain_filter_process(x, r, process);
        wick_explain_say(x, r, "process", wick_profile_str(f->p, process));
        wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, queued);
        wick_explain_figure(r, "share", WICK_EXPLAIN_SHARE, share);
        say_peers(x, r, process, queued);
    }
    free(d.all);
    free(d.queued);
}

/* --- CPU limits of cgroups --- */

/* Whether a cgroup is that one, or below it. */
static bool is_within(const struct wick_profile *p, uint32_t cgroup, uint32_t of)
{
    const char *path = wick_profile_str(p, cgroup), *top = wick_profile_str(p, of);
    size_t n = strcmp(top, "/") != 0 ? strlen(top) : 0;
    return cgroup == of || !n || (!strncmp(path, top, n) && path[n] == '/');
}

/* Who used its CPU time, and where; and which samples these are, if they are all of that cgroup itself. */
static void say_users(struct wick_explain *x, struct wick_explain_finding *r, uint32_t cgroup)
{
    struct wick_explain_facts *f = x->f;
    int64_t *used = calloc(f->p->nstrings, sizeof *used), all = 0;
    struct wick_explain_sample *rows = f->ncpu ? malloc(f->ncpu * sizeof *rows) : NULL;
    size_t n = 0;
    bool itself = true;
    f->failed |= !used || (f->ncpu && !rows);
    for (size_t i = 0; used && rows && i < f->ncpu; i++) {
        const struct wick_explain_sample *s = &f->cpu[i];
        if (!is_within(f->p, s->cgroup, cgroup))
            continue;
        rows[n++] = *s;
        used[s->process] = wick_sum(used[s->process], s->weight_ns);
        all = wick_sum(all, s->weight_ns);
        itself &= s->cgroup == cgroup;
    }
    if (all) {
        say_shares(x, r, "who", used, 0, (double)all);
        struct wick_explain_top top = wick_explain_top(f, rows, n, true, 0, WICK_EXPLAIN_ALL, WICK_EXPLAIN_LEAF);
        wick_explain_say_frame(x, r, "frame", top.frame);
        if (itself)
            wick_explain_filter_cgroup(x, r, cgroup);
    }
    free(rows);
    free(used);
}

/* Time in which its threads waited for a CPU: longer than it was stopped, as threads share what it may use. */
static double queued_in(const struct wick_explain_facts *f, uint32_t cgroup)
{
    int64_t queued = 0;
    for (size_t i = 0; i < f->nwall; i++)
        if (f->wall[i].state == WICK_EXPLAIN_WAITING_FOR_CPU && is_within(f->p, f->wall[i].cgroup, cgroup))
            queued = wick_sum(queued, f->wall[i].weight_ns);
    return (double)queued;
}

/* The one that was stopped for longest first. */
static int by_time_stopped(const void *a, const void *b)
{
    const struct wick_explain_cgroup *l = a, *r = b;
    return (l->throttled_ns.grown < r->throttled_ns.grown) - (l->throttled_ns.grown > r->throttled_ns.grown);
}

void wick_explain_throttled(struct wick_explain *x)
{
    struct wick_explain_facts *f = x->f;
    if (f->ncgroups)
        qsort(f->cgroups, f->ncgroups, sizeof *f->cgroups, by_time_stopped);
    for (size_t i = 0, found = 0; i < f->ncgroups && found < CGROUPS && !f->failed; i++) {
        const struct wick_explain_cgroup *g = &f->cgroups[i];
        double share = wick_explain_share((double)g->throttled.grown, (double)g->periods.grown);
        if (g->throttled.grown < THROTTLED_LEAST || share < x->rule->threshold)
            continue;
        found++;
        double stopped = (double)g->throttled_ns.grown, delay = share * queued_in(f, g->path);
        struct wick_explain_finding *r = wick_explain_found(x, delay > stopped ? delay : stopped);
        wick_explain_say(x, r, "cgroup", wick_profile_str(f->p, g->path));
        if (*wick_profile_str(f->p, g->container))
            wick_explain_say(x, r, "container", wick_profile_str(f->p, g->container));
        if (g->limit > 0)
            wick_explain_figure(r, "limit", WICK_EXPLAIN_NUMBER, g->limit);
        wick_explain_figure(r, "share", WICK_EXPLAIN_SHARE, share);
        wick_explain_figure(r, "throttled", WICK_EXPLAIN_NUMBER, (double)g->throttled.grown);
        wick_explain_figure(r, "periods", WICK_EXPLAIN_NUMBER, (double)g->periods.grown);
        wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, stopped);
        say_users(x, r, g->path);
    }
}

/* --- the OOM killer --- */

/* The cgroup with most kills first. */
static int by_kills(const void *a, const void *b)
{
    const struct wick_explain_kill *l = a, *r = b;
    return (l->kills < r->kills) - (l->kills > r->kills);
}

static void say_bytes(struct wick_explain_finding *r, const char *key, int64_t bytes)
{
    if (bytes > 0)
        wick_explain_figure(r, key, WICK_EXPLAIN_BYTES, (double)bytes);
}

void wick_explain_oom_victim(struct wick_explain *x)
{
    struct wick_explain_facts *f = x->f;
    if (f->nkills)
        qsort(f->kills, f->nkills, sizeof *f->kills, by_kills);
    for (size_t i = 0; i < f->nkills && i < CGROUPS; i++) {
        const struct wick_explain_kill *k = &f->kills[i];
        if ((double)k->kills < x->rule->threshold)
            continue;
        struct wick_explain_finding *r = wick_explain_found(x, (double)f->duration_ns);
        wick_explain_say(x, r, "victim", wick_profile_str(f->p, k->victim));
        if (*wick_profile_str(f->p, k->container))
            wick_explain_say(x, r, "container", wick_profile_str(f->p, k->container));
        if (k->kills > 1)
            wick_explain_figure(r, "kills", WICK_EXPLAIN_NUMBER, (double)k->kills);
        if (k->kills > 1 && *wick_profile_str(f->p, k->cgroup)) /* it may be gone before that is read */
            wick_explain_say(x, r, "cgroup", wick_profile_str(f->p, k->cgroup));
        wick_explain_figure(r, "resident", WICK_EXPLAIN_BYTES, (double)k->resident);
        wick_explain_figure(r, "anonymous", WICK_EXPLAIN_BYTES, (double)k->anonymous);
        say_bytes(r, "shared", k->shared);
        say_bytes(r, "swapped", k->swapped);
    }
}
