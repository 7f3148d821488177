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
                     100 * (double)waste / (double)r->graph.totals.bytes);
}

static void add_views(struct wick_heap_report *r, struct wick_strbuf *out)
{
    const struct wick_heap_views *v = &r->views;
    char a[CELL], b[CELL], c[CELL];
    add_share(r, wick_heap_views_waste(v), out);
    wick_strbuf_addf(out, "would be free without byte buffers that are slices of larger arrays: %s buffers",
                     wick_ui_count(v->buffers, a, CELL));
    if (v->class != WICK_HEAP_NONE) {
        bool most = 2 * v->owned > v->buffers;
        wick_strbuf_addf(out, ", of which %s are ", most ? "most" : wick_ui_count(v->owned, a, CELL));
        wick_heap_views_owner_add(v, &r->graph, out);
    }
    wick_strbuf_addf(out, ", keep %s of arrays alive for the %s that they have of them: copy what is kept of a buffer",
                     wick_ui_binary(v->bytes, b, CELL), wick_ui_binary(v->used, c, CELL));
}

/* The collections that have most room without elements. Arrays that are no collection's are left out: tables of hash
 * maps of libraries have to have such room. */
static const struct wick_heap_collection *most_room(const struct wick_heap_report *r)
{
    for (size_t i = 0; i < r->waste.ncollections; i++) {
        size_t len;
        const char *name = wick_heap_class_internal(&r->graph.classes, r->waste.collections[i].class, &len);
        if (len && *name != '[')
            return &r->waste.collections[i];
    }
    return NULL;
}

static void add_room(struct wick_heap_report *r, const struct wick_heap_collection *c, struct wick_strbuf *out)
{
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

void wick_explain_waste_add(struct wick_heap_report *r, struct wick_strbuf *out)
{
    const struct wick_heap_waste *w = &r->waste;
    const struct wick_heap_collection *roomy = most_room(r);
    const uint64_t views = wick_heap_views_waste(&r->views), room = roomy ? roomy->waste : 0;
    uint64_t most = views;
    most = room > most ? room : most;
    most = w->strings.waste > most ? w->strings.waste : most;
    if (!most || most < r->graph.totals.bytes / 100 * LEAST_PERCENT)
        return;
    if (most == views)
        add_views(r, out);
    else if (most == room)
        add_room(r, roomy, out);
    else
        add_strings(r, out);
}
