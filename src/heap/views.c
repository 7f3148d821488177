/* SPDX-License-Identifier: Apache-2.0 */
/*
 * views.c - a list of buffers by array, and one pass over all references
 *
 *   1. the buffers of the dump, of which the classes' counts say how many there are: array and capacity of each
 *   2. sorted by array, the capacities of each array's buffers are summed; where that is half of it or more, or a GC
 *      root holds it, the array is left out; a bit marks the others and their buffers
 *   3. of all references, those to marked arrays by what is no buffer of theirs take them out; those to marked buffers
 *      are counted by the class of what refers to them
 *
 * The list is short against the objects, so most references are passed over by their bit.
 */
#include "heap/views.h"

#include <stdlib.h>

#include "heap/path.h"

static const char *const buffer_classes[] = {"java/nio/HeapByteBuffer", "java/nio/HeapByteBufferR"};
enum { BUFFER_CLASSES = sizeof buffer_classes / sizeof *buffer_classes };

struct view {
    uint32_t object, array;
    uint32_t capacity;
    bool counts; /* its array is one of those meant */
    bool owned;  /* something refers to it */
};

struct work {
    struct wick_heap_views *out;
    struct wick_heap_graph *g;
    const struct wick_heap_retained *r;
    struct wick_err *err;
    struct {
        uint32_t class, array_at, capacity_at; /* WICK_HEAP_NONE: there is none */
    } kinds[BUFFER_CLASSES];
    struct wick_heap_array view_room, order_room, marks; /* marks: a bit by object: arrays and buffers that count */
    struct view *views;                                  /* by array */
    size_t n, room;
    uint32_t *by_object; /* places in views, by the buffer's number */
    uint64_t *owned;     /* by class */
};

/* --- buffers ------------------------------------------------------------------------------------------------------ */

static void find_kinds(struct work *w)
{
    struct wick_heap_classes *c = &w->g->classes;
    unsigned array, capacity;
    for (size_t k = 0; k < BUFFER_CLASSES; k++) {
        uint32_t class = wick_heap_class_named(c, buffer_classes[k]);
        w->kinds[k].class = WICK_HEAP_NONE;
        if (class == WICK_HEAP_NONE || !c->all[class].objects ||
            !wick_heap_class_field(c, &w->g->jump, class, "hb", &w->kinds[k].array_at, &array) ||
            !wick_heap_class_field(c, &w->g->jump, class, "capacity", &w->kinds[k].capacity_at, &capacity) ||
            array != WICK_HPROF_REF || capacity != WICK_HPROF_INT)
            continue;
        w->kinds[k].class = class;
        w->room += c->all[class].objects;
    }
}

static bool is_reached(const struct work *w, uint32_t object)
{
    return wick_heap_u32(&w->r->d.number)[object] != 0;
}

static int add_buffer(void *ctx, uint32_t object, const struct wick_hprof_object *o)
{
    struct work *w = ctx;
    struct wick_heap_graph *g = w->g;
    uint32_t class = o->kind == WICK_HPROF_INSTANCE ? wick_heap_class_of(&g->classes, o) : WICK_HEAP_NONE;
    if (class == WICK_HEAP_NONE || w->n == w->room || !is_reached(w, object))
        return 0;
    for (size_t k = 0; k < BUFFER_CLASSES; k++) {
        uint32_t array_at = w->kinds[k].array_at, capacity_at = w->kinds[k].capacity_at;
        if (w->kinds[k].class != class || (uint64_t)array_at + g->hprof.id_size > o->count ||
            (uint64_t)capacity_at + 4 > o->count)
            continue;
        const uint8_t *p = wick_heap_view_at(&g->scan, o->body + array_at, g->hprof.id_size);
        uint32_t array = p ? wick_heap_ids_find(&g->ids, wick_hprof_id(&g->hprof, p)) : WICK_HEAP_NONE;
        p = wick_heap_view_at(&g->scan, o->body + capacity_at, 4);
        if (p && array != WICK_HEAP_NONE)
            w->views[w->n++] = (struct view){object, array, wick_hprof_u4(p), false, false};
    }
    return 0;
}

static int by_array(const void *a, const void *b)
{
    const struct view *x = a, *y = b;
    if (x->array != y->array)
        return x->array < y->array ? -1 : 1;
    return (x->object > y->object) - (x->object < y->object);
}

/* --- arrays ------------------------------------------------------------------------------------------------------- */

static void mark(struct work *w, uint32_t object)
{
    wick_heap_u64(&w->marks)[object >> 6] |= UINT64_C(1) << (object & 63);
}

static bool is_marked(const struct work *w, uint32_t object)
{
    return wick_heap_u64(&w->marks)[object >> 6] >> (object & 63) & 1;
}

/* The first of the next array's buffers. */
static size_t end_of(const struct work *w, size_t begin)
{
    size_t end = begin + 1;
    while (end < w->n && w->views[end].array == w->views[begin].array)
        end++;
    return end;
}

static uint64_t capacity_of(const struct work *w, size_t begin, size_t end)
{
    uint64_t sum = 0;
    for (size_t i = begin; i < end; i++)
        sum += w->views[i].capacity;
    return sum;
}

static void choose_arrays(struct work *w)
{
    struct wick_hprof_object o;
    for (size_t begin = 0, end; begin < w->n; begin = end) {
        uint32_t array = w->views[begin].array;
        end = end_of(w, begin);
        if (wick_heap_graph_object(w->g, array, &o) || o.kind != WICK_HPROF_PRIMITIVES ||
            capacity_of(w, begin, end) >= o.count / 2 || wick_heap_graph_root(w->g, array, WICK_HEAP_NONE))
            continue;
        mark(w, array);
        for (size_t i = begin; i < end; i++) {
            w->views[i].counts = true;
            mark(w, w->views[i].object);
        }
    }
}

/* --- references --------------------------------------------------------------------------------------------------- */

static struct view *view_of(const struct work *w, uint32_t object)
{
    size_t lo = 0, hi = w->n;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (w->views[w->by_object[middle]].object < object)
            lo = middle + 1;
        else
            hi = middle;
    }
    struct view *v = lo < w->n ? &w->views[w->by_object[lo]] : NULL;
    return v && v->object == object ? v : NULL;
}

static size_t first_of(const struct work *w, uint32_t array)
{
    size_t lo = 0, hi = w->n;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (w->views[middle].array < array)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* Something refers to a marked array: if that is not one of its buffers, the array does not count. */
static void see_array(struct work *w, uint32_t from, uint32_t array)
{
    const struct view *v = view_of(w, from);
    size_t i = first_of(w, array);
    if (i == w->n || w->views[i].array != array || !w->views[i].counts || (v && v->array == array))
        return;
    for (; i < w->n && w->views[i].array == array; i++)
        w->views[i].counts = false;
}

static void each_reference(struct work *w, void (*see)(struct work *w, uint32_t from, uint32_t target))
{
    for (uint32_t from = 0; from < w->g->ids.n; from++) {
        const uint32_t *p = is_reached(w, from) ? wick_heap_links_of(&w->g->links, from) : NULL;
        wick_heap_store_relieve(w->g->store);
        for (bool last = !p; !last; p++) {
            last = *p & WICK_HEAP_LAST;
            if (is_marked(w, *p & ~WICK_HEAP_LAST))
                see(w, from, *p & ~WICK_HEAP_LAST);
        }
    }
}

/* The first that refers to a buffer counts. */
static void see_buffer(struct work *w, uint32_t from, uint32_t target)
{
    struct view *v = view_of(w, target);
    if (!v || !v->counts || v->owned)
        return;
    v->owned = true;
    uint32_t class = wick_heap_graph_brief(w->g, from).class;
    if (class == WICK_HEAP_NONE)
        return;
    uint64_t owned = ++w->owned[class];
    if (owned > w->out->owned)
        *w->out = (struct wick_heap_views){.owner = from, .view = target, .class = class, .owned = owned};
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static int by_object(const void *a, const void *b, void *views)
{
    const struct view *v = views;
    uint32_t x = v[*(const uint32_t *)a].object, y = v[*(const uint32_t *)b].object;
    return (x > y) - (x < y);
}

static int collect(struct work *w)
{
    w->owned = calloc((size_t)w->g->classes.n + 1, sizeof *w->owned);
    if (!w->owned)
        return wick_err_set(w->err, WICK_E_NOMEM, "out of memory for the byte buffers of a dump");
    int rc = wick_heap_store_new(w->g->store, &w->view_room, w->room, sizeof *w->views, false, w->err);
    rc = rc ? rc : wick_heap_store_new(w->g->store, &w->order_room, w->room, sizeof *w->by_object, false, w->err);
    w->views = w->view_room.p;
    w->by_object = w->order_room.p;
    rc = rc ? rc : wick_heap_graph_each(w->g, add_buffer, w, w->err);
    if (rc || !w->n)
        return rc;
    qsort(w->views, w->n, sizeof *w->views, by_array);
    for (uint32_t i = 0; i < w->n; i++)
        w->by_object[i] = i;
    qsort_r(w->by_object, w->n, sizeof *w->by_object, by_object, w->views);
    return wick_heap_store_new(w->g->store, &w->marks, (w->g->ids.n >> 6) + 1, 8, false, w->err);
}

static void sum_up(struct work *w)
{
    struct wick_heap_views *out = w->out;
    for (size_t begin = 0, end; begin < w->n; begin = end) {
        end = end_of(w, begin);
        if (!w->views[begin].counts)
            continue;
        out->buffers += end - begin;
        out->arrays++;
        out->used += capacity_of(w, begin, end);
        out->bytes += wick_heap_graph_brief(w->g, w->views[begin].array).bytes;
    }
}

int wick_heap_views_find(struct wick_heap_views *v, struct wick_heap_graph *g, const struct wick_heap_retained *r,
                         struct wick_err *err)
{
    struct work w = {.out = v, .g = g, .r = r, .err = err};
    *v = (struct wick_heap_views){.owner = WICK_HEAP_NONE, .view = WICK_HEAP_NONE, .class = WICK_HEAP_NONE};
    find_kinds(&w);
    int rc = w.room ? collect(&w) : 0;
    if (!rc && w.n) {
        choose_arrays(&w);
        each_reference(&w, see_array);
        each_reference(&w, see_buffer);
        sum_up(&w);
    }
    wick_heap_store_free(g->store, &w.marks);
    wick_heap_store_free(g->store, &w.order_room);
    wick_heap_store_free(g->store, &w.view_room);
    free(w.owned);
    return rc;
}

void wick_heap_views_owner_add(const struct wick_heap_views *v, struct wick_heap_graph *g, struct wick_strbuf *out)
{
    if (v->class == WICK_HEAP_NONE)
        return;
    wick_heap_reference_add(g, v->owner, v->view, out);
    wick_strbuf_adds(out, " of ");
    wick_heap_class_name(&g->classes, v->class, out);
}
