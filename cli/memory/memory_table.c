/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_table.c - see memory_table.h
 */
#include "cli/memory/memory_table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/ui.h"
#include "codec/json.h"

enum { CELL = 32 };

/* A growth below this is called none: a KiB a minute. */
#define LEAST_GROWTH (1024.0 / 60)

static const char *bytes_or_none(uint64_t n, char *out)
{
    return n ? wick_ui_binary(n, out, CELL) : "";
}

/* "+1.2 MiB/min" */
static const char *growth(double per_second, char *out)
{
    char number[CELL - 8];
    if (fabs(per_second) < LEAST_GROWTH)
        return "";
    wick_ui_binary((uint64_t)fabs(per_second * 60), number, sizeof number);
    snprintf(out, CELL, "%c%s/min", per_second < 0 ? '-' : '+', number);
    return out;
}

static void write_row(FILE *out, const struct wick_memory_use *u, int part)
{
    const struct wick_memory_row *r = &u->part[part].now;
    char resident[CELL], used[CELL], committed[CELL], reserved[CELL], grows[CELL], name[CELL * 2];
    snprintf(name, sizeof name, "%s", wick_memory_part_name((enum wick_memory_part)part));
    if (r->count)
        snprintf(name + strlen(name), sizeof name - strlen(name), " (%" PRIu64 ")", r->count);
    fprintf(out, "%-22s %10s %10s %10s %10s  %s\n", name, wick_ui_binary(r->resident, resident, CELL),
            bytes_or_none(r->used, used), bytes_or_none(r->committed, committed), bytes_or_none(r->reserved, reserved),
            growth(wick_trend_growth(&u->part[part].resident), grows));
}

static bool is_shown(const struct wick_memory_use *u, int part, bool resident)
{
    const struct wick_memory_row *r = &u->part[part].now;
    return wick_memory_part_resident((enum wick_memory_part)part) == resident &&
           (r->resident || r->swapped || r->used || r->committed || u->part[part].most);
}

static void write_parts(FILE *out, const struct wick_memory_use *u)
{
    fprintf(out, "%s%-22s %10s %10s %10s %10s  %s%s\n", wick_ui_colour(out, WICK_UI_BOLD), "PART", "RESIDENT", "USED",
            "COMMITTED", "AT MOST", u->moments > 2 ? "GROWTH" : "", wick_ui_colour(out, WICK_UI_PLAIN));
    for (int i = 0; i < WICK_MEMORY_PARTS; i++)
        if (is_shown(u, i, true))
            write_row(out, u, i);
    fputs("held by the kernel for the process, and charged to its cgroup:\n", out);
    for (int i = 0; i < WICK_MEMORY_PARTS; i++)
        if (is_shown(u, i, false))
            write_row(out, u, i);
}

/* The largest first. */
static void sort_categories(const struct wick_nmt *n, uint32_t *order)
{
    for (uint32_t i = 0; i < n->count; i++) {
        uint32_t at = i;
        for (; at > 0 && n->category[order[at - 1]].committed < n->category[i].committed; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

static void write_nmt(FILE *out, const struct wick_memory_use *u, const struct wick_nmt *n)
{
    uint32_t order[WICK_NMT_CATEGORIES];
    uint64_t resident = u->part[WICK_MEMORY_MALLOC].now.resident;
    char malloced[CELL], mapped[CELL], committed[CELL], all[CELL], other[CELL];
    sort_categories(n, order);
    fprintf(out, "\n%s%-26s %10s %10s %10s%s\n", wick_ui_colour(out, WICK_UI_BOLD), "COUNTED BY THE JVM (NMT)",
            "COMMITTED", "MALLOC", "MAPPED", wick_ui_colour(out, WICK_UI_PLAIN));
    for (uint32_t i = 0; i < n->count; i++) {
        const struct wick_nmt_category *c = &n->category[order[i]];
        if (c->committed)
            fprintf(out, "%-26s %10s %10s %10s\n", c->name, wick_ui_binary(c->committed, committed, CELL),
                    bytes_or_none(c->malloced, malloced), bytes_or_none(c->mapped, mapped));
    }
    fprintf(out, "Of malloc the JVM itself has asked for %s", wick_ui_binary(n->malloced, all, CELL));
    if (resident > n->malloced)
        fprintf(out, "; at least %s resident there are native libraries' or free",
                wick_ui_binary(resident - n->malloced, other, CELL));
    fputs(". What is committed need not be resident.\n", out);
}

/* What of malloc's memory is free. */
static void write_arenas(FILE *out, const struct wick_arenas *a)
{
    char used[CELL], chunks[CELL], top[CELL], mapped[CELL], trimmable[CELL];
    const char *least = a->state == WICK_ARENAS_PARTLY ? "at least " : "";
    if (a->state == WICK_ARENAS_NONE)
        return;
    if (!wick_arenas_known(a)) {
        fprintf(out, "\nWhat malloc holds free is not known: %s.\n", wick_arenas_state_name(a->state));
        return;
    }
    fprintf(out, "\nmalloc has %s in use in %" PRIu32 " arena%s", wick_ui_binary(a->used, used, CELL), a->arenas,
            a->arenas == 1 ? "" : "s");
    if (a->blocks)
        fprintf(out, ", and %s in %" PRIu32 " mapped block%s", wick_ui_binary(a->mapped, mapped, CELL), a->blocks,
                a->blocks == 1 ? "" : "s");
    fprintf(out,
            ".\nIt holds %s%s free between blocks, and %s at the ends of arenas;\nmalloc_trim would give back %s%s.\n",
            least, wick_ui_binary(a->free, chunks, CELL), wick_ui_binary(a->top, top, CELL), least,
            wick_ui_binary(a->trimmable, trimmable, CELL));
}

/* "12 min", "3 h": when a limit is reached. */
static void write_time_left(FILE *out, double seconds)
{
    if (seconds < 120)
        fprintf(out, "%.0f s", seconds);
    else if (seconds < 7200)
        fprintf(out, "%.0f min", seconds / 60);
    else if (seconds < 2 * 86400)
        fprintf(out, "%.0f h", seconds / 3600);
    else
        fprintf(out, "%.0f days", seconds / 86400);
}

static void write_level(FILE *out, const struct wick_memory_level *l)
{
    const struct wick_cgroup_memory *m = &l->now;
    char current[CELL], limit[CELL], anonymous[CELL], file[CELL], kernel[CELL];
    fprintf(out, "%10s %10s %10s %10s %10s  ", m->limit ? wick_ui_binary(m->limit, limit, CELL) : "none",
            wick_ui_binary(m->current, current, CELL), wick_ui_binary(m->anonymous, anonymous, CELL),
            wick_ui_binary(m->file + m->shared, file, CELL), wick_ui_binary(m->kernel, kernel, CELL));
    wick_ui_last_column(out, 57, *l->path ? l->path : "/", *l->path ? strlen(l->path) : 1);
    fputc('\n', out);
    if (m->oom_kills)
        fprintf(out, "           %sOOM kills in it: %" PRIu64 "%s\n", wick_ui_colour(out, WICK_UI_RED), m->oom_kills,
                wick_ui_colour(out, WICK_UI_PLAIN));
}

static void write_verdict(FILE *out, const struct wick_memory_use *u)
{
    uint64_t left;
    const struct wick_memory_level *l = wick_memory_use_tightest(u, &left);
    char room[CELL], limit[CELL];
    if (!l) {
        fputs("\nNo cgroup limits its memory.\n", out);
        return;
    }
    double rate = wick_trend_growth(&l->charged);
    fprintf(out, "\nThe limit of %s leaves %s", wick_ui_binary(l->now.limit, limit, CELL),
            wick_ui_binary(left, room, CELL));
    fputs(", counting reclaimable page cache as free", out);
    if (rate > LEAST_GROWTH) {
        char grows[CELL];
        fprintf(out, "; at %s it is reached in ", growth(rate, grows) + 1);
        write_time_left(out, (double)left / rate);
    }
    fputs(".\n", out);
}

static void write_levels(FILE *out, const struct wick_memory_use *u)
{
    if (!u->levels)
        return;
    fprintf(out, "\n%s%10s %10s %10s %10s %10s  %s%s\n", wick_ui_colour(out, WICK_UI_BOLD), "LIMIT", "CHARGED",
            "ANONYMOUS", "FILES", "KERNEL", "CGROUP", wick_ui_colour(out, WICK_UI_PLAIN));
    for (uint32_t i = 0; i < u->levels; i++)
        write_level(out, &u->level[i]);
    write_verdict(out, u);
}

void wick_memory_table_write(const struct wick_memory_use *u, const struct wick_memory_table *t, FILE *out)
{
    char resident[CELL], swapped[CELL], most[CELL];
    wick_ui_plain(out, t->title);
    fprintf(out, ": %s resident", wick_ui_binary(u->resident, resident, CELL));
    if (u->swapped)
        fprintf(out, ", %s swapped out", wick_ui_binary(u->swapped, swapped, CELL));
    if (u->moments > 1)
        fprintf(out, ", %s at most in %.0f s", wick_ui_binary(u->most, most, CELL),
                (double)(u->last_ns - u->first_ns) / 1e9);
    fputs("\n\n", out);
    write_parts(out, u);
    write_arenas(out, &u->arenas);
    const struct wick_nmt *counted = t->nmt ? t->nmt : &u->counted;
    if (counted->count)
        write_nmt(out, u, counted);
    write_levels(out, u);
}

/* ---- JSON ---- */

static void pair(struct wick_json *j, const char *key, uint64_t v)
{
    wick_json_key(j, key);
    wick_json_uint(j, v);
}

static void trend(struct wick_json *j, const struct wick_trend *t)
{
    double slope, error;
    if (!wick_trend_slope(t, &slope, &error))
        return;
    wick_json_key(j, "growth_bytes_per_s");
    wick_json_int(j, (int64_t)slope);
    wick_json_key(j, "growth_error_bytes_per_s");
    wick_json_int(j, (int64_t)error);
}

static void json_part(struct wick_json *j, const struct wick_memory_use *u, int part)
{
    const struct wick_memory_row *r = &u->part[part].now;
    wick_json_open(j, '{');
    wick_json_key(j, "part");
    wick_json_cstr(j, wick_memory_part_name((enum wick_memory_part)part));
    wick_json_key(j, "in_resident_set");
    wick_json_raw(j, wick_memory_part_resident((enum wick_memory_part)part) ? "true" : "false");
    pair(j, "resident", r->resident);
    pair(j, "most", u->part[part].most);
    pair(j, "swapped", r->swapped);
    pair(j, "used", r->used);
    pair(j, "committed", r->committed);
    pair(j, "reserved", r->reserved);
    pair(j, "count", r->count);
    trend(j, &u->part[part].resident);
    wick_json_close(j, '}');
}

static void json_arenas(struct wick_json *j, const struct wick_arenas *a)
{
    wick_json_key(j, "malloc");
    wick_json_open(j, '{');
    wick_json_key(j, "state");
    wick_json_cstr(j, wick_arenas_state_name(a->state));
    if (wick_arenas_known(a)) {
        pair(j, "arenas", a->arenas);
        pair(j, "used", a->used);
        pair(j, "free", a->free);
        pair(j, "top", a->top);
        pair(j, "mapped", a->mapped);
        pair(j, "mapped_blocks", a->blocks);
        pair(j, "trimmable", a->trimmable);
    }
    wick_json_close(j, '}');
}

static void json_nmt(struct wick_json *j, const struct wick_nmt *n)
{
    wick_json_key(j, "nmt");
    wick_json_open(j, '{');
    pair(j, "committed", n->committed);
    pair(j, "malloc", n->malloced);
    wick_json_key(j, "categories");
    wick_json_open(j, '[');
    for (uint32_t i = 0; i < n->count; i++) {
        const struct wick_nmt_category *c = &n->category[i];
        wick_json_open(j, '{');
        wick_json_key(j, "category");
        wick_json_cstr(j, c->name);
        pair(j, "reserved", c->reserved);
        pair(j, "committed", c->committed);
        pair(j, "malloc", c->malloced);
        pair(j, "mapped", c->mapped);
        wick_json_close(j, '}');
    }
    wick_json_close(j, ']');
    wick_json_close(j, '}');
}

static void json_level(struct wick_json *j, const struct wick_memory_level *l)
{
    const struct wick_cgroup_memory *m = &l->now;
    wick_json_open(j, '{');
    wick_json_key(j, "path");
    wick_json_cstr(j, *l->path ? l->path : "/");
    pair(j, "limit", m->limit);
    pair(j, "high", m->high);
    pair(j, "current", m->current);
    pair(j, "peak", m->peak);
    pair(j, "anonymous", m->anonymous);
    pair(j, "file", m->file);
    pair(j, "inactive_file", m->inactive_file);
    pair(j, "shared", m->shared);
    pair(j, "kernel", m->kernel);
    pair(j, "swapped", m->swapped);
    pair(j, "at_limit", m->at_limit);
    pair(j, "oom_kills", m->oom_kills);
    trend(j, &l->charged);
    wick_json_close(j, '}');
}

void wick_memory_table_write_json(const struct wick_memory_use *u, const struct wick_memory_table *t, FILE *out)
{
    struct wick_json json = {.out = out}, *j = &json;
    uint64_t left;
    wick_json_open(j, '{');
    wick_json_key(j, "of");
    wick_json_cstr(j, t->title);
    pair(j, "moments", u->moments);
    pair(j, "first_ns", (uint64_t)u->first_ns);
    pair(j, "last_ns", (uint64_t)u->last_ns);
    pair(j, "resident", u->resident);
    pair(j, "most", u->most);
    pair(j, "swapped", u->swapped);
    trend(j, &u->total);
    wick_json_key(j, "parts");
    wick_json_open(j, '[');
    for (int i = 0; i < WICK_MEMORY_PARTS; i++)
        json_part(j, u, i);
    wick_json_close(j, ']');
    if (u->arenas.state != WICK_ARENAS_NONE)
        json_arenas(j, &u->arenas);
    const struct wick_nmt *counted = t->nmt ? t->nmt : &u->counted;
    if (counted->count)
        json_nmt(j, counted);
    wick_json_key(j, "cgroups");
    wick_json_open(j, '[');
    for (uint32_t i = 0; i < u->levels; i++)
        json_level(j, &u->level[i]);
    wick_json_close(j, ']');
    if (wick_memory_use_tightest(u, &left))
        pair(j, "left", left);
    wick_json_close(j, '}');
    fputc('\n', out);
}
