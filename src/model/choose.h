/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose.h - which samples meet the conditions of a shape
 *
 * For those who decide while they read: a sample is decided by its aggregate, so a regular expression runs once for
 * each thread, label and frame that differs and not for each sample. Stacks and aggregates may be added between calls.
 *
 * Threads: one at a time per profile.
 * Memory:  four bytes for each frame and stack and one for each aggregate; freed by wick_chooser_release.
 */
#ifndef WICK_MODEL_CHOOSE_H
#define WICK_MODEL_CHOOSE_H

#include "base/strbuf.h"
#include "model/own.h"
#include "model/profile.h"
#include "model/shape.h"

/* By number: the tests that a frame meets, or some frame of a stack. */
struct wick_chooser_masks {
    uint32_t *mask;
    uint32_t n, cap;
};

struct wick_chooser {
    const struct wick_shape *shape; /* borrowed, as is the profile */
    const struct wick_profile *p;
    struct wick_chooser_masks frames, stacks;
    struct wick_owners owners; /* with no_own */
    uint8_t *decided;          /* by aggregate: 0 = not yet */
    uint32_t ndecided;
    bool by_frame;              /* some test examines frames */
    uint32_t paths, leaf_paths; /* bits of tests: paths, and those that end at the leaf */
    struct wick_strbuf text;
};

/* Prepares for samples of p; nothing is decided yet. */
void wick_chooser_init(struct wick_chooser *c, const struct wick_shape *shape, const struct wick_profile *p);
void wick_chooser_release(struct wick_chooser *c);

/* Whether samples of an aggregate of the profile meet the conditions; false also when memory ran out. */
bool wick_chooser_takes(struct wick_chooser *c, uint32_t agg);

/* Whether an aggregate is the profiler's own work: that of its threads, or of its functions in threads of the program.
 * Only for a shape with no_own, after wick_chooser_decide(). */
bool wick_chooser_is_own(const struct wick_chooser *c, uint32_t agg);

/* Decides for the first n aggregates, which may then be moved. False if memory ran out. */
bool wick_chooser_decide(struct wick_chooser *c, uint32_t n);

#endif
