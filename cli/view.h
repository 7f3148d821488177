/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view.h - the options by which every command that reads a file chooses samples and shapes stacks
 *
 * One list of options, one parser, one text for --help: `wick flame`, `heatmap`, `convert`, `top` and `diff` put
 * WICK_VIEW_LONGS into their own tables and hand what they do not know to wick_view_option(). What the options mean is
 * in model/shape.h; times, which need the recordings' own span, are worked out here.
 *
 * Threads: one at a time.
 * Memory:  strings are borrowed from argv; wick_view_release frees the rest.
 */
#ifndef WICK_CLI_VIEW_H
#define WICK_CLI_VIEW_H

#include <getopt.h>
#include <stdio.h>

#include "base/err.h"
#include "model/name.h"
#include "model/shape.h"

/* Options without a letter, far from the commands' own. */
enum wick_view_opt {
    WICK_VIEW_FROM = 1000,
    WICK_VIEW_UNTIL,
    WICK_VIEW_THREAD,
    WICK_VIEW_STATE,
    WICK_VIEW_INCLUDE,
    WICK_VIEW_EXCLUDE,
    WICK_VIEW_PROCESS,
    WICK_VIEW_WHERE,
    WICK_VIEW_BY,
    WICK_VIEW_REVERSE,
    WICK_VIEW_SKIP,
    WICK_VIEW_DEPTH,
    WICK_VIEW_CLASSIFY,
    WICK_VIEW_NO_IDLE,
    WICK_VIEW_NAMES,
    WICK_VIEW_INLINE,
    WICK_VIEW_LINES,
    WICK_VIEW_SIMPLE,
    WICK_VIEW_SIGNATURES,
    WICK_VIEW_OWN,
    WICK_VIEW_SURVIVED
};

/* --to is the end of the time range; in `wick convert` it was the format first, and still is if it names one. */
/* clang-format off */
#define WICK_VIEW_LONGS                                                                                               \
    {"event", required_argument, NULL, 'e'},                                                                          \
    {"from", required_argument, NULL, WICK_VIEW_FROM},                                                                \
    {"to", required_argument, NULL, WICK_VIEW_UNTIL},                                                                 \
    {"thread", required_argument, NULL, WICK_VIEW_THREAD},                                                            \
    {"state", required_argument, NULL, WICK_VIEW_STATE},                                                              \
    {"include", required_argument, NULL, WICK_VIEW_INCLUDE},                                                          \
    {"exclude", required_argument, NULL, WICK_VIEW_EXCLUDE},                                                          \
    {"process", required_argument, NULL, WICK_VIEW_PROCESS},                                                          \
    {"where", required_argument, NULL, WICK_VIEW_WHERE},                                                              \
    {"by", required_argument, NULL, WICK_VIEW_BY},                                                                    \
    {"skip", required_argument, NULL, WICK_VIEW_SKIP},                                                                \
    {"depth", required_argument, NULL, WICK_VIEW_DEPTH},                                                              \
    {"classify", no_argument, NULL, WICK_VIEW_CLASSIFY},                                                              \
    {"no-idle", no_argument, NULL, WICK_VIEW_NO_IDLE},                                                                \
    {"names", required_argument, NULL, WICK_VIEW_NAMES},                                                              \
    {"inline", required_argument, NULL, WICK_VIEW_INLINE},                                                            \
    {"lines", no_argument, NULL, WICK_VIEW_LINES},                                                                    \
    {"simple", no_argument, NULL, WICK_VIEW_SIMPLE},                                                                  \
    {"signatures", no_argument, NULL, WICK_VIEW_SIGNATURES},                                                          \
    {"own", no_argument, NULL, WICK_VIEW_OWN},                                                                        \
    {"survived", required_argument, NULL, WICK_VIEW_SURVIVED}
/* clang-format on */

struct wick_view {
    struct wick_shape shape;
    const char *event;
    const char *from, *to;
    uint32_t survived; /* collections, 0 = all samples */
    unsigned names;    /* enum wick_name_flags */
    uint32_t *moved;   /* for wick_view_end: see wick_shape_apply(); borrowed, NULL = not needed */
};

/* The lines of --help for all these options. */
extern const char wick_view_help[];

/* Takes option `opt` (a letter or enum wick_view_opt) with its argument. 0, -WICK_E_USAGE with a message, or
 * -WICK_E_NOTFOUND if it is none of these. */
int wick_view_option(struct wick_view *v, int opt, const char *arg, struct wick_err *err);

/* The same for a command's loop over its options: -1 to go on, else the exit status after a message. */
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

void wick_view_release(struct wick_view *v);

#endif
