/* SPDX-License-Identifier: Apache-2.0 */
/* analysis/wait/ttsp_incidents.h: where a slow thread was when one of wick's own handlers was on its stack, in a
 * recording by wick's own writer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/wait/ttsp_incidents.h"
#include "base/err.h"
#include "base/frame_kind.h"
#include "import/input.h"
#include "jfr/writer/writer.h"
#include "record/output.h"

#define START_NS UINT64_C(5000000000000)
#define MS       UINT64_C(1000000)

enum { HANDLER = 1, RECORDER, RESTORER, COPY, RUN, MAIN, METHODS };

static const struct {
    const char *class_name, *name, *signature;
    uint8_t kind;
} methods[METHODS] = {
    [HANDLER] = {"libwick.so", "wick_cpu_handler_sig", NULL, WICK_FRAME_NATIVE},
    [RECORDER] = {"libwick.so", "wick_recorder_sample_sig", NULL, WICK_FRAME_NATIVE},
    [RESTORER] = {"libc.so.6", "__restore_rt", NULL, WICK_FRAME_NATIVE},
    [COPY] = {"libc.so.6", "__memmove_avx_unaligned", NULL, WICK_FRAME_NATIVE},
    [RUN] = {"app/Main", "run", "()V", WICK_FRAME_C2},
    [MAIN] = {"app/Main", "main", "()V", WICK_FRAME_C2},
};

/* Leaf first, up to 0: the thread of a number has the stack of that number. The method that it is found in, and why. */
static const struct {
    uint8_t methods[8], found;
    enum wick_ttsp_why why;
} cases[] = {
    {{RUN, MAIN}, RUN, WICK_TTSP_LOOP},
    {{HANDLER, RUN, MAIN}, RUN, WICK_TTSP_LOOP},
    {{RECORDER, HANDLER, RESTORER, RUN, MAIN}, RUN, WICK_TTSP_LOOP},
    {{RECORDER, HANDLER, RESTORER, COPY, RUN, MAIN}, COPY, WICK_TTSP_COPY},
    {{COPY, RUN, MAIN}, COPY, WICK_TTSP_COPY},
    {{RESTORER, RUN, MAIN}, RESTORER, WICK_TTSP_VM},
    {{RECORDER, HANDLER}, RECORDER, WICK_TTSP_VM},
    {{HANDLER, RESTORER}, RESTORER, WICK_TTSP_VM},
};

enum { CASES = sizeof cases / sizeof *cases };

static size_t stack(void *arg, uint32_t id, struct wick_jfr_frame *out, size_t cap, bool *truncated)
{
    size_t n = 0;
    *truncated = false;
    for (uint8_t m; n < cap && (m = cases[id - 1].methods[n]); n++)
        out[n] = (struct wick_jfr_frame){.method = m, .kind = methods[m].kind};
    return n;
}

static int method(void *arg, uint32_t id, struct wick_jfr_method *out)
{
    *out = (struct wick_jfr_method){
        .class_name = methods[id].class_name, .name = methods[id].name, .signature = methods[id].signature};
    return 0;
}

static int thread(void *arg, uint32_t id, struct wick_jfr_thread *out)
{
    *out = (struct wick_jfr_thread){.os_name = "worker", .os_tid = id, .java_name = "worker", .java_tid = id};
    return 0;
}

/* A safepoint that a thread for each case was slow to reach. again: it is reported more often, as are its threads. */
static int record(uint32_t again)
{
    static const struct wick_jfr_source source = {NULL, stack, method, thread, NULL};
    const struct wick_jfr_config config = {.start_mono_ns = START_NS, .start_epoch_ns = UINT64_C(1700000000000000000)};
    struct wick_jfr_writer *w;
    struct wick_output o;
    int fd = memfd_create("safepoints", MFD_CLOEXEC);
    assert_int_equal(wick_output_init_fd(&o, dup(fd)), 0);
    struct wick_jfr_sink sink = wick_output_sink(&o);
    assert_int_equal(wick_jfr_writer_open(&w, &sink, &source, &config), 0);
    for (uint32_t i = 0; i <= again; i++)
        wick_jfr_write_safepoint_latency(w, &(struct wick_jfr_safepoint_latency){.start_ns = START_NS + i * MS,
                                                                                 .duration_ns = 50 * MS,
                                                                                 .incident = 1,
                                                                                 .kind = "safepoint",
                                                                                 .reach_ns = 40 * MS,
                                                                                 .late_threads = CASES});
    for (uint32_t n = 0; n < CASES * (again + 1); n++) {
        uint32_t id = n % CASES + 1;
        wick_jfr_write_safepoint_laggard(w, &(struct wick_jfr_safepoint_laggard){.start_ns = START_NS + 10 * MS,
                                                                                 .thread = id,
                                                                                 .stack = id,
                                                                                 .incident = 1,
                                                                                 .attempt = 1,
                                                                                 .kind = "late",
                                                                                 .waited_ns = 10 * MS,
                                                                                 .response_ns = MS,
                                                                                 .os_state = "R"});
        wick_jfr_write_safepoint_arrival(w, &(struct wick_jfr_safepoint_arrival){.start_ns = START_NS + 40 * MS,
                                                                                 .thread = id,
                                                                                 .incident = 1,
                                                                                 .waited_ns = 40 * MS,
                                                                                 .signals = 1,
                                                                                 .answers = 1});
    }
    assert_int_equal(wick_jfr_writer_close(w, START_NS + 100 * MS, NULL), 0);
    wick_output_release(&o);
    return fd;
}

static int read_events(struct wick_profile *p, const char *path, const struct wick_jfr_visitor *v, struct wick_err *err)
{
    struct wick_jfr_result result;
    return wick_input_read_file(p, path, v, &result, err);
}

static void test_incidents__a_thread_is_slow_where_wicks_handler_interrupted_it(void **state)
{
    struct wick_ttsp_incidents in;
    struct wick_profile p;
    struct wick_err err = {0};
    char path[64], *const paths[] = {path};
    int fd = record(0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert_int_equal(wick_profile_init(&p), 0);
    assert_int_equal(wick_ttsp_incidents_read(&in, &p, paths, 1, read_events, &err), 0);
    assert_int_equal(in.nslow, 1);
    assert_int_equal(in.nculprits, CASES);
    for (uint32_t i = 0; i < CASES; i++) {
        const struct wick_ttsp_culprit *c = &in.culprits[i];
        int64_t id = p.threads[c->thread].os_tid;
        assert_in_range(id, 1, CASES);
        const struct wick_function *f = &p.functions[p.frames[c->frame].function];
        assert_string_equal(wick_profile_str(&p, f->name), methods[cases[id - 1].found].name);
        assert_int_equal(c->why, cases[id - 1].why);
    }
    wick_ttsp_incidents_release(&in);
    wick_profile_release(&p);
    close(fd);
}

/* Nothing is copied twice, nor read beyond the end, where the number of an incident is not its own. */
static void test_incidents__of_one_number_share_their_threads_when_chosen(void **state)
{
    enum { AGAIN = 3 };
    struct wick_ttsp_incidents all, in;
    struct wick_profile p;
    struct wick_err err = {0};
    char path[64], *const paths[] = {path};
    int fd = record(AGAIN);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert_int_equal(wick_profile_init(&p), 0);
    assert_int_equal(wick_ttsp_incidents_read(&all, &p, paths, 1, read_events, &err), 0);
    assert_int_equal(wick_ttsp_incidents_choose(&in, &all, &(struct wick_range){0}), 0);
    assert_int_equal(in.nslow, AGAIN + 1);
    assert_int_equal(in.nculprits, CASES * (AGAIN + 1));
    assert_int_equal(in.nsignals, CASES * (AGAIN + 1));
    for (uint32_t i = 0; i < in.nslow; i++) {
        assert_int_equal(in.slow[i].count, all.slow[i].count);
        assert_true(in.slow[i].first + in.slow[i].count <= in.nculprits);
        for (uint32_t k = 0; k < in.slow[i].count; k++) {
            const struct wick_ttsp_culprit *c = &in.culprits[in.slow[i].first + k];
            assert_int_equal(c->thread, all.culprits[all.slow[i].first + k].thread);
            assert_int_equal(c->count, AGAIN + 1);
            assert_int_equal(in.signals[c->first].thread, c->thread);
        }
    }
    wick_ttsp_incidents_release(&in);
    wick_ttsp_incidents_release(&all);
    wick_profile_release(&p);
    close(fd);
}

/* Whatever a damaged recording has as the times of its readings. */
static void test_incidents__of_readings_too_far_apart_count_nothing(void **state)
{
    struct wick_ttsp_reading readings[] = {{0, INT64_MIN, 0, 0}, {0, INT64_MAX, 5, 5}, {0, INT64_MIN, 8, 8}};
    const struct wick_ttsp_incidents all = {.readings = readings, .nreadings = 3};
    struct wick_ttsp_incidents in;
    assert_int_equal(wick_ttsp_incidents_choose(&in, &all, &(struct wick_range){1, 2}), 0);
    assert_int_equal(in.safepoints, 0);
    wick_ttsp_incidents_release(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_incidents__a_thread_is_slow_where_wicks_handler_interrupted_it),
        cmocka_unit_test(test_incidents__of_one_number_share_their_threads_when_chosen),
        cmocka_unit_test(test_incidents__of_readings_too_far_apart_count_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
