/* SPDX-License-Identifier: Apache-2.0 */
#include "footprint/nmt.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/sum.h"

/* What is left of a line. */
struct text {
    const char *p, *end;
};

static bool skip(struct text *t, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(t->end - t->p) < n || memcmp(t->p, word, n) != 0)
        return false;
    t->p += n;
    return true;
}

static void skip_blanks(struct text *t)
{
    while (t->p < t->end && (*t->p == ' ' || *t->p == '\t'))
        t->p++;
}

/* Moves behind the word, wherever it is in the line. */
static bool find(struct text *t, const char *word)
{
    const char *at = memmem(t->p, (size_t)(t->end - t->p), word, strlen(word));
    t->p = at ? at + strlen(word) : t->p;
    return at;
}

/* "12KB" in bytes. */
static bool take_kb(struct text *t, uint64_t *bytes)
{
    uint64_t v = 0;
    const char *start = t->p;
    for (; t->p < t->end && *t->p >= '0' && *t->p <= '9'; t->p++)
        if (v > UINT64_MAX >> 14 || t->p - start > 18)
            return false;
        else
            v = v * 10 + (uint64_t)(*t->p - '0');
    if (t->p == start || v > UINT64_MAX >> 12 || !skip(t, "KB"))
        return false;
    *bytes = v * 1024;
    return true;
}

static bool take_hex(struct text *t, uint64_t *out)
{
    uint64_t v = 0;
    int n = 0;
    if (!skip(t, "0x"))
        return false;
    for (; t->p < t->end && n < 16; n++, t->p++) {
        int c = *t->p, digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0)
            break;
        v = v << 4 | (unsigned)digit;
    }
    *out = v;
    return n > 0;
}

/* "-        GC (reserved=5870KB, committed=5870KB)": false if it is no such line. */
static bool take_category(struct text t, struct wick_nmt *n)
{
    struct wick_nmt_category c = {{0}};
    if (!skip(&t, "-") || n->count == WICK_NMT_CATEGORIES)
        return false;
    skip_blanks(&t);
    const char *name = t.p;
    if (!find(&t, " (reserved=") || (size_t)(t.p - name) > WICK_NMT_NAME + strlen(" (reserved=") - 1)
        return false;
    size_t len = (size_t)(t.p - name) - strlen(" (reserved=");
    for (size_t i = 0; i < len; i++)
        if (name[i] < ' ' || name[i] > '~')
            return false;
    memcpy(c.name, name, len);
    if (!len || !take_kb(&t, &c.reserved) || !skip(&t, ", committed=") || !take_kb(&t, &c.committed))
        return false;
    n->committed = wick_sum_u64(n->committed, c.committed);
    n->category[n->count++] = c;
    return true;
}

/* The lines below a category's. False if one is malformed. */
static bool take_figure(struct text t, struct wick_nmt *n)
{
    struct wick_nmt_category *c = &n->category[n->count - 1];
    uint64_t bytes, *to = &c->malloced;
    skip_blanks(&t);
    if (skip(&t, "(mmap: reserved=") || skip(&t, "(stack: reserved=")) {
        if (!take_kb(&t, &bytes) || !skip(&t, ", committed="))
            return false;
        to = &c->mapped;
    } else if (!skip(&t, "(malloc=") && !skip(&t, "(arena=") && !skip(&t, "(tracking overhead=")) {
        return true;
    }
    if (!take_kb(&t, &bytes))
        return false;
    *to = wick_sum_u64(*to, bytes);
    if (to == &c->malloced)
        n->malloced = wick_sum_u64(n->malloced, bytes);
    return true;
}

/* "[0x... - 0x...] reserved 2404KB for GC from", or "reserved and committed"; the collector's are kept. */
static bool take_range(struct text t, struct wick_nmt *n)
{
    uint64_t lo, hi, bytes;
    if (!skip(&t, "[") || !take_hex(&t, &lo) || !skip(&t, " - ") || !take_hex(&t, &hi) || !skip(&t, "] reserved "))
        return false;
    skip(&t, "and committed ");
    if (!take_kb(&t, &bytes) || !skip(&t, " for "))
        return false;
    if (skip(&t, "GC") && (t.p == t.end || *t.p == ' ') && lo < hi)
        wick_footprint_add(&n->gc, lo, hi, WICK_MEMORY_GC);
    return true;
}

enum section { IN_SUMMARY, IN_MAP, BEHIND };

static bool take_line(struct text t, struct wick_nmt *n, enum section *in)
{
    struct text whole = t;
    if (*in == IN_MAP && (skip(&t, "Details:") || skip(&t, "Memory file details")))
        *in = BEHIND;
    else if (*in == BEHIND)
        return true;
    else if (skip(&t, "Virtual memory map:"))
        *in = IN_MAP;
    else if (*in == IN_MAP)
        return t.p == t.end || *t.p != '[' || take_range(t, n);
    else if (t.p < t.end && *t.p == '-')
        return take_category(t, n);
    else if (n->count && t.p < t.end)
        return take_figure(whole, n);
    return true;
}

int wick_nmt_parse(const char *text, size_t len, struct wick_nmt *out)
{
    struct wick_nmt *n = calloc(1, sizeof *n);
    const char *end = text + len;
    enum section in = IN_SUMMARY;
    bool good = true, titled = false;
    if (!n)
        return -WICK_E_NOMEM;
    for (const char *p = text, *eol; good && p < end; p = eol + 1) {
        eol = memchr(p, '\n', (size_t)(end - p));
        eol = eol ? eol : end;
        struct text line = {p, eol};
        if (skip(&line, "Native memory tracking is not enabled")) {
            free(n);
            return -WICK_E_NOTFOUND;
        }
        titled = titled || skip(&line, "Native Memory Tracking:");
        good = !titled || take_line(line, n, &in);
    }
    int rc = n->gc.failed ? -WICK_E_NOMEM : good && titled && n->count ? 0 : -WICK_E_FORMAT;
    if (!rc)
        *out = *n;
    else
        wick_nmt_release(n);
    free(n);
    return rc;
}

void wick_nmt_release(struct wick_nmt *n)
{
    free(n->gc.rows);
    n->gc = (struct wick_footprint_claims){0};
}
