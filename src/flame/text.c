/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.c - UTF-8 checking, escaping, shortening and units
 *
 * Escaping works on code points, never on bytes, so that a broken sequence cannot swallow the quote behind it. What is
 * replaced besides markup: C0 and C1 controls (most are not allowed in XML 1.0, not even as character references), the
 * soft hyphen, the Arabic letter mark, zero-width and bidirectional controls, line and paragraph separators,
 * interlinear marks, the byte order mark, and the two non-characters that XML forbids. A name that holds U+202E would
 * otherwise turn around the text that follows it.
 *
 * web/flame/text.js holds the same rules for the HTML page; tests/web compares the two.
 */
#include "flame/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "codec/utf8.h"

/* The code point at *p, which is moved past it; U+FFFD and one byte further where the bytes are not UTF-8 (overlong
 * forms, surrogates and values past U+10FFFF included). *p must be before end. */
static uint32_t code_point(const char **p, const char *end)
{
    size_t n = wick_utf8_length(*p, (size_t)(end - *p));
    uint32_t c = n ? wick_utf8_decode(*p, n) : 0xfffd;
    *p += n ? n : 1;
    return c;
}

static void add_replacement(struct wick_strbuf *sb)
{
    wick_strbuf_add(sb, "\xef\xbf\xbd", 3);
}

void wick_text_add_utf8(struct wick_strbuf *sb, const char *s, size_t n)
{
    const char *end = s + n;
    while (s < end) {
        const char *from = s;
        uint32_t c = code_point(&s, end);
        if (c == 0 || (c == 0xfffd && s - from == 1))
            add_replacement(sb);
        else
            wick_strbuf_add(sb, from, (size_t)(s - from));
    }
}

static void add_xml_char(struct wick_strbuf *sb, uint32_t c, const char *bytes, size_t n)
{
    switch (c) {
    case '<':
        wick_strbuf_adds(sb, "&lt;");
        break;
    case '>':
        wick_strbuf_adds(sb, "&gt;");
        break;
    case '&':
        wick_strbuf_adds(sb, "&amp;");
        break;
    case '"':
        wick_strbuf_adds(sb, "&quot;");
        break;
    case '\'':
        wick_strbuf_adds(sb, "&#39;");
        break;
    default:
        if (wick_utf8_is_hidden(c) || (c == 0xfffd && n == 1))
            add_replacement(sb);
        else
            wick_strbuf_add(sb, bytes, n);
    }
}

void wick_text_add_xml(struct wick_strbuf *sb, const char *s, size_t n)
{
    const char *end = s + n;
    while (s < end) {
        const char *from = s;
        uint32_t c = code_point(&s, end);
        add_xml_char(sb, c, from, (size_t)(s - from));
    }
}

/* Leading segments that resemble packages are dropped (all lower case, digits, _), but two segments always stay. */
static void shorten_java(const char **s, size_t *n)
{
    const char *p = *s, *end = p + *n, *paren = memchr(p + (*n > 0), '(', *n - (*n > 0));
    if (paren)
        end = paren;
    for (;;) {
        const char *q = p;
        while (q < end && ((*q >= 'a' && *q <= 'z') || (*q >= '0' && *q <= '9') || *q == '_'))
            q++;
        if (q == p || q == end || (*q != '.' && *q != '/'))
            break;
        const char *rest = q + 1;
        while (rest < end && *rest != '.' && *rest != '/')
            rest++;
        if (rest == end)
            break;
        p = q + 1;
    }
    *s = p;
    *n = (size_t)(end - p);
}

/* Arguments go (not those of `operator()` or "(anonymous namespace)"), then all but the last two :: segments. */
static void shorten_cpp(const char **s, size_t *n)
{
    const char *p = *s, *end = p + *n, *cut = end, *last = p, *before = p;
    int angle = 0;
    for (const char *q = p; q < end; q++) {
        if (*q == '<')
            angle++;
        else if (*q == '>' && angle)
            angle--;
        if (angle)
            continue;
        if (*q == '(' && q > p && q[-1] != ':' && !(q - p >= 8 && !memcmp(q - 8, "operator", 8))) {
            cut = q;
            break;
        }
        if (*q == ':' && q + 2 < end && q[1] == ':') {
            before = last;
            last = q + 2;
            q++;
        }
    }
    if (last == p)
        return;
    *s = before;
    *n = (size_t)(cut - before);
}

void wick_text_shorten(const char **s, size_t *n, int is_java)
{
    if (is_java)
        shorten_java(s, n);
    else
        shorten_cpp(s, n);
}

static size_t count_chars(const char *s, size_t n)
{
    const char *end = s + n;
    size_t chars = 0;
    for (; s < end; chars++)
        code_point(&s, end);
    return chars;
}

/* Drops what stands before the method: the class of a Java name, the scope of a C++ one. */
static void keep_method(const char **s, size_t *n, int is_java)
{
    char mark = is_java ? '.' : ':';
    const char *last = memrchr(*s, mark, *n);
    if (!last || last == *s || last + 1 == *s + *n || (!is_java && last[-1] != ':'))
        return;
    *n -= (size_t)(last + 1 - *s);
    *s = last + 1;
}

int wick_text_add_cut(struct wick_strbuf *sb, const char *s, size_t n, size_t max_chars)
{
    if (count_chars(s, n) <= max_chars) {
        wick_text_add_xml(sb, s, n);
        return 0;
    }
    const char *end = s + n, *p = s;
    for (size_t i = 0; i + 1 < max_chars && p < end; i++)
        code_point(&p, end);
    wick_text_add_xml(sb, s, (size_t)(p - s));
    wick_strbuf_adds(sb, "\xe2\x80\xa6");
    return 1;
}

void wick_text_add_label(struct wick_strbuf *sb, const char *s, size_t n, int is_java, size_t max_chars)
{
    if (max_chars < 3)
        return;
    if (n > max_chars && count_chars(s, n) > max_chars)
        wick_text_shorten(&s, &n, is_java);
    if (n > max_chars && count_chars(s, n) > max_chars)
        keep_method(&s, &n, is_java);
    wick_text_add_cut(sb, s, n, max_chars);
}

static void add_scaled(struct wick_strbuf *sb, uint64_t v, const uint64_t *steps, const char *const *names, size_t n)
{
    size_t i = 0;
    while (i + 1 < n && v < steps[i])
        i++;
    double d = (double)v / (double)steps[i];
    wick_strbuf_addf(sb, "%.*f %s", steps[i] == 1 ? 0 : d < 10 ? 2 : d < 100 ? 1 : 0, d, names[i]);
}

void wick_text_add_weight(struct wick_strbuf *sb, uint64_t weight, const char *unit)
{
    static const uint64_t ns[] = {1000000000, 1000000, 1000, 1};
    static const char *const ns_names[] = {"s", "ms", "\xc2\xb5s", "ns"};
    static const uint64_t bytes[] = {(uint64_t)1 << 40, 1 << 30, 1 << 20, 1 << 10, 1};
    static const char *const bytes_names[] = {"TiB", "GiB", "MiB", "KiB", "B"};
    if (unit && !strcmp(unit, "ns")) {
        add_scaled(sb, weight, ns, ns_names, 4);
    } else if (unit && !strcmp(unit, "bytes")) {
        add_scaled(sb, weight, bytes, bytes_names, 5);
    } else {
        char digits[24];
        int n = snprintf(digits, sizeof digits, "%" PRIu64, weight);
        for (int i = 0; i < n; i++) {
            if (i && (n - i) % 3 == 0)
                wick_strbuf_addc(sb, ',');
            wick_strbuf_addc(sb, digits[i]);
        }
        unit = unit ? unit : "samples";
        if (weight == 1 && !strcmp(unit, "samples"))
            unit = "sample";
        wick_strbuf_addc(sb, ' ');
        wick_text_add_xml(sb, unit, strlen(unit));
    }
}
