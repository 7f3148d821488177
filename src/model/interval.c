/* SPDX-License-Identifier: Apache-2.0 */
#include "model/interval.h"

#include <math.h>

#define Z 1.959963985 /* 2.5 % of a normal distribution are above */

struct wick_interval wick_interval_95(double estimate, double variance)
{
    if (!(estimate > 0) || !(variance > 0))
        return (struct wick_interval){estimate, estimate};
    double f = Z * Z * variance / estimate, middle = estimate + f / 2, half = sqrt(f * estimate + f * f / 4);
    return (struct wick_interval){middle - half, middle + half};
}

struct wick_interval wick_interval_of_share(double share, double n)
{
    if (!(n > 0))
        return (struct wick_interval){share, share};
    double f = Z * Z / n, middle = (share + f / 2) / (1 + f);
    double half = sqrt(f * share * (1 - share) + f * f / 4) / (1 + f);
    return (struct wick_interval){middle - half > 0 ? middle - half : 0, middle + half < 1 ? middle + half : 1};
}

double wick_interval_half(double variance)
{
    return variance > 0 ? Z * sqrt(variance) : 0;
}

double wick_interval_share(double estimate, double variance)
{
    struct wick_interval i = wick_interval_95(estimate, variance);
    return estimate > 0 ? (i.high - i.low) / 2 / estimate : 0;
}
