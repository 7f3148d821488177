/* SPDX-License-Identifier: Apache-2.0 */
#include "model/label.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

/* Sorts by key and keeps the last of equal ones. Sets are small, so an insertion sort will do. Returns how many stay.
 */
static uint32_t in_order(const struct wick_label *in, uint32_t n, struct wick_label out[WICK_LABELS_MAX])
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = 0;
        while (at < kept && out[at].key < in[i].key)
            at++;
        if (at < kept && out[at].key == in[i].key) {
            out[at] = in[i];
            continue;
        }
        if (kept == WICK_LABELS_MAX)
            continue;
        memmove(&out[at + 1], &out[at], (kept - at) * sizeof *out);
        out[at] = in[i];
        kept++;
    }
    return kept;
}

static bool grow(void **array, uint32_t *cap, uint32_t want, size_t size)
{
    if (want <= *cap)
        return true;
    uint32_t more = *cap * 2 > want ? *cap * 2 : want + 64;
    void *p = more < UINT32_MAX / 2 ? reallocarray(*array, more, size) : NULL;
    if (!p)
        return false;
    *array = p;
    *cap = more;
    return true;
}

uint32_t wick_profile_label_set(struct wick_profile *p, const struct wick_label *pairs, uint32_t n)
{
    struct wick_label sorted[WICK_LABELS_MAX];
    n = in_order(pairs, n, sorted);
    if (!n)
        return 0;
    uint64_t h = wick_hash_bytes(sorted, n * sizeof *sorted);
    uint32_t at = wick_index_start(&p->ix_label_sets, h), id;
    while (wick_index_next(&p->ix_label_sets, h, &at, &id)) {
        const struct wick_label_set *s = &p->label_sets[id];
        if (s->n == n && !memcmp(&p->labels[s->first], sorted, n * sizeof *sorted))
            return id;
    }
    id = p->nlabel_sets;
    if (!grow((void **)&p->labels, &p->cap_labels, p->nlabels + n, sizeof *p->labels) ||
        !grow((void **)&p->label_sets, &p->cap_label_sets, id + 1, sizeof *p->label_sets) ||
        wick_index_add(&p->ix_label_sets, h, id)) {
        p->failed = true;
        return 0;
    }
    memcpy(&p->labels[p->nlabels], sorted, n * sizeof *sorted);
    p->label_sets[id] = (struct wick_label_set){p->nlabels, n};
    p->nlabels += n;
    return p->nlabel_sets++;
}

uint32_t wick_profile_label(const struct wick_profile *p, uint32_t set, uint32_t key)
{
    if (!key || set >= p->nlabel_sets)
        return 0;
    const struct wick_label_set *s = &p->label_sets[set];
    for (uint32_t i = 0; i < s->n; i++)
        if (p->labels[s->first + i].key == key)
            return p->labels[s->first + i].value;
    return 0;
}

void wick_profile_relabel(struct wick_profile *p, uint32_t set, uint32_t key, uint32_t value)
{
    const struct wick_label_set *s = &p->label_sets[set < p->nlabel_sets ? set : 0];
    for (uint32_t i = 0; key && i < s->n; i++)
        if (p->labels[s->first + i].key == key)
            p->labels[s->first + i].value = value;
}

uint32_t wick_profile_label_key(const struct wick_profile *p, const char *key)
{
    size_t len = strlen(key);
    uint64_t h = wick_hash_bytes(key, len);
    uint32_t at = wick_index_start(&p->ix_strings, h), id;
    while (wick_index_next(&p->ix_strings, h, &at, &id))
        if (p->strings[id].len == len && !memcmp(p->strings[id].s, key, len))
            return id;
    return 0;
}

/* Copies up to an unescaped `end1` or `end2` without the backslashes; returns what stopped it. */
static const char *unescape(struct wick_strbuf *out, const char *s, const char *end, char end1, char end2)
{
    wick_strbuf_clear(out);
    for (; s < end && *s != end1 && *s != end2; s++) {
        if (*s == '\\' && s + 1 < end)
            s++;
        wick_strbuf_addc(out, *s);
    }
    return s;
}

uint32_t wick_label_parse(struct wick_profile *p, const char *text, size_t len, struct wick_label *pairs, uint32_t n,
                          uint32_t cap)
{
    struct wick_strbuf word = WICK_STRBUF_INIT;
    const char *end = text + len;
    while (text < end && n < cap) {
        text = unescape(&word, text, end, '=', ',');
        bool is_id = !strcmp(word.buf, "traceId") || !strcmp(word.buf, "spanId"), wanted = p->by_span || !is_id;
        uint32_t key = wanted ? wick_profile_string(p, word.buf, word.len) : 0, value = 0;
        if (text < end && *text == '=') {
            text = unescape(&word, text + 1, end, ',', ',');
            value = wanted ? wick_profile_string(p, word.buf, word.len) : 0;
        }
        if (key && value)
            pairs[n++] = (struct wick_label){key, value};
        text += text < end;
    }
    p->failed = p->failed || word.failed;
    wick_strbuf_release(&word);
    return n;
}
