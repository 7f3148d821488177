/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pprof_in.c - reading profile.proto
 *
 * The parts of a profile point at each other by number and may come in any order, so the message is read twice:
 * first the tables (strings, mappings, functions, locations, what the values mean), then the samples.
 *
 * Values. A profile has several values per sample ("samples count", "cpu nanoseconds"; "alloc_objects count",
 * "alloc_space bytes"). A count that stands before something that is no count, or that is called "samples", is how
 * often the next one happened, and the two make one event type. Every other value is an event type of its own.
 *
 * What cannot be read. Numbers that lead nowhere give "[unknown]" frames; a message that is cut or malformed ends the
 * walk, and everything before it is used. Both are reported with the place.
 */
#include "import/import_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "codec/profile_proto.h"
#include "codec/protobuf.h"

#define VALUES_MAX 32u
#define DEPTH_MAX  (1u << 20) /* a few bytes can ask for any number of frames */

struct span {
    const uint8_t *s;
    size_t n;
};

struct mapping {
    uint64_t id, start, offset;
    struct span file;
    uint64_t file_string;
};

struct function {
    uint64_t id, name, system_name, file;
};

struct location {
    uint64_t id;
    uint32_t first, count; /* its frames, leaf first */
};

/* Entries by ids that the file chose. Most files count from 1, so the id is first tried as the place. */
struct table {
    void *items; /* each begins with its id */
    size_t size;
    uint32_t n, cap;
    struct wick_index ix;
};

struct value {
    uint16_t event;
    uint8_t weight, count; /* places in the sample's values; count VALUES_MAX = none */
    int64_t scale;
    bool counts; /* the weight itself is a number of samples */
};

struct pprof {
    struct wick_import *im;
    const uint8_t *base;
    struct table strings, mappings, functions, locations; /* strings: struct span, by place */
    struct table types;                                   /* struct span: the ValueType messages */
    uint32_t *frames, nframes, cap_frames;
    struct value values[VALUES_MAX];
    uint32_t nvalues;
    int64_t time_ns, duration_ns;
    bool nomem;
};

/* --- tables --- */

static void *table_add(struct pprof *r, struct table *t)
{
    if (t->n == t->cap) {
        uint32_t cap = t->cap ? t->cap * 2 : 64;
        void *bigger = cap > t->cap ? reallocarray(t->items, cap, t->size) : NULL;
        r->nomem = r->nomem || !bigger;
        if (!bigger)
            return NULL;
        t->items = bigger;
        t->cap = cap;
    }
    return memset((char *)t->items + (size_t)t->n++ * t->size, 0, t->size);
}

static uint64_t id_at(const struct table *t, uint32_t i)
{
    uint64_t id;
    memcpy(&id, (const char *)t->items + (size_t)i * t->size, sizeof id);
    return id;
}

/* The item with that id, NULL if there is none. */
static const void *table_find(const struct table *t, uint64_t id)
{
    uint32_t i;
    if (id && id <= t->n && id_at(t, (uint32_t)id - 1) == id)
        return (const char *)t->items + (size_t)(id - 1) * t->size;
    uint64_t h = wick_hash_2(id, 0);
    uint32_t at = wick_index_start(&t->ix, h);
    while (wick_index_next(&t->ix, h, &at, &i))
        if (id_at(t, i) == id)
            return (const char *)t->items + (size_t)i * t->size;
    return NULL;
}

/* Enters the ids that are not at the guessed place. */
static void table_index(struct pprof *r, struct table *t)
{
    for (uint32_t i = 0; i < t->n && !r->nomem; i++)
        if (id_at(t, i) != (uint64_t)i + 1 && !table_find(t, id_at(t, i)))
            r->nomem = wick_index_add(&t->ix, wick_hash_2(id_at(t, i), 0), i) != 0;
}

static struct span string(const struct pprof *r, uint64_t i)
{
    return i < r->strings.n ? ((const struct span *)r->strings.items)[i] : (struct span){(const uint8_t *)"", 0};
}

static uint32_t intern(const struct pprof *r, struct span s)
{
    return s.n ? wick_profile_string(r->im->p, (const char *)s.s, s.n) : 0;
}

static bool equals(struct span s, const char *text)
{
    return s.n && s.n == strlen(text) && memcmp(s.s, text, s.n) == 0;
}

static bool ends_with(struct span s, const char *text)
{
    size_t n = strlen(text);
    return s.n >= n && memcmp(s.s + s.n - n, text, n) == 0;
}

static void malformed(struct pprof *r, const struct wick_pb *m, const char *what)
{
    if (m->bad)
        wick_import_problem(r->im, (uint64_t)(m->p - r->base), "pprof: %s is malformed or cut", what);
}

/* --- tables of the file --- */

static void take_mapping(struct pprof *r, const struct wick_pb_field *field)
{
    struct wick_pb m = wick_pb_reader(field->data, field->len);
    struct mapping *to = table_add(r, &r->mappings);
    for (struct wick_pb_field f; to && wick_pb_next(&m, &f);) {
        if (f.number == 1)
            to->id = f.value;
        else if (f.number == 2)
            to->start = f.value;
        else if (f.number == 4)
            to->offset = f.value;
        else if (f.number == 5)
            to->file_string = f.value;
    }
    malformed(r, &m, "a mapping");
}

static void take_function(struct pprof *r, const struct wick_pb_field *field)
{
    struct wick_pb m = wick_pb_reader(field->data, field->len);
    struct function *to = table_add(r, &r->functions);
    for (struct wick_pb_field f; to && wick_pb_next(&m, &f);) {
        if (f.number == 1)
            to->id = f.value;
        else if (f.number == 2)
            to->name = f.value;
        else if (f.number == 3)
            to->system_name = f.value;
        else if (f.number == 4)
            to->file = f.value;
    }
    malformed(r, &m, "a function");
}

static void take_string(struct pprof *r, const struct wick_pb_field *field)
{
    struct span *to = table_add(r, &r->strings);
    if (to)
        *to = (struct span){field->data, field->len};
}

/* --- locations --- */

/* What a mapping says about the frames in it; kind -1 = nothing. */
struct place {
    int kind;
    struct span library;
    uint64_t start, offset;
};

static struct place place_of(const struct pprof *r, uint64_t mapping)
{
    const struct mapping *m = mapping ? table_find(&r->mappings, mapping) : NULL;
    struct place place = {.kind = -1};
    if (!m)
        return place;
    struct span file = m->file;
    place.start = m->start;
    place.offset = m->offset;
    bool bracketed = file.n > 2 && file.s[0] == '[' && file.s[file.n - 1] == ']';
    if (bracketed)
        place.kind = wick_import_kind_named((const char *)file.s + 1, file.n - 2);
    if (place.kind >= 0)
        return place;
    if ((file.n && memmem(file.s, file.n, "kernel", 6)) || ends_with(file, "vmlinux"))
        place.kind = WICK_FRAME_KERNEL;
    place.library = file;
    return place;
}

static bool is_java_file(struct span s)
{
    return ends_with(s, ".java") || ends_with(s, ".kt") || ends_with(s, ".scala") || ends_with(s, ".clj") ||
           ends_with(s, ".groovy");
}

static uint32_t native_frame(struct pprof *r, struct span library, struct span name, int32_t line, unsigned kind)
{
    struct wick_profile *p = r->im->p;
    if (!library.n && !name.n) /* would be frame 0, which is none, if it were a break */
        name = (struct span){(const uint8_t *)"[unknown]", 9};
    uint32_t function = wick_profile_function(p, intern(r, library), intern(r, name), 0);
    return wick_profile_frame(p, function, line, -1, kind);
}

/* One line of a location. inlined: another line of the same location follows, into which this one was inlined. */
static uint32_t frame_of(struct pprof *r, const struct place *place, uint64_t function, int64_t line64, bool inlined)
{
    const struct function *f = table_find(&r->functions, function);
    struct span name = string(r, f ? f->name : 0), system = string(r, f ? f->system_name : 0);
    int32_t line = line64 > 0 && line64 <= INT32_MAX ? (int32_t)line64 : 0;
    int kind = place->kind;
    if (kind < 0 && f && is_java_file(string(r, f->file)))
        kind = WICK_FRAME_C2;
    if (kind < 0 && place->library.n)
        kind = name.n && memmem(name.s, name.n, "::", 2) ? WICK_FRAME_CPP : WICK_FRAME_NATIVE;
    if (kind < 0)
        kind = (int)wick_import_guess_kind((const char *)name.s, name.n);
    if (!wick_frame_kind_is_java((unsigned)kind))
        return native_frame(r, place->library, place->kind >= 0 && system.n ? system : name, line, (unsigned)kind);
    if (inlined)
        kind = WICK_FRAME_INLINED;
    bool own = place->kind >= 0 && system.n;
    struct span full = own ? system : name;
    return wick_import_java(r->im->p, (const char *)full.s, full.n, own, line, (unsigned)kind);
}

/* Code that nobody has named: the library and the place in it. */
static uint32_t address_frame(struct pprof *r, const struct place *place, uint64_t address)
{
    char text[24];
    uint64_t at = place->library.n && address >= place->start ? address - place->start + place->offset : address;
    int n = snprintf(text, sizeof text, "0x%" PRIx64, at);
    unsigned kind =
        place->kind >= 0 && !wick_frame_kind_is_java((unsigned)place->kind) ? (unsigned)place->kind : WICK_FRAME_NATIVE;
    return native_frame(r, place->library, (struct span){(const uint8_t *)text, address ? (size_t)n : 0}, 0, kind);
}

static void add_frame(struct pprof *r, uint32_t frame)
{
    if (r->nframes == r->cap_frames) {
        uint32_t cap = r->cap_frames ? r->cap_frames * 2 : 256, *bigger = NULL;
        if (cap > r->cap_frames)
            bigger = reallocarray(r->frames, cap, sizeof *bigger);
        r->nomem = r->nomem || !bigger;
        if (!bigger)
            return;
        r->frames = bigger;
        r->cap_frames = cap;
    }
    r->frames[r->nframes++] = frame;
}

static void take_line(struct pprof *r, const struct place *place, const struct wick_pb_field *field, bool inlined)
{
    struct wick_pb m = wick_pb_reader(field->data, field->len);
    uint64_t function = 0, line = 0;
    for (struct wick_pb_field f; wick_pb_next(&m, &f);) {
        if (f.number == 1)
            function = f.value;
        else if (f.number == 2)
            line = f.value;
    }
    malformed(r, &m, "a line");
    add_frame(r, frame_of(r, place, function, (int64_t)line, inlined));
}

static void take_location(struct pprof *r, const struct wick_pb_field *field)
{
    struct wick_pb m = wick_pb_reader(field->data, field->len);
    uint64_t id = 0, mapping = 0, address = 0;
    uint32_t lines = 0, first = r->nframes;
    struct wick_pb_field f;
    while (wick_pb_next(&m, &f)) {
        if (f.number == 1)
            id = f.value;
        else if (f.number == 2)
            mapping = f.value;
        else if (f.number == 3)
            address = f.value;
        lines += f.number == 4 && f.wire == WICK_PB_BYTES;
    }
    malformed(r, &m, "a location");
    struct place place = place_of(r, mapping);
    m = wick_pb_reader(field->data, field->len);
    for (uint32_t left = lines; left && wick_pb_next(&m, &f);)
        if (f.number == 4 && f.wire == WICK_PB_BYTES)
            take_line(r, &place, &f, --left > 0);
    if (!lines)
        add_frame(r, address_frame(r, &place, address));
    struct location *to = table_add(r, &r->locations);
    if (to)
        *to = (struct location){id, first, r->nframes - first};
}

/* --- what the values are --- */

static const struct {
    const char *name;
    enum wick_unit unit;
    int64_t scale;
} units[] = {{"nanoseconds", WICK_UNIT_NS, 1},        {"microseconds", WICK_UNIT_NS, 1000},
             {"milliseconds", WICK_UNIT_NS, 1000000}, {"seconds", WICK_UNIT_NS, 1000000000},
             {"bytes", WICK_UNIT_BYTES, 1},           {"byte", WICK_UNIT_BYTES, 1},
             {"kilobytes", WICK_UNIT_BYTES, 1024},    {"megabytes", WICK_UNIT_BYTES, 1048576}};

/* What one value is called and counted in. */
struct kind_of_value {
    struct span type;
    enum wick_unit unit;
    int64_t scale;
};

static struct kind_of_value kind_of_value(struct pprof *r, uint32_t i)
{
    const struct span *s = &((const struct span *)r->types.items)[i];
    struct wick_pb m = wick_pb_reader(s->s, s->n);
    struct kind_of_value k = {.type = string(r, 0), .unit = WICK_UNIT_COUNT, .scale = 1};
    struct span unit = string(r, 0);
    for (struct wick_pb_field f; wick_pb_next(&m, &f);) {
        if (f.number == 1)
            k.type = string(r, f.value);
        else if (f.number == 2)
            unit = string(r, f.value);
    }
    malformed(r, &m, "a sample type");
    for (size_t u = 0; u < sizeof units / sizeof *units; u++)
        if (equals(unit, units[u].name)) {
            k.unit = units[u].unit;
            k.scale = units[u].scale;
        }
    return k;
}

static enum wick_event_kind event_kind(const struct kind_of_value *k)
{
    static const enum wick_event_kind times[] = {WICK_KIND_CPU, WICK_KIND_WALL, WICK_KIND_NATIVE};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (equals(k->type, wick_event_kind_name(times[i])))
            return times[i];
    if (k->unit == WICK_UNIT_BYTES && (equals(k->type, "alloc_space") || equals(k->type, "inuse_space")))
        return equals(k->type, "alloc_space") ? WICK_KIND_ALLOC : WICK_KIND_LIVE;
    return k->unit == WICK_UNIT_COUNT && !equals(k->type, "samples") ? WICK_KIND_PERF : WICK_KIND_OTHER;
}

static void know_values(struct pprof *r)
{
    struct wick_profile *p = r->im->p;
    uint32_t n = r->types.n < VALUES_MAX ? r->types.n : VALUES_MAX;
    for (uint32_t i = 0; i < n; i++) {
        struct kind_of_value k = kind_of_value(r, i), next = i + 1 < n ? kind_of_value(r, i + 1) : k;
        uint8_t count = VALUES_MAX;
        if (i + 1 < n && k.unit == WICK_UNIT_COUNT && (next.unit != WICK_UNIT_COUNT || equals(k.type, "samples"))) {
            count = (uint8_t)i++;
            k = next;
        }
        uint32_t name = intern(r, k.type);
        r->values[r->nvalues++] = (struct value){
            .event = wick_profile_event(p, name, event_kind(&k), k.unit),
            .weight = (uint8_t)i,
            .count = count,
            .scale = k.scale,
            .counts = equals(k.type, "samples"),
        };
    }
}

/* --- samples --- */

struct sample {
    uint32_t stack;
    int64_t value[VALUES_MAX];
    uint32_t nvalues;
    struct span thread, state;
    int64_t os_tid, java_tid, is_virtual;
};

static void take_label(struct pprof *r, const struct wick_pb_field *field, struct sample *s)
{
    struct wick_pb m = wick_pb_reader(field->data, field->len);
    struct span key = string(r, 0), text = key;
    int64_t number = 0;
    for (struct wick_pb_field f; wick_pb_next(&m, &f);) {
        if (f.number == 1)
            key = string(r, f.value);
        else if (f.number == 2)
            text = string(r, f.value);
        else if (f.number == 3)
            number = (int64_t)f.value;
    }
    malformed(r, &m, "a label");
    if (equals(key, "thread") || equals(key, "thread_name") || equals(key, "thread name"))
        s->thread = text;
    else if (equals(key, "thread_id") || equals(key, "thread id") || equals(key, "tid"))
        s->os_tid = number;
    else if (equals(key, "java_thread_id"))
        s->java_tid = number;
    else if (equals(key, "virtual"))
        s->is_virtual = number;
    else if (equals(key, "state"))
        s->state = text;
}

/* The frames of all locations are pushed from the root, which is the last one. */
static uint32_t stack_of(struct pprof *r, const struct wick_pb_field *fields, uint32_t nfields, uint64_t **ids,
                         size_t *cap)
{
    size_t n = 0;
    for (uint32_t i = 0; i < nfields; i++) {
        const uint8_t *at = NULL;
        for (uint64_t id; wick_pb_number(&fields[i], &at, &id);) {
            if (n == *cap) {
                size_t more = *cap ? *cap * 2 : 256;
                uint64_t *bigger = reallocarray(*ids, more, sizeof *bigger);
                r->nomem = r->nomem || !bigger;
                if (!bigger)
                    return 0;
                *ids = bigger;
                *cap = more;
            }
            (*ids)[n++] = id;
        }
    }
    uint32_t stack = 0;
    uint64_t depth = 0;
    bool lost = false;
    while (n-- && !r->im->p->failed) {
        const struct location *l = table_find(&r->locations, (*ids)[n]);
        depth += l ? l->count : 1;
        if (depth > DEPTH_MAX) {
            uint64_t at = fields->wire == WICK_PB_BYTES ? (uint64_t)(fields->data - r->base) : 0;
            wick_import_problem(r->im, at, "pprof: a stack of more than 2^20 frames is cut");
            break;
        }
        lost = lost || !l;
        for (uint32_t i = l ? l->count : 0; i--;)
            stack = wick_profile_push(r->im->p, stack, r->frames[l->first + i]);
    }
    r->im->res->unresolved += lost;
    return stack;
}

static void hand_out(struct pprof *r, const struct sample *s)
{
    struct wick_profile *p = r->im->p;
    struct wick_sample out = {.stack = s->stack, .time_ns = r->time_ns};
    if (s->thread.n || s->os_tid || s->java_tid)
        out.thread = wick_profile_thread(p, intern(r, s->thread), s->os_tid, s->java_tid, s->is_virtual != 0);
    if (s->state.n)
        out.state = wick_profile_state(p, intern(r, s->state));
    for (uint32_t i = 0; i < r->nvalues; i++) {
        const struct value *v = &r->values[i];
        int64_t weight = v->weight < s->nvalues ? s->value[v->weight] : 0;
        int64_t count = v->count < s->nvalues ? s->value[v->count] : v->counts ? weight : weight != 0;
        if (__builtin_mul_overflow(weight, v->scale, &weight))
            weight = weight < 0 ? INT64_MIN : INT64_MAX;
        out.event = v->event;
        out.weight = weight;
        out.count = count > 0 ? (uint64_t)count : 0;
        if (out.weight || out.count)
            wick_import_sample(r->im, &out);
    }
}

/* Fields 1 of a sample are kept in `fields`: writers that do not pack have one for each location. */
static void take_sample(struct pprof *r, const struct wick_pb_field *field, uint64_t **ids, size_t *cap)
{
    struct wick_pb m = wick_pb_reader(field->data, field->len);
    struct sample s = {.thread = string(r, 0), .state = string(r, 0)};
    struct wick_pb_field f, *fields = NULL;
    uint32_t n = 0, room = 0;
    while (!r->nomem && wick_pb_next(&m, &f)) {
        const uint8_t *at = NULL;
        if (f.number == 2)
            for (uint64_t v; wick_pb_number(&f, &at, &v);)
                s.nvalues += s.nvalues < VALUES_MAX ? (s.value[s.nvalues] = (int64_t)v, 1) : 0;
        else if (f.number == 3 && f.wire == WICK_PB_BYTES)
            take_label(r, &f, &s);
        if (f.number != 1)
            continue;
        if (n == room) {
            struct wick_pb_field *bigger = reallocarray(fields, room = room ? room * 2 : 4, sizeof *fields);
            r->nomem = !bigger;
            fields = bigger ? bigger : fields;
        }
        if (!r->nomem)
            fields[n++] = f;
    }
    malformed(r, &m, "a sample");
    s.stack = stack_of(r, fields, n, ids, cap);
    free(fields);
    hand_out(r, &s);
}

/* --- the whole --- */

/* Names of mappings are needed by locations, which may come before the strings. */
static void finish_mappings(struct pprof *r)
{
    for (uint32_t i = 0; i < r->mappings.n; i++) {
        struct mapping *m = &((struct mapping *)r->mappings.items)[i];
        m->file = string(r, m->file_string);
    }
    table_index(r, &r->mappings);
    table_index(r, &r->functions);
}

static void read_tables(struct pprof *r, const void *data, size_t n)
{
    struct wick_pb m = wick_pb_reader(data, n);
    for (struct wick_pb_field f; !r->nomem && wick_pb_next(&m, &f);) {
        bool bytes = f.wire == WICK_PB_BYTES;
        if (f.number == P_SAMPLE_TYPE && bytes) {
            struct span *to = table_add(r, &r->types);
            if (to)
                *to = (struct span){f.data, f.len};
        } else if (f.number == P_MAPPING && bytes) {
            take_mapping(r, &f);
        } else if (f.number == P_FUNCTION && bytes) {
            take_function(r, &f);
        } else if (f.number == P_STRING && bytes) {
            take_string(r, &f);
        } else if (f.number == P_TIME) {
            r->time_ns = (int64_t)f.value;
        } else if (f.number == P_DURATION) {
            r->duration_ns = (int64_t)f.value;
        }
    }
    r->im->res->lost_bytes += (uint64_t)(m.end - m.p);
    malformed(r, &m, "a field");
    finish_mappings(r);
}

static void read_locations(struct pprof *r, const void *data, size_t n)
{
    struct wick_pb m = wick_pb_reader(data, n);
    for (struct wick_pb_field f; !r->nomem && wick_pb_next(&m, &f);)
        if (f.number == P_LOCATION && f.wire == WICK_PB_BYTES)
            take_location(r, &f);
    table_index(r, &r->locations);
}

static void read_samples(struct pprof *r, const void *data, size_t n)
{
    struct wick_pb m = wick_pb_reader(data, n);
    uint64_t *ids = NULL;
    size_t cap = 0;
    for (struct wick_pb_field f; !r->nomem && wick_pb_next(&m, &f);)
        if (f.number == P_SAMPLE && f.wire == WICK_PB_BYTES)
            take_sample(r, &f, &ids, &cap);
    free(ids);
}

int wick_pprof_in_read(struct wick_import *im, const void *data, size_t n)
{
    struct pprof r = {.im = im,
                      .base = data,
                      .strings.size = sizeof(struct span),
                      .types.size = sizeof(struct span),
                      .mappings.size = sizeof(struct mapping),
                      .functions.size = sizeof(struct function),
                      .locations.size = sizeof(struct location)};
    read_tables(&r, data, n);
    know_values(&r);
    if (!r.nomem)
        read_locations(&r, data, n);
    if (!r.nomem)
        read_samples(&r, data, n);
    int64_t end;
    if (r.time_ns > 0 && r.duration_ns >= 0 && !__builtin_add_overflow(r.time_ns, r.duration_ns, &end))
        wick_profile_cover(im->p, r.time_ns, end);
    im->res->chunks++;
    uint32_t values = r.nvalues;
    struct table *const tables[] = {&r.strings, &r.types, &r.mappings, &r.functions, &r.locations};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        free(tables[i]->items);
        wick_index_release(&tables[i]->ix);
    }
    free(r.frames);
    if (r.nomem || im->p->failed)
        return -WICK_E_NOMEM;
    return values ? 0 : -WICK_E_FORMAT;
}

/* What the fields of a message may be: bit n of these = field n may be a number, may have a length. */
struct form {
    uint32_t numbers, bytes;
    bool has_id; /* field 1 is there */
};

static bool has_form(const struct wick_pb_field *message, const struct form *form)
{
    struct wick_pb m = wick_pb_reader(message->data, message->len);
    bool id = false;
    for (struct wick_pb_field f; wick_pb_next(&m, &f);) {
        uint32_t allowed = f.wire == WICK_PB_VARINT ? form->numbers : f.wire == WICK_PB_BYTES ? form->bytes : 0;
        if (f.number > 31 || !(allowed >> f.number & 1))
            return false;
        id = id || f.number == 1;
    }
    return !m.bad && (id || !form->has_id);
}

/* Fields may come in any order. The first message with something in it decides; numbers, and strings of which the first
 * is empty, may stand before it. Text cannot be taken for one: all of these messages hold a control character. */
bool wick_pprof_in_is(const void *data, size_t n)
{
    enum { P_KNOWN = 15 };
    static const struct form forms[P_KNOWN + 1] = {
        [P_SAMPLE_TYPE] = {.numbers = 0x6},
        [P_SAMPLE] = {.numbers = 0x6, .bytes = 0xe},
        [P_MAPPING] = {.numbers = 0x7fe, .has_id = true},
        [P_LOCATION] = {.numbers = 0x2e, .bytes = 0x10, .has_id = true},
        [P_FUNCTION] = {.numbers = 0x3e, .has_id = true},
        [P_PERIOD_TYPE] = {.numbers = 0x6},
    };
    struct wick_pb m = wick_pb_reader(data, n);
    bool strings = false;
    for (struct wick_pb_field f; wick_pb_next(&m, &f);) {
        bool bytes = f.wire == WICK_PB_BYTES;
        if (f.number > P_KNOWN || (!bytes && f.wire != WICK_PB_VARINT))
            return false;
        const struct form *form = &forms[f.number];
        bool message = form->numbers != 0;
        if (bytes != (message || f.number == P_STRING) && f.number != P_COMMENT)
            return false;
        if (message && f.len)
            return has_form(&f, form);
        if (f.number == P_STRING && !strings && f.len)
            return false;
        strings = strings || f.number == P_STRING;
    }
    return strings;
}
