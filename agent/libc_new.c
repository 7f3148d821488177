/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of the C library that are newer than glibc 2.17 (agent/libc_pin.h): hidden in libwick.so, so that its
 * references end here and nobody else's do.
 */
#include <errno.h>
#include <stdarg.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Until 2.32 these were macros around __fxstat and __xstat. The kernel's struct is the C library's on 64-bit machines.
 */
int fstat(int fd, struct stat *st)
{
    return (int)syscall(SYS_fstat, fd, st);
}

int stat(const char *path, struct stat *st)
{
    return (int)syscall(SYS_newfstatat, AT_FDCWD, path, st, 0);
}

/* 2.25 */
ssize_t getrandom(void *buf, size_t len, unsigned flags)
{
    return syscall(SYS_getrandom, buf, len, flags);
}

/* 2.26 */
void *reallocarray(void *p, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(p, bytes);
}

/* 2.27 */
int memfd_create(const char *name, unsigned flags)
{
    return (int)syscall(SYS_memfd_create, name, flags);
}

/* What libiberty.a of the build machine calls if it was compiled with checks; musl has none of them. The size is that
 * of the buffer, or the largest number if the compiler did not know it. */
int __snprintf_chk(char *buf, size_t cap, int flag, size_t size, const char *fmt, ...);
int __snprintf_chk(char *buf, size_t cap, int flag, size_t size, const char *fmt, ...)
{
    va_list ap;
    (void)flag;
    va_start(ap, fmt);
    int n = vsnprintf(buf, cap < size ? cap : size, fmt, ap);
    va_end(ap);
    return n;
}

int __sprintf_chk(char *buf, int flag, size_t size, const char *fmt, ...);
int __sprintf_chk(char *buf, int flag, size_t size, const char *fmt, ...)
{
    va_list ap;
    (void)flag;
    va_start(ap, fmt);
    int n = vsnprintf(buf, size < INT32_MAX ? size : INT32_MAX, fmt, ap);
    va_end(ap);
    return n;
}
