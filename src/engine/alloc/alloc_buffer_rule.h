/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc_buffer_rule.h - the arithmetic of alloc_buffer.h, for the agent's handlers and for the kernel side of `wick
 * host`
 *
 * It is in the subset of C that the kernel's verifier takes, as unwind/step.h is, whose STEP_INLINE it uses.
 *
 * Threads, memory: as alloc_buffer.h.
 */
#ifndef WICK_ENGINE_ALLOC_ALLOC_BUFFER_RULE_H
#define WICK_ENGINE_ALLOC_ALLOC_BUFFER_RULE_H

#include "engine/alloc/alloc_buffer.h"
#include "unwind/step.h"

/* The JVM uses less of a buffer than its size: what compiled code prefetches behind the last object, and an array's
 * header to fill it up. Some hundred bytes, which depend on the processor. */
enum { ALLOC_BUFFER_RESERVED = 1024 };

STEP_INLINE uint64_t alloc_buffer_minus(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* A thread that was there before the recording, and must have filled a buffer to come here. What it has allocated there
 * before the recording stands for what it allocates after its last sample, at the end. */
STEP_INLINE void alloc_buffer_begin(struct wick_alloc_buffer *b, const struct wick_alloc_buffer_seen *s)
{
    uint64_t behind = s->present ? s->used : s->desired;
    b->began = b->counted = alloc_buffer_minus(s->before, behind);
    b->capacity = s->present ? s->present : s->desired;
    b->known = true;
}

/* Whether the end of a buffer falls into the object, and how far behind its first byte. */
STEP_INLINE bool alloc_buffer_holds_the_end(const struct wick_alloc_buffer *b, const struct wick_alloc_buffer_seen *s,
                                            uint64_t *at)
{
    uint64_t used = alloc_buffer_minus(alloc_buffer_minus(s->before, b->began), b->beside);
    uint64_t rest = s->fresh ? alloc_buffer_minus(b->capacity, used) : alloc_buffer_minus(s->present, s->used);
    *at = rest < s->size ? rest : s->size;
    if (!s->fresh)
        return s->present != 0;
    return b->capacity && used + s->size + ALLOC_BUFFER_RESERVED >= b->capacity;
}

/* The object stands for the bytes up to the end that it holds, not up to itself, which would be fewer for large ones.
 * */
STEP_INLINE uint64_t alloc_buffer_take(struct wick_alloc_buffer *b, const struct wick_alloc_buffer_seen *s,
                                       uint64_t room)
{
    uint64_t at, waiting = alloc_buffer_minus(s->before, b->counted);
    bool holds = alloc_buffer_holds_the_end(b, s, &at);
    if (b->taken || (!holds && waiting < room))
        return 0;
    if (holds)
        waiting = alloc_buffer_minus(s->before + at, b->counted);
    b->taken = true;
    b->counted += waiting;
    return waiting;
}

/* What may be in a buffer: behind an object that is too large, and for which a buffer came, is as much as else. */
STEP_INLINE uint64_t alloc_buffer_room_of(const struct wick_alloc_buffer *b, const struct wick_alloc_buffer_seen *s)
{
    if (s->present && b->capacity)
        return s->present < b->capacity ? s->present : b->capacity;
    return s->present ? s->present : b->capacity ? b->capacity : s->desired;
}

/* The buffer's end was seen, and then a buffer's size of others went outside: there may be no new one for long. */
STEP_INLINE bool alloc_buffer_is_beside_for_long(const struct wick_alloc_buffer *b,
                                                 const struct wick_alloc_buffer_seen *s, uint64_t room)
{
    return !s->fresh && b->taken && alloc_buffer_minus(s->before, b->counted) >= room;
}

STEP_INLINE uint64_t alloc_buffer_seen(struct wick_alloc_buffer *b, const struct wick_alloc_buffer_seen *s)
{
    if (!b->known)
        alloc_buffer_begin(b, s);
    uint64_t room = alloc_buffer_room_of(b, s);
    bool large = s->size > room || alloc_buffer_is_beside_for_long(b, s, room);
    uint64_t bytes = large ? s->size : alloc_buffer_take(b, s, room);
    if (large)
        b->counted += s->size;
    if (!s->fresh) {
        b->beside += s->size;
        return bytes;
    }
    b->began = s->before + (large ? s->size : 0);
    b->beside = 0;
    b->capacity = alloc_buffer_minus(s->fresh, large ? s->size : 0);
    b->taken = false;
    return bytes;
}

STEP_INLINE uint64_t alloc_buffer_rest(const struct wick_alloc_buffer *b, uint64_t allocated)
{
    return b->known ? alloc_buffer_minus(allocated, b->counted) : 0;
}

#endif
