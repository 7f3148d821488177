/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shape.h - which of a profile's samples count, and how their stacks are shown
 *
 * Everything here works on a profile that was read: aggregates are left out, or given another stack. What a view or an
 * export does with the profile afterwards needs to know nothing of it. The order is fixed: samples are chosen by what
 * they carry (thread, state, labels), then by the frames of their stack; then stacks are cut at a method, the frames by
 * which threads begin become one, stacks are cut and turned; then frames for groups are put at their root.
 *
 * Values of a sample, by key: "thread" (the name), "tid", "state", "event", "kind" (of the leaf frame),
 * "package" (of the Java frame nearest to the leaf), "work" (see classify.h), and any label of the sample.
 *
 * Threads: one at a time per profile.
 * Memory:  some bytes for each frame and stack during the call; new stacks stay in the profile.
 */
#ifndef WICK_MODEL_SHAPE_H
#define WICK_MODEL_SHAPE_H

#include "base/err.h"
#include "base/strbuf.h"
#include "model/frame_path.h"
#include "model/profile.h"

#include <regex.h>

enum wick_test_what {
    WICK_TEST_VALUE,       /* the value of `key` matches */
    WICK_TEST_INCLUDE,     /* some frame's name matches */
    WICK_TEST_EXCLUDE,     /* no frame's name matches */
    WICK_TEST_EXCLUDE_PATH /* it does not follow the path (model/frame_path.h) */
};

struct wick_test {
    enum wick_test_what what;
    const char *key;   /* VALUE; borrowed */
    const char *equal; /* VALUE: must be this, borrowed; NULL = must match the expression */
    regex_t regex;
    struct wick_frame_path *path; /* EXCLUDE_PATH */
};

#define WICK_SHAPE_TESTS  32u /* include and exclude together: at most this many bits of a mask */
#define WICK_SHAPE_GROUPS 8u

struct wick_shape {
    struct wick_test tests[WICK_SHAPE_TESTS];
    uint32_t ntests;
    const char *by[WICK_SHAPE_GROUPS]; /* keys whose values become root frames, outermost first; borrowed */
    uint32_t nby;
    uint32_t skip;     /* frames left out at the root */
    uint32_t depth;    /* frames kept from there on; 0 = all */
    bool no_idle;      /* without samples of threads that wait for work (classify.h) */
    bool fold_inlined; /* without inlined frames: their weight is the caller's */
    bool reverse;      /* the leaf becomes the root */
    bool fold_starts;  /* the frames by which threads begin are one, "[thread start]", but for a leaf */
    /* Stacks from the outermost frame of that name on: what it calls; or, with callers, from it to the root: what calls
     * it. Recursion counts once. Set by wick_shape_focus; NULL = whole stacks. */
    const char *focus; /* borrowed */
    bool callers;
    bool no_own; /* without the profiler's own threads and frames; what they cost is in the event types */
};

/* Adds a test. expression: POSIX extended, or for VALUE with `equal` not NULL unused. -WICK_E_USAGE if it is no regular
 * expression, -WICK_E_LIMIT if there are too many. */
int wick_shape_test(struct wick_shape *s, enum wick_test_what what, const char *key, const char *equal,
                    const char *expression, struct wick_err *err);

/* Leaves stacks with a frame of that name (borrowed), cut at the outermost one. -WICK_E_USAGE, _LIMIT, _NOMEM. */
int wick_shape_focus(struct wick_shape *s, const char *name, bool callers, struct wick_err *err);

/* A test for stacks that do not follow a path. -WICK_E_USAGE if it is no path, _LIMIT, _NOMEM. */
int wick_shape_test_path(struct wick_shape *s, const char *path, struct wick_err *err);

/* A test for stacks with a frame of exactly that name. As wick_shape_test. */
int wick_shape_test_frame(struct wick_shape *s, const char *name, struct wick_err *err);

void wick_shape_release(struct wick_shape *s);

/* True if applying it changes nothing, but for no_own. */
bool wick_shape_is_plain(const struct wick_shape *s);

/* Has p aggregate and keep what the shape needs. Before the first sample. */
void wick_shape_prepare(const struct wick_shape *s, struct wick_profile *p);

/* Applies it to all aggregates; the sums of the event types follow. No sample may be added afterwards.
 * moved: room for a number for each aggregate, or NULL; gets which aggregate each has become, WICK_AGG_NONE = left out.
 * -WICK_E_NOMEM. */
int wick_shape_apply(const struct wick_shape *s, struct wick_profile *p, uint32_t *moved, struct wick_err *err);

#endif
