/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/tcp_connecting.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    SYN_SENT = 2,   /* the kernel's number of that state */
    READS_MOST = 64 /* parts of an answer, of some hundred sockets each, that are read */
};

union answer {
    struct nlmsghdr header;
    char bytes[8 << 10]; /* the kernel makes no part larger than what it is read into, nor the first one */
};

static bool ask_kernel(int fd, int family)
{
    struct {
        struct nlmsghdr header;
        struct inet_diag_req_v2 body;
    } q = {
        .header = {.nlmsg_len = sizeof q, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
        .body = {.sdiag_family = (uint8_t)family, .sdiag_protocol = IPPROTO_TCP, .idiag_states = 1u << SYN_SENT},
    };
    const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    return sendto(fd, &q, sizeof q, 0, (const struct sockaddr *)&kernel, sizeof kernel) == (ssize_t)sizeof q;
}

/* What a part of the answer shows: the socket, others, or that there is no more of it. */
enum found { FOUND, NOT_HERE, AT_END, REFUSED };

static bool is_it(const struct inet_diag_msg *m, uint64_t cookie)
{
    return m->id.idiag_cookie[0] == (uint32_t)cookie && m->id.idiag_cookie[1] == (uint32_t)(cookie >> 32);
}

/* Whether that error comes each time: none of a shortage of descriptors or memory. */
static bool is_final(int error)
{
    return error == EPERM || error == EACCES || error == ENOENT || error == EPROTONOSUPPORT || error == EAFNOSUPPORT ||
           error == EOPNOTSUPP || error == ECONNREFUSED || error == EINVAL;
}

/* Seeks the socket in a part of the answer, of n bytes. */
static enum found seek(const union answer *a, size_t n, uint64_t cookie, struct wick_tcp_target *out)
{
    for (size_t at = 0; n - at >= sizeof(struct nlmsghdr);) {
        struct nlmsghdr h;
        struct inet_diag_msg m;
        struct nlmsgerr e;
        memcpy(&h, a->bytes + at, sizeof h);
        if (h.nlmsg_type == NLMSG_DONE)
            return AT_END;
        if (h.nlmsg_type == NLMSG_ERROR && h.nlmsg_len >= NLMSG_LENGTH(sizeof e.error) && h.nlmsg_len <= n - at) {
            memcpy(&e, a->bytes + at + NLMSG_HDRLEN, sizeof e.error);
            return is_final(-e.error) ? REFUSED : AT_END;
        }
        if (h.nlmsg_type != SOCK_DIAG_BY_FAMILY || h.nlmsg_len < NLMSG_LENGTH(sizeof m) || h.nlmsg_len > n - at)
            return AT_END;
        memcpy(&m, a->bytes + at + NLMSG_HDRLEN, sizeof m);
        if (is_it(&m, cookie)) {
            *out = (struct wick_tcp_target){.family = m.idiag_family, .port = ntohs(m.id.idiag_dport)};
            memcpy(out->address, m.id.idiag_dst, sizeof out->address);
            return FOUND;
        }
        size_t step = NLMSG_ALIGN((size_t)h.nlmsg_len);
        at = step < n - at ? at + step : n;
    }
    return NOT_HERE;
}

enum wick_tcp_found wick_tcp_connecting(int family, uint64_t cookie, struct wick_tcp_target *out)
{
    union answer a;
    enum found found = NOT_HERE;
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (fd < 0)
        return is_final(errno) ? WICK_TCP_NO_ANSWER : WICK_TCP_NOT_AMONG;
    bool asked = ask_kernel(fd, family), refused = !asked && is_final(errno);
    for (int i = 0; asked && found == NOT_HERE && i < READS_MOST; i++) {
        ssize_t n = recv(fd, &a, sizeof a, MSG_DONTWAIT); /* the kernel makes the next part as this one is read */
        found = n > 0 ? seek(&a, (size_t)n, cookie, out) : AT_END;
    }
    close(fd);
    return found == FOUND ? WICK_TCP_FOUND : refused || found == REFUSED ? WICK_TCP_NO_ANSWER : WICK_TCP_NOT_AMONG;
}
