/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/input/view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/input/inputs.h"
#include "cli/ui.h"
#include "jfr/reader/reader.h"
#include "opt/option.h"

static int bad(const char *what, const char *arg, struct wick_err *err)
{
    return wick_err_set(err, WICK_E_USAGE, "%s, not '%s'", what, arg);
}

static int take_number(uint32_t *out, const char *what, const char *arg, struct wick_err *err)
{
    char *end;
    unsigned long n = strtoul(arg, &end, 10);
    if (*arg < '0' || *arg > '9' || *end || n > 1000000)
        return bad(what, arg, err);
    *out = (uint32_t)n;
    return 0;
}

const char *wick_view_key(const char *key)
{
    return strncmp(key, "label:", 6) ? key : key + 6;
}

/* "key=value" or "key~regex"; the argument lives as long as the program, so the key may be cut out of it. */
static int take_where(struct wick_view *v, const char *arg, struct wick_err *err)
{
    size_t n = strcspn(arg, "=~");
    if (!n || !arg[n])
        return bad("--where takes KEY=VALUE or KEY~REGEX", arg, err);
    char sort = arg[n];
    ((char *)(uintptr_t)arg)[n] = 0;
    return wick_shape_test(&v->shape, WICK_TEST_VALUE, wick_view_key(arg), sort == '=' ? arg + n + 1 : NULL,
                           arg + n + 1, err);
}

static int take_group(struct wick_view *v, const char *key, struct wick_err *err)
{
    if (v->shape.nby == WICK_SHAPE_GROUPS)
        return wick_err_set(err, WICK_E_LIMIT, "more than %u groups", WICK_SHAPE_GROUPS);
    v->shape.by[v->shape.nby++] = wick_view_key(key);
    return 0;
}

static int take_names(struct wick_view *v, const char *arg, struct wick_err *err)
{
    static const struct {
        const char *name;
        unsigned flag;
    } styles[] = {{"simple", WICK_NAME_SIMPLE},
                  {"signatures", WICK_NAME_SIGNATURES},
                  {"normalised", WICK_NAME_NORMALISED},
                  {"normalized", WICK_NAME_NORMALISED}};
    for (const char *s = arg;; s++) {
        size_t n = strcspn(s, ","), i = 0, count = sizeof styles / sizeof *styles;
        while (i < count && (strlen(styles[i].name) != n || strncmp(styles[i].name, s, n) != 0))
            i++;
        if (i == count)
            return bad("--names takes simple, signatures or normalised", arg, err);
        v->names |= styles[i].flag;
        s += n;
        if (!*s)
            return 0;
    }
}

static int take_test(struct wick_view *v, int opt, const char *arg, struct wick_err *err)
{
    if (opt == WICK_ARG_INCLUDE)
        return wick_shape_test(&v->shape, WICK_TEST_INCLUDE, NULL, NULL, arg, err);
    if (opt == WICK_ARG_EXCLUDE)
        return wick_shape_test(&v->shape, WICK_TEST_EXCLUDE, NULL, NULL, arg, err);
    if (opt == WICK_ARG_EXCLUDE_PATH)
        return wick_shape_test_path(&v->shape, arg, err);
    return wick_shape_test(&v->shape, WICK_TEST_VALUE, wick_args_name(opt), NULL, arg, err);
}

/* 0, -WICK_E_USAGE with a message, or -WICK_E_NOTFOUND if it is not a view's option. */
static int take_option(struct wick_view *v, int opt, const char *arg, struct wick_err *err)
{
    switch (opt) {
    case WICK_ARG_EVENT:
        v->event = arg;
        return 0;
    case WICK_ARG_FROM:
        v->from = arg;
        return 0;
    case WICK_ARG_UNTIL:
        v->to = arg;
        return 0;
    case WICK_ARG_THREAD:
    case WICK_ARG_STATE:
    case WICK_ARG_PROCESS:
    case WICK_ARG_INCLUDE:
    case WICK_ARG_EXCLUDE:
    case WICK_ARG_EXCLUDE_PATH:
        return take_test(v, opt, arg, err);
    case WICK_ARG_WHERE:
        return take_where(v, arg, err);
    case WICK_ARG_BY:
        return take_group(v, arg, err);
    case WICK_ARG_CLASSIFY:
        return take_group(v, "work", err);
    case WICK_ARG_REVERSE:
        v->shape.reverse = true;
        return 0;
    case WICK_ARG_SKIP:
        return take_number(&v->shape.skip, "--skip takes a number of frames", arg, err);
    case WICK_ARG_DEPTH:
        return take_number(&v->shape.depth, "--depth takes a number of frames", arg, err);
    case WICK_ARG_FOLD_STARTS:
        v->shape.fold_starts = true;
        return 0;
    case WICK_ARG_CALLERS_OF:
    case WICK_ARG_CALLEES_OF:
        return wick_shape_focus(&v->shape, arg, opt == WICK_ARG_CALLERS_OF, err);
    case WICK_ARG_NO_IDLE:
        v->shape.no_idle = true;
        return 0;
    case WICK_ARG_SURVIVED:
        return take_number(&v->survived, "--survived takes a number of collections", arg, err);
    case WICK_ARG_OWN:
        v->shape.no_own = false;
        return 0;
    case WICK_ARG_NAMES:
        return take_names(v, arg, err);
    case WICK_ARG_INLINE:
        v->shape.fold_inlined = !strcmp(arg, "fold");
        return strcmp(arg, "fold") && strcmp(arg, "show") ? bad("--inline takes show or fold", arg, err) : 0;
    case WICK_ARG_LINES:
        v->names |= WICK_NAME_LINES;
        return 0;
    case WICK_ARG_SIMPLE:
        v->names |= WICK_NAME_SIMPLE;
        return 0;
    case WICK_ARG_SIGNATURES:
        v->names |= WICK_NAME_SIGNATURES;
        return 0;
    default:
        return -WICK_E_NOTFOUND;
    }
}

int wick_view_take(struct wick_view *v, int opt, const char *arg, const char *command)
{
    struct wick_err err = {0};
    int rc = take_option(v, opt, arg, &err);
    if (!rc)
        return -1;
    if (rc == -WICK_E_NOTFOUND) /* getopt has complained about an unknown option */
        fprintf(stderr, "wick: `wick %s --help` lists the options\n", command);
    return rc == -WICK_E_NOTFOUND ? wick_err_exit(WICK_E_USAGE) : wick_ui_fail(&err);
}

void wick_view_print_own(const struct wick_profile *p, uint16_t event, uint64_t shown, FILE *out)
{
    const struct wick_sample_type *e = &p->events[event];
    double share = 100 * (double)e->own / ((double)e->own + (double)shown);
    if (!e->own)
        return;
    if (e->unit == WICK_UNIT_NS)
        fprintf(out, "wick's own work, %.1f ms (%.2f %%), is left out; --own shows it\n", (double)e->own / 1e6, share);
    else
        fprintf(out, "wick's own work, %.2f %%, is left out; --own shows it\n", share);
}

void wick_view_release(struct wick_view *v)
{
    wick_shape_release(&v->shape);
}

bool wick_view_is_plain(const struct wick_view *v)
{
    return !v->from && !v->to && !v->survived && wick_shape_is_plain(&v->shape);
}

/* --- reading --- */

/* True if a time needs no recording to count from. */
static bool is_absolute(const char *text)
{
    return !text || *text == '@' || (strlen(text) > 10 && text[4] == '-');
}

int wick_view_range(const char *from, const char *to, char *const *paths, int n, int64_t *from_ns, int64_t *to_ns,
                    struct wick_err *err)
{
    int64_t start = 0, end = 0;
    const char *const texts[] = {from, to};
    int64_t *const out[] = {from_ns, to_ns};
    int rc = 0;
    bool absolute = is_absolute(from) && is_absolute(to);
    *from_ns = *to_ns = 0;
    for (int i = 0; !rc && !absolute && i < n; i++)
        rc = wick_cli_span(paths[i], &start, &end, err);
    for (int i = 0; !rc && i < 2; i++)
        if (texts[i] && wick_opt_when(texts[i], start, end, out[i]))
            rc = bad("a time is 90s, -10s, 25%, 10:30:00, 2026-11-21T10:30:00 or @SECONDS", texts[i], err);
    if (!rc && from && to && *to_ns <= *from_ns)
        rc = wick_err_set(err, WICK_E_USAGE, "nothing lies between --from %s and --to %s", from, to);
    return rc;
}

/* The time that is left of what the recordings cover. */
static void clip(struct wick_profile *p, const struct wick_filter *f)
{
    if (f->from_ns > p->start_ns && f->from_ns < p->end_ns)
        p->start_ns = f->from_ns;
    if (f->to_ns && f->to_ns < p->end_ns && f->to_ns > p->start_ns)
        p->end_ns = f->to_ns;
}

int wick_view_begin(const struct wick_view *v, struct wick_profile *p, char *const *paths, int n,
                    struct wick_filter *filter, struct wick_err *err)
{
    *filter = (struct wick_filter){.survived = v->survived};
    wick_shape_prepare(&v->shape, p);
    if (!v->from && !v->to)
        return 0;
    return wick_view_range(v->from, v->to, paths, n, &filter->from_ns, &filter->to_ns, err);
}

int wick_view_end(const struct wick_view *v, struct wick_profile *p, const struct wick_filter *filter,
                  struct wick_err *err)
{
    bool any = wick_profile_main_event(p) != 0;
    clip(p, filter);
    int rc = wick_shape_apply(&v->shape, p, v->moved, err);
    if (!rc && !any && !wick_view_is_plain(v))
        rc = wick_err_set(err, WICK_E_NOTFOUND,
                          v->survived ? "there are no live objects that have survived so many collections"
                                      : "there are no samples in that time");
    if (!rc && any && !wick_profile_main_event(p))
        rc = wick_err_set(err, WICK_E_NOTFOUND,
                          wick_view_is_plain(v) ? "there are no samples but wick's own; --own shows them"
                                                : "none of the samples fits the conditions");
    return rc;
}

int wick_view_read(const struct wick_view *v, struct wick_profile *p, char *const *paths, int n, struct wick_err *err)
{
    struct wick_filter filter;
    int rc = wick_view_begin(v, p, paths, n, &filter, err);
    rc = rc ? rc : wick_cli_read_each(p, paths, n, &(struct wick_jfr_visitor){.filter = filter}, err);
    return rc ? rc : wick_view_end(v, p, &filter, err);
}
