/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a recording, in directories of their own under the test's working directory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/err.h"
#include "jfr_walk.h"
#include "jfr/format/jfr_format.h"
#include "record/output.h"

#define START_NS UINT64_C(7000000000000)
#define SECOND   UINT64_C(1000000000)

static char dir_path[64];
static int dirfd_;

static int setup(void **state)
{
    (void)state;
    strcpy(dir_path, "test_output.XXXXXX");
    assert_non_null(mkdtemp(dir_path));
    dirfd_ = open(dir_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return dirfd_ < 0;
}

/* Calls each(name) for the files in the directory, in no order; returns their number. */
static unsigned each_file(void (*each)(const char *, void *), void *arg)
{
    unsigned n = 0;
    DIR *d = opendir(dir_path);
    if (!d)
        return 0;
    for (struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] == '.')
            continue;
        if (each)
            each(e->d_name, arg);
        n++;
    }
    closedir(d);
    return n;
}

static void unlink_file(const char *name, void *arg)
{
    unlinkat(dirfd_, name, 0);
}

static int teardown(void **state)
{
    (void)state;
    each_file(unlink_file, NULL);
    rmdir(dir_path);
    close(dirfd_);
    return 0;
}

static void add_size(const char *name, void *arg)
{
    struct stat st;
    assert_int_equal(fstatat(dirfd_, name, &st, AT_SYMLINK_NOFOLLOW), 0);
    *(uint64_t *)arg += (uint64_t)st.st_size;
}

static uint64_t sizes(void)
{
    uint64_t sum = 0;
    each_file(add_size, &sum);
    return sum;
}

static void walk_file(const char *name, void *arg)
{
    static uint8_t data[4 << 20];
    struct walk *sum = arg, x;
    int fd = openat(dirfd_, name, O_RDONLY | O_CLOEXEC);
    ssize_t n = read(fd, data, sizeof data);
    close(fd);
    assert_in_range(n, 0, sizeof data - 1);
    walk_recording(&x, data, (size_t)n);
    sum->chunks += x.chunks;
    sum->events[WICK_JFR_EVENT_EXECUTION_SAMPLE] += x.events[WICK_JFR_EVENT_EXECUTION_SAMPLE];
}

static size_t test_stack(void *arg, uint32_t id, struct wick_jfr_frame *out, size_t cap, bool *truncated)
{
    for (size_t i = 0; i < 20; i++)
        out[i] = (struct wick_jfr_frame){1 + (uint32_t)i, 1, 1, 1};
    return 20;
}

static int test_method(void *arg, uint32_t id, struct wick_jfr_method *out)
{
    *out = (struct wick_jfr_method){"a/C", "m", "()V"};
    return 0;
}

static int test_thread(void *arg, uint32_t id, struct wick_jfr_thread *out)
{
    *out = (struct wick_jfr_thread){"t", id};
    return 0;
}

static struct wick_jfr_writer *open_writer(struct wick_output *o, struct wick_jfr_config config)
{
    static const struct wick_jfr_source source = {NULL, test_stack, test_method, test_thread};
    struct wick_jfr_sink sink = wick_output_sink(o);
    struct wick_jfr_writer *w = NULL;
    config.start_mono_ns = START_NS;
    wick_output_limit_chunks(o, &config);
    assert_int_equal(wick_jfr_writer_open(&w, &sink, &source, &config), 0);
    return w;
}

static void sample(struct wick_jfr_writer *w, uint64_t time_ns, uint32_t stack)
{
    wick_jfr_write_execution_sample(
        w, &(struct wick_jfr_execution_sample){time_ns, 1, stack, 1, WICK_JFR_SAMPLE_USER, 1000000, 1});
}

static int open_file(const char *name, int flags)
{
    return openat(dirfd_, name, flags | O_CREAT | O_CLOEXEC, 0600);
}

static void open_dir(struct wick_output *o, uint64_t max_bytes, uint64_t max_age_ns)
{
    assert_int_equal(wick_output_init_dir(o, dup(dirfd_), "rec", max_bytes, max_age_ns), 0);
}

static void test_output__takes_only_an_empty_regular_file(void **state)
{
    (void)state;
    struct wick_output o;
    int fds[2], append = open_file("append", O_WRONLY | O_APPEND), old = open_file("old", O_RDWR);
    int readonly = open_file("readonly", O_RDONLY), good = open_file("good", O_RDWR);
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    assert_int_equal(write(old, "x", 1), 1);
    assert_int_equal(wick_output_init_fd(&o, fds[1]), -WICK_E_USAGE);
    assert_int_equal(wick_output_init_fd(&o, append), -WICK_E_USAGE);
    assert_int_equal(wick_output_init_fd(&o, readonly), -WICK_E_USAGE);
    assert_int_equal(wick_output_init_fd(&o, old), -WICK_E_USAGE);
    assert_int_equal(wick_output_init_fd(&o, dirfd_), -WICK_E_USAGE);
    assert_int_equal(wick_output_init_fd(&o, -1), -WICK_E_USAGE);
    assert_int_equal(wick_output_init_fd(&o, good), 0);
    wick_output_release(&o);
    int leftovers[] = {fds[0], fds[1], append, old, readonly};
    for (size_t i = 0; i < 5; i++)
        close(leftovers[i]);
}

static void test_output__base_name_cannot_leave_the_directory(void **state)
{
    (void)state;
    struct wick_output o;
    char longest[WICK_OUTPUT_BASE_MAX + 2];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    const char *bad[] = {"", "a/b", "/abs", "../up", ".", longest};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(wick_output_init_dir(&o, dirfd_, bad[i], 0, 0), -WICK_E_USAGE);
}

static void test_output__one_file_holds_all_chunks(void **state)
{
    (void)state;
    struct wick_output o;
    struct walk x = {0};
    assert_int_equal(wick_output_init_fd(&o, open_file("one.jfr", O_RDWR)), 0);
    struct wick_jfr_writer *w = open_writer(&o, (struct wick_jfr_config){0});
    for (uint32_t i = 0; i < 30; i++) {
        sample(w, START_NS + i * SECOND, i);
        assert_int_equal(i % 10 ? wick_jfr_writer_flush(w, START_NS + i * SECOND)
                                : wick_jfr_writer_rotate(w, START_NS + i * SECOND),
                         0);
    }
    assert_int_equal(wick_jfr_writer_close(w, START_NS + 30 * SECOND, NULL), 0);
    wick_output_release(&o);
    assert_int_equal(each_file(walk_file, &x), 1);
    assert_int_equal(x.chunks, 4);
    assert_int_equal(x.events[WICK_JFR_EVENT_EXECUTION_SAMPLE], 30);
}

static void test_output__directory_never_holds_more_than_its_limit(void **state)
{
    (void)state;
    struct wick_output o;
    struct wick_jfr_stats s;
    struct walk x = {0};
    const uint64_t limit = 2 << 20;
    open_dir(&o, limit, 0);
    struct wick_jfr_writer *w = open_writer(&o, (struct wick_jfr_config){0});
    uint64_t most = 0;
    for (uint32_t i = 0; i < 200000; i++) {
        sample(w, START_NS + i * 1000, 1 + i % 3000);
        if (i % 2000)
            continue;
        assert_int_equal(wick_jfr_writer_flush(w, START_NS + i * 1000), 0);
        most = sizes() > most ? sizes() : most;
        assert_true(sizes() <= limit);
    }
    assert_int_equal(wick_jfr_writer_close(w, START_NS + SECOND, &s), 0);
    assert_true(s.bytes > 2 * limit);
    assert_true(most > limit / 2);
    assert_true(sizes() <= limit);
    assert_true(o.removed > 0);
    assert_int_equal(each_file(walk_file, &x), o.count);
    assert_int_equal(x.chunks, o.count); /* each file is a recording */
    char name[WICK_OUTPUT_NAME_MAX];
    for (size_t i = 0; i < o.count; i++) {
        assert_true(wick_output_segment_name(&o, i, name));
        assert_int_equal(faccessat(dirfd_, name, R_OK, 0), 0);
    }
    assert_false(wick_output_segment_name(&o, o.count, name));
    wick_output_release(&o);
}

static void test_output__files_older_than_the_limit_go(void **state)
{
    (void)state;
    struct wick_output o;
    open_dir(&o, 0, 20 * SECOND);
    struct wick_jfr_writer *w = open_writer(&o, (struct wick_jfr_config){0});
    for (uint32_t i = 0; i < 100; i++) {
        sample(w, START_NS + i * SECOND, i);
        assert_int_equal(wick_jfr_writer_flush(w, START_NS + i * SECOND), 0);
    }
    wick_jfr_writer_close(w, START_NS + 100 * SECOND, NULL);
    assert_in_range(o.count, 4, 7); /* chunks of 5 seconds */
    assert_int_equal(each_file(NULL, NULL), o.count);
    assert_true(START_NS + 100 * SECOND - o.segments[0].end_ns <= 25 * SECOND);
    wick_output_release(&o);
}

static void test_output__foreign_files_and_links_are_left_alone(void **state)
{
    (void)state;
    struct wick_output o;
    struct stat st;
    assert_int_equal(symlinkat("victim", dirfd_, "rec-000001.jfr"), 0);
    close(open_file("rec-000002.jfr", O_RDWR));
    open_dir(&o, 1, 0);
    struct wick_jfr_writer *w = open_writer(&o, (struct wick_jfr_config){0});
    for (uint32_t i = 0; i < 5; i++) {
        sample(w, START_NS, 1);
        assert_int_equal(wick_jfr_writer_rotate(w, START_NS + i * SECOND), 0);
    }
    wick_jfr_writer_close(w, START_NS + 6 * SECOND, NULL);
    assert_int_equal(fstatat(dirfd_, "victim", &st, 0), -1);
    assert_int_equal(fstatat(dirfd_, "rec-000001.jfr", &st, AT_SYMLINK_NOFOLLOW), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(fstatat(dirfd_, "rec-000002.jfr", &st, 0), 0);
    assert_int_equal(st.st_size, 0);
    char name[WICK_OUTPUT_NAME_MAX];
    assert_true(wick_output_segment_name(&o, o.count - 1, name));
    assert_int_equal(fstatat(dirfd_, name, &st, 0), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    wick_output_release(&o);
}

/* Number i of the names made, after n chunks of a sample each. */
static void make_files(struct wick_output *o, const char *base, uint32_t n)
{
    assert_int_equal(wick_output_init_dir(o, dup(dirfd_), base, 0, 0), 0);
    struct wick_jfr_writer *w = open_writer(o, (struct wick_jfr_config){0});
    for (uint32_t i = 0; i < n; i++) {
        sample(w, START_NS + i * SECOND, 1);
        if (i + 1 < n)
            assert_int_equal(wick_jfr_writer_rotate(w, START_NS + i * SECOND), 0);
    }
    assert_int_equal(wick_jfr_writer_close(w, START_NS + n * SECOND, NULL), 0);
}

static bool exists(const char *name)
{
    return !faccessat(dirfd_, name, F_OK, AT_SYMLINK_NOFOLLOW);
}

/* The mark of a recording's last chunk, in the header of the first chunk of a file. */
static int is_final(const char *name)
{
    unsigned char flags[2];
    int fd = openat(dirfd_, name, O_RDONLY);
    assert_int_equal(pread(fd, flags, 2, WICK_JFR_HDR_FLAGS), 2);
    close(fd);
    return flags[1] & WICK_JFR_FLAG_FINAL_CHUNK;
}

static void test_output__what_is_complete_says_so(void **state)
{
    (void)state;
    struct wick_output o;
    assert_int_equal(wick_output_init_dir(&o, dup(dirfd_), "f", 0, 0), 0);
    struct wick_jfr_writer *w = open_writer(&o, (struct wick_jfr_config){0});
    sample(w, START_NS, 1);
    assert_int_equal(wick_jfr_writer_rotate(w, START_NS + SECOND), 0);
    sample(w, START_NS + SECOND, 1);
    assert_int_equal(wick_jfr_writer_flush(w, START_NS + SECOND), 0);
    assert_true(is_final("f-000001.jfr")); /* the file is complete, though the recording goes on */
    assert_false(is_final("f-000002.jfr"));
    assert_int_equal(wick_jfr_writer_close(w, START_NS + 2 * SECOND, NULL), 0);
    assert_true(is_final("f-000002.jfr"));
    wick_output_release(&o);
}

static void test_output__numbers_come_round(void **state)
{
    (void)state;
    struct wick_output o;
    struct walk x = {0};
    struct stat st;
    make_files(&o, "a-%n{3}", 2);
    assert_true(exists("a-0.jfr") && exists("a-1.jfr") && !exists("a-2.jfr"));
    wick_output_release(&o);
    each_file(unlink_file, NULL);
    make_files(&o, "a-%n{3}", 5);
    assert_int_equal(o.count, 3);
    assert_int_equal(each_file(walk_file, &x), 3);
    assert_int_equal(x.events[WICK_JFR_EVENT_EXECUTION_SAMPLE], 3);
    assert_true(exists("a-0.jfr") && exists("a-1.jfr") && exists("a-2.jfr"));
    wick_output_release(&o);
    /* Another process: its recordings are replaced, other files are not. */
    assert_int_equal(unlinkat(dirfd_, "a-1.jfr", 0), 0);
    assert_int_equal(symlinkat("victim", dirfd_, "a-1.jfr"), 0);
    int fd = openat(dirfd_, "a-2.jfr", O_WRONLY | O_TRUNC);
    assert_int_equal(write(fd, "not one", 7), 7);
    close(fd);
    make_files(&o, "a-%n{3}", 4);
    assert_int_equal(o.count, 1); /* only 0 is ours */
    assert_int_equal(fstatat(dirfd_, "a-1.jfr", &st, AT_SYMLINK_NOFOLLOW), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(fstatat(dirfd_, "a-2.jfr", &st, 0), 0);
    assert_int_equal(st.st_size, 7);
    wick_output_release(&o);
}

static void test_output__each_file_has_its_time(void **state)
{
    (void)state;
    struct wick_output o;
    char name[WICK_OUTPUT_NAME_MAX];
    make_files(&o, "r-%t-100%%", 2);
    int year, month, day, hour, minute, second, number, end = 0;
    for (size_t i = 0; i < 2; i++) {
        assert_true(wick_output_segment_name(&o, i, name));
        assert_true(exists(name));
        assert_int_equal(sscanf(name, "r-%4d%2d%2d-%2d%2d%2d-100%%-%6d.jfr%n", &year, &month, &day, &hour, &minute,
                                &second, &number, &end),
                         7);
        assert_int_equal(name[end], 0);
        assert_int_equal(number, i + 1);
    }
    o.segments[0].made -= 3600; /* the name is that of the time at which it was made */
    assert_true(wick_output_segment_name(&o, 0, name));
    assert_false(exists(name));
    wick_output_release(&o);
    setenv("WICK_TEST_NAME", "../x", 1);
    assert_int_equal(wick_output_init_dir(&o, dirfd_, "a%{WICK_TEST_NAME}", 0, 0), -WICK_E_USAGE);
}

static void test_output__directory_that_vanished_is_an_error_not_a_crash(void **state)
{
    (void)state;
    struct wick_output o;
    struct wick_jfr_stats s;
    open_dir(&o, 0, 0);
    struct wick_jfr_writer *w = open_writer(&o, (struct wick_jfr_config){0});
    sample(w, START_NS, 1);
    assert_int_equal(wick_jfr_writer_flush(w, START_NS), 0);
    each_file(unlink_file, NULL);
    assert_int_equal(rmdir(dir_path), 0);
    wick_jfr_writer_rotate(w, START_NS + SECOND);
    sample(w, START_NS, 1);
    assert_int_equal(wick_jfr_writer_close(w, START_NS + SECOND, &s), -WICK_E_NOTFOUND);
    assert_int_equal(s.lost_output[WICK_JFR_EVENT_EXECUTION_SAMPLE], 1);
    wick_output_release(&o);
}

static void test_output__file_size_limit_is_met_like_a_full_disk(void **state)
{
    (void)state;
    struct wick_output o;
    struct wick_jfr_stats s;
    struct walk x = {0};
    struct rlimit old, small = {100000, 100000};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small.rlim_max = old.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(wick_output_init_fd(&o, open_file("small.jfr", O_RDWR)), 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    struct wick_jfr_writer *w = open_writer(&o, (struct wick_jfr_config){.retry_ns = UINT64_MAX});
    for (uint32_t i = 0; i < 20000; i++) {
        sample(w, START_NS + i, 1 + i);
        if (i % 500 == 0)
            wick_jfr_writer_flush(w, START_NS + i);
    }
    int error = wick_jfr_writer_close(w, START_NS + SECOND, &s);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(error, -WICK_E_NOSPACE);
    assert_int_equal(each_file(walk_file, &x), 1);
    assert_true(sizes() <= 100000);
    uint64_t written = s.written[WICK_JFR_EVENT_EXECUTION_SAMPLE];
    assert_true(written > 0);
    assert_int_equal(x.events[WICK_JFR_EVENT_EXECUTION_SAMPLE], written);
    assert_int_equal(written + s.lost_output[WICK_JFR_EVENT_EXECUTION_SAMPLE], 20000);
    wick_output_release(&o);
}

struct taker {
    int answer;
    unsigned asked;
    uint64_t end;
};

static int take(void *arg, uint64_t end)
{
    struct taker *t = arg;
    t->asked++;
    t->end = end;
    return t->answer;
}

/* Chunks that are taken by somebody else: he is asked when the next begins, and if he does not answer they gather up to
 * the limit, beyond which none begins until he does. */
static void test_output__chunks_that_are_taken_gather_up_to_the_limit(void **state)
{
    (void)state;
    struct wick_output o;
    struct taker t = {0};
    uint64_t base = 1;
    char kib[1024] = "";
    struct iovec iov = {kib, sizeof kib};
    assert_int_equal(wick_output_init_taken(&o, open_file("taken.jfr", O_RDWR), take, &t, 4096, 0), 0);
    struct wick_jfr_sink sink = wick_output_sink(&o);
    assert_true(sink.split);
    assert_int_equal(sink.begin(sink.arg, START_NS, &base), 0);
    assert_int_equal(base, 0);
    assert_int_equal(t.asked, 0);
    uint64_t end = 0;
    for (int i = 0; i < 10; i++) {
        assert_int_equal(sink.write(sink.arg, base, &iov, 1), 0);
        assert_int_equal(sink.begin(sink.arg, START_NS, &base), 0);
        end += sizeof kib;
        assert_int_equal(base, end);
        assert_int_equal(t.end, end);
    }
    t.answer = -WICK_E_TIMEOUT;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(sink.write(sink.arg, base, &iov, 1), 0);
        assert_int_equal(sink.begin(sink.arg, START_NS, &base), 0);
    }
    assert_int_equal(sink.write(sink.arg, base, &iov, 1), 0);
    assert_int_equal(sink.begin(sink.arg, START_NS, &base), -WICK_E_NOSPACE);
    t.answer = 0;
    assert_int_equal(sink.begin(sink.arg, START_NS, &base), 0);
    assert_int_equal(t.end, 14 * sizeof kib);
    wick_output_release(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(test_output__takes_only_an_empty_regular_file),
        TEST(test_output__base_name_cannot_leave_the_directory),
        TEST(test_output__what_is_complete_says_so),
        TEST(test_output__numbers_come_round),
        TEST(test_output__each_file_has_its_time),
        TEST(test_output__one_file_holds_all_chunks),
        TEST(test_output__chunks_that_are_taken_gather_up_to_the_limit),
        TEST(test_output__directory_never_holds_more_than_its_limit),
        TEST(test_output__files_older_than_the_limit_go),
        TEST(test_output__foreign_files_and_links_are_left_alone),
        TEST(test_output__directory_that_vanished_is_an_error_not_a_crash),
        TEST(test_output__file_size_limit_is_met_like_a_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
