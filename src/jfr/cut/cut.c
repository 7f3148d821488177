/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cut.c - a chunk with fewer events
 *
 *     +--------+----------+----------------------+------------+
 *     | header | metadata | the events that stay | constants  |
 *     +--------+----------+----------------------+------------+
 *
 * Metadata and events are copied as they are (but for samples that are made even, cut_even.c); the constants that were
 * spread over the chunk's checkpoints and are still needed (cut_const.c) become one checkpoint. A chunk is gone through
 * twice: first it is decided which events stay, a bit for each, and what they need; then all sizes are known, so that
 * the header can be written first and the output may be a pipe.
 *
 * The header's times follow the range, so that a program which shows what time a recording covers shows the right one.
 * Its start is a pair, wall clock and ticks, by which all times of the chunk are computed; it is moved by whole
 * multiples of the shortest time that is a whole number of both ticks and nanoseconds (a nanosecond for most clocks, at
 * most a second), so that not one of these times changes.
 */
#include "base/sum.h"
#include "jfr/format/bytes.h"
#include "jfr/cut/cut_int.h"

#include <stdlib.h>

/* Events that say what the recording, the JVM and the machine are, not what happened when. */
static bool is_fact(const char *name)
{
    static const char *const names[] = {"jdk.ActiveRecording",
                                        "jdk.ActiveSetting",
                                        "jdk.JVMInformation",
                                        "jdk.OSInformation",
                                        "jdk.VirtualizationInformation",
                                        "jdk.ContainerConfiguration",
                                        "jdk.CPUInformation",
                                        "jdk.CPUTimeStampCounter",
                                        "jdk.InitialSystemProperty",
                                        "jdk.InitialEnvironmentVariable",
                                        "jdk.InitialSecurityProperty",
                                        "jdk.NativeLibrary",
                                        "jdk.BooleanFlag",
                                        "jdk.DoubleFlag",
                                        "jdk.IntFlag",
                                        "jdk.LongFlag",
                                        "jdk.StringFlag",
                                        "jdk.UnsignedIntFlag",
                                        "jdk.UnsignedLongFlag",
                                        "jdk.GCConfiguration",
                                        "jdk.GCHeapConfiguration",
                                        "jdk.GCSurvivorConfiguration",
                                        "jdk.GCTLABConfiguration",
                                        "jdk.YoungGenerationConfiguration",
                                        "jdk.CompilerConfiguration",
                                        "jdk.CodeCacheConfiguration",
                                        "datadog.ProfilerSetting",
                                        "datadog.DatadogProfilerConfig"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* --- which events stay --- */

static bool overlaps(const struct wick_filter *f, int64_t start, int64_t end)
{
    return (!f->from_ns || end >= f->from_ns) && (!f->to_ns || start < f->to_ns);
}

/* Whether an event touches the range; a sample must begin in it, as it must for a reader. */
static bool in_range(struct wick_jfr_reader *r, const struct wick_jfr_handler *h, struct wick_jfr_cur *c)
{
    union wick_jfr_slot s[WICK_JFR_SLOTS] = {0};
    const struct wick_filter *f = &wick_jfr_cutter_of(r)->cut->filter;
    wick_jfr_plan_run(r, &h->plan, c, s);
    if (c->bad)
        return false;
    int64_t start = h->has_start ? wick_jfr_value_ns(r, h->start_unit, s[WICK_JFR_START].i) : r->start_ns;
    int64_t span = h->has_duration ? wick_jfr_value_ns(r, h->duration_unit, s[WICK_JFR_DURATION].i) : 0;
    int64_t end = span > 0 ? wick_sum_time(start, span) : start;
    bool touches = h->sample ? wick_filter_time(f, start) : overlaps(f, start, end);
    if (touches && end > wick_jfr_cutter_of(r)->latest_ns)
        wick_jfr_cutter_of(r)->latest_ns = end;
    return touches;
}

/* Adds what is written of an event that stays. */
static void count(struct wick_jfr_reader *r, const struct wick_jfr_place *e, const struct wick_jfr_handler *h)
{
    struct wick_jfr_cutter *k = wick_jfr_cutter_of(r);
    struct wick_jfr_even *even = wick_jfr_even_of(r, h);
    uint64_t events = 1;
    k->bytes += even ? wick_jfr_even_write(r, h, even, e->cur, NULL, &events) : e->size;
    k->kept += events;
}

/* Whether an event stays, and why. */
static bool stays(struct wick_jfr_reader *r, const struct wick_jfr_place *e, struct wick_jfr_handler *h)
{
    struct wick_jfr_cutter *k = wick_jfr_cutter_of(r);
    struct wick_jfr_cur c = e->cur;
    const struct wick_jfr_type *t = &r->meta.types[h->type];
    bool fact = h->setting || is_fact(wick_jfr_text_at(&r->meta, t->name)), stay = fact;
    if (t->check != WICK_JFR_GOOD) {
        k->made->unknown++;
        return false;
    }
    if (!fact)
        stay = in_range(r, h, &c);
    if (stay && h->sample && k->cut->filter.match)
        stay = wick_jfr_sample_passes(r, h, e->cur.p, e->cur.end);
    c = e->cur;
    if (stay && !wick_jfr_need_event(r, t, &c)) {
        wick_jfr_problem(r, e->at, "%s: event is malformed", wick_jfr_text_at(&r->meta, t->name));
        return false;
    }
    k->chosen += stay && !fact;
    k->samples += stay && h->sample;
    if (stay)
        count(r, e, h);
    return stay;
}

static bool note(struct wick_jfr_reader *r, bool stay)
{
    struct wick_jfr_cutter *k = wick_jfr_cutter_of(r);
    uint64_t word = k->nevents / 64;
    if (word == k->cap_events) {
        uint64_t cap = k->cap_events ? k->cap_events * 2 : 64;
        uint64_t *bigger = reallocarray(k->stays, cap, sizeof *bigger);
        if (!bigger) {
            r->nomem = true;
            return false;
        }
        k->stays = bigger;
        k->cap_events = cap;
    }
    if (k->nevents % 64 == 0)
        k->stays[word] = 0;
    k->stays[word] |= (uint64_t)stay << k->nevents % 64;
    k->nevents++;
    return true;
}

static void choose_events(struct wick_jfr_reader *r)
{
    struct wick_jfr_cutter *k = wick_jfr_cutter_of(r);
    struct wick_jfr_place e = WICK_JFR_FIRST;
    k->nevents = k->chosen = k->kept = k->samples = k->bytes = 0;
    k->latest_ns = r->start_ns;
    memcpy(k->even_begin, k->even, sizeof k->even);
    wick_jfr_walk_from(r, 0);
    while (!r->nomem && wick_jfr_next_event(r, &e)) {
        struct wick_jfr_handler *h = e.type == 0 || e.type == 1 ? NULL : wick_jfr_handler_of(r, e.type);
        bool stay = h && stays(r, &e, h);
        r->res->events++;
        k->made->unknown += !h && e.type != 0 && e.type != 1;
        if (!note(r, stay))
            return;
        wick_jfr_walk_to(r, e.at);
    }
    wick_jfr_events_end(r, &e);
}

/* --- writing --- */

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int64_t end_of_chunk(const struct wick_jfr_reader *r)
{
    return r->duration_ns && r->duration_ns <= INT64_MAX ? wick_sum_time(r->start_ns, (int64_t)r->duration_ns)
                                                         : wick_jfr_cutter_of(r)->latest_ns;
}

/* Whether the chunk lies before the range, and chunks in it take their settings from here. */
static bool is_for_settings(const struct wick_jfr_reader *r)
{
    int64_t from = wick_jfr_cutter_of(r)->cut->filter.from_ns;
    return from && end_of_chunk(r) < from && wick_jfr_settings_lasting(r);
}

/* Moves the start of the chunk towards the range's, as far as all times stay what they are. */
static void move_start(const struct wick_jfr_reader *r, uint64_t ticks_per_s, int64_t *start_ns, int64_t *start_ticks)
{
    const uint64_t second = 1000000000;
    int64_t from = wick_jfr_cutter_of(r)->cut->filter.from_ns;
    uint64_t common = common_divisor(ticks_per_s, second), steps, ticks;
    if (from <= *start_ns || (from >= end_of_chunk(r) && !is_for_settings(r)))
        return;
    steps = ((uint64_t)from - (uint64_t)*start_ns) / (second / common);
    if (__builtin_mul_overflow(steps, ticks_per_s / common, &ticks))
        return;
    *start_ns += (int64_t)(steps * (second / common));
    *start_ticks = (int64_t)((uint64_t)*start_ticks + ticks);
}

/* Whether no other chunk begins behind this one. There may be bytes of a flush that was cut off. */
static bool is_last(const struct wick_jfr_reader *r)
{
    static const uint8_t magic[] = {'F', 'L', 'R', 0, 0, 2};
    return !memmem(r->base + r->len, r->left - r->len, magic, sizeof magic);
}

static void write_header(struct wick_jfr_reader *r, uint64_t metadata, uint64_t checkpoint)
{
    uint8_t h[WICK_JFR_HDR_SIZE];
    const struct wick_filter *f = &wick_jfr_cutter_of(r)->cut->filter;
    int64_t start_ns = r->start_ns, start_ticks = r->start_ticks, end = end_of_chunk(r);
    uint64_t ticks_per_s = 0, before = sizeof h + metadata + wick_jfr_cutter_of(r)->bytes;
    for (unsigned i = 0; i < 8; i++)
        ticks_per_s = ticks_per_s << 8 | r->base[WICK_JFR_HDR_TICKS_PER_S + i];
    if (ticks_per_s)
        move_start(r, ticks_per_s, &start_ns, &start_ticks);
    if (f->to_ns && f->to_ns < end)
        end = f->to_ns;
    memcpy(h, r->base, WICK_JFR_HDR_CHUNK_SIZE);
    wick_jfr_be_at(h + WICK_JFR_HDR_CHUNK_SIZE, before + checkpoint, 8);
    wick_jfr_be_at(h + WICK_JFR_HDR_CHECKPOINT, before, 8);
    wick_jfr_be_at(h + WICK_JFR_HDR_METADATA, sizeof h, 8);
    wick_jfr_be_at(h + WICK_JFR_HDR_START_NANOS, (uint64_t)start_ns, 8);
    wick_jfr_be_at(h + WICK_JFR_HDR_DURATION_NANOS, end > start_ns ? (uint64_t)end - (uint64_t)start_ns : 0, 8);
    wick_jfr_be_at(h + WICK_JFR_HDR_START_TICKS, (uint64_t)start_ticks, 8);
    wick_jfr_be_at(h + WICK_JFR_HDR_TICKS_PER_S, ticks_per_s ? ticks_per_s : 1000000000, 8);
    wick_jfr_be_at(h + WICK_JFR_HDR_STATE, 0, 2);
    /* Whether the recording was finished is said by its last chunk. */
    bool open_end = is_last(r) && !(r->base[WICK_JFR_HDR_FLAGS + 1] & WICK_JFR_FLAG_FINAL_CHUNK);
    wick_jfr_be_at(h + WICK_JFR_HDR_FLAGS, WICK_JFR_FLAG_COMPRESSED_INTS | (open_end ? 0 : WICK_JFR_FLAG_FINAL_CHUNK),
                   2);
    fwrite(h, 1, sizeof h, wick_jfr_cutter_of(r)->cut->out);
}

static uint64_t metadata_size(const struct wick_jfr_reader *r)
{
    struct wick_jfr_cur c = wick_jfr_cur_at(r, r->metadata_at);
    return wick_jfr_cur_int(&c); /* checked when it was read */
}

/* The events that stay: those beside each other in one piece, samples made even one by one. */
static void write_events(struct wick_jfr_reader *r)
{
    struct wick_jfr_cutter *k = wick_jfr_cutter_of(r);
    struct wick_jfr_place e = WICK_JFR_FIRST;
    uint64_t from = 0, to = 0, events;
    memcpy(k->even, k->even_begin, sizeof k->even);
    wick_jfr_walk_from(r, 0);
    for (uint64_t i = 0; i < k->nevents && wick_jfr_next_event(r, &e); i++) {
        if (!(k->stays[i / 64] >> i % 64 & 1))
            continue;
        if (e.at != to) {
            fwrite(r->base + from, 1, to - from, k->cut->out);
            wick_jfr_walk_to(r, to);
            from = e.at;
        }
        to = e.at + e.size;
        const struct wick_jfr_handler *h = k->cut->even ? wick_jfr_handler_of(r, e.type) : NULL;
        struct wick_jfr_even *even = h ? wick_jfr_even_of(r, h) : NULL;
        if (!even)
            continue;
        fwrite(r->base + from, 1, e.at - from, k->cut->out);
        wick_jfr_even_write(r, h, even, e.cur, k->cut->out, &events);
        from = to;
    }
    fwrite(r->base + from, 1, to - from, k->cut->out);
}

/* Whether the time that the chunk covers has something of the range. */
static bool covers_range(const struct wick_jfr_reader *r)
{
    const struct wick_filter *f = &wick_jfr_cutter_of(r)->cut->filter;
    return overlaps(f, r->start_ns, end_of_chunk(r));
}

static void cut_chunk(struct wick_jfr_reader *r)
{
    struct wick_jfr_cutter *k = wick_jfr_cutter_of(r);
    if (r->meta.broken) { /* a copy of it would be as broken */
        r->res->lost_bytes += r->len;
        return;
    }
    if (!wick_jfr_needs_begin(r))
        return;
    choose_events(r);
    bool beside = !k->chosen && !covers_range(r);
    if (r->nomem || !k->kept || (beside && !is_for_settings(r)))
        return;
    wick_jfr_needs_complete(r);
    if (r->nomem)
        return;
    uint64_t metadata = metadata_size(r), checkpoint = wick_jfr_checkpoint_size(r);
    write_header(r, metadata, checkpoint);
    fwrite(r->base + r->metadata_at, 1, metadata, k->cut->out);
    write_events(r);
    wick_jfr_checkpoint_write(r, k->cut->out);
    k->made->chunks += !beside; /* alone it would say nothing */
    k->made->events += k->kept;
    k->made->samples += k->samples;
    k->made->bytes += WICK_JFR_HDR_SIZE + metadata + k->bytes + checkpoint;
}

/* --- recordings --- */

static void release(struct wick_jfr_cutter *k)
{
    free(k->stays);
    free(k->needs);
    free(k->leads);
}

int wick_jfr_cut_file(struct wick_profile *p, const char *path, const struct wick_jfr_cut *cut,
                      struct wick_jfr_cut_result *made, struct wick_jfr_result *res, struct wick_err *err)
{
    struct wick_jfr_cutter k = {.instead = {cut_chunk, cut->even}, .cut = cut, .made = made};
    const struct wick_jfr_visitor v = {.filter = cut->filter};
    int rc = wick_jfr_each_chunk_of_file(p, path, &v, &k.instead, res, err);
    release(&k);
    return rc;
}

int wick_jfr_cut_memory(struct wick_profile *p, const void *data, size_t size, const struct wick_jfr_cut *cut,
                        struct wick_jfr_cut_result *made, struct wick_jfr_result *res, struct wick_err *err)
{
    struct wick_jfr_cutter k = {.instead = {cut_chunk, cut->even}, .cut = cut, .made = made};
    const struct wick_jfr_visitor v = {.filter = cut->filter};
    int rc = wick_jfr_each_chunk_of_memory(p, data, size, &v, &k.instead, res, err);
    release(&k);
    return rc;
}
