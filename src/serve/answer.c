/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer.c - trees and tables out of chosen samples
 *
 * All begin alike: the conditions of the request become a choice (serve/picked.h), and the chosen aggregates a view
 * of the recording's profile. So the cost depends on how many different stacks, threads and labels there are, not on
 * how long was recorded.
 *
 * Flame graphs are bounded: the lightest branches are put together in the view, before the tree is built. A method
 * whose callers or callees are asked for must not vanish in that, so the stacks through it are chosen first, by an
 * expression made of its name. Order: choose, prune, fold, reverse, focus.
 *
 * Weights by label are first added up by set of labels, then each set is split into its pairs, which are sorted so
 * that equal ones lie side by side: sets are mostly far fewer than aggregates.
 */
#include "serve/answer.h"

#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "codec/json.h"
#include "export/picture.h"
#include "flame/pack.h"
#include "flame/tree_focus.h"
#include "serve/picked.h"

const char *wick_answer_unit(unsigned unit)
{
    static const char *const names[] = {
        [WICK_UNIT_COUNT] = "count", [WICK_UNIT_NS] = "ns", [WICK_UNIT_BYTES] = "bytes"};
    return unit < sizeof names / sizeof *names ? names[unit] : "count";
}

static void put_string(struct wick_json *j, const char *key, const struct wick_profile *p, uint32_t string)
{
    wick_json_key(j, key);
    wick_json_str(j, p->strings[string].s, p->strings[string].len);
}

static void put_int(struct wick_json *j, const char *key, int64_t v)
{
    wick_json_key(j, key);
    wick_json_int(j, v);
}

static void put_flag(struct wick_json *j, const char *key, bool v)
{
    wick_json_key(j, key);
    wick_json_raw(j, v ? "true" : "false");
}

void wick_answer_put_event(struct wick_json *j, const struct wick_profile *p, uint16_t event)
{
    const struct wick_sample_type *e = &p->events[event];
    put_string(j, "event", p, e->name);
    wick_json_key(j, "kind");
    wick_json_cstr(j, wick_event_kind_name(e->kind));
    wick_json_key(j, "unit");
    wick_json_cstr(j, wick_answer_unit(e->unit));
    put_int(j, "weight", e->weight);
    wick_json_key(j, "samples");
    wick_json_uint(j, e->count);
    put_int(j, "own", e->own);
}

/* --- flame graphs --- */

int wick_answer_put_tree(struct wick_json *j, struct wick_tree *t, const struct wick_flame_opts *o,
                         struct wick_err *err)
{
    if (wick_tree_sort(t))
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    put_int(j, "nodes", wick_tree_nodes(t));
    wick_json_key(j, "data");
    fputc('"', j->out);
    int rc = wick_pack_base64(t, o, j->out);
    fputc('"', j->out);
    j->comma = true;
    return rc ? wick_err_set(err, WICK_E_NOMEM, "out of memory") : 0;
}

static int fold(const struct wick_picked *s, const struct wick_export_options *o, bool reverse,
                struct wick_answer_states *states, struct wick_tree **out, struct wick_err *err)
{
    struct wick_tree *t = wick_tree_new(), *other = NULL;
    int rc = t && states ? wick_answer_states_fold(states, s, o, t, err)
             : t         ? wick_picture_fold(&s->view, o, t, err)
                         : wick_err_set(err, WICK_E_NOMEM, "out of memory");
    if (!rc && reverse && wick_tree_reverse(t, &other))
        rc = wick_err_set(err, WICK_E_NOMEM, "not enough memory for the leaf-up tree");
    if (rc || other) {
        wick_tree_free(t);
        t = other;
    }
    *out = t; /* NULL on failure */
    return rc;
}

const char *wick_answer_focus(const struct wick_ask *a, bool *callers)
{
    const char *name = wick_ask_get(a, "callers_of");
    *callers = name && *name;
    if (!*callers)
        name = wick_ask_get(a, "callees_of");
    return name && *name ? name : NULL;
}

/* Leaves the stacks through that method before the lightest of all are put together. A name that is too long for an
 * expression does without. */
static int keep_focus(struct wick_pick *k, const struct wick_ask *a, struct wick_err *err)
{
    enum { LONGEST = 1000 };
    bool callers;
    const char *name = wick_answer_focus(a, &callers);
    return name && strlen(name) <= LONGEST ? wick_pick_through(k, name, err) : 0;
}

/* Makes of a tree that of the callers or callees that are asked for. */
static int focus_tree(struct wick_tree **t, const struct wick_ask *a, struct wick_err *err)
{
    struct wick_tree *focused;
    bool callers;
    const char *name = wick_answer_focus(a, &callers);
    if (!name)
        return 0;
    int rc = callers ? wick_tree_callers(*t, name, strlen(name), &focused)
                     : wick_tree_callees(*t, name, strlen(name), &focused);
    if (rc)
        return wick_err_set(err, WICK_E_NOMEM, "not enough memory for the tree of callers");
    wick_tree_free(*t);
    *t = focused;
    return 0;
}

static int write_flame(const struct wick_picked *s, const struct wick_ask *a, bool truncated, FILE *out,
                       struct wick_err *err)
{
    const char *by = wick_ask_get(a, "by");
    struct wick_export_options o = {.event = s->event, .by = by && *by ? by : NULL};
    if (o.by && !strcmp(o.by, "thread"))
        o = (struct wick_export_options){.event = s->event, .threads = true};
    struct wick_strbuf subtitle = WICK_STRBUF_INIT;
    struct wick_tree *t = NULL;
    struct wick_json j = {.out = out};
    struct wick_answer_states states = {0};
    bool reverse = false, by_state = false, callers;
    int rc = wick_ask_flag(a, "reverse", &reverse, err);
    rc = rc ? rc : wick_ask_flag(a, "states", &by_state, err);
    if (!rc && by_state && (reverse || wick_answer_focus(a, &callers)))
        rc = wick_err_set(err, WICK_E_USAGE, "states are known of a tree from the root down only");
    rc = rc ? rc : fold(s, &o, reverse, by_state ? &states : NULL, &t, err);
    rc = rc ? rc : focus_tree(&t, a, err);
    if (rc) {
        wick_answer_states_release(&states);
        wick_tree_free(t);
        return rc;
    }
    wick_picture_subtitle(&subtitle, &s->view, &o);
    const struct wick_flame_opts f = {.subtitle = subtitle.buf, .unit = wick_picture_unit(&s->view, &o)};
    wick_json_open(&j, '{');
    wick_answer_put_event(&j, &s->view, s->event);
    put_int(&j, "start_ns", s->view.start_ns);
    put_int(&j, "end_ns", s->view.end_ns);
    put_flag(&j, "truncated", truncated);
    rc = wick_answer_put_tree(&j, t, &f, err);
    if (!rc && by_state)
        wick_answer_states_put(&states, &s->view, t, &j);
    wick_json_close(&j, '}');
    wick_strbuf_release(&subtitle);
    wick_answer_states_release(&states);
    wick_tree_free(t);
    return rc;
}

enum { LEAST_NODES = 100, MOST_NODES = 2000000, NODES = 200000 };

int wick_answer_flame(struct wick_growing *g, const struct wick_ask *a, FILE *out, struct wick_err *err)
{
    struct wick_pick k;
    struct wick_picked s;
    int64_t most;
    int rc = wick_pick_init(&k, a, err);
    k.whole_stacks = true;
    rc = rc ? rc : wick_ask_flag(a, "fold", &k.fold, err);
    rc = rc ? rc : keep_focus(&k, a, err);
    rc = rc ? rc : wick_ask_number(a, "max_nodes", LEAST_NODES, MOST_NODES, NODES, &most, err);
    rc = rc ? rc : wick_picked_init(&s, &k, g, err);
    if (!rc) {
        int truncated = wick_picked_prune(&s, g, (uint32_t)most, err);
        rc = truncated < 0 ? truncated : write_flame(&s, a, truncated, out, err);
        wick_picked_release(&s);
    }
    wick_pick_release(&k);
    return rc;
}

/* --- tables of what samples carry --- */

enum { THREADS = 1000, VALUES = 100, MOST_ROWS = 1000000 };

/* A thread, or a label's key and value, and what has been added up for it. */
struct share {
    uint32_t key, value;
    int64_t weight;
    uint64_t count;
};

static int heaviest_first(const void *a, const void *b)
{
    const struct share *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight < y->weight ? 1 : -1;
    return x->value < y->value ? -1 : x->value > y->value;
}

static void add_share(struct share *to, int64_t weight, uint64_t count)
{
    to->weight = wick_sum(to->weight, weight);
    to->count = wick_sum_u64(to->count, count);
}

/* The `rows` heaviest, 0 = all, of those that have any. */
static void put_threads(struct wick_json *j, const struct wick_profile *p, const struct share *shares, uint32_t n,
                        uint32_t rows)
{
    uint32_t total = 0;
    while (total < n && (shares[total].weight || shares[total].count))
        total++;
    put_int(j, "total", total);
    wick_json_key(j, "threads");
    wick_json_open(j, '[');
    for (uint32_t i = 0; i < total && (!rows || i < rows); i++) {
        const struct wick_thread *t = &p->threads[shares[i].value];
        wick_json_open(j, '{');
        put_string(j, "name", p, t->name);
        put_int(j, "tid", t->os_tid);
        put_int(j, "java_tid", t->java_tid);
        put_flag(j, "virtual", t->is_virtual);
        put_int(j, "weight", shares[i].weight);
        wick_json_key(j, "samples");
        wick_json_uint(j, shares[i].count);
        wick_json_close(j, '}');
    }
    wick_json_close(j, ']');
}

int wick_answer_threads(struct wick_growing *g, const struct wick_ask *a, FILE *out, struct wick_err *err)
{
    struct wick_pick k;
    struct wick_picked s;
    struct wick_json j = {.out = out};
    int64_t rows;
    int rc = wick_pick_init(&k, a, err);
    rc = rc ? rc : wick_ask_number(a, "rows", 0, MOST_ROWS, THREADS, &rows, err);
    rc = rc ? rc : wick_picked_init(&s, &k, g, err);
    wick_pick_release(&k);
    if (rc)
        return rc;
    uint32_t n = s.view.nthreads;
    struct share *shares = calloc((size_t)n + 1, sizeof *shares);
    for (uint32_t i = 0; shares && i < n; i++)
        shares[i].value = i;
    for (uint32_t i = 0; shares && i < s.view.naggs; i++)
        add_share(&shares[s.view.aggs[i].thread], s.view.aggs[i].weight, s.view.aggs[i].count);
    if (shares) {
        qsort(shares, n, sizeof *shares, heaviest_first);
        wick_json_open(&j, '{');
        wick_answer_put_event(&j, &s.view, s.event);
        put_threads(&j, &s.view, shares, n, (uint32_t)rows);
        wick_json_close(&j, '}');
    } else {
        rc = wick_err_set(err, WICK_E_NOMEM, "out of memory");
    }
    free(shares);
    wick_picked_release(&s);
    return rc;
}

/* --- labels --- */

static int by_pair(const void *a, const void *b)
{
    const struct share *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

static int by_key_and_weight(const void *a, const void *b)
{
    const struct share *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key ? -1 : 1) : heaviest_first(a, b);
}

/* One entry for each key and value, sorted by key, heaviest first; *n of them. NULL without memory. */
static struct share *label_shares(const struct wick_profile *p, size_t *n)
{
    struct share *sets = calloc(p->nlabel_sets, sizeof *sets), *all = NULL;
    size_t room = 1, k = 0, kept = 0;
    for (uint32_t i = 0; sets && i < p->naggs; i++)
        add_share(&sets[p->aggs[i].labels], p->aggs[i].weight, p->aggs[i].count);
    for (uint32_t i = 0; sets && i < p->nlabel_sets; i++)
        room += sets[i].count ? p->label_sets[i].n : 0;
    all = sets ? calloc(room, sizeof *all) : NULL;
    for (uint32_t i = 0; all && i < p->nlabel_sets; i++)
        for (uint32_t x = 0; sets[i].count && x < p->label_sets[i].n; x++) {
            const struct wick_label *l = &p->labels[p->label_sets[i].first + x];
            all[k++] = (struct share){l->key, l->value, sets[i].weight, sets[i].count};
        }
    if (k)
        qsort(all, k, sizeof *all, by_pair);
    for (size_t i = 0; i < k; i++) {
        if (kept && !by_pair(&all[kept - 1], &all[i])) {
            add_share(&all[kept - 1], all[i].weight, all[i].count);
        } else {
            all[kept++] = all[i];
        }
    }
    if (kept)
        qsort(all, kept, sizeof *all, by_key_and_weight);
    free(sets);
    *n = kept;
    return all;
}

/* The `rows` heaviest values of each key, 0 = all. */
static void put_labels(struct wick_json *j, const struct wick_profile *p, const struct share *all, size_t n,
                       size_t rows)
{
    wick_json_key(j, "labels");
    wick_json_open(j, '[');
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && all[end].key == all[i].key;)
            end++;
        wick_json_open(j, '{');
        put_string(j, "key", p, all[i].key);
        put_int(j, "total", (int64_t)(end - i));
        put_flag(j, "more", rows && end - i > rows);
        wick_json_key(j, "values");
        wick_json_open(j, '[');
        for (size_t x = i; x < end && (!rows || x < i + rows); x++) {
            wick_json_open(j, '{');
            put_string(j, "value", p, all[x].value);
            put_int(j, "weight", all[x].weight);
            wick_json_key(j, "samples");
            wick_json_uint(j, all[x].count);
            wick_json_close(j, '}');
        }
        wick_json_close(j, ']');
        wick_json_close(j, '}');
    }
    wick_json_close(j, ']');
}

int wick_answer_labels(struct wick_growing *g, const struct wick_ask *a, FILE *out, struct wick_err *err)
{
    struct wick_pick k;
    struct wick_picked s;
    struct wick_json j = {.out = out};
    size_t n = 0;
    int64_t rows;
    int rc = wick_pick_init(&k, a, err);
    rc = rc ? rc : wick_ask_number(a, "rows", 0, MOST_ROWS, VALUES, &rows, err);
    rc = rc ? rc : wick_picked_init(&s, &k, g, err);
    wick_pick_release(&k);
    if (rc)
        return rc;
    struct share *all = label_shares(&s.view, &n);
    if (all) {
        wick_json_open(&j, '{');
        wick_answer_put_event(&j, &s.view, s.event);
        put_labels(&j, &s.view, all, n, (size_t)rows);
        wick_json_close(&j, '}');
    } else {
        rc = wick_err_set(err, WICK_E_NOMEM, "out of memory");
    }
    free(all);
    wick_picked_release(&s);
    return rc;
}
