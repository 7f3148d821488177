/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading another process.
 *
 * process_vm_readv is the fast way; /proc/PID/mem is still opened first: the open makes the kernel's one permission
 * check whose failure can be explained in a sentence, and the descriptor stays with that address space even if the
 * process ends and its number is used again. It also serves where process_vm_readv is refused by a filter.
 */
#include "mem/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/err.h"

static int read_file(const struct wick_mem *m, wick_addr addr, void *buf, size_t n)
{
    if (addr > INT64_MAX)
        return -WICK_E_FAULT;
    ssize_t got = pread(m->fd, buf, n, (off_t)addr);
    if (got >= 0 && (size_t)got == n)
        return 0;
    return got == 0 ? -WICK_E_GONE : -WICK_E_FAULT; /* /proc/PID/mem reads nothing once the address space is gone */
}

static int read_remote(const struct wick_mem *m, wick_addr addr, void *buf, size_t n)
{
    struct iovec local = {buf, n};
    struct iovec remote = {(void *)(uintptr_t)addr, n};
    ssize_t got = process_vm_readv(m->pid, &local, 1, &remote, 1, 0);
    if (got >= 0)
        return (size_t)got == n ? 0 : -WICK_E_FAULT;
    if (errno == ESRCH)
        return -WICK_E_GONE;
    return errno == EFAULT ? -WICK_E_FAULT : read_file(m, addr, buf, n);
}

int wick_mem_remote_init(struct wick_mem *m, int pid, struct wick_err *err)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/mem", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && (errno == ENOENT || errno == ESRCH))
        return wick_err_set(err, WICK_E_NOTFOUND, "there is no process %d", pid);
    if (fd < 0)
        return wick_err_set(err, WICK_E_PERM,
                            "the memory of process %d may not be read (%s): run as its user or as root, and see "
                            "/proc/sys/kernel/yama/ptrace_scope",
                            pid, strerror(errno));
    *m = (struct wick_mem){.read = read_remote, .pid = pid, .fd = fd};
    return 0;
}

int wick_mem_space_init(struct wick_mem *m, int pid, struct wick_err *err)
{
    int rc = wick_mem_remote_init(m, pid, err);
    if (!rc)
        m->read = read_file;
    return rc;
}
