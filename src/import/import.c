/* SPDX-License-Identifier: Apache-2.0 */
/*
 * import.c - lines out of pieces, and what a name says of its frame
 *
 * Lines. Most lie within one piece and are taken where they are; only what is cut by the end of a piece is copied. A
 * line may have 1 MiB. The rest of a longer one is counted but not kept, so memory stays bounded, and it is left out
 * as a whole once its end has come; the next line is in step again, with its true offset.
 *
 * Frames. A collapsed stack has text only. Its parts are cut from the end: the suffix of the kind, then the line.
 * Only Java frames have a line, of six digits at most, so it cannot overflow; elsewhere a colon and digits are a part
 * of the name. Without a suffix the kind is a guess, by what is most specific: the mark of what was not sampled, "::"
 * of C++, a slash or an inner dot of Java (but no library's ".so"), otherwise native. Java without a suffix counts as
 * compiled by C2.
 *
 * Java methods are written as Foo.bar, Foo::bar or LFoo;bar. The separator is searched before the signature only,
 * whose types may have all of these characters. A descriptor's L and ; are not a part of the class.
 *
 * No other format has the age of objects, so a filter by it leaves nothing.
 */
#include "import/import_int.h"

#include <stdarg.h>
#include <stdio.h>

#include "codec/stack_line.h"

#define LINE_MAX_BYTES (1u << 20)

void wick_import_problem(struct wick_import *im, uint64_t offset, const char *fmt, ...)
{
    if (im->res->problems++)
        return;
    va_list ap;
    va_start(ap, fmt);
    im->res->first_offset = offset;
    vsnprintf(im->res->first, sizeof im->res->first, fmt, ap);
    va_end(ap);
}

void wick_import_sample(struct wick_import *im, const struct wick_sample *s)
{
    const struct wick_jfr_visitor *v = im->v;
    im->res->samples++;
    bool outside = v && !wick_filter_time(&v->filter, s->time_ns);
    if (outside && v->outside)
        v->outside(v->ctx, im->p->events[s->event].kind);
    if (outside || /* no other format has the age of objects */
        (v && (v->filter.survived || (v->filter.match && !v->filter.match(v->filter.ctx, im->p, s)))))
        im->res->filtered++;
    else if (v && v->sample)
        v->sample(v->ctx, s);
    else
        wick_profile_add(im->p, s);
}

/* A whole line, or the end of one whose beginning is in l->part. */
static void end_line(struct wick_lines *l, const char *data, size_t n, size_t total)
{
    const char *line = data;
    size_t len = n;
    if (l->part.len) {
        wick_strbuf_add(&l->part, data, n);
        line = l->part.buf;
        len = l->part.len;
    }
    if (len && line[len - 1] == '\r')
        len--;
    if (l->too_long) {
        l->im->res->lost_bytes += total + l->dropped;
        wick_import_problem(l->im, l->offset, "a line of more than 1 MiB is left out");
    } else {
        l->take(l->ctx, line, len, l->offset);
    }
    l->offset += total + l->dropped;
    l->too_long = false;
    l->dropped = 0;
    wick_strbuf_clear(&l->part);
}

int wick_lines_feed(struct wick_lines *l, const char *data, size_t n)
{
    while (n) {
        const char *end = memchr(data, '\n', n);
        size_t len = end ? (size_t)(end - data) : n;
        if (l->part.len + len > LINE_MAX_BYTES)
            l->too_long = true;
        if (!end) {
            if (l->too_long)
                l->dropped += n;
            else
                wick_strbuf_add(&l->part, data, n);
            return l->part.failed ? -WICK_E_NOMEM : 0;
        }
        end_line(l, data, len, l->part.len + len + 1);
        data += len + 1;
        n -= len + 1;
    }
    return l->part.failed ? -WICK_E_NOMEM : 0;
}

void wick_lines_end(struct wick_lines *l)
{
    if (l->part.len || l->dropped)
        end_line(l, "", 0, l->part.len);
    wick_strbuf_release(&l->part);
}

unsigned wick_import_guess_kind(const char *s, size_t n)
{
    if (n && *s == '[' && wick_frame_kind_of_break(s, n) == WICK_FRAME_UNSAMPLED)
        return WICK_FRAME_UNSAMPLED;
    if (memmem(s, n, "::", 2))
        return WICK_FRAME_CPP;
    const char *paren = memchr(s, '(', n), *dot = memrchr(s, '.', paren ? (size_t)(paren - s) : n);
    if (memchr(s, '/', n) || (dot && dot > s && dot + 1 < s + n && !memmem(s, n, ".so", 3)))
        return WICK_FRAME_C2;
    return WICK_FRAME_NATIVE;
}

/* Cuts the suffix of a kind off *n: the kind, -1 if there is no such suffix. */
static int cut_kind(const char *s, size_t *n)
{
    size_t len = *n;
    int kind =
        len > 4 && s[len - 1] == ']' && !memcmp(s + len - 4, "_[", 2) ? wick_frame_kind_of_letter(s[len - 2]) : -1;
    *n -= kind >= 0 ? 4 : 0;
    return kind;
}

/* Cuts the line off *n, if there is one and a name before it: the line, otherwise 0. */
static uint32_t cut_line(const char *s, size_t *n)
{
    size_t len = *n, digits = 0;
    while (digits < 6 && digits + 2 < len && s[len - 1 - digits] >= '0' && s[len - 1 - digits] <= '9')
        digits++;
    if (!digits || s[len - 1 - digits] != ':')
        return 0;
    uint32_t line = 0;
    for (size_t i = len - digits; i < len; i++)
        line = line * 10 + (uint32_t)(s[i] - '0');
    *n = len - digits - 1;
    return line;
}

void wick_import_frame_parse(struct wick_import_frame *out, struct wick_strbuf *room, const char *text, size_t n)
{
    const char *s = room ? wick_stack_line_unescape(room, text, &n) : text;
    int suffix = cut_kind(s, &n);
    unsigned kind = suffix >= 0 ? (unsigned)suffix : wick_import_guess_kind(s, n);
    if (kind == WICK_FRAME_BREAK)
        kind = wick_frame_kind_of_break(s, n);
    uint32_t line = wick_frame_kind_is_java(kind) ? cut_line(s, &n) : 0;
    *out = (struct wick_import_frame){.name = s, .n = n, .line = line, .kind = kind};
}

int wick_import_kind_named(const char *s, size_t n)
{
    for (unsigned kind = 0; kind < WICK_FRAME_KIND_COUNT; kind++) {
        const char *name = wick_frame_kind_name(kind);
        if (strlen(name) == n && memcmp(name, s, n) == 0)
            return (int)kind;
    }
    return -1;
}

uint32_t wick_import_java(struct wick_profile *p, const char *s, size_t n, bool signature, int32_t line, unsigned kind)
{
    const char *paren = memchr(s, '(', n);
    size_t name_end = paren ? (size_t)(paren - s) : n, skip = 1;
    const char *at = memrchr(s, '.', name_end), *colons = memmem(s, name_end, "::", 2);
    const char *semicolon = n && *s == 'L' ? memchr(s, ';', name_end) : NULL;
    if (colons) {
        at = colons;
        skip = 2;
    } else if (semicolon) { /* Lfoo/Bar;baz */
        at = semicolon + 1;
        skip = 0;
    }
    size_t class_len = at ? (size_t)(at - s) : 0, from = at ? class_len + skip : 0;
    if ((colons || semicolon) && class_len > 2 && s[0] == 'L' && s[class_len - 1] == ';') { /* a descriptor */
        s++;
        n--;
        name_end--;
        from--;
        class_len -= 2;
    }
    uint32_t class_name = wick_profile_string(p, s, class_len);
    uint32_t name = wick_profile_string(p, s + from, (signature ? name_end : n) - from);
    uint32_t sig = signature ? wick_profile_string(p, s + name_end, n - name_end) : 0;
    return wick_profile_frame(p, wick_profile_function(p, class_name, name, sig), line, -1, kind);
}
