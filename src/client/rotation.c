/* SPDX-License-Identifier: Apache-2.0 */
#include "client/rotation.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "client/copied.h"
#include "jfr/format/jfr_format.h"
#include "sys/whole.h"

/* Frees the space of what has been taken; sizes and offsets stay. */
static int free_space(int fd, uint64_t from, uint64_t to)
{
    return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)(to - from));
}

int wick_rotation_open(struct wick_rotation *r, const char *path, int dirfd, int from, uint64_t max_size,
                       uint64_t max_age_ns, struct wick_err *err)
{
    char base[WICK_OUTPUT_BASE_MAX + 1];
    *r = (struct wick_rotation){.files = {.fd = -1, .dirfd = -1},
                                .from = from,
                                .max_bytes = max_size ? max_size : UINT64_MAX,
                                .credit_ns = WICK_ROTATION_BURST * WICK_ROTATION_NS};
    if (free_space(from, 0, 4096))
        return wick_err_set(
            err, WICK_E_UNSUPPORTED,
            "the directory's file system cannot free parts of a file, which a recording in several files "
            "of a JVM of another user or container needs: %s",
            strerror(errno));
    wick_output_base_name(path, base, sizeof base);
    int dir = fcntl(dirfd, F_DUPFD_CLOEXEC, 3);
    if (dir < 0 || wick_output_init_dir(&r->files, dir, base, max_size, max_age_ns)) {
        if (dir >= 0)
            close(dir);
        return wick_err_set(err, WICK_E_USAGE, "'%s' cannot be the base name of a recording's files", base);
    }
    r->sink = wick_output_sink(&r->files);
    return 0;
}

void wick_rotation_release(struct wick_rotation *r)
{
    wick_output_release(&r->files);
}

/* A file costs credit, which grows with time: a recording's chunks are a second apart, or full. */
static bool pay(struct wick_rotation *r, uint64_t now_ns)
{
    uint64_t most = WICK_ROTATION_BURST * WICK_ROTATION_NS, past = r->counted_ns ? now_ns - r->counted_ns : 0;
    r->credit_ns = past < most - r->credit_ns ? r->credit_ns + past : most;
    r->counted_ns = now_ns;
    if (r->credit_ns < WICK_ROTATION_NS)
        return false;
    r->credit_ns -= WICK_ROTATION_NS;
    return true;
}

/* Copies the file from r->taken to `end` into the one that was begun. */
static int copy(struct wick_rotation *r, uint64_t end)
{
    char buf[64 << 10];
    for (uint64_t at = r->taken, to = 0; at < end;) {
        size_t want = end - at < sizeof buf ? (size_t)(end - at) : sizeof buf;
        ssize_t n = wick_whole_pread(r->from, buf, want, (off_t)at);
        if (n <= 0)
            return -WICK_E_IO;
        struct iovec iov = {buf, (size_t)n};
        int rc = r->sink.write(r->sink.arg, to, &iov, 1);
        if (rc)
            return rc;
        at += (uint64_t)n;
        to += (uint64_t)n;
    }
    return 0;
}

static int take(struct wick_rotation *r, uint64_t end, uint64_t now_ns)
{
    char magic[4];
    uint64_t base;
    if (end - r->taken > r->max_bytes)
        return -WICK_E_LIMIT;
    if (end - r->taken < WICK_JFR_HDR_SIZE ||
        wick_whole_pread(r->from, magic, sizeof magic, (off_t)r->taken) != sizeof magic ||
        memcmp(magic, WICK_JFR_MAGIC, sizeof magic) || !wick_copied_is_dense(r->from, r->taken, end))
        return -WICK_E_FORMAT;
    int rc = r->sink.begin(r->sink.arg, now_ns, &base);
    if (rc)
        return rc;
    r->sink.reserve(r->sink.arg, end - r->taken, now_ns);
    rc = copy(r, end);
    if (rc) { /* a full disk: nothing is left of it, and it is tried again with the next chunk */
        r->sink.truncate(r->sink.arg, 0);
        return rc;
    }
    (void)free_space(r->from, r->taken, end);
    r->taken = end;
    return 0;
}

int wick_rotation_take(struct wick_rotation *r, uint64_t end, uint64_t now_ns)
{
    struct stat st;
    if (fstat(r->from, &st))
        return -WICK_E_IO;
    if (end > (uint64_t)st.st_size || end < r->taken)
        return -WICK_E_FORMAT;
    if (end == r->taken)
        return 0;
    return pay(r, now_ns) ? take(r, end, now_ns) : -WICK_E_LIMIT;
}

int wick_rotation_finish(struct wick_rotation *r, uint64_t now_ns, struct wick_err *err)
{
    struct stat st;
    if (fstat(r->from, &st) || (uint64_t)st.st_size <= r->taken)
        return 0;
    int rc = take(r, (uint64_t)st.st_size, now_ns);
    if (rc == -WICK_E_LIMIT)
        return wick_err_set(
            err, WICK_E_LIMIT,
            "the last file would be larger than --max-size, which an agent of ours does not do: it was not "
            "written");
    return rc ? wick_err_set(err, (enum wick_code) - rc, "the last file is incomplete: %s", wick_err_text(rc)) : 0;
}
