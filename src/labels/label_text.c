/* SPDX-License-Identifier: Apache-2.0 */
/*
 * label_text.c - texts and their numbers
 *
 * Insert-only. A text is written completely before the count that includes it, so any thread that has its number, from
 * a record or an event, can read it without the lock.
 */
#include "labels/labels.h"

#include <string.h>

#include "base/fnv.h"

enum { SLOTS = WICK_LABELS_TEXTS * 2 };

static uint32_t hash(const char *s, size_t len)
{
    uint64_t h = wick_fnv_64(WICK_FNV_64, s, len);
    return (uint32_t)(h ^ h >> 32);
}

static uint32_t add_locked(struct wick_labels *l, const char *s, size_t len)
{
    uint32_t count = wick_load_relaxed(&l->text_count);
    if (count + 1 >= WICK_LABELS_TEXTS || len > WICK_LABELS_TEXT_MAX ||
        l->bytes_used + len + 1 > WICK_LABELS_TEXT_BYTES)
        return 0;
    memcpy(l->bytes + l->bytes_used, s, len);
    l->bytes[l->bytes_used + len] = 0;
    l->texts[count + 1] = (struct wick_labels_text){l->bytes_used, (uint32_t)len};
    l->bytes_used += (uint32_t)len + 1;
    wick_store_release(&l->text_count, count + 1); /* pairs: wick_labels_text */
    return count + 1;
}

/* The number of a text; *slot: where it belongs if it has none, which is 0. */
static uint32_t find_locked(const struct wick_labels *l, const char *s, size_t len, uint32_t **slot)
{
    uint32_t n = 0, at = hash(s, len) % SLOTS;
    while ((n = l->text_slots[at]) != 0) {
        if (l->texts[n].len == len && !memcmp(l->bytes + l->texts[n].at, s, len))
            break;
        at = (at + 1) % SLOTS;
    }
    *slot = &l->text_slots[at];
    return n;
}

uint32_t wick_labels_intern(struct wick_labels *l, const char *s, size_t len)
{
    uint32_t *slot;
    if (!len)
        return 0;
    pthread_mutex_lock(&l->lock);
    uint32_t n = find_locked(l, s, len, &slot);
    if (!n) {
        n = *slot = add_locked(l, s, len);
        if (!n) {
            l->gone.no_text++;
            n = WICK_LABELS_OVERFLOW;
        }
    }
    pthread_mutex_unlock(&l->lock);
    return n;
}

uint32_t wick_labels_intern_awaited(struct wick_labels *l, unsigned kind, const char *s, size_t len)
{
    uint32_t *slot;
    if (!len)
        return 0;
    pthread_mutex_lock(&l->lock);
    uint32_t n = find_locked(l, s, len, &slot);
    if (!n && l->awaited_counts[kind] < WICK_LABELS_AWAITED) {
        n = *slot = add_locked(l, s, len);
        l->awaited_counts[kind] += n != 0;
    }
    pthread_mutex_unlock(&l->lock);
    return n;
}

const char *wick_labels_text(const struct wick_labels *l, uint32_t number)
{
    /* pairs: add_locked */
    return number && number <= wick_load_acquire(&l->text_count) ? l->bytes + l->texts[number].at : "";
}
