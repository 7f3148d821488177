/* SPDX-License-Identifier: Apache-2.0 */
/*
 * otlp.c - OpenTelemetry's profiles signal: one message ProfilesData of opentelemetry.proto.profiles.v1development
 *
 * The wire format is that of the proto releases 1.10 and 1.11 (earlier ones differ). The bytes are also those of an
 * ExportProfilesServiceRequest, so a file can be posted to /v1development/profiles as it is.
 * docs/formats/otlp.md says what becomes what.
 *
 * All that samples refer to is in tables of the dictionary, by index; element 0 of each is the zero value and means
 * "none". No element may be there twice. So each table interns its elements as what they will be in the file: bytes, of
 * which the empty message is the zero value and element 0 by itself.
 *
 * A profile has one value per sample. So there are two: the weights, and behind it the numbers of samples. Both use the
 * same stacks and attributes.
 *
 * Memory:  the file, before it is written.
 */
#include "export/format_writers.h"

#include <stdlib.h>
#include <string.h>

#include "codec/protobuf.h"
#include "codec/utf8.h"
#include "export/measure.h"

/* Field numbers. */
enum { DATA_RESOURCE = 1, DATA_DICTIONARY };
enum { D_MAPPING = 1, D_LOCATION, D_FUNCTION, D_LINK, D_STRING, D_ATTRIBUTE, D_STACK, D_COUNT };
enum { P_TYPE = 1, P_SAMPLE, P_TIME, P_DURATION, P_PERIOD_TYPE };
enum { S_STACK = 1, S_ATTRIBUTES, S_VALUES = 4 };
enum { M_FILENAME = 4 };
enum { L_MAPPING = 1, L_LINE = 3, L_ATTRIBUTES };
enum { LINE_FUNCTION = 1, LINE_LINE };
enum { F_NAME = 1, F_SYSTEM_NAME };
enum { A_KEY = 1, A_VALUE };
enum { VALUE_STRING = 1, VALUE_BOOL = 2, VALUE_INT = 3 };

struct otlp {
    const struct wick_profile *p;
    const struct wick_export_options *o;
    struct wick_profile tables[D_COUNT]; /* only their strings are used: the elements */
    struct wick_strbuf message, part, inner, text, utf8;
    uint32_t *location; /* by frame number: index, 0 = not written yet */
    uint32_t *function; /* by function number * 2 + is_java */
    uint32_t *stack;    /* by stack number */
    bool failed;
};

static uint32_t string(struct otlp *w, const char *s, size_t n)
{
    wick_strbuf_clear(&w->utf8);
    wick_utf8_add(&w->utf8, s, n);
    w->failed = w->failed || w->utf8.failed;
    return wick_profile_string(&w->tables[D_STRING], w->utf8.buf, w->utf8.len);
}

static uint32_t cstring(struct otlp *w, const char *s)
{
    return string(w, s, strlen(s));
}

/* The index of `message` in a table; empties it. */
static uint32_t put(struct otlp *w, unsigned table)
{
    uint32_t index = wick_profile_string(&w->tables[table], w->message.buf, w->message.len);
    w->failed = w->failed || w->message.failed;
    wick_strbuf_clear(&w->message);
    return index;
}

/* --- tables --- */

static uint32_t mapping_of(struct otlp *w, const struct wick_frame *f)
{
    const char *library = wick_measure_library(w->p, f);
    if (!*library)
        return 0;
    wick_pb_uint(&w->message, M_FILENAME, cstring(w, library));
    return put(w, D_MAPPING);
}

/* An attribute whose value is in `part`. */
static uint32_t attribute(struct otlp *w, const char *key)
{
    wick_pb_uint(&w->message, A_KEY, cstring(w, key));
    wick_pb_message(&w->message, A_VALUE, &w->part);
    return put(w, D_ATTRIBUTE);
}

static uint32_t text_attribute(struct otlp *w, const char *key, const char *s, size_t n)
{
    wick_strbuf_clear(&w->utf8);
    wick_utf8_add(&w->utf8, s, n);
    wick_strbuf_clear(&w->part);
    wick_pb_message(&w->part, VALUE_STRING, &w->utf8);
    return attribute(w, key);
}

/* type: VALUE_BOOL or VALUE_INT */
static uint32_t number_attribute(struct otlp *w, const char *key, int64_t value, unsigned type)
{
    wick_strbuf_clear(&w->part);
    wick_pb_tag(&w->part, type, WICK_PB_VARINT);
    wick_pb_varint(&w->part, (uint64_t)value);
    return attribute(w, key);
}

static uint32_t system_name(struct otlp *w, uint32_t function, bool is_java)
{
    wick_strbuf_clear(&w->text);
    wick_name_add_function_system(&w->text, w->p, function, is_java);
    return string(w, w->text.buf, w->text.len);
}

static uint32_t function_of(struct otlp *w, uint32_t function, bool is_java)
{
    uint32_t *index = &w->function[(size_t)function * 2 + is_java];
    if (*index)
        return *index;
    wick_strbuf_clear(&w->text);
    wick_name_add_function(&w->text, w->p, function, is_java, w->o->names);
    uint32_t name = string(w, w->text.buf, w->text.len);
    wick_pb_uint(&w->message, F_NAME, name);
    wick_pb_uint(&w->message, F_SYSTEM_NAME, system_name(w, function, is_java));
    return *index = put(w, D_FUNCTION);
}

/* The semantic conventions' word for a kind of frame. */
static const char *frame_type(unsigned kind)
{
    if (wick_frame_kind_is_java(kind) || kind == WICK_FRAME_STUB)
        return "jvm";
    return kind == WICK_FRAME_KERNEL ? "kernel" : "native";
}

static uint32_t location_of(struct otlp *w, uint32_t frame)
{
    const struct wick_frame *f = &w->p->frames[frame];
    if (w->location[frame])
        return w->location[frame];
    uint32_t mapping = mapping_of(w, f), function = function_of(w, f->function, wick_frame_kind_is_java(f->kind));
    const char *type = frame_type(f->kind), *kind = wick_frame_kind_name(f->kind);
    uint32_t attributes[] = {text_attribute(w, "profile.frame.type", type, strlen(type)),
                             text_attribute(w, "wick.frame.kind", kind, strlen(kind))};
    wick_strbuf_clear(&w->part);
    wick_pb_uint(&w->part, LINE_FUNCTION, function);
    if (f->line > 0)
        wick_pb_uint(&w->part, LINE_LINE, (uint64_t)f->line);
    wick_pb_uint(&w->message, L_MAPPING, mapping);
    wick_pb_message(&w->message, L_LINE, &w->part);
    wick_strbuf_clear(&w->part);
    wick_pb_varint(&w->part, attributes[0]);
    wick_pb_varint(&w->part, attributes[1]);
    wick_pb_message(&w->message, L_ATTRIBUTES, &w->part);
    return w->location[frame] = put(w, D_LOCATION);
}

static uint32_t stack_of(struct otlp *w, uint32_t stack)
{
    if (!stack || w->stack[stack])
        return stack ? w->stack[stack] : 0;
    wick_strbuf_clear(&w->inner);
    for (uint32_t s = stack; s; s = w->p->stacks[s].parent)
        wick_pb_varint(&w->inner, location_of(w, w->p->stacks[s].frame));
    wick_pb_message(&w->message, 1, &w->inner);
    return w->stack[stack] = put(w, D_STACK);
}

/* --- samples --- */

static const char *conventional(const char *label)
{
    static const char *const words[][2] = {{"container", "container.id"}, {"pod", "k8s.pod.uid"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(label, words[i][0]))
            return words[i][1];
    return label;
}

/* The semantic conventions' words for some labels of a whole machine; others keep their keys. A process is NAME-PID. */
static void add_label(struct otlp *w, const struct wick_label *l, struct wick_strbuf *out)
{
    const struct wick_string *key = &w->p->strings[l->key], *value = &w->p->strings[l->value];
    char *end;
    const char *dash = strcmp(key->s, "process") ? NULL : strrchr(value->s, '-');
    long pid = dash && dash[1] >= '0' && dash[1] <= '9' ? strtol(dash + 1, &end, 10) : 0;
    if (pid && !*end) {
        wick_pb_varint(out, text_attribute(w, "process.executable.name", value->s, (size_t)(dash - value->s)));
        wick_pb_varint(out, number_attribute(w, "process.pid", pid, VALUE_INT));
    } else {
        wick_pb_varint(out, text_attribute(w, conventional(key->s), value->s, value->len));
    }
}

static void add_attributes(struct otlp *w, const struct wick_agg *a, struct wick_strbuf *out)
{
    const struct wick_thread *t = &w->p->threads[a->thread];
    const struct wick_string *name = &w->p->strings[t->name], *state = &w->p->strings[w->p->states[a->state]];
    if (name->len)
        wick_pb_varint(out, text_attribute(w, "thread.name", name->s, name->len));
    if (t->os_tid)
        wick_pb_varint(out, number_attribute(w, "thread.id", t->os_tid, VALUE_INT));
    if (t->java_tid)
        wick_pb_varint(out, number_attribute(w, "wick.java_thread.id", t->java_tid, VALUE_INT));
    if (t->is_virtual)
        wick_pb_varint(out, number_attribute(w, "wick.java_thread.virtual", 1, VALUE_BOOL));
    if (state->len)
        wick_pb_varint(out, text_attribute(w, "wick.thread.state", state->s, state->len));
    const struct wick_label_set *set = &w->p->label_sets[a->labels];
    for (const struct wick_label *l = &w->p->labels[set->first]; l < &w->p->labels[set->first + set->n]; l++)
        add_label(w, l, out);
}

/* Appends one sample to the profile in out. */
static void add_sample(struct otlp *w, const struct wick_agg *a, uint64_t value, struct wick_strbuf *out)
{
    struct wick_strbuf sample = WICK_STRBUF_INIT, packed = WICK_STRBUF_INIT;
    wick_pb_uint(&sample, S_STACK, stack_of(w, a->stack));
    add_attributes(w, a, &packed);
    if (packed.len)
        wick_pb_message(&sample, S_ATTRIBUTES, &packed);
    wick_strbuf_clear(&packed);
    wick_pb_varint(&packed, value);
    wick_pb_message(&sample, S_VALUES, &packed);
    wick_pb_message(out, P_SAMPLE, &sample);
    wick_strbuf_release(&sample);
    wick_strbuf_release(&packed);
}

static void add_value_type(struct otlp *w, struct wick_strbuf *out, unsigned field, const char *type, const char *unit)
{
    wick_strbuf_clear(&w->part);
    wick_pb_uint(&w->part, 1, cstring(w, type));
    wick_pb_uint(&w->part, 2, cstring(w, unit));
    wick_pb_message(out, field, &w->part);
}

/* One profile: the weights, or how often. Returns the number of samples in it. */
static size_t add_profile(struct otlp *w, struct wick_strbuf *out, uint16_t event, bool counts)
{
    const struct wick_profile *p = w->p;
    size_t n = 0;
    if (counts)
        add_value_type(w, out, P_TYPE, "samples", "count");
    else
        add_value_type(w, out, P_TYPE, wick_measure_type(p, event), wick_measure_unit(p, event));
    for (uint32_t i = 0; i < p->naggs; i++) {
        const struct wick_agg *a = &p->aggs[i];
        uint64_t value = counts ? a->count : (uint64_t)a->weight;
        if (a->event != event || !value)
            continue;
        add_sample(w, a, value, out);
        n++;
    }
    if (p->start_ns > 0)
        wick_pb_fixed64(out, P_TIME, (uint64_t)p->start_ns);
    if (p->end_ns > p->start_ns)
        wick_pb_uint(out, P_DURATION, (uint64_t)(p->end_ns - p->start_ns));
    return n;
}

/* --- the whole --- */

/* Appends a KeyValue to a Resource, if there is a value. */
static void add_resource_text(struct otlp *w, struct wick_strbuf *resource, const char *key, const char *text)
{
    struct wick_strbuf pair = WICK_STRBUF_INIT, value = WICK_STRBUF_INIT;
    if (!text)
        return;
    wick_strbuf_clear(&w->text);
    wick_utf8_add(&w->text, text, strlen(text));
    wick_pb_bytes(&value, VALUE_STRING, w->text.buf, w->text.len);
    wick_pb_str(&pair, 1, key);
    wick_pb_message(&pair, 2, &value);
    wick_pb_message(resource, 1, &pair);
    wick_strbuf_release(&pair);
    wick_strbuf_release(&value);
}

static void add_resource(struct otlp *w, struct wick_strbuf *out)
{
    struct wick_strbuf resource = WICK_STRBUF_INIT;
    add_resource_text(w, &resource, "service.name", w->o->title);
    add_resource_text(w, &resource, "host.name", w->o->host);
    if (resource.len)
        wick_pb_message(out, 1, &resource);
    wick_strbuf_release(&resource);
}

/* Both profiles, in a scope, in a resource. */
static size_t build(struct otlp *w, struct wick_strbuf *out)
{
    uint16_t event = wick_measure_event(w->p, w->o);
    struct wick_strbuf scope = WICK_STRBUF_INIT, name = WICK_STRBUF_INIT, profile = WICK_STRBUF_INIT;
    size_t n = 0;
    wick_pb_str(&name, 1, "wick");
    wick_pb_str(&name, 2, WICK_VERSION);
    wick_pb_message(&scope, 1, &name);
    for (int i = 0; event && i < 2; i++) {
        wick_strbuf_clear(&profile);
        size_t samples = add_profile(w, &profile, event, (i == 1) != w->o->counts);
        if (samples)
            wick_pb_message(&scope, 2, &profile);
        n += samples;
    }
    add_resource(w, out);
    wick_pb_message(out, 2, &scope);
    wick_strbuf_release(&scope);
    wick_strbuf_release(&name);
    wick_strbuf_release(&profile);
    return n;
}

/* Field number `field` with these bytes. */
static void write_field(FILE *out, unsigned field, const void *data, size_t n)
{
    struct wick_strbuf head = WICK_STRBUF_INIT;
    wick_pb_tag(&head, field, WICK_PB_BYTES);
    wick_pb_varint(&head, n);
    fwrite(head.buf, 1, head.len, out);
    fwrite(data, 1, n, out);
    wick_strbuf_release(&head);
}

static void write_data(struct otlp *w, const struct wick_strbuf *resource, FILE *out)
{
    struct wick_strbuf dictionary = WICK_STRBUF_INIT;
    for (unsigned t = D_MAPPING; t < D_COUNT; t++)
        for (uint32_t i = 0; i < w->tables[t].nstrings; i++)
            wick_pb_bytes(&dictionary, t, w->tables[t].strings[i].s, w->tables[t].strings[i].len);
    w->failed = w->failed || dictionary.failed;
    if (!w->failed) {
        write_field(out, DATA_RESOURCE, resource->buf, resource->len);
        write_field(out, DATA_DICTIONARY, dictionary.buf, dictionary.len);
    }
    wick_strbuf_release(&dictionary);
}

int wick_otlp_write(const struct wick_profile *p, const struct wick_export_options *o, FILE *out, struct wick_err *err)
{
    struct otlp w = {.p = p, .o = o};
    struct wick_strbuf resource, *const buffers[] = {&w.message, &w.part, &w.inner, &w.text, &w.utf8, &resource};
    size_t n = 0;
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        wick_strbuf_init(buffers[i]);
    w.location = calloc(p->nframes, sizeof *w.location);
    w.function = calloc(p->nfunctions, 2 * sizeof *w.function);
    w.stack = calloc(p->nstacks, sizeof *w.stack);
    w.failed = !w.location || !w.function || !w.stack;
    for (unsigned t = 0; t < D_COUNT; t++)
        w.failed = wick_profile_init(&w.tables[t]) || w.failed;
    if (!w.failed)
        n = build(&w, &resource);
    w.failed = w.failed || w.inner.failed || w.part.failed || resource.failed;
    for (unsigned t = 0; t < D_COUNT; t++)
        w.failed = w.failed || w.tables[t].failed;
    if (n && !w.failed)
        write_data(&w, &resource, out);
    free(w.location);
    free(w.function);
    free(w.stack);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        wick_strbuf_release(buffers[i]);
    for (unsigned t = 0; t < D_COUNT; t++)
        wick_profile_release(&w.tables[t]);
    if (w.failed)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory while writing OTLP");
    return n ? 0 : wick_err_set(err, WICK_E_NOTFOUND, "the recording holds no samples");
}
