/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_place.h - what a counted event of `wick host` is made of: where the kernel counts it
 *
 * Memory:  a list that grows, and a descriptor for each file that is known by one.
 */
#ifndef WICK_EBPF_HOST_PLACE_H
#define WICK_EBPF_HOST_PLACE_H

#include <stdint.h>

#include "base/err.h"
#include "ebpf/host_event.h"
#include "elf/file.h"

enum {
    WICK_HOST_PLACE_PATH = 512,
    WICK_HOST_PLACES = 256, /* of one event */
};

struct wick_host_place {
    uint64_t config;              /* perf_event_attr.config */
    enum wick_host_detail detail; /* of its occurrences */
    uint64_t at;                  /* of a probe: where in its file */
    int fd;                       /* kept open because path leads through it; -1 = none */
    int error;                    /* errno: why nothing could be attached here, others of the event may do; 0 = none */
    char path[WICK_HOST_PLACE_PATH];
};

struct wick_host_places {
    struct wick_host_place *of;
    uint32_t n;
};

/* Adds a copy. -WICK_E_NOMEM or -WICK_E_LIMIT: the descriptor remains the caller's. */
int wick_host_places_add(struct wick_host_places *p, const struct wick_host_place *place);
void wick_host_places_release(struct wick_host_places *p);

/* The file of a place by its name, as the kernel knows it now. */
void wick_host_place_name(const struct wick_host_place *place, char name[WICK_HOST_PLACE_PATH]);

/* Opens the library or program that is to be probed, with a message on failure. */
int wick_host_place_open(const char *path, struct wick_elf_file *file, struct wick_err *err);

#endif
