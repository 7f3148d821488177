/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime.c - see runtime.h
 */
#include "agent/event/runtime.h"

#include <unistd.h>

#include "agent/jvm/gc.h"
#include "agent/event/jit.h"
#include "agent/jvm/vm.h"
#include "base/clock.h"
#include "hotspot/value.h"
#include "sys/hostload.h"
#include "sys/listening.h"
#include "sys/neighbours.h"

/* Neighbours are examined if they take at least this share of the processors this process may run on. */
#define NEIGHBOURS_FROM 0.05f
/* Sockets that the program listens on: how often they are sought, and their queues read. This thread may come by more
 * often than once a second. */
#define SEARCH_NS 5000000000ull
#define QUEUES_NS 900000000ull
enum { NEIGHBOURS = 10 };

/* jvmstat counters; 0 = this JVM has none of that name. */
#define COUNTERS(X)                                      \
    X(classes_loaded, "java.cls.loadedClasses")          \
    X(classes_shared, "java.cls.sharedLoadedClasses")    \
    X(classes_unloaded, "java.cls.unloadedClasses")      \
    X(shared_unloaded, "java.cls.sharedUnloadedClasses") \
    X(compiles, "sun.ci.totalCompiles")                  \
    X(bailouts, "sun.ci.totalBailouts")                  \
    X(invalidates, "sun.ci.totalInvalidates")            \
    X(osr_compiles, "sun.ci.osrCompiles")                \
    X(standard_compiles, "sun.ci.standardCompiles")      \
    X(nmethod_bytes, "sun.ci.nmethodSize")               \
    X(compile_ns, "java.ci.totalTime")                   \
    X(safepoints, "sun.rt.safepoints")                   \
    X(safepoint_ns, "sun.rt.safepointTime")              \
    X(sync_ns, "sun.rt.safepointSyncTime")

static struct {
#define X(field, name) wick_addr field;
    COUNTERS(X)
#undef X
} at;

static struct wick_hostload host;
static struct wick_hostload_now last;
static struct wick_neighbours neighbours;
static uint64_t last_own_ns; /* CPU time of this process */
static struct wick_listening listening;
static uint64_t sought_ns, queues_ns; /* when; 0 = never in this recording */

void wick_runtime_open(void)
{
    struct wick_neighbour none;
    uint64_t period;
#define X(field, name) at.field = wick_jvm_perf_counter(&wick_vm.jvm, name);
    COUNTERS(X)
#undef X
    wick_hostload_open(&host, "");
    wick_hostload_read(&host, &last);
    wick_neighbours_init(&neighbours, "/proc", (int32_t)getpid());
    wick_neighbours_read(&neighbours, wick_clock_mono_ns(), &none, 1, &period);
    last_own_ns = wick_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    sought_ns = queues_ns = 0;
    wick_gc_open();
    wick_jit_open();
}

void wick_runtime_close(void)
{
    wick_hostload_close(&host);
    wick_neighbours_release(&neighbours);
}

static uint64_t value(wick_addr counter)
{
    return counter ? wick_hs_u64(&wick_vm.mem, counter) : 0;
}

static void write_jvm(struct wick_jfr_writer *w, uint64_t now)
{
    if (at.classes_loaded) {
        const struct wick_jfr_class_loading_statistics classes = {
            .start_ns = now,
            .loaded = value(at.classes_loaded) + value(at.classes_shared),
            .unloaded = value(at.classes_unloaded) + value(at.shared_unloaded),
        };
        wick_jfr_write_class_loading_statistics(w, &classes);
    }
    if (at.compiles) {
        const struct wick_jfr_compiler_statistics compiler = {
            .start_ns = now,
            .compiles = (uint32_t)value(at.compiles),
            .bailouts = (uint32_t)value(at.bailouts),
            .invalidated = (uint32_t)value(at.invalidates),
            .osr_compiles = (uint32_t)value(at.osr_compiles),
            .standard_compiles = (uint32_t)value(at.standard_compiles),
            .nmethod_bytes = value(at.nmethod_bytes),
            .total_ms = value(at.compile_ns) / 1000000,
        };
        wick_jfr_write_compiler_statistics(w, &compiler);
    }
    if (at.safepoints) {
        const struct wick_jfr_safepoints safepoints = {
            .start_ns = now,
            .count = value(at.safepoints),
            .sync_ns = value(at.sync_ns),
            .time_ns = value(at.safepoint_ns),
        };
        wick_jfr_write_safepoints(w, &safepoints);
    }
}

static float share(uint64_t part, uint64_t before, uint64_t total)
{
    return total && part > before ? (float)((double)(part - before) / (double)total) : 0;
}

/* Share of the processors this process may run on that other processes used since the last time. */
static float share_of_others(const struct wick_hostload_now *h)
{
    uint64_t tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK), own_ns = wick_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    uint64_t total = (h->allowed.total - last.allowed.total) * tick_ns;
    uint64_t busy = (h->allowed.busy - last.allowed.busy) * tick_ns, own = own_ns - last_own_ns;
    bool comparable = h->allowed.cpus == last.allowed.cpus && h->allowed.total > last.allowed.total;
    last_own_ns = own_ns;
    return comparable && h->allowed.busy >= last.allowed.busy ? share(busy, own, total) : 0;
}

/* Who they are, while they use enough to matter. */
static void write_neighbours(struct wick_jfr_writer *w, uint64_t now, float others)
{
    struct wick_neighbour rows[NEIGHBOURS];
    uint64_t period;
    if (others < NEIGHBOURS_FROM) {
        wick_neighbours_forget(&neighbours);
        return;
    }
    uint32_t n = wick_neighbours_read(&neighbours, now, rows, NEIGHBOURS, &period);
    for (uint32_t i = 0; i < n; i++) {
        const struct wick_jfr_neighbour neighbour = {.start_ns = now - period,
                                                     .duration_ns = period,
                                                     .pid = (uint64_t)rows[i].pid,
                                                     .name = rows[i].name,
                                                     .cpu_ns = rows[i].cpu_ns};
        wick_jfr_write_neighbour(w, &neighbour);
    }
}

static void write_machine(struct wick_jfr_writer *w, uint64_t now, const struct wick_hostload_now *h)
{
    float others = share_of_others(h);
    uint64_t total = h->machine.total > last.machine.total ? h->machine.total - last.machine.total : 0;
    if (h->machine.known && total) {
        const struct wick_jfr_machine_time machine = {
            .start_ns = now,
            .user = share(h->machine.user, last.machine.user, total),
            .system = share(h->machine.system, last.machine.system, total),
            .iowait = share(h->machine.iowait, last.machine.iowait, total),
            .steal = share(h->machine.steal, last.machine.steal, total),
            .running = h->machine.running,
            .blocked = h->machine.blocked,
            .allowed = h->allowed.cpus,
            .others = others,
        };
        wick_jfr_write_machine_time(w, &machine);
        write_neighbours(w, now, others);
    }
}

static void write_pressure(struct wick_jfr_writer *w, uint64_t now, const struct wick_hostload_now *h)
{
    if (h->pressure.known) {
        const struct wick_jfr_pressure pressure = {
            .start_ns = now,
            .cpu_some_ns = h->pressure.cpu_some_ns,
            .memory_some_ns = h->pressure.memory_some_ns,
            .memory_full_ns = h->pressure.memory_full_ns,
            .io_some_ns = h->pressure.io_some_ns,
            .io_full_ns = h->pressure.io_full_ns,
        };
        wick_jfr_write_pressure(w, &pressure);
    }
}

static void write_tcp(struct wick_jfr_writer *w, uint64_t now, const struct wick_hostload_now *h)
{
    if (h->tcp.known) {
        const struct wick_jfr_tcp_statistics tcp = {
            .start_ns = now, .listen_overflows = h->tcp.listen_overflows, .syn_retransmits = h->tcp.syn_retransmits};
        wick_jfr_write_tcp_statistics(w, &tcp);
    }
}

static void write_listening(struct wick_jfr_writer *w, uint64_t now)
{
    struct wick_listening_socket rows[WICK_LISTENING_MOST];
    if (queues_ns && now < queues_ns + QUEUES_NS)
        return;
    if (!sought_ns || now >= sought_ns + SEARCH_NS) {
        wick_listening_find(&listening);
        sought_ns = now;
    }
    queues_ns = now;
    size_t n = wick_listening_read(&listening, rows);
    for (size_t i = 0; i < n; i++) {
        const struct wick_jfr_listening_socket one = {
            .start_ns = now, .address = rows[i].address, .waiting = rows[i].waiting, .backlog = rows[i].backlog};
        wick_jfr_write_listening_socket(w, &one);
    }
}

static void write_process(struct wick_jfr_writer *w, uint64_t now, const struct wick_hostload_now *h)
{
    if (h->process.known) {
        const struct wick_jfr_resident_set_size rss = {.start_ns = now,
                                                       .size = h->process.rss_bytes,
                                                       .peak = h->process.peak_bytes,
                                                       .swap = h->process.swap_bytes};
        wick_jfr_write_resident_set_size(w, &rss);
    }
    if (h->cpu.known) {
        const struct wick_jfr_cgroup_cpu cpu = {
            .start_ns = now,
            .limit = (float)h->cpu.limit,
            .periods = h->cpu.periods,
            .throttled = h->cpu.throttled,
            .throttled_ns = h->cpu.throttled_ns,
        };
        wick_jfr_write_cgroup_cpu(w, &cpu);
    }
    if (h->memory.known) {
        const struct wick_jfr_cgroup_memory memory = {
            .start_ns = now,
            .current = h->memory.current_bytes,
            .max = h->memory.max_bytes,
            .at_limit = h->memory.at_limit,
            .oom_kills = h->memory.oom_kills,
        };
        wick_jfr_write_cgroup_memory(w, &memory);
    }
}

/* What is written as a running total. */
static void write_totals(struct wick_jfr_writer *w, uint64_t now, const struct wick_hostload_now *h)
{
    write_jvm(w, now);
    write_pressure(w, now, h);
    write_process(w, now, h);
    write_tcp(w, now, h);
}

void wick_runtime_begin(struct wick_drain *d, uint64_t now_ns)
{
    write_totals(d->writer, now_ns, &last);
    wick_jit_write(d, now_ns, false);
}

void wick_runtime_write(struct wick_drain *d, uint64_t now_ns, bool ends)
{
    struct wick_hostload_now h;
    wick_hostload_read(&host, &h);
    write_totals(d->writer, now_ns, &h);
    write_machine(d->writer, now_ns, &h);
    write_listening(d->writer, now_ns);
    wick_gc_write(d->writer);
    wick_jit_write(d, now_ns, ends);
    last = h;
}
