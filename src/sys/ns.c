/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The child of wick_ns_call is made by fork in a program that may have threads, so until _exit it makes system calls
 * only: no malloc, no stdio, and the raw setresuid and friends, because glibc's wrappers signal all threads.
 *
 * Order matters: namespaces first (they need privileges), groups, gid, uid last.
 */
#include "sys/ns.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/sock.h"

static int ns_link(int dir, const char *name, char *out, size_t cap)
{
    char path[32];
    snprintf(path, sizeof path, "ns/%s", name);
    ssize_t n = readlinkat(dir, path, out, cap - 1);
    if (n < 0)
        return -1;
    out[n] = 0;
    return 0;
}

int wick_ns_same(const struct wick_proc *p, const char *name)
{
    char theirs[64], path[32], ours[64];
    if (ns_link(p->dir, name, theirs, sizeof theirs))
        return -1;
    snprintf(path, sizeof path, "/proc/self/ns/%s", name);
    ssize_t n = readlink(path, ours, sizeof ours - 1);
    if (n < 0)
        return -1;
    ours[n] = 0;
    return !strcmp(ours, theirs);
}

int wick_ns_same_root(const struct wick_proc *p)
{
    struct stat a, b;
    int same = wick_ns_same(p, "mnt");
    if (same != 1)
        return same;
    if (fstatat(p->dir, "root/", &a, 0) || stat("/", &b))
        return -1;
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int wick_ns_root(const struct wick_proc *p)
{
    /* "root" is a magic link: following it is the one step that the target cannot redirect. */
    int fd = openat(p->dir, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0)
        return fd;
    return errno == EACCES || errno == EPERM ? -WICK_E_PERM : -WICK_E_GONE;
}

/* Without openat2 (before Linux 5.6, or filtered by an old container engine): one component after the other, refusing
 * every link and "..". */
static int open_stepwise(int root, const char *path, int flags, mode_t mode)
{
    int at = dup(root);
    while (at >= 0) {
        while (*path == '/')
            path++;
        size_t n = strcspn(path, "/");
        char part[256];
        if (n >= sizeof part || (n == 2 && !memcmp(path, "..", 2))) {
            close(at);
            return -EXDEV;
        }
        memcpy(part, path, n);
        part[n] = 0;
        path += n;
        int next = openat(at, n ? part : ".", *path ? O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC : flags, mode);
        int e = errno;
        close(at);
        if (next < 0)
            return -e;
        if (!*path)
            return next;
        at = next;
    }
    return -errno;
}

int wick_ns_open(int root, const char *path, int flags, mode_t mode)
{
    /* openat2 refuses flags that mean nothing together with O_PATH. */
    flags |= O_NOFOLLOW | O_CLOEXEC | (flags & O_PATH ? 0 : O_NOCTTY);
    struct open_how how = {.flags = (unsigned)flags,
                           .mode = flags & O_CREAT ? mode : 0,
                           .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
    int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof how);
    if (fd < 0 && (errno == ENOSYS || errno == EPERM))
        return open_stepwise(root, path, flags, mode);
    return fd < 0 ? -errno : fd;
}

int wick_ns_open_unlinked(int root, const char *path, int flags, mode_t mode)
{
    flags |= O_NOFOLLOW | O_CLOEXEC | (flags & O_PATH ? 0 : O_NOCTTY);
    struct open_how how = {.flags = (unsigned)flags,
                           .mode = flags & O_CREAT ? mode : 0,
                           .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
    int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof how);
    if (fd < 0 && (errno == ENOSYS || errno == EPERM))
        return open_stepwise(root, path, flags, mode);
    return fd < 0 ? -errno : fd;
}

struct call {
    const struct wick_proc *p;
    bool identity;
    int user_ns, net_ns; /* -1: stay */
};

static bool has_identity(const struct wick_proc_status *st)
{
    return geteuid() == st->euid && getegid() == st->egid;
}

static int become(const struct call *c)
{
    const struct wick_proc_status *st = &c->p->st;
    if (c->user_ns >= 0 && setns(c->user_ns, CLONE_NEWUSER))
        return -errno;
    if (c->net_ns >= 0 && setns(c->net_ns, CLONE_NEWNET))
        return -errno;
    if (!c->identity)
        return 0;
    if (syscall(SYS_setgroups, (long)st->ngroups, st->groups) || syscall(SYS_setresgid, st->egid, st->egid, st->egid) ||
        syscall(SYS_setresuid, st->euid, st->euid, st->euid))
        return -errno;
    return 0;
}

static void child(const struct call *c, int (*fn)(void *, int *), void *arg, int sock)
{
    int fd = -1;
    int rc = become(c);
    if (!rc)
        rc = fn(arg, &fd);
    wick_sock_send(sock, &rc, sizeof rc, &fd, fd >= 0, 0);
    _exit(0);
}

static int call_in_child(const struct call *c, int (*fn)(void *, int *), void *arg, int *fd_out)
{
    int pair[2], rc = -EIO, nfds = 0, fd = -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
        return -errno;
    pid_t pid = fork();
    if (pid == 0)
        child(c, fn, arg, pair[1]);
    close(pair[1]);
    if (pid > 0) {
        int status;
        if (wick_sock_recv(pair[0], &rc, sizeof rc, &fd, 1, &nfds, 0) != sizeof rc)
            rc = -EIO;
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
    } else {
        rc = -errno;
    }
    close(pair[0]);
    if (fd_out)
        *fd_out = fd;
    else if (fd >= 0)
        close(fd);
    return rc;
}

int wick_ns_call(const struct wick_proc *p, unsigned enter, int (*fn)(void *arg, int *fd), void *arg, int *fd_out)
{
    struct call c = {p, false, -1, -1};
    int rc;
    c.identity = (enter & WICK_NS_IDENTITY) && !has_identity(&p->st);
    if ((enter & WICK_NS_NET) && wick_ns_same(p, "net") == 0) {
        c.net_ns = openat(p->dir, "ns/net", O_RDONLY | O_CLOEXEC);
        if (c.net_ns < 0)
            return -errno;
        /* Without privileges the only way into the network of a rootless container is through its user namespace. */
        if (geteuid() != 0 && wick_ns_same(p, "user") == 0)
            c.user_ns = openat(p->dir, "ns/user", O_RDONLY | O_CLOEXEC);
    }
    if (c.identity || c.net_ns >= 0) {
        rc = call_in_child(&c, fn, arg, fd_out);
    } else {
        int fd = -1;
        rc = fn(arg, &fd);
        if (fd_out)
            *fd_out = fd;
        else if (fd >= 0)
            close(fd);
    }
    if (c.net_ns >= 0)
        close(c.net_ns);
    if (c.user_ns >= 0)
        close(c.user_ns);
    return rc;
}
