/* SPDX-License-Identifier: Apache-2.0 */
#include "halves.h"

#include <sys/mman.h>

#include "base/frame_kind.h"
#include "jfr/writer/writer.h"
#include "record/output.h"

#define MS     UINT64_C(1000000)
#define SECOND HALVES_SECOND

enum { EARLY = 1, LATE, FIRST = 1, LAST, ENTER };

static size_t stack(void *arg, uint32_t id, struct wick_jfr_frame *out, size_t cap, bool *truncated)
{
    (void)arg, (void)cap;
    *truncated = false;
    out[0] = (struct wick_jfr_frame){.method = id, .line = 7, .kind = WICK_FRAME_C2};
    return 1;
}

static int method(void *arg, uint32_t id, struct wick_jfr_method *out)
{
    static const char *const names[] = {"", "first", HALVES_LAST, "enter"};
    (void)arg;
    *out = (struct wick_jfr_method){.class_name = "app/Main", .name = names[id], .signature = "()V"};
    return 0;
}

static int thread(void *arg, uint32_t id, struct wick_jfr_thread *out)
{
    const char *name = id == EARLY ? "early" : "late";
    (void)arg;
    *out = (struct wick_jfr_thread){.os_name = name, .os_tid = id, .java_name = name, .java_tid = id};
    return 0;
}

static void write_second(struct wick_jfr_writer *w, uint64_t second)
{
    uint64_t now = HALVES_MONO_NS + second * SECOND, late = second < HALVES_HALF ? 0 : second - HALVES_HALF;
    uint32_t who = second < HALVES_HALF ? EARLY : LATE;
    for (uint64_t i = 0; i < HALVES_SAMPLES; i++)
        wick_jfr_write_execution_sample(
            w, &(struct wick_jfr_execution_sample){.start_ns = now + i * SECOND / HALVES_SAMPLES,
                                                   .thread = who,
                                                   .stack = who,
                                                   .state = WICK_JFR_STATE_DEFAULT,
                                                   .weight_ns = SECOND / HALVES_SAMPLES});
    wick_jfr_write_thread_cpu(w, &(struct wick_jfr_thread_cpu){now, SECOND, who, SECOND, SECOND / 2, 10});
    wick_jfr_write_cgroup_cpu(w, &(struct wick_jfr_cgroup_cpu){.start_ns = now,
                                                               .limit = 2,
                                                               .periods = 10 * second,
                                                               .throttled = 5 * late,
                                                               .throttled_ns = late * SECOND / 4});
}

static void write_waits(struct wick_jfr_writer *w)
{
    uint64_t at = HALVES_MONO_NS + 7 * SECOND;
    wick_jfr_write_java_monitor_enter(w, &(struct wick_jfr_java_monitor_enter){.start_ns = at,
                                                                               .duration_ns = SECOND,
                                                                               .thread = LATE,
                                                                               .stack = ENTER,
                                                                               .class_name = "app/Lock",
                                                                               .owner = EARLY,
                                                                               .hash = 1,
                                                                               .weight_ns = 2 * SECOND});
    wick_jfr_write_safepoint_latency(w, &(struct wick_jfr_safepoint_latency){.start_ns = at,
                                                                             .duration_ns = 500 * MS,
                                                                             .incident = 1,
                                                                             .kind = "safepoint",
                                                                             .reach_ns = 400 * MS,
                                                                             .late_threads = 1});
    wick_jfr_write_safepoint_laggard(w, &(struct wick_jfr_safepoint_laggard){.start_ns = at + 10 * MS,
                                                                             .thread = LATE,
                                                                             .stack = LAST,
                                                                             .incident = 1,
                                                                             .attempt = 1,
                                                                             .kind = "late",
                                                                             .waited_ns = 10 * MS,
                                                                             .response_ns = MS,
                                                                             .os_state = "R"});
    wick_jfr_write_safepoint_arrival(w, &(struct wick_jfr_safepoint_arrival){.start_ns = at + 400 * MS,
                                                                             .thread = LATE,
                                                                             .incident = 1,
                                                                             .waited_ns = 400 * MS,
                                                                             .signals = 1,
                                                                             .answers = 1});
}

int halves_write(int fd)
{
    static const struct wick_jfr_source source = {NULL, stack, method, thread, NULL};
    const struct wick_jfr_config config = {.start_mono_ns = HALVES_MONO_NS, .start_epoch_ns = HALVES_TIME_NS};
    struct wick_jfr_writer *w;
    struct wick_output o;
    if (wick_output_init_fd(&o, fd))
        return -1;
    struct wick_jfr_sink sink = wick_output_sink(&o);
    if (wick_jfr_writer_open(&w, &sink, &source, &config))
        return -1;
    for (uint64_t second = 0; second < HALVES_SECONDS; second++) {
        uint64_t now = HALVES_MONO_NS + second * SECOND;
        write_second(w, second);
        wick_jfr_write_safepoints(w, &(struct wick_jfr_safepoints){now, second * 8, second * MS, 0});
        wick_jfr_write_memory_part(
            w, &(struct wick_jfr_memory_part){.start_ns = now, .part = "malloc", .resident = (second + 1) << 20});
    }
    write_waits(w);
    int rc = wick_jfr_writer_close(w, HALVES_MONO_NS + HALVES_SECONDS * SECOND, NULL);
    wick_output_release(&o);
    return rc ? -1 : 0;
}
