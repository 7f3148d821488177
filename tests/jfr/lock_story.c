/* SPDX-License-Identifier: Apache-2.0 */
#include "lock_story.h"

#include <stdio.h>

#include "base/frame_kind.h"
#include "jfr/writer/writer.h"
#include "record/output.h"

#define START_NS UINT64_C(5000000000000)
#define MS       UINT64_C(1000000)

enum { WORKERS = 6, WRITER = WORKERS + 1, CLEANER = WRITER + 2, HOSTILE, IN_WORKER = 1, IN_WRITER, IN_CLEANER };

static const char *const methods[] = {"", "serve", "save", "sweep"};
static const char evil[] = "<script>alert(1)</script>\x1b[31m";

static size_t stack(void *arg, uint32_t id, struct wick_jfr_frame *out, size_t cap, bool *truncated)
{
    (void)arg, (void)cap;
    *truncated = false;
    out[0] = (struct wick_jfr_frame){.method = id, .line = 7 * id, .kind = WICK_FRAME_C2};
    return 1;
}

static int method(void *arg, uint32_t id, struct wick_jfr_method *out)
{
    (void)arg;
    *out = (struct wick_jfr_method){.class_name = "com/example/shop/Session", .name = methods[id], .signature = "()V"};
    return 0;
}

static int thread(void *arg, uint32_t id, struct wick_jfr_thread *out)
{
    static char name[32];
    const char *said = id == CLEANER ? "cache-cleaner" : id == HOSTILE ? evil : name;
    (void)arg;
    snprintf(name, sizeof name, id <= WORKERS ? "worker-%u" : "writer-%u", id);
    *out = (struct wick_jfr_thread){.os_name = said, .os_tid = id, .java_name = said, .java_tid = id};
    return 0;
}

static void wait_for(struct wick_jfr_writer *w, const char *class_name, uint32_t who, uint32_t owner, uint32_t where,
                     uint64_t at_ms, uint64_t ms)
{
    wick_jfr_write_java_monitor_enter(w, &(struct wick_jfr_java_monitor_enter){.start_ns = START_NS + at_ms * MS,
                                                                               .duration_ns = ms * MS,
                                                                               .thread = who,
                                                                               .stack = where,
                                                                               .class_name = class_name,
                                                                               .owner = owner,
                                                                               .weight_ns = ms * MS,
                                                                               .hash = 1 + who % 3});
}

/* A safepoint that waited for one thread, which answered two signals: computing, or without a CPU. */
static void slow_safepoint(struct wick_jfr_writer *w, uint64_t number, const char *operation, uint32_t who,
                           uint32_t where, uint64_t at_ms, uint64_t ms, bool starved)
{
    uint64_t start_ns = START_NS + at_ms * MS;
    wick_jfr_write_safepoint_latency(w, &(struct wick_jfr_safepoint_latency){.start_ns = start_ns,
                                                                             .duration_ns = (ms + 2) * MS,
                                                                             .incident = number,
                                                                             .safepoint_id = 100 + number,
                                                                             .kind = "safepoint",
                                                                             .operation = operation,
                                                                             .reach_ns = ms * MS,
                                                                             .java_threads = 12,
                                                                             .late_threads = 1,
                                                                             .signals = 2,
                                                                             .source = "symbols"});
    for (uint32_t attempt = 1; attempt <= 2; attempt++) {
        uint64_t waited_ns = attempt * ms * MS / 3;
        wick_jfr_write_safepoint_laggard(
            w, &(struct wick_jfr_safepoint_laggard){.start_ns = start_ns + waited_ns,
                                                    .thread = who,
                                                    .stack = where,
                                                    .incident = number,
                                                    .safepoint_id = 100 + number,
                                                    .attempt = attempt,
                                                    .kind = "late",
                                                    .waited_ns = waited_ns,
                                                    .response_ns = starved ? ms * MS / 4 : MS / 20,
                                                    .os_state = "R",
                                                    .wchan = "0",
                                                    .cpu_ns = 500 * MS + (starved ? 0 : waited_ns),
                                                    .run_delay_ns = starved ? (attempt - 1) * ms * MS * 9 / 10 : 0,
                                                    .scheduler = "SCHED_OTHER",
                                                    .allowed_cpus = "3"});
    }
    wick_jfr_write_safepoint_arrival(w, &(struct wick_jfr_safepoint_arrival){.start_ns = start_ns + ms * MS,
                                                                             .thread = who,
                                                                             .incident = number,
                                                                             .waited_ns = ms * MS,
                                                                             .signals = 2,
                                                                             .answers = 2});
}

int lock_story_write(int fd)
{
    static const struct wick_jfr_source source = {NULL, stack, method, thread, NULL};
    const struct wick_jfr_config config = {START_NS, UINT64_C(1700000000000000000)};
    struct wick_jfr_writer *w;
    struct wick_output o;
    if (wick_output_init_fd(&o, fd))
        return -1;
    struct wick_jfr_sink sink = wick_output_sink(&o);
    if (wick_jfr_writer_open(&w, &sink, &source, &config))
        return -1;
    for (uint32_t i = 0; i < 60; i++) {
        wait_for(w, "com/example/shop/Session", 1 + i % WORKERS, WRITER + i % 2, IN_WORKER, 100 * i, 40 + i % 7);
        if (i % 2)
            wait_for(w, "com/example/shop/Cache", WRITER + i % 2, CLEANER, IN_WRITER, 100 * i, 30);
        if (i % 10 == 0)
            wait_for(w, evil, HOSTILE, 1 + i % WORKERS, IN_CLEANER, 100 * i, 15);
    }
    for (uint32_t i = 0; i < 5; i++)
        slow_safepoint(w, 1 + i, "G1CollectForAllocation", CLEANER, IN_CLEANER, 400 + 1100 * i, 40 + 30 * i, false);
    slow_safepoint(w, 6, "Cleanup", HOSTILE, IN_WORKER, 3000, 25, true);
    int rc = wick_jfr_writer_close(w, START_NS + 6100 * MS, NULL);
    wick_output_release(&o);
    return rc ? -1 : 0;
}
