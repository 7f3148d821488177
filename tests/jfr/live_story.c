/* SPDX-License-Identifier: Apache-2.0 */
#include "live_story.h"

#include "base/frame_kind.h"
#include "jfr/writer/writer.h"
#include "record/output.h"
#include "requests.h"

#define STORY_MIB UINT64_C(1048576)
#define STORY_S   UINT64_C(1000000000)

enum { LOAD = 1, PUT, STEADY = 20, MORE = 4, MOMENTS = 6, ONCE = 3, SAMPLED = 1024 };

static size_t stack(void *arg, uint32_t id, struct wick_jfr_frame *out, size_t cap, bool *truncated)
{
    (void)arg, (void)cap;
    *truncated = false;
    out[0] = (struct wick_jfr_frame){.method = id, .line = 7, .kind = WICK_FRAME_C2};
    return 1;
}

static int method(void *arg, uint32_t id, struct wick_jfr_method *out)
{
    (void)arg;
    *out = (struct wick_jfr_method){.class_name = "app/Main", .name = id == LOAD ? "load" : "put", .signature = "()V"};
    return 0;
}

static int thread(void *arg, uint32_t id, struct wick_jfr_thread *out)
{
    (void)arg;
    *out = (struct wick_jfr_thread){.os_name = "main", .os_tid = id, .java_name = "main", .java_tid = id};
    return 0;
}

static void put_object(struct wick_jfr_writer *w, uint64_t moment, const char *class_name, uint32_t where, uint64_t i)
{
#define STORY_OBJECT                                                                                                   \
    {                                                                                                                  \
        .start_ns = REQUESTS_MONO_NS + 10 * moment * STORY_S, .thread = 1, .stack = where, .class_name = class_name,   \
        .size = SAMPLED, .allocated_ns = REQUESTS_MONO_NS + (i + 1) * REQUESTS_MS, .weight = STORY_MIB, .age = moment, \
        .snapshot = moment                                                                                             \
    }
    if (moment == MOMENTS)
        wick_jfr_write_live_object(w, &(struct wick_jfr_live_object)STORY_OBJECT);
    else
        wick_jfr_write_live_object_then(w, &(struct wick_jfr_live_object_then)STORY_OBJECT);
#undef STORY_OBJECT
}

static void put_moment(struct wick_jfr_writer *w, uint64_t moment)
{
    uint64_t leaked = MORE * moment, objects = STEADY + leaked + (moment == ONCE);
    for (uint64_t i = 0; i < STEADY; i++)
        put_object(w, moment, "[C", LOAD, i);
    for (uint64_t i = 0; i < leaked; i++)
        put_object(w, moment, LIVE_STORY_LEAK, PUT, 100 + i);
    if (moment == ONCE)
        put_object(w, moment, "[B", PUT, 5000);
    wick_jfr_write_live_heap(w, &(struct wick_jfr_live_heap){.start_ns = REQUESTS_MONO_NS + 10 * moment * STORY_S,
                                                             .snapshot = moment,
                                                             .objects = objects,
                                                             .bytes = objects * STORY_MIB});
}

static void put_collection(struct wick_jfr_writer *w, uint64_t i)
{
    const uint64_t pause = 5 * REQUESTS_MS;
    wick_jfr_write_garbage_collection(
        w, &(struct wick_jfr_garbage_collection){.start_ns = REQUESTS_MONO_NS + (2 + 5 * i) * STORY_S,
                                                 .duration_ns = pause,
                                                 .gc_id = (uint32_t)i + 1,
                                                 .name = "G1 young",
                                                 .cause = "G1 Evacuation Pause",
                                                 .sum_of_pauses_ns = pause,
                                                 .longest_pause_ns = pause,
                                                 .used_after = (40 + 4 * i) * STORY_MIB,
                                                 .used_before = 200 * STORY_MIB});
}

int live_story_write(int fd)
{
    static const struct wick_jfr_source source = {NULL, stack, method, thread, NULL};
    const struct wick_jfr_config config = {REQUESTS_MONO_NS, REQUESTS_TIME_NS};
    struct wick_output o;
    struct wick_jfr_writer *w;
    if (wick_output_init_fd(&o, fd))
        return 1;
    struct wick_jfr_sink sink = wick_output_sink(&o);
    if (wick_jfr_writer_open(&w, &sink, &source, &config))
        return 1;
    for (uint64_t i = 0; i < 12; i++)
        put_collection(w, i);
    for (uint64_t moment = 1; moment <= MOMENTS; moment++)
        put_moment(w, moment);
    int rc = wick_jfr_writer_close(w, REQUESTS_MONO_NS + 61 * STORY_S, NULL);
    wick_output_release(&o);
    return rc;
}
