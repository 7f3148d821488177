/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engines.h - the engines of one recording as one: those of a table that the options ask for
 *
 * Threads: start, stop and release by the session's owner; the others under the session's lock, as engine.h says.
 * Memory:  the caller's struct; the engines' states by malloc, freed by _release.
 */
#ifndef WICK_ENGINE_SET_ENGINES_H
#define WICK_ENGINE_SET_ENGINES_H

#include "engine/engine.h"

enum { WICK_ENGINES_LABEL = 48 };

/* All engines of wick, in the order in which they start; ends with NULL. */
extern const struct wick_engine_ops *const wick_engine_table[];

struct wick_engine {
    const struct wick_engine_ops *ops;
    void *state;
};

struct wick_engines {
    struct wick_engine_host host;
    const struct wick_engine_ops *const *table;
    struct wick_engine *running; /* also stopped ones, until _release */
    uint32_t count;
    uint8_t of_type[WICK_EVENT_TYPES]; /* place in `running` + 1; 0 = no engine completes such events */
    uint32_t lost_before;              /* handlers that other recordings have lost */
    bool stopped;
};

/* Starts those of the table that the options of the host ask for. On failure nothing runs. */
int wick_engines_start(struct wick_engines *e, const struct wick_engine_ops *const *table,
                       const struct wick_engine_host *host, struct wick_err *err);

/* Stops all of them, the last one first; the recorder is quiet then. What they have finished can still be taken.
 * Nothing happens if they have been stopped. */
void wick_engines_stop(struct wick_engines *e);
void wick_engines_release(struct wick_engines *e);

/* Each operation of engine.h, for all that run. */
void wick_engines_take(struct wick_engines *e, struct wick_drain *d, enum wick_engine_take what);
void wick_engines_event(struct wick_engines *e, struct wick_drain *d, const struct wick_event *event);
void wick_engines_lost(struct wick_engines *e, const struct wick_event *event);
void wick_engines_moment(struct wick_engines *e);
void wick_engines_carry(struct wick_engines *e, const struct wick_tables *from, struct wick_tables *to);
void wick_engines_stats(struct wick_engines *e, struct wick_jfr_writer *w, uint64_t now_ns);
void wick_engines_status(struct wick_engines *e, struct wick_strbuf *out);
void wick_engines_settings(struct wick_engines *e, struct wick_jfr_writer *w, uint64_t now_ns);
void wick_engines_notes(struct wick_engines *e, void (*note)(void *arg, const char *sentence), void *arg);
void wick_engines_exclude_self(struct wick_engines *e);

/* A sentence for each of the options `given` (WICK_OPT_BIT) that only engines take which do not run. */
void wick_engines_unused(struct wick_engines *e, uint64_t given, void (*note)(void *arg, const char *sentence),
                         void *arg);

/* "perf", "timer+wall", "wall" ... */
const char *wick_engines_label(struct wick_engines *e, char buf[WICK_ENGINES_LABEL]);

/* Whether the weights of one engine's samples sum up to the CPU time of the process. */
bool wick_engines_count_cpu_time(struct wick_engines *e);

/* For each JFR event that stands for one event from a ring: its type + 1. */
void wick_engines_samples(const struct wick_engines *e, uint8_t sample[WICK_JFR_EVENT_COUNT]);

#endif
