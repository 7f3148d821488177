/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc.h - the engine that samples the allocation of objects
 *
 * The JVM samples: each thread has a gap of bytes to the next sample, drawn from an exponential distribution, and a
 * thread that allocates beyond the gap reports the object (agent/event/allocations.c) and has a new one. So an object
 * of s bytes is reported with the probability 1 - exp(-s / R), where R is the mean with which the gap was drawn, and
 * stands for s / (1 - exp(-s / R)) bytes, whatever has become of the interval since. This engine therefore keeps for
 * each thread with which interval its gap was drawn.
 *
 * Who draws. The JVM does, but from one generator that each new thread sets to its own address; addresses come again,
 * so in a program that starts a thread for each request the same objects are always reported, and others never. So
 * the engine draws the gaps itself and puts them where the JVM keeps them (hotspot/alloc_gap.h): of the threads that
 * exist when it starts, of each thread as it starts, and at each report, behind which the JVM has drawn one already,
 * but not used it yet. Only where the place is not known, or a thread is not, the JVM's own gaps count, with the JVM's
 * interval at the thread's last report, or at its birth.
 *
 *      thread that allocates                        drain thread
 *      report: wick_alloc_drawn  weight             wick_alloc_adjust: too many samples a second? a longer interval
 *      name of the class -> note
 *      wick_alloc_record: stack, event -- ring -->  engine_alloc.c: event and note become a JFR event
 *
 * The rate. More samples a second than asked for make the interval longer: once a second, or as soon as there are as
 * many as are asked for in one, its logarithm is moved by a part of ln(actual / rate), between the interval asked for
 * and FACTOR_MOST times that. The state is the interval itself, so nothing can wind up, and weights are
 * right across each change, as said above.
 *
 * The JVM lets one agent sample at a time, so no other agent changes the interval during a recording.
 *
 * JDK 8 does not sample. There breakpoints in libjvm.so show the objects that did not fit into their thread's buffer
 * (hotspot/alloc_tracer.h), and the engine works out for how many bytes each stands (alloc_buffer.h). An object that
 * stands for b bytes is sampled with the probability 1 - exp(-b / R), by the interval at that moment, so there are no
 * gaps:
 *
 *      thread that allocates                        drain thread
 *      SIGTRAP: wick_alloc_slow_sig                 as above, and: are the breakpoints still ours?
 *      bytes it stands for; drawn; class -> note; stack, event -- ring -->
 *
 * What a thread has allocated since its last such object when it ends is a sample of one frame (WICK_STOP_ENDED).
 *
 * Of the objects that are sampled some are followed, if that is asked for, to see which stay: live.h.
 *
 * Threads: drawn and record in any Java thread; start, stop and release by the session's owner; adjust by the drain
 *          thread.
 * Memory:  a mapping of the threads' gaps for the life of the process, touched as it is used; notes for a recording.
 */
#ifndef WICK_ENGINE_ALLOC_ALLOC_H
#define WICK_ENGINE_ALLOC_ALLOC_H

#include "base/err.h"
#include "engine/gate.h"
#include "engine/rate.h"
#include "engine/alloc/alloc_buffer.h"
#include "engine/alloc/live.h"
#include "engine/thread/threads.h"
#include "hotspot/alloc_tracer.h"
#include "record/note.h"

enum { WICK_ALLOC_NOTES = 16383, WICK_ALLOC_CLASS = 232 };

/* The JVM's sampling of allocations (agent/event/allocations.h), which calls wick_alloc_drawn, _record and
 * _unwanted. */
struct wick_java_allocations {
    /* Makes it ours. -WICK_E_UNSUPPORTED, -WICK_E_STATE (another agent has it, say) with a sentence. */
    int (*open)(struct wick_err *err);
    /* From here on objects are reported. Errors as above. */
    int (*on)(uint64_t interval, struct wick_err *err);
    /* Undoes both, and gives the interval back as open found it. */
    void (*off)(void);
    /* Mean of the bytes between two samples of a thread. */
    uint64_t (*interval)(void);
    void (*change)(uint64_t interval);
    /* The thread's next sample comes after so many bytes from now on. `own`: it is the calling thread's JavaThread;
     * else it cannot end during the call, and nothing is reported yet. False: this JVM draws the gaps. NULL: always. */
    bool (*give_gap)(uint64_t java_thread, uint64_t bytes, bool own);
    struct wick_live_jvm references; /* to objects that are followed */
    /* After open: NULL = the JVM samples; else where JDK 8 shows objects that did not fit, by breakpoints that _on
     * sets. Then there is nothing to follow objects by. NULL: never. */
    const struct wick_hs_alloc_tracer *(*tracer)(void);
    /* False: the breakpoints were taken from us, and have been cleared. With a tracer. */
    bool (*guard)(void);
};

struct wick_alloc_config {
    uint64_t interval;     /* bytes, up to INT32_MAX */
    uint32_t rate;         /* samples a second at most, 0 = no limit */
    uint64_t vm_lo, vm_hi; /* code of the JVM: frames there are left out where they are the leaf */
    /* The JVM's interval: that for the next gap of the calling thread. And to change it. */
    uint64_t (*in_force)(void);
    void (*change)(uint64_t interval);
    bool (*give_gap)(uint64_t java_thread, uint64_t bytes, bool own); /* as above */
    const struct wick_live_jvm *references;    /* objects are followed (live.h); NULL = they are not */
    const struct wick_hs_alloc_tracer *tracer; /* NULL = the JVM samples */
    const struct wick_jvm *jvm;                /* with a tracer */
};

/* What an event has no room for. */
struct wick_alloc_note {
    uint64_t size;
    double priority; /* see live.h; 0: the object is not followed */
    uint64_t reference;
    uint32_t born;                     /* collections before it */
    char class_name[WICK_ALLOC_CLASS]; /* internal name, "" = not known */
};

/* A report that is to be recorded. */
struct wick_alloc_draw {
    uint64_t session, size, weight;
    double priority; /* more than 0: a weak reference to the object is asked for */
};

/* A thread's gap; a place for each slot of the registry, written by that thread. */
struct wick_alloc_gap {
    _Atomic uint64_t drawn; /* serial number << 32 | interval with which it was drawn; also written by who arms */
    uint32_t serial;        /* whose the rest is */
    struct wick_stack_window window;
    struct wick_alloc_buffer buffer; /* with a tracer */
};

struct wick_alloc_engine {
    struct wick_recorder *recorder;
    struct wick_threads *threads;
    struct wick_alloc_config config;
    uint64_t session; /* counts the recordings of the process */
    struct wick_notes notes;
    struct wick_live live;     /* while config.references */
    _Atomic uint64_t interval; /* bytes, as adjusted */
    _Atomic uint64_t reports;  /* of the JVM */
    uint64_t gap_seed;
    _Atomic uint64_t draws, gaps; /* numbers drawn for gaps; those that the JVM took */
    struct wick_rate rate;
    _Atomic uint32_t changes; /* of the interval */
    bool armed, reporting;    /* the second is read under the registry's lock */
    /* with a tracer */
    _Atomic uint64_t slow, odd; /* calls that the breakpoints showed; those that cannot be a thread's allocation */
    int tasks;                  /* /proc/self/task, while threads are armed at the start; -1 = not open */
    int32_t blocking;           /* a thread of Java that blocks SIGTRAP, 0 = none */
};

/* Starts: reports are taken from now on. The recorder must be running, and the JVM's sampling is switched on after it.
 * -WICK_E_NOMEM with a sentence. */
int wick_alloc_start(struct wick_alloc_engine *e, const struct wick_alloc_config *c, struct wick_recorder *r,
                     struct wick_threads *ts, struct wick_err *err);

/* No thread is in _drawn or _record any more when it returns, and later calls do nothing. Notes can still be read. */
void wick_alloc_stop(struct wick_alloc_engine *e);
void wick_alloc_release(struct wick_alloc_engine *e);

/* The JVM reports an object of `size` bytes that the calling thread has allocated. True if it is to be recorded. */
bool wick_alloc_drawn(uint64_t size, struct wick_alloc_draw *out);

/* Records it with the calling thread's stack as of `here`, without the frames below the address `from`. reference: the
 * one that was asked for, or 0. False: it is the caller's to delete. */
bool wick_alloc_record(const struct wick_alloc_draw *d, const char *class_name, uint64_t reference,
                       const ucontext_t *here, wick_addr from);

/* The calling thread calls a function of the tracer, number i, with the registers of `here`. Async-signal-safe. */
void wick_alloc_slow_sig(unsigned i, const ucontext_t *here);

/* For alloc.c: the threads' gaps; the engine that runs, NULL = none; records a report, as wick_alloc_record does; and
 * whether something that stands for so many bytes is sampled, with its weight. */
extern struct wick_alloc_gap *wick_alloc_gaps;
extern _Atomic(struct wick_alloc_engine *) wick_alloc_current;
bool wick_alloc_keep_sig(struct wick_alloc_engine *e, const struct wick_alloc_draw *d, const char *class_name,
                         uint64_t reference, const ucontext_t *here, wick_addr from);
bool wick_alloc_chosen_sig(struct wick_alloc_engine *e, uint64_t bytes, uint64_t *weight);

/* A reference that the calling thread is to delete, 0 = none. */
uint64_t wick_alloc_unwanted(void);

/* Adapts the interval to the rate that is asked for; whenever the rings are emptied. */
void wick_alloc_adjust(struct wick_alloc_engine *e, uint64_t now_ns);

/* The note of an event from the ring, NULL = it has none. */
const struct wick_alloc_note *wick_alloc_found(const struct wick_alloc_engine *e, const struct wick_event *event);

/* The note's end: the event is written and its object, if there is a reference, followed; or the event is lost. */
void wick_alloc_written(struct wick_alloc_engine *e, const struct wick_event *event, uint32_t thread);
void wick_alloc_lost(struct wick_alloc_engine *e, const struct wick_event *event);

extern struct wick_gate wick_alloc_gate;

#endif
