/* SPDX-License-Identifier: Apache-2.0 */
#include "memory_story.h"

#include "jfr/writer/writer.h"
#include "record/output.h"
#include "requests.h"

#define STORY_MIB UINT64_C(1048576)
#define STORY_S   UINT64_C(1000000000)

enum { STORY_READINGS = 30, STORY_COLLECTIONS = 60, STORY_FULL = 31, STORY_HOSTILE = 11 };

static void story_reading(struct wick_jfr_writer *w, uint64_t i)
{
    const struct {
        const char *part;
        uint64_t mib, reserved_mib;
    } parts[] = {{"Java heap", 200 + 6 * i, 512}, {"metaspace", 40, 0},     {"code cache", 24, 240},
                 {"malloc", 80 + 10 * i, 0},      {"thread stacks", 12, 0}, {"page tables", 3, 0}};
    uint64_t at = REQUESTS_MONO_NS + (5 + 10 * i) * STORY_S;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        wick_jfr_write_memory_part(w, &(struct wick_jfr_memory_part){.start_ns = at,
                                                                     .part = parts[k].part,
                                                                     .resident = parts[k].mib * STORY_MIB,
                                                                     .reserved = parts[k].reserved_mib * STORY_MIB});
    wick_jfr_write_cgroup_memory_use(w, &(struct wick_jfr_cgroup_memory_use){.start_ns = at,
                                                                             .path = "/pod",
                                                                             .limit = 1024 * STORY_MIB,
                                                                             .current = (400 + 16 * i) * STORY_MIB,
                                                                             .anonymous = (356 + 16 * i) * STORY_MIB});
}

static void story_collection(struct wick_jfr_writer *w, uint64_t i)
{
    uint64_t pause = (i == STORY_FULL ? 120 : 4) * REQUESTS_MS;
    wick_jfr_write_garbage_collection(
        w, &(struct wick_jfr_garbage_collection){.start_ns = REQUESTS_MONO_NS + (2 + 5 * i) * STORY_S,
                                                 .duration_ns = pause,
                                                 .gc_id = (uint32_t)i + 1,
                                                 .name = i == STORY_FULL ? "G1 full" : "G1 young",
                                                 .cause = i == STORY_FULL      ? "System.gc()"
                                                          : i == STORY_HOSTILE ? REQUESTS_HOSTILE
                                                                               : "G1 Evacuation Pause",
                                                 .sum_of_pauses_ns = pause,
                                                 .longest_pause_ns = pause,
                                                 .used_after = (100 + 2 * i) * STORY_MIB,
                                                 .used_before = i == STORY_HOSTILE ? 0 : (160 + 2 * i) * STORY_MIB});
}

int memory_story_write(int fd)
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
    for (uint64_t i = 0; i < STORY_COLLECTIONS; i++)
        story_collection(w, i);
    for (uint64_t i = 0; i < STORY_READINGS; i++)
        story_reading(w, i);
    int rc = wick_jfr_writer_close(w, REQUESTS_MONO_NS + 305 * STORY_S, NULL);
    wick_output_release(&o);
    return rc;
}
