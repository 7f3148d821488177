/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shape.c - rewriting stacks, and what is left of a profile (choose.c decides which samples are)
 *
 * Rewritten stacks are pushed into the same prefix tree: old ones stay, without samples. How a stack is rewritten
 * depends on the stack alone but for the groups at its root, so each is rewritten once and then hung under the frames
 * of its group.
 */
#include "model/shape.h"
#include "model/agg_value.h"
#include "base/sum.h"
#include "model/choose.h"
#include "model/classify.h"
#include "model/name.h"
#include "model/thread_start.h"

#include <inttypes.h>
#include <stdlib.h>

/* Room for one more; NULL with a message if there is none. */
static struct wick_test *next_test(struct wick_shape *s, struct wick_err *err)
{
    if (s->ntests < WICK_SHAPE_TESTS)
        return &s->tests[s->ntests];
    wick_err_set(err, WICK_E_LIMIT, "more than %u conditions", WICK_SHAPE_TESTS);
    return NULL;
}

int wick_shape_test(struct wick_shape *s, enum wick_test_what what, const char *key, const char *equal,
                    const char *expression, struct wick_err *err)
{
    char why[128];
    struct wick_test *t = next_test(s, err);
    if (!t)
        return -WICK_E_LIMIT;
    *t = (struct wick_test){.what = what, .key = key, .equal = equal};
    int rc = equal ? 0 : regcomp(&t->regex, expression, REG_EXTENDED | REG_NOSUB);
    if (rc) {
        regerror(rc, &t->regex, why, sizeof why);
        return wick_err_set(err, WICK_E_USAGE, "'%s' is not a regular expression: %s", expression, why);
    }
    s->ntests++;
    return 0;
}

int wick_shape_test_path(struct wick_shape *s, const char *path, struct wick_err *err)
{
    struct wick_test *t = next_test(s, err);
    if (!t)
        return -WICK_E_LIMIT;
    *t = (struct wick_test){.what = WICK_TEST_EXCLUDE_PATH};
    int rc = wick_frame_path_parse(&t->path, path, err);
    if (!rc)
        s->ntests++;
    return rc;
}

int wick_shape_test_frame(struct wick_shape *s, const char *name, struct wick_err *err)
{
    struct wick_strbuf expression = WICK_STRBUF_INIT;
    wick_strbuf_addc(&expression, '^');
    for (; *name; name++) {
        if (strchr("\\^$.[]|()*+?{}", *name))
            wick_strbuf_addc(&expression, '\\');
        wick_strbuf_addc(&expression, *name);
    }
    wick_strbuf_addc(&expression, '$');
    int rc = expression.failed ? wick_err_set(err, WICK_E_NOMEM, "out of memory")
                               : wick_shape_test(s, WICK_TEST_INCLUDE, NULL, NULL, expression.buf, err);
    wick_strbuf_release(&expression);
    return rc;
}

int wick_shape_focus(struct wick_shape *s, const char *name, bool callers, struct wick_err *err)
{
    if (s->focus)
        return wick_err_set(err, WICK_E_USAGE, "stacks can be cut at one method only");
    s->focus = name;
    s->callers = callers;
    return wick_shape_test_frame(s, name, err);
}

void wick_shape_release(struct wick_shape *s)
{
    for (uint32_t i = 0; i < s->ntests; i++)
        if (s->tests[i].what == WICK_TEST_EXCLUDE_PATH)
            wick_frame_path_free(s->tests[i].path);
        else if (!s->tests[i].equal)
            regfree(&s->tests[i].regex);
    s->ntests = 0;
}

static bool cuts(const struct wick_shape *s)
{
    return s->skip || s->depth || s->fold_inlined || s->reverse || s->fold_starts || s->focus;
}

bool wick_shape_is_plain(const struct wick_shape *s)
{
    return !s->ntests && !s->nby && !s->no_idle && !cuts(s);
}

static void prepare_key(struct wick_profile *p, const char *key)
{
    if (!strcmp(key, "state"))
        p->by_state = true;
    else if (!strcmp(key, "thread") || !strcmp(key, "tid") || !strcmp(key, "work"))
        p->by_thread = true;
    else if (strcmp(key, "event") != 0 && strcmp(key, "kind") != 0 && strcmp(key, "package") != 0)
        p->by_labels = true;
    p->by_span |= !strcmp(key, "traceId") || !strcmp(key, "spanId");
    if (!strcmp(key, "kind") || !strcmp(key, "work"))
        p->keep |= WICK_KEEP_JAVA_KINDS;
}

void wick_shape_prepare(const struct wick_shape *s, struct wick_profile *p)
{
    for (uint32_t i = 0; i < s->ntests; i++)
        if (s->tests[i].what == WICK_TEST_VALUE)
            prepare_key(p, s->tests[i].key);
    for (uint32_t i = 0; i < s->nby; i++)
        prepare_key(p, s->by[i]);
    p->by_state |= s->no_idle;
    p->by_labels |= s->no_idle; /* who waits in a request is not idle */
    if (s->fold_inlined)
        p->keep |= WICK_KEEP_JAVA_KINDS;
}

struct work {
    const struct wick_shape *s;
    struct wick_profile *p;
    uint32_t *rewritten; /* by stack: its rewritten form + 1, 0 = not yet */
    uint32_t *path;      /* room for the deepest stack, twice */
    uint32_t start;      /* the frame "[thread start]", with fold_starts */
    uint8_t *named;      /* by frame, with focus: whether it has that name */
    uint32_t nnamed;
    struct wick_strbuf text;
};

/* --- rewriting --- */

static void turn(uint32_t *path, uint32_t n)
{
    for (uint32_t i = 0; i < n / 2; i++) {
        uint32_t frame = path[i];
        path[i] = path[n - 1 - i];
        path[n - 1 - i] = frame;
    }
}

/* Makes one frame of those by which the thread begins, as wick_growing_folded does, but for those from `end` on; what
 * is left of n, or one more. */
static uint32_t fold_starts(const struct work *w, uint32_t *path, uint32_t n, uint32_t end)
{
    uint32_t starts = 0;
    while (starts < end && wick_frame_starts_thread(w->p, path[starts]))
        starts++;
    if (!starts)
        return n;
    uint32_t kept = starts == n ? 1 : n - starts;
    memmove(path + 1, path + n - kept, kept * sizeof *path);
    path[0] = w->start;
    return kept + 1;
}

/* The stack up to the outermost frame of the name that is asked for; 0 = there is none. */
static uint32_t focus_of(const struct work *w, uint32_t stack)
{
    uint32_t outermost = 0;
    for (uint32_t i = w->s->focus ? stack : 0; i; i = w->p->stacks[i].parent) {
        uint32_t frame = w->p->stacks[i].frame;
        outermost = frame < w->nnamed && w->named[frame] ? i : outermost;
    }
    return outermost;
}

/* Cuts at that frame, which is at `at`: what is folded are its callers. */
static uint32_t cut_at_focus(const struct work *w, uint32_t *path, uint32_t n, uint32_t at)
{
    if (w->s->callers) {
        n = w->s->fold_starts ? fold_starts(w, path, at + 1, at) : at + 1;
        turn(path, n);
        return n;
    }
    memmove(path, path + at, (n - at) * sizeof *path);
    return n - at;
}

/* The frames of a stack that are kept, root first, into w->path; returns how many. */
static uint32_t kept_frames(struct work *w, uint32_t stack)
{
    const struct wick_shape *s = w->s;
    uint32_t n = 0, *path = w->path, focus = focus_of(w, stack), at = 0;
    if (s->focus && !focus)
        return 0;
    for (uint32_t i = stack; i; i = w->p->stacks[i].parent) {
        uint32_t frame = w->p->stacks[i].frame;
        at = i == focus ? n : at;
        if (i == focus || ((!s->fold_inlined || w->p->frames[frame].kind != WICK_FRAME_INLINED) &&
                           (!s->no_own || !wick_frame_is_own(w->p, frame))))
            path[n++] = frame;
    }
    turn(path, n);
    if (s->focus)
        n = cut_at_focus(w, path, n, n - 1 - at);
    else if (s->fold_starts)
        n = fold_starts(w, path, n, n);
    if (s->reverse)
        turn(path, n);
    uint32_t skip = s->skip < n ? s->skip : n;
    n -= skip;
    memmove(path, path + skip, n * sizeof *path);
    return s->depth && s->depth < n ? s->depth : n;
}

static uint32_t group_frame(struct work *w, const struct wick_agg *a, const char *key)
{
    wick_strbuf_clear(&w->text);
    wick_strbuf_addc(&w->text, '[');
    if (!wick_agg_value(&w->text, w->p, a, key))
        wick_strbuf_addf(&w->text, "no %s", key);
    wick_strbuf_addc(&w->text, ']');
    uint32_t name = wick_profile_string(w->p, w->text.buf, w->text.len);
    return wick_profile_frame(w->p, wick_profile_function(w->p, 0, name, 0), 0, -1, WICK_FRAME_BOUNDARY);
}

static void rewrite(struct work *w, struct wick_agg *a)
{
    uint32_t root = 0;
    for (uint32_t i = 0; i < w->s->nby; i++)
        root = wick_profile_push(w->p, root, group_frame(w, a, w->s->by[i]));
    if (!root && w->rewritten[a->stack]) {
        a->stack = w->rewritten[a->stack] - 1;
        return;
    }
    uint32_t n = kept_frames(w, a->stack), stack = root;
    for (uint32_t i = 0; i < n; i++)
        stack = wick_profile_push(w->p, stack, w->path[i]);
    if (!root)
        w->rewritten[a->stack] = stack + 1;
    a->stack = stack;
}

/* Sums of the event types over what is left. */
static void sum_events(struct wick_profile *p)
{
    for (uint32_t i = 0; i < p->nevents; i++) {
        p->events[i].weight = 0;
        p->events[i].count = 0;
    }
    for (uint32_t i = 0; i < p->naggs; i++) {
        struct wick_sample_type *e = &p->events[p->aggs[i].event];
        e->weight = wick_sum(e->weight, p->aggs[i].weight);
        e->count = wick_sum_u64(e->count, p->aggs[i].count);
    }
}

/* What rewriting needs to know of frames. False without memory. */
static bool prepare_work(struct work *w)
{
    struct wick_profile *p = w->p;
    if (w->s->fold_starts) {
        uint32_t name = wick_profile_cstring(p, WICK_THREAD_START);
        w->start = wick_profile_frame(p, wick_profile_function(p, 0, name, 0), 0, -1, WICK_FRAME_BOUNDARY);
    }
    w->rewritten = calloc(p->nstacks, sizeof *w->rewritten);
    w->path = reallocarray(NULL, (size_t)p->nstacks + 1, sizeof *w->path);
    w->nnamed = w->s->focus ? p->nframes : 0;
    w->named = w->s->focus ? calloc(p->nframes, sizeof *w->named) : NULL;
    for (uint32_t i = 1; w->named && i < w->nnamed; i++) {
        wick_strbuf_clear(&w->text);
        wick_name_add_frame(&w->text, p, i, 0);
        w->named[i] = !w->text.failed && !strcmp(w->text.buf, w->s->focus);
    }
    return w->rewritten && w->path && (!w->s->focus || w->named);
}

/* True if a frame of the profiler's is in some stack. */
static bool has_own(const struct wick_profile *p)
{
    for (uint32_t i = 1; i < p->nframes; i++)
        if (wick_frame_is_own(p, i))
            return true;
    return false;
}

int wick_shape_apply(const struct wick_shape *s, struct wick_profile *p, uint32_t *moved, struct wick_err *err)
{
    struct work w = {.s = s, .p = p, .text = WICK_STRBUF_INIT};
    struct wick_chooser chooser;
    uint32_t kept = 0;
    for (uint32_t i = 0; moved && i < p->naggs; i++)
        moved[i] = i;
    bool own = s->no_own && has_own(p);
    if (wick_shape_is_plain(s) && !own)
        return 0;
    wick_chooser_init(&chooser, s, p);
    /* All are chosen before any is moved: the chooser knows them by number. */
    bool good = prepare_work(&w) && wick_chooser_decide(&chooser, p->naggs);
    for (uint32_t i = 0; good && i < p->naggs; i++) {
        struct wick_agg a = p->aggs[i];
        bool taken = wick_chooser_takes(&chooser, i);
        if (taken && own && wick_chooser_is_own(&chooser, i)) {
            p->events[a.event].own += a.weight;
            taken = false;
        }
        if (moved)
            moved[i] = taken ? kept : WICK_AGG_NONE;
        if (!taken)
            continue;
        if (s->nby || cuts(s) || own)
            rewrite(&w, &a);
        wick_profile_move_agg(p, kept++, &a, i);
    }
    if (good)
        p->naggs = kept;
    sum_events(p);
    free(w.rewritten);
    free(w.path);
    free(w.named);
    wick_chooser_release(&chooser);
    good = good && !w.text.failed && !p->failed;
    wick_strbuf_release(&w.text);
    return good ? 0 : wick_err_set(err, WICK_E_NOMEM, "out of memory while choosing samples");
}
