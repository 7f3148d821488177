/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder.c - memory and generations of the recorder
 *
 * Rings, their cells, counters and scratch areas are one mapping, made at the start: a handler cannot allocate. It
 * has no reserve and no huge pages, so that only touched pages cost memory. There are four scratch areas for each
 * CPU, 16 at least: a handler keeps its own while its thread has lost the CPU.
 *
 * The wait for handlers (recorder.h) visits one scratch area after another. They need not all be free at one moment:
 * each must have been free once since the call, as a handler that takes it later sees what was stored before. A
 * handler is given up by compare-and-swap, so that one that leaves just then is not lost. From then on the mapping
 * and the tables up to the current generation stay, which leaks them, but a handler may still write there.
 *
 * Waits are bounded: by two seconds for a new generation, and by the same for all waits of a stop together, each of
 * which has 50 ms in any case.
 *
 * Totals are sums of counters that change while they are added up. Nothing is locked: the sum is valid if as many
 * samples had fired after it as before it, and is made again otherwise, up to 100 times. What fires at a constant
 * high rate gets the last try, which may be off by the samples in between.
 */
#include "record/recorder.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define LEAST_NS    UINT64_C(50000000)
#define PATIENCE_NS (WICK_RECORDER_PATIENCE_MS * UINT64_C(1000000))

#define RING_NS UINT64_C(2000000000)

enum { SCRATCH_PER_CPU = 4, SCRATCH_LEAST = 16, TOTALS_TRIES = 100 };
enum { RING_LEAST = 2048, RING_MOST = 32768, RING_SHARE = 8 };

static size_t page_up(size_t n)
{
    return (n + 4095) & ~(size_t)4095;
}

static uint32_t cpu_count(void)
{
    long n = sysconf(_SC_NPROCESSORS_CONF);
    return n < 1 ? 1 : n > 1024 ? 1024 : (uint32_t)n;
}

/* The least power of two that is not less than n. */
static uint32_t power_of_two(uint64_t n)
{
    uint32_t p = 1;
    while (p < n)
        p *= 2;
    return p;
}

uint32_t wick_recorder_ring(uint64_t asked, uint64_t interval, size_t memory_limit)
{
    if (asked)
        return power_of_two(asked);
    uint64_t room = memory_limit / RING_SHARE / (cpu_count() * sizeof(struct wick_ring_cell));
    uint32_t events = RING_LEAST;
    while (interval && events < RING_NS / interval && events < RING_MOST && events * 2 <= room)
        events *= 2;
    return events;
}

int wick_recorder_init(struct wick_recorder *r, size_t memory_limit, uint32_t ring_events, uint32_t max_frames)
{
    struct wick_recorder out = {.memory_limit = memory_limit, .patience_ns = PATIENCE_NS};
    out.cpus = cpu_count();
    out.scratch_count = out.cpus * SCRATCH_PER_CPU > SCRATCH_LEAST ? out.cpus * SCRATCH_PER_CPU : SCRATCH_LEAST;
    out.max_frames = max_frames && max_frames < WICK_MAX_FRAMES ? max_frames : WICK_MAX_FRAMES;
    size_t rings = page_up(out.cpus * sizeof *out.rings), counters = page_up(out.cpus * sizeof *out.counters);
    size_t cells = page_up(ring_events * sizeof(struct wick_ring_cell)),
           scratch = page_up(out.scratch_count * sizeof *out.scratch);
    out.map_bytes = rings + counters + scratch + cells * out.cpus;
    out.map = mmap(NULL, out.map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (out.map == MAP_FAILED)
        return -WICK_E_NOMEM;
    madvise(out.map, out.map_bytes, MADV_NOHUGEPAGE);
    struct wick_tables *t = wick_tables_new(memory_limit);
    if (!t) {
        munmap(out.map, out.map_bytes);
        return -WICK_E_NOMEM;
    }
    uint8_t *p = out.map;
    out.rings = (struct wick_ring *)p;
    out.counters = (struct wick_counters *)(p + rings);
    out.scratch = (struct wick_scratch *)(p + rings + counters);
    p += rings + counters + scratch;
    for (uint32_t i = 0; i < out.cpus; i++)
        wick_ring_init(&out.rings[i], (struct wick_ring_cell *)(p + i * cells), ring_events);
    *r = out;
    t->generation = 1;
    wick_store_release(&r->tables, t); /* pairs: the loads of tables in recorder_sig.c */
    return 0;
}

void wick_recorder_release(struct wick_recorder *r)
{
    if (!r->map)
        return;
    if (!r->keep) {
        wick_tables_free(wick_load_relaxed(&r->tables));
        munmap(r->map, r->map_bytes);
    }
    r->map = NULL;
}

static void give_up(struct wick_recorder *r, struct wick_scratch *s)
{
    uint32_t taken = WICK_SCRATCH_TAKEN;
    if (!atomic_compare_exchange_strong(&s->busy, &taken, WICK_SCRATCH_LOST)) /* pairs: wick_recorder_leave_sig */
        return;
    r->lost++;
    r->keep = true;
    /* pairs: is_lost in recorder_sig.c; seq_cst: a handler that did not see the mark has read no later tables */
    r->keep_generation = atomic_load(&r->tables)->generation;
}

/* Returns when every scratch area was seen free since the call, or is given up. Handlers take microseconds, unless
 * their thread lost its CPU. What it waited is taken from *patience_ns. */
static void wait_idle(struct wick_recorder *r, uint64_t *patience_ns)
{
    uint64_t begin = wick_clock_mono_ns(), until = begin + (*patience_ns > LEAST_NS ? *patience_ns : LEAST_NS);
    atomic_thread_fence(memory_order_seq_cst); /* pairs: take_scratch in recorder_sig.c, see recorder.h */
    for (uint32_t i = 0; i < r->scratch_count; i++) {
        struct wick_scratch *s = &r->scratch[i];
        while (wick_load_acquire(&s->busy) == WICK_SCRATCH_TAKEN) { /* pairs: wick_recorder_leave_sig */
            const struct timespec pause = {.tv_nsec = 100000};
            if (wick_clock_mono_ns() >= until)
                give_up(r, s);
            else
                nanosleep(&pause, NULL);
        }
    }
    uint64_t waited = wick_clock_mono_ns() - begin;
    *patience_ns -= waited < *patience_ns ? waited : *patience_ns;
}

struct wick_tables *wick_recorder_next_generation(struct wick_recorder *r)
{
    struct wick_tables *old = wick_load_relaxed(&r->tables), *t = wick_tables_new(r->memory_limit);
    if (!t)
        return NULL;
    t->generation = old->generation + 1;
    uint64_t patience_ns = PATIENCE_NS;
    atomic_store(&r->tables, t); /* pairs: walk, wick_recorder_note in recorder_sig.c; seq_cst, see recorder.h */
    wait_idle(r, &patience_ns);
    return old;
}

bool wick_recorder_is_idle(const struct wick_recorder *r)
{
    atomic_thread_fence(memory_order_seq_cst); /* pairs: take_scratch in recorder_sig.c, see recorder.h */
    for (uint32_t i = 0; i < r->scratch_count; i++)
        if (wick_load_acquire(&r->scratch[i].busy)) /* pairs: wick_recorder_leave_sig */
            return false;
    return true;
}

void wick_recorder_free_generation(struct wick_recorder *r, struct wick_tables *old)
{
    if (!r->keep || old->generation > r->keep_generation)
        wick_tables_free(old);
}

void wick_recorder_quiesce(struct wick_recorder *r)
{
    /* pairs: wick_recorder_enter_sig; seq_cst, see recorder.h: later than this nothing is sampled */
    if (atomic_exchange(&r->running, 0))
        wick_store_relaxed(&r->quiet_cpu_ns, wick_clock_ns(CLOCK_PROCESS_CPUTIME_ID));
    wait_idle(r, &r->patience_ns);
}

void wick_recorder_keep(struct wick_recorder *r, uint32_t handlers)
{
    r->keep = true;
    if (handlers > r->lost)
        r->lost = handlers;
}

/* Adds what one CPU counted of a type. */
static void add_type(struct wick_type_totals *t, const struct wick_counters *c, int type)
{
    t->fired += wick_load_relaxed(&c->of[type].fired);
    t->recorded += wick_load_relaxed(&c->of[type].recorded);
    t->dropped += wick_load_relaxed(&c->of[type].dropped);
    t->weight += wick_load_relaxed(&c->of[type].weight);
    t->drop_weight += wick_load_relaxed(&c->of[type].drop_weight);
    t->biased_weight += wick_load_relaxed(&c->of[type].biased_weight);
}

/* Adds what was counted beside the CPUs' counters: samples missed, and those recorded at first and lost then. */
static void add_missed(struct wick_totals *out, const struct wick_recorder *r, int type)
{
    struct wick_type_totals *t = &out->of[type];
    t->drop_weight += wick_load_relaxed(&r->missed_weight[type]);
    for (int d = 0; d < WICK_DROP_COUNT; d++) {
        uint64_t missed = wick_load_relaxed(&r->missed[type][d]), back = wick_load_relaxed(&r->taken_back[type][d]);
        out->drops[d] += missed + back;
        t->dropped += missed + back;
        t->fired += missed;
        t->recorded -= back < t->recorded ? back : t->recorded;
    }
}

static void add_up(const struct wick_recorder *r, struct wick_totals *out)
{
    *out = (struct wick_totals){0};
    for (uint32_t i = 0; i < r->cpus; i++) {
        const struct wick_counters *c = &r->counters[i];
        for (int t = 0; t < WICK_EVENT_TYPES; t++)
            add_type(&out->of[t], c, t);
        for (int d = 0; d < WICK_DROP_COUNT; d++)
            out->drops[d] += wick_load_relaxed(&c->drops[d]);
        out->broken += wick_load_relaxed(&c->broken);
        out->gaps += wick_load_relaxed(&c->gaps);
        out->handler_ns += wick_load_relaxed(&c->handler_ns);
        out->frames += wick_load_relaxed(&c->frames);
        out->labelled += wick_load_relaxed(&c->labelled);
        out->labels_lost += wick_load_relaxed(&c->labels_lost);
    }
    for (int t = 0; t < WICK_EVENT_TYPES; t++) {
        add_missed(out, r, t);
        out->fired += out->of[t].fired;
        out->recorded += out->of[t].recorded;
    }
}

static uint64_t fired_so_far(const struct wick_recorder *r)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < r->cpus; i++)
        for (int t = 0; t < WICK_EVENT_TYPES; t++)
            sum += wick_load_relaxed(&r->counters[i].of[t].fired);
    return sum;
}

/* The thread that adds up may lose its CPU at any counter. Where no sample fired from the first to the last of them,
 * those that came to their end had fired before, so that none is counted as dropped or recorded but not as fired. */
void wick_recorder_totals(const struct wick_recorder *r, struct wick_totals *out)
{
    uint64_t before, after = fired_so_far(r);
    for (int i = 0; i < TOTALS_TRIES; i++) {
        before = after;
        add_up(r, out);
        after = fired_so_far(r);
        if (before == after)
            return;
    }
}

void wick_totals_add(struct wick_totals *sum, const struct wick_totals *more)
{
    _Static_assert(sizeof *sum % sizeof(uint64_t) == 0, "counters only");
    uint64_t to[sizeof *sum / sizeof(uint64_t)], from[sizeof *sum / sizeof(uint64_t)];
    memcpy(to, sum, sizeof to);
    memcpy(from, more, sizeof from);
    for (size_t i = 0; i < sizeof to / sizeof *to; i++)
        to[i] += from[i];
    memcpy(sum, to, sizeof to);
}

void wick_recorder_uncount(struct wick_recorder *r, enum wick_drop why, const struct wick_event *e)
{
    struct wick_counters *c = &r->counters[0];
    wick_add_relaxed(&r->taken_back[e->type][why], e->samples ? e->samples : 1);
    wick_add_relaxed(&c->of[e->type].weight, -e->weight);
    wick_add_relaxed(&c->of[e->type].drop_weight, e->weight);
}
