/* SPDX-License-Identifier: Apache-2.0 */
#include "disturb_story.h"

#include "jfr/writer/writer.h"
#include "record/output.h"
#include "requests.h"

#define STORY_S (1000 * REQUESTS_MS)

enum { SECONDS = 60 };

/* How much there has been by the end of second i of what comes at a rate from one second to another. */
static uint64_t so_far(uint64_t i, uint64_t from, uint64_t to, uint64_t rate)
{
    uint64_t now = i + 1 < to ? i + 1 : to;
    return now > from ? (now - from) * rate : 0;
}

static void readings(struct wick_jfr_writer *w, uint64_t at, uint64_t i, bool first)
{
    uint64_t all = first ? 0 : 1;
    wick_jfr_write_cgroup_cpu(
        w, &(struct wick_jfr_cgroup_cpu){
               .start_ns = at, .limit = 2, .throttled_ns = 777 + all * so_far(i, 10, 20, 200 * REQUESTS_MS)});
    wick_jfr_write_pressure(
        w, &(struct wick_jfr_pressure){.start_ns = at, .cpu_some_ns = all * so_far(i, 0, 60, 100 * REQUESTS_MS)});
    wick_jfr_write_machine_time(
        w, &(struct wick_jfr_machine_time){
               .start_ns = at, .steal = all && i >= 30 && i < 40 ? 0.25F : 0, .others = 0.1F, .allowed = 2});
    wick_jfr_write_compiler_statistics(
        w, &(struct wick_jfr_compiler_statistics){.start_ns = at,
                                                  .compiles = (uint32_t)(100 + all * so_far(i, 0, 10, 50)),
                                                  .total_ms = all * so_far(i, 0, 10, 500)});
    wick_jfr_write_deoptimizations(
        w, &(struct wick_jfr_deoptimizations){.start_ns = at, .count = 9 + all * so_far(i, 40, 45, 5)});
}

static void happenings(struct wick_jfr_writer *w)
{
    for (uint64_t i = 0; i < SECONDS; i += 10)
        wick_jfr_write_garbage_collection(
            w, &(struct wick_jfr_garbage_collection){.start_ns = REQUESTS_MONO_NS + (i + 3) * STORY_S,
                                                     .duration_ns = 50 * REQUESTS_MS,
                                                     .gc_id = (uint32_t)i + 1,
                                                     .name = "G1 young",
                                                     .cause = "G1 Evacuation Pause",
                                                     .sum_of_pauses_ns = 50 * REQUESTS_MS,
                                                     .longest_pause_ns = 50 * REQUESTS_MS});
    wick_jfr_write_neighbour(w, &(struct wick_jfr_neighbour){.start_ns = REQUESTS_MONO_NS + 35 * STORY_S,
                                                             .duration_ns = 10 * STORY_S,
                                                             .pid = 4711,
                                                             .name = REQUESTS_HOSTILE,
                                                             .cpu_ns = 2 * STORY_S});
    wick_jfr_write_compilation(w, &(struct wick_jfr_compilation){.start_ns = REQUESTS_MONO_NS + 5 * STORY_S,
                                                                 .duration_ns = 300 * REQUESTS_MS,
                                                                 .compile_id = 12,
                                                                 .compiler = "C2",
                                                                 .method = "com.example.Big.parse",
                                                                 .level = 4});
    wick_jfr_write_deoptimization_reason(
        w, &(struct wick_jfr_deoptimization_reason){
               .start_ns = REQUESTS_MONO_NS + 44 * STORY_S, .reason = "class_check", .count = 25});
}

int disturb_story_write(int fd)
{
    static const struct wick_jfr_source source;
    const struct wick_jfr_config config = {REQUESTS_MONO_NS, REQUESTS_TIME_NS};
    struct wick_output o;
    struct wick_jfr_writer *w;
    if (wick_output_init_fd(&o, fd))
        return 1;
    struct wick_jfr_sink sink = wick_output_sink(&o);
    if (wick_jfr_writer_open(&w, &sink, &source, &config))
        return 1;
    readings(w, REQUESTS_MONO_NS, 0, true);
    for (uint64_t i = 0; i < SECONDS; i++)
        readings(w, REQUESTS_MONO_NS + (i + 1) * STORY_S, i, false);
    happenings(w);
    int rc = wick_jfr_writer_close(w, REQUESTS_MONO_NS + SECONDS * STORY_S, NULL);
    wick_output_release(&o);
    return rc;
}
