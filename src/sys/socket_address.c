/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/socket_address.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

enum { MAPPED = 12 };

void wick_socket_address(int family, const uint8_t *address, unsigned port, char *out, size_t size)
{
    static const uint8_t none[16], mapped[MAPPED] = {[10] = 0xff, 0xff};
    char text[INET6_ADDRSTRLEN] = "";
    bool four = family == AF_INET || !memcmp(address, mapped, MAPPED);
    const uint8_t *from = four && family != AF_INET ? address + MAPPED : address;
    *out = 0;
    if (!port && !memcmp(address, none, family == AF_INET ? 4 : 16))
        return;
    inet_ntop(four ? AF_INET : AF_INET6, from, text, sizeof text);
    int n = snprintf(out, size, four ? "%s" : "[%s]", text);
    if (port && n > 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n, ":%u", port);
}

void wick_socket_address_of_name(const union wick_socket_name *name, char *out, size_t size)
{
    bool four = name->any.sa_family == AF_INET;
    wick_socket_address(name->any.sa_family,
                        four ? (const void *)&name->four.sin_addr : (const void *)&name->six.sin6_addr,
                        ntohs(four ? name->four.sin_port : name->six.sin6_port), out, size);
}

void wick_socket_address_of_path(const char *path, size_t n, char *out, size_t size)
{
    if (n && *path) /* a path ends with a zero, which the length may count, and what is behind it */
        n = strnlen(path, n);
    while (n && !path[n - 1])
        n--;
    size_t at = (size_t)snprintf(out, size, n ? "unix:" : "unix");
    for (size_t i = 0; i < n && at + 1 < size; i++) {
        char c = i || path[i] ? path[i] : '@'; /* an abstract name */
        out[at++] = c >= ' ' && c <= '~' ? c : '?';
    }
    out[at] = 0;
}
