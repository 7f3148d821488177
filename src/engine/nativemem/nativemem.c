/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/nativemem/nativemem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"

#define WINDOWS_BYTES (WICK_MAX_THREADS * sizeof(struct wick_stack_window))

/* The thread is new in its slot of the registry. */
static void arm(void *arg, struct wick_engine_thread *t, bool born_late)
{
    struct wick_nativemem *e = arg;
    (void)born_late;
    e->windows[t - e->threads->slots] = (struct wick_stack_window){0};
}

static void disarm(void *arg, struct wick_engine_thread *t)
{
    (void)arg, (void)t;
}

static bool map_windows(struct wick_nativemem *e)
{
    void *p = mmap(NULL, WINDOWS_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    e->windows = p == MAP_FAILED ? NULL : p;
    return e->windows;
}

/* A lane at its start. Where every allocation is sampled its distance is below 0 for ever. */
static void start_lane(struct wick_nativemem *e, struct wick_nativemem_lane *lane)
{
    int64_t first = e->config.interval ? 0 : -1;
    wick_store_relaxed(&lane->left, first);
    wick_store_relaxed(&lane->drawn, (uint64_t)first);
    if (e->config.interval)
        wick_nativemem_draw_sig(e, lane);
}

int wick_nativemem_start(struct wick_nativemem *e, const struct wick_nativemem_config *c, struct wick_recorder *r,
                         struct wick_threads *ts, struct wick_err *err)
{
    static uint64_t sessions;
    memset(e, 0, sizeof *e);
    e->recorder = r;
    e->threads = ts;
    e->config = *c;
    e->session = ++sessions;
    e->pid = (int32_t)getpid();
    e->rate = (struct wick_rate){
        .shortest = c->interval,
        .most = c->interval ? c->rate : 0, /* where every allocation is sampled nothing is adjusted */
        .since_ns = wick_clock_mono_ns(),
    };
    if (!c->seed)
        e->config.seed = e->rate.since_ns;
    wick_store_relaxed(&e->interval, c->interval);
    if (!map_windows(e) || wick_notes_init(&e->notes, WICK_NATIVEMEM_NOTES, sizeof(struct wick_nativemem_block)))
        return wick_err_set(err, WICK_E_NOMEM, "the tables for native memory could not be set up: %s", strerror(errno));
    wick_nativemem_table_clear(&wick_nativemem_table);
    wick_nativemem_ranges_clear(&wick_nativemem_ranges);
    for (int i = 0; i < WICK_NATIVEMEM_LANES; i++)
        start_lane(e, &wick_nativemem_lanes[i]);
    const struct wick_thread_hooks hooks = {arm, disarm, NULL, e};
    wick_threads_arm(ts, &hooks);
    e->armed = true;
    atomic_store(&wick_nativemem_current, e); /* pairs: the loads inside the gate */
    return 0;
}

void wick_nativemem_stop(struct wick_nativemem *e)
{
    atomic_store(&wick_nativemem_current, NULL); /* pairs: the loads inside the gate; seq_cst, see gate.h */
    if (e->armed)
        wick_threads_disarm(e->threads, e);
    e->armed = false;
    wick_gate_wait(&wick_nativemem_gate, &e->recorder->patience_ns);
}

void wick_nativemem_release(struct wick_nativemem *e)
{
    if (e->windows)
        munmap(e->windows, WINDOWS_BYTES);
    e->windows = NULL;
    wick_notes_release(&e->notes);
}

uint64_t wick_nativemem_allocated(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < WICK_NATIVEMEM_LANES; i++)
        sum += wick_load_relaxed(&wick_nativemem_lanes[i].drawn) -
               (uint64_t)wick_load_relaxed(&wick_nativemem_lanes[i].left);
    return sum;
}

void wick_nativemem_adjust(struct wick_nativemem *e, uint64_t now_ns)
{
    uint64_t interval = wick_load_relaxed(&e->interval);
    uint64_t next = wick_rate_next(&e->rate, interval, wick_load_relaxed(&e->samples), now_ns);
    if (next == interval)
        return;
    wick_store_relaxed(&e->interval, next);
    e->changes++;
    for (int i = 0; i < WICK_NATIVEMEM_LANES; i++)
        wick_nativemem_draw_sig(e, &wick_nativemem_lanes[i]);
}

/* ---- blocks ---- */

static struct wick_nativemem_block *at(const struct wick_nativemem *e, uint32_t note)
{
    return wick_notes_at_sig(&e->notes, note);
}

struct wick_nativemem_block *wick_nativemem_found(const struct wick_nativemem *e, const struct wick_event *event)
{
    return at(e, event->note);
}

/* The block is not followed any more, which is said if its event was written; its note is free again. */
static void end(struct wick_nativemem *e, uint32_t note, const struct wick_nativemem_end *to)
{
    struct wick_nativemem_block *b = at(e, note);
    if (wick_load_relaxed(&b->phase) == WICK_NATIVEMEM_ALIVE_NOW)
        to->end(to->arg, b);
    wick_store_relaxed(&b->phase, WICK_NATIVEMEM_LOST); /* nobody's until it is taken again */
    wick_notes_free_sig(&e->notes, note);
}

/* Takes it out of the tables; false: its last bytes are being freed, and it will be in the list. */
static bool take_out(struct wick_nativemem *e, struct wick_nativemem_block *b, uint32_t note)
{
    if (!b->followed)
        return true;
    uint64_t bytes = b->is_range ? wick_nativemem_ranges_drop_sig(&wick_nativemem_ranges, note)
                     : wick_nativemem_table_drop_sig(&wick_nativemem_table, b->address, note) ? b->size
                                                                                              : 0;
    if (!bytes || wick_sub_acq_rel(&b->remaining, bytes) != bytes) /* pairs: free_bytes in nativemem_sig.c */
        return false;
    wick_sub_relaxed(&e->followed, 1);
    return true;
}

void wick_nativemem_written(struct wick_nativemem *e, const struct wick_event *event, uint32_t thread,
                            const struct wick_nativemem_end *to)
{
    struct wick_nativemem_block *b = at(e, event->note);
    if (!b)
        return;
    b->thread = thread;
    b->stack = event->stack;
    b->context = event->context;
    wick_store_relaxed(&b->phase, WICK_NATIVEMEM_ALIVE_NOW);
    if (b->freed || !b->followed)
        end(e, event->note, to);
}

void wick_nativemem_lost(struct wick_nativemem *e, const struct wick_event *event)
{
    struct wick_nativemem_block *b = at(e, event->note);
    if (!b)
        return;
    wick_store_relaxed(&b->phase, WICK_NATIVEMEM_LOST);
    if (b->freed || take_out(e, b, event->note))
        end(e, event->note, NULL);
}

/* Turns the list around: the first that was freed comes first. */
static uint32_t reversed(const struct wick_nativemem *e, uint32_t note)
{
    uint32_t first = 0;
    while (note) {
        struct wick_nativemem_block *b = at(e, note);
        uint32_t next = wick_load_relaxed(&b->next);
        wick_store_relaxed(&b->next, first);
        first = note;
        note = next;
    }
    return first;
}

void wick_nativemem_collect(struct wick_nativemem *e, const struct wick_nativemem_end *to)
{
    uint32_t note = reversed(e, wick_xchg_acq_rel(&e->gone, 0)); /* pairs: free_bytes in nativemem_sig.c */
    while (note) {
        struct wick_nativemem_block *b = at(e, note);
        uint32_t next = wick_load_relaxed(&b->next);
        if (wick_load_relaxed(&b->phase) == WICK_NATIVEMEM_ON_ITS_WAY)
            b->freed = true;
        else
            end(e, note, to);
        note = next;
    }
}

uint32_t wick_nativemem_top(const struct wick_nativemem *e)
{
    return wick_load_relaxed(&e->notes.unused);
}

struct wick_nativemem_block *wick_nativemem_alive(const struct wick_nativemem *e, uint32_t i)
{
    struct wick_nativemem_block *b = at(e, i);
    return b && wick_load_relaxed(&b->phase) == WICK_NATIVEMEM_ALIVE_NOW && wick_load_relaxed(&b->remaining) ? b : NULL;
}

uint64_t wick_nativemem_bytes(const struct wick_nativemem_block *b)
{
    uint64_t whole = b->weight > b->threshold ? b->weight : b->threshold;
    uint64_t remaining = wick_load_relaxed(&b->remaining);
    return remaining == b->size ? whole : (uint64_t)((double)whole * (double)remaining / (double)b->size);
}

static int by_priority(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The priority below which a quarter of the blocks are; 0 without memory. */
static double quartile(const struct wick_nativemem *e)
{
    uint32_t n = 0, top = wick_nativemem_top(e);
    double *priorities = malloc((top + 1) * sizeof *priorities), boundary = 0;
    for (uint32_t i = 1; priorities && i <= top; i++) {
        const struct wick_nativemem_block *b = wick_nativemem_alive(e, i);
        if (b)
            priorities[n++] = b->priority;
    }
    if (n) {
        qsort(priorities, n, sizeof *priorities, by_priority);
        boundary = priorities[n / 4];
    }
    free(priorities);
    return boundary;
}

bool wick_nativemem_sweep(struct wick_nativemem *e, const struct wick_nativemem_end *to)
{
    uint32_t followed = wick_load_relaxed(&e->followed), top = wick_nativemem_top(e);
    if (followed < WICK_NATIVEMEM_ALIVE) {
        if (followed < WICK_NATIVEMEM_ALIVE / 2)
            wick_store_relaxed(&e->threshold, wick_load_relaxed(&e->threshold) / 2);
        return true;
    }
    double boundary = quartile(e);
    if (boundary <= 0)
        return false;
    uint64_t threshold = boundary < 0x1p62 ? (uint64_t)boundary + 1 : 1ull << 62;
    wick_store_relaxed(&e->threshold, threshold);
    for (uint32_t i = 1; i <= top; i++) {
        struct wick_nativemem_block *b = wick_nativemem_alive(e, i);
        if (b && b->priority > (double)threshold)
            b->threshold = b->threshold > threshold ? b->threshold : threshold;
        else if (b && take_out(e, b, i))
            end(e, i, to);
    }
    return true;
}

void wick_nativemem_carry(struct wick_nativemem *e, struct wick_carry *c)
{
    for (uint32_t i = 1; i <= wick_nativemem_top(e); i++) {
        struct wick_nativemem_block *b = wick_nativemem_alive(e, i);
        if (!b)
            continue;
        uint32_t stack = wick_carry_stack(c, b->stack);
        e->stacks_lost += b->stack && !stack;
        b->stack = stack;
        b->context = wick_carry_context(c, b->context);
    }
}
