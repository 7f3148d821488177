/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/set/engines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each engine's own file has it. */
extern const struct wick_engine_ops wick_engine_alloc, wick_engine_cpu, wick_engine_wall, wick_engine_lock,
    wick_engine_nativemem, wick_engine_ttsp;

const struct wick_engine_ops *const wick_engine_table[] = {&wick_engine_cpu,
                                                           &wick_engine_wall,
                                                           &wick_engine_lock,
                                                           &wick_engine_alloc,
                                                           &wick_engine_nativemem,
                                                           &wick_engine_ttsp,
                                                           NULL};

/* Handlers that did not come back to any of the engines since the process began. */
static uint32_t lost_handlers(const struct wick_engines *e)
{
    uint32_t n = 0;
    for (int i = 0; e->table[i]; i++)
        n += e->table[i]->gate ? atomic_load(&e->table[i]->gate->lost) : 0; /* pairs: give_up in gate.c */
    return n;
}

/* Makes a state for one that is planned and starts it. */
static int start_one(struct wick_engines *e, const struct wick_engine_ops *ops, struct wick_err *err)
{
    void *state = calloc(1, ops->bytes);
    if (!state)
        return wick_err_set(err, WICK_E_NOMEM, "no memory for the engine %s", ops->name);
    int rc = ops->start(state, &e->host, err);
    if (rc) {
        if (!e->host.recorder->keep)
            free(state);
        return rc;
    }
    e->running[e->count++] = (struct wick_engine){ops, state};
    for (int t = 0; t < WICK_EVENT_TYPES; t++)
        if (ops->types >> t & 1)
            e->of_type[t] = (uint8_t)e->count;
    return 0;
}

int wick_engines_start(struct wick_engines *e, const struct wick_engine_ops *const *table,
                       const struct wick_engine_host *host, struct wick_err *err)
{
    uint32_t n = 0;
    while (table[n])
        n++;
    *e = (struct wick_engines){.host = *host, .table = table, .running = calloc(n + 1, sizeof *e->running)};
    if (!e->running)
        return wick_err_set(err, WICK_E_NOMEM, "no memory for the engines");
    e->lost_before = lost_handlers(e);
    int rc = wick_opt_events(host->opts, &e->host.plan, err);
    for (uint32_t i = 0; !rc && i < n; i++)
        if (table[i]->planned(&e->host.plan))
            rc = start_one(e, table[i], err);
    if (rc)
        wick_engines_stop(e);
    return rc;
}

void wick_engines_stop(struct wick_engines *e)
{
    if (!e->running || e->stopped)
        return;
    e->stopped = true;
    for (uint32_t i = e->count; i-- > 0;)
        e->running[i].ops->stop(e->running[i].state);
    wick_recorder_quiesce(e->host.recorder);
    if (lost_handlers(e) != e->lost_before)
        wick_recorder_keep(e->host.recorder, lost_handlers(e) - e->lost_before);
}

void wick_engines_release(struct wick_engines *e)
{
    /* what a handler that has not come back may use is left to it */
    for (uint32_t i = 0; i < e->count && !e->host.recorder->keep; i++) {
        if (e->running[i].ops->release)
            e->running[i].ops->release(e->running[i].state);
        free(e->running[i].state);
    }
    free(e->running);
    *e = (struct wick_engines){0};
}

/* Calls an operation of all that run and have it. */
#define EACH(e, operation, ...)               \
    for (uint32_t i = 0; i < (e)->count; i++) \
        if ((e)->running[i].ops->operation)   \
    (e)->running[i].ops->operation((e)->running[i].state __VA_OPT__(, ) __VA_ARGS__)

void wick_engines_take(struct wick_engines *e, struct wick_drain *d, enum wick_engine_take what)
{
    EACH(e, take, d, what);
}

/* The engine that completes such events, NULL = none. */
static const struct wick_engine *engine_of(const struct wick_engines *e, const struct wick_event *event)
{
    uint32_t place = event->type < WICK_EVENT_TYPES ? e->of_type[event->type] : 0;
    return place ? &e->running[place - 1] : NULL;
}

void wick_engines_event(struct wick_engines *e, struct wick_drain *d, const struct wick_event *event)
{
    const struct wick_engine *of = engine_of(e, event);
    if (of)
        of->ops->event(of->state, d, event);
}

void wick_engines_lost(struct wick_engines *e, const struct wick_event *event)
{
    const struct wick_engine *of = engine_of(e, event);
    if (of && of->ops->lost)
        of->ops->lost(of->state, event);
}

void wick_engines_carry(struct wick_engines *e, const struct wick_tables *from, struct wick_tables *to)
{
    struct wick_carry c;
    bool wanted = false;
    for (uint32_t i = 0; i < e->count; i++)
        wanted |= e->running[i].ops->carry != NULL;
    if (!wanted)
        return;
    (void)wick_carry_init(&c, from, to); /* without memory for it stacks are lost */
    EACH(e, carry, &c);
    wick_carry_release(&c);
}

void wick_engines_moment(struct wick_engines *e)
{
    EACH(e, moment);
}

void wick_engines_stats(struct wick_engines *e, struct wick_jfr_writer *w, uint64_t now_ns)
{
    EACH(e, stats, w, now_ns);
}

void wick_engines_status(struct wick_engines *e, struct wick_strbuf *out)
{
    EACH(e, status, &e->host, out);
}

void wick_engines_settings(struct wick_engines *e, struct wick_jfr_writer *w, uint64_t now_ns)
{
    EACH(e, settings, &e->host, w, now_ns);
}

void wick_engines_notes(struct wick_engines *e, void (*note)(void *arg, const char *sentence), void *arg)
{
    EACH(e, notes, note, arg);
}

/* Names of the engines of the table that take an option: "alloc or nativemem". */
static void name_takers(const struct wick_engines *e, uint64_t option, char *out, size_t cap)
{
    size_t n = 0;
    out[0] = 0;
    for (int i = 0; e->table[i] && n < cap; i++)
        if (e->table[i]->options & option)
            n += (size_t)snprintf(out + n, cap - n, "%s%s", n ? " or " : "", e->table[i]->name);
}

void wick_engines_unused(struct wick_engines *e, uint64_t given, void (*note)(void *arg, const char *sentence),
                         void *arg)
{
    char takers[80], sentence[160];
    uint64_t unused = 0;
    for (int i = 0; e->table[i]; i++)
        unused |= e->table[i]->options & given;
    for (uint32_t i = 0; i < e->count; i++)
        unused &= ~e->running[i].ops->options;
    for (unsigned i = 0; i < WICK_OPT_TABLE_COUNT; i++) {
        if (!(unused >> i & 1))
            continue;
        name_takers(e, (uint64_t)1 << i, takers, sizeof takers);
        snprintf(sentence, sizeof sentence, "option '%s' has no effect without %s", wick_opt_table[i].name, takers);
        note(arg, sentence);
    }
}

void wick_engines_exclude_self(struct wick_engines *e)
{
    EACH(e, exclude_self);
}

const char *wick_engines_label(struct wick_engines *e, char buf[WICK_ENGINES_LABEL])
{
    size_t n = 0;
    buf[0] = 0;
    for (uint32_t i = 0; i < e->count && n < WICK_ENGINES_LABEL; i++) {
        const struct wick_engine *r = &e->running[i];
        const char *label = r->ops->label ? r->ops->label(r->state) : r->ops->name;
        n += (size_t)snprintf(buf + n, WICK_ENGINES_LABEL - n, "%s%s", n ? "+" : "", label);
    }
    return buf[0] ? buf : "none";
}

bool wick_engines_count_cpu_time(struct wick_engines *e)
{
    bool any = false;
    for (uint32_t i = 0; i < e->count; i++)
        any |= e->running[i].ops->counts_cpu_time && e->running[i].ops->counts_cpu_time(e->running[i].state);
    return any;
}

void wick_engines_samples(const struct wick_engines *e, uint8_t sample[WICK_JFR_EVENT_COUNT])
{
    for (uint32_t i = 0; i < e->count; i++)
        for (const struct wick_engine_sample *s = e->running[i].ops->samples; s && s->written != WICK_JFR_EVENT_COUNT;
             s++)
            sample[s->written] = (uint8_t)(s->of + 1);
}
