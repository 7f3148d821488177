/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live_dump.c - a dump that leaves nothing behind
 *
 * The JVM writes where it sees files, as its user, so others of that user or in that container could put something
 * there first. So a directory with a random name and mode 0700 is made below its root directory, with its identity;
 * the dump is opened through the directory's descriptor without following a link, must be a plain file of that user,
 * and then both are removed: what is read is a file without a name. SIGINT, SIGTERM and SIGHUP are held until then, so
 * that an interrupted dump is also removed, with the parts that newer JVMs write with several threads.
 *
 * Of /tmp and /var/tmp the one with more room is taken, and none with less than the process has in RAM, of which a
 * dump takes hardly more. A tmpfs is charged to the JVM's cgroup: there the room is also what all limits above it
 * leave, as otherwise the kernel would kill the JVM for its dump.
 */
#include "heap/live_dump.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/magic.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "sys/attach.h"
#include "sys/cgroup_memory.h"
#include "sys/ns.h"

#define FILE_NAME "heap.hprof"

enum { MOST_PARTS = 64 }; /* files of a dump that several threads write */

/* --- the JVM's directory ------------------------------------------------------------------------------------------ */

struct place {
    int parent, dir; /* descriptors; -1 = not there */
    char name[32];   /* of dir in parent */
    char path[96];   /* of the dump, as the JVM sees it */
    uid_t owner;
};

static int step_make(void *arg, int *fd)
{
    const struct place *p = arg;
    if (mkdirat(p->parent, p->name, 0700))
        return -errno;
    *fd = openat(p->parent, p->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return *fd < 0 ? -errno : 0;
}

static int step_open(void *arg, int *fd)
{
    const struct place *p = arg;
    *fd = openat(p->dir, FILE_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    return *fd < 0 ? -errno : 0;
}

static int step_remove(void *arg, int *fd)
{
    const struct place *p = arg;
    char part[48];
    (void)fd;
    unlinkat(p->dir, FILE_NAME, 0);
    for (int i = 0; i < MOST_PARTS; i++) {
        snprintf(part, sizeof part, FILE_NAME ".p%d", i);
        if (unlinkat(p->dir, part, 0))
            break;
    }
    return unlinkat(p->parent, p->name, AT_REMOVEDIR) ? -errno : 0;
}

/* What the limits of the cgroups around the process leave; UINT64_MAX = there are none. */
static uint64_t room_of_cgroups(const struct wick_proc *p)
{
    struct wick_cgroup levels[WICK_CGROUP_LEVELS];
    struct wick_cgroup_memory m;
    char pid[16];
    uint64_t room = UINT64_MAX;
    snprintf(pid, sizeof pid, "%d", (int)p->pid);
    size_t n = wick_cgroup_levels("", pid, WICK_CGROUP_MEMORY, levels, WICK_CGROUP_LEVELS);
    for (size_t i = 0; i < n; i++) {
        if (!wick_cgroup_memory_read(&levels[i], &m) || !m.limit)
            continue;
        uint64_t needed = wick_cgroup_memory_needed(&m), left = m.limit > needed ? m.limit - needed : 0;
        room = left < room ? left : room;
    }
    return room;
}

/* Bytes that a file there may have. What is in memory is charged to the JVM's cgroup: a dump that leaves no room there
 * would have the kernel kill the JVM. */
static uint64_t free_bytes(const struct wick_proc *p, int dir)
{
    struct statvfs v;
    struct statfs f;
    if (fstatvfs(dir, &v) || fstatfs(dir, &f))
        return 0;
    uint64_t bytes = (uint64_t)v.f_bavail * v.f_frsize;
    bool in_memory = f.f_type == TMPFS_MAGIC || f.f_type == RAMFS_MAGIC;
    uint64_t room = in_memory ? room_of_cgroups(p) : UINT64_MAX;
    return room < bytes ? room : bytes;
}

/* Bytes of the process in RAM: a dump has no more, or hardly. */
static uint64_t resident(const struct wick_proc *p)
{
    struct wick_strbuf text = WICK_STRBUF_INIT;
    unsigned long long size = 0, pages = 0;
    if (!wick_proc_read(p, "statm", &text))
        sscanf(text.buf, "%llu %llu", &size, &pages);
    wick_strbuf_release(&text);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The one of /tmp and /var/tmp with more room; both as the JVM sees them. */
static int choose_parent(const struct wick_proc *p, struct place *place, struct wick_live_dump_room *room,
                         struct wick_err *err)
{
    static const char *const dirs[] = {"/tmp", "/var/tmp"};
    int root = wick_ns_root(p);
    char path[32];
    *room = (struct wick_live_dump_room){.wanted = resident(p)};
    if (root < 0)
        return wick_err_set(err, WICK_E_PERM, "cannot enter the root directory of process %d: run wick as root",
                            (int)p->pid);
    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) {
        snprintf(path, sizeof path, "%s/.", dirs[i]);
        int fd = wick_ns_open(root, path, O_RDONLY | O_DIRECTORY, 0);
        uint64_t bytes = fd >= 0 ? free_bytes(p, fd) : 0;
        if (fd >= 0 && (place->parent < 0 || bytes > room->there)) {
            if (place->parent >= 0)
                close(place->parent);
            room->there = bytes;
            room->dir = dirs[i];
            place->parent = fd;
        } else if (fd >= 0) {
            close(fd);
        }
    }
    close(root);
    if (place->parent < 0)
        return wick_err_set(err, WICK_E_IO, "process %d has neither a /tmp nor a /var/tmp to write a heap dump to",
                            (int)p->pid);
    return room->there < room->wanted ? -WICK_E_NOSPACE : 0;
}

static int make_place(const struct wick_proc *p, struct place *place, struct wick_live_dump_room *room,
                      struct wick_err *err)
{
    unsigned long long random;
    int rc = choose_parent(p, place, room, err);
    if (rc)
        return rc;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        return wick_err_set(err, WICK_E_IO, "the kernel gives no random bytes: %s", strerror(errno));
    snprintf(place->name, sizeof place->name, ".wick-%016llx", random);
    snprintf(place->path, sizeof place->path, "%s/%s/" FILE_NAME, room->dir, place->name);
    place->owner = p->st.euid;
    rc = wick_ns_call(p, WICK_NS_IDENTITY, step_make, place, &place->dir);
    return rc ? wick_err_set(err, rc == -EACCES || rc == -EPERM || rc == -EROFS ? WICK_E_PERM : WICK_E_IO,
                             "cannot make a directory in the %s of process %d as its user: %s", room->dir, (int)p->pid,
                             strerror(-rc))
              : 0;
}

static void remove_place(const struct wick_proc *p, struct place *place)
{
    if (place->dir >= 0) {
        wick_ns_call(p, WICK_NS_IDENTITY, step_remove, place, NULL);
        close(place->dir);
    }
    if (place->parent >= 0)
        close(place->parent);
}

/* The dump, if it is the plain file that the JVM has made, and nothing else. */
static int open_dump(const struct wick_proc *p, struct place *place, struct wick_err *err)
{
    struct stat st;
    int fd = -1, rc = wick_ns_call(p, WICK_NS_IDENTITY, step_open, place, &fd);
    if (rc)
        return wick_err_set(err, WICK_E_IO, "process %d says that it has written %s, but it cannot be opened: %s",
                            (int)p->pid, place->path, strerror(-rc));
    if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != place->owner) {
        close(fd);
        return wick_err_set(err, WICK_E_PERM, "%s of process %d is not a plain file of its user: refused", place->path,
                            (int)p->pid);
    }
    return fd;
}

/* --- the dump ----------------------------------------------------------------------------------------------------- */

static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
    interrupted = sig;
}

/* While the JVM writes, a signal that would end wick is kept until what was made has been removed. */
static void hold_signals(struct sigaction *before, bool hold)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction mine = {.sa_handler = on_signal};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], hold ? &mine : &before[i], hold ? &before[i] : NULL);
}

int wick_live_dump_take(struct wick_proc *p, bool live, struct wick_live_dump_room *room, struct wick_err *err)
{
    struct place place = {.parent = -1, .dir = -1};
    struct wick_strbuf reply = WICK_STRBUF_INIT;
    struct sigaction before[3];
    hold_signals(before, true);
    int rc = make_place(p, &place, room, err);
    if (!rc)
        rc = wick_attach_command(p, "dumpheap", place.path, live ? "-live" : "-all", WICK_ATTACH_HEAP_NS, &reply, err);
    if (!rc && interrupted)
        rc = wick_err_set(err, WICK_E_INTR, "interrupted");
    if (!rc)
        rc = open_dump(p, &place, err);
    remove_place(p, &place);
    hold_signals(before, false);
    wick_strbuf_release(&reply);
    return rc;
}
