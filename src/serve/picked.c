/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/picked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/sum.h"

/* --- what is asked --- */

static int add_test(struct wick_pick *k, enum wick_test_what what, const char *key, const char *expression,
                    struct wick_err *err)
{
    enum { LONGEST = 1000 };
    if (strlen(expression) > LONGEST)
        return wick_err_set(err, WICK_E_USAGE, "a regular expression may have %d bytes", LONGEST);
    return wick_shape_test(&k->shape, what, key, NULL, expression, err);
}

/* "KEY:VALUE" */
static int add_label(struct wick_pick *k, const char *text, struct wick_err *err)
{
    const char *colon = strchr(text, ':');
    if (!colon || colon == text)
        return wick_err_set(err, WICK_E_USAGE, "label takes KEY:VALUE, not '%.60s'", text);
    char *key = strndup(text, (size_t)(colon - text));
    if (!key)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    int rc = wick_shape_test(&k->shape, WICK_TEST_VALUE, key, colon + 1, NULL, err);
    if (rc)
        free(key);
    else
        k->keys[k->nkeys++] = key;
    return rc;
}

/* Frames of a Java package, or of one below it: "com.acme" as the expression "^com\.acme\.". */
static int add_package(struct wick_pick *k, const char *name, struct wick_err *err)
{
    struct wick_strbuf expression = WICK_STRBUF_INIT;
    wick_strbuf_adds(&expression, "^");
    for (const char *c = name; *c; c++)
        wick_strbuf_addf(&expression, strchr(".*+?^${}()|[]\\", *c) ? "\\%c" : "%c", *c);
    wick_strbuf_adds(&expression, "\\.");
    int rc = expression.failed ? wick_err_set(err, WICK_E_NOMEM, "out of memory")
                               : add_test(k, WICK_TEST_INCLUDE, NULL, expression.buf, err);
    wick_strbuf_release(&expression);
    return rc;
}

/* Paths, one a line. */
static int add_paths(struct wick_pick *k, const char *text, struct wick_err *err)
{
    enum { LONGEST = 8000 };
    int rc = strlen(text) > LONGEST ? wick_err_set(err, WICK_E_USAGE, "exclude_path may have %d bytes", LONGEST) : 0;
    char *copy = rc ? NULL : strdup(text), *save = NULL;
    if (!rc && !copy)
        rc = wick_err_set(err, WICK_E_NOMEM, "out of memory");
    for (char *line = copy ? strtok_r(copy, "\n", &save) : NULL; line && !rc; line = strtok_r(NULL, "\n", &save))
        rc = wick_shape_test_path(&k->shape, line, err);
    free(copy);
    return rc;
}

static int take_condition(struct wick_pick *k, const char *key, const char *value, struct wick_err *err)
{
    if (!strcmp(key, "thread") || !strcmp(key, "state") || !strcmp(key, "process") || !strcmp(key, "kind"))
        return add_test(k, WICK_TEST_VALUE, key, value, err);
    if (!strcmp(key, "filter"))
        return add_test(k, WICK_TEST_INCLUDE, NULL, value, err);
    if (!strcmp(key, "exclude"))
        return add_test(k, WICK_TEST_EXCLUDE, NULL, value, err);
    if (!strcmp(key, "exclude_path"))
        return add_paths(k, value, err);
    if (!strcmp(key, "package"))
        return add_package(k, value, err);
    if (!strcmp(key, "label"))
        return add_label(k, value, err);
    if (!strcmp(key, "endpoint"))
        return wick_shape_test(&k->shape, WICK_TEST_VALUE, "endpoint", value, NULL, err);
    return 0;
}

#define BASE "base_"

/* The condition that a parameter sets of a side; NULL = none: it is the other side's, or the base has its own. */
static const char *condition_of(const struct wick_ask *a, const char *key, bool base)
{
    char own[32];
    if (!base)
        return key; /* base_x is no condition */
    if (!strncmp(key, BASE, sizeof BASE - 1))
        return key + sizeof BASE - 1;
    snprintf(own, sizeof own, BASE "%.20s", key);
    return wick_ask_get(a, own) ? NULL : key;
}

/* That a question has too many conditions is its own fault, and no reason to ask it again. */
static int own_fault(int rc, struct wick_err *err)
{
    return rc != -WICK_E_LIMIT ? rc
                               : wick_err_set(err, WICK_E_USAGE, "there are more than %u conditions", WICK_SHAPE_TESTS);
}

static int init(struct wick_pick *k, const struct wick_ask *a, bool base, struct wick_err *err)
{
    bool own = false;
    *k = (struct wick_pick){.event = wick_ask_get(a, "event")};
    if (k->event && !*k->event)
        k->event = NULL;
    int rc = wick_ask_number(a, base ? BASE "from" : "from", 0, INT64_MAX, 0, &k->from_ns, err);
    rc = rc ? rc : wick_ask_number(a, base ? BASE "to" : "to", 0, INT64_MAX, 0, &k->to_ns, err);
    rc = rc ? rc : wick_ask_flag(a, "own", &own, err);
    rc = rc ? rc : wick_ask_flag(a, "no_idle", &k->shape.no_idle, err);
    if (!rc && k->to_ns && k->to_ns <= k->from_ns)
        rc =
            wick_err_set(err, WICK_E_USAGE, "nothing lies between %sfrom and %sto", base ? BASE : "", base ? BASE : "");
    k->shape.no_own = !own;
    for (uint32_t i = 0; !rc && i < a->npairs; i++) {
        const char *key = *a->pair[i].value ? condition_of(a, a->pair[i].key, base) : NULL;
        rc = key ? take_condition(k, key, a->pair[i].value, err) : 0;
    }
    return own_fault(rc, err);
}

int wick_pick_init(struct wick_pick *k, const struct wick_ask *a, struct wick_err *err)
{
    return init(k, a, false, err);
}

int wick_pick_init_base(struct wick_pick *k, const struct wick_ask *a, struct wick_err *err)
{
    return init(k, a, true, err);
}

int wick_pick_through(struct wick_pick *k, const char *name, struct wick_err *err)
{
    return own_fault(wick_shape_test_frame(&k->shape, name, err), err);
}

void wick_pick_release(struct wick_pick *k)
{
    wick_shape_release(&k->shape);
    while (k->nkeys)
        free(k->keys[--k->nkeys]);
}

/* --- what fits --- */

int wick_pick_chooser(const struct wick_pick *k, struct wick_growing *g, struct wick_chooser *c, struct wick_err *err)
{
    wick_chooser_init(c, &k->shape, &g->p);
    return wick_chooser_decide(c, g->p.naggs) ? 0 : wick_err_set(err, WICK_E_NOMEM, "out of memory");
}

bool wick_pick_takes(const struct wick_pick *k, struct wick_chooser *c, uint32_t agg, bool *own)
{
    bool taken = wick_chooser_takes(c, agg);
    *own = taken && k->shape.no_own && wick_chooser_is_own(c, agg);
    return taken && !*own;
}

bool wick_pick_holds(const struct wick_pick *k, const struct wick_growing *g, const struct wick_heat_cell *cell)
{
    __int128 length = wick_heat_slice_ns(&g->heat), start = cell->slice * length;
    return cell->agg != WICK_AGG_NONE && start + length > k->from_ns && (!k->to_ns || start < k->to_ns);
}

int wick_pick_event(const struct wick_pick *k, const struct wick_growing *g, uint16_t *event, struct wick_err *err)
{
    struct wick_strbuf list = WICK_STRBUF_INIT;
    *event = k->event ? wick_profile_find_event(&g->p, k->event) : wick_profile_main_event(&g->p);
    if (*event)
        return 0;
    for (uint32_t i = 1; i < g->p.nevents; i++)
        if (g->p.events[i].count)
            wick_strbuf_addf(&list, "%s%s", list.len ? ", " : "", wick_profile_str(&g->p, g->p.events[i].name));
    int rc = list.len ? wick_err_set(err, WICK_E_NOTFOUND, "there are no samples of event '%.60s', only of: %s",
                                     k->event, list.buf)
                      : wick_err_set(err, WICK_E_NOTFOUND, "the recording holds no samples%s", g->reader ? " yet" : "");
    wick_strbuf_release(&list);
    return rc;
}

/* --- what is chosen --- */

/* Weight and samples of each aggregate in the time range. */
static struct wick_agg *aggs_in_range(const struct wick_pick *k, const struct wick_growing *g)
{
    struct wick_agg *all = malloc(((size_t)g->p.naggs + 1) * sizeof *all);
    if (!all)
        return NULL;
    if (g->p.naggs)
        memcpy(all, g->p.aggs, g->p.naggs * sizeof *all);
    if (!k->from_ns && !k->to_ns)
        return all;
    for (uint32_t i = 0; i < g->p.naggs; i++) {
        all[i].weight = 0;
        all[i].count = 0;
    }
    for (size_t i = 0; i < g->heat.places; i++) {
        const struct wick_heat_cell *cell = &g->heat.cells[i];
        if (!wick_pick_holds(k, g, cell))
            continue;
        struct wick_agg *a = &all[cell->agg];
        a->weight = wick_sum(a->weight, cell->weight < INT64_MAX ? (int64_t)cell->weight : INT64_MAX);
        a->count = wick_sum_u64(a->count, cell->count);
    }
    return all;
}

/* What is known of their sizes; of a part of a recording, nothing is. */
static bool sizes_in_range(struct wick_profile *view, const struct wick_pick *k, const struct wick_growing *g)
{
    uint32_t n = k->from_ns || k->to_ns ? 0 : g->p.nsizes;
    if (!n)
        return true;
    view->sizes = malloc(n * sizeof *view->sizes);
    if (!view->sizes)
        return false;
    memcpy(view->sizes, g->p.sizes, n * sizeof *view->sizes);
    view->nsizes = n;
    return true;
}

/* The stack as it is shown. */
static uint32_t shown_stack(const struct wick_pick *k, struct wick_growing *g, uint32_t stack)
{
    if (k->shape.no_own)
        stack = wick_growing_without_own(g, stack);
    if (!k->whole_stacks && stack && g->p.frames[g->p.stacks[stack].frame].kind == WICK_FRAME_OBJECT)
        stack = g->p.stacks[stack].parent;
    if (k->fold)
        stack = wick_growing_folded(g, stack);
    return stack;
}

static void choose(struct wick_picked *s, const struct wick_pick *k, struct wick_growing *g, struct wick_chooser *c)
{
    struct wick_profile *view = &s->view;
    uint32_t n = 0;
    for (uint32_t i = 0; i < view->naggs; i++) {
        struct wick_agg a = view->aggs[i];
        struct wick_sample_type *e = &view->events[a.event];
        bool own, taken = wick_pick_takes(k, c, i, &own);
        if (s->place)
            s->place[i] = WICK_AGG_NONE;
        if (own)
            e->own = wick_sum(e->own, a.weight);
        if (!taken || !(a.weight || a.count))
            continue;
        e->weight = wick_sum(e->weight, a.weight);
        e->count = wick_sum_u64(e->count, a.count);
        if (a.event != s->event)
            continue;
        a.stack = shown_stack(k, g, a.stack);
        if (s->place)
            s->place[i] = n;
        wick_profile_move_agg(view, n++, &a, i);
    }
    view->naggs = n;
}

/* What was added to the recording's profile since. */
static void borrow(struct wick_picked *s, const struct wick_growing *g)
{
    struct wick_profile mine = s->view;
    s->view = g->p;
    s->view.aggs = mine.aggs;
    s->view.naggs = mine.naggs;
    s->view.sizes = mine.sizes;
    s->view.nsizes = mine.nsizes;
    s->view.events = mine.events;
    s->view.start_ns = mine.start_ns;
    s->view.end_ns = mine.end_ns;
}

int wick_picked_init(struct wick_picked *s, const struct wick_pick *k, struct wick_growing *g, struct wick_err *err)
{
    struct wick_chooser c;
    uint16_t event;
    int rc = wick_pick_event(k, g, &event, err);
    if (rc)
        return rc;
    *s = (struct wick_picked){.view = g->p, .event = event};
    struct wick_profile *view = &s->view;
    view->sizes = NULL;
    view->nsizes = 0;
    view->aggs = aggs_in_range(k, g);
    view->events = calloc(g->p.nevents, sizeof *view->events);
    s->place = k->places ? calloc((size_t)g->p.naggs + 1, sizeof *s->place) : NULL;
    if (k->from_ns > view->start_ns)
        view->start_ns = k->from_ns;
    if (k->to_ns && k->to_ns < view->end_ns)
        view->end_ns = k->to_ns;
    if (!view->aggs || !view->events || (k->places && !s->place) || !sizes_in_range(view, k, g)) {
        wick_picked_release(s);
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    }
    for (uint32_t i = 0; i < g->p.nevents; i++) {
        view->events[i] = g->p.events[i];
        view->events[i].count = 0;
        view->events[i].weight = view->events[i].own = 0;
    }
    rc = wick_pick_chooser(k, g, &c, err);
    if (!rc)
        choose(s, k, g, &c);
    wick_chooser_release(&c);
    borrow(s, g);
    if (!rc && g->p.failed)
        rc = wick_err_set(err, WICK_E_NOMEM, "out of memory");
    if (!rc && !view->naggs)
        rc = wick_err_set(err, WICK_E_NOTFOUND, "none of the samples fits the conditions");
    if (rc)
        wick_picked_release(s);
    return rc;
}

void wick_picked_release(struct wick_picked *s)
{
    free(s->view.aggs);
    free(s->view.events);
    free(s->view.sizes);
    free(s->place);
    s->place = NULL;
    s->view.aggs = NULL;
    s->view.sizes = NULL;
    s->view.events = NULL;
}

/* --- fewer of them --- */

static int by_weight(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* The weight that the `most` heaviest stacks have at least; 0 if there are no more than these. */
static uint64_t threshold_of(const uint64_t *totals, uint32_t n, uint32_t most)
{
    uint64_t *sorted = malloc(((size_t)n + 1) * sizeof *sorted), found = UINT64_MAX;
    uint32_t k = 0;
    for (uint32_t i = 1; sorted && i < n; i++)
        if (totals[i])
            sorted[k++] = totals[i];
    if (sorted && k <= most) {
        found = 0;
    } else if (sorted) {
        qsort(sorted, k, sizeof *sorted, by_weight);
        found = sorted[most] + 1;
    }
    free(sorted);
    return found;
}

int wick_picked_prune(struct wick_picked *s, struct wick_growing *g, uint32_t most, struct wick_err *err)
{
    struct wick_profile *view = &s->view;
    uint32_t n = view->nstacks;
    uint64_t *totals = calloc(n, sizeof *totals);
    if (!totals)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    for (uint32_t i = 0; i < view->naggs; i++)
        if (view->aggs[i].weight > 0)
            totals[view->aggs[i].stack] = wick_sum_u64(totals[view->aggs[i].stack], (uint64_t)view->aggs[i].weight);
    for (uint32_t i = n; i-- > 1;)
        totals[view->stacks[i].parent] = wick_sum_u64(totals[view->stacks[i].parent], totals[i]);
    uint64_t least = threshold_of(totals, n, most);
    if (least) {
        uint32_t name = wick_profile_cstring(&g->p, "[smaller]");
        uint32_t frame = wick_profile_frame(&g->p, wick_profile_function(&g->p, 0, name, 0), 0, -1, WICK_FRAME_BREAK);
        for (uint32_t i = 0; i < view->naggs; i++) {
            uint32_t at = view->aggs[i].stack;
            while (at && totals[at] < least)
                at = g->p.stacks[at].parent;
            if (at != view->aggs[i].stack)
                view->aggs[i].stack = wick_profile_push(&g->p, at, frame);
        }
        borrow(s, g);
    }
    free(totals);
    return g->p.failed ? wick_err_set(err, WICK_E_NOMEM, "out of memory") : least != 0;
}
