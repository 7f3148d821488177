/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_file.c - see host_file.h
 *
 * Nothing here waits for the server of a file system: to open a name only (O_PATH) through map_files looks up no path,
 * and what statx() gives without synchronising is what the kernel has, the device among it.
 */
#include "ebpf/host_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "sys/maps.h"
#include "sys/proc.h"

enum { DEVICES = 65536 };

/* --- devices --- */

static bool is_known(const struct wick_host_devices *d, uint64_t device)
{
    for (uint32_t i = 0; i < d->n; i++)
        if (d->device[i] == device)
            return true;
    return false;
}

static void add_device(struct wick_host_devices *d, uint64_t device)
{
    if (is_known(d, device) || d->n == DEVICES)
        return;
    if (d->n == d->cap) {
        uint32_t cap = d->cap ? d->cap * 2 : 32;
        void *bigger = reallocarray(d->device, cap, sizeof *d->device);
        if (!bigger)
            return;
        d->device = bigger;
        d->cap = cap;
    }
    d->device[d->n++] = device;
}

/* The device that stat() shows for files under a mount point, which Btrfs makes up for each subvolume. */
static void add_shown_device(struct wick_host_devices *d, const char *mount)
{
    struct statx st;
    if (!strchr(mount, '\\') && !statx(AT_FDCWD, mount, AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC, STATX_TYPE, &st))
        add_device(d, wick_host_device(st.stx_dev_major, st.stx_dev_minor));
}

static bool is_one_of(const char *type, const char *const *types, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(type, types[i]))
            return true;
    return false;
}

/* What is on a device, or in memory, and in no hands but the kernel's. */
static bool is_served_by_kernel(const char *type)
{
    static const char *const types[] = {"tmpfs", "ramfs", "hugetlbfs", "ext2",     "ext3",  "ext4",    "xfs",
                                        "btrfs", "f2fs",  "zfs",       "bcachefs", "erofs", "squashfs"};
    return is_one_of(type, types, sizeof types / sizeof *types);
}

/* To open a file that the kernel makes up may have an effect. */
static bool is_refused(const char *type)
{
    static const char *const types[] = {"proc",       "sysfs",    "debugfs", "tracefs",
                                        "securityfs", "configfs", "devpts",  "mqueue"};
    return !strncmp(type, "fuse", 4) || is_one_of(type, types, sizeof types / sizeof *types);
}

/* A line is "36 35 98:0 /root /mount/point rw,noatime master:1 - ext4 /dev/sda1 rw". */
static void add_line(struct wick_host_devices *d, const char *line, bool strict)
{
    unsigned major, minor;
    char mount[4096], type[64];
    const char *dash = strstr(line, " - ");
    if (!dash || sscanf(line, "%*u %*u %u:%u %*s %4095s", &major, &minor, mount) != 3 ||
        sscanf(dash, " - %63s", type) != 1 || is_refused(type) || (strict && !is_served_by_kernel(type)))
        return;
    add_device(d, wick_host_device(major, minor));
    if (!strict && !strcmp(type, "btrfs"))
        add_shown_device(d, mount);
}

void wick_host_devices_add(struct wick_host_devices *d, char *mountinfo, bool strict)
{
    char *save = NULL;
    for (char *line = strtok_r(mountinfo, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        add_line(d, line, strict);
}

/* The kernel's own mounts of memory that is shared, of small pages and of huge ones. */
static void add_memory(struct wick_host_devices *d)
{
    static const unsigned flags[] = {MFD_CLOEXEC, MFD_CLOEXEC | MFD_HUGETLB | MFD_HUGE_2MB,
                                     MFD_CLOEXEC | MFD_HUGETLB | MFD_HUGE_1GB};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        struct stat st;
        int fd = memfd_create("wick", flags[i]);
        if (fd >= 0 && !fstat(fd, &st))
            add_device(d, wick_host_device(major(st.st_dev), minor(st.st_dev)));
        if (fd >= 0)
            close(fd);
    }
}

static void add_text(struct wick_host_devices *d, const char *path, bool strict)
{
    struct wick_strbuf text = WICK_STRBUF_INIT;
    if (!wick_proc_read_at(AT_FDCWD, path, &text) && !text.failed && text.len)
        wick_host_devices_add(d, text.buf, strict);
    wick_strbuf_release(&text);
}

/* Whether mounts came or went since the last call; the kernel says so by poll(). The first call says yes. */
static bool have_changed(struct wick_host_devices *d)
{
    static const char *const texts[] = {"/proc/self/mountinfo", "/proc/1/mountinfo"};
    struct pollfd p[2];
    bool first = !d->mounts[0];
    for (int i = 0; i < 2; i++) {
        if (first)
            d->mounts[i] = open(texts[i], O_RDONLY | O_CLOEXEC);
        p[i] = (struct pollfd){d->mounts[i], POLLPRI, 0};
    }
    return poll(p, 2, 0) > 0 || first;
}

/* Whether a process sees the mounts that wick or process 1 sees. */
static bool shares_mounts(int pid)
{
    char path[40];
    struct stat its, known;
    snprintf(path, sizeof path, "/proc/%d/ns/mnt", pid);
    return !stat(path, &its) && ((!stat("/proc/self/ns/mnt", &known) && known.st_ino == its.st_ino) ||
                                 (!stat("/proc/1/ns/mnt", &known) && known.st_ino == its.st_ino));
}

void wick_host_devices_update(struct wick_host_devices *d, int pid)
{
    char path[40];
    if (have_changed(d)) {
        d->n = 0; /* the number of a device that was removed may be another's now */
        add_memory(d);
        add_text(d, "/proc/self/mountinfo", false);
        add_text(d, "/proc/1/mountinfo", false);
        d->nown = d->n;
    }
    d->n = d->nown;
    if (shares_mounts(pid))
        return; /* they can be thousands */
    snprintf(path, sizeof path, "/proc/%d/mountinfo", pid);
    add_text(d, path, true);
}

bool wick_host_devices_allow(const struct wick_host_devices *d, uint64_t device)
{
    return is_known(d, device);
}

void wick_host_devices_release(struct wick_host_devices *d)
{
    for (int i = 0; i < 2; i++)
        if (d->mounts[i] > 0)
            close(d->mounts[i]);
    free(d->device);
    *d = (struct wick_host_devices){0};
}

/* --- files --- */

/* The name of the file that is mapped at addr, not opened for reading; negative = an error. */
static int open_mapped_name(int proc, wick_addr addr, struct wick_host_file *out)
{
    struct wick_maps maps;
    struct wick_mapping m;
    char name[64] = "";
    int rc = wick_maps_open(&maps, proc);
    if (rc)
        return rc;
    while (!*name && wick_maps_next(&maps, &m) == 1 && m.lo <= addr)
        if (addr < m.hi && m.file) {
            snprintf(name, sizeof name, "map_files/%lx-%lx", (unsigned long)m.lo, (unsigned long)m.hi);
            out->offset = m.offset + (addr - m.lo);
            out->lo = m.lo;
            out->hi = m.hi;
            out->shown = m.inode;
        }
    wick_maps_close(&maps);
    int fd = *name ? openat(proc, name, O_PATH | O_CLOEXEC) : -1;
    return fd >= 0 ? fd : *name && (errno == EPERM || errno == EACCES) ? -WICK_E_PERM : -WICK_E_NOTFOUND;
}

static int64_t as_ns(struct statx_timestamp t)
{
    return t.tv_sec * 1000000000 + t.tv_nsec;
}

static struct wick_host_file_id id_of(const struct statx *st)
{
    return (struct wick_host_file_id){
        .device = wick_host_device(st->stx_dev_major, st->stx_dev_minor),
        .inode = st->stx_ino,
        .size = st->stx_size,
        .modified_ns = as_ns(st->stx_mtime),
        .changed_ns = as_ns(st->stx_ctime),
    };
}

bool wick_host_file_is(int fd, const struct wick_host_file_id *id)
{
    struct statx st;
    if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_BASIC_STATS, &st))
        return false;
    const struct wick_host_file_id now = id_of(&st);
    return !memcmp(&now, id, sizeof now);
}

/* Opens for reading what is known by its name, if it is a regular file on a device that is allowed. */
static int open_allowed(const struct wick_host_devices *d, int name, struct wick_host_file *out)
{
    struct statx st;
    char path[32];
    if (statx(name, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_BASIC_STATS, &st))
        return -WICK_E_NOTFOUND;
    out->id = id_of(&st);
    if (!S_ISREG(st.stx_mode) || !wick_host_devices_allow(d, out->id.device))
        return -WICK_E_NOTFOUND;
    snprintf(path, sizeof path, "/proc/self/fd/%d", name);
    out->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    return out->fd >= 0 ? 0 : -WICK_E_PERM;
}

int wick_host_file_open(struct wick_host_devices *d, int pid, wick_addr addr, struct wick_host_file *out)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%d", pid);
    int proc = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (proc < 0)
        return -WICK_E_GONE;
    wick_host_devices_update(d, pid);
    int name = open_mapped_name(proc, addr, out);
    close(proc);
    if (name < 0)
        return name;
    int rc = open_allowed(d, name, out);
    close(name);
    return rc;
}
