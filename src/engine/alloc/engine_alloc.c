/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine_alloc.c - allocated objects as an engine: samples become JFR events
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "engine/alloc/alloc.h"
#include "engine/breakpoint.h"
#include "engine/engine.h"
#include "engine/moments.h"

#define SECOND_NS UINT64_C(1000000000)

enum { SLOW_MOST = 50000 }; /* breakpoints a second */

struct state {
    struct wick_alloc_engine alloc;
    const struct wick_java_allocations *java;
    bool allocated, alive;  /* what is written */
    bool taken;             /* the breakpoints were taken from us */
    bool flooded;           /* they were met that often that they are gone */
    uint64_t slow, slow_ns; /* objects that had met them at that moment */
    struct wick_moments moments;
};

static bool planned(const struct wick_opt_events *plan)
{
    return plan->alloc.on || plan->live;
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
        .interval = h->plan.alloc.on ? h->plan.alloc.interval : WICK_OPT_ALLOC_DEFAULT,
        .rate = (uint32_t)h->opts->alloc_rate,
        .vm_lo = h->libjvm ? h->libjvm->text_lo : 0,
        .vm_hi = h->libjvm ? h->libjvm->text_hi : 0,
    };
    if (!h->java_allocations)
        return wick_err_set(err, WICK_E_UNSUPPORTED, "this JVM does not report allocations");
    if (!c.interval)
        c.interval = 1; /* every object */
    s->java = h->java_allocations;
    c.in_force = s->java->interval;
    c.change = s->java->change;
    c.give_gap = s->java->give_gap;
    c.references = h->plan.live ? &s->java->references : NULL;
    s->allocated = h->plan.alloc.on;
    s->alive = h->plan.live;
    s->moments.start_ns = s->moments.last_ns = wick_clock_mono_ns();
    int rc = s->java->open(err);
    if (rc)
        return rc;
    c.tracer = s->java->tracer ? s->java->tracer() : NULL;
    c.jvm = h->jvm;
    if (c.tracer && c.references)
        return wick_err_set(err, WICK_E_UNSUPPORTED,
                            "live objects need JDK 11 or later, whose JVM gives sampled objects to the agent; alloc "
                            "samples allocations on this one");
    rc = wick_alloc_start(&s->alloc, &c, h->recorder, h->threads, err);
    if (!rc && !(rc = s->java->on(c.interval, err)))
        return 0;
    stop(s);
    if (!h->recorder->keep)
        release(s);
    return rc;
}

/* An object that is alive. The last time it is the event that all readers know; they would add up those of several
 * moments. */
static void write_object(const struct state *s, struct wick_jfr_writer *w, const struct wick_live_object *o,
                         uint64_t now_ns, bool last)
{
/* The two events have the same fields. */
#define FIELDS                                                                                                    \
    {                                                                                                             \
        .start_ns = now_ns, .thread = o->thread, .stack = o->stack, .class_name = o->class_name, .size = o->size, \
        .allocated_ns = o->time_ns, .weight = wick_live_bytes(o), .age = s->alloc.live.swept - o->born,           \
        .snapshot = s->moments.count, .context = o->context                                                       \
    }
    if (last)
        wick_jfr_write_live_object(w, &(struct wick_jfr_live_object)FIELDS);
    else
        wick_jfr_write_live_object_then(w, &(struct wick_jfr_live_object_then)FIELDS);
#undef FIELDS
}

static void write_alive(struct state *s, struct wick_jfr_writer *w, uint64_t now_ns, bool last)
{
    struct wick_live *l = &s->alloc.live;
    uint64_t bytes = 0, objects = 0;
    wick_live_sweep(l, now_ns, true);
    wick_moments_next(&s->moments, now_ns);
    for (int r = 0; r < WICK_LIVE_ROOMS; r++) {
        for (uint32_t i = 0; i < l->rooms[r].count; i++) {
            write_object(s, w, &l->rooms[r].objects[i], now_ns, last);
            bytes += wick_live_bytes(&l->rooms[r].objects[i]);
        }
        objects += l->rooms[r].count;
    }
    wick_jfr_write_live_heap(w, &(struct wick_jfr_live_heap){.start_ns = now_ns,
                                                             .snapshot = s->moments.count,
                                                             .objects = objects,
                                                             .bytes = bytes,
                                                             .collections = l->swept,
                                                             .stacks_lost = l->stacks_lost});
}

/* A breakpoint costs some 3 us and a lock of the process: where very many objects meet one, none is set any more. */
static void bound_cost(struct state *s, uint64_t now_ns)
{
    uint64_t slow = wick_load_relaxed(&s->alloc.slow), passed_ns = now_ns - s->slow_ns;
    if (s->slow_ns && passed_ns < SECOND_NS)
        return;
    s->flooded = s->flooded || (s->slow_ns && (slow - s->slow) * SECOND_NS / passed_ns > SLOW_MOST);
    if (s->flooded)
        wick_breakpoint_clear();
    s->slow = slow;
    s->slow_ns = now_ns;
}

static void take(void *e, struct wick_drain *d, enum wick_engine_take what)
{
    struct state *s = e;
    uint64_t now_ns = wick_clock_mono_ns();
    if (what == WICK_TAKE_DONE)
        wick_alloc_adjust(&s->alloc, now_ns);
    if (s->alloc.config.tracer && s->java->guard && !s->java->guard())
        s->taken = true;
    if (s->alloc.config.tracer)
        bound_cost(s, now_ns);
    if (!s->alive)
        return;
    wick_live_sweep(&s->alloc.live, now_ns, false);
    if (wick_moments_due(&s->moments, what, now_ns))
        write_alive(s, d->writer, now_ns, what == WICK_TAKE_LAST);
    wick_live_pass_on(&s->alloc.live);
}

static void moment(void *e)
{
    ((struct state *)e)->moments.wanted = true;
}

static void carry(void *e, struct wick_carry *c)
{
    struct state *s = e;
    if (s->alive)
        wick_live_carry(&s->alloc.live, c);
}

static void event(void *e, struct wick_drain *d, const struct wick_event *ev)
{
    struct state *s = e;
    struct wick_alloc_engine *alloc = &s->alloc;
    const struct wick_alloc_note *n = wick_alloc_found(alloc, ev);
    const char *class_name = n ? n->class_name : ""; /* without a note: bytes of a thread that has ended */
    if (!n && ev->note)
        return;
    const struct wick_jfr_object_allocation_sample sample = {
        .start_ns = ev->time_ns,
        .thread = wick_threads_named(alloc->threads, ev->thread, ev->time_ns),
        .stack = ev->stack,
        .class_name = class_name,
        .weight = ev->weight,
        .size = n ? n->size : 0,
        .context = ev->context,
    };
    if (s->allocated)
        wick_jfr_write_object_allocation_sample(d->writer, &sample);
    wick_alloc_written(alloc, ev, sample.thread);
}

static void lost(void *e, const struct wick_event *ev)
{
    wick_alloc_lost(&((struct state *)e)->alloc, ev);
}

static void status(void *e, const struct wick_engine_host *h, struct wick_strbuf *out)
{
    const struct wick_alloc_engine *a = &((struct state *)e)->alloc;
    (void)h;
    wick_strbuf_addf(out,
                     "alloc_interval=%" PRIu64 "\nalloc_jvm_interval=%" PRIu64 "\nalloc_interval_changes=%" PRIu32
                     "\nalloc_reports=%" PRIu64 "\nalloc_gaps=%" PRIu64 "\n",
                     wick_load_relaxed(&a->interval), a->config.in_force(), wick_load_relaxed(&a->changes),
                     wick_load_relaxed(&a->reports), wick_load_relaxed(&a->gaps));
    if (a->config.tracer)
        wick_strbuf_addf(out, "alloc_slow=%" PRIu64 "\nalloc_odd=%" PRIu64 "\n", wick_load_relaxed(&a->slow),
                         wick_load_relaxed(&a->odd));
    if (a->config.references)
        wick_strbuf_addf(out, "live_objects=%" PRIu32 "\nlive_threshold=%" PRIu64 "\nlive_snapshots=%" PRIu32 "\n",
                         a->live.rooms[WICK_LIVE_YOUNG].count + a->live.rooms[WICK_LIVE_OLD].count,
                         wick_load_relaxed(&a->live.rooms[WICK_LIVE_OLD].threshold),
                         ((struct state *)e)->moments.count);
}

static const char caveat[] = "an object that did not fit into its thread's buffer stands for what the thread has "
                             "allocated since the last such one";

static void settings(void *e, const struct wick_engine_host *h, struct wick_jfr_writer *w, uint64_t now)
{
    const struct wick_alloc_engine *a = &((struct state *)e)->alloc;
    const enum wick_jfr_event_id of = WICK_JFR_EVENT_OBJECT_ALLOCATION_SAMPLE;
    (void)h;
    wick_engine_setting(w, now, of, "enabled", ((struct state *)e)->allocated ? "true" : "false");
    wick_engine_setting(w, now, WICK_JFR_EVENT_LIVE_OBJECT, "enabled", ((struct state *)e)->alive ? "true" : "false");
    if (a->config.tracer) {
        wick_engine_setting(w, now, of, "source", "AllocTracer");
        wick_engine_setting(w, now, of, "found by", a->config.tracer->by_symbols ? "symbols" : "code");
        wick_engine_setting(w, now, of, "caveat", caveat);
    } else {
        wick_engine_setting(w, now, of, "source", "JVMTI SampledObjectAlloc");
        wick_engine_setting(w, now, of, "gaps", wick_load_relaxed(&a->gaps) ? "wick" : "JVM");
    }
    wick_engine_rate_settings(w, now, of, &a->rate, wick_load_relaxed(&a->interval));
}

static void notes(void *e, void (*note)(void *arg, const char *sentence), void *arg)
{
    const struct state *s = e;
    if (s->taken)
        note(arg, "allocations are not sampled any more: another handler has taken the place of wick's for SIGTRAP");
    else if (s->flooded)
        note(arg,
             "allocations are not sampled any more: more than 50,000 objects a second did not fit into their threads' "
             "buffers, and each of them meets a breakpoint; larger buffers make them fewer (-XX:TLABSize)");
    else if (s->alloc.config.tracer)
        note(arg, "JDK 8 does not sample allocations: objects that do not fit into their thread's buffer stand for all "
                  "(docs/memory.md)");
}

static const struct wick_engine_sample samples[] = {{WICK_JFR_EVENT_OBJECT_ALLOCATION_SAMPLE, WICK_EVENT_ALLOC},
                                                    {WICK_JFR_EVENT_COUNT, 0}};

const struct wick_engine_ops wick_engine_alloc = {
    .name = "alloc",
    .bytes = sizeof(struct state),
    .types = 1u << WICK_EVENT_ALLOC,
    .samples = samples,
    .gate = &wick_alloc_gate,
    .options = WICK_OPT_BIT(alloc_rate),
    .planned = planned,
    .start = start,
    .stop = stop,
    .release = release,
    .take = take,
    .moment = moment,
    .carry = carry,
    .event = event,
    .lost = lost,
    .status = status,
    .settings = settings,
    .notes = notes,
};
