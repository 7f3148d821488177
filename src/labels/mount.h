/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mount.h - which virtual thread is mounted on a thread, without asking the JVM
 *
 * A JavaThread has two handles, its own Thread object and that of the thread which runs on it now. They hold the same
 * object unless a virtual thread is mounted.
 *
 * The id of the mounted virtual thread is also in the JavaThread. JDK 24 and later export its offset (the owner of
 * monitors). In JDK 21 to 23 it is in the part that belongs to JFR, updated at every mount whether JFR runs or not, but
 * no table has its offset. Code that runs on a virtual thread knows its id, so the word is found by searching for the
 * id: an offset that has held the right id for several virtual threads in a row is the one. Ids are small numbers,
 * which other words hold by coincidence, but not for several threads in a row. Until then virtual threads have no
 * labels in samples.
 *
 * Threads: wick_label_mount_see by one thread at a time; _id_sig in handlers.
 * Memory:  plain data.
 */
#ifndef WICK_LABELS_MOUNT_H
#define WICK_LABELS_MOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/atomic.h"

enum { WICK_LABEL_MOUNT_BYTES = 1536, WICK_LABEL_MOUNT_PROOFS = 4 };

struct wick_label_mount {
    int32_t own_offset, current_offset; /* of the two handles in a JavaThread; <= 0: this JVM has no virtual threads */
    _Atomic uint32_t id_offset;         /* of the id, 0 = not known */
    uint32_t proofs;                    /* virtual threads that the candidates below have held */
    uint64_t last_id;
    bool candidate[WICK_LABEL_MOUNT_BYTES / 8]; /* the word has been right each time */
};

/* Offsets in JavaThread; negative = unknown. */
void wick_label_mount_init(struct wick_label_mount *m, int32_t own, int32_t current, int32_t id);

/* Learns from the first n bytes of the calling thread's JavaThread, on which the virtual thread `id` is mounted. */
void wick_label_mount_see(struct wick_label_mount *m, uint64_t id, const uint8_t *java_thread, size_t n);

#endif
