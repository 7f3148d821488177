/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interval.h - how far an estimate from weighted samples can be from the truth
 *
 * A thing of s bytes that is sampled with the probability p, independently of the others, and stands for w = s / p
 * bytes adds s^2 (1 - p) / p to the variance of the sum of weights. Of those that were sampled, w (w - s) estimates
 * that without bias (Horvitz and Thompson, J. ASA 47, 1952), since p w (w - s) is just that. Where priority sampling
 * keeps some of the sampled ones (engine/alloc/live.h), it still does with the weight that they have in the end: the
 * threshold is the same for all, and the estimates of two things are not correlated (Duffield et al., J. ACM 54(6)).
 *
 * The usual interval, 1.96 standard deviations to either side, contains the truth too rarely where there are few
 * samples: when few were drawn, sum and deviation are both too small. So the deviation is taken at the truth that is
 * asked about, not at the estimate: as variance and sum are both proportional to how much there is, with
 * f = variance / estimate, a true value T is plausible if (T - estimate)^2 <= 1.96^2 f T, which is a quadratic
 * equation. This is Wilson's interval (J. ASA 22, 1927) for weighted samples. For objects of one size it is exact up
 * to their being whole; it reaches further up than down.
 *
 * Threads: any.
 */
#ifndef WICK_MODEL_INTERVAL_H
#define WICK_MODEL_INTERVAL_H

struct wick_interval {
    double low, high;
};

/* What one sample that stands for `weight` of something of `size` adds to the variance of a sum; 0 if that makes no
 * sense. */
static inline double wick_interval_variance(double weight, double size)
{
    return weight > size && size >= 0 ? weight * (weight - size) : 0;
}

/* The 95 % interval of an estimate that is not negative. */
struct wick_interval wick_interval_95(double estimate, double variance);

/* That of a share, 0 to 1, as seen in n independent samples of one weight; the share itself if n is not positive. */
struct wick_interval wick_interval_of_share(double share, double n);

/* That of a difference, a slope or whatever else may be negative: to either side. */
double wick_interval_half(double variance);

/* Half of an interval's width as a share of the estimate; 0 if that is 0. */
double wick_interval_share(double estimate, double variance);

#endif
