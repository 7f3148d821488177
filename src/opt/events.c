/* SPDX-License-Identifier: Apache-2.0 */
#include "opt/events.h"

#include <stddef.h>
#include <string.h>

#define UNSAID UINT64_MAX /* a time */

/* "", "on", "INTERVAL" (as in async-profiler), "THRESHOLD/INTERVAL", "/INTERVAL" or "THRESHOLD/". An interval of zero
 * takes every wait. */
static int parse_waits(const char *option, const char *text, void *out, struct wick_err *err)
{
    struct wick_opt_waits *w = out;
    char threshold[WICK_OPT_STR_MAX];
    size_t n = strcspn(text, "/");
    memcpy(threshold, text, n);
    threshold[n] = 0;
    w->on = true;
    if (!*text || !strcmp(text, "on"))
        return 0;
    int rc = n ? wick_opt_interval(threshold, false, text[n] ? &w->threshold_ns : &w->interval_ns) : 0;
    if (!rc && text[n] && text[n + 1])
        rc = wick_opt_interval(text + n + 1, false, &w->interval_ns);
    if (rc || (!n && !text[1]))
        return wick_err_set(err, WICK_E_USAGE,
                            "option %s: '%.100s' is neither INTERVAL nor THRESHOLD/INTERVAL, times such as 10us/1ms",
                            option, text);
    w->interval_given |= !text[n] || text[n + 1];
    if (!w->interval_ns)
        w->interval_ns = 1;
    return 0;
}

/* "", "on" or a size, of which 0 samples every allocation. */
static int parse_bytes(const char *option, const char *text, void *out, struct wick_err *err)
{
    struct wick_opt_bytes *b = out;
    uint64_t size = WICK_OPT_ALLOC_DEFAULT;
    if (*text && strcmp(text, "on") != 0 && wick_opt_size(text, &size))
        return wick_err_set(err, WICK_E_USAGE, "option %s: '%.100s' is not a size such as 512k", option, text);
    if (size > WICK_OPT_ALLOC_MOST)
        return wick_err_set(err, WICK_E_USAGE, "option %s: '%.100s' is too large: 1g is the most", option, text);
    *b = (struct wick_opt_bytes){.on = true, .interval = size};
    return 0;
}

static int parse_flag(const char *option, const char *text, void *out, struct wick_err *err)
{
    *(bool *)out = true;
    return 0;
}

/* The word only asks for it; other options have its interval. */
static int parse_time(const char *option, const char *text, void *out, struct wick_err *err)
{
    uint64_t *ns = out;
    if (!*ns)
        *ns = UNSAID;
    return 0;
}

/* How the words of a kind are read: with a text behind them, and by which function. */
#define KIND_FLAG  false, parse_flag
#define KIND_TIME  false, parse_time
#define KIND_BYTES true, parse_bytes
#define KIND_WAITS true, parse_waits

#define CPU(...)
#define BESIDE(word, field, kind) {word, offsetof(struct wick_opt_events, field), KIND_##kind},
#define X(word, sort, ...)        sort(word, __VA_ARGS__)
static const struct event_word {
    const char *word;
    size_t offset; /* of its member of the plan */
    bool has_text;
    int (*parse)(const char *option, const char *text, void *out, struct wick_err *err);
} words[] = {
#include "def/event_word.def"
};
#undef BESIDE
#define BESIDE(word, ...) " " word
static const char besides[] =
#include "def/event_word.def"
    ;
#undef X
#undef CPU
#undef BESIDE

/* The text behind the word, "" if there is none; NULL if it is another word. */
static const char *behind(const char *word, const struct event_word *w)
{
    size_t n = strlen(w->word);
    if (strncmp(word, w->word, n) != 0 || (word[n] && !(w->has_text && word[n] == '=')))
        return NULL;
    return word + n + (word[n] == '=');
}

/* One word of the list. */
static int parse_word(const char *word, const char *list, struct wick_opt_events *e, struct wick_err *err)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *text = behind(word, &words[i]);
        if (text)
            return words[i].parse(words[i].word, text, (char *)e + words[i].offset, err);
    }
    if (!*word || e->cpu[0])
        return wick_err_set(
            err, WICK_E_USAGE,
            "option event: '%.100s' is not a list of at most one CPU or perf event, and any of:%s (-e cpu,alloc)", list,
            besides);
    strcpy(e->cpu, word); /* a part of a text of the same size */
    return 0;
}

/* What the options beside `event` ask for. */
static int parse_options(const struct wick_session_opts *o, struct wick_opt_events *e, struct wick_err *err)
{
    int rc = 0;
#define OPTION_FLAG(word, field) e->field = o->field;
#define OPTION_TIME(word, field) e->field = o->field;
#define OPTION_BYTES(word, field) \
    if (!rc && o->field[0])       \
        rc = parse_bytes(word, o->field, &e->field, err);
#define OPTION_WAITS(word, field)                    \
    e->field.interval_ns = WICK_OPT_LOCK_DEFAULT_NS; \
    if (!rc && o->field[0])                          \
        rc = parse_waits(word, o->field, &e->field, err);
#define CPU(...)
#define BESIDE(word, field, kind) OPTION_##kind(word, field)
#define X(word, sort, ...)        sort(word, __VA_ARGS__)
#include "def/event_word.def"
#undef X
#undef BESIDE
#undef CPU
    return rc;
}

int wick_opt_events(const struct wick_session_opts *o, struct wick_opt_events *out, struct wick_err *err)
{
    struct wick_opt_events e = {.cpu_interval = o->interval_ns};
    int rc = parse_options(o, &e, err);
    for (const char *p = o->event; !rc && *o->event; p++) {
        char word[WICK_OPT_STR_MAX];
        size_t n = strcspn(p, ",");
        memcpy(word, p, n);
        word[n] = 0;
        rc = parse_word(word, o->event, &e, err);
        p += n;
        if (!*p)
            break;
    }
    if (rc)
        return rc;
    /* a bare -i is that of the only event; beside another one the wall clock has its own */
    if (e.wall_ns == UNSAID)
        e.wall_ns = e.cpu[0] ? WICK_OPT_WALL_DEFAULT_NS : o->interval_ns;
    *out = e;
    return 0;
}
