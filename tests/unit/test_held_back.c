/* SPDX-License-Identifier: Apache-2.0 */
/* Whether Nagle's algorithm holds back what was written to a socket: by the kernel's words, and of real ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/thread/held_back.h"
#include "loopback.h"

/* A header of 8 bytes is on its way, a body of 48 is not. */
static struct tcp_info held(void)
{
    return (struct tcp_info){.tcpi_state = 1,
                             .tcpi_snd_mss = 1448,
                             .tcpi_unacked = 1,
                             .tcpi_snd_cwnd = 10,
                             .tcpi_bytes_sent = 1008,
                             .tcpi_bytes_acked = 1001, /* and the SYN */
                             .tcpi_notsent_bytes = 48,
                             .tcpi_snd_wnd = 65536};
}

static void test_held_back__is_a_small_piece_that_waits_for_an_acknowledgement(void **state)
{
    static const struct {
        size_t field, bytes;
        uint64_t value;
        bool held;
    } cases[] = {
#define CASE(name, number, is) {offsetof(struct tcp_info, name), sizeof((struct tcp_info *)0)->name, number, is}
        CASE(tcpi_unacked, 2, true),
        CASE(tcpi_notsent_bytes, 1447, true),
        CASE(tcpi_state, 8, true),             /* the peer has closed its side */
        CASE(tcpi_state, 4, false),            /* this side has: all is sent at once */
        CASE(tcpi_notsent_bytes, 0, false),    /* an answer is awaited, all is sent */
        CASE(tcpi_notsent_bytes, 1448, false), /* a whole segment */
        CASE(tcpi_unacked, 0, false),
        CASE(tcpi_snd_cwnd, 1, false),     /* the congestion window */
        CASE(tcpi_snd_wnd, 8 + 48, true),  /* the peer has just room for it */
        CASE(tcpi_snd_wnd, 8 + 47, false), /* it has none */
        CASE(tcpi_retransmits, 1, false),  /* the network, or the peer is gone */
        CASE(tcpi_backoff, 1, false),
        CASE(tcpi_probes, 1, false),
        CASE(tcpi_lost, 1, false),
#undef CASE
    };
    (void)state;
    struct tcp_info t = held();
    assert_true(wick_held_back_by(&t, sizeof t));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        t = held();
        memcpy((char *)&t + cases[i].field, &cases[i].value, cases[i].bytes); /* little-endian */
        if (wick_held_back_by(&t, sizeof t) != cases[i].held)
            fail_msg("case %zu", i);
    }
    t = held();
    t.tcpi_ca_state = TCP_CA_Recovery;
    assert_false(wick_held_back_by(&t, sizeof t));
}

/* Linux 5.4 was the first to fill in the peer's window. */
static void test_held_back__is_not_known_of_old_kernels(void **state)
{
    struct tcp_info t = held();
    size_t least = offsetof(struct tcp_info, tcpi_snd_wnd) + sizeof t.tcpi_snd_wnd;
    (void)state;
    assert_true(wick_held_back_by(&t, least));
    assert_false(wick_held_back_by(&t, least - 1));
    assert_false(wick_held_back_by(&t, 0));
}

static void set(int fd, int option, int value)
{
    assert_return_code(setsockopt(fd, IPPROTO_TCP, option, &value, sizeof value), 0);
}

static void put(int fd, size_t n)
{
    char bytes[256] = {0};
    assert_int_equal(write(fd, bytes, n), n);
}

static void take(int fd, size_t n)
{
    char bytes[256];
    assert_int_equal(recv(fd, bytes, n, MSG_WAITALL), n);
}

/* Questions in two writes, until one is held back: the first of a connection are acknowledged at once. */
static bool asks_in_two(bool nodelay)
{
    bool seen = false;
    int fd[2];
    connected(AF_INET, fd); /* the second end acknowledges late, as it has nothing to answer */
    set(fd[0], TCP_NODELAY, nodelay);
    for (int i = 0; i < 40 && !seen; i++) {
        put(fd[0], 8);
        put(fd[0], 48);
        seen = wick_held_back(fd[0]);
        assert_false(wick_held_back(fd[1])); /* it has written all that it has */
        take(fd[1], 56);
        put(fd[1], 4);
        take(fd[0], 4);
        assert_false(wick_held_back(fd[0])); /* answered */
    }
    close(fd[0]);
    close(fd[1]);
    return seen;
}

static void test_held_back__shows_in_two_small_writes(void **state)
{
    (void)state;
    assert_true(asks_in_two(false));
    assert_false(asks_in_two(true));
}

static void test_held_back__is_none_in_one_write(void **state)
{
    int fd[2];
    (void)state;
    connected(AF_INET, fd);
    for (int i = 0; i < 40; i++) {
        put(fd[0], 56);
        assert_false(wick_held_back(fd[0]));
        take(fd[1], 56);
        put(fd[1], 4);
        take(fd[0], 4);
    }
    close(fd[0]);
    close(fd[1]);
}

static void test_held_back__is_nothing_that_other_descriptors_do(void **state)
{
    int pair[2], pipes[2], datagrams = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    (void)state;
    assert_return_code(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    assert_return_code(pipe(pipes), 0);
    put(pair[0], 8);
    const int all[] = {pair[0], pair[1], pipes[0], pipes[1], datagrams, -1, 1000000};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_false(wick_held_back(all[i]));
    for (size_t i = 0; i < 5; i++)
        close(all[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_held_back__is_a_small_piece_that_waits_for_an_acknowledgement),
        cmocka_unit_test(test_held_back__is_not_known_of_old_kernels),
        cmocka_unit_test(test_held_back__shows_in_two_small_writes),
        cmocka_unit_test(test_held_back__is_none_in_one_write),
        cmocka_unit_test(test_held_back__is_nothing_that_other_descriptors_do),
    };
    return cmocka_run_group_tests_name("held_back", tests, NULL, NULL);
}
