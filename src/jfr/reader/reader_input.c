/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader_input.c - where a recording's bytes come from
 *
 * One step reads the chunk at the front of what there is of the input, or steps over bytes in which none begins:
 *
 *     all there is      a mapped file, memory     every chunk is read, damaged ones as far as they make sense
 *     fed               a pipe, a socket          bytes are kept until a chunk is complete; then it is read and dropped
 *     followed          a file that grows         the header of the last chunk is read again at each call; what it says
 *                                                 is complete is mapped, and what is new of it is read
 *
 * The end of what is fed or followed is a step with all there is. So the three give the same result for the same bytes.
 *
 * A writer of a growing file first adds to it and then rewrites the chunk's header (writer.c; the JDK does the same),
 * so nothing behind what the header describes is touched. A header that is read while it is written could be half of
 * each; it is taken when two reads agree.
 */
#include "base/clock.h"
#include "jfr/reader/reader_int.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAP_UNIT ((uint64_t)0xffff) /* chunks are mapped from a multiple of the largest pages there are */

enum { MAGIC = 4, TRIES = 8, PIECE = 1 << 20 };

static const uint8_t magic[MAGIC] = {'F', 'L', 'R', 0};

bool wick_jfr_is_recording(const void *data, size_t size)
{
    return size >= MAGIC && memcmp(data, magic, 3) == 0;
}

static int no_memory(struct wick_err *err)
{
    return wick_err_set(err, WICK_E_NOMEM, "out of memory while reading the recording");
}

/* --- readers --- */

static void release(struct wick_jfr_reader *r)
{
    wick_jfr_handlers_release(r);
    wick_jfr_reader_pools_release(r);
    wick_jfr_meta_release(&r->meta);
    free(r->pools);
    free(r->handlers);
    free(r->checkpoints);
    free(r->frames);
    free(r->memo);
    free(r->short_frames);
    free(r->places);
    wick_jfr_moment_release(r);
    wick_strbuf_release(&r->tmp);
    wick_strbuf_release(&r->held);
    free(r);
}

/* Memos for an input of that size; larger ones start empty. */
static bool fit_memos(struct wick_jfr_reader *r, uint64_t size)
{
    size_t mask = WICK_JFR_MEMO_MIN - 1; /* small files make many readers, in tests and fuzzers */
    while (mask + 1 < WICK_JFR_MEMO_MAX && mask < size / 64)
        mask = mask * 2 + 1;
    if (r->memo && mask <= r->memo_mask)
        return true;
    free(r->memo);
    free(r->short_frames);
    r->memo = calloc(mask + 1, sizeof *r->memo);
    r->short_frames = calloc(mask + 1, sizeof *r->short_frames);
    r->memo_mask = mask;
    return r->memo && r->short_frames;
}

/* size: of the input, if that is known. */
static struct wick_jfr_reader *make(struct wick_profile *p, const struct wick_jfr_visitor *v,
                                    struct wick_jfr_result *res, uint64_t size)
{
    struct wick_jfr_reader *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    wick_strbuf_init(&r->tmp);
    wick_strbuf_init(&r->held);
    wick_strbuf_init(&r->meta.text);
    if (!fit_memos(r, size)) {
        release(r);
        return NULL;
    }
    r->p = p;
    r->v = v;
    r->res = res ? res : &r->own_result;
    *r->res = (struct wick_jfr_result){.is_jfr = true};
    r->fd = -1;
    r->whole_samples = v && (v->sample || v->filter.match || v->filter.from_ns || v->filter.to_ns);
    return r;
}

struct wick_jfr_reader *wick_jfr_reader_new(struct wick_profile *p, const struct wick_jfr_visitor *v,
                                            struct wick_jfr_result *res)
{
    return make(p, v, res, 0);
}

void wick_jfr_reader_free(struct wick_jfr_reader *r)
{
    if (r)
        release(r);
}

uint64_t wick_jfr_reader_bytes(const struct wick_jfr_reader *r)
{
    uint64_t bytes = sizeof *r + (r->memo_mask + 1) * (sizeof *r->memo + sizeof *r->short_frames) + r->held.cap +
                     (uint64_t)r->cap_pools * sizeof *r->pools + (uint64_t)r->cap_handlers * sizeof *r->handlers +
                     (uint64_t)r->cap_checkpoints * sizeof *r->checkpoints;
    for (uint32_t i = 0; i < r->npools; i++) {
        const struct wick_jfr_pool *p = &r->pools[i];
        uint64_t slots = p->table ? p->mask + 1 : 0;
        bytes += ((p->entries ? p->cap : 0) + slots) * sizeof *p->entries + p->ndirect * sizeof *p->direct +
                 (p->places ? (p->table ? slots : p->ndirect) * sizeof *p->places : 0);
    }
    for (size_t i = 0; i < sizeof r->moments / sizeof *r->moments; i++)
        bytes += (uint64_t)r->moments[i].cap * sizeof *r->moments[i].samples;
    return bytes;
}

/* --- steps --- */

/* The bytes at the front of the input, `at` of which are behind it. */
static void look_at(struct wick_jfr_reader *r, const void *data, size_t size)
{
    r->base = data;
    r->base_offset = r->at;
    r->len = r->left = size;
}

/* Steps over bytes in which no chunk begins; unless they are `all` there will be, some may be the start of one. */
static size_t step_over(struct wick_jfr_reader *r, bool all)
{
    const uint8_t *next = memmem(r->base, r->len, magic, sizeof magic);
    size_t n = next ? (size_t)(next - r->base) : all ? r->len : r->len < MAGIC ? 0 : r->len - (MAGIC - 1);
    if (!r->astray)
        wick_jfr_problem(r, 0, "no chunk begins here");
    r->astray = !next;
    r->res->lost_bytes += n;
    return n;
}

static bool is_at_chunk(struct wick_jfr_reader *r)
{
    bool is = wick_jfr_is_recording(r->base, r->len) && !(r->astray && (r->len < MAGIC || r->base[3]));
    if (is)
        r->astray = false;
    return is;
}

/* Reads the chunk at the front; nothing will be added. Returns how many bytes that took. */
static size_t step_to_end(struct wick_jfr_reader *r)
{
    if (!is_at_chunk(r))
        return step_over(r, true);
    wick_jfr_read_chunk(r);
    return r->len;
}

/* The same, once the chunk is complete: 0 = it is not. */
static size_t step_if_complete(struct wick_jfr_reader *r)
{
    if (r->len < MAGIC)
        return 0;
    if (!is_at_chunk(r))
        return step_over(r, false);
    if (!wick_jfr_is_sized(r->base, r->len))
        return 0;
    uint64_t size = wick_jfr_extent_of(r->base).size;
    if (r->instead && size == r->left)
        return 0; /* whether it is the last one matters */
    r->nomem |= !fit_memos(r, r->at + size);
    if (!r->nomem) {
        r->len = size;
        wick_jfr_read_chunk(r);
    }
    return r->len;
}

static int outcome(struct wick_jfr_reader *r, struct wick_err *err)
{
    wick_jfr_moment_end(r);
    if (r->nomem || r->p->failed)
        return no_memory(err);
    if (r->res->chunks == 0)
        return wick_err_set(err, WICK_E_FORMAT, "no chunk of this recording can be read: at offset %" PRIu64 ": %s",
                            r->res->first_offset, r->res->first);
    return 0;
}

static int check_start(const void *data, size_t size, struct wick_err *err)
{
    if (!size)
        return wick_err_set(err, WICK_E_FORMAT, "the file is empty");
    if (!wick_jfr_is_recording(data, size))
        return wick_err_set(err, WICK_E_FORMAT, "not a JFR recording (it does not begin with \"FLR\")");
    return 0;
}

/* Reads what is left of the input, all of it. */
static int read_rest(struct wick_jfr_reader *r, const uint8_t *data, size_t size, struct wick_err *err)
{
    int rc = r->at ? 0 : check_start(data, size, err);
    if (rc)
        return rc;
    for (size_t at = 0, n; at < size && !r->nomem && !r->p->failed; at += n, r->at += n) {
        look_at(r, data + at, size - at);
        n = step_to_end(r);
    }
    return outcome(r, err);
}

static int read_all(struct wick_profile *p, const void *data, size_t size, bool mapped,
                    const struct wick_jfr_visitor *v, struct wick_jfr_instead *instead, struct wick_jfr_result *res,
                    struct wick_err *err)
{
    struct wick_jfr_reader *r = make(p, v, res, size);
    if (!r) {
        if (res)
            *res = (struct wick_jfr_result){.is_jfr = true};
        return no_memory(err);
    }
    r->instead = instead;
    r->mapped = mapped;
    int rc = read_rest(r, data, size, err);
    release(r);
    return rc;
}

/* --- fed --- */

int wick_jfr_reader_feed(struct wick_jfr_reader *r, const void *data, size_t size, struct wick_err *err)
{
    wick_strbuf_add(&r->held, data, size);
    r->nomem |= r->held.failed;
    if (!r->at && r->held.len >= MAGIC && check_start(r->held.buf, r->held.len, err))
        return -WICK_E_FORMAT;
    size_t at = 0, n = 1;
    for (; n && !r->nomem && !r->p->failed; at += n, r->at += n) {
        look_at(r, r->held.buf + at, r->held.len - at);
        n = step_if_complete(r);
    }
    if (at) {
        memmove(r->held.buf, r->held.buf + at, r->held.len - at);
        wick_strbuf_cut(&r->held, r->held.len - at);
    }
    return r->nomem || r->p->failed ? no_memory(err) : 0;
}

/* --- followed --- */

/* Maps `size` bytes of the input from r->at on; r->base is in the map. */
static int map_front(struct wick_jfr_reader *r, size_t size, void **map, size_t *mapped, struct wick_err *err)
{
    uint64_t from = r->at & ~MAP_UNIT;
    *mapped = (size_t)(r->at - from) + size;
    *map = mmap(NULL, *mapped, PROT_READ, MAP_PRIVATE, r->fd, (off_t)from);
    if (*map == MAP_FAILED)
        return wick_err_set(err, WICK_E_IO, "cannot map the recording: %s", strerror(errno));
    look_at(r, (const uint8_t *)*map + (r->at - from), size);
    r->mapped = true;
    return 0;
}

/* Reads the header at the front as it is in no moment of being written. */
static bool read_steadily(const struct wick_jfr_reader *r, uint8_t header[WICK_JFR_HEADER_BYTES])
{
    uint8_t again[WICK_JFR_HEADER_BYTES];
    const ssize_t all = WICK_JFR_HEADER_BYTES;
    for (int i = 0; i < TRIES; i++) {
        if (pread(r->fd, header, WICK_JFR_HEADER_BYTES, (off_t)r->at) != all ||
            pread(r->fd, again, WICK_JFR_HEADER_BYTES, (off_t)r->at) != all)
            return false;
        if (!memcmp(header, again, sizeof again))
            return true;
    }
    return false;
}

static bool chunk_begins(const struct wick_jfr_reader *r, uint64_t at)
{
    uint8_t head[MAGIC];
    return pread(r->fd, head, sizeof head, (off_t)at) == MAGIC && wick_jfr_is_recording(head, sizeof head);
}

/* What is new of the chunk at the front. *next: the chunk is complete, and another one begins behind it. */
static int follow_chunk(struct wick_jfr_reader *r, uint64_t left, bool *next, struct wick_err *err)
{
    uint8_t header[WICK_JFR_HEADER_BYTES];
    size_t mapped;
    int rc;
    *next = false;
    if (left < sizeof header || !read_steadily(r, header))
        return 0;
    if (!r->at && check_start(header, sizeof header, err))
        return -WICK_E_FORMAT;
    uint64_t size = wick_jfr_extent_of(header).size;
    if (!wick_jfr_is_recording(header, sizeof header) || size < sizeof header || size > left)
        return 0;
    if (!r->at && !r->began_ns)
        r->began_ns = wick_jfr_extent_of(header).start_ns;
    *next = chunk_begins(r, r->at + size);
    if (!*next && r->open && size <= r->done)
        return 0;
    void *map;
    r->nomem |= !fit_memos(r, r->at + size);
    rc = r->nomem ? no_memory(err) : map_front(r, size, &map, &mapped, err);
    if (rc)
        return rc;
    if (*next)
        wick_jfr_read_chunk(r);
    else
        wick_jfr_read_so_far(r);
    munmap(map, mapped);
    *next &= !r->paused;
    r->at += *next ? size : 0;
    return r->nomem || r->p->failed ? no_memory(err) : 0;
}

static int size_of(const struct wick_jfr_reader *r, uint64_t *size, struct wick_err *err)
{
    struct stat st;
    if (fstat(r->fd, &st))
        return wick_err_set(err, WICK_E_IO, "cannot read the recording: %s", strerror(errno));
    if (!S_ISREG(st.st_mode))
        return wick_err_set(err, WICK_E_USAGE, "only a regular file can be followed");
    *size = (uint64_t)st.st_size;
    if (*size < r->at + (r->open ? r->done : 0))
        return wick_err_set(err, WICK_E_FORMAT, "the recording is shorter than it was: it is another file now");
    return 0;
}

int wick_jfr_reader_follow(struct wick_jfr_reader *r, int fd, struct wick_err *err)
{
    bool more;
    return wick_jfr_reader_follow_until(r, fd, 0, &more, err);
}

int wick_jfr_reader_follow_until(struct wick_jfr_reader *r, int fd, uint64_t until_ns, bool *more, struct wick_err *err)
{
    uint64_t size;
    bool next = true, late = false;
    r->fd = fd;
    r->pause_ns = until_ns;
    r->paused = false;
    int rc = size_of(r, &size, err);
    while (!rc && next && !late) {
        rc = follow_chunk(r, size - r->at, &next, err);
        late = until_ns && wick_clock_mono_ns() >= until_ns;
    }
    *more = !rc && (next || r->paused);
    r->pause_ns = 0;
    return rc;
}

uint64_t wick_jfr_reader_position(const struct wick_jfr_reader *r)
{
    return r->at + (r->open ? r->done : 0);
}

bool wick_jfr_reader_is_same(const struct wick_jfr_reader *r)
{
    uint8_t
        header[WICK_JFR_HEADER_BYTES]; /* a writer leaves the time in it as it is: it is in no moment half of each */
    if (r->fd < 0 || !r->began_ns)
        return true;
    return pread(r->fd, header, sizeof header, 0) == (ssize_t)sizeof header &&
           wick_jfr_is_recording(header, sizeof header) && wick_jfr_extent_of(header).start_ns == r->began_ns;
}

/* --- the end --- */

static int end_of_file(struct wick_jfr_reader *r, struct wick_err *err)
{
    uint64_t size;
    size_t mapped;
    void *map;
    int rc = size_of(r, &size, err);
    if (rc)
        return rc;
    if (size == r->at)
        return r->at ? outcome(r, err) : check_start(NULL, 0, err);
    rc = map_front(r, (size_t)(size - r->at), &map, &mapped, err);
    if (rc)
        return rc;
    rc = read_rest(r, r->base, r->len, err);
    munmap(map, mapped);
    return rc;
}

int wick_jfr_reader_end(struct wick_jfr_reader *r, struct wick_err *err)
{
    if (r->fd >= 0)
        return end_of_file(r, err);
    if (!r->held.len && r->at)
        return outcome(r, err);
    return read_rest(r, (const uint8_t *)r->held.buf, r->held.len, err);
}

/* --- memory and files --- */

int wick_jfr_each_chunk_of_memory(struct wick_profile *p, const void *data, size_t size,
                                  const struct wick_jfr_visitor *v, struct wick_jfr_instead *instead,
                                  struct wick_jfr_result *res, struct wick_err *err)
{
    return read_all(p, data, size, false, v, instead, res, err);
}

int wick_jfr_read_memory(struct wick_profile *p, const void *data, size_t size, const struct wick_jfr_visitor *v,
                         struct wick_jfr_result *res, struct wick_err *err)
{
    return read_all(p, data, size, false, v, NULL, res, err);
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

/* A pipe, a device or standard input, chunk by chunk. */
static int read_stream(int fd, const char *path, struct wick_profile *p, const struct wick_jfr_visitor *v,
                       struct wick_jfr_instead *instead, struct wick_jfr_result *res, struct wick_err *err)
{
    struct wick_jfr_reader *r = wick_jfr_reader_new(p, v, res);
    char *piece = malloc(PIECE);
    int rc = r && piece ? 0 : no_memory(err);
    if (r)
        r->instead = instead;
    while (!rc) {
        ssize_t n = read(fd, piece, PIECE);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            rc = wick_err_set(err, WICK_E_IO, "cannot read %s: %s", path, strerror(errno));
        if (n <= 0)
            break;
        rc = wick_jfr_reader_feed(r, piece, (size_t)n, err);
    }
    if (!rc)
        rc = wick_jfr_reader_end(r, err);
    wick_jfr_reader_free(r);
    free(piece);
    return rc;
}

int wick_jfr_each_chunk_of_file(struct wick_profile *p, const char *path, const struct wick_jfr_visitor *v,
                                struct wick_jfr_instead *instead, struct wick_jfr_result *res, struct wick_err *err)
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
            rc = read_all(p, map, size, true, v, instead, res, err);
            munmap(map, size);
        }
    } else {
        rc = read_stream(fd, path, p, v, instead, res, err);
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
        struct wick_jfr_extent x = wick_jfr_extent_of(h);
        int64_t end;
        if (__builtin_add_overflow(x.start_ns, (int64_t)x.duration_ns, &end) || end < x.start_ns)
            end = x.start_ns;
        *start_ns = !*end_ns || x.start_ns < *start_ns ? x.start_ns : *start_ns;
        *end_ns = end > *end_ns ? end : *end_ns;
        size = x.size;
        if (size > INT64_MAX - at)
            break;
        at += size;
    }
    if (fd != STDIN_FILENO)
        close(fd);
    return *end_ns ? 0
                   : wick_err_set(err, WICK_E_FORMAT,
                                  "%s: the time it covers is not known beforehand; give times like 2026-11-21T10:30:00",
                                  strcmp(path, "-") ? path : "standard input");
}
