/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http.c - requests of libmicrohttpd as calls of one handler
 *
 * The library calls serve_request() with the headers, with each piece of the body, and at the end. Nothing is
 * answered before the end, unless the target or the announced length is over the limit: that is answered at once, and
 * the library closes the connection instead of reading the body. A body in chunks announces no length; one that grows
 * over the limit ends the connection without an answer.
 *
 * Whose connection it is, is asked twice: when it comes, to refuse another user's once there are WICK_HTTP_FOREIGN of
 * them, and when it starts, to count it until its end; each of its requests carries that result. If the kernel named
 * the owner of a connection that was made for trial, one that it does not name later counts as another user's;
 * otherwise all such count as ours.
 *
 * Ownership. An exchange lives from the request's first line to its end. What the handler answers is the server's
 * from then on, so each failure behind it frees the body or closes the stream. A stream may wait, since it holds up
 * its own connection's thread only; its reply is copied, and the copy goes when the library closes it.
 */
#include "serve/http.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/strbuf.h"
#include "sys/tcp_peer.h"

/* --- the library --- */

/* It is loaded when it is needed: with the dozen of libraries that it needs itself, the start of every other command
 * would take 8 ms of CPU time more, 18 for 10. */
#define LIBRARY "libmicrohttpd.so.12"
#define EACH(X)                      \
    X(add_response_header)           \
    X(create_response_from_buffer)   \
    X(create_response_from_callback) \
    X(destroy_response)              \
    X(get_connection_info)           \
    X(lookup_connection_value)       \
    X(queue_response)                \
    X(start_daemon)                  \
    X(stop_daemon)

static struct {
#define POINTER(name) __typeof__(&MHD_##name) name;
    EACH(POINTER)
#undef POINTER
} mhd;

static int load_library(struct wick_err *err)
{
    void *lib = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    bool whole = lib != NULL;
#define FIND(name) whole = whole && (mhd.name = (__typeof__(&MHD_##name))dlsym(lib, "MHD_" #name));
    EACH(FIND)
#undef FIND
    return whole
               ? 0
               : wick_err_set(err, WICK_E_UNSUPPORTED,
                              "wick ui needs the library " LIBRARY ", which cannot be loaded: %s; Debian's package is "
                              "libmicrohttpd12",
                              lib ? "it is another version" : dlerror());
}

struct wick_http {
    struct MHD_Daemon *daemon;
    struct wick_http_handler handler;
    uint16_t port;
    bool peers_known;         /* the kernel says whose connections are: who it does not name is a stranger */
    _Atomic unsigned foreign; /* connections of other users */
};

/* One request: made when its first line is known, freed when it is over. */
struct exchange {
    char *target;
    struct wick_strbuf body;
    bool begun, too_large;
};

/* What every answer has. No inline code, nothing from elsewhere, no frames; nothing stays in a cache on disk. */
static const char *const fixed_headers[][2] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
     "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cache-Control", "no-store"},
};

/* --- connections --- */

static bool is_foreign(const struct wick_http *s, const struct sockaddr *from)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(s->port)};
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (!from || from->sa_family != AF_INET)
        return false;
    enum wick_tcp_peer who = wick_tcp_peer_of((const struct sockaddr_in *)(const void *)from, &here);
    return who == WICK_PEER_OTHER || (who == WICK_PEER_UNKNOWN && s->peers_known);
}

static enum MHD_Result accepts(void *ctx, const struct sockaddr *from, socklen_t len)
{
    const struct wick_http *s = ctx;
    (void)len;
    return is_foreign(s, from) && wick_load_relaxed(&s->foreign) >= WICK_HTTP_FOREIGN ? MHD_NO : MHD_YES;
}

/* A connection's own pointer is not NULL if it is another user's. */
static void connection_changes(void *ctx, struct MHD_Connection *c, void **own,
                               enum MHD_ConnectionNotificationCode what)
{
    struct wick_http *s = ctx;
    const union MHD_ConnectionInfo *from = mhd.get_connection_info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        *own = from && is_foreign(s, from->client_addr) ? s : NULL;
        if (*own)
            wick_add_relaxed(&s->foreign, 1u);
    } else if (*own) {
        wick_sub_relaxed(&s->foreign, 1u);
    }
}

/* --- requests --- */

static void *begin_exchange(void *ctx, const char *target, struct MHD_Connection *c)
{
    struct exchange *x = calloc(1, sizeof *x);
    (void)ctx;
    (void)c;
    if (!x)
        return NULL;
    wick_strbuf_init(&x->body);
    x->too_large = strnlen(target, WICK_HTTP_TARGET_MAX + 1) > WICK_HTTP_TARGET_MAX;
    x->target = x->too_large ? NULL : strdup(target);
    return x;
}

static void end_exchange(void *ctx, struct MHD_Connection *c, void **state, enum MHD_RequestTerminationCode why)
{
    struct exchange *x = *state;
    (void)ctx;
    (void)c;
    (void)why;
    if (!x)
        return;
    wick_strbuf_release(&x->body);
    free(x->target);
    free(x);
    *state = NULL;
}

static ssize_t read_stream(void *stream, uint64_t at, char *out, size_t room)
{
    struct wick_http_reply *r = stream;
    (void)at;
    ssize_t n = r->more(r->stream, out, room);
    return n < 0 ? MHD_CONTENT_READER_END_OF_STREAM : n;
}

static void close_stream(void *stream)
{
    struct wick_http_reply *r = stream;
    r->close(r->stream);
    free(r);
}

static struct MHD_Response *streamed(const struct wick_http_reply *r)
{
    struct wick_http_reply *kept = malloc(sizeof *kept);
    if (!kept) {
        r->close(r->stream);
        return NULL;
    }
    *kept = *r;
    struct MHD_Response *m = mhd.create_response_from_callback(MHD_SIZE_UNKNOWN, 4096, read_stream, kept, close_stream);
    if (!m)
        close_stream(kept);
    return m;
}

static enum MHD_Result send_reply(struct MHD_Connection *c, const struct wick_http_reply *r)
{
    struct MHD_Response *m =
        r->more ? streamed(r)
                : mhd.create_response_from_buffer(r->len, (void *)(uintptr_t)r->body,
                                                  r->lasting ? MHD_RESPMEM_PERSISTENT : MHD_RESPMEM_MUST_FREE);
    if (!m) {
        if (!r->more && !r->lasting)
            free((void *)(uintptr_t)r->body);
        return MHD_NO;
    }
    for (size_t i = 0; i < sizeof fixed_headers / sizeof *fixed_headers; i++)
        mhd.add_response_header(m, fixed_headers[i][0], fixed_headers[i][1]);
    if (r->type)
        mhd.add_response_header(m, MHD_HTTP_HEADER_CONTENT_TYPE, r->type);
    if (*r->location)
        mhd.add_response_header(m, MHD_HTTP_HEADER_LOCATION, r->location);
    if (*r->file) {
        char how[96];
        snprintf(how, sizeof how, "attachment; filename=\"%s\"", r->file);
        mhd.add_response_header(m, MHD_HTTP_HEADER_CONTENT_DISPOSITION, how);
    }
    if (*r->cookie)
        mhd.add_response_header(m, MHD_HTTP_HEADER_SET_COOKIE, r->cookie);
    if (r->status == MHD_HTTP_UNAUTHORIZED)
        mhd.add_response_header(m, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer");
    enum MHD_Result sent = mhd.queue_response(c, (unsigned)r->status, m);
    mhd.destroy_response(m);
    return sent;
}

static const char *header(struct MHD_Connection *c, const char *name)
{
    return mhd.lookup_connection_value(c, MHD_HEADER_KIND, name);
}

static enum MHD_Result answer_exchange(struct wick_http *s, struct MHD_Connection *c, const char *method,
                                       const struct exchange *x)
{
    struct wick_http_reply r = {.status = MHD_HTTP_INTERNAL_SERVER_ERROR, .body = "", .lasting = true};
    const union MHD_ConnectionInfo *own = mhd.get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    const struct wick_http_request q = {
        .method = method,
        .target = x->target,
        .host = header(c, MHD_HTTP_HEADER_HOST),
        .origin = header(c, MHD_HTTP_HEADER_ORIGIN),
        .authorization = header(c, MHD_HTTP_HEADER_AUTHORIZATION),
        .cookie = header(c, MHD_HTTP_HEADER_COOKIE),
        .content_type = header(c, MHD_HTTP_HEADER_CONTENT_TYPE),
        .fetch_site = header(c, "Sec-Fetch-Site"),
        .fetch_mode = header(c, "Sec-Fetch-Mode"),
        .body = x->body.buf,
        .body_len = x->body.len,
        .too_large = x->too_large,
        .foreign = own && own->socket_context,
    };
    if (!x->target && !x->too_large)
        return MHD_NO;
    s->handler.answer(s->handler.ctx, &q, &r);
    return send_reply(c, &r);
}

static bool announces_too_much(struct MHD_Connection *c)
{
    const char *length = header(c, MHD_HTTP_HEADER_CONTENT_LENGTH);
    return length && strtoull(length, NULL, 10) > WICK_HTTP_BODY_MAX;
}

/* Called when the headers are there, for each piece of the body, and at the end. An answer that is given before the
 * body has come makes the server close the connection behind it. */
static enum MHD_Result serve_request(void *ctx, struct MHD_Connection *c, const char *url, const char *method,
                                     const char *version, const char *data, size_t *size, void **state)
{
    struct exchange *x = *state;
    (void)url;
    (void)version;
    if (!x)
        return MHD_NO;
    if (!x->begun) {
        x->begun = true;
        x->too_large |= announces_too_much(c);
        return x->too_large ? answer_exchange(ctx, c, method, x) : MHD_YES;
    }
    if (!*size)
        return answer_exchange(ctx, c, method, x);
    if (x->body.len + *size > WICK_HTTP_BODY_MAX) /* came in chunks, without announcing how much */
        return MHD_NO;
    wick_strbuf_add(&x->body, data, *size);
    *size = 0;
    return x->body.failed ? MHD_NO : MHD_YES;
}

/* --- start and end --- */

static int listen_locally(uint16_t *port, struct wick_err *err)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(*port)};
    socklen_t len = sizeof at;
    int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd >= 0 && !setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) &&
        !bind(fd, (struct sockaddr *)&at, sizeof at) && !listen(fd, 64) &&
        !getsockname(fd, (struct sockaddr *)&at, &len)) {
        *port = ntohs(at.sin_port);
        return fd;
    }
    int e = errno;
    if (fd >= 0)
        close(fd);
    return wick_err_set(err, e == EADDRINUSE ? WICK_E_STATE : WICK_E_IO,
                        "cannot listen on port %u of the loopback interface: %s; choose another one with --port", *port,
                        strerror(e));
}

int wick_http_start(struct wick_http **out, uint16_t *port, const struct wick_http_handler *h, struct wick_err *err)
{
    uint16_t at = *port;
    int rc = load_library(err), fd = rc ? rc : listen_locally(&at, err);
    if (fd < 0)
        return fd;
    struct wick_http *s = calloc(1, sizeof *s);
    *port = at; /* known before the first request */
    if (s) {
        s->handler = *h;
        s->port = at;
        s->peers_known = wick_tcp_peer_is_known(at);
        s->daemon = mhd.start_daemon(
            MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL | MHD_USE_ITC, at, accepts,
            s, serve_request, s, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT, WICK_HTTP_CONNECTIONS,
            MHD_OPTION_CONNECTION_TIMEOUT, WICK_HTTP_IDLE_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)(48 << 10),
            MHD_OPTION_URI_LOG_CALLBACK, begin_exchange, NULL, MHD_OPTION_NOTIFY_COMPLETED, end_exchange, NULL,
            MHD_OPTION_NOTIFY_CONNECTION, connection_changes, s, MHD_OPTION_END);
    }
    if (!s || !s->daemon) {
        close(fd);
        free(s);
        return wick_err_set(err, WICK_E_IO, "the HTTP server did not start: no memory or no threads left");
    }
    *out = s;
    return 0;
}

void wick_http_stop(struct wick_http *s)
{
    if (!s)
        return;
    mhd.stop_daemon(s->daemon);
    free(s);
}
