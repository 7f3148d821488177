/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf/host_socket.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "sys/socket_address.h"
#include "sys/whole.h"

enum { FIRST_PORT = 32768, LAST_PORT = 60999 };

struct wick_host_ports wick_host_socket_ports(void)
{
    struct wick_host_ports ports = {FIRST_PORT, LAST_PORT};
    char text[64];
    unsigned first, last;
    if (wick_whole_text("/proc/sys/net/ipv4/ip_local_port_range", text, sizeof text) > 0 &&
        sscanf(text, "%u %u", &first, &last) == 2 && first <= last && last <= UINT16_MAX)
        ports = (struct wick_host_ports){(uint16_t)first, (uint16_t)last};
    return ports;
}

static bool is_given(const struct wick_host_ports *ports, uint16_t port)
{
    return port >= ports->first && port <= ports->last;
}

static void write_protocol(const struct wick_host_socket *s, char *out, size_t size)
{
    static const char *const types[] = {
        [SOCK_STREAM] = "stream", [SOCK_DGRAM] = "dgram", [SOCK_SEQPACKET] = "seqpacket"};
    const char *type = s->type < sizeof types / sizeof *types && types[s->type] ? types[s->type] : "other";
    if (s->family == AF_UNIX)
        snprintf(out, size, "unix-%s", type);
    else if (s->family == AF_NETLINK)
        snprintf(out, size, "netlink");
    else if (s->family == AF_PACKET)
        snprintf(out, size, "packet");
    else if (s->family != AF_INET && s->family != AF_INET6)
        snprintf(out, size, "family-%u", s->family);
    else if (s->protocol == IPPROTO_TCP)
        snprintf(out, size, "tcp");
    else if (s->protocol == IPPROTO_UDP)
        snprintf(out, size, "udp");
    else
        snprintf(out, size, "ip-%u", s->protocol);
}

_Static_assert(sizeof((struct wick_host_socket_text *)0)->peer > sizeof "unix:" + WICK_HOST_PATH, "a path fits");

void wick_host_socket_text(const struct wick_host_socket *s, const struct wick_host_ports *given,
                           struct wick_host_socket_text *out)
{
    *out = (struct wick_host_socket_text){0};
    write_protocol(s, out->protocol, sizeof out->protocol);
    if (s->family == AF_UNIX) {
        wick_socket_address_of_path(s->path, s->length < sizeof s->path ? s->length : sizeof s->path, out->peer,
                                    sizeof out->peer);
        memcpy(out->peer_name, out->peer, sizeof out->peer_name);
    }
    if (s->family != AF_INET && s->family != AF_INET6)
        return;
    bool gave_local = is_given(given, s->local_port), gave_peer = is_given(given, s->peer_port);
    bool serves = s->peer_port && (gave_local == gave_peer ? s->local_port < s->peer_port : gave_peer);
    wick_socket_address(s->family, s->local, s->local_port, out->local, sizeof out->local);
    wick_socket_address(s->family, s->peer, s->peer_port, out->peer, sizeof out->peer);
    wick_socket_address(s->family, s->peer, serves ? 0 : s->peer_port, out->peer_name, sizeof out->peer_name);
    if (serves)
        memcpy(out->service, out->local, sizeof out->service);
}
