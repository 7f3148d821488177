/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine_alloc.c - allocated objects as an engine: samples become JFR events
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "engine/alloc.h"
#include "engine/engine.h"

struct state {
    struct wick_alloc_engine alloc;
    const struct wick_java_allocations *java;
};

static bool planned(const struct wick_opt_events *plan)
{
    return plan->alloc;
}

static void stop(void *e)
{
    struct state *s = e;
    s->java->off();
    wick_alloc_stop(&s->alloc);
}

static void release(void *e)
{
    wick_alloc_release(&((struct state *)e)->alloc);
}

/* Reports are understood before the JVM makes any. */
static int start(void *e, struct wick_engine_host *h, struct wick_err *err)
{
    struct state *s = e;
    struct wick_alloc_config c = {
        .interval = h->plan.alloc,
        .rate = (uint32_t)h->opts->alloc_rate,
        .vm_lo = h->libjvm ? h->libjvm->text_lo : 0,
        .vm_hi = h->libjvm ? h->libjvm->text_hi : 0,
    };
    if (!h->java_allocations)
        return wick_err_set(err, WICK_E_UNSUPPORTED, "this JVM does not report allocations");
    s->java = h->java_allocations;
    c.in_force = s->java->interval;
    c.change = s->java->change;
    int rc = s->java->open(err);
    if (rc)
        return rc;
    rc = wick_alloc_start(&s->alloc, &c, h->recorder, h->threads, err);
    if (!rc && !(rc = s->java->on(c.interval, err)))
        return 0;
    stop(s);
    if (!h->recorder->keep)
        release(s);
    return rc;
}

static void take(void *e, struct wick_drain *d, enum wick_engine_take what)
{
    (void)d;
    if (what == WICK_TAKE_DONE)
        wick_alloc_adjust(&((struct state *)e)->alloc, wick_clock_mono_ns());
}

static void event(void *e, struct wick_drain *d, const struct wick_event *ev)
{
    struct wick_alloc_engine *alloc = &((struct state *)e)->alloc;
    const struct wick_alloc_note *n = wick_alloc_found(alloc, ev);
    if (!n)
        return;
    const struct wick_jfr_object_allocation_sample sample = {
        .start_ns = ev->time_ns,
        .thread = wick_threads_named(alloc->threads, ev->thread, ev->time_ns),
        .stack = ev->stack,
        .class_name = n->class_name,
        .weight = ev->weight,
        .size = n->size,
        .context = ev->context,
    };
    wick_jfr_write_object_allocation_sample(d->writer, &sample);
    wick_alloc_written(alloc, ev);
}

static void lost(void *e, const struct wick_event *ev)
{
    wick_alloc_written(&((struct state *)e)->alloc, ev);
}

static void status(void *e, const struct wick_engine_host *h, struct wick_strbuf *out)
{
    const struct wick_alloc_engine *a = &((struct state *)e)->alloc;
    (void)h;
    wick_strbuf_addf(out,
                     "alloc_interval=%" PRIu64 "\nalloc_jvm_interval=%" PRIu64 "\nalloc_interval_changes=%" PRIu32
                     "\nalloc_reports=%" PRIu64 "\n",
                     wick_load_relaxed(&a->interval), a->config.in_force(), wick_load_relaxed(&a->changes),
                     wick_load_relaxed(&a->reports));
}

static void settings(void *e, const struct wick_engine_host *h, struct wick_jfr_writer *w, uint64_t now)
{
    const struct wick_alloc_engine *a = &((struct state *)e)->alloc;
    const enum wick_jfr_event of = WICK_JFR_EVENT_OBJECT_ALLOCATION_SAMPLE;
    char num[32];
    (void)h;
    wick_engine_setting(w, now, of, "enabled", "true");
    wick_engine_setting(w, now, of, "source", "JVMTI SampledObjectAlloc");
    snprintf(num, sizeof num, "%" PRIu64, a->config.interval);
    wick_engine_setting(w, now, of, "interval", num);
    snprintf(num, sizeof num, "%" PRIu64, wick_load_relaxed(&a->interval));
    wick_engine_setting(w, now, of, "adjustedInterval", num);
    snprintf(num, sizeof num, "%" PRIu32 "/s", a->config.rate);
    wick_engine_setting(w, now, of, "throttle", a->config.rate ? num : "off");
}

static const struct wick_engine_sample samples[] = {{WICK_JFR_EVENT_OBJECT_ALLOCATION_SAMPLE, WICK_EVENT_ALLOC},
                                                    {WICK_JFR_EVENT_COUNT, 0}};

const struct wick_engine_ops wick_engine_alloc = {
    .name = "alloc",
    .bytes = sizeof(struct state),
    .types = 1u << WICK_EVENT_ALLOC,
    .samples = samples,
    .gate = &wick_alloc_gate,
    .planned = planned,
    .start = start,
    .stop = stop,
    .release = release,
    .take = take,
    .event = event,
    .lost = lost,
    .status = status,
    .settings = settings,
};
