/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/whole.h"

#include <errno.h>
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

ssize_t wick_whole_pread(int fd, void *bytes, size_t n, off_t at)
{
    size_t done = 0;
    while (done < n) {
        ssize_t r = pread(fd, (char *)bytes + done, n - done, at + (off_t)done);
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
