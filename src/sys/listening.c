/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/listening.h"

#include <dirent.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>

enum {
    DESCRIPTORS = 16384, /* that are examined */
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
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    } a = {0};
    socklen_t size = sizeof a;
    if (getsockname(fd, &a.any, &size) || (a.any.sa_family != AF_INET && a.any.sa_family != AF_INET6))
        return false;
    bool four = a.any.sa_family == AF_INET;
    wick_socket_address(a.any.sa_family, four ? (const void *)&a.four.sin_addr : &a.six.sin6_addr,
                        ntohs(four ? a.four.sin_port : a.six.sin6_port), out->address, sizeof out->address);
    return true;
}

static bool listens(int fd)
{
    int yes = 0;
    socklen_t size = sizeof yes;
    return !getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &yes, &size) && yes;
}

void wick_listening_find(struct wick_listening *l)
{
    struct wick_listening_socket s;
    DIR *d = opendir("/proc/self/fd");
    l->n = 0;
    if (!d)
        return;
    struct dirent *e;
    for (int i = 0; i < DESCRIPTORS && l->n < WICK_LISTENING_MOST && (e = readdir(d)); i++) {
        int fd = atoi(e->d_name);
        if (e->d_name[0] != '.' && listens(fd) && read_queue(fd, &s))
            l->fd[l->n++] = fd;
    }
    closedir(d);
}

size_t wick_listening_read(const struct wick_listening *l, struct wick_listening_socket out[WICK_LISTENING_MOST])
{
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++)
        n += read_queue(l->fd[i], &out[n]) && read_address(l->fd[i], &out[n]);
    return n;
}
