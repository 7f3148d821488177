/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/alloc/alloc_buffer.h"

/* The JVM uses less of a buffer than its size: what compiled code prefetches behind the last object, and an array's
 * header to fill it up. Some hundred bytes, which depend on the processor. */
enum { RESERVED_MOST = 1024 };

static uint64_t minus(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* A thread that was there before the recording, and must have filled a buffer to come here. What it has allocated there
 * before the recording stands for what it allocates after its last sample, at the end. */
static void begin(struct wick_alloc_buffer *b, const struct wick_alloc_buffer_seen *s)
{
    uint64_t behind = s->present ? s->used : s->desired;
    b->began = b->counted = minus(s->before, behind);
    b->capacity = s->present ? s->present : s->desired;
    b->known = true;
}

/* Whether the end of a buffer falls into the object, and how far behind its first byte. */
static bool holds_the_end(const struct wick_alloc_buffer *b, const struct wick_alloc_buffer_seen *s, uint64_t *at)
{
    uint64_t used = minus(minus(s->before, b->began), b->beside);
    uint64_t rest = s->fresh ? minus(b->capacity, used) : minus(s->present, s->used);
    *at = rest < s->size ? rest : s->size;
    if (!s->fresh)
        return s->present != 0;
    return b->capacity && used + s->size + RESERVED_MOST >= b->capacity;
}

/* The object stands for the bytes up to the end that it holds, not up to itself, which would be fewer for large ones.
 * */
static uint64_t take(struct wick_alloc_buffer *b, const struct wick_alloc_buffer_seen *s, uint64_t room)
{
    uint64_t at, waiting = minus(s->before, b->counted);
    bool holds = holds_the_end(b, s, &at);
    if (b->taken || (!holds && waiting < room))
        return 0;
    if (holds)
        waiting = minus(s->before + at, b->counted);
    b->taken = true;
    b->counted += waiting;
    return waiting;
}

/* What may be in a buffer: behind an object that is too large, and for which a buffer came, is as much as else. */
static uint64_t room_of(const struct wick_alloc_buffer *b, const struct wick_alloc_buffer_seen *s)
{
    if (s->present && b->capacity)
        return s->present < b->capacity ? s->present : b->capacity;
    return s->present ? s->present : b->capacity ? b->capacity : s->desired;
}

/* The buffer's end was seen, and then a buffer's size of others went outside: there may be no new one for long. */
static bool is_beside_for_long(const struct wick_alloc_buffer *b, const struct wick_alloc_buffer_seen *s, uint64_t room)
{
    return !s->fresh && b->taken && minus(s->before, b->counted) >= room;
}

uint64_t wick_alloc_buffer_seen_sig(struct wick_alloc_buffer *b, const struct wick_alloc_buffer_seen *s)
{
    if (!b->known)
        begin(b, s);
    uint64_t room = room_of(b, s);
    bool large = s->size > room || is_beside_for_long(b, s, room);
    uint64_t bytes = large ? s->size : take(b, s, room);
    if (large)
        b->counted += s->size;
    if (!s->fresh) {
        b->beside += s->size;
        return bytes;
    }
    b->began = s->before + (large ? s->size : 0);
    b->beside = 0;
    b->capacity = minus(s->fresh, large ? s->size : 0);
    b->taken = false;
    return bytes;
}

uint64_t wick_alloc_buffer_rest_sig(const struct wick_alloc_buffer *b, uint64_t allocated)
{
    return b->known ? minus(allocated, b->counted) : 0;
}
