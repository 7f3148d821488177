/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/guard.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

int wick_guard_init(struct wick_guard *g, uint16_t port, struct wick_err *err)
{
    unsigned char random[WICK_TOKEN_CHARS / 2];
    ssize_t n;
    while ((n = getrandom(random, sizeof random, 0)) < 0 && errno == EINTR)
        ;
    if (n != (ssize_t)sizeof random)
        return wick_err_set(err, WICK_E_IO, "the kernel gives no random numbers: %s", strerror(errno));
    g->port = port;
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(g->token + 2 * i, 3, "%02x", random[i]);
    return 0;
}

bool wick_guard_knows(const struct wick_guard *g, const char *text)
{
    volatile unsigned char differ = 0;
    if (!text || strlen(text) != WICK_TOKEN_CHARS)
        return false;
    for (size_t i = 0; i < WICK_TOKEN_CHARS; i++)
        differ |= (unsigned char)(text[i] ^ g->token[i]);
    return !differ;
}

/* Whether text is prefix, one of this server's names, and its port. */
static bool is_here(const struct wick_guard *g, const char *text, const char *prefix)
{
    static const char *const names[] = {"127.0.0.1", "localhost"};
    char here[64];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(here, sizeof here, "%s%s:%u", prefix, names[i], g->port);
        if (!strcasecmp(text, here))
            return true;
        snprintf(here, sizeof here, "%s%s", prefix, names[i]);
        if (g->port == 80 && !strcasecmp(text, here))
            return true;
    }
    return false;
}

/* Browsers say where a request comes from; other programs do not. */
static bool comes_from_elsewhere(const struct wick_http_request *q, bool page)
{
    const char *site = q->fetch_site;
    if (!site || !strcmp(site, "same-origin") || !strcmp(site, "none"))
        return false;
    return !page || !q->fetch_mode || strcmp(q->fetch_mode, "navigate") != 0;
}

const char *wick_guard_refuses(const struct wick_guard *g, const struct wick_http_request *q, bool page)
{
    if (q->foreign)
        return "the process that asks belongs to another user";
    if (!q->host || !is_here(g, q->host, ""))
        return "the request's Host is not this server's address";
    if (q->origin && !is_here(g, q->origin, "http://"))
        return "the request comes from a page of another origin";
    if (comes_from_elsewhere(q, page))
        return "the request comes from another site";
    return NULL;
}

/* "wick-PORT": cookies do not distinguish ports, and two servers may run. */
static int cookie_name(const struct wick_guard *g, char out[24])
{
    return snprintf(out, 24, "wick-%u", g->port);
}

static bool cookie_admits(const struct wick_guard *g, const char *cookies)
{
    char name[24], value[WICK_TOKEN_CHARS + 1];
    size_t len = (size_t)cookie_name(g, name);
    for (const char *at = cookies; *at; at += strcspn(at, ";"), at += strspn(at, "; ")) {
        if (strncmp(at, name, len) != 0 || at[len] != '=' || strcspn(at + len + 1, "; ") != WICK_TOKEN_CHARS)
            continue;
        memcpy(value, at + len + 1, WICK_TOKEN_CHARS);
        value[WICK_TOKEN_CHARS] = 0;
        if (wick_guard_knows(g, value))
            return true;
    }
    return false;
}

bool wick_guard_admits(const struct wick_guard *g, const struct wick_http_request *q)
{
    if (q->authorization)
        return !strncasecmp(q->authorization, "Bearer ", 7) && wick_guard_knows(g, q->authorization + 7);
    return q->cookie && cookie_admits(g, q->cookie);
}

void wick_guard_cookie(const struct wick_guard *g, char *out, size_t cap)
{
    char name[24];
    cookie_name(g, name);
    snprintf(out, cap, "%s=%s; Path=/; HttpOnly; SameSite=Strict", name, g->token);
}
