/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/alloc/alloc_buffer_rule.h"

uint64_t wick_alloc_buffer_seen_sig(struct wick_alloc_buffer *b, const struct wick_alloc_buffer_seen *s)
{
    return alloc_buffer_seen(b, s);
}

uint64_t wick_alloc_buffer_rest_sig(const struct wick_alloc_buffer *b, uint64_t allocated)
{
    return alloc_buffer_rest(b, allocated);
}
