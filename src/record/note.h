/* SPDX-License-Identifier: Apache-2.0 */
/*
 * note.h - what is known of an event and has no room in it
 *
 * A bounded store of payloads of one size. The producer of an event takes a note, fills it, and puts its number into
 * the event (wick_event.note); the code that has written the event, or has lost it, gives the note back.
 *
 *      handler, thread of the JVM                    drain thread
 *      take, fill, number into the event  -- ring --> at (the payload), free
 *
 * A free note holds the number of the next free one; the head of that list counts its changes beside the number, so
 * that a note which has been taken and given back is not mistaken for what it was. Numbers that were never in use
 * come last: pages are touched only as many notes as were ever in use at once.
 *
 * Threads: take, at and free from anywhere, also in signal handlers; init and release by the owner alone.
 * Memory:  one mapping.
 */
#ifndef WICK_RECORD_NOTE_H
#define WICK_RECORD_NOTE_H

#include <stddef.h>
#include <stdint.h>

enum { WICK_NOTES_MOST = UINT16_MAX };

struct wick_notes {
    uint8_t *map; /* the links, then the payloads */
    size_t map_bytes, bytes, first;
    uint32_t count;          /* numbers are 1 .. count */
    _Atomic uint64_t head;   /* changes << 32 | number of the first free one that was in use before */
    _Atomic uint32_t unused; /* numbers above were never in use */
};

/* For up to `count` (WICK_NOTES_MOST) notes of so many bytes. 0 or -WICK_E_NOMEM. */
int wick_notes_init(struct wick_notes *n, uint32_t count, size_t bytes);
void wick_notes_release(struct wick_notes *n);

/* The number of a note that is the caller's now, 0 = all are in use. What it holds is left from its last use. */
uint16_t wick_notes_take_sig(struct wick_notes *n);

/* The payload; NULL if there is no note of that number. */
void *wick_notes_at_sig(const struct wick_notes *n, uint32_t number);

/* The holder gives it back; a number that is none is ignored. */
void wick_notes_free_sig(struct wick_notes *n, uint32_t number);

#endif
