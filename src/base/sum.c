/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sum.h"

#include "base/atomic.h"

static atomic_bool exceeded;

void wick_sum_exceed(void)
{
    wick_store_relaxed(&exceeded, true);
}

bool wick_sum_was_exceeded(void)
{
    return wick_load_relaxed(&exceeded);
}
