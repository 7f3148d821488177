/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket_address.h - addresses of sockets as text
 *
 * Threads: pure functions.
 */
#ifndef WICK_SYS_SOCKET_ADDRESS_H
#define WICK_SYS_SOCKET_ADDRESS_H

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

enum { WICK_SOCKET_ADDRESS = 64 }; /* room for an address of the Internet with its port */

/* An address of the Internet, as the kernel fills it in. */
union wick_socket_name {
    struct sockaddr any; /* its family says which of the others it is */
    struct sockaddr_in four;
    struct sockaddr_in6 six;
};

/* "127.0.0.1:8080", "[::1]:8080"; without the port if that is 0, and nothing of an address that is not set either.
 * family: AF_INET or AF_INET6; address: 4 or 16 bytes. One of version 4 that is mapped to version 6 is shown as the
 * former. */
void wick_socket_address(int family, const uint8_t *address, unsigned port, char *out, size_t size);

/* The same of a name; its family is AF_INET or AF_INET6. */
void wick_socket_address_of_name(const union wick_socket_name *name, char *out, size_t size);

/* "unix:/run/x", "unix:@abstract", "unix" without a name. path: n bytes of sun_path. Bytes that are not printable are
 * shown as '?'. size: at least n and the prefix. */
void wick_socket_address_of_path(const char *path, size_t n, char *out, size_t size);

#endif
