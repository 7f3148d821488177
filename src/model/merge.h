/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge.h - one profile added to another
 *
 * Afterwards `to` holds what it would hold if the samples of both had been read into it: sums by stack, thread, labels,
 * state and event type, the types with their units and what was left out of them, and the time that both cover.
 * Things are joined by content, that is, exactly where their content ids (model/content_id.h) are equal; numbers of
 * `from` mean nothing in `to`, those of `to` stay. Which of two profiles is merged into the other decides in which
 * order things are numbered and nothing else, as long as no sum saturates.
 *
 * `to` may be coarser than `from` in what it adds up (by_thread, by_state, by_labels; lines, bytecode indices and kinds
 * of frames): then what is merged becomes as coarse. It must not be finer, for what `from` did not keep is lost. In
 * what only a reader can leave out (by_span, objects, signatures) both must agree.
 *
 * Threads: one at a time for both profiles.
 * Memory:  into `to`; four bytes for each thing of `from` while it lasts.
 */
#ifndef WICK_MODEL_MERGE_H
#define WICK_MODEL_MERGE_H

#include "model/profile.h"

/* `from` stays as it is and must be another profile. -WICK_E_USAGE if `to` is finer, disagrees or is sealed: it is
 * unchanged then. -WICK_E_NOMEM if memory ran out: `to` is valid, holds a part of `from` and has `failed` set. */
int wick_profile_merge(struct wick_profile *to, const struct wick_profile *from);

/* The same. moved: room for a number for each aggregate of `from`; gets which aggregate of `to` each has become, where
 * it succeeds. */
int wick_profile_merge_moved(struct wick_profile *to, const struct wick_profile *from, uint32_t *moved);

#endif
