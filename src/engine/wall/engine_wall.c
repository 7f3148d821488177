/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine_wall.c - the wall clock as an engine: its samples, and the CPU time of threads beside them, as JFR events
 */
#include <inttypes.h>
#include <stdio.h>

#include "engine/engine.h"
#include "engine/wall/wall.h"

static bool planned(const struct wick_opt_events *plan)
{
    return plan->wall_ns;
}

static int start(void *e, struct wick_engine_host *h, struct wick_err *err)
{
    const struct wick_wall_config c = {
        .interval_ns = h->plan.wall_ns,
        .threads = (uint32_t)h->opts->wall_threads,
        .filter = h->opts->filter,
        .nobatch = h->opts->nobatch,
    };
    return wick_wall_start(e, &c, h->recorder, h->threads, h->awake_signal, err);
}

static void stop(void *e)
{
    wick_wall_stop(e);
}

static void release(void *e)
{
    wick_wall_release(e);
}

static void put_event(void *arg, const struct wick_event *ev)
{
    wick_drain_put(arg, ev);
}

static void put_time(void *arg, const struct wick_wall_cpu_time *t)
{
    struct wick_drain *d = arg;
    wick_jfr_write_thread_cpu(d->writer, &(struct wick_jfr_thread_cpu){.start_ns = t->start_ns,
                                                                       .duration_ns = t->end_ns - t->start_ns,
                                                                       .thread = t->thread,
                                                                       .cpu_ns = t->used.cpu_ns,
                                                                       .delay_ns = t->used.delay_ns,
                                                                       .slices = t->used.slices});
}

static void take(void *e, struct wick_drain *d, enum wick_engine_take what)
{
    if (what != WICK_TAKE_DONE)
        wick_wall_flush(e);
    wick_wall_take(e, put_event, put_time, d);
}

/* A wait in native code may be known more closely by its stack. */
static unsigned state_of(struct wick_drain *d, const struct wick_event *ev)
{
    unsigned by_stack = ev->state == WICK_JFR_STATE_NATIVE_WAIT ? wick_drain_wait_state(d, ev->stack) : 0;
    return by_stack ? by_stack : ev->state;
}

static void event(void *e, struct wick_drain *d, const struct wick_event *ev)
{
    const struct wick_wall_engine *w = e;
    const struct wick_jfr_wall_clock_sample s = {
        .start_ns = ev->time_ns,
        .thread = wick_threads_named(w->threads, ev->thread, ev->time_ns),
        .stack = ev->stack,
        .state = state_of(d, ev),
        .samples = ev->samples ? ev->samples : 1,
        .span_ns = ev->span_ns,
        .weight_ns = ev->weight,
        .context = ev->context,
    };
    wick_jfr_write_wall_clock_sample(d->writer, &s);
}

static void stats(void *e, struct wick_jfr_writer *w, uint64_t now_ns)
{
    struct wick_wall_stats s;
    wick_wall_stats_get(e, &s);
    wick_jfr_write_wall_sampler(w, &(struct wick_jfr_wall_sampler){.start_ns = now_ns,
                                                                   .candidates = s.candidates,
                                                                   .ticks = s.ticks,
                                                                   .merged = s.merged,
                                                                   .late_ns = s.late_ns,
                                                                   .latest_ns = s.latest_ns,
                                                                   .chosen = s.chosen,
                                                                   .idle = s.idle,
                                                                   .outside = s.outside,
                                                                   .signals = s.signals,
                                                                   .cpu_ns = s.cpu_ns});
}

static void status(void *e, const struct wick_engine_host *h, struct wick_strbuf *out)
{
    (void)e;
    if (!h->plan.cpu[0]) /* else the interval is that of CPU time */
        wick_strbuf_addf(out, "interval_ns=%" PRIu64 "\n", h->plan.wall_ns);
}

static void settings(void *e, const struct wick_engine_host *h, struct wick_jfr_writer *w, uint64_t now)
{
    const struct wick_wall_engine *wall = e;
    const enum wick_jfr_event_id of = WICK_JFR_EVENT_WALL_CLOCK_SAMPLE;
    char num[32];
    snprintf(num, sizeof num, "%" PRIu64 " ns", h->plan.wall_ns);
    wick_engine_setting(w, now, of, "enabled", "true");
    wick_engine_setting(w, now, of, "period", num);
    snprintf(num, sizeof num, "%" PRIu32, wall->k);
    wick_engine_setting(w, now, of, "threads", num);
    wick_engine_setting(w, now, of, "filter", h->opts->filter);
    wick_engine_setting(w, now, of, "batching", h->opts->nobatch ? "false" : "true");
}

static void exclude_self(void *e)
{
    wick_wall_exclude_self(e);
}

static const struct wick_engine_sample samples[] = {{WICK_JFR_EVENT_WALL_CLOCK_SAMPLE, WICK_EVENT_WALL},
                                                    {WICK_JFR_EVENT_COUNT, 0}};

const struct wick_engine_ops wick_engine_wall = {
    .name = "wall",
    .bytes = sizeof(struct wick_wall_engine),
    .types = 1u << WICK_EVENT_WALL,
    .samples = samples,
    .gate = &wick_wall_gate,
    .options = WICK_OPT_BIT(interval_ns) | WICK_OPT_BIT(wall_threads) | WICK_OPT_BIT(filter) | WICK_OPT_BIT(nobatch),
    .planned = planned,
    .start = start,
    .stop = stop,
    .release = release,
    .take = take,
    .event = event,
    .stats = stats,
    .status = status,
    .settings = settings,
    .exclude_self = exclude_self,
};
