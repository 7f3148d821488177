/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collapsed_in.c - collapsed stacks into a profile
 *
 * The same text that import/collapsed.c reads into a call tree, for those who convert it. The weights have no unit: the
 * event type is called "samples", and the count of samples is the weight. "\xNN", which wick writes for bytes that
 * would break a line, becomes that byte again; anything else with a backslash is what it is.
 *
 * The same few frames occur in all lines, so each text is parsed once: later it is found by its bytes.
 */
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

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Bytes that the writer escapes. */
static bool is_escaped(int c)
{
    return c < 0x20 || c >= 0x7f || c == ';' || c == '\\';
}

static void unescape(struct wick_strbuf *out, const char *s, size_t n)
{
    wick_strbuf_clear(out);
    if (!memchr(s, '\\', n)) {
        wick_strbuf_add(out, s, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        int hi = n - i > 3 && s[i] == '\\' && s[i + 1] == 'x' ? hex_digit(s[i + 2]) : -1;
        int lo = hi >= 0 ? hex_digit(s[i + 3]) : -1;
        bool escape = lo >= 0 && is_escaped(hi * 16 + lo);
        wick_strbuf_addc(out, escape ? (char)(hi * 16 + lo) : s[i]);
        i += escape ? 3 : 0;
    }
}

static int kind_of_letter(char letter)
{
    switch (letter) {
#define X(name, id, jfr_name, l, is_java) \
    case l:                               \
        return id;
#include "def/frame.def"
#undef X
    default:
        return -1;
    }
}

/* name:123 has a line, if it is Java: how many bytes belong to the name. */
static size_t split_line(const char *s, size_t n, int32_t *line)
{
    size_t digits = 0;
    while (digits < 6 && digits + 2 < n && s[n - 1 - digits] >= '0' && s[n - 1 - digits] <= '9')
        digits++;
    if (!digits || s[n - 1 - digits] != ':')
        return n;
    *line = 0;
    for (size_t i = n - digits; i < n; i++)
        *line = *line * 10 + (s[i] - '0');
    return n - digits - 1;
}

static uint32_t make_frame(struct wick_collapsed_in *c, const char *text, size_t len)
{
    struct wick_profile *p = c->im->p;
    int32_t line = 0;
    unescape(&c->name, text, len);
    const char *s = c->name.buf;
    size_t n = c->name.len;
    int kind = n > 4 && s[n - 1] == ']' && !memcmp(s + n - 4, "_[", 2) ? kind_of_letter(s[n - 2]) : -1;
    if (kind >= 0)
        n -= 4;
    else
        kind = (int)wick_import_guess_kind(s, n);
    if (!wick_frame_kind_is_java((unsigned)kind)) {
        uint32_t function = wick_profile_function(p, 0, wick_profile_string(p, s, n), 0);
        return wick_profile_frame(p, function, 0, -1, (unsigned)kind);
    }
    n = split_line(s, n, &line);
    return wick_import_java(p, s, n, false, line, (unsigned)kind);
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
    const char *space = memrchr(line, ' ', n);
    size_t digits = space ? (size_t)(line + n - space - 1) : 0;
    int64_t weight = 0;
    bool bad = !digits || space == line;
    for (size_t i = 0; i < digits && !bad; i++)
        bad = space[1 + i] < '0' || space[1 + i] > '9' || __builtin_mul_overflow(weight, 10, &weight) ||
              __builtin_add_overflow(weight, space[1 + i] - '0', &weight);
    if (bad) {
        if (n) {
            c->im->res->lost_bytes += n;
            wick_import_problem(c->im, offset, "not a collapsed stack (\"root;caller;leaf weight\")");
        }
        return;
    }
    uint32_t stack = 0;
    for (const char *from = line; from < space;) {
        const char *semi = memchr(from, ';', (size_t)(space - from)), *to = semi ? semi : space;
        if (to > from)
            stack = wick_profile_push(c->im->p, stack, frame_of(c, from, (size_t)(to - from)));
        from = to + 1;
    }
    wick_import_sample(
        c->im, &(struct wick_sample){.stack = stack, .event = c->event, .weight = weight, .count = (uint64_t)weight});
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
