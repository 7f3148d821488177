/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/listening.h"

#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

enum {
    DESCRIPTORS = 16384, /* that are examined */
    UNUSED_MOST = 4096,  /* in a row: the kernel gives out the lowest number that is free */
    LISTEN = 10          /* the kernel's number of that state */
};

/* The kernel has no fields of their own for these two in TCP_INFO: it puts them where a connection has segments. */
static bool read_queue(int fd, struct wick_listening_socket *out)
{
    struct tcp_info t = {0};
    socklen_t size = sizeof t;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &t, &size) || t.tcpi_state != LISTEN)
        return false;
    out->waiting = t.tcpi_unacked;
    out->backlog = t.tcpi_sacked;
    return true;
}

static bool read_address(int fd, struct wick_listening_socket *out)
{
    union wick_socket_name name = {0};
    socklen_t size = sizeof name;
    if (getsockname(fd, &name.any, &size) || (name.any.sa_family != AF_INET && name.any.sa_family != AF_INET6))
        return false;
    wick_socket_address_of_name(&name, out->address, sizeof out->address);
    return true;
}

/* Whether it listens, and is no copy of a descriptor that is known. */
static bool is_new(const struct wick_listening *l, int fd, uint64_t *cookie)
{
    struct wick_listening_socket s;
    int yes = 0;
    socklen_t size = sizeof yes, cookie_size = sizeof *cookie;
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &yes, &size) || !yes || !read_queue(fd, &s))
        return false;
    if (getsockopt(fd, SOL_SOCKET, SO_COOKIE, cookie, &cookie_size)) /* before Linux 4.12 */
        *cookie = 0;
    for (size_t i = 0; i < l->n; i++)
        if (*cookie && l->cookie[i] == *cookie)
            return false;
    return true;
}

void wick_listening_find(struct wick_listening *l)
{
    uint64_t cookie;
    l->n = 0;
    for (int fd = 0, unused = 0; fd < DESCRIPTORS && unused < UNUSED_MOST && l->n < WICK_LISTENING_MOST; fd++) {
        errno = 0;
        if (is_new(l, fd, &cookie)) {
            l->cookie[l->n] = cookie;
            l->fd[l->n++] = fd;
        }
        unused = errno == EBADF ? unused + 1 : 0;
    }
}

size_t wick_listening_read(const struct wick_listening *l, struct wick_listening_socket out[WICK_LISTENING_MOST])
{
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++) {
        struct wick_listening_socket s, *same = out;
        if (!read_queue(l->fd[i], &s) || !read_address(l->fd[i], &s))
            continue;
        while (same < out + n && strcmp(same->address, s.address) != 0)
            same++;
        bool known = same < out + n;
        if (!known || s.waiting > same->waiting)
            *same = s;
        n += !known;
    }
    return n;
}
