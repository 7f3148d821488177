/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collapsed_in.c - collapsed stacks into a profile
 *
 * Beside import/collapsed.c, which makes a call tree of the same lines, since `wick convert` and `wick ui` need a
 * profile, take the text piece by piece and go on behind a line that is no stack. The weights have no unit: the event
 * type is called "samples", and the count of samples is the weight.
 *
 * The same few frames occur in all lines, so each text is parsed once: later it is found by its bytes.
 */
#include "codec/stack_line.h"
#include "import/import_int.h"
#include "model/hash.h"

#include <stdlib.h>

/* A text that was met before, and the frame that it is. */
struct known {
    size_t at; /* in `texts` */
    uint32_t len, frame;
};

struct wick_collapsed_in {
    struct wick_import *im;
    struct wick_lines lines;
    struct wick_strbuf name, texts;
    struct known *known;
    uint32_t nknown, cap_known;
    struct wick_index by_text;
    bool failed;
    uint16_t event;
};

static uint32_t make_frame(struct wick_collapsed_in *c, const char *text, size_t len)
{
    struct wick_profile *p = c->im->p;
    struct wick_import_frame f;
    wick_import_frame_parse(&f, &c->name, text, len);
    if (wick_frame_kind_is_java(f.kind))
        return wick_import_java(p, f.name, f.n, false, (int32_t)f.line, f.kind);
    uint32_t function = wick_profile_function(p, 0, wick_profile_string(p, f.name, f.n), 0);
    return wick_profile_frame(p, function, 0, -1, f.kind);
}

static uint32_t frame_of(struct wick_collapsed_in *c, const char *text, size_t len)
{
    uint64_t h = wick_hash_bytes(text, len);
    uint32_t at = wick_index_start(&c->by_text, h), id;
    while (wick_index_next(&c->by_text, h, &at, &id))
        if (c->known[id].len == len && memcmp(c->texts.buf + c->known[id].at, text, len) == 0)
            return c->known[id].frame;
    uint32_t frame = make_frame(c, text, len), cap = c->cap_known ? c->cap_known * 2 : 64;
    struct known *bigger = c->nknown < c->cap_known ? c->known : reallocarray(c->known, cap, sizeof *bigger);
    c->failed = c->failed || !bigger;
    if (!bigger)
        return frame;
    c->cap_known = c->nknown < c->cap_known ? c->cap_known : cap;
    c->known = bigger;
    c->known[c->nknown] = (struct known){c->texts.len, (uint32_t)len, frame};
    wick_strbuf_add(&c->texts, text, len);
    c->failed = c->failed || c->texts.failed || wick_index_add(&c->by_text, h, c->nknown++);
    return frame;
}

static void take_line(void *ctx, const char *line, size_t n, uint64_t offset)
{
    struct wick_collapsed_in *c = ctx;
    size_t len, frame_len;
    uint64_t weight;
    if (!wick_stack_line_split(line, n, &len, &weight) || weight > INT64_MAX) {
        if (n) {
            c->im->res->lost_bytes += n;
            wick_import_problem(c->im, offset, "not a collapsed stack (\"root;caller;leaf weight\")");
        }
        return;
    }
    uint32_t stack = 0;
    for (const char *from = line, *frame; (frame = wick_stack_line_next(&from, line + len, &frame_len));)
        stack = wick_profile_push(c->im->p, stack, frame_of(c, frame, frame_len));
    wick_import_sample(
        c->im, &(struct wick_sample){.stack = stack, .event = c->event, .weight = (int64_t)weight, .count = weight});
}

struct wick_collapsed_in *wick_collapsed_in_new(struct wick_import *im)
{
    struct wick_collapsed_in *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->im = im;
    c->lines = (struct wick_lines){.part = WICK_STRBUF_INIT, .take = take_line, .ctx = c, .im = im};
    wick_strbuf_init(&c->name);
    wick_strbuf_init(&c->texts);
    c->event = wick_profile_event(im->p, wick_profile_cstring(im->p, "samples"), WICK_KIND_OTHER, WICK_UNIT_COUNT);
    return c;
}

int wick_collapsed_in_feed(struct wick_collapsed_in *c, const void *data, size_t n)
{
    int rc = wick_lines_feed(&c->lines, data, n);
    return c->im->p->failed || c->name.failed || c->failed ? -WICK_E_NOMEM : rc;
}

int wick_collapsed_in_end(struct wick_collapsed_in *c)
{
    wick_lines_end(&c->lines);
    int rc = c->im->p->failed || c->name.failed || c->failed ? -WICK_E_NOMEM : 0;
    c->im->res->chunks++;
    wick_strbuf_release(&c->name);
    wick_strbuf_release(&c->texts);
    wick_index_release(&c->by_text);
    free(c->known);
    free(c);
    return rc;
}
