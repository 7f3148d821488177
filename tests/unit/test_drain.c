/* SPDX-License-Identifier: Apache-2.0 */
/* record/drain.h: what a recording says of its own samples, by type, each in its own unit; and what of them was lost
 * behind the rings. The counters of the recorder are set by hand, as handlers would. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "import/input.h"
#include "jfr/reader/reader.h"
#include "record/drain.h"

enum { TYPES = 8 };

static struct wick_mem mem;
static struct wick_jvm jvm;
static struct wick_elf_images images;
static struct wick_recorder recorder;
static struct wick_output output;
static struct wick_drain d;
static int file;

static int set_up(void **state)
{
    bool changed;
    assert_int_equal(wick_mem_self_init(&mem), 0);
    memset(&jvm.layout, 0xff, sizeof jvm.layout); /* nothing is known of a JVM */
    jvm.mem = &mem;
    wick_elf_images_init(&images, 0);
    assert_int_equal(wick_elf_images_refresh(&images, &mem, &changed, NULL), 0);
    assert_int_equal(wick_recorder_init(&recorder, 8 << 20, 256, 64), 0);
    assert_int_equal(wick_walker_init(&recorder.walker, &jvm, &images), 0);
    return 0;
}

static int tear_down(void **state)
{
    wick_walker_release(&recorder.walker);
    wick_recorder_release(&recorder);
    wick_elf_images_release(&images);
    close(file);
    return 0;
}

static int thread_of(void *arg, uint32_t serial, struct wick_jfr_thread *out)
{
    *out = (struct wick_jfr_thread){"native", serial, "java", serial, "main"};
    return 0;
}

static void event(void *arg, struct wick_drain *drain, const struct wick_event *e)
{
    if (e->type == WICK_EVENT_CPU)
        wick_jfr_write_execution_sample(drain->writer,
                                        &(struct wick_jfr_execution_sample){.start_ns = e->time_ns, .thread = 1});
    else if (e->type == WICK_EVENT_WALL)
        wick_jfr_write_wall_clock_sample(drain->writer,
                                         &(struct wick_jfr_wall_clock_sample){.start_ns = e->time_ns, .thread = 1});
    else
        wick_jfr_write_perf_sample(drain->writer, &(struct wick_jfr_perf_sample){.start_ns = e->time_ns, .thread = 1});
}

static void lost(void *arg, const struct wick_event *e)
{
}

static void chunk_end(void *arg)
{
}

static void chunk_begin(void *arg, struct wick_jfr_writer *w, uint64_t now_ns)
{
}

/* A recording that began so long ago. */
static void open_drain_since(uint64_t ago_ns, bool cpu_time)
{
    static const struct wick_drain_host host = {
        .thread = thread_of, .event = event, .lost = lost, .chunk_end = chunk_end, .chunk_begin = chunk_begin};
    const struct wick_drain_config c = {.start_ns = wick_clock_mono_ns() - ago_ns,
                                        .chunk_bytes = 4 << 20,
                                        .chunk_ns = UINT64_C(60000000000),
                                        .memory_limit = 4 << 20,
                                        .max_frames = 64,
                                        .cpu_time = cpu_time,
                                        .from_birth = true,
                                        .sample = {[WICK_JFR_EVENT_EXECUTION_SAMPLE] = WICK_EVENT_CPU + 1,
                                                   [WICK_JFR_EVENT_WALL_CLOCK_SAMPLE] = WICK_EVENT_WALL + 1,
                                                   [WICK_JFR_EVENT_PERF_SAMPLE] = WICK_EVENT_PERF + 1}};
    struct wick_err err = {0};
    file = memfd_create("drain", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    assert_true(file >= 0);
    assert_int_equal(wick_output_init_fd(&output, dup(file)), 0);
    assert_int_equal(wick_drain_open(&d, &recorder, &images, &output, &host, &c, &err), 0);
}

static void open_drain(bool cpu_time)
{
    open_drain_since(0, cpu_time);
}

/* From here on the file takes no more. */
static void fill_disk(void)
{
    assert_int_equal(fcntl(file, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_WRITE), 0);
}

/* Counts an event as a handler does that has put it into a ring. */
static struct wick_event counted(enum wick_event_type type, uint16_t samples, uint64_t weight)
{
    struct wick_counters *c = &recorder.counters[0];
    atomic_fetch_add(&c->of[type].fired, samples);
    atomic_fetch_add(&c->of[type].recorded, samples);
    atomic_fetch_add(&c->of[type].weight, weight);
    return (struct wick_event){.time_ns = wick_clock_mono_ns(),
                               .generation = d.tables->generation,
                               .samples = samples,
                               .weight = weight,
                               .type = (uint8_t)type};
}

static void put(enum wick_event_type type, uint16_t samples, uint64_t weight)
{
    const struct wick_event e = counted(type, samples, weight);
    wick_drain_put(&d, &e);
}

/* Samples that found no room in a ring. */
static void drop(enum wick_event_type type, uint16_t samples, uint64_t weight)
{
    struct wick_counters *c = &recorder.counters[0];
    atomic_fetch_add(&c->of[type].fired, samples);
    atomic_fetch_add(&c->of[type].dropped, samples);
    atomic_fetch_add(&c->of[type].drop_weight, weight);
    atomic_fetch_add(&c->drops[WICK_DROP_RING_FULL], samples);
}

static void check(const struct wick_type_totals *t, uint64_t fired, uint64_t recorded, uint64_t weight,
                  uint64_t dropped, uint64_t drop_weight)
{
    assert_int_equal(t->fired, fired);
    assert_int_equal(t->recorded, recorded);
    assert_int_equal(t->weight, weight);
    assert_int_equal(t->dropped, dropped);
    assert_int_equal(t->drop_weight, drop_weight);
}

static void test_drain__what_the_output_loses_is_dropped_with_its_weight(void **state)
{
    struct wick_totals t;
    open_drain(true);
    put(WICK_EVENT_CPU, 2, 50);
    put(WICK_EVENT_WALL, 3, 600);
    assert_int_equal(wick_drain_flush(&d, wick_clock_mono_ns()), 0);
    wick_drain_totals(&d, &t);
    check(&t.of[WICK_EVENT_CPU], 2, 2, 50, 0, 0);
    fill_disk();
    put(WICK_EVENT_CPU, 1, 7); /* pending when the output fails */
    put(WICK_EVENT_CPU, 4, 28);
    put(WICK_EVENT_PERF, 1, 9000);
    assert_true(wick_drain_flush(&d, wick_clock_mono_ns()) < 0);
    put(WICK_EVENT_WALL, 5, 11); /* while it is stopped */
    wick_drain_totals(&d, &t);
    check(&t.of[WICK_EVENT_CPU], 7, 2, 50, 5, 35);
    check(&t.of[WICK_EVENT_WALL], 8, 3, 600, 5, 11);
    check(&t.of[WICK_EVENT_PERF], 1, 0, 0, 1, 9000);
    assert_int_equal(t.drops[WICK_DROP_OUTPUT_FULL], 11);
    assert_int_equal(t.recorded, 5);
    wick_drain_close(&d, wick_clock_mono_ns(), NULL, NULL);
    wick_output_release(&output);
}

static void test_drain__an_event_whose_tables_are_gone_is_dropped_with_its_weight(void **state)
{
    struct wick_totals t;
    open_drain(true);
    struct wick_event e = counted(WICK_EVENT_CPU, 3, 70);
    e.generation--;
    put(WICK_EVENT_CPU, 1, 5);
    wick_drain_put(&d, &e);
    wick_drain_close(&d, wick_clock_mono_ns(), &t, NULL);
    check(&t.of[WICK_EVENT_CPU], 4, 1, 5, 3, 70);
    assert_int_equal(t.drops[WICK_DROP_OUT_OF_MEMORY], 3);
    wick_output_release(&output);
}

/* --- what the recording says --- */

struct said {
    struct wick_profile p;
    struct row {
        const char *type, *unit;
        struct wick_type_totals t;
    } rows[TYPES];
    uint32_t nrows;
    int64_t fired, recorded, dropped, unsampled;
    int64_t last_ns; /* time of the last sample, since 1970 */
};

static bool want(void *arg, const char *type)
{
    return !strcmp(type, "wick.SampleTotals") || !strcmp(type, "wick.Profiler");
}

static uint64_t number(const struct wick_jfr_event *e, const char *field)
{
    int64_t v = -1;
    assert_true(wick_jfr_event_int(e, field, &v));
    return (uint64_t)v;
}

static const char *text(const struct said *s, const struct wick_jfr_event *e, const char *field)
{
    uint32_t v = 0;
    assert_true(wick_jfr_event_text(e, field, &v));
    return wick_profile_str(&s->p, v);
}

static void take(void *arg, const struct wick_jfr_event *e)
{
    struct said *s = arg;
    if (!strcmp(e->type, "wick.Profiler")) {
        s->fired = (int64_t)number(e, "fired");
        s->recorded = (int64_t)number(e, "recorded");
        s->dropped = (int64_t)number(e, "dropped");
        s->unsampled = (int64_t)number(e, "cpuTimeUnsampled");
        return;
    }
    assert_in_range(s->nrows, 0, TYPES - 1);
    s->rows[s->nrows++] = (struct row){.type = text(s, e, "type"),
                                       .unit = text(s, e, "unit"),
                                       .t = {.fired = number(e, "fired"),
                                             .recorded = number(e, "recorded"),
                                             .dropped = number(e, "dropped"),
                                             .weight = number(e, "weight"),
                                             .drop_weight = number(e, "droppedWeight")}};
}

static void sample(void *arg, const struct wick_sample *x)
{
    struct said *s = arg;
    s->last_ns = (int64_t)x->time_ns;
}

/* Ends the recording and reads it. */
static void close_and_read(struct said *s)
{
    const struct wick_jfr_visitor v = {.ctx = s, .sample = sample, .want = want, .event = take};
    struct wick_jfr_result result;
    struct wick_err err = {0};
    char path[64];
    assert_int_equal(wick_drain_close(&d, wick_clock_mono_ns(), NULL, NULL), 0);
    wick_output_release(&output);
    *s = (struct said){.unsampled = -1};
    assert_int_equal(wick_profile_init(&s->p), 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    assert_int_equal(wick_input_read_file(&s->p, path, &v, &result, &err), 0);
}

/* Of a recording without samples of CPU time all figures are those of its one type, and none is CPU time. */
static void check_alone(enum wick_event_type type, const char *name, const char *unit)
{
    struct said s;
    open_drain(false);
    put(type, 3, 4000);
    drop(type, 2, 2000);
    atomic_store(&recorder.quiet_cpu_ns, 1000000);
    close_and_read(&s);
    assert_int_equal(s.nrows, 1);
    assert_string_equal(s.rows[0].type, name);
    assert_string_equal(s.rows[0].unit, unit);
    check(&s.rows[0].t, 5, 3, 4000, 2, 2000);
    assert_int_equal(s.fired, 5);
    assert_int_equal(s.recorded, 3);
    assert_int_equal(s.dropped, 2);
    assert_int_equal(s.unsampled, 0);
    wick_profile_release(&s.p);
}

static void test_drain__wall_clock_alone_has_totals_in_its_unit_and_no_cpu_time(void **state)
{
    check_alone(WICK_EVENT_WALL, "wall", "elapsed time, ns");
}

static void test_drain__a_counted_event_alone_has_totals_in_its_unit_and_no_cpu_time(void **state)
{
    check_alone(WICK_EVENT_PERF, "perf", "occurrences");
}

static void test_drain__unsampled_cpu_time_is_what_no_cpu_sample_stands_for(void **state)
{
    struct said s;
    open_drain(true);
    put(WICK_EVENT_CPU, 2, 700000);
    put(WICK_EVENT_WALL, 1, 90000); /* not CPU time */
    put(WICK_EVENT_PERF, 1, 8000);
    drop(WICK_EVENT_CPU, 1, 6000);
    struct wick_event gone = counted(WICK_EVENT_CPU, 1, 500);
    gone.generation--;
    wick_drain_put(&d, &gone);
    atomic_store(&recorder.quiet_cpu_ns, 1000000); /* what the process had used when sampling stopped */
    close_and_read(&s);
    assert_int_equal(s.unsampled, 300000);
    assert_int_equal(s.nrows, 3);
    wick_profile_release(&s.p);
}

static void test_drain__samples_may_stand_for_more_than_the_cpu_clock_says(void **state)
{
    struct said s;
    open_drain(true);
    put(WICK_EVENT_CPU, 1, 1000001);
    atomic_store(&recorder.quiet_cpu_ns, 1000000);
    close_and_read(&s);
    assert_int_equal(s.unsampled, 0);
    wick_profile_release(&s.p);
}

/* Starting engines can take seconds on a crowded machine, and what they sample until then keeps its time. */
static void test_drain__a_recording_begins_before_its_engines(void **state)
{
    struct said s;
    enum { AGO = 5 };
    open_drain_since(AGO * UINT64_C(1000000000), true);
    struct wick_event e = counted(WICK_EVENT_CPU, 1, 1000000);
    e.time_ns -= (AGO - 1) * UINT64_C(1000000000);
    wick_drain_put(&d, &e);
    int64_t now = (int64_t)wick_clock_epoch_ns();
    close_and_read(&s);
    assert_true(s.last_ns && now - s.last_ns >= (AGO - 2) * INT64_C(1000000000));
    wick_profile_release(&s.p);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_drain__what_the_output_loses_is_dropped_with_its_weight),
        TEST(test_drain__an_event_whose_tables_are_gone_is_dropped_with_its_weight),
        TEST(test_drain__wall_clock_alone_has_totals_in_its_unit_and_no_cpu_time),
        TEST(test_drain__a_counted_event_alone_has_totals_in_its_unit_and_no_cpu_time),
        TEST(test_drain__unsampled_cpu_time_is_what_no_cpu_sample_stands_for),
        TEST(test_drain__samples_may_stand_for_more_than_the_cpu_clock_says),
        TEST(test_drain__a_recording_begins_before_its_engines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
