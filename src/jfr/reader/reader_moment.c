/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader_moment.c - samples of a moment
 *
 * What is alive is recorded as of several moments, each with all that was alive at it. Those events have the number of
 * the moment (field "snapshot") and all of one moment have one time. They must not be added up: only those of the last
 * moment that the filter lets through count, so they are kept until no later one can come.
 */
#include "jfr/reader/reader_int.h"

#include <stdlib.h>

/* That of samples of this sort: the moments of native memory are others than those of objects. NULL is an object that
 * the filter leaves out. */
static struct wick_jfr_moment *moment_of(struct wick_jfr_reader *r, const struct wick_sample *s)
{
    return &r->moments[s && r->p->events[s->event].kind == WICK_KIND_NATIVE_LIVE];
}

void wick_jfr_moment_add(struct wick_jfr_reader *r, int64_t time_ns, const struct wick_sample *s)
{
    struct wick_jfr_moment *m = moment_of(r, s);
    if (time_ns > m->time_ns) {
        r->res->samples -= m->n;
        m->n = 0;
        m->time_ns = time_ns;
    }
    if (time_ns < m->time_ns)
        r->res->samples--;
    else if (s && wick_jfr_room(r, &m->samples, m->n, &m->cap, sizeof *m->samples))
        m->samples[m->n++] = *s;
}

void wick_jfr_moment_end(struct wick_jfr_reader *r)
{
    for (size_t k = 0; k < sizeof r->moments / sizeof *r->moments; k++) {
        for (uint32_t i = 0; i < r->moments[k].n; i++)
            wick_jfr_sample_deliver(r, &r->moments[k].samples[i]);
        r->moments[k].n = 0;
    }
}

void wick_jfr_reader_moments(const struct wick_jfr_reader *r, void (*sample)(void *ctx, const struct wick_sample *s),
                             void *ctx)
{
    for (size_t k = 0; k < sizeof r->moments / sizeof *r->moments; k++)
        for (uint32_t i = 0; i < r->moments[k].n; i++)
            sample(ctx, &r->moments[k].samples[i]);
}

void wick_jfr_moment_release(struct wick_jfr_reader *r)
{
    for (size_t k = 0; k < sizeof r->moments / sizeof *r->moments; k++)
        free(r->moments[k].samples);
}
