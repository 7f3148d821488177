/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine_cpu.c - CPU time and perf events as an engine: how a sample becomes a JFR event
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/cpu/cpu.h"
#include "engine/engine.h"

/* The engine, and what its events need. */
struct state {
    struct wick_cpu_engine cpu;
    char event[WICK_OPT_STR_MAX];
};

static bool planned(const struct wick_opt_events *plan)
{
    return plan->cpu[0];
}

static int start(void *e, struct wick_engine_host *h, struct wick_err *err)
{
    struct state *s = e;
    const struct wick_cpu_config c = {.event = s->event,
                                      .interval = h->plan.cpu_interval,
                                      .user_only = h->opts->all_user,
                                      .from_birth = h->from_birth,
                                      .broker = h->broker};
    memcpy(s->event, h->plan.cpu, sizeof s->event);
    int rc = wick_cpu_start(&s->cpu, &c, h->recorder, h->threads, err);
    if (!rc)
        h->awake_signal = s->cpu.signal.number;
    return rc;
}

static void stop(void *e)
{
    wick_cpu_stop(&((struct state *)e)->cpu);
}

static void event(void *e, struct wick_drain *d, const struct wick_event *ev)
{
    const struct state *s = e;
    uint32_t thread = wick_threads_named(s->cpu.threads, ev->thread, ev->time_ns);
    uint32_t kind = ev->flags & WICK_EVENT_KERNEL ? WICK_JFR_SAMPLE_KERNEL : WICK_JFR_SAMPLE_USER;
    if (ev->type == WICK_EVENT_CPU) {
        const struct wick_jfr_execution_sample sample = {
            .start_ns = ev->time_ns,
            .thread = thread,
            .stack = ev->stack,
            .state = WICK_JFR_STATE_DEFAULT,
            .weight_ns = ev->weight,
            .kind = kind,
            .context = ev->context,
        };
        wick_jfr_write_execution_sample(d->writer, &sample);
        return;
    }
    const struct wick_jfr_perf_sample sample = {
        .start_ns = ev->time_ns,
        .thread = thread,
        .stack = ev->stack,
        .state = WICK_JFR_STATE_DEFAULT,
        .event = s->event,
        .weight = ev->weight,
        .kind = kind,
        .context = ev->context,
    };
    wick_jfr_write_perf_sample(d->writer, &sample);
}

static void status(void *e, const struct wick_engine_host *h, struct wick_strbuf *out)
{
    const struct wick_cpu_engine *cpu = &((struct state *)e)->cpu;
    (void)h;
    wick_strbuf_addf(out, "interval_ns=%" PRIu64 "\nkernel_frames=%d\nnote=%s\n", cpu->interval, cpu->kernel_frames,
                     cpu->note);
    if (cpu->mode != WICK_CPU_ITIMER)
        wick_strbuf_addf(out, "threads_perf=%" PRIu32 "\nthreads_timer=%" PRIu32 "\nthreads_unsampled=%" PRIu32 "\n",
                         wick_load_relaxed(&cpu->by_perf), wick_load_relaxed(&cpu->by_timer),
                         wick_load_relaxed(&cpu->unsampled));
}

static void settings(void *e, const struct wick_engine_host *h, struct wick_jfr_writer *w, uint64_t now)
{
    const struct state *s = e;
    const struct wick_cpu_engine *cpu = &s->cpu;
    bool time = cpu->event_type == WICK_EVENT_CPU;
    enum wick_jfr_event_id of = time ? WICK_JFR_EVENT_EXECUTION_SAMPLE : WICK_JFR_EVENT_PERF_SAMPLE;
    char num[32];
    (void)h;
    snprintf(num, sizeof num, "%" PRIu64 "%s", cpu->interval, time ? " ns" : "");
    wick_engine_setting(w, now, of, "enabled", "true");
    wick_engine_setting(w, now, of, "event", s->event);
    wick_engine_setting(w, now, of, "period", num);
    wick_engine_setting(w, now, of, "engine", wick_cpu_mode_name(cpu));
    wick_engine_setting(w, now, of, "kernelFrames", cpu->kernel_frames ? "true" : "false");
    if (cpu->mode == WICK_CPU_ITIMER)
        return;
    snprintf(num, sizeof num, "%" PRIu32, wick_load_relaxed(&cpu->by_perf));
    wick_engine_setting(w, now, of, "threadsByPerfEvent", num);
    snprintf(num, sizeof num, "%" PRIu32, wick_load_relaxed(&cpu->by_timer));
    wick_engine_setting(w, now, of, "threadsByTimer", num);
    snprintf(num, sizeof num, "%" PRIu32, wick_load_relaxed(&cpu->unsampled));
    wick_engine_setting(w, now, of, "threadsNotSampled", num);
}

static const char *label(void *e)
{
    return wick_cpu_mode_name(&((struct state *)e)->cpu);
}

static void notes(void *e, void (*note)(void *arg, const char *sentence), void *arg)
{
    const struct wick_cpu_engine *cpu = &((struct state *)e)->cpu;
    char threads[WICK_CPU_NOTE];
    if (cpu->note[0])
        note(arg, cpu->note);
    if (wick_cpu_threads_note(cpu, threads, sizeof threads))
        note(arg, threads);
}

static bool counts_cpu_time(void *e)
{
    return ((struct state *)e)->cpu.event_type == WICK_EVENT_CPU;
}

static const struct wick_engine_sample samples[] = {{WICK_JFR_EVENT_EXECUTION_SAMPLE, WICK_EVENT_CPU},
                                                    {WICK_JFR_EVENT_PERF_SAMPLE, WICK_EVENT_PERF},
                                                    {WICK_JFR_EVENT_COUNT, 0}};

const struct wick_engine_ops wick_engine_cpu = {
    .name = "cpu",
    .bytes = sizeof(struct state),
    .types = 1u << WICK_EVENT_CPU | 1u << WICK_EVENT_PERF,
    .samples = samples,
    .gate = &wick_cpu_gate,
    .options = WICK_OPT_BIT(interval_ns) | WICK_OPT_BIT(all_user),
    .planned = planned,
    .start = start,
    .stop = stop,
    .event = event,
    .status = status,
    .settings = settings,
    .label = label,
    .notes = notes,
    .counts_cpu_time = counts_cpu_time,
};
