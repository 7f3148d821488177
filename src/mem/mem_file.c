/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file as memory: address = offset.
 *
 * pread and not mmap, because access to a mapped file that was truncated raises SIGBUS, and inside a JVM that is the
 * end of the JVM.
 */
#include "mem/mem.h"

#include "base/err.h"
#include "sys/whole.h"

static int read_file(const struct wick_mem *m, wick_addr addr, void *buf, size_t n)
{
    if (addr > INT64_MAX - n)
        return -WICK_E_FAULT;
    return wick_whole_pread(m->fd, buf, n, (off_t)addr) == (ssize_t)n ? 0 : -WICK_E_FAULT;
}

void wick_mem_file_init(struct wick_mem *m, int fd)
{
    *m = (struct wick_mem){.read = read_file, .fd = fd};
}
