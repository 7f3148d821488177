/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcp_peer.h - whose process is at the other end of a TCP connection within this machine
 *
 * TCP has no credentials as Unix sockets have. But both ends of a loopback connection are sockets of this kernel, which
 * says of each who owns it (netlink, sock_diag(7)).
 *
 * Threads: any.
 */
#ifndef WICK_SYS_TCP_PEER_H
#define WICK_SYS_TCP_PEER_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

enum wick_tcp_peer {
    WICK_PEER_UNKNOWN, /* the kernel does not say: no sock_diag, or the peer has gone */
    WICK_PEER_SAME,    /* this user, or root */
    WICK_PEER_OTHER
};

/* Whose the socket at address `from` is that is connected with address `here`, both IPv4. */
enum wick_tcp_peer wick_tcp_peer_of(const struct sockaddr_in *from, const struct sockaddr_in *here);

/* Whether the kernel says it at all: asks about a connection of its own to a port of 127.0.0.1 that is listened on. */
bool wick_tcp_peer_is_known(uint16_t port);

#endif
