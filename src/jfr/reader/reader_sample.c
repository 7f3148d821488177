/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader_sample.c - events become samples
 *
 * Which events are samples is one table. All of them have the same few fields under a handful of names, so one plan
 * shape serves for all; what differs is where the weight comes from (reader.h). Settings are also events and may stand
 * after the samples they apply to, so chunks in which a weight depends on one are walked twice; the first walk reads
 * jdk.ActiveSetting only.
 *
 * The cost of a large recording is this file's: an event is some 12 bytes, and there are millions. So a plan takes only
 * fields that are needed, and where samples differ by stack only (no threads, states or labels, and no callback for
 * each sample) they are summed by the number of the stack's constant and reach the profile at the end of the chunk's
 * part, one for each stack. Stacks are then decoded in the order of their numbers, which is mostly that of the file.
 */
#include "jfr/reader/reader_int.h"
#include "model/interval.h"
#include "model/label.h"
#include "model/name.h"

#include <stdlib.h>

/* Where a sample's weight comes from. */
enum weigh {
    BY_PERIOD,   /* a time span in the event, or the count times the period of the settings */
    BY_FIELD,    /* a field, in whatever unit the metadata says */
    BY_SIZE,     /* a field with a size in bytes, times the factor if there is one; without the field the count */
    BY_DURATION, /* a time span in the event, or how long it lasted */
    BY_COUNT
};

struct wick_jfr_sample_type {
    const char *name;
    uint8_t kind;         /* enum wick_event_kind */
    uint8_t weigh;        /* enum weigh */
    bool span_between;    /* the time span is that between the first and the last sample: one interval is missing */
    bool named;           /* field "event" distinguishes different events of this type */
    const char *weight;   /* the field's names, NULL = those of slot_names */
    const char *shown_as; /* the event type's name in the profile, NULL = the same */
    const char *factor;   /* how many a sample stands for */
    const char *size;     /* what it would weigh by itself, had it been sampled for certain */
    const char *things;   /* how many of different sizes it stands for; instead of the size */
};

/* The JDK's two events for one allocation, with and without a new buffer, are one event type: together they cover the
 * heap. The weight of the first is the buffer that was used up since the last such event. */
static const struct wick_jfr_sample_type sample_types[] = {
    {"jdk.ExecutionSample", WICK_KIND_CPU},
    {"jdk.CPUTimeSample", WICK_KIND_CPU},
    {"jdk.NativeMethodSample", WICK_KIND_NATIVE},
    {"profiler.WallClockSample", WICK_KIND_WALL, .span_between = true},
    {"wick.PerfSample", WICK_KIND_PERF, BY_FIELD, .named = true},
    {"wick.BlockIO", WICK_KIND_BLOCK_IO, BY_FIELD},
    {"wick.MemoryStall", WICK_KIND_MEMORY_STALL, BY_FIELD},
    {"wick.NetworkCall", WICK_KIND_NETWORK, BY_FIELD},
    {"wick.SystemCall", WICK_KIND_SYSTEM_CALL, BY_FIELD},
    {"datadog.ExecutionSample", WICK_KIND_CPU, BY_PERIOD},
    {"datadog.MethodSample", WICK_KIND_WALL, BY_PERIOD},
    {"jdk.ObjectAllocationSample", WICK_KIND_ALLOC, BY_SIZE, .weight = "weight", .size = "allocationSize"},
    {"jdk.ObjectAllocationInNewTLAB", WICK_KIND_ALLOC, BY_SIZE, .weight = "tlabSize|allocationSize",
     .shown_as = "jdk.ObjectAllocation"},
    {"jdk.ObjectAllocationOutsideTLAB", WICK_KIND_ALLOC, BY_SIZE, .weight = "allocationSize",
     .shown_as = "jdk.ObjectAllocation"},
    {"datadog.ObjectSample", WICK_KIND_ALLOC, BY_SIZE, .weight = "size|allocationSize", .factor = "weight"},
    {"jdk.OldObjectSample", WICK_KIND_LIVE, BY_SIZE, .weight = "objectSize"},
    {"profiler.LiveObject", WICK_KIND_LIVE, BY_SIZE, .weight = "weight|allocationSize", .size = "allocationSize"},
    {"wick.LiveObject", WICK_KIND_LIVE, BY_SIZE, .weight = "weight", .size = "allocationSize",
     .shown_as = "profiler.LiveObject"},
    {"datadog.HeapLiveObject", WICK_KIND_LIVE, BY_SIZE, .weight = "size|allocationSize", .factor = "weight"},
    {"profiler.Malloc", WICK_KIND_MALLOC, BY_SIZE, .weight = "weight|size", .size = "size"},
    {"wick.NativeLive", WICK_KIND_NATIVE_LIVE, BY_SIZE, .weight = "weight", .things = "blocks"},
    {"datadog.NativeMemoryAllocation", WICK_KIND_MALLOC, BY_SIZE, .weight = "size", .factor = "weight"},
    {"jdk.JavaMonitorEnter", WICK_KIND_LOCK, BY_DURATION},
    {"profiler.NativeLock", WICK_KIND_NATIVE_LOCK, BY_DURATION},
    {"jdk.VirtualThreadPinned", WICK_KIND_LOCK, BY_DURATION},
    {"jdk.ThreadPark", WICK_KIND_PARK, BY_DURATION},
    {"jdk.JavaMonitorWait", WICK_KIND_WAIT, BY_DURATION},
    {"wick.NativeWait", WICK_KIND_OTHER, BY_DURATION},
    {"jdk.ThreadSleep", WICK_KIND_WAIT, BY_DURATION},
    {"jdk.FileRead", WICK_KIND_IO, BY_DURATION},
    {"jdk.FileWrite", WICK_KIND_IO, BY_DURATION},
    {"jdk.SocketRead", WICK_KIND_IO, BY_DURATION},
    {"jdk.SocketWrite", WICK_KIND_IO, BY_DURATION},
    {"jdk.MethodTrace", WICK_KIND_TRACE, BY_DURATION},
    {"jdk.JavaExceptionThrow", WICK_KIND_THROW, BY_COUNT},
    {"jdk.JavaErrorThrow", WICK_KIND_THROW, BY_COUNT},
};

/* Names of fields in order of preference. */
static const char *const slot_names[WICK_JFR_SLOT_NAMES] = {
    [WICK_JFR_START] = "startTime",
    [WICK_JFR_DURATION] = "duration",
    [WICK_JFR_THREAD] = "sampledThread|eventThread",
    [WICK_JFR_STACK] = "stackTrace",
    [WICK_JFR_STATE] = "state",
    [WICK_JFR_WEIGHT] = "weight|samplingPeriod|timeSpan",
    [WICK_JFR_COUNT] = "samples",
    [WICK_JFR_NAME] = "event",
    [WICK_JFR_CLASS] = "objectClass|monitorClass|parkedClass|thrownClass",
    [WICK_JFR_CONTEXT] = "context",
};

/* The field behind a slot, NULL = none. */
static const struct wick_jfr_field *field_of(const struct wick_jfr_reader *r, const struct wick_jfr_plan *plan,
                                             unsigned slot)
{
    return plan->field[slot] == WICK_JFR_NONE ? NULL : &r->meta.fields[plan->field[slot]];
}

/* How many collections objects must have survived to be taken, 0 = all samples are. */
static int64_t survived(const struct wick_jfr_reader *r)
{
    return r->v ? r->v->filter.survived : 0;
}

static uint32_t type_of(const struct wick_jfr_reader *r, const struct wick_jfr_plan *plan, unsigned slot)
{
    const struct wick_jfr_field *f = field_of(r, plan, slot);
    return f && f->pooled && !f->array ? f->type : WICK_JFR_NONE;
}

static const struct wick_jfr_sample_type *find_sample_type(const char *name)
{
    for (size_t i = 0; i < sizeof sample_types / sizeof *sample_types; i++)
        if (strcmp(sample_types[i].name, name) == 0)
            return &sample_types[i];
    return NULL;
}

static void describe_times(const struct wick_jfr_reader *r, struct wick_jfr_handler *h)
{
    const struct wick_jfr_field *start = field_of(r, &h->plan, WICK_JFR_START);
    const struct wick_jfr_field *duration = field_of(r, &h->plan, WICK_JFR_DURATION);
    h->has_start = start != NULL;
    h->has_duration = duration != NULL;
    h->start_unit = start ? start->unit : 0;
    h->duration_unit = duration ? duration->unit : 0;
}

static bool is_whole_number(const struct wick_jfr_reader *r, const struct wick_jfr_field *f)
{
    uint8_t prim = f && !f->array && !f->pooled && f->type != WICK_JFR_NONE ? r->meta.types[f->type].prim : 0;
    return prim == WICK_JFR_BYTE || wick_jfr_prim_is_compressed(prim);
}

/* Recordings that were made with --compat have the larger one of size and weight, which is the weight, in the field of
 * the size (cut_even.c). */
static bool may_be_exchanged(const struct wick_jfr_sample_type *sample)
{
    return sample->size && (sample->kind == WICK_KIND_LIVE || sample->kind == WICK_KIND_MALLOC);
}

/* What samples need to know about their fields, worked out once for all events. */
static void describe_fields(const struct wick_jfr_reader *r, struct wick_jfr_handler *h)
{
    const struct wick_jfr_field *weight = field_of(r, &h->plan, WICK_JFR_WEIGHT);
    h->stack_type = type_of(r, &h->plan, WICK_JFR_STACK);
    h->thread_type = type_of(r, &h->plan, WICK_JFR_THREAD);
    h->state_type = type_of(r, &h->plan, WICK_JFR_STATE);
    h->context_type = type_of(r, &h->plan, WICK_JFR_CONTEXT);
    describe_times(r, h);
    bool size = is_whole_number(r, field_of(r, &h->plan, WICK_JFR_SIZE));
    h->has_size = size && r->p->by_size;
    h->exchanged = size && may_be_exchanged(h->sample) && is_whole_number(r, weight) &&
                   h->plan.field[WICK_JFR_SIZE] != h->plan.field[WICK_JFR_WEIGHT];
    h->has_age = is_whole_number(r, field_of(r, &h->plan, WICK_JFR_AGE));
    h->weight_unit = weight ? weight->unit : 0;
    if (!weight || weight->array || weight->type == WICK_JFR_NONE)
        return;
    uint8_t prim = r->meta.types[weight->type].prim;
    h->between = h->sample->span_between && strcmp(wick_jfr_text_at(&r->meta, weight->name), "timeSpan") == 0;
    h->weight_is_float = prim == WICK_JFR_FLOAT || prim == WICK_JFR_DOUBLE;
    h->weighs = prim != WICK_JFR_STRUCT && prim != WICK_JFR_STRING &&
                (weight->unit != WICK_JFR_PLAIN || h->sample->weigh == BY_FIELD || h->sample->weigh == BY_SIZE);
}

static bool has_field(const struct wick_jfr_reader *r, uint32_t type, const char *name)
{
    const struct wick_jfr_type *t = &r->meta.types[type];
    for (uint32_t i = 0; i < t->nfields; i++)
        if (strcmp(wick_jfr_text_at(&r->meta, r->meta.fields[t->first_field + i].name), name) == 0)
            return true;
    return false;
}

/* True if the class is to be a frame of the stacks. */
static bool shows_object(const struct wick_jfr_reader *r, const struct wick_jfr_handler *h)
{
    return r->p->objects && (h->sample->kind == WICK_KIND_ALLOC || h->sample->kind == WICK_KIND_LIVE);
}

/* The plan for a sample's fields: the common names, but for the weight and the factor of some types. */
static bool plan_sample(struct wick_jfr_reader *r, struct wick_jfr_handler *h)
{
    const char *names[WICK_JFR_SLOT_NAMES];
    memcpy(names, slot_names, sizeof names);
    if (h->sample->weight)
        names[WICK_JFR_WEIGHT] = h->sample->weight;
    names[WICK_JFR_FACTOR] = h->sample->factor;
    names[WICK_JFR_SIZE] = h->sample->things ? h->sample->things : h->sample->size;
    if (!r->p->by_size && !may_be_exchanged(h->sample))
        names[WICK_JFR_SIZE] = NULL;
    names[WICK_JFR_AGE] = survived(r) && h->sample->kind == WICK_KIND_LIVE ? "age" : NULL;
    if (h->sample->span_between && has_field(r, h->type, "weight"))
        names[WICK_JFR_DURATION] = "timeSpan"; /* where it is not what the weight is made from */
    if (!h->sample->named)
        names[WICK_JFR_NAME] = NULL;
    if (!r->p->by_labels)
        names[WICK_JFR_CONTEXT] = NULL;
    if (!r->p->by_labels && !shows_object(r, h))
        names[WICK_JFR_CLASS] = NULL;
    h->of_moment = (h->sample->kind == WICK_KIND_LIVE || h->sample->kind == WICK_KIND_NATIVE_LIVE) &&
                   has_field(r, h->type, "snapshot");
    if (!r->whole_samples) {
        if (!h->of_moment)
            names[WICK_JFR_START] = NULL;
        if (h->sample->weigh != BY_DURATION)
            names[WICK_JFR_DURATION] = NULL;
        if (!r->p->by_thread)
            names[WICK_JFR_THREAD] = NULL;
        if (!r->p->by_state && h->sample->kind != WICK_KIND_CPU)
            names[WICK_JFR_STATE] = NULL;
    }
    return wick_jfr_plan_make(r, &h->plan, h->type, names, WICK_JFR_SLOT_NAMES, false);
}

static void make_handler(struct wick_jfr_reader *r, uint32_t type)
{
    static const char *const setting_names[] = {"id", "name", "value"};
    struct wick_jfr_type *t = &r->meta.types[type];
    const char *name = wick_jfr_text_at(&r->meta, t->name);
    const struct wick_jfr_visitor *v = r->v;
    struct wick_jfr_handler h = {
        .type = type,
        .wanted = v && v->event && v->want && v->want(v->ctx, name),
        .setting = strcmp(name, "jdk.ActiveSetting") == 0,
        .sample = find_sample_type(name),
    };
    bool good = h.sample     ? plan_sample(r, &h)
                : h.setting  ? wick_jfr_plan_make(r, &h.plan, type, setting_names, 3, false)
                : r->instead ? wick_jfr_plan_make(r, &h.plan, type, slot_names, WICK_JFR_DURATION + 1, false)
                             : true;
    if (!good) {
        wick_jfr_plan_release(&h.plan);
        wick_jfr_problem(r, r->metadata_at, "metadata: %s has fields of unknown type", name);
        return;
    }
    if (!(h.wanted || h.sample || h.setting || r->instead) ||
        !wick_jfr_room(r, &r->handlers, r->nhandlers, &r->cap_handlers, sizeof *r->handlers)) {
        wick_jfr_plan_release(&h.plan);
        return;
    }
    if (h.sample) {
        h.kind = h.sample->kind;
        describe_fields(r, &h);
    } else if (r->instead && !h.setting) {
        describe_times(r, &h);
    }
    if (h.sample && h.sample->weigh == BY_PERIOD && (!h.weighs || h.between))
        r->needs_settings = true;
    if (h.sample && r->instead && r->instead->settings)
        r->needs_settings = true;
    t->handler = r->nhandlers;
    r->handlers[r->nhandlers++] = h;
}

void wick_jfr_handlers_make(struct wick_jfr_reader *r)
{
    r->needs_settings = r->perf_engine = r->wall_engine = r->settings_here = false;
    r->interval_handler = WICK_JFR_NONE;
    r->wall_period = 0;
    r->string_type = wick_jfr_type_by_name(&r->meta, "java.lang.String");
    r->thread_type = wick_jfr_type_by_name(&r->meta, "java.lang.Thread");
    for (uint32_t i = 0; i < r->meta.ntypes && !r->nomem; i++)
        if (r->meta.types[i].is_event)
            make_handler(r, i);
}

void wick_jfr_handlers_release(struct wick_jfr_reader *r)
{
    for (uint32_t i = 0; i < r->nhandlers; i++) {
        wick_jfr_plan_release(&r->handlers[i].plan);
        free(r->handlers[i].sums);
    }
    r->nhandlers = 0;
}

/* --- settings --- */

/* A time span as JFR settings spell it: "20 ms", "1 s", or a bare number of nanoseconds. 0 if it is something else. */
static int64_t parse_period(const char *s)
{
    static const struct {
        const char *unit;
        int64_t ns;
    } units[] = {{"", 1},           {"ns", 1},          {"us", 1000},         {"ms", 1000000},
                 {"s", 1000000000}, {"m", 60000000000}, {"h", 3600000000000}, {"d", 86400000000000}};
    char *end;
    long long n = strtoll(s, &end, 10);
    int64_t ns;
    while (*end == ' ')
        end++;
    for (size_t i = 0; end != s && n > 0 && i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].unit, end) == 0)
            return __builtin_mul_overflow((int64_t)n, units[i].ns, &ns) ? 0 : ns;
    return 0;
}

/* async-profiler's names for time on a processor; anything else it counts is a hardware or kernel event. */
static bool is_time_event(const char *s)
{
    static const char *const names[] = {"cpu", "cpu-clock", "task-clock", "ctimer", "itimer", "wall"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], s) == 0)
            return true;
    return false;
}

/* async-profiler writes 0 for "not given" and then uses these (its arguments.h, wallClock.cpp). */
#define AP_CPU_DEFAULT_NS  10000000
#define AP_WALL_DEFAULT_NS 50000000

/* The string a plan found at a slot, "" = none. */
static const char *place_text(struct wick_jfr_reader *r, const struct wick_jfr_plan *plan, unsigned slot,
                              uint64_t place)
{
    const struct wick_jfr_field *f = field_of(r, plan, slot);
    bool is_null;
    if (!f || f->pooled || f->array || f->type == WICK_JFR_NONE || r->meta.types[f->type].prim != WICK_JFR_STRING)
        return "";
    struct wick_jfr_cur c = wick_jfr_cur_at(r, place);
    return wick_profile_str(r->p, wick_jfr_string(r, &c, &is_null));
}

void wick_jfr_setting(struct wick_jfr_reader *r, const struct wick_jfr_handler *h, struct wick_jfr_cur *c)
{
    union wick_jfr_slot s[WICK_JFR_SLOTS] = {0};
    wick_jfr_plan_run(r, &h->plan, c, s);
    if (c->bad)
        return;
    r->settings_here = true;
    const char *name = place_text(r, &h->plan, 1, s[1].place), *value = place_text(r, &h->plan, 2, s[2].place);
    if (strcmp(name, "wall") == 0) {
        r->wall_period = strcmp(value, "0") == 0 ? AP_WALL_DEFAULT_NS : parse_period(value);
    } else if (strcmp(name, "event") == 0 && *value) {
        r->perf_engine = !is_time_event(value);
        r->wall_engine = strcmp(value, "wall") == 0;
    }
    bool interval = strcmp(name, "interval") == 0;
    uint32_t type = wick_jfr_type_by_id(&r->meta, s[0].i);
    uint32_t handler = type == WICK_JFR_NONE ? WICK_JFR_NONE : r->meta.types[type].handler;
    if (handler == WICK_JFR_NONE || (!interval && strcmp(name, "period") != 0))
        return;
    r->handlers[handler].period = parse_period(value);
    if (interval && r->handlers[handler].sample)
        r->interval_handler = handler;
}

/* The settings of an earlier chunk, if this one's samples are of the same program: their type has the same number. */
static void recall_settings(struct wick_jfr_reader *r)
{
    const struct wick_jfr_ap_settings *last = &r->last;
    struct wick_jfr_handler *h = last->sample ? wick_jfr_handler_of(r, last->type_id) : NULL;
    if (!h || h->sample != last->sample)
        return;
    h->period = last->period;
    r->interval_handler = (uint32_t)(h - r->handlers);
    r->wall_period = last->wall_period;
    r->perf_engine = last->perf_engine;
    r->wall_engine = last->wall_engine;
}

bool wick_jfr_settings_lasting(const struct wick_jfr_reader *r)
{
    return r->settings_here && r->interval_handler != WICK_JFR_NONE;
}

void wick_jfr_settings_done(struct wick_jfr_reader *r)
{
    r->state_default = 0;
    if (!r->settings_here)
        recall_settings(r);
    if (r->interval_handler == WICK_JFR_NONE)
        return;
    struct wick_jfr_handler *h = &r->handlers[r->interval_handler];
    r->state_default = wick_profile_cstring(r->p, "STATE_DEFAULT");
    if (r->wall_engine && !r->wall_period)
        r->wall_period = h->period ? h->period : AP_WALL_DEFAULT_NS;
    if (!h->period && !r->perf_engine)
        h->period = AP_CPU_DEFAULT_NS;
    r->last = (struct wick_jfr_ap_settings){.sample = h->sample,
                                            .type_id = r->meta.types[h->type].id,
                                            .period = h->period,
                                            .wall_period = r->wall_period,
                                            .perf_engine = r->perf_engine,
                                            .wall_engine = r->wall_engine};
}

/* --- samples --- */

static bool is_span(unsigned unit)
{
    return unit == WICK_JFR_SPAN_TICKS || unit == WICK_JFR_SPAN_NS || unit == WICK_JFR_SPAN_US ||
           unit == WICK_JFR_SPAN_MS || unit == WICK_JFR_SPAN_S;
}

/* The unit of the weights of a handler's samples. */
static enum wick_unit unit_of(const struct wick_jfr_reader *r, const struct wick_jfr_handler *h)
{
    if (h->sample->weigh == BY_DURATION)
        return h->has_duration ? WICK_UNIT_NS : WICK_UNIT_COUNT;
    if (h->sample->weigh == BY_COUNT)
        return WICK_UNIT_COUNT;
    if (h->weighs && h->sample->weigh == BY_SIZE)
        return WICK_UNIT_BYTES;
    if (h->weighs && is_span(h->weight_unit))
        return WICK_UNIT_NS;
    if (h->weighs)
        return h->weight_unit == WICK_JFR_BYTES ? WICK_UNIT_BYTES : WICK_UNIT_COUNT;
    bool counts_time = h->sample->weigh == BY_PERIOD && !r->perf_engine;
    return counts_time && h->period ? WICK_UNIT_NS : WICK_UNIT_COUNT;
}

/* The name that distinguishes events of one type, as a string number; 0 = none. */
static uint32_t name_of(struct wick_jfr_reader *r, const struct wick_jfr_handler *h, uint64_t place)
{
    const struct wick_jfr_field *f = field_of(r, &h->plan, WICK_JFR_NAME);
    bool is_null;
    if (!f || f->array || f->pooled || r->meta.types[f->type].prim != WICK_JFR_STRING)
        return 0;
    struct wick_jfr_cur c = wick_jfr_cur_at(r, place);
    return wick_jfr_string(r, &c, &is_null);
}

/* is_wall: as for event_of. */
static enum wick_event_kind kind_of(const struct wick_jfr_reader *r, const struct wick_jfr_handler *h, bool is_wall)
{
    enum wick_event_kind kind = is_wall ? WICK_KIND_WALL : (enum wick_event_kind)h->sample->kind;
    return kind == WICK_KIND_CPU && r->perf_engine && !h->weighs ? WICK_KIND_PERF : kind;
}

/* The event type of a sample in the profile. is_wall: an unbatched wall sample of async-profiler. */
static uint16_t event_of(struct wick_jfr_reader *r, struct wick_jfr_handler *h, bool is_wall, uint64_t name_place)
{
    uint16_t *known = is_wall ? &h->event_wall : &h->event;
    uint32_t name = h->sample->named ? name_of(r, h, name_place) : 0;
    if (*known && name == h->event_name)
        return *known;
    h->event_name = name;
    const char *type = h->sample->shown_as ? h->sample->shown_as : h->sample->name;
    *known =
        wick_profile_event(r->p, name ? name : wick_profile_cstring(r->p, type), kind_of(r, h, is_wall), unit_of(r, h));
    return *known;
}

/* A number from a slot that holds either sort. */
static double number_at(const struct wick_jfr_reader *r, const struct wick_jfr_handler *h, unsigned slot,
                        const union wick_jfr_slot *s)
{
    const struct wick_jfr_field *f = field_of(r, &h->plan, slot);
    uint8_t prim = f && !f->array && !f->pooled && f->type != WICK_JFR_NONE ? r->meta.types[f->type].prim : 0;
    if (prim == WICK_JFR_FLOAT || prim == WICK_JFR_DOUBLE)
        return s[slot].d;
    return prim == WICK_JFR_BYTE || wick_jfr_prim_is_compressed(prim) ? (double)s[slot].i : 1;
}

static int64_t weight_of(const struct wick_jfr_reader *r, const struct wick_jfr_handler *h, bool is_wall,
                         const union wick_jfr_slot *s, uint64_t count)
{
    int64_t period = is_wall && r->wall_period ? r->wall_period : h->period, v = 0;
    if (h->sample->weigh == BY_COUNT)
        return (int64_t)(count & INT64_MAX);
    if (h->sample->weigh == BY_DURATION && h->has_duration && !h->weighs)
        v = wick_jfr_value_ns(r, h->duration_unit, s[WICK_JFR_DURATION].i);
    else if (!h->weighs)
        return __builtin_mul_overflow((int64_t)(count & INT64_MAX), period ? period : 1, &v) ? INT64_MAX : v;
    if (h->weighs && h->weight_is_float) {
        double d = s[WICK_JFR_WEIGHT].d;
        v = d > 0 && d < 9e18 ? (int64_t)d : 0;
    } else if (h->weighs) {
        v = s[WICK_JFR_WEIGHT].i;
    }
    if (h->exchanged && s[WICK_JFR_SIZE].i > v)
        v = s[WICK_JFR_SIZE].i;
    if (h->weighs)
        v = wick_jfr_value_ns(r, h->weight_unit, v);
    if (h->plan.field[WICK_JFR_FACTOR] != WICK_JFR_NONE) {
        double d = (double)v * number_at(r, h, WICK_JFR_FACTOR, s);
        v = d > 0 && d < 9e18 ? (int64_t)(d + 0.5) : 0;
    }
    if (h->between && __builtin_add_overflow(v, r->wall_period, &v))
        v = INT64_MAX;
    return v > 0 ? v : 0;
}

/* Of one thing, or the number of things; 0 = not known. */
static double size_of(const struct wick_jfr_handler *h, const union wick_jfr_slot *s)
{
    int64_t size = s[WICK_JFR_SIZE].i;
    if (h->exchanged && s[WICK_JFR_WEIGHT].i < size)
        size = s[WICK_JFR_WEIGHT].i;
    return h->has_size && size > 0 ? (double)size : 0;
}

static uint32_t stack_of(struct wick_jfr_reader *r, uint32_t type, uint64_t key)
{
    static const char *const names[] = {"[no stack]", "[lost stack]"};
    uint32_t stack, *special = key ? &r->lost_stack : &r->no_stack;
    if (key && wick_jfr_stack(r, type, key, &stack))
        return stack;
    r->res->unresolved += key != 0;
    if (!*special) {
        uint32_t f = wick_profile_function(r->p, 0, wick_profile_cstring(r->p, names[key != 0]), 0);
        *special = wick_profile_push(r->p, 0, wick_profile_frame(r->p, f, 0, -1, WICK_FRAME_BREAK));
    }
    return *special;
}

/* Time and duration; false if the filter drops a sample of that time. */
static bool take_time(struct wick_jfr_reader *r, const struct wick_jfr_handler *h, const union wick_jfr_slot *s,
                      struct wick_sample *out)
{
    out->time_ns = h->has_start ? wick_jfr_value_ns(r, h->start_unit, s[WICK_JFR_START].i) : r->start_ns;
    if (h->has_duration)
        out->duration_ns = wick_jfr_value_ns(r, h->duration_unit, s[WICK_JFR_DURATION].i);
    return !r->v || wick_filter_time(&r->v->filter, out->time_ns);
}

/* The string with the name of a class as people write it, 0 = none. */
static uint32_t class_name(struct wick_jfr_reader *r, uint32_t type, uint64_t key)
{
    uint32_t name = type == WICK_JFR_NONE ? 0 : wick_jfr_text(r, type, key, 0);
    if (!name)
        return 0;
    const struct wick_string *internal = &r->p->strings[name];
    wick_strbuf_clear(&r->tmp);
    wick_name_add_class(&r->tmp, internal->s, internal->len, 0);
    return wick_profile_string(r->p, r->tmp.buf, r->tmp.len);
}

/* The class a sample is about as the label "object", beside the labels of `set`. */
static uint32_t add_object(struct wick_jfr_reader *r, uint32_t set, uint32_t type, uint64_t key)
{
    struct wick_label pairs[WICK_LABELS_MAX];
    const struct wick_label_set *have = &r->p->label_sets[set];
    uint32_t n = have->n < WICK_LABELS_MAX ? have->n : WICK_LABELS_MAX - 1, name = class_name(r, type, key);
    if (!name)
        return set;
    if (n)
        memcpy(pairs, &r->p->labels[have->first], n * sizeof *pairs);
    if (!r->object_key)
        r->object_key = wick_profile_cstring(r->p, "object");
    pairs[n] = (struct wick_label){r->object_key, name};
    return wick_profile_label_set(r->p, pairs, n + 1);
}

/* What a sample says beside time, thread and state. */
static uint32_t labels_of(struct wick_jfr_reader *r, const struct wick_jfr_handler *h, const union wick_jfr_slot *s)
{
    uint32_t set = wick_jfr_labels(r, h->context_type, (uint64_t)s[WICK_JFR_CONTEXT].i);
    return add_object(r, set, type_of(r, &h->plan, WICK_JFR_CLASS), (uint64_t)s[WICK_JFR_CLASS].i);
}

/* The stack with the class below its leaf. */
static uint32_t push_object(struct wick_jfr_reader *r, const struct wick_jfr_handler *h, uint32_t stack,
                            const union wick_jfr_slot *s)
{
    uint32_t name = class_name(r, type_of(r, &h->plan, WICK_JFR_CLASS), (uint64_t)s[WICK_JFR_CLASS].i);
    if (!name)
        return stack;
    uint32_t function = wick_profile_function(r->p, 0, name, 0);
    return wick_profile_push(r->p, stack, wick_profile_frame(r->p, function, 0, -1, WICK_FRAME_OBJECT));
}

/* --- sums by stack --- */

static const struct wick_jfr_pool *stack_pool(const struct wick_jfr_reader *r, const struct wick_jfr_handler *h)
{
    uint32_t pool = h->stack_type == WICK_JFR_NONE ? WICK_JFR_NONE : r->meta.types[h->stack_type].pool;
    return pool == WICK_JFR_NONE ? NULL : &r->pools[pool];
}

/* True if all samples have one weight. */
static bool weighs_the_same(const struct wick_jfr_handler *h)
{
    return h->sample->weigh == BY_COUNT || (!h->weighs && !(h->sample->weigh == BY_DURATION && h->has_duration));
}

void wick_jfr_sums_begin(struct wick_jfr_reader *r)
{
    bool alike = !r->whole_samples && !survived(r) && !r->p->by_thread && !r->p->by_state && !r->p->by_labels;
    r->sums_left = r->len / 8;
    for (uint32_t i = 0; i < r->nhandlers; i++) {
        struct wick_jfr_handler *h = &r->handlers[i];
        const struct wick_jfr_pool *pool = h->sample ? stack_pool(r, h) : NULL;
        h->may_be_wall = h->sample && r->state_default && !h->weighs && h->sample->kind == WICK_KIND_CPU;
        /* Not where a sample may count for several: then a sum would not show how many samples it is of. */
        h->may_sum = alike && !h->of_moment && !h->has_size && pool && pool->direct && !h->sample->named &&
                     !shows_object(r, h) && h->plan.field[WICK_JFR_COUNT] == WICK_JFR_NONE;
    }
}

/* At the first sample of a type. A table is as long as its pool's keys are far apart; all of a chunk together are not
 * longer than the chunk, so that many small chunks cannot cost more than they are. Without a table it also goes on. */
static void make_sums(struct wick_jfr_reader *r, struct wick_jfr_handler *h)
{
    const struct wick_jfr_pool *pool = stack_pool(r, h);
    h->may_sum = false;
    if (pool->ndirect > r->sums_left)
        return;
    r->sums_left -= pool->ndirect;
    h->sums = calloc(pool->ndirect, sizeof *h->sums);
    h->same_weight = weighs_the_same(h) ? weight_of(r, h, false, NULL, 1) : -1;
    if (h->sums)
        wick_jfr_run_describe(h);
}

/* Adds a sample to the sums; false if it has to go its own way. Only the slots with a field are checked, and these
 * two. */
static bool sum_up(struct wick_jfr_reader *r, struct wick_jfr_handler *h, const uint8_t *from, const uint8_t *end)
{
    const struct wick_jfr_pool *pool = stack_pool(r, h);
    union wick_jfr_slot s[WICK_JFR_SLOT_NAMES];
    s[WICK_JFR_STACK].i = s[WICK_JFR_STATE].i = 0;
    struct wick_jfr_cur c = {from, r->base + r->len, false};
    wick_jfr_plan_take(r, &h->plan, &c, s);
    uint64_t at = (uint64_t)s[WICK_JFR_STACK].i - pool->min_key;
    if (c.bad || c.p > end || at >= pool->ndirect || !pool->direct[at])
        return false;
    if (h->may_be_wall && (!h->cpu_state || (uint64_t)s[WICK_JFR_STATE].i != h->cpu_state))
        return false;
    struct wick_jfr_sum *sum = &h->sums[at];
    if (h->same_weight < 0 && __builtin_add_overflow(sum->weight, weight_of(r, h, false, s, 1), &sum->weight))
        sum->weight = INT64_MAX;
    sum->count++;
    r->res->samples++;
    return true;
}

/* After how many stacks the pages with their constants, some megabytes, are given back. */
#define STACKS_AT_ONCE 32768u

void wick_jfr_sums_end(struct wick_jfr_reader *r)
{
    uint64_t stacks = 0;
    for (uint32_t i = 0; i < r->nhandlers; i++) {
        struct wick_jfr_handler *h = &r->handlers[i];
        const struct wick_jfr_pool *pool = h->sums ? stack_pool(r, h) : NULL;
        for (uint64_t k = 0; pool && k < pool->ndirect && !r->nomem; k++) {
            struct wick_jfr_sum *sum = &h->sums[k];
            if (!sum->count)
                continue;
            if (++stacks % STACKS_AT_ONCE == 0) { /* their constants may be anywhere in the chunk */
                wick_jfr_walk_from(r, 0);
                wick_jfr_walk_to(r, r->len);
            }
            if (h->same_weight >= 0 && __builtin_mul_overflow(h->same_weight, sum->count, &sum->weight))
                sum->weight = INT64_MAX;
            uint64_t lost = r->res->unresolved;
            struct wick_sample out = {.event = event_of(r, h, false, 0), .weight = sum->weight, .count = sum->count};
            out.stack = stack_of(r, h->stack_type, pool->min_key + k);
            if (r->res->unresolved > lost)
                r->res->unresolved = lost + sum->count;
            wick_profile_add(r->p, &out);
        }
        free(h->sums); /* the pool's keys may reach further in the next part of the chunk */
        h->sums = NULL;
    }
}

/* Whether it is an unbatched wall-clock sample. */
static bool is_wall(struct wick_jfr_reader *r, const struct wick_jfr_handler *h, const union wick_jfr_slot *s)
{
    return h->may_be_wall &&
           r->p->states[wick_jfr_state(r, h->state_type, (uint64_t)s[WICK_JFR_STATE].i)] != r->state_default;
}

/* The sample of an event; false if it is malformed, or of a time that the filter drops. */
static bool decode(struct wick_jfr_reader *r, struct wick_jfr_handler *h, const uint8_t *from, const uint8_t *end,
                   struct wick_sample *out)
{
    /* Up to the chunk's end, because near the end of its input the cursor is slow; checked against the event's
     * afterwards. */
    struct wick_jfr_cur c = {from, r->base + r->len, false};
    union wick_jfr_slot s[WICK_JFR_SLOT_NAMES] = {[WICK_JFR_COUNT] = {.i = 1}};
    wick_jfr_plan_take(r, &h->plan, &c, s);
    if (c.bad || c.p > end) {
        wick_jfr_problem(r, (uint64_t)(end - r->base), "%s: event is too short", h->sample->name);
        return false;
    }
    r->res->samples++;
    *out = (struct wick_sample){.count = s[WICK_JFR_COUNT].i > 0 ? (uint64_t)s[WICK_JFR_COUNT].i : 0};
    if ((r->whole_samples || h->of_moment) && !take_time(r, h, s, out)) {
        r->res->filtered++;
        if (r->v->outside)
            r->v->outside(r->v->ctx, kind_of(r, h, is_wall(r, h, s)));
        return false;
    }
    if (survived(r) && (!h->has_age || s[WICK_JFR_AGE].i < survived(r))) {
        r->res->filtered++;
        if (h->of_moment && h->has_age)
            wick_jfr_moment_add(r, out->time_ns, NULL); /* earlier moments do not count, even if this one is empty */
        return false;
    }
    if (r->whole_samples || r->p->by_state || h->may_be_wall)
        out->state = wick_jfr_state(r, h->state_type, (uint64_t)s[WICK_JFR_STATE].i);
    if (r->whole_samples || r->p->by_thread)
        out->thread = wick_jfr_thread(r, h->thread_type, (uint64_t)s[WICK_JFR_THREAD].i);
    if (r->p->by_labels)
        out->labels = labels_of(r, h, s);
    bool wall = h->may_be_wall && r->p->states[out->state] != r->state_default;
    if (!wall)
        h->cpu_state = (uint64_t)s[WICK_JFR_STATE].i;
    out->event = event_of(r, h, wall, s[WICK_JFR_NAME].place);
    out->weight = weight_of(r, h, wall, s, out->count);
    double size = size_of(h, s);
    if (size > 0)
        out->things = h->sample->things ? size : (double)out->weight / size;
    if (h->has_size && !h->sample->things)
        out->variance = wick_interval_variance((double)out->weight, size);
    out->stack = stack_of(r, h->stack_type, (uint64_t)s[WICK_JFR_STACK].i);
    if (shows_object(r, h))
        out->stack = push_object(r, h, out->stack, s);
    return true;
}

static bool matches(struct wick_jfr_reader *r, const struct wick_sample *s)
{
    bool good = !r->v->filter.match || r->v->filter.match(r->v->filter.ctx, r->p, s);
    r->res->filtered += !good;
    return good;
}

void wick_jfr_sample(struct wick_jfr_reader *r, struct wick_jfr_handler *h, const uint8_t *from, const uint8_t *end)
{
    if (h->may_sum)
        make_sums(r, h);
    if (h->sums && sum_up(r, h, from, end))
        return;
    struct wick_sample s;
    if (!decode(r, h, from, end, &s) || (r->whole_samples && !matches(r, &s)))
        return;
    if (h->of_moment)
        wick_jfr_moment_add(r, s.time_ns, &s);
    else
        wick_jfr_sample_deliver(r, &s);
}

void wick_jfr_sample_deliver(struct wick_jfr_reader *r, const struct wick_sample *s)
{
    if (r->whole_samples && r->v->sample)
        r->v->sample(r->v->ctx, s);
    else
        wick_profile_add(r->p, s);
}

bool wick_jfr_sample_passes(struct wick_jfr_reader *r, struct wick_jfr_handler *h, const uint8_t *from,
                            const uint8_t *end)
{
    struct wick_sample s;
    return decode(r, h, from, end, &s) && matches(r, &s);
}
