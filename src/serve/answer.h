/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer.h - questions about the samples of a recording, answered as JSON
 *
 * Each takes the request's parameters (docs/ui-api.json), and writes one object to out, or fails with a message and may
 * have written a part of it.
 *
 * Threads: one at a time per recording.
 * Memory:  temporary; some stacks are added to the recording's profile.
 */
#ifndef WICK_SERVE_ANSWER_H
#define WICK_SERVE_ANSWER_H

#include <stdio.h>

#include "analysis/compare/diff.h"
#include "codec/json.h"
#include "export/format.h"
#include "flame/flame.h"
#include "serve/ask.h"
#include "serve/growing.h"
#include "serve/picked.h"
#include "serve/sources.h"

/* The call tree, packed (flame/pack.h). */
int wick_answer_flame(struct wick_growing *g, const struct wick_ask *a, FILE *out, struct wick_err *err);

/* The state that has most of each box. */
struct wick_answer_states {
    uint32_t *numbers, n; /* the states that occur, numbers of the profile's */
    uint8_t *of;          /* by node: its place among these */
};

/* Folds what is chosen into an empty tree, and notes that; to be released also on failure. -WICK_E_NOMEM, _NOTFOUND and
 * as wick_picture_fold. */
int wick_answer_states_fold(struct wick_answer_states *out, const struct wick_picked *s,
                            const struct wick_export_options *o, struct wick_tree *t, struct wick_err *err);
/* As a member "states" of an object; the tree is in the order in which it is packed. */
void wick_answer_states_put(const struct wick_answer_states *x, const struct wick_profile *p, const struct wick_tree *t,
                            struct wick_json *j);
void wick_answer_states_release(struct wick_answer_states *x);

/* Two selections compared. */
struct wick_answer_compared {
    struct wick_diff diff;
    struct wick_profile both; /* what diff's tree and rows are of */
    uint16_t event;
    int64_t start_ns, end_ns; /* of the second one */
};

/* Compares what the request chooses of base with what it chooses of g; both may be the same. -WICK_E_USAGE, _NOTFOUND,
 * _LIMIT, _NOMEM; release if it succeeds. */
int wick_answer_compare(struct wick_answer_compared *c, struct wick_growing *base, struct wick_growing *g,
                        const struct wick_ask *a, struct wick_err *err);
void wick_answer_compared_release(struct wick_answer_compared *c);

/* The call tree of both, and what of each node was in the base. */
int wick_answer_diff(struct wick_answer_compared *c, FILE *out, struct wick_err *err);

/* The same as a page. names: of the recordings, before and after. */
int wick_answer_diff_page(const struct wick_answer_compared *c, const char *const names[2], FILE *out,
                          struct wick_err *err);

/* The members `nodes` and `data` of an answer with a call tree. */
int wick_answer_put_tree(struct wick_json *j, struct wick_tree *t, const struct wick_flame_opts *o,
                         struct wick_err *err);

/* Weight over time. */
int wick_answer_series(struct wick_growing *g, const struct wick_ask *a, FILE *out, struct wick_err *err);

/* Weight by time as a heatmap. */
int wick_answer_heat(struct wick_growing *g, const struct wick_ask *a, FILE *out, struct wick_err *err);

/* Weight by thread; by label and value. */
int wick_answer_threads(struct wick_growing *g, const struct wick_ask *a, FILE *out, struct wick_err *err);
int wick_answer_labels(struct wick_growing *g, const struct wick_ask *a, FILE *out, struct wick_err *err);

/* What every answer says of the event type. */
void wick_answer_put_event(struct wick_json *j, const struct wick_profile *p, uint16_t event);

/* "ns", "bytes" or "count". */
const char *wick_answer_unit(unsigned unit);

/* The method whose callers or callees a request asks for; NULL = neither. */
const char *wick_answer_focus(const struct wick_ask *a, bool *callers);

/* The format that a request asks for, and its media type. NULL and a message if it is none of those offered here. */
const struct wick_format *wick_answer_format(const struct wick_ask *a, const char **type, struct wick_err *err);

struct wick_answer_export;

/* The samples that the request chooses, for that format. title: of a picture. -WICK_E_USAGE, _NOTFOUND, _NOMEM. */
int wick_answer_export_choose(struct wick_answer_export **out, struct wick_growing *g, const struct wick_ask *a,
                              const struct wick_format *f, const char *title, struct wick_err *err);

/* Writes them. 0 or as the format. */
int wick_answer_export_write(struct wick_answer_export *x, FILE *out, struct wick_err *err);

/* x may be NULL. */
void wick_answer_export_free(struct wick_answer_export *x);

/* Takes the conditions of all questions about samples (serve/picked.h), and `method`, its name as tables have it.
 * Writes one object (docs/ui-api.json). -WICK_E_USAGE without a method, _NOTFOUND if no stack has it. */
int wick_answer_lines(struct wick_growing *g, const struct wick_ask *a, const struct wick_sources *sources, FILE *out,
                      struct wick_err *err);

#endif
