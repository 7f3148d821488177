/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/dump_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codec/gzip.h"
#include "sys/whole.h"

int wick_heap_file_temp(struct wick_err *err)
{
    const char *dir = getenv("TMPDIR");
    char name[4096];
    if (!dir || !*dir)
        dir = "/tmp";
    int fd = open(dir, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT)) {
        if ((size_t)snprintf(name, sizeof name, "%s/wick-heap-XXXXXX", dir) < sizeof name)
            fd = mkostemp(name, O_CLOEXEC);
        if (fd >= 0)
            unlink(name);
    }
    if (fd >= 0)
        return fd;
    return wick_err_set(err, errno == ENOSPC ? WICK_E_NOSPACE : WICK_E_IO,
                        "cannot make a temporary file in %s: %s; set TMPDIR to a directory on a disk", dir,
                        strerror(errno));
}

static int open_error(const char *name, struct wick_err *err)
{
    enum wick_code code = errno == ENOENT ? WICK_E_NOTFOUND : errno == EACCES ? WICK_E_PERM : WICK_E_IO;
    return wick_err_set(err, code, "cannot read %s: %s", name, strerror(errno));
}

static int write_all(void *ctx, const void *data, size_t n)
{
    int error = wick_whole_write(*(const int *)ctx, data, n);
    return !error ? 0 : error == ENOSPC || error == EDQUOT ? -WICK_E_NOSPACE : -WICK_E_IO;
}

/* Copies `in` from where it stands to a temporary file, unpacked if z is not NULL. */
static int copy(int in, int out, struct wick_gunzip *z)
{
    static char part[1 << 16];
    for (;;) {
        ssize_t n = read(in, part, sizeof part);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -WICK_E_IO;
        if (!n)
            return z && !wick_gunzip_complete(z) ? -WICK_E_FORMAT : 0;
        int rc = z ? wick_gunzip_add(z, part, (size_t)n, write_all, &out) : write_all(&out, part, (size_t)n);
        if (rc)
            return rc;
    }
}

/* The descriptor becomes that of a temporary file with what comes out of it. */
static int to_temporary(int *fd, bool packed, const char *name, struct wick_err *err)
{
    int out = wick_heap_file_temp(err);
    if (out < 0)
        return out;
    struct wick_gunzip *z = packed ? wick_gunzip_new() : NULL;
    int rc = packed && !z ? -WICK_E_NOMEM : copy(*fd, out, z);
    if (rc == -WICK_E_FORMAT)
        wick_err_set(err, WICK_E_FORMAT, "%s: the gzip stream is damaged or cut off at byte %llu", name,
                     (unsigned long long)wick_gunzip_used(z));
    else if (rc == -WICK_E_NOSPACE)
        wick_err_set(err, WICK_E_NOSPACE, "no space to unpack %s: set TMPDIR to a directory with more of it", name);
    else if (rc)
        wick_err_set(err, (enum wick_code) - rc, "cannot copy %s: %s", name, wick_err_text(rc));
    wick_gunzip_free(z);
    close(rc ? out : *fd);
    if (!rc)
        *fd = out;
    return rc;
}

int wick_heap_file_adopt(struct wick_heap_file *f, int fd, const char *name, struct wick_err *err)
{
    uint8_t head[4];
    struct stat st;
    int rc = 0;
    if (fstat(fd, &st)) {
        rc = open_error(name, err);
    } else if (S_ISDIR(st.st_mode)) {
        rc = wick_err_set(err, WICK_E_USAGE, "%s is a directory", name);
    } else if (!S_ISREG(st.st_mode)) {
        rc = to_temporary(&fd, false, name, err);
    }
    if (!rc && wick_whole_pread(fd, head, sizeof head, 0) == (ssize_t)sizeof head && wick_gzip_is(head, sizeof head)) {
        lseek(fd, 0, SEEK_SET);
        rc = to_temporary(&fd, true, name, err);
    }
    if (!rc && fstat(fd, &st))
        rc = open_error(name, err);
    if (rc) {
        close(fd);
        return rc;
    }
    *f = (struct wick_heap_file){.fd = fd, .size = (uint64_t)st.st_size};
    return 0;
}

int wick_heap_file_open(struct wick_heap_file *f, const char *path, struct wick_err *err)
{
    bool is_input = !strcmp(path, "-");
    int fd = is_input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return open_error(is_input ? "standard input" : path, err);
    return wick_heap_file_adopt(f, fd, is_input ? "standard input" : path, err);
}

void wick_heap_file_close(struct wick_heap_file *f)
{
    if (f->fd >= 0)
        close(f->fd);
    f->fd = -1;
}

int wick_heap_view_init(struct wick_heap_view *v, const struct wick_heap_file *file, size_t step)
{
    *v = (struct wick_heap_view){.file = file, .step = step};
    if (file->fd < 0)
        return 0;
    v->window = malloc(step > WICK_HEAP_VIEW_MOST ? step : WICK_HEAP_VIEW_MOST);
    return v->window ? 0 : -WICK_E_NOMEM;
}

void wick_heap_view_release(struct wick_heap_view *v)
{
    free(v->window);
    *v = (struct wick_heap_view){0};
}

const uint8_t *wick_heap_view_move(struct wick_heap_view *v, uint64_t at, size_t len)
{
    const struct wick_heap_file *f = v->file;
    v->error = 0;
    if (at > f->size || len > f->size - at || len > WICK_HEAP_VIEW_MOST)
        return NULL;
    if (f->fd < 0)
        return f->data + at;
    size_t want = len > v->step ? len : v->step, got = 0;
    v->have = 0;
    v->base = at;
    while (got < len) {
        ssize_t n = pread(f->fd, v->window + got, want - got, (off_t)(at + got));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            v->error = n < 0 ? errno : 0;
            return NULL;
        }
        got += (size_t)n;
    }
    v->have = got;
    return v->window;
}
