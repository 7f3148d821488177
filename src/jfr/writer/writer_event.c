/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encoding events
 *
 * def/event.def is expanded twice here. First into bound_<name>(), the most bytes the event can take, so that room is
 * made once and the fields are then written with plain stores; then into wick_jfr_write_<name>(), which calls for each
 * field the encoder of its kind, put_<KIND>. Events whose encoded size is under 128 bytes (all samples) get a size of
 * one byte in front; the size of longer ones is put in front by moving the body.
 *
 * Times are in nanoseconds from the chunk's origin, one second before its start: five bytes for the first half minute
 * of a chunk, six for 73 minutes. Weights are rounded down to microseconds, half as many bytes, and the rest is carried
 * to the next event of the same field, so that their sum is never off by a microsecond, however many events there are.
 * (An event that is lost may take the rest with it.)
 */
#include "jfr/writer/writer_internal.h"

#include <string.h>

#include "base/err.h"
#include "jfr/format/bytes.h"

struct cursor {
    struct wick_jfr_writer *w;
    uint8_t *p;
    uint8_t *extra; /* where the size of the extra fields goes, NULL = there are none */
    bool failed;
};

#define ROOM_FOR_SIZE 4u

static uint32_t text_len(const char *s)
{
    return s ? (uint32_t)strnlen(s, WICK_JFR_STRING_MAX) : 0;
}

static void put_int(struct cursor *c, uint64_t v)
{
    c->p = wick_jfr_int_at(c->p, v);
}

/* An id of a constant; none if the key is none. */
static void put_id(struct cursor *c, struct wick_jfr_ids *ids, uint32_t key)
{
    uint32_t id = key ? wick_jfr_ids_add(ids, key) : 0;
    c->failed |= key && !id;
    put_int(c, wick_jfr_number(&ids->numbering, id));
}

static void put_TIME(struct cursor *c, uint64_t mono_ns, int field)
{
    put_int(c, wick_jfr_ticks(c->w, mono_ns));
}

/* A time before the chunk's origin is negative; the format's readers take it as it is. */
static void put_PAST(struct cursor *c, uint64_t mono_ns, int field)
{
    put_int(c, mono_ns - c->w->origin_ns);
}

static void put_SPAN_US(struct cursor *c, uint64_t ns, int field)
{
    uint32_t *carry = &c->w->carry_ns[field];
    uint64_t rest = ns % 1000 + *carry;
    put_int(c, ns / 1000 + rest / 1000);
    *carry = (uint32_t)(rest % 1000);
}

static void put_COUNT(struct cursor *c, uint64_t v, int field)
{
    put_int(c, v);
}

#define put_SPAN     put_COUNT
#define put_SPAN_NS  put_COUNT
#define put_SPAN_MS  put_COUNT
#define put_EPOCH_MS put_COUNT
#define put_BYTES    put_COUNT
#define put_ADDRESS  put_COUNT
#define put_UINT     put_COUNT
#define put_STATE    put_COUNT
#define put_MODE     put_COUNT

/* The size, which end() fills in. */
static void put_EXTRA_SIZE(struct cursor *c)
{
    c->extra = c->p++;
}

static void put_EXTRA_TYPE(struct cursor *c)
{
    *c->p++ = WICK_JFR_EXTRA_TYPE;
}

static void put_PERCENT(struct cursor *c, float v, int field)
{
    uint32_t bits;
    _Static_assert(sizeof bits == sizeof v, "float is IEEE 754 single");
    memcpy(&bits, &v, sizeof bits);
    c->p = wick_jfr_be_at(c->p, bits, 4);
}

#define put_RATIO put_PERCENT

static void put_STRING(struct cursor *c, const char *s, int field)
{
    c->p = wick_jfr_string_at(c->p, s, text_len(s));
}

static void put_NAME(struct cursor *c, const char *s, int field)
{
    if (!s || !*s) {
        c->p = wick_jfr_string_at(c->p, s, 0);
        return;
    }
    uint32_t id = wick_jfr_names_add(&c->w->strings, s, text_len(s));
    c->failed |= !id;
    *c->p++ = WICK_JFR_STR_POOL;
    put_int(c, wick_jfr_number(&c->w->strings.numbering, id));
}

static void put_BOOL(struct cursor *c, bool v, int field)
{
    *c->p++ = v;
}

static void put_CLASS(struct cursor *c, const char *name, int field)
{
    uint32_t id = name && *name ? wick_jfr_class_add(c->w, name) : 0;
    c->failed |= name && *name && !id;
    put_int(c, wick_jfr_number(&c->w->classes.numbering, id));
}

static void put_THREAD(struct cursor *c, uint32_t thread, int field)
{
    put_id(c, &c->w->threads, thread);
}

static void put_STACK(struct cursor *c, uint32_t stack, int field)
{
    put_id(c, &c->w->stacks, stack);
}

static void put_CONTEXT(struct cursor *c, uint32_t context, int field)
{
    put_id(c, &c->w->contexts, context);
}

/* The most bytes a field takes. */
static size_t bound_STRING(const char *s)
{
    return wick_jfr_string_bound(text_len(s));
}

#define FIXED(K, ctype)                    \
    static size_t bound_##K(ctype v)       \
    {                                      \
        return 1 + WICK_JFR_INT_MAX_BYTES; \
    }
FIXED(TIME, uint64_t)
FIXED(COUNT, uint64_t)
FIXED(PERCENT, float)
FIXED(NAME, const char *)
FIXED(BOOL, bool)
#define bound_CLASS    bound_NAME
#define bound_PAST     bound_COUNT
#define bound_RATIO    bound_PERCENT
#define bound_SPAN     bound_COUNT
#define bound_SPAN_US  bound_COUNT
#define bound_SPAN_NS  bound_COUNT
#define bound_SPAN_MS  bound_COUNT
#define bound_EPOCH_MS bound_COUNT
#define bound_BYTES    bound_COUNT
#define bound_ADDRESS  bound_COUNT
#define bound_UINT     bound_COUNT
#define bound_STATE    bound_COUNT
#define bound_MODE     bound_COUNT
#define bound_THREAD   bound_COUNT
#define bound_STACK    bound_COUNT
#define bound_CONTEXT  bound_COUNT

#define EVENT(N, n, ...)                                  \
    static size_t bound_##n(const struct wick_jfr_##n *e) \
    {                                                     \
        return ROOM_FOR_SIZE + 1
#define FIELD(N, K, member, ...) +bound_##K(e->member)
#define EXTRA(...)               +1
#define END(N, n) \
    ;             \
    }
#include "def/event.def"
#undef EVENT
#undef FIELD
#undef EXTRA
#undef END

static void lose_memory(struct wick_jfr_writer *w, enum wick_jfr_event_id event)
{
    w->stats.lost_memory[event]++;
    wick_jfr_weight_add(&w->stats.lost_memory_weight[event], &w->weight);
}

/* Makes room for `bound` bytes, flushing first if the buffer is full: before the event takes ids, since a flush may
 * begin a new chunk. 0 or the reason why the event is lost. */
static int begin(struct cursor *c, struct wick_jfr_writer *w, enum wick_jfr_event_id event, size_t bound)
{
    if (w->events.len && w->events.len + bound > w->config.buffer_bytes)
        wick_jfr_writer_flush(w, w->now_ns);
    if (w->stats.error) {
        w->stats.lost_output[event]++;
        wick_jfr_weight_add(&w->stats.lost_output_weight[event], &w->weight);
        return w->stats.error;
    }
    if (wick_strbuf_grow(&w->events, bound)) {
        w->events.failed = false; /* this event is lost, the buffer is as before */
        lose_memory(w, event);
        return -WICK_E_NOMEM;
    }
    *c = (struct cursor){w, (uint8_t *)w->events.buf + w->events.len + ROOM_FOR_SIZE, NULL, false};
    *c->p++ = (uint8_t)wick_jfr_event_type_id(event);
    return 0;
}

/* Puts the size in front of the event and makes it part of the buffer; loses it if a field could not be written. */
static int end(struct cursor *c, enum wick_jfr_event_id event)
{
    struct wick_jfr_writer *w = c->w;
    if (c->failed) {
        lose_memory(w, event);
        return -WICK_E_NOMEM;
    }
    if (c->extra)
        *c->extra = (uint8_t)(c->p - c->extra); /* some twelve integers at most */
    uint8_t *start = (uint8_t *)w->events.buf + w->events.len;
    uint8_t *body = start + ROOM_FOR_SIZE;
    size_t body_size = (size_t)(c->p - body);
    size_t prefix = 1;
    while (wick_jfr_int_size(body_size + prefix) > prefix)
        prefix++;
    memmove(start + prefix, body, body_size);
    wick_jfr_int_at(start, body_size + prefix);
    w->events.len += prefix + body_size;
    w->stats.pending[event]++;
    wick_jfr_weight_add(&w->stats.pending_weight[event], &w->weight);
    return 0;
}

#define EVENT(N, n, ...)                                                            \
    int wick_jfr_write_##n(struct wick_jfr_writer *w, const struct wick_jfr_##n *e) \
    {                                                                               \
        struct cursor c;                                                            \
        int error = begin(&c, w, WICK_JFR_EVENT_##N, bound_##n(e));                 \
        if (error)                                                                  \
            return error;
#define FIELD(N, K, member, ...) put_##K(&c, e->member, WICK_JFR_FIELD_##N##_##member);
#define EXTRA(N, K, ...)         put_##K(&c);
#define END(N, n)                       \
    return end(&c, WICK_JFR_EVENT_##N); \
    }
#include "def/event.def"
#undef EVENT
#undef FIELD
#undef EXTRA
#undef END
