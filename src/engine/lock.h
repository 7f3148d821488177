/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock.h - the engine that records waiting for locks
 *
 * Those who know that a thread begins and ends to wait (agent/locks.c: JVMTI, LockSupport.park) tell this engine from
 * within the thread. Every wait is counted; which ones become events is drawn by chance, so that the weights sum up to
 * the time waited whatever the waits' lengths (base/poisson.h). The next point on the line of time waited is drawn when
 * a wait begins: a wait that ends before it is not recorded, and whether it will be is known while it lasts.
 *
 *      waiting thread                                            drain thread
 *      wick_lock_begin   since, due in its slot
 *      (waits)
 *      wick_lock_end     counts; sampled?
 *      wick_lock_record  fills a note, stack as an event -->     wick_lock_found: event and note become a JFR event
 *                                                                wick_lock_told:  the note is free again
 *
 * An event in a ring is too small for what is to be said of a wait, so it carries the number of a note.
 *
 * Threads: begin, end and record in any thread of the JVM, never in a signal handler; start, stop and release by the
 *          session's owner; found and done by the drain thread.
 * Memory:  one mapping for each recording, touched as it is used.
 */
#ifndef WICK_ENGINE_LOCK_H
#define WICK_ENGINE_LOCK_H

#include "base/err.h"
#include "engine/gate.h"
#include "engine/threads.h"

enum wick_lock_kind {
    WICK_LOCK_MONITOR, /* to enter synchronized code */
    WICK_LOCK_PARK,    /* LockSupport.park: java.util.concurrent */
    WICK_LOCK_WAIT,    /* Object.wait */
    WICK_LOCK_KINDS
};

enum { WICK_LOCK_NOTES = 2048, WICK_LOCK_CLASS = 200 };

struct wick_lock_config {
    uint64_t threshold_ns; /* shorter waits are only counted */
    uint64_t interval_ns;  /* of waiting, a sample on average */
    uint64_t seed;         /* 0 = any */
};

/* What one thread waits for; a place for each slot of the registry. Its thread writes, others may read what is atomic.
 */
struct wick_lock_wait {
    _Atomic uint64_t since_ns; /* 0 = it does not wait */
    uint64_t due_ns;           /* when the wait becomes a sample */
    uint64_t id;               /* of the wait, see struct wick_lock_done */
    wick_addr monitor;         /* ObjectMonitor, 0 = none */
    uint64_t owner;            /* as found when it began, see wick_lock_begin */
    uint64_t random;
    uint32_t serial; /* of the thread, which may get another slot's remains */
    uint32_t count;  /* of its waits */
    uint8_t kind;
    struct wick_stack_window window;
    _Atomic uint64_t waits[WICK_LOCK_KINDS], waited_ns[WICK_LOCK_KINDS]; /* all that ended */
};

/* A wait that is over and is to be recorded. */
struct wick_lock_done {
    uint64_t session;
    uint64_t id; /* unique in the recording: the thread's serial number << 32, and which wait of it */
    uint64_t start_ns, duration_ns, weight_ns;
    wick_addr monitor;
    uint64_t owner;
    enum wick_lock_kind kind;
};

/* What is known of the lock. */
struct wick_lock_what {
    char class_name[WICK_LOCK_CLASS]; /* of the monitor's object or the blocker; internal name, "" = not known */
    uint32_t hash;                    /* its identity hash code, 0 = not known */
    uint64_t address;                 /* of the ObjectMonitor, or of the blocker */
    int64_t timeout, until;           /* as the JDK's events have them */
    bool timed_out;
};

struct wick_lock_note {
    _Atomic uint32_t used;
    uint32_t owner; /* serial number of the owning thread when the wait began, 0 = not known */
    struct wick_lock_done done;
    struct wick_lock_what what;
};

struct wick_lock_totals {
    uint64_t waits[WICK_LOCK_KINDS], waited_ns[WICK_LOCK_KINDS]; /* all waits that ended */
    uint64_t recorded, recorded_ns;                              /* samples and their weight */
    uint64_t lost, lost_ns;                                      /* samples that found no room, and their weight */
};

struct wick_lock_engine {
    struct wick_recorder *recorder;
    struct wick_threads *threads;
    const struct wick_jvm *jvm;
    struct wick_lock_config config;
    uint64_t session; /* counts the recordings of the process */
    struct wick_lock_wait *waits;
    struct wick_lock_note *notes; /* [1 .. WICK_LOCK_NOTES) */
    _Atomic uint32_t next_note;
    _Atomic uint64_t recorded, recorded_ns, lost, lost_ns;
    bool running;
};

/* Starts. The recorder must be running. -WICK_E_NOMEM with a sentence. */
int wick_lock_start(struct wick_lock_engine *e, const struct wick_lock_config *c, const struct wick_jvm *jvm,
                    struct wick_recorder *r, struct wick_threads *ts, struct wick_err *err);

/* Nobody is in _begin, _end or _record any more when it returns, and later calls do nothing. Notes can still be read.
 */
void wick_lock_stop(struct wick_lock_engine *e);
void wick_lock_release(struct wick_lock_engine *e);

/* Whether waits are of interest now. */
bool wick_lock_running(void);

/* The calling thread begins to wait. owner: JavaThread of the owner if the caller knows it, 0 = no; of
 * WICK_LOCK_WAIT anything, it is given back in struct wick_lock_done. */
void wick_lock_begin(enum wick_lock_kind kind, uint64_t owner);

/* The calling thread has stopped waiting. True if the wait is to be recorded; then tell more by _record. */
bool wick_lock_end(enum wick_lock_kind kind, struct wick_lock_done *out);

/* Records the wait with the calling thread's stack. */
void wick_lock_record(const struct wick_lock_done *d, const struct wick_lock_what *what);

/* The note of an event from the ring. */
const struct wick_lock_note *wick_lock_found(const struct wick_lock_engine *e, const struct wick_event *event);
void wick_lock_told(struct wick_lock_engine *e, const struct wick_event *event);

/* A moment old. */
void wick_lock_totals_get(const struct wick_lock_engine *e, struct wick_lock_totals *out);

#endif
