/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drain.h - from the rings to the recording
 *
 * Everything slow happens here, in one ordinary thread: names are resolved, events encoded, files written, tables
 * replaced when they are full. Sampling never waits for it; when a ring is full, the sample is a counted drop.
 *
 * A new generation of tables: the old one is swapped out and no handler uses it any more; the rings may hold events of
 * both, so those of the new one are held back until all of the old one are written and its chunk is closed (ids mean
 * something else afterwards).
 *
 * Threads: one at a time (the session's lock).
 * Memory:  malloc.
 */
#ifndef WICK_RECORD_DRAIN_H
#define WICK_RECORD_DRAIN_H

#include "base/strbuf.h"
#include "jfr/writer/writer.h"
#include "record/contexts.h"
#include "record/names.h"
#include "record/output.h"
#include "record/recorder.h"

/* What the drain needs from its callers. */
struct wick_drain;
struct wick_drain_host {
    void *arg;
    /* Names of the thread with that serial number; not 0: unknown. Strings live until the next call. */
    int (*thread)(void *arg, uint32_t serial, struct wick_jfr_thread *out);
    /* The number by which _.thread knows it under the name that it had at that time. NULL: its serial number. */
    uint32_t (*named)(void *arg, uint32_t serial, uint64_t time_ns);
    /* An event came out of a ring: write it. Its stack is valid during the call. */
    void (*event)(void *arg, struct wick_drain *d, const struct wick_event *e);
    /* An event will never be written: give back what it refers to. */
    void (*lost)(void *arg, const struct wick_event *e);
    /* A chunk was closed: names of threads that have ended may be forgotten. */
    void (*chunk_end)(void *arg);
    /* A chunk begins: write the events that describe the recording. */
    void (*chunk_begin)(void *arg, struct wick_jfr_writer *w, uint64_t now_ns);
    /* Hands over events that do not pass through the rings (wick_drain_put); all: also those that are still growing,
     * because a chunk or a generation ends. May be NULL. */
    void (*more)(void *arg, struct wick_drain *d, bool all);
    /* The tables are replaced: what holds on to stacks has them carried over (carry.h). May be NULL. */
    void (*carry)(void *arg, const struct wick_tables *from, struct wick_tables *to);
};

enum { WICK_WAIT_CACHE = 1 << 10 };

struct wick_drain_config {
    uint64_t start_ns;          /* of the recording, CLOCK_MONOTONIC: before the first event */
    struct wick_labels *labels; /* whose spans are written; NULL = none */
    uint64_t chunk_bytes, chunk_ns;
    size_t memory_limit;
    uint32_t max_frames;
    unsigned resumed; /* the output holds so many recordings of this process already; 0 = it is empty */
    bool cpu_time;    /* samples that are not of the wall clock weigh CPU time, not occurrences of an event */
    /* for each JFR event: the enum wick_event_type that one stands for + 1; 0 = for no event from a ring */
    uint8_t sample[WICK_JFR_EVENT_COUNT];
    bool from_birth; /* samples stand for CPU time from the start of the process on */
};

struct wick_drain {
    struct wick_recorder *recorder;
    struct wick_elf_images *images;
    struct wick_names *names;
    struct wick_output *output;
    struct wick_jfr_writer *writer;
    struct wick_drain_host host;
    uint8_t sample[WICK_JFR_EVENT_COUNT]; /* see wick_drain_config */
    struct wick_tables *tables;           /* the generation whose events are being written */
    struct wick_event *held;              /* events of the next generation */
    size_t held_count, held_cap;
    struct wick_jfr_weight held_lost[WICK_EVENT_TYPES];
    struct wick_strbuf class_name, method_name, signature; /* of the method last asked for */
    struct {
        uint32_t stack;
        uint8_t state;
    } waits[WICK_WAIT_CACHE]; /* by stack of the present generation: what a thread there waits for */
    uint64_t generations;
    uint64_t last_cpu_ns, last_wall_ns, last_user_ns; /* for jdk.CPULoad */
    uint64_t machine_busy, machine_total;
    uint64_t process_start_ns;  /* CPU clock of the process at the start */
    bool cpu_time;              /* see wick_drain_config */
    struct wick_labels *labels; /* NULL = none */
    struct wick_labels_totals labels_base;
    struct wick_context_words words; /* of the context last asked for */
};

/* Begins the recording. Takes the output over on success. */
int wick_drain_open(struct wick_drain *d, struct wick_recorder *r, struct wick_elf_images *images,
                    struct wick_output *out, const struct wick_drain_host *host, const struct wick_drain_config *c,
                    struct wick_err *err);

/* One event that did not pass through a ring. */
void wick_drain_put(struct wick_drain *d, const struct wick_event *e);

/* Writes all that is known so far, growing events included: for a dump. Returns as _flush. */
int wick_drain_flush_all(struct wick_drain *d, uint64_t now_ns);

/* Moves what the rings hold to the writer, until they are empty or the chunk is full. Returns the number of events. */
size_t wick_drain_round(struct wick_drain *d);

/* Writes what was taken so far to the file, with the profiler's own figures, a round before it; replaces tables that
 * are nearly full. About once a second. 0 or the output's error. */
int wick_drain_flush(struct wick_drain *d, uint64_t now_ns);

/* Whether a flush should come before its time, because it will fill the chunk. */
bool wick_drain_chunk_full(const struct wick_drain *d);

/* The recorder's totals, samples that were lost behind the rings taken from the recorded ones, with their weight. */
void wick_drain_totals(const struct wick_drain *d, struct wick_totals *out);

/* The stack of an event that is being reported, as text: a line for each frame with its number, its pc and its name.
 * `pc` is that of the leaf, which a Java frame does not know. */
void wick_drain_stack_text(struct wick_drain *d, uint32_t stack, uint64_t pc, struct wick_strbuf *out);

/* What a thread with this stack of the present generation waits for (enum wick_jfr_state), 0 = the stack does not show
 * it. */
unsigned wick_drain_wait_state(struct wick_drain *d, uint32_t stack);

/* The name of the native function that holds pc, valid until the next chunk. */
const char *wick_drain_symbol(struct wick_drain *d, uint64_t pc);

/* Ends the recording: the recorder must be quiet. Both outputs may be NULL. */
int wick_drain_close(struct wick_drain *d, uint64_t now_ns, struct wick_totals *sum, struct wick_jfr_stats *stats);

#endif
