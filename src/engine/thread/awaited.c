/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/thread/awaited.h"

#include <limits.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "labels/labels.h"
#include "sys/socket_address.h"
#include "sys/tcp_connecting.h"
#include "sys/whole.h"

/* The kernel's numbers: nothing but the SYN and data has been sent. */
enum { ESTABLISHED = 1, SYN_SENT = 2, CLOSE_WAIT = 8 };

#define SEEK_PART    100        /* one part in so many of the time for seeking where connections go that are not made */
#define SEEK_AT_ONCE 50000000ll /* and this much at a time */
#define NEVER_NS     (INT64_MIN / 2)

/* An end of a connection. */
union end {
    struct sockaddr any;
    union wick_socket_name internet;
    struct sockaddr_un path;
};

int wick_awaited_opened(const struct tcp_info *t, size_t size, int queued)
{
    if (size < offsetof(struct tcp_info, tcpi_bytes_retrans) + sizeof t->tcpi_bytes_retrans || queued < 0 ||
        (t->tcpi_state != ESTABLISHED && t->tcpi_state != CLOSE_WAIT))
        return -1;
    uint64_t sent = t->tcpi_bytes_sent - t->tcpi_bytes_retrans + t->tcpi_notsent_bytes;
    uint64_t done = t->tcpi_bytes_acked + (uint64_t)queued;
    return done == sent + 1 ? 1 : done == sent ? 0 : -1;
}

static bool is_internet(const union end *e)
{
    return e->any.sa_family == AF_INET || e->any.sa_family == AF_INET6;
}

/* As the value of a label: with a backslash before what would end it (docs/labels.md), bytes that are not printable as
 * '?'. Those above 0x7f may be of UTF-8. */
static void put_path(const char *key, const char *path, char *out, size_t size)
{
    size_t at = (size_t)snprintf(out, size, "%s=", key);
    for (const unsigned char *p = (const unsigned char *)path; *p && at + 3 <= size; p++) {
        if (*p == ',' || *p == '=' || *p == '\\')
            out[at++] = '\\';
        out[at++] = (char)(*p < ' ' || *p == 0x7f ? '?' : *p);
    }
    out[at] = 0;
}

/* The label of a socket of the machine: of the end that has a name. */
static void put_unix(const union end *local, const union end *peer, socklen_t local_size, socklen_t peer_size,
                     char *out, size_t size)
{
    const size_t head = offsetof(struct sockaddr_un, sun_path);
    char path[sizeof peer->path.sun_path + 8];
    bool opened = peer_size > head;
    const union end *end = opened ? peer : local;
    size_t n = opened ? peer_size : local_size;
    if (n <= head)
        return;
    n = n - head < sizeof end->path.sun_path ? n - head : sizeof end->path.sun_path;
    wick_socket_address_of_path(end->path.sun_path, n, path, sizeof path);
    put_path(opened ? "peer" : "local", path, out, size);
}

/* Whether two readings have the same numbers of bytes: nothing was sent or acknowledged in between. */
static bool is_still(const struct tcp_info *a, const struct tcp_info *b)
{
    return a->tcpi_bytes_sent == b->tcpi_bytes_sent && a->tcpi_bytes_acked == b->tcpi_bytes_acked &&
           a->tcpi_notsent_bytes == b->tcpi_notsent_bytes;
}

/* As wick_awaited_opened, of a descriptor. */
static int has_opened(int fd)
{
    struct tcp_info t = {0}, again = {0};
    socklen_t size = sizeof t, size_again = sizeof again;
    int queued;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &t, &size) || ioctl(fd, SIOCOUTQ, &queued) ||
        getsockopt(fd, IPPROTO_TCP, TCP_INFO, &again, &size_again) || !is_still(&t, &again))
        return -1;
    return wick_awaited_opened(&t, size, queued);
}

/* Whether seeking has taken less than it may by now. */
static bool may_seek(struct wick_awaited *a, uint64_t now)
{
    int64_t allowed = (int64_t)((now - a->asked_ns) / SEEK_PART);
    a->spare_ns = allowed < SEEK_AT_ONCE - a->spare_ns ? a->spare_ns + allowed : SEEK_AT_ONCE;
    a->asked_ns = now;
    return a->spare_ns > 0;
}

/* The label of a connection that is not made yet; the socket may be used for another one if this is refused. */
static void put_target(struct wick_awaited *a, int fd, int family, uint64_t cookie, char *out, size_t size)
{
    struct tcp_info t = {0};
    struct wick_tcp_target to;
    socklen_t info_size = sizeof t;
    char address[WICK_SOCKET_ADDRESS];
    uint64_t now = wick_clock_mono_ns();
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &t, &info_size) || t.tcpi_state != SYN_SENT || !may_seek(a, now))
        return;
    enum wick_tcp_found found = wick_tcp_connecting(family, cookie, &to);
    a->spare_ns = found == WICK_TCP_NO_ANSWER ? NEVER_NS : a->spare_ns - (int64_t)(wick_clock_mono_ns() - now);
    if (found != WICK_TCP_FOUND)
        return;
    wick_socket_address(to.family, to.address, to.port, address, sizeof address);
    snprintf(out, size, "peer=%s", address);
}

/* Leaves *out as it is if nothing is to be said of the socket now. Returns whether that holds as long as it is open. */
static bool describe_socket(struct wick_awaited *a, int fd, uint64_t cookie, char *out, size_t size)
{
    union end local = {0}, peer = {0};
    socklen_t local_size = sizeof local, peer_size = sizeof peer;
    char address[WICK_SOCKET_ADDRESS];
    if (getsockname(fd, &local.any, &local_size))
        return false;
    if (getpeername(fd, &peer.any, &peer_size)) {
        if (is_internet(&local))
            put_target(a, fd, local.any.sa_family, cookie, out, size);
        return false;
    }
    if (local.any.sa_family == AF_UNIX) {
        put_unix(&local, &peer, local_size, peer_size, out, size);
        return true;
    }
    int opened = is_internet(&local) && is_internet(&peer) ? has_opened(fd) : -1;
    if (opened < 0)
        return false;
    wick_socket_address_of_name(opened ? &peer.internet : &local.internet, address, sizeof address);
    snprintf(out, size, "%s=%s", opened ? "peer" : "local", address);
    return true;
}

uint32_t wick_awaited_socket(struct wick_awaited *a, struct wick_labels *labels, int fd)
{
    uint64_t cookie = 0;
    socklen_t size = sizeof cookie;
    char text[WICK_AWAITED_TEXT] = "";
    if (getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &size) || !cookie)
        return 0;
    size_t at = (cookie * 0x9e3779b97f4a7c15u >> 32) % WICK_AWAITED_KNOWN;
    if (a->known[at].cookie == cookie)
        return a->known[at].label;
    bool lasts = describe_socket(a, fd, cookie, text, sizeof text);
    uint32_t label = wick_labels_intern_awaited(labels, WICK_LABELS_ENDS, text, strlen(text));
    if (label && lasts) {
        a->known[at].cookie = cookie;
        a->known[at].label = label;
    }
    return label;
}

/* The end of a path that is too long, from a character of UTF-8 on. */
static const char *end_of(const char *path, size_t n)
{
    if (n <= WICK_AWAITED_PATH)
        return path;
    path += n - WICK_AWAITED_PATH;
    while (((unsigned char)*path & 0xc0) == 0x80)
        path++;
    return path;
}

uint32_t wick_awaited_file(struct wick_labels *labels, int fd)
{
    char link[32], path[PATH_MAX], text[WICK_AWAITED_TEXT] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n <= 0 || *path != '/') /* a pipe, say */
        return 0;
    path[n] = 0;
    put_path("file", end_of(path, (size_t)n), text, sizeof text);
    return wick_labels_intern_awaited(labels, WICK_LABELS_FILES, text, strlen(text));
}

/* Whether its first thread waits in the kernel for a reader to make room in a pipe: "pipe_write", "anon_pipe_write". */
static bool waits_for_room(int32_t pid)
{
    char path[32], place[128];
    snprintf(path, sizeof path, "/proc/%d/wchan", pid);
    return wick_whole_text(path, place, sizeof place) > 0 && strstr(place, "pipe_write");
}

uint32_t wick_awaited_child(struct wick_labels *labels, int32_t pid)
{
    char path[32], name[32], text[WICK_AWAITED_TEXT];
    snprintf(path, sizeof path, "/proc/%d/comm", pid);
    if (wick_whole_text(path, name, sizeof name) <= 0)
        return 0;
    name[strcspn(name, "\n")] = 0;
    put_path("child", name, text, sizeof text);
    size_t len = strlen(text);
    if (waits_for_room(pid))
        len += (size_t)snprintf(text + len, sizeof text - len, ",pipe=full");
    return wick_labels_intern_awaited(labels, WICK_LABELS_CHILDREN, text, len);
}
