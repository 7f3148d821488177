/* SPDX-License-Identifier: Apache-2.0 */
/* A recording that comes in pieces, or is read while it is written, gives what it gives as a whole. */
#include "export/format_writers.h"
#include "jfr/reader/reader.h"
#include "jfr_build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

enum { SAMPLE = 100, SETTING, OTHER, LATER, PER_FLUSH = 50, TYPES = 13 };

static const char *const types[] = {
    "10 boolean",
    "11 int",
    "12 long",
    "13 java.lang.String",
    "30 jdk.jfr.Timestamp value:13",
    "21 jdk.types.ThreadState name:13",
    "23 jdk.types.StackTrace truncated:10 frames:24a",
    "24 jdk.types.StackFrame method:25p lineNumber:11",
    "25 jdk.types.Method name:27p",
    "27 jdk.types.Symbol string:13",
    "E100 jdk.ExecutionSample startTime:12T sampledThread:12 stackTrace:23p state:21p",
    "E101 jdk.ActiveSetting startTime:12T id:12 name:13 value:13",
    "E102 jdk.Other text:13",
    "E103 jdk.Later text:13",
};

/* --- recordings --- */

/* Constants of PER_FLUSH methods m<first>... and stacks of one frame each; `apart` spreads the keys. */
static void put_constants(struct jfr_build *j, int first, int apart)
{
    struct wick_strbuf b = WICK_STRBUF_INIT;
    char name[16];
    for (int type = 27; type >= 25; type -= 2) {
        jfr_put(&b, type);
        jfr_put(&b, PER_FLUSH);
        for (int i = first; i < first + PER_FLUSH; i++) {
            snprintf(name, sizeof name, "m%d", i);
            jfr_put(&b, i);
            if (type == 27)
                jfr_put_utf8(&b, name);
            else
                jfr_put(&b, i);
        }
    }
    jfr_put(&b, 23);
    jfr_put(&b, PER_FLUSH);
    for (int i = first; i < first + PER_FLUSH; i++) {
        jfr_put(&b, (int64_t)i * apart);
        wick_strbuf_addc(&b, 0);
        jfr_put(&b, 1);
        jfr_put(&b, i);
        jfr_put(&b, 7);
    }
    jfr_checkpoint(j, 3, &b);
    wick_strbuf_release(&b);
}

static void put_text(struct jfr_build *j, int64_t type, const char *text)
{
    struct wick_strbuf b = WICK_STRBUF_INIT;
    jfr_put_utf8(&b, text);
    jfr_event(j, type, &b);
    wick_strbuf_release(&b);
}

/* Samples of the methods below first + PER_FLUSH, and one event of another type. */
static void put_events(struct jfr_build *j, int first, int apart)
{
    for (int i = 1; i < first + PER_FLUSH; i++)
        JFR_EVENT(j, SAMPLE, 1000 * i, 1, (int64_t)i * apart, 0);
    put_text(j, OTHER, "once");
}

/* One flush as wick's agent makes it (constants first), or as the JDK does, with the header that makes it valid. */
static void put_flush(struct jfr_build *j, int first, int apart, bool constants_first)
{
    if (!j->metadata)
        jfr_metadata(j, types, TYPES);
    if (constants_first)
        put_constants(j, first, apart);
    put_events(j, first, apart);
    if (!constants_first)
        put_constants(j, first, apart);
    jfr_end(j);
}

/* --- what was read --- */

struct reading {
    struct wick_profile p;
    struct wick_jfr_result res;
    struct wick_err err;
    struct wick_jfr_visitor v;
    struct wick_jfr_reader *reader;
    uint64_t others, laters;
};

static bool want(void *ctx, const char *type)
{
    return !strcmp(type, "jdk.Other") || !strcmp(type, "jdk.Later");
}

static void take(void *ctx, const struct wick_jfr_event *e)
{
    struct reading *g = ctx;
    g->others += !strcmp(e->type, "jdk.Other");
    g->laters += !strcmp(e->type, "jdk.Later");
}

static struct reading *start(void)
{
    struct reading *g = calloc(1, sizeof *g);
    assert_int_equal(wick_profile_init(&g->p), 0);
    g->p.by_thread = g->p.by_state = false;
    g->p.keep = WICK_KEEP_LINES;
    g->v = (struct wick_jfr_visitor){.ctx = g, .want = want, .event = take};
    g->reader = wick_jfr_reader_new(&g->p, &g->v, &g->res);
    assert_non_null(g->reader);
    return g;
}

static void drop(struct reading *g)
{
    wick_jfr_reader_free(g->reader);
    wick_profile_release(&g->p);
    free(g);
}

static struct reading *read_whole(const void *data, size_t size)
{
    struct reading *g = start();
    wick_jfr_read_memory(&g->p, data, size, &g->v, &g->res, &g->err);
    return g;
}

static char *collapsed(const struct wick_profile *p)
{
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    for (uint16_t i = 1; i < p->nevents; i++)
        assert_int_equal(wick_collapsed_out_write(p, &(struct wick_export_options){.event = i}, f, NULL), 0);
    fclose(f);
    return text;
}

static void expect_same(const struct reading *a, const struct reading *b)
{
    char *x = collapsed(&a->p), *y = collapsed(&b->p);
    assert_string_equal(x, y);
    assert_int_equal(a->res.chunks, b->res.chunks);
    assert_int_equal(a->res.events, b->res.events);
    assert_int_equal(a->res.samples, b->res.samples);
    assert_int_equal(a->res.unresolved, b->res.unresolved);
    assert_int_equal(a->res.problems, b->res.problems);
    assert_int_equal(a->res.lost_bytes, b->res.lost_bytes);
    assert_int_equal(a->res.first_offset, b->res.first_offset);
    assert_string_equal(a->res.first, b->res.first);
    assert_int_equal(a->others, b->others);
    assert_int_equal(a->laters, b->laters);
    free(x);
    free(y);
}

/* --- fed --- */

/* The same bytes in pieces of that size; with a size below 1, of 1 to 97 bytes in turn. */
static void check_fed(const struct wick_strbuf *all, size_t piece)
{
    struct reading *want = read_whole(all->buf, all->len), *got = start();
    uint32_t turn = 1;
    int rc = 0;
    for (size_t at = 0; !rc && at < all->len;) {
        size_t n = piece ? piece : 1 + (turn = turn * 1103515245 + 12345) / 65536 % 97;
        n = n < all->len - at ? n : all->len - at;
        rc = wick_jfr_reader_feed(got->reader, all->buf + at, n, &got->err);
        at += n;
    }
    int end = wick_jfr_reader_end(got->reader, &got->err);
    assert_int_equal(rc ? rc : end, want->err.code ? -(int)want->err.code : 0);
    if (!rc)
        expect_same(got, want);
    drop(want);
    drop(got);
}

static void check_all_sizes(const struct wick_strbuf *all)
{
    static const size_t pieces[] = {0, 1, 3, 67, 4096, 1 << 20};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        check_fed(all, pieces[i]);
}

static void test_feed__in_pieces_of_any_size(void **state)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    for (int chunk = 0; chunk < 3; chunk++) {
        jfr_begin(&j);
        put_flush(&j, 1, 1, chunk % 2);
        put_flush(&j, 1 + PER_FLUSH, 1, chunk % 2);
    }
    check_all_sizes(&j.out);
    wick_strbuf_release(&j.out);
}

static void test_feed__a_chunk_is_read_when_it_is_complete(void **state)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct reading *g = start();
    jfr_begin(&j);
    put_flush(&j, 1, 1, true);
    assert_int_equal(wick_jfr_reader_feed(g->reader, j.out.buf, j.out.len - 1, &g->err), 0);
    assert_int_equal(g->res.samples, 0);
    assert_int_equal(wick_jfr_reader_feed(g->reader, j.out.buf + j.out.len - 1, 1, &g->err), 0);
    assert_int_equal(g->res.samples, PER_FLUSH);
    assert_int_equal(g->others, 1);
    assert_int_equal(wick_jfr_reader_end(g->reader, &g->err), 0);
    drop(g);
    wick_strbuf_release(&j.out);
}

static void test_feed__damage_is_what_it_is_in_a_file(void **state)
{
    static const char garbage[] = "FLFLR nothing FL";
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    jfr_begin(&j);
    put_flush(&j, 1, 1, true);
    wick_strbuf_add(&j.out, garbage, sizeof garbage - 1);
    jfr_begin(&j);
    put_flush(&j, 1, 1, false);
    check_all_sizes(&j.out);
    size_t len = j.out.len;
    wick_strbuf_adds(&j.out, "FL");
    check_all_sizes(&j.out);
    wick_strbuf_cut(&j.out, len - 20);
    check_all_sizes(&j.out);
    j.out.buf[j.begin + 5] = 9; /* a version that nobody knows */
    check_all_sizes(&j.out);
    memset(j.out.buf + 8, 0, 8); /* and the first chunk was not closed */
    check_all_sizes(&j.out);
    wick_strbuf_release(&j.out);
}

static void test_feed__what_is_no_recording_is_refused_at_once(void **state)
{
    struct reading *g = start();
    assert_int_equal(wick_jfr_reader_feed(g->reader, "PK", 2, &g->err), 0);
    assert_int_equal(wick_jfr_reader_feed(g->reader, "\3\4....", 6, &g->err), -WICK_E_FORMAT);
    drop(g);
    g = start();
    assert_int_equal(wick_jfr_reader_end(g->reader, &g->err), -WICK_E_FORMAT);
    assert_string_equal(g->err.msg, "the file is empty");
    drop(g);
}

/* --- followed --- */

static int open_empty(void)
{
    char path[] = "/tmp/wick-test-grow-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    unlink(path);
    return fd;
}

/* Puts into the file what is new, as a writer does: behind what is there, then the header. */
static void save(int fd, const struct jfr_build *j)
{
    assert_int_equal(pwrite(fd, j->out.buf, j->out.len, 0), (ssize_t)j->out.len);
}

static void follow(struct reading *g, int fd)
{
    assert_int_equal(wick_jfr_reader_follow(g->reader, fd, &g->err), 0);
    assert_int_equal(g->res.problems, 0);
    assert_int_equal(g->res.unresolved, 0);
}

static void check_followed(int apart, bool constants_first)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct reading *g = start();
    uint64_t samples = 0, others = 0, events = 0;
    int fd = open_empty();
    follow(g, fd);
    for (int chunk = 0; chunk < 3; chunk++) {
        jfr_begin(&j);
        save(fd, &j);
        follow(g, fd); /* a header that says nothing yet */
        for (int flush = 0; flush < 4; flush++) {
            put_flush(&j, 1 + flush * PER_FLUSH, apart, constants_first);
            save(fd, &j);
            samples += (uint64_t)(flush + 1) * PER_FLUSH;
            others++;
            events += (uint64_t)(flush + 1) * PER_FLUSH + 2 + !flush;
            follow(g, fd);
            assert_int_equal(g->res.samples, samples);
            assert_int_equal(g->res.events, events); /* none of them twice */
            assert_int_equal(g->others, others);
            follow(g, fd);
            assert_int_equal(g->res.samples, samples);
        }
    }
    assert_int_equal(wick_jfr_reader_end(g->reader, &g->err), 0);
    struct reading *whole = read_whole(j.out.buf, j.out.len);
    expect_same(g, whole);
    assert_int_equal(g->res.chunks, 3);
    drop(whole);
    drop(g);
    close(fd);
    wick_strbuf_release(&j.out);
}

static void test_follow__each_flush_is_read_once(void **state)
{
    check_followed(1, true);
    check_followed(1, false);
}

/* Keys so far apart that the pools turn from tables by key into tables by hash. */
static void test_follow__pools_grow_whatever_their_keys(void **state)
{
    check_followed(3000, true);
    check_followed(1 << 20, false);
}

static void test_follow__bytes_behind_the_header_are_not_there_yet(void **state)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct reading *g = start();
    int fd = open_empty();
    jfr_begin(&j);
    put_flush(&j, 1, 1, true);
    put_events(&j, 1, 1); /* no header for these */
    save(fd, &j);
    follow(g, fd);
    assert_int_equal(g->res.samples, PER_FLUSH);
    jfr_end(&j);
    save(fd, &j);
    follow(g, fd);
    assert_int_equal(g->res.samples, 2 * PER_FLUSH);
    put_text(&j, OTHER, "the writer was killed here");
    save(fd, &j);
    assert_int_equal(wick_jfr_reader_end(g->reader, &g->err), 0);
    struct reading *whole = read_whole(j.out.buf, j.out.len);
    expect_same(g, whole);
    assert_int_equal(g->res.problems, 1);
    drop(whole);
    drop(g);
    close(fd);
    wick_strbuf_release(&j.out);
}

/* The JDK rewrites the metadata when a type is added; what was read before stays, and nothing is read twice. */
static void test_follow__types_may_be_added(void **state)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct reading *g = start();
    int fd = open_empty();
    jfr_begin(&j);
    put_flush(&j, 1, 1, false);
    save(fd, &j);
    follow(g, fd);
    jfr_metadata(&j, types, TYPES + 1);
    put_text(&j, LATER, "of the new type");
    put_flush(&j, 1 + PER_FLUSH, 1, false);
    save(fd, &j);
    follow(g, fd);
    assert_int_equal(g->laters, 1);
    assert_int_equal(g->others, 2);
    assert_int_equal(g->res.samples, 3 * PER_FLUSH);
    assert_int_equal(wick_jfr_reader_end(g->reader, &g->err), 0);
    struct reading *whole = read_whole(j.out.buf, j.out.len);
    expect_same(g, whole);
    drop(whole);
    drop(g);
    close(fd);
    wick_strbuf_release(&j.out);
}

/* What a reader holds between two calls counts: who keeps many of them has to know. */
static void test_follow__memory_grows_with_what_is_known(void **state)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct reading *g = start();
    int fd = open_empty();
    (void)state;
    uint64_t before = wick_jfr_reader_bytes(g->reader);
    assert_true(before > sizeof(struct wick_jfr_result));
    jfr_begin(&j);
    put_flush(&j, 1, 1, true);
    save(fd, &j);
    follow(g, fd);
    assert_true(wick_jfr_reader_bytes(g->reader) >= before + PER_FLUSH * sizeof(uint64_t)); /* a constant each */
    drop(g);
    close(fd);
    wick_strbuf_release(&j.out);
}

/* As many events as take some steps, of which each is at least as long as the reader reads between two readings of the
 * clock. */
static void put_many_events(struct jfr_build *j)
{
    jfr_begin(j);
    put_flush(j, 1, 1, true);
    for (int i = 0; i < 1500; i++)
        put_events(j, 1, 1);
    jfr_end(j);
}

static void test_follow__a_pause_changes_nothing(void **state)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct reading *g = start();
    uint64_t before = 0, steps = 0;
    bool more = true;
    int fd = open_empty();
    (void)state;
    put_many_events(&j); /* complete, with a chunk behind it */
    put_many_events(&j); /* the last one, to which some could be added */
    save(fd, &j);
    for (; more; steps++) {
        assert_int_equal(wick_jfr_reader_follow_until(g->reader, fd, 1, &more, &g->err), 0); /* long past */
        uint64_t now = wick_jfr_reader_position(g->reader);
        assert_true(now > before);
        before = now;
    }
    assert_true(steps > 4); /* not by chunks alone */
    assert_int_equal(before, j.out.len);
    assert_int_equal(wick_jfr_reader_end(g->reader, &g->err), 0);
    struct reading *whole = read_whole(j.out.buf, j.out.len);
    expect_same(g, whole);
    assert_int_equal(g->res.problems, 0);
    assert_int_equal(g->res.samples, 2 * 1501 * PER_FLUSH);
    drop(whole);
    drop(g);
    close(fd);
    wick_strbuf_release(&j.out);
}

/* The damaged chunk in the middle has to be searched for its constants, which is done once. */
static void test_follow__a_pause_changes_nothing_of_a_damaged_file(void **state)
{
    enum { CHECKPOINT_AT = 16 };
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct reading *g = start();
    bool more = true;
    int fd = open_empty();
    (void)state;
    put_many_events(&j);
    memset(j.out.buf + CHECKPOINT_AT, 0, 8);
    put_many_events(&j);
    save(fd, &j);
    while (more)
        assert_int_equal(wick_jfr_reader_follow_until(g->reader, fd, 1, &more, &g->err), 0);
    assert_int_equal(wick_jfr_reader_end(g->reader, &g->err), 0);
    struct reading *whole = read_whole(j.out.buf, j.out.len);
    expect_same(g, whole);
    assert_int_equal(g->res.problems, 1);
    drop(whole);
    drop(g);
    close(fd);
    wick_strbuf_release(&j.out);
}

static void test_follow__a_file_that_was_replaced_is_refused(void **state)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct reading *g = start();
    int fd = open_empty();
    jfr_begin(&j);
    put_flush(&j, 1, 1, true);
    save(fd, &j);
    follow(g, fd);
    assert_int_equal(ftruncate(fd, 100), 0);
    assert_int_equal(wick_jfr_reader_follow(g->reader, fd, &g->err), -WICK_E_FORMAT);
    drop(g);
    close(fd);
    g = start();
    int pipe_fd[2];
    assert_int_equal(pipe(pipe_fd), 0);
    assert_int_equal(wick_jfr_reader_follow(g->reader, pipe_fd[0], &g->err), -WICK_E_USAGE);
    close(pipe_fd[0]);
    close(pipe_fd[1]);
    drop(g);
    wick_strbuf_release(&j.out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_feed__in_pieces_of_any_size),
        cmocka_unit_test(test_feed__a_chunk_is_read_when_it_is_complete),
        cmocka_unit_test(test_feed__damage_is_what_it_is_in_a_file),
        cmocka_unit_test(test_feed__what_is_no_recording_is_refused_at_once),
        cmocka_unit_test(test_follow__each_flush_is_read_once),
        cmocka_unit_test(test_follow__pools_grow_whatever_their_keys),
        cmocka_unit_test(test_follow__bytes_behind_the_header_are_not_there_yet),
        cmocka_unit_test(test_follow__types_may_be_added),
        cmocka_unit_test(test_follow__memory_grows_with_what_is_known),
        cmocka_unit_test(test_follow__a_pause_changes_nothing),
        cmocka_unit_test(test_follow__a_pause_changes_nothing_of_a_damaged_file),
        cmocka_unit_test(test_follow__a_file_that_was_replaced_is_refused),
    };
    return cmocka_run_group_tests_name("jfr_grow", tests, NULL, NULL);
}
