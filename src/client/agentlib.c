/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The target loads the agent with its own eyes: its mounts, its root, its user. Where our path does not work for it, a
 * copy goes into its own temporary directory. The copy is created as the target's user (so the owner is right and
 * nothing is done there that this user could not do), under a random name, O_EXCL; filled through the descriptor; and
 * removed as soon as the JVM has mapped it.
 */
#include "client/agentlib.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "sys/buildnote.h"
#include "sys/ns.h"
#include "sys/whole.h"

#ifndef WICK_LIBDIR
#define WICK_LIBDIR "/usr/local/lib"
#endif

int wick_agentlib_find(const char *given, char *out, size_t cap, struct wick_err *err)
{
    static const char *const beside[] = {"/libwick.so", "/../lib/libwick.so"};
    char dir[PATH_MAX / 2], path[PATH_MAX], real[PATH_MAX];
    if (*given) {
        if (!realpath(given, real))
            return wick_err_set(err, WICK_E_NOTFOUND, "--lib %s: %s", given, strerror(errno));
        snprintf(out, cap, "%s", real);
        return 0;
    }
    ssize_t n = readlink("/proc/self/exe", dir, sizeof dir - 1);
    dir[n > 0 ? n : 0] = 0;
    char *slash = strrchr(dir, '/');
    if (slash)
        *slash = 0;
    for (size_t i = 0; i <= sizeof beside / sizeof *beside; i++) {
        if (i < sizeof beside / sizeof *beside)
            snprintf(path, sizeof path, "%s%s", dir, beside[i]);
        else
            snprintf(path, sizeof path, "%s/libwick.so", WICK_LIBDIR);
        if (realpath(path, real)) {
            snprintf(out, cap, "%s", real);
            return 0;
        }
    }
    return wick_err_set(err, WICK_E_NOTFOUND, "libwick.so is neither beside %s nor in %s: reinstall wick, or use --lib",
                        dir, WICK_LIBDIR);
}

static bool read_build_id(int fd, char *out)
{
    Elf64_Ehdr eh;
    if (wick_whole_pread(fd, &eh, sizeof eh, 0) != sizeof eh || memcmp(eh.e_ident, ELFMAG, SELFMAG) ||
        eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_phentsize != sizeof(Elf64_Phdr))
        return false;
    for (int i = 0; i < eh.e_phnum; i++) {
        Elf64_Phdr ph;
        uint8_t note[1024];
        if (wick_whole_pread(fd, &ph, sizeof ph, (off_t)(eh.e_phoff + (size_t)i * sizeof ph)) != sizeof ph)
            return false;
        if (ph.p_type != PT_NOTE || ph.p_filesz > sizeof note)
            continue;
        if (wick_whole_pread(fd, note, ph.p_filesz, (off_t)ph.p_offset) == (ssize_t)ph.p_filesz &&
            wick_buildnote_find(note, ph.p_filesz, out))
            return true;
    }
    return false;
}

int wick_agentlib_build_id(const char *path, char *out, struct wick_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return wick_err_set(err, WICK_E_NOTFOUND, "cannot open %s: %s", path, strerror(errno));
    bool ok = read_build_id(fd, out);
    close(fd);
    return ok ? 0 : wick_err_set(err, WICK_E_FORMAT, "%s is not an agent library with a build id", path);
}

/* --- steps that run as the target's user --- */

static int step_readable(void *arg, int *fd)
{
    (void)fd;
    /* The child's real and effective ids are both the target's, so access() answers for it. */
    return access(arg, R_OK) ? -errno : 0;
}

static int step_create(void *arg, int *fd)
{
    const struct wick_agentlib_place *place = arg;
    *fd = openat(place->dir, place->name, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0500);
    return *fd < 0 ? -errno : 0;
}

static int step_unlink(void *arg, int *fd)
{
    const struct wick_agentlib_place *place = arg;
    (void)fd;
    return unlinkat(place->dir, place->name, 0) ? -errno : 0;
}

static int copy_all(int from, int to)
{
    char buf[65536];
    for (;;) {
        ssize_t n = read(from, buf, sizeof buf);
        if (n == 0)
            return 0;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        int error = wick_whole_write(to, buf, (size_t)n);
        if (error)
            return -error;
    }
}

/* Puts a copy into one directory of the target. 0 or -errno. */
static int copy_into(const struct wick_proc *p, int root, const char *dir, int from, struct wick_agentlib_place *place)
{
    struct statvfs vfs;
    unsigned long long random;
    int fd = -1;
    char path[64];
    snprintf(path, sizeof path, "%s/.", dir);
    place->dir = wick_ns_open(root, path, O_RDONLY | O_DIRECTORY, 0);
    if (place->dir < 0)
        return place->dir;
    int rc = fstatvfs(place->dir, &vfs) ? -errno : vfs.f_flag & ST_NOEXEC ? -EACCES : 0;
    if (!rc && getrandom(&random, sizeof random, 0) != sizeof random)
        rc = -EIO;
    if (!rc) {
        snprintf(place->name, sizeof place->name, ".wick-%016llx.so", random);
        snprintf(place->path, sizeof place->path, "%s/%s", dir, place->name);
        rc = wick_ns_call(p, WICK_NS_IDENTITY, step_create, place, &fd);
    }
    if (!rc) {
        rc = lseek(from, 0, SEEK_SET) < 0 ? -errno : copy_all(from, fd);
        if (rc)
            wick_ns_call(p, WICK_NS_IDENTITY, step_unlink, place, NULL);
    }
    if (fd >= 0)
        close(fd);
    if (rc) {
        close(place->dir);
        place->dir = -1;
    }
    return rc;
}

static int copy_somewhere(const struct wick_proc *p, const char *path, struct wick_agentlib_place *place,
                          struct wick_err *err)
{
    static const char *const dirs[] = {"/tmp", "/dev/shm", "/var/tmp"};
    struct wick_strbuf why = WICK_STRBUF_INIT;
    int root = wick_ns_root(p), from = open(path, O_RDONLY | O_CLOEXEC), rc = -EIO;
    bool full = false;
    for (size_t i = 0; root >= 0 && from >= 0 && rc && i < sizeof dirs / sizeof *dirs; i++) {
        rc = copy_into(p, root, dirs[i], from, place);
        full |= rc == -ENOSPC || rc == -EDQUOT;
        if (rc)
            wick_strbuf_addf(&why, "%s%s: %s", why.len ? ", " : "", dirs[i], strerror(-rc));
    }
    if (from < 0)
        rc = wick_err_set(err, WICK_E_NOTFOUND, "cannot open %s: %s", path, strerror(errno));
    else if (root < 0)
        rc = wick_err_set(err, WICK_E_PERM, "cannot enter the root directory of process %d: run wick as root",
                          (int)p->pid);
    else if (rc)
        rc = wick_err_set(err, full ? WICK_E_NOSPACE : WICK_E_IO,
                          "process %d cannot see %s, and no copy can be put where it could (%s): mount a writable, "
                          "executable directory there, or start it with -agentpath",
                          (int)p->pid, path, why.buf);
    wick_strbuf_release(&why);
    if (root >= 0)
        close(root);
    if (from >= 0)
        close(from);
    return rc;
}

int wick_agentlib_place(const struct wick_proc *p, const char *path, bool unique, struct wick_agentlib_place *place,
                        struct wick_err *err)
{
    *place = (struct wick_agentlib_place){.dir = -1};
    if (!unique && wick_ns_same_root(p) == 1 && !wick_ns_call(p, WICK_NS_IDENTITY, step_readable, (void *)path, NULL)) {
        snprintf(place->path, sizeof place->path, "%s", path);
        return 0;
    }
    return copy_somewhere(p, path, place, err);
}

void wick_agentlib_unplace(const struct wick_proc *p, struct wick_agentlib_place *place)
{
    if (place->dir < 0)
        return;
    wick_ns_call(p, WICK_NS_IDENTITY, step_unlink, place, NULL);
    close(place->dir);
    place->dir = -1;
}
