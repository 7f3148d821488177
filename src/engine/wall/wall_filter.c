/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/wall/wall_filter.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_COPIES = 1000 };

/* The C library writes a{1000} out as a thousand a's, inner ones first: ((a{200}){200}){200} takes all memory there is.
 */
static bool is_modest(const char *text)
{
    unsigned long copies = 1;
    for (const char *p = text; copies <= MOST_COPIES && (p = strchr(p, '{')); p++) {
        char *end;
        unsigned long lo = strtoul(p + 1, &end, 10), hi = *end == ',' ? strtoul(end + 1, NULL, 10) : 0;
        unsigned long n = hi > lo ? hi : lo;
        copies = n > MOST_COPIES ? n : n ? copies * n : copies;
    }
    return copies <= MOST_COPIES;
}

static int parse_names(struct wick_wall_filter *f, const char *text, struct wick_err *err)
{
    char why[160];
    if (!is_modest(text))
        return wick_err_set(err, WICK_E_USAGE, "option filter: '%.100s' repeats too much", text);
    int rc = *text ? regcomp(&f->names, text, REG_EXTENDED | REG_NOSUB) : REG_BADPAT;
    if (!rc) {
        f->kind = WICK_WALL_NAMES;
        return 0;
    }
    regerror(rc, &f->names, why, sizeof why);
    return wick_err_set(err, WICK_E_USAGE, "option filter: '%.100s' is not a regular expression: %s", text, why);
}

/* A thread id; 0 if there is none. */
static int32_t parse_tid(const char **p)
{
    char *end;
    if (**p < '0' || **p > '9')
        return 0;
    unsigned long v = strtoul(*p, &end, 10);
    *p = end;
    return v <= INT32_MAX ? (int32_t)v : 0;
}

static int parse_tids(struct wick_wall_filter *f, const char *text, struct wick_err *err)
{
    const char *p = text;
    for (;; p++) {
        int32_t lo = parse_tid(&p), hi = lo;
        if (*p == '-') {
            p++;
            hi = parse_tid(&p);
        }
        if (lo <= 0 || hi < lo || (*p && *p != ','))
            return wick_err_set(err, WICK_E_USAGE, "option filter: 'tids:%.100s' is not a list such as tids:12,20-29",
                                text);
        if (f->ranges == WICK_WALL_RANGES)
            return wick_err_set(err, WICK_E_USAGE, "option filter: at most %d ranges of thread ids", WICK_WALL_RANGES);
        f->tids[f->ranges].lo = lo;
        f->tids[f->ranges++].hi = hi;
        if (!*p)
            break;
    }
    f->kind = WICK_WALL_TIDS;
    return 0;
}

int wick_wall_filter_parse(struct wick_wall_filter *f, const char *text, struct wick_err *err)
{
    *f = (struct wick_wall_filter){.kind = WICK_WALL_AUTO};
    if (!*text)
        return 0;
    if (!strncmp(text, "names:", 6))
        return parse_names(f, text + 6, err);
    if (!strncmp(text, "tids:", 5))
        return parse_tids(f, text + 5, err);
    if (strcmp(text, "all") && strcmp(text, "context"))
        return wick_err_set(err, WICK_E_USAGE, "option filter: '%.100s' is not all, context, names:REGEX or tids:LIST",
                            text);
    f->kind = *text == 'a' ? WICK_WALL_ALL : WICK_WALL_CONTEXT;
    return 0;
}

void wick_wall_filter_release(struct wick_wall_filter *f)
{
    if (f->kind == WICK_WALL_NAMES)
        regfree(&f->names);
    f->kind = WICK_WALL_AUTO;
}

bool wick_wall_filter_admits(const struct wick_wall_filter *f, const char *name, int32_t tid)
{
    if (f->kind == WICK_WALL_NAMES)
        return name && !regexec(&f->names, name, 0, NULL, 0);
    if (f->kind != WICK_WALL_TIDS)
        return true;
    for (uint32_t i = 0; i < f->ranges; i++)
        if (tid >= f->tids[i].lo && tid <= f->tids[i].hi)
            return true;
    return false;
}
