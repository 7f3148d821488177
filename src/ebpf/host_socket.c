/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf/host_socket.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "sys/whole.h"

enum { FIRST_PORT = 32768, LAST_PORT = 60999, MAPPED = 12 };

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

/* An address, and the port unless that is 0; nothing of one that is not set. */
static void write_address(const struct wick_host_socket *s, const uint8_t *address, unsigned port, char *out,
                          size_t size)
{
    static const uint8_t none[16], mapped[MAPPED] = {[10] = 0xff, 0xff};
    char text[INET6_ADDRSTRLEN] = "";
    bool four = s->family == AF_INET || !memcmp(address, mapped, MAPPED);
    const uint8_t *from = four && s->family != AF_INET ? address + MAPPED : address;
    *out = 0;
    if (!port && !memcmp(address, none, s->family == AF_INET ? 4 : 16))
        return;
    inet_ntop(four ? AF_INET : AF_INET6, from, text, sizeof text);
    int n = snprintf(out, size, four ? "%s" : "[%s]", text);
    if (port && n > 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n, ":%u", port);
}

static void write_path(const struct wick_host_socket *s, char *out, size_t size)
{
    size_t n = s->length < sizeof s->path ? s->length : sizeof s->path;
    if (n && *s->path) /* a path ends with a zero, which the length may count, and what is behind it */
        n = strnlen(s->path, n);
    while (n && !s->path[n - 1])
        n--;
    int at = snprintf(out, size, n ? "unix:" : "unix");
    for (size_t i = 0; i < n; i++) {
        char c = i || s->path[i] ? s->path[i] : '@'; /* an abstract name */
        out[at++] = c >= ' ' && c <= '~' ? c : '?';
    }
    out[at] = 0;
}

_Static_assert(sizeof((struct wick_host_socket_text *)0)->peer > sizeof "unix:" + WICK_HOST_PATH, "a path fits");

void wick_host_socket_text(const struct wick_host_socket *s, const struct wick_host_ports *given,
                           struct wick_host_socket_text *out)
{
    *out = (struct wick_host_socket_text){0};
    write_protocol(s, out->protocol, sizeof out->protocol);
    if (s->family == AF_UNIX) {
        write_path(s, out->peer, sizeof out->peer);
        memcpy(out->peer_name, out->peer, sizeof out->peer_name);
    }
    if (s->family != AF_INET && s->family != AF_INET6)
        return;
    bool gave_local = is_given(given, s->local_port), gave_peer = is_given(given, s->peer_port);
    bool serves = s->peer_port && (gave_local == gave_peer ? s->local_port < s->peer_port : gave_peer);
    write_address(s, s->local, s->local_port, out->local, sizeof out->local);
    write_address(s, s->peer, s->peer_port, out->peer, sizeof out->peer);
    write_address(s, s->peer, serves ? 0 : s->peer_port, out->peer_name, sizeof out->peer_name);
    if (serves)
        memcpy(out->service, out->local, sizeof out->service);
}
