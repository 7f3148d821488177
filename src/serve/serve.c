/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/serve.h"

#include <stdlib.h>
#include <string.h>

struct wick_serve *wick_serve_new(const struct wick_serve_front *front)
{
    struct wick_serve *s = calloc(1, sizeof *s);
    pthread_condattr_t attr;
    if (!s)
        return NULL;
    s->front = *front;
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
