/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader_int.h - what the files of the JFR reader share (not for other modules)
 *
 *     reader_input.c    files, memory, streams, files that grow -> chunks, whole or so far
 *     reader.c          chunks, in one part or several; the walk over events
 *     reader_meta.c     metadata event -> types and fields
 *     reader_plan.c     types -> decoding plans; stepping over values
 *     reader_pool.c     checkpoints -> constant pools, found by key
 *     reader_const.c    constants -> strings, functions, threads, stacks of the profile
 *     reader_sample.c   events -> samples
 *     reader_run.c      many events of one type at once
 *     reader_event.c    events -> generic field access
 *
 * Trust: nothing read from the file is believed. Every position goes through a cursor with an end; every count is
 * checked against the bytes left before anything is allocated or repeated for it; type graphs are cut at MAX_DEPTH; a
 * value that takes no bytes is dropped from its type, so that every step of every loop consumes input.
 *
 * Memory:  everything hangs on struct wick_jfr_reader; what belongs to a chunk is released with it.
 */
#ifndef WICK_JFR_READER_READER_INT_H
#define WICK_JFR_READER_READER_INT_H

#include "base/leb128.h"
#include "base/strbuf.h"
#include "jfr/reader/reader.h"
#include "model/hash.h"

#include <string.h>

#define WICK_JFR_HEADER_BYTES 68u
#define WICK_JFR_RELEASE_STEP ((size_t)4 << 20) /* a walk gives so much back at a time */
#define WICK_JFR_MAX_DEPTH    16u               /* nesting of inline values; real files need 3 */
#define WICK_JFR_NONE         UINT32_MAX

/* --- cursor: on any malformed read `bad` is set and the cursor stands at its end, so loops end --- */

struct wick_jfr_cur {
    const uint8_t *p, *end;
    bool bad;
};

static inline void wick_jfr_cur_fail(struct wick_jfr_cur *c)
{
    c->bad = true;
    c->p = c->end;
}

static inline size_t wick_jfr_cur_left(const struct wick_jfr_cur *c)
{
    return (size_t)(c->end - c->p);
}

#define WICK_JFR_HIGH_BITS 0x8080808080808080u
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the word-wise integer decoding below");

/* A compressed integer. One byte is the common case; longer ones are taken from one 8-byte load by squeezing the 7-bit
 * groups together pairwise, which is faster than a loop for the long ones (time stamps). */
static inline uint64_t wick_jfr_squeeze(uint64_t w)
{
    w &= ~WICK_JFR_HIGH_BITS;
    w = (w & 0x7f007f007f007f00u) >> 1 | (w & 0x007f007f007f007fu);
    w = (w & 0x3fff00003fff0000u) >> 2 | (w & 0x00003fff00003fffu);
    return (w & 0x0fffffff00000000u) >> 4 | (w & 0x000000000fffffffu);
}

static inline uint64_t wick_jfr_cur_int(struct wick_jfr_cur *c)
{
    const uint8_t *p = c->p;
    if (__builtin_expect(p < c->end && *p < 0x80, 1)) {
        c->p = p + 1;
        return *p;
    }
    if (__builtin_expect(wick_jfr_cur_left(c) >= 9, 1)) {
        uint64_t w, top = 0;
        memcpy(&w, p, 8);
        uint64_t stop = ~w & WICK_JFR_HIGH_BITS;
        if (stop) {
            w &= stop ^ (stop - 1);
            c->p = p + ((unsigned)__builtin_ctzll(stop) >> 3) + 1;
        } else {
            top = (uint64_t)p[8] << 56;
            c->p = p + 9;
        }
        return wick_jfr_squeeze(w) | top;
    }
    uint64_t v = wick_leb128_jfr_read(&p, c->end);
    if (!p) {
        wick_jfr_cur_fail(c);
        return 0;
    }
    c->p = p;
    return v;
}

static inline uint8_t wick_jfr_cur_byte(struct wick_jfr_cur *c)
{
    if (c->p >= c->end) {
        c->bad = true;
        return 0;
    }
    return *c->p++;
}

static inline void wick_jfr_cur_skip(struct wick_jfr_cur *c, uint64_t n)
{
    if (n > wick_jfr_cur_left(c))
        wick_jfr_cur_fail(c);
    else
        c->p += n;
}

/* Steps over n compressed integers, several at a time. */
void wick_jfr_cur_skip_ints(struct wick_jfr_cur *c, uint64_t n);

/* --- metadata --- */

enum wick_jfr_prim {
    WICK_JFR_STRUCT,
    WICK_JFR_BOOLEAN,
    WICK_JFR_BYTE,
    WICK_JFR_CHAR,
    WICK_JFR_SHORT,
    WICK_JFR_INT,
    WICK_JFR_LONG,
    WICK_JFR_FLOAT,
    WICK_JFR_DOUBLE,
    WICK_JFR_STRING,
};

/* True if values are integers in JFR's variable-length form. */
static inline bool wick_jfr_prim_is_compressed(unsigned prim)
{
    return prim == WICK_JFR_CHAR || prim == WICK_JFR_SHORT || prim == WICK_JFR_INT || prim == WICK_JFR_LONG;
}

enum wick_jfr_unit {
    WICK_JFR_PLAIN,
    WICK_JFR_SPAN_TICKS, /* time spans */
    WICK_JFR_SPAN_NS,
    WICK_JFR_SPAN_US,
    WICK_JFR_SPAN_MS,
    WICK_JFR_SPAN_S,
    WICK_JFR_AT_TICKS, /* points in time */
    WICK_JFR_AT_EPOCH_MS,
    WICK_JFR_BYTES,
};

struct wick_jfr_field {
    uint32_t name;   /* offset in meta.text */
    uint32_t type;   /* number of the type, WICK_JFR_NONE = not in the metadata */
    int64_t type_id; /* as in the file */
    bool pooled;     /* the value is a key into the type's constant pool */
    bool array;      /* a count and that many values */
    uint8_t unit;    /* enum wick_jfr_unit */
};

enum wick_jfr_check { WICK_JFR_UNCHECKED, WICK_JFR_CHECKING, WICK_JFR_GOOD, WICK_JFR_BAD };

struct wick_jfr_type {
    int64_t id;
    uint32_t name; /* offset in meta.text */
    uint32_t first_field, nfields;
    uint32_t min_bytes; /* least size of a value; 0 = values take no room at all */
    uint32_t pool;      /* number of its constant pool, WICK_JFR_NONE = none */
    uint32_t handler;   /* events: number of its handler, WICK_JFR_NONE = not wanted */
    uint8_t prim;       /* enum wick_jfr_prim */
    uint8_t check;      /* enum wick_jfr_check: BAD = cannot be stepped over */
    uint8_t depth;      /* nesting of inline structs */
    bool is_event;
    bool marked; /* its fields' constants have their pools */
};

struct wick_jfr_meta {
    struct wick_strbuf text; /* NUL-terminated strings one after another */
    uint32_t *strings;       /* metadata string number -> offset in text */
    struct wick_jfr_type *types;
    struct wick_jfr_field *fields; /* those of a type stand together */
    struct wick_jfr_note *notes;   /* annotations of fields, only while parsing */
    uint32_t nstrings, ntypes, nfields, nnotes;
    uint32_t cap_strings, cap_types, cap_fields, cap_notes;
    struct wick_index by_id;
    bool broken;          /* some of it could not be read */
    uint32_t dense[4096]; /* type number + 1 of ids below 4096, for the walk over events; 0 = none */
};

/* --- plans --- */

enum wick_jfr_op_code {
    WICK_JFR_OP_SKIP_INTS,  /* n compressed integers */
    WICK_JFR_OP_SKIP_BYTES, /* n bytes */
    WICK_JFR_OP_SKIP_FIELD, /* anything else: field number n */
    WICK_JFR_OP_INT,        /* compressed integer -> slot; n = sign bits to drop (32 for int, 48 for short) */
    WICK_JFR_OP_BYTE,
    WICK_JFR_OP_FLOAT,
    WICK_JFR_OP_DOUBLE,
    WICK_JFR_OP_PLACE,      /* where field number n begins (offset in the chunk) -> slot, then skip it */
    WICK_JFR_OP_LAST_PLACE, /* the same for the last step of a plan: nothing after it, so no need to skip */
};

struct wick_jfr_op {
    uint8_t code, slot;
    uint32_t n;
};

#define WICK_JFR_SLOTS 14

/* How to get the values of some fields of a type in one pass. The fields after the last one needed are not read. */
struct wick_jfr_plan {
    struct wick_jfr_op *ops;
    uint32_t nops;
    bool only_ints;                 /* all steps are OP_INT or OP_SKIP_INTS */
    uint32_t field[WICK_JFR_SLOTS]; /* slot -> field number, WICK_JFR_NONE = the type has no such field */
};

union wick_jfr_slot {
    int64_t i;
    double d;
    uint64_t place;
};

/* --- constant pools --- */

enum wick_jfr_role { /* what the constants of a pool have been turned into; one role for each pool */
                     WICK_JFR_ROLE_NONE,
                     WICK_JFR_ROLE_TEXT,
                     WICK_JFR_ROLE_FUNCTION,
                     WICK_JFR_ROLE_STACK,
                     WICK_JFR_ROLE_THREAD,
                     WICK_JFR_ROLE_STATE,
                     WICK_JFR_ROLE_KIND,
                     WICK_JFR_ROLE_LABELS,
};

/* A constant: where it is in the chunk, or, once it was needed, its number in the profile with the top bit set. */
#define WICK_JFR_RESOLVED ((uint64_t)1 << 63)

struct wick_jfr_entry {
    uint64_t key, val; /* val 0 = free slot */
};

struct wick_jfr_pool {
    uint32_t type;
    uint8_t role;
    bool built, planned;
    struct wick_jfr_plan plan;      /* by role */
    struct wick_jfr_plan item;      /* stacks: of a frame */
    struct wick_jfr_entry *entries; /* while indexing: in order */
    uint64_t n, cap;
    struct wick_jfr_entry *table; /* afterwards: hash slots, or */
    uint64_t *direct;             /* val by key - min_key where keys are dense */
    uint64_t min_key, ndirect;
    uint64_t mask;    /* hash slots - 1 */
    uint64_t total;   /* constants indexed */
    uint64_t *places; /* cutting: as val was at first, by slot of `direct` or `table`; with WICK_JFR_NEEDED */
};

#define WICK_JFR_NEEDED ((uint64_t)1 << 63)

/* --- event handlers --- */

enum wick_jfr_slot_name {
    WICK_JFR_START,
    WICK_JFR_DURATION,
    WICK_JFR_THREAD,
    WICK_JFR_STACK,
    WICK_JFR_STATE,
    WICK_JFR_WEIGHT,
    WICK_JFR_COUNT,
    WICK_JFR_NAME,
    WICK_JFR_CLASS,
    WICK_JFR_FACTOR,
    WICK_JFR_CONTEXT,
    WICK_JFR_SIZE,
    WICK_JFR_AGE,
    WICK_JFR_SLOT_NAMES
};
_Static_assert(WICK_JFR_SLOT_NAMES <= WICK_JFR_SLOTS, "a plan has room for all");

/* What samples of one stack add up to. */
struct wick_jfr_sum {
    int64_t weight; /* 0 where all samples weigh the same */
    uint64_t count;
};

struct wick_jfr_handler {
    uint32_t type;
    uint32_t stack_type, thread_type, state_type, context_type; /* of its fields, WICK_JFR_NONE = no such field */
    bool wanted;                                                /* the visitor takes it */
    bool setting;                                               /* jdk.ActiveSetting */
    const struct wick_jfr_sample_type *sample;                  /* NULL = no sample */
    uint8_t kind;                                               /* its enum wick_event_kind */
    struct wick_jfr_plan plan;
    /* Samples only. */
    bool has_start, has_duration;                   /* fields */
    bool of_moment;                                 /* reader_moment.c */
    bool weighs;                                    /* the weight is that field's value, not a count */
    uint8_t start_unit, duration_unit, weight_unit; /* enum wick_jfr_unit */
    bool weight_is_float;
    bool has_size, has_age;    /* fields, and asked for */
    bool exchanged;            /* the larger of size and weight is the weight */
    bool between;              /* the weight is the span between samples: one interval is missing */
    int64_t period;            /* from the settings, 0 = unknown */
    uint16_t event;            /* in the profile; 0 = not yet known */
    uint16_t event_wall;       /* unbatched wall samples of async-profiler */
    bool may_be_wall;          /* and where the state identifies these ... */
    uint64_t cpu_state;        /* ... the key of one seen that says they are not; 0 = none yet */
    bool may_sum;              /* samples can be summed by stack; there is no table yet */
    int64_t same_weight;       /* what every sample weighs, -1 = the events say */
    bool may_run;              /* samples in a row can be counted together (reader_run.c) ... */
    bool run_state;            /* ... with the state behind the key of the stack ... */
    uint32_t run_before;       /* ... and so many integers before it */
    struct wick_jfr_sum *sums; /* by key of the stack - min_key of its pool; NULL = samples are added one by one */
    uint32_t event_name;       /* events that are distinguished by name: string number `event` is for */
};

/* A frame as it stands in the file, and what it is in the profile. */
struct wick_jfr_frame_memo {
    uint64_t method, kind, place; /* place: line and bytecode index */
    uint32_t frame;
    uint32_t round; /* the reader's memo_round then; 0 = free */
};

/* A frame of up to eight bytes and what it is in the profile. Most are so short, and need not be decoded to be known.
 */
struct wick_jfr_short_frame {
    uint64_t bytes; /* those of fields that count */
    uint32_t frame;
    uint32_t round; /* as above */
};

#define WICK_JFR_MEMO_MIN 1024u
#define WICK_JFR_MEMO_MAX 131072u

struct wick_jfr_reader;

/* What is done with a chunk instead of reading it (jfr/cut). */
struct wick_jfr_instead {
    void (*chunk)(struct wick_jfr_reader *r); /* its metadata, constants and handlers are known */
    bool settings;                            /* it needs those that hold for the chunk */
};

struct wick_jfr_reader {
    struct wick_profile *p;
    const struct wick_jfr_visitor *v;
    struct wick_jfr_result *res;
    struct wick_jfr_instead *instead; /* of reading; NULL = read */
    size_t released;                  /* up to where, in the input, the walk has given pages back */
    bool mapped;                      /* `base` is in a mapping that holds all pages of the chunk, in units of 64 KiB */
    bool nomem;
    bool whole_samples; /* a callback sees every sample: time and thread are needed even if not for the sums */

    /* Where input comes from (reader_input.c). */
    struct wick_strbuf held; /* fed, from the chunk that is not complete yet on */
    uint64_t at;             /* how much of the input is done with */
    int fd;                  /* the file that is followed, -1 = none */
    int64_t began_ns;        /* by the first header of that file; 0 = it was not read yet */
    bool astray;             /* between chunks where none begins */
    struct wick_jfr_result own_result;

    /* The chunk. Positions in it count from its header. */
    const uint8_t *base;
    uint64_t base_offset;                  /* in the input */
    size_t len;                            /* up to where it is read */
    size_t left;                           /* how much of the input there is from here on */
    bool open;                             /* a part of it was read */
    bool unreadable;                       /* and the rest cannot be */
    uint64_t done, settings_from, indexed; /* events and settings up to there; the last checkpoint indexed, 0 = none */
    uint64_t pause_ns;                     /* when to stop between two events, by the monotonic clock; 0 = never */
    uint64_t look_at;                      /* the position from which on the clock is read; UINT64_MAX = never */
    bool paused;                           /* events were left, from `done` on */
    uint64_t loaded_at;                    /* the metadata in use, 0 = none */
    uint32_t memo_round;                   /* counts chunks and metadata: what frames known by their bytes are of */
    uint64_t checkpoint_at, metadata_at;
    int64_t start_ns, start_ticks;
    uint64_t duration_ns;
    unsigned __int128 tick_mult; /* ns = ticks * tick_mult >> 64 */
    struct wick_jfr_meta meta;
    struct wick_jfr_pool *pools;
    struct wick_jfr_handler *handlers;
    uint64_t *checkpoints; /* positions, last first */
    uint64_t sums_left;    /* how many sums may still be made in this chunk */
    uint32_t npools, nhandlers, ncheckpoints, cap_pools, cap_handlers, cap_checkpoints;
    uint32_t string_type; /* java.lang.String, WICK_JFR_NONE = not declared */
    uint32_t thread_type;
    bool needs_settings;

    /* async-profiler's settings, known by "interval" where the JDK says "period". */
    bool perf_engine, wall_engine; /* event is a hardware or kernel event; event is wall */
    uint32_t interval_handler;     /* handler the interval is for, WICK_JFR_NONE = another program's recording */
    uint32_t state_default;        /* string number of "STATE_DEFAULT", 0 = another program's recording */
    int64_t wall_period;           /* ns, 0 = unknown */
    bool settings_here;            /* the chunk has settings of its own */
    struct wick_jfr_ap_settings {
        const struct wick_jfr_sample_type *sample; /* the interval's, NULL = there were none */
        int64_t type_id, period, wall_period;
        bool perf_engine, wall_engine;
    } last; /* of async-profiler, in an earlier chunk: it writes them into a recording's first only */

    /* Samples of the last moment that was seen, of objects and of native memory (reader_moment.c). */
    struct wick_jfr_moment {
        struct wick_sample *samples;
        uint32_t n, cap;
        int64_t time_ns;
    } moments[2];

    /* Scratch, kept from chunk to chunk. */
    struct wick_strbuf tmp;
    struct wick_jfr_frame_memo *memo;          /* the frames decoded last, by hash; kept from chunk to chunk */
    struct wick_jfr_short_frame *short_frames; /* the same for frames of few bytes, by their bytes */
    size_t memo_mask;                          /* how many of each, minus 1: a power of two that grows with the file */
    uint32_t *frames;                          /* a stack being built */
    uint32_t cap_frames;
    uint64_t *places; /* generic access: where each field of the current event begins */
    uint32_t cap_places;
    const struct wick_jfr_type *event_type;
    struct wick_jfr_cur event_cur;
    uint32_t no_stack, lost_stack; /* 0 = not yet made */
    uint32_t truncated_frame, object_key;
};

/* An event of the chunk. */
struct wick_jfr_place {
    uint64_t at, size;
    int64_t type;
    const uint8_t *type_end;
    struct wick_jfr_cur cur; /* behind the type */
};

/* reader.c */
/* From e = WICK_JFR_FIRST on, the next event at each call: the one at e->at + e->size. False at the end, or where no
 * event can begin; then e->at is where. */
#define WICK_JFR_FIRST              \
    {                               \
        .at = WICK_JFR_HEADER_BYTES \
    }
bool wick_jfr_next_event(struct wick_jfr_reader *r, struct wick_jfr_place *e);
/* After the last event: whether the chunk ends here; otherwise a problem is noted. */
void wick_jfr_events_end(struct wick_jfr_reader *r, const struct wick_jfr_place *e);
struct wick_jfr_handler *wick_jfr_handler_of(struct wick_jfr_reader *r, int64_t type_id);

/* What a chunk's header says that it is. */
struct wick_jfr_extent {
    uint64_t size, checkpoint, metadata, duration_ns;
    int64_t start_ns;
};
struct wick_jfr_extent wick_jfr_extent_of(const uint8_t *header);
/* Whether all of the chunk is within `len` bytes, by a header that can be believed in this. */
bool wick_jfr_is_sized(const uint8_t *header, size_t len);

/* Reads the chunk at r->base, or what was not read of it before; nothing will be added to it. r->len: in, what the
 * input holds from there, out, how much of it the chunk took. */
void wick_jfr_read_chunk(struct wick_jfr_reader *r);
/* The same of a chunk that may grow: what its header says is complete, out of the r->len bytes that are there. */
void wick_jfr_read_so_far(struct wick_jfr_reader *r);

/* reader_input.c */
/* Reads a file, or does with its chunks what is said instead. */
int wick_jfr_each_chunk_of_file(struct wick_profile *p, const char *path, const struct wick_jfr_visitor *v,
                                struct wick_jfr_instead *instead, struct wick_jfr_result *res, struct wick_err *err);
int wick_jfr_each_chunk_of_memory(struct wick_profile *p, const void *data, size_t size,
                                  const struct wick_jfr_visitor *v, struct wick_jfr_instead *instead,
                                  struct wick_jfr_result *res, struct wick_err *err);
void wick_jfr_problem(struct wick_jfr_reader *r, uint64_t at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));                                            /* at: position in the chunk */
int64_t wick_jfr_ticks_ns(const struct wick_jfr_reader *r, int64_t ticks);            /* a span */
int64_t wick_jfr_value_ns(const struct wick_jfr_reader *r, unsigned unit, int64_t v); /* by enum wick_jfr_unit */
/* A walk over the chunk begins, and has come to a position: pages behind it are given back in large steps. */
void wick_jfr_walk_from(struct wick_jfr_reader *r, uint64_t at);
void wick_jfr_walk_to(struct wick_jfr_reader *r, uint64_t at);
bool wick_jfr_room(struct wick_jfr_reader *r, void *array, uint32_t n, uint32_t *cap, size_t size);

/* reader_meta.c: parses the metadata event at a position. False if it is unusable (a problem is noted). */
bool wick_jfr_meta_read(struct wick_jfr_reader *r, uint64_t at);
void wick_jfr_meta_release(struct wick_jfr_meta *m);
uint32_t wick_jfr_type_by_id(const struct wick_jfr_meta *m, int64_t id); /* WICK_JFR_NONE = unknown */
uint32_t wick_jfr_type_by_name(const struct wick_jfr_meta *m, const char *name);
uint32_t wick_jfr_field_by_name(const struct wick_jfr_meta *m, const struct wick_jfr_type *t, const char *name);

static inline const char *wick_jfr_text_at(const struct wick_jfr_meta *m, uint32_t offset)
{
    return m->text.buf + offset;
}

/* reader_plan.c. names: per slot the field's names in order of preference, separated by '|', NULL = slot unused.
 * whole: running the plan leaves the cursor behind the value. False if the type cannot be decoded so far. */
bool wick_jfr_plan_make(struct wick_jfr_reader *r, struct wick_jfr_plan *plan, uint32_t type, const char *const *names,
                        unsigned nslots, bool whole);
void wick_jfr_plan_release(struct wick_jfr_plan *plan);
void wick_jfr_plan_run(struct wick_jfr_reader *r, const struct wick_jfr_plan *plan, struct wick_jfr_cur *c,
                       union wick_jfr_slot *slots);

/* Steps over a few compressed integers: mostly their ends lie in one word. */
static inline void wick_jfr_cur_skip_few(struct wick_jfr_cur *c, uint32_t n)
{
    if (__builtin_expect(wick_jfr_cur_left(c) >= 9, 1)) {
        uint64_t w;
        memcpy(&w, c->p, 8);
        uint64_t stop = ~w & WICK_JFR_HIGH_BITS;
        for (uint32_t i = 1; i < n; i++)
            stop &= stop - 1;
        if (__builtin_expect(stop != 0, 1)) {
            c->p += ((unsigned)__builtin_ctzll(stop) >> 3) + 1;
            return;
        }
    }
    wick_jfr_cur_skip_ints(c, n);
}

/* The same for the hot paths: events and frames are mostly nothing but integers. */
static inline __attribute__((always_inline)) void wick_jfr_plan_take(struct wick_jfr_reader *r,
                                                                     const struct wick_jfr_plan *plan,
                                                                     struct wick_jfr_cur *c, union wick_jfr_slot *slots)
{
    if (!plan->only_ints) {
        wick_jfr_plan_run(r, plan, c, slots);
        return;
    }
    const struct wick_jfr_op *op = plan->ops;
    for (uint32_t n = plan->nops; n; n--, op++)
        if (op->code == WICK_JFR_OP_INT)
            slots[op->slot].i = (int64_t)(wick_jfr_cur_int(c) << op->n) >> op->n;
        else
            wick_jfr_cur_skip_few(c, op->n);
}

/* Moves the cursor over a field, or over one value of a type; `depth` = how deep structures are nested already, so that
 * a type that contains itself ends as an error. */
void wick_jfr_skip_field(struct wick_jfr_reader *r, struct wick_jfr_cur *c, const struct wick_jfr_field *f,
                         unsigned depth);
void wick_jfr_skip_value(struct wick_jfr_reader *r, struct wick_jfr_cur *c, const struct wick_jfr_type *t,
                         unsigned depth);
/* Whether values of the field can be skipped: they are numbers of constants, or of a type that is known and sound. */
bool wick_jfr_skippable(const struct wick_jfr_meta *m, const struct wick_jfr_field *f);

/* Where the pages that were given back end. */
static inline const uint8_t *wick_jfr_released(const struct wick_jfr_reader *r)
{
    return r->base + (ptrdiff_t)(r->released - r->base_offset);
}

/* A cursor from a position in the chunk to the chunk's end. */
static inline struct wick_jfr_cur wick_jfr_cur_at(const struct wick_jfr_reader *r, uint64_t at)
{
    if (at > r->len)
        at = r->len;
    return (struct wick_jfr_cur){r->base + at, r->base + r->len, false};
}

/* reader_pool.c */
void wick_jfr_pools_read(struct wick_jfr_reader *r); /* indexes every checkpoint in r->checkpoints */
void wick_jfr_reader_pools_release(struct wick_jfr_reader *r);
/* The constant's `val` to read or resolve, NULL if the type has no such constant or another role. */
uint64_t *wick_jfr_pool_find(struct wick_jfr_reader *r, uint32_t type, uint64_t key, enum wick_jfr_role role,
                             struct wick_jfr_pool **pool);

/* The slot of a constant in its pool; false if there is none. */
bool wick_jfr_pool_slot(const struct wick_jfr_pool *pool, uint64_t key, uint64_t *slot);

/* The number of a constant that was resolved before, in a pool of dense keys: the case of nearly every event. */
static inline bool wick_jfr_pool_known(const struct wick_jfr_reader *r, uint32_t type, uint64_t key, unsigned role,
                                       uint32_t *id)
{
    uint32_t i = type == WICK_JFR_NONE ? WICK_JFR_NONE : r->meta.types[type].pool;
    const struct wick_jfr_pool *pool = i == WICK_JFR_NONE ? NULL : &r->pools[i];
    if (!pool || pool->role != role || key - pool->min_key >= pool->ndirect)
        return false;
    uint64_t val = pool->direct[key - pool->min_key];
    *id = (uint32_t)val;
    return val & WICK_JFR_RESOLVED;
}

/* reader_const.c: constants as numbers of the profile; 0 = none. */
uint32_t wick_jfr_string(struct wick_jfr_reader *r, struct wick_jfr_cur *c, bool *is_null); /* an inline string */
uint32_t wick_jfr_text(struct wick_jfr_reader *r, uint32_t type, uint64_t key, unsigned depth);
uint32_t wick_jfr_thread(struct wick_jfr_reader *r, uint32_t type, uint64_t key);
uint16_t wick_jfr_state(struct wick_jfr_reader *r, uint32_t type, uint64_t key);
bool wick_jfr_stack(struct wick_jfr_reader *r, uint32_t type, uint64_t key, uint32_t *stack);
uint32_t wick_jfr_labels(struct wick_jfr_reader *r, uint32_t type, uint64_t key);

/* reader_sample.c */
void wick_jfr_handlers_make(struct wick_jfr_reader *r); /* for the chunk's event types */
void wick_jfr_handlers_release(struct wick_jfr_reader *r);
void wick_jfr_setting(struct wick_jfr_reader *r, const struct wick_jfr_handler *h, struct wick_jfr_cur *c);
void wick_jfr_settings_done(struct wick_jfr_reader *r);
/* Whether later chunks without settings count on this chunk's. */
bool wick_jfr_settings_lasting(const struct wick_jfr_reader *r);
void wick_jfr_sums_begin(struct wick_jfr_reader *r); /* once pools and settings are known */
/* One event of the handler's; its fields lie between `from` and `end`. */
void wick_jfr_sample(struct wick_jfr_reader *r, struct wick_jfr_handler *h, const uint8_t *from, const uint8_t *end);
void wick_jfr_sample_deliver(struct wick_jfr_reader *r, const struct wick_sample *s);

/* reader_moment.c: a sample of that moment, NULL = there is one that the filter drops; and all of the last one are
 * delivered, as the input is over. */
void wick_jfr_moment_add(struct wick_jfr_reader *r, int64_t time_ns, const struct wick_sample *s);
void wick_jfr_moment_end(struct wick_jfr_reader *r);
void wick_jfr_moment_release(struct wick_jfr_reader *r);
void wick_jfr_sums_end(struct wick_jfr_reader *r); /* what was summed goes to the profile */
/* Whether the filter takes a sample, and nothing else; r->whole_samples. */
bool wick_jfr_sample_passes(struct wick_jfr_reader *r, struct wick_jfr_handler *h, const uint8_t *from,
                            const uint8_t *end);

/* reader_run.c. Both go on behind an event of a type, at most to where the walk gives pages back next, as long as
 * events of the type follow; e->size becomes the size of them all. They return how many followed. */
uint64_t wick_jfr_skip_run(const struct wick_jfr_reader *r, struct wick_jfr_place *e);
/* Adds samples to the handler's sums. */
uint64_t wick_jfr_sum_run(struct wick_jfr_reader *r, struct wick_jfr_handler *h, struct wick_jfr_place *e);
void wick_jfr_run_describe(struct wick_jfr_handler *h); /* once the handler has sums */

/* reader_event.c */
void wick_jfr_generic(struct wick_jfr_reader *r, const struct wick_jfr_handler *h, struct wick_jfr_cur *c, uint64_t at);

#endif
