/* SPDX-License-Identifier: Apache-2.0 */
/* What the server knows of a recording that grows: each byte of the file is read once. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "jfr_build.h"
#include "serve/growing.h"

enum { PART = 100, COLLECTION, HEADER = 68, START_AT = 32 /* in it: when the chunk begins */ };

#define S  2000000000ll /* in ticks of jfr_build.h */
#define MS (S / 1000)

static const char *const types[] = {
    "12 long",
    "13 java.lang.String",
    "30 jdk.jfr.Timestamp value:13",
    "E100 wick.MemoryPart startTime:12T part:13 resident:12",
    "E101 jdk.GarbageCollection startTime:12T gcId:12 cause:13 sumOfPauses:12N longestPause:12N heapUsedAfter:12",
};

static void put_reading(struct jfr_build *j, int64_t at, int64_t bytes)
{
    struct wick_strbuf b = WICK_STRBUF_INIT;
    jfr_put(&b, JFR_BUILD_START_TICKS + at);
    jfr_put_utf8(&b, "Java heap");
    jfr_put(&b, bytes);
    jfr_event(j, PART, &b);
    wick_strbuf_release(&b);
}

static void put_collection(struct jfr_build *j, int64_t at, int64_t id, int64_t pause_ns)
{
    struct wick_strbuf b = WICK_STRBUF_INIT;
    jfr_put(&b, JFR_BUILD_START_TICKS + at);
    jfr_put(&b, id);
    jfr_put_utf8(&b, "G1 Evacuation Pause");
    jfr_put(&b, pause_ns);
    jfr_put(&b, pause_ns);
    jfr_put(&b, 1000 * id);
    jfr_event(j, COLLECTION, &b);
    wick_strbuf_release(&b);
}

/* A chunk with a reading and a collection in each of n seconds. */
static struct wick_strbuf chunk(int64_t first, int64_t n)
{
    struct jfr_build j = {0};
    jfr_begin(&j);
    jfr_metadata(&j, types, sizeof types / sizeof *types);
    for (int64_t i = first; i < first + n; i++) {
        put_reading(&j, i * S, (i + 1) << 20);
        put_collection(&j, i * S + 500 * MS, i, 1000 * (i + 1));
    }
    jfr_checkpoint(&j, 0, &(struct wick_strbuf)WICK_STRBUF_INIT);
    jfr_end(&j);
    return j.out;
}

static void write_at(int fd, const void *data, size_t n, size_t at)
{
    assert_int_equal(pwrite(fd, data, n, (off_t)at), n);
}

static void expect(const struct wick_growing *g, uint32_t n)
{
    struct wick_memory_use *u = malloc(sizeof *u);
    struct wick_gc_history h;
    assert_int_equal(wick_memory_use_copy(u, &g->memory), 0);
    wick_memory_use_end(u);
    assert_int_equal(u->moments, n);
    assert_int_equal(u->nseries, n);
    assert_int_equal(u->part[WICK_MEMORY_HEAP].now.resident, (uint64_t)n << 20);
    assert_int_equal(u->most, (uint64_t)n << 20);
    wick_memory_use_release(u);
    free(u);
    assert_int_equal(wick_gc_history_copy(&h, &g->collections), 0);
    wick_gc_history_end(&h);
    assert_int_equal(h.n, n);
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(h.rows[i].id, i);
        assert_int_equal(h.rows[i].pause_ns, 1000 * (i + 1));
    }
    wick_gc_history_release(&h);
}

static void test_growing__memory_and_collections_are_read_once(void **state)
{
    char path[] = "/tmp/wick-growing.XXXXXX";
    int fd = mkstemp(path);
    struct wick_err err = {0};
    struct wick_strbuf one = chunk(0, 3), two = chunk(3, 4);
    (void)state;
    unlink(path);
    assert_true(fd >= 0);
    write_at(fd, one.buf, one.len, 0);
    struct wick_growing *g = wick_growing_open(dup(fd), &err);
    assert_non_null(g);
    assert_int_equal(wick_growing_read(g, false, 0, &err), 0);
    expect(g, 3);
    expect(g, 3); /* answering changes nothing */

    /* What was read is gone, but for the header, which is the writer's to change: who reads it again finds nothing. */
    char *nothing = calloc(1, one.len);
    write_at(fd, nothing, one.len - HEADER, HEADER);
    write_at(fd, two.buf, two.len, one.len);
    free(nothing);
    assert_int_equal(wick_growing_read(g, false, 0, &err), 0);
    expect(g, 7);
    assert_int_equal(wick_growing_read(g, true, 0, &err), 0);
    expect(g, 7);
    assert_int_equal(g->read.problems, 0);
    wick_growing_free(g);
    wick_strbuf_release(&one);
    wick_strbuf_release(&two);
    close(fd);
}

static void test_growing__of_too_many_collections_none_is_kept(void **state)
{
    struct wick_err err = {0};
    struct wick_strbuf all = chunk(0, WICK_GROWING_COLLECTIONS), more = chunk(WICK_GROWING_COLLECTIONS, 1);
    FILE *f = tmpfile();
    (void)state;
    assert_non_null(f);
    write_at(fileno(f), all.buf, all.len, 0);
    struct wick_growing *g = wick_growing_open(dup(fileno(f)), &err);
    assert_non_null(g);
    assert_int_equal(wick_growing_read(g, false, 0, &err), 0);
    assert_int_equal(g->collections.n, WICK_GROWING_COLLECTIONS);
    assert_false(g->more_collections);
    write_at(fileno(f), more.buf, more.len, all.len);
    assert_int_equal(wick_growing_read(g, false, 0, &err), 0);
    assert_true(g->more_collections);
    assert_int_equal(g->collections.n, 0);
    wick_growing_free(g);
    wick_strbuf_release(&all);
    wick_strbuf_release(&more);
    fclose(f);
}

/* The same file number, more bytes, and nothing of what was read. */
static void test_growing__another_recording_in_the_same_file_is_noticed(void **state)
{
    struct wick_err err = {0};
    struct wick_strbuf one = chunk(0, 3), two = chunk(3, 4);
    FILE *f = tmpfile();
    (void)state;
    assert_non_null(f);
    write_at(fileno(f), one.buf, one.len, 0);
    struct wick_growing *g = wick_growing_open(dup(fileno(f)), &err);
    assert_non_null(g);
    assert_true(wick_growing_is_same(g));
    assert_int_equal(wick_growing_read(g, false, 0, &err), 0);
    write_at(fileno(f), two.buf, two.len, one.len);
    assert_true(wick_growing_is_same(g));
    two.buf[START_AT + 4] ^= 1; /* seconds apart */
    write_at(fileno(f), two.buf, two.len, 0);
    assert_false(wick_growing_is_same(g));
    wick_growing_free(g);
    wick_strbuf_release(&one);
    wick_strbuf_release(&two);
    fclose(f);
}

/* So that a recording that is deleted gives its space back. */
static void test_growing__a_file_that_has_ended_is_closed(void **state)
{
    struct wick_err err = {0};
    struct wick_strbuf one = chunk(0, 3);
    FILE *f = tmpfile();
    (void)state;
    assert_non_null(f);
    write_at(fileno(f), one.buf, one.len, 0);
    int fd = dup(fileno(f));
    struct wick_growing *g = wick_growing_open(fd, &err);
    assert_non_null(g);
    assert_int_equal(wick_growing_read(g, false, 0, &err), 0);
    assert_int_not_equal(fcntl(fd, F_GETFD), -1);
    assert_int_equal(wick_growing_read(g, true, 0, &err), 0);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
    assert_true(wick_growing_is_same(g));
    expect(g, 3);
    wick_growing_free(g);
    wick_strbuf_release(&one);
    fclose(f);
}

static uint32_t stack_of(struct wick_growing *g, const char *const (*frames)[2], uint32_t n)
{
    uint32_t stack = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t class_name = *frames[i][0] ? wick_profile_cstring(&g->p, frames[i][0]) : 0;
        uint32_t name = *frames[i][1] ? wick_profile_cstring(&g->p, frames[i][1]) : 0;
        uint8_t kind = strchr(frames[i][0], '/') ? WICK_FRAME_C2 : WICK_FRAME_NATIVE;
        stack = wick_profile_push(
            &g->p, stack, wick_profile_frame(&g->p, wick_profile_function(&g->p, class_name, name, 0), 0, -1, kind));
    }
    return stack;
}

static void test_growing__frames_by_which_threads_begin_are_one_but_for_a_leaf(void **state)
{
    static const char *const frames[][2] = {
        {"libc.so.6", ""},           {"libjvm.so", "thread_native_entry(Thread*)"},
        {"java/lang/Thread", "run"}, {"java/util/concurrent/ThreadPoolExecutor", "runWorker"},
        {"com/acme/Shop", "order"},  {"java/lang/Thread", "run"}, /* called by the program */
    };
    static const char *const other[][2] = {{"com/acme/Shop", "main"}, {"java/lang/Thread", "run"}};
    struct wick_err err = {0};
    struct wick_strbuf one = chunk(0, 1);
    FILE *f = tmpfile();
    (void)state;
    assert_non_null(f);
    write_at(fileno(f), one.buf, one.len, 0);
    struct wick_growing *g = wick_growing_open(dup(fileno(f)), &err);
    assert_non_null(g);
    for (int round = 0; round < 2; round++) { /* what was added changes nothing */
        uint32_t whole = stack_of(g, frames, 6), pool = stack_of(g, frames, 4), plain = stack_of(g, other, 2);
        uint32_t folded = wick_growing_folded(g, whole);
        assert_int_equal(g->p.stacks[folded].frame, g->p.stacks[whole].frame);
        uint32_t order = g->p.stacks[folded].parent;
        assert_int_equal(g->p.stacks[order].frame, g->p.stacks[g->p.stacks[whole].parent].frame);
        assert_int_equal(g->p.stacks[order].parent, g->thread_start);
        assert_int_equal(g->p.stacks[g->thread_start].parent, 0);
        uint32_t leaf = wick_growing_folded(g, pool);
        assert_int_equal(g->p.stacks[leaf].parent, g->thread_start);
        assert_int_equal(g->p.stacks[leaf].frame, g->p.stacks[pool].frame);
        assert_int_equal(wick_growing_folded(g, plain), plain);
        assert_int_equal(wick_growing_folded(g, folded), folded);
        assert_int_equal(wick_growing_folded(g, 0), 0);
    }
    wick_growing_free(g);
    wick_strbuf_release(&one);
    fclose(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_growing__memory_and_collections_are_read_once),
        cmocka_unit_test(test_growing__of_too_many_collections_none_is_kept),
        cmocka_unit_test(test_growing__another_recording_in_the_same_file_is_noticed),
        cmocka_unit_test(test_growing__a_file_that_has_ended_is_closed),
        cmocka_unit_test(test_growing__frames_by_which_threads_begin_are_one_but_for_a_leaf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
