/* SPDX-License-Identifier: Apache-2.0 */
/*
 * push_http.c - libcurl behind three functions
 *
 * It is loaded when it is needed, as libmicrohttpd is: a dozen libraries come with it.
 *
 * What OTLP/HTTP says of answers: 2xx is success, and may still reject profiles (partial_success); 429, 502, 503 and
 * 504 may be tried again, after Retry-After if that is there; all others are final. A connection that fails may be
 * tried again.
 */
#include "push/push_http.h"

#include <ctype.h>
#include <curl/curl.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic.h"
#include "base/strbuf.h"
#include "codec/protobuf.h"

enum { ANSWER_MAX = 64 << 10, CONNECT_S = 10, WHOLE_S = 30, RETRY_AFTER_MAX_S = 600 };

#define LIBRARY "libcurl.so.4"
#define PATH    "/v1development/profiles"
#define EACH(X)      \
    X(easy_cleanup)  \
    X(easy_getinfo)  \
    X(easy_init)     \
    X(easy_perform)  \
    X(easy_setopt)   \
    X(easy_strerror) \
    X(easy_unescape) \
    X(free)          \
    X(global_init)   \
    X(slist_append)  \
    X(slist_free_all)

static struct {
#define POINTER(name) __typeof__(&curl_##name) name;
    EACH(POINTER)
#undef POINTER
} curl;

struct wick_push_http {
    CURL *easy;
    struct curl_slist *headers;
    char url[2048];
    struct wick_strbuf answer;
    char why[CURL_ERROR_SIZE]; /* of the last failure; "" = libcurl says no more than its code */
    _Atomic bool aborted;
};

static int load_library(struct wick_err *err)
{
    void *lib = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    bool whole = lib != NULL;
#define FIND(name) whole = whole && (curl.name = (__typeof__(&curl_##name))dlsym(lib, "curl_" #name));
    EACH(FIND)
#undef FIND
    whole = whole && !curl.global_init(CURL_GLOBAL_DEFAULT);
    return whole ? 0
                 : wick_err_set(err, WICK_E_UNSUPPORTED,
                                "sending to a collector needs the library " LIBRARY
                                ", which cannot be loaded: %s; Debian's package is libcurl4",
                                lib ? "it is another version" : dlerror());
}

/* --- what libcurl calls --- */

static size_t take_answer(char *data, size_t size, size_t n, void *ctx)
{
    struct wick_push_http *h = ctx;
    if (h->answer.len + size * n <= ANSWER_MAX)
        wick_strbuf_add(&h->answer, data, size * n);
    return size * n;
}

static int go_on(void *ctx, curl_off_t dltotal, curl_off_t dlnow, curl_off_t ultotal, curl_off_t ulnow)
{
    struct wick_push_http *h = ctx;
    (void)dltotal, (void)dlnow, (void)ultotal, (void)ulnow;
    return wick_load_relaxed(&h->aborted);
}

/* --- opening --- */

static int set_url(struct wick_push_http *h, const char *url, struct wick_err *err)
{
    const char *host = !strncmp(url, "http://", 7) ? url + 7 : !strncmp(url, "https://", 8) ? url + 8 : NULL;
    size_t n = host ? strcspn(host, "/?#") : 0;
    if (!n || strpbrk(url, " \t\r\n"))
        return wick_err_set(err, WICK_E_USAGE,
                            "'%.200s' is no address of a collector: give one such as http://localhost:4318", url);
    if (memchr(host, '@', n))
        return wick_err_set(err, WICK_E_USAGE,
                            "the address of the collector has a user name in it: give what it asks for as a header, by "
                            "OTEL_EXPORTER_OTLP_HEADERS");
    bool bare = !host[n] || !strcmp(host + n, "/");
    int len = snprintf(h->url, sizeof h->url, "%.*s%s", (int)(bare ? (size_t)(host - url) + n : strlen(url)), url,
                       bare ? PATH : "");
    return (size_t)len < sizeof h->url
               ? 0
               : wick_err_set(err, WICK_E_USAGE, "the address of the collector is too long: %d bytes", len);
}

static int append_header(struct wick_push_http *h, const char *line)
{
    struct curl_slist *more = curl.slist_append(h->headers, line);
    if (!more)
        return -WICK_E_NOMEM;
    h->headers = more;
    return 0;
}

/* What may be in the name of a header. */
static bool is_name(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)s[i]) && !strchr("-_.!#$%&'*+^`|~", s[i]))
            return false;
    return true;
}

/* One `key=value`. An unencoded line break would be a header of its own. */
static int add_pair(struct wick_push_http *h, const char *pair, size_t n, struct wick_err *err)
{
    struct wick_strbuf line = WICK_STRBUF_INIT;
    int len = 0, rc = 0;
    const char *equals = memchr(pair, '=', n);
    size_t name = equals ? (size_t)(equals - pair) : 0, rest = equals ? n - name - 1 : 0;
    /* to easy_unescape no length is "up to the NUL" */
    char *value = name && is_name(pair, name) && rest ? curl.easy_unescape(h->easy, equals + 1, (int)rest, &len) : NULL;
    if (!value || memchr(value, '\n', (size_t)len) || memchr(value, '\r', (size_t)len) || memchr(value, 0, (size_t)len))
        rc = wick_err_set(
            err, WICK_E_USAGE,
            "OTEL_EXPORTER_OTLP_HEADERS is no list of headers: it takes key=value,key2=value2, with values that "
            "are not empty");
    if (!rc) {
        wick_strbuf_add(&line, pair, name);
        wick_strbuf_adds(&line, ": ");
        wick_strbuf_add(&line, value, (size_t)len);
        rc = line.failed || append_header(h, line.buf) ? wick_err_set(err, WICK_E_NOMEM, "out of memory") : 0;
    }
    curl.free(value);
    wick_strbuf_release(&line);
    return rc;
}

static int add_pairs(struct wick_push_http *h, const char *list, struct wick_err *err)
{
    int rc = 0;
    while (*list && !rc) {
        while (isspace((unsigned char)*list))
            list++;
        size_t n = strcspn(list, ",");
        if (n)
            rc = add_pair(h, list, n, err);
        list += n + (list[n] == ',');
    }
    return rc;
}

static int set_up(struct wick_push_http *h)
{
    CURL *c = h->easy;
    curl.easy_setopt(c, CURLOPT_QUICK_EXIT, 1L); /* an end does not wait for a name that is looked up */
    /* an empty Expect: no wait for "100 Continue", which many collectors do not send */
    return append_header(h, "Content-Type: application/x-protobuf") || append_header(h, "Content-Encoding: gzip") ||
           append_header(h, "User-Agent: wick/" WICK_VERSION) || append_header(h, "Expect:") ||
           curl.easy_setopt(c, CURLOPT_URL, h->url) || curl.easy_setopt(c, CURLOPT_HTTPHEADER, h->headers) ||
           curl.easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https") || curl.easy_setopt(c, CURLOPT_POST, 1L) ||
           curl.easy_setopt(c, CURLOPT_NOSIGNAL, 1L) || curl.easy_setopt(c, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S) ||
           curl.easy_setopt(c, CURLOPT_TIMEOUT, (long)WHOLE_S) || curl.easy_setopt(c, CURLOPT_ERRORBUFFER, h->why) ||
           curl.easy_setopt(c, CURLOPT_WRITEFUNCTION, take_answer) || curl.easy_setopt(c, CURLOPT_WRITEDATA, h) ||
           curl.easy_setopt(c, CURLOPT_XFERINFOFUNCTION, go_on) || curl.easy_setopt(c, CURLOPT_XFERINFODATA, h) ||
           curl.easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
}

int wick_push_http_open(struct wick_push_http **out, const char *url, const char *headers, struct wick_err *err)
{
    struct wick_push_http *h = calloc(1, sizeof *h);
    int rc = h ? set_url(h, url, err) : wick_err_set(err, WICK_E_NOMEM, "out of memory");
    rc = rc ? rc : load_library(err);
    if (!rc) {
        wick_strbuf_init(&h->answer);
        h->easy = curl.easy_init();
        rc = h->easy ? add_pairs(h, headers ? headers : "", err) : wick_err_set(err, WICK_E_NOMEM, "out of memory");
    }
    if (!rc && set_up(h))
        rc = wick_err_set(err, WICK_E_UNSUPPORTED, "this libcurl lacks what sending needs: version 7.85 or newer");
    if (rc) {
        wick_push_http_close(h);
        return rc;
    }
    *out = h;
    return 0;
}

void wick_push_http_close(struct wick_push_http *h)
{
    if (!h)
        return;
    if (h->easy) {
        curl.easy_cleanup(h->easy);
        curl.slist_free_all(h->headers);
        wick_strbuf_release(&h->answer);
    }
    free(h);
}

const char *wick_push_http_url(const struct wick_push_http *h)
{
    return h->url;
}

void wick_push_http_abort(struct wick_push_http *h)
{
    wick_store_relaxed(&h->aborted, true);
}

/* --- answers --- */

/* Appends text of a stranger to what is printed: one line, without control characters. */
static void quote(char *out, size_t cap, const char *text, size_t n)
{
    size_t at = strlen(out);
    for (size_t i = 0; i < n && at + 1 < cap; i++)
        out[at++] = (unsigned char)text[i] < 0x20 || text[i] == 0x7f ? ' ' : text[i];
    out[at] = 0;
}

/* An ExportProfilesServiceResponse: {partial_success = 1: {rejected_profiles = 1, error_message = 2}}. */
static void read_partial(const struct wick_strbuf *answer, struct wick_push_reply *r)
{
    struct wick_pb whole = wick_pb_reader(answer->buf, answer->len);
    struct wick_pb_field f;
    while (wick_pb_next(&whole, &f)) {
        if (f.number != 1 || f.wire != WICK_PB_BYTES)
            continue;
        struct wick_pb part = wick_pb_reader(f.data, f.len);
        uint64_t rejected = 0;
        struct wick_pb_field text = {0};
        while (wick_pb_next(&part, &f))
            if (f.number == 1 && f.wire == WICK_PB_VARINT)
                rejected = f.value;
            else if (f.number == 2 && f.wire == WICK_PB_BYTES)
                text = f;
        if (rejected || text.len) {
            snprintf(r->text, sizeof r->text, "the collector rejected %llu profiles: ", (unsigned long long)rejected);
            quote(r->text, sizeof r->text, (const char *)text.data, text.len);
        }
    }
}

static void judge(struct wick_push_http *h, long status, struct wick_push_reply *r)
{
    curl_off_t wait_s = 0;
    if (status >= 200 && status < 300) {
        r->fate = WICK_PUSH_TAKEN;
        read_partial(&h->answer, r);
        return;
    }
    bool later = status == 429 || (status >= 502 && status <= 504);
    r->fate = later ? WICK_PUSH_LATER : WICK_PUSH_REFUSED;
    if (later && !curl.easy_getinfo(h->easy, CURLINFO_RETRY_AFTER, &wait_s) && wait_s > 0)
        r->wait_ns = (uint64_t)(wait_s < RETRY_AFTER_MAX_S ? wait_s : RETRY_AFTER_MAX_S) * 1000000000;
    snprintf(r->text, sizeof r->text, "the collector answers with status %ld%s", status, h->answer.len ? ": " : "");
    if (h->answer.len)
        quote(r->text, sizeof r->text, h->answer.buf, h->answer.len);
}

void wick_push_http_post(struct wick_push_http *h, const void *data, size_t n, struct wick_push_reply *r)
{
    long status = 0;
    *r = (struct wick_push_reply){.fate = WICK_PUSH_LATER};
    wick_strbuf_clear(&h->answer);
    h->why[0] = 0;
    CURLcode rc = curl.easy_setopt(h->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)n);
    rc = rc ? rc : curl.easy_setopt(h->easy, CURLOPT_POSTFIELDS, data);
    rc = rc ? rc : curl.easy_perform(h->easy);
    rc = rc ? rc : curl.easy_getinfo(h->easy, CURLINFO_RESPONSE_CODE, &status);
    if (rc == CURLE_ABORTED_BY_CALLBACK)
        r->fate = WICK_PUSH_ENDED;
    else if (rc)
        snprintf(r->text, sizeof r->text, "%.200s", h->why[0] ? h->why : curl.easy_strerror(rc));
    else
        judge(h, status, r);
}
