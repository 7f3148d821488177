/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits of a recording on disk
 *
 * A directory's files form a queue: the newest is written, the oldest is removed. Removal happens when a chunk begins
 * (age and size) and before bytes are added (size), so the files' sizes never sum up to more than the limit, as long as
 * one chunk fits in it. What is not ours is not touched: only files that this process made are removed, and a file
 * that has the name of a new one makes the number go up. Only where numbers come round (%n{MAX}) is a recording of
 * that name, which an earlier process left, replaced.
 *
 * Every failure is passed up once and nothing is retried: the writer decides what becomes of the recording.
 */
#include "record/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "jfr/format/jfr_format.h"
#include "opt/option.h"
#include "sys/whole.h"

#define MAX_NAME_TRIES 1000
#define MAX_IOV        8
#define MIN_CHUNK      ((uint64_t)256 << 10)

static int code_of_errno(int e)
{
    switch (e) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return -WICK_E_NOSPACE;
    case EACCES:
    case EPERM:
    case EROFS:
        return -WICK_E_PERM;
    case ENOENT:
        return -WICK_E_NOTFOUND;
    default:
        return -WICK_E_IO;
    }
}

static bool segment_name(const struct wick_output *o, uint64_t number, int64_t made, char out[WICK_OUTPUT_NAME_MAX])
{
    char base[WICK_OUTPUT_BASE_MAX + 1], tail[32] = "";
    if (wick_opt_expand(o->base, getpid(), made, (unsigned long)number, base, sizeof base))
        return false;
    if (!wick_opt_is_sequence(o->base))
        snprintf(tail, sizeof tail, "-%06llu", (unsigned long long)number);
    int n = snprintf(out, WICK_OUTPUT_NAME_MAX, "%s%s.jfr", base, tail);
    return n > 0 && n < WICK_OUTPUT_NAME_MAX && *out != '.' && !strchr(out, '/');
}

bool wick_output_segment_name(const struct wick_output *o, size_t i, char out[WICK_OUTPUT_NAME_MAX])
{
    return i < o->count && segment_name(o, o->segments[i].number, o->segments[i].made, out);
}

static void remove_oldest(struct wick_output *o)
{
    char name[WICK_OUTPUT_NAME_MAX];
    if (wick_output_segment_name(o, 0, name))
        unlinkat(o->dirfd, name, 0);
    memmove(o->segments, o->segments + 1, --o->count * sizeof *o->segments);
    o->removed++;
}

/* Removes files until `more` bytes fit. The last `keep` files stay, whatever the limits say. */
static void enforce(struct wick_output *o, uint64_t more, uint64_t now_ns, size_t keep)
{
    uint64_t sum = more;
    for (size_t i = 0; i < o->count; i++)
        sum += o->segments[i].bytes;
    while (o->count > keep) {
        const struct wick_output_segment *s = &o->segments[0];
        bool old = o->max_age_ns && now_ns > s->end_ns && now_ns - s->end_ns > o->max_age_ns;
        if (!old && !(o->max_bytes && sum > o->max_bytes))
            return;
        sum -= s->bytes;
        remove_oldest(o);
    }
}

/* A file with the name of one whose number has come round: a recording, or one that never got a byte. */
static bool may_replace(const struct wick_output *o, const char *name)
{
    struct stat st;
    char head[4];
    int fd = openat(o->dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool good = !fstat(fd, &st) && S_ISREG(st.st_mode) &&
                (!st.st_size || (wick_whole_pread(fd, head, sizeof head, 0) == sizeof head && !memcmp(head, "FLR", 4)));
    close(fd);
    return good;
}

/* Makes the next file. The list has room for it. */
static int create_segment(struct wick_output *o, uint64_t now_ns)
{
    char name[WICK_OUTPUT_NAME_MAX];
    int64_t made = (int64_t)time(NULL);
    for (int tries = 0; tries < MAX_NAME_TRIES; tries++) {
        uint64_t number = o->next_number++;
        if (!segment_name(o, number, made, name))
            return -WICK_E_LIMIT;
        while (o->wrap && o->count && number - o->segments[0].number >= o->wrap)
            remove_oldest(o);
        if (o->wrap && may_replace(o, name))
            unlinkat(o->dirfd, name, 0);
        o->fd = openat(o->dirfd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (o->fd >= 0) {
            o->segments[o->count++] = (struct wick_output_segment){number, 0, now_ns, made};
            return 0;
        }
        if (errno != EEXIST)
            return code_of_errno(errno);
    }
    return -WICK_E_LIMIT;
}

static int begin_segment(struct wick_output *o, uint64_t now_ns, uint64_t *base)
{
    if (o->fd >= 0)
        close(o->fd);
    o->fd = -1;
    /* A chunk that never got a byte leaves no file behind. */
    if (o->count && !o->segments[o->count - 1].bytes) {
        char name[WICK_OUTPUT_NAME_MAX];
        if (wick_output_segment_name(o, o->count - 1, name))
            unlinkat(o->dirfd, name, 0);
        o->count--;
    }
    enforce(o, 0, now_ns, 0);
    if (o->count == o->cap) {
        size_t cap = o->cap ? o->cap * 2 : 16;
        struct wick_output_segment *p = realloc(o->segments, cap * sizeof *p);
        if (!p)
            return -WICK_E_NOMEM;
        o->segments = p;
        o->cap = cap;
    }
    int error = create_segment(o, now_ns);
    if (!error)
        *base = 0;
    return error;
}

static int sink_begin(void *arg, uint64_t now_ns, uint64_t *base)
{
    struct wick_output *o = arg;
    if (o->dirfd >= 0)
        return begin_segment(o, now_ns, base);
    struct stat st;
    if (fstat(o->fd, &st))
        return code_of_errno(errno);
    uint64_t end = (uint64_t)st.st_size;
    if (o->take && end > o->taken && !o->take(o->take_arg, end))
        o->taken = end;
    if (o->take && o->max_bytes && end - o->taken >= o->max_bytes)
        return -WICK_E_NOSPACE;
    *base = end;
    return 0;
}

/* Drops the first n bytes of the list. */
static void consume(struct iovec **iov, int *count, size_t n)
{
    while (*count && n >= (*iov)->iov_len) {
        n -= (*iov)->iov_len;
        ++*iov;
        --*count;
    }
    if (*count) {
        (*iov)->iov_base = (char *)(*iov)->iov_base + n;
        (*iov)->iov_len -= n;
    }
}

static int sink_write(void *arg, uint64_t offset, const struct iovec *iov, int iovcnt)
{
    struct wick_output *o = arg;
    struct iovec left[MAX_IOV], *p = left;
    if (iovcnt > MAX_IOV || o->fd < 0)
        return -WICK_E_USAGE;
    memcpy(left, iov, (size_t)iovcnt * sizeof *iov);
    consume(&p, &iovcnt, 0);
    while (iovcnt) {
        if (offset > INT64_MAX)
            return -WICK_E_NOSPACE;
        ssize_t n = pwritev(o->fd, p, iovcnt, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n ? code_of_errno(errno) : -WICK_E_IO;
        offset += (uint64_t)n;
        consume(&p, &iovcnt, (size_t)n);
    }
    if (o->count && offset > o->segments[o->count - 1].bytes)
        o->segments[o->count - 1].bytes = offset;
    return 0;
}

static int sink_truncate(void *arg, uint64_t end)
{
    struct wick_output *o = arg;
    if (o->fd < 0 || end > INT64_MAX)
        return -WICK_E_USAGE;
    while (ftruncate(o->fd, (off_t)end)) {
        if (errno != EINTR)
            return code_of_errno(errno);
    }
    if (o->count)
        o->segments[o->count - 1].bytes = end;
    return 0;
}

static void sink_reserve(void *arg, uint64_t bytes, uint64_t now_ns)
{
    struct wick_output *o = arg;
    if (o->dirfd < 0 || !o->count)
        return;
    o->segments[o->count - 1].end_ns = now_ns;
    enforce(o, bytes + WICK_JFR_HDR_SIZE, now_ns, 1);
}

struct wick_jfr_sink wick_output_sink(struct wick_output *o)
{
    return (struct wick_jfr_sink){o, sink_begin, sink_write, sink_truncate, sink_reserve, o->dirfd >= 0 || o->take};
}

int wick_output_init_fd(struct wick_output *o, int fd)
{
    struct stat st;
    return fstat(fd, &st) || st.st_size ? -WICK_E_USAGE : wick_output_init_more(o, fd);
}

int wick_output_init_more(struct wick_output *o, int fd)
{
    struct stat st;
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || (flags & O_APPEND) || (flags & O_ACCMODE) == O_RDONLY)
        return -WICK_E_USAGE;
    *o = (struct wick_output){.fd = fd, .dirfd = -1};
    return 0;
}

int wick_output_init_taken(struct wick_output *o, int fd, int (*take)(void *arg, uint64_t end), void *arg,
                           uint64_t max_bytes, uint64_t max_age_ns)
{
    int rc = wick_output_init_fd(o, fd);
    if (rc)
        return rc;
    o->take = take;
    o->take_arg = arg;
    o->max_bytes = max_bytes;
    o->max_age_ns = max_age_ns;
    return 0;
}

void wick_output_base_name(const char *file, char *out, size_t cap)
{
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    const char *dot = strrchr(name, '.');
    snprintf(out, cap, "%.*s", dot && dot > name ? (int)(dot - name) : (int)strlen(name), *name ? name : "wick");
}

int wick_output_init_dir(struct wick_output *o, int dirfd, const char *base, uint64_t max_bytes, uint64_t max_age_ns)
{
    struct stat st;
    char name[WICK_OUTPUT_NAME_MAX];
    size_t n = strlen(base);
    if (!n || n > WICK_OUTPUT_BASE_MAX || strchr(base, '/') || *base == '.' || fstat(dirfd, &st) ||
        !S_ISDIR(st.st_mode))
        return -WICK_E_USAGE;
    struct wick_output made = {.fd = -1,
                               .dirfd = dirfd,
                               .max_bytes = max_bytes,
                               .max_age_ns = max_age_ns,
                               .next_number = !wick_opt_is_sequence(base),
                               .wrap = wick_opt_sequence_max(base)};
    memcpy(made.base, base, n + 1);
    if (!segment_name(&made, made.next_number, (int64_t)time(NULL), name))
        return -WICK_E_USAGE;
    *o = made;
    return 0;
}

void wick_output_release(struct wick_output *o)
{
    if (o->fd >= 0)
        close(o->fd);
    if (o->dirfd >= 0)
        close(o->dirfd);
    free(o->segments);
    *o = (struct wick_output){.fd = -1, .dirfd = -1};
}

void wick_output_limit_chunks(const struct wick_output *o, struct wick_jfr_config *config)
{
    uint64_t bytes = o->max_bytes / 4;
    if (o->max_bytes && (!config->chunk_bytes || config->chunk_bytes > bytes))
        config->chunk_bytes = bytes < MIN_CHUNK ? MIN_CHUNK : bytes;
    uint64_t ns = o->max_age_ns / 4;
    if (o->max_age_ns && (!config->chunk_ns || config->chunk_ns > ns))
        config->chunk_ns = ns ? ns : 1;
}
