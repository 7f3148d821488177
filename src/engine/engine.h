/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine.h - what an engine is
 *
 * An engine decides when to record an event, has the recorder take the stack, and writes the event as JFR once it has
 * passed through a ring. It is a `struct wick_engine_ops` and a row in engines.c; nothing else in wick knows which
 * engines there are. To add one: its own files, its type of event with the unit of its weight in def/event_type.def,
 * the row, and its options (def/event_word.def, def/option.def).
 *
 * The functions of the operations may be NULL where nothing is to be done, but for planned, start, stop and event.
 *
 * Threads: start, stop and release by the session's owner; take, event and stats by the drain thread or by the thread
 *          that stands in for it, under the session's lock; status, settings, label and notes also under that lock.
 * Memory:  an engine's state is `bytes` of zeroes at each start, owned by the set (engines.h). It is left as it is
 *          after a recording that lost a handler, which may still use it.
 */
#ifndef WICK_ENGINE_ENGINE_H
#define WICK_ENGINE_ENGINE_H

#include "base/err.h"
#include "base/strbuf.h"
#include "engine/gate.h"
#include "sys/broker.h"
#include "engine/rate.h"
#include "engine/thread/threads.h"
#include "opt/events.h"
#include "record/carry.h"
#include "record/drain.h"

struct wick_java_waits;       /* engine/lock/lock.h */
struct wick_java_allocations; /* engine/alloc/alloc.h */

/* Where the engines of a recording run. All borrowed, for as long as the recording lasts. */
struct wick_engine_host {
    const struct wick_session_opts *opts;
    struct wick_opt_events plan; /* the same, understood; filled in by wick_engines_start */
    struct wick_recorder *recorder;
    struct wick_threads *threads;
    const struct wick_jvm *jvm;
    const struct wick_elf_images *images;
    const struct wick_elf_image *libjvm;                  /* NULL = not known */
    const struct wick_java_waits *java_waits;             /* NULL = the JVM does not report any */
    const struct wick_java_allocations *java_allocations; /* NULL = the same */
    wick_perf_broker *broker;                             /* NULL = none */
    int32_t critical_place; /* in a JavaThread, see hotspot/critical.h; WICK_HS_NONE = not known */
    bool from_birth;        /* the JVM has just started: CPU time counts from there */
    int awake_signal; /* set by the engine that has one: threads of wick leave it open, so that their own cost is in the
                         profile; 0 = none */
};

enum wick_engine_take {
    WICK_TAKE_DONE, /* what is complete */
    WICK_TAKE_ALL,  /* also what is still growing: a chunk or a generation of tables ends */
    WICK_TAKE_LAST, /* everything: the engine has stopped, and the rings are empty */
};

/* A JFR event that stands for one event of the type. */
struct wick_engine_sample {
    enum wick_jfr_event_id written;
    enum wick_event_type of;
};

struct wick_engine_ops {
    const char *name;
    size_t bytes;                             /* of its state */
    uint32_t types;                           /* 1u << enum wick_event_type: those that it completes */
    const struct wick_engine_sample *samples; /* ends with WICK_JFR_EVENT_COUNT; NULL = none */
    struct wick_gate *gate;                   /* of its signal handler; NULL = it has none */
    uint64_t options; /* WICK_OPT_BIT of those that say how it samples; they have no effect where no engine that runs
                         has them */

    /* Whether the plan asks for it. */
    bool (*planned)(const struct wick_opt_events *plan);
    /* Starts it: the recorder is running. On failure nothing of it runs. */
    int (*start)(void *e, struct wick_engine_host *h, struct wick_err *err);
    /* Stops it: no handler of it begins any more. What it has finished can still be taken. */
    void (*stop)(void *e);
    /* Gives back what start took, if no handler was lost in it. */
    void (*release)(void *e);
    /* Gives the drain what did not pass through the rings; after they were emptied. */
    void (*take)(void *e, struct wick_drain *d, enum wick_engine_take what);
    /* Writes an event that came out of a ring; its stack is valid during the call. */
    void (*event)(void *e, struct wick_drain *d, const struct wick_event *event);
    /* An event that came out of a ring will not be written: gives back what it refers to. */
    void (*lost)(void *e, const struct wick_event *event);
    /* Something happened after which the current state is of interest: what is written now and then is due. */
    void (*moment)(void *e);
    /* The tables are replaced: the stacks and contexts that it holds on to go into the next ones. */
    void (*carry)(void *e, struct wick_carry *c);
    /* Its own figures as JFR events, about once a second. */
    void (*stats)(void *e, struct wick_jfr_writer *w, uint64_t now_ns);
    /* The same as lines key=value for `wick status`. */
    void (*status)(void *e, const struct wick_engine_host *h, struct wick_strbuf *out);
    /* jdk.ActiveSetting events that say how it runs. */
    void (*settings)(void *e, const struct wick_engine_host *h, struct wick_jfr_writer *w, uint64_t now_ns);
    /* How it runs in a word: "timer". NULL: its name. */
    const char *(*label)(void *e);
    /* What the user should know of how it runs: a sentence for each call. */
    void (*notes)(void *e, void (*note)(void *arg, const char *sentence), void *arg);
    /* Whether the weights of its samples sum up to the CPU time of the process. */
    bool (*counts_cpu_time)(void *e);
    /* The calling thread belongs to wick and must not be sampled. */
    void (*exclude_self)(void *e);
};

/* A jdk.ActiveSetting of the type of event. */
void wick_engine_setting(struct wick_jfr_writer *w, uint64_t now_ns, enum wick_jfr_event_id of, const char *name,
                         const char *value);

/* The settings of an event whose interval follows the rate and is `interval` now. */
void wick_engine_rate_settings(struct wick_jfr_writer *w, uint64_t now_ns, enum wick_jfr_event_id of,
                               const struct wick_rate *rate, uint64_t interval);

#endif
