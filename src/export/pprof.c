/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pprof.c - profile.proto, the format of Go's pprof, compressed with gzip
 *
 * docs/formats/pprof.md says what becomes what.
 *
 * The order of the fields in the file is free, so everything is written as it is first needed: a sample is preceded by
 * the locations, functions, mappings and strings that nobody has mentioned before it. Nothing but one message at a time
 * is held in memory, and a file that was cut can be understood up to there.
 *
 * The format knows no kinds of frames. The mapping encodes them: native code has its library there, and a frame without
 * a library the name of its kind in brackets, "[JIT compiled]". The JVM's own spelling of a method, with its signature,
 * is the function's system name. import/pprof_in.c turns both back.
 *
 * Memory:  4 bytes for each frame and function of the profile, the names once more, and zlib's.
 */
#include "export/format_writers.h"

#include <stdlib.h>

#include "codec/gzip.h"
#include "codec/profile_proto.h"
#include "codec/protobuf.h"
#include "codec/utf8.h"
#include "export/measure.h"

struct pprof {
    const struct wick_profile *p;
    const struct wick_export_options *o;
    struct wick_profile names; /* only its strings (the file's) and functions (the file's mappings) are used */
    uint32_t *location;        /* by frame number: its id, 0 = not written yet */
    uint32_t *function;        /* by function number * 2 + is_java: the same */
    uint32_t locations, functions, strings; /* written */
    struct wick_strbuf message, part, packed, text, utf8;
    struct wick_gzip *z;
    bool objects; /* the first value is how many objects there are, not how many samples */
    bool failed;
};

/* Strings of a protocol buffer are UTF-8. */
static uint32_t string(struct pprof *w, const char *s, size_t n)
{
    wick_strbuf_clear(&w->utf8);
    wick_utf8_add(&w->utf8, s, n);
    w->failed = w->failed || w->utf8.failed;
    return wick_profile_string(&w->names, w->utf8.buf, w->utf8.len);
}

static uint32_t cstring(struct pprof *w, const char *s)
{
    return string(w, s, strlen(s));
}

/* Writes the strings that are new since the last time. */
static void put_strings(struct pprof *w)
{
    for (; w->strings < w->names.nstrings; w->strings++) {
        const struct wick_string *s = &w->names.strings[w->strings];
        wick_strbuf_clear(&w->utf8);
        wick_pb_bytes(&w->utf8, P_STRING, s->s, s->len);
        wick_gzip_add(w->z, w->utf8.buf, w->utf8.len);
        w->failed = w->failed || w->utf8.failed;
    }
}

/* Writes `message` as field number `field` of the profile and empties it. */
static void put(struct pprof *w, unsigned field)
{
    put_strings(w);
    wick_strbuf_clear(&w->text);
    wick_pb_tag(&w->text, field, WICK_PB_BYTES);
    wick_pb_varint(&w->text, w->message.len);
    wick_gzip_add(w->z, w->text.buf, w->text.len);
    wick_gzip_add(w->z, w->message.buf, w->message.len);
    w->failed = w->failed || w->message.failed || w->text.failed;
    wick_strbuf_clear(&w->message);
}

static void put_number(struct pprof *w, unsigned field, uint64_t v)
{
    put_strings(w);
    wick_strbuf_clear(&w->text);
    wick_pb_uint(&w->text, field, v);
    wick_gzip_add(w->z, w->text.buf, w->text.len);
}

static void put_value_type(struct pprof *w, unsigned field, const char *type, const char *unit)
{
    wick_pb_uint(&w->message, VT_TYPE, cstring(w, type));
    wick_pb_uint(&w->message, VT_UNIT, cstring(w, unit));
    put(w, field);
}

static uint32_t mapping_of(struct pprof *w, const struct wick_frame *f)
{
    const char *library = wick_measure_library(w->p, f);
    wick_strbuf_clear(&w->text);
    if (*library)
        wick_strbuf_adds(&w->text, library);
    else
        wick_strbuf_addf(&w->text, "[%s]", wick_frame_kind_name(f->kind));
    uint32_t name = string(w, w->text.buf, w->text.len), known = w->names.nfunctions;
    uint32_t id = wick_profile_function(&w->names, name, 0, 0);
    if (id < known)
        return id;
    wick_pb_uint(&w->message, M_ID, id);
    wick_pb_uint(&w->message, M_FILENAME, name);
    wick_pb_uint(&w->message, M_HAS_FUNCTIONS, 1);
    wick_pb_uint(&w->message, M_HAS_FILENAMES, 1);
    wick_pb_uint(&w->message, M_HAS_LINES, 1);
    put(w, P_MAPPING);
    return id;
}

static uint32_t system_name(struct pprof *w, uint32_t function, bool is_java)
{
    wick_strbuf_clear(&w->text);
    wick_name_add_function_system(&w->text, w->p, function, is_java);
    return string(w, w->text.buf, w->text.len);
}

static uint32_t function_of(struct pprof *w, uint32_t function, bool is_java)
{
    uint32_t *id = &w->function[(size_t)function * 2 + is_java];
    if (*id)
        return *id;
    *id = ++w->functions;
    wick_strbuf_clear(&w->text);
    wick_name_add_function(&w->text, w->p, function, is_java, w->o->names);
    uint64_t name = string(w, w->text.buf, w->text.len);
    wick_pb_uint(&w->message, F_ID, *id);
    wick_pb_uint(&w->message, F_NAME, name);
    wick_pb_uint(&w->message, F_SYSTEM_NAME, system_name(w, function, is_java));
    put(w, P_FUNCTION);
    return *id;
}

static uint32_t location_of(struct pprof *w, uint32_t frame)
{
    const struct wick_frame *f = &w->p->frames[frame];
    if (w->location[frame])
        return w->location[frame];
    uint32_t mapping = mapping_of(w, f), function = function_of(w, f->function, wick_frame_kind_is_java(f->kind));
    uint32_t id = w->location[frame] = ++w->locations;
    wick_strbuf_clear(&w->part);
    wick_pb_uint(&w->part, LINE_FUNCTION, function);
    if (f->line > 0)
        wick_pb_uint(&w->part, LINE_LINE, (uint64_t)f->line);
    wick_pb_uint(&w->message, L_ID, id);
    wick_pb_uint(&w->message, L_MAPPING, mapping);
    wick_pb_message(&w->message, L_LINE, &w->part);
    put(w, P_LOCATION);
    return id;
}

static void add_label(struct pprof *w, const char *key, uint64_t text, int64_t number)
{
    if (!text && !number)
        return;
    wick_strbuf_clear(&w->part);
    wick_pb_uint(&w->part, LABEL_KEY, cstring(w, key));
    wick_pb_uint(&w->part, LABEL_STR, text);
    wick_pb_int(&w->part, LABEL_NUM, number);
    wick_pb_message(&w->message, S_LABEL, &w->part);
}

static void add_labels(struct pprof *w, const struct wick_agg *a)
{
    const struct wick_thread *t = &w->p->threads[a->thread];
    const struct wick_string *name = &w->p->strings[t->name], *state = &w->p->strings[w->p->states[a->state]];
    add_label(w, "thread", string(w, name->s, name->len), 0);
    add_label(w, "thread_id", 0, t->os_tid);
    add_label(w, "java_thread_id", 0, t->java_tid);
    add_label(w, "virtual", 0, t->is_virtual);
    add_label(w, "state", string(w, state->s, state->len), 0);
    const struct wick_label_set *set = &w->p->label_sets[a->labels];
    for (const struct wick_label *l = &w->p->labels[set->first]; l < &w->p->labels[set->first + set->n]; l++) {
        const struct wick_string *value = &w->p->strings[l->value];
        add_label(w, w->p->strings[l->key].s, string(w, value->s, value->len), 0);
    }
}

static void put_sample(struct pprof *w, uint32_t agg)
{
    const struct wick_agg *a = &w->p->aggs[agg];
    double things = wick_profile_sizes(w->p, agg).things;
    wick_strbuf_clear(&w->packed);
    for (uint32_t s = a->stack; s; s = w->p->stacks[s].parent)
        wick_pb_varint(&w->packed, location_of(w, w->p->stacks[s].frame));
    wick_pb_message(&w->message, S_LOCATION, &w->packed);
    wick_strbuf_clear(&w->packed);
    if (w->objects)
        wick_pb_varint(&w->packed, things < 9e18 ? (uint64_t)(things + 0.5) : INT64_MAX);
    else
        wick_pb_varint(&w->packed, a->count < INT64_MAX ? a->count : INT64_MAX);
    wick_pb_varint(&w->packed, (uint64_t)a->weight);
    wick_pb_message(&w->message, S_VALUE, &w->packed);
    add_labels(w, a);
    put(w, P_SAMPLE);
}

/* What the first value is: for memory, as Go's heap profiles have it, the number of objects, if their sizes are known.
 */
static const char *count_type(struct pprof *w, uint16_t event)
{
    const struct wick_sample_type *e = &w->p->events[event];
    bool allocated = e->kind == WICK_KIND_ALLOC || e->kind == WICK_KIND_MALLOC;
    bool memory =
        e->unit == WICK_UNIT_BYTES && (allocated || e->kind == WICK_KIND_LIVE || e->kind == WICK_KIND_NATIVE_LIVE);
    for (uint32_t i = 0; memory && i < w->p->naggs && !w->objects; i++)
        w->objects = w->p->aggs[i].event == event && wick_profile_sizes(w->p, i).things > 0;
    return !w->objects ? "samples" : allocated ? "alloc_objects" : "inuse_objects";
}

static void put_head(struct pprof *w, uint16_t event)
{
    const struct wick_profile *p = w->p;
    const char *type = wick_measure_type(p, event), *unit = wick_measure_unit(p, event), *count = count_type(w, event);
    put_value_type(w, P_SAMPLE_TYPE, count, "count");
    put_value_type(w, P_SAMPLE_TYPE, type, unit);
    put_value_type(w, P_PERIOD_TYPE, type, unit);
    put_number(w, P_DEFAULT_TYPE, cstring(w, w->o->counts ? count : type));
    if (p->start_ns > 0)
        put_number(w, P_TIME, (uint64_t)p->start_ns);
    if (p->end_ns > p->start_ns)
        put_number(w, P_DURATION, (uint64_t)(p->end_ns - p->start_ns));
    if (w->o->title)
        put_number(w, P_COMMENT, cstring(w, w->o->title));
}

static bool put_all(struct pprof *w)
{
    uint16_t event = wick_measure_event(w->p, w->o);
    bool any = false;
    if (!event)
        return false;
    put_head(w, event);
    for (uint32_t i = 0; i < w->p->naggs && !w->failed; i++) {
        const struct wick_agg *a = &w->p->aggs[i];
        if (a->event != event || (!a->weight && !a->count))
            continue;
        put_sample(w, i);
        any = true;
        w->failed = w->failed || w->packed.failed || w->part.failed || w->names.failed;
    }
    return any;
}

int wick_pprof_write(const struct wick_profile *p, const struct wick_export_options *o, FILE *out, struct wick_err *err)
{
    struct pprof w = {.p = p, .o = o};
    struct wick_strbuf *const buffers[] = {&w.message, &w.part, &w.packed, &w.text, &w.utf8};
    bool any = false;
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        wick_strbuf_init(buffers[i]);
    w.location = calloc(p->nframes, sizeof *w.location);
    w.function = calloc(p->nfunctions, 2 * sizeof *w.function);
    w.z = wick_gzip_new(out);
    w.failed = wick_profile_init(&w.names) || !w.location || !w.function || !w.z;
    if (!w.failed)
        any = put_all(&w);
    wick_gzip_finish(w.z);
    free(w.location);
    free(w.function);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        wick_strbuf_release(buffers[i]);
    wick_profile_release(&w.names);
    if (w.failed)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory while writing pprof");
    return any ? 0 : wick_err_set(err, WICK_E_NOTFOUND, "the recording holds no samples");
}
