/* SPDX-License-Identifier: Apache-2.0 */
/*
 * protobuf.h - the wire format of protocol buffers, as far as profiles need it
 *
 * A message is a sequence of fields; a field is a tag (number << 3 | wire type) and a value: a varint (0), eight bytes
 * (1), a length and that many bytes (2: strings, messages, packed numbers), or four bytes (5). Nothing says what a
 * field means: that is the reader's knowledge, and unknown numbers are stepped over.
 *
 * Writing appends to a string buffer. Values that are the default (0, the empty string) are left out by _uint, _int and
 * _str as proto3 does; _message and _bytes are always written, because an empty element of a repeated field counts.
 *
 * Threads: any.
 * Memory:  the caller's buffers; what a reader hands out points into its input.
 */
#ifndef WICK_CODEC_PROTOBUF_H
#define WICK_CODEC_PROTOBUF_H

#include "base/leb128.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum wick_pb_wire { WICK_PB_VARINT = 0, WICK_PB_FIXED64 = 1, WICK_PB_BYTES = 2, WICK_PB_FIXED32 = 5 };

/* One number in groups of seven bits, lowest first. */
static inline void wick_pb_varint(struct wick_strbuf *sb, uint64_t v)
{
    unsigned char b[10];
    size_t n = 0;
    for (; v >= 0x80; v >>= 7)
        b[n++] = (unsigned char)(v | 0x80);
    b[n++] = (unsigned char)v;
    wick_strbuf_add(sb, b, n);
}

static inline void wick_pb_tag(struct wick_strbuf *sb, unsigned field, enum wick_pb_wire wire)
{
    wick_pb_varint(sb, (uint64_t)field << 3 | wire);
}

static inline void wick_pb_uint(struct wick_strbuf *sb, unsigned field, uint64_t v)
{
    if (!v)
        return;
    wick_pb_tag(sb, field, WICK_PB_VARINT);
    wick_pb_varint(sb, v);
}

/* int32 and int64: a negative number takes ten bytes. */
static inline void wick_pb_int(struct wick_strbuf *sb, unsigned field, int64_t v)
{
    wick_pb_uint(sb, field, (uint64_t)v);
}

static inline void wick_pb_fixed64(struct wick_strbuf *sb, unsigned field, uint64_t v)
{
    if (!v)
        return;
    wick_pb_tag(sb, field, WICK_PB_FIXED64);
    for (unsigned i = 0; i < 8; i++)
        wick_strbuf_addc(sb, (char)(v >> (8 * i)));
}

static inline void wick_pb_bytes(struct wick_strbuf *sb, unsigned field, const void *data, size_t n)
{
    wick_pb_tag(sb, field, WICK_PB_BYTES);
    wick_pb_varint(sb, n);
    wick_strbuf_add(sb, data, n);
}

static inline void wick_pb_str(struct wick_strbuf *sb, unsigned field, const char *s)
{
    if (*s)
        wick_pb_bytes(sb, field, s, strlen(s));
}

/* A message or packed numbers that were put together in `part`. Lack of memory there is passed on. */
static inline void wick_pb_message(struct wick_strbuf *sb, unsigned field, const struct wick_strbuf *part)
{
    wick_pb_bytes(sb, field, part->buf, part->len);
    sb->failed = sb->failed || part->failed;
}

/* --- reading --- */

struct wick_pb {
    const uint8_t *p, *end;
    bool bad; /* the input is malformed from p on */
};

struct wick_pb_field {
    uint64_t number;
    uint64_t value;      /* VARINT, FIXED64, FIXED32 */
    const uint8_t *data; /* BYTES */
    size_t len;
    unsigned wire; /* enum wick_pb_wire */
};

static inline struct wick_pb wick_pb_reader(const void *data, size_t n)
{
    return (struct wick_pb){.p = data, .end = (const uint8_t *)data + n};
}

static inline uint64_t wick_pb_fixed(const uint8_t *p, unsigned bytes)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << (8 * i);
    return v;
}

/* The next field; false at the end, or with `bad` set where the input is malformed or cut (p stays before that field).
 */
static inline bool wick_pb_next(struct wick_pb *r, struct wick_pb_field *f)
{
    const uint8_t *q = r->p;
    if (r->bad || q == r->end)
        return false;
    uint64_t tag = wick_leb128_read(&q, r->end);
    *f = (struct wick_pb_field){.number = tag >> 3, .wire = tag & 7};
    if (q && f->wire == WICK_PB_VARINT) {
        f->value = wick_leb128_read(&q, r->end);
    } else if (q && f->wire == WICK_PB_BYTES) {
        f->len = wick_leb128_read(&q, r->end);
        f->data = q;
        q = q && f->len <= (size_t)(r->end - q) ? q + f->len : NULL;
    } else if (q && (f->wire == WICK_PB_FIXED64 || f->wire == WICK_PB_FIXED32)) {
        unsigned bytes = f->wire == WICK_PB_FIXED64 ? 8 : 4;
        f->value = (size_t)(r->end - q) >= bytes ? wick_pb_fixed(q, bytes) : 0;
        q = (size_t)(r->end - q) >= bytes ? q + bytes : NULL;
    } else {
        q = NULL;
    }
    r->bad = !q || !f->number;
    if (!r->bad)
        r->p = q;
    return !r->bad;
}

/* The numbers of a repeated integer field, packed or single: call until false, *at starting at NULL. */
static inline bool wick_pb_number(const struct wick_pb_field *f, const uint8_t **at, uint64_t *v)
{
    if (f->wire == WICK_PB_VARINT) {
        bool first = !*at;
        *at = (const uint8_t *)f;
        *v = f->value;
        return first;
    }
    if (f->wire != WICK_PB_BYTES)
        return false;
    const uint8_t *q = *at ? *at : f->data;
    if (q == f->data + f->len)
        return false;
    *v = wick_leb128_read(&q, f->data + f->len);
    *at = q;
    return q != NULL;
}

#endif
