/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer.h - turns events into a JFR recording that is complete on disk after every flush
 *
 * Use: open, write events as they come, flush each WICK_JFR_FLUSH_NS, close. Events name stacks, threads and methods by
 * ids of the caller's tables; at a flush the writer asks the caller (struct wick_jfr_source) for those that the chunk
 * does not have yet and writes them as one checkpoint, so every constant is written once a chunk and only if an event
 * refers to it. Ids of an event must stay resolvable until the next flush.
 *
 * Every event given to the writer is, at any instant, exactly one of: written (on disk), pending (until the next
 * flush), lost because memory ran out, lost because the output failed; `struct wick_jfr_stats` counts each.
 *
 * Threads: one thread at a time per writer. Not for signal handlers.
 * Memory:  malloc. The event buffer is bounded; the constants' tables are emptied by rotation, which
 *          `memory_limit_bytes` forces. Out of memory loses events and is counted, never more.
 */
#ifndef WICK_JFR_WRITER_WRITER_H
#define WICK_JFR_WRITER_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "jfr/format/schema.h"

struct wick_jfr_frame {
    uint32_t method; /* the source's method id */
    uint32_t line;   /* 0 = unknown */
    uint32_t bci;
    uint8_t kind; /* enum wick_frame_kind */
};

/* Strings are NUL-terminated bytes; modified UTF-8 as in class files is understood, anything else repaired. */
struct wick_jfr_method {
    const char *class_name; /* internal name, java/lang/String; for native code the library's file name; NULL = "" */
    const char *name;
    const char *signature; /* (Ljava/lang/String;)V; NULL: not a Java method */
    uint32_t modifiers;    /* JVM access flags of the method, and WICK_JFR_SYNCHRONIZED_BLOCKS */
    bool hidden;           /* the method is annotated @Hidden */
    bool class_hidden;     /* its class is a hidden class */
    uint8_t kind; /* of things that are no functions: STUB, BREAK or BOUNDARY of enum wick_frame_kind; else 0 */
};

struct wick_jfr_thread {
    const char *os_name; /* NULL = unknown */
    uint64_t os_tid;
    const char *java_name; /* NULL: not a Java thread */
    uint64_t java_tid;
    const char *group; /* name of the thread group, NULL = unknown */
};

/* What a thread was working on. NULL and "" = none. */
struct wick_jfr_context {
    const char *endpoint, *labels, *trace_id, *span_id;
};

/* The caller's tables. Called within _flush, _rotate, _close and, when the buffer is full, within a write. */
struct wick_jfr_source {
    void *arg;
    /* Writes the frames of a stack, leaf first, at most cap; returns how many; sets *truncated if there were more. */
    size_t (*stack)(void *arg, uint32_t stack_id, struct wick_jfr_frame *out, size_t cap, bool *truncated);
    /* Fills out; its strings are borrowed until the next call. Not 0: unknown method, shown as [unknown]. */
    int (*method)(void *arg, uint32_t method_id, struct wick_jfr_method *out);
    /* The same; not 0: a thread without names. */
    int (*thread)(void *arg, uint32_t thread_id, struct wick_jfr_thread *out);
    /* The same; NULL if the source has no contexts. */
    int (*context)(void *arg, uint32_t context_id, struct wick_jfr_context *out);
};

/* Where the bytes go (record/output.h is one). Functions return 0 or -WICK_E_*; they do not retry a full disk. */
struct wick_jfr_sink {
    void *arg;
    /* A chunk begins: makes a place for it and returns in *base the offset of its header. */
    int (*begin)(void *arg, uint64_t now_ns, uint64_t *base);
    /* Writes everything in iov at an offset. */
    int (*write)(void *arg, uint64_t offset, const struct iovec *iov, int iovcnt);
    /* Cuts what lies past an offset (after a failed write). */
    int (*truncate)(void *arg, uint64_t end);
    /* A flush is about to add so many bytes to the chunk: room for limits on the whole recording. */
    void (*reserve)(void *arg, uint64_t bytes, uint64_t now_ns);
    /* Each chunk is a file of its own, so each is marked as the last one of a recording. */
    bool split;
};

struct wick_jfr_writer;

struct wick_jfr_config {
    uint64_t start_mono_ns;  /* the recording's start on CLOCK_MONOTONIC */
    uint64_t start_epoch_ns; /* since 1970 UTC, if nothing else dates chunks; 0 = the machine's clock does */
    /* The wall clock's time at an instant of CLOCK_MONOTONIC that is just past, NULL = start_epoch_ns and what has
     * passed since, or the machine's clock: each chunk gets its own, since one of the two clocks may be set, and one
     * stands still while the machine is suspended. A chunk ends early when they have drifted apart by WICK_JFR_DRIFT_NS
     * since its start. */
    uint64_t (*epoch)(void *arg, uint64_t mono_ns);
    void *epoch_arg;
    uint64_t chunk_bytes;      /* rotate at this size; 0 = 64 MiB, at least 256 KiB */
    uint64_t chunk_ns;         /* rotate at this age; 0 = one hour, at least one second */
    size_t buffer_bytes;       /* encoded events kept until a flush; 0 = 1 MiB, at least 64 KiB */
    size_t memory_limit_bytes; /* rotate when the constants' tables reach this; 0 = 64 MiB, at least 1 MiB */
    uint64_t retry_ns;         /* after a failed write try again with a new chunk; 0 = 10 s, UINT64_MAX = never */
    uint32_t max_frames;       /* longest stack; 0 = 2048 */
    /* Not 0: the sink holds chunks of another writer already, and this is how many writers there were. The first
     * chunk's constants get numbers that neighbouring chunks have not (dense_ids.h). */
    unsigned chunks_before;
    /* Called at the start of each chunk, to write the events that every chunk needs to be read by itself (settings,
     * JVM, OS, CPU, libraries). May be NULL. */
    void (*chunk_begin)(void *arg, struct wick_jfr_writer *w, uint64_t now_ns);
    /* Called before a chunk that is full is closed: a last chance to write what belongs into it. May be NULL. */
    void (*chunk_end)(void *arg, struct wick_jfr_writer *w, uint64_t now_ns);
    void *chunk_arg;
};

/* Times older than a chunk's start by up to this much are kept exactly; older ones become the oldest. */
#define WICK_JFR_LATENESS_NS UINT64_C(1000000000)

#define WICK_JFR_DRIFT_NS UINT64_C(100000000)

/* How often a recording is flushed, and says that it is: what a reader that follows the file is behind. */
#define WICK_JFR_FLUSH_NS UINT64_C(1000000000)

/* One tick is a nanosecond: some readers take ticks for that whatever the chunk's header says. */
#define WICK_JFR_TICKS_PER_S UINT64_C(1000000000)

/* What events stand for: see wick_jfr_writer_weigh(). */
struct wick_jfr_weight {
    uint64_t samples, weight;
};

struct wick_jfr_stats {
    uint64_t written[WICK_JFR_EVENT_COUNT];     /* on disk */
    uint64_t pending[WICK_JFR_EVENT_COUNT];     /* in the buffer */
    uint64_t lost_output[WICK_JFR_EVENT_COUNT]; /* drop counter output_full */
    uint64_t lost_memory[WICK_JFR_EVENT_COUNT]; /* drop counter out_of_memory */
    /* what the pending ones and the lost ones stand for */
    struct wick_jfr_weight pending_weight[WICK_JFR_EVENT_COUNT];
    struct wick_jfr_weight lost_output_weight[WICK_JFR_EVENT_COUNT], lost_memory_weight[WICK_JFR_EVENT_COUNT];
    uint64_t bytes;                       /* written to the sink, headers included */
    uint64_t event_bytes, constant_bytes; /* of these: events; checkpoints */
    uint64_t chunks;                      /* begun */
    size_t memory_bytes;                  /* buffers and tables of the writer, now */
    int error;                            /* 0, or -WICK_E_* of the output while it is stopped */
};

enum wick_jfr_state {
#define X(NAME, id, jfr_name) WICK_JFR_STATE_##NAME = (id),
#include "def/thread_state.def"
#undef X
};

enum wick_jfr_sample_kind {
#define X(NAME, id, jfr_name) WICK_JFR_SAMPLE_##NAME = (id),
#include "def/sample_kind.def"
#undef X
};

/* Begins a recording in *out. The sink, the source and the config are copied; their arg pointers must outlive the
 * writer. Nothing is written before the first flush, but chunk_begin is called. 0, or -WICK_E_NOMEM. A sink that cannot
 * begin a chunk is not an error here: it shows in the stats and is tried again later. */
int wick_jfr_writer_open(struct wick_jfr_writer **out, const struct wick_jfr_sink *sink,
                         const struct wick_jfr_source *source, const struct wick_jfr_config *config);

/* Makes everything given so far part of the file, then rotates if the chunk is full or old. now_ns: CLOCK_MONOTONIC.
 * 0, -WICK_E_NOMEM, -WICK_E_NOSPACE or -WICK_E_IO; the recording goes on in every case. */
int wick_jfr_writer_flush(struct wick_jfr_writer *w, uint64_t now_ns);

/* Whether the next flush will probably fill the chunk, so that it should come now: pending events count with as many
 * bytes of constants as those before them needed. */
bool wick_jfr_writer_chunk_full(const struct wick_jfr_writer *w);

/* Flushes, then begins a new chunk: after this no id of the old chunk will be asked for. Returns as _flush. */
int wick_jfr_writer_rotate(struct wick_jfr_writer *w, uint64_t now_ns);

/* Flushes, marks the chunk as the last one and frees the writer. Returns as _flush. w may be NULL. If stats is not
 * NULL, it gets the final figures. */
int wick_jfr_writer_close(struct wick_jfr_writer *w, uint64_t now_ns, struct wick_jfr_stats *stats);

/* What each event stands for that is written from now on, so that the statistics know what was lost with it; nothing at
 * first. The weight is in the unit of the event's kind. Returns what it was so far: a callback of the writer that
 * writes events may interrupt another event. */
struct wick_jfr_weight wick_jfr_writer_weigh(struct wick_jfr_writer *w, struct wick_jfr_weight each);

/* The figures now. */
void wick_jfr_writer_stats(const struct wick_jfr_writer *w, struct wick_jfr_stats *out);

/* C types of the kinds of fields. */
#define X(K, ctype, ...) typedef ctype wick_jfr_kind_##K;
#include "def/jfr_kind.def"
#undef X

/* For each event of def/event.def:
 *     struct wick_jfr_<name>            its fields, in the order and with the units of the list
 *     wick_jfr_write_<name>(w, &event)  gives it to the writer: 0, or -WICK_E_NOMEM / the output's error if it was
 *                                       lost, which is counted; strings are copied
 */
#define EVENT(N, n, ...)         struct wick_jfr_##n {
#define FIELD(N, K, member, ...) wick_jfr_kind_##K member;
#define EXTRA(...)
#define END(N, n) \
    }             \
    ;             \
    int wick_jfr_write_##n(struct wick_jfr_writer *w, const struct wick_jfr_##n *event);
#include "def/event.def"
#undef EVENT
#undef FIELD
#undef EXTRA
#undef END

#endif
