/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/tcp_peer.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LOOPBACK = 1 }; /* its index in every network namespace */

struct question {
    struct nlmsghdr header;
    struct inet_diag_req_v2 body;
};

/* The one socket with these two addresses: not a dump of all. */
static bool ask_kernel(int fd, const struct sockaddr_in *from, const struct sockaddr_in *here)
{
    struct question q = {
        .header = {.nlmsg_len = sizeof q, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST},
        .body = {.sdiag_family = AF_INET, .sdiag_protocol = IPPROTO_TCP, .idiag_states = ~0u},
    };
    q.body.id.idiag_sport = from->sin_port;
    q.body.id.idiag_dport = here->sin_port;
    q.body.id.idiag_src[0] = from->sin_addr.s_addr;
    q.body.id.idiag_dst[0] = here->sin_addr.s_addr;
    q.body.id.idiag_if = LOOPBACK; /* with 0 sockets that are bound to "lo" are not found */
    q.body.id.idiag_cookie[0] = q.body.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    return sendto(fd, &q, sizeof q, 0, (const struct sockaddr *)&kernel, sizeof kernel) == (ssize_t)sizeof q;
}

enum wick_tcp_peer wick_tcp_peer_of(const struct sockaddr_in *from, const struct sockaddr_in *here)
{
    union {
        struct nlmsghdr header;
        char bytes[4096];
    } answer;
    enum wick_tcp_peer who = WICK_PEER_UNKNOWN;
    const struct timeval patience = {.tv_sec = 1};
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (fd < 0)
        return who;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ssize_t n = ask_kernel(fd, from, here) ? recv(fd, &answer, sizeof answer, 0) : -1;
    if (n >= (ssize_t)NLMSG_LENGTH(sizeof(struct inet_diag_msg)) && answer.header.nlmsg_type == SOCK_DIAG_BY_FAMILY) {
        struct inet_diag_msg m;
        memcpy(&m, NLMSG_DATA(&answer.header), sizeof m);
        /* A socket that is closed already is nobody's: the kernel then says 0. Its process has no answer to come. */
        if (m.idiag_inode)
            who = m.idiag_uid == 0 || m.idiag_uid == geteuid() ? WICK_PEER_SAME : WICK_PEER_OTHER;
    }
    close(fd);
    return who;
}

bool wick_tcp_peer_is_known(uint16_t port)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(port)}, own;
    socklen_t len = sizeof own;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool known = fd >= 0 && !connect(fd, (const struct sockaddr *)&here, sizeof here) &&
                 !getsockname(fd, (struct sockaddr *)&own, &len) && wick_tcp_peer_of(&own, &here) == WICK_PEER_SAME;
    if (fd >= 0)
        close(fd);
    return known;
}
