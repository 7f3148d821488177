/* SPDX-License-Identifier: Apache-2.0 */
/*
 * locks_write.c - waits become JFR events
 */
#include "agent/locks.h"

#include <inttypes.h>

static const char *const event_names[WICK_LOCK_KINDS] = {"jdk.JavaMonitorEnter", "jdk.ThreadPark",
                                                         "jdk.JavaMonitorWait"};

static void write_enter(struct wick_jfr_writer *w, const struct wick_lock_note *n, const struct wick_event *e)
{
    const struct wick_jfr_java_monitor_enter event = {
        .start_ns = n->done.start_ns,
        .duration_ns = n->done.duration_ns,
        .thread = e->thread,
        .stack = e->stack,
        .class_name = n->what.class_name,
        .owner = n->owner,
        .address = n->what.address,
        .weight_ns = n->done.weight_ns,
        .context = e->context,
        .hash = n->what.hash,
        .wait = n->done.id,
    };
    wick_jfr_write_java_monitor_enter(w, &event);
}

static void write_park(struct wick_jfr_writer *w, const struct wick_lock_note *n, const struct wick_event *e)
{
    const struct wick_jfr_thread_park event = {
        .start_ns = n->done.start_ns,
        .duration_ns = n->done.duration_ns,
        .thread = e->thread,
        .stack = e->stack,
        .class_name = n->what.class_name,
        .timeout_ns = (uint64_t)n->what.timeout,
        .until_ms = (uint64_t)n->what.until,
        .address = n->what.address,
        .weight_ns = n->done.weight_ns,
        .context = e->context,
        .hash = n->what.hash,
        .wait = n->done.id,
        .owner = n->owner,
    };
    wick_jfr_write_thread_park(w, &event);
}

static void write_wait(struct wick_jfr_writer *w, const struct wick_lock_note *n, const struct wick_event *e)
{
    const struct wick_jfr_java_monitor_wait event = {
        .start_ns = n->done.start_ns,
        .duration_ns = n->done.duration_ns,
        .thread = e->thread,
        .stack = e->stack,
        .class_name = n->what.class_name,
        .timeout_ms = (uint64_t)n->what.timeout,
        .timed_out = n->what.timed_out,
        .address = n->what.address,
        .weight_ns = n->done.weight_ns,
        .context = e->context,
        .hash = n->what.hash,
    };
    wick_jfr_write_java_monitor_wait(w, &event);
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
    static void (*const write[WICK_LOCK_KINDS])(struct wick_jfr_writer *, const struct wick_lock_note *,
                                                const struct wick_event *) = {write_enter, write_park, write_wait};
    const struct wick_lock_note *n = wick_lock_found(e, event);
    if (!n)
        return;
    if (n->of_owner)
        write_owner(d->writer, n, event);
    else
        write[n->done.kind](d->writer, n, event);
    wick_lock_told(e, event);
}

void wick_agent_locks_write(const struct wick_lock_engine *e, struct wick_jfr_writer *w, uint64_t now_ns)
{
    struct wick_lock_totals t;
    wick_lock_totals_get(e, &t);
    for (int k = 0; k < WICK_LOCK_KINDS; k++)
        wick_jfr_write_lock_statistics(
            w, &(struct wick_jfr_lock_statistics){
                   .start_ns = now_ns, .kind = event_names[k], .waits = t.waits[k], .waited_ns = t.waited_ns[k]});
}

void wick_agent_locks_status(const struct wick_lock_engine *e, struct wick_strbuf *out)
{
    struct wick_lock_totals t;
    wick_lock_totals_get(e, &t);
    wick_strbuf_addf(out,
                     "lock_waits=%" PRIu64 "\nlock_waited_ns=%" PRIu64 "\npark_waits=%" PRIu64
                     "\npark_waited_ns=%" PRIu64 "\nwait_waits=%" PRIu64 "\nwait_waited_ns=%" PRIu64 "\n",
                     t.waits[WICK_LOCK_MONITOR], t.waited_ns[WICK_LOCK_MONITOR], t.waits[WICK_LOCK_PARK],
                     t.waited_ns[WICK_LOCK_PARK], t.waits[WICK_LOCK_WAIT], t.waited_ns[WICK_LOCK_WAIT]);
    wick_strbuf_addf(out,
                     "lock_weight=%" PRIu64 "\nlock_lost=%" PRIu64 "\nlock_lost_weight=%" PRIu64 "\nlock_looks=%" PRIu64
                     "\nlock_owners=%" PRIu64 "\n",
                     t.recorded_ns, t.lost, t.lost_ns, t.looks, t.owners);
}
