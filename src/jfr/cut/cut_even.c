/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cut_even.c - samples that all stand for one interval
 *
 * wick's CPU and wall-clock samples have a weight; most readers of JFR count events (or, in wall-clock events, their
 * field `samples`) and multiply by the interval. Here each event is replaced by as many as its weight has intervals,
 * each with the weight of one: an event of three intervals becomes three, and what is left of a weight is carried to
 * the next event, so that an event of half an interval stays every other time. The total of weights and the count times
 * the interval then are the same number, which differs by at most half an interval from the total before. A wall-clock
 * event stays one event with `samples` set.
 *
 * Waits, live objects and native memory are no samples of time: such readers sum a field of theirs, `duration`,
 * `allocationSize` and `size`. An event that stands for more than its own gets its weight there and stays one event.
 * Its own size is not lost: it goes where the weight was, and wick's reader takes the larger of the two for the weight.
 *
 * Only samples whose fields are compressed integers throughout, as wick's are, can be rewritten.
 */
#include "jfr/format/bytes.h"
#include "jfr/cut/cut_int.h"

#define FIELDS_MAX 16
/* A weight of more intervals than this, which is damage or a clock that jumped, stays whole in the last copy. */
#define COPIES_MAX 1000

/* The values of an event, and which of them are to be changed; -1 = there is no such field. */
struct even {
    uint64_t value[FIELDS_MAX];
    uint32_t nvalues;
    int weight, samples, extra;
    uint64_t copies, step, last; /* events, and the weights of all but the last and of the last one */
};

static const char *name_at(const struct wick_jfr_reader *r, const struct wick_jfr_type *t, uint32_t i)
{
    return wick_jfr_text_at(&r->meta, r->meta.fields[t->first_field + i].name);
}

static bool is_int(const struct wick_jfr_reader *r, const struct wick_jfr_field *f)
{
    if (f->array || f->type == WICK_JFR_NONE)
        return false;
    uint8_t prim = r->meta.types[f->type].prim;
    return f->pooled || prim == WICK_JFR_INT || prim == WICK_JFR_LONG;
}

/* Nanoseconds in a unit of the weight; 0 = its unit is none of a fixed length. */
static int64_t unit_ns(const struct wick_jfr_handler *h)
{
    switch (h->weight_unit) {
    case WICK_JFR_SPAN_NS:
        return 1;
    case WICK_JFR_SPAN_US:
        return 1000;
    case WICK_JFR_SPAN_MS:
        return 1000000;
    default:
        return 0;
    }
}

/* Where events have the size of one object or block. */
static const char *size_field(const struct wick_jfr_handler *h)
{
    return h->kind == WICK_KIND_LIVE ? "allocationSize" : h->kind == WICK_KIND_MALLOC ? "size" : NULL;
}

/* The field that readers sum of events which are not counted; NULL = they are counted. */
static const char *summed_field(const struct wick_jfr_handler *h)
{
    if (h->kind == WICK_KIND_CPU || h->kind == WICK_KIND_WALL)
        return NULL;
    return size_field(h) ? size_field(h) : h->has_duration ? "duration" : NULL;
}

/* Whether events of the type can be given their weight in that field. */
static bool can_set(const struct wick_jfr_reader *r, const struct wick_jfr_handler *h, const char *field)
{
    const struct wick_jfr_type *t = &r->meta.types[h->type];
    bool found = false, weighs = false;
    for (uint32_t i = 0; i < t->nfields && !(found && weighs); i++) {
        const struct wick_jfr_field *f = &r->meta.fields[t->first_field + i];
        if (!is_int(r, f))
            return false;
        found |= strcmp(name_at(r, t, i), field) == 0;
        weighs |= strcmp(name_at(r, t, i), "weight") == 0;
    }
    return found && weighs && h->plan.field[WICK_JFR_FACTOR] == WICK_JFR_NONE &&
           (size_field(h) || (unit_ns(h) && h->duration_unit == WICK_JFR_SPAN_TICKS && r->tick_mult));
}

struct wick_jfr_even *wick_jfr_even_of(struct wick_jfr_reader *r, const struct wick_jfr_handler *h)
{
    const struct wick_jfr_type *t = &r->meta.types[h->type];
    struct wick_jfr_cutter *k = wick_jfr_cutter_of(r);
    if (!k->cut->even || !h->sample || !h->weighs || h->between || h->weight_is_float)
        return NULL;
    const char *field = summed_field(h);
    if (field)
        return can_set(r, h, field) ? &k->even[WICK_JFR_EVEN_FIELD] : NULL;
    if ((h->kind != WICK_KIND_CPU && h->kind != WICK_KIND_WALL) || !unit_ns(h) || t->nfields > FIELDS_MAX)
        return NULL;
    for (uint32_t i = 0; i < t->nfields; i++)
        if (!is_int(r, &r->meta.fields[t->first_field + i]))
            return NULL;
    bool wall = wick_jfr_field_by_name(&r->meta, t, "samples") != WICK_JFR_NONE;
    struct wick_jfr_even *e = &k->even[wall ? WICK_JFR_EVEN_WALL : WICK_JFR_EVEN_CPU];
    if (h->period > 0)
        e->period_ns = h->period; /* said in a file's first chunk only, maybe */
    return e->period_ns > 0 ? e : NULL;
}

static bool parse(const struct wick_jfr_reader *r, const struct wick_jfr_type *t, struct wick_jfr_cur c, struct even *v)
{
    v->weight = v->samples = v->extra = -1;
    v->nvalues = t->nfields;
    for (uint32_t i = 0; i < t->nfields; i++) {
        const char *name = name_at(r, t, i);
        v->value[i] = wick_jfr_cur_int(&c);
        if (strcmp(name, "weight") == 0)
            v->weight = (int)i;
        else if (strcmp(name, "samples") == 0)
            v->samples = (int)i;
        else if (strcmp(name, "extraBytes") == 0)
            v->extra = (int)i;
    }
    return !c.bad && v->weight >= 0;
}

/* Cuts a weight into intervals. Weights are in units, the rest of one is carried in nanoseconds. */
static void share_out(struct wick_jfr_even *e, int64_t unit, struct even *v)
{
    uint64_t most = (uint64_t)INT64_MAX / 4 / (uint64_t)unit, units = v->value[v->weight];
    int64_t ns = (int64_t)(units < most ? units : most) * unit, total = e->carry_ns + ns;
    int64_t copies = total < e->period_ns - e->period_ns / 2 ? 0 : (total + e->period_ns / 2) / e->period_ns;
    int64_t limit = v->samples >= 0 ? INT32_MAX : COPIES_MAX; /* one event holds any number of them */
    if (copies > limit)
        copies = limit;
    v->copies = (uint64_t)copies;
    v->step = (uint64_t)(e->period_ns / unit);
    /* All copies together have the weight of so many intervals, whatever the unit. */
    int64_t whole = copies * e->period_ns + e->unit_rest_ns;
    if (copies == limit && total - copies * e->period_ns >= e->period_ns)
        whole += total - copies * e->period_ns;
    v->last = copies ? (uint64_t)(whole / unit) - (uint64_t)(copies - 1) * v->step : 0;
    e->carry_ns = total - (whole - e->unit_rest_ns);
    e->unit_rest_ns = copies ? whole % unit : e->unit_rest_ns;
}

/* What the duration that readers sum is to say: the weight, unless its own value is that but for the weight's
 * rounding. */
static uint64_t duration_for(const struct wick_jfr_reader *r, const struct wick_jfr_handler *h, uint64_t own,
                             uint64_t weight)
{
    uint64_t unit = (uint64_t)unit_ns(h), ns = (uint64_t)wick_jfr_ticks_ns(r, (int64_t)own);
    if (weight >= (uint64_t)INT64_MAX / unit || weight * unit <= ns + unit)
        return own;
    return (uint64_t)(((unsigned __int128)(weight * unit) << 64) / r->tick_mult);
}

/* A field in an event, and what is to be there instead; from = NULL: there is none. */
struct part {
    const uint8_t *from, *to;
    uint64_t value, instead;
};

struct parts {
    struct part summed, weight, extra; /* extra: if the weight is among the bytes that it counts and the sum is not */
};

/* False if the event is damaged. */
static bool find_parts(const struct wick_jfr_reader *r, const struct wick_jfr_handler *h, struct wick_jfr_cur c,
                       struct parts *out)
{
    const struct wick_jfr_type *t = &r->meta.types[h->type];
    *out = (struct parts){0};
    for (uint32_t i = 0; i < t->nfields && !(out->summed.from && out->weight.from); i++) {
        const char *name = name_at(r, t, i);
        const uint8_t *from = c.p;
        uint64_t value = wick_jfr_cur_int(&c);
        struct part *part = strcmp(name, summed_field(h)) == 0                    ? &out->summed
                            : strcmp(name, "weight") == 0                         ? &out->weight
                            : out->summed.from && strcmp(name, "extraBytes") == 0 ? &out->extra
                                                                                  : NULL;
        if (part)
            *part = (struct part){from, c.p, value, value};
    }
    return !c.bad;
}

/* The larger one goes where readers sum. */
static void exchange(struct parts *of)
{
    uint64_t size = of->summed.value, weight = of->weight.value;
    if (weight <= size)
        return;
    of->summed.instead = weight;
    of->weight.instead = size;
    uint64_t less = wick_jfr_int_size(weight) - wick_jfr_int_size(size);
    if (of->extra.from && of->extra.value > less)
        of->extra.instead = of->extra.value - less;
}

/* Writes an event with some fields changed, the others as they are; returns its size, 0 = it is damaged. */
static uint64_t write_summed(const struct wick_jfr_reader *r, const struct wick_jfr_handler *h, struct wick_jfr_cur c,
                             FILE *out)
{
    struct parts of;
    if (!find_parts(r, h, c, &of))
        return 0;
    if (size_field(h))
        exchange(&of);
    else
        of.summed.instead = duration_for(r, h, of.summed.value, of.weight.value);
    bool behind = of.weight.from > of.summed.from;
    const struct part parts[] = {behind ? of.summed : of.weight, of.extra, behind ? of.weight : of.summed};
    uint8_t head[WICK_JFR_INT_MAX_BYTES], number[WICK_JFR_INT_MAX_BYTES];
    const uint8_t *at = c.p;
    size_t ntype = wick_jfr_int_size((uint64_t)r->meta.types[h->type].id), size = ntype + (size_t)(c.end - c.p);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].from)
            size += wick_jfr_int_size(parts[i].instead) - (size_t)(parts[i].to - parts[i].from);
    size_t all = size + 1;
    while (size + wick_jfr_int_size(all) > all)
        all++;
    if (!out)
        return all;
    fwrite(head, 1, (size_t)(wick_jfr_int_at(head, all) - head), out);
    fwrite(number, 1, (size_t)(wick_jfr_int_at(number, (uint64_t)r->meta.types[h->type].id) - number), out);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].from) {
            fwrite(at, 1, (size_t)(parts[i].from - at), out);
            fwrite(number, 1, (size_t)(wick_jfr_int_at(number, parts[i].instead) - number), out);
            at = parts[i].to;
        }
    fwrite(at, 1, (size_t)(c.end - at), out);
    return all;
}

/* Writes an event into `to`, which has room; returns its size. */
static size_t encode(const struct wick_jfr_reader *r, const struct wick_jfr_type *t, const struct even *v,
                     uint64_t weight, uint8_t *to)
{
    uint8_t body[(FIELDS_MAX + 1) * WICK_JFR_INT_MAX_BYTES], *p = wick_jfr_int_at(body, (uint64_t)t->id);
    uint64_t extra = 1;
    for (uint32_t i = (uint32_t)(v->extra + 1); v->extra >= 0 && i < v->nvalues; i++)
        extra += wick_jfr_int_size((int)i == v->weight ? weight : v->value[i]);
    for (uint32_t i = 0; i < v->nvalues; i++) {
        uint64_t value = v->value[i];
        if ((int)i == v->weight)
            value = weight;
        else if ((int)i == v->samples)
            value = v->copies;
        else if ((int)i == v->extra)
            value = extra;
        p = wick_jfr_int_at(p, value);
    }
    size_t size = (size_t)(p - body), all = size + 1;
    while (size + wick_jfr_int_size(all) > all)
        all++;
    uint8_t *q = wick_jfr_int_at(to, all);
    memcpy(q, body, size);
    return (size_t)(q - to) + size;
}

uint64_t wick_jfr_even_write(struct wick_jfr_reader *r, const struct wick_jfr_handler *h, struct wick_jfr_even *e,
                             struct wick_jfr_cur c, FILE *out, uint64_t *events)
{
    const struct wick_jfr_type *t = &r->meta.types[h->type];
    uint8_t event[(FIELDS_MAX + 2) * WICK_JFR_INT_MAX_BYTES];
    struct even v;
    uint64_t bytes = 0;
    *events = 0;
    if (summed_field(h)) {
        bytes = write_summed(r, h, c, out);
        *events = bytes > 0;
        return bytes;
    }
    if (!parse(r, t, c, &v))
        return 0;
    share_out(e, unit_ns(h), &v);
    bool once = v.samples >= 0 && v.copies;
    *events = once ? 1 : v.copies;
    for (uint64_t i = 0; i < *events; i++) {
        uint64_t weight = once ? v.step * (v.copies - 1) + v.last : i + 1 < v.copies ? v.step : v.last;
        size_t size = encode(r, t, &v, weight, event);
        if (out)
            fwrite(event, 1, size, out);
        bytes += size;
    }
    return bytes;
}
