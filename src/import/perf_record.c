/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf_record.c - records of perf.data taken apart (perf_event_open(2), tools/perf/Documentation/perf.data-file-format)
 *
 * What a sample holds, and in which order, is a mask of bits in the attribute of its event; other records have such
 * fields behind their own, if the attribute says so. A sample has them up to the call chain, which is all that is read:
 *
 *     [identifier] [ip] [pid tid] [time] [addr] [id] [stream] [cpu] [period] [counter values] [n, addresses] ...
 */
#include <linux/perf_event.h>
#include <stdio.h>

#include "import/perf_int.h"

enum { HEADER = 8 };
enum { MISC_DATA_MAP = 1 << 13, MISC_MMAP_BUILD_ID = 1 << 14 };
enum { FLAG_FREQ = 10, FLAG_ID_ALL = 18 };

/* The rest of a record. */
struct cursor {
    const unsigned char *p, *end;
    bool failed;
};

static uint64_t next(struct cursor *c)
{
    c->failed = c->failed || c->end - c->p < 8;
    if (c->failed)
        return 0;
    uint64_t v = wick_perf_u64(c->p);
    c->p += 8;
    return v;
}

/* n words that nobody needs. */
static void step_over(struct cursor *c, uint64_t n)
{
    c->failed = c->failed || (uint64_t)(c->end - c->p) / 8 < n;
    if (!c->failed)
        c->p += n * 8;
}

bool wick_perf_attr_parse(struct wick_perf_attr *a, const unsigned char *p, size_t n)
{
    if (n < 48)
        return false;
    uint64_t flags = wick_perf_u64(p + 40);
    *a = (struct wick_perf_attr){
        .type = wick_perf_u32(p),
        .config = wick_perf_u64(p + 8),
        .period = flags >> FLAG_FREQ & 1 ? 0 : wick_perf_u64(p + 16),
        .sample_type = wick_perf_u64(p + 24),
        .read_format = wick_perf_u64(p + 32),
        .id_all = flags >> FLAG_ID_ALL & 1,
    };
    return true;
}

const char *wick_perf_attr_name(const struct wick_perf_attr *a, char *buf, size_t cap)
{
    static const struct {
        const char *name;
        uint32_t type;
        uint64_t config;
    } known[] = {
#define X(name, type, config, period, is_time) {name, type, config},
#include "def/perf_event.def"
#undef X
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].type == a->type && known[i].config == a->config)
            return known[i].name;
    snprintf(buf, cap, "event-%u-0x%llx", a->type, (unsigned long long)a->config);
    return buf;
}

/* How many of these fields of a sample come before bit `stop`. */
static unsigned fields_before(uint64_t type, uint64_t stop)
{
    static const uint64_t order[] = {PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP, PERF_SAMPLE_TID, PERF_SAMPLE_TIME,
                                     PERF_SAMPLE_ADDR};
    unsigned n = 0;
    for (size_t i = 0; i < sizeof order / sizeof *order && order[i] != stop; i++)
        n += (type & order[i]) != 0;
    return n;
}

/* The last of the fields behind other records: where one is, counted in words from the end; 0 = not there. */
static unsigned from_end(uint64_t type, uint64_t field)
{
    static const uint64_t order[] = {PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_CPU, PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_ID,
                                     PERF_SAMPLE_TIME};
    unsigned n = 0;
    if (!(type & field))
        return 0;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        n += (type & order[i]) != 0;
        if (order[i] == field)
            return n;
    }
    return 0;
}

/* The word that lies `back` words before the end. */
static bool word_from_end(const struct wick_perf_rec *r, unsigned back, uint64_t *v)
{
    if (!back || r->size < HEADER + back * 8)
        return false;
    *v = wick_perf_u64(r->p + r->size - back * 8);
    return true;
}

bool wick_perf_rec_id(const struct wick_perf_attr *a, const struct wick_perf_rec *r, uint64_t *id)
{
    uint64_t type = a->sample_type, field = type & PERF_SAMPLE_IDENTIFIER ? PERF_SAMPLE_IDENTIFIER : PERF_SAMPLE_ID;
    if (!(type & field))
        return false;
    if (r->type != WICK_PERF_SAMPLE)
        return a->id_all && word_from_end(r, from_end(type, field), id);
    size_t at = HEADER + 8u * (field == PERF_SAMPLE_IDENTIFIER ? 0 : fields_before(type, 0));
    if (at + 8 > r->size)
        return false;
    *id = wick_perf_u64(r->p + at);
    return true;
}

uint64_t wick_perf_rec_time(const struct wick_perf_attr *a, const struct wick_perf_rec *r)
{
    uint64_t time = 0;
    if (!(a->sample_type & PERF_SAMPLE_TIME))
        return 0;
    if (r->type != WICK_PERF_SAMPLE)
        return a->id_all && word_from_end(r, from_end(a->sample_type, PERF_SAMPLE_TIME), &time) ? time : 0;
    size_t at = HEADER + 8u * fields_before(a->sample_type, PERF_SAMPLE_TIME);
    return at + 8 <= r->size ? wick_perf_u64(r->p + at) : 0;
}

/* Values of counters, which come with a sample if the event is of a group. */
static void skip_read(struct cursor *c, uint64_t format)
{
    uint64_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) + !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
    uint64_t each = 1u + !!(format & PERF_FORMAT_ID) + !!(format & (1u << 4)); /* bit 4: how many were lost */
    if (!(format & PERF_FORMAT_GROUP)) {
        step_over(c, times + each);
        return;
    }
    uint64_t n = next(c);
    step_over(c, times);
    step_over(c, n < UINT16_MAX ? n * each : UINT16_MAX);
}

bool wick_perf_sample_parse(const struct wick_perf_attr *a, const struct wick_perf_rec *r, struct wick_perf_sample *s)
{
    struct cursor c = {r->p + HEADER, r->p + r->size, false};
    uint64_t type = a->sample_type, ids = 0;
    *s = (struct wick_perf_sample){.period = a->period ? a->period : 1, .pid = -1, .tid = -1};
    step_over(&c, (type & PERF_SAMPLE_IDENTIFIER) != 0);
    s->ip = type & PERF_SAMPLE_IP ? next(&c) : 0;
    if (type & PERF_SAMPLE_TID) {
        ids = next(&c);
        s->pid = (int32_t)(uint32_t)ids;
        s->tid = (int32_t)(ids >> 32);
    }
    s->time_ns = type & PERF_SAMPLE_TIME ? next(&c) : 0;
    step_over(&c, (uint64_t) !!(type & PERF_SAMPLE_ADDR) + !!(type & PERF_SAMPLE_ID) +
                      !!(type & PERF_SAMPLE_STREAM_ID) + !!(type & PERF_SAMPLE_CPU));
    s->period = type & PERF_SAMPLE_PERIOD ? next(&c) : s->period;
    if (type & PERF_SAMPLE_READ)
        skip_read(&c, a->read_format);
    if (type & PERF_SAMPLE_CALLCHAIN) {
        s->nchain = next(&c);
        s->chain = c.p;
        step_over(&c, s->nchain);
    }
    s->user_stack = (type & PERF_SAMPLE_STACK_USER) != 0;
    return !c.failed;
}

bool wick_perf_mapping_parse(const struct wick_perf_rec *r, struct wick_perf_mapping *m)
{
    bool second = r->type == WICK_PERF_MMAP2;
    size_t name = second ? 72 : 40;
    const unsigned char *p = r->p;
    if (r->size <= name)
        return false;
    *m = (struct wick_perf_mapping){
        .pid = (int32_t)wick_perf_u32(p + 8),
        .start = wick_perf_u64(p + 16),
        .len = wick_perf_u64(p + 24),
        .pgoff = wick_perf_u64(p + 32),
        .executable = second ? (wick_perf_u32(p + 64) & 4) != 0 : !(r->misc & MISC_DATA_MAP),
        .name = wick_perf_text(p + name, r->size - name),
    };
    if (second && r->misc & MISC_MMAP_BUILD_ID) {
        m->build_id_len = p[40] <= 20 ? p[40] : 0;
        m->build_id = p + 44;
    } else if (second) {
        m->inode = wick_perf_u64(p + 48);
    }
    return m->len && m->start + m->len > m->start;
}
