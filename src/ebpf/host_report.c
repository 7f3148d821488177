/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_report.c - what a recording of the whole machine says of itself: settings, and what came of the samples
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "ebpf/host_recorder_int.h"

static void write_setting(struct wick_jfr_writer *w, uint64_t now_ns, enum wick_jfr_event_id of, const char *name,
                          const char *value)
{
    wick_jfr_write_active_setting(w, &(struct wick_jfr_active_setting){
                                         .start_ns = now_ns,
                                         .id = wick_jfr_event_type_id(of),
                                         .name = name,
                                         .value = value,
                                     });
}

/* 0 = it is not recorded. */
static void write_threshold(struct wick_jfr_writer *w, uint64_t now_ns, enum wick_jfr_event_id of, const char *name,
                            uint64_t ns)
{
    char number[32];
    snprintf(number, sizeof number, "%" PRIu64 " ns", ns);
    if (ns)
        write_setting(w, now_ns, of, name, number);
}

void wick_host_report_settings(void *arg, struct wick_jfr_writer *w, uint64_t now_ns)
{
    struct wick_host_recorder *r = arg;
    struct utsname u = {0};
    char os[512], number[32];
    uname(&u);
    snprintf(os, sizeof os, "%s %s %s %s", u.sysname, u.release, u.version, u.machine);
    wick_jfr_write_active_recording(w, &(struct wick_jfr_active_recording){
                                           .start_ns = now_ns,
                                           .id = 1,
                                           .name = "wick " WICK_VERSION,
                                           .flush_interval_ms = WICK_JFR_FLUSH_NS / 1000000,
                                           .recording_start_ms = r->start_epoch_ns / 1000000,
                                       });
    wick_jfr_write_os_information(w, &(struct wick_jfr_os_information){.start_ns = now_ns, .os_version = os});
    if (r->choice.interval_ns) {
        snprintf(number, sizeof number, "%" PRIu64 " ns", r->choice.interval_ns);
        write_setting(w, now_ns, WICK_JFR_EVENT_EXECUTION_SAMPLE, "event", "cpu-clock of every CPU");
        write_setting(w, now_ns, WICK_JFR_EVENT_EXECUTION_SAMPLE, "interval", number);
    }
    write_threshold(w, now_ns, WICK_JFR_EVENT_WALL_CLOCK_SAMPLE, "sched.threshold", r->choice.threshold_ns);
    write_threshold(w, now_ns, WICK_JFR_EVENT_MEMORY_STALL, "memstall.threshold", r->choice.stall_ns);
    write_threshold(w, now_ns, WICK_JFR_EVENT_SYSTEM_CALL, "syscalls.threshold", r->choice.call_ns);
    write_threshold(w, now_ns, WICK_JFR_EVENT_NETWORK_CALL, "network.threshold", r->choice.socket_ns);
    if (r->choice.alloc_bytes) {
        snprintf(number, sizeof number, "%" PRIu64, r->choice.alloc_bytes);
        write_setting(w, now_ns, WICK_JFR_EVENT_OBJECT_ALLOCATION_SAMPLE, "alloc", number);
        write_setting(w, now_ns, WICK_JFR_EVENT_OBJECT_ALLOCATION_SAMPLE, "source",
                      "AllocTracer, or wick:alloc__sample of an agent that records allocations");
    }
    if (r->choice.io_period) {
        snprintf(number, sizeof number, "%" PRIu64, r->choice.io_period);
        write_setting(w, now_ns, WICK_JFR_EVENT_BLOCK_IO, "blockio", number);
    }
    for (uint32_t i = 0; i < r->choice.ncounted; i++) {
        snprintf(number, sizeof number, "%" PRIu64, (uint64_t)r->probes[i].attr.sample_period);
        write_setting(w, now_ns, WICK_JFR_EVENT_PERF_SAMPLE, "counted", r->choice.counted[i].name);
        write_setting(w, now_ns, WICK_JFR_EVENT_PERF_SAMPLE, "counted.period", number);
    }
    write_setting(w, now_ns, WICK_JFR_EVENT_ACTIVE_RECORDING, "wick.version", WICK_VERSION);
}

/* `taken` records of that type came; those whose process had no memory made no event, and count as lost for that
 * reason. 0 = unknown, since a record may make several events or none. */
static void add_up_events(struct wick_host_sum *sum, const struct wick_jfr_stats *s, int event, uint64_t taken)
{
    sum->output_full = s->lost_output[event];
    sum->out_of_memory += s->lost_memory[event];
    if (taken)
        sum->out_of_memory +=
            taken - s->written[event] - s->pending[event] - s->lost_output[event] - s->lost_memory[event];
    uint64_t dropped = sum->ring_full + sum->nested + sum->output_full + sum->out_of_memory + sum->unreported;
    sum->recorded = sum->fired > dropped ? sum->fired - dropped : 0;
}

static void add_up_counted(const struct wick_host_recorder *r, struct wick_host_totals *t)
{
    for (uint32_t i = 0; i < r->choice.ncounted; i++) {
        struct wick_host_counted c;
        wick_host_kernel_counted(r->kernel, i, &c);
        t->counted.fired += c.fired;
        t->counted.ring_full += c.ring_full;
        t->counted.nested += c.nested;
        t->counted.walk_ns += c.walk_ns;
        t->each[i].fired = c.fired;
        t->each[i].hits =
            r->probes[i].kind == WICK_HOST_PROBE_COUNTER ? c.fired * r->probes[i].attr.sample_period : c.hits;
    }
}

static struct wick_host_sum sum_of(const struct wick_host_span_counts *c)
{
    return (struct wick_host_sum){.fired = c->fired,
                                  .ring_full = c->ring_full,
                                  .nested = c->nested,
                                  .out_of_memory = c->no_memory,
                                  .walk_ns = c->walk_ns};
}

static void add_unseen(struct wick_host_totals *t, uint32_t pid, const char why[WICK_HOST_ALLOC_WHY])
{
    if (t->nunseen < WICK_HOST_UNSEEN) {
        t->unseen[t->nunseen].pid = pid;
        memcpy(t->unseen[t->nunseen++].why, why, WICK_HOST_ALLOC_WHY);
    }
    t->unseen_all++;
}

/* Whose allocations are seen, and why others are not. */
static void add_up_jvms(const struct wick_host_alloc *a, struct wick_host_totals *t)
{
    for (uint32_t i = 0; i < a->njvms; i++) {
        const struct wick_host_alloc_jvm *j = &a->jvms[i];
        t->alloc_jvms += j->source != WICK_HOST_ALLOC_NOWHERE;
        if (*j->why)
            add_unseen(t, j->pid, j->why);
    }
    for (uint32_t i = 0; i < a->nended; i++)
        add_unseen(t, a->ended[i].pid, a->ended[i].why);
    t->unseen_all += a->nended_all - a->nended + a->left_out;
    t->alloc_unread = a->unread;
}

void wick_host_report_add_up(struct wick_host_recorder *r, struct wick_host_totals *t)
{
    struct wick_host_counts c;
    struct wick_jfr_stats s;
    wick_host_kernel_counts(r->kernel, &c);
    wick_jfr_writer_stats(r->writer, &s);
    *t = (struct wick_host_totals){
        .cpu = {.fired = c.ticks - c.idle, .ring_full = c.ring_full, .nested = c.nested, .walk_ns = c.walk_ns},
        .wait = {.fired = c.wait.fired,
                 .ring_full = c.wait.ring_full,
                 .nested = c.wait.nested,
                 .out_of_memory = c.wait.no_memory,
                 .unreported = c.wait.unseen,
                 .walk_ns = c.wait.walk_ns},
        .io = {.fired = c.io.fired,
               .ring_full = c.io.ring_full,
               .nested = c.io.nested,
               .out_of_memory = c.io.no_memory,
               .unreported = c.io.unseen,
               .walk_ns = c.io.walk_ns},
        .stall = sum_of(&c.stall),
        .call = sum_of(&c.call),
        .socket = sum_of(&c.socket),
        .alloc = sum_of(&c.alloc),
        .objects = c.alloc.seen,
        .calls = c.call.seen,
        .socket_calls = c.socket.seen,
        .switches = c.wait.switches,
        .stalls = c.stall.seen,
        .oom_kills = c.oom_kills,
        .oom_lost = c.oom_lost,
        .requests = c.io.requests,
        .processes = r->processes.met,
        .ended = r->processes.gone,
        .jvms = r->processes.jvms,
        .refused = r->processes.refused,
        .cgroups_left_out = r->processes.cgroups.left_out,
        .error = s.error,
    };
    memcpy(t->refused_pid, r->processes.refused_pid, sizeof t->refused_pid);
    t->nrefused_pids = r->processes.nrefused_pids;
    t->alloc.fired -= r->allocs_odd;
    add_up_jvms(&r->allocs, t);
    add_up_counted(r, t);
    add_up_events(&t->cpu, &s, WICK_JFR_EVENT_EXECUTION_SAMPLE, r->taken);
    add_up_events(&t->wait, &s, WICK_JFR_EVENT_WALL_CLOCK_SAMPLE, 0);
    add_up_events(&t->counted, &s, WICK_JFR_EVENT_PERF_SAMPLE, r->occurrences);
    add_up_events(&t->io, &s, WICK_JFR_EVENT_BLOCK_IO, r->transfers);
    add_up_events(&t->stall, &s, WICK_JFR_EVENT_MEMORY_STALL, r->stalls);
    add_up_events(&t->alloc, &s, WICK_JFR_EVENT_OBJECT_ALLOCATION_SAMPLE, r->allocs_taken - r->allocs_odd);
    add_up_events(&t->call, &s, WICK_JFR_EVENT_SYSTEM_CALL, r->calls.taken);
    add_up_events(&t->socket, &s, WICK_JFR_EVENT_NETWORK_CALL, r->sockets.taken);
}

static void write_type(struct wick_host_recorder *r, uint64_t now_ns, const char *type, const char *unit,
                       const struct wick_host_sum *sum, uint64_t weight)
{
    uint64_t dropped = sum->fired - sum->recorded;
    wick_jfr_write_sample_totals(r->writer,
                                 &(struct wick_jfr_sample_totals){
                                     .start_ns = now_ns,
                                     .type = type,
                                     .unit = unit,
                                     .fired = sum->fired,
                                     .recorded = sum->recorded,
                                     .dropped = dropped,
                                     .weight = weight,
                                     .dropped_weight = strcmp(type, "cpu") ? 0 : dropped * r->choice.interval_ns,
                                 });
}

void wick_host_report_totals(struct wick_host_recorder *r, uint64_t now_ns)
{
    struct wick_host_totals t;
    wick_host_report_add_up(r, &t);
    const struct wick_host_sum *all[] = {&t.cpu, &t.wait, &t.counted, &t.io, &t.stall, &t.call, &t.socket, &t.alloc};
    struct wick_host_sum sum = {0};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        sum.fired += all[i]->fired;
        sum.recorded += all[i]->recorded;
        sum.ring_full += all[i]->ring_full;
        sum.nested += all[i]->nested;
        sum.output_full += all[i]->output_full;
        sum.out_of_memory += all[i]->out_of_memory;
        sum.unreported += all[i]->unreported;
        sum.walk_ns += all[i]->walk_ns;
    }
    const struct {
        const char *name;
        uint64_t count;
    } drops[] = {{"ring_full", sum.ring_full},
                 {"walk_in_progress", sum.nested},
                 {"output_full", sum.output_full},
                 {"out_of_memory", sum.out_of_memory},
                 {"unreported", sum.unreported}};
    for (size_t i = 0; i < sizeof drops / sizeof *drops; i++)
        if (drops[i].count)
            wick_jfr_write_drops(r->writer, &(struct wick_jfr_drops){now_ns, drops[i].name, drops[i].count});
    write_type(r, now_ns, "cpu", "ns", &t.cpu, t.cpu.recorded * r->choice.interval_ns);
    if (r->choice.ncounted)
        write_type(r, now_ns, "perf", "occurrences", &t.counted, r->occurrences_weight);
    if (r->choice.threshold_ns)
        write_type(r, now_ns, "wall", "ns", &t.wait, r->waits_weight);
    if (r->choice.io_period)
        write_type(r, now_ns, "blockio", "ns", &t.io, r->transfers_weight);
    if (r->choice.stall_ns)
        write_type(r, now_ns, "memstall", "ns", &t.stall, r->stalls_weight);
    if (r->choice.call_ns)
        write_type(r, now_ns, "syscalls", "ns", &t.call, r->calls.weight);
    if (r->choice.socket_ns)
        write_type(r, now_ns, "network", "ns", &t.socket, r->sockets.weight);
    if (r->choice.alloc_bytes)
        write_type(r, now_ns, "alloc", "bytes", &t.alloc, r->allocs_weight);
    wick_jfr_write_profiler(r->writer, &(struct wick_jfr_profiler){.start_ns = now_ns,
                                                                   .fired = sum.fired,
                                                                   .recorded = sum.recorded,
                                                                   .dropped = sum.fired - sum.recorded,
                                                                   .handler_ns = sum.walk_ns});
}
