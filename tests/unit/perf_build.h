/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf_build.h - a perf.data made by hand, of either form
 *
 * Events have sample_type IP, TID, TIME, ID, PERIOD and CALLCHAIN, so a sample is ip, pid tid, time, id, period, chain,
 * and other records end in pid tid, time, id.
 *
 * Threads: one.
 * Memory:  two strbufs until build_perf_release.
 */
#ifndef WICK_TESTS_UNIT_PERF_BUILD_H
#define WICK_TESTS_UNIT_PERF_BUILD_H

#include <linux/perf_event.h>

#include "base/strbuf.h"
#include "import/perf_int.h"

#define BUILD_PERF_TYPE \
    (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)

struct build_perf {
    struct wick_strbuf records, features[256];
    bool pipe;
};

static inline void build_perf_init(struct build_perf *b, bool pipe)
{
    b->pipe = pipe;
    wick_strbuf_init(&b->records);
    for (int i = 0; i < 256; i++)
        wick_strbuf_init(&b->features[i]);
}

static inline void build_perf_release(struct build_perf *b)
{
    wick_strbuf_release(&b->records);
    for (int i = 0; i < 256; i++)
        wick_strbuf_release(&b->features[i]);
}

static inline void put32(struct wick_strbuf *out, uint32_t v)
{
    wick_strbuf_add(out, &v, 4);
}

static inline void put64(struct wick_strbuf *out, uint64_t v)
{
    wick_strbuf_add(out, &v, 8);
}

/* Text with its NUL, padded to 8 bytes. */
static inline void put_text(struct wick_strbuf *out, const char *s)
{
    size_t n = strlen(s) + 1;
    wick_strbuf_add(out, s, n);
    while (n++ % 8)
        wick_strbuf_addc(out, 0);
}

/* A record with this body; what follows other records than samples and perf's own is the thread, time and event 1. */
static inline void build_perf_record(struct build_perf *b, uint32_t type, uint16_t misc, const struct wick_strbuf *body,
                                     uint32_t pid, uint64_t time)
{
    bool trailer = type < WICK_PERF_USER && type != WICK_PERF_SAMPLE;
    uint16_t size = (uint16_t)(8 + body->len + (trailer ? 24 : 0));
    put32(&b->records, type);
    wick_strbuf_add(&b->records, &misc, 2);
    wick_strbuf_add(&b->records, &size, 2);
    wick_strbuf_add(&b->records, body->buf, body->len);
    if (trailer) {
        put32(&b->records, pid);
        put32(&b->records, pid);
        put64(&b->records, time);
        put64(&b->records, 1);
    }
}

static inline void build_perf_comm(struct build_perf *b, uint32_t pid, uint32_t tid, uint64_t time, const char *comm,
                                   bool exec)
{
    struct wick_strbuf s = WICK_STRBUF_INIT;
    put32(&s, pid);
    put32(&s, tid);
    put_text(&s, comm);
    build_perf_record(b, WICK_PERF_COMM, exec ? 1 << 13 : 0, &s, pid, time);
    wick_strbuf_release(&s);
}

static inline void build_perf_task(struct build_perf *b, uint32_t type, uint32_t pid, uint32_t ppid, uint32_t tid,
                                   uint32_t ptid, uint64_t time)
{
    struct wick_strbuf s = WICK_STRBUF_INIT;
    put32(&s, pid);
    put32(&s, ppid);
    put32(&s, tid);
    put32(&s, ptid);
    put64(&s, time);
    build_perf_record(b, type, 0, &s, pid, time);
    wick_strbuf_release(&s);
}

/* An executable mapping of an inode (0 = not known). */
static inline void build_perf_map(struct build_perf *b, uint32_t pid, uint64_t time, uint64_t start, uint64_t len,
                                  uint64_t pgoff, uint64_t inode, const char *name)
{
    struct wick_strbuf s = WICK_STRBUF_INIT;
    put32(&s, pid);
    put32(&s, pid);
    put64(&s, start);
    put64(&s, len);
    put64(&s, pgoff);
    put64(&s, 0);
    put64(&s, inode);
    put64(&s, 0);
    put32(&s, 5);
    put32(&s, 2);
    put_text(&s, name);
    build_perf_record(b, WICK_PERF_MMAP2, 2, &s, pid, time);
    wick_strbuf_release(&s);
}

static inline void build_perf_sample(struct build_perf *b, uint64_t event, uint32_t pid, uint32_t tid, uint64_t time,
                                     uint64_t period, const uint64_t *chain, size_t n)
{
    struct wick_strbuf s = WICK_STRBUF_INIT;
    put64(&s, n ? chain[0] : 0);
    put32(&s, pid);
    put32(&s, tid);
    put64(&s, time);
    put64(&s, event);
    put64(&s, period);
    put64(&s, n);
    for (size_t i = 0; i < n; i++)
        put64(&s, chain[i]);
    build_perf_record(b, WICK_PERF_SAMPLE, 2, &s, pid, time);
    wick_strbuf_release(&s);
}

static inline void build_perf_round(struct build_perf *b)
{
    struct wick_strbuf none = WICK_STRBUF_INIT;
    build_perf_record(b, WICK_PERF_FINISHED_ROUND, 0, &none, 0, 0);
}

/* A perf_event_attr of 64 bytes, the oldest there is. */
static inline void put_attr(struct wick_strbuf *out, uint32_t type, uint64_t config)
{
    put32(out, type);
    put32(out, 64);
    put64(out, config);
    put64(out, 99);
    put64(out, BUILD_PERF_TYPE);
    put64(out, 0);
    put64(out, 1u << 10 | 1u << 18); /* a frequency; times in all records */
    put64(out, 0);
    put64(out, 0);
}

/* Names of event 1 (NULL: by its numbers) and event 2. */
static inline void put_names(struct wick_strbuf *out, const char *const names[2])
{
    put32(out, 2);
    put32(out, 64);
    for (uint64_t i = 0; i < 2; i++) {
        put_attr(out, PERF_TYPE_SOFTWARE, i);
        put32(out, 1);
        put32(out, (uint32_t)(strlen(names[i]) + 8) & ~7u);
        size_t at = out->len;
        wick_strbuf_adds(out, names[i]);
        while (out->len < at + ((strlen(names[i]) + 8) & ~7u))
            wick_strbuf_addc(out, 0);
        put64(out, i + 1);
    }
}

static inline void build_perf_pipe(const struct build_perf *b, struct wick_strbuf *out)
{
    wick_strbuf_adds(out, "PERFILE2");
    put64(out, 16);
    for (uint64_t i = 0; i < 2; i++) {
        put32(out, WICK_PERF_HEADER_ATTR);
        put32(out, (8 + 64 + 8) << 16);
        put_attr(out, PERF_TYPE_SOFTWARE, i ? PERF_COUNT_SW_PAGE_FAULTS : PERF_COUNT_SW_CPU_CLOCK);
        put64(out, i + 1);
    }
    for (uint64_t i = 0; i < 256; i++)
        if (b->features[i].len) {
            put32(out, WICK_PERF_FEATURE);
            put32(out, (uint32_t)(16 + b->features[i].len) << 16);
            put64(out, i);
            wick_strbuf_add(out, b->features[i].buf, b->features[i].len);
        }
    wick_strbuf_add(out, b->records.buf, b->records.len);
}

static inline void build_perf_file(const struct build_perf *b, struct wick_strbuf *out)
{
    uint64_t attrs = 104 + 16, data = attrs + 2 * (64 + 16), sections = data + b->records.len, bits[4] = {0}, at, n = 0;
    for (unsigned i = 0; i < 256; i++)
        if (b->features[i].len) {
            bits[i / 64] |= 1ull << i % 64;
            n++;
        }
    wick_strbuf_adds(out, "PERFILE2");
    put64(out, 104);
    put64(out, 64 + 16);
    put64(out, attrs);
    put64(out, 2 * (64 + 16));
    put64(out, data);
    put64(out, b->records.len);
    put64(out, 0);
    put64(out, 0);
    for (int i = 0; i < 4; i++)
        put64(out, bits[i]);
    put64(out, 1); /* numbers of events, behind the header */
    put64(out, 2);
    for (uint64_t i = 0; i < 2; i++) {
        put_attr(out, PERF_TYPE_SOFTWARE, i ? PERF_COUNT_SW_PAGE_FAULTS : PERF_COUNT_SW_CPU_CLOCK);
        put64(out, 104 + i * 8);
        put64(out, 8);
    }
    wick_strbuf_add(out, b->records.buf, b->records.len);
    at = sections + n * 16;
    for (unsigned i = 0; i < 256; i++)
        if (b->features[i].len) {
            put64(out, at);
            put64(out, b->features[i].len);
            at += b->features[i].len;
        }
    for (unsigned i = 0; i < 256; i++)
        wick_strbuf_add(out, b->features[i].buf, b->features[i].len);
}

static inline void build_perf_end(const struct build_perf *b, struct wick_strbuf *out)
{
    if (b->pipe)
        build_perf_pipe(b, out);
    else
        build_perf_file(b, out);
}

#endif
