/* SPDX-License-Identifier: Apache-2.0 */
#include "opt/host_events.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "opt/option.h"

#define THRESHOLD_NS       1000000u
#define LEAST_THRESHOLD_NS 1000u
#define MOST_THRESHOLD_NS  4000000000u /* times 32 bits in the kernel */

enum kind { INTERVAL, THRESHOLD };

static const struct host_word {
    const char *word;
    size_t offset; /* of the member */
    enum kind kind;
} words[] = {
#define X(word, field, kind, ...) {word, offsetof(struct wick_opt_host_events, field), kind},
#include "def/host_event.def"
#undef X
};

/* The words of the list, each with a blank before it. */
static const char known[] =
#define X(word, field, kind, value, ...) " " word value
#include "def/host_event.def"
#undef X
    ;

/* The row of a word and the text behind it, "" if there is none; NULL if it has no row. */
static const struct host_word *row_of(const char *word, const char **text)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i].word);
        if (strncmp(word, words[i].word, n) != 0 || (word[n] && (words[i].kind != THRESHOLD || word[n] != '=')))
            continue;
        *text = word + n + (word[n] == '=');
        return &words[i];
    }
    return NULL;
}

static bool take(const char *word, uint64_t interval_ns, struct wick_opt_host_events *out)
{
    const char *text;
    const struct host_word *row = row_of(word, &text);
    if (!row)
        return false;
    uint64_t ns = row->kind == INTERVAL ? interval_ns : THRESHOLD_NS;
    if (row->kind == THRESHOLD && text[-1] == '=' &&
        (wick_opt_interval(text, false, &ns) || ns < LEAST_THRESHOLD_NS || ns > MOST_THRESHOLD_NS))
        return false;
    memcpy((char *)out + row->offset, &ns, sizeof ns);
    return true;
}

int wick_opt_host_events(const char *list, uint64_t interval_ns, struct wick_opt_host_events *out, struct wick_err *err)
{
    struct wick_opt_host_events e = {0};
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char word[32];
        size_t n = strcspn(at, ",");
        memcpy(word, at, n < sizeof word ? n : 0);
        word[n < sizeof word ? n : 0] = 0;
        if (!take(word, interval_ns, &e))
            return wick_err_set(err, WICK_E_USAGE,
                                "option event: '%.100s' is not a list of any of:%s (THRESHOLD: a time from 1us to 4s)",
                                list, known);
    }
    *out = e;
    return 0;
}
