/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer_diff.c - two selections compared: before, the base, and after
 *
 * Each side is a recording with a time range and conditions of its own (wick_pick_init_base); both may be of the same
 * recording. They are merged into one profile, in which equal stacks have equal numbers (analysis/compare/diff.h).
 * After each merge its aggregates are taken out, as one side. The event type is that of the base; if the other's
 * samples turn out to be of another type once merged, there is nothing to compare. The tree is not pruned.
 */
#include "serve/answer.h"

#include <stdlib.h>
#include <string.h>

#include "export/diff_page.h"
#include "export/picture.h"
#include "flame/flame.h"
#include "model/merge.h"
#include "serve/picked.h"

/* Adds what is chosen of one recording; its samples become a side. */
static int add_side(struct wick_answer_compared *c, struct wick_diff_side *side, bool after, struct wick_growing *g,
                    const struct wick_pick *k, struct wick_err *err)
{
    struct wick_picked s;
    int rc = wick_picked_init(&s, k, g, err);
    if (rc)
        return wick_err_prefix(err, "%s", after ? "after" : "before");
    const struct wick_sample_type *e = &s.view.events[s.event];
    const struct wick_string *name = &s.view.strings[e->name];
    rc = wick_profile_merge(&c->both, &s.view);
    uint16_t event = wick_profile_event(&c->both, wick_profile_string(&c->both, name->s, name->len), e->kind, e->unit);
    if (rc)
        rc = wick_err_set(err, WICK_E_NOMEM, "out of memory while comparing");
    else if (after && event != c->event)
        rc = wick_err_set(err, WICK_E_NOTFOUND,
                          "the samples of this recording are of another event, or in another unit");
    c->event = event;
    c->start_ns = s.view.start_ns;
    c->end_ns = s.view.end_ns;
    side->aggs = wick_profile_take_aggs(&c->both, &side->naggs);
    wick_picked_release(&s);
    return rc;
}

/* Both sides in one profile, and what changed from one to the other. k: before and after. */
static int compare(struct wick_answer_compared *c, struct wick_growing *const g[2], struct wick_pick k[2],
                   bool absolute, struct wick_err *err)
{
    struct wick_diff_side side[2] = {0};
    uint16_t event = 0;
    int rc = wick_pick_event(&k[1], g[0], &event, err);
    if (rc)
        return rc;
    char *name = strdup(wick_profile_str(&g[0]->p, g[0]->p.events[event].name));
    if (!name)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    for (unsigned i = 0; i < 2 && !rc; i++) {
        k[i].event = name;
        k[i].whole_stacks = true;
        rc = add_side(c, &side[i], i, g[i], &k[i], err);
    }
    const struct wick_diff_options how = {.event = c->event, .absolute = absolute};
    rc = rc ? rc : wick_diff_init(&c->diff, &c->both, side, &how, err);
    for (unsigned i = 0; i < 2; i++)
        free((void *)(uintptr_t)side[i].aggs);
    free(name);
    return rc;
}

int wick_answer_compare(struct wick_answer_compared *c, struct wick_growing *base, struct wick_growing *g,
                        const struct wick_ask *a, struct wick_err *err)
{
    struct wick_growing *const both[2] = {base, g};
    struct wick_pick k[2] = {0};
    bool absolute = false, folds = false;
    *c = (struct wick_answer_compared){0};
    if (wick_profile_init(&c->both))
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    c->both.by_thread = c->both.by_state = false;
    c->both.objects = true;
    c->both.keep = wick_picture_keep(0) & ~(unsigned)WICK_KEEP_LINES;
    int rc = wick_ask_flag(a, "absolute", &absolute, err);
    rc = rc ? rc : wick_pick_init_base(&k[0], a, err);
    rc = rc ? rc : wick_pick_init(&k[1], a, err);
    rc = rc ? rc : wick_ask_flag(a, "fold", &folds, err);
    k[0].fold = k[1].fold = folds;
    rc = rc ? rc : compare(c, both, k, absolute, err);
    for (unsigned i = 0; i < 2; i++)
        wick_pick_release(&k[i]);
    if (rc)
        wick_answer_compared_release(c);
    return rc;
}

void wick_answer_compared_release(struct wick_answer_compared *c)
{
    wick_diff_release(&c->diff);
    wick_profile_release(&c->both);
}

int wick_answer_diff(struct wick_answer_compared *c, FILE *out, struct wick_err *err)
{
    struct wick_json j = {.out = out};
    const struct wick_export_options o = {.event = c->event};
    const struct wick_flame_opts f = {
        .unit = wick_picture_unit(&c->both, &o), .change = c->diff.change, .absolute = c->diff.absolute};
    const struct wick_diff_sum *m = &c->diff.measured;
    struct wick_sample_type *e = &c->both.events[c->event];
    e->weight = (int64_t)(m->weight[1] < INT64_MAX ? m->weight[1] : INT64_MAX);
    e->count = m->samples[1];
    wick_json_open(&j, '{');
    wick_answer_put_event(&j, &c->both, c->event);
    const struct {
        const char *key;
        uint64_t value;
    } figures[] = {{"base_weight", m->weight[0]}, {"base_samples", m->samples[0]}};
    for (unsigned i = 0; i < 2; i++) {
        wick_json_key(&j, figures[i].key);
        wick_json_uint(&j, figures[i].value);
    }
    wick_json_key(&j, "start_ns");
    wick_json_int(&j, c->start_ns);
    wick_json_key(&j, "end_ns");
    wick_json_int(&j, c->end_ns);
    wick_json_key(&j, "truncated");
    wick_json_raw(&j, "false");
    int rc = wick_answer_put_tree(&j, c->diff.tree, &f, err);
    wick_json_close(&j, '}');
    return rc;
}

int wick_answer_diff_page(const struct wick_answer_compared *c, const char *const names[2], FILE *out,
                          struct wick_err *err)
{
    const struct wick_export_options o = {.event = c->event};
    return wick_diff_page_write(&c->diff, &c->both, &o, names, out, err);
}
