/* SPDX-License-Identifier: Apache-2.0 */
/*
 * awaited.h - what is behind the descriptor that a thread waits at, or the process whose end it waits for, as a label
 * of the samples of that wait
 *
 *     peer=10.0.0.7:5432         a connection that this process has opened, or tries to: whom it asks, or sends to
 *     peer=unix:/run/db.sock     likewise
 *     local=127.0.0.1:8080       one that it has accepted: where its clients come in; their own ports are many
 *     file=/var/lib/app/wal.log  a file
 *     child=pg_dump              a process
 *     child=pg_dump,pipe=full    one that itself waits for room in a pipe that it writes to
 *
 * Who has opened a connection shows in what the kernel counts: a SYN is acknowledged as a byte is, but is not among the
 * bytes that were sent. Datagrams have no label.
 *
 * Each connection is asked for once, as long as few enough are in use at the same time; a file each time, since it may
 * be renamed, and a process, since it goes on. None of this waits for a disk or a network. Where a connection goes
 * that is not made yet the kernel has to seek, each time, which takes it about a millisecond, and the first time may
 * load its module for that: a hundredth of the time goes to it at most, after a first fifty milliseconds, and what
 * comes beyond has no label.
 *
 * Threads: one at a time (the sampler).
 */
#ifndef WICK_ENGINE_THREAD_AWAITED_H
#define WICK_ENGINE_THREAD_AWAITED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tcp_info;
struct wick_labels;

enum { WICK_AWAITED_KNOWN = 256, WICK_AWAITED_PATH = 256, WICK_AWAITED_TEXT = 2 * WICK_AWAITED_PATH + 16 };

struct wick_awaited {
    uint64_t asked_ns; /* when the kernel was last asked where connections go that are not made yet */
    int64_t spare_ns;  /* time that asking may take from then on, apart from what has been allowed since */
    struct {
        uint64_t cookie; /* 0 = free; the kernel gives none twice */
        uint32_t label;
    } known[WICK_AWAITED_KNOWN];
};

/* The number of that label among the texts of `labels`, 0 = there is none, or too many are known. */
uint32_t wick_awaited_socket(struct wick_awaited *a, struct wick_labels *labels, int fd);
uint32_t wick_awaited_file(struct wick_labels *labels, int fd);
uint32_t wick_awaited_child(struct wick_labels *labels, int32_t pid);

/* Whether this end has opened the connection: 1 or 0; -1 = it does not show. size: what the kernel filled in; queued:
 * bytes that were written and are not acknowledged (SIOCOUTQ). */
int wick_awaited_opened(const struct tcp_info *t, size_t size, int queued);

#endif
