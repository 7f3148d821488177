/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ui_disturbances.c - the answer of `wick ui` about what disturbed the program over time
 */
#include "cli/ui/ui_followed.h"
#include "cli/ui/ui_views.h"

#include <stdlib.h>

#include "base/sum.h"
#include "codec/json.h"

enum { BINS = 240, MOST_BINS = 4096, NAMES = 100, NAME_BYTES = 1000 };

static void put_number(struct wick_json *j, const char *key, int64_t v)
{
    wick_json_key(j, key);
    wick_json_int(j, v);
}

struct span {
    int64_t from_ns, to_ns, bin_ns;
    uint32_t bins;
};

static void put_series(struct wick_json *j, const struct wick_disturbances *d, const struct span *s, int64_t *values)
{
    wick_json_key(j, "series");
    wick_json_open(j, '[');
    for (unsigned kind = 0; kind < WICK_DISTURBANCES; kind++) {
        if (!d->recorded[kind])
            continue;
        wick_json_open(j, '{');
        wick_json_key(j, "name");
        wick_json_cstr(j, wick_disturbance_name(kind));
        wick_json_key(j, "unit");
        wick_json_cstr(j, wick_disturbance_is_time(kind) ? "ns" : "count");
        put_number(j, "total", wick_disturbances_bins(d, kind, s->from_ns, s->bin_ns, s->bins, values));
        wick_json_key(j, "values");
        wick_json_open(j, '[');
        for (uint32_t i = 0; i < s->bins; i++)
            wick_json_int(j, values[i]);
        wick_json_close(j, ']');
        wick_json_close(j, '}');
    }
    wick_json_close(j, ']');
}

/* The names of a kind that have most. -WICK_E_NOMEM. */
static int put_names(struct wick_json *j, const struct wick_disturbances *d, enum wick_disturbance kind,
                     const struct span *s)
{
    struct wick_disturbance_share *rows;
    size_t n = wick_disturbances_by_name(d, kind, s->from_ns, s->to_ns, &rows);
    bool is_time = wick_disturbance_is_time(kind);
    if (!rows)
        return -WICK_E_NOMEM;
    wick_json_key(j, wick_disturbance_name(kind));
    wick_json_open(j, '[');
    for (size_t i = 0; i < n && i < NAMES; i++) {
        const struct wick_string *name = &d->profile->strings[rows[i].name];
        wick_json_open(j, '{');
        wick_json_key(j, "name");
        wick_json_str(j, name->s, name->len < NAME_BYTES ? name->len : NAME_BYTES);
        put_number(j, is_time ? "total_ns" : "total", rows[i].amount);
        if (is_time)
            put_number(j, "longest_ns", rows[i].longest_ns);
        put_number(j, "count", (int64_t)rows[i].count);
        wick_json_close(j, '}');
    }
    wick_json_close(j, ']');
    free(rows);
    return 0;
}

/* Equal parts of the time that is asked for, or of the recording. */
static int take_span(struct span *s, const struct wick_disturbances *d, const struct wick_ask *a, struct wick_err *err)
{
    const int64_t most = INT64_MAX / 2; /* of times that amounts have */
    int64_t bins;
    int rc = wick_ask_number(a, "bins", 1, MOST_BINS, BINS, &bins, err);
    rc = rc ? rc : wick_ask_number(a, "from", 0, INT64_MAX, 0, &s->from_ns, err);
    rc = rc ? rc : wick_ask_number(a, "to", 0, INT64_MAX, 0, &s->to_ns, err);
    if (!rc && s->to_ns && s->to_ns <= s->from_ns)
        rc = wick_err_set(err, WICK_E_USAGE, "nothing lies between from and to");
    if (rc)
        return rc;
    s->from_ns = s->from_ns ? s->from_ns : d->profile->start_ns;
    s->to_ns = s->to_ns ? s->to_ns : d->profile->end_ns;
    s->from_ns = s->from_ns < 0 ? 0 : s->from_ns > most ? most : s->from_ns;
    s->to_ns = s->to_ns > most ? most : s->to_ns;
    int64_t length = s->to_ns > s->from_ns ? s->to_ns - s->from_ns : 1;
    s->bin_ns = length / bins + (length % bins != 0);
    s->bins = (uint32_t)(length / s->bin_ns + (length % s->bin_ns != 0));
    return 0;
}

int wick_ui_disturbances(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err)
{
    static const enum wick_disturbance named[] = {WICK_DISTURBANCE_NEIGHBOUR, WICK_DISTURBANCE_REASON,
                                                  WICK_DISTURBANCE_METHOD};
    struct wick_json j = {.out = out};
    struct span s;
    const struct wick_disturbances *d = wick_ui_followed_disturbances(file, err);
    if (!d)
        return -err->code;
    int rc = take_span(&s, d, a, err);
    int64_t *values = rc ? NULL : calloc(s.bins, sizeof *values);
    if (!rc && values) {
        wick_json_open(&j, '{');
        put_number(&j, "start_ns", s.from_ns);
        put_number(&j, "bin_ns", s.bin_ns);
        put_number(&j, "bins", s.bins);
        put_series(&j, d, &s, values);
        for (size_t i = 0; !rc && i < sizeof named / sizeof *named; i++)
            rc = put_names(&j, d, named[i], &s);
        wick_json_close(&j, '}');
    }
    if (!err->code && (rc || !values))
        rc = wick_err_set(err, WICK_E_NOMEM, "out of memory");
    free(values);
    wick_ui_followed_trim();
    return rc;
}
