/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc_gap.c - see alloc_gap.h
 *
 * HotSpot draws a gap so (share/runtime/threadHeapSampler.cpp): the generator of drand48 makes 48 bits, the upper 26 of
 * them plus one are q, and the gap is interval x -ln(q / 2^26) + 1, with a logarithm to base 2 that knows 10 bits of
 * the mantissa. Two threads made at the same moment may share the generator's state; their numbers are others, and
 * they are not counted. A thread that has been sampled has a later number.
 *
 * What is required of the place, because it is written to: it follows Thread::_allocated_bytes, which the JVM's tables
 * name; the numbers of at least AGREE threads are the ones predicted there, of which each is one of millions; and they
 * are more than twice as many as at any other place. With hundreds of threads chance alone has one of those now and
 * then: of a thread's numbers a few are of the size of a gap, and three of half a million are what would be predicted.
 */
#include "hotspot/alloc_gap.h"

#include <time.h>

#include "base/atomic.h"
#include "base/poisson.h"
#include "hotspot/thread.h"
#include "hotspot/value.h"

enum {
    THREADS = 128,
    AGREE = 3,
    MOST = 8192,         /* bytes of a JavaThread */
    LEAST_GAP = 4096,    /* smaller numbers are everywhere */
    DEFAULT = 512 << 10, /* the JVM's own interval */
    ROUNDS = 3,          /* a thread that works while it is read may have to be read again, */
    PAUSE_NS = 2000000,  /* when it has had a CPU */
    FORM_DOUBT = 8,      /* of so many threads one may be seen while it changes its buffer */
    LOG_BITS = 10,
    LONGEST = 19, /* intervals: ln(2^26) and a bit */
};

/* In 25, behind the gap: where in the buffer the last sample was, bytes in buffers before, and bytes outside. */
enum { TOP_BEFORE = 8, IN_BUFFERS = 16, OUTSIDE = 24, COUNTED_BYTES = 32 };

static double log2_of(double q, bool exact)
{
    int exponent = 0;
    for (; q >= 2; q /= 2)
        exponent++;
    if (!exact)
        return exponent;
    double steps = (double)(int)((q - 1) * (1 << LOG_BITS)) + 0.5;
    return exponent + wick_poisson_minus_ln(1 / (1 + steps / (1 << LOG_BITS))) / 0.69314718055994531;
}

uint64_t wick_hs_alloc_gap_first(wick_addr number, uint32_t interval, bool exact)
{
    uint64_t seed = number & 0xffffffff;
    uint64_t random = ((seed ? seed : 1) * 0x5deece66d + 0xb) & 0xffffffffffff;
    double below = 26 - log2_of((double)(random >> 22) + 1, exact);
    return (uint64_t)((below > 0 ? below : 0) * 0.69314718055994531 * interval + 1);
}

static bool is(uint64_t value, uint64_t predicted)
{
    return predicted >= LEAST_GAP && value + 1 >= predicted && value <= predicted + 1;
}

static bool may_be_first(uint64_t value, wick_addr number, uint32_t interval)
{
    uint64_t longest = (uint64_t)(interval > DEFAULT ? interval : DEFAULT) * LONGEST;
    return value >= LEAST_GAP && value <= longest &&
           (is(value, wick_hs_alloc_gap_first(number, DEFAULT, true)) ||
            is(value, wick_hs_alloc_gap_first(number, DEFAULT, false)) ||
            is(value, wick_hs_alloc_gap_first(number, interval, true)));
}

/* What the threads say. */
struct votes {
    int agree;                   /* threads with the first gap at the place, */
    uint8_t elsewhere[MOST / 8]; /* and at others, by their number */
    int counted, plain;          /* of those that agree: whether counters stand behind it */
};

/* Whether the number behind the place is where the last sample was in the thread's buffer: 0 where it has no buffer. */
static void ask_counters(struct votes *v, const uint8_t *thread, const struct wick_hs_layout *l, int32_t place)
{
    uint64_t start = wick_hs_at64(thread, l->thread_tlab + l->tlab_start);
    uint64_t top = wick_hs_at64(thread, l->thread_tlab + l->tlab_top);
    uint64_t before = wick_hs_at64(thread, place + TOP_BEFORE);
    v->counted += start && start <= before && before <= top;
    v->plain += start ? before < start || before > top : before != 0;
}

static void ask_thread(struct votes *v, const struct wick_jvm *jvm, wick_addr java, int32_t place, uint32_t interval)
{
    uint8_t thread[MOST];
    const struct wick_hs_layout *l = &jvm->layout;
    if (wick_mem_read(jvm->mem, java, thread, (size_t)l->javathread_size))
        return;
    for (int32_t i = 0; i + 8 <= l->javathread_size; i += 8) {
        if (!may_be_first(wick_hs_at64(thread, i), java + (unsigned)i, interval))
            continue;
        if (i != place) {
            v->elsewhere[i / 8]++;
            continue;
        }
        v->agree++;
        ask_counters(v, thread, l, place);
    }
}

static bool is_place(const struct votes *v)
{
    int most = 0;
    for (size_t i = 0; i < sizeof v->elsewhere; i++)
        most = v->elsewhere[i] > most ? v->elsewhere[i] : most;
    return v->agree >= AGREE && v->agree > 2 * most;
}

/* Whether they show one of the two forms; *counted: which. */
static bool have_form(const struct votes *v, bool *counted)
{
    *counted = v->counted > v->plain;
    int fewer = *counted ? v->plain : v->counted;
    return v->counted != v->plain && FORM_DOUBT * fewer <= v->counted + v->plain;
}

/* The place that the tables lead to, WICK_HS_NONE: there is none. */
static int32_t possible(const struct wick_hs_layout *l)
{
    if (l->thread_allocated == WICK_HS_NONE || l->thread_tlab == WICK_HS_NONE || l->tlab_start == WICK_HS_NONE ||
        l->tlab_top == WICK_HS_NONE || l->javathread_size > MOST)
        return WICK_HS_NONE;
    int32_t last = l->javathread_size - 8, place = l->thread_allocated + 8;
    bool inside = l->thread_tlab + l->tlab_start <= last && l->thread_tlab + l->tlab_top <= last &&
                  place + COUNTED_BYTES <= l->javathread_size;
    return inside && place % 8 == 0 ? place : WICK_HS_NONE;
}

void wick_hs_alloc_gap_find(struct wick_hs_alloc_gap *g, const struct wick_jvm *jvm, uint32_t interval, int32_t tid)
{
    static const struct wick_hs_alloc_gap unknown = {.place = WICK_HS_NONE};
    static const struct timespec pause = {.tv_nsec = PAUSE_NS};
    struct wick_hs_thread threads[THREADS];
    int32_t place = possible(&jvm->layout);
    *g = unknown;
    for (int round = 0; place != WICK_HS_NONE && round < ROUNDS; round++) {
        struct votes v = {0};
        int n = wick_hs_threads(jvm, threads, THREADS);
        wick_addr asks = wick_hs_thread_of(jvm, tid);
        for (int i = 0; i < n; i++)
            if (threads[i].addr != asks)
                ask_thread(&v, jvm, threads[i].addr, place, interval);
        if (asks)
            ask_thread(&v, jvm, asks, place, interval);
        if (!is_place(&v) || !have_form(&v, &g->counted)) {
            nanosleep(&pause, NULL);
            continue;
        }
        g->place = place;
        g->tlab_top = jvm->layout.thread_tlab + jvm->layout.tlab_top;
        return;
    }
}

static uint64_t word(wick_addr at)
{
    return wick_load_relaxed((const _Atomic uint64_t *)(uintptr_t)at);
}

/* What a thread of JDK 25 has allocated since its last sample; false: the numbers do not go together. */
static bool since_last(const struct wick_hs_alloc_gap *g, wick_addr java, uint64_t *bytes)
{
    wick_addr at = java + (unsigned)g->place;
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t before = word(at + TOP_BEFORE), in_buffers = word(at + IN_BUFFERS), outside = word(at + OUTSIDE);
        uint64_t top = word(java + (unsigned)g->tlab_top);
        bool same = word(at + TOP_BEFORE) == before && word(at + IN_BUFFERS) == in_buffers;
        if (!same || (before && top < before))
            continue;
        *bytes = in_buffers + outside + (before ? top - before : 0);
        return true;
    }
    return false;
}

bool wick_hs_alloc_gap_set(const struct wick_hs_alloc_gap *g, wick_addr java, uint64_t bytes)
{
    uint64_t since = 0;
    if (g->place == WICK_HS_NONE || (g->counted && !since_last(g, java, &since)))
        return false;
    wick_store_relaxed((_Atomic uint64_t *)(uintptr_t)(java + (unsigned)g->place), since + bytes);
    return true;
}
