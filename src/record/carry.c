/* SPDX-License-Identifier: Apache-2.0 */
#include "record/carry.h"

#include <stdlib.h>

#include "base/err.h"
#include "record/recorder.h"

int wick_carry_init(struct wick_carry *c, const struct wick_tables *from, struct wick_tables *to)
{
    uint32_t nodes = wick_load_relaxed(&from->node_count), methods = wick_load_relaxed(&from->method_count);
    *c = (struct wick_carry){.from = from, .to = to};
    /* a count runs on where a table is full */
    c->node_count = nodes < from->node_cap ? nodes : from->node_cap;
    c->method_count = methods < from->method_cap ? methods : from->method_cap;
    c->nodes = calloc(c->node_count, sizeof *c->nodes);
    c->methods = calloc(c->method_count, sizeof *c->methods);
    if (c->nodes && c->methods)
        return 0;
    wick_carry_release(c);
    return -WICK_E_NOMEM;
}

void wick_carry_release(struct wick_carry *c)
{
    free(c->nodes);
    free(c->methods);
    *c = (struct wick_carry){0};
}

static uint32_t carry_method(struct wick_carry *c, uint32_t old)
{
    if (!old || old >= c->method_count)
        return 0;
    if (!c->methods[old])
        c->methods[old] = wick_tables_method_from(c->to, c->from, old);
    return c->methods[old];
}

/* The frame as the new tables spell it; 0 if its method finds no room. */
static uint64_t carry_frame(struct wick_carry *c, uint64_t frame)
{
    uint32_t method;
    switch (WICK_FRAME_KIND(frame)) {
    case WICK_FRAME_NATIVE:
    case WICK_FRAME_CPP:
    case WICK_FRAME_KERNEL:
    case WICK_FRAME_BREAK:
    case WICK_FRAME_BOUNDARY:
        return frame;
    default:
        method = carry_method(c, WICK_FRAME_METHOD(frame));
        return method ? (frame & ~((uint64_t)0x0fffffff << 32)) | (uint64_t)method << 32 : 0;
    }
}

uint32_t wick_carry_stack(struct wick_carry *c, uint32_t old)
{
    uint32_t path[WICK_MAX_KERNEL_FRAMES + WICK_MAX_FRAMES], n = 0, node = old;
    if (!c->nodes || wick_tables_half_full(c->to))
        return 0;
    /* from the leaf towards the root, up to a node that was carried before */
    for (; node && node < c->node_count && !c->nodes[node]; node = c->from->nodes[node].parent) {
        if (n == sizeof path / sizeof *path)
            return 0;
        path[n++] = node;
    }
    uint32_t under = node && node < c->node_count ? c->nodes[node] : 0;
    while (n--) {
        uint64_t frame = carry_frame(c, c->from->nodes[path[n]].frame);
        under = frame ? wick_tables_node_sig(c->to, under, frame) : 0;
        if (!under)
            return 0;
        c->nodes[path[n]] = under;
    }
    return under;
}

uint32_t wick_carry_context(struct wick_carry *c, uint32_t old)
{
    if (!c->nodes || !old || old >= wick_load_relaxed(&c->from->context_count) || old >= c->from->context_cap ||
        wick_tables_half_full(c->to))
        return 0;
    return wick_tables_context_sig(c->to, &c->from->contexts[old]);
}
