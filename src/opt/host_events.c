/* SPDX-License-Identifier: Apache-2.0 */
#include "opt/host_events.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/distance.h"
#include "opt/option.h"

#define THRESHOLD_NS       1000000u
#define LEAST_THRESHOLD_NS 1000u
#define MOST_THRESHOLD_NS  4000000000u /* times 32 bits in the kernel */
#define MOST_PERIOD        1000000000000u
#define TRACEPOINT         "tracepoint:" /* as bpftrace spells it; perf does without */

#define ALLOC_BYTES      (UINT64_C(512) << 10)
#define MOST_ALLOC_BYTES ((uint64_t)UINT32_MAX) /* times 32 bits in the kernel */

enum kind { INTERVAL, THRESHOLD, PERIOD, SIZE };

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

/* Those of perf that are counted; CPU time is sampled by the clock of each CPU. */
static const struct {
    const char *name;
    bool cpu_time;
} perf_events[] = {
#define X(name, type, config, period, cpu_time) {name, cpu_time},
#include "def/perf_event.def"
#undef X
};

/* The row of a word and the text behind it, "" if there is none; NULL if it has no row. */
static const struct host_word *row_of(const char *word, const char **text)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i].word);
        if (strncmp(word, words[i].word, n) != 0 || (word[n] && (words[i].kind == INTERVAL || word[n] != '=')))
            continue;
        *text = word + n + (word[n] == '=');
        return &words[i];
    }
    return NULL;
}

static bool is_perf_event(const char *name)
{
    for (size_t i = 0; i < sizeof perf_events / sizeof *perf_events; i++)
        if (!strcmp(name, perf_events[i].name))
            return !perf_events[i].cpu_time;
    return name[0] == 'r' && name[1] && !name[1 + strspn(name + 1, "0123456789abcdefABCDEF")];
}

/* A number from 1 on. */
static bool parse_period(const char *text, uint64_t most, uint64_t *period)
{
    size_t digits = strspn(text, "0123456789");
    *period = strtoull(text, NULL, 10);
    return digits && digits < 19 && !text[digits] && *period && *period <= most;
}

/* NAME or NAME=PERIOD; a name may have `=` in it as well, in the path of a library. */
static bool take_counted(const char *word, struct wick_opt_host_events *out)
{
    char name[WICK_OPT_HOST_NAME];
    uint64_t period = 0;
    const char *from = strncmp(word, TRACEPOINT, strlen(TRACEPOINT)) ? word : word + strlen(TRACEPOINT);
    const char *last = strrchr(from, '=');
    size_t n = last && !strchr(last, ':') && !strchr(last, '/') ? (size_t)(last - from) : strlen(from);
    if (from[n] && !parse_period(from + n + 1, MOST_PERIOD, &period))
        return false;
    if (!n || n >= sizeof name || out->ncounted == WICK_OPT_HOST_COUNTED)
        return false;
    memcpy(name, from, n);
    name[n] = 0;
    const char *colon = strchr(name, ':');
    if (colon ? colon == name || !colon[1] : from != word || !is_perf_event(name))
        return false;
    for (uint32_t i = 0; i < out->ncounted; i++)
        if (!strcmp(out->counted[i].name, name))
            return false;
    struct wick_opt_host_counted *c = &out->counted[out->ncounted++];
    memcpy(c->name, name, n + 1);
    c->period = period;
    return true;
}

static bool take(const char *word, uint64_t interval_ns, struct wick_opt_host_events *out)
{
    const char *text;
    const struct host_word *row = row_of(word, &text);
    if (!row)
        return take_counted(word, out);
    bool given = text[-1] == '=';
    uint64_t ns = row->kind == INTERVAL    ? interval_ns
                  : row->kind == THRESHOLD ? THRESHOLD_NS
                  : row->kind == SIZE      ? ALLOC_BYTES
                                           : 1;
    if (row->kind == THRESHOLD && given &&
        (wick_opt_interval(text, false, &ns) || ns < LEAST_THRESHOLD_NS || ns > MOST_THRESHOLD_NS))
        return false;
    if (row->kind == PERIOD && given && !parse_period(text, UINT32_MAX, &ns))
        return false;
    if (row->kind == SIZE && given && (wick_opt_size(text, &ns) || !ns || ns > MOST_ALLOC_BYTES))
        return false;
    memcpy((char *)out + row->offset, &ns, sizeof ns);
    return true;
}

/* Probes that other programs have by these names. */
static bool is_kernel_function(const char *word)
{
    static const char *const prefixes[] = {"kprobe:", "kretprobe:", "kfunc:", "kretfunc:", "fentry:", "fexit:"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strncmp(word, prefixes[i], strlen(prefixes[i])))
            return true;
    return false;
}

static void compare(const char *word, size_t n, const char *name, size_t *least, const char **near)
{
    size_t d = wick_distance(word, n, name);
    if (d < *least && d < n) {
        *least = d;
        *near = name;
    }
}

/* The event that was meant by a misspelt word; NULL if it resembles none, or is one. */
static const char *nearest(const char *word)
{
    const char *near = NULL;
    size_t n = strcspn(word, "="), least = 3;
    if (strchr(word, ':'))
        return NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        compare(word, n, words[i].word, &least, &near);
    for (size_t i = 0; i < sizeof perf_events / sizeof *perf_events; i++)
        if (!perf_events[i].cpu_time)
            compare(word, n, perf_events[i].name, &least, &near);
    return least ? near : NULL;
}

static int wrong(const char *list, const char *word, struct wick_err *err)
{
    const char *near = nearest(word);
    if (is_kernel_function(word))
        return wick_err_set(
            err, WICK_E_USAGE,
            "option event: '%.100s': there are no probes of functions of the kernel. Its tracepoints work instead, as "
            "in "
            "syscalls:sys_enter_openat (`perf list tracepoint` shows all), and for functions of programs and libraries "
            "uprobe:/PATH/OF/LIBRARY:FUNCTION and uretprobe:/PATH/OF/LIBRARY:FUNCTION",
            word);
    if (near)
        return wick_err_set(err, WICK_E_USAGE, "option event: there is no event '%.40s': did you mean '%s'?", word,
                            near);
    return wick_err_set(
        err, WICK_E_USAGE,
        "option event: '%.100s' is not a list of any of:%s (THRESHOLD: a time from 1us to 4s; N: one of so "
        "many; SIZE: less than 4g), and at most %d "
        "counted events, each once, as NAME or NAME=N (every Nth): page-faults and other events of perf, "
        "tracepoints such as sched:sched_process_exec, uprobe:/PATH/OF/LIBRARY:FUNCTION, "
        "uretprobe:/PATH/OF/LIBRARY:FUNCTION, usdt:PROVIDER:NAME and usdt:/PATH/OF/FILE:PROVIDER:NAME",
        list, known, WICK_OPT_HOST_COUNTED);
}

int wick_opt_host_events(const char *list, uint64_t interval_ns, struct wick_opt_host_events *out, struct wick_err *err)
{
    struct wick_opt_host_events e = {0};
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char word[WICK_OPT_HOST_NAME + 32];
        size_t n = strcspn(at, ",");
        memcpy(word, at, n < sizeof word ? n : 0);
        word[n < sizeof word ? n : 0] = 0;
        if (is_kernel_function(word) || !take(word, interval_ns, &e))
            return wrong(list, word, err);
    }
    *out = e;
    return 0;
}
