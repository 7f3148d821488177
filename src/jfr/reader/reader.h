/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader.h - reads JFR recordings into a profile
 *
 * Reads chunks of version 2.x (the JDK's 2.1, async-profiler's 2.0, wick's own), any number of them one after another.
 * The layout of events and constants is taken from each chunk's own metadata by field name; types and fields nobody
 * asked for are stepped over. Samples are handed out one by one with thread, stack and state already interned in the
 * profile; other events are available by type name.
 *
 * A damaged recording is read as far as it makes sense: a chunk that was not closed, or was cut, is searched for the
 * metadata and constants that did reach the disk. What was lost is in `struct wick_jfr_result`, never silent.
 *
 * Samples known: those of the table in reader_sample.c: the JDK's, async-profiler's (profiler.*), Datadog's and wick's.
 * wick.PerfSample is one event type of the profile for each perf event; the JDK's two events for allocations inside and
 * outside of thread-local buffers are one, jdk.ObjectAllocation. The class of an object or lock is the label "object".
 * Weights:
 *   - of allocations and live objects bytes, where the event says how many; of locks, parking and I/O the duration;
 *   - a time span in the event (weight, samplingPeriod), in whatever unit the metadata says;
 *   - profiler.WallClockSample without a weight: its time span is that between its first and last sample, so one
 *     interval is added;
 *   - otherwise count times the period from jdk.ActiveSetting; without one the weight is the count, and the event
 *     type's unit WICK_UNIT_COUNT.
 * What is alive is recorded as of several moments (events with the field "snapshot"): only the last one that the filter
 * lets through counts.
 * async-profiler writes unbatched wall samples as jdk.ExecutionSample with a state other than STATE_DEFAULT: they
 * become an event type of their own (kind WALL). A sample without a stack gets the one-frame stack "[no stack]", one
 * whose stack cannot be found or read "[lost stack]", and a stack cut at its root begins with the frame "[truncated]";
 * these frames are of kind WICK_FRAME_BREAK.
 *
 * Threads: one reader per profile at a time.
 * Memory:  a file is mapped and pages already read are given back; of a pipe the chunk that is not complete is kept;
 * per chunk about 16 bytes for each constant of the pools in use, freed with the chunk. Nothing is kept for an event.
 */
#ifndef WICK_JFR_READER_READER_H
#define WICK_JFR_READER_READER_H

#include "base/err.h"
#include "model/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wick_jfr_result {
    bool is_jfr;                      /* the input was a recording; other formats' readers leave it false */
    bool unfinished;                  /* wick's, and its end was never written: its last chunk is not marked as that */
    uint64_t chunks, events, samples; /* read; events of all types, samples before the filter */
    uint64_t filtered;                /* samples the filter left out */
    uint64_t unresolved;              /* samples whose stack constant was missing or malformed */
    uint64_t problems;                /* places where the input was malformed */
    uint64_t lost_bytes;              /* bytes of the input in which no events could be found */
    uint64_t first_offset;            /* where the first problem is, from the start of the input */
    char first[160];                  /* and what it is; "" = no problem */
    char note[200];                   /* what is no damage but should be known of the input; "" = nothing */
};

/* One event that `want` asked for; valid during the call. */
struct wick_jfr_event {
    const char *type;    /* "jdk.ActiveSetting" */
    int64_t type_id;     /* the chunk's number for this type */
    int64_t time_ns;     /* startTime since 1970 UTC, 0 = the event has none */
    int64_t duration_ns; /* 0 = the event has none */
    uint64_t offset;     /* of the event, from the start of the input */
    uint32_t nfields;
    struct wick_jfr_reader *reader; /* private */
};

/* What the reader calls back. Everything may be NULL. */
struct wick_jfr_visitor {
    void *ctx;
    /* Every sample that passed the filter. NULL = wick_profile_add() to the profile. */
    void (*sample)(void *ctx, const struct wick_sample *s);
    /* Every sample that the filter's time left out. */
    void (*outside)(void *ctx, enum wick_event_kind kind);
    /* Asked once per chunk for each type in its metadata. */
    bool (*want)(void *ctx, const char *type);
    /* Every event of such a type, in the order of the file. */
    void (*event)(void *ctx, const struct wick_jfr_event *e);
    struct wick_filter filter;
};

/* Reads a file into p (initialised, may already hold other inputs); path "-" = standard input. v and res may be NULL;
 * res is set in any case. 0 if at least one chunk could be read, even if damaged: check res. Otherwise -WICK_E_IO,
 * _NOTFOUND, _PERM, _FORMAT (no JFR) or _NOMEM, with a message. A regular file must not be shortened while it is
 * open. */
int wick_jfr_read_file(struct wick_profile *p, const char *path, const struct wick_jfr_visitor *v,
                       struct wick_jfr_result *res, struct wick_err *err);

/* The same from memory (borrowed during the call). */
int wick_jfr_read_memory(struct wick_profile *p, const void *data, size_t size, const struct wick_jfr_visitor *v,
                         struct wick_jfr_result *res, struct wick_err *err);

/* A recording that comes bit by bit, or grows: what is complete of it is in the profile, or has been handed out, when a
 * call returns. Nothing is read twice. p, v and res are borrowed until _free; v and res may be NULL. NULL = no memory.
 */
struct wick_jfr_reader *wick_jfr_reader_new(struct wick_profile *p, const struct wick_jfr_visitor *v,
                                            struct wick_jfr_result *res);
void wick_jfr_reader_free(struct wick_jfr_reader *r);

/* The next bytes of the input, in pieces of any size. Memory is needed for the chunk that is not complete yet. 0,
 * -WICK_E_FORMAT (no JFR) or _NOMEM with a message. */
int wick_jfr_reader_feed(struct wick_jfr_reader *r, const void *data, size_t size, struct wick_err *err);

/* Instead of feeding: reads what is complete by now of a file that is still being written. fd is borrowed until _free,
 * and always the same. 0, also if nothing is new; -WICK_E_FORMAT (no JFR, or the file was replaced by a shorter one),
 * _USAGE (no regular file), _IO or _NOMEM with a message. */
int wick_jfr_reader_follow(struct wick_jfr_reader *r, int fd, struct wick_err *err);

/* The same, but stops between two events when the monotonic clock passes until_ns (0 = never), though never before some
 * of what is new has been read. *more: it stopped for that, and the next call goes on. What has to be searched, which
 * is the damaged chunk in the middle of a file, is read at once. */
int wick_jfr_reader_follow_until(struct wick_jfr_reader *r, int fd, uint64_t until_ns, bool *more,
                                 struct wick_err *err);

/* How many bytes of the input have been read. */
uint64_t wick_jfr_reader_position(const struct wick_jfr_reader *r);

/* Whether the file that is followed still begins as it did. Another recording may have been written into it: then it
 * cannot be gone on with. */
bool wick_jfr_reader_is_same(const struct wick_jfr_reader *r);

/* What was alive at the last moment that was recorded, which is handed out at the end only: all of it. */
void wick_jfr_reader_moments(const struct wick_jfr_reader *r, void (*sample)(void *ctx, const struct wick_sample *s),
                             void *ctx);

/* About how much memory a reader takes. */
uint64_t wick_jfr_reader_bytes(const struct wick_jfr_reader *r);

/* No more will come: what is left is read as of a recording that was cut off there. Returns as wick_jfr_read_file. */
int wick_jfr_reader_end(struct wick_jfr_reader *r, struct wick_err *err);

/* The time that the chunks' headers of a file say they cover, in ns since 1970: widens *start and *end, which are 0 at
 * first. Nothing but headers is read; a chunk that was not closed counts as far as its header knows. -WICK_E_IO,
 * _NOTFOUND, _PERM, _FORMAT (no recording, or a pipe). */
int wick_jfr_span(const char *path, int64_t *start_ns, int64_t *end_ns, struct wick_err *err);

/* True if the bytes begin as a JFR recording does. */
bool wick_jfr_is_recording(const void *data, size_t size);

/* A number or boolean: false if there is no such field or it is neither. Time spans come in nanoseconds, points in
 * time in nanoseconds since 1970; everything else as recorded. */
bool wick_jfr_event_int(const struct wick_jfr_event *e, const char *field, int64_t *out);
bool wick_jfr_event_double(const struct wick_jfr_event *e, const char *field, double *out);

/* A string, or the text of a constant with a name (class, symbol, thread, thread state, GC cause ...), as a string
 * number of the profile: false if there is no such field, it is no text or it is null. */
bool wick_jfr_event_text(const struct wick_jfr_event *e, const char *field, uint32_t *out);

/* The thread or stack of a field, as a number in the profile; 0 if there is none. */
uint32_t wick_jfr_event_thread(const struct wick_jfr_event *e, const char *field);
uint32_t wick_jfr_event_stack(const struct wick_jfr_event *e, const char *field);

#endif
