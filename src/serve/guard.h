/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard.h - who may ask: the token, and the headers by which browsers say where a request comes from
 *
 * The server listens on the loopback interface, where every user of the host, every container that shares its network
 * and every page in the user's browser can connect. So
 *
 *   - a client must know a random number of 128 bits, which is printed at the start: as `Authorization: Bearer`, or
 *     as the cookie that a first visit to /?token=... sets;
 *   - the process at the other end must be this user's, or root's, where the kernel says whose it is (sys/tcp_peer.h).
 *     Cookies do not know ports: without that, another user's server on this address would be sent ours;
 *   - Host must be this server's address, or a name under somebody's control could be made to lead here (DNS
 *     rebinding);
 *   - Origin, and what the browser says of a request's source, must be this server, so that no other page can act.
 *
 * Threads: any; a guard does not change.
 */
#ifndef WICK_SERVE_GUARD_H
#define WICK_SERVE_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "serve/http.h"

enum { WICK_TOKEN_CHARS = 32 };

struct wick_guard {
    char token[WICK_TOKEN_CHARS + 1]; /* 128 random bits, hexadecimal */
    uint16_t port;
};

/* Draws a token. -WICK_E_IO if the kernel has no random numbers. */
int wick_guard_init(struct wick_guard *g, uint16_t port, struct wick_err *err);

/* Whether a text is the token; takes as long wherever they differ. */
bool wick_guard_knows(const struct wick_guard *g, const char *text);

/* Why a request is refused whatever token it has, as a sentence; NULL = it is not. `page`: it is for a page of the
 * application and not for the API, so a link in another page may lead to it. */
const char *wick_guard_refuses(const struct wick_guard *g, const struct wick_http_request *q, bool page);

/* Whether a request has the token, in its Authorization or as cookie. */
bool wick_guard_admits(const struct wick_guard *g, const struct wick_http_request *q);

/* The value of Set-Cookie that hands out the token, to out[cap]. */
void wick_guard_cookie(const struct wick_guard *g, char *out, size_t cap);

#endif
