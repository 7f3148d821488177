/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/serve.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

#define STEP_NS   UINT64_C(100000000)  /* how long others wait at most, of which a picture is to be there in 200 ms */
#define PAUSE_NS  1000000              /* for which the lock is free: who waits for it gets it */
#define STREAM_NS UINT64_C(1000000000) /* after which a stream that reads nothing stands still */

struct wick_serve *wick_serve_new(const struct wick_serve_front *front)
{
    struct wick_serve *s = calloc(1, sizeof *s);
    pthread_condattr_t attr;
    if (!s)
        return NULL;
    s->front = *front;
    s->step_ns = STEP_NS;
    pthread_mutex_init(&s->lock, NULL);
    pthread_mutex_init(&s->long_work, NULL);
    pthread_mutex_init(&s->kept_work, NULL);
    pthread_mutex_init(&s->heap_work, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&s->news, &attr);
    pthread_condattr_destroy(&attr);
    return s;
}

void wick_serve_free(struct wick_serve *s)
{
    if (!s)
        return;
    wick_catalog_release(&s->catalog);
    wick_sources_release(&s->sources);
    pthread_cond_destroy(&s->news);
    pthread_mutex_destroy(&s->lock);
    pthread_mutex_destroy(&s->heap_work);
    pthread_mutex_destroy(&s->kept_work);
    pthread_mutex_destroy(&s->long_work);
    free(s);
}

void wick_serve_end(struct wick_serve *s)
{
    pthread_mutex_lock(&s->lock);
    s->ending = true;
    pthread_cond_broadcast(&s->news);
    pthread_mutex_unlock(&s->lock);
}

bool wick_serve_runs_locked(struct wick_serve *s, struct wick_catalog_entry *e)
{
    char why[sizeof e->failure] = "";
    bool runs = e->here && s->front.runs(s->front.ctx, e->handle, why, sizeof why);
    if (*why)
        memcpy(e->failure, why, sizeof why);
    return runs;
}

/* --- reading --- */

uint64_t wick_serve_step_ends_ns(const struct wick_serve *s)
{
    return wick_clock_mono_ns() + s->step_ns;
}

static void let_others_in(struct wick_serve *s)
{
    pthread_mutex_unlock(&s->lock);
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    pthread_mutex_lock(&s->lock);
}

int wick_serve_read_locked(struct wick_serve *s, const char *id, bool part, struct wick_catalog_entry **e,
                           struct wick_err *err)
{
    for (;; let_others_in(s)) {
        *e = wick_catalog_find(&s->catalog, id);
        if (!*e)
            return wick_err_set(err, WICK_E_NOTFOUND, "there is no recording '%.40s'", id);
        /* a stream reads on, unless it stands still: its client may take nothing */
        if (part && s->streams && wick_catalog_is_partial(*e) && wick_clock_mono_ns() < (*e)->read_ns + STREAM_NS)
            return 0;
        int rc = wick_catalog_read(&s->catalog, *e, wick_serve_runs_locked(s, *e), wick_serve_step_ends_ns(s), err);
        if (rc || part || !wick_catalog_is_partial(*e))
            return rc;
        if (s->ending)
            return wick_err_set(err, WICK_E_STATE, "wick ui is ending: start it again to read this recording");
    }
}

bool wick_serve_read_on_locked(struct wick_serve *s)
{
    struct wick_catalog *c = &s->catalog;
    struct wick_catalog_entry *last = NULL; /* asked about: what somebody is waiting for */
    for (uint32_t i = 0; i < c->n; i++)
        if (wick_catalog_is_partial(c->entries[i]) && (!last || c->entries[i]->used > last->used))
            last = c->entries[i];
    if (!last)
        return false;
    int rc =
        wick_catalog_read(c, last, wick_serve_runs_locked(s, last), wick_serve_step_ends_ns(s), &(struct wick_err){0});
    if (rc)
        last->used = 0; /* the others come first */
    let_others_in(s);
    return !rc;
}
