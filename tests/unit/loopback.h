/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loopback.h - a TCP connection of the process with itself
 *
 * Threads: any.
 */
#ifndef WICK_TESTS_UNIT_LOOPBACK_H
#define WICK_TESTS_UNIT_LOOPBACK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

/* Two ends of a connection; the first has opened it. Returns the port that was listened on. The caller closes both. */
static inline unsigned connected(int family, int out[2])
{
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct sockaddr *at = family == AF_INET ? (struct sockaddr *)&four : (struct sockaddr *)&six;
    socklen_t size = family == AF_INET ? sizeof four : sizeof six;
    int door = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_return_code(bind(door, at, size), 0);
    assert_return_code(listen(door, 1), 0);
    assert_return_code(getsockname(door, at, &size), 0);
    out[0] = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_return_code(connect(out[0], at, size), 0);
    out[1] = accept4(door, NULL, NULL, SOCK_CLOEXEC);
    assert_return_code(out[1], 0);
    close(door);
    return ntohs(family == AF_INET ? four.sin_port : six.sin6_port);
}

#endif
