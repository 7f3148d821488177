/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose.c - choosing samples
 *
 * Which tests a frame's name meets is a mask of bits worked out once a frame, and a stack's mask is its parent's and
 * its leaf's. A parent's number is smaller than its children's, so one pass upwards, which goes on where the last one
 * ended, knows all stacks. The bit of a path says of a frame that the path may end there; of a stack with such a leaf
 * it is found out whether it does, and stacks that go on from there have the bit as well, unless the path ends at the
 * leaf.
 */
#include "model/choose.h"
#include "model/agg_value.h"
#include "model/classify.h"
#include "model/name.h"

#include <stdlib.h>
#include <string.h>

enum { UNDECIDED, TAKEN, LEFT_OUT };

void wick_chooser_init(struct wick_chooser *c, const struct wick_shape *shape, const struct wick_profile *p)
{
    *c = (struct wick_chooser){.shape = shape, .p = p, .owners.p = p, .text = WICK_STRBUF_INIT};
    c->by_frame = shape->no_own;
    for (uint32_t i = 0; i < shape->ntests; i++) {
        const struct wick_test *t = &shape->tests[i];
        c->by_frame |= t->what != WICK_TEST_VALUE;
        if (t->what != WICK_TEST_EXCLUDE_PATH)
            continue;
        c->paths |= 1u << i;
        c->leaf_paths |= (uint32_t)t->path->to_leaf << i;
    }
}

void wick_chooser_release(struct wick_chooser *c)
{
    free(c->frames.mask);
    free(c->stacks.mask);
    free(c->decided);
    wick_owners_release(&c->owners);
    wick_strbuf_release(&c->text);
}

static bool fits(struct wick_chooser_masks *m, uint32_t n)
{
    if (n <= m->cap)
        return true;
    uint32_t cap = n < UINT32_MAX / 2 ? n + n / 2 : n;
    uint32_t *bigger = reallocarray(m->mask, cap, sizeof *bigger);
    if (!bigger)
        return false;
    m->mask = bigger;
    m->cap = cap;
    return true;
}

static uint32_t mask_of_frame(struct wick_chooser *c, uint32_t frame)
{
    uint32_t mask = 0;
    wick_strbuf_clear(&c->text);
    wick_name_add_frame(&c->text, c->p, frame, 0);
    for (uint32_t i = 0; i < c->shape->ntests; i++) {
        const struct wick_test *t = &c->shape->tests[i];
        if (t->what == WICK_TEST_EXCLUDE_PATH
                ? wick_frame_path_ends_with(t->path, c->p, frame, c->text.buf)
                : t->what != WICK_TEST_VALUE && regexec(&t->regex, c->text.buf, 0, NULL, 0) == 0)
            mask |= 1u << i;
    }
    return mask;
}

bool wick_chooser_is_own(const struct wick_chooser *c, uint32_t agg)
{
    return wick_owners_is_own(&c->owners, c->p->aggs[agg].stack);
}

/* The mask of a stack that is not empty. */
static uint32_t mask_of_stack(struct wick_chooser *c, uint32_t stack)
{
    const struct wick_stack *at = &c->p->stacks[stack];
    uint32_t above = c->stacks.mask[at->parent], mask = c->frames.mask[at->frame];
    bool own = c->shape->no_own;
    if (own && c->paths && wick_frame_is_own(c->p, at->frame)) /* as if the stack ended above it */
        return above | (mask & ~c->paths);
    for (uint32_t left = mask & c->paths; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(left);
        if (!wick_frame_path_leads_to(c->shape->tests[i].path, c->p, stack, own, &c->text))
            mask &= ~(1u << i);
    }
    return (above & ~c->leaf_paths) | mask;
}

/* Masks of all frames and stacks that there are by now. */
static bool know_stacks(struct wick_chooser *c)
{
    struct wick_chooser_masks *f = &c->frames, *s = &c->stacks;
    if ((c->shape->no_own && !wick_owners_learn(&c->owners)) || !fits(f, c->p->nframes) || !fits(s, c->p->nstacks))
        return false;
    for (; f->n < c->p->nframes; f->n++)
        f->mask[f->n] = f->n ? mask_of_frame(c, f->n) : 0;
    for (; s->n < c->p->nstacks; s->n++)
        s->mask[s->n] = s->n ? mask_of_stack(c, s->n) : 0;
    return true;
}

static bool meets(struct wick_chooser *c, const struct wick_agg *a)
{
    if (c->by_frame && a->stack >= c->stacks.n && !know_stacks(c))
        return false;
    for (uint32_t i = 0; i < c->shape->ntests; i++) {
        const struct wick_test *t = &c->shape->tests[i];
        bool met = t->what != WICK_TEST_VALUE && c->stacks.mask[a->stack] >> i & 1;
        if (t->what == WICK_TEST_VALUE) {
            wick_strbuf_clear(&c->text);
            wick_agg_value(&c->text, c->p, a, t->key);
            met = t->equal ? !strcmp(t->equal, c->text.buf) : regexec(&t->regex, c->text.buf, 0, NULL, 0) == 0;
        }
        if (met == (t->what == WICK_TEST_EXCLUDE || t->what == WICK_TEST_EXCLUDE_PATH))
            return false;
    }
    return !c->shape->no_idle || !wick_classify_is_idle(c->p, a);
}

static bool knows(struct wick_chooser *c, uint32_t agg)
{
    if (agg < c->ndecided)
        return true;
    uint32_t n = agg < UINT32_MAX / 2 ? agg + agg / 2 + 256 : UINT32_MAX;
    uint8_t *bigger = realloc(c->decided, n);
    if (!bigger)
        return false;
    memset(bigger + c->ndecided, UNDECIDED, n - c->ndecided);
    c->decided = bigger;
    c->ndecided = n;
    return true;
}

bool wick_chooser_takes(struct wick_chooser *c, uint32_t agg)
{
    if (agg == WICK_AGG_NONE || !knows(c, agg))
        return false;
    if (c->decided[agg] == UNDECIDED)
        c->decided[agg] = meets(c, &c->p->aggs[agg]) ? TAKEN : LEFT_OUT;
    return c->decided[agg] == TAKEN;
}

bool wick_chooser_decide(struct wick_chooser *c, uint32_t n)
{
    if ((n && !knows(c, n - 1)) || (c->by_frame && !know_stacks(c)))
        return false;
    for (uint32_t i = 0; i < n; i++)
        wick_chooser_takes(c, i);
    return !c->text.failed;
}
