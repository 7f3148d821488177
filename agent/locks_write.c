/* SPDX-License-Identifier: Apache-2.0 */
/*
 * locks_write.c - waits become JFR events
 */
#include "agent/locks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/vm.h"
#include "engine/lock_native.h"

static const char *const event_names[WICK_LOCK_KINDS] = {
    "jdk.JavaMonitorEnter", "jdk.ThreadPark", "jdk.JavaMonitorWait", "profiler.NativeLock", "wick.NativeWait"};

/* What the events of all waits have in common. */
#define WAIT(n, e, who)                                                                                         \
    .start_ns = (n)->done.start_ns, .duration_ns = (n)->done.duration_ns, .thread = (who), .stack = (e)->stack, \
    .address = (n)->what.address, .weight_ns = (n)->done.weight_ns, .context = (e)->context

static void write_enter(struct wick_jfr_writer *w, const struct wick_lock_note *n, const struct wick_event *e)
{
    const struct wick_jfr_java_monitor_enter event = {
        WAIT(n, e, e->thread), .class_name = n->what.class_name, .owner = n->owner, .hash = n->what.hash,
        .wait = n->done.id,
    };
    wick_jfr_write_java_monitor_enter(w, &event);
}

static void write_park(struct wick_jfr_writer *w, const struct wick_lock_note *n, const struct wick_event *e)
{
    const struct wick_jfr_thread_park event = {
        WAIT(n, e, e->thread),
        .class_name = n->what.class_name,
        .timeout_ns = (uint64_t)n->what.timeout,
        .until_ms = (uint64_t)n->what.until,
        .hash = n->what.hash,
        .wait = n->done.id,
        .owner = n->owner,
    };
    wick_jfr_write_thread_park(w, &event);
}

static void write_wait(struct wick_jfr_writer *w, const struct wick_lock_note *n, const struct wick_event *e)
{
    const struct wick_jfr_java_monitor_wait event = {
        WAIT(n, e, e->thread),
        .class_name = n->what.class_name,
        .timeout_ms = (uint64_t)n->what.timeout,
        .timed_out = n->what.timed_out,
        .hash = n->what.hash,
    };
    wick_jfr_write_java_monitor_wait(w, &event);
}

/* Where a lock that is a variable of a library lies in it: "libx.so+0x40c0"; "" for others. */
static void name_variable(uint64_t address, char *out, size_t cap)
{
    out[0] = 0;
    const struct wick_elf_image *image;
    for (uint32_t i = 0; (image = wick_elf_images_at(&wick_vm.images, i)); i++) {
        if (address < image->map_lo || address >= image->map_hi)
            continue;
        const char *slash = strrchr(image->path, '/');
        snprintf(out, cap, "%.200s+0x%" PRIx64, slash ? slash + 1 : image->path, address - image->bias);
    }
}

/* Number of the waiting thread, which the registry may have come to know only after the wait. */
static uint32_t waiter(const struct wick_lock_engine *e, const struct wick_lock_note *n, const struct wick_event *event)
{
    const struct wick_thread *t = event->thread ? NULL : wick_threads_find_sig(e->threads, n->what.tid);
    return t ? t->serial : event->thread;
}

static void write_native(const struct wick_lock_engine *e, struct wick_jfr_writer *w, const struct wick_lock_note *n,
                         const struct wick_event *event)
{
    char variable[240];
    name_variable(n->what.address, variable, sizeof variable);
    if (n->done.kind == WICK_LOCK_NATIVE) {
        const struct wick_jfr_native_lock lock = {
            WAIT(n, event, waiter(e, n, event)),
            .operation = n->what.operation,
            .variable = variable,
            .wait = n->done.id,
            .owner = n->owner,
        };
        wick_jfr_write_native_lock(w, &lock);
        return;
    }
    const struct wick_jfr_native_wait wait = {
        WAIT(n, event, waiter(e, n, event)),
        .operation = n->what.operation,
        .variable = variable,
    };
    wick_jfr_write_native_wait(w, &wait);
}

static void write_owner(struct wick_jfr_writer *w, const struct wick_lock_note *n, const struct wick_event *e)
{
    const struct wick_jfr_lock_owner event = {
        .start_ns = e->time_ns,
        .thread = e->thread,
        .stack = e->stack,
        .wait = n->done.id,
        .waited_ns = n->done.duration_ns,
        .context = e->context,
    };
    wick_jfr_write_lock_owner(w, &event);
}

void wick_agent_locks_event(struct wick_lock_engine *e, struct wick_drain *d, const struct wick_event *event)
{
    static void (*const write[])(struct wick_jfr_writer *, const struct wick_lock_note *,
                                 const struct wick_event *) = {write_enter, write_park, write_wait};
    const struct wick_lock_note *n = wick_lock_found(e, event);
    if (!n)
        return;
    if (n->of_owner)
        write_owner(d->writer, n, event);
    else if (n->done.kind >= WICK_LOCK_NATIVE)
        write_native(e, d->writer, n, event);
    else
        write[n->done.kind](d->writer, n, event);
    wick_lock_told(e, event);
}

void wick_agent_locks_write(const struct wick_lock_engine *e, struct wick_jfr_writer *w, uint64_t now_ns)
{
    struct wick_lock_totals t;
    wick_lock_totals_get(e, &t);
    for (int k = 0; k < WICK_LOCK_KINDS; k++)
        if (k < WICK_LOCK_NATIVE ? e->config.java : e->config.native)
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

void wick_agent_locks_status(const struct wick_lock_engine *e, struct wick_strbuf *out)
{
    struct wick_lock_totals t;
    wick_lock_totals_get(e, &t);
    if (e->config.java)
        wick_strbuf_addf(out,
                         "lock_waits=%" PRIu64 "\nlock_waited_ns=%" PRIu64 "\npark_waits=%" PRIu64
                         "\npark_waited_ns=%" PRIu64 "\nwait_waits=%" PRIu64 "\nwait_waited_ns=%" PRIu64 "\n",
                         t.waits[WICK_LOCK_MONITOR], t.waited_ns[WICK_LOCK_MONITOR], t.waits[WICK_LOCK_PARK],
                         t.waited_ns[WICK_LOCK_PARK], t.waits[WICK_LOCK_WAIT], t.waited_ns[WICK_LOCK_WAIT]);
    wick_strbuf_addf(out,
                     "lock_weight=%" PRIu64 "\nlock_lost=%" PRIu64 "\nlock_lost_weight=%" PRIu64 "\nlock_looks=%" PRIu64
                     "\nlock_owners=%" PRIu64 "\n",
                     t.recorded_ns, t.lost, t.lost_ns, t.looks, t.owners);
    if (e->config.native)
        native_status(&t, out);
}
