/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nativemem_sig.c - what happens in the threads that allocate and free
 *
 * The program may allocate anywhere: in a handler, at the end of a thread, in a child of vfork, which shares all of
 * this. So nothing here allocates or takes a lock, and a thread that is interrupted in the middle leaves all in a
 * state that others can go on with. A child of fork has a copy of everything and no drain thread: it samples nothing.
 */
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/poisson.h"
#include "engine/nativemem/nativemem.h"

_Atomic(struct wick_nativemem *) wick_nativemem_current;
struct wick_gate wick_nativemem_gate;
struct wick_nativemem_table wick_nativemem_table;
struct wick_nativemem_ranges wick_nativemem_ranges;
struct wick_nativemem_lane wick_nativemem_lanes[WICK_NATIVEMEM_LANES];

static struct wick_nativemem_block *at(const struct wick_nativemem *e, uint32_t note)
{
    return wick_notes_at_sig(&e->notes, note);
}

static int32_t self(void)
{
    return (int32_t)syscall(SYS_gettid);
}

/* Some bytes of a block are freed. With the last of them it goes into the list of freed blocks. */
static void free_bytes(struct wick_nativemem *e, uint32_t note, uint64_t bytes)
{
    struct wick_nativemem_block *b = at(e, note);
    if (!b || wick_sub_acq_rel(&b->remaining, bytes) != bytes) /* pairs: itself, and take_out in nativemem.c */
        return;
    b->freed_tid = self();
    b->freed_ns = wick_clock_mono_ns();
    wick_sub_relaxed(&e->followed, 1);
    uint32_t head = wick_load_relaxed(&e->gone);
    do
        wick_store_relaxed(&b->next, head);
    while (!wick_cas_acq_rel(&e->gone, &head, note)); /* pairs: wick_nativemem_collect */
}

static void free_pieces(struct wick_nativemem *e, const struct wick_nativemem_piece *pieces, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        free_bytes(e, pieces[i].note, pieces[i].hi - pieces[i].lo);
}

/* Takes a block out of the table. */
static void take(struct wick_nativemem *e, uint64_t address, struct wick_nativemem_held *out)
{
    uint32_t note = wick_nativemem_table_take_sig(&wick_nativemem_table, address);
    const struct wick_nativemem_block *b = at(e, note);
    out->session = e->session;
    out->address = address;
    out->n = b && b->address == address; /* else a handler that was given up has come back */
    if (out->n)
        out->pieces[0] = (struct wick_nativemem_piece){address, address + b->size, note};
}

/* Takes out what is mapped there. */
static void take_range(struct wick_nativemem *e, uint64_t lo, uint64_t hi, struct wick_nativemem_held *out)
{
    struct wick_nativemem_piece more[WICK_NATIVEMEM_PIECES];
    uint32_t n = WICK_NATIVEMEM_PIECES;
    out->session = e->session;
    out->address = 0;
    out->n = wick_nativemem_ranges_cut_sig(&wick_nativemem_ranges, lo, hi, out->pieces);
    /* what there is no room to hold is taken for gone, though the call may yet fail */
    while (out->n == WICK_NATIVEMEM_PIECES && n == WICK_NATIVEMEM_PIECES) {
        n = wick_nativemem_ranges_cut_sig(&wick_nativemem_ranges, lo, hi, more);
        free_pieces(e, more, n);
    }
}

/* Nothing that is followed can be where new memory is. */
static void forget_reused(struct wick_nativemem *e, const struct wick_nativemem_came *c)
{
    struct wick_nativemem_held h;
    if (c->is_range)
        take_range(e, c->address, c->address + c->size, &h);
    else
        take(e, c->address, &h);
    wick_add_relaxed(&e->reused, h.n);
    free_pieces(e, h.pieces, h.n);
}

/* ---- which allocations are sampled ---- */

static double uniform(struct wick_nativemem *e)
{
    uint64_t random = wick_random_stream(e->config.seed, wick_add_relaxed(&e->draws, 1));
    return (double)((random >> 11) + 1) * 0x1p-53;
}

static uint64_t distance(struct wick_nativemem *e, uint64_t interval)
{
    return (uint64_t)(wick_poisson_minus_ln(uniform(e)) * (double)interval);
}

/* Draws the distance to the lane's next point, from `left` on, which is below 0 and stays so until then. */
static void draw_lane(struct wick_nativemem *e, struct wick_nativemem_lane *lane, int64_t left)
{
    uint64_t interval = wick_load_relaxed(&e->interval);
    int64_t more = (int64_t)distance(e, interval) - left;
    wick_store_relaxed(&lane->interval, interval);
    wick_add_relaxed(&lane->drawn, (uint64_t)more);
    atomic_fetch_add_explicit(&lane->left, more, memory_order_release); /* pairs: is_sampled */
}

/* Whether an allocation is sampled that found so much left, and by which interval. */
static bool is_sampled(struct wick_nativemem *e, uint64_t size, int64_t left, uint64_t *interval)
{
    struct wick_nativemem_lane *lane = wick_nativemem_own_lane();
    if (left >= (int64_t)size)
        return false;
    if (left >= 0) {
        atomic_thread_fence(memory_order_acquire); /* pairs: draw_lane */
        *interval = wick_load_relaxed(&lane->interval);
        draw_lane(e, lane, left - (int64_t)size);
        return true;
    }
    /* somebody else is drawing: this one is for itself */
    wick_add_relaxed(&lane->drawn, size);
    atomic_fetch_add_explicit(&lane->left, (int64_t)size, memory_order_relaxed);
    *interval = wick_load_relaxed(&e->interval);
    return !*interval || distance(e, *interval) < size;
}

void wick_nativemem_draw_sig(struct wick_nativemem *e, struct wick_nativemem_lane *lane)
{
    int64_t left = wick_load_relaxed(&lane->left);
    while (left >= 0)
        if (wick_cas_acq_rel(&lane->left, &left, -1)) { /* pairs: is_sampled */
            wick_add_relaxed(&lane->drawn, (uint64_t)(-1 - left));
            draw_lane(e, lane, -1);
            return;
        }
}

/* ---- a sample ---- */

/* Whether the block is to be followed, and that it is: from here on others may free it. */
static bool follow(struct wick_nativemem *e, struct wick_nativemem_block *b, uint32_t note)
{
    bool placed =
        b->priority > (double)b->threshold &&
        (b->is_range ? wick_nativemem_ranges_add_sig(&wick_nativemem_ranges, b->address, b->address + b->size, note)
                     : wick_nativemem_table_add_sig(&wick_nativemem_table, b->address, note));
    if (placed) {
        wick_add_relaxed(&e->followed, 1);
        return true;
    }
    wick_add_relaxed(&e->unfollowed, 1);
    wick_add_relaxed(&e->unfollowed_weight, b->weight);
    return false;
}

/* The event could not be had: as if the block had never been seen. */
static void unfollow(struct wick_nativemem *e, struct wick_nativemem_block *b, uint32_t note)
{
    bool whole = !b->followed;
    if (b->followed && b->is_range)
        whole = wick_nativemem_ranges_drop_sig(&wick_nativemem_ranges, note) == b->size;
    else if (b->followed)
        whole = wick_nativemem_table_drop_sig(&wick_nativemem_table, b->address, note);
    wick_store_relaxed(&b->phase, WICK_NATIVEMEM_LOST);
    if (!whole)
        return; /* the program frees what it was not given yet */
    if (b->followed)
        wick_sub_relaxed(&e->followed, 1);
    wick_notes_free_sig(&e->notes, note);
}

/* Takes the stack of the calling thread; false: it is lost, and counted. */
static bool take_stack(struct wick_nativemem *e, const struct wick_nativemem_came *c, uint64_t now, uint64_t weight,
                       uint16_t note)
{
    const struct wick_engine_thread *t = wick_threads_find_sig(e->threads, self());
    struct wick_scratch *scratch = wick_recorder_enter_sig(e->recorder);
    struct wick_stack_window window = {0};
    if (!scratch) {
        wick_recorder_drop_sig(e->recorder, WICK_EVENT_NATIVE_MEMORY, WICK_DROP_WALK_IN_PROGRESS, 1, weight);
        return false;
    }
    uint64_t cpu = wick_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    const struct wick_sample_sig in = {
        .context = c->here,
        .from = c->from,
        .window = t ? &e->windows[t - e->threads->slots] : &window,
        .java = t ? wick_load_acquire(&t->java) : 0, /* pairs: wick_threads_java */
        .tid = t ? wick_load_relaxed(&t->tid) : 0,
        .time_ns = now,
        .weight = weight,
        .thread = t ? t->serial : 0,
        .type = WICK_EVENT_NATIVE_MEMORY,
        .note = note,
    };
    bool kept = wick_recorder_sample_sig(e->recorder, scratch, &in);
    wick_recorder_spent_sig(e->recorder, wick_clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu);
    wick_recorder_leave_sig(scratch);
    return kept;
}

/* Whether the function was called by code of the JVM: its return address lies in front of the caller's stack. */
static bool is_by_jvm(const struct wick_nativemem *e, const struct wick_nativemem_came *c)
{
    uint64_t caller = c->from ? *(const uint64_t *)(uintptr_t)(c->from - sizeof(uint64_t)) : 0;
    return caller >= e->config.vm_lo && caller < e->config.vm_hi;
}

static void sample(struct wick_nativemem *e, const struct wick_nativemem_came *c, uint64_t weight)
{
    uint16_t note = wick_notes_take_sig(&e->notes);
    struct wick_nativemem_block *b = at(e, note);
    if (!b) {
        wick_recorder_drop_sig(e->recorder, WICK_EVENT_NATIVE_MEMORY, WICK_DROP_NOTES_FULL, 1, weight);
        return;
    }
    b->address = c->address;
    b->size = c->size;
    b->weight = weight;
    b->time_ns = wick_clock_mono_ns();
    b->priority = (double)weight / uniform(e);
    b->threshold = wick_load_relaxed(&e->threshold);
    b->operation = c->operation;
    b->is_range = c->is_range;
    b->of_jvm = c->is_range && is_by_jvm(e, c);
    b->is_stack = c->is_stack;
    b->freed = false;
    b->tid = self();
    wick_store_relaxed(&b->remaining, c->size);
    wick_store_relaxed(&b->phase, WICK_NATIVEMEM_ON_ITS_WAY);
    b->followed = follow(e, b, note);
    if (!take_stack(e, c, b->time_ns, weight, note))
        unfollow(e, b, note);
}

static void came(struct wick_nativemem *e, const struct wick_nativemem_came *c)
{
    uint64_t interval;
    if (c->is_range || wick_nativemem_may_hold(c->address))
        forget_reused(e, c);
    if (!is_sampled(e, c->size, c->left, &interval) || !c->size || (int32_t)syscall(SYS_getpid) != e->pid)
        return;
    wick_add_relaxed(&e->samples, 1);
    sample(e, c, wick_poisson_weight(c->size, interval));
}

/* ---- what the hooks call ---- */

/* Does something with the engine, if there is one. */
#define INSIDE(e, what)                                                                                            \
    do {                                                                                                           \
        uint32_t lane_ = wick_gate_enter_sig(&wick_nativemem_gate);                                                \
        struct wick_nativemem *e = atomic_load(&wick_nativemem_current); /* pairs: wick_nativemem_stop; seq_cst */ \
        if (e)                                                                                                     \
            what;                                                                                                  \
        wick_gate_leave_sig(&wick_nativemem_gate, lane_);                                                          \
    } while (0)

void wick_nativemem_came(const struct wick_nativemem_came *c)
{
    INSIDE(e, came(e, c));
}

static void gone(struct wick_nativemem *e, uint64_t address)
{
    struct wick_nativemem_held h;
    take(e, address, &h);
    free_pieces(e, h.pieces, h.n);
}

void wick_nativemem_gone(uint64_t address)
{
    INSIDE(e, gone(e, address));
}

void wick_nativemem_take(uint64_t address, struct wick_nativemem_held *out)
{
    out->n = 0;
    INSIDE(e, take(e, address, out));
}

void wick_nativemem_take_range(uint64_t lo, uint64_t hi, struct wick_nativemem_held *out)
{
    out->n = 0;
    INSIDE(e, take_range(e, lo, hi, out));
}

static void freed(struct wick_nativemem *e, const struct wick_nativemem_held *h)
{
    if (e->session == h->session)
        free_pieces(e, h->pieces, h->n);
}

void wick_nativemem_freed(const struct wick_nativemem_held *h)
{
    if (h->n)
        INSIDE(e, freed(e, h));
}

static void give_back(struct wick_nativemem *e, const struct wick_nativemem_held *h)
{
    for (uint32_t i = 0; e->session == h->session && i < h->n; i++) {
        const struct wick_nativemem_piece *p = &h->pieces[i];
        bool back = h->address ? wick_nativemem_table_add_sig(&wick_nativemem_table, h->address, p->note)
                               : wick_nativemem_ranges_add_sig(&wick_nativemem_ranges, p->lo, p->hi, p->note);
        if (!back)
            free_bytes(e, p->note, p->hi - p->lo);
    }
}

void wick_nativemem_give_back(const struct wick_nativemem_held *h)
{
    if (h->n)
        INSIDE(e, give_back(e, h));
}
