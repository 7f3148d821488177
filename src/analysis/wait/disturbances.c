/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disturbances.c - readings become amounts
 *
 * Which field of which event is which kind is a table; collections, neighbours, reasons and compilations have a time of
 * their own. Times of damaged recordings are bounded when they are read, so that the difference of any two fits, and
 * no amount is negative.
 */
#include "analysis/wait/disturbances.h"

#include <stdlib.h>
#include <string.h>

#include "base/sum.h"

enum { COUNTERS = 4096 /* cgroups of a machine, more come from a recording that was made up */ };

static const struct {
    const char *name;
    bool is_time;
} kinds[WICK_DISTURBANCE_KINDS] = {
    [WICK_DISTURBANCE_PAUSES] = {"pauses", true},        [WICK_DISTURBANCE_THROTTLED] = {"throttled", true},
    [WICK_DISTURBANCE_CPU] = {"cpu_pressure", true},     [WICK_DISTURBANCE_MEMORY] = {"memory_pressure", true},
    [WICK_DISTURBANCE_IO] = {"io_pressure", true},       [WICK_DISTURBANCE_STEAL] = {"steal", true},
    [WICK_DISTURBANCE_OTHERS] = {"others", true},        [WICK_DISTURBANCE_COMPILING] = {"compiling", true},
    [WICK_DISTURBANCE_COMPILED] = {"compiled", false},   [WICK_DISTURBANCE_DEOPTS] = {"deoptimizations", false},
    [WICK_DISTURBANCE_NEIGHBOUR] = {"neighbours", true}, [WICK_DISTURBANCE_REASON] = {"reasons", false},
    [WICK_DISTURBANCE_METHOD] = {"compilations", true},
};

static const struct {
    const char *type, *field, *name; /* name: of what is counted; NULL = the process or the machine */
    enum wick_disturbance kind;
} counters[] = {
    {"wick.CgroupCpu", "throttledTime", "cgroup", WICK_DISTURBANCE_THROTTLED},
    {"wick.Pressure", "cpuSome", NULL, WICK_DISTURBANCE_CPU},
    {"wick.Pressure", "memorySome", NULL, WICK_DISTURBANCE_MEMORY},
    {"wick.Pressure", "ioSome", NULL, WICK_DISTURBANCE_IO},
    {"jdk.CompilerStatistics", "totalTimeSpent", NULL, WICK_DISTURBANCE_COMPILING},
    {"jdk.CompilerStatistics", "compileCount", NULL, WICK_DISTURBANCE_COMPILED},
    {"wick.Deoptimizations", "count", NULL, WICK_DISTURBANCE_DEOPTS},
};
#define NCOUNTERS (sizeof counters / sizeof *counters)

static const char MACHINE[] = "wick.MachineTime";

/* Events with an amount of their own. */
static const struct {
    const char *type, *field, *name;
    enum wick_disturbance kind;
} lasting[] = {
    {"jdk.GarbageCollection", "sumOfPauses", NULL, WICK_DISTURBANCE_PAUSES},
    {"wick.Neighbour", "cpuTime", "name", WICK_DISTURBANCE_NEIGHBOUR},
    {"wick.DeoptimizationReason", "count", "reason", WICK_DISTURBANCE_REASON},
    {"wick.Compilation", NULL, "method", WICK_DISTURBANCE_METHOD},
};
#define NLASTING (sizeof lasting / sizeof *lasting)

/* 1970 to 2116. */
static int64_t bounded(int64_t time_ns)
{
    return time_ns < 0 ? 0 : time_ns > INT64_MAX / 2 ? INT64_MAX / 2 : time_ns;
}

static int64_t number(const struct wick_jfr_event *e, const char *field)
{
    int64_t v = 0;
    return wick_jfr_event_int(e, field, &v) && v > 0 ? v : 0;
}

static uint32_t text(const struct wick_jfr_event *e, const char *field)
{
    uint32_t v = 0;
    return field && wick_jfr_event_text(e, field, &v) ? v : 0;
}

/* Room for one more; NULL and `failed` without memory. */
static void *room(struct wick_disturbances *d, void *rows, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return rows;
    size_t want = *cap ? 2 * *cap : 64;
    void *bigger = reallocarray(rows, want, size);
    if (bigger)
        *cap = want;
    else
        d->failed = true;
    return bigger;
}

static void add(struct wick_disturbances *d, enum wick_disturbance kind, uint32_t name, int64_t start_ns,
                int64_t end_ns, int64_t amount)
{
    struct wick_disturbance_amount *rows = amount > 0 ? room(d, d->rows, d->n, &d->cap, sizeof *rows) : NULL;
    if (!rows)
        return;
    d->rows = rows;
    rows[d->n++] = (struct wick_disturbance_amount){start_ns, end_ns, amount, name, (uint8_t)kind};
}

static struct wick_disturbance_counter *counter_of(struct wick_disturbances *d, enum wick_disturbance kind,
                                                   uint32_t name)
{
    size_t i = 0;
    while (i < d->ncounters && (d->counters[i].kind != kind || d->counters[i].name != name))
        i++;
    if (i < d->ncounters)
        return &d->counters[i];
    struct wick_disturbance_counter *rows =
        i < COUNTERS ? room(d, d->counters, i, &d->cap_counters, sizeof *rows) : NULL;
    if (!rows)
        return NULL;
    d->counters = rows;
    rows[d->ncounters++] = (struct wick_disturbance_counter){-1, 0, name, (uint8_t)kind};
    return &rows[i];
}

static void take_counter(struct wick_disturbances *d, const struct wick_jfr_event *e, size_t i)
{
    struct wick_disturbance_counter *c = counter_of(d, counters[i].kind, text(e, counters[i].name));
    int64_t now = number(e, counters[i].field), time_ns = bounded(e->time_ns);
    d->recorded[counters[i].kind] = true;
    if (!c)
        return;
    if (c->last >= 0 && now >= c->last && time_ns >= c->time_ns)
        add(d, counters[i].kind, 0, c->time_ns, time_ns, now - c->last);
    c->last = now;
    c->time_ns = time_ns;
}

static void take_machine(struct wick_disturbances *d, const struct wick_jfr_event *e)
{
    static const struct {
        const char *field;
        enum wick_disturbance kind;
    } shares[] = {{"steal", WICK_DISTURBANCE_STEAL}, {"others", WICK_DISTURBANCE_OTHERS}};
    int64_t now = bounded(e->time_ns), before = d->machine_ns;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        double share = 0;
        d->recorded[shares[i].kind] = true;
        if (before && now > before && wick_jfr_event_double(e, shares[i].field, &share) && share > 0)
            add(d, shares[i].kind, 0, before, now, (int64_t)((share < 1 ? share : 1) * (double)(now - before)));
    }
    d->machine_ns = now;
}

static void take_lasting(struct wick_disturbances *d, const struct wick_jfr_event *e, size_t i)
{
    int64_t start_ns = bounded(e->time_ns),
            end_ns = bounded(wick_sum(start_ns, e->duration_ns > 0 ? e->duration_ns : 0));
    int64_t amount = lasting[i].field ? number(e, lasting[i].field) : end_ns - start_ns;
    d->recorded[lasting[i].kind] = true;
    add(d, lasting[i].kind, text(e, lasting[i].name), start_ns, end_ns, amount);
}

static bool want(void *ctx, const char *type)
{
    bool any = !strcmp(type, MACHINE);
    (void)ctx;
    for (size_t i = 0; i < NCOUNTERS; i++)
        any |= !strcmp(type, counters[i].type);
    for (size_t i = 0; i < NLASTING; i++)
        any |= !strcmp(type, lasting[i].type);
    return any;
}

static void take(void *ctx, const struct wick_jfr_event *e)
{
    struct wick_disturbances *d = ctx;
    if (!strcmp(e->type, MACHINE))
        take_machine(d, e);
    for (size_t i = 0; i < NCOUNTERS; i++)
        if (!strcmp(e->type, counters[i].type))
            take_counter(d, e, i);
    for (size_t i = 0; i < NLASTING; i++)
        if (!strcmp(e->type, lasting[i].type))
            take_lasting(d, e, i);
}

static void no_sample(void *ctx, const struct wick_sample *s)
{
    (void)ctx, (void)s;
}

struct wick_jfr_visitor wick_disturbances_visitor(struct wick_disturbances *d)
{
    return (struct wick_jfr_visitor){.ctx = d, .sample = no_sample, .want = want, .event = take};
}

void wick_disturbances_release(struct wick_disturbances *d)
{
    free(d->rows);
    free(d->counters);
    *d = (struct wick_disturbances){0};
}

/* What of an amount comes before a time: sums of parts are exact, whatever they are cut at. */
static int64_t before(const struct wick_disturbance_amount *r, int64_t time_ns)
{
    if (time_ns <= r->start_ns)
        return 0;
    if (time_ns > r->end_ns || r->end_ns <= r->start_ns)
        return r->amount;
    return (int64_t)((__int128)r->amount * (time_ns - r->start_ns) / (r->end_ns - r->start_ns));
}

int64_t wick_disturbances_bins(const struct wick_disturbances *d, enum wick_disturbance kind, int64_t start_ns,
                               int64_t bin_ns, uint32_t bins, int64_t *values)
{
    int64_t sum = 0;
    memset(values, 0, bins * sizeof *values);
    for (size_t i = 0; i < d->n; i++) {
        const struct wick_disturbance_amount *r = &d->rows[i];
        int64_t last_ns = r->end_ns > r->start_ns ? r->end_ns : r->start_ns;
        if (r->kind != kind || last_ns < start_ns || r->start_ns >= wick_sum(start_ns, bin_ns * bins))
            continue;
        for (uint32_t b = r->start_ns > start_ns ? (uint32_t)((r->start_ns - start_ns) / bin_ns) : 0;
             b < bins && start_ns + b * bin_ns <= last_ns; b++) {
            int64_t from_ns = start_ns + b * bin_ns, part = before(r, from_ns + bin_ns) - before(r, from_ns);
            values[b] = wick_sum(values[b], part);
            sum = wick_sum(sum, part);
        }
    }
    return sum;
}

static int by_name(const void *a, const void *b)
{
    const struct wick_disturbance_share *x = a, *y = b;
    return x->name < y->name ? -1 : x->name > y->name;
}

static int by_amount(const void *a, const void *b)
{
    const struct wick_disturbance_share *x = a, *y = b;
    return x->amount > y->amount ? -1 : x->amount < y->amount ? 1 : by_name(a, b);
}

size_t wick_disturbances_by_name(const struct wick_disturbances *d, enum wick_disturbance kind, int64_t from_ns,
                                 int64_t to_ns, struct wick_disturbance_share **out)
{
    struct wick_disturbance_share *all = calloc(d->n + 1, sizeof *all);
    size_t n = 0, kept = 0;
    *out = all;
    for (size_t i = 0; all && i < d->n; i++) {
        const struct wick_disturbance_amount *r = &d->rows[i];
        int64_t part = r->kind == kind ? before(r, to_ns) - before(r, from_ns) : 0;
        if (part > 0)
            all[n++] = (struct wick_disturbance_share){r->name, part, part, 1};
    }
    if (n)
        qsort(all, n, sizeof *all, by_name);
    for (size_t i = 0; i < n; i++) {
        struct wick_disturbance_share *last = kept ? &all[kept - 1] : NULL;
        if (!last || last->name != all[i].name) {
            all[kept++] = all[i];
            continue;
        }
        last->amount = wick_sum(last->amount, all[i].amount);
        last->count++;
        last->longest_ns = last->longest_ns > all[i].amount ? last->longest_ns : all[i].amount;
    }
    if (kept)
        qsort(all, kept, sizeof *all, by_amount);
    return kept;
}

const char *wick_disturbance_name(enum wick_disturbance kind)
{
    return kinds[kind].name;
}

bool wick_disturbance_is_time(enum wick_disturbance kind)
{
    return kinds[kind].is_time;
}
