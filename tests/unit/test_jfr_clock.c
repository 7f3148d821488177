/* SPDX-License-Identifier: Apache-2.0 */
/* What the JFR writer does when the wall clock is set or the machine is suspended: with clocks of the test's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/err.h"
#include "jfr/writer/writer.h"
#include "jfr_walk.h"

#define START_NS UINT64_C(7000000000000)
#define EPOCH_NS UINT64_C(1700000000000000000)
#define MS       UINT64_C(1000000)
#define SECOND   (1000 * MS)

static struct {
    uint8_t data[1 << 20];
    size_t len;
} file;

static int mem_begin(void *arg, uint64_t now_ns, uint64_t *base)
{
    *base = file.len;
    return 0;
}

static int mem_write(void *arg, uint64_t offset, const struct iovec *iov, int n)
{
    for (int i = 0; i < n; offset += iov[i++].iov_len) {
        assert_true(offset + iov[i].iov_len <= sizeof file.data);
        memcpy(file.data + offset, iov[i].iov_base, iov[i].iov_len);
        if (offset + iov[i].iov_len > file.len)
            file.len = offset + iov[i].iov_len;
    }
    return 0;
}

static int mem_truncate(void *arg, uint64_t end)
{
    file.len = end;
    return 0;
}

static size_t one_frame(void *arg, uint32_t id, struct wick_jfr_frame *out, size_t cap, bool *truncated)
{
    out[0] = (struct wick_jfr_frame){1, 10, 5, WICK_FRAME_C2};
    return 1;
}

static int one_method(void *arg, uint32_t id, struct wick_jfr_method *out)
{
    *out = (struct wick_jfr_method){"p/C", "m", "()V", 1};
    return 0;
}

static int one_thread(void *arg, uint32_t id, struct wick_jfr_thread *out)
{
    *out = (struct wick_jfr_thread){"worker", 100, NULL, 0, NULL};
    return 0;
}

static struct wick_jfr_writer *open_writer(struct wick_jfr_config config)
{
    static const struct wick_jfr_sink sink = {NULL, mem_begin, mem_write, mem_truncate, NULL};
    static const struct wick_jfr_source source = {NULL, one_frame, one_method, one_thread};
    struct wick_jfr_writer *w = NULL;
    file.len = 0;
    config.start_mono_ns = START_NS;
    config.start_epoch_ns = EPOCH_NS;
    assert_int_equal(wick_jfr_writer_open(&w, &sink, &source, &config), 0);
    return w;
}

static int sample(struct wick_jfr_writer *w, uint64_t time_ns)
{
    return wick_jfr_write_execution_sample(
        w, &(struct wick_jfr_execution_sample){time_ns, 1, 1, WICK_JFR_STATE_DEFAULT, WICK_JFR_SAMPLE_USER, MS, 0});
}

/* A wall clock that can be set, and a machine that can be suspended. */
static uint64_t fake_epoch(void *arg, uint64_t mono_ns)
{
    return EPOCH_NS + (mono_ns - START_NS) + (uint64_t) * (int64_t *)arg;
}

/* The machine's clocks, as the writer reads them: real ones unless a test has set them. */
static struct {
    bool set;
    uint64_t mono_ns, epoch_ns,
        lost_ns; /* lost: how long the reader has no CPU before it reads CLOCK_MONOTONIC again */
    unsigned reads;
} machine;

int clock_gettime(clockid_t id, struct timespec *out)
{
    if (!machine.set || (id != CLOCK_MONOTONIC && id != CLOCK_REALTIME))
        return (int)syscall(SYS_clock_gettime, id, out);
    if (id == CLOCK_MONOTONIC && machine.reads++ % 2) {
        machine.mono_ns += machine.lost_ns;
        machine.epoch_ns += machine.lost_ns;
        machine.lost_ns = 0;
    }
    uint64_t now = id == CLOCK_MONOTONIC ? machine.mono_ns : machine.epoch_ns;
    *out = (struct timespec){(time_t)(now / SECOND), (long)(now % SECOND)};
    return 0;
}

static uint64_t read_be(const uint8_t *p)
{
    uint64_t v = 0;
    for (int i = 0; i < 8; i++)
        v = v << 8 | p[i];
    return v;
}

/* A sample at a millisecond before and after each flush; the clock steps after the third of six. `by`: how far. Returns
 * the chunks, and their starts on the wall clock. */
static uint64_t with_step(int64_t by, uint64_t starts[8])
{
    struct walk x;
    int64_t step = 0;
    struct wick_jfr_writer *w =
        open_writer((struct wick_jfr_config){.epoch = fake_epoch, .epoch_arg = &step, .chunk_ns = 60 * SECOND});
    for (uint64_t i = 1; i <= 6; i++) {
        step = i > 3 ? by : 0;
        sample(w, START_NS + i * SECOND - MS);
        assert_int_equal(wick_jfr_writer_flush(w, START_NS + i * SECOND), 0);
    }
    assert_int_equal(wick_jfr_writer_close(w, START_NS + 7 * SECOND, NULL), 0);
    walk_recording(&x, file.data, file.len);
    assert_int_equal(x.events[WICK_JFR_EVENT_EXECUTION_SAMPLE], 6);
    size_t at = 0;
    for (uint64_t i = 0; i < x.chunks && i < 8; i++) {
        starts[i] = read_be(file.data + at + WICK_JFR_HDR_START_NANOS);
        at += read_be(file.data + at + WICK_JFR_HDR_CHUNK_SIZE);
    }
    return x.chunks;
}

static void test_writer__a_clock_that_was_set_begins_a_chunk(void **state)
{
    (void)state;
    static const int64_t steps[] = {100 * (int64_t)MS, 8 * 3600 * (int64_t)SECOND, -100 * (int64_t)MS,
                                    -3600 * (int64_t)SECOND};
    uint64_t starts[8];
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        assert_int_equal(with_step(steps[i], starts), 2);
        assert_int_equal(starts[0], EPOCH_NS);
        assert_int_equal(starts[1], EPOCH_NS + 4 * SECOND + (uint64_t)steps[i]);
    }
    assert_int_equal(with_step(99 * (int64_t)MS, starts), 1);
    assert_int_equal(with_step(-99 * (int64_t)MS, starts), 1);
}

/* What has slipped by less than that does not add up from chunk to chunk. */
static void test_writer__each_chunk_has_its_own_start_on_the_wall_clock(void **state)
{
    (void)state;
    int64_t drift = 0;
    struct wick_jfr_writer *w = open_writer((struct wick_jfr_config){.epoch = fake_epoch, .epoch_arg = &drift});
    for (uint64_t i = 1; i <= 10; i++) {
        drift = (int64_t)(i * 50 * MS);
        sample(w, START_NS + i * SECOND);
        size_t next = file.len;
        assert_int_equal(wick_jfr_writer_rotate(w, START_NS + i * SECOND), 0);
        uint64_t start = EPOCH_NS + (i - 1) * (SECOND + 50 * MS);
        assert_int_equal(read_be(file.data + next + WICK_JFR_HDR_START_NANOS), start);
    }
    wick_jfr_writer_close(w, START_NS + 11 * SECOND, NULL);
}

/* Ends a chunk at a time by the machine's clocks; its start on the wall clock. */
static uint64_t start_of_chunk(struct wick_jfr_writer *w, uint64_t mono_ns, uint64_t epoch_ns)
{
    size_t next = file.len;
    machine.mono_ns = mono_ns + MS;
    machine.epoch_ns = epoch_ns + MS;
    sample(w, mono_ns);
    assert_int_equal(wick_jfr_writer_rotate(w, mono_ns), 0);
    return read_be(file.data + next + WICK_JFR_HDR_START_NANOS);
}

/* What libwick.so and wick host ask for: no time of the recording's start, so that every chunk is dated by the
 * machine's clock, suspended and set as it may be since. */
static void test_writer__without_a_start_the_machines_clock_dates_each_chunk(void **state)
{
    (void)state;
    static const struct wick_jfr_sink sink = {NULL, mem_begin, mem_write, mem_truncate, NULL};
    static const struct wick_jfr_source source = {NULL, one_frame, one_method, one_thread};
    const struct wick_jfr_config config = {.start_mono_ns = START_NS};
    const uint64_t suspended = 3600 * SECOND, set = 7200 * SECOND;
    struct wick_jfr_writer *w = NULL;
    file.len = 0;
    machine.set = true;
    machine.mono_ns = START_NS;
    machine.epoch_ns = EPOCH_NS;
    assert_int_equal(wick_jfr_writer_open(&w, &sink, &source, &config), 0);
    uint64_t starts[4] = {start_of_chunk(w, START_NS + SECOND, EPOCH_NS + SECOND)};
    starts[1] = start_of_chunk(w, START_NS + 2 * SECOND, EPOCH_NS + 2 * SECOND + suspended);
    machine.lost_ns = 500 * MS; /* between two readings: read again */
    starts[2] = start_of_chunk(w, START_NS + 4 * SECOND, EPOCH_NS + 4 * SECOND + suspended - set);
    starts[3] = start_of_chunk(w, START_NS + 5 * SECOND, EPOCH_NS + 5 * SECOND + suspended - set);
    wick_jfr_writer_close(w, START_NS + 6 * SECOND, NULL);
    machine.set = false;
    assert_int_equal(starts[0], EPOCH_NS);
    assert_int_equal(starts[1], EPOCH_NS + SECOND);
    assert_int_equal(starts[2], EPOCH_NS + 2 * SECOND + suspended);
    assert_int_equal(starts[3], EPOCH_NS + 4 * SECOND + suspended - set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_writer__a_clock_that_was_set_begins_a_chunk),
        cmocka_unit_test(test_writer__each_chunk_has_its_own_start_on_the_wall_clock),
        cmocka_unit_test(test_writer__without_a_start_the_machines_clock_dates_each_chunk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
