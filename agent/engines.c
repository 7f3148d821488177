/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/engines.h"

#include <stdio.h>
#include <string.h>

#include "agent/locks.h"
#include "agent/ttsp.h"
#include "agent/vm.h"
#include "engine/lock_native.h"
#include "engine/ttsp.h"

static int start_cpu(struct wick_engines *e, const struct wick_session_opts *o, bool from_birth,
                     wick_perf_broker *broker, struct wick_recorder *r, struct wick_threads *ts, struct wick_err *err)
{
    const struct wick_cpu_config c = {.event = e->plan.cpu,
                                      .interval = e->plan.cpu_interval,
                                      .user_only = o->all_user,
                                      .from_birth = from_birth,
                                      .broker = broker};
    if (!e->plan.cpu[0])
        return 0;
    int rc = wick_cpu_start(&e->cpu, &c, r, ts, err);
    e->cpu_on = !rc;
    return rc;
}

static int start_wall(struct wick_engines *e, const struct wick_session_opts *o, struct wick_recorder *r,
                      struct wick_threads *ts, struct wick_err *err)
{
    const struct wick_wall_config c = {
        .interval_ns = e->plan.wall_ns,
        .threads = (uint32_t)o->wall_threads,
        .filter = o->filter,
        .nobatch = o->nobatch,
    };
    if (!e->plan.wall_ns)
        return 0;
    int rc = wick_wall_start(&e->wall, &c, r, ts, wick_engines_open_signal(e), err);
    e->wall_on = !rc;
    return rc;
}

static int start_lock(struct wick_engines *e, struct wick_recorder *r, struct wick_threads *ts, struct wick_err *err)
{
    const struct wick_opt_events *p = &e->plan;
    struct wick_lock_config c = {.java = p->lock.on,
                                 .native = p->native.on,
                                 .threshold_ns = p->lock.threshold_ns,
                                 .interval_ns = p->lock.interval_ns,
                                 .native_threshold_ns = p->native.threshold_ns,
                                 .native_interval_ns = p->native.interval_ns,
                                 .awake_signal = wick_engines_open_signal(e)};
    if (!c.java && !c.native)
        return 0;
    int rc = c.java ? wick_agent_locks_find(&c.ownable, err) : 0;
    if (rc)
        return rc;
    rc = wick_lock_start(&e->lock, &c, &wick_vm.jvm, r, ts, err);
    e->lock_on = !rc;
    if (!rc && c.native)
        rc = wick_lock_native_on(wick_vm.libjvm ? wick_vm.libjvm->text_lo : 0, err);
    return rc || !c.java ? rc : wick_agent_locks_on(err);
}

/* Handlers that did not come back to any of the engines since the process began. */
static uint32_t lost_handlers(void)
{
    return atomic_load(&wick_cpu_gate.lost) + atomic_load(&wick_wall_gate.lost) + atomic_load(&wick_lock_gate.lost) +
           atomic_load(&wick_ttsp_gate.lost);
}

int wick_engines_start(struct wick_engines *e, const struct wick_session_opts *o, bool from_birth,
                       wick_perf_broker *broker, struct wick_recorder *r, struct wick_threads *ts, struct wick_err *err)
{
    memset(e, 0, sizeof *e);
    e->lost_before = lost_handlers();
    int rc = wick_opt_events(o, &e->plan, err);
    if (!rc)
        rc = start_cpu(e, o, from_birth, broker, r, ts, err);
    if (!rc)
        rc = start_wall(e, o, r, ts, err);
    if (!rc)
        rc = start_lock(e, r, ts, err);
    if (rc)
        wick_engines_stop(e, r);
    return rc;
}

void wick_engines_stop(struct wick_engines *e, struct wick_recorder *r)
{
    wick_agent_locks_off();
    wick_lock_native_off();
    if (e->lock_on)
        wick_lock_stop(&e->lock);
    if (e->wall_on)
        wick_wall_stop(&e->wall);
    if (e->cpu_on)
        wick_cpu_stop(&e->cpu);
    wick_recorder_quiesce(r);
    if (lost_handlers() != e->lost_before)
        wick_recorder_keep(r, lost_handlers() - e->lost_before);
}

void wick_engines_release(struct wick_engines *e)
{
    if (e->wall_on)
        wick_wall_release(&e->wall);
    if (e->lock_on)
        wick_lock_release(&e->lock);
    e->wall_on = e->cpu_on = e->lock_on = false;
}

void wick_engines_own_thread(struct wick_engines *e)
{
    if (e->wall_on)
        wick_wall_exclude_self(&e->wall);
}

int wick_engines_open_signal(const struct wick_engines *e)
{
    return e->cpu_on ? e->cpu.signal.number : 0;
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

void wick_engines_round(void)
{
    wick_lock_native_refresh();
}

void wick_engines_more(struct wick_engines *e, struct wick_drain *d, bool all)
{
    if (!e->wall_on)
        return;
    if (all)
        wick_wall_flush(&e->wall);
    wick_wall_take(&e->wall, put_event, put_time, d);
}

void wick_engines_event(struct wick_engines *e, struct wick_drain *d, const struct wick_event *event)
{
    if (event->type == WICK_EVENT_LOCK)
        wick_agent_locks_event(&e->lock, d, event);
    else
        wick_agent_ttsp_event(d, event);
}

void wick_engines_write(struct wick_engines *e, struct wick_jfr_writer *w, uint64_t now_ns)
{
    struct wick_wall_stats s;
    if (e->lock_on)
        wick_agent_locks_write(&e->lock, w, now_ns);
    if (!e->wall_on)
        return;
    wick_wall_stats_get(&e->wall, &s);
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

const char *wick_engines_name(const struct wick_engines *e, char buf[WICK_ENGINES_NAME])
{
    const char *const names[] = {e->cpu_on ? wick_cpu_mode_name(&e->cpu) : NULL, e->wall_on ? "wall" : NULL,
                                 e->lock_on && e->lock.config.java ? "lock" : NULL,
                                 e->lock_on && e->lock.config.native ? "nativelock" : NULL};
    size_t n = 0;
    buf[0] = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i])
            n += (size_t)snprintf(buf + n, WICK_ENGINES_NAME - n, "%s%s", n ? "+" : "", names[i]);
    return n ? buf : "none";
}
