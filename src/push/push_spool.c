/* SPDX-License-Identifier: Apache-2.0 */
/*
 * push_spool.c - a directory as a queue
 *
 * A message is NUMBER.otlp.gz, with 20 digits; numbers are nanoseconds since 1970 at first, then at least one more than
 * the last. It is written to `.new`, which gets its name when it is whole, so that a process that is killed leaves no
 * part of a message; the next one writes over `.new`. The lock is on the directory itself.
 */
#include "push/push_spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "sys/whole.h"

enum { NAME_MAX_BYTES = 32, DIGITS = 20 };
#define SUFFIX ".otlp.gz"
#define NEW    ".new"

static void name_of(uint64_t number, char name[NAME_MAX_BYTES])
{
    snprintf(name, NAME_MAX_BYTES, "%0*" PRIu64 SUFFIX, DIGITS, number);
}

static bool number_of(const char *name, uint64_t *number)
{
    char *end;
    if (strlen(name) != DIGITS + sizeof SUFFIX - 1 || strspn(name, "0123456789") != DIGITS)
        return false;
    *number = strtoull(name, &end, 10);
    return !strcmp(end, SUFFIX) && *number < UINT64_MAX;
}

static int append(struct wick_push_spool *s, uint64_t number, uint64_t bytes)
{
    if (s->count == s->cap) {
        size_t cap = s->cap ? s->cap * 2 : 64;
        struct wick_push_message *more = realloc(s->messages, cap * sizeof *more);
        if (!more)
            return -WICK_E_NOMEM;
        s->messages = more;
        s->cap = cap;
    }
    s->messages[s->count++] = (struct wick_push_message){number, bytes};
    s->bytes += bytes;
    return 0;
}

static int by_number(const void *a, const void *b)
{
    const struct wick_push_message *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* What is there already. */
static int list(struct wick_push_spool *s)
{
    int fd = fcntl(s->dir, F_DUPFD_CLOEXEC, 3), rc = 0;
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir) {
        if (fd >= 0)
            close(fd);
        return -WICK_E_IO;
    }
    for (const struct dirent *e; !rc && (e = readdir(dir));) {
        struct stat st;
        uint64_t number;
        if (number_of(e->d_name, &number) && !fstatat(s->dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
            S_ISREG(st.st_mode))
            rc = append(s, number, (uint64_t)st.st_size);
    }
    closedir(dir);
    if (s->count)
        qsort(s->messages, s->count, sizeof *s->messages, by_number);
    return rc;
}

int wick_push_spool_open(struct wick_push_spool *s, const char *path, uint64_t max_bytes, struct wick_err *err)
{
    *s = (struct wick_push_spool){.dir = -1, .max_bytes = max_bytes};
    if (mkdir(path, 0700) && errno != EEXIST)
        return wick_err_set(err, WICK_E_IO, "cannot make the directory %s: %s", path, strerror(errno));
    s->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (s->dir < 0)
        return wick_err_set(err, WICK_E_IO, "cannot open the directory %s: %s", path, strerror(errno));
    struct stat st;
    int rc = 0;
    if (fstat(s->dir, &st) || st.st_uid != geteuid() || st.st_mode & (S_IWGRP | S_IWOTH))
        rc = wick_err_set(err, WICK_E_PERM,
                          "the directory %s is another user's, or others may write to it: give one of your own with "
                          "--spool",
                          path);
    else if (flock(s->dir, LOCK_EX | LOCK_NB))
        rc =
            errno == EWOULDBLOCK
                ? wick_err_set(err, WICK_E_STATE,
                               "another process sends from %s: give this one a directory of its own with --spool", path)
                : wick_err_set(err, WICK_E_IO, "cannot lock the directory %s: %s", path, strerror(errno));
    else if ((rc = list(s)))
        rc = wick_err_set(err, (enum wick_code) - rc, "cannot read the directory %s: %s", path, wick_err_text(rc));
    if (rc)
        wick_push_spool_close(s);
    return rc;
}

int wick_push_spool_file(const char *path)
{
    char name[NAME_MAX_BYTES];
    int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int fd = dir < 0 ? -1 : openat(dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (dir >= 0 && fd < 0) { /* not every file system has files without a name */
        snprintf(name, sizeof name, ".recording-%ld", (long)getpid());
        fd = openat(dir, name, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, 0600);
        if (fd >= 0)
            unlinkat(dir, name, 0);
    }
    int error = errno;
    if (dir >= 0)
        close(dir);
    errno = error;
    return fd;
}

void wick_push_spool_close(struct wick_push_spool *s)
{
    if (s->dir >= 0)
        close(s->dir);
    free(s->messages);
    *s = (struct wick_push_spool){.dir = -1};
}

void wick_push_spool_remove(struct wick_push_spool *s)
{
    char name[NAME_MAX_BYTES];
    if (!s->count)
        return;
    name_of(s->messages[0].number, name);
    unlinkat(s->dir, name, 0);
    s->bytes -= s->messages[0].bytes;
    memmove(s->messages, s->messages + 1, --s->count * sizeof *s->messages);
}

static void drop_oldest(struct wick_push_spool *s)
{
    s->dropped++;
    s->dropped_bytes += s->messages[0].bytes;
    wick_push_spool_remove(s);
}

static int write_message(int dir, uint64_t number, const void *data, size_t n)
{
    char name[NAME_MAX_BYTES];
    int fd = openat(dir, NEW, O_CREAT | O_TRUNC | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return errno == ENOSPC ? -WICK_E_NOSPACE : -WICK_E_IO;
    name_of(number, name);
    int error = wick_whole_write(fd, data, n);
    if (!error && fdatasync(fd))
        error = errno;
    if (close(fd) && !error)
        error = errno;
    if (!error && renameat(dir, NEW, dir, name))
        error = errno;
    if (error)
        unlinkat(dir, NEW, 0);
    return !error ? 0 : error == ENOSPC || error == EDQUOT ? -WICK_E_NOSPACE : -WICK_E_IO;
}

int wick_push_spool_add(struct wick_push_spool *s, const void *data, size_t n)
{
    uint64_t number = wick_clock_epoch_ns(), last = s->count ? s->messages[s->count - 1].number : 0;
    int rc = n > s->max_bytes ? -WICK_E_LIMIT : 0;
    while (!rc && s->bytes + n > s->max_bytes)
        drop_oldest(s);
    number = number > last ? number : last + 1;
    rc = rc ? rc : write_message(s->dir, number, data, n);
    rc = rc ? rc : append(s, number, n);
    if (rc == -WICK_E_LIMIT) {
        s->dropped++;
        s->dropped_bytes += n;
    } else if (rc) {
        s->broken++;
    }
    return rc;
}

static int read_message(int dir, uint64_t number, struct wick_strbuf *out)
{
    char name[NAME_MAX_BYTES];
    struct stat st;
    name_of(number, name);
    wick_strbuf_clear(out);
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return -WICK_E_IO;
    int rc = fstat(fd, &st) || !S_ISREG(st.st_mode) ? -WICK_E_IO : 0;
    rc = rc ? rc : wick_strbuf_grow(out, (size_t)st.st_size);
    if (!rc) {
        ssize_t n = wick_whole_pread(fd, out->buf, (size_t)st.st_size, 0);
        out->len = n < 0 ? 0 : (size_t)n;
        rc = n > 0 ? 0 : -WICK_E_IO;
    }
    close(fd);
    return rc;
}

int wick_push_spool_oldest(struct wick_push_spool *s, struct wick_strbuf *out)
{
    for (; s->count; wick_push_spool_remove(s)) {
        int rc = read_message(s->dir, s->messages[0].number, out);
        if (!rc || rc == -WICK_E_NOMEM)
            return rc;
        s->broken++;
    }
    return -WICK_E_NOTFOUND;
}
