/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve.h - what `wick ui` serves: pages, and the API that docs/ui-api.json describes
 *
 * Everything a page shows is the answer to a request that a script can also make. Questions about samples are answered
 * here, from recordings in memory (serve/growing.h); what needs a JVM, or is another command's to say, is the front
 * end's: it lends its functions.
 *
 * Threads: requests come in threads of their own. One lock, wick_serve.lock, guards the catalog, the models in it and
 *          the front end's `table` and `changes`; it is held while a question is answered, so one is at a time, and
 *          while a large recording is read, a tenth of a second at a time. What
 *          may take long, `view`, `heap`, `jvms`, `start`, `stop`, `change` and `mark`, is called without it. The
 *          front end has a lock of its own for its recordings: `runs` takes that one while ours is held, and never the
 *          other way round. wick_serve.long_work is held while an export is written or a `view` is made, so one is at
 *          a time; `lock` may be taken inside, but not the other way round. wick_serve.kept_work is the same for
 *          copies of what is kept of a recording, which are megabytes. wick_serve.heap_work is the same for heaps,
 *          which may take an hour: while one is at work others are refused.
 * Memory:  the catalog's; freed by wick_serve_free.
 */
#ifndef WICK_SERVE_SERVE_H
#define WICK_SERVE_SERVE_H

#include <pthread.h>

#include "serve/answer.h"
#include "serve/ask.h"
#include "serve/catalog.h"
#include "serve/guard.h"
#include "serve/picked.h"
#include "serve/sources.h"

/* A file of the pages. */
struct wick_serve_asset {
    const char *path; /* "/ui/flame/draw.js"; NULL ends a list */
    const char *type, *text;
    size_t len;
};

/* A JVM as the API lists it. */
struct wick_serve_jvm {
    int pid;
    const char *name, *jdk, *user, *container;
    bool readable;
    int64_t cpu_ns, rss_bytes, heap_bytes, heap_committed; /* -1 = not known */
};

/* A recording that another command reads. */
struct wick_serve_file {
    const char *path; /* an open descriptor of the server's, so that it is the file that was checked */
    const char *name; /* its path as a user can name it */
    bool grows;
    bool page; /* the answer is to be a page, not JSON */
    /* What has been read by then, of the monotonic clock, is enough; 0 = all is to be read. *partial is then set to
     * whether there is more, and the next request goes on. */
    uint64_t until_ns;
    bool *partial;
};

/* What the front end lends. Any thread calls; ctx comes first. */
struct wick_serve_front {
    void *ctx;
    /* Hands each JVM to `each`, which must not be called afterwards. */
    int (*jvms)(void *ctx, void (*each)(void *to, const struct wick_serve_jvm *jvm), void *to, struct wick_err *err);
    /* Starts a recording as the body of a request says; its file (malloc'ed), its JVM and its number. */
    int (*start)(void *ctx, const struct wick_ask *body, char **path, int *pid, unsigned *handle, struct wick_err *err);
    /* Ends it and waits until its file is complete. */
    int (*stop)(void *ctx, unsigned handle, struct wick_err *err);
    /* Has it go on as the body of a request says; notes a moment in it. */
    int (*change)(void *ctx, unsigned handle, const struct wick_ask *body, struct wick_err *err);
    int (*mark)(void *ctx, unsigned handle, const char *text, struct wick_err *err);
    /* Whether it goes on; if it failed, why. */
    bool (*runs)(void *ctx, unsigned handle, char *why, size_t cap);
    /* The same from what a recording in memory has kept: a copy of that, from which write_kept makes the answer. The
     * latter is called without the lock and frees the copy. 1: it has not kept what is asked for, which `view` reads.
     */
    int (*copy_kept)(void *ctx, const struct wick_growing *g, const struct wick_ask *a, void **copy,
                     struct wick_err *err);
    int (*write_kept)(void *ctx, void *copy, const struct wick_ask *a, FILE *out, struct wick_err *err);
    /* Answers of other commands about a recording, as JSON or, as the request asks, as the page that the command makes.
     * -WICK_E_NOTFOUND if there is no such view, _USAGE if it has no page. */
    int (*view)(void *ctx, const char *view, const struct wick_serve_file *file, const struct wick_ask *a, FILE *out,
                struct wick_err *err);
    /* What `wick heap --json` prints of a JVM, which writes a dump for it. */
    int (*heap)(void *ctx, int pid, FILE *out, struct wick_err *err);
    /* The table of `wick top` of samples. */
    int (*table)(void *ctx, const struct wick_picked *s, const struct wick_ask *a, FILE *out, struct wick_err *err);
    /* The table of `wick diff`, as JSON or, as the request asks, CSV; its rows are sorted for that. */
    int (*changes)(void *ctx, struct wick_answer_compared *c, const struct wick_ask *a, FILE *out,
                   struct wick_err *err);
    const struct wick_serve_asset *assets; /* the first is the page at / */
};

enum { WICK_SERVE_STREAMS = 24 };

struct wick_serve {
    struct wick_guard guard;
    struct wick_serve_front front;
    pthread_mutex_t lock, long_work, kept_work, heap_work;
    pthread_cond_t news; /* with the lock: something started or ended, or the server ends */
    struct wick_catalog catalog;
    struct wick_sources sources; /* set before the first request */
    uint64_t step_ns;            /* how long a recording is read before others are answered */
    unsigned streams;
    bool ending;
};

/* A server without recordings; guard.port is to be set. NULL if memory ran out. */
struct wick_serve *wick_serve_new(const struct wick_serve_front *front);
void wick_serve_free(struct wick_serve *s);

/* Has all streams come to their end. */
void wick_serve_end(struct wick_serve *s);

/* Answers a request (serve/routes.c); s is a struct wick_serve. See struct wick_http_handler. */
void wick_serve_answer(void *s, const struct wick_http_request *q, struct wick_http_reply *r);

/* Takes note of what became of recordings that are made here. With the lock. */
bool wick_serve_runs_locked(struct wick_serve *s, struct wick_catalog_entry *e);

/* Reads what is new of a recording, in steps between which the lock is released: all of it or, if a part is enough, one
 * step of what has not been begun or is read on by nobody. *e is NULL if there is no such recording, or no more; else
 * it is set also on failure. 0; -WICK_E_* with a message. With the lock. */
int wick_serve_read_locked(struct wick_serve *s, const char *id, bool part, struct wick_catalog_entry **e,
                           struct wick_err *err);

/* One step of that, of those that are being read and not read to their end. Whether there was one. With the lock, which
 * it releases for a moment. */
bool wick_serve_read_on_locked(struct wick_serve *s);

/* When a step that begins now ends, by the monotonic clock. */
uint64_t wick_serve_step_ends_ns(const struct wick_serve *s);

/* Makes r a stream of events (serve/stream.c). -WICK_E_LIMIT if there are too many, _NOMEM. */
int wick_serve_stream(struct wick_serve *s, struct wick_http_reply *r, struct wick_err *err);

#endif
