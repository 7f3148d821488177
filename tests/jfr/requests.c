/* SPDX-License-Identifier: Apache-2.0 */
/* A file of its own, since headers of the reader and of the writer cannot be included together. */
#include "requests.h"

#include <stdio.h>
#include <string.h>

#include "base/frame_kind.h"
#include "jfr/writer/writer.h"
#include "record/output.h"

static size_t requests_stack(void *arg, uint32_t id, struct wick_jfr_frame *out, size_t cap, bool *truncated)
{
    *truncated = false;
    for (uint32_t i = 0; i < 3 && i < cap; i++)
        out[i] = (struct wick_jfr_frame){id * 10 + i, 10 + i, 0, WICK_FRAME_C2};
    return cap < 3 ? cap : 3;
}

static int requests_method(void *arg, uint32_t id, struct wick_jfr_method *out)
{
    static char name[64];
    snprintf(name, sizeof name, "method%u", id);
    *out = (struct wick_jfr_method){id % 10 ? "com/example/Service" : "com/example/" REQUESTS_HOSTILE, name, "()V"};
    return 0;
}

static int requests_thread(void *arg, uint32_t id, struct wick_jfr_thread *out)
{
    static char name[64];
    snprintf(name, sizeof name, id == 2 ? "worker-%u </script><b>" : "worker-%u", id);
    *out = (struct wick_jfr_thread){name, 100 + id, name, id, "main"};
    return 0;
}

static int requests_context(void *arg, uint32_t id, struct wick_jfr_context *out)
{
    *out = (struct wick_jfr_context){.endpoint = id == 1 ? "GET /slow" : "GET /fast",
                                     .trace_id = id == 1 ? REQUESTS_SLOW : REQUESTS_FAST,
                                     .span_id = "0000000000000001"};
    return 0;
}

static void requests_wall(struct wick_jfr_writer *w, uint64_t at_ms, uint32_t thread, enum wick_jfr_state state,
                          uint32_t samples)
{
    uint64_t n = samples;
    wick_jfr_write_wall_clock_sample(
        w, &(struct wick_jfr_wall_clock_sample){.start_ns = REQUESTS_MONO_NS + at_ms * REQUESTS_MS,
                                                .thread = thread,
                                                .stack = (uint32_t)state,
                                                .state = (uint8_t)state,
                                                .samples = samples,
                                                .span_ns = (n - 1) * 10 * REQUESTS_MS,
                                                .weight_ns = n * 10 * REQUESTS_MS});
}

/* An interval of 10 ms and as many threads as can be sampled: until 1 s; then twice as many. */
static void requests_sampler(struct wick_jfr_writer *w)
{
    static const struct {
        uint64_t id;
        const char *name, *value;
    } settings[] = {{4, "period", "10000000 ns"}, {4, "threads", "16"}, {2, "period", "1000000 ns"}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        wick_jfr_write_active_setting(w, &(struct wick_jfr_active_setting){REQUESTS_MONO_NS, .id = settings[i].id,
                                                                           .name = settings[i].name,
                                                                           .value = settings[i].value});
    for (uint64_t i = 1; i <= 2; i++)
        wick_jfr_write_wall_sampler(
            w, &(struct wick_jfr_wall_sampler){.start_ns = REQUESTS_MONO_NS + i * 1000 * REQUESTS_MS,
                                               .candidates = 16 * i});
}

static void requests_cpu(struct wick_jfr_writer *w, uint64_t at_ms, uint64_t weight_ms, uint32_t context)
{
    wick_jfr_write_execution_sample(
        w, &(struct wick_jfr_execution_sample){.start_ns = REQUESTS_MONO_NS + at_ms * REQUESTS_MS,
                                               .thread = 1,
                                               .stack = 2,
                                               .state = WICK_JFR_STATE_DEFAULT,
                                               .weight_ns = weight_ms * REQUESTS_MS,
                                               .kind = WICK_JFR_SAMPLE_USER,
                                               .context = context});
}

/* An object of 1 MiB that stands for as much as is said. */
static void requests_allocation(struct wick_jfr_writer *w, uint64_t at_ms, uint64_t weight_mib, uint32_t context)
{
    wick_jfr_write_object_allocation_sample(
        w, &(struct wick_jfr_object_allocation_sample){.start_ns = REQUESTS_MONO_NS + at_ms * REQUESTS_MS,
                                                       .thread = 1,
                                                       .stack = 2,
                                                       .class_name = "[B",
                                                       .weight = weight_mib << 20,
                                                       .size = 1 << 20,
                                                       .context = context});
}

static void requests_spans(struct wick_jfr_writer *w)
{
    static const struct {
        uint64_t from_ms, ms;
        uint32_t thread;
        const char *operation, *endpoint, *trace, *id, *parent;
    } spans[] = {
        {20, 40, 1, "db.query", "GET /slow", REQUESTS_SLOW, "0000000000000003", "0000000000000001"},
        {30, 50, 2, REQUESTS_HOSTILE, "GET /slow", REQUESTS_SLOW, "0000000000000004", NULL},
        {0, 100, 1, "GET /slow", "GET /slow", REQUESTS_SLOW, "0000000000000001", NULL},
        {200, 10, 1, "GET /fast", "GET /fast", REQUESTS_FAST, "0000000000000002", NULL},
        {1500, 20, 1, "GET /fast", "GET /fast", NULL, "0000000000000009", NULL},
    };
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
        wick_jfr_write_span(w, &(struct wick_jfr_span){.start_ns = REQUESTS_MONO_NS + spans[i].from_ms * REQUESTS_MS,
                                                       .duration_ns = spans[i].ms * REQUESTS_MS,
                                                       .thread = spans[i].thread,
                                                       .operation = spans[i].operation,
                                                       .endpoint = spans[i].endpoint,
                                                       .labels = "customer=big",
                                                       .is_root = spans[i].operation == spans[i].endpoint ||
                                                                  !strcmp(spans[i].operation, spans[i].endpoint),
                                                       .trace_id = spans[i].trace,
                                                       .span_id = spans[i].id,
                                                       .parent_id = spans[i].parent,
                                                       .root_id = spans[i].parent ? spans[i].parent : spans[i].id});
}

static void requests_wait(struct wick_jfr_writer *w, uint64_t from_ms, uint64_t ms, uint32_t thread, uint32_t owner,
                          uint64_t number)
{
    wick_jfr_write_java_monitor_enter(
        w, &(struct wick_jfr_java_monitor_enter){.start_ns = REQUESTS_MONO_NS + from_ms * REQUESTS_MS,
                                                 .duration_ns = ms * REQUESTS_MS,
                                                 .thread = thread,
                                                 .stack = 5,
                                                 .class_name = "com/example/" REQUESTS_HOSTILE,
                                                 .owner = number ? 0 : owner,
                                                 .weight_ns = ms * REQUESTS_MS,
                                                 .hash = thread,
                                                 .wait = number});
    if (number)
        wick_jfr_write_lock_owner(
            w, &(struct wick_jfr_lock_owner){.start_ns = REQUESTS_MONO_NS + (from_ms + 30) * REQUESTS_MS,
                                             .thread = owner,
                                             .stack = 6,
                                             .wait = number,
                                             .waited_ns = 30 * REQUESTS_MS});
}

static void requests_locks(struct wick_jfr_writer *w)
{
    requests_wait(w, 10, 50, 1, 2, 7);
    requests_wait(w, 70, 5, 2, 3, 0);
    requests_wait(w, 202, 4, 1, 4, 0);
    wick_jfr_write_span(w, &(struct wick_jfr_span){.start_ns = REQUESTS_MONO_NS + 150 * REQUESTS_MS,
                                                   .duration_ns = 150 * REQUESTS_MS,
                                                   .thread = 4,
                                                   .operation = "GET /report",
                                                   .endpoint = "GET /report",
                                                   .is_root = true,
                                                   .trace_id = REQUESTS_REPORT,
                                                   .span_id = "000000000000000a",
                                                   .root_id = "000000000000000a"});
}

static int write_requests(int fd, bool locks)
{
    static const struct wick_jfr_source source = {NULL, requests_stack, requests_method, requests_thread,
                                                  requests_context};
    struct wick_output o;
    struct wick_jfr_writer *w;
    struct wick_jfr_config config = {REQUESTS_MONO_NS, REQUESTS_TIME_NS};
    if (wick_output_init_fd(&o, fd))
        return 1;
    struct wick_jfr_sink sink = wick_output_sink(&o);
    if (wick_jfr_writer_open(&w, &sink, &source, &config))
        return 1;
    requests_sampler(w);
    requests_wall(w, 5, 1, WICK_JFR_STATE_RUNNABLE, 1);
    requests_wall(w, 15, 1, WICK_JFR_STATE_MONITOR, 5);
    requests_wall(w, 65, 1, WICK_JFR_STATE_WAITING_FOR_CPU, 1);
    requests_wall(w, 75, 1, WICK_JFR_STATE_WAITING_FOR_CPU, 1);
    requests_wall(w, 85, 1, WICK_JFR_STATE_RUNNABLE, 1);
    requests_wall(w, 95, 1, WICK_JFR_STATE_RUNNABLE, 1);
    requests_wall(w, 205, 1, WICK_JFR_STATE_RUNNABLE, 1);
    requests_wall(w, 35, 2, WICK_JFR_STATE_PARKED, 5);
    requests_wall(w, 1, 3, WICK_JFR_STATE_PARKED, 200);
    requests_cpu(w, 10, 10, 1);
    requests_cpu(w, 50, 10, 0); /* some other work, though the thread has a span open */
    requests_cpu(w, 90, 9, 1);
    requests_cpu(w, 99, 9, 1);
    requests_cpu(w, 208, 8, 2);
    requests_allocation(w, 30, 3, 1);
    requests_allocation(w, 40, 2, 1);
    requests_allocation(w, 209, 1, 2);
    requests_allocation(w, 60, 1, 0);
    requests_spans(w);
    wick_jfr_write_thread_cpu(w, &(struct wick_jfr_thread_cpu){REQUESTS_MONO_NS, 1000 * REQUESTS_MS, 1,
                                                               28 * REQUESTS_MS, 20 * REQUESTS_MS, 9});
    if (locks)
        requests_locks(w);
    int rc = wick_jfr_writer_close(w, REQUESTS_MONO_NS + 2000 * REQUESTS_MS, NULL);
    wick_output_release(&o);
    return rc;
}

int requests_write(int fd)
{
    return write_requests(fd, false);
}

int requests_write_locks(int fd)
{
    return write_requests(fd, true);
}
