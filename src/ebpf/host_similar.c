/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf/host_similar.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/distance.h"

enum { FAR = 4, SHORTEST = 4 };

/* Less is better: a typing error, then the same name elsewhere, then a part of it; SIZE_MAX = they have nothing in
 * common. */
static size_t score_of(const struct wick_host_similar *s, const char *name)
{
    const char *asked = s->name + s->tail, *colon = strchr(name, ':'), *other = s->tail && colon ? colon + 1 : name;
    size_t d = wick_distance(s->name, strlen(s->name), name), n = strlen(asked), m = strlen(other);
    if (d < FAR && d < n)
        return d;
    if (!strcmp(asked, other))
        return FAR;
    if (n >= SHORTEST && strstr(other, asked))
        return FAR + 1 + (m - n);
    return m >= SHORTEST && 2 * m > n && strstr(asked, other) ? FAR + 1 + (n - m) : SIZE_MAX;
}

void wick_host_similar_add(struct wick_host_similar *s, const char *name)
{
    size_t n = strnlen(name, WICK_HOST_SIMILAR_NAME); /* first: a file may have millions of long ones */
    size_t score = n < WICK_HOST_SIMILAR_NAME ? score_of(s, name) : SIZE_MAX;
    if (score == SIZE_MAX)
        return;
    for (unsigned i = 0; i < s->n; i++)
        if (!strcmp(s->best[i].name, name))
            return;
    unsigned at = s->n < WICK_HOST_SIMILAR ? s->n++ : WICK_HOST_SIMILAR - 1;
    if (s->n == WICK_HOST_SIMILAR && at == WICK_HOST_SIMILAR - 1 && *s->best[at].name && s->best[at].score <= score)
        return;
    for (; at && s->best[at - 1].score > score; at--)
        s->best[at] = s->best[at - 1];
    memcpy(s->best[at].name, name, n + 1);
    s->best[at].score = score;
}

/* Names come from files and may hold anything. */
static size_t add_plain(char *text, size_t at, size_t cap, const char *name)
{
    for (; *name && at + 1 < cap; name++)
        text[at++] = *name > 0x20 && *name < 0x7f ? *name : '?';
    text[at] = 0;
    return at;
}

void wick_host_similar_text(const struct wick_host_similar *s, char *text, size_t cap)
{
    size_t at = 0;
    *text = 0;
    for (unsigned i = 0; i < s->n && at + 1 < cap; i++) {
        at += (size_t)snprintf(text + at, cap - at, "%s", i ? ", " : "; similar: ");
        if (at < cap)
            at = add_plain(text, at, cap, s->best[i].name);
    }
}
