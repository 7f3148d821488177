/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_read.c - from recordings to facts that rules can be applied to
 *
 * Facts are collected event by event (explain_facts.c). At the end some of them are put in order for the rules: the
 * profiler's own work is left out, wall-clock samples get what they stand for and their endpoints, lists are sorted.
 * What would be different if more came afterwards is done with a copy, so a recording that is read in steps can be
 * judged after any of them; the rest, which is most, is shared.
 */
#include "analysis/explain/explain_facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "model/own.h"

static int64_t not_negative(int64_t v)
{
    return v > 0 ? v : 0;
}

/* Leaves out the profiler's own work; returns its weight. */
static int64_t drop_own(struct wick_explain_sample *rows, size_t *n, const struct wick_owners *o)
{
    int64_t own = 0;
    size_t kept = 0;
    for (size_t i = 0; i < *n; i++) {
        if (wick_owners_is_own(o, rows[i].stack))
            own = wick_sum(own, rows[i].weight_ns);
        else
            rows[kept++] = rows[i];
    }
    *n = kept;
    return own;
}

/* What is left are the program's samples. */
static bool leave_own_out(struct wick_explain_facts *f)
{
    struct wick_owners o = {.p = f->p};
    if (!wick_owners_learn(&o))
        return false;
    f->own_ns = drop_own(f->cpu, &f->ncpu, &o);
    drop_own(f->wall, &f->nwall, &o);
    for (size_t i = 0; i < f->ncpu; i++)
        f->sampled_ns = wick_sum(f->sampled_ns, f->cpu[i].weight_ns);
    wick_owners_release(&o);
    return true;
}

static void begin_input(struct wick_explain_facts *f, int i)
{
    struct wick_explain_counter *counters[] = {
        &f->throttled,      &f->periods,    &f->throttled_ns, &f->oom_kills, &f->safepoints,       &f->sync_ns,
        &f->memory_full_ns, &f->io_some_ns, &f->fired,        &f->dropped,   &f->biased_ns,        &f->deopts,
        &f->compile_ns,     &f->compiles,   &f->loaded,       &f->unloaded,  &f->listen_overflows, &f->syn_retransmits};
    f->off_since_ns = 0;
    f->unsampled_earlier_ns = f->unsampled_before_ns;
    f->unsampled_before_ns = f->unsampled_ns;
    for (size_t k = 0; k < sizeof counters / sizeof *counters; k++)
        counters[k]->seen = false;
    for (size_t k = 0; k < f->ncgroups; k++)
        f->cgroups[k].periods.seen = f->cgroups[k].throttled.seen = f->cgroups[k].throttled_ns.seen = false;
    f->ttsp.file = f->locks.file = (uint32_t)i;
    f->p->start_ns = f->p->end_ns = 0;
}

/* The profile covers all inputs. */
static void cover(struct wick_profile *p, int64_t start_ns, int64_t end_ns)
{
    if (start_ns && (!p->start_ns || start_ns < p->start_ns))
        p->start_ns = start_ns;
    p->end_ns = end_ns > p->end_ns ? end_ns : p->end_ns;
}

void wick_explain_begin(struct wick_explain_facts *f, struct wick_profile *p, const struct wick_range *range)
{
    *f = (struct wick_explain_facts){.p = p, .ttsp.profile = p, .locks.profile = p, .kills_since = -1};
    if (range)
        f->range = *range;
    wick_spans_init(&f->timed, p);
    p->objects = true;
    p->keep = WICK_KEEP_LINES | WICK_KEEP_JAVA_KINDS;
    begin_input(f, 0);
}

/* Adds what the input covered. */
static void end_input(struct wick_explain_facts *f)
{
    int64_t start_ns = f->p->start_ns, end_ns = f->p->end_ns;
    wick_range_clip(&f->range, &start_ns, &end_ns);
    if (end_ns > start_ns)
        f->duration_ns = wick_sum(f->duration_ns, not_negative(end_ns) - not_negative(start_ns));
    wick_explain_pauses_add(f, start_ns, end_ns);
}

/* Leaves the slow safepoints and waits of the range, in lists of f's own. False without memory. */
static bool choose(struct wick_explain_facts *f)
{
    struct wick_ttsp_incidents ttsp = f->ttsp;
    struct wick_lock_waits locks = f->locks;
    bool good = !wick_ttsp_incidents_choose(&f->ttsp, &ttsp, &f->range);
    return !wick_lock_waits_choose(&f->locks, &locks, &f->range, NULL) && good;
}

/* Puts in order what stays as it is if more comes. False without memory. */
static bool tie(struct wick_explain_facts *f)
{
    wick_lock_waits_tie(&f->locks);
    if (f->failed || f->ttsp.failed || f->locks.failed || f->memory.failed || f->p->failed ||
        wick_spans_finish(&f->timed))
        return false;
    wick_ttsp_incidents_tie(&f->ttsp);
    return true;
}

/* The rest, when nothing more comes. */
static int finish(struct wick_explain_facts *f, struct wick_err *err)
{
    wick_memory_use_end(&f->memory);
    if (f->memory.failed || f->failed || !leave_own_out(f) || !wick_explain_time_spans(f))
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    if (!f->duration_ns)
        return wick_err_set(err, WICK_E_NOTFOUND,
                            wick_range_is_all(&f->range) ? "the recording does not say what time it covers"
                                                         : "nothing was recorded in that time");
    wick_explain_join(f);
    return 0;
}

/* All has been read: what is not of the range is left out. */
static int end_range(struct wick_explain_facts *f, struct wick_err *err)
{
    struct wick_ttsp_incidents ttsp = f->ttsp;
    struct wick_lock_waits locks = f->locks;
    bool good = choose(f);
    wick_ttsp_incidents_release(&ttsp);
    wick_lock_waits_release(&locks);
    wick_range_clip(&f->range, &f->p->start_ns, &f->p->end_ns);
    return good ? 0 : wick_err_set(err, WICK_E_NOMEM, "out of memory");
}

int wick_explain_read(struct wick_explain_facts *f, struct wick_profile *p, char *const *paths, int n,
                      const struct wick_range *range, wick_analysis_reader *read, struct wick_err *err)
{
    int64_t start_ns = 0, end_ns = 0;
    wick_explain_begin(f, p, range);
    const struct wick_jfr_visitor v = wick_explain_visitor(f);
    for (int i = 0; i < n; i++) {
        begin_input(f, i);
        int rc = read(p, paths[i], &v, err);
        if (rc)
            return rc;
        end_input(f);
        cover(p, start_ns, end_ns);
        start_ns = p->start_ns;
        end_ns = p->end_ns;
    }
    if (!tie(f))
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    int rc = wick_range_is_all(&f->range) ? 0 : end_range(f, err);
    return rc ? rc : finish(f, err);
}

/* --- of an input that is not read to its end --- */

/* A copy of n rows in place of *rows, NULL without memory. */
static bool copy_rows(void *rows, size_t n, size_t size)
{
    void **at = rows, *copy = calloc(n + 1, size);
    if (copy && n)
        memcpy(copy, *at, n * size);
    *at = copy;
    return copy != NULL;
}

#define COPY(f, list) copy_rows(&(f)->list, (f)->n##list, sizeof *(f)->list)

int wick_explain_so_far(struct wick_explain_facts *f, const struct wick_jfr_reader *reader,
                        struct wick_explain_facts *now, struct wick_err *err)
{
    *now = (struct wick_explain_facts){0};
    if (!tie(f))
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    *now = *f;
    now->memory = (struct wick_memory_use){0};
    bool copied = COPY(now, wall);
    copied &= COPY(now, cpu);
    copied &= COPY(now, live);
    copied &= COPY(now, spans);
    copied &= COPY(now, pause);
    copied &= COPY(now, causes);
    copied &= COPY(now, neighbours);
    copied &= COPY(now, cgroups);
    copied &= COPY(now, kills);
    now->cap_live = now->nlive;
    if (!copied || wick_memory_use_copy(&now->memory, &f->memory))
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    if (reader) {
        const struct wick_jfr_visitor v = wick_explain_visitor(now);
        wick_jfr_reader_moments(reader, v.sample, now);
    }
    end_input(now);
    if (!wick_range_is_all(&now->range)) {
        now->chosen = true;
        now->whole_start_ns = f->p->start_ns;
        now->whole_end_ns = f->p->end_ns;
        wick_range_clip(&now->range, &f->p->start_ns, &f->p->end_ns);
        if (!choose(now))
            return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    }
    return finish(now, err);
}

void wick_explain_so_far_release(struct wick_explain_facts *now)
{
    if (now->chosen) {
        now->p->start_ns = now->whole_start_ns;
        now->p->end_ns = now->whole_end_ns;
        wick_ttsp_incidents_release(&now->ttsp);
        wick_lock_waits_release(&now->locks);
    }
    free(now->wall);
    free(now->cpu);
    free(now->live);
    free(now->spans);
    free(now->pause);
    free(now->causes);
    free(now->neighbours);
    free(now->cgroups);
    free(now->kills);
    free(now->unmounted);
    wick_memory_use_release(&now->memory);
    *now = (struct wick_explain_facts){0};
}
