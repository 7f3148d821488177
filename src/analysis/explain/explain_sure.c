/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_sure.c - how sure a finding is
 *
 * A share of sampled time is an estimate of what happened while it was recorded. Each sample of a thread stands for a
 * quantum of time, so a part that is n of all samples is a proportion, and Wilson's interval holds where there are few
 * (E. B. Wilson, J. ASA 22, 1927). Samples of a thread that stays where it is are not independent; they err less than
 * independent ones, as the two ends of a long wait are all that sampling can miss, so the interval is wide
 * rather than narrow. It says nothing of other times than the recording's.
 *
 * A rule's threshold is a round number: a share just below it would be no better. So an interval that reaches below it
 * does not refute a finding, one that reaches below half of it means that chance may have made it. So may one of two
 * long samples, whose interval has nearly everything in it. Such a finding is an open question, and what decides it is
 * a recording with as many samples as an interval down to half of the threshold takes:
 * n = z^2 p (1 - p) / (p - t / 2)^2.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "model/interval.h"

#define REFUTED 0.5  /* of the threshold: the interval's lower end must not be below */
#define WIDEST  0.7  /* such an interval says next to nothing, wherever it lies */
#define Z2      3.85 /* for a 95 % interval */
#define SPARE   2.0  /* longer than needed if the share stays the same */

/* Recordings to ask for. */
#define LEAST_NS 10000000000
#define MOST_NS  600000000000

const char *wick_explain_basis_name(enum wick_explain_basis basis)
{
    switch (basis) {
    case WICK_EXPLAIN_BY_SAMPLES:
        return "samples";
    case WICK_EXPLAIN_BY_MEASURED:
        return "measured";
    case WICK_EXPLAIN_BY_ESTIMATE:
        break;
    }
    return "estimate";
}

/* How long to record so that the share, if it stays, is decided. */
static int64_t needed_ns(const struct wick_explain *x, double share, double n)
{
    double above = share - REFUTED * x->rule->threshold;
    double samples = Z2 * share * (1 - share) / (above * above) + Z2;
    double ns = (double)x->f->duration_ns * SPARE * samples / n;
    return ns < LEAST_NS ? LEAST_NS : ns < MOST_NS ? (int64_t)ns : MOST_NS;
}

static void add_share(struct wick_explain *x, struct wick_explain_finding *r, const char *name, double part_ns,
                      double whole_ns, double quanta)
{
    double share = fmin(wick_explain_share(part_ns, whole_ns), 1);
    wick_explain_figure(r, name, WICK_EXPLAIN_SHARE, share);
    if (!r || !(quanta > 0))
        return;
    double n = whole_ns * part_ns / quanta;
    struct wick_interval i = wick_interval_of_share(share, n);
    r->figures[r->n - 1].low = i.low;
    r->figures[r->n - 1].high = i.high;
    bool open = i.low < REFUTED * x->rule->threshold || i.high - i.low > WIDEST;
    r->record_ns = open ? needed_ns(x, share, n) : 0;
}

void wick_explain_share_of(struct wick_explain *x, struct wick_explain_finding *r, double part_ns, double whole_ns,
                           double quanta)
{
    add_share(x, r, "share", part_ns, whole_ns, quanta);
}

void wick_explain_share_left(struct wick_explain *x, struct wick_explain_finding *r, double part_ns, double left_ns,
                             double quanta)
{
    add_share(x, r, "left", part_ns, left_ns, quanta);
}

void wick_explain_set_aside(struct wick_explain_findings *out)
{
    struct wick_explain_finding *open = out->n ? calloc(out->n, sizeof *open) : NULL;
    size_t kept = 0;
    out->failed |= out->n && !open;
    for (size_t i = 0; open && i < out->n; i++)
        if (out->rows[i].record_ns)
            open[out->undecided++] = out->rows[i];
        else
            out->rows[kept++] = out->rows[i];
    if (open) {
        memcpy(&out->rows[kept], open, out->undecided * sizeof *open);
        out->n = kept;
    }
    free(open);
}
