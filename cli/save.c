/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/save.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/replace.h"

static bool is_stdout(const char *path)
{
    return !path || !strcmp(path, "-");
}

static int error(const char *what, const char *path, int e, struct wick_err *err)
{
    if (e == ENOSPC || e == EDQUOT)
        return wick_err_set(err, WICK_E_NOSPACE, "cannot %s %s: %s; free some space or choose another place", what,
                            path, strerror(e));
    if (e == ELOOP)
        return wick_err_set(err, WICK_E_PERM, "cannot %s %s: it is a symbolic link, which is not followed here", what,
                            path);
    return wick_err_set(err,
                        e == EACCES || e == EPERM || e == EROFS ? WICK_E_PERM
                        : e == ENOENT || e == ENOTDIR           ? WICK_E_NOTFOUND
                                                                : WICK_E_IO,
                        "cannot %s %s: %s", what, path, strerror(e));
}

FILE *wick_save_open(const char *path, bool own, struct wick_err *err)
{
    if (is_stdout(path))
        return stdout;
    if (!own && wick_replace_check(path, err))
        return NULL;
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | (own ? O_NOFOLLOW : 0), own ? 0600 : 0666);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (!out) {
        error("create", path, errno, err);
        if (fd >= 0)
            close(fd);
    }
    return out;
}

int wick_save_close(FILE *out, const char *path, int rc, struct wick_err *err)
{
    struct stat st;
    bool std = is_stdout(path);
    const char *name = std ? "standard output" : path;
    bool plain = !std && !fstat(fileno(out), &st) && S_ISREG(st.st_mode);
    errno = 0;
    bool lost = ferror(out);
    lost |= fflush(out) != 0;
    if (lost && !errno) { /* why was known to some earlier fwrite only: writing one more byte reports it again */
        clearerr(out);
        fputc('\n', out);
        fflush(out);
    }
    int why = errno;
    if (!std && fclose(out) && !lost) {
        lost = true;
        why = errno;
    }
    if (!rc && lost)
        rc = error("write", name, why ? why : EIO, err);
    else if (rc && (rc == -WICK_E_NOSPACE || rc == -WICK_E_IO))
        wick_err_prefix(err, "%s", name);
    if (rc && plain)
        unlink(path); /* half a page helps nobody */
    return rc;
}
