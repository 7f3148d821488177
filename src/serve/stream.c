/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.c - events as they happen (server-sent events, HTML standard 9.2)
 *
 * Each stream remembers what it has said of each recording. About once a second, or when something is known to have
 * happened, it reads what is new of those that grow, and says so of those that have changed. A large recording of which
 * a part has been read is also read on here, and twice a second it is said how far. Several streams read nothing twice:
 * the recording is read once for all of them.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/fnv.h"
#include "serve/serve.h"

#define SAY_NS UINT64_C(500000000) /* how long a large recording is read before its progress is said */

enum { SILENCE_S = 8 }; /* after which `alive` is sent, by which both ends notice a lost connection */

/* What was said of a recording. */
struct said {
    char id[WICK_CATALOG_ID + 1];
    int64_t size_bytes;
    uint64_t samples;
    int64_t read_bytes;
    uint32_t problem; /* a hash of its text */
    bool live, partial;
};

struct stream {
    struct wick_serve *s;
    struct said *said;
    uint32_t n;
    char *text; /* len bytes, of which `sent` have been sent */
    size_t len, sent;
    unsigned silent_s;
};

static struct said *said_of(struct stream *x, const char *id)
{
    for (uint32_t i = 0; i < x->n; i++)
        if (!strcmp(x->said[i].id, id))
            return &x->said[i];
    struct said *bigger = reallocarray(x->said, x->n + 1, sizeof *bigger);
    if (!bigger)
        return NULL;
    x->said = bigger;
    struct said *new = &bigger[x->n++];
    *new = (struct said){.size_bytes = -1};
    memcpy(new->id, id, WICK_CATALOG_ID + 1);
    return new;
}

static uint64_t samples_of(const struct wick_catalog_entry *e)
{
    uint64_t all = 0;
    for (uint32_t i = 1; e->model && i < e->model->p.nevents; i++)
        all += e->model->p.events[i].count;
    return all;
}

static void say(struct stream *x, const struct wick_catalog_entry *e, FILE *out)
{
    const char *problem = *e->failure ? e->failure : e->problem;
    struct said now = {.size_bytes = e->size_bytes,
                       .samples = samples_of(e),
                       .read_bytes = wick_catalog_read_bytes(e),
                       .live = e->live,
                       .partial = wick_catalog_is_partial(e),
                       .problem = *problem ? wick_fnv(WICK_FNV, problem, strlen(problem)) : 0};
    struct said *before = said_of(x, e->id);
    struct wick_json j = {.out = out};
    memcpy(now.id, e->id, sizeof now.id);
    if (!before || (before->size_bytes == now.size_bytes && before->samples == now.samples &&
                    before->read_bytes == now.read_bytes && before->live == now.live &&
                    before->partial == now.partial && before->problem == now.problem))
        return;
    *before = now;
    fputs("event: recording\ndata: ", out);
    wick_catalog_write(e, &j);
    fputs("\n\n", out);
}

/* Checks all recordings; reads those that grow and were read before, or are made here. */
static void gather(struct stream *x)
{
    struct wick_catalog *c = &x->s->catalog;
    FILE *out = open_memstream(&x->text, &x->len);
    x->sent = 0;
    if (!out)
        return;
    wick_catalog_scan(c);
    for (uint32_t i = 0; i < c->n; i++) {
        struct wick_catalog_entry *e = c->entries[i];
        if ((e->here && e->live) || (e->model && !e->finished_model))
            wick_catalog_read(c, e, wick_serve_runs_locked(x->s, e), wick_serve_step_ends_ns(x->s),
                              &(struct wick_err){0});
        say(x, e, out);
    }
    if (!ftell(out) && ++x->silent_s >= SILENCE_S)
        fputs("event: alive\ndata: {}\n\n", out);
    fclose(out);
    if (x->len)
        x->silent_s = 0;
}

static void wait_a_second(struct wick_serve *s)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec++;
    pthread_cond_timedwait(&s->news, &s->lock, &until);
}

/* Reads on in what is being read; returns when there is something to say of it. Whether there was anything. */
static bool read_on(struct wick_serve *s)
{
    uint64_t until_ns = wick_clock_mono_ns() + SAY_NS;
    bool any = false;
    while (!s->ending && wick_clock_mono_ns() < until_ns && wick_serve_read_on_locked(s))
        any = true;
    return any;
}

static ssize_t more(void *stream, char *out, size_t room)
{
    struct stream *x = stream;
    pthread_mutex_lock(&x->s->lock);
    bool first = !x->n && !x->text;
    while (x->sent == x->len && !x->s->ending) {
        free(x->text);
        x->text = NULL;
        x->len = x->sent = 0;
        if (!first && !read_on(x->s))
            wait_a_second(x->s);
        first = false;
        if (!x->s->ending)
            gather(x);
    }
    bool ending = x->s->ending;
    pthread_mutex_unlock(&x->s->lock);
    size_t n = x->len - x->sent < room ? x->len - x->sent : room;
    if (ending)
        return -1;
    memcpy(out, x->text + x->sent, n);
    x->sent += n;
    return (ssize_t)n;
}

static void close_it(void *stream)
{
    struct stream *x = stream;
    pthread_mutex_lock(&x->s->lock);
    x->s->streams--;
    pthread_mutex_unlock(&x->s->lock);
    free(x->said);
    free(x->text);
    free(x);
}

int wick_serve_stream(struct wick_serve *s, struct wick_http_reply *r, struct wick_err *err)
{
    struct stream *x = calloc(1, sizeof *x);
    if (!x)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    x->s = s;
    pthread_mutex_lock(&s->lock);
    bool full = s->streams == WICK_SERVE_STREAMS;
    s->streams += !full;
    pthread_mutex_unlock(&s->lock);
    if (full) {
        free(x);
        return wick_err_set(err, WICK_E_LIMIT, "%d streams of events are open already", WICK_SERVE_STREAMS);
    }
    r->status = 200;
    r->type = "text/event-stream";
    r->more = more;
    r->close = close_it;
    r->stream = x;
    return 0;
}
