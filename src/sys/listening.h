/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listening.h - the TCP sockets on which this process takes connections, and how many wait there to be accepted
 *
 * The kernel makes connections by itself and keeps them in the queue of the listening socket until the program accepts
 * them, as many as its backlog allows (listen(2)). TCP_INFO of such a socket has both numbers.
 *
 * Memory:  the caller's struct.
 */
#ifndef WICK_SYS_LISTENING_H
#define WICK_SYS_LISTENING_H

#include <stddef.h>
#include <stdint.h>

#include "sys/socket_address.h"

enum { WICK_LISTENING_MOST = 32 };

struct wick_listening {
    int fd[WICK_LISTENING_MOST]; /* the program's own: it may close them, or use the number again */
    uint64_t cookie[WICK_LISTENING_MOST];
    size_t n;
};

struct wick_listening_socket {
    char address[WICK_SOCKET_ADDRESS]; /* "0.0.0.0:8080" or "[::]:8080": all of the machine's */
    uint32_t waiting, backlog;         /* one more than the backlog may wait */
};

/* Finds them among the first 16,384 descriptors, by a system call for each number up to the last that is open, and for
 * 4,096 more: 0.5 ms if few are, 0.7 ms with 1,000, 4 ms with 16,000. Leaves errno as it comes. */
void wick_listening_find(struct wick_listening *l);

/* Reads those found that still listen, two system calls for each; returns how many addresses they have: of several
 * sockets of one (SO_REUSEPORT) that with the longest queue counts. */
size_t wick_listening_read(const struct wick_listening *l, struct wick_listening_socket out[WICK_LISTENING_MOST]);

#endif
