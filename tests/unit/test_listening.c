/* SPDX-License-Identifier: Apache-2.0 */
/* Which sockets this process takes connections on, and how many wait there: of real ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "sys/listening.h"

enum { BACKLOG = 7, CLIENTS = 3 };

/* A socket that listens at a port of its own, at the loopback address or at all. */
static int door_at(int family, bool all, struct sockaddr_in6 *at, socklen_t *size)
{
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(all ? INADDR_ANY : INADDR_LOOPBACK)};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = all ? in6addr_any : in6addr_loopback};
    *size = family == AF_INET ? sizeof four : sizeof six;
    memcpy(at, family == AF_INET ? (const void *)&four : &six, *size);
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_return_code(bind(fd, (struct sockaddr *)at, *size), 0);
    assert_return_code(listen(fd, BACKLOG), 0);
    assert_return_code(getsockname(fd, (struct sockaddr *)at, size), 0);
    return fd;
}

static void test_listening__counts_who_waits(void **state)
{
    struct wick_listening l;
    struct wick_listening_socket s[WICK_LISTENING_MOST];
    struct sockaddr_in6 at;
    socklen_t size;
    int door = door_at(AF_INET, false, &at, &size), copy = dup(door), clients[CLIENTS];
    char expected[WICK_SOCKET_ADDRESS];
    (void)state;
    snprintf(expected, sizeof expected, "127.0.0.1:%u", ntohs(at.sin6_port)); /* at the same place in both families */
    wick_listening_find(&l);
    assert_int_equal(wick_listening_read(&l, s), 1);
    assert_string_equal(s[0].address, expected);
    assert_int_equal(s[0].backlog, BACKLOG);
    assert_int_equal(s[0].waiting, 0);
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_return_code(connect(clients[i], (struct sockaddr *)&at, size), 0);
        do /* the client is connected a moment before it is in the queue */
            assert_int_equal(wick_listening_read(&l, s), 1);
        while (s[0].waiting == (uint32_t)i);
        assert_int_equal(s[0].waiting, i + 1);
    }
    int taken = accept(door, NULL, NULL);
    assert_int_equal(wick_listening_read(&l, s), 1);
    assert_int_equal(s[0].waiting, CLIENTS - 1);
    close(taken);
    for (int i = 0; i < CLIENTS; i++)
        close(clients[i]);
    close(door);
    close(copy);
    assert_int_equal(wick_listening_read(&l, s), 0);
}

/* Of sockets that share an address the kernel gives each connection to one; the fullest counts. */
static void test_listening__at_one_address_is_the_longest_queue(void **state)
{
    struct wick_listening l;
    struct wick_listening_socket s[WICK_LISTENING_MOST];
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int doors[2], client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    (void)state;
    for (int i = 0; i < 2; i++) {
        doors[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_return_code(setsockopt(doors[i], SOL_SOCKET, SO_REUSEPORT, &yes, sizeof yes), 0);
        assert_return_code(bind(doors[i], (struct sockaddr *)&at, size), 0);
        assert_return_code(listen(doors[i], BACKLOG), 0);
        assert_return_code(getsockname(doors[i], (struct sockaddr *)&at, &size), 0);
    }
    wick_listening_find(&l);
    assert_int_equal(l.n, 2);
    assert_return_code(connect(client, (struct sockaddr *)&at, size), 0);
    do
        assert_int_equal(wick_listening_read(&l, s), 1);
    while (!s[0].waiting);
    assert_int_equal(s[0].waiting, 1);
    assert_int_equal(s[0].backlog, BACKLOG);
    close(client);
    close(doors[0]);
    close(doors[1]);
}

/* A number that is closed and used again for something else listens no more, nor does what is no TCP. */
static void test_listening__of_other_descriptors_is_none(void **state)
{
    struct wick_listening l;
    struct wick_listening_socket s[WICK_LISTENING_MOST];
    struct sockaddr_un path = {.sun_family = AF_UNIX};
    struct sockaddr_in6 at;
    socklen_t size;
    int local = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), unused = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    (void)state;
    snprintf(path.sun_path + 1, sizeof path.sun_path - 1, "wick-test-%d", getpid());
    assert_return_code(bind(local, (struct sockaddr *)&path, sizeof path), 0);
    assert_return_code(listen(local, BACKLOG), 0);
    wick_listening_find(&l);
    assert_int_equal(l.n, 0);
    int door = door_at(AF_INET, true, &at, &size);
    wick_listening_find(&l);
    assert_int_equal(wick_listening_read(&l, s), 1);
    assert_memory_equal(s[0].address, "0.0.0.0:", 8);
    assert_return_code(dup2(unused, door), 0);
    assert_int_equal(wick_listening_read(&l, s), 0);
    close(door);
    close(unused);
    close(local);
}

static void test_listening__at_version_6_has_its_address(void **state)
{
    struct wick_listening l;
    struct wick_listening_socket s[WICK_LISTENING_MOST];
    struct sockaddr_in6 at;
    socklen_t size;
    int probe = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    (void)state;
    if (probe < 0)
        skip(); /* this kernel has none */
    close(probe);
    int door = door_at(AF_INET6, true, &at, &size);
    wick_listening_find(&l);
    assert_int_equal(wick_listening_read(&l, s), 1);
    assert_memory_equal(s[0].address, "[::]:", 5);
    close(door);
}

/* What started this may have left descriptors open, and listen at one. */
static int close_inherited(void **state)
{
    (void)state;
    return close_range(3, ~0u, 0) && errno != ENOSYS;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_listening__counts_who_waits),
        cmocka_unit_test(test_listening__at_one_address_is_the_longest_queue),
        cmocka_unit_test(test_listening__of_other_descriptors_is_none),
        cmocka_unit_test(test_listening__at_version_6_has_its_address),
    };
    return cmocka_run_group_tests_name("listening", tests, close_inherited, NULL);
}
