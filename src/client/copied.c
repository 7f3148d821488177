/* SPDX-License-Identifier: Apache-2.0 */
#include "client/copied.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jfr/format/jfr_format.h"
#include "sys/whole.h"

bool wick_copied_is_dense(int fd, uint64_t from, uint64_t to)
{
    if (from >= to)
        return true;
    off_t hole = lseek(fd, (off_t)from, SEEK_HOLE);
    return hole < 0 ? errno == EINVAL : (uint64_t)hole >= to; /* EINVAL: this file system does not know */
}

/* Of what has been read, not of the file, which may be another one at the next check. */
static bool begins_recording(const char *buf, size_t n)
{
    return n >= sizeof WICK_JFR_MAGIC - 1 && !memcmp(buf, WICK_JFR_MAGIC, sizeof WICK_JFR_MAGIC - 1);
}

int wick_copied_take(int from, int to, const char *path, struct wick_err *err)
{
    char buf[65536];
    struct stat st;
    if (fstat(from, &st) || !wick_copied_is_dense(from, 0, (uint64_t)st.st_size))
        return wick_err_set(err, WICK_E_FORMAT,
                            "the recording has holes, which the agent never leaves: the process may have been tampered "
                            "with, and nothing was written to %s",
                            path);
    for (off_t at = 0, n; at < st.st_size; at += n) {
        n = wick_whole_pread(from, buf, st.st_size - at < (off_t)sizeof buf ? (size_t)(st.st_size - at) : sizeof buf,
                             at);
        if (!n) /* it has become shorter */
            return 0;
        if (n > 0 && at == 0 && !begins_recording(buf, (size_t)n))
            return wick_err_set(
                err, WICK_E_FORMAT,
                "the file that the agent wrote is not a JFR recording: the process may have been tampered "
                "with, and nothing was written to %s",
                path);
        int error = n < 0 ? errno : wick_whole_write(to, buf, (size_t)n);
        if (error)
            return wick_err_set(err, error == ENOSPC || error == EDQUOT ? WICK_E_NOSPACE : WICK_E_IO,
                                "cannot copy the recording to %s: %s", path, strerror(error));
    }
    return 0;
}
