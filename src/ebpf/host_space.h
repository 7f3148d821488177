/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_space.h - one address space of another process, to be read
 *
 * It is held by descriptors of its memory and of its mappings. A process that executes another program has another one:
 * what is held is empty then, and nothing of the new program can be taken for the old one's.
 *
 * Memory that is mapped from a file which may not be read (host_file.h) is not read either: a page that is not there
 * would have to come from the server of its file system.
 *
 * Memory:  two descriptors, and 16 bytes for each mapping that is left out.
 */
#ifndef WICK_EBPF_HOST_SPACE_H
#define WICK_EBPF_HOST_SPACE_H

#include "ebpf/host_file.h"

struct wick_host_range {
    wick_addr lo, hi;
};

struct wick_host_space {
    struct wick_mem mem;            /* what may be read of it, NULL in .read = not open */
    struct wick_mem all;            /* its memory */
    int pid, maps_fd;               /* /proc/PID/maps */
    struct wick_host_range *closed; /* what is left out, in ascending order */
    uint32_t nclosed, cap_closed;
    struct wick_host_devices *devices; /* borrowed */
    wick_addr context_at; /* where it publishes a process context (labels/process_context.h); 0 = nowhere */
};

/* Opens the address space that process pid has now; nothing can be read before a refresh. The struct may not move. 0,
 * or -WICK_E_GONE, _PERM. */
int wick_host_space_open(struct wick_host_space *s, int pid, struct wick_host_devices *devices);
void wick_host_space_close(struct wick_host_space *s);

/* Finds out anew what may be read, and where it publishes. 0, -WICK_E_GONE or -WICK_E_NOMEM; nothing can be read then,
 * and what was known of the latter stays. */
int wick_host_space_refresh(struct wick_host_space *s);

#endif
