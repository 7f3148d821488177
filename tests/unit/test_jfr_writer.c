/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JFR writer, against jfr_walk.h's reading of the format. Allocation failures come from malloc, calloc and realloc
 * being wrapped by the linker (tests/unit/meson.build).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/err.h"
#include "jfr/writer/writer.h"
#include "jfr_walk.h"

#define START_NS UINT64_C(7000000000000)
#define EPOCH_NS UINT64_C(1700000000000000000)
#define MS       UINT64_C(1000000)
#define SECOND   (1000 * MS)

/* ---- allocation failures ---- */

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);

static long fail_from = -1, fail_count; /* allocation number fail_from and the fail_count - 1 after it fail */

static bool allocation_fails(void)
{
    if (fail_from < 0)
        return false;
    if (fail_from > 0) {
        fail_from--;
        return false;
    }
    return fail_count-- > 0;
}

void *__wrap_malloc(size_t n)
{
    return allocation_fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return allocation_fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
    return allocation_fails() ? NULL : __real_realloc(p, n);
}

/* ---- a sink in memory ---- */

struct mem {
    uint8_t *data;
    size_t len, cap;
    size_t limit; /* writes beyond it stop there and fail */
    int begin_error;
};

static int mem_begin(void *arg, uint64_t now_ns, uint64_t *base)
{
    struct mem *m = arg;
    *base = m->len;
    return m->begin_error;
}

static int mem_write(void *arg, uint64_t offset, const struct iovec *iov, int n)
{
    struct mem *m = arg;
    for (int i = 0; i < n; offset += iov[i++].iov_len) {
        size_t fits = offset >= m->limit ? 0 : m->limit - offset;
        if (fits > iov[i].iov_len)
            fits = iov[i].iov_len;
        assert_true(offset + fits <= m->cap);
        memcpy(m->data + offset, iov[i].iov_base, fits);
        if (offset + fits > m->len)
            m->len = offset + fits;
        if (fits < iov[i].iov_len)
            return -WICK_E_NOSPACE;
    }
    return 0;
}

static int mem_truncate(void *arg, uint64_t end)
{
    struct mem *m = arg;
    assert_true(end <= m->len);
    m->len = end;
    return 0;
}

static struct mem file;

static int setup(void **state)
{
    (void)state;
    file = (struct mem){.cap = 24 << 20, .limit = SIZE_MAX};
    file.data = __real_calloc(1, file.cap);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(file.data);
    fail_from = -1;
    return 0;
}

/* ---- a source ---- */

static uint32_t depth_of_all; /* 0: by stack id */
static struct wick_jfr_method method_of_all;
static uint32_t stack_calls, method_calls, thread_calls;

static size_t test_stack(void *arg, uint32_t id, struct wick_jfr_frame *out, size_t cap, bool *truncated)
{
    stack_calls++;
    size_t depth = depth_of_all ? depth_of_all : 1 + id % 40;
    *truncated = depth > cap;
    if (depth > cap)
        depth = cap;
    for (size_t i = 0; i < depth; i++)
        out[i] = (struct wick_jfr_frame){0x80000000u + (uint32_t)(id + i) % 300, 10, 5, WICK_FRAME_C2};
    return depth;
}

static int test_method(void *arg, uint32_t id, struct wick_jfr_method *out)
{
    static char name[32], class_name[32];
    method_calls++;
    if (method_of_all.name) {
        *out = method_of_all;
        return 0;
    }
    if (id % 17 == 3)
        return -WICK_E_NOTFOUND;
    snprintf(name, sizeof name, "m%u", id);
    snprintf(class_name, sizeof class_name, "p%u/q/C%u", id % 5, id % 50);
    *out = (struct wick_jfr_method){class_name, name, id % 4 ? "(I)V" : NULL, 1};
    return 0;
}

static int test_thread(void *arg, uint32_t id, struct wick_jfr_thread *out)
{
    thread_calls++;
    *out =
        (struct wick_jfr_thread){id % 7 ? "worker" : NULL, 100 + id, id % 2 ? "java" : NULL, id, id % 3 ? "g" : NULL};
    return id % 11 == 5 ? -WICK_E_NOTFOUND : 0;
}

static const struct wick_jfr_source source = {NULL, test_stack, test_method, test_thread};

static void chunk_begin(void *arg, struct wick_jfr_writer *w, uint64_t now_ns)
{
    wick_jfr_write_os_information(w, &(struct wick_jfr_os_information){now_ns, "an OS"});
}

static struct wick_jfr_writer *open_writer(struct wick_jfr_config config)
{
    static const struct wick_jfr_sink sink = {&file, mem_begin, mem_write, mem_truncate, NULL};
    struct wick_jfr_writer *w = NULL;
    depth_of_all = stack_calls = method_calls = thread_calls = 0;
    method_of_all = (struct wick_jfr_method){0};
    config.start_mono_ns = START_NS;
    config.start_epoch_ns = EPOCH_NS;
    return wick_jfr_writer_open(&w, &sink, &source, &config) ? NULL : w;
}

static int sample(struct wick_jfr_writer *w, uint64_t time_ns, uint32_t thread, uint32_t stack, uint64_t weight_ns)
{
    return wick_jfr_write_execution_sample(w, &(struct wick_jfr_execution_sample){time_ns, thread, stack,
                                                                                  WICK_JFR_STATE_DEFAULT,
                                                                                  WICK_JFR_SAMPLE_USER, weight_ns, 0});
}

static uint64_t total(const uint64_t counts[WICK_JFR_EVENT_COUNT])
{
    uint64_t sum = 0;
    for (int i = 0; i < WICK_JFR_EVENT_COUNT; i++)
        sum += counts[i];
    return sum;
}

/* ---- what a recording is ---- */

static void test_writer__every_flush_leaves_a_complete_recording(void **state)
{
    (void)state;
    struct walk x;
    struct wick_jfr_writer *w = open_writer((struct wick_jfr_config){.chunk_begin = chunk_begin});
    assert_int_equal(file.len, 0);
    uint64_t n = 0;
    for (uint32_t flush = 1; flush <= 20; flush++) {
        for (uint32_t i = 0; i < flush * 5; i++, n++)
            sample(w, START_NS + n * MS, 1 + (uint32_t)n % 30, 1 + (uint32_t)n * 7 % 500, 10 * MS);
        assert_int_equal(wick_jfr_writer_flush(w, START_NS + n * MS), 0);
        walk_recording(&x, file.data, file.len);
        assert_int_equal(x.events[WICK_JFR_EVENT_EXECUTION_SAMPLE], n);
        assert_int_equal(x.chunks, 1);
        assert_int_equal(x.duration_nanos, n * MS);
        assert_int_equal(x.final_chunks, 0);
    }
    assert_int_equal(wick_jfr_writer_close(w, START_NS + n * MS, NULL), 0);
    walk_recording(&x, file.data, file.len);
    assert_int_equal(x.final_chunks, 1);
    assert_int_equal(x.start_nanos, EPOCH_NS);
    assert_int_equal(x.events[WICK_JFR_EVENT_OS_INFORMATION], 1);
}

static void test_writer__asks_for_each_constant_once_a_chunk(void **state)
{
    (void)state;
    struct walk x;
    struct wick_jfr_writer *w = open_writer((struct wick_jfr_config){0});
    for (int round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < 100; i++)
            sample(w, START_NS, 1 + i % 10, 1 + i % 20, MS);
        wick_jfr_writer_flush(w, START_NS + MS);
    }
    assert_int_equal(thread_calls, 10);
    assert_int_equal(stack_calls, 20);
    uint32_t methods = method_calls;
    wick_jfr_writer_rotate(w, START_NS + 2 * MS);
    sample(w, START_NS, 1, 1, MS);
    wick_jfr_writer_close(w, START_NS + 3 * MS, NULL);
    assert_int_equal(thread_calls, 11);
    assert_int_equal(stack_calls, 21);
    assert_true(method_calls > methods && method_calls < methods + 10);
    walk_recording(&x, file.data, file.len);
    assert_int_equal(x.chunks, 2);
    assert_int_equal(x.constants[WICK_JFR_TYPE_STACK_TRACE], 21);
    assert_int_equal(x.checkpoints, 2);
}

static void test_writer__neighbouring_chunks_share_no_constant_numbers(void **state)
{
    (void)state;
    struct walk x;
    struct wick_jfr_writer *w = open_writer((struct wick_jfr_config){0});
    for (uint32_t chunk = 0; chunk < 12; chunk++) {
        uint32_t stacks = 1 + chunk * 37 % 200; /* growing and shrinking chunks */
        for (uint32_t i = 0; i < stacks; i++)
            sample(w, START_NS + chunk * SECOND, 1 + i % 50, 1 + i * 13, MS);
        assert_int_equal(wick_jfr_writer_rotate(w, START_NS + chunk * SECOND), 0);
    }
    wick_jfr_writer_close(w, START_NS + 13 * SECOND, NULL);
    walk_recording(&x, file.data, file.len); /* checks it */
    assert_int_equal(x.chunks, 13);
}

static void test_writer__sample_takes_at_most_17_bytes(void **state)
{
    (void)state;
    struct walk x;
    struct wick_jfr_writer *w = open_writer((struct wick_jfr_config){0});
    /* At the end of a chunk's hour, 127 threads, 16,383 stacks with huge source ids, 16 ms of CPU time. */
    for (uint32_t i = 0; i < 16383; i++)
        sample(w, START_NS + 3600 * SECOND, 0xf0000000u + i % 127, 0x70000000u + i * 1001, 16383 * 1000);
    assert_int_equal(wick_jfr_writer_close(w, START_NS + 3600 * SECOND, NULL), 0);
    walk_recording(&x, file.data, file.len);
    assert_int_equal(x.events[WICK_JFR_EVENT_EXECUTION_SAMPLE], 16383);
    assert_true(x.event_bytes[WICK_JFR_EVENT_EXECUTION_SAMPLE] <= 17 * 16383);
}

static int test_context(void *arg, uint32_t id, struct wick_jfr_context *out)
{
    (void)arg;
    static char span[17];
    if (id == 99)
        return -WICK_E_NOTFOUND;
    snprintf(span, sizeof span, "%016x", id);
    *out =
        (struct wick_jfr_context){id % 2 ? "GET /a=1,2" : "", id % 3 ? "customer=big" : "", "4bf92f3577b34da6", span};
    return 0;
}

static void test_writer__contexts_are_constants_with_their_texts_in_full(void **state)
{
    (void)state;
    struct walk x;
    struct wick_jfr_source with = source;
    with.context = test_context;
    static const struct wick_jfr_sink sink = {&file, mem_begin, mem_write, mem_truncate, NULL};
    struct wick_jfr_config config = {.start_mono_ns = START_NS, .start_epoch_ns = EPOCH_NS};
    struct wick_jfr_writer *w = NULL;
    assert_int_equal(wick_jfr_writer_open(&w, &sink, &with, &config), 0);
    for (int chunk = 0; chunk < 2; chunk++) {
        for (uint32_t i = 0; i < 300; i++)
            wick_jfr_write_execution_sample(w,
                                            &(struct wick_jfr_execution_sample){START_NS, 1, 1, WICK_JFR_STATE_DEFAULT,
                                                                                WICK_JFR_SAMPLE_USER, MS, i % 100});
        assert_int_equal(wick_jfr_writer_rotate(w, START_NS + SECOND), 0);
    }
    wick_jfr_writer_close(w, START_NS + 2 * SECOND, NULL);
    walk_recording(&x, file.data, file.len); /* checks that each has its constants */
    assert_int_equal(x.constants[WICK_JFR_TYPE_CONTEXT], 2 * 99);
    assert_int_equal(x.constants[WICK_JFR_TYPE_STRING], 0); /* readers that take no pooled string within a constant */
    static const char *const texts[] = {
        "endpoint=GET /a\\=1\\,2,customer=big,traceId=4bf92f3577b34da6,spanId=0000000000000001",
        "endpoint=GET /a\\=1\\,2,traceId=4bf92f3577b34da6,spanId=0000000000000003",
        "customer=big,traceId=4bf92f3577b34da6,spanId=0000000000000004",
        "traceId=4bf92f3577b34da6,spanId=0000000000000006"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char bytes[128];
        int n = snprintf(bytes, sizeof bytes, "%c%c%s", WICK_JFR_STR_UTF8, (int)strlen(texts[i]), texts[i]);
        assert_non_null(memmem(file.data, file.len, bytes, (size_t)n));
    }
}

static void test_writer__spans_may_begin_long_before_their_chunk(void **state)
{
    (void)state;
    struct walk x;
    struct wick_jfr_writer *w = open_writer((struct wick_jfr_config){0});
    struct wick_jfr_span s = {.start_ns = START_NS - 3600 * SECOND, .duration_ns = 3600 * SECOND, .is_root = 1};
    wick_jfr_write_span(w, &s);
    wick_jfr_writer_close(w, START_NS + MS, NULL);
    walk_recording(&x, file.data, file.len);
    /* the chunk's tick 0 is a second before it */
    assert_int_equal((int64_t)x.last_value[WICK_JFR_FIELD_SPAN_start_ns], -INT64_C(3599) * 1000000000);
    assert_int_equal(x.last_value[WICK_JFR_FIELD_SPAN_duration_ns], INT64_C(3600) * 1000000000);
}

static void test_writer__sum_of_weights_is_exact(void **state)
{
    (void)state;
    struct walk x;
    struct wick_jfr_writer *w = open_writer((struct wick_jfr_config){0});
    uint64_t sum = 0;
    for (uint32_t i = 0; i < 20000; i++) {
        uint64_t ns = i * 7919 % 100001; /* mostly fractions of a microsecond, some less than one */
        sample(w, START_NS + i, 1, 1, ns);
        sum += ns;
        if (i % 1000 == 0)
            wick_jfr_writer_rotate(w, START_NS + i);
    }
    wick_jfr_writer_close(w, START_NS + SECOND, NULL);
    walk_recording(&x, file.data, file.len);
    assert_int_equal(x.field_sum[WICK_JFR_FIELD_EXECUTION_SAMPLE_weight_ns], sum / 1000);
}

static void test_writer__delayed_events_keep_their_time(void **state)
{
    (void)state;
    struct walk x;
    struct wick_jfr_writer *w = open_writer((struct wick_jfr_config){0});
    wick_jfr_writer_rotate(w, START_NS + 100 * SECOND);
    sample(w, START_NS + 100 * SECOND - 700 * MS, 1, 1, MS);
    wick_jfr_writer_flush(w, START_NS + 100 * SECOND);
    walk_recording(&x, file.data, file.len);
    assert_int_equal(x.start_nanos, EPOCH_NS + 100 * SECOND);
    uint64_t ticks = x.last_value[WICK_JFR_FIELD_EXECUTION_SAMPLE_start_ns];
    assert_int_equal(x.start_ticks - ticks, 700000000);
    sample(w, START_NS, 1, 1, MS); /* far too late: the oldest time there is */
    wick_jfr_writer_close(w, START_NS + 101 * SECOND, NULL);
    walk_recording(&x, file.data, file.len);
    assert_int_equal(x.last_value[WICK_JFR_FIELD_EXECUTION_SAMPLE_start_ns], 0);
}

static void test_writer__chunks_end_at_their_size_and_age(void **state)
{
    (void)state;
    struct walk x;
    struct wick_jfr_stats s;
    struct wick_jfr_writer *w = open_writer((struct wick_jfr_config){.chunk_bytes = 1, .chunk_begin = chunk_begin});
    for (uint32_t i = 0; i < 40000; i++) {
        sample(w, START_NS + i, 1 + i % 9, 1 + i % 1000, MS);
        if (i % 500 == 0)
            wick_jfr_writer_flush(w, START_NS + i);
    }
    wick_jfr_writer_close(w, START_NS + 40000, NULL);
    walk_recording(&x, file.data, file.len);
    assert_in_range(x.chunks, 2, 1 + file.len / (256 << 10));
    assert_int_equal(x.events[WICK_JFR_EVENT_OS_INFORMATION], x.chunks);

    file.len = 0;
    w = open_writer((struct wick_jfr_config){.chunk_ns = 1, .chunk_begin = chunk_begin}); /* least: a second */
    for (uint32_t i = 0; i < 100; i++)
        wick_jfr_writer_flush(w, START_NS + i * 100 * MS);
    wick_jfr_writer_close(w, START_NS + 10 * SECOND, &s);
    walk_recording(&x, file.data, file.len);
    assert_int_equal(x.chunks, 10);
    assert_int_equal(s.chunks, 10);
}

/* What is written while a chunk ends is in that chunk, and does not end it once more. */
static void write_last(void *arg, struct wick_jfr_writer *w, uint64_t now_ns)
{
    ++*(uint32_t *)arg;
    for (uint32_t i = 0; i < 50000; i++) /* more than the buffer holds */
        sample(w, now_ns, 1, 2 + i % 500, MS);
    wick_jfr_write_log(w, &(struct wick_jfr_log){now_ns, "info", "the last of its chunk"});
}

static void test_writer__asks_for_the_last_events_of_a_full_chunk(void **state)
{
    (void)state;
    struct walk x;
    uint32_t asked = 0;
    struct wick_jfr_writer *w =
        open_writer((struct wick_jfr_config){.chunk_ns = SECOND, .chunk_end = write_last, .chunk_arg = &asked});
    for (uint32_t i = 0; i < 30; i++) {
        sample(w, START_NS + i * 100 * MS, 1, 1, MS);
        wick_jfr_writer_flush(w, START_NS + i * 100 * MS);
        walk_recording(&x, file.data, file.len);
        assert_int_equal(x.events[WICK_JFR_EVENT_LOG], asked);
        assert_int_equal(x.events[WICK_JFR_EVENT_EXECUTION_SAMPLE], i + 1 + 50000 * asked);
    }
    assert_int_equal(asked, 2);
    wick_jfr_writer_close(w, START_NS + 3 * SECOND, NULL);
    walk_recording(&x, file.data, file.len);
    assert_int_equal(x.chunks, 3);
}

/* Who flushes when the writer says so gets chunks near their size, however fast the events and their constants come. */
static void test_writer__says_when_a_flush_will_fill_the_chunk(void **state)
{
    (void)state;
    struct wick_jfr_writer *w = open_writer((struct wick_jfr_config){.chunk_bytes = 256 << 10});
    struct wick_jfr_stats s;
    uint32_t flushes = 0;
    uint64_t before = 0;
    assert_false(wick_jfr_writer_chunk_full(w));
    for (uint32_t i = 0; i < 60000; i++) {
        sample(w, START_NS + i, 1, 1 + i, MS); /* a new stack each time: constants outweigh events */
        if (!wick_jfr_writer_chunk_full(w))
            continue;
        wick_jfr_writer_flush(w, START_NS + i);
        wick_jfr_writer_stats(w, &s);
        if (flushes++) /* the first flush knows nothing of constants yet */
            assert_in_range(s.bytes - before, 1, 384 << 10);
        before = s.bytes;
        assert_false(wick_jfr_writer_chunk_full(w));
    }
    assert_in_range(flushes, 4, 1000);
    wick_jfr_writer_close(w, START_NS + 60000, NULL);
}

static void test_writer__memory_limit_starts_a_new_chunk(void **state)
{
    (void)state;
    struct wick_jfr_stats s;
    struct wick_jfr_writer *w = open_writer((struct wick_jfr_config){.memory_limit_bytes = 1});
    size_t most = 0;
    depth_of_all = 4;
    for (uint32_t i = 1; i < 300000; i++) {
        sample(w, START_NS + i, 1, i, MS); /* unlimited distinct stacks */
        if (i % 1000)
            continue;
        wick_jfr_writer_flush(w, START_NS + i);
        wick_jfr_writer_stats(w, &s);
        most = s.memory_bytes > most ? s.memory_bytes : most;
    }
    assert_true(s.chunks > 3);
    assert_true(most < 4 << 20);
    wick_jfr_writer_close(w, START_NS + SECOND, NULL);
}

static void test_writer__full_buffer_flushes_itself(void **state)
{
    (void)state;
    struct walk x;
    struct wick_jfr_stats s;
    struct wick_jfr_writer *w = open_writer((struct wick_jfr_config){.buffer_bytes = 1});
    for (uint32_t i = 0; i < 100000; i++)
        sample(w, START_NS + i, 1, 1, MS);
    wick_jfr_writer_stats(w, &s);
    assert_true(s.pending[WICK_JFR_EVENT_EXECUTION_SAMPLE] * 11 < 64 << 10);
    assert_true(s.memory_bytes < 1 << 20);
    wick_jfr_writer_close(w, START_NS + SECOND, NULL);
    walk_recording(&x, file.data, file.len);
    assert_int_equal(x.events[WICK_JFR_EVENT_EXECUTION_SAMPLE], 100000);
}

static void test_writer__deep_stacks_are_cut_and_marked(void **state)
{
    (void)state;
    struct walk x;
    struct wick_jfr_writer *w = open_writer((struct wick_jfr_config){0});
    depth_of_all = 2000;
    sample(w, START_NS, 1, 1, MS);
    wick_jfr_writer_flush(w, START_NS);
    walk_recording(&x, file.data, file.len);
    assert_int_equal(x.frames, 2000);
    assert_int_equal(x.truncated_stacks, 0);
    depth_of_all = 100000;
    sample(w, START_NS, 1, 2, MS);
    wick_jfr_writer_close(w, START_NS, NULL);
    walk_recording(&x, file.data, file.len);
    assert_int_equal(x.frames, 2000 + 2048);
    assert_int_equal(x.truncated_stacks, 1);
}

static void test_writer__event_without_thread_and_stack_refers_to_none(void **state)
{
    (void)state;
    struct walk x;
    struct wick_jfr_writer *w = open_writer((struct wick_jfr_config){0});
    sample(w, START_NS, 0, 0, MS);
    wick_jfr_writer_close(w, START_NS, NULL);
    walk_recording(&x, file.data, file.len);
    assert_int_equal(x.events[WICK_JFR_EVENT_EXECUTION_SAMPLE], 1);
    assert_int_equal(x.constants[WICK_JFR_TYPE_THREAD] + x.constants[WICK_JFR_TYPE_STACK_TRACE], 0);
    assert_int_equal(thread_calls + stack_calls, 0);
}

/* ---- hostile content ---- */

static void test_writer__any_bytes_become_valid_utf8(void **state)
{
    (void)state;
    struct walk x;
    struct wick_jfr_writer *w = open_writer((struct wick_jfr_config){0});
    uint32_t seed = 1;
    char text[64];
    for (uint32_t i = 0; i < 20000; i++) {
        uint32_t n = i % 60;
        for (uint32_t k = 0; k < n; k++) {
            seed = seed * 1664525 + 1013904223;
            static const uint8_t likely[] = {0xed, 0xa0, 0x80, 0xb0, 0xc0, 0xe0, 0xf0, 0xf4, 0x9f, 0xbf, 'a'};
            text[k] = (char)(i % 2 ? seed >> 24 : likely[(seed >> 24) % sizeof likely]);
            if (!text[k])
                text[k] = 1;
        }
        text[n] = 0;
        wick_jfr_write_log(w, &(struct wick_jfr_log){START_NS, text, text});
    }
    wick_jfr_writer_close(w, START_NS, NULL);
    walk_recording(&x, file.data, file.len); /* checks it */
    assert_int_equal(x.events[WICK_JFR_EVENT_LOG], 20000);
}

static void test_writer__modified_utf8_becomes_utf8(void **state)
{
    (void)state;
    struct walk x;
    struct wick_jfr_writer *w = open_writer((struct wick_jfr_config){0});
    /* NUL, a surrogate pair, a lone surrogate, an overlong form */
    method_of_all = (struct wick_jfr_method){"C", "\xc0\x80|\xed\xa0\xbd\xed\xb8\x80|\xed\xa0\xbd|\xc1\xbf", "()V"};
    sample(w, START_NS, 1, 1, MS);
    wick_jfr_writer_close(w, START_NS, NULL);
    walk_recording(&x, file.data, file.len);
    static const char want_text[] = "\0|\xf0\x9f\x98\x80|\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd";
    bool found = false;
    for (uint32_t i = 0; i < WALK_IDS; i++)
        found |= !memcmp(walk_symbols[i], want_text, sizeof want_text);
    assert_true(found);
}

static void test_writer__an_empty_symbol_has_the_form_of_all_symbols(void **state)
{
    (void)state;
    struct walk x;
    struct wick_jfr_writer *w = open_writer((struct wick_jfr_config){0});
    method_of_all = (struct wick_jfr_method){"", "", "()V"};
    sample(w, START_NS, 1, 1, MS);
    wick_jfr_writer_close(w, START_NS, NULL);
    walk_recording(&x, file.data, file.len); /* checks it */
    assert_int_equal(x.constants[WICK_JFR_TYPE_SYMBOL], 2);
}

static void test_writer__broken_descriptors_are_replaced(void **state)
{
    (void)state;
    static const struct {
        const char *in, *out;
    } cases[] = {
        {NULL, "()V"},
        {"", "()V"},
        {"V", "()V"},
        {"()", "()V"},
        {"()VV", "()V"},
        {"(Ljava/lang/String", "()V"},
        {"(Ljava/lang/String)V", "()V"},
        {"([)V", "()V"},
        {"(X)V", "()V"},
        {"(I", "()V"},
        {"()[", "()V"},
        {"()V", "()V"},
        {"([[ILa/B;ZJ)[La/C;", "([[ILa/B;ZJ)[La/C;"},
        {"(D)J", "(D)J"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct walk x;
        file.len = 0;
        struct wick_jfr_writer *w = open_writer((struct wick_jfr_config){0});
        method_of_all = (struct wick_jfr_method){"C", "m", cases[i].in};
        depth_of_all = 1;
        sample(w, START_NS, 1, 1, MS);
        wick_jfr_writer_close(w, START_NS, NULL);
        walk_recording(&x, file.data, file.len);
        assert_int_equal(walk_descriptor_count, 1);
        assert_string_equal(walk_symbols[walk_descriptors[0]], cases[i].out);
    }
}

static void test_writer__package_is_taken_from_java_names_only(void **state)
{
    (void)state;
    static const struct {
        struct wick_jfr_method method;
        uint32_t packages;
        const char *package;
    } cases[] = {
        {{"java/lang/String", "m", "()V"}, 1, "java/lang"}, {{"a/B$$Lambda$14/0x0000000800c0", "m", "()V"}, 1, "a"},
        {{"B$$Lambda$14/1234", "m", "()V"}, 0, NULL},       {{"Top", "m", "()V"}, 0, NULL},
        {{"/usr/lib/libc.so.6", "m", NULL}, 0, NULL},       {{NULL, "m", "()V"}, 0, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct walk x;
        file.len = 0;
        memset(walk_symbols, 0, sizeof walk_symbols);
        struct wick_jfr_writer *w = open_writer((struct wick_jfr_config){0});
        method_of_all = cases[i].method;
        sample(w, START_NS, 1, 1, MS);
        wick_jfr_writer_close(w, START_NS, NULL);
        walk_recording(&x, file.data, file.len);
        assert_int_equal(x.constants[WICK_JFR_TYPE_PACKAGE], cases[i].packages);
        bool found = !cases[i].package;
        for (uint32_t k = 0; k < WALK_IDS && !found; k++)
            found = !strcmp(walk_symbols[k], cases[i].package);
        assert_true(found);
    }
}

static void test_writer__endless_strings_are_cut(void **state)
{
    (void)state;
    struct walk x;
    size_t n = 3 << 20;
    char *text = __real_malloc(n + 1);
    memset(text, 'x', n);
    text[n] = 0;
    struct wick_jfr_writer *w = open_writer((struct wick_jfr_config){0});
    for (int i = 0; i < 3; i++)
        assert_int_equal(wick_jfr_write_log(w, &(struct wick_jfr_log){START_NS, "info", text}), 0);
    wick_jfr_writer_close(w, START_NS, NULL);
    walk_recording(&x, file.data, file.len);
    assert_int_equal(x.events[WICK_JFR_EVENT_LOG], 3);
    assert_true(file.len < (3 << 20) + 65536);
    free(text);
}

/* ---- failures ---- */

static void test_writer__full_disk_keeps_what_is_there_and_counts_the_rest(void **state)
{
    (void)state;
    /* Whatever byte the disk is full at: inside metadata, constants, events or header of any flush. */
    for (size_t limit = 0; limit < 60000; limit += limit < 200 ? 7 : 977) {
        struct walk x = {0};
        struct wick_jfr_stats s;
        file.len = 0;
        file.limit = limit;
        struct wick_jfr_writer *w = open_writer((struct wick_jfr_config){.retry_ns = UINT64_MAX});
        for (uint32_t i = 0; i < 2000; i++) {
            sample(w, START_NS + i * MS, 1 + i % 30, 1 + i % 500, MS);
            if (i % 100 == 99)
                wick_jfr_writer_flush(w, START_NS + i * MS);
            wick_jfr_writer_stats(w, &s);
            assert_int_equal(total(s.written) + total(s.pending) + total(s.lost_output), i + 1);
        }
        int error = wick_jfr_writer_close(w, START_NS + 2 * SECOND, &s);
        walk_recording(&x, file.data, file.len);
        assert_int_equal(x.events[WICK_JFR_EVENT_EXECUTION_SAMPLE], s.written[WICK_JFR_EVENT_EXECUTION_SAMPLE]);
        assert_int_equal(total(s.written) + total(s.lost_output), 2000);
        assert_int_equal(s.error, error);
        assert_int_equal(error == -WICK_E_NOSPACE, total(s.lost_output) > 0);
        assert_true(file.len <= limit);
    }
}

static void test_writer__goes_on_in_a_new_chunk_when_there_is_room_again(void **state)
{
    (void)state;
    struct walk x;
    struct wick_jfr_stats s;
    struct wick_jfr_writer *w = open_writer((struct wick_jfr_config){.retry_ns = SECOND, .chunk_begin = chunk_begin});
    sample(w, START_NS, 1, 1, MS);
    assert_int_equal(wick_jfr_writer_flush(w, START_NS), 0);
    file.limit = file.len + 5;
    sample(w, START_NS, 2, 2, MS);
    assert_int_equal(wick_jfr_writer_flush(w, START_NS + MS), -WICK_E_NOSPACE);
    assert_int_equal(sample(w, START_NS, 2, 2, MS), -WICK_E_NOSPACE);
    file.limit = SIZE_MAX;
    assert_int_equal(wick_jfr_writer_flush(w, START_NS + 900 * MS), -WICK_E_NOSPACE); /* not yet */
    wick_jfr_writer_flush(w, START_NS + 1100 * MS);
    assert_int_equal(sample(w, START_NS + 1100 * MS, 3, 3, MS), 0);
    assert_int_equal(wick_jfr_writer_close(w, START_NS + 2 * SECOND, &s), 0);
    walk_recording(&x, file.data, file.len);
    assert_int_equal(x.chunks, 2);
    assert_int_equal(x.events[WICK_JFR_EVENT_EXECUTION_SAMPLE], 2);
    assert_int_equal(s.lost_output[WICK_JFR_EVENT_EXECUTION_SAMPLE], 2);
    assert_int_equal(s.error, 0);
}

static void test_writer__output_that_cannot_begin_is_counted(void **state)
{
    (void)state;
    struct wick_jfr_stats s;
    file.begin_error = -WICK_E_PERM;
    struct wick_jfr_writer *w = open_writer((struct wick_jfr_config){0});
    assert_non_null(w);
    assert_int_equal(sample(w, START_NS, 1, 1, MS), -WICK_E_PERM);
    assert_int_equal(wick_jfr_writer_close(w, START_NS, &s), -WICK_E_PERM);
    assert_int_equal(total(s.lost_output), 1);
    assert_int_equal(file.len, 0);
}

static void test_writer__survives_every_allocation_failure(void **state)
{
    (void)state;
    bool reached_end = false;
    for (long at = 0; !reached_end; at++) {
        for (long count = 1; count <= 1000; count += 999) { /* a single failure, and a long dry spell */
            struct walk x = {0};
            struct wick_jfr_stats s = {0};
            file.len = 0;
            fail_from = at;
            fail_count = count;
            struct wick_jfr_writer *w = open_writer((struct wick_jfr_config){.chunk_bytes = 1});
            for (uint32_t i = 0; w && i < 3000; i++) {
                sample(w, START_NS + i * MS, 1 + i % 300, 1 + i % 1500, MS);
                if (i % 10 == 0)
                    wick_jfr_write_perf_sample(
                        w, &(struct wick_jfr_perf_sample){START_NS, 1, i, 1, "cycles", 1, WICK_JFR_SAMPLE_USER});
                if (i % 250 == 0)
                    wick_jfr_writer_flush(w, START_NS + i * MS);
                wick_jfr_writer_stats(w, &s);
                assert_int_equal(total(s.written) + total(s.pending) + total(s.lost_memory), i + 1 + i / 10 + 1);
            }
            reached_end = fail_from > 0;
            if (w)
                wick_jfr_writer_close(w, START_NS + 3 * SECOND, &s);
            fail_from = -1;
            walk_recording(&x, file.data, file.len);
            uint64_t events = x.events[WICK_JFR_EVENT_EXECUTION_SAMPLE] + x.events[WICK_JFR_EVENT_PERF_SAMPLE];
            assert_int_equal(events, total(s.written));
            assert_int_equal(total(s.pending) + total(s.lost_output), 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(test_writer__every_flush_leaves_a_complete_recording),
        TEST(test_writer__asks_for_each_constant_once_a_chunk),
        TEST(test_writer__neighbouring_chunks_share_no_constant_numbers),
        TEST(test_writer__sample_takes_at_most_17_bytes),
        TEST(test_writer__contexts_are_constants_with_their_texts_in_full),
        TEST(test_writer__spans_may_begin_long_before_their_chunk),
        TEST(test_writer__sum_of_weights_is_exact),
        TEST(test_writer__delayed_events_keep_their_time),
        TEST(test_writer__chunks_end_at_their_size_and_age),
        TEST(test_writer__asks_for_the_last_events_of_a_full_chunk),
        TEST(test_writer__says_when_a_flush_will_fill_the_chunk),
        TEST(test_writer__memory_limit_starts_a_new_chunk),
        TEST(test_writer__full_buffer_flushes_itself),
        TEST(test_writer__deep_stacks_are_cut_and_marked),
        TEST(test_writer__event_without_thread_and_stack_refers_to_none),
        TEST(test_writer__any_bytes_become_valid_utf8),
        TEST(test_writer__modified_utf8_becomes_utf8),
        TEST(test_writer__an_empty_symbol_has_the_form_of_all_symbols),
        TEST(test_writer__broken_descriptors_are_replaced),
        TEST(test_writer__package_is_taken_from_java_names_only),
        TEST(test_writer__endless_strings_are_cut),
        TEST(test_writer__full_disk_keeps_what_is_there_and_counts_the_rest),
        TEST(test_writer__goes_on_in_a_new_chunk_when_there_is_room_again),
        TEST(test_writer__output_that_cannot_begin_is_counted),
        TEST(test_writer__survives_every_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
