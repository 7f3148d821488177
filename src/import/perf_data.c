/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf_data.c - perf's own file (tools/perf/Documentation/perf.data-file-format)
 *
 * Two forms begin with the same eight letters. The one in a file has a header of tables: attributes of the events, then
 * records, then "features" (names of events, build ids, the kernel's release), which are needed first and lie last. The
 * one for pipes is records only, and what the tables hold comes as records of its own in time.
 *
 *     PERFILE2 104 attr-size [attrs] [data] [event types] [256 bits: features]      each [...] an offset and a size
 *     PERFILE2 16
 *
 * A record is type, misc, size, and what that type has. They come in pieces of any size; a record that is cut by the
 * end of a piece waits for the rest. Records are put into the order of their times (perf_order.c), because a mapping
 * counts from its time on, and then describe threads and mappings, or are samples, whose addresses are resolved one by
 * one.
 *
 * `perf record -z` puts records into records as one Zstandard stream, cut anywhere: one of them may hold the end of a
 * record, and many others, and the beginning of the next.
 */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "codec/zstd.h"
#include "import/perf_int.h"

enum { HEADER_PIPE = 16, HEADER_FILE = 104, RECORD = 8, STACK_MAX = 4096, ATTRS_MAX = 4096 };
enum { FEATURE_BUILD_ID = 2, FEATURE_RELEASE = 4, FEATURE_EVENTS = 12, FEATURES = 256 };
enum { MISC_CPU = 7, CPU_KERNEL = 1, MISC_EXEC = 1 << 13, MISC_ID_SIZE = 1 << 15, UPDATE_NAME = 2 };
#define BLOCK ((size_t)8 << 20) /* a whole number of pages */

/* Addresses in a call chain that say what kind of addresses follow (PERF_CONTEXT_*). */
#define CONTEXT_MAX    ((uint64_t)-4095)
#define CONTEXT_KERNEL ((uint64_t)-128)

struct wick_perf_data {
    struct wick_import *im;
    struct wick_perf_order *order;
    struct wick_perf_dsos *dsos;
    struct wick_perf_tasks *tasks;
    struct wick_perf_attr *attrs;
    uint32_t nattrs;
    struct {
        uint64_t id;
        uint32_t attr;
    } * ids;
    uint32_t nids, cap_ids;
    struct wick_index by_id;
    struct wick_strbuf part; /* the beginning of a record */
    struct wick_unzstd *zstd;
    struct wick_strbuf unpacked; /* of compressed records: what has not been taken yet */
    bool unpacking, zstd_broken;
    uint64_t offset; /* of the next record */
    uint64_t skip;   /* bytes to be skipped */
    uint64_t lost, compressed, user_stacks;
    bool stopped, nomem;
    uint32_t frames[STACK_MAX];
};

/* --- events --- */

static struct wick_perf_attr *attr_of_id(struct wick_perf_data *d, uint64_t number)
{
    uint64_t h = wick_hash_2(number, 3);
    uint32_t at = wick_index_start(&d->by_id, h), i;
    while (wick_index_next(&d->by_id, h, &at, &i))
        if (d->ids[i].id == number)
            return &d->attrs[d->ids[i].attr];
    return NULL;
}

static void add_id(struct wick_perf_data *d, uint64_t number, uint32_t attr)
{
    if (attr_of_id(d, number))
        return;
    if (d->nids == d->cap_ids) {
        uint32_t cap = d->cap_ids ? d->cap_ids * 2 : 64;
        void *bigger = cap > d->cap_ids ? reallocarray(d->ids, cap, sizeof *d->ids) : NULL;
        d->nomem = d->nomem || !bigger;
        if (!bigger)
            return;
        d->ids = bigger;
        d->cap_ids = cap;
    }
    d->ids[d->nids].id = number;
    d->ids[d->nids].attr = attr;
    d->nomem = wick_index_add(&d->by_id, wick_hash_2(number, 3), d->nids) || d->nomem;
    d->nids++;
}

/* An attribute of n bytes, and the numbers by which records name it. */
static bool add_attr(struct wick_perf_data *d, const unsigned char *p, size_t n, const unsigned char *ids,
                     uint64_t nids)
{
    struct wick_perf_attr a;
    if (d->nattrs == ATTRS_MAX || !wick_perf_attr_parse(&a, p, n))
        return false;
    struct wick_perf_attr *bigger = reallocarray(d->attrs, d->nattrs + 1, sizeof *bigger);
    d->nomem = d->nomem || !bigger;
    if (!bigger)
        return false;
    d->attrs = bigger;
    d->attrs[d->nattrs] = a;
    for (uint64_t i = 0; i < nids; i++)
        add_id(d, wick_perf_u64(ids + i * 8), d->nattrs);
    d->nattrs++;
    return true;
}

static void name_attr(struct wick_perf_attr *a, struct wick_word name)
{
    if (a && name.n && !a->has_event)
        snprintf(a->name, sizeof a->name, "%.*s", (int)(name.n < sizeof a->name ? name.n : sizeof a->name - 1), name.s);
}

/* The event that a record belongs to. What perf wrote about processes that ran before it has number 0. */
static struct wick_perf_attr *attr_of(struct wick_perf_data *d, const struct wick_perf_rec *r)
{
    uint64_t number;
    if (!d->nattrs)
        return NULL;
    if (d->nattrs == 1 || !wick_perf_rec_id(&d->attrs[0], r, &number))
        return &d->attrs[0];
    struct wick_perf_attr *a = attr_of_id(d, number);
    return a || r->type == WICK_PERF_SAMPLE ? a : &d->attrs[0];
}

static void name_event(struct wick_perf_data *d, struct wick_perf_attr *a, bool has_period)
{
    char buf[64];
    const char *name = *a->name ? a->name : wick_perf_attr_name(a, buf, sizeof buf);
    a->event = wick_perf_type_of(d->im->p, (struct wick_word){name, strlen(name)}, has_period);
    a->has_event = true;
}

/* --- samples --- */

static void add_address(struct wick_perf_data *d, int32_t pid, uint64_t addr, bool kernel,
                        struct wick_perf_stack *stack)
{
    uint64_t at = 0;
    if (kernel) {
        wick_perf_kernel_frames(d->dsos, addr, stack);
        return;
    }
    uint32_t dso = wick_perf_tasks_find(d->tasks, pid, addr, &at);
    wick_perf_dso_frames(d->dsos, dso, at, stack);
}

/* The frames of a sample, leaf first. */
static void walk(struct wick_perf_data *d, const struct wick_perf_rec *r, const struct wick_perf_sample *s,
                 struct wick_perf_stack *stack)
{
    bool kernel = false; /* a chain's addresses are the process's until a context says otherwise */
    for (uint64_t i = 0; s->chain && i < s->nchain && stack->n < stack->cap; i++) {
        uint64_t addr = wick_perf_u64(s->chain + i * 8);
        if (addr >= CONTEXT_MAX)
            kernel = addr == CONTEXT_KERNEL;
        else
            add_address(d, s->pid, addr, kernel, stack);
    }
    if (!s->chain || (s->user_stack && !stack->n)) /* the copy of the stack is in the chain's place */
        add_address(d, s->pid, s->ip, (r->misc & MISC_CPU) == CPU_KERNEL, stack);
}

static void take_sample(struct wick_perf_data *d, const struct wick_perf_rec *r, uint64_t offset)
{
    struct wick_perf_sample s;
    struct wick_perf_attr *a = attr_of(d, r);
    struct wick_profile *p = d->im->p;
    if (!a || !wick_perf_sample_parse(a, r, &s)) {
        wick_import_problem(d->im, offset,
                            a ? "perf.data: a sample ends before it is whole"
                              : "perf.data: a sample of an event that the file does not describe");
        d->im->res->lost_bytes += r->size;
        return;
    }
    if (!a->has_event)
        name_event(d, a, a->sample_type & PERF_SAMPLE_PERIOD);
    struct wick_perf_stack stack = {d->frames, 0, STACK_MAX};
    uint32_t name = wick_perf_tasks_name(d->tasks, s.tid);
    walk(d, r, &s, &stack);
    uint32_t number = wick_profile_push(
        p, 0, wick_profile_frame(p, wick_profile_function(p, 0, name, 0), 0, -1, WICK_FRAME_BOUNDARY));
    while (stack.n)
        number = wick_profile_push(p, number, stack.f[--stack.n]);
    d->user_stacks += s.user_stack;
    wick_import_sample(d->im, &(struct wick_sample){
                                  .stack = number,
                                  .thread = wick_profile_thread(p, name, s.tid > 0 ? s.tid : 0, 0, false),
                                  .labels = wick_perf_tasks_process(d->tasks, s.pid),
                                  .event = a->event,
                                  .time_ns = s.time_ns <= INT64_MAX ? (int64_t)s.time_ns : 0,
                                  .weight = s.period <= INT64_MAX ? (int64_t)s.period : INT64_MAX,
                                  .count = 1,
                              });
}

/* --- what happened --- */

static int take_mapping(struct wick_perf_data *d, const struct wick_perf_rec *r)
{
    struct wick_perf_mapping m;
    if (!wick_perf_mapping_parse(r, &m))
        return 0; /* an empty one */
    if ((r->misc & MISC_CPU) != CPU_KERNEL)
        return wick_perf_tasks_map(d->tasks, &m);
    if (m.name.n > 17 && !memcmp(m.name.s, "[kernel.kallsyms]", 17)) /* and the symbol that lies at pgoff */
        wick_perf_dsos_kernel_at(d->dsos, m.pgoff);
    return 0;
}

/* A record in its time. */
static void take_ordered(void *ctx, const struct wick_perf_rec *r, uint64_t offset)
{
    struct wick_perf_data *d = ctx;
    const unsigned char *p = r->p;
    int32_t first = r->size >= 16 ? (int32_t)wick_perf_u32(p + 8) : 0;
    int32_t second = r->size >= 16 ? (int32_t)wick_perf_u32(p + 12) : 0;
    int rc = 0;
    d->im->res->events++;
    switch (r->type) {
    case WICK_PERF_SAMPLE:
        take_sample(d, r, offset);
        break;
    case WICK_PERF_MMAP:
    case WICK_PERF_MMAP2:
        rc = take_mapping(d, r);
        break;
    case WICK_PERF_COMM:
        if (r->size > 16)
            rc = wick_perf_tasks_comm(d->tasks, first, second, wick_perf_text(p + 16, r->size - 16u),
                                      r->misc & MISC_EXEC);
        break;
    case WICK_PERF_FORK: /* pid, parent's pid, tid, parent's tid; of one that was there before nothing is inherited */
        if (r->size >= 24)
            rc = wick_perf_tasks_fork(d->tasks, first, (int32_t)wick_perf_u32(p + 16),
                                      r->misc & MISC_EXEC ? first : second, (int32_t)wick_perf_u32(p + 20));
        break;
    case WICK_PERF_EXIT:
        if (r->size >= 24)
            wick_perf_tasks_exit(d->tasks, (int32_t)wick_perf_u32(p + 16));
        break;
    case WICK_PERF_LOST:
    case WICK_PERF_LOST_SAMPLES:
        if (r->size >= (r->type == WICK_PERF_LOST ? 24 : 16))
            d->lost += wick_perf_u64(p + (r->type == WICK_PERF_LOST ? 16 : 8));
        break;
    default:
        break;
    }
    d->nomem = d->nomem || rc;
}

/* --- features --- */

/* A length and a text. False if it reaches beyond the end. */
static bool counted_text(const unsigned char **p, const unsigned char *end, struct wick_word *out)
{
    if (end - *p < 4 || (size_t)(end - *p - 4) < wick_perf_u32(*p))
        return false;
    size_t n = wick_perf_u32(*p);
    *out = wick_perf_text(*p + 4, n);
    *p += 4 + n;
    return true;
}

/* Names of events: number of them, size of an attribute, and for each its attribute, name and numbers. */
static void take_event_names(struct wick_perf_data *d, const unsigned char *p, const unsigned char *end)
{
    if (end - p < 8)
        return;
    uint32_t n = wick_perf_u32(p), attr_size = wick_perf_u32(p + 4);
    p += 8;
    for (uint32_t i = 0; i < n; i++) {
        struct wick_word name;
        if ((uint64_t)(end - p) < (uint64_t)attr_size + 4)
            return;
        uint64_t nids = wick_perf_u32(p + attr_size);
        p += attr_size + 4;
        if (!counted_text(&p, end, &name) || (uint64_t)(end - p) / 8 < nids)
            return;
        name_attr(nids ? attr_of_id(d, wick_perf_u64(p)) : i < d->nattrs ? &d->attrs[i] : NULL, name);
        p += nids * 8;
    }
}

/* pid, build id of 20 bytes and its length, name of the file. */
static void take_build_id(struct wick_perf_data *d, const unsigned char *p, size_t n, uint16_t misc)
{
    if (n <= 36 || wick_perf_u32(p + 8) == UINT32_MAX) /* the kernel's is not needed */
        return;
    size_t len = misc & MISC_ID_SIZE && p[32] <= 20 ? p[32] : 20;
    wick_perf_dsos_build_id(d->dsos, wick_perf_text(p + 36, n - 36), p + 12, len);
}

static void take_feature(struct wick_perf_data *d, uint64_t which, const unsigned char *p, const unsigned char *end)
{
    struct wick_word text;
    if (which == FEATURE_EVENTS)
        take_event_names(d, p, end);
    if (which == FEATURE_RELEASE && counted_text(&p, end, &text))
        wick_perf_dsos_release(d->dsos, text);
    while (which == FEATURE_BUILD_ID && end - p >= RECORD) {
        size_t n = wick_perf_u16(p + 6);
        if (n < RECORD || n > (size_t)(end - p))
            return;
        take_build_id(d, p, n, wick_perf_u16(p + 4));
        p += n;
    }
}

/* --- records --- */

static size_t take_records(struct wick_perf_data *d, const unsigned char *p, size_t n);

static int take_unpacked(void *ctx, const void *data, size_t n)
{
    struct wick_perf_data *d = ctx;
    uint64_t offset = d->offset; /* problems are reported at the offset of the compressed record */
    wick_strbuf_add(&d->unpacked, data, n);
    if (d->unpacked.failed)
        return -WICK_E_NOMEM;
    size_t used = take_records(d, (const unsigned char *)d->unpacked.buf, d->unpacked.len);
    d->offset = offset;
    memmove(d->unpacked.buf, d->unpacked.buf + used, d->unpacked.len - used);
    wick_strbuf_cut(&d->unpacked, d->unpacked.len - used);
    return d->nomem ? -WICK_E_NOMEM : d->stopped ? -WICK_E_FORMAT : 0;
}

/* A part of the stream. Behind damage nothing of it can be read. */
static void take_compressed(struct wick_perf_data *d, const unsigned char *p, size_t n, uint32_t size)
{
    if (!d->zstd && wick_unzstd_known() && !(d->zstd = wick_unzstd_new()))
        d->nomem = true;
    if (!d->zstd || d->zstd_broken || d->unpacking) {
        d->compressed++;
        d->im->res->lost_bytes += size;
        return;
    }
    d->unpacking = true;
    int rc = wick_unzstd_add(d->zstd, p, n, take_unpacked, d);
    d->unpacking = false;
    d->skip = 0;
    d->nomem = d->nomem || rc == -WICK_E_NOMEM;
    d->zstd_broken = rc != 0;
    if (rc == -WICK_E_FORMAT)
        wick_import_problem(d->im, d->offset, "perf.data: a compressed record is damaged; those after it are lost");
}

/* Records that perf itself writes, which have no time. Returns how many bytes follow that belong to it. */
static uint64_t take_own(struct wick_perf_data *d, const struct wick_perf_rec *r)
{
    const unsigned char *p = r->p + RECORD, *end = r->p + r->size;
    size_t n = (size_t)(end - p);
    uint32_t attr_size = n >= 8 ? wick_perf_u32(p + 4) : 0;
    switch (r->type) {
    case WICK_PERF_HEADER_ATTR:
        if (attr_size <= n)
            add_attr(d, p, attr_size, p + attr_size, (n - attr_size) / 8);
        break;
    case WICK_PERF_EVENT_UPDATE:
        if (n > 16 && wick_perf_u64(p) == UPDATE_NAME)
            name_attr(attr_of_id(d, wick_perf_u64(p + 8)), wick_perf_text(p + 16, n - 16));
        break;
    case WICK_PERF_FEATURE:
        if (n >= 8)
            take_feature(d, wick_perf_u64(p), p + 8, end);
        break;
    case WICK_PERF_BUILD_ID:
        take_build_id(d, r->p, r->size, r->misc);
        break;
    case WICK_PERF_FINISHED_ROUND:
        wick_perf_order_round(d->order);
        break;
    case WICK_PERF_COMPRESSED:
        take_compressed(d, p, n, r->size);
        break;
    case WICK_PERF_COMPRESSED2: /* how many bytes follow, and padding behind them */
        if (n >= 8 && wick_perf_u64(p) <= n - 8)
            take_compressed(d, p + 8, wick_perf_u64(p), r->size);
        break;
    case WICK_PERF_TRACING_DATA: /* rounded up to 8 */
        return n >= 4 ? ((uint64_t)wick_perf_u32(p) + 7) & ~(uint64_t)7 : 0;
    case WICK_PERF_AUXTRACE:
        return n >= 8 ? wick_perf_u64(p) : 0;
    default:
        break;
    }
    return 0;
}

static void take_record(struct wick_perf_data *d, const struct wick_perf_rec *r)
{
    if (r->type >= WICK_PERF_USER) {
        d->skip = take_own(d, r);
        return;
    }
    const struct wick_perf_attr *a = attr_of(d, r);
    d->nomem = wick_perf_order_add(d->order, r, a ? wick_perf_rec_time(a, r) : 0, d->offset) || d->nomem;
}

/* Whole records of n bytes; returns how many were used, which is all but the beginning of one. */
static size_t take_records(struct wick_perf_data *d, const unsigned char *p, size_t n)
{
    size_t at = 0;
    while (!d->stopped) {
        uint64_t skip = d->skip < n - at ? d->skip : n - at;
        d->skip -= skip;
        d->offset += skip;
        at += skip;
        if (n - at < RECORD)
            break;
        struct wick_perf_rec r = {p + at, wick_perf_u32(p + at), wick_perf_u16(p + at + 4), wick_perf_u16(p + at + 6)};
        if (r.size < RECORD) {
            wick_import_problem(d->im, d->offset, "perf.data: a record of %u bytes; the rest is left out", r.size);
            d->stopped = true;
            break;
        }
        if (r.size > n - at)
            break;
        take_record(d, &r);
        d->offset += r.size;
        at += r.size;
    }
    return at;
}

/* The beginning of a record that waits in d->part is completed; returns how many bytes that took. */
static size_t complete_part(struct wick_perf_data *d, const unsigned char *p, size_t n)
{
    size_t have = d->part.len, want = RECORD;
    if (have >= RECORD)
        want = wick_perf_u16((const unsigned char *)d->part.buf + 6);
    size_t take = want - have < n ? want - have : n;
    wick_strbuf_add(&d->part, p, take);
    d->nomem = d->nomem || d->part.failed;
    size_t used = d->part.failed ? 0 : take_records(d, (const unsigned char *)d->part.buf, d->part.len);
    if (d->stopped)
        d->im->res->lost_bytes += d->part.len - used;
    if (d->stopped || used == d->part.len)
        wick_strbuf_clear(&d->part);
    return take;
}

static int feed_records(struct wick_perf_data *d, const unsigned char *p, size_t n)
{
    while (n && d->part.len && !d->stopped && !d->nomem) {
        size_t used = complete_part(d, p, n);
        p += used;
        n -= used;
    }
    size_t used = d->stopped || d->nomem ? 0 : take_records(d, p, n);
    if (d->stopped)
        d->im->res->lost_bytes += n - used;
    else
        wick_strbuf_add(&d->part, p + used, n - used);
    return d->nomem || d->part.failed || d->im->p->failed || wick_perf_dsos_nomem(d->dsos) ? -WICK_E_NOMEM : 0;
}

/* --- the whole --- */

struct wick_perf_data *wick_perf_data_new(struct wick_import *im, bool use_files)
{
    struct wick_perf_data *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->im = im;
    wick_strbuf_init(&d->part);
    wick_strbuf_init(&d->unpacked);
    d->order = wick_perf_order_new(take_ordered, d);
    d->dsos = wick_perf_dsos_new(im->p, use_files);
    d->tasks = d->dsos ? wick_perf_tasks_new(im->p, d->dsos) : NULL;
    d->skip = HEADER_PIPE;
    if (d->order && d->tasks)
        return d;
    wick_perf_data_end(d);
    return NULL;
}

int wick_perf_data_feed(struct wick_perf_data *d, const void *data, size_t n)
{
    return feed_records(d, data, n);
}

/* What is no damage, but should be known. */
static void write_note(struct wick_perf_data *d)
{
    char names[160], text[sizeof d->im->res->note];
    size_t n = 0;
    wick_perf_dsos_note(d->dsos, names, sizeof names);
    if (d->lost)
        n = (size_t)snprintf(text, sizeof text, "perf itself lost %" PRIu64 " records; ", d->lost);
    if (d->user_stacks)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "user stacks were copied for unwinding by DWARF, which "
                              "`perf script` does; ");
    if (*names && n < sizeof text)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s; ", names);
    if (!n)
        return;
    n = n < sizeof text ? n : sizeof text - 1;
    snprintf(d->im->res->note, sizeof d->im->res->note, "%.*s", (int)n - 2, text);
}

int wick_perf_data_end(struct wick_perf_data *d)
{
    bool whole = d->order && d->dsos && d->tasks;
    if (whole) {
        wick_perf_order_end(d->order);
        if (d->part.len || d->skip || (d->unpacked.len && !d->zstd_broken)) {
            d->im->res->lost_bytes += d->part.len;
            wick_import_problem(d->im, d->offset, "perf.data: truncated here");
        }
        if (d->compressed && !d->zstd)
            wick_import_problem(d->im, 0,
                                "perf.data: %" PRIu64 " compressed records (perf record -z) are not read, because "
                                "wick was built without libzstd",
                                d->compressed);
        if (wick_perf_tasks_dropped(d->tasks))
            wick_import_problem(d->im, 0, "perf.data: more mappings than are kept");
        write_note(d);
        d->im->res->chunks++;
    }
    bool nomem = d->nomem || d->part.failed || d->im->p->failed || (whole && wick_perf_dsos_nomem(d->dsos));
    wick_perf_tasks_free(d->tasks);
    wick_perf_dsos_free(d->dsos);
    wick_perf_order_free(d->order);
    wick_index_release(&d->by_id);
    wick_strbuf_release(&d->part);
    wick_strbuf_release(&d->unpacked);
    wick_unzstd_free(d->zstd);
    free(d->attrs);
    free(d->ids);
    free(d);
    return nomem ? -WICK_E_NOMEM : 0;
}

bool wick_perf_data_is_pipe(const void *data, size_t n)
{
    return n >= HEADER_PIPE && wick_perf_u64((const unsigned char *)data + 8) == HEADER_PIPE;
}

/* --- the form of files --- */

/* An offset and a size in a table, cut to what there is. */
static const unsigned char *section(const unsigned char *data, size_t n, const unsigned char *at, size_t *size)
{
    uint64_t offset = wick_perf_u64(at), want = wick_perf_u64(at + 8);
    offset = offset < n ? offset : n;
    *size = want < n - offset ? (size_t)want : (size_t)(n - offset);
    return data + offset;
}

/* All together have no more numbers than the file has room for: attributes could name the same place. */
static void read_attrs(struct wick_perf_data *d, const unsigned char *data, size_t n)
{
    size_t size, each = wick_perf_u64(data + 16) < 4096 ? (size_t)wick_perf_u64(data + 16) : 0, ids, left = n;
    const unsigned char *p = section(data, n, data + 24, &size);
    for (size_t at = 0; each > 16 && at + each <= size; at += each) {
        const unsigned char *numbers = section(data, n, p + at + each - 16, &ids);
        ids = ids < left ? ids : left;
        left -= ids;
        add_attr(d, p + at, each - 16, numbers, ids / 8);
    }
}

/* Their places are listed behind the records, in the order of their bits. */
static void read_features(struct wick_perf_data *d, const unsigned char *data, size_t n, uint64_t from)
{
    for (unsigned bit = 0; bit < FEATURES; bit++) {
        if (!(data[72 + bit / 8] >> bit % 8 & 1))
            continue;
        if (from > n || n - from < 16)
            return;
        size_t size;
        const unsigned char *p = section(data, n, data + from, &size);
        take_feature(d, bit, p, p + size);
        from += 16;
    }
}

static int read_blocks(struct wick_perf_data *d, const unsigned char *data, size_t from, size_t to, bool mapped)
{
    int rc = 0;
    for (size_t at = from; !rc && at < to;) {
        size_t end = at / BLOCK * BLOCK + BLOCK; /* in the mapping, so that whole pages are given back */
        end = end < to ? end : to;
        rc = feed_records(d, data + at, end - at);
        if (mapped)
            madvise((void *)(data + at / BLOCK * BLOCK), end - at / BLOCK * BLOCK, MADV_DONTNEED);
        at = end;
    }
    return rc;
}

int wick_perf_data_read(struct wick_import *im, const void *data, size_t n, bool mapped, bool use_files)
{
    size_t size;
    const unsigned char *p = data;
    bool pipe = wick_perf_data_is_pipe(data, n);
    if (!pipe && n < HEADER_FILE)
        return -WICK_E_FORMAT;
    struct wick_perf_data *d = wick_perf_data_new(im, use_files);
    if (!d)
        return -WICK_E_NOMEM;
    size_t from = 0, to = n;
    if (!pipe) {
        from = (size_t)(section(p, n, p + 40, &size) - p);
        bool closed = wick_perf_u64(p + 48) != 0; /* perf was not killed */
        to = closed ? from + size : n;
        d->skip = 0;
        d->offset = from;
        read_attrs(d, p, n);
        if (closed && size == wick_perf_u64(p + 48))
            read_features(d, p, n, to);
        else
            wick_import_problem(im, closed ? n : 48,
                                closed ? "perf.data: truncated here"
                                       : "perf.data: perf did not end this file properly");
    }
    int rc = read_blocks(d, p, from, to, mapped), end = wick_perf_data_end(d);
    return rc ? rc : end;
}
