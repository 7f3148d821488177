/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/thread/held_back.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdint.h>
#include <sys/socket.h>

enum { ESTABLISHED = 1, CLOSE_WAIT = 8 }; /* the kernel's numbers: both may send */

bool wick_held_back_by(const struct tcp_info *t, size_t size)
{
    if (size < offsetof(struct tcp_info, tcpi_snd_wnd) + sizeof t->tcpi_snd_wnd)
        return false;
    bool sends = t->tcpi_state == ESTABLISHED || t->tcpi_state == CLOSE_WAIT;
    bool smooth =
        t->tcpi_ca_state == TCP_CA_Open && !t->tcpi_retransmits && !t->tcpi_backoff && !t->tcpi_probes && !t->tcpi_lost;
    bool small = t->tcpi_notsent_bytes && t->tcpi_notsent_bytes < t->tcpi_snd_mss;
    /* Of who has connected, the SYN is in what was acknowledged, but not in what was sent; for who has accepted this is
     * one byte too many, which only hides a window that fits exactly. */
    uint64_t gone = t->tcpi_bytes_acked + t->tcpi_bytes_retrans;
    uint64_t flies = t->tcpi_bytes_sent + 1 > gone ? t->tcpi_bytes_sent + 1 - gone : 0;
    bool room = t->tcpi_unacked < t->tcpi_snd_cwnd && flies + t->tcpi_notsent_bytes <= t->tcpi_snd_wnd;
    return sends && smooth && small && t->tcpi_unacked && room;
}

static bool is_set(int fd, int option)
{
    int value = 0;
    socklen_t size = sizeof value;
    return getsockopt(fd, IPPROTO_TCP, option, &value, &size) || value;
}

bool wick_held_back(int fd)
{
    struct tcp_info t = {0};
    socklen_t size = sizeof t;
    return !getsockopt(fd, IPPROTO_TCP, TCP_INFO, &t, &size) && wick_held_back_by(&t, size) &&
           !is_set(fd, TCP_NODELAY) && !is_set(fd, TCP_CORK);
}
