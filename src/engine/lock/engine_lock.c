/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine_lock.c - waiting for locks as an engine: waits become JFR events
 */
#include "engine/lock/lock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "engine/engine.h"
#include "engine/lock/lock_native.h"

/* The engine, and what its events need. */
struct state {
    struct wick_lock_engine lock;
    const struct wick_elf_images *images;
    const struct wick_java_waits *java_waits;
};

static const char *const event_names[WICK_LOCK_KINDS] = {
    "jdk.JavaMonitorEnter", "jdk.ThreadPark", "jdk.JavaMonitorWait", "profiler.NativeLock", "wick.NativeWait"};

/* What the events of all waits have in common. */
#define WAIT(n, e, who)                                                                                         \
    .start_ns = (n)->done.start_ns, .duration_ns = (n)->done.duration_ns, .thread = (who), .stack = (e)->stack, \
    .address = (n)->what.address, .weight_ns = (n)->done.weight_ns, .context = (e)->context

/* A thread under the name that it had at the end of the wait. */
static uint32_t named(const struct wick_lock_engine *e, const struct wick_lock_note *n, uint32_t thread)
{
    return wick_threads_named(e->threads, thread, n->done.start_ns + n->done.duration_ns);
}

/* The owner under the name that it had when it was known to have the lock: it may take another one as soon as it has
 * let go. */
static uint32_t owner(const struct wick_lock_engine *e, const struct wick_lock_note *n)
{
    return n->owner ? wick_threads_named(e->threads, n->owner, n->done.owned_ns) : 0;
}

static void write_enter(const struct wick_lock_engine *l, struct wick_jfr_writer *w, const struct wick_lock_note *n,
                        const struct wick_event *e)
{
    const struct wick_jfr_java_monitor_enter event = {
        WAIT(n, e, named(l, n, e->thread)),
        .class_name = n->what.class_name,
        .owner = owner(l, n),
        .hash = n->what.hash,
        .wait = n->done.id,
    };
    wick_jfr_write_java_monitor_enter(w, &event);
}

static void write_park(const struct wick_lock_engine *l, struct wick_jfr_writer *w, const struct wick_lock_note *n,
                       const struct wick_event *e)
{
    const struct wick_jfr_thread_park event = {
        WAIT(n, e, named(l, n, e->thread)),
        .class_name = n->what.class_name,
        .timeout_ns = (uint64_t)n->what.timeout,
        .until_ms = (uint64_t)n->what.until,
        .hash = n->what.hash,
        .wait = n->done.id,
        .owner = owner(l, n),
    };
    wick_jfr_write_thread_park(w, &event);
}

static void write_wait(const struct wick_lock_engine *l, struct wick_jfr_writer *w, const struct wick_lock_note *n,
                       const struct wick_event *e)
{
    const struct wick_jfr_java_monitor_wait event = {
        WAIT(n, e, named(l, n, e->thread)),
        .class_name = n->what.class_name,
        .timeout_ms = (uint64_t)n->what.timeout,
        .timed_out = n->what.timed_out,
        .hash = n->what.hash,
    };
    wick_jfr_write_java_monitor_wait(w, &event);
}

/* Where a lock that is a variable of a library lies in it: "libx.so+0x40c0"; "" for others. */
static void name_variable(const struct wick_elf_images *images, uint64_t address, char *out, size_t cap)
{
    out[0] = 0;
    const struct wick_elf_image *image;
    for (uint32_t i = 0; (image = wick_elf_images_at(images, i)); i++) {
        if (address < image->map_lo || address >= image->map_hi)
            continue;
        const char *slash = strrchr(image->path, '/');
        snprintf(out, cap, "%.200s+0x%" PRIx64, slash ? slash + 1 : image->path, address - image->bias);
    }
}

/* Number of the waiting thread. */
static uint32_t waiter(const struct wick_lock_engine *e, const struct wick_lock_note *n, const struct wick_event *event)
{
    return named(e, n, event->thread ? event->thread : wick_threads_of(e->threads, n->what.tid));
}

static void write_native(const struct state *s, struct wick_jfr_writer *w, const struct wick_lock_note *n,
                         const struct wick_event *event)
{
    char variable[240];
    name_variable(s->images, n->what.address, variable, sizeof variable);
    if (n->done.kind == WICK_LOCK_NATIVE) {
        const struct wick_jfr_native_lock lock = {
            WAIT(n, event, waiter(&s->lock, n, event)),
            .operation = n->what.operation,
            .variable = variable,
            .wait = n->done.id,
            .owner = owner(&s->lock, n),
        };
        wick_jfr_write_native_lock(w, &lock);
        return;
    }
    const struct wick_jfr_native_wait wait = {
        WAIT(n, event, waiter(&s->lock, n, event)),
        .operation = n->what.operation,
        .variable = variable,
    };
    wick_jfr_write_native_wait(w, &wait);
}

static void write_owner(const struct wick_lock_engine *l, struct wick_jfr_writer *w, const struct wick_lock_note *n,
                        const struct wick_event *e)
{
    const struct wick_jfr_lock_owner event = {
        .start_ns = e->time_ns,
        .thread = wick_threads_named(l->threads, e->thread, e->time_ns),
        .stack = e->stack,
        .wait = n->done.id,
        .waited_ns = n->done.duration_ns,
        .context = e->context,
    };
    wick_jfr_write_lock_owner(w, &event);
}

static void event(void *e, struct wick_drain *d, const struct wick_event *ev)
{
    static void (*const write[])(const struct wick_lock_engine *, struct wick_jfr_writer *,
                                 const struct wick_lock_note *,
                                 const struct wick_event *) = {write_enter, write_park, write_wait};
    struct state *s = e;
    const struct wick_lock_note *n = wick_lock_found(&s->lock, ev);
    if (!n)
        return;
    if (n->of_owner)
        write_owner(&s->lock, d->writer, n, ev);
    else if (wick_lock_kind_is_native(n->done.kind))
        write_native(s, d->writer, n, ev);
    else
        write[n->done.kind](&s->lock, d->writer, n, ev);
    wick_lock_consumed(&s->lock, ev);
}

static void lost(void *e, const struct wick_event *ev)
{
    struct wick_lock_engine *lock = &((struct state *)e)->lock;
    if (wick_lock_found(lock, ev))
        wick_lock_consumed(lock, ev);
}

static void stats(void *e, struct wick_jfr_writer *w, uint64_t now_ns)
{
    const struct wick_lock_engine *lock = &((struct state *)e)->lock;
    struct wick_lock_totals t;
    wick_lock_totals_get(lock, &t);
    for (int k = 0; k < WICK_LOCK_KINDS; k++)
        if (wick_lock_kind_is_native(k) ? lock->config.native : lock->config.java)
            wick_jfr_write_lock_statistics(
                w, &(struct wick_jfr_lock_statistics){
                       .start_ns = now_ns, .kind = event_names[k], .waits = t.waits[k], .waited_ns = t.waited_ns[k]});
}

static void native_status(const struct wick_lock_totals *t, struct wick_strbuf *out)
{
    struct wick_elf_hooks_count places;
    wick_lock_native_count(&places);
    wick_strbuf_addf(out,
                     "native_lock_waits=%" PRIu64 "\nnative_lock_waited_ns=%" PRIu64 "\nnative_wait_waits=%" PRIu64
                     "\nnative_wait_waited_ns=%" PRIu64 "\nnative_images=%" PRIu32 "\nnative_words=%" PRIu32 "\n",
                     t->waits[WICK_LOCK_NATIVE], t->waited_ns[WICK_LOCK_NATIVE], t->waits[WICK_LOCK_SIGNAL],
                     t->waited_ns[WICK_LOCK_SIGNAL], places.images, places.words);
}

static void status(void *e, const struct wick_engine_host *h, struct wick_strbuf *out)
{
    const struct wick_lock_engine *lock = &((struct state *)e)->lock;
    struct wick_lock_totals t;
    (void)h;
    wick_lock_totals_get(lock, &t);
    if (lock->config.java)
        wick_strbuf_addf(out,
                         "lock_waits=%" PRIu64 "\nlock_waited_ns=%" PRIu64 "\npark_waits=%" PRIu64
                         "\npark_waited_ns=%" PRIu64 "\nwait_waits=%" PRIu64 "\nwait_waited_ns=%" PRIu64 "\n",
                         t.waits[WICK_LOCK_MONITOR], t.waited_ns[WICK_LOCK_MONITOR], t.waits[WICK_LOCK_PARK],
                         t.waited_ns[WICK_LOCK_PARK], t.waits[WICK_LOCK_WAIT], t.waited_ns[WICK_LOCK_WAIT]);
    wick_strbuf_addf(out,
                     "lock_weight=%" PRIu64 "\nlock_lost=%" PRIu64 "\nlock_lost_weight=%" PRIu64 "\nlock_looks=%" PRIu64
                     "\nlock_owners=%" PRIu64 "\n",
                     t.recorded_ns, t.lost, t.lost_ns, t.looks, t.owners);
    if (lock->config.native)
        native_status(&t, out);
}

static bool planned(const struct wick_opt_events *plan)
{
    return plan->lock.on || plan->native_lock.on;
}

/* What was switched on is off, even while threads are in it. */
static void stop(void *e)
{
    struct state *s = e;
    if (s->lock.config.java)
        s->java_waits->off();
    wick_lock_native_off();
    wick_lock_stop(&s->lock);
}

static void release(void *e)
{
    wick_lock_release(&((struct state *)e)->lock);
}

/* Has waits reported, of Java and of the C library. */
static int switch_on(struct state *s, const struct wick_engine_host *h, struct wick_err *err)
{
    int rc = s->lock.config.native ? wick_lock_native_on(h->libjvm ? h->libjvm->text_lo : 0, err) : 0;
    return rc || !s->lock.config.java ? rc : s->java_waits->on(err);
}

static int start(void *e, struct wick_engine_host *h, struct wick_err *err)
{
    struct state *s = e;
    const struct wick_opt_events *p = &h->plan;
    struct wick_lock_config c = {.java = p->lock.on,
                                 .native = p->native_lock.on,
                                 .threshold_ns = p->lock.threshold_ns,
                                 .interval_ns = p->lock.interval_ns,
                                 .native_threshold_ns = p->native_lock.threshold_ns,
                                 .native_interval_ns = p->native_lock.interval_ns,
                                 .rate = p->lock.interval_given ? 0 : (uint32_t)h->opts->lock_rate,
                                 .native_rate = p->native_lock.interval_given ? 0 : (uint32_t)h->opts->lock_rate,
                                 .awake_signal = h->awake_signal};
    s->images = h->images;
    s->java_waits = h->java_waits;
    int rc = c.java ? s->java_waits->find(&c.ownable, err) : 0;
    if (!rc)
        rc = wick_lock_start(&s->lock, &c, h->jvm, h->recorder, h->threads, err);
    if (rc || !(rc = switch_on(s, h, err)))
        return rc;
    stop(s);
    if (!h->recorder->keep)
        release(s);
    return rc;
}

/* Libraries that were loaded since then are also hooked, and intervals follow the rate. */
static void take(void *e, struct wick_drain *d, enum wick_engine_take what)
{
    (void)d;
    if (what != WICK_TAKE_DONE)
        return;
    wick_lock_native_refresh();
    wick_lock_adjust(&((struct state *)e)->lock, wick_clock_mono_ns());
}

static const char *label(void *e)
{
    const struct wick_lock_config *c = &((struct state *)e)->lock.config;
    return !c->native ? "lock" : c->java ? "lock+nativelock" : "nativelock";
}

static const struct wick_engine_sample samples[] = {{WICK_JFR_EVENT_JAVA_MONITOR_ENTER, WICK_EVENT_LOCK},
                                                    {WICK_JFR_EVENT_THREAD_PARK, WICK_EVENT_LOCK},
                                                    {WICK_JFR_EVENT_JAVA_MONITOR_WAIT, WICK_EVENT_LOCK},
                                                    {WICK_JFR_EVENT_LOCK_OWNER, WICK_EVENT_LOCK},
                                                    {WICK_JFR_EVENT_NATIVE_LOCK, WICK_EVENT_LOCK},
                                                    {WICK_JFR_EVENT_NATIVE_WAIT, WICK_EVENT_LOCK},
                                                    {WICK_JFR_EVENT_COUNT, 0}};

const struct wick_engine_ops wick_engine_lock = {
    .name = "lock",
    .bytes = sizeof(struct state),
    .types = 1u << WICK_EVENT_LOCK,
    .samples = samples,
    .gate = &wick_lock_gate,
    .planned = planned,
    .start = start,
    .stop = stop,
    .release = release,
    .take = take,
    .event = event,
    .lost = lost,
    .stats = stats,
    .status = status,
    .options = WICK_OPT_BIT(lock_rate),
    .label = label,
};
