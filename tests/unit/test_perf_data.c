/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#ifdef WICK_HAVE_ZSTD
#include <zstd.h>
#endif

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/image.h"
#include "import/input.h"
#include "mem/mem.h"
#include "model/agg_value.h"
#include "model/shape.h"
#include "perf_build.h"
#include "profile_build.h"

#define KERNEL ((uint64_t)-128)
#define USER   ((uint64_t)-512)

/* Two processes: `sh` (100) becomes `worker`, which starts a thread; `idle` (200) lives beside it. */
static void write_story(struct build_perf *b)
{
    static const uint64_t mixed[] = {KERNEL, 0xffffffff81000010, USER, 0x401010, 0x401020};
    static const uint64_t user[] = {USER, 0x401010};
    build_perf_comm(b, 100, 100, 10, "sh", false);
    build_perf_map(b, 100, 11, 0x400000, 0x10000, 0, 0, "/no/such/sh");
    build_perf_sample(b, 1, 100, 100, 20, 1000, mixed, 5);
    build_perf_task(b, WICK_PERF_FORK, 200, 100, 200, 100, 30);
    build_perf_sample(b, 1, 200, 200, 31, 2000, user, 2);
    build_perf_comm(b, 100, 100, 40, "worker", true);
    build_perf_sample(b, 1, 100, 100, 41, 4000, user, 2);
    build_perf_round(b);
    /* another processor's buffer: the mapping is older than the sample that needs it */
    build_perf_sample(b, 2, 100, 101, 60, 1, user, 2);
    build_perf_map(b, 100, 50, 0x400000, 0x10000, 0x1000, 0, "/no/such/worker");
    build_perf_task(b, WICK_PERF_FORK, 100, 100, 101, 100, 51);
    build_perf_comm(b, 100, 101, 52, "helper", false);
    build_perf_task(b, WICK_PERF_EXIT, 200, 100, 200, 100, 70);
    build_perf_round(b);
}

static void story(struct wick_strbuf *out, bool pipe, const char *const names[2])
{
    struct build_perf b;
    build_perf_init(&b, pipe);
    if (names)
        put_names(&b.features[12], names);
    write_story(&b);
    build_perf_end(&b, out);
    build_perf_release(&b);
}

static int read_data(struct wick_profile *p, const void *data, size_t n, bool labels, struct wick_jfr_result *res)
{
    struct wick_import im = {p, NULL, res};
    *res = (struct wick_jfr_result){0};
    assert_int_equal(wick_profile_init(p), 0);
    p->by_labels = labels;
    return wick_perf_data_read(&im, data, n, false, false);
}

static void assert_shown(const struct wick_profile *p, const char *event, const char *want)
{
    struct wick_export_options o = {.event = wick_profile_find_event(p, event), .names = WICK_NAME_ANNOTATE};
    assert_int_not_equal(o.event, 0);
    char *text = build_text(p, &o, wick_collapsed_out_write, NULL);
    assert_string_equal(text, want);
    free(text);
}

static const char cpu_story[] = "sh_[x];sh_[n] 2000\n"
                                "sh_[x];sh_[n];sh_[n];[kernel.kallsyms]_[k] 1000\n"
                                "worker_[x];[unknown]_[n] 4000\n";

static void test_perf_data__threads_and_mappings_count_from_their_time_on(void **state)
{
    (void)state;
    for (int pipe = 0; pipe < 2; pipe++) {
        struct wick_strbuf data = WICK_STRBUF_INIT;
        struct wick_profile p;
        struct wick_jfr_result res;
        story(&data, pipe, NULL);
        assert_int_equal(read_data(&p, data.buf, data.len, false, &res), 0);
        assert_int_equal(res.problems, 0);
        assert_int_equal(res.samples, 4);
        assert_shown(&p, "cpu-clock", cpu_story);
        assert_shown(&p, "page-faults", "helper_[x];worker_[n] 1\n");
        uint16_t clock = wick_profile_find_event(&p, "cpu-clock");
        assert_int_equal(p.events[clock].unit, WICK_UNIT_NS);
        assert_int_equal(p.events[clock].kind, WICK_KIND_CPU);
        wick_profile_release(&p);
        wick_strbuf_release(&data);
    }
}

static void test_perf_data__events_have_the_names_that_perf_gave_them(void **state)
{
    (void)state;
    static const char *const names[] = {"cycles:ppp", "sched:sched_switch"};
    for (int pipe = 0; pipe < 2; pipe++) {
        struct wick_strbuf data = WICK_STRBUF_INIT;
        struct wick_profile p;
        struct wick_jfr_result res;
        story(&data, pipe, names);
        assert_int_equal(read_data(&p, data.buf, data.len, false, &res), 0);
        assert_shown(&p, "cycles", cpu_story);
        assert_shown(&p, "sched:sched_switch", "helper_[x];worker_[n] 1\n");
        wick_profile_release(&p);
        wick_strbuf_release(&data);
    }
}

/* The processes of the samples of an event, one after another. */
static void processes(struct wick_strbuf *out, const struct wick_profile *p)
{
    for (uint32_t i = 0; i < p->naggs; i++) {
        wick_agg_value(out, p, &p->aggs[i], "process");
        wick_strbuf_addc(out, ' ');
    }
}

static void test_perf_data__processes_are_labels(void **state)
{
    (void)state;
    struct wick_strbuf data = WICK_STRBUF_INIT, text = WICK_STRBUF_INIT;
    struct wick_profile p;
    struct wick_jfr_result res;
    story(&data, false, NULL);
    assert_int_equal(read_data(&p, data.buf, data.len, true, &res), 0);
    processes(&text, &p);
    assert_string_equal(text.buf, "sh-100 sh-200 worker-100 worker-100 ");
    wick_profile_release(&p);
    wick_strbuf_release(&text);
    wick_strbuf_release(&data);
}

/* In text a process is known by its number, and its own name may come later than that of its threads. */
static void test_perf_script__processes_are_labels(void **state)
{
    (void)state;
    static const char text[] = "pool-1 7/9 1.0: 5 cycles: \n\t 1 a (b)\n\n"
                               "GC Thread#0 8/10 1.0: 5 cycles: \n\t 1 int Foo.bar(int) (/tmp/perf-8.map)\n\n"
                               "server 7/7 1.1: 5 cycles: \n\t 1 a (b)\n\n"
                               "other 11/12 1.1: 5 cycles: \n\t 1 a (b)\n\n"
                               "alone 13 1.1: 5 cycles: \n\t 1 a (b)\n\n";
    struct wick_strbuf seen = WICK_STRBUF_INIT;
    struct wick_profile p;
    struct wick_jfr_result res;
    assert_int_equal(wick_profile_init(&p), 0);
    p.by_labels = true;
    assert_int_equal(wick_input_read_block(&p, text, strlen(text), false, NULL, &res, NULL), 0);
    processes(&seen, &p);
    assert_string_equal(seen.buf, "server-7 java-8 server-7 other-11  ");
    wick_profile_release(&p);
    wick_strbuf_release(&seen);
}

static void test_perf_data__pieces_of_any_size_make_no_difference(void **state)
{
    (void)state;
    struct wick_strbuf data = WICK_STRBUF_INIT;
    story(&data, true, NULL);
    for (size_t piece = 1; piece < 40; piece++) {
        struct wick_profile p;
        struct wick_jfr_result res = {0};
        struct wick_import im = {&p, NULL, &res};
        assert_int_equal(wick_profile_init(&p), 0);
        struct wick_perf_data *d = wick_perf_data_new(&im, false);
        for (size_t at = 0; at < data.len; at += piece)
            assert_int_equal(wick_perf_data_feed(d, data.buf + at, data.len - at < piece ? data.len - at : piece), 0);
        assert_int_equal(wick_perf_data_end(d), 0);
        assert_int_equal(res.problems, 0);
        assert_shown(&p, "cpu-clock", cpu_story);
        wick_profile_release(&p);
    }
    wick_strbuf_release(&data);
}

static void test_perf_data__cut_anywhere_gives_what_came_before(void **state)
{
    (void)state;
    static const char *const names[] = {"cycles", "faults"};
    for (int pipe = 0; pipe < 2; pipe++) {
        struct wick_strbuf data = WICK_STRBUF_INIT;
        uint64_t before = 0;
        story(&data, pipe, names);
        for (size_t n = 0; n < data.len; n++) {
            char *exact = malloc(n ? n : 1); /* so that the sanitizer sees what is read behind it */
            struct wick_profile p;
            struct wick_jfr_result res;
            memcpy(exact, data.buf, n);
            int rc = read_data(&p, exact, n, true, &res);
            assert_true(rc == 0 || (rc == -WICK_E_FORMAT && n < 104));
            assert_true(res.samples >= before && res.samples <= 4 && res.lost_bytes <= n);
            before = res.samples;
            wick_profile_release(&p);
            free(exact);
        }
        assert_int_equal(before, 4);
        wick_strbuf_release(&data);
    }
}

static void test_perf_data__every_changed_byte_is_survived(void **state)
{
    (void)state;
    static const char *const names[] = {"cycles", "faults"};
    struct wick_strbuf data = WICK_STRBUF_INIT;
    story(&data, false, names);
    for (size_t i = 8; i < data.len; i++)
        for (unsigned flip = 1; flip < 256; flip = flip * 16 + 15) {
            struct wick_profile p;
            struct wick_jfr_result res;
            data.buf[i] = (char)(data.buf[i] ^ (char)flip);
            read_data(&p, data.buf, data.len, true, &res);
            assert_true(res.samples <= 4);
            data.buf[i] = (char)(data.buf[i] ^ (char)flip);
            wick_profile_release(&p);
        }
    wick_strbuf_release(&data);
}

/* A function whose name is searched for below. */
int perf_data_landmark(int x);
__attribute__((noinline)) int perf_data_landmark(int x)
{
    __asm__ volatile("");
    return x + 1;
}

static void test_perf_data__symbols_come_from_the_file_that_was_mapped(void **state)
{
    (void)state;
    char path[4096], line[512];
    struct stat st;
    unsigned long lo = 0, hi = 0, off = 0, at = (unsigned long)(uintptr_t)&perf_data_landmark + 1;
    ssize_t len = readlink("/proc/self/exe", path, sizeof path - 1);
    assert_true(len > 0);
    path[len] = 0;
    assert_int_equal(stat(path, &st), 0);
    FILE *maps = fopen("/proc/self/maps", "re");
    while (fgets(line, sizeof line, maps) &&
           !(sscanf(line, "%lx-%lx %*s %lx", &lo, &hi, &off) == 3 && lo <= at && at < hi))
        ;
    fclose(maps);
    for (int changed = 0; changed < 2; changed++) {
        struct build_perf b;
        struct wick_strbuf data = WICK_STRBUF_INIT;
        struct wick_profile p;
        struct wick_jfr_result res = {0};
        struct wick_import im = {&p, NULL, &res};
        build_perf_init(&b, true);
        build_perf_comm(&b, 1u << 30, 1u << 30, 1, "test", false); /* no such process */
        build_perf_map(&b, 1u << 30, 2, lo, hi - lo, off, st.st_ino + (unsigned)changed, path);
        build_perf_sample(&b, 1, 1u << 30, 1u << 30, 3, 7, (uint64_t[]){USER, at}, 2);
        build_perf_end(&b, &data);
        assert_int_equal(wick_profile_init(&p), 0);
        assert_int_equal(wick_perf_data_read(&im, data.buf, data.len, false, true), 0);
        if (changed) {
            snprintf(line, sizeof line, "test_[x];%s_[n] 7\n", strrchr(path, '/') + 1);
            assert_shown(&p, "cpu-clock", line);
            assert_non_null(strstr(res.note, "gone or have changed"));
        } else {
            assert_shown(&p, "cpu-clock", "test_[x];perf_data_landmark_[n] 7\n");
        }
        wick_profile_release(&p);
        wick_strbuf_release(&data);
        build_perf_release(&b);
    }
}

static int map_of(const char *text)
{
    int fd = memfd_create("map", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

static void assert_found(const struct wick_perf_map *m, uint64_t addr, const char *want)
{
    struct wick_word w = wick_perf_map_find(m, addr);
    assert_int_equal(w.n, strlen(want));
    assert_memory_equal(w.s, want, w.n);
}

static void test_perf_map__later_lines_replace_earlier_ones(void **state)
{
    (void)state;
    struct wick_perf_map *m = wick_perf_map_read(map_of("2000 100 int Foo.bar(int)\n"
                                                        "nonsense\n"
                                                        "1000 0 empty\n"
                                                        "1000 80 first\r\n"
                                                        "1040 20 second\n"
                                                        "ffffffffffffffff 10 over the end\n"
                                                        "3000 10"));
    assert_non_null(m);
    assert_found(m, 0xfff, "");
    assert_found(m, 0x1000, "first");
    assert_found(m, 0x1040, "second");
    assert_found(m, 0x1060, "first");
    assert_found(m, 0x1080, "");
    assert_found(m, 0x20ff, "int Foo.bar(int)");
    assert_found(m, 0x3000, "");
    wick_perf_map_free(m);
}

static void test_perf_frames__a_doubtful_symbol_stays_marked(void **state)
{
    (void)state;
    static const char text[] = "java 1 1.0: 5 cycles: \n\t 1 a.B.c->a.D.e [stale]+0x1 (/tmp/perf-8.map)\n\n"
                               "java 1 1.0: 3 cycles: \n\t 1 Stub [changed] (/tmp/perf-8.map)\n\n"
                               "java 1 1.0: 2 cycles: \n\t 1 a.B$$Lambda+0x7f12.run (/tmp/perf-8.map)\n\n";
    struct wick_profile p;
    struct wick_jfr_result res;
    assert_int_equal(wick_profile_init(&p), 0);
    assert_int_equal(wick_input_read_block(&p, text, strlen(text), false, NULL, &res, NULL), 0);
    assert_shown(&p, "cycles",
                 "java_[x];Stub [changed]_[s] 3\njava_[x];a.B$$Lambda+0x7f12.run_[j] 2\njava_[x];a.B.c "
                 "[stale]_[j];a.D.e [stale]_[i] 5\n");
    wick_profile_release(&p);
}

#ifdef WICK_HAVE_ZSTD
/* The story's records as one stream, put into records of these sizes before compression. */
static void compress_story(struct build_perf *b, size_t piece, uint32_t type)
{
    struct build_perf plain;
    ZSTD_CStream *z = ZSTD_createCStream();
    ZSTD_initCStream(z, 1);
    build_perf_init(&plain, false);
    write_story(&plain);
    for (size_t at = 0; at < plain.records.len; at += piece) {
        struct wick_strbuf body = WICK_STRBUF_INIT;
        char room[4096];
        size_t n = plain.records.len - at < piece ? plain.records.len - at : piece;
        ZSTD_inBuffer in = {plain.records.buf + at, n, 0};
        ZSTD_outBuffer out = {room, sizeof room, 0};
        assert_false(ZSTD_isError(ZSTD_compressStream(z, &out, &in)));
        assert_int_equal(ZSTD_flushStream(z, &out), 0);
        assert_int_equal(in.pos, n);
        if (type == WICK_PERF_COMPRESSED2)
            put64(&body, out.pos);
        wick_strbuf_add(&body, room, out.pos);
        while (type == WICK_PERF_COMPRESSED2 && body.len % 8)
            wick_strbuf_addc(&body, 0);
        build_perf_record(b, type, 0, &body, 0, 0);
        wick_strbuf_release(&body);
    }
    ZSTD_freeCStream(z);
    build_perf_release(&plain);
}

static void test_perf_data__compressed_records_are_one_stream(void **state)
{
    static const size_t pieces[] = {1, 7, 100, 4000};
    (void)state;
    for (size_t i = 0; i < 4 * 2; i++) {
        struct wick_strbuf data = WICK_STRBUF_INIT;
        struct wick_jfr_result res;
        struct wick_profile p;
        struct build_perf b;
        build_perf_init(&b, i % 2);
        compress_story(&b, pieces[i / 2], i % 2 ? WICK_PERF_COMPRESSED : WICK_PERF_COMPRESSED2);
        build_perf_end(&b, &data);
        assert_int_equal(read_data(&p, data.buf, data.len, false, &res), 0);
        assert_int_equal(res.problems, 0);
        assert_shown(&p, "cpu-clock", cpu_story);
        wick_profile_release(&p);
        build_perf_release(&b);
        wick_strbuf_release(&data);
    }
}

static void test_perf_data__damage_in_compressed_records_is_reported_once(void **state)
{
    struct wick_strbuf data = WICK_STRBUF_INIT;
    struct wick_jfr_result res;
    struct wick_profile p;
    struct build_perf b;
    (void)state;
    build_perf_init(&b, true);
    compress_story(&b, 100, WICK_PERF_COMPRESSED);
    build_perf_end(&b, &data);
    size_t whole = data.len;
    for (size_t at = 16; at < whole; at++) {
        char was = data.buf[at];
        data.buf[at] = (char)(was ^ 0x5a);
        (void)read_data(&p, data.buf, data.len, false, &res);
        wick_profile_release(&p);
        data.buf[at] = was;
    }
    assert_int_equal(read_data(&p, data.buf, whole, false, &res), 0);
    assert_int_equal(res.problems, 0);
    wick_profile_release(&p);
    memset(data.buf + whole - 300, 0xff, 60);
    assert_int_equal(read_data(&p, data.buf, whole, false, &res), 0);
    assert_int_not_equal(res.problems, 0);
    wick_profile_release(&p);
    build_perf_release(&b);
    wick_strbuf_release(&data);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_perf_data__threads_and_mappings_count_from_their_time_on),
        cmocka_unit_test(test_perf_data__events_have_the_names_that_perf_gave_them),
        cmocka_unit_test(test_perf_data__processes_are_labels),
        cmocka_unit_test(test_perf_script__processes_are_labels),
        cmocka_unit_test(test_perf_data__pieces_of_any_size_make_no_difference),
        cmocka_unit_test(test_perf_data__cut_anywhere_gives_what_came_before),
        cmocka_unit_test(test_perf_data__every_changed_byte_is_survived),
        cmocka_unit_test(test_perf_data__symbols_come_from_the_file_that_was_mapped),
        cmocka_unit_test(test_perf_map__later_lines_replace_earlier_ones),
        cmocka_unit_test(test_perf_frames__a_doubtful_symbol_stays_marked),
#ifdef WICK_HAVE_ZSTD
        cmocka_unit_test(test_perf_data__compressed_records_are_one_stream),
        cmocka_unit_test(test_perf_data__damage_in_compressed_records_is_reported_once),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
