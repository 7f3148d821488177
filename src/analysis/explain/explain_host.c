/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_host.c - the rule of `wick explain` about processes that wait for CPUs, of recordings of a whole machine
 *
 * `wick host -e sched` divides the time that a thread waits for a CPU among the processes that had that CPU in that
 * time. So it is known for each process how long it waited and whom for; what it used itself is known with -e cpu. A
 * process whose own threads stand in each other's way and one that others crowd out differ in these figures.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "base/strbuf.h"
#include "base/sum.h"

#define WAIT_LEAST 0.25 /* of the recording: thread time worth a sentence */
#define PART_LEAST 0.05 /* of the waiting: a name worth mentioning */

enum { FINDINGS = 3, NAMES = 3 };

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

/* "cc1-4711 (61 %), its own threads (12 %)" */
static void say_rivals(struct wick_explain *x, struct wick_explain_finding *r, uint32_t process, double queued)
{
    const struct wick_profile *p = x->f->p;
    struct wick_strbuf who = WICK_STRBUF_INIT;
    int64_t *ran = rivals_of(x->f, process);
    for (int i = 0; ran && i < NAMES; i++) {
        uint32_t most = most_of(ran, p->nstrings);
        double share = wick_explain_share((double)ran[most], queued);
        if (!most || share < PART_LEAST)
            break;
        wick_strbuf_addf(&who, "%s%s (%.0f %%)", i ? ", " : "",
                         most == process ? "its own threads" : wick_profile_str(p, most), share * 100);
        ran[most] = 0;
    }
    if (who.len)
        wick_explain_say(x, r, "who", who.buf);
    wick_strbuf_release(&who);
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
