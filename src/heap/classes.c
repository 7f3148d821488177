/* SPDX-License-Identifier: Apache-2.0 */
/*
 * classes.c - one pass over a dump for all that is not an object
 *
 * Records come in any order and refer to one another by ids, so the pass only collects: classes into an array with a
 * hash index, since objects ask for their class by id millions of times; strings, threads, traces and frames into
 * arrays that are sorted afterwards and searched by bisection. What refers to something that comes later keeps its id
 * until the end (a class's name in `shallow`). O(file + n log n) for n strings; the file is scanned once, and read
 * again only where a text or a field is needed.
 *
 * Then what follows from all: names, the flags that subclasses inherit (a Reference, a Thread, a ClassLoader), and
 * classes for arrays of primitives, which some dumps do not have: their made-up ids are the numbers of the types,
 * addresses at which no class can lie. A dump may be hostile: chains of superclasses end after 1024, so a circle does
 * no harm; a field outside its instance, or a layout of another size than the instance, makes the layout an error and
 * not a read.
 */
#include "heap/classes.h"

#include <stdlib.h>
#include <string.h>

#include "heap/classes_int.h"
#include "model/name.h"

/* --- reading ------------------------------------------------------------------------------------------------------ */

int wick_heap_grow(void **array, size_t *cap, size_t n, size_t size)
{
    if (n < *cap)
        return 0;
    size_t more = *cap ? *cap + *cap / 2 : 64;
    void *p = reallocarray(*array, more, size);
    if (!p)
        return -WICK_E_NOMEM;
    *array = p;
    *cap = more;
    return 0;
}

uint32_t wick_heap_class_find(const struct wick_heap_classes *c, uint64_t id)
{
    uint64_t hash = wick_hash_2(id, 0);
    uint32_t at = wick_index_start(&c->by_id, hash), n;
    while (wick_index_next(&c->by_id, hash, &at, &n))
        if (c->all[n].id == id)
            return n;
    return WICK_HEAP_NONE;
}

uint32_t wick_heap_class_make(struct wick_heap_classes *c, uint64_t id)
{
    uint32_t n = wick_heap_class_find(c, id);
    size_t cap = c->cap;
    if (n != WICK_HEAP_NONE || c->n == WICK_HEAP_NONE - 1)
        return n;
    void *all = c->all;
    if (wick_heap_grow(&all, &cap, c->n, sizeof *c->all))
        return WICK_HEAP_NONE;
    c->all = all;
    c->cap = cap < WICK_HEAP_NONE ? (uint32_t)cap : WICK_HEAP_NONE;
    if (wick_index_add(&c->by_id, wick_hash_2(id, 0), c->n))
        return WICK_HEAP_NONE;
    c->all[c->n] = (struct wick_heap_class){.id = id, .name = WICK_HEAP_NONE};
    return c->n++;
}

static int on_string(void *ctx, uint64_t id, uint64_t at, uint32_t len)
{
    struct wick_heap_classes *c = ctx;
    void *p = c->strings;
    if (wick_heap_grow(&p, &c->strings_cap, c->nstrings, sizeof *c->strings))
        return -WICK_E_NOMEM;
    c->strings = p;
    c->strings[c->nstrings++] = (struct wick_heap_string){.id = id, .at = at, .len = len};
    return 0;
}

/* A class's loader and super keep ids until all are known; so does its name, in `shallow`. */
static int on_loaded(void *ctx, uint32_t serial, uint64_t class_id, uint64_t name)
{
    struct wick_heap_classes *c = ctx;
    uint32_t n = wick_heap_class_make(c, class_id);
    if (n == WICK_HEAP_NONE)
        return -WICK_E_NOMEM;
    c->all[n].serial = serial;
    c->all[n].shallow = name;
    return 0;
}

static int on_class(void *ctx, const struct wick_hprof_class *k)
{
    struct wick_heap_classes *c = ctx;
    uint32_t n = wick_heap_class_make(c, k->id);
    if (n == WICK_HEAP_NONE)
        return -WICK_E_NOMEM;
    struct wick_heap_class *d = &c->all[n];
    d->super = k->super;
    d->loader = k->loader;
    d->record = k->at;
    d->statics = k->static_bytes;
    d->bytes = k->static_refs; /* until it is known how long a reference is */
    return 0;
}

static int on_root(void *ctx, const struct wick_hprof_root *r)
{
    struct wick_heap_classes *c = ctx;
    uint32_t n = r->kind == WICK_HPROF_ROOT_STICKY_CLASS ? wick_heap_class_find(c, r->id) : WICK_HEAP_NONE;
    if (n != WICK_HEAP_NONE)
        c->all[n].flags |= WICK_HEAP_IS_ROOT;
    return 0;
}

static int on_thread(void *ctx, uint64_t id, uint32_t serial, uint32_t trace)
{
    struct wick_heap_classes *c = ctx;
    void *p = c->threads;
    if (wick_heap_grow(&p, &c->threads_cap, c->nthreads, sizeof *c->threads))
        return -WICK_E_NOMEM;
    c->threads = p;
    c->threads[c->nthreads++] = (struct wick_heap_thread){serial, trace, id};
    return 0;
}

static int on_trace(void *ctx, uint32_t serial, uint32_t thread, uint32_t n, uint64_t at)
{
    struct wick_heap_classes *c = ctx;
    void *p = c->traces;
    if (wick_heap_grow(&p, &c->traces_cap, c->ntraces, sizeof *c->traces))
        return -WICK_E_NOMEM;
    c->traces = p;
    c->traces[c->ntraces++] = (struct wick_heap_trace){serial, n, at};
    return 0;
}

static int on_frame(void *ctx, const struct wick_hprof_frame *f)
{
    struct wick_heap_classes *c = ctx;
    void *p = c->frames;
    if (wick_heap_grow(&p, &c->frames_cap, c->nframes, sizeof *c->frames))
        return -WICK_E_NOMEM;
    c->frames = p;
    c->frames[c->nframes++] = *f;
    return 0;
}

static int on_object(void *ctx, const struct wick_hprof_object *o)
{
    struct wick_heap_classes *c = ctx;
    wick_heap_sizes_see(c, o);
    return 0;
}

#define BY(kind, field)                                             \
    static int by_##field##_of_##kind(const void *a, const void *b) \
    {                                                               \
        const struct wick_##kind *x = a, *y = b;                    \
        return x->field < y->field ? -1 : x->field > y->field;      \
    }
BY(heap_string, id)
BY(heap_thread, serial)
BY(heap_trace, serial)
BY(hprof_frame, id)
#undef BY

static void sort(void *array, size_t n, size_t size, int (*compare)(const void *, const void *))
{
    if (n)
        qsort(array, n, size, compare);
}

static uint32_t find_string(const struct wick_heap_classes *c, uint64_t id)
{
    const struct wick_heap_string key = {.id = id}, *s = c->nstrings ? bsearch(&key, c->strings, c->nstrings,
                                                                               sizeof key, by_id_of_heap_string)
                                                                     : NULL;
    return s ? (uint32_t)(s - c->strings) : WICK_HEAP_NONE;
}

static int load_text(struct wick_heap_string *s, struct wick_heap_view *v)
{
    uint32_t len = s->len < WICK_HEAP_VIEW_MOST ? s->len : WICK_HEAP_VIEW_MOST;
    const uint8_t *p = s->text ? NULL : wick_heap_view_at(v, s->at, len);
    if (!p)
        return 0;
    s->text = malloc((size_t)len + 1);
    if (!s->text)
        return -WICK_E_NOMEM;
    memcpy(s->text, p, len);
    s->text[len] = 0;
    s->text_len = len;
    return 0;
}

static int name_classes(struct wick_heap_classes *c, struct wick_heap_view *v)
{
    for (uint32_t i = 0; i < c->n; i++) {
        struct wick_heap_class *k = &c->all[i];
        k->name = find_string(c, k->shallow);
        k->shallow = 0;
        if (k->name != WICK_HEAP_NONE && load_text(&c->strings[k->name], v))
            return -WICK_E_NOMEM;
    }
    return 0;
}

const char *wick_heap_class_internal(const struct wick_heap_classes *c, uint32_t class, size_t *len)
{
    const struct wick_heap_string *s =
        class != WICK_HEAP_NONE && c->all[class].name != WICK_HEAP_NONE ? &c->strings[c->all[class].name] : NULL;
    *len = s && s->text ? s->text_len : 0;
    return *len ? s->text : "";
}

bool wick_heap_class_is(const struct wick_heap_classes *c, uint32_t class, const char *internal)
{
    size_t len;
    const char *name = wick_heap_class_internal(c, class, &len);
    return len == strlen(internal) && !memcmp(name, internal, len);
}

uint32_t wick_heap_class_named(const struct wick_heap_classes *c, const char *internal)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (wick_heap_class_is(c, i, internal))
            return i;
    return WICK_HEAP_NONE;
}

static uint8_t own_flags(const struct wick_heap_classes *c, uint32_t class)
{
    if (wick_heap_class_is(c, class, "java/lang/ref/Reference"))
        return WICK_HEAP_IS_REFERENCE;
    if (wick_heap_class_is(c, class, "java/lang/ref/SoftReference"))
        return WICK_HEAP_IS_SOFT;
    if (wick_heap_class_is(c, class, "java/lang/Thread"))
        return WICK_HEAP_IS_THREAD;
    return wick_heap_class_is(c, class, "java/lang/ClassLoader") ? WICK_HEAP_IS_LOADER : 0;
}

static void inherit_flags(struct wick_heap_classes *c)
{
    const uint8_t inherited = WICK_HEAP_IS_REFERENCE | WICK_HEAP_IS_SOFT | WICK_HEAP_IS_THREAD | WICK_HEAP_IS_LOADER;
    for (uint32_t i = 0; i < c->n; i++)
        c->all[i].flags |= own_flags(c, i);
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t k = i;
        for (int depth = 0; depth < WICK_HEAP_SUPERCLASSES && k != WICK_HEAP_NONE && c->all[k].super; depth++) {
            k = wick_heap_class_find(c, c->all[k].super);
            if (k != WICK_HEAP_NONE)
                c->all[i].flags |= c->all[k].flags & inherited;
        }
    }
}

static int make_primitives(struct wick_heap_classes *c)
{
    static const char *const names[WICK_HPROF_TYPES] = {
        [WICK_HPROF_BOOLEAN] = "[Z", [WICK_HPROF_CHAR] = "[C",  [WICK_HPROF_FLOAT] = "[F", [WICK_HPROF_DOUBLE] = "[D",
        [WICK_HPROF_BYTE] = "[B",    [WICK_HPROF_SHORT] = "[S", [WICK_HPROF_INT] = "[I",   [WICK_HPROF_LONG] = "[J"};
    for (unsigned t = 0; t < WICK_HPROF_TYPES; t++) {
        c->primitive[t] = names[t] ? wick_heap_class_named(c, names[t]) : WICK_HEAP_NONE;
        if (!names[t] || c->primitive[t] != WICK_HEAP_NONE)
            continue;
        /* Ids of classes are addresses; an address of 1 to 16 is nobody's. */
        c->primitive[t] = wick_heap_class_make(c, t);
        void *p = c->strings;
        if (c->primitive[t] == WICK_HEAP_NONE || wick_heap_grow(&p, &c->strings_cap, c->nstrings, sizeof *c->strings))
            return -WICK_E_NOMEM;
        c->strings = p;
        c->strings[c->nstrings] = (struct wick_heap_string){.id = UINT64_MAX, .len = 2, .text_len = 2};
        c->strings[c->nstrings].text = strdup(names[t]);
        if (!c->strings[c->nstrings].text)
            return -WICK_E_NOMEM;
        c->all[c->primitive[t]].name = (uint32_t)c->nstrings++;
    }
    return 0;
}

int wick_heap_classes_read(struct wick_heap_classes *c, const struct wick_hprof *h, struct wick_heap_view *v,
                           struct wick_err *err)
{
    *c = (struct wick_heap_classes){.hprof = h};
    wick_hash_seed_init();
    const struct wick_hprof_visitor all = {.ctx = c,
                                           .string = on_string,
                                           .loaded = on_loaded,
                                           .class_dump = on_class,
                                           .root = on_root,
                                           .thread = on_thread,
                                           .trace = on_trace,
                                           .frame = on_frame,
                                           .object = on_object};
    wick_heap_sizes_begin(c);
    int rc = wick_hprof_scan(h, v, &all, err);
    sort(c->strings, c->nstrings, sizeof *c->strings, by_id_of_heap_string);
    sort(c->threads, c->nthreads, sizeof *c->threads, by_serial_of_heap_thread);
    sort(c->traces, c->ntraces, sizeof *c->traces, by_serial_of_heap_trace);
    sort(c->frames, c->nframes, sizeof *c->frames, by_id_of_hprof_frame);
    if (!rc)
        rc = name_classes(c, v);
    if (!rc)
        rc = make_primitives(c);
    if (rc == -WICK_E_NOMEM)
        wick_err_set(err, WICK_E_NOMEM, "not enough memory for the names and classes of %s", h->name);
    if (rc) {
        wick_heap_classes_release(c);
        return rc;
    }
    inherit_flags(c);
    wick_heap_sizes_find(c, v);
    return 0;
}

void wick_heap_classes_release(struct wick_heap_classes *c)
{
    for (uint32_t i = 0; i < c->n; i++)
        free(c->all[i].refs);
    for (size_t i = 0; i < c->nstrings; i++)
        free(c->strings[i].text);
    free(c->all);
    free(c->strings);
    free(c->threads);
    free(c->traces);
    free(c->frames);
    wick_index_release(&c->by_id);
    wick_heap_stretches_release(&c->stretches);
    *c = (struct wick_heap_classes){0};
}

/* --- instances ---------------------------------------------------------------------------------------------------- */

uint32_t wick_heap_class_of(const struct wick_heap_classes *c, const struct wick_hprof_object *o)
{
    switch (o->kind) {
    case WICK_HPROF_CLASS:
        return c->class_class;
    case WICK_HPROF_PRIMITIVES:
    case WICK_HPROF_NODATA:
        return c->primitive[o->type];
    default:
        return wick_heap_class_find(c, o->class_id);
    }
}

static uint64_t aligned(const struct wick_heap_classes *c, uint64_t bytes)
{
    return (bytes + c->layout.align - 1) & ~(uint64_t)(c->layout.align - 1);
}

uint64_t wick_heap_size_of(const struct wick_heap_classes *c, const struct wick_hprof_object *o, uint32_t class)
{
    uint64_t bytes;
    if (o->kind == WICK_HPROF_INSTANCE) {
        bytes = class != WICK_HEAP_NONE ? c->all[class].size : 0;
        return aligned(c, bytes ? bytes : 2 * (uint64_t)c->hprof->id_size + o->count);
    }
    if (o->kind == WICK_HPROF_CLASS) { /* static fields lie behind those of java.lang.Class */
        uint32_t self = wick_heap_class_find(c, o->id);
        return aligned(c, c->layout.mirror + (self != WICK_HEAP_NONE ? (uint64_t)c->all[self].statics : 0));
    }
    unsigned size = o->kind == WICK_HPROF_OBJECTS ? c->layout.ref : wick_hprof_size(c->hprof, o->type);
    return aligned(c, c->layout.array + (uint64_t)o->count * size);
}

void wick_heap_fields_enter(struct wick_heap_fields *f, uint32_t class)
{
    struct wick_hprof_class k;
    f->class = class;
    f->left = 0;
    if (class == WICK_HEAP_NONE || ++f->depth > WICK_HEAP_SUPERCLASSES || !f->c->all[class].record ||
        wick_hprof_class_at(f->c->hprof, f->v, f->c->all[class].record, &k)) {
        f->broken = true;
        return;
    }
    f->left = k.nfields;
    f->at = k.fields;
}

bool wick_heap_fields_next(struct wick_heap_fields *f, struct wick_hprof_field *field, uint64_t *offset)
{
    while (!f->broken && !f->left) {
        uint64_t super = f->c->all[f->class].super;
        if (!super)
            return false;
        wick_heap_fields_enter(f, wick_heap_class_find(f->c, super));
    }
    if (f->broken || wick_hprof_field_at(f->c->hprof, f->v, &f->at, field)) {
        f->broken = true;
        return false;
    }
    f->left--;
    *offset = f->offset;
    f->offset += wick_hprof_size(f->c->hprof, field->type);
    return true;
}

static bool name_is(const struct wick_heap_classes *c, struct wick_heap_view *v, uint64_t id, const char *name)
{
    uint32_t s = find_string(c, id);
    size_t len = strlen(name);
    if (s == WICK_HEAP_NONE || c->strings[s].len != len)
        return false;
    const uint8_t *p = wick_heap_view_at(v, c->strings[s].at, len);
    return p && !memcmp(p, name, len);
}

int wick_heap_class_layout(struct wick_heap_classes *c, struct wick_heap_view *v, uint32_t class, uint32_t bytes)
{
    struct wick_heap_class *k = &c->all[class];
    if (k->flags & WICK_HEAP_HAS_LAYOUT)
        return k->bytes == bytes || bytes == UINT32_MAX ? 0 : -WICK_E_FORMAT;
    struct wick_heap_fields f = {.c = c, .v = v};
    struct wick_hprof_field field;
    uint32_t *refs = NULL;
    size_t n = 0, cap = 0;
    uint64_t offset;
    int rc = 0;
    bool strong = c->soft && (k->flags & WICK_HEAP_IS_SOFT);
    wick_heap_fields_enter(&f, class);
    while (!rc && wick_heap_fields_next(&f, &field, &offset)) {
        void *p = refs;
        if (f.offset > bytes)
            rc = -WICK_E_FORMAT;
        if (rc || field.type != WICK_HPROF_REF)
            continue;
        bool weak = !strong && own_flags(c, f.class) == WICK_HEAP_IS_REFERENCE && name_is(c, v, field.name, "referent");
        rc = weak ? 0 : wick_heap_grow(&p, &cap, n, sizeof *refs);
        refs = p;
        if (!rc && !weak)
            refs[n++] = (uint32_t)offset;
    }
    if (!rc && (f.broken || (bytes != UINT32_MAX && f.offset != bytes)))
        rc = -WICK_E_FORMAT;
    if (rc) {
        free(refs);
        return rc;
    }
    k->refs = refs;
    k->nrefs = (uint32_t)n;
    k->bytes = (uint32_t)f.offset;
    k->flags |= WICK_HEAP_HAS_LAYOUT;
    return 0;
}

bool wick_heap_class_field(const struct wick_heap_classes *c, struct wick_heap_view *v, uint32_t class,
                           const char *name, uint32_t *offset, unsigned *type)
{
    struct wick_heap_fields f = {.c = c, .v = v};
    struct wick_hprof_field field;
    uint64_t at;
    for (wick_heap_fields_enter(&f, class); wick_heap_fields_next(&f, &field, &at);)
        if (name_is(c, v, field.name, name)) {
            *offset = (uint32_t)at;
            *type = field.type;
            return true;
        }
    return false;
}

void wick_heap_class_field_name(const struct wick_heap_classes *c, struct wick_heap_view *v, uint32_t class,
                                uint32_t offset, struct wick_strbuf *out)
{
    struct wick_heap_fields f = {.c = c, .v = v};
    struct wick_hprof_field field;
    uint64_t at;
    for (wick_heap_fields_enter(&f, class); wick_heap_fields_next(&f, &field, &at);)
        if (at == offset) {
            wick_heap_string_add(c, v, field.name, out);
            return;
        }
    wick_strbuf_adds(out, "[unknown field]");
}

void wick_heap_string_add(const struct wick_heap_classes *c, struct wick_heap_view *v, uint64_t id,
                          struct wick_strbuf *out)
{
    uint32_t s = find_string(c, id);
    size_t len = s != WICK_HEAP_NONE ? c->strings[s].len : 0;
    const uint8_t *p = len ? wick_heap_view_at(v, c->strings[s].at, len < 1024 ? len : 1024) : NULL;
    if (p)
        wick_strbuf_add(out, p, len < 1024 ? len : 1024);
    else
        wick_strbuf_adds(out, "[unnamed]");
}

void wick_heap_class_name(const struct wick_heap_classes *c, uint32_t class, struct wick_strbuf *out)
{
    size_t len;
    const char *name = wick_heap_class_internal(c, class, &len);
    if (len)
        wick_name_add_class(out, name, len, 0);
    else
        wick_strbuf_adds(out, "[unknown class]");
}

/* --- names of threads' frames ------------------------------------------------------------------------------------- */

const struct wick_heap_thread *wick_heap_thread_find(const struct wick_heap_classes *c, uint32_t serial)
{
    const struct wick_heap_thread key = {.serial = serial};
    return c->nthreads && serial ? bsearch(&key, c->threads, c->nthreads, sizeof key, by_serial_of_heap_thread) : NULL;
}

static uint32_t class_of_serial(const struct wick_heap_classes *c, uint32_t serial)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (c->all[i].serial == serial)
            return i;
    return WICK_HEAP_NONE;
}

bool wick_heap_frame_add(const struct wick_heap_classes *c, struct wick_heap_view *v, uint32_t thread, uint32_t depth,
                         struct wick_strbuf *out)
{
    const struct wick_heap_thread *t = wick_heap_thread_find(c, thread);
    const struct wick_heap_trace key = {.serial = t ? t->trace : 0},
                                 *trace = t && c->ntraces ? bsearch(&key, c->traces, c->ntraces, sizeof key,
                                                                    by_serial_of_heap_trace)
                                                          : NULL;
    unsigned id = c->hprof->id_size;
    const uint8_t *p = trace && depth < trace->n ? wick_heap_view_at(v, trace->at + (uint64_t)depth * id, id) : NULL;
    if (!p || !c->nframes)
        return false;
    const struct wick_hprof_frame frame_key = {.id = wick_hprof_id(c->hprof, p)},
                                  *f = bsearch(&frame_key, c->frames, c->nframes, sizeof frame_key,
                                               by_id_of_hprof_frame);
    if (!f)
        return false;
    wick_heap_class_name(c, class_of_serial(c, f->class_serial), out);
    wick_strbuf_addc(out, '.');
    wick_heap_string_add(c, v, f->method, out);
    if (f->line > 0) {
        wick_strbuf_addc(out, '(');
        wick_heap_string_add(c, v, f->source, out);
        wick_strbuf_addf(out, ":%d)", (int)f->line);
    }
    return true;
}
