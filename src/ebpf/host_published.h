/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_published.h - the labels that a sampled process gives itself and its threads (OTEP 4719, OTEP 4947)
 *
 * A process with a mapping OTEL_CTX says what its service is and, if its threads publish as well, what their attributes
 * are called. The kernel side reads a thread's record where it samples the thread; it must know where in each thread
 * the pointer to it is. Nothing announces that a process begins to publish, or has a new attribute: its mappings are
 * read again after one second, then after two and so on up to half a minute, and its payload when a record has a
 * number that is not known.
 *
 * Memory:  what context_reader.h keeps of each process that publishes.
 */
#ifndef WICK_EBPF_HOST_PUBLISHED_H
#define WICK_EBPF_HOST_PUBLISHED_H

#include <stdbool.h>
#include <stdint.h>

#include "ebpf/host_event.h"
#include "ebpf/host_space.h"
#include "elf/image.h"
#include "labels/context_reader.h"

struct wick_host_published {
    struct wick_context_reader reader;
    struct wick_host_publisher threads;
    bool has_threads;         /* .threads is known */
    uint32_t searched;        /* images that had no such pointer: all below this number */
    uint64_t due_ns, wait_ns; /* when it is read again, and how long after that */
    uint64_t tried_ns;        /* when the payload was read for an unknown number last */
};

void wick_host_published_release(struct wick_host_published *p);

/* Whether the process's mappings should be read again, and then this. */
bool wick_host_published_is_due(const struct wick_host_published *p, uint64_t now_ns);

/* Reads what a process publishes; true if its service has another name now. *moved = it has
 * changed where threads publish, and p->threads is for the kernel side, or nothing is (p->has_threads). */
bool wick_host_published_read(struct wick_host_published *p, const struct wick_host_space *space,
                              const struct wick_elf_images *images, uint64_t now_ns, bool *moved);

/* Appends ",key=value" for each label of a record of n bytes. A number that is not known has the payload read again, if
 * `space` is the one of a process that lives (else NULL). */
void wick_host_published_labels(struct wick_host_published *p, const struct wick_host_space *space,
                                const uint8_t *record, uint32_t n, uint64_t now_ns, struct wick_strbuf *out);

#endif
