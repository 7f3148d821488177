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
 * Damage. A writer that was killed leaves a chunk whose size is 0 or more than the file holds, or whose positions are
 * not filled in; a copied file may be cut anywhere. Then the events are walked once to find the metadata and checkpoint
 * events that are there. A header whose size is smaller than what follows is believed: up to there everything was
 * flushed. If no chunk begins where the last one ended, the next "FLR\0" is looked for.
 *
 * Cost. A walk touches every byte of a large file; pages behind it are returned as it goes, so that the resident size
 * stays small. The next walk, and constants decoded later, fault them in again from the page cache.
 */
#include "jfr/jfr_format.h"
#include "jfr/reader_int.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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
    madvise((void *)(uintptr_t)(r->file + r->released), end - r->released, MADV_DONTNEED);
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

/* Follows the chain of checkpoints back from the header's. Each must end before the one found last begins, so the chain
 * gets shorter with every step and no byte is indexed twice. */
static bool follow_chain(struct wick_jfr_reader *r)
{
    uint64_t at = r->checkpoint_at, before = r->len;
    for (;;) {
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
}

/* For a damaged chunk: finds the last metadata and all checkpoints by walking the events. */
static void search(struct wick_jfr_reader *r)
{
    r->metadata_at = 0;
    r->ncheckpoints = 0;
    for (struct wick_jfr_place e = WICK_JFR_FIRST; wick_jfr_next_event(r, &e);) {
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
    wick_jfr_walk_from(r, 0);
    for (struct wick_jfr_place e = WICK_JFR_FIRST; wick_jfr_next_event(r, &e);) {
        struct wick_jfr_handler *h = wick_jfr_handler_of(r, e.type);
        wick_jfr_walk_to(r, e.at);
        if (h && h->setting)
            wick_jfr_setting(r, h, &e.cur);
        else if (e.type != 0 && e.type != 1)
            wick_jfr_skip_run(r, &e);
    }
    wick_jfr_settings_done(r);
}

void wick_jfr_events_end(struct wick_jfr_reader *r, const struct wick_jfr_place *e)
{
    if (e->at >= r->len)
        return;
    wick_jfr_problem(r, e->at, "no event can begin here");
    r->res->lost_bytes += r->len - e->at;
}

static void read_events(struct wick_jfr_reader *r)
{
    struct wick_jfr_place e = WICK_JFR_FIRST;
    wick_jfr_walk_from(r, 0);
    while (wick_jfr_next_event(r, &e)) {
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
            return;
        if (h->sums && !h->wanted)
            r->res->events += wick_jfr_sum_run(r, h, &e);
    }
    wick_jfr_events_end(r, &e);
}

/* --- chunks --- */

static uint64_t big_endian(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return __builtin_bswap64(v);
}

static void set_clock(struct wick_jfr_reader *r, uint64_t ticks_per_second)
{
    if (ticks_per_second == 0) {
        wick_jfr_problem(r, 56, "chunk header: no ticks per second; taken as nanoseconds");
        ticks_per_second = 1000000000;
    }
    r->tick_mult = ((unsigned __int128)1000000000 << 64) / ticks_per_second;
}

/* Decodes the header at r->base; r->len is what the file holds from there. Sets r->len to the chunk's size. `whole`
 * tells whether the header is complete and credible. False if the chunk cannot be read at all. */
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
    uint64_t size = big_endian(h + 8);
    r->checkpoint_at = big_endian(h + 16);
    r->metadata_at = big_endian(h + 24);
    r->start_ns = (int64_t)big_endian(h + 32);
    r->duration_ns = big_endian(h + 40);
    r->start_ticks = (int64_t)big_endian(h + 48);
    *whole = size >= WICK_JFR_HEADER_BYTES && size <= r->len && r->metadata_at >= WICK_JFR_HEADER_BYTES &&
             r->metadata_at < size && r->checkpoint_at >= WICK_JFR_HEADER_BYTES && r->checkpoint_at < size;
    if (size > r->len)
        wick_jfr_problem(r, 8, "the chunk should have %" PRIu64 " bytes, the file ends after %zu", size, r->len);
    else if (!*whole)
        wick_jfr_problem(r, 8, "the chunk was not closed");
    if (size >= WICK_JFR_HEADER_BYTES && size < r->len)
        r->len = size;
    set_clock(r, big_endian(h + 56));
    return true;
}

static void clear_chunk(struct wick_jfr_reader *r)
{
    wick_jfr_handlers_release(r);
    wick_jfr_reader_pools_release(r);
    wick_jfr_meta_release(&r->meta);
    r->ncheckpoints = 0;
}

/* A damaged chunk without a chunk size may swallow the ones behind it: cut at the next header, if there is one. */
static void cut_at_next_chunk(struct wick_jfr_reader *r)
{
    static const uint8_t magic[] = {'F', 'L', 'R', 0, 0, 2};
    const uint8_t *next = memmem(r->base + 1, r->len - 1, magic, sizeof magic);
    if (next)
        r->len = (size_t)(next - r->base);
}

/* Reads the chunk at r->base; r->len: in, what the file holds from there, out, how much of it the chunk took. */
static void read_chunk(struct wick_jfr_reader *r)
{
    bool whole;
    if (!read_header(r, &whole)) {
        cut_at_next_chunk(r);
        r->res->lost_bytes += r->len;
        return;
    }
    r->res->chunks++;
    if (whole && !follow_chain(r)) {
        wick_jfr_problem(r, r->checkpoint_at, "broken chain of checkpoints");
        whole = false;
    }
    if (!whole) {
        if (big_endian(r->base + 8) < WICK_JFR_HEADER_BYTES || big_endian(r->base + 8) > r->len)
            cut_at_next_chunk(r);
        search(r);
    }
    if (!r->metadata_at || !wick_jfr_meta_read(r, r->metadata_at)) {
        wick_jfr_problem(r, 24, "chunk without metadata: its events cannot be read");
        r->res->lost_bytes += r->len;
        goto out;
    }
    r->res->unfinished = !(r->base[WICK_JFR_HDR_FLAGS + 1] & WICK_JFR_FLAG_FINAL_CHUNK) &&
                         wick_jfr_type_by_name(&r->meta, "wick.Profiler") != WICK_JFR_NONE;
    wick_profile_cover(r->p, r->start_ns, (int64_t)((uint64_t)r->start_ns + r->duration_ns));
    wick_jfr_handlers_make(r);
    wick_jfr_pools_read(r);
    if (r->needs_settings && !r->nomem)
        read_settings(r);
    wick_jfr_sums_begin(r);
    if (!r->nomem && r->cutter)
        wick_jfr_cut_chunk(r);
    else if (!r->nomem)
        read_events(r);
    if (!r->nomem)
        wick_jfr_sums_end(r);
out:
    clear_chunk(r);
}

bool wick_jfr_is_recording(const void *data, size_t size)
{
    return size >= 4 && memcmp(data, "FLR", 4) == 0;
}

static int read_chunks(struct wick_jfr_reader *r, struct wick_err *err)
{
    static const uint8_t magic[] = {'F', 'L', 'R', 0};
    if (!r->file_size)
        return wick_err_set(err, WICK_E_FORMAT, "the file is empty");
    if (!wick_jfr_is_recording(r->file, r->file_size))
        return wick_err_set(err, WICK_E_FORMAT, "not a JFR recording (it does not begin with \"FLR\")");
    for (size_t at = 0; at < r->file_size && !r->nomem && !r->p->failed; at += r->len) {
        r->base = r->file + at;
        r->base_offset = at;
        r->len = r->file_size - at;
        if (wick_jfr_is_recording(r->base, r->len)) {
            read_chunk(r);
            continue;
        }
        wick_jfr_problem(r, 0, "no chunk begins here");
        const uint8_t *next = memmem(r->base, r->len, magic, sizeof magic);
        r->len = next ? (size_t)(next - r->base) : r->len;
        r->res->lost_bytes += r->len;
    }
    if (r->nomem || r->p->failed)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory while reading the recording");
    if (r->res->chunks == 0)
        return wick_err_set(err, WICK_E_FORMAT, "no chunk of this recording can be read: at offset %" PRIu64 ": %s",
                            r->res->first_offset, r->res->first);
    return 0;
}

static int read_all(struct wick_profile *p, const void *data, size_t size, bool mapped,
                    const struct wick_jfr_visitor *v, struct wick_jfr_cutter *cutter, struct wick_jfr_result *res,
                    struct wick_err *err)
{
    struct wick_jfr_result own;
    struct wick_jfr_reader *r = calloc(1, sizeof *r);
    res = res ? res : &own;
    *res = (struct wick_jfr_result){.is_jfr = true};
    if (r) {
        r->memo_mask = WICK_JFR_MEMO_MIN - 1; /* small files make many readers, in tests and fuzzers */
        while (r->memo_mask + 1 < WICK_JFR_MEMO_MAX && r->memo_mask < size / 64)
            r->memo_mask = r->memo_mask * 2 + 1;
        r->memo = calloc(r->memo_mask + 1, sizeof *r->memo);
        r->short_frames = calloc(r->memo_mask + 1, sizeof *r->short_frames);
    }
    if (!r || !r->memo || !r->short_frames) {
        if (r) {
            free(r->memo);
            free(r->short_frames);
        }
        free(r);
        return wick_err_set(err, WICK_E_NOMEM, "out of memory while reading the recording");
    }
    r->p = p;
    r->v = v;
    r->cutter = cutter;
    r->res = res;
    r->file = data;
    r->file_size = size;
    r->mapped = mapped;
    r->whole_samples = v && (v->sample || v->filter.match || v->filter.from_ns || v->filter.to_ns);
    wick_strbuf_init(&r->tmp);
    wick_strbuf_init(&r->meta.text);
    int rc = read_chunks(r, err);
    free(r->pools);
    free(r->handlers);
    free(r->checkpoints);
    free(r->frames);
    free(r->memo);
    free(r->short_frames);
    free(r->places);
    wick_strbuf_release(&r->tmp);
    free(r);
    return rc;
}

int wick_jfr_each_chunk_of_memory(struct wick_profile *p, const void *data, size_t size,
                                  const struct wick_jfr_visitor *v, struct wick_jfr_cutter *cutter,
                                  struct wick_jfr_result *res, struct wick_err *err)
{
    return read_all(p, data, size, false, v, cutter, res, err);
}

int wick_jfr_read_memory(struct wick_profile *p, const void *data, size_t size, const struct wick_jfr_visitor *v,
                         struct wick_jfr_result *res, struct wick_err *err)
{
    return read_all(p, data, size, false, v, NULL, res, err);
}

/* --- files --- */

static int read_stream(int fd, const char *path, struct wick_strbuf *out, struct wick_err *err)
{
    for (;;) {
        if (wick_strbuf_grow(out, 1 << 20))
            return wick_err_set(err, WICK_E_NOMEM, "out of memory while reading %s", path);
        ssize_t n = read(fd, out->buf + out->len, out->cap - out->len - 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return wick_err_set(err, WICK_E_IO, "cannot read %s: %s", path, strerror(errno));
        if (n == 0)
            return 0;
        out->len += (size_t)n;
    }
}

static int open_error(const char *path, struct wick_err *err)
{
    enum wick_code code = errno == ENOENT ? WICK_E_NOTFOUND : errno == EACCES ? WICK_E_PERM : WICK_E_IO;
    return wick_err_set(err, code, "cannot open %s: %s", path, strerror(errno));
}

int wick_jfr_read_file(struct wick_profile *p, const char *path, const struct wick_jfr_visitor *v,
                       struct wick_jfr_result *res, struct wick_err *err)
{
    return wick_jfr_each_chunk_of_file(p, path, v, NULL, res, err);
}

int wick_jfr_each_chunk_of_file(struct wick_profile *p, const char *path, const struct wick_jfr_visitor *v,
                                struct wick_jfr_cutter *cutter, struct wick_jfr_result *res, struct wick_err *err)
{
    if (res)
        *res = (struct wick_jfr_result){0};
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC), rc;
    struct stat st;
    if (fd < 0)
        return open_error(path, err);
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 && !is_stdin) {
        size_t size = (size_t)st.st_size;
        void *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (map == MAP_FAILED) {
            rc = wick_err_set(err, WICK_E_IO, "cannot map %s: %s", path, strerror(errno));
        } else {
            rc = read_all(p, map, size, true, v, cutter, res, err);
            munmap(map, size);
        }
    } else {
        struct wick_strbuf all = WICK_STRBUF_INIT;
        rc = read_stream(fd, path, &all, err);
        if (rc == 0)
            rc = read_all(p, all.buf, all.len, false, v, cutter, res, err);
        wick_strbuf_release(&all);
    }
    if (!is_stdin)
        close(fd);
    if (rc == -WICK_E_FORMAT)
        wick_err_prefix(err, "%s", is_stdin ? "standard input" : path);
    return rc;
}

int wick_jfr_span(const char *path, int64_t *start_ns, int64_t *end_ns, struct wick_err *err)
{
    uint8_t h[WICK_JFR_HEADER_BYTES];
    uint64_t at = 0, size = 1;
    int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    if (fd < 0)
        return open_error(path, err);
    while (size && pread(fd, h, sizeof h, (off_t)at) == (ssize_t)sizeof h && wick_jfr_is_recording(h, sizeof h)) {
        int64_t start = (int64_t)big_endian(h + 32), end;
        if (__builtin_add_overflow(start, (int64_t)big_endian(h + 40), &end) || end < start)
            end = start;
        *start_ns = !*end_ns || start < *start_ns ? start : *start_ns;
        *end_ns = end > *end_ns ? end : *end_ns;
        size = big_endian(h + 8);
        if (size > INT64_MAX - at)
            break;
        at += size;
    }
    if (fd != STDIN_FILENO)
        close(fd);
    return *end_ns ? 0
                   : wick_err_set(
                         err, WICK_E_FORMAT,
                         "%s: there is no telling beforehand what time it covers; give times like 2026-11-21T10:30:00",
                         strcmp(path, "-") ? path : "standard input");
}
