/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_socket.h - what a socket is connected to, as text
 *
 * Threads: pure functions, but for the range of ports that is read.
 */
#ifndef WICK_EBPF_HOST_SOCKET_H
#define WICK_EBPF_HOST_SOCKET_H

#include "ebpf/host_event.h"

/* Ports that the kernel gives to those who connect without asking for one. */
struct wick_host_ports {
    uint16_t first, last;
};

/* All of it is printable; bytes that are not are shown as '?'. */
struct wick_host_socket_text {
    char protocol[24];  /* "tcp", "udp", "unix-stream" ... */
    char local[96];     /* "127.0.0.1:8080", "[::1]:8080", "unix:/run/x"; "" = none */
    char peer[96];      /* likewise; of a socket of this machine the name that either end is bound to */
    char peer_name[96]; /* for a label: without the port where that is one of those that are given */
    char service[96];   /* for a label: the local address of who was connected to, else "" */
};

/* This machine's; the kernel's default where it does not say. */
struct wick_host_ports wick_host_socket_ports(void);

/* All texts of a socket; `given`: the ports by which a client is recognised. */
void wick_host_socket_text(const struct wick_host_socket *s, const struct wick_host_ports *given,
                           struct wick_host_socket_text *out);

#endif
