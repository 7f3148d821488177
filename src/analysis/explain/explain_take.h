/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_take.h - what the readers of events have in common: fields as the facts of `wick explain` want them
 *
 * For explain_facts.c and explain_machine.c.
 */
#ifndef WICK_ANALYSIS_EXPLAIN_EXPLAIN_TAKE_H
#define WICK_ANALYSIS_EXPLAIN_EXPLAIN_TAKE_H

#include "analysis/explain/explain_facts.h"
#include "base/sum.h"

/* always: not only those of the range: what holds for the whole recording, and counters, whose growth in the range
 * begins at a reading before it. */
enum { IN_RANGE, ALWAYS };

struct wick_explain_reader {
    const char *type; /* NULL = the end of the table */
    void (*take)(struct wick_explain_facts *f, const struct wick_jfr_event *e);
    int always;
};

/* explain_machine.c: events about the machine, its cgroups and what else runs there. */
extern const struct wick_explain_reader wick_explain_machine_readers[];

/* The next row of f->LIST, NULL without memory. */
#define ADD(f, list)                                                                                   \
    ({                                                                                                 \
        void *rows_ = wick_explain_room((f)->list, (f)->n##list, &(f)->cap_##list, sizeof *(f)->list); \
        if (rows_)                                                                                     \
            (f)->list = rows_;                                                                         \
        else                                                                                           \
            (f)->failed = true;                                                                        \
        rows_ ? &(f)->list[(f)->n##list++] : NULL;                                                     \
    })

/* Whatever a damaged recording says: no figure is negative, so differences of them do not overflow. */
static inline int64_t wick_explain_take_not_negative(int64_t v)
{
    return v > 0 ? v : 0;
}

static inline int64_t wick_explain_take_number(const struct wick_jfr_event *e, const char *field)
{
    int64_t v = 0;
    (void)wick_jfr_event_int(e, field, &v);
    return wick_explain_take_not_negative(v);
}

static inline void wick_explain_take_add_to(int64_t *sum, int64_t v)
{
    *sum = wick_sum(*sum, v);
}

static inline double wick_explain_take_real(const struct wick_jfr_event *e, const char *field)
{
    double v = 0;
    (void)wick_jfr_event_double(e, field, &v);
    return v > 0 && v < 1e18 ? v : 0; /* no NaN */
}

static inline uint32_t wick_explain_take_text(const struct wick_jfr_event *e, const char *field)
{
    uint32_t v = 0;
    return wick_jfr_event_text(e, field, &v) ? v : 0;
}

static inline void wick_explain_take_raise_to(int64_t *most, int64_t v)
{
    if (v > *most)
        *most = v;
}

/* A counter that falls was reset. Of what it grew by since it was read last, the part in the range counts. */
static inline void wick_explain_take_count_on(const struct wick_explain_facts *f, const struct wick_jfr_event *e,
                                              struct wick_explain_counter *c, int64_t v)
{
    int64_t now = wick_explain_take_not_negative(e->time_ns), grown = v >= c->last ? v - c->last : v;
    if (c->seen)
        wick_explain_take_add_to(&c->grown, wick_range_part(&f->range, grown, c->last_ns, now - c->last_ns));
    c->last = v;
    c->last_ns = now;
    c->seen = true;
}

/* One that began with the recording: its first value counts as well. */
static inline void wick_explain_take_count_all(const struct wick_explain_facts *f, const struct wick_jfr_event *e,
                                               struct wick_explain_counter *c, int64_t v)
{
    if (!c->seen) {
        c->last = 0;
        c->last_ns = wick_explain_take_not_negative(f->p->start_ns);
    }
    c->seen = true;
    wick_explain_take_count_on(f, e, c, v);
}

/* The part of a figure of an event that lies in the range. */
static inline int64_t wick_explain_take_part(const struct wick_explain_facts *f, const struct wick_jfr_event *e,
                                             int64_t v)
{
    return wick_range_part(&f->range, v, wick_explain_take_not_negative(e->time_ns),
                           wick_explain_take_not_negative(e->duration_ns));
}

#endif
