/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf/host_number.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

enum { HALF_NS = 1000000000 };

_Static_assert(2 * WICK_HOST_RULES <= UINT16_MAX + 1, "a row has 16 bits for a number");

int wick_host_numbers_init(struct wick_host_numbers *n, const struct wick_host_rule_sink *sink)
{
    *n = (struct wick_host_numbers){.sink = *sink, .rules = calloc(WICK_HOST_RULES, sizeof *n->rules)};
    return n->rules ? 0 : -WICK_E_NOMEM;
}

void wick_host_numbers_release(struct wick_host_numbers *n)
{
    wick_index_release(&n->index);
    free(n->rules);
    *n = (struct wick_host_numbers){0};
}

/* Number 0 stands for no rule. */
static uint16_t number_at(const struct wick_host_numbers *n, uint32_t place)
{
    return (uint16_t)(n->half ? WICK_HOST_RULES + place : 1 + place);
}

/* Room for one more rule; false if the half is full and has not lasted long enough. */
static bool has_room(struct wick_host_numbers *n, uint64_t now_ns)
{
    if (n->n < WICK_HOST_RULES - 1)
        return true;
    if (now_ns < n->begun_ns + HALF_NS)
        return false;
    n->sink.forget_pages(n->sink.arg);
    wick_index_release(&n->index);
    n->index = (struct wick_index){0};
    n->n = 0;
    n->half = !n->half;
    n->begun_ns = now_ns;
    return true;
}

uint16_t wick_host_number(struct wick_host_numbers *n, const struct wick_unwind_rule *rule, uint64_t now_ns)
{
    uint64_t h = wick_hash_bytes(rule, sizeof *rule);
    uint32_t at = wick_index_start(&n->index, h), id;
    while (wick_index_next(&n->index, h, &at, &id))
        if (!memcmp(&n->rules[id], rule, sizeof *rule))
            return number_at(n, id);
    if (!has_room(n, now_ns) || wick_index_add(&n->index, h, n->n))
        return 0;
    n->rules[n->n] = *rule;
    uint16_t number = number_at(n, n->n++);
    n->sink.put_rule(n->sink.arg, number, rule);
    return number;
}
