/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_io.h - requests to block devices that are under way, from the record of their start to that of their end
 *
 * Frames are named at the start, while the process that made the request lives; what they refer to in the tables
 * (methods, contexts) keeps its number or is carried over (_renew), while stacks and threads are kept by content.
 *
 * Memory:  malloc; at most WICK_HOST_TRANSFERS requests.
 */
#ifndef WICK_EBPF_HOST_IO_H
#define WICK_EBPF_HOST_IO_H

#include <stdbool.h>
#include <stdint.h>

#include "ebpf/host_event.h"
#include "ebpf/host_tables.h"

enum {
    WICK_HOST_IO_SLOTS = 2 * WICK_HOST_TRANSFERS, /* a power of two */
    WICK_HOST_DEVICE = 32,
    WICK_HOST_DEVICES = 64,
};

/* A request under way; `frames` NULL: the slot is free. */
struct wick_host_transfer {
    struct wick_host_io io;
    struct wick_jfr_frame *frames; /* leaf first */
    uint32_t n, context;
    bool truncated;
    struct wick_host_tid thread;
};

struct wick_host_ios {
    struct wick_host_transfer *slots; /* by hash of address, the next free one if that is taken */
    uint32_t count;
    struct wick_host_device_name {
        uint32_t major, minor;
        char name[WICK_HOST_DEVICE];
    } devices[WICK_HOST_DEVICES];
    uint32_t ndevices;
};

/* 0 or -WICK_E_NOMEM. */
int wick_host_ios_init(struct wick_host_ios *ios);
void wick_host_ios_release(struct wick_host_ios *ios);

/* A request begins; copies all of it. Of those at its address only the last one may be under way still, and of all
 * those that the table has room for. False: it is known already, or there is no memory. */
bool wick_host_io_begin(struct wick_host_ios *ios, const struct wick_host_transfer *t);

/* The request that ends, which is forgotten; its frames belong to the caller. False: its beginning is not known. */
bool wick_host_io_end(struct wick_host_ios *ios, const struct wick_host_io *io, struct wick_host_transfer *out);

/* The tables start anew: gives all that is under way its new numbers. */
void wick_host_ios_renew(struct wick_host_ios *ios, struct wick_host_tables *t, const struct wick_host_tables *old);

/* What a device is called, as in /sys/block: "vda"; else its numbers. Borrowed until the next call. */
const char *wick_host_io_device(struct wick_host_ios *ios, uint32_t major, uint32_t minor);

/* What is done: "read", "write", "flush", "discard", "other". */
const char *wick_host_io_operation(uint32_t operation);

#endif
