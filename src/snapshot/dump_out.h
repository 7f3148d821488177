/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dump_out.h - writing the records of a heap dump (HPROF 1.0.2, see heap/hprof.h) to a pipe
 *
 * Sub-records are collected in segments of a buffer's length, since a segment says how long it is before it comes and
 * a pipe cannot be gone back in. A sub-record that is longer than the buffer is a segment by itself.
 *
 * What cannot be ended ends with a rejection: the last WICK_DUMP_OUT_REJECTION bytes are a record that no dump has,
 * with a sentence, zeros behind it.
 *
 * Memory:  the caller's buffer.
 */
#ifndef WICK_SNAPSHOT_DUMP_OUT_H
#define WICK_SNAPSHOT_DUMP_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wick_dump_out_tag {
    WICK_DUMP_OUT_STRING = 0x01,
    WICK_DUMP_OUT_LOAD_CLASS = 0x02,
    WICK_DUMP_OUT_FRAME = 0x04,
    WICK_DUMP_OUT_TRACE = 0x05,
    WICK_DUMP_OUT_SEGMENT = 0x1c,
    WICK_DUMP_OUT_END = 0x2c,
    WICK_DUMP_OUT_REJECTED = 0x7e, /* wick's own */
    WICK_DUMP_OUT_AGAIN,           /* the same, and another attempt may do better */
};

enum {
    WICK_DUMP_OUT_HEAD = 9,
    WICK_DUMP_OUT_REJECTION = 128
}; /* bytes of a record's head, and of a rejection with it */

/* Dumps have no place for how the JVM lays out objects. A string with this id says it, and that classes give the size
 * of their instances in memory: bytes of an array before its elements, and of a reference; and what objects begin at
 * multiples of (earlier versions did not say it). */
#define WICK_DUMP_OUT_LAYOUT_ID 3
#define WICK_DUMP_OUT_LAYOUT    "wick heap layout: arrays from %u, references of %u, objects at multiples of %u"

struct wick_dump_out {
    int fd;
    bool failed; /* a write has failed: nothing more is written */
    uint8_t *buf;
    size_t cap, len;
    size_t segment;      /* where in buf the open segment begins; SIZE_MAX = none is open */
    uint64_t bytes;      /* written so far, with what is in the buffer */
    void (*wrote)(void); /* called when a buffer has been written; NULL = nothing */
};

/* Writes the header of the dump. buf[cap]: at least 64 KiB. */
void wick_dump_out_begin(struct wick_dump_out *o, int fd, void *buf, size_t cap, uint64_t now_ms);

/* Begins a record of len bytes, which the caller puts next. Not for sub-records. */
void wick_dump_out_record(struct wick_dump_out *o, enum wick_dump_out_tag tag, uint32_t len);

/* Begins a sub-record of len bytes, its tag included. */
void wick_dump_out_sub(struct wick_dump_out *o, uint32_t len);

/* Appends numbers, big-endian, or bytes as they are. */
void wick_dump_out_u1(struct wick_dump_out *o, uint8_t v);
void wick_dump_out_u2(struct wick_dump_out *o, uint16_t v);
void wick_dump_out_u4(struct wick_dump_out *o, uint32_t v);
void wick_dump_out_u8(struct wick_dump_out *o, uint64_t v);
void wick_dump_out_bytes(struct wick_dump_out *o, const void *p, size_t n);

/* n numbers of `size` (1, 2, 4 or 8) bytes each out of this machine's memory. */
void wick_dump_out_numbers(struct wick_dump_out *o, const void *p, size_t n, unsigned size);

/* Ends the dump. False if not all of it could be written. */
bool wick_dump_out_end(struct wick_dump_out *o);

/* Ends what was written to fd as a rejected dump; again: another attempt may do better. */
void wick_dump_out_reject(int fd, const char *why, bool again);

#endif
