/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading our own memory without risk.
 *
 * A sampler reads addresses that may be garbage, or unmapped by another thread between the check and the load. Catching
 * SIGSEGV would mean to own a handler in a process whose JVM owns one already, so the kernel does the copy:
 * process_vm_readv on ourselves needs no privilege (a thread may always inspect its own process) and answers EFAULT.
 * Where a seccomp filter refuses that call (old Docker profiles), pread on /proc/self/mem does the same; it is opened
 * once, beforehand, because a handler must not open files. Both are raw system calls: the C library's preadv is a
 * cancellation point, where a thread may end in the middle of a handler.
 */
#include "mem/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/err.h"

/* Both copy page by page and answer how far they got. */
static size_t first_vm(const struct wick_mem *m, wick_addr addr, void *buf, size_t n)
{
    int saved = errno;
    struct iovec local = {buf, n};
    struct iovec remote = {(void *)(uintptr_t)addr, n};
    ssize_t got = syscall(SYS_process_vm_readv, m->pid, &local, 1ul, &remote, 1ul, 0ul);
    errno = saved;
    return got > 0 ? (size_t)got : 0;
}

static int read_vm(const struct wick_mem *m, wick_addr addr, void *buf, size_t n)
{
    return first_vm(m, addr, buf, n) == n ? 0 : -WICK_E_FAULT;
}

static size_t first_proc(const struct wick_mem *m, wick_addr addr, void *buf, size_t n)
{
    if (addr > INT64_MAX)
        return 0;
    int saved = errno;
    struct iovec local = {buf, n};
    ssize_t got = syscall(SYS_preadv, m->fd, &local, 1ul, (unsigned long)addr, 0ul);
    errno = saved;
    return got > 0 ? (size_t)got : 0;
}

static int read_proc(const struct wick_mem *m, wick_addr addr, void *buf, size_t n)
{
    return first_proc(m, addr, buf, n) == n ? 0 : -WICK_E_FAULT;
}

int wick_mem_self_init(struct wick_mem *m)
{
    const uint64_t known = 0x7769636b6d656d30; /* any value we can recognise */
    uint64_t seen = 0;
    struct wick_mem t = {.read = read_vm, .read_first = first_vm, .pid = (int)getpid(), .fd = -1};
    if (!t.read(&t, (uintptr_t)&known, &seen, sizeof seen) && seen == known) {
        *m = t;
        return 0;
    }
    t.read = read_proc;
    t.read_first = first_proc;
    t.fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    if (t.fd < 0)
        return -WICK_E_PERM;
    seen = 0;
    if (t.read(&t, (uintptr_t)&known, &seen, sizeof seen) || seen != known) {
        close(t.fd);
        return -WICK_E_PERM;
    }
    *m = t;
    return 0;
}
