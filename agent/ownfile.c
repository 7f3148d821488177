/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/ownfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "jfr/format/jfr_format.h"
#include "sys/whole.h"

int wick_ownfile_copy_bytes(int from, int to, uint64_t bytes, struct wick_err *err)
{
    char buf[64 << 10];
    for (uint64_t at = 0; at < bytes;) {
        size_t want = bytes - at < sizeof buf ? (size_t)(bytes - at) : sizeof buf;
        ssize_t n = wick_whole_pread(from, buf, want, (off_t)at);
        if (n <= 0)
            return wick_err_set(err, WICK_E_IO, "cannot read the recording back: %s",
                                n ? strerror(errno) : "it is shorter than it was");
        int error = wick_whole_write(to, buf, (size_t)n);
        if (error)
            return wick_err_set(err, error == ENOSPC ? WICK_E_NOSPACE : WICK_E_IO, "cannot write the dump: %s",
                                strerror(error));
        at += (uint64_t)n;
    }
    return 0;
}

void wick_ownfile_mark_complete(int fd)
{
    uint8_t head[WICK_JFR_HDR_SIZE];
    uint64_t at = 0, size = 0, last = 0;
    struct stat st;
    if (fstat(fd, &st))
        return;
    for (uint64_t end = (uint64_t)st.st_size; at < end; at += size) {
        if (wick_whole_pread(fd, head, sizeof head, (off_t)at) != sizeof head || memcmp(head, WICK_JFR_MAGIC, 4))
            return;
        size = 0;
        for (int i = 0; i < 8; i++)
            size = size << 8 | head[WICK_JFR_HDR_CHUNK_SIZE + i];
        if (size < sizeof head || size > end - at)
            return;
        last = at;
    }
    uint8_t flags = head[WICK_JFR_HDR_FLAGS + 1] | WICK_JFR_FLAG_FINAL_CHUNK;
    struct iovec iov = {&flags, 1};
    while (size && pwritev(fd, &iov, 1, (off_t)(last + WICK_JFR_HDR_FLAGS + 1)) < 0 && errno == EINTR) {
    }
}

int wick_ownfile_copy_all(int from, int to, struct wick_err *err)
{
    struct stat st;
    if (fstat(from, &st))
        return wick_err_set(err, WICK_E_IO, "cannot read the recording back: %s", strerror(errno));
    return wick_ownfile_copy_bytes(from, to, (uint64_t)st.st_size, err);
}

static int expand(const char *pattern, unsigned long number, char out[WICK_OPT_PATH_MAX], struct wick_err *err)
{
    char name[WICK_OPT_PATH_MAX];
    if (wick_opt_expand(pattern, getpid(), (int64_t)time(NULL), number, name, sizeof name))
        return wick_err_set(err, WICK_E_USAGE, "the file name is too long once expanded");
    memcpy(out, name, sizeof name);
    return 0;
}

/* Whether a recording is written in the layout for readers that count: a picture has no use for it. */
static bool is_compat(const char *file, bool wanted)
{
    return wanted && *file && !wick_stop_convert_is_wanted(file);
}

/* Whether the recording is written as several files, by the session. */
static bool is_split(const struct wick_session_opts *o)
{
    return !wick_stop_convert_is_wanted(o->file) && !o->compat && !o->loop[0] &&
           (o->max_size_bytes || o->max_age_ns || wick_opt_is_sequence(o->file));
}

/* A file that has no name and never gets one: O_EXCL refuses links to it. */
static int open_nameless(struct wick_err *err)
{
    int fd = open("/tmp", O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0)
        fd = memfd_create("wick", MFD_CLOEXEC);
    return fd >= 0 ? fd : wick_err_set(err, WICK_E_IO, "cannot create a file in /tmp: %s", strerror(errno));
}

/* A new file gets mode 0600; links are not followed. The content stays until the caller knows whether
 * the recording goes on in it. */
static int open_named(const char *file, struct wick_err *err)
{
    int fd = open(file, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    struct stat st;
    if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode))
        return fd;
    if (fd >= 0) {
        close(fd);
        return wick_err_set(err, WICK_E_USAGE, "the output must be a regular file, which %s is not", file);
    }
    return wick_err_set(err,
                        errno == ENOSPC                     ? WICK_E_NOSPACE
                        : errno == EACCES || errno == EPERM ? WICK_E_PERM
                                                            : WICK_E_IO,
                        "cannot create %s: %s%s", file, strerror(errno),
                        errno == ELOOP ? " (it is a symbolic link, which is not followed)" : "");
}

static bool is_recording(const struct wick_ownfile *f, int fd)
{
    struct stat st;
    return f->open && !fstat(fd, &st) && st.st_dev == f->dev && st.st_ino == f->ino;
}

bool wick_ownfile_is_short(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOMEM;
}

/* The recording that has ended, open as `flags` say. */
static int open_recording(const struct wick_ownfile *f, int flags)
{
    errno = ENOENT;
    if (!f->open)
        return -1;
    if (!f->named)
        return f->fd >= 0 ? fcntl(f->fd, F_DUPFD_CLOEXEC, 3) : -1;
    int fd = open(f->file, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 && !is_recording(f, fd)) {
        close(fd);
        fd = -1;
        errno = ENOENT;
    }
    return fd;
}

int wick_ownfile_recording(const struct wick_ownfile *f)
{
    return open_recording(f, O_RDONLY);
}

void wick_ownfile_forget(struct wick_ownfile *f)
{
    if (f->fd >= 0)
        close(f->fd);
    f->fd = -1;
    f->open = false;
}

/* The file to record to; before: the recording that goes on, -1 = none. */
static int open_for(struct wick_ownfile *f, struct wick_session_opts *o, int before, struct wick_convert *c,
                    struct wick_err *err)
{
    bool compat = is_compat(o->file, o->compat), converted = compat || wick_stop_convert_is_wanted(o->file),
         again = false;
    int fd = converted  ? wick_stop_convert_begin(c, o->file, o->threads, compat, err)
             : *o->file ? open_named(o->file, err)
                        : open_nameless(err);
    if (fd < 0)
        return fd;
    again = before >= 0 && is_recording(f, fd);
    int rc = again || !ftruncate(fd, 0) ? 0 : wick_err_set(err, WICK_E_IO, "cannot empty %s", o->file);
    if (!rc && !again && before >= 0)
        rc = wick_ownfile_copy_all(before, fd, err); /* the session writes by offset */
    if (!rc)
        return fd;
    close(fd);
    wick_stop_convert_cancel(c);
    return rc;
}

int wick_ownfile_open(struct wick_ownfile *f, struct wick_session_opts *o, bool again, struct wick_convert *c, int *fd,
                      struct wick_err *err)
{
    int before = again ? open_recording(f, O_RDWR) : -1;
    struct stat st;
    *fd = -1;
    if (again && before < 0 && wick_ownfile_is_short(errno)) /* the file would be emptied, or forgotten */
        return wick_err_set(err, WICK_E_LIMIT, "the recording cannot go on: the process is out of descriptors");
    if (is_split(o)) {
        if (before >= 0)
            close(before);
        if (again)
            return wick_err_set(err, WICK_E_USAGE, "a recording in several files cannot go on: use start");
        if (wick_opt_fix(o->file, getpid(), c->recording, WICK_OPT_PATH_MAX))
            return wick_err_set(err, WICK_E_USAGE, "the file name is too long once expanded");
        memcpy(o->file, c->recording, WICK_OPT_PATH_MAX);
        wick_ownfile_forget(f);
        return 0;
    }
    if (before >= 0 && !*o->file)
        memcpy(o->file, f->file, sizeof o->file);
    else if (expand(o->file, f->starts, o->file, err)) {
        if (before >= 0)
            close(before);
        return -WICK_E_USAGE;
    }
    int own = open_for(f, o, before, c, err);
    if (before >= 0)
        close(before);
    if (own < 0)
        return own;
    bool named = *o->file && !c->file[0];
    int kept = named ? -1 : fcntl(own, F_DUPFD_CLOEXEC, 3);
    if (!named && kept < 0) {
        close(own);
        wick_stop_convert_cancel(c);
        return wick_err_set(err, WICK_E_LIMIT, "the recording cannot be kept: the process is out of descriptors");
    }
    wick_ownfile_forget(f);
    f->open = !fstat(own, &st);
    f->dev = st.st_dev;
    f->ino = st.st_ino;
    f->named = named;
    f->fd = kept;
    f->resumed = before >= 0 ? f->resumed + 1 : 0;
    f->starts++;
    memcpy(f->file, o->file, sizeof f->file);
    *fd = own;
    return 0;
}

void wick_ownfile_ended(struct wick_ownfile *f)
{
    struct stat st;
    if (f->fd >= 0 && (fstat(f->fd, &st) || st.st_size > WICK_OWNFILE_KEPT_MAX))
        wick_ownfile_forget(f);
}

int wick_ownfile_copy_open(const struct wick_ownfile *f, const char *pattern, bool threads, bool compat,
                           struct wick_ownfile_copy *copy, struct wick_err *err)
{
    copy->convert.file[0] = 0;
    int rc = expand(pattern, f->starts ? f->starts - 1 : 0, copy->file, err);
    if (rc)
        return rc;
    compat = is_compat(copy->file, compat);
    copy->fd = compat || wick_stop_convert_is_wanted(copy->file)
                   ? wick_stop_convert_begin(&copy->convert, copy->file, threads, compat, err)
                   : open_named(copy->file, err);
    if (copy->fd < 0)
        return copy->fd;
    if (is_recording(f, copy->fd)) {
        close(copy->fd);
        copy->fd = -1;
    } else if (ftruncate(copy->fd, 0)) {
        close(copy->fd);
        return wick_err_set(err, WICK_E_IO, "cannot empty %s", copy->file);
    }
    return 0;
}

int wick_ownfile_copy_close(struct wick_ownfile_copy *copy, int rc, struct wick_err *err)
{
    if (copy->fd >= 0)
        close(copy->fd);
    if (rc)
        wick_stop_convert_cancel(&copy->convert);
    return rc ? rc : wick_stop_convert_finish(&copy->convert, err);
}
