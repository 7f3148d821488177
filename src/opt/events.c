/* SPDX-License-Identifier: Apache-2.0 */
#include "opt/events.h"

#include <string.h>

/* "", "on", "INTERVAL" (as in async-profiler), "THRESHOLD/INTERVAL", "/INTERVAL" or "THRESHOLD/". An interval of zero
 * takes every wait. */
static int parse_waits(const char *option, const char *text, struct wick_opt_waits *w, struct wick_err *err)
{
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
    if (!w->interval_ns)
        w->interval_ns = 1;
    return 0;
}

/* "", "on" or a size, of which 0 samples every allocation. */
static int parse_size(const char *option, const char *text, uint64_t *bytes, struct wick_err *err)
{
    uint64_t size = WICK_OPT_ALLOC_DEFAULT;
    if (*text && strcmp(text, "on") != 0 && wick_opt_size(text, &size))
        return wick_err_set(err, WICK_E_USAGE, "option %s: '%.100s' is not a size such as 512k", option, text);
    if (size > WICK_OPT_ALLOC_MOST)
        return wick_err_set(err, WICK_E_USAGE, "option %s: '%.100s' is too large: 1g is the most", option, text);
    *bytes = size;
    return 0;
}

static int parse_alloc(const char *text, struct wick_opt_events *e, struct wick_err *err)
{
    int rc = parse_size("alloc", text, &e->alloc, err);
    if (!rc && !e->alloc)
        e->alloc = 1;
    return rc;
}

static int parse_nativemem(const char *text, struct wick_opt_events *e, struct wick_err *err)
{
    e->nativemem.on = true;
    return parse_size("nativemem", text, &e->nativemem.interval, err);
}

/* The text behind `name` or `name=`; NULL if the word is another. */
static const char *behind(const char *word, const char *name)
{
    size_t n = strlen(name);
    if (strncmp(word, name, n) != 0 || (word[n] && word[n] != '='))
        return NULL;
    return word + n + (word[n] == '=');
}

#define CPU(word)
#define BESIDE(word)  " " word
#define X(word, sort) sort(word)
static const char besides[] =
#include "def/event_word.def"
    ;
#undef X
#undef CPU
#undef BESIDE

/* One word of the list. */
static int parse_word(const char *word, const char *list, struct wick_opt_events *e, bool *wall, struct wick_err *err)
{
    const char *text;
    if (!strcmp(word, "wall"))
        *wall = true;
    else if (!strcmp(word, "live"))
        e->live = true;
    else if (!strcmp(word, "ttsp"))
        e->ttsp = true;
    else if ((text = behind(word, "alloc")))
        return parse_alloc(text, e, err);
    else if ((text = behind(word, "nativemem")))
        return parse_nativemem(text, e, err);
    else if ((text = behind(word, "lock")))
        return parse_waits("lock", text, &e->lock, err);
    else if ((text = behind(word, "nativelock")))
        return parse_waits("nativelock", text, &e->native, err);
    else if (!*word || e->cpu[0])
        return wick_err_set(
            err, WICK_E_USAGE,
            "option event: '%.100s' is not a list of at most one CPU or perf event, and any of:%s (-e cpu,alloc)", list,
            besides);
    else
        strcpy(e->cpu, word); /* a part of a text of the same size */
    return 0;
}

int wick_opt_events(const struct wick_session_opts *o, struct wick_opt_events *out, struct wick_err *err)
{
    struct wick_opt_events e = {.cpu_interval = o->interval_ns,
                                .wall_ns = o->wall_ns,
                                .live = o->live,
                                .ttsp = o->ttsp,
                                .lock.interval_ns = WICK_OPT_LOCK_DEFAULT_NS,
                                .native.interval_ns = WICK_OPT_LOCK_DEFAULT_NS};
    bool wall = false;
    int rc = o->lock[0] ? parse_waits("lock", o->lock, &e.lock, err) : 0;
    if (!rc && o->native_lock[0])
        rc = parse_waits("nativelock", o->native_lock, &e.native, err);
    if (!rc && o->alloc[0])
        rc = parse_alloc(o->alloc, &e, err);
    if (!rc && o->nativemem[0])
        rc = parse_nativemem(o->nativemem, &e, err);
    for (const char *p = o->event; !rc && *o->event; p++) {
        char word[WICK_OPT_STR_MAX];
        size_t n = strcspn(p, ",");
        memcpy(word, p, n);
        word[n] = 0;
        rc = parse_word(word, o->event, &e, &wall, err);
        p += n;
        if (!*p)
            break;
    }
    if (rc)
        return rc;
    /* a bare -i is that of the only event; beside another one the wall clock has its own */
    if (wall && !e.wall_ns)
        e.wall_ns = e.cpu[0] ? WICK_OPT_WALL_DEFAULT_NS : o->interval_ns;
    *out = e;
    return 0;
}
