/* SPDX-License-Identifier: Apache-2.0 */
#include "faults.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include <cmocka.h>

enum { MOST = 100000 };

static _Thread_local struct {
    bool armed, fired;
    enum faults_kind kind;
    unsigned left; /* calls before the one that fails */
} fault;

/* Whether this call, to which a fault of that kind could happen, is the one. */
static bool strikes(enum faults_kind kind)
{
    if (!fault.armed || fault.kind != kind || fault.left-- > 0)
        return false;
    fault.armed = false;
    fault.fired = true;
    return true;
}

static bool fails(enum faults_kind kind, int error)
{
    if (!strikes(kind))
        return false;
    errno = error;
    return true;
}

/* WRAP(function, returned, what it fails with, error, kind, (parameters), (arguments)) */
#define WRAP(name, type, failed, error, kind, parameters, arguments)  \
    type __real_##name parameters;                                    \
    type __wrap_##name parameters;                                    \
    type __wrap_##name parameters                                     \
    {                                                                 \
        return fails(kind, error) ? failed : __real_##name arguments; \
    }

WRAP(malloc, void *, NULL, ENOMEM, FAULTS_MEMORY, (size_t n), (n))
WRAP(calloc, void *, NULL, ENOMEM, FAULTS_MEMORY, (size_t n, size_t size), (n, size))
WRAP(realloc, void *, NULL, ENOMEM, FAULTS_MEMORY, (void *p, size_t n), (p, n))
WRAP(reallocarray, void *, NULL, ENOMEM, FAULTS_MEMORY, (void *p, size_t n, size_t size), (p, n, size))
WRAP(strdup, char *, NULL, ENOMEM, FAULTS_MEMORY, (const char *s), (s))
WRAP(mmap64, void *, MAP_FAILED, ENOMEM, FAULTS_MEMORY, (void *at, size_t n, int prot, int flags, int fd, off_t offset),
     (at, n, prot, flags, fd, offset))
WRAP(memfd_create, int, -1, EMFILE, FAULTS_DESCRIPTORS, (const char *name, unsigned flags), (name, flags))
WRAP(fopen64, FILE *, NULL, EMFILE, FAULTS_DESCRIPTORS, (const char *path, const char *mode), (path, mode))
WRAP(opendir, DIR *, NULL, EMFILE, FAULTS_DESCRIPTORS, (const char *path), (path))
WRAP(socket, int, -1, EMFILE, FAULTS_DESCRIPTORS, (int domain, int type, int protocol), (domain, type, protocol))
WRAP(dup, int, -1, EMFILE, FAULTS_DESCRIPTORS, (int fd), (fd))

int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    int mode = va_arg(ap, int); /* read only where flags say that there is one */
    va_end(ap);
    return fails(FAULTS_DESCRIPTORS, EMFILE) ? -1 : __real_open64(path, flags, mode);
}

int __real_openat64(int dir, const char *path, int flags, ...);
int __wrap_openat64(int dir, const char *path, int flags, ...);
int __wrap_openat64(int dir, const char *path, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    int mode = va_arg(ap, int);
    va_end(ap);
    return fails(FAULTS_DESCRIPTORS, EMFILE) ? -1 : __real_openat64(dir, path, flags, mode);
}

static bool read_fails(void)
{
    return fails(FAULTS_READ_EIO, EIO) || fails(FAULTS_READ_EINTR, EINTR);
}

static bool write_fails(void)
{
    return fails(FAULTS_WRITE_ENOSPC, ENOSPC) || fails(FAULTS_WRITE_EINTR, EINTR);
}

/* How much of n bytes a call is let do. */
static size_t some(size_t n, enum faults_kind kind)
{
    return n > 1 && strikes(kind) ? 1 : n;
}

ssize_t __real_read(int fd, void *buf, size_t n);
ssize_t __wrap_read(int fd, void *buf, size_t n);
ssize_t __wrap_read(int fd, void *buf, size_t n)
{
    return read_fails() ? -1 : __real_read(fd, buf, some(n, FAULTS_READ_SHORT));
}

ssize_t __real_pread64(int fd, void *buf, size_t n, off_t at);
ssize_t __wrap_pread64(int fd, void *buf, size_t n, off_t at);
ssize_t __wrap_pread64(int fd, void *buf, size_t n, off_t at)
{
    return read_fails() ? -1 : __real_pread64(fd, buf, some(n, FAULTS_READ_SHORT), at);
}

ssize_t __real_write(int fd, const void *buf, size_t n);
ssize_t __wrap_write(int fd, const void *buf, size_t n);
ssize_t __wrap_write(int fd, const void *buf, size_t n)
{
    return write_fails() ? -1 : __real_write(fd, buf, some(n, FAULTS_WRITE_SHORT));
}

ssize_t __real_pwrite64(int fd, const void *buf, size_t n, off_t at);
ssize_t __wrap_pwrite64(int fd, const void *buf, size_t n, off_t at);
ssize_t __wrap_pwrite64(int fd, const void *buf, size_t n, off_t at)
{
    return write_fails() ? -1 : __real_pwrite64(fd, buf, some(n, FAULTS_WRITE_SHORT), at);
}

ssize_t __real_pwritev64(int fd, const struct iovec *iov, int n, off_t at);
ssize_t __wrap_pwritev64(int fd, const struct iovec *iov, int n, off_t at);
ssize_t __wrap_pwritev64(int fd, const struct iovec *iov, int n, off_t at)
{
    if (write_fails())
        return -1;
    if (n && iov->iov_len > 1 && strikes(FAULTS_WRITE_SHORT))
        return __real_pwrite64(fd, iov->iov_base, 1, at);
    return __real_pwritev64(fd, iov, n, at);
}

/* The lowest free descriptors: where one was lost, another number comes next. */
static int open_descriptors(void)
{
    int n = 0;
    DIR *d = __real_opendir("/proc/self/fd");
    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

unsigned faults_each(enum faults_kind kind, faults_attempt *attempt, void *arg)
{
    static const bool harmless[] = {[FAULTS_READ_EINTR] = true,
                                    [FAULTS_READ_SHORT] = true,
                                    [FAULTS_WRITE_EINTR] = true,
                                    [FAULTS_WRITE_SHORT] = true};
    int before = open_descriptors();
    for (unsigned n = 0; n < MOST; n++) {
        fault.kind = kind;
        fault.left = n;
        fault.fired = false;
        fault.armed = true;
        int rc = attempt(arg);
        fault.armed = false;
        if (open_descriptors() != before)
            fail_msg("kind %d, fault %u: a descriptor is lost", kind, n);
        if (rc && (!fault.fired || (kind < sizeof harmless && harmless[kind])))
            fail_msg("kind %d, fault %u (%s): the attempt returns %d", kind, n, fault.fired ? "met" : "none", rc);
        if (!fault.fired)
            return n;
    }
    fail_msg("kind %d: there is no end of faults", kind);
    return MOST;
}
