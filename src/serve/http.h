/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http.h - the HTTP server underneath: libmicrohttpd, behind this one file
 *
 * Listens on 127.0.0.1 only. A request reaches the handler once it is complete, its body included; what is longer than
 * allowed, or comes too slowly, never does. Each connection has a thread of its own, so that a slow client, or a slow
 * answer, delays nobody else; their number is bounded. Connections of other users of this host (sys/tcp_peer.h) may
 * hold a few of them at most.
 *
 * Threads: the handler and the streams are called by several threads at once.
 * Memory:  at most 64 KiB for each connection, besides the answers.
 */
#ifndef WICK_SERVE_HTTP_H
#define WICK_SERVE_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

#define WICK_HTTP_CONNECTIONS 96u         /* at once */
#define WICK_HTTP_FOREIGN     4u          /* of these, of other users */
#define WICK_HTTP_TARGET_MAX  (16u << 10) /* bytes of a request's target */
#define WICK_HTTP_BODY_MAX    (16u << 10) /* bytes of a request's body */
#define WICK_HTTP_IDLE_S      20u         /* a connection that is silent for so long is closed */

/* A request. Headers that it does not have are NULL; everything is borrowed. */
struct wick_http_request {
    const char *method, *target; /* as they were sent */
    const char *host, *origin, *authorization, *cookie, *content_type, *fetch_site, *fetch_mode;
    const char *body;
    size_t body_len;
    bool too_large; /* the target or the body was longer than allowed, and is not here */
    bool foreign;   /* another user's process sent it */
};

/* What the handler answers. body is malloc'ed and goes to the server, unless `lasting`. */
struct wick_http_reply {
    int status;
    const char *type; /* of the content; lasting */
    const char *body;
    size_t len;
    bool lasting;
    char location[64], cookie[160]; /* "" = none */
    char file[64];                  /* to be kept as a file of that name, not shown; "" = it is no file */
    /* Instead of a body: fills out with at most room bytes; may wait. Returns their number, -1 = the end. */
    ssize_t (*more)(void *stream, char *out, size_t room);
    void (*close)(void *stream);
    void *stream;
};

struct wick_http_handler {
    void (*answer)(void *ctx, const struct wick_http_request *q, struct wick_http_reply *r);
    void *ctx;
};

struct wick_http;

/* Listens on a port of 127.0.0.1, 0 = any that is free; which one is in *port. -WICK_E_STATE if it is taken, _IO. */
int wick_http_start(struct wick_http **out, uint16_t *port, const struct wick_http_handler *h, struct wick_err *err);

/* Ends all connections and waits for their threads. Streams must have ended, or end on their own. */
void wick_http_stop(struct wick_http *s);

#endif
