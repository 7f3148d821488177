/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame_path.h - stacks that hold certain frames in a row
 *
 * A path is names of frames, root first, separated by semicolons: "Main.run;Shop.buy". A star before or after it
 * stands for any frames: "Main.run;Shop.buy;*" are the stacks of one subtree of a flame graph, "*;Shop.buy;Cart.sum"
 * those of one of the leaf-up view, and "*;Shop.buy;Cart.sum;*" all in which the one calls the other. "[thread start]"
 * in front, also after a star, are the frames by which a thread begins, as many as there are. Names have the
 * escapes of collapsed stacks (codec/stack_line.h): \x3b a semicolon, \x5c a backslash.
 *
 * Threads: one at a time per path.
 * Memory:  its text and a pointer for each name; freed by wick_frame_path_free.
 */
#ifndef WICK_MODEL_FRAME_PATH_H
#define WICK_MODEL_FRAME_PATH_H

#include "base/err.h"
#include "base/strbuf.h"
#include "model/profile.h"

struct wick_frame_path {
    bool from_root, to_leaf; /* no star there */
    uint32_t n;              /* at least one */
    char *text;
    const char *names[]; /* in text */
};

/* Takes a path apart. -WICK_E_USAGE if it has no name, or an empty one; -WICK_E_NOMEM. */
int wick_frame_path_parse(struct wick_frame_path **out, const char *text, struct wick_err *err);
void wick_frame_path_free(struct wick_frame_path *path);

/* Whether a frame of that name may be the path's last. */
bool wick_frame_path_ends_with(const struct wick_frame_path *path, const struct wick_profile *p, uint32_t frame,
                               const char *name);

/* Whether the path leads to the leaf of this stack, which ends with its last name. own: frames of the profiler count as
 * not there. text: room for names. */
bool wick_frame_path_leads_to(const struct wick_frame_path *path, const struct wick_profile *p, uint32_t stack,
                              bool own, struct wick_strbuf *text);

#endif
