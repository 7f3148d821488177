/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer_states.c - in which state threads were where a box of a call tree is
 *
 * The tree is folded state by state: each fold finds the boxes that there are and adds to their totals, so what a box
 * has more than before is that state's. A box goes by the state that has most of it. Afterwards the tree is the same as
 * if all had been folded at once.
 *
 * Threads: one at a time per recording.
 * Memory:  17 bytes a box and 8 bytes an aggregate, while the tree is folded; then a byte a box.
 */
#include "serve/answer.h"

#include <stdlib.h>
#include <string.h>

#include "codec/base64.h"
#include "export/picture.h"
#include "serve/picked.h"

enum { STATES = 255 /* more have the last number */ };

struct totals {
    uint64_t *before, *most; /* by node: what it had, and what its state has */
    uint8_t *state;
    uint32_t cap;
};

static bool make_room(struct totals *x, uint32_t nodes)
{
    if (nodes <= x->cap)
        return true;
    uint32_t cap = nodes + nodes / 2;
    uint64_t *before = reallocarray(x->before, cap, sizeof *before);
    x->before = before ? before : x->before;
    uint64_t *most = before ? reallocarray(x->most, cap, sizeof *most) : NULL;
    x->most = most ? most : x->most;
    uint8_t *state = most ? reallocarray(x->state, cap, 1) : NULL;
    if (!state)
        return false;
    x->state = state;
    memset(before + x->cap, 0, (cap - x->cap) * sizeof *before);
    memset(most + x->cap, 0, (cap - x->cap) * sizeof *most);
    memset(state + x->cap, 0, cap - x->cap);
    x->cap = cap;
    return true;
}

/* Notes what boxes have more than before, as state number `state`. */
static bool note(struct totals *x, const struct wick_tree *t, uint8_t state)
{
    uint32_t n = wick_tree_nodes(t);
    if (!make_room(x, n))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t total = wick_tree_node(t, i)->total, more = total - x->before[i];
        if (more > x->most[i]) {
            x->most[i] = more;
            x->state[i] = state;
        }
        x->before[i] = total;
    }
    return true;
}

/* Whether an aggregate has a width: others are in no fold. */
static bool has_weight(const struct wick_picked *s, const struct wick_agg *a)
{
    return a->event == s->event && a->weight > 0;
}

int wick_answer_states_fold(struct wick_answer_states *out, const struct wick_picked *s,
                            const struct wick_export_options *o, struct wick_tree *t, struct wick_err *err)
{
    struct wick_profile part = s->view;
    struct totals x = {0};
    uint32_t nstates = s->view.nstates;
    int rc = 0;
    *out = (struct wick_answer_states){.numbers = calloc((size_t)nstates + 1, sizeof *out->numbers)};
    part.aggs = calloc((size_t)s->view.naggs + 1, sizeof *part.aggs);
    if (!out->numbers || !part.aggs)
        rc = -WICK_E_NOMEM;
    for (uint32_t state = 0; !rc && state < nstates; state++) {
        part.naggs = 0;
        for (uint32_t i = 0; i < s->view.naggs; i++)
            if (s->view.aggs[i].state == state && has_weight(s, &s->view.aggs[i]))
                part.aggs[part.naggs++] = s->view.aggs[i];
        if (!part.naggs)
            continue;
        uint32_t number = out->n < STATES ? out->n++ : STATES - 1;
        out->numbers[number] = state;
        rc = wick_picture_fold(&part, o, t, err);
        if (!rc && !note(&x, t, (uint8_t)number))
            rc = -WICK_E_NOMEM;
    }
    out->of = x.state;
    free(x.before);
    free(x.most);
    free(part.aggs);
    if (!rc && !out->n)
        return wick_err_set(err, WICK_E_NOTFOUND, "the recording holds no samples");
    return rc && !err->code ? wick_err_set(err, WICK_E_NOMEM, "out of memory") : rc;
}

void wick_answer_states_put(const struct wick_answer_states *x, const struct wick_profile *p, const struct wick_tree *t,
                            struct wick_json *j)
{
    struct wick_base64 b;
    wick_json_key(j, "states");
    wick_json_open(j, '{');
    wick_json_key(j, "names");
    wick_json_open(j, '[');
    for (uint32_t i = 0; i < x->n; i++) {
        const struct wick_string *name = &p->strings[p->states[x->numbers[i]]];
        wick_json_str(j, name->s, name->len);
    }
    wick_json_close(j, ']');
    wick_json_key(j, "of");
    fputc('"', j->out);
    wick_base64_init(&b, j->out);
    for (uint32_t i = WICK_TREE_ROOT; i != WICK_TREE_NONE; i = wick_tree_next(t, WICK_TREE_ROOT, i))
        wick_base64_add(&b, &x->of[i], 1);
    wick_base64_finish(&b);
    fputc('"', j->out);
    j->comma = true;
    wick_json_close(j, '}');
}

void wick_answer_states_release(struct wick_answer_states *x)
{
    free(x->numbers);
    free(x->of);
    *x = (struct wick_answer_states){0};
}
