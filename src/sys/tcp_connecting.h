/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcp_connecting.h - where a TCP connection of this process goes that is not made yet
 *
 * getpeername() has no answer before the other end has accepted. The kernel shows the address among all sockets that
 * have sent a SYN (netlink, sock_diag(7)), of the network namespace, to any user.
 *
 * Threads: any.
 */
#ifndef WICK_SYS_TCP_CONNECTING_H
#define WICK_SYS_TCP_CONNECTING_H

#include <stdint.h>

struct wick_tcp_target {
    int family;          /* AF_INET or AF_INET6 */
    uint8_t address[16]; /* 4 or 16 bytes of it, in network order */
    uint16_t port;
};

enum wick_tcp_found {
    WICK_TCP_FOUND,
    WICK_TCP_NOT_AMONG, /* it is not connecting any more, or the question could not be asked */
    WICK_TCP_NO_ANSWER, /* the kernel does not say: no sock_diag, or no permission */
};

/* family, cookie: the socket's own (SO_DOMAIN, SO_COOKIE). Takes the kernel about a millisecond, since it goes through
 * its table of connections; the first time it may load its module for that. */
enum wick_tcp_found wick_tcp_connecting(int family, uint64_t cookie, struct wick_tcp_target *out);

#endif
