/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer_lines.c - the weight of a method by source line, with the lines
 * A line's total is the weight of the samples with the line anywhere in their stacks, where recursion counts once; its
 * self that of those which ended there. Methods of one name in a class, its overloads, are one.
 *
 * Threads: one at a time per recording.
 * Memory:  temporary: 1.5 MiB, and the file of sources.
 */
#include "serve/answer.h"

#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "codec/json.h"
#include "model/name.h"
#include "serve/picked.h"

enum {
    LINES = 1 << 16, /* the class file format has no more; 0 = not known */
    AROUND = 12,     /* lines shown before the first and behind the last one */
    MOST_SHOWN = 2000,
    WIDEST = 400, /* bytes of a line */
};

struct line {
    int64_t self, total;
    uint64_t samples; /* of the total */
    uint32_t seen;    /* the aggregate that was counted last, plus one */
};

struct counts {
    const struct wick_profile *p;
    uint8_t *is_it; /* by function */
    struct line *lines;
    uint32_t class_name; /* a string of the profile */
    bool found;
};

static bool find_method(struct counts *c, const char *method)
{
    struct wick_strbuf name = WICK_STRBUF_INIT;
    bool failed = false;
    for (uint32_t i = 0; i < c->p->nfunctions && !failed; i++) {
        wick_strbuf_clear(&name);
        wick_name_add_function(&name, c->p, i, true, 0);
        failed = name.failed;
        c->is_it[i] = !failed && !strcmp(name.buf, method);
    }
    wick_strbuf_release(&name);
    return !failed;
}

static void count(struct counts *c, uint32_t agg)
{
    const struct wick_agg *a = &c->p->aggs[agg];
    for (uint32_t at = a->stack; at; at = c->p->stacks[at].parent) {
        const struct wick_frame *f = &c->p->frames[c->p->stacks[at].frame];
        if (!wick_frame_kind_is_java(f->kind) || !c->is_it[f->function])
            continue;
        struct line *l = &c->lines[f->line > 0 && f->line < LINES ? f->line : 0];
        c->found = true;
        c->class_name = c->p->functions[f->function].class_name;
        if (at == a->stack)
            l->self = wick_sum(l->self, a->weight);
        if (l->seen == agg + 1)
            continue;
        l->seen = agg + 1;
        l->total = wick_sum(l->total, a->weight);
        l->samples = wick_sum_u64(l->samples, a->count);
    }
}

static void put_lines(struct wick_json *j, const struct counts *c)
{
    wick_json_key(j, "lines");
    wick_json_open(j, '[');
    for (int i = 0; i < LINES; i++) {
        const struct line *l = &c->lines[i];
        if (!l->seen)
            continue;
        wick_json_open(j, '{');
        wick_json_key(j, "line");
        wick_json_int(j, i);
        wick_json_key(j, "self");
        wick_json_int(j, l->self);
        wick_json_key(j, "total");
        wick_json_int(j, l->total);
        wick_json_key(j, "samples");
        wick_json_uint(j, l->samples);
        wick_json_close(j, '}');
    }
    wick_json_close(j, ']');
}

/* The lines of the text from `from` to `to`. */
static void put_text(struct wick_json *j, const char *text, size_t len, int from, int to)
{
    const char *end = text + len;
    wick_json_key(j, "first");
    wick_json_int(j, from);
    wick_json_key(j, "text");
    wick_json_open(j, '[');
    for (int line = 1; text < end && line <= to; line++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t n = (size_t)((stop ? stop : end) - text);
        if (n && text[n - 1] == '\r')
            n--;
        if (line >= from)
            wick_json_str(j, text, n < WIDEST ? n : WIDEST);
        text = stop ? stop + 1 : end;
    }
    wick_json_close(j, ']');
}

/* What is around the lines that have weight. */
static void put_source(struct wick_json *j, const struct counts *c, const struct wick_sources *sources)
{
    struct wick_strbuf name = WICK_STRBUF_INIT, text = WICK_STRBUF_INIT, path = WICK_STRBUF_INIT;
    const struct wick_string *s = &c->p->strings[c->class_name];
    int first = 1, last = LINES - 1;
    bool named = wick_sources_name(s->s, s->len, &name);
    while (first < LINES && !c->lines[first].seen)
        first++;
    while (last > first && !c->lines[last].seen)
        last--;
    wick_json_key(j, "wanted");
    if (named)
        wick_json_str(j, name.buf, name.len);
    else
        wick_json_raw(j, "null");
    wick_json_key(j, "source");
    if (named && first < LINES && wick_sources_find(sources, name.buf, &text, &path)) {
        wick_json_open(j, '{');
        wick_json_key(j, "path");
        wick_json_str(j, path.buf + 1, path.len - 1);
        first = first > AROUND ? first - AROUND : 1;
        put_text(j, text.buf, text.len, first, last + AROUND < first + MOST_SHOWN ? last + AROUND : first + MOST_SHOWN);
        wick_json_close(j, '}');
    } else {
        wick_json_raw(j, "null");
    }
    wick_strbuf_release(&name);
    wick_strbuf_release(&text);
    wick_strbuf_release(&path);
}

static int answer(const struct wick_picked *s, const char *method, const struct wick_sources *sources, FILE *out,
                  struct wick_err *err)
{
    struct counts c = {.p = &s->view};
    struct wick_json j = {.out = out};
    c.is_it = calloc(s->view.nfunctions + 1, 1);
    c.lines = calloc(LINES, sizeof *c.lines);
    int rc = c.is_it && c.lines && find_method(&c, method) ? 0 : wick_err_set(err, WICK_E_NOMEM, "out of memory");
    for (uint32_t i = 0; !rc && i < s->view.naggs; i++)
        count(&c, i);
    if (!rc && !c.found)
        rc = wick_err_set(err, WICK_E_NOTFOUND, "no Java method %.200s is in the stacks of the samples that fit",
                          method);
    if (!rc) {
        wick_json_open(&j, '{');
        wick_answer_put_event(&j, &s->view, s->event);
        wick_json_key(&j, "method");
        wick_json_cstr(&j, method);
        put_lines(&j, &c);
        put_source(&j, &c, sources);
        wick_json_close(&j, '}');
    }
    free(c.is_it);
    free(c.lines);
    return rc;
}

int wick_answer_lines(struct wick_growing *g, const struct wick_ask *a, const struct wick_sources *sources, FILE *out,
                      struct wick_err *err)
{
    const char *method = wick_ask_get(a, "method");
    struct wick_pick k;
    struct wick_picked s;
    if (!method || !*method)
        return wick_err_set(err, WICK_E_USAGE, "method is missing: the method whose lines are asked for");
    int rc = wick_pick_init(&k, a, err);
    rc = rc ? rc : wick_picked_init(&s, &k, g, err);
    wick_pick_release(&k);
    if (rc)
        return rc;
    rc = answer(&s, method, sources, out, err);
    wick_picked_release(&s);
    return rc;
}
