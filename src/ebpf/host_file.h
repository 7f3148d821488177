/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_file.h - the files that other processes have mapped, opened without asking a process for anything
 *
 * A path that a process shows leads where its owner chooses, and a file system that is served by a process (FUSE)
 * answers when that chooses to, or never. So a file is opened through /proc/PID/map_files, which leads to the file that
 * is mapped there and to no other, and only if it is on a device that is
 *
 *      mounted in this mount namespace or in that of process 1, where root mounts, and not FUSE
 *      mounted in the process's own, and of a type that the kernel itself serves
 *
 * A file is known by what the kernel says of it, not by a build id, which anybody can write into a file of his own.
 *
 * Memory:  a few bytes for each device, two descriptors.
 */
#ifndef WICK_EBPF_HOST_FILE_H
#define WICK_EBPF_HOST_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "mem/mem.h"

/* Devices whose files may be read. */
struct wick_host_devices {
    uint64_t *device; /* first those of this namespace and of process 1, then those of the process */
    uint32_t n, cap, nown;
    int mounts[2]; /* mountinfo of this process and of process 1, which say when they change; 0 = not open */
};

/* What a file was when it was opened: the same identity is the same content. A change time cannot be set by hand. */
struct wick_host_file_id {
    uint64_t device, inode, size;
    int64_t modified_ns, changed_ns;
};

struct wick_host_file {
    int fd;
    uint64_t offset;  /* of the address in it */
    wick_addr lo, hi; /* of the mapping */
    uint64_t shown;   /* its inode as the mapping shows it */
    struct wick_host_file_id id;
};

/* A device by its numbers, as in /proc/PID/maps and mountinfo. */
static inline uint64_t wick_host_device(unsigned major, unsigned minor)
{
    return (uint64_t)major << 32 | minor;
}

/* Adds the devices of a text of mountinfo: all but those of FUSE and of the kernel's own files, such as /proc, or if
 * `strict` those of types that the kernel itself serves. */
void wick_host_devices_add(struct wick_host_devices *d, char *mountinfo, bool strict);

/* Reads the mounts again if they have changed, and those of process pid: before a few calls of _allow for it. */
void wick_host_devices_update(struct wick_host_devices *d, int pid);

/* Whether files on that device may be read. */
bool wick_host_devices_allow(const struct wick_host_devices *d, uint64_t device);

void wick_host_devices_release(struct wick_host_devices *d);

/* Opens the regular file that process `pid` has mapped at an address. 0, -WICK_E_NOTFOUND (there is none, or on a
 * device that is not allowed), -WICK_E_PERM or -WICK_E_GONE. */
int wick_host_file_open(struct wick_host_devices *d, int pid, wick_addr addr, struct wick_host_file *out);

/* Whether what was read of an open file is the content of that identity: asked afterwards. In a file system of layers
 * the same descriptor reads another file once that has been written. */
bool wick_host_file_is(int fd, const struct wick_host_file_id *id);

#endif
