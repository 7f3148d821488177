/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view.h - the options by which every command that reads a file chooses samples and shapes stacks
 *
 * `wick flame`, `heatmap`, `convert`, `top` and `diff` have them in common (VIEWS in def/tool_option.def) and hand what
 * they do not know to wick_view_take(). What the options mean is in model/shape.h; times, which need the recordings'
 * own span, are worked out here.
 *
 * Memory:  strings are borrowed from argv; wick_view_release frees the rest.
 */
#ifndef WICK_CLI_INPUT_VIEW_H
#define WICK_CLI_INPUT_VIEW_H

#include <stdio.h>

#include "base/err.h"
#include "cli/args.h"
#include "model/name.h"
#include "model/shape.h"

struct wick_view {
    struct wick_shape shape;
    const char *event;
    const char *from, *to;
    uint32_t survived; /* collections, 0 = all samples */
    unsigned names;    /* enum wick_name_flags */
    uint32_t *moved;   /* for wick_view_end: see wick_shape_apply(); borrowed, NULL = not needed */
};

/* Takes option `opt` (enum wick_arg) with its argument in a command's loop over its options: -1 to go on, else the exit
 * status after a message. */
int wick_view_take(struct wick_view *v, int opt, const char *arg, const char *command);

/* The key that a word means: "label:KEY" is KEY. */
const char *wick_view_key(const char *key);

/* True if no samples are left out and no stacks changed. */
bool wick_view_is_plain(const struct wick_view *v);

/* Reads the recordings into p (initialised; by_* and keep set as the command needs them): those in the time range, with
 * the shape applied. */
int wick_view_read(const struct wick_view *v, struct wick_profile *p, char *const *paths, int n, struct wick_err *err);

/* The same in parts, for callers that read the inputs themselves: the filter to read with, and what to do afterwards.
 * -WICK_E_NOTFOUND if no sample is left. */
int wick_view_begin(const struct wick_view *v, struct wick_profile *p, char *const *paths, int n,
                    struct wick_filter *filter, struct wick_err *err);
int wick_view_end(const struct wick_view *v, struct wick_profile *p, const struct wick_filter *filter,
                  struct wick_err *err);

/* Prints to out, in one line, what wick's own threads and frames cost of an event type, if they were left out of what
 * is shown. */
void wick_view_print_own(const struct wick_profile *p, uint16_t event, uint64_t shown, FILE *out);

/* The time range that the texts of --from and --to mean (NULL = not given) in these recordings: ns since 1970, 0 = no
 * beginning, no end. -WICK_E_USAGE, or why a recording cannot be read. */
int wick_view_range(const char *from, const char *to, char *const *paths, int n, int64_t *from_ns, int64_t *to_ns,
                    struct wick_err *err);

void wick_view_release(struct wick_view *v);

#endif
