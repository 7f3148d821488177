/* SPDX-License-Identifier: Apache-2.0 */
#include "faults.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <cmocka.h>

enum { MOST = 100000, MOST_PLACES = 4096, TRIES = 10 };

FILE *__real_fopen64(const char *path, const char *mode);

struct fault_state {
    bool armed, fired;
    enum faults_kind kind;
    unsigned left; /* calls before the one that fails */
    uint32_t at;   /* or the place that fails, 0 = any */
};
static _Thread_local struct fault_state own_fault, *followed; /* the second: that of the thread that started this one */
#define fault (*(followed ? followed : &own_fault))
bool faults_follow;

/* Where faults could be met, and were: return addresses, relative to the program. tests/unit/faults_cover.py reads
 * those that were, each with the word for what happened to it. */
static struct {
    struct place {
        uint32_t at;
        enum faults_kind kind;
        bool failed;
    } of[MOST_PLACES];
    unsigned n;
} places;

extern const char __executable_start[];

static struct place *place(const void *returns_to, enum faults_kind kind)
{
    uint32_t at = (uint32_t)((uintptr_t)returns_to - (uintptr_t)__executable_start);
    for (unsigned i = 0; i < places.n; i++)
        if (places.of[i].at == at && places.of[i].kind == kind)
            return &places.of[i];
    if (places.n == MOST_PLACES)
        abort();
    places.of[places.n] = (struct place){at, kind, false};
    return &places.of[places.n++];
}

__attribute__((destructor)) static void write_places(void)
{
    static const char *const words[] = {
        [FAULTS_MEMORY] = "taken",         [FAULTS_DESCRIPTORS] = "taken",      [FAULTS_READ_EIO] = "refused",
        [FAULTS_WRITE_ENOSPC] = "refused", [FAULTS_READ_EINTR] = "interrupted", [FAULTS_WRITE_EINTR] = "interrupted",
        [FAULTS_READ_SHORT] = "short",     [FAULTS_WRITE_SHORT] = "short"};
    const char *path = getenv("WICK_FAULTS_PLACES");
    FILE *f = path ? __real_fopen64(path, "ae") : NULL;
    for (unsigned i = 0; f && i < places.n; i++)
        if (places.of[i].failed)
            fprintf(f, "%x %s\n", places.of[i].at, words[places.of[i].kind]);
    if (f)
        fclose(f);
}

/* Whether this call, to which a fault of that kind could happen, is the one. */
static bool strikes(enum faults_kind kind, const void *returns_to)
{
    if (!fault.armed || fault.kind != kind)
        return false;
    struct place *p = place(returns_to, kind);
    if (fault.at ? p->at != fault.at : fault.left-- > 0)
        return false;
    p->failed = true;
    fault.armed = false;
    fault.fired = true;
    return true;
}

static bool fails(enum faults_kind kind, int error, const void *returns_to)
{
    if (!strikes(kind, returns_to))
        return false;
    errno = error;
    return true;
}

#define CALLER __builtin_return_address(0)

/* WRAP(function, returned, what it fails with, error, kind, (parameters), (arguments)) */
#define WRAP(name, type, failed, error, kind, parameters, arguments)          \
    type __real_##name parameters;                                            \
    type __wrap_##name parameters;                                            \
    type __wrap_##name parameters                                             \
    {                                                                         \
        return fails(kind, error, CALLER) ? failed : __real_##name arguments; \
    }

WRAP(malloc, void *, NULL, ENOMEM, FAULTS_MEMORY, (size_t n), (n))
WRAP(calloc, void *, NULL, ENOMEM, FAULTS_MEMORY, (size_t n, size_t size), (n, size))
WRAP(realloc, void *, NULL, ENOMEM, FAULTS_MEMORY, (void *p, size_t n), (p, n))
WRAP(reallocarray, void *, NULL, ENOMEM, FAULTS_MEMORY, (void *p, size_t n, size_t size), (p, n, size))
WRAP(strdup, char *, NULL, ENOMEM, FAULTS_MEMORY, (const char *s), (s))
WRAP(strndup, char *, NULL, ENOMEM, FAULTS_MEMORY, (const char *s, size_t n), (s, n))
WRAP(mmap64, void *, MAP_FAILED, ENOMEM, FAULTS_MEMORY, (void *at, size_t n, int prot, int flags, int fd, off_t offset),
     (at, n, prot, flags, fd, offset))
WRAP(mremap, void *, MAP_FAILED, ENOMEM, FAULTS_MEMORY, (void *p, size_t n, size_t more, int flags),
     (p, n, more, flags))
WRAP(memfd_create, int, -1, EMFILE, FAULTS_DESCRIPTORS, (const char *name, unsigned flags), (name, flags))
WRAP(fopen64, FILE *, NULL, EMFILE, FAULTS_DESCRIPTORS, (const char *path, const char *mode), (path, mode))
WRAP(opendir, DIR *, NULL, EMFILE, FAULTS_DESCRIPTORS, (const char *path), (path))
WRAP(fdopendir, DIR *, NULL, ENOMEM, FAULTS_DESCRIPTORS, (int fd), (fd))
WRAP(eventfd, int, -1, EMFILE, FAULTS_DESCRIPTORS, (unsigned count, int flags), (count, flags))
WRAP(socket, int, -1, EMFILE, FAULTS_DESCRIPTORS, (int domain, int type, int protocol), (domain, type, protocol))
WRAP(dup, int, -1, EMFILE, FAULTS_DESCRIPTORS, (int fd), (fd))
WRAP(dlopen, void *, NULL, ENOMEM, FAULTS_DESCRIPTORS, (const char *path, int flags), (path, flags))

/* A thread that is started with the faults of who starts it. */
static struct {
    void *(*start)(void *);
    void *arg;
    struct fault_state *faults;
} follower;

static void *follow(void *arg)
{
    followed = follower.faults;
    return follower.start(follower.arg);
}

int __real_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*start)(void *), void *arg);
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*start)(void *), void *arg);
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*start)(void *), void *arg)
{
    if (fails(FAULTS_DESCRIPTORS, EAGAIN, CALLER))
        return EAGAIN;
    if (!faults_follow)
        return __real_pthread_create(t, a, start, arg);
    follower.start = start;
    follower.arg = arg;
    follower.faults = &fault;
    return __real_pthread_create(t, a, follow, NULL);
}

int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    int mode = va_arg(ap, int); /* read only where flags say that there is one */
    va_end(ap);
    return fails(FAULTS_DESCRIPTORS, EMFILE, CALLER) ? -1 : __real_open64(path, flags, mode);
}

int __real_openat64(int dir, const char *path, int flags, ...);
int __wrap_openat64(int dir, const char *path, int flags, ...);
int __wrap_openat64(int dir, const char *path, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    int mode = va_arg(ap, int);
    va_end(ap);
    return fails(FAULTS_DESCRIPTORS, EMFILE, CALLER) ? -1 : __real_openat64(dir, path, flags, mode);
}

/* Only what makes a new descriptor fails. */
int __real_fcntl64(int fd, int command, ...);
int __wrap_fcntl64(int fd, int command, ...);
int __wrap_fcntl64(int fd, int command, ...)
{
    va_list ap;
    va_start(ap, command);
    long value = va_arg(ap, long);
    va_end(ap);
    return command == F_DUPFD_CLOEXEC && fails(FAULTS_DESCRIPTORS, EMFILE, CALLER) ? -1
                                                                                   : __real_fcntl64(fd, command, value);
}

/* Those that make something new; all others go on to the kernel as they are. */
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
    bool takes = number == SYS_perf_event_open || number == SYS_pidfd_open || number == SYS_memfd_create ||
                 number == SYS_openat2 || number == SYS_timer_create;
    long a[6] = {0};
    size_t n =
        number == SYS_process_vm_readv ? 6 : 5; /* five are in registers, passed or not; the sixth is on the stack */
    va_list ap;
    va_start(ap, number);
    for (size_t i = 0; i < n; i++)
        a[i] = va_arg(ap, long);
    va_end(ap);
    return takes && fails(FAULTS_DESCRIPTORS, number == SYS_timer_create ? EAGAIN : EMFILE, CALLER)
               ? -1
               : __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static bool read_fails(const void *returns_to)
{
    return fails(FAULTS_READ_EIO, EIO, returns_to) || fails(FAULTS_READ_EINTR, EINTR, returns_to);
}

static bool write_fails(const void *returns_to)
{
    return fails(FAULTS_WRITE_ENOSPC, ENOSPC, returns_to) || fails(FAULTS_WRITE_EINTR, EINTR, returns_to);
}

/* How much of n bytes a call is let do. */
static size_t some(size_t n, enum faults_kind kind, const void *returns_to)
{
    return n > 1 && strikes(kind, returns_to) ? 1 : n;
}

/* An eventfd is none: no call on it fails in these ways. */
static bool is_file(int fd)
{
    struct stat st;
    return !fault.armed || fstat(fd, &st) || st.st_mode & S_IFMT;
}

ssize_t __real_read(int fd, void *buf, size_t n);
ssize_t __wrap_read(int fd, void *buf, size_t n);
ssize_t __wrap_read(int fd, void *buf, size_t n)
{
    if (!is_file(fd))
        return __real_read(fd, buf, n);
    return read_fails(CALLER) ? -1 : __real_read(fd, buf, some(n, FAULTS_READ_SHORT, CALLER));
}

ssize_t __real_pread64(int fd, void *buf, size_t n, off_t at);
ssize_t __wrap_pread64(int fd, void *buf, size_t n, off_t at);
ssize_t __wrap_pread64(int fd, void *buf, size_t n, off_t at)
{
    return read_fails(CALLER) ? -1 : __real_pread64(fd, buf, some(n, FAULTS_READ_SHORT, CALLER), at);
}

ssize_t __real_write(int fd, const void *buf, size_t n);
ssize_t __wrap_write(int fd, const void *buf, size_t n);
ssize_t __wrap_write(int fd, const void *buf, size_t n)
{
    if (!is_file(fd))
        return __real_write(fd, buf, n);
    return write_fails(CALLER) ? -1 : __real_write(fd, buf, some(n, FAULTS_WRITE_SHORT, CALLER));
}

ssize_t __real_pwrite64(int fd, const void *buf, size_t n, off_t at);
ssize_t __wrap_pwrite64(int fd, const void *buf, size_t n, off_t at);
ssize_t __wrap_pwrite64(int fd, const void *buf, size_t n, off_t at)
{
    return write_fails(CALLER) ? -1 : __real_pwrite64(fd, buf, some(n, FAULTS_WRITE_SHORT, CALLER), at);
}

ssize_t __real_pwritev64(int fd, const struct iovec *iov, int n, off_t at);
ssize_t __wrap_pwritev64(int fd, const struct iovec *iov, int n, off_t at);
ssize_t __wrap_pwritev64(int fd, const struct iovec *iov, int n, off_t at)
{
    if (write_fails(CALLER))
        return -1;
    if (n && iov->iov_len > 1 && strikes(FAULTS_WRITE_SHORT, CALLER))
        return __real_pwrite64(fd, iov->iov_base, 1, at);
    return __real_pwritev64(fd, iov, n, at);
}

/* --- sockets --- */

static bool recv_fails(const void *returns_to)
{
    return fails(FAULTS_READ_EIO, ECONNRESET, returns_to) || fails(FAULTS_READ_EINTR, EINTR, returns_to);
}

static bool send_fails(const void *returns_to)
{
    return fails(FAULTS_WRITE_ENOSPC, ECONNRESET, returns_to) || fails(FAULTS_WRITE_EINTR, EINTR, returns_to);
}

int __real_accept4(int fd, struct sockaddr *from, socklen_t *len, int flags);
int __wrap_accept4(int fd, struct sockaddr *from, socklen_t *len, int flags);
int __wrap_accept4(int fd, struct sockaddr *from, socklen_t *len, int flags)
{
    bool bad = fails(FAULTS_DESCRIPTORS, EMFILE, CALLER) || fails(FAULTS_READ_EINTR, EINTR, CALLER);
    return bad ? -1 : __real_accept4(fd, from, len, flags);
}

ssize_t __real_recv(int fd, void *buf, size_t n, int flags);
ssize_t __wrap_recv(int fd, void *buf, size_t n, int flags);
ssize_t __wrap_recv(int fd, void *buf, size_t n, int flags)
{
    return recv_fails(CALLER) ? -1 : __real_recv(fd, buf, some(n, FAULTS_READ_SHORT, CALLER), flags);
}

ssize_t __real_send(int fd, const void *buf, size_t n, int flags);
ssize_t __wrap_send(int fd, const void *buf, size_t n, int flags);
ssize_t __wrap_send(int fd, const void *buf, size_t n, int flags)
{
    return send_fails(CALLER) ? -1 : __real_send(fd, buf, some(n, FAULTS_WRITE_SHORT, CALLER), flags);
}

/* Packets are whole: these know no pieces. */
ssize_t __real_sendmsg(int fd, const struct msghdr *m, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *m, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *m, int flags)
{
    return send_fails(CALLER) ? -1 : __real_sendmsg(fd, m, flags);
}

/* As if no number had been left for the descriptors that a packet brings: it comes without them. */
static void lose_descriptors(struct msghdr *m)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
        int *fds = (int *)(void *)CMSG_DATA(c);
        for (size_t i = 0; i < (c->cmsg_len - CMSG_LEN(0)) / sizeof *fds; i++)
            close(fds[i]);
    }
    m->msg_controllen = 0;
    m->msg_flags |= MSG_CTRUNC;
}

ssize_t __real_recvmsg(int fd, struct msghdr *m, int flags);
ssize_t __wrap_recvmsg(int fd, struct msghdr *m, int flags);
ssize_t __wrap_recvmsg(int fd, struct msghdr *m, int flags)
{
    if (recv_fails(CALLER))
        return -1;
    ssize_t n = __real_recvmsg(fd, m, flags);
    if (n >= 0 && CMSG_FIRSTHDR(m) && strikes(FAULTS_DESCRIPTORS, CALLER))
        lose_descriptors(m);
    return n;
}

/* --- attempts --- */

/* How many there are. */
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

/* One attempt; whether a fault was met in it. */
static bool met(enum faults_kind kind, unsigned n, uint32_t at, faults_attempt *attempt, void *arg)
{
    static const bool harmless[] = {[FAULTS_READ_EINTR] = true,
                                    [FAULTS_READ_SHORT] = true,
                                    [FAULTS_WRITE_EINTR] = true,
                                    [FAULTS_WRITE_SHORT] = true};
    int before = open_descriptors();
    fault.kind = kind;
    fault.left = n;
    fault.at = at;
    fault.fired = false;
    fault.armed = true;
    int rc = attempt(arg);
    fault.armed = false;
    if (open_descriptors() != before)
        fail_msg("kind %d, fault %u: a descriptor is lost", kind, n);
    if (rc && (!fault.fired || (kind < sizeof harmless && harmless[kind])))
        fail_msg("kind %d, fault %u (%s): the attempt returns %d", kind, n, fault.fired ? "met" : "none", rc);
    return fault.fired;
}

unsigned faults_each(enum faults_kind kind, faults_attempt *attempt, void *arg)
{
    unsigned first = places.n, n = 0;
    while (met(kind, n, 0, attempt, arg))
        if (++n == MOST)
            fail_msg("kind %d: there is no end of faults", kind);
    /* Where threads or the machine have a part in it, two attempts are not the same call by call. */
    for (unsigned i = first; i < places.n; i++)
        for (int tries = 0; tries < TRIES && !places.of[i].failed && places.of[i].kind == kind; tries++)
            n += met(kind, n, places.of[i].at, attempt, arg);
    return n;
}
