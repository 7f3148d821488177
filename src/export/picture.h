/* SPDX-License-Identifier: Apache-2.0 */
/*
 * picture.h - a profile as a flame graph
 *
 * Folds the samples of one event type into a call tree (flame/tree.h) and has flame/ draw it. What a flame graph says
 * besides the stacks, its unit and the line under its title, is derived from the profile here, so that every command
 * says it in the same words.
 *
 * Threads: one at a time per profile.
 * Memory:  the tree: about 60 bytes a node, plus the names once more.
 */
#ifndef WICK_EXPORT_PICTURE_H
#define WICK_EXPORT_PICTURE_H

#include "export/format.h"
#include "flame/tree.h"

/* Adds the samples of event type o->event (0 = the main one) to t: frames with kind, line and, for native code, the
 * library; with o->threads or o->by a root frame, a boundary. -WICK_E_NOMEM, _LIMIT, or _NOTFOUND where there are no
 * samples of that type with a weight. */
int wick_picture_fold(const struct wick_profile *p, const struct wick_export_options *o, struct wick_tree *t,
                      struct wick_err *err);

/* What pictures show of frames: see struct wick_format. */
unsigned wick_picture_keep(unsigned names);

/* The unit of the picture's weights as struct wick_flame_opts takes it. Valid as long as the profile. */
const char *wick_picture_unit(const struct wick_profile *p, const struct wick_export_options *o);

/* What was measured, for people: "CPU time", or the event's own name. Valid as long as the profile. */
const char *wick_picture_measured(const struct wick_profile *p, const struct wick_export_options *o);

/* Appends what was measured, when and for how long: "CPU time, 2,941 samples in 10.0 s from 2026-11-21 09:30:00 UTC".
 */
void wick_picture_subtitle(struct wick_strbuf *out, const struct wick_profile *p, const struct wick_export_options *o);

/* Writers of the formats html and svg; see struct wick_format. */
int wick_picture_write_html(const struct wick_profile *p, const struct wick_export_options *o, FILE *out,
                            struct wick_err *err);
int wick_picture_write_svg(const struct wick_profile *p, const struct wick_export_options *o, FILE *out,
                           struct wick_err *err);

#endif
