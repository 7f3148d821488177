/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hprof.c - see hprof.h. The format is documented in the JDK (src/hotspot/share/services/heapDumper.cpp).
 *
 * Every read goes through wick_heap_view_at(), which knows the end of the file; every length is held against the end of
 * the record around it before it is used.
 */
#include "heap/hprof.h"

#include <inttypes.h>
#include <string.h>

enum {
    TAG_STRING = 0x01,
    TAG_LOAD_CLASS = 0x02,
    TAG_FRAME = 0x04,
    TAG_TRACE = 0x05,
    TAG_DUMP = 0x0c,
    TAG_SEGMENT = 0x1c,
    TAG_DUMP_END = 0x2c,
    SUB_HEAP_INFO = 0xfe,   /* Android */
    SUB_UNREACHABLE = 0x90, /* Android */
    RECORD_HEAD = 9,
    LONGEST_HEAD = 64, /* of a sub-record, without what is counted in it */
};

struct scan {
    const struct wick_hprof *h;
    struct wick_heap_view *v;
    const struct wick_hprof_visitor *visitor;
    struct wick_err *err;
    uint64_t at;  /* of the next byte */
    uint64_t end; /* of the record */
};

static const struct root_form {
    uint8_t tag, words, ids;
    bool thread;
    const char *text;
} root_forms[] = {
#define X(name, tag, words, ids, thread, text) {tag, words, ids, thread, text},
#include "def/hprof_root.def"
#undef X
};

const char *wick_hprof_root_text(enum wick_hprof_root_kind kind)
{
    return root_forms[kind].text;
}

unsigned wick_hprof_size(const struct wick_hprof *h, unsigned type)
{
    static const uint8_t sizes[WICK_HPROF_TYPES] = {
        [WICK_HPROF_BOOLEAN] = 1, [WICK_HPROF_CHAR] = 2,  [WICK_HPROF_FLOAT] = 4, [WICK_HPROF_DOUBLE] = 8,
        [WICK_HPROF_BYTE] = 1,    [WICK_HPROF_SHORT] = 2, [WICK_HPROF_INT] = 4,   [WICK_HPROF_LONG] = 8};
    return type == WICK_HPROF_REF ? h->id_size : type < WICK_HPROF_TYPES ? sizes[type] : 0;
}

int wick_hprof_open(struct wick_hprof *h, const struct wick_heap_file *file, const char *name, struct wick_err *err)
{
    static const char magic[] = "JAVA PROFILE 1.0.";
    struct wick_heap_view v;
    if (wick_heap_view_init(&v, file, 64))
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    const uint8_t *p = wick_heap_view_at(&v, 0, sizeof magic + 1 + 12);
    int rc = 0;
    if (!p || memcmp(p, magic, sizeof magic - 1) || p[sizeof magic]) {
        rc =
            wick_err_set(err, WICK_E_FORMAT,
                         "%s is not a heap dump: it does not start with \"JAVA PROFILE 1.0.\" (take one with `jcmd PID "
                         "GC.heap_dump FILE`, or give `wick heap` the pid)",
                         name);
    } else if (p[sizeof magic - 1] < '1' || p[sizeof magic - 1] > '3') {
        rc = wick_err_set(err, WICK_E_UNSUPPORTED, "%s: heap dumps of version 1.0.%c are not known", name,
                          p[sizeof magic - 1] >= '0' && p[sizeof magic - 1] <= '9' ? p[sizeof magic - 1] : '?');
    } else {
        p += sizeof magic + 1;
        *h = (struct wick_hprof){file, name, wick_hprof_u4(p), sizeof magic + 1 + 12, wick_hprof_u8(p + 4)};
        if (h->id_size != 4 && h->id_size != 8)
            rc = wick_err_set(err, WICK_E_FORMAT, "%s: ids of %u bytes, where 4 or 8 are possible", name, h->id_size);
    }
    wick_heap_view_release(&v);
    return rc;
}

static int damaged(const struct scan *s, uint64_t at, const char *what)
{
    if (s->v->error)
        return wick_err_set(s->err, WICK_E_IO, "cannot read %s at byte %" PRIu64 ": %s", s->h->name, at,
                            strerror(s->v->error));
    return wick_err_set(s->err, WICK_E_FORMAT, "%s is damaged at byte %" PRIu64 " of %" PRIu64 ": %s", s->h->name, at,
                        s->h->file->size, what);
}

static int cut_off(const struct scan *s, uint64_t at)
{
    return damaged(s, at,
                   "the dump ends within a record; perhaps the disk was full or the JVM was killed: take a new one");
}

/* --- classes and objects ------------------------------------------------------------------------------------------ */

int wick_hprof_static_at(const struct wick_hprof *h, struct wick_heap_view *v, uint64_t *at, struct wick_hprof_field *f)
{
    const uint8_t *p = wick_heap_view_at(v, *at, h->id_size + 1);
    unsigned size = p ? wick_hprof_size(h, p[h->id_size]) : 0;
    if (!size || !(p = wick_heap_view_at(v, *at, h->id_size + 1 + size)))
        return -WICK_E_FORMAT;
    *f = (struct wick_hprof_field){.name = wick_hprof_id(h, p), .type = p[h->id_size]};
    for (unsigned i = 0; i < size; i++)
        f->value = f->value << 8 | p[h->id_size + 1 + i];
    *at += h->id_size + 1 + size;
    return 0;
}

int wick_hprof_field_at(const struct wick_hprof *h, struct wick_heap_view *v, uint64_t *at, struct wick_hprof_field *f)
{
    const uint8_t *p = wick_heap_view_at(v, *at, h->id_size + 1);
    if (!p || !wick_hprof_size(h, p[h->id_size]))
        return -WICK_E_FORMAT;
    *f = (struct wick_hprof_field){.name = wick_hprof_id(h, p), .type = p[h->id_size]};
    *at += h->id_size + 1;
    return 0;
}

/* Goes beyond n entries of `before` bytes, a type and its value; counts them in c. */
static int skip_values(const struct wick_hprof *h, struct wick_heap_view *v, uint64_t *at, unsigned before, unsigned n,
                       struct wick_hprof_class *c)
{
    c->static_bytes = c->static_refs = 0;
    for (; n; n--) {
        const uint8_t *p = wick_heap_view_at(v, *at, before + 1);
        unsigned size = p ? wick_hprof_size(h, p[before]) : 0;
        if (!size)
            return -WICK_E_FORMAT;
        c->static_bytes += size;
        c->static_refs += p[before] == WICK_HPROF_REF;
        *at += before + 1 + size;
    }
    return 0;
}

int wick_hprof_class_at(const struct wick_hprof *h, struct wick_heap_view *v, uint64_t at, struct wick_hprof_class *c)
{
    unsigned id = h->id_size;
    const uint8_t *p = wick_heap_view_at(v, at, 1 + 7 * id + 8 + 2);
    if (!p || p[0] != WICK_HPROF_CLASS)
        return -WICK_E_FORMAT;
    *c = (struct wick_hprof_class){.at = at, .id = wick_hprof_id(h, p + 1)};
    p += 1 + id + 4; /* the number of the stack trace is of no use */
    c->super = wick_hprof_id(h, p);
    c->loader = wick_hprof_id(h, p + id);
    c->signers = wick_hprof_id(h, p + 2 * id);
    c->domain = wick_hprof_id(h, p + 3 * id);
    c->instance_size = wick_hprof_u4(p + 6 * id);
    unsigned constants = (unsigned)p[6 * id + 4] << 8 | p[6 * id + 5];
    uint64_t next = at + 1 + 7 * id + 8 + 2;
    if (skip_values(h, v, &next, 2, constants, c) || !(p = wick_heap_view_at(v, next, 2)))
        return -WICK_E_FORMAT;
    c->nstatics = (uint16_t)(p[0] << 8 | p[1]);
    c->statics = next + 2;
    next = c->statics;
    if (skip_values(h, v, &next, id, c->nstatics, c) || !(p = wick_heap_view_at(v, next, 2)))
        return -WICK_E_FORMAT;
    c->nfields = (uint16_t)(p[0] << 8 | p[1]);
    c->fields = next + 2;
    c->end = c->fields + (uint64_t)c->nfields * (id + 1);
    return c->end > h->file->size ? -WICK_E_FORMAT : 0;
}

int wick_hprof_object_at(const struct wick_hprof *h, struct wick_heap_view *v, uint64_t at, struct wick_hprof_object *o)
{
    unsigned id = h->id_size, head;
    const uint8_t *p = wick_heap_view_at(v, at, 1 + id + 4 + 4 + 1); /* no object is shorter */
    if (!p)
        return -WICK_E_FORMAT;
    *o = (struct wick_hprof_object){.at = at, .kind = p[0], .id = wick_hprof_id(h, p + 1)};
    p += 1 + id + 4;
    switch (o->kind) {
    case WICK_HPROF_INSTANCE:
        head = 1 + id + 4 + id + 4;
        break;
    case WICK_HPROF_OBJECTS:
        head = 1 + id + 4 + 4 + id;
        break;
    case WICK_HPROF_PRIMITIVES:
    case WICK_HPROF_NODATA:
        head = 1 + id + 4 + 4 + 1;
        o->count = wick_hprof_u4(p);
        o->type = p[4];
        break;
    case WICK_HPROF_CLASS:
        return 0;
    default:
        return -WICK_E_FORMAT;
    }
    uint64_t bytes = 0;
    if (o->kind == WICK_HPROF_INSTANCE || o->kind == WICK_HPROF_OBJECTS) {
        if (!(p = wick_heap_view_at(v, at, head)))
            return -WICK_E_FORMAT;
        p += 1 + id + 4;
        bool array = o->kind == WICK_HPROF_OBJECTS;
        o->count = wick_hprof_u4(array ? p : p + id);
        o->class_id = wick_hprof_id(h, array ? p + 4 : p);
        bytes = (uint64_t)o->count * (array ? id : 1);
    } else {
        unsigned size = o->type == WICK_HPROF_REF ? 0 : wick_hprof_size(h, o->type);
        if (!size)
            return -WICK_E_FORMAT;
        bytes = o->kind == WICK_HPROF_NODATA ? 0 : (uint64_t)o->count * size;
    }
    o->body = at + head;
    o->end = o->body + bytes;
    return o->end > h->file->size ? -WICK_E_FORMAT : 0;
}

/* --- sub-records -------------------------------------------------------------------------------------------------- */

static int visit_class(struct scan *s)
{
    struct wick_hprof_class c;
    if (wick_hprof_class_at(s->h, s->v, s->at, &c))
        return damaged(s, s->at, "a class that is cut off or has a field of an unknown type");
    struct wick_hprof_object o = {.at = c.at, .id = c.id, .body = c.statics, .end = c.end, .kind = WICK_HPROF_CLASS};
    s->at = c.end;
    int rc = s->visitor->class_dump ? s->visitor->class_dump(s->visitor->ctx, &c) : 0;
    return rc || !s->visitor->object ? rc : s->visitor->object(s->visitor->ctx, &o);
}

static int visit_object(struct scan *s)
{
    struct wick_hprof_object o;
    if (wick_hprof_object_at(s->h, s->v, s->at, &o))
        return damaged(s, s->at, "an object that reaches beyond the end of the dump, or elements of an unknown type");
    s->at = o.end;
    return s->visitor->object ? s->visitor->object(s->visitor->ctx, &o) : 0;
}

static int visit_root(struct scan *s, unsigned kind)
{
    const struct root_form *f = &root_forms[kind];
    unsigned len = 1 + s->h->id_size * (1u + f->ids) + 4u * f->words;
    const uint8_t *p = wick_heap_view_at(s->v, s->at, len);
    if (!p)
        return cut_off(s, s->at);
    struct wick_hprof_root r = {
        .id = wick_hprof_id(s->h, p + 1), .frame = UINT32_MAX, .kind = (enum wick_hprof_root_kind)kind};
    p += 1 + s->h->id_size * (1u + f->ids);
    if (f->thread && f->words)
        r.thread = wick_hprof_u4(p);
    if (f->thread && f->words > 1)
        r.frame = wick_hprof_u4(p + 4);
    uint32_t serial = kind == WICK_HPROF_ROOT_THREAD ? wick_hprof_u4(p) : 0;
    uint32_t trace = kind == WICK_HPROF_ROOT_THREAD ? wick_hprof_u4(p + 4) : 0;
    s->at += len;
    int rc = s->visitor->root ? s->visitor->root(s->visitor->ctx, &r) : 0;
    if (!rc && serial && s->visitor->thread)
        rc = s->visitor->thread(s->visitor->ctx, r.id, serial, trace);
    return rc;
}

static int visit_sub(struct scan *s, unsigned tag)
{
    switch (tag) {
    case WICK_HPROF_INSTANCE:
    case WICK_HPROF_OBJECTS:
    case WICK_HPROF_PRIMITIVES:
    case WICK_HPROF_NODATA:
        return visit_object(s);
    case WICK_HPROF_CLASS:
        return visit_class(s);
    case SUB_HEAP_INFO:
        s->at += 1 + 4 + s->h->id_size;
        return 0;
    case SUB_UNREACHABLE:
        s->at += 1 + s->h->id_size;
        return 0;
    default:
        break;
    }
    for (unsigned i = 0; i < WICK_HPROF_ROOT_KINDS; i++)
        if (root_forms[i].tag == tag)
            return visit_root(s, i);
    return damaged(s, s->at, "an unknown sub-record");
}

/* The tags of records that follow a segment, which are none of sub-records. */
static bool ends_segment(unsigned tag)
{
    return tag == TAG_DUMP || tag == TAG_SEGMENT || tag == TAG_DUMP_END;
}

static int scan_dump(struct scan *s, unsigned tag)
{
    const uint64_t wrap = UINT64_C(1) << 32;
    bool open = s->end == s->at && s->end < s->h->file->size;
    if (open)
        s->end = s->h->file->size;
    while (s->at < s->end) {
        const uint8_t *p = wick_heap_view_at(s->v, s->at, 1);
        uint64_t begin = s->at;
        if (!p)
            return cut_off(s, s->at);
        if (open && ends_segment(*p)) {
            s->end = s->at;
            return 0;
        }
        int rc = visit_sub(s, *p);
        if (rc)
            return rc;
        if (s->at > s->end && tag == TAG_DUMP && s->h->file->size - s->end >= wrap)
            s->end += wrap; /* the length was too large for its field */
        if (s->at > s->end)
            return damaged(s, begin, "an object reaches beyond the end of its segment");
    }
    return 0;
}

/* --- records ------------------------------------------------------------------------------------------------------ */

static int visit_string(struct scan *s)
{
    unsigned id = s->h->id_size;
    const uint8_t *p = s->end - s->at >= id ? wick_heap_view_at(s->v, s->at, id) : NULL;
    if (!p)
        return damaged(s, s->at, "a string without its id");
    if (!s->visitor->string)
        return 0;
    return s->visitor->string(s->visitor->ctx, wick_hprof_id(s->h, p), s->at + id, (uint32_t)(s->end - s->at - id));
}

static int visit_loaded(struct scan *s)
{
    unsigned id = s->h->id_size, len = 8 + 2 * id;
    const uint8_t *p = s->end - s->at >= len ? wick_heap_view_at(s->v, s->at, len) : NULL;
    if (!p)
        return damaged(s, s->at, "a loaded class that is too short");
    if (!s->visitor->loaded)
        return 0;
    return s->visitor->loaded(s->visitor->ctx, wick_hprof_u4(p), wick_hprof_id(s->h, p + 4),
                              wick_hprof_id(s->h, p + 8 + id));
}

static int visit_frame(struct scan *s)
{
    unsigned id = s->h->id_size, len = 4 * id + 8;
    const uint8_t *p = s->end - s->at >= len ? wick_heap_view_at(s->v, s->at, len) : NULL;
    if (!p)
        return damaged(s, s->at, "a stack frame that is too short");
    struct wick_hprof_frame f = {wick_hprof_id(s->h, p),          wick_hprof_id(s->h, p + id),
                                 wick_hprof_id(s->h, p + 2 * id), wick_hprof_id(s->h, p + 3 * id),
                                 wick_hprof_u4(p + 4 * id),       (int32_t)wick_hprof_u4(p + 4 * id + 4)};
    return s->visitor->frame ? s->visitor->frame(s->visitor->ctx, &f) : 0;
}

static int visit_trace(struct scan *s)
{
    const uint8_t *p = s->end - s->at >= 12 ? wick_heap_view_at(s->v, s->at, 12) : NULL;
    uint32_t n = p ? wick_hprof_u4(p + 8) : 0;
    if (!p || (s->end - s->at - 12) / s->h->id_size < n)
        return damaged(s, s->at, "a stack trace that is too short");
    return s->visitor->trace ? s->visitor->trace(s->visitor->ctx, wick_hprof_u4(p), wick_hprof_u4(p + 4), n, s->at + 12)
                             : 0;
}

static int visit_record(struct scan *s, unsigned tag)
{
    switch (tag) {
    case TAG_STRING:
        return visit_string(s);
    case TAG_LOAD_CLASS:
        return visit_loaded(s);
    case TAG_FRAME:
        return visit_frame(s);
    case TAG_TRACE:
        return visit_trace(s);
    case TAG_DUMP:
    case TAG_SEGMENT:
        return scan_dump(s, tag);
    default: /* of no use here, or unknown: its length says where it ends */
        return 0;
    }
}

int wick_hprof_scan(const struct wick_hprof *h, struct wick_heap_view *v, const struct wick_hprof_visitor *visitor,
                    struct wick_err *err)
{
    struct scan s = {h, v, visitor, err, h->start, 0};
    bool dumped = false;
    while (s.at < h->file->size) {
        uint64_t begin = s.at;
        const uint8_t *p = wick_heap_view_at(v, s.at, RECORD_HEAD);
        if (!p)
            return cut_off(&s, begin);
        unsigned tag = p[0];
        s.at += RECORD_HEAD;
        s.end = s.at + wick_hprof_u4(p + 5);
        if (s.end > h->file->size && tag != TAG_DUMP)
            return cut_off(&s, begin);
        if (s.end > h->file->size) /* see scan_dump */
            s.end = h->file->size;
        int rc = visit_record(&s, tag);
        if (rc)
            return rc;
        s.at = s.end;
        dumped |= tag == TAG_DUMP || tag == TAG_SEGMENT;
    }
    if (!dumped)
        return wick_err_set(err, WICK_E_FORMAT, "%s contains no heap dump (a CPU profile of the old hprof agent?)",
                            h->name);
    return 0;
}
