/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff.h - two sets of samples compared: before (A) and after (B)
 *
 * Both sides are in one profile, so equal stacks have equal numbers. The result is one call tree whose weights are
 * those of both sides added up, with the part of the first and both sides' samples by node, and one row for each
 * method.
 *
 * Normalised, A's weights are scaled so that both sides weigh the same: shares are compared. Otherwise weights are, and
 * the two sides should have measured for as long.
 *
 * Noise. What n samples say of a weight w has a variance of about w * w / n (of a share p, times 1 - p); a side that
 * has no sample at all could as well have had one. From both sides' variances follows the interval that holds the true
 * change with 95 % confidence, for this one method: of twenty unchanged methods about one lies outside.
 *
 * Memory:  about 100 bytes for each different stack; freed by wick_diff_release.
 */
#ifndef WICK_ANALYSIS_COMPARE_DIFF_H
#define WICK_ANALYSIS_COMPARE_DIFF_H

#include "base/err.h"
#include "flame/flame.h"
#include "model/profile.h"

struct wick_diff_side {
    const struct wick_agg *aggs; /* borrowed */
    uint32_t naggs;
};

struct wick_diff_sum {
    uint64_t weight[2], samples[2]; /* A, B */
};

struct wick_diff_row {
    uint32_t name;                    /* of the tree */
    struct wick_diff_sum self, total; /* total: recursion counts once */
};

struct wick_diff {
    struct wick_tree *tree;
    struct wick_flame_change *change; /* by node of the tree */
    struct wick_diff_row *rows;       /* by name */
    uint32_t nrows;
    struct wick_diff_sum all, measured; /* measured: before A was scaled */
    bool absolute;
};

/* A change, as a share of all of A, and half the width of its interval. */
struct wick_diff_change {
    double change, half;
};

/* What is compared, and how. */
struct wick_diff_options {
    uint16_t event; /* the event type; 0 = wick_profile_main_event() */
    unsigned names; /* enum wick_name_flags */
    bool counts;    /* samples instead of weights */
    bool absolute;  /* weights, not shares */
};

/* Compares the samples of event type o->event. -WICK_E_NOMEM, _LIMIT, or _NOTFOUND if a side has none. */
int wick_diff_init(struct wick_diff *d, const struct wick_profile *p, const struct wick_diff_side side[2],
                   const struct wick_diff_options *o, struct wick_err *err);
void wick_diff_release(struct wick_diff *d);

/* How much a row's (or a node's) weight has changed. */
struct wick_diff_change wick_diff_change(const struct wick_diff *d, const struct wick_diff_sum *s);

/* Shares are sums of rounded weights: less than this of all is no change. The same in web/flame/change.js. */
#define WICK_DIFF_ROUNDING 1e-6

/* True if it is more than sampling error. */
static inline bool wick_diff_is_real(struct wick_diff_change c)
{
    double size = c.change < 0 ? -c.change : c.change;
    return size > c.half && size > WICK_DIFF_ROUNDING;
}

/* Orders of rows; each but BY_NAME has the largest first. */
enum wick_diff_order {
    WICK_DIFF_BY_CHANGE, /* real changes first, then by the size of the change in self weight, then of that in total */
    WICK_DIFF_BY_NAME,
    WICK_DIFF_BY_SELF_BEFORE,
    WICK_DIFF_BY_SELF_AFTER,
    WICK_DIFF_BY_SELF_CHANGE, /* what grew first, what shrank last */
    WICK_DIFF_BY_TOTAL_BEFORE,
    WICK_DIFF_BY_TOTAL_AFTER,
    WICK_DIFF_BY_TOTAL_CHANGE
};

/* Sorts rows. turned: the other way round. */
void wick_diff_sort(struct wick_diff *d, enum wick_diff_order order, bool turned);

#endif
