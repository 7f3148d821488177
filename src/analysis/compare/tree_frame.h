/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree_frame.h - frames of a profile as frames of a call tree
 *
 * Every call tree that is made of a profile (flame graphs, heatmaps, differences) names its frames here, so that equal
 * frames are equal nodes in all of them.
 *
 * Memory:  names go into the tree.
 */
#ifndef WICK_ANALYSIS_COMPARE_TREE_FRAME_H
#define WICK_ANALYSIS_COMPARE_TREE_FRAME_H

#include "flame/tree.h"
#include "model/name.h"
#include "model/profile.h"

/* What a frame of the profile is in a tree: name (under these flags of enum wick_name_flags), library, line, kind.
 * -WICK_E_NOMEM. */
int wick_analysis_tree_frame(const struct wick_profile *p, struct wick_tree *t, uint32_t frame, unsigned names,
                             struct wick_tree_frame *out);

#endif
