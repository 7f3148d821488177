/* SPDX-License-Identifier: Apache-2.0 */
/*
 * picked.h - the samples of a recording that a question is about
 *
 * What wick_shape_apply() does to a profile once and for all is done here beside it: the profile stays as it is for the
 * next question, and what is chosen are aggregates of its own, with the same stacks, threads and labels. They stand in
 * a profile that borrows everything else, which every view and export can read; nothing may be added to it.
 *
 * A time range chooses cells of the heat, so it counts slices whole (20 ms, of long recordings more), and what a sample
 * that lasts has in them.
 *
 * Threads: one at a time per recording.
 * Memory:  56 bytes for each aggregate that is chosen, and one for each there is; freed by wick_picked_release.
 */
#ifndef WICK_SERVE_PICKED_H
#define WICK_SERVE_PICKED_H

#include "base/err.h"
#include "model/choose.h"
#include "model/shape.h"
#include "serve/ask.h"
#include "serve/growing.h"

/* What a request asks of samples. */
struct wick_pick {
    const char *event; /* NULL = the most significant one */
    int64_t from_ns, to_ns;
    struct wick_shape shape;
    bool whole_stacks;            /* with the class of an object as leaf */
    bool fold;                    /* with one frame for those by which threads begin */
    bool places;                  /* what became of each aggregate is noted */
    char *keys[WICK_SHAPE_TESTS]; /* of labels, which the tests borrow */
    uint32_t nkeys;
};

struct wick_picked {
    struct wick_profile view; /* borrows from the recording's, but for aggs and events */
    uint16_t event;
    uint32_t *place; /* if that is asked for: by aggregate of the recording its number in view, WICK_AGG_NONE = none */
};

/* Takes the parameters event, from, to, thread, label, endpoint, state, filter, exclude, exclude_path, own and no_idle.
 * They borrow from a. -WICK_E_USAGE with a message. Release in any case. */
int wick_pick_init(struct wick_pick *k, const struct wick_ask *a, struct wick_err *err);

/* The same for what is compared with: its time range is that of base_from and base_to only, and each of base_thread,
 * base_label, base_endpoint, base_state, base_filter, base_exclude and base_exclude_path that is given, be it empty,
 * stands in place of the one without base_. */
int wick_pick_init_base(struct wick_pick *k, const struct wick_ask *a, struct wick_err *err);

/* Leaves the stacks through a frame of exactly that name. -WICK_E_USAGE if there are too many conditions, _NOMEM. */
int wick_pick_through(struct wick_pick *k, const char *name, struct wick_err *err);
void wick_pick_release(struct wick_pick *k);

/* Prepares to decide which aggregates of the recording are chosen; c is to be released. -WICK_E_NOMEM. */
int wick_pick_chooser(const struct wick_pick *k, struct wick_growing *g, struct wick_chooser *c, struct wick_err *err);

/* Whether an aggregate of the recording is chosen, but for its event and time; *own: left out as the profiler's. */
bool wick_pick_takes(const struct wick_pick *k, struct wick_chooser *c, uint32_t agg, bool *own);

/* Whether a cell lies in the time range. */
bool wick_pick_holds(const struct wick_pick *k, const struct wick_growing *g, const struct wick_heat_cell *cell);

/* The event type that is asked for. -WICK_E_NOTFOUND with a message that names those there are. */
int wick_pick_event(const struct wick_pick *k, const struct wick_growing *g, uint16_t *event, struct wick_err *err);

/* The samples that are chosen, of one event type. Adds stacks to the recording's profile. -WICK_E_NOTFOUND, _NOMEM. */
int wick_picked_init(struct wick_picked *s, const struct wick_pick *k, struct wick_growing *g, struct wick_err *err);
void wick_picked_release(struct wick_picked *s);

/* Puts the lightest branches together into frames "[smaller]", so that at most about `most` stacks are left. Returns
 * whether there were more. -WICK_E_NOMEM. */
int wick_picked_prune(struct wick_picked *s, struct wick_growing *g, uint32_t most, struct wick_err *err);

#endif
