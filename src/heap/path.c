/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path.c - the search for the shortest ways, and objects and references as text
 *
 * One breadth-first search from all roots. before[] is both the mark that an object has been met and the way back: the
 * object from which it was met first, which is on a shortest way. The queue is an array that each object enters once
 * at most, so both are of 4 bytes an object, and the time is that of reading each object's references once: O(objects
 * + references). Whether all targets have been met is looked up at positions of the queue that are 1/16 further apart
 * each time: some 16 ln(objects) times in all, each O(targets).
 *
 * The graph keeps which object refers to which, not by which field. The field is found when a path is written, by
 * reading the record of the object that refers again: the first field, element or static that holds the id. What no
 * record holds is a reference that the graph has added (graph.h): a thread's local variable, or that of an object to
 * its class.
 *
 * Strings are in the form of their JVM: chars in big-endian order up to JDK 8, then bytes that are Latin-1 or UTF-16
 * by `coder`. Surrogates that do not come in pairs become U+FFFD.
 */
#include "heap/path.h"

#include <stdlib.h>
#include <string.h>

#include "codec/utf8.h"

/* What before[] says of an object: not met, held by a root, or 2 + the object from which it was met. */
enum { NOT_MET, FROM_ROOT, FROM_OBJECT };

/* Objects of a path that a line has: so many from its start, and from its end. */
enum { LINE_HEAD = 8, LINE_TAIL = 4 };

struct search {
    struct wick_heap_array before, queue;
    uint64_t end;
    uint32_t at; /* whose edges come */
    const struct wick_heap_path *paths;
    const uint32_t *targets;
    size_t n;
};

static int meet(void *to, uint32_t from, uint32_t target)
{
    struct search *s = to;
    uint32_t *before = wick_heap_u32(&s->before);
    if (before[target] != NOT_MET)
        return 0;
    before[target] = from == WICK_HEAP_NONE ? FROM_ROOT : FROM_OBJECT + from;
    wick_heap_u32(&s->queue)[s->end++] = target;
    return 0;
}

/* Different targets that have not been met yet; how many. */
static size_t missing(const struct search *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        n += wick_heap_u32(&s->before)[s->targets[i]] == NOT_MET;
    return n;
}

static int search(struct wick_heap_graph *g, struct search *s, struct wick_err *err)
{
    struct wick_heap_edges e;
    int rc = wick_heap_graph_edges(g, &e, err);
    rc = rc ? rc : e.roots(e.ctx, meet, s);
    uint64_t look = 0;
    for (uint64_t i = 0; !rc && i < s->end; i++) {
        if (i == look) { /* now and then: whether all have been met */
            if (!missing(s))
                break;
            look = i + 1 + i / 16;
        }
        rc = e.of(e.ctx, wick_heap_u32(&s->queue)[i], meet, s);
        wick_heap_store_relieve(g->store);
    }
    return rc;
}

static int take_path(const struct search *s, uint32_t target, struct wick_heap_path *path)
{
    const uint32_t *before = wick_heap_u32(&s->before);
    uint32_t n = 0;
    if (before[target] == NOT_MET)
        return 0;
    for (uint32_t i = target;; i = before[i] - FROM_OBJECT) {
        n++;
        if (before[i] == FROM_ROOT)
            break;
    }
    path->objects = malloc(n * sizeof *path->objects);
    if (!path->objects)
        return -WICK_E_NOMEM;
    path->n = n;
    for (uint32_t i = target; n--; i = before[i] - FROM_OBJECT)
        path->objects[n] = i;
    return 0;
}

int wick_heap_paths_find(struct wick_heap_graph *g, const uint32_t *targets, size_t n, struct wick_heap_path *paths,
                         struct wick_err *err)
{
    struct search s = {.targets = targets, .n = n};
    memset(paths, 0, n * sizeof *paths);
    int rc = wick_heap_store_new(g->store, &s.before, g->ids.n, 4, true, err);
    rc = rc ? rc : wick_heap_store_new(g->store, &s.queue, g->ids.n, 4, true, err);
    rc = rc ? rc : search(g, &s, err);
    for (size_t i = 0; !rc && i < n; i++)
        if (take_path(&s, targets[i], &paths[i]))
            rc = wick_err_set(err, WICK_E_NOMEM, "out of memory for a path");
    wick_heap_store_free(g->store, &s.before);
    wick_heap_store_free(g->store, &s.queue);
    if (rc)
        wick_heap_paths_release(paths, n);
    return rc;
}

void wick_heap_paths_release(struct wick_heap_path *paths, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(paths[i].objects);
    memset(paths, 0, n * sizeof *paths);
}

/* --- how one refers to another ------------------------------------------------------------------------------------ */

static bool class_refers(struct wick_heap_graph *g, uint64_t at, uint64_t id, struct wick_strbuf *out)
{
    struct wick_hprof_class k;
    struct wick_hprof_field f;
    if (wick_hprof_class_at(&g->hprof, &g->jump, at, &k))
        return false;
    const struct {
        uint64_t id;
        const char *text;
    } parts[] = {{k.super, "<superclass>"},
                 {k.loader, "<class loader>"},
                 {k.signers, "<signers>"},
                 {k.domain, "<protection domain>"}};
    for (unsigned i = 0; i < k.nstatics; i++) {
        if (wick_hprof_static_at(&g->hprof, &g->jump, &k.statics, &f))
            return false;
        if (f.type == WICK_HPROF_REF && f.value == id) {
            wick_strbuf_adds(out, "static ");
            wick_heap_string_add(&g->classes, &g->jump, f.name, out);
            return true;
        }
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].id == id) {
            wick_strbuf_adds(out, parts[i].text);
            return true;
        }
    return false;
}

static bool array_refers(struct wick_heap_graph *g, const struct wick_hprof_object *o, uint64_t id,
                         struct wick_strbuf *out)
{
    unsigned size = g->hprof.id_size;
    for (uint32_t i = 0; i < o->count; i++) {
        const uint8_t *p = wick_heap_view_at(&g->jump, o->body + (uint64_t)i * size, size);
        if (!p)
            return false;
        if (wick_hprof_id(&g->hprof, p) == id) {
            wick_strbuf_addf(out, "[%u]", i);
            return true;
        }
    }
    return false;
}

static bool instance_refers(struct wick_heap_graph *g, const struct wick_hprof_object *o, uint32_t class, uint64_t id,
                            struct wick_strbuf *out)
{
    const struct wick_heap_class *k = class != WICK_HEAP_NONE ? &g->classes.all[class] : NULL;
    for (uint32_t i = 0; k && i < k->nrefs; i++) {
        const uint8_t *p = wick_heap_view_at(&g->jump, o->body + k->refs[i], g->hprof.id_size);
        if (p && wick_hprof_id(&g->hprof, p) == id) {
            wick_heap_class_field_name(&g->classes, &g->jump, class, k->refs[i], out);
            return true;
        }
    }
    return false;
}

static void add_frame(struct wick_heap_graph *g, const struct wick_heap_root *r, struct wick_strbuf *out)
{
    struct wick_strbuf frame = WICK_STRBUF_INIT;
    if (r->frame != UINT32_MAX && wick_heap_frame_add(&g->classes, &g->jump, r->thread, r->frame, &frame)) {
        wick_strbuf_adds(out, " in ");
        wick_strbuf_add(out, frame.buf, frame.len);
    }
    wick_strbuf_release(&frame);
}

void wick_heap_reference_add(struct wick_heap_graph *g, uint32_t from, uint32_t to, struct wick_strbuf *out)
{
    struct wick_hprof_object o;
    uint64_t id = wick_heap_graph_brief(g, to).id;
    bool refers = false;
    if (wick_heap_graph_object(g, from, &o))
        return;
    uint32_t class = wick_heap_class_of(&g->classes, &o);
    if (o.kind == WICK_HPROF_CLASS)
        refers = class_refers(g, o.at, id, out);
    else if (o.kind == WICK_HPROF_OBJECTS)
        refers = array_refers(g, &o, id, out);
    else if (o.kind == WICK_HPROF_INSTANCE)
        refers = instance_refers(g, &o, class, id, out);
    const struct wick_heap_root *r = refers ? NULL : wick_heap_graph_root(g, to, from);
    if (r) {
        wick_strbuf_adds(out, wick_hprof_root_text((enum wick_hprof_root_kind)r->kind));
        add_frame(g, r, out);
    } else if (!refers) {
        wick_strbuf_adds(out, "<class>");
    }
}

/* --- objects as text ---------------------------------------------------------------------------------------------- */

static uint64_t field_id(struct wick_heap_graph *g, const struct wick_hprof_object *o, uint32_t class, const char *name)
{
    uint32_t at;
    unsigned type;
    const uint8_t *p = NULL;
    if (wick_heap_class_field(&g->classes, &g->jump, class, name, &at, &type) && type == WICK_HPROF_REF &&
        at + g->hprof.id_size <= o->count)
        p = wick_heap_view_at(&g->jump, o->body + at, g->hprof.id_size);
    return p ? wick_hprof_id(&g->hprof, p) : 0;
}

/* n units of UTF-16, big-endian in char arrays (the dump's), little-endian in byte arrays (the JVM's). */
static void add_utf16(struct wick_strbuf *out, const uint8_t *p, size_t n, bool little)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t c = little ? (uint32_t)(p[2 * i] | p[2 * i + 1] << 8) : (uint32_t)(p[2 * i] << 8 | p[2 * i + 1]);
        if (c >= 0xd800 && c < 0xdc00 && i + 1 < n) {
            const uint8_t *q = p + 2 * i + 2;
            uint32_t low = little ? (uint32_t)(q[0] | q[1] << 8) : (uint32_t)(q[0] << 8 | q[1]);
            if (low >= 0xdc00 && low < 0xe000) {
                c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
                i++;
            }
        }
        wick_utf8_addc(out, c >= 0xd800 && c < 0xe000 ? 0xfffd : c);
    }
}

static unsigned coder_of(struct wick_heap_graph *g, const struct wick_hprof_object *o, uint32_t class)
{
    uint32_t at;
    unsigned type;
    const uint8_t *p = wick_heap_class_field(&g->classes, &g->jump, class, "coder", &at, &type) && at < o->count
                           ? wick_heap_view_at(&g->jump, o->body + at, 1)
                           : NULL;
    return p ? *p : 0;
}

/* Appends up to `most` characters of a java.lang.String, as UTF-8. False if it is none. */
static bool add_text(struct wick_heap_graph *g, uint32_t object, size_t most, struct wick_strbuf *out)
{
    struct wick_hprof_object o, a;
    if (wick_heap_graph_object(g, object, &o) || o.kind != WICK_HPROF_INSTANCE)
        return false;
    uint32_t class = wick_heap_class_of(&g->classes, &o);
    if (!wick_heap_class_is(&g->classes, class, "java/lang/String"))
        return false;
    uint32_t value = wick_heap_ids_find(&g->ids, field_id(g, &o, class, "value"));
    unsigned coder = coder_of(g, &o, class);
    if (value == WICK_HEAP_NONE || wick_heap_graph_object(g, value, &a) || a.kind != WICK_HPROF_PRIMITIVES)
        return false;
    bool wide = a.type == WICK_HPROF_CHAR || coder == 1;
    size_t units = a.type == WICK_HPROF_CHAR || coder != 1 ? a.count : a.count / 2;
    size_t n = units < most ? units : most;
    const uint8_t *p = wick_heap_view_at(&g->jump, a.body, n * (wide ? 2 : 1));
    if (!p)
        return false;
    if (wide)
        add_utf16(out, p, n, a.type != WICK_HPROF_CHAR);
    else
        for (size_t i = 0; i < n; i++)
            wick_utf8_addc(out, p[i]);
    if (n < units)
        wick_strbuf_adds(out, "...");
    return true;
}

static void add_quoted(struct wick_heap_graph *g, uint32_t text, struct wick_strbuf *out)
{
    size_t len = out->len;
    wick_strbuf_adds(out, " \"");
    if (text != WICK_HEAP_NONE && add_text(g, text, 60, out))
        wick_strbuf_addc(out, '"');
    else
        wick_strbuf_cut(out, len);
}

void wick_heap_object_add(struct wick_heap_graph *g, uint32_t object, struct wick_strbuf *out)
{
    struct wick_hprof_object o;
    struct wick_strbuf name = WICK_STRBUF_INIT;
    if (wick_heap_graph_object(g, object, &o)) {
        wick_strbuf_adds(out, "[unknown object]");
        return;
    }
    uint32_t class =
        o.kind == WICK_HPROF_CLASS ? wick_heap_class_find(&g->classes, o.id) : wick_heap_class_of(&g->classes, &o);
    wick_heap_class_name(&g->classes, class, &name);
    if (o.kind == WICK_HPROF_CLASS)
        wick_strbuf_adds(out, "class ");
    if (o.kind != WICK_HPROF_CLASS && o.kind != WICK_HPROF_INSTANCE && name.len > 2)
        wick_strbuf_addf(out, "%.*s[%u]", (int)(name.len - 2), name.buf, o.count);
    else
        wick_strbuf_add(out, name.buf, name.len);
    if (o.kind == WICK_HPROF_INSTANCE && class != WICK_HEAP_NONE && g->classes.all[class].flags & WICK_HEAP_IS_THREAD)
        add_quoted(g, wick_heap_ids_find(&g->ids, field_id(g, &o, class, "name")), out);
    else if (o.kind == WICK_HPROF_INSTANCE)
        add_quoted(g, object, out);
    wick_strbuf_release(&name);
}

void wick_heap_root_add(struct wick_heap_graph *g, uint32_t object, struct wick_strbuf *out)
{
    const struct wick_heap_root *r = wick_heap_graph_root(g, object, WICK_HEAP_NONE);
    if (!r) {
        wick_strbuf_adds(out, "no root");
        return;
    }
    wick_strbuf_adds(out, wick_hprof_root_text((enum wick_hprof_root_kind)r->kind));
    add_frame(g, r, out);
}

void wick_heap_path_add(struct wick_heap_graph *g, const struct wick_heap_path *path, struct wick_strbuf *out)
{
    if (!path->n) {
        wick_strbuf_adds(out, "no path from a GC root leads to it");
        return;
    }
    wick_heap_root_add(g, path->objects[0], out);
    for (uint32_t i = 0; i < path->n; i++) {
        uint32_t left_out = path->n > LINE_HEAD + LINE_TAIL ? path->n - LINE_HEAD - LINE_TAIL : 0;
        wick_strbuf_adds(out, i ? ", " : ": ");
        if (left_out && i == LINE_HEAD) {
            wick_strbuf_addf(out, "... %u more objects ..., ", left_out);
            i += left_out;
        }
        if (i) {
            wick_heap_reference_add(g, path->objects[i - 1], path->objects[i], out);
            wick_strbuf_adds(out, " -> ");
        }
        wick_heap_object_add(g, path->objects[i], out);
    }
}
