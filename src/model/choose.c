/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose.c - choosing samples
 *
 * Which tests a frame's name meets is a mask of bits worked out once a frame, and a stack's mask is its parent's and
 * its leaf's. A parent's number is smaller than its children's, so one pass upwards, which goes on where the last one
 * ended, knows all stacks.
 */
#include "model/choose.h"
#include "model/classify.h"
#include "model/name.h"

#include <stdlib.h>
#include <string.h>

enum { UNDECIDED, TAKEN, LEFT_OUT };

/* Whose the frame next to the root is, the C library's start of a thread left aside. */
enum { NOBODYS, WICKS, PROGRAMS };

void wick_chooser_init(struct wick_chooser *c, const struct wick_shape *shape, const struct wick_profile *p)
{
    *c = (struct wick_chooser){.shape = shape, .p = p, .text = WICK_STRBUF_INIT};
    c->by_frame = shape->no_own;
    for (uint32_t i = 0; i < shape->ntests; i++)
        c->by_frame |= shape->tests[i].what != WICK_TEST_VALUE;
}

void wick_chooser_release(struct wick_chooser *c)
{
    free(c->frames.mask);
    free(c->stacks.mask);
    free(c->decided);
    free(c->whose);
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
    wick_frame_name(&c->text, c->p, frame, 0);
    for (uint32_t i = 0; i < c->shape->ntests; i++) {
        const struct wick_test *t = &c->shape->tests[i];
        if (t->what != WICK_TEST_VALUE && regexec(&t->regex, c->text.buf, 0, NULL, 0) == 0)
            mask |= 1u << i;
    }
    return mask;
}

static bool in_library(const struct wick_profile *p, uint32_t frame, const char *name)
{
    const struct wick_frame *f = &p->frames[frame];
    bool native = f->kind == WICK_FRAME_NATIVE || f->kind == WICK_FRAME_CPP;
    return native && !strncmp(wick_profile_str(p, p->functions[f->function].class_name), name, strlen(name));
}

bool wick_frame_is_own(const struct wick_profile *p, uint32_t frame)
{
    return in_library(p, frame, "libwick.so");
}

static uint8_t whose_frame(const struct wick_profile *p, uint32_t frame)
{
    if (wick_frame_is_own(p, frame))
        return WICKS;
    return in_library(p, frame, "libc.") || in_library(p, frame, "libpthread") || in_library(p, frame, "ld-")
               ? NOBODYS
               : PROGRAMS;
}

/* Who started each stack. A parent comes before its children. */
static bool know_owners(struct wick_chooser *c)
{
    uint8_t *bigger = c->nwhose < c->p->nstacks ? realloc(c->whose, c->p->nstacks) : c->whose;
    if (!bigger)
        return c->nwhose >= c->p->nstacks;
    c->whose = bigger;
    for (; c->nwhose < c->p->nstacks; c->nwhose++) {
        const struct wick_stack *at = &c->p->stacks[c->nwhose];
        uint8_t parents = c->nwhose ? c->whose[at->parent] : NOBODYS;
        c->whose[c->nwhose] = c->nwhose && parents == NOBODYS ? whose_frame(c->p, at->frame) : parents;
    }
    return true;
}

bool wick_chooser_is_own(const struct wick_chooser *c, uint32_t agg)
{
    uint32_t stack = c->p->aggs[agg].stack;
    return stack && stack < c->nwhose &&
           (c->whose[stack] == WICKS || wick_frame_is_own(c->p, c->p->stacks[stack].frame));
}

/* Masks of all frames and stacks that there are by now. */
static bool know_stacks(struct wick_chooser *c)
{
    struct wick_chooser_masks *f = &c->frames, *s = &c->stacks;
    if ((c->shape->no_own && !know_owners(c)) || !fits(f, c->p->nframes) || !fits(s, c->p->nstacks))
        return false;
    for (; f->n < c->p->nframes; f->n++)
        f->mask[f->n] = f->n ? mask_of_frame(c, f->n) : 0;
    for (; s->n < c->p->nstacks; s->n++) {
        const struct wick_stack *at = &c->p->stacks[s->n];
        s->mask[s->n] = s->n ? s->mask[at->parent] | f->mask[at->frame] : 0;
    }
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
        if (met == (t->what == WICK_TEST_EXCLUDE))
            return false;
    }
    return !c->shape->no_idle || !wick_is_idle(c->p, a);
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
