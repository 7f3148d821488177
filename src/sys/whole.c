/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int wick_whole_write(int fd, const void *bytes, size_t n)
{
    for (size_t done = 0; done < n;) {
        ssize_t w = write(fd, (const char *)bytes + done, n - done);
        if (w < 0 && errno == EINTR)
            continue;
        if (w <= 0)
            return w ? errno : EIO;
        done += (size_t)w;
    }
    return 0;
}

/* Up to n bytes; line: no further than the line that the file consists of. */
static ssize_t pread_all(int fd, char *bytes, size_t n, off_t at, bool line)
{
    size_t done = 0;
    while (done < n && !(line && done && bytes[done - 1] == '\n')) {
        ssize_t r = pread(fd, bytes + done, n - done, at + (off_t)done);
        if (r < 0 && errno == EINTR)
            continue;
        if (r < 0)
            return -1;
        if (r == 0)
            break;
        done += (size_t)r;
    }
    return (ssize_t)done;
}

ssize_t wick_whole_pread(int fd, void *bytes, size_t n, off_t at)
{
    return pread_all(fd, bytes, n, at, false);
}

static ssize_t text_of(int fd, char *text, size_t room, bool line)
{
    ssize_t n = pread_all(fd, text, room - 1, 0, line);
    text[n > 0 ? n : 0] = 0;
    return n;
}

ssize_t wick_whole_text_fd(int fd, char *text, size_t room)
{
    return text_of(fd, text, room, false);
}

ssize_t wick_whole_line_fd(int fd, char *text, size_t room)
{
    return text_of(fd, text, room, true);
}

ssize_t wick_whole_text_at(int dir, const char *path, char *text, size_t room)
{
    int fd = openat(dir, path, O_RDONLY | O_CLOEXEC), why = errno;
    ssize_t n = -1;
    *text = 0;
    if (fd >= 0) {
        n = text_of(fd, text, room, false);
        why = errno;
        close(fd);
    }
    errno = why;
    return n;
}

ssize_t wick_whole_text(const char *path, char *text, size_t room)
{
    return wick_whole_text_at(AT_FDCWD, path, text, room);
}
