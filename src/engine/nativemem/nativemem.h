/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nativemem.h - the engine that samples the allocation of native memory, and follows what was sampled until it is freed
 *
 * nativemem_hooks.h interposes functions on malloc and its like, which call the true ones and report here what came
 * and what went. Which allocations become events is drawn by chance: points lie on the line of all bytes allocated, on
 * average one each interval R, and a block that holds a point is sampled. It stands for size / (1 - exp(-size / R))
 * bytes (base/poisson.h), so sums are right whatever the sizes are.
 *
 * Lanes. The distance to the next point is counted down by each allocation: one atomic subtraction, in one of many
 * lanes, which the thread pointer chooses. A lane is not a thread: points of a Poisson process may lie on any line, so
 * threads may share one, end, be forked or interrupted in the middle, and nothing has to be kept by thread or cleaned
 * up. Where a lane's distance is below 0 the thread that brought it there draws a new one; those that pass until then
 * draw for themselves alone, which is equivalent since the process has no memory.
 *
 *      thread that allocates                          drain thread
 *      wick_nativemem_pass: distance left
 *      _came: a note, its number into the table,
 *             stack, event              -- ring -->   the note becomes a JFR event; the block is alive
 *      _gone: the number out of the table,
 *             the note into a list      -- list -->   written as freed; the note is free again
 *
 * The stack of a thread is a block as well, at the address of what is kept of the thread (nativemem_threads.h).
 *
 * A block's note is its place here for as long as it lives; its number is in nativemem_table.h, or, of a mapping, in
 * nativemem_ranges.h. So what is freed is matched exactly, also across threads, and before the address can be used
 * again: _gone comes before the true function. Memory that was freed behind our back (within the C library, or by code
 * whose calls are not hooked) is found when its address comes again.
 *
 * Room. There are notes for WICK_NATIVEMEM_NOTES blocks; when more than WICK_NATIVEMEM_ALIVE are alive, priority
 * sampling decides which are followed, as in live.h: without bias, a block standing for the greater of its weight and
 * the threshold. Each sample's own weight does not change by that. If notes run out before the drain thread comes,
 * samples are lost, counted as notes_full.
 *
 * The rate. More samples a second than asked for make the interval longer (rate.h); lanes that
 * wait for their next point draw anew then.
 *
 * Threads: pass, came, gone, take, give_back in any thread, also in signal handlers and in a child of vfork; start,
 *          stop and release by the session's owner; all else by the drain thread.
 * Memory:  700 KiB for the life of the process, and 5 MiB for a recording, all touched as it is used.
 */
#ifndef WICK_ENGINE_NATIVEMEM_NATIVEMEM_H
#define WICK_ENGINE_NATIVEMEM_NATIVEMEM_H

#include "base/err.h"
#include "base/registers.h"
#include "engine/gate.h"
#include "engine/rate.h"
#include "engine/nativemem/nativemem_ranges.h"
#include "engine/nativemem/nativemem_table.h"
#include "engine/thread/threads.h"
#include "record/carry.h"
#include "record/note.h"

enum {
    WICK_NATIVEMEM_NOTES = 32767,
    WICK_NATIVEMEM_ALIVE = 24576,
    WICK_NATIVEMEM_LANE_BITS = 9,
    WICK_NATIVEMEM_LANES = 1 << WICK_NATIVEMEM_LANE_BITS
};

struct wick_nativemem_config {
    uint64_t interval;     /* bytes, up to INT32_MAX; 0 = every allocation */
    uint32_t rate;         /* samples a second at most, 0 = no limit */
    uint64_t seed;         /* 0 = any */
    uint64_t vm_lo, vm_hi; /* code of the JVM */
};

struct wick_nativemem_lane {
    _Alignas(64) _Atomic int64_t left; /* bytes to the next point; below 0: it is being drawn */
    _Atomic uint64_t interval;         /* with which it was drawn */
    _Atomic uint64_t drawn;            /* sum of all distances: less `left` it is what was allocated */
};

/* What has become of a block, as the drain thread knows. */
enum wick_nativemem_phase {
    WICK_NATIVEMEM_ON_ITS_WAY, /* its event is in a ring */
    WICK_NATIVEMEM_ALIVE_NOW,  /* or was when the list was last read */
    WICK_NATIVEMEM_LOST        /* its event is, and nothing will be written */
};

/* The payload of a note. */
struct wick_nativemem_block {
    uint64_t address, size, weight, time_ns;
    double priority;       /* see live.h */
    uint64_t threshold;    /* the highest that it has passed */
    const char *operation; /* name of the function; static */
    bool is_range, followed;
    bool of_jvm;   /* a mapping that the JVM made itself */
    bool is_stack; /* of a thread */
    int32_t tid;   /* who allocated it, should the registry not know the thread yet */
    /* who frees it */
    _Atomic uint64_t remaining; /* bytes that are not freed; of a range some may be */
    _Atomic uint32_t next;      /* in the list: number of a note, 0 = the last */
    int32_t freed_tid;
    uint64_t freed_ns;
    /* the drain thread */
    _Atomic uint32_t phase; /* enum wick_nativemem_phase */
    bool freed;             /* while its event was on its way */
    uint32_t stack, context, thread;
};

/* An allocation that may be of interest. */
struct wick_nativemem_came {
    uint64_t address, size;
    int64_t left; /* of wick_nativemem_pass */
    const char *operation;
    bool is_range, is_stack;
    const ucontext_t *here; /* registers of the calling thread, */
    wick_addr from;         /* and where the stack of the function that allocated begins */
};

/* Blocks that were taken out, before it is known whether they go. */
struct wick_nativemem_held {
    uint64_t session, address;
    uint32_t n; /* pieces */
    struct wick_nativemem_piece pieces[WICK_NATIVEMEM_PIECES];
};

struct wick_nativemem {
    struct wick_recorder *recorder;
    struct wick_threads *threads;
    struct wick_nativemem_config config;
    uint64_t session; /* counts the recordings of the process */
    int32_t pid;
    struct wick_notes notes; /* of struct wick_nativemem_block */
    struct wick_stack_window *windows;
    _Atomic uint64_t interval, threshold;           /* in force */
    _Atomic uint64_t draws, samples;                /* random numbers used; allocations that were chosen */
    _Atomic uint32_t followed;                      /* blocks */
    _Atomic uint64_t unfollowed, unfollowed_weight; /* samples below the threshold, or without a place in the tables */
    _Atomic uint64_t reused;                        /* blocks that were freed unseen: somebody else got their address */
    _Atomic uint32_t gone;                          /* list of notes */
    struct wick_rate rate;
    uint32_t changes;     /* of the interval */
    uint64_t stacks_lost; /* blocks whose stack found no room in the next tables */
    bool armed;
};

/* Starts. The recorder must be running. -WICK_E_NOMEM with a sentence. */
int wick_nativemem_start(struct wick_nativemem *e, const struct wick_nativemem_config *c, struct wick_recorder *r,
                         struct wick_threads *ts, struct wick_err *err);

/* Nobody is in _came, _gone, _take or _give_back any more when it returns, and later calls do nothing. Notes can still
 * be read. */
void wick_nativemem_stop(struct wick_nativemem *e);
void wick_nativemem_release(struct wick_nativemem *e);

/* --- what the hooks call --- */

extern _Atomic(struct wick_nativemem *) wick_nativemem_current; /* NULL = nothing runs; read inside the gate */
extern struct wick_gate wick_nativemem_gate;
extern struct wick_nativemem_table wick_nativemem_table;
extern struct wick_nativemem_ranges wick_nativemem_ranges;
extern struct wick_nativemem_lane wick_nativemem_lanes[WICK_NATIVEMEM_LANES];

static inline bool wick_nativemem_running(void)
{
    return wick_load_relaxed(&wick_nativemem_current) != NULL;
}

/* The lane of the calling thread. */
static inline struct wick_nativemem_lane *wick_nativemem_own_lane(void)
{
    uint64_t hash = (wick_registers_thread_pointer() >> 6) * 0x9e3779b97f4a7c15u;
    return &wick_nativemem_lanes[hash >> (64 - WICK_NATIVEMEM_LANE_BITS)];
}

/* Counts an allocation; it is sampled if the result is below its size. */
static inline int64_t wick_nativemem_pass(uint64_t size)
{
    return atomic_fetch_sub_explicit(&wick_nativemem_own_lane()->left, (int64_t)size, memory_order_relaxed);
}

/* False: the block is not followed. */
static inline bool wick_nativemem_may_hold(uint64_t address)
{
    return wick_nativemem_table_may_hold(&wick_nativemem_table, address);
}

/* Memory was allocated, which is sampled or has the address of a block that may be followed. */
void wick_nativemem_came(const struct wick_nativemem_came *c);

/* The block is about to be freed. */
void wick_nativemem_gone(uint64_t address);

/* The block, or what is mapped in [lo, hi), is about to go, unless that fails: to be followed by one of the other two.
 */
void wick_nativemem_take(uint64_t address, struct wick_nativemem_held *out);
void wick_nativemem_take_range(uint64_t lo, uint64_t hi, struct wick_nativemem_held *out);
void wick_nativemem_freed(const struct wick_nativemem_held *h);
void wick_nativemem_give_back(const struct wick_nativemem_held *h);

/* Draws the distance to the next point of a lane anew, by the interval in force, unless somebody is doing so. */
void wick_nativemem_draw_sig(struct wick_nativemem *e, struct wick_nativemem_lane *lane);

/* --- the drain thread --- */

/* The block of an event from the ring, NULL = it has none. */
struct wick_nativemem_block *wick_nativemem_found(const struct wick_nativemem *e, const struct wick_event *event);

/* Says of a block that it is not followed any more. */
struct wick_nativemem_end {
    void (*end)(void *arg, const struct wick_nativemem_block *b);
    void *arg;
};

/* The event is written, as one of that thread; a block that is freed already, or not followed, ends with it. Or the
 * event is lost. */
void wick_nativemem_written(struct wick_nativemem *e, const struct wick_event *event, uint32_t thread,
                            const struct wick_nativemem_end *to);
void wick_nativemem_lost(struct wick_nativemem *e, const struct wick_event *event);

/* Ends the blocks that were freed since the last time. */
void wick_nativemem_collect(struct wick_nativemem *e, const struct wick_nativemem_end *to);

/* Adapts the interval to the rate that is asked for. */
void wick_nativemem_adjust(struct wick_nativemem *e, uint64_t now_ns);

/* Ends blocks, those of the least priority, if too many are alive; lowers the threshold if few are. False: no memory to
 * sort them. */
bool wick_nativemem_sweep(struct wick_nativemem *e, const struct wick_nativemem_end *to);

/* The stacks go into the next generation of tables. */
void wick_nativemem_carry(struct wick_nativemem *e, struct wick_carry *c);

/* The block of the note number `i`, if it is alive; NULL = it is not. Numbers are 1 to wick_nativemem_top. */
struct wick_nativemem_block *wick_nativemem_alive(const struct wick_nativemem *e, uint32_t i);
uint32_t wick_nativemem_top(const struct wick_nativemem *e);

/* Bytes that a block stands for, as far as they are not freed. */
uint64_t wick_nativemem_bytes(const struct wick_nativemem_block *b);

/* All bytes that were allocated since the start, sampled or not. */
uint64_t wick_nativemem_allocated(void);

#endif
