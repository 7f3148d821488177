/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_use.c - see memory_use.h
 *
 * A moment is written as one event for each part, all with one time; it is complete when an event of another time, or
 * the end, follows.
 */
#include "analysis/memory/memory_use.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/sum.h"

/* Moments are ten seconds apart, a little more under load. */
#define GAP_NS 300000000000

enum { SERIES_MOST = 1 << 16 };

static double seconds_of(const struct wick_memory_use *u, int64_t time_ns)
{
    return (double)(time_ns - u->first_ns) / 1e9;
}

static void remember(struct wick_memory_use *u)
{
    if (u->nseries == SERIES_MOST) { /* more than a week: every second one will do */
        for (uint32_t i = 0; i < SERIES_MOST / 2; i++)
            u->series[i] = u->series[2 * i];
        u->nseries = SERIES_MOST / 2;
    }
    if (u->nseries == u->cap_series) {
        uint32_t cap = u->cap_series ? u->cap_series * 2 : 64;
        struct wick_memory_moment *p = reallocarray(u->series, cap, sizeof *p);
        if (!p) {
            u->failed = true;
            return;
        }
        u->series = p;
        u->cap_series = cap;
    }
    struct wick_memory_moment *m = &u->series[u->nseries++];
    m->seconds = seconds_of(u, u->last_ns);
    for (int i = 0; i < WICK_MEMORY_PARTS; i++) {
        m->resident[i] = u->part[i].now.resident;
        m->count[i] = u->part[i].now.count;
    }
}

void wick_memory_use_release(struct wick_memory_use *u)
{
    free(u->series);
    *u = (struct wick_memory_use){0};
}

int wick_memory_use_copy(struct wick_memory_use *to, const struct wick_memory_use *u)
{
    *to = *u;
    to->cap_series = u->nseries;
    to->series = u->nseries ? calloc(u->nseries, sizeof *to->series) : NULL;
    if (u->failed || (u->nseries && !to->series)) {
        wick_memory_use_release(to);
        return -WICK_E_NOMEM;
    }
    if (u->nseries)
        memcpy(to->series, u->series, u->nseries * sizeof *to->series);
    return 0;
}

double wick_memory_use_steady(const struct wick_memory_use *u, enum wick_memory_part part, double of_heap, double *rate)
{
    struct wick_trend_point *p = reallocarray(NULL, u->nseries + 1, sizeof *p);
    double first = 0, most = 0, grown = 0;
    for (uint32_t i = 0; p && i < u->nseries; i++) {
        double heap = (double)u->series[i].resident[WICK_MEMORY_HEAP];
        first = i ? first : heap;
        most = i && most > heap ? most : heap;
        p[i].seconds = u->series[i].seconds;
        p[i].value = (double)u->series[i].resident[part] - of_heap * (most - first);
    }
    if (p && wick_trend_steady(p, u->nseries, rate))
        grown = p[u->nseries - 1].value - p[0].value;
    free(p);
    return grown > 0 ? grown : 0;
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
    remember(u);
    u->most = u->resident > u->most ? u->resident : u->most;
}

static void begin_moment(struct wick_memory_use *u, int64_t time_ns)
{
    if (u->moments && (time_ns < u->last_ns || time_ns - u->last_ns > GAP_NS))
        wick_memory_use_release(u);
    if (!u->moments++)
        u->first_ns = time_ns;
    u->last_ns = time_ns;
}

void wick_memory_use_add(struct wick_memory_use *u, int64_t time_ns, const struct wick_footprint *f)
{
    begin_moment(u, time_ns);
    for (int i = 0; i < WICK_MEMORY_PARTS; i++)
        u->part[i].now = f->row[i];
    u->arenas = f->arenas;
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
    wick_trend_add(&l->charged, seconds_of(u, time_ns), (double)wick_cgroup_memory_needed(m));
}

const struct wick_memory_level *wick_memory_use_tightest(const struct wick_memory_use *u, uint64_t *left)
{
    const struct wick_memory_level *found = NULL;
    for (uint32_t i = 0; i < u->levels; i++) {
        uint64_t limit = u->level[i].now.limit, needed = wick_cgroup_memory_needed(&u->level[i].now);
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

static void take_arenas(struct wick_memory_use *u, const struct wick_profile *p, const struct wick_jfr_event *e)
{
    const char *state = text(p, e, "state");
    u->arenas = (struct wick_arenas){.arenas = (uint32_t)number(e, "arenas"),
                                     .blocks = (uint32_t)number(e, "mappedCount"),
                                     .used = number(e, "used"),
                                     .free = number(e, "free"),
                                     .top = number(e, "top"),
                                     .mapped = number(e, "mapped"),
                                     .trimmable = number(e, "trimmable")};
    for (int i = 0; i < WICK_ARENAS_STATES; i++)
        if (!strcmp(state, wick_arenas_state_name((enum wick_arenas_state)i)))
            u->arenas.state = (enum wick_arenas_state)i;
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

/* What the JVM counts is asked for when it has time: its moments are not those of the parts. */
static void take_counted(struct wick_memory_use *u, const struct wick_profile *p, const struct wick_jfr_event *e)
{
    struct wick_nmt *n = &u->counted;
    if (e->time_ns != u->counted_ns)
        n->count = n->committed = n->malloced = 0;
    u->counted_ns = e->time_ns;
    if (n->count == WICK_NMT_CATEGORIES)
        return;
    struct wick_nmt_category *c = &n->category[n->count++];
    *c = (struct wick_nmt_category){.reserved = number(e, "reserved"),
                                    .committed = number(e, "committed"),
                                    .malloced = number(e, "malloc"),
                                    .mapped = number(e, "mapped")};
    snprintf(c->name, sizeof c->name, "%s", text(p, e, "type"));
    for (char *s = c->name; *s; s++)
        *s = *s >= ' ' && *s <= '~' ? *s : '?';
    n->committed = wick_sum_u64(n->committed, c->committed);
    n->malloced = wick_sum_u64(n->malloced, c->malloced);
}

bool wick_memory_use_wants(const char *type)
{
    return !strcmp(type, "wick.MemoryPart") || !strcmp(type, "wick.CgroupMemoryUse") ||
           !strcmp(type, "wick.MallocArenas") || !strcmp(type, "jdk.NativeMemoryUsage");
}

void wick_memory_use_take(struct wick_memory_use *u, const struct wick_profile *p, const struct wick_jfr_event *e)
{
    if (!strcmp(e->type, "wick.MemoryPart"))
        take_part(u, p, e);
    else if (!strcmp(e->type, "wick.CgroupMemoryUse"))
        take_level(u, p, e);
    else if (!strcmp(e->type, "wick.MallocArenas"))
        take_arenas(u, p, e);
    else if (!strcmp(e->type, "jdk.NativeMemoryUsage"))
        take_counted(u, p, e);
}

void wick_memory_use_end(struct wick_memory_use *u)
{
    if (u->moments)
        close_moment(u);
}

struct reading {
    struct wick_memory_use *u;
    struct wick_profile *p;
    struct wick_range range;
    bool in_range; /* a moment of it has come */
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
    if (r->range.to_ns && e->time_ns >= r->range.to_ns)
        return;
    bool begins = !strcmp(e->type, "wick.MemoryPart") && (!r->u->moments || e->time_ns != r->u->last_ns);
    if (begins && !r->in_range && r->range.from_ns) { /* each moment stands in place of those before the range */
        bool failed = r->u->failed;
        wick_memory_use_release(r->u);
        r->u->failed = failed;
        r->in_range = e->time_ns >= r->range.from_ns;
    }
    wick_memory_use_take(r->u, r->p, e);
}

int wick_memory_use_read(struct wick_memory_use *u, struct wick_profile *p, char *const *paths, int n,
                         const struct wick_range *range, wick_analysis_reader *read, struct wick_err *err)
{
    struct reading r = {.u = u, .p = p, .range = range ? *range : (struct wick_range){0}};
    const struct wick_jfr_visitor v = {.ctx = &r, .sample = no_sample, .want = want, .event = take};
    memset(u, 0, sizeof *u);
    for (int i = 0; i < n; i++) {
        int rc = read(p, paths[i], &v, err);
        if (rc)
            return rc;
    }
    wick_memory_use_end(u);
    return p->failed || u->failed ? wick_err_set(err, WICK_E_NOMEM, "out of memory") : 0;
}
