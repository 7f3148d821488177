/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock.h - the engine that records waiting for locks
 *
 * The sources that see a thread begin and end a wait (agent/event/locks.c: JVMTI, LockSupport.park) notify this engine
 * from within the thread. Every wait is counted; which ones become events is drawn at random, so that the weights sum
 * up to the time waited whatever the waits' lengths (base/poisson.h). The next point on the line of time waited is
 * drawn when a wait begins: a wait that ends before it is not recorded, and whether it will be is known while it lasts.
 *
 *      waiting thread                                            drain thread
 *      wick_lock_begin   since, due in its slot
 *      (waits)                                   <-- watcher: due? who owns the lock now? a note is sent to it,
 *                                                    or filled, with its stack as an event
 *      wick_lock_end     counts; sampled?
 *      wick_lock_record  fills a note, stack as an event -->     wick_lock_found: event and note become a JFR event
 *                                                                wick_lock_consumed: the note is free again
 *
 * The rate. Hundreds of threads that wait are hundreds of seconds of waiting in each second, most of it for something
 * to do. So each kind of wait has an interval of its own, which grows while there are more samples than asked for
 * (engine/rate.h). A wait keeps the interval with which its point was drawn, so its weight is right whatever follows.
 *
 * An event in a ring is too small for the facts of a wait, so it carries the number of a note.
 *
 * Owners. A wait that lasts beyond its point is going to be recorded, and the watcher then examines the lock: once a
 * wait, at its first poll after that, and a few times more if the owner, which waited, ran just then. So what owners
 * are seen at is drawn at random like the waits themselves. An owner that can run gets a signal with the note's number
 * and records its stack; one that waits is walked from outside (thread_look.h) and not disturbed. Polls are at least
 * LOOK_NS apart, so waits much shorter than that rarely show their owner's stack. While no thread waits, the watcher
 * sleeps.
 *
 * Native waits (lock_native.h) are reported when they are over. Those for a lock that records its owner are also
 * announced when they begin, so that the watcher can examine the owner: a word with its kernel id takes the monitor's
 * place. For the others, and for threads that the registry does not know, whether a wait holds a point is drawn at its
 * end, with the same distribution.
 *
 * Threads: begin, end and record in any thread of the JVM, never in a signal handler; start, stop and release by the
 *          session's owner; found and done by the drain thread.
 * Memory:  one mapping for each recording, touched as it is used.
 */
#ifndef WICK_ENGINE_LOCK_LOCK_H
#define WICK_ENGINE_LOCK_LOCK_H

#include "base/err.h"
#include "engine/gate.h"
#include "engine/rate.h"
#include "engine/signal.h"
#include "engine/thread/thread_files.h"
#include "engine/thread/threads.h"
#include "hotspot/monitor.h"
#include "record/note.h"

enum wick_lock_kind {
    WICK_LOCK_MONITOR, /* to enter synchronized code */
    WICK_LOCK_PARK,    /* LockSupport.park: java.util.concurrent */
    WICK_LOCK_WAIT,    /* Object.wait */
    WICK_LOCK_NATIVE,  /* for a mutex or rwlock of the C library, see lock_native.h */
    WICK_LOCK_SIGNAL,  /* for a condition variable of it */
    WICK_LOCK_KINDS
};

/* True for waits in the C library, whose calls are hooked. */
static inline bool wick_lock_kind_is_native(unsigned kind)
{
    return kind == WICK_LOCK_NATIVE || kind == WICK_LOCK_SIGNAL;
}

enum { WICK_LOCK_NOTES = 2047, WICK_LOCK_CLASS = 200, WICK_LOCK_SENT_MOST = 32 };

/* The JVM's own reports of waiting (agent/event/locks.h), which wick_lock_begin and its like are called from. */
struct wick_java_waits {
    /* Finds what `on` needs, and where locks keep their owners. -WICK_E_UNSUPPORTED, -WICK_E_STATE with a sentence. */
    int (*find)(struct wick_hs_ownable *out, struct wick_err *err);
    /* From here on waits are reported. Errors as above; then nothing is. */
    int (*on)(struct wick_err *err);
    void (*off)(void);
};

struct wick_lock_config {
    bool java;                                        /* waits reported by _begin and _end */
    bool native;                                      /* waits reported by _native_begin and _native_waited */
    uint64_t threshold_ns;                            /* shorter waits are only counted */
    uint64_t interval_ns;                             /* of waiting, a sample on average */
    uint64_t native_threshold_ns, native_interval_ns; /* the same of native waits */
    uint32_t rate, native_rate; /* samples a second at most of each kind: beyond it its interval grows; 0 = no limit */
    uint64_t seed;              /* 0 = any */
    struct wick_hs_ownable ownable;
    int awake_signal; /* signal that the watcher leaves unblocked, 0 = none */
};

/* What one thread waits for; a place for each slot of the registry. Its thread writes, others may read what is atomic.
 */
struct wick_lock_wait {
    _Atomic uint64_t since_ns; /* 0 = it does not wait */
    _Atomic uint64_t due_ns;   /* when the wait becomes a sample */
    _Atomic uint64_t id;       /* of the wait, see struct wick_lock_done */
    _Atomic uint64_t monitor; /* ObjectMonitor; or a handle of an AbstractOwnableSynchronizer; or, native, the word with
                                 the owner's kernel id; 0 = none */
    _Atomic uint32_t kind;
    uint64_t looked, again_ns;   /* the watcher's: id of the wait whose owner was examined, and when it will be again
                                    because it ran just then, 0 = not */
    uint32_t attempts;           /* the watcher's, of that wait */
    _Atomic uint64_t seen_ns;    /* when seen_owner was found */
    _Atomic uint64_t seen_owner; /* which wait << 32 | serial number of the owner found then */
    uint64_t owner;              /* as found when it began, see wick_lock_begin */
    uint64_t random;
    uint64_t interval_ns;                          /* in force when the wait began */
    uint32_t serial;                               /* of the thread, which may get another slot's remains */
    uint32_t count;                                /* of the slot's waits */
    struct wick_stack_window window, owner_window; /* outside and inside of the signal handler */
    _Atomic uint64_t waits[WICK_LOCK_KINDS], waited_ns[WICK_LOCK_KINDS]; /* all that ended */
};

/* A wait that is over and is to be recorded. */
struct wick_lock_done {
    uint64_t session;
    uint64_t id; /* unique in the recording: the thread's serial number << 32, and which wait of it */
    uint64_t start_ns, duration_ns, weight_ns;
    wick_addr monitor;
    uint64_t owner;
    uint32_t seen_owner;
    uint64_t owned_ns; /* when the owner had the lock: it was seen then, or found at the start */
    enum wick_lock_kind kind;
};

/* What is known of the lock. */
struct wick_lock_what {
    char class_name[WICK_LOCK_CLASS]; /* of the monitor's object or the blocker; internal name, "" = not known */
    uint32_t hash;                    /* its identity hash code, 0 = not known */
    uint64_t address;                 /* of the ObjectMonitor, or of the blocker */
    int64_t timeout, until;           /* as the JDK's events have them */
    bool timed_out;
    const char *operation; /* of a native wait: name of the function; static */
    int32_t tid;           /* the thread that waited, in case the registry does not know it yet */
};

/* A native wait that is over. */
struct wick_lock_native {
    uint64_t session; /* what wick_lock_native_session was when it began */
    uint64_t id;      /* what wick_lock_native_begin gave, 0 = it was not called */
    int32_t holder;   /* kernel id of who had the lock when it began, 0 = not known */
    bool in_vain;     /* it has not got the lock: nothing is counted */
    enum wick_lock_kind kind;
    const char *operation;
    const void *lock;
    uint64_t start_ns, end_ns;
    const ucontext_t *here; /* registers of the calling thread, */
    wick_addr from;         /* and where the stack of the function that waited begins */
};

enum wick_lock_phase { WICK_LOCK_FREE, WICK_LOCK_HELD, WICK_LOCK_SENT };

struct wick_lock_note {
    _Atomic uint64_t word; /* uses << 2 | enum wick_lock_phase */
    uint16_t number;       /* of this note, for events */
    bool of_owner;         /* the event's stack is that of the owner, during the wait `done` */
    uint32_t owner;        /* serial number of the owning thread, as seen by the watcher or when the wait began */
    wick_addr owner_java;  /* of_owner: its JavaThread */
    struct wick_lock_done done;
    struct wick_lock_what what;
};

struct wick_lock_totals {
    uint64_t waits[WICK_LOCK_KINDS], waited_ns[WICK_LOCK_KINDS]; /* all waits that ended */
    uint64_t recorded, recorded_ns;                              /* samples and their weight */
    uint64_t lost, lost_ns;                                      /* samples that found no room, and their weight */
    uint64_t looks, owners;                                      /* at locks; stacks of owners taken */
};

struct wick_lock_engine {
    struct wick_recorder *recorder;
    struct wick_threads *threads;
    const struct wick_jvm *jvm;
    struct wick_lock_config config;
    uint64_t session; /* counts the recordings of the process */
    struct wick_lock_wait *waits;
    struct wick_notes notes; /* of struct wick_lock_note */
    _Atomic uint32_t slots;  /* slots that were ever used lie below; the registry's own limit falls when threads end */
    _Atomic uint64_t recorded, recorded_ns, lost, lost_ns, looks, owners;
    struct {                          /* of each kind */
        struct wick_rate rate;        /* the drain's */
        _Atomic uint64_t interval_ns; /* for waits that begin */
        _Atomic uint64_t samples;     /* drawn */
    } kinds[WICK_LOCK_KINDS];
    bool running;
    bool keep; /* the tables, for a handler that has not come back */
    /* the watcher */
    struct wick_signal signal;
    pthread_t watcher;
    bool watching;
    struct wick_thread_files files; /* the watcher's */
    int wake, pid;
    _Atomic uint32_t asleep; /* until a thread begins to wait */
    uint8_t *stack;          /* copy of an owner's */
    struct wick_lock_sent {
        uint64_t ticket, sent_ns; /* 0 = none */
    } sent[WICK_LOCK_SENT_MOST];
};

/* Starts. The recorder must be running. -WICK_E_NOMEM, -WICK_E_STATE (no free signal) with a sentence. */
int wick_lock_start(struct wick_lock_engine *e, const struct wick_lock_config *c, const struct wick_jvm *jvm,
                    struct wick_recorder *r, struct wick_threads *ts, struct wick_err *err);

/* No thread is in _begin, _end or _record any more when it returns, and later calls do nothing. Notes can still be
 * read. */
void wick_lock_stop(struct wick_lock_engine *e);
void wick_lock_release(struct wick_lock_engine *e);

/* Adapts the intervals to the rates that are asked for; whenever the rings are emptied. */
void wick_lock_adjust(struct wick_lock_engine *e, uint64_t now_ns);

/* Whether waits are of interest now. */
bool wick_lock_running(void);

/* The calling thread begins to wait. owner: JavaThread of the owner if the caller knows it, 0 = no; of
 * WICK_LOCK_WAIT anything, it is given back in struct wick_lock_done. ownable: JNI handle of the
 * AbstractOwnableSynchronizer that it parks on, valid until _end; NULL = none. */
void wick_lock_begin(enum wick_lock_kind kind, uint64_t owner, const void *ownable);

/* The calling thread has stopped waiting. True if the wait is to be recorded; then supply its facts by _record. */
bool wick_lock_end(enum wick_lock_kind kind, struct wick_lock_done *out);

/* Records the wait with the calling thread's stack. */
void wick_lock_record(const struct wick_lock_done *d, const struct wick_lock_what *what);

/* Number of the recording that samples native waits, 0 = none does. */
uint64_t wick_lock_native_session(void);

/* The calling thread begins to wait for a lock of the C library at start_ns; *holder has the kernel id of the owner, 0
 * = none. The wait's number, 0 if its owner will not be examined. */
uint64_t wick_lock_native_begin(uint64_t session, const int *holder, uint64_t start_ns);

/* Counts a wait that is over, and records it if it is sampled. */
void wick_lock_native_waited(const struct wick_lock_native *n);

/* The note of an event from the ring. */
const struct wick_lock_note *wick_lock_found(const struct wick_lock_engine *e, const struct wick_event *event);

/* Releases the note of an event that has been written or is lost. */
void wick_lock_consumed(struct wick_lock_engine *e, const struct wick_event *event);

/* A moment old. */
void wick_lock_totals_get(const struct wick_lock_engine *e, struct wick_lock_totals *out);

/* --- between lock.c, lock_note_sig.c, lock_watch.c and lock_watch_sig.c --- */

/* The watcher; begins and ends with the engine. -WICK_E_NOMEM, -WICK_E_STATE. */
int wick_lock_watch_start(struct wick_lock_engine *e, struct wick_err *err);
/* No thread is inside the gate when it returns; wick_lock_current must be NULL. */
void wick_lock_watch_stop(struct wick_lock_engine *e);

/* A note to fill, NULL if all are in use. */
struct wick_lock_note *wick_lock_note_take_sig(struct wick_lock_engine *e);

/* The holder gives it back. */
void wick_lock_note_free_sig(struct wick_lock_engine *e, struct wick_lock_note *note);

/* A ticket, which a signal carries: uses of the note << 16 | its number. Parts of it: the number, and the note's word
 * for as long as nobody has answered. */
static inline uint32_t wick_lock_ticket_number(uint64_t ticket)
{
    return (uint16_t)ticket;
}

static inline uint64_t wick_lock_ticket_word(uint64_t ticket)
{
    return ticket >> 16 << 2 | WICK_LOCK_SENT;
}

/* Slot of the thread that owns the lock, 0 = not known. */
uint32_t wick_lock_owner_slot_sig(const struct wick_lock_engine *e, enum wick_lock_kind kind, wick_addr monitor,
                                  uint64_t owner);

/* A thread begins to wait: wakes the watcher if it sleeps. */
void wick_lock_watch_wake(struct wick_lock_engine *e);

/* What runs, NULL = nothing; read inside the gate. */
extern _Atomic(struct wick_lock_engine *) wick_lock_current;
extern struct wick_gate wick_lock_gate;
void wick_lock_signal_sig(int sig, siginfo_t *info, void *context);

#endif
