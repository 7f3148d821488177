/* SPDX-License-Identifier: Apache-2.0 */
/*
 * range.h - a range of time that an analysis is of
 *
 * What lasts counts with the part of it that lies in the range; so does what a counter grew by between two readings.
 * { 0 } is all of the time.
 */
#ifndef WICK_ANALYSIS_RANGE_H
#define WICK_ANALYSIS_RANGE_H

#include <stdbool.h>
#include <stdint.h>

struct wick_range {
    int64_t from_ns, to_ns; /* [from, to) since 1970; 0 = no beginning, no end */
};

static inline bool wick_range_is_all(const struct wick_range *r)
{
    return !r->from_ns && !r->to_ns;
}

/* Whether a moment lies in it. */
static inline bool wick_range_has(const struct wick_range *r, int64_t time_ns)
{
    return (!r->from_ns || time_ns >= r->from_ns) && (!r->to_ns || time_ns < r->to_ns);
}

/* The part of v, which belongs to a time that lasts, that lies in the range; of a moment all or nothing. Parts in
 * ranges that follow each other add up to v, as each is the difference of what came before its ends. */
static inline int64_t wick_range_part(const struct wick_range *r, int64_t v, int64_t start_ns, int64_t duration_ns)
{
    if (duration_ns <= 0)
        return wick_range_has(r, start_ns) ? v : 0;
    __int128 start = start_ns, end = start + duration_ns;
    __int128 from = r->from_ns && r->from_ns > start ? r->from_ns : start;
    __int128 to = r->to_ns && r->to_ns < end ? r->to_ns : end;
    return to > from ? (int64_t)(v * (to - start) / duration_ns - v * (from - start) / duration_ns) : 0;
}

/* Whether what lasts touches it. */
static inline bool wick_range_touches(const struct wick_range *r, int64_t start_ns, int64_t duration_ns)
{
    return duration_ns > 0 ? wick_range_part(r, duration_ns, start_ns, duration_ns) > 0 : wick_range_has(r, start_ns);
}

/* Leaves of a time [*start, *end) what lies in the range. */
static inline void wick_range_clip(const struct wick_range *r, int64_t *start_ns, int64_t *end_ns)
{
    if (r->from_ns > *start_ns)
        *start_ns = r->from_ns;
    if (r->to_ns && r->to_ns < *end_ns)
        *end_ns = r->to_ns;
    if (*end_ns < *start_ns)
        *end_ns = *start_ns;
}

#endif
