/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.h - a profile in memory: what every reader fills and every view and export reads
 *
 * Everything is interned into dense tables and named by its number, so that a profile's size depends on how many
 * different things it holds, not on how many samples were taken:
 *
 *     string <- function {class, name, signature} <- frame {function, line, bci, kind} <- stack {parent, frame}
 *                                                    thread, label set, state, event type /
 *                                       aggregate {stack, thread, labels, state, event} -> weight, count
 *
 * Number 0 of each table is "none": the empty string, a function without a name, the empty stack, the unknown thread,
 * the unnamed state and event. Loops over real entries start at 1.
 *
 * A stack is a path in a prefix tree, root first: `stacks[s].frame` is its leaf and `stacks[s].parent` the stack
 * without that leaf. A parent's number is always smaller than its children's, so one pass upwards sees parents first
 * and one pass downwards sums children into parents.
 *
 * The tables are public for reading: hot loops in views should not pay for accessors. Only the functions here write.
 *
 * Weights and counts: `weight` is what the samples stand for, in the event type's unit (nanoseconds, bytes ...);
 * `count` is how many samples the profiler took. Different event types are never added together.
 *
 * Running out of memory: the profile stays valid, `failed` is set, further additions return 0 ("none"). Check once at
 * the end.
 *
 * Memory:  malloc; everything is freed by wick_profile_release. Strings live in the profile.
 */
#ifndef WICK_MODEL_PROFILE_H
#define WICK_MODEL_PROFILE_H

#include "base/frame_kind.h"
#include "model/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wick_string {
    const char *s; /* len bytes of UTF-8 (not checked), then a NUL */
    uint32_t len;
};

/* class_name, name, signature: string numbers, as the JVM writes them ("java/lang/Foo", "bar", "(I)V").
 * For native code: the library, the symbol, and the empty string. */
/* Whether methods are declared synchronized, or have synchronized blocks (wick's recordings, JDK 21 and later); nothing
 * where the input does not say. */
enum wick_function_declared { WICK_FUNCTION_SYNCHRONIZED = 1, WICK_FUNCTION_PLAIN = 2, WICK_FUNCTION_BLOCKS = 4 };

struct wick_function {
    uint32_t class_name, name, signature;
    uint8_t declared; /* enum wick_function_declared, of all methods of that name if signatures are not kept */
};

struct wick_frame {
    uint32_t function;
    int32_t line; /* source line, <= 0 = unknown */
    int32_t bci;  /* bytecode index, -1 = none */
    uint8_t kind; /* enum wick_frame_kind */
};

struct wick_stack {
    uint32_t parent, frame;
};

struct wick_thread {
    uint32_t name; /* the Java name, or the system's name of a thread without one */
    bool is_virtual;
    int64_t os_tid, java_tid; /* 0 = none */
};

/* Whether it stands for any number of threads without ids of their own here: virtual threads that are on no carrier. */
static inline bool wick_profile_thread_is_many(const struct wick_thread *t)
{
    return !t->os_tid && !t->java_tid;
}

/* What sort of event a sample is of (def/event_kind.def). */
enum wick_event_kind {
    WICK_KIND_OTHER,
#define X(kind, ...) WICK_KIND_##kind,
#include "def/event_kind.def"
#undef X
    WICK_KIND_COUNT
};

enum wick_unit { WICK_UNIT_COUNT, WICK_UNIT_NS, WICK_UNIT_BYTES };

/* One type of sample. Two with the same name and another kind or unit are two types. */
struct wick_sample_type {
    uint32_t name; /* as in the recording: "jdk.ExecutionSample" */
    uint8_t kind;  /* enum wick_event_kind */
    uint8_t unit;  /* enum wick_unit, of weights */
    uint64_t count;
    int64_t weight; /* sums over all samples added */
    int64_t own;    /* weight of samples that were left out as the profiler's own (model/shape.h) */
};

/* A label: string numbers. */
struct wick_label {
    uint32_t key, value;
};

/* A set of labels: `n` of them from `first` on, each key once (model/label.h). */
struct wick_label_set {
    uint32_t first, n;
};

/* One sample as a reader hands it out. stack, thread, labels, state, event: numbers in the profile. */
struct wick_sample {
    uint32_t stack, thread, labels;
    uint16_t state, event;
    int64_t time_ns;     /* since 1970 UTC */
    int64_t duration_ns; /* 0 = a moment */
    int64_t weight;
    uint64_t count;
    double variance; /* what it adds to that of a sum of weights (model/interval.h); 0 = not known */
    double things;   /* how many things of its size it stands for; 0 = not known */
};

struct wick_agg {
    uint32_t stack, thread, labels;
    uint16_t state, event;
    int64_t weight;
    uint64_t count;
};

/* What an aggregate's samples of things with a size (by_size) add up to. Most recordings have none: so beside them. */
struct wick_agg_sizes {
    double variance, things;
};

#define WICK_AGG_NONE UINT32_MAX

/* What distinguishes frames. What a view does not show need not: then fewer frames and stacks are kept. */
enum wick_keep {
    WICK_KEEP_LINES = 1,
    WICK_KEEP_BCI = 2,
    WICK_KEEP_JAVA_KINDS = 4, /* interpreted, C1, C2, inlined; without it all are WICK_FRAME_C2 */
    WICK_KEEP_SIGNATURES = 8, /* of Java methods */
    WICK_KEEP_ALL = 15
};

struct wick_profile;

/* Which samples to take. All zero = every sample. A reader asks wick_filter_time() before it decodes a stack and
 * `match` (if set) on the finished sample. */
struct wick_filter {
    int64_t from_ns, to_ns; /* [from, to) since 1970; 0 = no beginning, no end */
    int64_t survived;       /* only objects that are alive and have survived so many collections; 0 = all samples */
    bool (*match)(void *ctx, const struct wick_profile *p, const struct wick_sample *s);
    void *ctx;
};

static inline bool wick_filter_time(const struct wick_filter *f, int64_t time_ns)
{
    return (!f->from_ns || time_ns >= f->from_ns) && (!f->to_ns || time_ns < f->to_ns);
}

struct wick_profile {
    struct wick_string *strings;
    struct wick_function *functions;
    struct wick_frame *frames;
    struct wick_stack *stacks;
    struct wick_thread *threads;
    uint32_t *states; /* string numbers: "STATE_RUNNABLE" */
    struct wick_sample_type *events;
    struct wick_label *labels;
    struct wick_label_set *label_sets;
    struct wick_agg *aggs;        /* from 0, in order of first appearance */
    struct wick_agg_sizes *sizes; /* of the first nsizes of them: wick_profile_sizes() */
    uint32_t nstrings, nfunctions, nframes, nstacks, nthreads, nstates, nevents, nlabels, nlabel_sets, naggs, nsizes;

    int64_t start_ns, end_ns; /* time covered by the inputs, since 1970; end 0 = unknown */
    bool failed;              /* memory ran out; what is there is right but not complete */

    /* How finely to aggregate: false merges all threads (states) into number 0. Set before the first sample. */
    bool by_thread, by_state;
    bool by_labels; /* off at first. On: samples have labels, the ids of spans and traces only with by_span. */
    bool by_span;
    bool by_size;  /* samples of things with a size have a variance, and their number */
    bool objects;  /* stacks of allocated and of live objects end with the class, a frame of the kind OBJECT */
    unsigned keep; /* enum wick_keep; set before the first frame */

    /* Private from here. */
    uint32_t cap_strings, cap_functions, cap_frames, cap_stacks, cap_threads, cap_states, cap_events, cap_labels,
        cap_label_sets, cap_aggs;
    struct wick_index ix_strings, ix_functions, ix_frames, ix_stacks, ix_threads, ix_label_sets, ix_aggs;
    uint32_t *leaf_agg; /* by stack number: its first aggregate + 1 */
    uint32_t cap_leaf_agg;
    struct wick_arena_block *arena;
};

/* Of an aggregate; zeros if nothing is known. */
static inline struct wick_agg_sizes wick_profile_sizes(const struct wick_profile *p, uint32_t agg)
{
    return agg < p->nsizes ? p->sizes[agg] : (struct wick_agg_sizes){0};
}

/* Moves what is known of aggregate `from` to a smaller number, together with the aggregate. */
static inline void wick_profile_move_agg(struct wick_profile *p, uint32_t to, const struct wick_agg *a, uint32_t from)
{
    p->aggs[to] = *a;
    if (to < p->nsizes)
        p->sizes[to] = wick_profile_sizes(p, from);
}

/* An empty profile with the "none" entries, aggregating by thread and state. 0 or -WICK_E_NOMEM. */
int wick_profile_init(struct wick_profile *p);
void wick_profile_release(struct wick_profile *p);

/* About how much memory it takes. */
uint64_t wick_profile_bytes(const struct wick_profile *p);

/* Takes from a frame what p->keep does not keep. */
static inline void wick_profile_coarse(const struct wick_profile *p, int32_t *line, int32_t *bci, unsigned *kind)
{
    if (!(p->keep & WICK_KEEP_LINES))
        *line = 0;
    if (!(p->keep & WICK_KEEP_BCI))
        *bci = -1;
    if (!(p->keep & WICK_KEEP_JAVA_KINDS) && wick_frame_kind_varies(*kind))
        *kind = WICK_FRAME_C2;
}

/* Interning: each returns the number of the thing, new or known; 0 when memory ran out (p->failed). */
uint32_t wick_profile_string(struct wick_profile *p, const char *s, size_t len);
uint32_t wick_profile_cstring(struct wick_profile *p, const char *s);
uint32_t wick_profile_function(struct wick_profile *p, uint32_t class_name, uint32_t name, uint32_t signature);
/* Line, bci and kind as p->keep has them: see wick_profile_coarse(). A BREAK whose name says that there was no sample
 * is of the kind UNSAMPLED: recordings and other formats have only the former. */
uint32_t wick_profile_frame(struct wick_profile *p, uint32_t function, int32_t line, int32_t bci, unsigned kind);
/* The stack `parent` with one more frame at the leaf end. */
uint32_t wick_profile_push(struct wick_profile *p, uint32_t parent, uint32_t frame);
/* The stack of n frames, given leaf first: the same as pushing them from the last to the first. */
uint32_t wick_profile_push_all(struct wick_profile *p, const uint32_t *frames, uint32_t n);
uint32_t wick_profile_thread(struct wick_profile *p, uint32_t name, int64_t os_tid, int64_t java_tid, bool is_virtual);
uint16_t wick_profile_state(struct wick_profile *p, uint32_t name);
uint16_t wick_profile_event(struct wick_profile *p, uint32_t name, enum wick_event_kind kind, enum wick_unit unit);

/* Adds one sample to the aggregates and to its event type's sums. Returns the number of its aggregate, WICK_AGG_NONE if
 * memory ran out or the sample's numbers are not the profile's. */
uint32_t wick_profile_add(struct wick_profile *p, const struct wick_sample *s);

/* Takes the aggregates out, so that other samples can be added up beside them: the caller frees the array (*n long).
 * What is interned stays; sums of event types and the time covered start from zero. */
struct wick_agg *wick_profile_take_aggs(struct wick_profile *p, uint32_t *n);

/* Frees what only adding needs, as large as half the profile: no sample may be added afterwards. */
void wick_profile_seal(struct wick_profile *p);

/* Widens start_ns..end_ns. */
void wick_profile_cover(struct wick_profile *p, int64_t start_ns, int64_t end_ns);

/* The event type to show when none was asked for: the first non-empty one in the order of def/event_kind.def, others
 * last (within a kind the heaviest, but jdk.CPUTimeSample before all). 0 if there are no samples. */
uint16_t wick_profile_main_event(const struct wick_profile *p);

/* The non-empty event type of that name ("jdk.ExecutionSample", or without its prefix: "ExecutionSample"; or a kind:
 * "cpu", "wall", "native", "perf", "alloc" ...). 0 if there is none. */
uint16_t wick_profile_find_event(const struct wick_profile *p, const char *name);

/* Whether an event type has that name, or is of that kind. */
bool wick_profile_event_is(const struct wick_profile *p, uint16_t event, const char *name);

/* "cpu", "wall" ...; never NULL. */
const char *wick_event_kind_name(unsigned kind);

static inline const char *wick_profile_str(const struct wick_profile *p, uint32_t id)
{
    return p->strings[id < p->nstrings ? id : 0].s;
}

#endif
