/* SPDX-License-Identifier: Apache-2.0 */
/*
 * new_file.c - files that are opened early and replaced safely
 *
 * What can fail because of the name is tried before the recording begins. The JVM writes into the final file, or into
 * one without a name: O_TMPFILE, which can be linked to a name later, should the conversion fail; or, where the file
 * system has none, into a file in $TMPDIR, which is unlinked at once and cannot be linked again. Whether the name can
 * be written later is checked by making it and removing it again, or by opening what is there without truncation.
 *
 * A name may lead anywhere. No symbolic link is followed at its end, a FIFO does not block the open, and nothing is
 * truncated before it is known to be a plain file. Where the process could not have made the file itself
 * (wick_recording_guard), an old one is not handed to it, as that may have other names and a mode that lets others
 * use it: a new one is made beside it and renamed over it.
 *
 * What must not be the JVM's own file in the end is copied into one beside the final name, which is renamed only once
 * it is whole, so a failure leaves what was there.
 */
#include "client/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/copied.h"
#include "opt/option.h"

void wick_new_file_directory(const char *path, char *dir, size_t cap)
{
    const char *slash = strrchr(path, '/');
    snprintf(dir, cap, "%.*s", slash && slash > path ? (int)(slash - path) : 1, slash ? path : ".");
}

int wick_new_file_error(const char *what, const char *path, struct wick_err *err)
{
    if (errno == ELOOP)
        return wick_err_set(err, WICK_E_PERM, "cannot %s %s: it is a symbolic link, which is not followed here", what,
                            path);
    enum wick_code code = errno == ENOSPC || errno == EDQUOT                    ? WICK_E_NOSPACE
                          : errno == EACCES || errno == EPERM || errno == EROFS ? WICK_E_PERM
                          : errno == ENOENT || errno == ENOTDIR                 ? WICK_E_NOTFOUND
                                                                                : WICK_E_IO;
    return wick_err_set(err, code, "cannot %s %s: %s", what, path, strerror(errno));
}

int wick_new_file_temp(const char *dir, bool may_stay, struct wick_err *err)
{
    const char *tmp = getenv("TMPDIR");
    char name[PATH_MAX];
    int fd = open(dir, O_TMPFILE | (may_stay ? 0 : O_EXCL) | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
        return wick_new_file_error("create a file in", dir, err);
    snprintf(name, sizeof name, "%s/wick-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    fd = mkostemp(name, O_CLOEXEC);
    if (fd < 0)
        return wick_new_file_error("create a temporary file in", tmp && *tmp ? tmp : "/tmp", err);
    unlink(name);
    return fd;
}

int wick_new_file_check(const char *path, struct wick_err *err)
{
    struct stat st;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0) {
        close(fd);
        unlink(path);
        return 0;
    }
    if (errno != EEXIST)
        return wick_new_file_error("create", path, err);
    fd = open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return wick_new_file_error("write", path, err);
    bool plain = !fstat(fd, &st) && S_ISREG(st.st_mode);
    close(fd);
    return plain ? 0 : wick_err_set(err, WICK_E_IO, "%s is not a plain file", path);
}

/* Makes a file beside `path`, named in temp, that is to take its place: one that is there may have other names and
 * a mode that lets others at it. Returns a descriptor. */
static int create_beside(const char *path, char temp[PATH_MAX], struct wick_err *err)
{
    char dir[WICK_OPT_PATH_MAX];
    if (wick_new_file_check(path, err))
        return -(int)err->code;
    wick_new_file_directory(path, dir, sizeof dir);
    snprintf(temp, PATH_MAX, "%s/.wick-XXXXXX", dir);
    int fd = mkostemp(temp, O_CLOEXEC);
    return fd < 0 ? wick_new_file_error("create a file in", dir, err) : fd;
}

static int put_in_place(const char *temp, const char *path, struct wick_err *err)
{
    if (!rename(temp, path))
        return 0;
    int rc = wick_new_file_error("replace", path, err);
    unlink(temp);
    return rc;
}

int wick_new_file_fresh(const char *path, struct wick_err *err)
{
    char temp[PATH_MAX];
    int fd = create_beside(path, temp, err), rc = fd < 0 ? fd : put_in_place(temp, path, err);
    if (rc && fd >= 0)
        close(fd);
    return rc ? rc : fd;
}

/* Not O_APPEND, although the recording grows at its end: the agent writes the headers of chunks anew, in place. Not
 * truncated before it is known to be a plain file: `-f /dev/sda` must not do harm. */
int wick_new_file_named(const char *path, struct wick_err *err)
{
    struct stat st;
    int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd < 0)
        return wick_new_file_error("create", path, err);
    if (!fstat(fd, &st) && S_ISREG(st.st_mode) && !ftruncate(fd, 0))
        return fd;
    close(fd);
    return wick_err_set(err, WICK_E_IO, "%s is not a plain file", path);
}

bool wick_new_file_keep(const char *in, const char *path)
{
    int from = open(in, O_RDONLY | O_CLOEXEC);
    int to = from < 0 ? -1 : open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool good = to >= 0 && !wick_copied_take(from, to, path, NULL);
    if (to >= 0 && close(to))
        good = false;
    if (to >= 0 && !good)
        unlink(path);
    if (from >= 0)
        close(from);
    return good;
}

int wick_new_file_copy(int from, const char *path, struct wick_err *err)
{
    char temp[PATH_MAX];
    int fd = create_beside(path, temp, err);
    if (fd < 0)
        return fd;
    int rc = wick_copied_take(from, fd, path, err);
    if (close(fd) && !rc)
        rc = wick_new_file_error("write", path, err);
    if (!rc)
        return put_in_place(temp, path, err);
    unlink(temp);
    return rc;
}

void wick_new_file_strip_mode(int fd, const struct stat *st)
{
    if (st->st_mode & (S_ISUID | S_ISGID | S_ISVTX | S_IXUSR | S_IXGRP | S_IXOTH))
        (void)!fchmod(fd, st->st_mode & (S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH));
}
