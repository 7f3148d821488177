/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chunks: how a recording stays complete on disk
 *
 * A flush adds to the file, behind what is there,
 *
 *     [metadata, in the first flush only] [checkpoint: constants not yet in the chunk] [events since the last flush]
 *
 * in one write, and then writes the chunk's header, which makes them part of the recording: chunk size, last checkpoint
 * and duration. Until the second write the header on disk describes the chunk without them. So whenever the process
 * dies, what the header describes is complete and consistent; between the two writes of one flush the file has bytes
 * behind it that belong to nothing.
 *
 * Constants refer to nothing outside their chunk (dense_ids.h says why their numbers still depend on the chunk before),
 * and the checkpoints of a chunk form a chain, each giving the distance to the one before. The metadata are the same in
 * every chunk and are made once, but get a new id in each: a JDK reader that meets the id of the chunk before goes on
 * with that chunk's parsers, and with its clock.
 *
 * Times are ticks of CLOCK_MONOTONIC since a chunk's origin; readers make dates of them by the chunk's start, for which
 * both clocks are read together. When the wall clock is set or the machine is suspended (CLOCK_MONOTONIC stands still,
 * the wall clock does not), the chunk ends at the next flush. So its events from before are dated rightly, those
 * between the step and that flush (a second at most) as if it had not been, and all later ones rightly again. An event
 * that happened before the step and comes after that flush is dated by the new chunk, just before its start.
 *
 * A failed write ends the chunk: the file is cut back to what the header describes, pending events are lost and counted
 * as `output_full`, and so is every event after them until config.retry_ns has passed and a new chunk is tried.
 * Nothing is retried in between.
 */
#include "jfr/writer/writer_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "jfr/format/bytes.h"

#define DEFAULT_CHUNK_BYTES  ((uint64_t)64 << 20)
#define MIN_CHUNK_BYTES      ((uint64_t)256 << 10)
#define DEFAULT_CHUNK_NS     UINT64_C(3600000000000)
#define MIN_CHUNK_NS         UINT64_C(1000000000)
#define DEFAULT_BUFFER_BYTES ((size_t)1 << 20)
#define MIN_BUFFER_BYTES     ((size_t)64 << 10)
#define DEFAULT_MEMORY_LIMIT ((size_t)64 << 20)
#define MIN_MEMORY_LIMIT     ((size_t)1 << 20)
#define DEFAULT_RETRY_NS     UINT64_C(10000000000)
#define DEFAULT_MAX_FRAMES   2048u
#define MAX_MAX_FRAMES       65536u

/* Buffers that one large flush has grown beyond this are given back after it. */
#define KEEP_BUFFER_BYTES ((size_t)4 << 20)

static void set_defaults(struct wick_jfr_config *c)
{
    if (!c->chunk_bytes)
        c->chunk_bytes = DEFAULT_CHUNK_BYTES;
    if (c->chunk_bytes < MIN_CHUNK_BYTES)
        c->chunk_bytes = MIN_CHUNK_BYTES;
    if (!c->chunk_ns)
        c->chunk_ns = DEFAULT_CHUNK_NS;
    if (c->chunk_ns < MIN_CHUNK_NS)
        c->chunk_ns = MIN_CHUNK_NS;
    if (!c->buffer_bytes)
        c->buffer_bytes = DEFAULT_BUFFER_BYTES;
    if (c->buffer_bytes < MIN_BUFFER_BYTES)
        c->buffer_bytes = MIN_BUFFER_BYTES;
    if (!c->memory_limit_bytes)
        c->memory_limit_bytes = DEFAULT_MEMORY_LIMIT;
    if (c->memory_limit_bytes < MIN_MEMORY_LIMIT)
        c->memory_limit_bytes = MIN_MEMORY_LIMIT;
    if (!c->retry_ns)
        c->retry_ns = DEFAULT_RETRY_NS;
    if (!c->max_frames)
        c->max_frames = DEFAULT_MAX_FRAMES;
    if (c->max_frames > MAX_MAX_FRAMES)
        c->max_frames = MAX_MAX_FRAMES;
}

/* weights: NULL = the events are on disk */
static void move_pending(struct wick_jfr_writer *w, uint64_t *to, struct wick_jfr_weight *weights)
{
    for (int e = 0; e < WICK_JFR_EVENT_COUNT; e++) {
        to[e] += w->stats.pending[e];
        w->stats.pending[e] = 0;
        if (weights)
            wick_jfr_weight_add(&weights[e], &w->stats.pending_weight[e]);
        w->stats.pending_weight[e] = (struct wick_jfr_weight){0};
    }
    wick_strbuf_clear(&w->events);
}

/* The output failed: pending events are lost and so are those to come, until it is time to try again. */
static int stop_output(struct wick_jfr_writer *w, int error)
{
    move_pending(w, w->stats.lost_output, w->stats.lost_output_weight);
    w->stats.error = error;
    w->retry_at_ns = w->config.retry_ns > UINT64_MAX - w->now_ns ? UINT64_MAX : w->now_ns + w->config.retry_ns;
    return error;
}

/* The wall clock's time at an instant of CLOCK_MONOTONIC: both read together, again if this thread lost its CPU
 * between. */
static uint64_t machine_epoch(uint64_t mono_ns)
{
    uint64_t close = UINT64_MAX, offset = 0;
    for (int i = 0; i < 8 && close > 10000; i++) {
        uint64_t before = wick_clock_mono_ns(), epoch = wick_clock_epoch_ns(), after = wick_clock_mono_ns();
        if (after - before < close) {
            close = after - before;
            offset = epoch - (before + close / 2);
        }
    }
    return mono_ns + offset;
}

static uint64_t epoch_at(const struct wick_jfr_writer *w, uint64_t mono_ns)
{
    const struct wick_jfr_config *c = &w->config;
    if (c->epoch)
        return c->epoch(c->epoch_arg, mono_ns);
    return c->start_epoch_ns ? c->start_epoch_ns + (mono_ns - c->start_mono_ns) : machine_epoch(mono_ns);
}

/* Whether the wall clock is no longer where the chunk's start says. */
static bool has_drifted(const struct wick_jfr_writer *w)
{
    int64_t drift = (int64_t)(epoch_at(w, w->now_ns) - (w->start_epoch_ns + (w->now_ns - w->start_ns)));
    return drift >= (int64_t)WICK_JFR_DRIFT_NS || drift <= -(int64_t)WICK_JFR_DRIFT_NS;
}

static int write_header(struct wick_jfr_writer *w, uint64_t size, uint64_t last_checkpoint, unsigned flags)
{
    uint64_t duration = w->now_ns - w->start_ns;
    uint8_t h[WICK_JFR_HDR_SIZE] = {0};
    memcpy(h + WICK_JFR_HDR_MAGIC, WICK_JFR_MAGIC, 4);
    wick_jfr_be_at(h + WICK_JFR_HDR_MAJOR, WICK_JFR_VERSION_MAJOR, 2);
    wick_jfr_be_at(h + WICK_JFR_HDR_MINOR, WICK_JFR_VERSION_MINOR, 2);
    wick_jfr_be_at(h + WICK_JFR_HDR_CHUNK_SIZE, size, 8);
    wick_jfr_be_at(h + WICK_JFR_HDR_CHECKPOINT, last_checkpoint, 8);
    wick_jfr_be_at(h + WICK_JFR_HDR_METADATA, WICK_JFR_HDR_SIZE, 8);
    wick_jfr_be_at(h + WICK_JFR_HDR_START_NANOS, w->start_epoch_ns, 8);
    wick_jfr_be_at(h + WICK_JFR_HDR_DURATION_NANOS, duration, 8);
    wick_jfr_be_at(h + WICK_JFR_HDR_START_TICKS, wick_jfr_ticks(w, w->start_ns), 8);
    wick_jfr_be_at(h + WICK_JFR_HDR_TICKS_PER_S, WICK_JFR_TICKS_PER_S, 8);
    wick_jfr_be_at(h + WICK_JFR_HDR_FLAGS, WICK_JFR_FLAG_COMPRESSED_INTS | flags, 2);
    struct iovec iov = {h, sizeof h};
    int error = w->sink.write(w->sink.arg, w->base, &iov, 1);
    if (!error)
        w->stats.bytes += sizeof h;
    return error;
}

static void begin_chunk(struct wick_jfr_writer *w)
{
    if (w->sink.split && w->size && !w->stats.error)
        write_header(w, w->size, w->last_checkpoint, WICK_JFR_FLAG_FINAL_CHUNK);
    wick_jfr_pools_reset(w, w->size > 0);
    w->size = w->last_checkpoint = 0;
    w->start_ns = w->now_ns;
    w->start_epoch_ns = epoch_at(w, w->start_ns);
    w->origin_ns = w->start_ns > WICK_JFR_LATENESS_NS ? w->start_ns - WICK_JFR_LATENESS_NS : 0;
    w->stats.error = 0;
    int error = w->sink.begin(w->sink.arg, w->now_ns, &w->base);
    if (error) {
        stop_output(w, error);
        return;
    }
    w->stats.chunks++;
    if (w->config.chunk_begin) {
        w->beginning = true;
        w->config.chunk_begin(w->config.chunk_arg, w, w->now_ns);
        w->beginning = false;
    }
}

/* Writes the head of an event, its size included, for a body of body_len bytes that follows it in the chunk; returns
 * the number of bytes. ints: type, start, duration and what comes after, each written as a compressed integer. */
static size_t event_head(uint8_t out[64], const uint64_t *ints, int n, size_t body_len)
{
    uint8_t head[56], *p = head;
    for (int i = 0; i < n; i++)
        p = wick_jfr_int_at(p, ints[i]);
    size_t len = (size_t)(p - head), prefix = 1;
    while (wick_jfr_int_size(len + body_len + prefix) > prefix)
        prefix++;
    p = wick_jfr_int_at(out, len + body_len + prefix);
    memcpy(p, head, len);
    return prefix + len;
}

static size_t metadata_head(const struct wick_jfr_writer *w, uint8_t out[64])
{
    uint64_t ints[] = {WICK_JFR_TYPE_METADATA, wick_jfr_ticks(w, w->start_ns), 0, w->start_epoch_ns};
    return event_head(out, ints, 4, w->metadata.len);
}

/* The checkpoint whose pools are in w->pools. at: its offset in the chunk. */
static size_t checkpoint_head(const struct wick_jfr_writer *w, uint64_t at, uint32_t pools, uint8_t out[64])
{
    uint64_t delta = w->last_checkpoint ? w->last_checkpoint - at : 0;
    uint64_t kind = 0; /* generic: neither a flush marker nor the constants of a thread */
    uint64_t ints[] = {WICK_JFR_TYPE_CHECKPOINT, wick_jfr_ticks(w, w->now_ns), 0, delta, kind, pools};
    return event_head(out, ints, 6, w->pools.len);
}

static int fail_flush(struct wick_jfr_writer *w, int error)
{
    /* Not even an empty chunk is left of one that has nothing on disk yet. */
    w->sink.truncate(w->sink.arg, w->base + w->size);
    return stop_output(w, error);
}

/* Writes what is pending. */
static int write_out(struct wick_jfr_writer *w, unsigned flags)
{
    if (w->stats.error)
        return w->stats.error;
    uint32_t pools = 0;
    int error = wick_jfr_pools_build(w, &pools);
    if (error) {
        move_pending(w, w->stats.lost_memory, w->stats.lost_memory_weight);
        return error;
    }
    uint8_t first_head[64], head[64];
    struct iovec iov[5];
    int n = 0;
    uint64_t at = w->size, checkpoint = w->last_checkpoint, bytes = 0;
    if (!w->size) {
        at = WICK_JFR_HDR_SIZE;
        size_t head_len = metadata_head(w, first_head);
        bytes = head_len + w->metadata.len;
        iov[n++] = (struct iovec){first_head, head_len};
        iov[n++] = (struct iovec){w->metadata.buf, w->metadata.len};
    }
    if (pools) {
        checkpoint = at + bytes;
        size_t head_len = checkpoint_head(w, checkpoint, pools, head);
        iov[n++] = (struct iovec){head, head_len};
        iov[n++] = (struct iovec){w->pools.buf, w->pools.len};
        bytes += head_len + w->pools.len;
    }
    uint64_t constant_bytes = pools ? at + bytes - checkpoint : 0;
    if (w->events.len)
        iov[n++] = (struct iovec){w->events.buf, w->events.len};
    bytes += w->events.len;
    if (bytes || flags) {
        if (w->sink.reserve)
            w->sink.reserve(w->sink.arg, bytes, w->now_ns);
        error = bytes ? w->sink.write(w->sink.arg, w->base + at, iov, n) : 0;
        if (!error)
            error = write_header(w, at + bytes, checkpoint, flags);
        if (error)
            return fail_flush(w, error);
    }
    w->size = at + bytes;
    w->last_checkpoint = checkpoint;
    wick_jfr_pools_commit(w);
    w->stats.bytes += bytes;
    w->stats.event_bytes += w->events.len;
    w->stats.constant_bytes += constant_bytes;
    move_pending(w, w->stats.written, NULL);
    return 0;
}

static void advance(struct wick_jfr_writer *w, uint64_t now_ns)
{
    if (now_ns > w->now_ns)
        w->now_ns = now_ns;
}

static void trim_buffers(struct wick_jfr_writer *w)
{
    if (w->pools.cap > KEEP_BUFFER_BYTES)
        wick_strbuf_release(&w->pools);
    if (w->events.cap > KEEP_BUFFER_BYTES && w->events.cap / 2 > w->config.buffer_bytes)
        wick_strbuf_release(&w->events);
}

int wick_jfr_writer_flush(struct wick_jfr_writer *w, uint64_t now_ns)
{
    advance(w, now_ns);
    int error = write_out(w, 0);
    trim_buffers(w);
    if (w->beginning || w->ending)
        return error;
    bool full = w->size >= w->config.chunk_bytes || w->now_ns - w->start_ns >= w->config.chunk_ns ||
                wick_jfr_pools_bytes(w) >= w->config.memory_limit_bytes || has_drifted(w);
    if (full && !w->stats.error && w->config.chunk_end) {
        w->ending = true;
        w->config.chunk_end(w->config.chunk_arg, w, w->now_ns);
        w->ending = false;
        error = write_out(w, 0);
    }
    if (w->stats.error ? w->now_ns >= w->retry_at_ns : full)
        begin_chunk(w);
    return error;
}

bool wick_jfr_writer_chunk_full(const struct wick_jfr_writer *w)
{
    uint64_t pending = w->events.len, events = w->stats.event_bytes;
    if (events)
        pending += (uint64_t)((double)pending * (double)w->stats.constant_bytes / (double)events);
    return pending && !w->stats.error && w->size + pending >= w->config.chunk_bytes;
}

int wick_jfr_writer_rotate(struct wick_jfr_writer *w, uint64_t now_ns)
{
    advance(w, now_ns);
    int error = write_out(w, 0);
    trim_buffers(w);
    begin_chunk(w);
    return error;
}

static void release(struct wick_jfr_writer *w)
{
    wick_jfr_pools_release(w);
    wick_strbuf_release(&w->metadata);
    wick_strbuf_release(&w->events);
    wick_strbuf_release(&w->pools);
    wick_strbuf_release(&w->scratch);
    free(w->frames);
    free(w);
}

int wick_jfr_writer_open(struct wick_jfr_writer **out, const struct wick_jfr_sink *sink,
                         const struct wick_jfr_source *source, const struct wick_jfr_config *config)
{
    struct wick_jfr_writer *w = calloc(1, sizeof *w);
    if (!w)
        return -WICK_E_NOMEM;
    w->sink = *sink;
    w->source = *source;
    w->config = *config;
    set_defaults(&w->config);
    wick_jfr_pools_begin(w);
    w->now_ns = w->config.start_mono_ns;
    wick_strbuf_init(&w->metadata);
    wick_strbuf_init(&w->events);
    wick_strbuf_init(&w->pools);
    wick_strbuf_init(&w->scratch);
    w->frames = calloc(w->config.max_frames, sizeof *w->frames);
    if (!w->frames || wick_jfr_schema_metadata(&w->metadata)) {
        release(w);
        return -WICK_E_NOMEM;
    }
    *out = w;
    begin_chunk(w);
    return 0;
}

int wick_jfr_writer_close(struct wick_jfr_writer *w, uint64_t now_ns, struct wick_jfr_stats *stats)
{
    if (!w)
        return 0;
    advance(w, now_ns);
    int error = write_out(w, WICK_JFR_FLAG_FINAL_CHUNK);
    if (stats)
        wick_jfr_writer_stats(w, stats);
    release(w);
    return error;
}

struct wick_jfr_weight wick_jfr_writer_weigh(struct wick_jfr_writer *w, struct wick_jfr_weight each)
{
    struct wick_jfr_weight before = w->weight;
    w->weight = each;
    return before;
}

void wick_jfr_writer_stats(const struct wick_jfr_writer *w, struct wick_jfr_stats *out)
{
    *out = w->stats;
    out->memory_bytes = sizeof *w + w->config.max_frames * sizeof *w->frames + w->metadata.cap + w->events.cap +
                        w->pools.cap + w->scratch.cap + wick_jfr_pools_bytes(w);
}
