/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_use.c - see memory_use.h
 *
 * A moment is written as one event for each part, all with one time; it is complete when an event of another time, or
 * the end, follows.
 */
#include "analysis/memory_use.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"

#define SURE          3.0
#define WORTH_A_TREND 0.01

void wick_trend_add(struct wick_trend *t, double seconds, double value)
{
    t->n++;
    t->t += seconds;
    t->y += value;
    t->tt += seconds * seconds;
    t->ty += seconds * value;
    t->yy += value * value;
}

bool wick_trend_slope(const struct wick_trend *t, double *slope, double *error)
{
    double sxx = t->n > 0 ? t->tt - t->t * t->t / t->n : 0;
    if (t->n < 3 || sxx <= 0)
        return false;
    double sxy = t->ty - t->t * t->y / t->n, syy = t->yy - t->y * t->y / t->n;
    double rest = syy - sxy * sxy / sxx;
    *slope = sxy / sxx;
    *error = rest > 0 ? sqrt(rest / (t->n - 2) / sxx) : 0;
    return true;
}

double wick_trend_growth(const struct wick_trend *t)
{
    double slope, error;
    if (!wick_trend_slope(t, &slope, &error) || fabs(slope) <= SURE * error)
        return 0;
    double time = 2 * sqrt(3 * (t->tt / t->n - t->t * t->t / t->n / t->n)); /* as if the moments were evenly spaced */
    return fabs(slope) * time >= WORTH_A_TREND * t->y / t->n ? slope : 0;
}

static double seconds_of(const struct wick_memory_use *u, int64_t time_ns)
{
    return (double)(time_ns - u->first_ns) / 1e9;
}

/* The sums of a moment whose rows are all there. */
static void close_moment(struct wick_memory_use *u)
{
    u->resident = u->swapped = 0;
    for (int i = 0; i < WICK_MEMORY_PARTS; i++) {
        const struct wick_memory_row *row = &u->part[i].now;
        wick_trend_add(&u->part[i].resident, seconds_of(u, u->last_ns), (double)row->resident);
        if (row->resident > u->part[i].most)
            u->part[i].most = row->resident;
        if (wick_memory_part_resident((enum wick_memory_part)i) && i != WICK_MEMORY_REPEATED) {
            u->resident += row->resident;
            u->swapped += row->swapped;
        }
    }
    wick_trend_add(&u->total, seconds_of(u, u->last_ns), (double)u->resident);
    u->most = u->resident > u->most ? u->resident : u->most;
}

static void begin_moment(struct wick_memory_use *u, int64_t time_ns)
{
    if (!u->moments++)
        u->first_ns = time_ns;
    u->last_ns = time_ns;
}

void wick_memory_use_add(struct wick_memory_use *u, int64_t time_ns, const struct wick_footprint *f)
{
    begin_moment(u, time_ns);
    for (int i = 0; i < WICK_MEMORY_PARTS; i++)
        u->part[i].now = f->row[i];
    close_moment(u);
}

void wick_memory_use_level(struct wick_memory_use *u, int64_t time_ns, uint32_t level, const char *path,
                           const struct wick_cgroup_memory *m)
{
    if (level >= WICK_CGROUP_LEVELS)
        return;
    struct wick_memory_level *l = &u->level[level];
    if (u->levels <= level)
        u->levels = level + 1;
    snprintf(l->path, sizeof l->path, "%s", path);
    l->now = *m;
    wick_trend_add(&l->charged, seconds_of(u, time_ns), (double)wick_memory_level_needed(m));
}

uint64_t wick_memory_level_needed(const struct wick_cgroup_memory *m)
{
    return m->current > m->inactive_file ? m->current - m->inactive_file : 0;
}

const struct wick_memory_level *wick_memory_use_tightest(const struct wick_memory_use *u, uint64_t *left)
{
    const struct wick_memory_level *found = NULL;
    for (uint32_t i = 0; i < u->levels; i++) {
        uint64_t limit = u->level[i].now.limit, needed = wick_memory_level_needed(&u->level[i].now);
        uint64_t room = limit > needed ? limit - needed : 0;
        if (!limit || (found && room >= *left))
            continue;
        found = &u->level[i];
        *left = room;
    }
    return found;
}

/* ---- events ---- */

static uint64_t number(const struct wick_jfr_event *e, const char *field)
{
    int64_t v = 0;
    (void)wick_jfr_event_int(e, field, &v);
    return v > 0 ? (uint64_t)v : 0;
}

static const char *text(const struct wick_profile *p, const struct wick_jfr_event *e, const char *field)
{
    uint32_t v = 0;
    (void)wick_jfr_event_text(e, field, &v);
    return wick_profile_str(p, v);
}

static void take_part(struct wick_memory_use *u, const struct wick_profile *p, const struct wick_jfr_event *e)
{
    const char *name = text(p, e, "part");
    if (!u->moments || e->time_ns != u->last_ns) {
        if (u->moments)
            close_moment(u);
        begin_moment(u, e->time_ns);
        for (int i = 0; i < WICK_MEMORY_PARTS; i++)
            u->part[i].now = (struct wick_memory_row){0};
    }
    for (int i = 0; i < WICK_MEMORY_PARTS; i++)
        if (!strcmp(name, wick_memory_part_name((enum wick_memory_part)i)))
            u->part[i].now = (struct wick_memory_row){.resident = number(e, "resident"),
                                                      .swapped = number(e, "swapped"),
                                                      .reserved = number(e, "reserved"),
                                                      .committed = number(e, "committed"),
                                                      .used = number(e, "used"),
                                                      .count = number(e, "count")};
}

static void take_level(struct wick_memory_use *u, const struct wick_profile *p, const struct wick_jfr_event *e)
{
    const struct wick_cgroup_memory m = {.limit = number(e, "limit"),
                                         .high = number(e, "high"),
                                         .current = number(e, "current"),
                                         .peak = number(e, "peak"),
                                         .anonymous = number(e, "anonymous"),
                                         .file = number(e, "file"),
                                         .inactive_file = number(e, "inactiveFile"),
                                         .shared = number(e, "shared"),
                                         .kernel = number(e, "kernel"),
                                         .swapped = number(e, "swapped"),
                                         .at_limit = number(e, "atLimit"),
                                         .oom_kills = number(e, "oomKills")};
    wick_memory_use_level(u, e->time_ns, (uint32_t)number(e, "level"), text(p, e, "path"), &m);
}

bool wick_memory_use_wants(const char *type)
{
    return !strcmp(type, "wick.MemoryPart") || !strcmp(type, "wick.CgroupMemoryUse");
}

void wick_memory_use_take(struct wick_memory_use *u, const struct wick_profile *p, const struct wick_jfr_event *e)
{
    if (!strcmp(e->type, "wick.MemoryPart"))
        take_part(u, p, e);
    else if (!strcmp(e->type, "wick.CgroupMemoryUse"))
        take_level(u, p, e);
}

void wick_memory_use_end(struct wick_memory_use *u)
{
    if (u->moments)
        close_moment(u);
}

struct reading {
    struct wick_memory_use *u;
    struct wick_profile *p;
};

static void no_sample(void *ctx, const struct wick_sample *s)
{
    (void)ctx;
    (void)s;
}

static bool want(void *ctx, const char *type)
{
    (void)ctx;
    return wick_memory_use_wants(type);
}

static void take(void *ctx, const struct wick_jfr_event *e)
{
    struct reading *r = ctx;
    wick_memory_use_take(r->u, r->p, e);
}

int wick_memory_use_read(struct wick_memory_use *u, struct wick_profile *p, char *const *paths, int n,
                         wick_analysis_reader *read, struct wick_err *err)
{
    struct reading r = {u, p};
    const struct wick_jfr_visitor v = {.ctx = &r, .sample = no_sample, .want = want, .event = take};
    memset(u, 0, sizeof *u);
    for (int i = 0; i < n; i++) {
        int rc = read(p, paths[i], &v, err);
        if (rc)
            return rc;
    }
    wick_memory_use_end(u);
    return p->failed ? wick_err_set(err, WICK_E_NOMEM, "out of memory") : 0;
}
