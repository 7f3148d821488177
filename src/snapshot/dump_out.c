/* SPDX-License-Identifier: Apache-2.0 */
#include "snapshot/dump_out.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { HEAD = WICK_DUMP_OUT_HEAD, CHUNK = 512 };

static bool write_all(int fd, const uint8_t *bytes, size_t len)
{
    for (size_t done = 0; done < len;) {
        ssize_t n = write(fd, bytes + done, len - done);
        if (n > 0)
            done += (size_t)n;
        else if (n < 0 && errno != EINTR)
            return false;
    }
    return true;
}

static void flush(struct wick_dump_out *o)
{
    if (!o->failed && !write_all(o->fd, o->buf, o->len))
        o->failed = true;
    o->len = 0;
    if (o->wrote)
        o->wrote();
}

static void store(uint8_t *p, uint64_t v, unsigned size)
{
    for (unsigned i = size; i; i--, v >>= 8)
        p[i - 1] = (uint8_t)v;
}

/* Room for n bytes in a row, n being much less than the buffer. */
static uint8_t *room(struct wick_dump_out *o, size_t n)
{
    if (o->cap - o->len < n)
        flush(o);
    uint8_t *p = o->buf + o->len;
    o->len += n;
    o->bytes += n;
    return p;
}

static void put(struct wick_dump_out *o, uint64_t v, unsigned size)
{
    store(room(o, size), v, size);
}

static void head(struct wick_dump_out *o, enum wick_dump_out_tag tag, uint32_t len)
{
    uint8_t *p = room(o, HEAD);
    p[0] = (uint8_t)tag;
    store(p + 1, 0, 4); /* microseconds since the header's time */
    store(p + 5, len, 4);
}

static void close_segment(struct wick_dump_out *o)
{
    if (o->segment != SIZE_MAX)
        store(o->buf + o->segment + 5, o->len - o->segment - HEAD, 4);
    o->segment = SIZE_MAX;
}

void wick_dump_out_begin(struct wick_dump_out *o, int fd, void *buf, size_t cap, uint64_t now_ms)
{
    static const char magic[] = "JAVA PROFILE 1.0.2";
    *o = (struct wick_dump_out){.fd = fd, .buf = buf, .cap = cap, .segment = SIZE_MAX};
    wick_dump_out_bytes(o, magic, sizeof magic);
    wick_dump_out_u4(o, 8); /* bytes of an id */
    wick_dump_out_u8(o, now_ms);
}

void wick_dump_out_record(struct wick_dump_out *o, enum wick_dump_out_tag tag, uint32_t len)
{
    close_segment(o);
    head(o, tag, len);
}

void wick_dump_out_sub(struct wick_dump_out *o, uint32_t len)
{
    if (o->segment != SIZE_MAX && o->cap - o->len >= len)
        return;
    close_segment(o);
    flush(o);
    bool alone = len > o->cap - HEAD;
    if (!alone)
        o->segment = o->len;
    head(o, WICK_DUMP_OUT_SEGMENT, alone ? len : 0);
}

void wick_dump_out_u1(struct wick_dump_out *o, uint8_t v)
{
    put(o, v, 1);
}

void wick_dump_out_u2(struct wick_dump_out *o, uint16_t v)
{
    put(o, v, 2);
}

void wick_dump_out_u4(struct wick_dump_out *o, uint32_t v)
{
    put(o, v, 4);
}

void wick_dump_out_u8(struct wick_dump_out *o, uint64_t v)
{
    put(o, v, 8);
}

void wick_dump_out_bytes(struct wick_dump_out *o, const void *p, size_t n)
{
    wick_dump_out_numbers(o, p, n, 1);
}

static void swap_into(uint8_t *out, const uint8_t *in, size_t n, unsigned size)
{
    if (size == 1)
        memcpy(out, in, n);
    else
        for (size_t i = 0; i < n; i++)
            for (unsigned b = 0; b < size; b++)
                out[i * size + b] = in[i * size + size - 1 - b];
}

void wick_dump_out_numbers(struct wick_dump_out *o, const void *p, size_t n, unsigned size)
{
    const uint8_t *in = p;
    while (n) {
        size_t some = n < CHUNK ? n : CHUNK;
        swap_into(room(o, some * size), in, some, size);
        in += some * size;
        n -= some;
    }
}

bool wick_dump_out_end(struct wick_dump_out *o)
{
    wick_dump_out_record(o, WICK_DUMP_OUT_END, 0);
    flush(o);
    return !o->failed;
}

void wick_dump_out_reject(int fd, const char *why, bool again)
{
    uint8_t record[WICK_DUMP_OUT_REJECTION] = {again ? WICK_DUMP_OUT_AGAIN : WICK_DUMP_OUT_REJECTED};
    size_t n = strlen(why), most = sizeof record - HEAD - 1;
    store(record + 5, sizeof record - HEAD, 4);
    memcpy(record + HEAD, why, n < most ? n : most);
    write_all(fd, record, sizeof record);
}
