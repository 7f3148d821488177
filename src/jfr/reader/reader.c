/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader.c - a JFR file: chunks, and the walk over their events
 *
 * A recording is chunks one after another, each complete in itself (JDK jdk.jfr.internal.consumer.ChunkHeader), all
 * header fields most significant byte first:
 *
 *      0  "FLR\0"           24  metadata event, position     56  ticks per second
 *      4  major, minor u16  32  start, ns since 1970         64  state u8, unused u8
 *      8  chunk size        40  duration, ns                 66  flags u16: 1 = compressed integers
 *     16  last checkpoint   48  start, ticks
 *
 * Behind it are events, each a size, a type and the fields the metadata lists, up to the size in the header. Two types
 * are special: 0 is the metadata, 1 a checkpoint (constants).
 *
 * A chunk is read in three steps: metadata; constants (indexed only); events in file order. Before the events may come
 * a walk for settings alone (reader_sample.c).
 *
 * Parts. While a chunk is being written its header says how much of it is complete, with all constants that its events
 * need. Such a chunk is read in parts, one for each header that was seen: the checkpoints that are new are indexed, the
 * events that are new are read, and everything else stays. A chunk that is complete is a single part, unless the caller
 * has only so much time at once: then each part has some of its events. Where the bytes come from is in
 * reader_input.c.
 *
 * Damage. A writer that was killed leaves a chunk whose size is 0 or more than the file holds, or whose positions are
 * not filled in; a copied file may be cut anywhere. Then the events are walked once to find the metadata and checkpoint
 * events that are there. A header whose size is smaller than what follows is believed: up to there everything was
 * flushed. If no chunk begins where the last one ended, the next "FLR\0" is searched for.
 *
 * Cost. A walk touches every byte of a large file; pages behind it are returned as it goes, so that the resident size
 * stays small. The next walk, and constants decoded later, fault them in again from the page cache.
 */
#include "base/clock.h"
#include "jfr/format/jfr_format.h"
#include "jfr/reader/reader_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PAGE_MASK ((size_t)0xffff) /* of the largest pages there are */

void wick_jfr_problem(struct wick_jfr_reader *r, uint64_t at, const char *fmt, ...)
{
    if (r->res->problems++)
        return;
    r->res->first_offset = r->base_offset + at;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(r->res->first, sizeof r->res->first, fmt, ap);
    va_end(ap);
}

bool wick_jfr_room(struct wick_jfr_reader *r, void *array, uint32_t n, uint32_t *cap, size_t size)
{
    void **a = array;
    if (n < *cap)
        return true;
    uint32_t want = *cap ? *cap * 2 : 64;
    void *bigger = want > *cap ? reallocarray(*a, want, size) : NULL;
    if (!bigger) {
        r->nomem = true;
        return false;
    }
    *a = bigger;
    *cap = want;
    return true;
}

/* --- time --- */

int64_t wick_jfr_ticks_ns(const struct wick_jfr_reader *r, int64_t ticks)
{
    uint64_t t = ticks < 0 ? -(uint64_t)ticks : (uint64_t)ticks;
    uint64_t whole = (uint64_t)(r->tick_mult >> 64), part = (uint64_t)r->tick_mult;
    uint64_t ns = t * whole + (uint64_t)((unsigned __int128)t * part >> 64);
    return (int64_t)(ticks < 0 ? -ns : ns);
}

static int64_t scaled(int64_t v, int64_t by)
{
    int64_t out;
    return __builtin_mul_overflow(v, by, &out) ? (v < 0 ? INT64_MIN : INT64_MAX) : out;
}

int64_t wick_jfr_value_ns(const struct wick_jfr_reader *r, unsigned unit, int64_t v)
{
    switch (unit) {
    case WICK_JFR_SPAN_TICKS:
        return wick_jfr_ticks_ns(r, v);
    case WICK_JFR_SPAN_US:
        return scaled(v, 1000);
    case WICK_JFR_SPAN_MS:
    case WICK_JFR_AT_EPOCH_MS:
        return scaled(v, 1000000);
    case WICK_JFR_SPAN_S:
        return scaled(v, 1000000000);
    case WICK_JFR_AT_TICKS: {
        int64_t since = (int64_t)((uint64_t)v - (uint64_t)r->start_ticks);
        return (int64_t)((uint64_t)r->start_ns + (uint64_t)wick_jfr_ticks_ns(r, since));
    }
    default:
        return v;
    }
}

/* --- walking events --- */

void wick_jfr_walk_from(struct wick_jfr_reader *r, uint64_t at)
{
    r->released = (r->base_offset + at) & ~PAGE_MASK;
}

void wick_jfr_walk_to(struct wick_jfr_reader *r, uint64_t at)
{
    size_t end = (r->base_offset + at) & ~PAGE_MASK;
    if (!r->mapped || end < r->released + WICK_JFR_RELEASE_STEP)
        return;
    madvise((void *)(uintptr_t)wick_jfr_released(r), end - r->released, MADV_DONTNEED);
    r->released = end;
}

bool wick_jfr_next_event(struct wick_jfr_reader *r, struct wick_jfr_place *e)
{
    e->at += e->size;
    e->cur = wick_jfr_cur_at(r, e->at);
    if (e->cur.p == e->cur.end)
        return false;
    e->size = wick_jfr_cur_int(&e->cur);
    if (e->cur.bad || e->size > r->len - e->at || e->cur.p >= r->base + e->at + e->size) {
        e->size = 0;
        return false;
    }
    e->cur.end = r->base + e->at + e->size;
    e->type = (int64_t)wick_jfr_cur_int(&e->cur);
    e->type_end = e->cur.p;
    return true;
}

static bool add_checkpoint(struct wick_jfr_reader *r, uint64_t at)
{
    if (!wick_jfr_room(r, &r->checkpoints, r->ncheckpoints, &r->cap_checkpoints, sizeof *r->checkpoints))
        return false;
    r->checkpoints[r->ncheckpoints++] = at;
    return true;
}

/* Follows the chain of checkpoints back from the header's to those of earlier parts. Each must end before the one found
 * last begins, so the chain gets shorter with every step and no byte is indexed twice. */
static bool follow_chain(struct wick_jfr_reader *r)
{
    uint64_t at = r->checkpoint_at, before = r->len;
    while (!r->indexed || at != r->indexed) {
        struct wick_jfr_cur c = wick_jfr_cur_at(r, at);
        uint64_t size = wick_jfr_cur_int(&c), type = wick_jfr_cur_int(&c);
        if (c.bad || type != 1 || at < WICK_JFR_HEADER_BYTES || at >= before || size > before - at)
            return false;
        wick_jfr_cur_skip_ints(&c, 2);
        int64_t distance = (int64_t)wick_jfr_cur_int(&c);
        if (c.bad || (uint64_t)(c.p - r->base) > at + size || !add_checkpoint(r, at))
            return false;
        if (distance == 0)
            return true;
        if (distance > 0 || -(uint64_t)distance > at)
            return false;
        before = at;
        at += (uint64_t)distance;
    }
    return true;
}

/* For a damaged chunk: finds the last metadata and the checkpoints by walking the events from a position on. */
static void search(struct wick_jfr_reader *r, uint64_t from)
{
    r->metadata_at = r->loaded_at;
    r->ncheckpoints = 0;
    for (struct wick_jfr_place e = {.at = from}; wick_jfr_next_event(r, &e);) {
        if (e.cur.bad)
            continue;
        if (e.type == 0)
            r->metadata_at = e.at;
        else if (e.type == 1 && !add_checkpoint(r, e.at))
            return;
    }
    for (uint32_t i = 0, n = r->ncheckpoints; i < n / 2; i++) {
        uint64_t t = r->checkpoints[i];
        r->checkpoints[i] = r->checkpoints[n - 1 - i];
        r->checkpoints[n - 1 - i] = t;
    }
}

struct wick_jfr_handler *wick_jfr_handler_of(struct wick_jfr_reader *r, int64_t type_id)
{
    uint32_t type = wick_jfr_type_by_id(&r->meta, type_id);
    uint32_t h = type == WICK_JFR_NONE ? WICK_JFR_NONE : r->meta.types[type].handler;
    return h == WICK_JFR_NONE ? NULL : &r->handlers[h];
}

static void read_settings(struct wick_jfr_reader *r)
{
    wick_jfr_walk_from(r, r->settings_from);
    for (struct wick_jfr_place e = {.at = r->settings_from}; wick_jfr_next_event(r, &e);) {
        struct wick_jfr_handler *h = wick_jfr_handler_of(r, e.type);
        wick_jfr_walk_to(r, e.at);
        if (h && h->setting)
            wick_jfr_setting(r, h, &e.cur);
        else if (e.type != 0 && e.type != 1)
            wick_jfr_skip_run(r, &e);
    }
    r->settings_from = r->len;
    wick_jfr_settings_done(r);
}

void wick_jfr_events_end(struct wick_jfr_reader *r, const struct wick_jfr_place *e)
{
    if (e->at >= r->len)
        return;
    wick_jfr_problem(r, e->at, "no event can begin here");
    r->res->lost_bytes += r->len - e->at;
}

/* How much is read before the clock is read again. */
#define LOOK_STEP ((uint64_t)128 << 10)

/* Whether to stop before e. */
static bool is_late(struct wick_jfr_reader *r, const struct wick_jfr_place *e)
{
    r->look_at = e->at + LOOK_STEP;
    r->paused = wick_clock_mono_ns() >= r->pause_ns;
    return r->paused;
}

/* Returns up to where. */
static uint64_t read_events(struct wick_jfr_reader *r)
{
    struct wick_jfr_place e = {.at = r->done};
    wick_jfr_walk_from(r, r->done);
    while (wick_jfr_next_event(r, &e)) {
        if (e.at >= r->look_at && is_late(r, &e))
            return e.at;
        r->res->events++;
        if (e.type == 0 || e.type == 1)
            continue;
        wick_jfr_walk_to(r, e.at);
        struct wick_jfr_handler *h = wick_jfr_handler_of(r, e.type);
        if (!h) {
            r->res->events += wick_jfr_skip_run(r, &e);
            continue;
        }
        const uint8_t *fields = e.cur.p, *end = e.cur.end;
        if (h->sample)
            wick_jfr_sample(r, h, fields, end);
        if (h->wanted)
            wick_jfr_generic(r, h, &(struct wick_jfr_cur){fields, end, false}, e.at);
        if (r->nomem)
            break;
        if (h->sums && !h->wanted)
            r->res->events += wick_jfr_sum_run(r, h, &e);
    }
    if (!r->nomem)
        wick_jfr_events_end(r, &e);
    return r->len;
}

/* --- chunks --- */

static uint64_t big_endian(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return __builtin_bswap64(v);
}

struct wick_jfr_extent wick_jfr_extent_of(const uint8_t *header)
{
    return (struct wick_jfr_extent){.size = big_endian(header + 8),
                                    .checkpoint = big_endian(header + 16),
                                    .metadata = big_endian(header + 24),
                                    .start_ns = (int64_t)big_endian(header + 32),
                                    .duration_ns = big_endian(header + 40)};
}

bool wick_jfr_is_sized(const uint8_t *header, size_t len)
{
    if (len < WICK_JFR_HEADER_BYTES || header[4] != 0 || header[5] != 2)
        return false;
    uint64_t size = wick_jfr_extent_of(header).size;
    return size >= WICK_JFR_HEADER_BYTES && size <= len;
}

static void set_clock(struct wick_jfr_reader *r, uint64_t ticks_per_second)
{
    if (ticks_per_second == 0) {
        wick_jfr_problem(r, 56, "chunk header: no ticks per second; taken as nanoseconds");
        ticks_per_second = 1000000000;
    }
    r->tick_mult = ((unsigned __int128)1000000000 << 64) / ticks_per_second;
}

/* Whether all that the header says lies within `len` bytes. */
static bool is_credible(const struct wick_jfr_extent *x, size_t len)
{
    return x->size >= WICK_JFR_HEADER_BYTES && x->size <= len && x->metadata >= WICK_JFR_HEADER_BYTES &&
           x->metadata < x->size && x->checkpoint >= WICK_JFR_HEADER_BYTES && x->checkpoint < x->size;
}

/* Decodes the header at r->base; r->len is what the file holds from there. Sets r->len to the chunk's size. `whole` is
 * set to whether the header is complete and credible. False if the chunk cannot be read at all. */
static bool read_header(struct wick_jfr_reader *r, bool *whole)
{
    const uint8_t *h = r->base;
    if (r->len < WICK_JFR_HEADER_BYTES) {
        wick_jfr_problem(r, 0, "the file ends inside a chunk header");
        return false;
    }
    if (h[4] != 0 || h[5] != 2) {
        wick_jfr_problem(r, 4, "chunk of version %u.%u; only 2.x is known", (unsigned)h[4] << 8 | h[5],
                         (unsigned)h[6] << 8 | h[7]);
        return false;
    }
    if (!(h[67] & 1)) {
        wick_jfr_problem(r, 66, "its integers are not compressed, as only debug versions of the JVM write them");
        return false;
    }
    struct wick_jfr_extent x = wick_jfr_extent_of(h);
    r->checkpoint_at = x.checkpoint;
    r->metadata_at = x.metadata;
    r->start_ns = x.start_ns;
    r->duration_ns = x.duration_ns;
    r->start_ticks = (int64_t)big_endian(h + 48);
    *whole = is_credible(&x, r->len);
    if (x.size > r->len)
        wick_jfr_problem(r, 8, "the chunk should have %" PRIu64 " bytes, the file ends after %zu", x.size, r->len);
    else if (!*whole)
        wick_jfr_problem(r, 8, "the chunk was not closed");
    if (x.size >= WICK_JFR_HEADER_BYTES && x.size < r->len)
        r->len = x.size;
    set_clock(r, big_endian(h + 56));
    return true;
}

/* Forgets what was made from the metadata: all but the position up to which events were read. */
static void forget_types(struct wick_jfr_reader *r)
{
    wick_jfr_handlers_release(r);
    wick_jfr_reader_pools_release(r);
    wick_jfr_meta_release(&r->meta);
    r->loaded_at = r->indexed = 0;
    r->settings_from = WICK_JFR_HEADER_BYTES;
    r->memo_round++;
}

static void begin_chunk(struct wick_jfr_reader *r)
{
    forget_types(r);
    r->res->chunks++;
    r->done = WICK_JFR_HEADER_BYTES;
    r->open = true;
}

static void end_chunk(struct wick_jfr_reader *r)
{
    forget_types(r);
    r->open = r->unreadable = r->paused = false;
}

/* A damaged chunk without a chunk size may swallow the ones behind it: cut at the next header, if there is one. */
static void cut_at_next_chunk(struct wick_jfr_reader *r)
{
    static const uint8_t magic[] = {'F', 'L', 'R', 0, 0, 2};
    const uint8_t *next = memmem(r->base + 1, r->len - 1, magic, sizeof magic);
    if (next)
        r->len = (size_t)(next - r->base);
}

/* Finds the metadata and the checkpoints that were not indexed before. Whether by the header, without a search. */
static bool find_constants(struct wick_jfr_reader *r, bool whole)
{
    r->ncheckpoints = 0;
    if (whole && r->loaded_at && r->metadata_at != r->loaded_at)
        forget_types(r); /* a type was added: the constants have to be indexed again by the new metadata */
    if (whole && !follow_chain(r)) {
        wick_jfr_problem(r, r->checkpoint_at, "broken chain of checkpoints");
        whole = false;
    }
    if (whole)
        return true;
    struct wick_jfr_extent x = wick_jfr_extent_of(r->base);
    if (x.size < WICK_JFR_HEADER_BYTES || x.size > r->len)
        cut_at_next_chunk(r);
    search(r, r->done);
    if (r->loaded_at && r->metadata_at != r->loaded_at) {
        forget_types(r);
        search(r, WICK_JFR_HEADER_BYTES);
    }
    return false;
}

/* The part of the chunk between r->done and r->len, or its beginning if it is time to pause. A search would find the
 * same checkpoints again after a pause, so there is none in what needs it. */
static void read_part(struct wick_jfr_reader *r, bool whole)
{
    uint64_t end = r->len;
    r->paused = false;
    r->look_at = find_constants(r, whole) && r->pause_ns ? r->done + LOOK_STEP : UINT64_MAX;
    if (r->metadata_at != r->loaded_at || !r->loaded_at) {
        if (!r->metadata_at || !wick_jfr_meta_read(r, r->metadata_at)) {
            wick_jfr_problem(r, 24, "chunk without metadata: its events cannot be read");
            r->res->lost_bytes += r->len;
            r->unreadable = true;
            return;
        }
        r->loaded_at = r->metadata_at;
        wick_jfr_handlers_make(r);
    }
    r->res->unfinished = !(r->base[WICK_JFR_HDR_FLAGS + 1] & WICK_JFR_FLAG_FINAL_CHUNK) &&
                         wick_jfr_type_by_name(&r->meta, "wick.Profiler") != WICK_JFR_NONE;
    wick_profile_cover(r->p, r->start_ns, (int64_t)((uint64_t)r->start_ns + r->duration_ns));
    wick_jfr_pools_read(r);
    if (r->ncheckpoints)
        r->indexed = r->checkpoints[0];
    if (r->needs_settings && !r->nomem)
        read_settings(r);
    wick_jfr_sums_begin(r);
    if (!r->nomem && r->instead)
        r->instead->chunk(r);
    else if (!r->nomem)
        end = read_events(r);
    if (!r->nomem)
        wick_jfr_sums_end(r);
    r->done = end;
}

void wick_jfr_read_chunk(struct wick_jfr_reader *r)
{
    bool whole;
    if (read_header(r, &whole)) {
        if (!r->open)
            begin_chunk(r);
        if (!r->unreadable)
            read_part(r, whole);
    } else {
        uint64_t size = wick_jfr_is_sized(r->base, r->len) ? wick_jfr_extent_of(r->base).size : 0;
        if (size)
            r->len = size;
        else
            cut_at_next_chunk(r);
        r->res->lost_bytes += r->len;
    }
    if (!r->paused)
        end_chunk(r);
}

void wick_jfr_read_so_far(struct wick_jfr_reader *r)
{
    bool whole;
    struct wick_jfr_extent x = wick_jfr_extent_of(r->base);
    if (r->unreadable || !is_credible(&x, r->len) || (r->open && x.size <= r->done))
        return;
    r->unreadable = !read_header(r, &whole);
    if (r->unreadable)
        return;
    if (!r->open)
        begin_chunk(r);
    read_part(r, whole);
}
