/* SPDX-License-Identifier: Apache-2.0 */
#include "labels/mount.h"

#include <string.h>

void wick_label_mount_init(struct wick_label_mount *m, int32_t own, int32_t current, int32_t id)
{
    *m = (struct wick_label_mount){.own_offset = own, .current_offset = current};
    wick_store_relaxed(&m->id_offset, id > 0 ? (uint32_t)id : 0);
}

void wick_label_mount_see(struct wick_label_mount *m, uint64_t id, const uint8_t *java_thread, size_t n)
{
    uint32_t found = 0;
    if (!id || id == m->last_id || wick_load_relaxed(&m->id_offset))
        return;
    if (n > WICK_LABEL_MOUNT_BYTES)
        n = WICK_LABEL_MOUNT_BYTES;
    for (size_t at = 8; at + 8 <= n; at += 8) {
        uint64_t word;
        memcpy(&word, java_thread + at, sizeof word);
        bool good = word == id && (m->proofs == 0 || m->candidate[at / 8]);
        m->candidate[at / 8] = good;
        if (good)
            found = (uint32_t)at; /* of several, the last: all have been right */
    }
    m->last_id = id;
    m->proofs = found ? m->proofs + 1 : 0;
    if (m->proofs >= WICK_LABEL_MOUNT_PROOFS)
        wick_store_release(&m->id_offset, found); /* pairs: mount_id_sig of labels_sig.c */
}
