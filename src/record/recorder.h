/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder.h - from an interrupted thread to an event in a ring, with every loss counted
 *
 *      handler:  scratch -> walk -> intern root-first -> ring          (recorder_sig.c)
 *      drain:    ring -> JFR writer; new generation of tables when full (drain.c)
 *
 * Accounting. A sample that fired ends in exactly one of: recorded, or one named drop (def/drop.def); while its handler
 * runs it is in flight. fired = recorded + sum of drops + in flight at every instant. The same holds for weights, which
 * are summed up by type of event, since each type has a unit of its own (def/event_type.def).
 *
 * A handler owns a scratch area from before it reads anything shared until it is done. So the drain thread knows that
 * nobody uses an old generation (or that sampling has stopped) once it has seen every scratch area free:
 *
 *      handler                                   drain
 *      scratch.busy = 1        (seq_cst)         tables = new / running = 0   (seq_cst)
 *      read tables, running    (seq_cst)         wait until each busy was 0   (seq_cst)
 *
 * A handler may never come back (see engine/gate.h), so this wait is bounded. A scratch area that is still busy then is
 * marked as lost, and not waited for again; what its handler may use is never freed: the tables up to those that were
 * current when it was marked, and the mapping. A handler that comes back after all sees the mark and drops its sample.
 *
 * Threads: as above; _init and _release belong to the session's owner while no handler is installed.
 * Memory:  mmap; pages are touched as they are used.
 */
#ifndef WICK_RECORD_RECORDER_H
#define WICK_RECORD_RECORDER_H

#include <stdbool.h>
#include <ucontext.h>

#include "base/atomic.h"
#include "record/ring.h"
#include "record/tables.h"
#include "record/walk.h"

enum { WICK_MAX_FRAMES = 2048, WICK_MAX_KERNEL_FRAMES = 128 };

enum wick_drop {
#define X(name, ...) WICK_DROP_##name,
#include "def/drop.def"
#undef X
    WICK_DROP_COUNT
};

/* A lost one belongs to a handler that has not come back in time. If it comes back at last, it is free again. */
enum { WICK_SCRATCH_FREE, WICK_SCRATCH_TAKEN, WICK_SCRATCH_LOST, WICK_RECORDER_PATIENCE_MS = 2000 };

struct wick_scratch {
    _Atomic uint32_t busy;                                     /* WICK_SCRATCH_... */
    uint64_t frames[WICK_MAX_KERNEL_FRAMES + WICK_MAX_FRAMES]; /* leaf first */
    /* The stack interned here last, root first: the next one on this CPU mostly begins with the same frames. */
    uint32_t last_generation, last_count;
    uint32_t last_nodes[WICK_MAX_KERNEL_FRAMES + WICK_MAX_FRAMES];
    uint64_t last_frames[WICK_MAX_KERNEL_FRAMES + WICK_MAX_FRAMES];
};

/* Counted where the handler runs; read as a sum. */
struct wick_counters {
    _Alignas(64) struct {
        _Atomic uint64_t fired, recorded, dropped;
        _Atomic uint64_t weight, drop_weight, biased_weight; /* of recorded, of dropped, of biased samples */
    } of[WICK_EVENT_TYPES];
    _Atomic uint64_t drops[WICK_DROP_COUNT];
    _Atomic uint64_t broken, gaps; /* samples whose walk ended early or lost native frames */
    _Atomic uint64_t handler_ns;   /* CPU time */
    _Atomic uint64_t frames;
    _Atomic uint64_t labelled, labels_lost; /* samples of threads with a context; of these, found no room for it */
};

/* A sum of all counters. */
struct wick_totals {
    struct wick_type_totals {
        uint64_t fired, recorded, dropped, weight, drop_weight, biased_weight;
    } of[WICK_EVENT_TYPES];
    uint64_t fired, recorded; /* of all types */
    uint64_t drops[WICK_DROP_COUNT], broken, gaps, handler_ns, frames, labelled, labels_lost;
};

struct wick_recorder {
    struct wick_walker walker;
    struct wick_labels *labels; /* NULL = none; set before running */
    _Atomic(struct wick_tables *) tables;
    _Atomic uint32_t running;
    _Atomic uint64_t quiet_cpu_ns; /* CPU clock of the process when it stopped to record, 0 = it has not */
    /* counted without a scratch area, so not in the mapping, which may go at any moment */
    _Atomic uint64_t missed[WICK_EVENT_TYPES][WICK_DROP_COUNT], missed_weight[WICK_EVENT_TYPES];
    _Atomic uint64_t taken_back[WICK_EVENT_TYPES][WICK_DROP_COUNT]; /* counted as recorded at first */
    uint32_t cpus, scratch_count, max_frames;
    uint32_t lost;                  /* handlers that have not come back */
    bool keep;                      /* what handlers use stays mapped: some may not have come back */
    uint64_t patience_ns;           /* that is left of a stop's waits for handlers, which share it */
    uint32_t keep_generation;       /* tables up to this one stay, because a lost handler may use them */
    uint32_t kept_frames;           /* of a stack deeper than max_frames; 0 = all that were walked */
    struct wick_ring *rings;        /* by CPU */
    struct wick_counters *counters; /* by CPU */
    struct wick_scratch *scratch;
    size_t memory_limit;
    void *map;
    size_t map_bytes;
};

/* Events that each CPU's ring has room for, a power of two: `asked` if it is not 0; else two seconds of samples of a
 * busy CPU, one per interval (ns; 0 = the default one), because the drain thread may be away for so long while it reads
 * symbols for the first time on a crowded machine. Within bounds; all rings together take an eighth of the limit of
 * memory at most, where more than the least is asked of them. */
uint32_t wick_recorder_ring(uint64_t asked, uint64_t interval, size_t memory_limit);

/* 0 or -WICK_E_NOMEM. The walker must be initialised by the caller afterwards. ring_events: per CPU, a power of two. */
int wick_recorder_init(struct wick_recorder *r, size_t memory_limit, uint32_t ring_events, uint32_t max_frames);

/* Unless a handler was lost: then everything stays mapped. */
void wick_recorder_release(struct wick_recorder *r);

/* A fresh generation of tables in place of the present one, which is returned; no handler uses it any more when this
 * returns, except lost ones. NULL if there is no memory for one. For the drain thread. */
struct wick_tables *wick_recorder_next_generation(struct wick_recorder *r);

/* Frees tables that wick_recorder_next_generation returned, unless a lost handler may use them. */
void wick_recorder_free_generation(struct wick_recorder *r, struct wick_tables *old);

/* Stops recording: when this returns no handler is at work, except lost ones, and none will start. */
void wick_recorder_quiesce(struct wick_recorder *r);

/* True if every scratch area was seen free during the call: no handler is at work that began before it, so that none
 * uses what was replaced (seq_cst) before it. Does not wait. */
bool wick_recorder_is_idle(const struct wick_recorder *r);

/* Notes that so many handlers have not returned. They may not have a scratch area yet: everything stays mapped. */
void wick_recorder_keep(struct wick_recorder *r, uint32_t handlers);

/* Sums the counters of all CPUs as they were at one moment: it tries again while samples fire in between, up to a
 * limit. Exact once the recorder is quiet. */
void wick_recorder_totals(const struct wick_recorder *r, struct wick_totals *out);

/* Adds those of another part of the recording. */
void wick_totals_add(struct wick_totals *sum, const struct wick_totals *more);

/* One sample in a signal handler, or of a thread that is observed from outside. */
struct wick_sample_sig {
    const ucontext_t *context; /* NULL: another thread, */
    const struct wick_outside
        *outside; /* which waits here (record/walk.h); also NULL: this one, from where it left Java */
    struct wick_stack_window *window;
    bool frozen;                      /* with `outside`: a virtual thread on no carrier, ... */
    wick_addr chunk;                  /* ... whose frozen frames these are, 0 = it has none yet, ... */
    const struct wick_context *label; /* ... and what it works on */
    wick_addr from;                   /* with a context: frames with a stack pointer below are left out */
    uint64_t skip_lo, skip_hi;        /* leaf frames of native code there, and the stub before them, are left out */
    wick_addr java;                   /* JavaThread or 0 */
    int32_t tid;                      /* kernel id, 0 = ask the kernel */
    uint64_t time_ns, weight;
    const uint64_t *kernel; /* kernel pcs, leaf first */
    uint32_t kernel_count;
    uint32_t thread;
    enum wick_event_type type;
    uint64_t event_ns; /* time that the event gets; 0: time_ns */
    uint64_t span_ns;  /* this and those that follow as in struct wick_event */
    uint16_t samples, note;
    uint32_t awaited; /* as in struct wick_context */
    uint8_t state;
};

/* Takes a scratch area, NULL if recording stopped or all are taken. Nothing of a session may be touched without one. */
struct wick_scratch *wick_recorder_enter_sig(struct wick_recorder *r);
void wick_recorder_leave_sig(struct wick_scratch *s);

/* Walks, interns and records the sample, and accounts for it. False: it is a drop. */
bool wick_recorder_sample_sig(struct wick_recorder *r, struct wick_scratch *s, const struct wick_sample_sig *in);

/* Adds to the CPU time spent in handlers. Needs a scratch area, as _sample_sig does. */
void wick_recorder_spent_sig(struct wick_recorder *r, uint64_t ns);

/* The same up to the ring: the event is left in *out for the caller, which is responsible for it and for its
 * accounting. False if there is no room for the stack. */
bool wick_recorder_walk_sig(struct wick_recorder *r, struct wick_scratch *s, const struct wick_sample_sig *in,
                            struct wick_event *out);

/* Counts the samples of an event that does not go through the rings, with its weight, as fired and recorded. Takes them
 * back as a drop, should the event get lost behind. */
void wick_recorder_count_sig(struct wick_recorder *r, const struct wick_event *e);
void wick_recorder_uncount(struct wick_recorder *r, enum wick_drop why, const struct wick_event *e);

/* Counts n samples that got no scratch area, or none in time; weight: of all of them. Any thread or handler; needs no
 * scratch area. */
void wick_recorder_drop_sig(struct wick_recorder *r, enum wick_event_type type, enum wick_drop why, uint32_t n,
                            uint64_t weight);

/* Records a sample whose stack is one frame with a stop reason: weight that is known but was not seen. Any ordinary
 * thread; also when the recorder is quiet, until it is drained for the last time. */
void wick_recorder_note(struct wick_recorder *r, enum wick_event_type type, uint64_t time_ns, uint64_t weight,
                        uint32_t thread, enum wick_stop why);

#endif
