/* SPDX-License-Identifier: Apache-2.0 */
/*
 * speedscope.c - JSON of speedscope (its file-format-schema), also read by other viewers
 *
 * docs/formats/speedscope.md says what becomes what.
 *
 * Memory:  see shown.h.
 */
#include "export/format_writers.h"

#include "base/sum.h"

#include <stdlib.h>

#include "codec/json.h"
#include "export/shown.h"

static void put_frames(struct wick_json *j, const struct wick_shown *s)
{
    wick_json_key(j, "frames");
    wick_json_open(j, '[');
    for (uint32_t i = 0; i < s->q.nframes; i++) {
        const struct wick_string *name = wick_shown_name(s, i), *library = wick_shown_library(s, i);
        wick_json_open(j, '{');
        wick_json_key(j, "name");
        wick_json_str(j, name->s, name->len);
        if (library->len) {
            wick_json_key(j, "file");
            wick_json_str(j, library->s, library->len);
        }
        if (s->q.frames[i].line > 0) {
            wick_json_key(j, "line");
            wick_json_int(j, s->q.frames[i].line);
        }
        wick_json_close(j, '}');
    }
    wick_json_close(j, ']');
}

/* One sample: the frames from the root. path has room for every stack. */
static void put_stack(struct wick_json *j, const struct wick_shown *s, uint32_t stack, uint32_t *path)
{
    uint32_t n = 0;
    for (; stack; stack = s->q.stacks[stack].parent)
        path[n++] = s->q.stacks[stack].frame;
    wick_json_open(j, '[');
    while (n)
        wick_json_uint(j, path[--n]);
    wick_json_close(j, ']');
}

static const char *unit_of(const struct wick_shown *s)
{
    return strcmp(s->unit, "count") ? s->unit : "none";
}

/* The samples of order[from..to) as one profile. */
static void put_profile(struct wick_json *j, const struct wick_shown *s, const struct wick_export_options *o,
                        uint32_t from, uint32_t to, uint32_t *path)
{
    const struct wick_agg *aggs = s->q.aggs;
    char name[300];
    int64_t sum = 0;
    if (o->threads)
        wick_shown_thread_id(s, aggs[s->order[from]].thread, name, sizeof name);
    else
        snprintf(name, sizeof name, "%s", wick_profile_str(&s->q, s->q.events[1].name));
    wick_json_open(j, '{');
    wick_json_key(j, "type");
    wick_json_cstr(j, "sampled");
    wick_json_key(j, "name");
    wick_json_cstr(j, name);
    wick_json_key(j, "unit");
    wick_json_cstr(j, unit_of(s));
    wick_json_key(j, "samples");
    wick_json_open(j, '[');
    for (uint32_t i = from; i < to; i++)
        put_stack(j, s, aggs[s->order[i]].stack, path);
    wick_json_close(j, ']');
    wick_json_key(j, "weights");
    wick_json_open(j, '[');
    for (uint32_t i = from; i < to; i++) {
        int64_t v = wick_shown_value(o, &aggs[s->order[i]]);
        sum = wick_sum(sum, v);
        wick_json_int(j, v);
    }
    wick_json_close(j, ']');
    wick_json_key(j, "startValue");
    wick_json_int(j, 0);
    wick_json_key(j, "endValue");
    wick_json_int(j, sum);
    wick_json_close(j, '}');
}

static void put_profiles(struct wick_json *j, const struct wick_shown *s, const struct wick_export_options *o,
                         uint32_t *path)
{
    wick_json_key(j, "profiles");
    wick_json_open(j, '[');
    for (uint32_t from = 0, to; from < s->q.naggs; from = to) {
        to = o->threads ? from + 1 : s->q.naggs;
        while (to < s->q.naggs && s->q.aggs[s->order[to]].thread == s->q.aggs[s->order[from]].thread)
            to++;
        put_profile(j, s, o, from, to, path);
    }
    wick_json_close(j, ']');
}

int wick_speedscope_write(const struct wick_profile *p, const struct wick_export_options *o, FILE *out,
                          struct wick_err *err)
{
    struct wick_shown s;
    struct wick_json j = {.out = out};
    int rc = wick_shown_init(&s, p, o, err);
    if (rc)
        return rc;
    uint32_t *path = calloc(s.q.nstacks, sizeof *path);
    if (path) {
        wick_json_open(&j, '{');
        wick_json_key(&j, "$schema");
        wick_json_cstr(&j, "https://www.speedscope.app/file-format-schema.json");
        wick_json_key(&j, "exporter");
        wick_json_cstr(&j, "wick@" WICK_VERSION);
        wick_json_key(&j, "name");
        wick_json_cstr(&j, o->title ? o->title : "wick");
        wick_json_key(&j, "activeProfileIndex");
        wick_json_int(&j, 0);
        wick_json_key(&j, "shared");
        wick_json_open(&j, '{');
        put_frames(&j, &s);
        wick_json_close(&j, '}');
        put_profiles(&j, &s, o, path);
        wick_json_close(&j, '}');
        putc('\n', out);
    }
    free(path);
    wick_shown_release(&s);
    return path ? 0 : wick_err_set(err, WICK_E_NOMEM, "out of memory");
}
