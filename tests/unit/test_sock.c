/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/err.h"
#include "sys/broker.h"
#include "sys/sock.h"

static int parse(const char *s, int nfds, struct wick_sock_request *r)
{
    return wick_sock_parse_request(s, strlen(s), nfds, r);
}

static void test_request__well_formed_ones_are_split(void **state)
{
    (void)state;
    struct wick_sock_request r;
    assert_int_equal(parse("wick1 ob hold\nstart,event=cpu", 2, &r), 0);
    assert_string_equal(r.fds, "ob");
    assert_true(r.hold);
    assert_int_equal(r.command_len, strlen("start,event=cpu"));
    assert_memory_equal(r.command, "start,event=cpu", r.command_len);
    assert_int_equal(parse("wick1 - -\nstatus", 0, &r), 0);
    assert_string_equal(r.fds, "");
    assert_false(r.hold);
    assert_int_equal(parse("wick1 - -\n", 0, &r), 0);
    assert_int_equal(r.command_len, 0);
}

static void test_request__garbage_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int nfds;
    } bad[] = {{"", 0},
               {"wick1", 0},
               {"wick1 ", 0},
               {"wick1 -", 0},
               {"wick1 - ", 0},
               {"wick1 - -", 0},
               {"wick1 - x\nstatus", 0},
               {"wick2 - -\nstatus", 0},
               {"wick1 o -\nstart", 0},
               {"wick1 - -\nstart", 1},
               {"wick1 oo -\nstart", 2},
               {"wick1 x -\nstart", 1},
               {"wick1 obobob -\nstart", 4},
               {"wick1 d -\nstart", 1},
               {"wick1\n- -\nstart", 0},
               {"\0\0\0\0", 0}};
    struct wick_sock_request r;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (parse(bad[i].text, bad[i].nfds, &r) != -WICK_E_FORMAT)
            fail_msg("'%s' passed", bad[i].text);
}

static void test_reply__code_and_text_are_split(void **state)
{
    (void)state;
    int code = -1;
    const char *text;
    size_t len;
    assert_int_equal(wick_sock_parse_reply("7\nno", 4, &code, &text, &len), 0);
    assert_int_equal(code, 7);
    assert_int_equal(len, 2);
    assert_int_equal(wick_sock_parse_reply("7", 1, &code, &text, &len), -WICK_E_FORMAT);
    assert_int_equal(wick_sock_parse_reply("-7\n", 3, &code, &text, &len), -WICK_E_FORMAT);
    assert_int_equal(wick_sock_parse_reply("9999\n", 5, &code, &text, &len), -WICK_E_FORMAT);
    assert_int_equal(wick_sock_parse_reply("", 0, &code, &text, &len), -WICK_E_FORMAT);
}

static void test_packet__descriptors_travel_and_close_on_exec(void **state)
{
    (void)state;
    int pair[2], pipes[2], got[WICK_SOCK_FDS], n = 0;
    char buf[64];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
    assert_int_equal(pipe(pipes), 0);
    assert_int_equal(wick_sock_send(pair[0], "hello", 5, pipes, 2, 0), 0);
    assert_int_equal(wick_sock_recv(pair[1], buf, sizeof buf, got, WICK_SOCK_FDS, &n, 0), 5);
    assert_int_equal(n, 2);
    assert_int_equal(fcntl(got[0], F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    assert_int_equal(write(got[1], "x", 1), 1);
    assert_int_equal(read(pipes[0], buf, 1), 1);
    for (int i = 0; i < 2; i++) {
        close(pipes[i]);
        close(got[i]);
        close(pair[i]);
    }
}

static int open_fds(void)
{
    int n = 0;
    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static void test_packet__unwanted_descriptors_and_cut_packets_leak_nothing(void **state)
{
    (void)state;
    int pair[2], null = open("/dev/null", O_RDONLY), list[3] = {null, null, null}, got[1], n = 0;
    char buf[4];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
    int before = open_fds();
    wick_sock_send(pair[0], "abc", 3, list, 3, 0);
    assert_int_equal(wick_sock_recv(pair[1], buf, sizeof buf, got, 1, &n, 0), -WICK_E_FORMAT);
    assert_int_equal(n, 0);
    wick_sock_send(pair[0], "too long", 8, list, 1, 0);
    assert_int_equal(wick_sock_recv(pair[1], buf, sizeof buf, got, 1, &n, 0), -WICK_E_FORMAT);
    wick_sock_send(pair[0], "abc", 3, list, 1, 0);
    assert_int_equal(wick_sock_recv(pair[1], buf, sizeof buf, NULL, 0, NULL, 0), -WICK_E_FORMAT);
    assert_int_equal(open_fds(), before);
    close(pair[0]);
    assert_int_equal(wick_sock_recv(pair[1], buf, sizeof buf, NULL, 0, NULL, 0), 0);
    assert_int_equal(wick_sock_send(pair[1], "x", 1, NULL, 0, 0), -WICK_E_GONE);
    close(pair[1]);
    close(null);
}

static void test_wait__ends_in_time(void **state)
{
    (void)state;
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
    uint64_t start = wick_clock_mono_ns();
    assert_int_equal(wick_sock_wait(pair[0], start + 20000000), -WICK_E_TIMEOUT);
    assert_true(wick_clock_mono_ns() - start >= 20000000);
    close(pair[1]);
    assert_int_equal(wick_sock_wait(pair[0], UINT64_MAX), 0);
    close(pair[0]);
}

static void test_listen__the_name_is_found_in_proc_net_unix(void **state)
{
    (void)state;
    char name[WICK_SOCK_NAME_MAX], found[WICK_SOCK_NAME_MAX] = "", text[1 << 16];
    int fd = wick_sock_listen(getpid(), name);
    assert_true(fd >= 0);
    int file = open("/proc/self/net/unix", O_RDONLY);
    size_t len = 0, pos = 0;
    for (ssize_t n; (n = read(file, text + len, sizeof text - len)) > 0;)
        len += (size_t)n;
    close(file);
    assert_true(wick_sock_next_name(text, len, &pos, getpid(), found));
    assert_string_equal(found, name);
    assert_false(wick_sock_next_name(text, len, &pos, getpid(), found));
    int c = wick_sock_connect(name);
    assert_true(c >= 0);
    struct ucred who;
    assert_int_equal(wick_sock_peer(c, &who), 0);
    assert_int_equal(who.pid, getpid());
    close(c);
    close(fd);
    assert_true(wick_sock_connect(name) < 0);
}

static void test_names__only_listening_seqpacket_sockets_of_the_pid_count(void **state)
{
    (void)state;
    static const char text[] =
        "Num       RefCount Protocol Flags    Type St Inode Path\n"
        "ffff: 00000002 00000000 00010000 0001 01 111 @wick/7/0123456789abcdef\n"  /* a stream socket */
        "ffff: 00000002 00000000 00000000 0005 01 112 @wick/7/0123456789abcdef\n"  /* does not listen */
        "ffff: 00000002 00000000 00010000 0005 01 113 @wick/77/0123456789abcdef\n" /* another pid */
        "ffff: 00000002 00000000 00010000 0005 01 114 @wick/7/0123456789abcdeg\n"  /* not hex */
        "ffff: 00000002 00000000 00010000 0005 01 115 @wick/7/0123456789abcdef00\n"
        "ffff: 00000002 00000000 00010000 0005 01 116 /wick/7/0123456789abcdef\n"
        "ffff: 00000003 00000000 00010000 0005 01 117\n"
        "ffff: 00000002 00000000 00010000 0005 01 118 @wick/7/00000000deadbeef\n"
        "ffff: 00000002 00000000 00010000 0005 01 119 @wick/7/00000000deadbee"; /* cut */
    char name[WICK_SOCK_NAME_MAX];
    size_t pos = 0;
    assert_true(wick_sock_next_name(text, sizeof text - 1, &pos, 7, name));
    assert_string_equal(name, "wick/7/00000000deadbeef");
    assert_false(wick_sock_next_name(text, sizeof text - 1, &pos, 7, name));
}

static struct wick_broker_request sampler(void)
{
    struct wick_broker_request r = {.magic = WICK_BROKER_MAGIC, .seq = 1, .tid = 5, .attr_size = sizeof r.attr};
    r.attr.type = PERF_TYPE_SOFTWARE;
    r.attr.config = PERF_COUNT_SW_CPU_CLOCK;
    r.attr.size = sizeof r.attr;
    r.attr.sample_period = 1000000;
    r.attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN;
    r.attr.disabled = 1;
    r.attr.exclude_callchain_user = 1;
    r.attr.sample_max_stack = 127;
    r.attr.use_clockid = 1;
    r.attr.clockid = 1;
    r.attr.wakeup_events = 1;
    return r;
}

static void test_broker__opens_a_sampler(void **state)
{
    (void)state;
    struct wick_broker_request r = sampler();
    struct perf_event_attr a;
    assert_int_equal(wick_broker_check(&r, sizeof r, &a, NULL), 0);
    assert_int_equal(a.sample_period, 1000000);
}

static void test_broker__refuses_everything_else(void **state)
{
    (void)state;
    struct perf_event_attr a;
    struct wick_err err;
#define REFUSED(code, change)                                                        \
    do {                                                                             \
        struct wick_broker_request r = sampler();                                    \
        change;                                                                      \
        assert_int_equal(wick_broker_check(&r, sizeof r, &a, &err), -WICK_E_##code); \
    } while (0)
    REFUSED(PERM, r.attr.type = PERF_TYPE_BREAKPOINT);
    REFUSED(PERM, r.attr.type = 6); /* a dynamic PMU such as kprobe */
    REFUSED(PERM, r.attr.type = 0x80000000);
    REFUSED(PERM, r.attr.config = PERF_COUNT_SW_BPF_OUTPUT);
    REFUSED(PERM, r.attr.sample_period = 0);
    REFUSED(PERM, r.attr.sample_period = 100);
    REFUSED(PERM, r.attr.sample_type |= PERF_SAMPLE_RAW);
    REFUSED(PERM, r.attr.sample_type |= PERF_SAMPLE_REGS_INTR);
    REFUSED(PERM, r.attr.sample_type |= PERF_SAMPLE_PHYS_ADDR);
    REFUSED(PERM, r.attr.sample_type |= PERF_SAMPLE_STACK_USER);
    REFUSED(PERM, r.attr.sample_type |= PERF_SAMPLE_BRANCH_STACK);
    REFUSED(PERM, r.attr.read_format = PERF_FORMAT_GROUP);
    REFUSED(PERM, r.attr.inherit = 1);
    REFUSED(PERM, r.attr.pinned = 1);
    REFUSED(PERM, r.attr.exclusive = 1);
    REFUSED(PERM, r.attr.mmap = 1);
    REFUSED(PERM, r.attr.ksymbol = 1);
    REFUSED(PERM, r.attr.sigtrap = 1);
    REFUSED(PERM, r.attr.config1 = 1);
    REFUSED(PERM, r.attr.config2 = 1);
    REFUSED(PERM, r.attr.__reserved_1 = 1); /* a flag of a kernel to come */
    REFUSED(PERM, r.attr.aux_watermark = 1);
    REFUSED(FORMAT, r.magic = 0);
    REFUSED(FORMAT, r.tid = 0);
    REFUSED(FORMAT, r.tid = -1);
    REFUSED(FORMAT, r.attr_size = 4096);
    REFUSED(FORMAT, r.attr.size = 8);
#undef REFUSED
    struct wick_broker_request r = sampler();
    for (size_t cut = 0; cut < sizeof r; cut++)
        assert_int_equal(wick_broker_check(&r, cut, &a, NULL), -WICK_E_FORMAT);
}

static void test_broker__kernel_addresses_are_for_those_who_may_see_them(void **state)
{
    (void)state;
    const struct wick_broker_asker plain = {0}, perfmon = {.perfmon = true}, filtered = {.seccomp = true};
    assert_true(wick_broker_sees_kernel(&plain, -1, 0));
    assert_true(wick_broker_sees_kernel(&plain, 1, 2)); /* perf shows them whatever kptr_restrict says */
    assert_false(wick_broker_sees_kernel(&plain, 2, 0));
    assert_false(wick_broker_sees_kernel(&plain, 4, 0)); /* Debian's */
    assert_true(wick_broker_sees_kernel(&perfmon, 4, 2));
    assert_true(wick_broker_sees_kernel(&filtered, 1, 0)); /* /proc/kallsyms shows them */
    assert_false(wick_broker_sees_kernel(&filtered, 1, 1));

    struct wick_err err;
    struct perf_event_attr a = sampler().attr;
    assert_int_equal(wick_broker_check_addresses(&a, &err), -WICK_E_PERM);
    a.sample_type &= ~(uint64_t)PERF_SAMPLE_IP;
    assert_int_equal(wick_broker_check_addresses(&a, &err), -WICK_E_PERM);
    a.exclude_kernel = 1; /* the interrupt may still come in the kernel */
    assert_int_equal(wick_broker_check_addresses(&a, &err), -WICK_E_PERM);
    a.exclude_kernel = 0;
    a.exclude_callchain_kernel = 1;
    assert_int_equal(wick_broker_check_addresses(&a, &err), 0);
    a.sample_type |= PERF_SAMPLE_IP;
    assert_int_equal(wick_broker_check_addresses(&a, &err), -WICK_E_PERM);
}

static void test_peer__overflow_uid_says_nothing_in_a_user_namespace(void **state)
{
    (void)state;
    static const char all[] = "         0          0 4294967295\n", some[] = "         0     100000      65536\n";
    assert_false(wick_sock_uid_is_overflow(65534, "65534\n", all));
    assert_true(wick_sock_uid_is_overflow(65534, "65534\n", some));
    assert_true(wick_sock_uid_is_overflow(65534, "", "")); /* no /proc */
    assert_false(wick_sock_uid_is_overflow(1000, "65534\n", some));
    assert_true(wick_sock_uid_is_overflow(1000, "1000\n", some));
    assert_false(wick_sock_uid_is_ambiguous(0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_request__well_formed_ones_are_split),
        cmocka_unit_test(test_request__garbage_is_refused),
        cmocka_unit_test(test_reply__code_and_text_are_split),
        cmocka_unit_test(test_packet__descriptors_travel_and_close_on_exec),
        cmocka_unit_test(test_packet__unwanted_descriptors_and_cut_packets_leak_nothing),
        cmocka_unit_test(test_wait__ends_in_time),
        cmocka_unit_test(test_listen__the_name_is_found_in_proc_net_unix),
        cmocka_unit_test(test_names__only_listening_seqpacket_sockets_of_the_pid_count),
        cmocka_unit_test(test_peer__overflow_uid_says_nothing_in_a_user_namespace),
        cmocka_unit_test(test_broker__opens_a_sampler),
        cmocka_unit_test(test_broker__refuses_everything_else),
        cmocka_unit_test(test_broker__kernel_addresses_are_for_those_who_may_see_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
