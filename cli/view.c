/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/input.h"
#include "cli/ui.h"
#include "jfr/reader.h"
#include "opt/option.h"

const char wick_view_help[] =
    "Samples to take:\n"
    "  -e, --event NAME        an event type's name, or cpu, wall, native, perf, alloc, live, lock, park (not\n"
    "                          Object.wait or sleep: wait), io, nativemem, nativelive, trace, exception,\n"
    "                          nativelock (default: the first of these that there is)\n"
    "      --from T, --to T    from and until: 90s or -10s (from begin or end), 25%, 10:30:00 or\n"
    "                          2026-11-21T10:30:00 (UTC), @SECONDS (since 1970)\n"
    "      --thread REGEX      threads of such a name\n"
    "      --state REGEX       threads in such a state\n"
    "      --process REGEX     processes of such a name or number, where the data has them\n"
    "      --where KEY=VALUE   with that label; KEY~REGEX; a KEY may also be thread, tid, state, event, kind, work\n"
    "      --include REGEX     with such a frame in the stack\n"
    "      --exclude REGEX     without such a frame\n"
    "      --no-idle           without threads that wait: parked, asleep, in a poll\n"
    "      --own               with wick's own threads and frames; convert has them always\n"
    "\n"
    "Stacks:\n"
    "      --by KEY            a root frame for each value of a label, or of thread, state ... (several: outermost\n"
    "                          first)\n"
    "      --classify          a root frame for the kind of work: GC, JIT compiler, class loading, kernel, VM, Java "
    "...\n"
    "      --skip N            leave out N frames at the root\n"
    "      --depth N           keep at most N frames from the root\n"
    "      --inline MODE       show (default), or fold: the weight of inlined methods is their caller's\n"
    "      --names STYLE       simple (no packages), signatures, normalised (lambdas, proxies and hidden classes\n"
    "                          without serial numbers); several separated by commas\n"
    "      --lines             line numbers\n";

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
        return bad("--where wants KEY=VALUE or KEY~REGEX", arg, err);
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
            return bad("--names wants simple, signatures or normalised", arg, err);
        v->names |= styles[i].flag;
        s += n;
        if (!*s)
            return 0;
    }
}

static int take_test(struct wick_view *v, int opt, const char *arg, struct wick_err *err)
{
    static const char *const keys[] = {
        [WICK_VIEW_THREAD - WICK_VIEW_FROM] = "thread",
        [WICK_VIEW_STATE - WICK_VIEW_FROM] = "state",
        [WICK_VIEW_PROCESS - WICK_VIEW_FROM] = "process",
    };
    if (opt == WICK_VIEW_INCLUDE)
        return wick_shape_test(&v->shape, WICK_TEST_INCLUDE, NULL, NULL, arg, err);
    if (opt == WICK_VIEW_EXCLUDE)
        return wick_shape_test(&v->shape, WICK_TEST_EXCLUDE, NULL, NULL, arg, err);
    return wick_shape_test(&v->shape, WICK_TEST_VALUE, keys[opt - WICK_VIEW_FROM], NULL, arg, err);
}

int wick_view_option(struct wick_view *v, int opt, const char *arg, struct wick_err *err)
{
    switch (opt) {
    case 'e':
        v->event = arg;
        return 0;
    case WICK_VIEW_FROM:
        v->from = arg;
        return 0;
    case WICK_VIEW_UNTIL:
        v->to = arg;
        return 0;
    case WICK_VIEW_THREAD:
    case WICK_VIEW_STATE:
    case WICK_VIEW_PROCESS:
    case WICK_VIEW_INCLUDE:
    case WICK_VIEW_EXCLUDE:
        return take_test(v, opt, arg, err);
    case WICK_VIEW_WHERE:
        return take_where(v, arg, err);
    case WICK_VIEW_BY:
        return take_group(v, arg, err);
    case WICK_VIEW_CLASSIFY:
        return take_group(v, "work", err);
    case WICK_VIEW_REVERSE:
        v->shape.reverse = true;
        return 0;
    case WICK_VIEW_SKIP:
        return take_number(&v->shape.skip, "--skip wants a number of frames", arg, err);
    case WICK_VIEW_DEPTH:
        return take_number(&v->shape.depth, "--depth wants a number of frames", arg, err);
    case WICK_VIEW_NO_IDLE:
        v->shape.no_idle = true;
        return 0;
    case WICK_VIEW_OWN:
        v->shape.no_own = false;
        return 0;
    case WICK_VIEW_NAMES:
        return take_names(v, arg, err);
    case WICK_VIEW_INLINE:
        v->shape.fold_inlined = !strcmp(arg, "fold");
        return strcmp(arg, "fold") && strcmp(arg, "show") ? bad("--inline wants show or fold", arg, err) : 0;
    case WICK_VIEW_LINES:
        v->names |= WICK_NAME_LINES;
        return 0;
    case WICK_VIEW_SIMPLE:
        v->names |= WICK_NAME_SIMPLE;
        return 0;
    case WICK_VIEW_SIGNATURES:
        v->names |= WICK_NAME_SIGNATURES;
        return 0;
    default:
        return -WICK_E_NOTFOUND;
    }
}

int wick_view_take(struct wick_view *v, int opt, const char *arg, const char *command)
{
    struct wick_err err = {0};
    int rc = opt ? wick_view_option(v, opt, arg, &err) : 0; /* 0: getopt has stored it */
    if (!rc)
        return -1;
    if (rc == -WICK_E_NOTFOUND) /* getopt has complained about an unknown option */
        fprintf(stderr, "wick: `wick %s --help` lists the options\n", command);
    return rc == -WICK_E_NOTFOUND ? wick_err_exit(WICK_E_USAGE) : wick_ui_fail(&err);
}

void wick_view_print_own(const struct wick_profile *p, uint16_t event, uint64_t shown, FILE *out)
{
    const struct wick_event_type *e = &p->events[event];
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
    return !v->from && !v->to && wick_shape_is_plain(&v->shape);
}

/* --- reading --- */

/* True if a time needs no recording to count from. */
static bool is_absolute(const char *text)
{
    return !text || *text == '@' || (strlen(text) > 10 && text[4] == '-');
}

static int range_of(const struct wick_view *v, char *const *paths, int n, struct wick_filter *f, struct wick_err *err)
{
    int64_t start = 0, end = 0;
    const char *const texts[] = {v->from, v->to};
    int64_t *const out[] = {&f->from_ns, &f->to_ns};
    int rc = 0;
    bool absolute = is_absolute(v->from) && is_absolute(v->to);
    for (int i = 0; !rc && !absolute && i < n; i++)
        rc = wick_cli_span(paths[i], &start, &end, err);
    for (int i = 0; !rc && i < 2; i++)
        if (texts[i] && wick_opt_when(texts[i], start, end, out[i]))
            rc = bad("a time is 90s, -10s, 25%, 10:30:00, 2026-11-21T10:30:00 or @SECONDS", texts[i], err);
    if (!rc && v->from && v->to && f->to_ns <= f->from_ns)
        rc = wick_err_set(err, WICK_E_USAGE, "nothing lies between --from %s and --to %s", v->from, v->to);
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
    *filter = (struct wick_filter){0};
    wick_shape_prepare(&v->shape, p);
    return v->from || v->to ? range_of(v, paths, n, filter, err) : 0;
}

int wick_view_end(const struct wick_view *v, struct wick_profile *p, const struct wick_filter *filter,
                  struct wick_err *err)
{
    bool any = wick_profile_main_event(p) != 0;
    clip(p, filter);
    int rc = wick_shape_apply(&v->shape, p, v->moved, err);
    if (!rc && !any && !wick_view_is_plain(v))
        rc = wick_err_set(err, WICK_E_NOTFOUND, "there are no samples in that time");
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
