/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why SEQPACKET: a message is whole or absent, so neither side has to assemble pieces, and a peer that sends half a
 * request cannot exist. Why abstract: nothing is left in a file system after a kill -9, and no directory has to be
 * writable. The name's random part only keeps two builds of the agent in one process apart; it is no secret, since
 * /proc/net/unix shows it. Identity comes from SO_PEERCRED.
 */
#include "sys/sock.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "sys/whole.h"

#define BACKLOG 16

/* Abstract address: a NUL, then the name, no terminator. */
static socklen_t abstract(struct sockaddr_un *sa, const char *name)
{
    size_t n = strlen(name);
    memset(sa, 0, sizeof *sa);
    sa->sun_family = AF_UNIX;
    memcpy(sa->sun_path + 1, name, n);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
}

int wick_sock_listen(pid_t pid, char *name)
{
    uint64_t random;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        return -WICK_E_IO;
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -WICK_E_IO;
    struct sockaddr_un sa;
    snprintf(name, WICK_SOCK_NAME_MAX, "wick/%d/%016llx", (int)pid, (unsigned long long)random);
    socklen_t len = abstract(&sa, name);
    if (bind(fd, (struct sockaddr *)&sa, len) || listen(fd, BACKLOG)) {
        close(fd);
        return -WICK_E_IO;
    }
    return fd;
}

int wick_sock_connect(const char *name)
{
    struct sockaddr_un sa;
    if (strlen(name) >= WICK_SOCK_NAME_MAX)
        return -ENAMETOOLONG;
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    socklen_t len = abstract(&sa, name);
    /* A full backlog would block for ever: SO_SNDTIMEO also bounds connect() (unix(7)). */
    struct timeval limit = {.tv_sec = 5};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (connect(fd, (struct sockaddr *)&sa, len)) {
        int e = errno;
        close(fd);
        return -e;
    }
    return fd;
}

static int io_error(void)
{
    switch (errno) {
    case EAGAIN:
        return -WICK_E_TIMEOUT;
    case EPIPE:
    case ECONNRESET:
    case ENOTCONN:
        return -WICK_E_GONE;
    default:
        return -WICK_E_IO;
    }
}

int wick_sock_send(int fd, const void *data, size_t len, const int *fds, int n, int flags)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(WICK_SOCK_FDS * sizeof(int))];
    } control;
    struct iovec iov = {(void *)data, len};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
    if (n < 0 || n > WICK_SOCK_FDS)
        return -WICK_E_IO;
    if (n) {
        memset(&control, 0, sizeof control);
        msg.msg_control = control.bytes;
        msg.msg_controllen = CMSG_SPACE((size_t)n * sizeof(int));
        struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN((size_t)n * sizeof(int));
        memcpy(CMSG_DATA(c), fds, (size_t)n * sizeof(int));
    }
    ssize_t r;
    do
        r = sendmsg(fd, &msg, flags | MSG_NOSIGNAL);
    while (r < 0 && errno == EINTR);
    return r < 0 ? io_error() : (size_t)r == len ? 0 : -WICK_E_IO;
}

/* Moves received descriptors to fds[max]; closes what does not fit and says so. */
static bool take_fds(struct msghdr *msg, int *fds, int max, int *n)
{
    bool whole = !(msg->msg_flags & MSG_CTRUNC);
    for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
            if (*n < max) {
                fds[(*n)++] = fd;
            } else {
                close(fd);
                whole = false;
            }
        }
    }
    return whole;
}

ssize_t wick_sock_recv(int fd, void *buf, size_t cap, int *fds, int max, int *n, int flags)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(WICK_SOCK_FDS * sizeof(int))];
    } control;
    struct iovec iov = {buf, cap};
    struct msghdr msg = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    int got = 0;
    ssize_t r;
    do
        r = recvmsg(fd, &msg, flags | MSG_CMSG_CLOEXEC);
    while (r < 0 && errno == EINTR);
    if (r < 0)
        return io_error();
    bool whole = take_fds(&msg, fds, max, &got);
    /* An empty packet and the end of the connection are indistinguishable; nobody sends empty packets. */
    if (!whole || (msg.msg_flags & MSG_TRUNC)) {
        while (got)
            close(fds[--got]);
        r = -WICK_E_FORMAT;
    }
    if (n)
        *n = got;
    else
        while (got)
            close(fds[--got]);
    return r;
}

int wick_sock_wait(int fd, uint64_t deadline_ns)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    for (;;) {
        uint64_t now = wick_clock_mono_ns();
        uint64_t left = deadline_ns > now ? deadline_ns - now : 0;
        struct timespec t = {(time_t)(left / 1000000000u), (long)(left % 1000000000u)};
        int r = ppoll(&p, 1, &t, NULL);
        if (r > 0)
            return 0;
        if (r < 0 && errno != EINTR)
            return -WICK_E_IO;
        if (r == 0)
            return -WICK_E_TIMEOUT;
    }
}

int wick_sock_peer(int fd, struct ucred *who)
{
    struct ucred c;
    socklen_t len = sizeof c;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &c, &len) || len != sizeof c)
        return -WICK_E_IO;
    *who = c;
    return 0;
}

bool wick_sock_uid_is_overflow(uid_t uid, const char *overflow, const char *map)
{
    unsigned number = 65534, first, outer, count;
    sscanf(overflow, "%u", &number);
    if (uid != number)
        return false;
    /* The first user namespace maps all of them, in one line. */
    return sscanf(map, "%u %u %u", &first, &outer, &count) != 3 || first != 0 || count != UINT32_MAX;
}

bool wick_sock_uid_is_ambiguous(uid_t uid)
{
    char overflow[32], map[256];
    wick_whole_text("/proc/sys/kernel/overflowuid", overflow, sizeof overflow);
    wick_whole_text("/proc/self/uid_map", map, sizeof map);
    return wick_sock_uid_is_overflow(uid, overflow, map);
}

/* Length of the word at p (up to blank, newline or end). */
static size_t word_len(const char *p, const char *end)
{
    size_t n = 0;
    while (p + n < end && p[n] != ' ' && p[n] != '\n')
        n++;
    return n;
}

int wick_sock_parse_request(const char *packet, size_t len, int nfds, struct wick_sock_request *req)
{
    static const char magic[] = "wick1 ";
    const char *p = packet, *end = packet + len;
    struct wick_sock_request r = {0};
    if (len < sizeof magic - 1 || memcmp(p, magic, sizeof magic - 1))
        return -WICK_E_FORMAT;
    p += sizeof magic - 1;
    size_t n = word_len(p, end);
    if (!n || n > WICK_SOCK_FDS || p + n == end || p[n] != ' ')
        return -WICK_E_FORMAT;
    if (n != 1 || *p != '-')
        memcpy(r.fds, p, n);
    if (strlen(r.fds) != (size_t)nfds || strspn(r.fds, "otb") != (size_t)nfds)
        return -WICK_E_FORMAT;
    for (int i = 0; i < nfds; i++)
        if (strchr(r.fds + i + 1, r.fds[i]))
            return -WICK_E_FORMAT;
    if (strchr(r.fds, 'o') && strchr(r.fds, 't'))
        return -WICK_E_FORMAT;
    p += n + 1;
    n = word_len(p, end);
    if (p + n == end || p[n] != '\n')
        return -WICK_E_FORMAT;
    r.hold = n == 4 && !memcmp(p, "hold", 4);
    if (!r.hold && !(n == 1 && *p == '-'))
        return -WICK_E_FORMAT;
    r.command = p + n + 1;
    r.command_len = (size_t)(end - r.command);
    *req = r;
    return 0;
}

int wick_sock_parse_reply(const char *packet, size_t len, int *code, const char **text, size_t *text_len)
{
    size_t i = 0;
    int v = 0;
    for (; i < len && i < 4 && packet[i] >= '0' && packet[i] <= '9'; i++)
        v = v * 10 + (packet[i] - '0');
    if (!i || i == len || packet[i] != '\n' || v >= WICK_E_COUNT)
        return -WICK_E_FORMAT;
    *code = v;
    *text = packet + i + 1;
    *text_len = len - i - 1;
    return 0;
}

static bool is_hex16(const char *p)
{
    return strspn(p, "0123456789abcdef") == 16 && !p[16];
}

/* One line: "Num: RefCount Protocol Flags Type St Inode Path"; flags 00010000 = listening, type 0005 = SEQPACKET. */
static bool parse_unix_line(const char *line, size_t len, pid_t pid, char *name)
{
    char copy[256], path[128], want[40];
    unsigned flags, type;
    if (len >= sizeof copy)
        return false;
    memcpy(copy, line, len);
    copy[len] = 0;
    if (sscanf(copy, "%*[^:]: %*x %*x %x %x %*x %*u %127s", &flags, &type, path) != 3)
        return false;
    int n = snprintf(want, sizeof want, "@wick/%d/", (int)pid);
    if (!(flags & 0x10000) || type != SOCK_SEQPACKET || strncmp(path, want, (size_t)n) || !is_hex16(path + n))
        return false;
    snprintf(name, WICK_SOCK_NAME_MAX, "%.*s", WICK_SOCK_NAME_MAX - 1, path + 1);
    return true;
}

bool wick_sock_next_name(const char *text, size_t len, size_t *pos, pid_t pid, char *name)
{
    while (*pos < len) {
        const char *line = text + *pos;
        const char *nl = memchr(line, '\n', len - *pos);
        size_t n = nl ? (size_t)(nl - line) : len - *pos;
        *pos += n + (nl != NULL);
        if (parse_unix_line(line, n, pid, name))
            return true;
    }
    return false;
}
