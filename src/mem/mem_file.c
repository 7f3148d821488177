/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file as memory: address = offset.
 *
 * pread and not mmap, because access to a mapped file that was truncated raises SIGBUS, and inside a JVM that is the
 * end of the JVM.
 */
#include "mem/mem.h"

#include <errno.h>
#include <unistd.h>

#include "base/err.h"

static int read_file(const struct wick_mem *m, wick_addr addr, void *buf, size_t n)
{
    size_t done = 0;
    if (addr > INT64_MAX - n)
        return -WICK_E_FAULT;
    while (done < n) {
        ssize_t got = pread(m->fd, (char *)buf + done, n - done, (off_t)(addr + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return -WICK_E_FAULT;
        done += (size_t)got;
    }
    return 0;
}

void wick_mem_file_init(struct wick_mem *m, int fd)
{
    *m = (struct wick_mem){.read = read_file, .fd = fd};
}
