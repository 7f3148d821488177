/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jfr_walk.h - takes a recording of wick's apart and fails the test where it breaks a rule of the format
 *
 * It knows the chunk format and the event list, and shares no code with the reader. Checked: the chunks fill the file
 * exactly; a chunk's events fill the chunk; the checkpoints form one chain from the header to the first; each constant
 * is written once; every reference, in events and constants, has its constant; neighbouring chunks share no numbers;
 * strings are valid UTF-8.
 *
 * Threads: one.
 * Memory:  static, sized for the tests' recordings.
 */
#ifndef WICK_TESTS_UNIT_JFR_WALK_H
#define WICK_TESTS_UNIT_JFR_WALK_H

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/frame_kind.h"
#include "base/leb128.h"
#include "jfr/format/jfr_format.h"
#include "jfr/format/schema.h"

#define WALK_IDS 40000u

struct walk {
    uint64_t events[WICK_JFR_EVENT_COUNT], event_bytes[WICK_JFR_EVENT_COUNT];
    uint64_t field_sum[WICK_JFR_FIELD_COUNT]; /* of integers */
    uint64_t last_value[WICK_JFR_FIELD_COUNT];
    uint64_t chunks, checkpoints, constants[WICK_JFR_TYPE_END], frames, truncated_stacks, final_chunks;
    uint64_t start_nanos, duration_nanos, start_ticks; /* of the last chunk */
};

/* Chunk in which a constant was defined or referred to last, + 1. */
static uint64_t defined[WICK_JFR_TYPE_END][WALK_IDS], wanted[WICK_JFR_TYPE_END][WALK_IDS];
static uint64_t used_ids[WICK_JFR_TYPE_END]; /* of these arrays, by type */
/* Texts by number of the current chunk, for tests to inspect. */
static char walk_symbols[WALK_IDS][80];
static uint32_t walk_descriptors[WALK_IDS], walk_descriptor_count;

static uint64_t be(const uint8_t *p, unsigned n)
{
    uint64_t v = 0;
    while (n--)
        v = v << 8 | *p++;
    return v;
}

static uint64_t get(const uint8_t **p, const uint8_t *end)
{
    uint64_t v = wick_leb128_jfr_read(p, end);
    assert_non_null(*p);
    return v;
}

static void check_utf8(const uint8_t *s, size_t n)
{
    for (size_t i = 0; i < n;) {
        uint32_t c = s[i], len = c < 0x80 ? 1 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
        if (len > 1) {
            assert_in_range(c, 0xc2, 0xf4);
            c &= 0x7fu >> len;
        }
        assert_true(i + len <= n);
        for (uint32_t k = 1; k < len; k++) {
            assert_int_equal(s[i + k] & 0xc0, 0x80);
            c = c << 6 | (s[i + k] & 0x3f);
        }
        static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
        assert_true(c >= least[len] && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff));
        i += len;
    }
}

static void use_id(enum wick_jfr_type_id type, uint64_t id)
{
    assert_true(id < WALK_IDS);
    if (id >= used_ids[type])
        used_ids[type] = id + 1;
}

static void want(struct walk *w, enum wick_jfr_type_id type, uint64_t id)
{
    use_id(type, id);
    if (id || type == WICK_JFR_TYPE_FRAME_TYPE)
        wanted[type][id] = w->chunks;
}

static void get_string(struct walk *w, const uint8_t **p, const uint8_t *end, char copy[80])
{
    assert_true(*p < end);
    uint8_t encoding = *(*p)++;
    size_t n = 0;
    if (encoding == WICK_JFR_STR_POOL)
        want(w, WICK_JFR_TYPE_STRING, get(p, end));
    else if (encoding == WICK_JFR_STR_UTF8) {
        n = get(p, end);
        assert_true((n > 0 || copy) && n <= (size_t)(end - *p)); /* of no bytes: symbols only */
        check_utf8(*p, n);
        if (copy)
            memcpy(copy, *p, n < 79 ? n : 79);
        *p += n;
    } else
        assert_true(encoding == WICK_JFR_STR_NULL || encoding == WICK_JFR_STR_EMPTY);
    if (copy)
        copy[n < 79 ? n : 79] = 0;
}

static void get_stack(struct walk *w, const uint8_t **p, const uint8_t *end)
{
    w->truncated_stacks += *(*p)++;
    uint64_t n = get(p, end);
    w->frames += n;
    while (n--) {
        want(w, WICK_JFR_TYPE_METHOD, get(p, end));
        get(p, end);
        get(p, end);
        uint64_t kind = get(p, end);
        assert_true(kind <= WICK_FRAME_C1); /* what async-profiler's reader has a name for */
        want(w, WICK_JFR_TYPE_FRAME_TYPE, kind);
    }
}

static void get_constant(struct walk *w, enum wick_jfr_type_id type, uint64_t id, const uint8_t **p, const uint8_t *end)
{
    switch ((int)type) {
    case WICK_JFR_TYPE_THREAD:
        get_string(w, p, end, NULL);
        get(p, end);
        get_string(w, p, end, NULL);
        get(p, end);
        want(w, WICK_JFR_TYPE_THREAD_GROUP, get(p, end));
        break;
    case WICK_JFR_TYPE_THREAD_GROUP:
        assert_int_equal(get(p, end), 0);
        get_string(w, p, end, NULL);
        break;
    case WICK_JFR_TYPE_STACK_TRACE:
        get_stack(w, p, end);
        break;
    case WICK_JFR_TYPE_METHOD:
        want(w, WICK_JFR_TYPE_CLASS, get(p, end));
        want(w, WICK_JFR_TYPE_SYMBOL, get(p, end));
        walk_descriptors[walk_descriptor_count++] = (uint32_t)get(p, end);
        want(w, WICK_JFR_TYPE_SYMBOL, walk_descriptors[walk_descriptor_count - 1]);
        get(p, end);
        assert_true(*(*p)++ <= 1);
        break;
    case WICK_JFR_TYPE_CLASS:
        assert_int_equal(get(p, end), 0);
        want(w, WICK_JFR_TYPE_SYMBOL, get(p, end));
        want(w, WICK_JFR_TYPE_PACKAGE, get(p, end));
        get(p, end);
        assert_true(*(*p)++ <= 1);
        break;
    case WICK_JFR_TYPE_PACKAGE:
        want(w, WICK_JFR_TYPE_SYMBOL, get(p, end));
        assert_int_equal(get(p, end), 0);
        assert_int_equal(*(*p)++, 0);
        break;
    case WICK_JFR_TYPE_CONTEXT:
        get_string(w, p, end, NULL);
        break;
    case WICK_JFR_TYPE_SYMBOL:
        assert_true(*p < end && **p == WICK_JFR_STR_UTF8); /* the only form that the JDK writes symbols in */
        get_string(w, p, end, walk_symbols[id]);
        break;
    case WICK_JFR_TYPE_FRAME_TYPE:
    case WICK_JFR_TYPE_THREAD_STATE:
    case WICK_JFR_TYPE_SAMPLE_KIND:
    case WICK_JFR_TYPE_STRING:
        get_string(w, p, end, NULL);
        break;
    default:
        fail_msg("pool of type %d", (int)type);
    }
}

static bool is_fixed(enum wick_jfr_type_id t)
{
    return t == WICK_JFR_TYPE_FRAME_TYPE || t == WICK_JFR_TYPE_THREAD_STATE || t == WICK_JFR_TYPE_SAMPLE_KIND;
}

/* p: after size and type. Returns the delta. */
static int64_t walk_checkpoint(struct walk *w, const uint8_t *p, const uint8_t *end)
{
    get(&p, end);
    assert_int_equal(get(&p, end), 0);
    int64_t delta = (int64_t)get(&p, end);
    assert_int_equal(*p++, 0);
    w->checkpoints++;
    for (uint64_t pools = get(&p, end); pools; pools--) {
        uint64_t type = get(&p, end), n = get(&p, end);
        assert_true(type < WICK_JFR_TYPE_END && n > 0);
        w->constants[type] += n;
        while (n--) {
            uint64_t id = get(&p, end);
            use_id((enum wick_jfr_type_id)type, id);
            assert_true(defined[type][id] != w->chunks);
            if (!is_fixed((enum wick_jfr_type_id)type))
                assert_true(!defined[type][id] || defined[type][id] + 1 < w->chunks);
            defined[type][id] = w->chunks;
            get_constant(w, (enum wick_jfr_type_id)type, id, &p, end);
        }
    }
    assert_ptr_equal(p, end);
    return delta;
}

static void walk_event(struct walk *w, enum wick_jfr_event_id e, const uint8_t *p, const uint8_t *end)
{
    w->events[e]++;
    for (int f = (int)wick_jfr_events[e].first_field; f < (int)wick_jfr_events[e].end_field; f++) {
        const struct wick_jfr_kind_info *k = &wick_jfr_kinds[wick_jfr_fields[f].kind];
        if (k->type == WICK_JFR_TYPE_STRING)
            get_string(w, &p, end, NULL);
        else if (k->type == WICK_JFR_TYPE_FLOAT)
            p += 4;
        else {
            uint64_t v = get(&p, end);
            w->field_sum[f] += v;
            w->last_value[f] = v;
            if (k->pool)
                want(w, k->type, v);
        }
    }
    assert_ptr_equal(p, end);
}

static void walk_chunk(struct walk *w, const uint8_t *chunk, uint64_t size)
{
    w->chunks++;
    walk_descriptor_count = 0;
    uint64_t checkpoint = be(chunk + WICK_JFR_HDR_CHECKPOINT, 8), last = 0;
    uint64_t metadata = be(chunk + WICK_JFR_HDR_METADATA, 8), seen_metadata = 0;
    w->start_nanos = be(chunk + WICK_JFR_HDR_START_NANOS, 8);
    w->duration_nanos = be(chunk + WICK_JFR_HDR_DURATION_NANOS, 8);
    w->start_ticks = be(chunk + WICK_JFR_HDR_START_TICKS, 8);
    assert_int_equal(be(chunk + WICK_JFR_HDR_TICKS_PER_S, 8), 1000000000);
    assert_int_equal(chunk[WICK_JFR_HDR_STATE], 0);
    uint64_t flags = be(chunk + WICK_JFR_HDR_FLAGS, 2);
    assert_true(flags & WICK_JFR_FLAG_COMPRESSED_INTS);
    w->final_chunks += !!(flags & WICK_JFR_FLAG_FINAL_CHUNK);
    const uint8_t *end = chunk + size;
    for (const uint8_t *p = chunk + WICK_JFR_HDR_SIZE, *next; p < end; p = next) {
        uint64_t at = (uint64_t)(p - chunk);
        const uint8_t *body = p;
        uint64_t n = get(&body, end), type = get(&body, end);
        assert_true(n > 0 && n <= size - at);
        next = p + n;
        if (type == WICK_JFR_TYPE_METADATA) {
            assert_int_equal(at, metadata);
            seen_metadata++;
        } else if (type == WICK_JFR_TYPE_CHECKPOINT) {
            assert_int_equal(walk_checkpoint(w, body, next), last ? (int64_t)(last - at) : 0);
            last = at;
        } else {
            assert_true(type >= 2 && type < 2 + WICK_JFR_EVENT_COUNT);
            w->event_bytes[type - 2] += n;
            walk_event(w, (enum wick_jfr_event_id)(type - 2), body, next);
        }
    }
    assert_int_equal(seen_metadata, 1);
    assert_int_equal(last, checkpoint);
    for (int t = 0; t < WICK_JFR_TYPE_END; t++) {
        for (uint32_t id = 0; id < used_ids[t]; id++) {
            if (wanted[t][id] == w->chunks && defined[t][id] != w->chunks)
                fail_msg("chunk %d: no constant %u of type %d", (int)w->chunks, id, t);
        }
    }
}

/* Walks a whole recording. */
static void walk_recording(struct walk *w, const uint8_t *data, size_t len)
{
    memset(w, 0, sizeof *w);
    for (int t = 0; t < WICK_JFR_TYPE_END; t++) {
        memset(defined[t], 0, used_ids[t] * sizeof defined[t][0]);
        memset(wanted[t], 0, used_ids[t] * sizeof wanted[t][0]);
        used_ids[t] = 0;
    }
    for (size_t at = 0; at < len;) {
        assert_true(len - at > WICK_JFR_HDR_SIZE);
        assert_memory_equal(data + at, WICK_JFR_MAGIC "\0\2\0\1", 8);
        uint64_t size = be(data + at + WICK_JFR_HDR_CHUNK_SIZE, 8);
        assert_true(size > WICK_JFR_HDR_SIZE && size <= len - at);
        walk_chunk(w, data + at, size);
        at += size;
    }
}

/* The same of what a file holds. */
static inline void walk_recorded(struct walk *w, int fd)
{
    off_t size = lseek(fd, 0, SEEK_END);
    void *bytes = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
    assert_true(bytes != MAP_FAILED);
    walk_recording(w, bytes, (size_t)size);
    munmap(bytes, (size_t)size);
}

#endif
