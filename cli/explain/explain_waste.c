/* SPDX-License-Identifier: Apache-2.0 */
/* Where a heap is full, what could be smaller is as much of an answer as what holds it. Equal arrays of primitives are
 * left out: most are of zeros, and which of them could be shared only the program knows. */
#include "cli/explain/explain_waste.h"

#include "cli/ui.h"

enum { CELL = 32, LEAST_PERCENT = 25 };

static void add_share(const struct wick_heap_report *r, uint64_t waste, struct wick_strbuf *out)
{
    char bytes[CELL];
    wick_strbuf_addf(out, "%s%s (%.0f %% of the heap) ", out->len ? "; " : "", wick_ui_binary(waste, bytes, CELL),
                     100 * (double)waste / (double)r->retained.bytes);
}

static void add_views(struct wick_heap_report *r, struct wick_strbuf *out)
{
    const struct wick_heap_views *v = &r->views;
    char a[CELL], b[CELL], c[CELL];
    add_share(r, wick_heap_views_waste(v), out);
    wick_strbuf_addf(out, "would be free without byte buffers that are slices of larger arrays: %s buffers",
                     wick_ui_count(v->buffers, a, CELL));
    if (v->class != WICK_HEAP_NONE) {
        wick_strbuf_adds(out, ", of which most are ");
        wick_heap_views_owner_add(v, &r->graph, out);
    }
    wick_strbuf_addf(out, ", keep %s of arrays alive for the %s that they have of them: copy what is kept of a buffer",
                     wick_ui_binary(v->bytes, b, CELL), wick_ui_binary(v->used, c, CELL));
}

static void add_room(struct wick_heap_report *r, struct wick_strbuf *out)
{
    const struct wick_heap_collection *c = r->waste.collections;
    char a[CELL], b[CELL], d[CELL];
    add_share(r, c->waste, out);
    wick_strbuf_addf(out, "is room in %s of ", wick_ui_count(c->objects, a, CELL));
    wick_heap_class_name(&r->graph.classes, c->class, out);
    wick_strbuf_addf(out, " that has no element: they have %s elements and room for %s",
                     wick_ui_count(c->used, b, CELL), wick_ui_count(c->capacity, d, CELL));
}

static void add_strings(struct wick_heap_report *r, struct wick_strbuf *out)
{
    const struct wick_heap_duplicates *d = &r->waste.strings;
    char a[CELL], b[CELL];
    add_share(r, d->waste, out);
    wick_strbuf_addf(out, "is copies: %s strings have only %s different texts", wick_ui_count(d->objects, a, CELL),
                     wick_ui_count(d->groups, b, CELL));
}

uint64_t wick_explain_waste_add(struct wick_heap_report *r, struct wick_strbuf *out)
{
    const struct wick_heap_waste *w = &r->waste;
    const uint64_t views = wick_heap_views_waste(&r->views), room = w->ncollections ? w->collections[0].waste : 0;
    uint64_t most = views;
    most = room > most ? room : most;
    most = w->strings.waste > most ? w->strings.waste : most;
    if (!most || most < r->retained.bytes / 100 * LEAST_PERCENT)
        return 0;
    if (most == views)
        add_views(r, out);
    else if (most == room)
        add_room(r, out);
    else
        add_strings(r, out);
    return most;
}
