/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader_moment.c - samples of a moment
 *
 * What is alive is recorded as of several moments, each with all that was alive at it. Those events have the number of
 * the moment (field "snapshot") and all of one moment have one time. They must not be added up: only those of the last
 * moment that the filter lets through count, so they are kept until no later one can come.
 */
#include "jfr/reader_int.h"

void wick_jfr_moment_add(struct wick_jfr_reader *r, int64_t time_ns, const struct wick_sample *s)
{
    if (time_ns > r->moment_ns) {
        r->res->samples -= r->nmoment;
        r->nmoment = 0;
        r->moment_ns = time_ns;
    }
    if (time_ns < r->moment_ns)
        r->res->samples--;
    else if (s && wick_jfr_room(r, &r->moment, r->nmoment, &r->cap_moment, sizeof *r->moment))
        r->moment[r->nmoment++] = *s;
}

void wick_jfr_moment_end(struct wick_jfr_reader *r)
{
    for (uint32_t i = 0; i < r->nmoment; i++)
        wick_jfr_sample_deliver(r, &r->moment[i]);
    r->nmoment = 0;
}
