/* SPDX-License-Identifier: Apache-2.0 */
#include "explain_scene.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/frame_kind.h"
#include "jfr/writer/writer.h"
#include "record/output.h"

#define SECONDS  10
#define START_NS UINT64_C(5000000000000)
#define EPOCH_NS UINT64_C(1700000000000000000)
#define MS       UINT64_C(1000000)
#define LOOKS    20 /* for each ms of a sample: chance plays no part */

enum { WORKER = 1, COLLECTOR, POOL, FINALIZER, UNMOUNTED };
enum { COLD = 1, HOT = 100, LOCK, STALL, SLEEP, OWN, LOOP, QUEUE, START, UNREAD };

static size_t stack(void *arg, uint32_t id, struct wick_jfr_frame *out, size_t cap, bool *truncated)
{
    size_t n = 0;
    (void)arg, (void)cap;
    *truncated = false;
    out[n++] = (struct wick_jfr_frame){
        .method = id, .line = id == STALL ? 0 : 7, .kind = id == STALL ? WICK_FRAME_CPP : WICK_FRAME_C2};
    if (id == OWN || id == UNREAD) /* a thread of wick's */
        return out[0].line = 0, out[0].kind = WICK_FRAME_NATIVE, n;
    if (id == STALL)
        out[n++] = (struct wick_jfr_frame){.method = 200, .line = 9, .kind = WICK_FRAME_C2};
    out[n++] = (struct wick_jfr_frame){.method = 201, .line = 11, .kind = WICK_FRAME_C2};
    return n;
}

static int method(void *arg, uint32_t id, struct wick_jfr_method *out)
{
    static char cold[32];
    (void)arg;
    snprintf(cold, sizeof cold, "cold%u", id);
    *out = (struct wick_jfr_method){.class_name = "app/Main", .name = cold, .signature = "()V"};
    switch (id) {
    case HOT:
        out->name = "hot";
        break;
    case LOCK:
        out->name = "enter";
        break;
    case STALL:
        *out = (struct wick_jfr_method){.class_name = "libjvm.so", .name = "ZPageAllocator::alloc_page_stall"};
        break;
    case SLEEP:
        out->name = "nap";
        break;
    case OWN:
        *out = (struct wick_jfr_method){.class_name = "libwick.so", .name = "wick_drain_round"};
        break;
    case UNREAD:
        *out = (struct wick_jfr_method){.class_name = "", .name = "process ended"};
        break;
    case LOOP:
        out->name = "loop";
        break;
    case QUEUE:
        *out = (struct wick_jfr_method){
            .class_name = "java/lang/ref/ReferenceQueue", .name = "remove", .signature = "()V"};
        break;
    case START:
        *out = (struct wick_jfr_method){.class_name = "java/lang/Thread", .name = "start", .signature = "()V"};
        break;
    case 200:
        *out = (struct wick_jfr_method){.class_name = "java/nio/ByteBuffer", .name = "allocate", .signature = "()V"};
        break;
    case 201:
        out->name = "run";
        break;
    }
    return 0;
}

static int thread(void *arg, uint32_t id, struct wick_jfr_thread *out)
{
    static const char *const names[] = {"",     "worker",    "GC Thread#0",
                                        "pool", "Finalizer", "virtual threads, not mounted"};
    (void)arg;
    uint32_t number = id == UNMOUNTED ? 0 : id;
    *out = (struct wick_jfr_thread){.os_name = names[id], .os_tid = number, .java_name = names[id], .java_tid = number};
    return 0;
}

enum { VIRTUAL = 2 }; /* a context */

static int context(void *arg, uint32_t id, struct wick_jfr_context *out)
{
    (void)arg;
    *out = (struct wick_jfr_context){.endpoint = id == VIRTUAL ? "GET /v" : "GET /pool"};
    return 0;
}

static void wall(struct wick_jfr_writer *w, uint64_t now, uint32_t who, uint32_t where, uint32_t state, unsigned ms)
{
    if (ms)
        wick_jfr_write_wall_clock_sample(
            w, &(struct wick_jfr_wall_clock_sample){now, who, where, state, ms * LOOKS, 0, ms * MS / SECONDS});
}

static void cpu(struct wick_jfr_writer *w, uint64_t now, uint32_t where, unsigned ms)
{
    if (ms)
        wick_jfr_write_execution_sample(w, &(struct wick_jfr_execution_sample){now, POOL, where, WICK_JFR_STATE_DEFAULT,
                                                                               WICK_JFR_SAMPLE_USER, ms * MS / SECONDS,
                                                                               ms * LOOKS});
}

/* Requests, one a second, and for the rest of the thread's time in spans one that another process began. */
static void spans(struct wick_jfr_writer *w, const struct scene *s, uint64_t now, unsigned second)
{
    uint64_t sampled = s->run + s->queue + s->stall + s->monitor + s->disk + s->sleep + s->own;
    struct wick_jfr_span span = {.start_ns = now,
                                 .duration_ns = (second + 1) * 90 * MS,
                                 .thread = WORKER,
                                 .operation = "GET /x",
                                 .endpoint = "GET /x",
                                 .is_root = 1};
    wick_jfr_write_span(w, &span);
    span.start_ns += span.duration_ns;
    uint64_t until = now + (s->in_spans ? s->in_spans : sampled) * MS / SECONDS;
    if (until <= span.start_ns)
        return;
    span.duration_ns = until - span.start_ns;
    span.is_root = 0;
    wick_jfr_write_span(w, &span);
}

/* Virtual threads on no carrier, in their request. */
static void unmounted(struct wick_jfr_writer *w, uint64_t now, uint32_t where, uint32_t state, unsigned ms)
{
    if (ms)
        wick_jfr_write_wall_clock_sample(w,
                                         &(struct wick_jfr_wall_clock_sample){now, UNMOUNTED, where, state, ms * LOOKS,
                                                                              0, ms * MS / SECONDS, VIRTUAL});
}

/* A request of a virtual thread, with a carrier's samples: of its own and without work. */
static void virtual_request(struct wick_jfr_writer *w, const struct scene *s, uint64_t now, bool first)
{
    if (s->carrier)
        wick_jfr_write_wall_clock_sample(
            w, &(struct wick_jfr_wall_clock_sample){now, POOL, HOT, WICK_JFR_STATE_RUNNABLE, s->carrier * LOOKS, 0,
                                                    s->carrier * MS / SECONDS, VIRTUAL});
    wall(w, now, POOL, COLD, WICK_JFR_STATE_PARKED, s->carrier_idle);
    unmounted(w, now, LOCK, WICK_JFR_STATE_MONITOR, s->unmounted);
    unmounted(w, now, COLD, WICK_JFR_STATE_WAITING_FOR_CARRIER, s->no_carrier);
    if (!first || !s->virtual_requests)
        return;
    wick_jfr_write_span(w, &(struct wick_jfr_span){.start_ns = START_NS,
                                                   .duration_ns = s->virtual_requests * MS,
                                                   .thread = POOL,
                                                   .operation = "GET /v",
                                                   .endpoint = "GET /v",
                                                   .is_root = 1,
                                                   .is_virtual = 1});
}

static void samples(struct wick_jfr_writer *w, const struct scene *s, uint64_t now, unsigned second)
{
    cpu(w, now, HOT, s->hot);
    cpu(w, now, OWN, s->own);
    wall(w, now, WORKER, OWN, WICK_JFR_STATE_MONITOR, s->own);
    cpu(w, now + 1 * MS, COLD + second, s->sampled - s->hot);
    wall(w, now + 2 * MS, WORKER, COLD, WICK_JFR_STATE_RUNNABLE, s->run);
    wall(w, now + 2 * MS, WORKER, COLD, WICK_JFR_STATE_WAITING_FOR_CPU, s->queue);
    wall(w, now + 3 * MS, WORKER, STALL, WICK_JFR_STATE_ALLOCATION, s->stall);
    wall(w, now + 4 * MS, WORKER, LOCK, WICK_JFR_STATE_MONITOR, s->monitor);
    wall(w, now + 5 * MS, WORKER, COLD, WICK_JFR_STATE_DISK, s->disk);
    wall(w, now + 6 * MS, WORKER, SLEEP, WICK_JFR_STATE_SLEEPING, s->sleep);
    wall(w, now + 7 * MS, POOL, COLD, WICK_JFR_STATE_RUNNABLE, s->dies && 2 * second >= SECONDS ? 0 : s->pool_run);
    wall(w, now + 8 * MS, POOL, STALL, WICK_JFR_STATE_ALLOCATION, s->pool_stall);
    wall(w, now + 9 * MS, FINALIZER, HOT, WICK_JFR_STATE_RUNNABLE, s->finalizing);
    wall(w, now + 9 * MS, FINALIZER, UNREAD, WICK_JFR_STATE_NATIVE_WAIT, s->unread);
    wall(w, now + 9 * MS, FINALIZER, QUEUE, WICK_JFR_STATE_SLEEPING,
         s->finalizing ? SECONDS * 1000 - s->finalizing : 0);
    spans(w, s, now, second);
    wick_jfr_write_thread_cpu(w, &(struct wick_jfr_thread_cpu){now, 1000 * MS, WORKER,
                                                               (s->got - s->collector) * MS / SECONDS,
                                                               s->delay * MS / SECONDS, 9});
    if (s->wrapped)
        wick_jfr_write_thread_cpu(
            w, &(struct wick_jfr_thread_cpu){now, 1000 * MS, POOL, 0 - (uint64_t)73616, 0 - (uint64_t)73616, 1});
    if (s->unsampled_once)
        wick_jfr_write_profiler(
            w, &(struct wick_jfr_profiler){.start_ns = now, .unsampled_ns = second % 2 * s->unsampled_once * MS});
    wick_jfr_write_thread_cpu(
        w, &(struct wick_jfr_thread_cpu){now, 1000 * MS, COLLECTOR, s->collector * MS / SECONDS, 0, 9});
}

/* Totals, once at the start and once at the end. */
static void totals(struct wick_jfr_writer *w, const struct scene *s, uint64_t now, unsigned end)
{
    wick_jfr_write_cgroup_cpu(w,
                              &(struct wick_jfr_cgroup_cpu){now, 2, 1000 + end * s->periods, 500 + end * s->throttled,
                                                            (9000 + end * s->throttled * 50) * MS});
    wick_jfr_write_cgroup_memory(w, &(struct wick_jfr_cgroup_memory){now, s->limit, s->limit, 5, 3 + end * s->kills});
    wick_jfr_write_pressure(
        w, &(struct wick_jfr_pressure){.start_ns = now, .memory_full_ns = (7777 + end * s->memory_full) * MS});
    wick_jfr_write_safepoints(w, &(struct wick_jfr_safepoints){now, 100 + end * 50, (6666 + end * s->sync) * MS, 0});
    wick_jfr_write_profiler(w, &(struct wick_jfr_profiler){.start_ns = now,
                                                           .fired = end * s->fired,
                                                           .dropped = end * s->dropped,
                                                           .biased_ns = end * s->biased * MS,
                                                           .unsampled_ns = end * s->unsampled * MS});
}

/* What the JVM itself does. */
static void runtime(struct wick_jfr_writer *w, const struct scene *s, uint64_t now, unsigned end)
{
    wick_jfr_write_class_loading_statistics(
        w, &(struct wick_jfr_class_loading_statistics){now, 5000 + end * s->unloaded, 70 + end * s->unloaded});
    wick_jfr_write_compiler_statistics(
        w, &(struct wick_jfr_compiler_statistics){.start_ns = now, .total_ms = 3000 + end * 1500});
    wick_jfr_write_deoptimizations(w, &(struct wick_jfr_deoptimizations){now, 900 + end * s->deopts});
    if (end && s->deopts)
        wick_jfr_write_deoptimization_reason(
            w, &(struct wick_jfr_deoptimization_reason){now, "null_check", s->deopts / 4});
    if (end && s->deopts)
        wick_jfr_write_deoptimization_reason(
            w, &(struct wick_jfr_deoptimization_reason){now, "class_check", s->deopts - s->deopts / 4});
    wick_jfr_write_compile_queue(w, &(struct wick_jfr_compile_queue){now, "C1", 1, 5, 2.0f});
    wick_jfr_write_compile_queue(w, &(struct wick_jfr_compile_queue){now, "C2", 3, s->waiting + 50, (float)s->waiting});
}

static void runtime_once(struct wick_jfr_writer *w, const struct scene *s)
{
    wick_jfr_write_code_cache(w, &(struct wick_jfr_code_cache){.start_ns = START_NS,
                                                               .reserved = 64 << 20,
                                                               .used = 32 << 20,
                                                               .fullest = s->code,
                                                               .stopped = s->compiler_off > 0});
    wick_jfr_write_code_cache(w, &(struct wick_jfr_code_cache){.start_ns = START_NS + s->compiler_off * MS,
                                                               .reserved = 64 << 20,
                                                               .used = 31 << 20,
                                                               .fullest = s->code / 2});
    wick_jfr_write_compilation(
        w, &(struct wick_jfr_compilation){START_NS, 700 * MS, POOL, 9, "C2", "app.Main.hot", 4, false});
    wick_jfr_write_compilation(
        w, &(struct wick_jfr_compilation){START_NS, 600 * MS, POOL, 10, "C2", "app.Main.run", 4, false});
    wick_jfr_write_vm_operation(
        w, &(struct wick_jfr_vm_operation){START_NS, 1000 * MS, "G1CollectFull", 9, 20, 9000 * MS});
    wick_jfr_write_vm_operation(
        w, &(struct wick_jfr_vm_operation){START_NS, 1000 * MS, "ThreadDump", 1, 20, s->operation * MS});
}

static void collection(struct wick_jfr_writer *w, uint64_t start_ns, unsigned ms)
{
    if (ms)
        wick_jfr_write_garbage_collection(w, &(struct wick_jfr_garbage_collection){.start_ns = start_ns,
                                                                                   .duration_ns = ms * MS,
                                                                                   .name = "G1",
                                                                                   .cause = "Allocation Failure",
                                                                                   .sum_of_pauses_ns = ms * MS,
                                                                                   .longest_pause_ns = ms * MS,
                                                                                   .used_after = 900 << 20});
}

/* One of 1 ms, when the recording is so old. */
static void short_collection(struct wick_jfr_writer *w, unsigned at_ms, const char *name, const char *cause,
                             uint64_t mib)
{
    wick_jfr_write_garbage_collection(w, &(struct wick_jfr_garbage_collection){.start_ns = START_NS + at_ms * MS,
                                                                               .duration_ns = MS,
                                                                               .name = name,
                                                                               .cause = cause,
                                                                               .sum_of_pauses_ns = MS,
                                                                               .longest_pause_ns = MS,
                                                                               .used_after = mib << 20});
}

static void allocation(struct wick_jfr_writer *w, const char *class, uint64_t size, uint64_t weight)
{
    wick_jfr_write_object_allocation_sample(
        w,
        &(struct wick_jfr_object_allocation_sample){
            .start_ns = START_NS, .thread = WORKER, .stack = HOT, .class_name = class, .weight = weight, .size = size});
}

/* Threads that cannot be started, and where some were; direct buffers. */
static void exhausted(struct wick_jfr_writer *w, const struct scene *s)
{
    for (unsigned i = 0; i < s->unstarted; i++) {
        cpu(w, START_NS + i * MS, START, 10);
        wick_jfr_write_out_of_memory(w, &(struct wick_jfr_out_of_memory){.start_ns = START_NS + i * MS,
                                                                         .thread = POOL,
                                                                         .message = "unable to create native thread",
                                                                         .threads = true});
    }
    if (s->dies)
        wick_jfr_write_out_of_memory(w, &(struct wick_jfr_out_of_memory){.start_ns = START_NS + SECONDS * 500 * MS,
                                                                         .thread = POOL,
                                                                         .message = "Java heap space",
                                                                         .heap = true});
    wall(w, START_NS + SECONDS * 500 * MS + 20 * MS, POOL, SLEEP, WICK_JFR_STATE_SLEEPING,
         s->idles ? SECONDS * 4900 : 0);
    const struct wick_jfr_direct_buffers direct = {
        .start_ns = START_NS, .limit = 100 << 20, .count = 5, .peak = (uint64_t)s->direct << 20};
    if (s->direct)
        wick_jfr_write_direct_buffers(w, &direct);
}

/* The queues of two listening sockets once a second: of one, and an empty one. */
static void listen_at(struct wick_jfr_writer *w, const struct scene *s)
{
    for (unsigned i = 0; s->queued && i < SECONDS; i++) {
        wick_jfr_write_listening_socket(
            w, &(struct wick_jfr_listening_socket){.start_ns = START_NS + i * 1000 * MS,
                                                   .address = "127.0.0.1:8080",
                                                   .waiting = s->queued + (s->queue_moves && i % 2),
                                                   .backlog = 50});
        wick_jfr_write_listening_socket(w, &(struct wick_jfr_listening_socket){.start_ns = START_NS + i * 1000 * MS,
                                                                               .address = "[::]:9090",
                                                                               .backlog = 50});
    }
}

/* Searches for deadlocks, of monitors only and a complete one at the end, and what they find. */
static void search(struct wick_jfr_writer *w, const struct scene *s, uint64_t now, bool complete)
{
    if (s->deadlock || s->searched)
        wick_jfr_write_deadlock_search(
            w, &(struct wick_jfr_deadlock_search){
                   .start_ns = now, .threads = 4, .circles = s->deadlock > 0, .complete = complete});
    for (unsigned i = 0; i < s->deadlock; i++)
        wick_jfr_write_deadlock(w, &(struct wick_jfr_deadlock){.start_ns = now,
                                                               .thread = i ? POOL : WORKER,
                                                               .owner = i ? WORKER : POOL,
                                                               .circle = 1,
                                                               .class_name = i ? "app/Lock" : "",
                                                               .parked = i > 0,
                                                               .lock = 4711 + i});
}

/* Collections, and what they find. */
static void heap(struct wick_jfr_writer *w, const struct scene *s)
{
    for (unsigned i = 0; s->humongous && i < 10; i++)
        short_collection(w, 100 * i, "G1", i < s->humongous ? "G1 Humongous Allocation" : "G1 Evacuation Pause", 500);
    for (unsigned i = 0; i < s->humongous; i++) {
        allocation(w, "[B", 3 << 20, 3 << 20);
        allocation(w, "java/lang/String", 24, 900 << 20);
    }
    for (unsigned i = 0; i < s->promoted; i++) {
        short_collection(w, 1000 + 200 * i, "Copy", "Allocation Failure", 600);
        short_collection(w, 1100 + 200 * i, "MSC", "Allocation Failure", 200);
    }
    for (unsigned i = 0; s->in_use && i < 4; i++)
        short_collection(w, 5000 + 100 * i, "G1", "G1 Evacuation Pause", s->in_use);
    if (s->heap)
        wick_jfr_write_memory_part(w, &(struct wick_jfr_memory_part){.start_ns = START_NS,
                                                                     .part = "Java heap",
                                                                     .resident = (uint64_t)s->heap << 20,
                                                                     .reserved = 2048ull << 20});
}

/* A safepoint for which the worker was awaited `ms`, of which `delay` without a CPU, in that code. */
static void late_safepoint(struct wick_jfr_writer *w, unsigned incident, uint32_t stack, unsigned ms, unsigned delay)
{
    const uint64_t start = START_NS + (incident - 1) * 500 * MS;
    wick_jfr_write_safepoint_latency(w, &(struct wick_jfr_safepoint_latency){.start_ns = start,
                                                                             .duration_ns = ms * MS,
                                                                             .incident = incident,
                                                                             .kind = "safepoint",
                                                                             .operation = "G1Pause",
                                                                             .reach_ns = ms * MS,
                                                                             .source = "symbols"});
    for (unsigned attempt = 1; attempt <= 2; attempt++)
        wick_jfr_write_safepoint_laggard(
            w, &(struct wick_jfr_safepoint_laggard){.start_ns = start,
                                                    .thread = WORKER,
                                                    .stack = stack,
                                                    .incident = incident,
                                                    .attempt = attempt,
                                                    .kind = "late",
                                                    .waited_ns = 1 * MS,
                                                    .os_state = "R",
                                                    .wchan = "0",
                                                    .cpu_ns = 900 * MS + (attempt - 1) * (ms - delay) * MS,
                                                    .run_delay_ns = 5000 * MS + (attempt - 1) * delay * MS,
                                                    .scheduler = "",
                                                    .allowed_cpus = "3"});
    wick_jfr_write_safepoint_arrival(
        w, &(struct wick_jfr_safepoint_arrival){start + ms * MS, WORKER, incident, ms * MS, 1, 1});
}

static void once(struct wick_jfr_writer *w, const struct scene *s)
{
    if (s->part)
        wick_jfr_write_active_recording(
            w, &(struct wick_jfr_active_recording){
                   .start_ns = START_NS, .name = "", .destination = "", .recording_start_ms = 1234});
    wick_jfr_write_jvm_information(
        w, &(struct wick_jfr_jvm_information){
               .start_ns = START_NS, .jvm_arguments = "-Xms1m -Xmx1g", .jvm_name = "", .jvm_version = ""});
    wick_jfr_write_cpu_information(w, &(struct wick_jfr_cpu_information){START_NS, "", "", 1, 4, 4});
    wick_jfr_write_machine_time(
        w, &(struct wick_jfr_machine_time){.start_ns = START_NS, .steal = s->steal, .allowed = 4, .others = s->others});
    for (unsigned i = 0; s->named && i < 2; i++) {
        wick_jfr_write_neighbour(w, &(struct wick_jfr_neighbour){START_NS, 1000 * MS, 77, "cc1", s->named * MS / 2});
        wick_jfr_write_neighbour(w,
                                 &(struct wick_jfr_neighbour){START_NS, 1000 * MS, 78 + i, "java app.Other", 100 * MS});
    }
    wick_jfr_write_resident_set_size(w, &(struct wick_jfr_resident_set_size){START_NS, s->rss, s->rss, 0});
    collection(w, START_NS, s->pauses);
    collection(w, START_NS + MS, s->nested);
    collection(w, START_NS + (SECONDS - 1) * 1000 * MS, s->beyond);
    if (s->notified)
        wick_jfr_write_java_monitor_wait(w, &(struct wick_jfr_java_monitor_wait){.start_ns = START_NS,
                                                                                 .duration_ns = s->notified * MS,
                                                                                 .thread = WORKER,
                                                                                 .stack = SLEEP,
                                                                                 .class_name = ""});
    if (s->late)
        late_safepoint(w, 1, LOOP, s->late, s->late_delay);
    for (unsigned i = 0; i < s->stalls; i++)
        late_safepoint(w, 2 + i, STALL, 60, 0);
}

/* What only a damaged recording says. */
static void huge(struct wick_jfr_writer *w)
{
    const uint64_t most = INT64_MAX - 5;
    for (int i = 0; i < 3; i++) {
        wick_jfr_write_neighbour(w, &(struct wick_jfr_neighbour){START_NS, most, 77, "cc1", most});
        wick_jfr_write_thread_cpu(w, &(struct wick_jfr_thread_cpu){START_NS, most, COLLECTOR, most, most, 9});
        wick_jfr_write_span(w, &(struct wick_jfr_span){.start_ns = START_NS,
                                                       .duration_ns = most,
                                                       .thread = WORKER,
                                                       .operation = "",
                                                       .endpoint = "GET /x",
                                                       .is_root = 1});
        wick_jfr_write_garbage_collection(
            w, &(struct wick_jfr_garbage_collection){
                   .start_ns = START_NS, .name = "", .cause = "", .sum_of_pauses_ns = most, .longest_pause_ns = most});
        wick_jfr_write_deoptimizations(w, &(struct wick_jfr_deoptimizations){START_NS, i % 2 ? most : 1});
        wick_jfr_write_deoptimization_reason(w, &(struct wick_jfr_deoptimization_reason){START_NS, "", most});
        wick_jfr_write_vm_operation(w, &(struct wick_jfr_vm_operation){START_NS, most, "ThreadDump", 1, 20, most});
        wick_jfr_write_code_cache(w, &(struct wick_jfr_code_cache){START_NS, most, most, most, 1e30f, true});
        wick_jfr_write_wall_clock_sample(
            w, &(struct wick_jfr_wall_clock_sample){START_NS, WORKER, LOCK, WICK_JFR_STATE_MONITOR, 1, 0, most});
        wick_jfr_write_execution_sample(w,
                                        &(struct wick_jfr_execution_sample){START_NS, POOL, HOT, WICK_JFR_STATE_DEFAULT,
                                                                            WICK_JFR_SAMPLE_USER, most, 1});
        wick_jfr_write_safepoint_latency(w, &(struct wick_jfr_safepoint_latency){.start_ns = START_NS,
                                                                                 .duration_ns = most,
                                                                                 .incident = 1,
                                                                                 .kind = "",
                                                                                 .operation = "",
                                                                                 .reach_ns = most,
                                                                                 .source = ""});
        wick_jfr_write_safepoint_arrival(w, &(struct wick_jfr_safepoint_arrival){START_NS, WORKER, 1, most, 1, 1});
    }
}

int explain_scene_record(const struct scene *s)
{
    static const struct wick_jfr_source source = {NULL, stack, method, thread, context};
    const struct wick_jfr_config config = {START_NS, EPOCH_NS};
    struct wick_jfr_writer *w;
    struct wick_output o;
    int fd = memfd_create("explain", MFD_CLOEXEC);
    if (fd < 0 || wick_output_init_fd(&o, dup(fd)))
        return -1;
    struct wick_jfr_sink sink = wick_output_sink(&o);
    if (wick_jfr_writer_open(&w, &sink, &source, &config))
        return -1;
    once(w, s);
    heap(w, s);
    exhausted(w, s);
    listen_at(w, s);
    runtime_once(w, s);
    if (s->huge)
        huge(w);
    totals(w, s, START_NS, 0);
    runtime(w, s, START_NS, 0);
    for (unsigned i = 0; i < SECONDS; i++) {
        if (i >= s->quiet)
            samples(w, s, START_NS + i * 1000 * MS, i);
        virtual_request(w, s, START_NS + i * 1000 * MS, !i);
        if (i == 2 && s->warm)
            wick_jfr_write_deoptimizations(w, &(struct wick_jfr_deoptimizations){START_NS + 2000 * MS, 900 + s->warm});
    }
    search(w, s, START_NS + SECONDS * 500 * MS, false);
    search(w, s, START_NS + SECONDS * 1000 * MS - MS, true);
    totals(w, s, START_NS + SECONDS * 1000 * MS - MS, 1);
    runtime(w, s, START_NS + SECONDS * 1000 * MS - MS, 1);
    int rc = wick_jfr_writer_close(w, START_NS + SECONDS * 1000 * MS, NULL);
    wick_output_release(&o);
    return rc ? -1 : fd;
}
