/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_faults_counts.c - the agent asks its JVM what that counts of its own memory
 *
 * This program is the JVM: it listens where the Attach Listener would, and has the flag that says whether it counts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/event/jvm_counts.h"
#include "agent/jvm/vm.h"
#include "faults.h"

#define SECOND   UINT64_C(1000000000)
#define QUESTION "1\0jcmd\0VM.native_memory summary scale=KB\0\0"

static const char answer[] = "0\n123:\n\nNative Memory Tracking:\n\nTotal: reserved=30KB, committed=20KB\n"
                             "-                 Java Heap (reserved=20KB, committed=16KB)\n"
                             "                            (mmap: reserved=20KB, committed=16KB)\n\n"
                             "-                        GC (reserved=10KB, committed=4KB)\n"
                             "                            (malloc=4KB #7)\n\n";

static struct wick_jfr_writer *writer;
static int listener = -1;
static uint64_t now_ns = SECOND; /* goes on from test to test */

/* --- the JVM --- */

static const char *mode = "summary";

static void address(struct sockaddr_un *sa)
{
    *sa = (struct sockaddr_un){.sun_family = AF_UNIX};
    snprintf(sa->sun_path, sizeof sa->sun_path, "/tmp/.java_pid%d", (int)getpid());
}

static void jvm_listens(void)
{
    struct sockaddr_un sa;
    address(&sa);
    unlink(sa.sun_path);
    listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert_true(listener >= 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&sa, sizeof sa), 0);
    assert_int_equal(listen(listener, 4), 0);
}

static void jvm_ends(void)
{
    struct sockaddr_un sa;
    address(&sa);
    unlink(sa.sun_path);
    if (listener >= 0)
        close(listener);
    listener = -1;
}

/* The caller's connection, whose question has come; -1 = nobody has asked. */
static int jvm_is_asked(void)
{
    char text[256];
    int fd = accept(listener, NULL, NULL);
    if (fd < 0)
        return -1;
    assert_int_equal(recvfrom(fd, text, sizeof text, 0, NULL, NULL), sizeof QUESTION);
    assert_memory_equal(text, QUESTION, sizeof QUESTION);
    return fd;
}

/* --- the recording --- */

static int discard_begin(void *arg, uint64_t time_ns, uint64_t *base)
{
    *base = 0;
    return 0;
}

static int discard(void *arg, uint64_t offset, const struct iovec *iov, int n)
{
    return 0;
}

static int discard_end(void *arg, uint64_t end)
{
    return 0;
}

static int set_up(void **state)
{
    static const struct wick_jfr_sink sink = {NULL, discard_begin, discard, discard_end, NULL, false};
    static const struct wick_jfr_source none = {0};
    const struct wick_jfr_config config = {.start_mono_ns = SECOND, .start_epoch_ns = SECOND};
    struct wick_hs_layout *l = &wick_vm.jvm.layout;
    memset(l, 0xff, sizeof *l);
    assert_int_equal(wick_mem_self_init(&wick_vm.mem), 0);
    wick_vm.jvm.mem = &wick_vm.mem;
    wick_vm.jvm.flag[WICK_JVM_FLAG_NATIVE_MEMORY_TRACKING] = (wick_addr)(uintptr_t)&mode;
    return wick_jfr_writer_open(&writer, &sink, &none, &config);
}

static int tear_down(void **state)
{
    wick_jfr_writer_close(writer, now_ns, NULL);
    jvm_ends();
    return 0;
}

static int begin(void **state)
{
    mode = "summary";
    faults_follow = true;
    jvm_listens();
    wick_jvm_counts_open(10 * SECOND);
    return 0;
}

static int end(void **state)
{
    wick_jvm_counts_close();
    jvm_ends();
    return 0;
}

static uint64_t categories(void)
{
    struct wick_jfr_stats s;
    wick_jfr_writer_stats(writer, &s);
    return s.written[WICK_JFR_EVENT_NATIVE_MEMORY_USAGE] + s.pending[WICK_JFR_EVENT_NATIVE_MEMORY_USAGE];
}

static bool a_round(uint64_t later_ns)
{
    now_ns += later_ns;
    return wick_jvm_counts_look(writer, now_ns);
}

/* Asked at the next interval, answered by that, in two pieces. */
static void ask_and_answer(const char *text, size_t n)
{
    a_round(10 * SECOND);
    int fd = jvm_is_asked();
    assert_true(fd >= 0);
    assert_int_equal(send(fd, text, n / 2, MSG_NOSIGNAL), n / 2);
    a_round(1);
    send(fd, text + n / 2, n - n / 2, MSG_NOSIGNAL | MSG_DONTWAIT);
    a_round(1);
    close(fd);
    while (a_round(1))
        usleep(1000);
}

/* --- tests --- */

static void test_counts__come_once_an_interval(void **state)
{
    uint64_t before = categories();
    ask_and_answer(answer, sizeof answer - 1);
    assert_int_equal(categories() - before, 2);
    a_round(9 * SECOND);
    assert_int_equal(jvm_is_asked(), -1);
    ask_and_answer(answer, sizeof answer - 1);
    assert_int_equal(categories() - before, 4);
}

static void test_counts__a_jvm_that_counts_nothing_is_not_asked(void **state)
{
    wick_jvm_counts_close();
    mode = "off";
    wick_jvm_counts_open(10 * SECOND);
    a_round(10 * SECOND);
    assert_int_equal(jvm_is_asked(), -1);
}

static void test_counts__a_jvm_that_does_not_listen_yet_is_asked_later(void **state)
{
    uint64_t before = categories();
    jvm_ends();
    a_round(10 * SECOND);
    jvm_listens();
    a_round(SECOND);
    assert_int_equal(jvm_is_asked(), -1);
    ask_and_answer(answer, sizeof answer - 1);
    assert_int_equal(categories() - before, 2);
}

static void test_counts__after_three_bad_answers_it_is_left_alone(void **state)
{
    static char long_answer[300 << 10]; /* more than is read */
    static const char *const bad[] = {"1\nno such command\n", "0\nNative memory tracking is not enabled\n"};
    uint64_t before = categories();
    memset(long_answer, 'x', sizeof long_answer);
    for (int i = 0; i < 2; i++)
        ask_and_answer(bad[i], strlen(bad[i]));
    ask_and_answer(answer, sizeof answer - 1); /* a good one counts anew */
    for (int i = 0; i < 2; i++)
        ask_and_answer(bad[i], strlen(bad[i]));
    a_round(10 * SECOND);
    int fd = jvm_is_asked();
    assert_true(fd >= 0);
    for (size_t sent = 0, n; sent < sizeof long_answer; sent += n) {
        ssize_t did = send(fd, long_answer + sent, sizeof long_answer - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        n = did > 0 ? (size_t)did : 0;
        if (did < 0 && errno != EAGAIN)
            break; /* it has hung up */
        a_round(1);
    }
    close(fd);
    assert_int_equal(categories() - before, 2);
    a_round(60 * SECOND);
    assert_int_equal(jvm_is_asked(), -1);
}

/* JDK 25 writes an answer piece by piece, while a collection waits for them: for which the recording's own
 * thread, which makes the rounds, may be waiting. More pieces than a socket takes are written here without a round. */
static void test_counts__an_answer_is_read_while_the_recording_waits(void **state)
{
    uint64_t before = categories();
    a_round(10 * SECOND);
    int fd = jvm_is_asked();
    assert_true(fd >= 0);
    assert_int_equal(send(fd, answer, sizeof answer - 1, MSG_NOSIGNAL), sizeof answer - 1);
    for (int i = 0; i < 5000; i++)
        assert_int_equal(send(fd, "\n", 1, MSG_NOSIGNAL), 1); /* it would not return */
    close(fd);
    while (a_round(1))
        usleep(1000);
    assert_int_equal(categories() - before, 2);
}

static void test_counts__silence_is_given_up(void **state)
{
    a_round(10 * SECOND);
    int fd = jvm_is_asked();
    assert_true(fd >= 0);
    a_round(29 * SECOND);
    assert_int_equal(send(fd, "0", 1, MSG_NOSIGNAL), 1); /* it still listens */
    a_round(2 * SECOND);
    assert_int_equal(send(fd, "0", 1, MSG_NOSIGNAL), -1);
    close(fd);
    a_round(1);
    fd = jvm_is_asked();
    assert_true(fd >= 0);
    close(fd);
}

static void test_counts__a_file_in_place_of_the_socket_is_not_called(void **state)
{
    struct sockaddr_un sa;
    address(&sa);
    for (int i = 0; i < 3; i++) {
        jvm_ends();
        if (i == 0)
            assert_int_equal(symlink("/tmp", sa.sun_path), 0);
        else if (i == 1)
            assert_int_equal(mkdir(sa.sun_path, 0700), 0);
        else
            assert_int_equal(mkfifo(sa.sun_path, 0600), 0); /* opened to be read, it would not return */
        a_round(10 * SECOND);
        assert_int_equal(i == 1 ? rmdir(sa.sun_path) : unlink(sa.sun_path), 0);
    }
    jvm_listens();
    a_round(10 * SECOND);
    int fd = jvm_is_asked();
    assert_true(fd >= 0);
    close(fd);
}

/* Containers that share /tmp: a JVM with this one's number listens there, and would answer for itself. */
static void test_counts__another_process_is_not_asked(void **state)
{
    enum { ASKED = 7, NOT_ASKED };
    struct sockaddr_un sa;
    int ready[2], done[2], status;
    char c;
    address(&sa);
    jvm_ends();
    assert_int_equal(pipe(ready) | pipe(done), 0);
    pid_t other = fork();
    assert_true(other >= 0);
    if (!other) {
        int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        if (bind(fd, (struct sockaddr *)&sa, sizeof sa) || listen(fd, 4) || write(ready[1], "x", 1) != 1)
            _exit(1);
        if (read(done[0], &c, 1) != 1)
            _exit(1);
        int caller = accept4(fd, NULL, NULL, 0); /* it has hung up, with nothing said */
        _exit(caller >= 0 && recv(caller, &c, 1, 0) <= 0 ? NOT_ASKED : ASKED);
    }
    assert_int_equal(read(ready[0], &c, 1), 1);
    a_round(10 * SECOND);
    assert_int_equal(write(done[1], "x", 1), 1);
    assert_int_equal(waitpid(other, &status, 0), other);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), NOT_ASKED);
    for (int i = 0; i < 2; i++)
        close(ready[i]), close(done[i]);
}

/* 0 if the answer was recorded. */
static int whole(void *arg)
{
    uint64_t before = categories();
    wick_jvm_counts_open(10 * SECOND);
    a_round(10 * SECOND);
    int fd = jvm_is_asked();
    if (fd >= 0) {
        ssize_t n = sendto(fd, answer, sizeof answer - 1, MSG_NOSIGNAL, NULL, 0);
        assert_true(n == sizeof answer - 1 || n < 0); /* without a thread to read it, it has hung up */
        close(fd);
        while (a_round(1))
            usleep(1000);
    }
    wick_jvm_counts_close();
    return categories() - before == 2 ? 0 : -1;
}

static void test_counts__without_memory_or_descriptors_there_are_none(void **state)
{
    wick_jvm_counts_close();
    assert_true(faults_each(FAULTS_MEMORY, whole, NULL) >= 2);
    assert_int_equal(faults_each(FAULTS_DESCRIPTORS, whole, NULL), 3);
    assert_int_equal(whole(NULL), 0);
}

static void test_counts__are_whole_after_signals_and_pieces(void **state)
{
    static const enum faults_kind harmless[] = {FAULTS_READ_EINTR, FAULTS_READ_SHORT, FAULTS_WRITE_EINTR,
                                                FAULTS_WRITE_SHORT};
    wick_jvm_counts_close();
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        assert_true(faults_each(harmless[i], whole, NULL) > 0);
    assert_true(faults_each(FAULTS_READ_EIO, whole, NULL) > 0);
    assert_int_equal(whole(NULL), 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(test_counts__come_once_an_interval),
        TEST(test_counts__a_jvm_that_counts_nothing_is_not_asked),
        TEST(test_counts__a_jvm_that_does_not_listen_yet_is_asked_later),
        TEST(test_counts__after_three_bad_answers_it_is_left_alone),
        TEST(test_counts__an_answer_is_read_while_the_recording_waits),
        TEST(test_counts__silence_is_given_up),
        TEST(test_counts__a_file_in_place_of_the_socket_is_not_called),
        TEST(test_counts__another_process_is_not_asked),
        TEST(test_counts__without_memory_or_descriptors_there_are_none),
        TEST(test_counts__are_whole_after_signals_and_pieces),
    };
    return cmocka_run_group_tests_name("faults_counts", tests, set_up, tear_down);
}
