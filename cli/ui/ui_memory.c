/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ui_memory.c - memory and collections over time, as the page Memory draws them
 *
 * Both are bounded whatever the recording's length: of more readings than the request asks for, the one with the most
 * resident memory of each stretch of time is shown; of more collections, that with the longest pause.
 */
#include "cli/ui/ui_views.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/sum.h"
#include "codec/json.h"

static void put_uint(struct wick_json *j, const char *key, uint64_t v)
{
    wick_json_key(j, key);
    wick_json_uint(j, v);
}

/* 0 is what is not known. */
static void put_known(struct wick_json *j, const char *key, uint64_t v)
{
    wick_json_key(j, key);
    if (v)
        wick_json_uint(j, v);
    else
        wick_json_raw(j, "null");
}

static void put_time(struct wick_json *j, const char *key, int64_t ns)
{
    wick_json_key(j, key);
    wick_json_int(j, ns);
}

/* --- memory --- */

static bool is_stacked(int part)
{
    return wick_memory_part_resident((enum wick_memory_part)part) && part != WICK_MEMORY_REPEATED;
}

static uint64_t resident_of(const struct wick_memory_moment *m)
{
    uint64_t all = 0;
    for (int i = 0; i < WICK_MEMORY_PARTS; i++)
        all += is_stacked(i) ? m->resident[i] : 0;
    return all;
}

/* The readings that are shown: *n numbers of u->series. NULL without memory. */
static uint32_t *choose_moments(const struct wick_memory_use *u, size_t most, size_t *n)
{
    uint32_t *shown = calloc((size_t)u->nseries + 1, sizeof *shown);
    size_t kept = 0, stretch = 0;
    for (uint32_t i = 0; shown && i < u->nseries; i++) {
        size_t at = u->nseries <= most ? i : (size_t)i * most / u->nseries;
        if (!kept || at != stretch)
            shown[kept++] = i;
        else if (resident_of(&u->series[i]) > resident_of(&u->series[shown[kept - 1]]))
            shown[kept - 1] = i;
        stretch = at;
    }
    *n = kept;
    return shown;
}

static void put_part(struct wick_json *j, const struct wick_memory_use *u, int part, const uint32_t *shown, size_t n)
{
    if (!is_stacked(part) || !u->part[part].most)
        return;
    wick_json_open(j, '{');
    wick_json_key(j, "part");
    wick_json_cstr(j, wick_memory_part_name((enum wick_memory_part)part));
    wick_json_key(j, "resident");
    wick_json_open(j, '[');
    for (size_t i = 0; i < n; i++)
        wick_json_uint(j, u->series[shown[i]].resident[part]);
    wick_json_close(j, ']');
    wick_json_close(j, '}');
}

int wick_ui_memory_over_time(const struct wick_memory_use *u, size_t most, FILE *out)
{
    struct wick_json json = {.out = out}, *j = &json;
    uint64_t left = 0;
    size_t n;
    uint32_t *shown = choose_moments(u, most, &n);
    const struct wick_memory_level *tightest = wick_memory_use_tightest(u, &left);
    if (!shown)
        return -WICK_E_NOMEM;
    wick_json_open(j, '{');
    put_uint(j, "readings", u->nseries);
    wick_json_key(j, "times_ns");
    wick_json_open(j, '[');
    for (size_t i = 0; i < n; i++)
        wick_json_int(j, wick_sum(u->first_ns, (int64_t)(u->series[shown[i]].seconds * 1e9)));
    wick_json_close(j, ']');
    wick_json_key(j, "parts");
    wick_json_open(j, '[');
    for (int i = 0; i < WICK_MEMORY_PARTS; i++)
        put_part(j, u, i, shown, n);
    wick_json_close(j, ']');
    put_known(j, "limit", tightest ? tightest->now.limit : 0);
    put_known(j, "heap_max", u->part[WICK_MEMORY_HEAP].now.reserved);
    wick_json_close(j, '}');
    free(shown);
    return 0;
}

/* --- collections --- */

static void put_name(struct wick_json *j, const char *key, const struct wick_profile *p, uint32_t string)
{
    wick_json_key(j, key);
    if (string && p->strings[string].len)
        wick_json_str(j, p->strings[string].s, p->strings[string].len);
    else
        wick_json_raw(j, "null");
}

static void put_collection(struct wick_json *j, const struct wick_profile *p, const struct wick_gc_collection *c)
{
    wick_json_open(j, '{');
    put_time(j, "start_ns", c->start_ns);
    put_time(j, "duration_ns", c->duration_ns);
    put_time(j, "pause_ns", c->pause_ns);
    put_time(j, "longest_pause_ns", c->longest_ns);
    put_name(j, "cause", p, c->cause);
    put_name(j, "collector", p, c->collector);
    put_known(j, "before", c->before);
    put_known(j, "after", c->after);
    put_uint(j, "stands_for", c->stands_for);
    wick_json_close(j, '}');
}

void wick_ui_write_collections(const struct wick_gc_history *h, const struct wick_profile *p, FILE *out)
{
    struct wick_json json = {.out = out}, *j = &json;
    uint64_t total = 0;
    wick_json_open(j, '{');
    wick_json_key(j, "causes");
    wick_json_open(j, '[');
    for (size_t i = 0; i < h->ncauses; i++) {
        const struct wick_gc_cause *c = &h->causes[i];
        total += c->count;
        wick_json_open(j, '{');
        put_name(j, "cause", p, c->cause);
        put_uint(j, "count", c->count);
        put_time(j, "pauses_ns", c->pauses_ns);
        put_time(j, "longest_pause_ns", c->longest_ns);
        wick_json_close(j, '}');
    }
    wick_json_close(j, ']');
    put_uint(j, "total", total);
    wick_json_key(j, "collections");
    wick_json_open(j, '[');
    for (size_t i = 0; i < h->n; i++)
        put_collection(j, p, &h->rows[i]);
    wick_json_close(j, ']');
    wick_json_close(j, '}');
}
