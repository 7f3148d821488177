/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_facts.h - what recordings say about why a program is slow, added up for the rules of `wick explain`
 *
 * Sums over all inputs: durations are added, counters that the recording gives as totals count by their growth within
 * each input; where inputs are files of one recording, one after another, they go on. Wall-clock samples belong to
 * endpoints by their own labels; where they have none see explain_wall.c. How long the threads of an endpoint were in
 * its spans is taken from the spans; the samples in them say how that time was spent (span_time.h).
 *
 * Memory:  malloc; wick_explain_release frees all. Names and stacks are numbers of the profile.
 */
#ifndef WICK_ANALYSIS_EXPLAIN_EXPLAIN_FACTS_H
#define WICK_ANALYSIS_EXPLAIN_EXPLAIN_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/wait/lock_waits.h"
#include "analysis/memory/memory_use.h"
#include "analysis/span/spans.h"
#include "analysis/range.h"
#include "analysis/read.h"
#include "analysis/trend.h"
#include "analysis/wait/ttsp_incidents.h"
#include "model/profile.h"

enum wick_explain_state {
    WICK_EXPLAIN_UNKNOWN,
#define X(NAME, id, jfr_name) WICK_EXPLAIN_##NAME = (id),
#include "def/thread_state.def"
#undef X
    WICK_EXPLAIN_STATES
};

/* A counter that only grows, and what it grew by in the inputs so far. */
struct wick_explain_counter {
    int64_t last, grown, last_ns; /* last_ns: when it was read last */
    bool seen;                    /* in this input */
};

struct wick_explain_sample {
    int64_t time_ns, weight_ns;
    uint32_t thread, stack, endpoint; /* 0 = none */
    uint32_t process, rival;          /* of a whole machine: labels; rival: what ran instead. 0 = none */
    uint32_t peer, doing;             /* likewise: what it waited for, and what that one did */
    uint32_t cgroup;                  /* likewise: its path */
    uint32_t server, service, file;   /* labels of waits: whom it asked, where clients come in, which file. 0 = none */
    uint32_t child;                   /* likewise: the process that it waits for */
    bool pipe_full;                   /* that waits for room in a pipe */
    enum wick_explain_state state;
    double variance; /* of objects (model/interval.h) */
    size_t number;   /* of a wall-clock sample: in `timed` */
    int64_t span_ns; /* of a wall-clock sample: to the last of `count` */
    uint64_t count;  /* how often it was sampled there; 0 = not known */
};

struct wick_explain_span {
    int64_t begin_ns, end_ns;
    uint32_t thread, endpoint;
    bool root, unmounts; /* unmounts: of a virtual thread, which names a carrier */
};

/* How much a counter had grown after so much time that the inputs cover. */
struct wick_explain_reading {
    int64_t covered_ns, grown;
};

/* Requests of virtual threads: how long these were on no carrier. */
struct wick_explain_unmounted {
    uint32_t endpoint;
    int64_t ns;
};

/* Other processes of one name, by wick.Neighbour. */
struct wick_explain_neighbour {
    uint32_t name;
    int64_t pid; /* of the first */
    bool several;
    int64_t cpu_ns;
};

/* A socket on which the process takes connections, by wick.ListeningSocket. */
struct wick_explain_listening {
    uint32_t address;
    int64_t readings, with_some;    /* with_some: in which somebody waited to be accepted */
    int64_t waiting, most, backlog; /* connections: the sum of all readings, the most, how many there may be */
    int64_t last, changes;          /* those of the last reading, and how often they were not as many as before */
};

/* A cgroup of a whole machine and its CPU limit. */
struct wick_explain_cgroup {
    uint32_t path, container; /* strings; container 0 = it is none */
    double limit;             /* CPUs, the last one, 0 = never any */
    struct wick_explain_counter periods, throttled, throttled_ns;
};

/* OOM kills in one cgroup, and the latest one of them. */
struct wick_explain_kill {
    uint32_t cgroup, container, victim; /* strings; container 0 = it is none */
    int64_t kills, resident, anonymous, shared, swapped;
};

/* What several events of one name add up to. */
struct wick_explain_row {
    uint32_t name, events;
    double sum;
    int64_t peak;
};

struct wick_explain_rows {
    struct wick_explain_row *rows; /* one a name */
    size_t n, cap;
};

/* A collection, or one of its pauses. */
struct wick_explain_pause {
    int64_t begin_ns, end_ns, paused_ns, longest_ns;
    bool exact; /* a pause */
};

/* How much of the heap was in use when a collection had ended. */
struct wick_explain_heap {
    int64_t time_ns, used;
    uint32_t cause; /* a string */
    bool full;      /* one that goes through all of the heap, in a collector that has others as well */
};

/* Who holds something, by a heap dump of the JVM: as the caller says it, or the recording (wick.HeapHolder). */
struct wick_explain_holder {
    const char *said; /* the caller's; NULL = nothing, or no dump was taken */
    uint32_t read;    /* a string, 0 = none */
    double bytes;     /* that it keeps alive */
    double share;     /* of all that is alive */
    double soft;      /* bytes: of those that it keeps, what only soft references do; 0 = less than half */
};

/* What the kernel counted of a thread, by wick.ThreadCpu. */
struct wick_explain_use {
    int64_t cpu_ns, delay_ns, slices; /* delay: ready to run without a CPU */
};

/* A thread that had OutOfMemoryErrors of that message. */
struct wick_explain_victim {
    uint32_t thread, message;
    int64_t last_ns;
};

/* Native memory of one stack that was alive at a moment. */
struct wick_explain_native {
    uint32_t stack;
    int64_t bytes, samples, blocks;
    bool of_threads; /* their stacks */
};

struct wick_explain_native_moment {
    int64_t time_ns; /* 0 = there is none */
    struct wick_explain_native *rows;
    size_t n, cap;
};

/* A thread of a deadlock, who holds the lock that it waits for, and that lock's class; strings of the profile. */
struct wick_explain_locked {
    uint32_t thread, owner, class_name; /* class_name: "" = a monitor */
};

/* A wait to be notified (jdk.JavaMonitorWait). */
struct wick_explain_notice {
    uint32_t thread, stack, file; /* file: number of the input */
    int64_t identity;             /* hash code of the object, 0 = not known */
    int64_t end_ns, weight_ns;
    bool timed_out;
};

/* A lookup of the program, by what HotSpot counted: wick.LookupProfile. */
struct wick_explain_lookup {
    uint32_t frame, callee; /* where it is called; string */
    int64_t found, missed;
    int64_t first_line, last_line; /* of the function, that run where it found nothing */
};

/* A thread pool, by readings of its fields: wick.ThreadPool. */
struct wick_explain_pool {
    uint32_t thread;      /* one of its threads */
    uint32_t queue_class; /* string */
    int64_t first_ns, last_ns;
    int64_t threads, core, maximum, capacity; /* at the last reading; capacity -1 = no limit, or not known */
    int64_t queued, cancelled;                /* tasks in its queue then; -1 = not known */
    int64_t first_queued;
    double queued_sum, fallen; /* of all readings; by how many tasks fewer they were than the one before */
    size_t readings, rises;    /* times that more were queued than the time before */
    size_t timed, overdue;     /* readings that say whether a task of a scheduler was due; those in which one was */
    double overdue_ns;         /* for how long in those, in all */
    uint32_t name;             /* what the names of its threads have in common, 0 = was not asked for yet */
};

struct wick_explain_facts {
    struct wick_profile *p;
    struct wick_range range;                /* that they are of */
    bool has_cpu, has_wall, has_thread_cpu; /* samples, wick.ThreadCpu: outside of the range */
    bool all_threads;                       /* the wall clock samples threads of no request as well, at any time */
    /* Of wick_explain_so_far, if the lists of ttsp and locks are its own: what p covers as a whole. */
    bool chosen;
    int64_t whole_start_ns, whole_end_ns;
    struct wick_ttsp_incidents ttsp;
    struct wick_explain_locked *locked;        /* by the last search for deadlocks of each recording */
    size_t nlocked, cap_locked, locked_before; /* before: of the recordings before this one */
    bool searched;                             /* the last search was complete */
    struct wick_lock_waits locks;              /* who held what others waited for */
    struct wick_explain_notice *notices;
    size_t nnotices, cap_notices;
    struct wick_explain_lookup *lookups;
    size_t nlookups, cap_lookups;
    struct wick_explain_pool *pools;
    size_t npools, cap_pools;
    uint32_t *ran; /* threads, once for each wick.ThreadCpu: each second in which one used a CPU */
    size_t nran, cap_ran;
    struct wick_explain_use *uses; /* by thread of the profile, those from `nuses` on used no CPU */
    size_t nuses, cap_uses;
    int64_t duration_ns;
    struct wick_explain_sample *wall, *cpu;
    struct wick_explain_span *spans;
    struct wick_spans timed;                  /* spans and wall-clock samples once more, for the time in spans */
    struct wick_explain_unmounted *unmounted; /* endpoints with requests of virtual threads */
    size_t nunmounted;
    size_t nother; /* samples of something else */
    size_t peers;  /* samples of waits for what a process did */
    size_t ends;   /* samples of waits with such a label */
    size_t rivals; /* samples of waiting for a CPU that say who had it */
    size_t nwall, ncpu, nspans, cap_wall, cap_cpu, cap_spans;

    int64_t got_ns, gc_ns; /* wick.ThreadCpu: CPU time of all threads, of the collector's */
    /* CPU time and run-queue delay in seconds in which the thread needed a CPU for at least half of the time. A thread
     * that wakes now and then on a crowded machine also waits for a CPU, but has little to do with it. */
    int64_t hungry_got_ns, hungry_delay_ns;
    int64_t gc_delay_ns;                /* of the latter, the collector's */
    int64_t gc_wait_ns;                 /* the collector's run-queue delay, in all seconds */
    double gc_spun_ns;                  /* its CPU time while its threads waited for one another */
    int64_t sampled_ns;                 /* weight of CPU samples without the profiler's own work, */
    int64_t own_ns;                     /* and of that, which no rule sees */
    int64_t gcs, pauses_ns, longest_ns; /* jdk.GarbageCollection; the time stopped, within the recordings */
    struct wick_explain_pause *pause;   /* of the input that is being read */
    size_t npause, cap_pause;
    int64_t heap_used, heap_max;     /* peak after a collection; -Xmx. 0 = not known */
    uint32_t arguments;              /* of the JVM: a string, 0 = not known; of several JVMs the last */
    uint32_t jvm_version, program;   /* likewise; the program with its arguments */
    bool programs_differ;            /* the inputs are of several */
    unsigned carriers;               /* of virtual threads that run at a time; 0 = not set, as many as CPUs */
    struct wick_explain_heap *heaps; /* after each collection */
    size_t nheaps, cap_heaps;
    bool zgc; /* it is ZGC that collects, by the names of collections: JDK 17 and later */
    struct wick_explain_sample *alloc, *live; /* objects allocated, and alive at the end; weights in bytes */
    size_t nalloc, nlive, cap_alloc, cap_live;
    struct wick_trend_point *native; /* bytes of native memory alive, of the recording that was read last */
    size_t nnative, cap_native;
    struct wick_explain_native_moment native_first, native_last;
    struct wick_memory_use memory;
    /* What the JVM answered when it was asked for deadlocks: NULL = it was not, "" = there are none; the caller's. */
    const char *deadlock;
    struct wick_explain_holder heap_holder, loader_holder; /* of most of the heap, and of class loaders */
    bool unfinished;                     /* an input has no end; the caller's to set, as is the next */
    int64_t kills_since;                 /* OOM kills of the process's cgroup since its last reading; -1 = not known */
    int64_t memory_charged;              /* of the cgroup with the limit, at the last reading */
    struct wick_explain_rows exhausted;  /* OutOfMemoryErrors by their message; sum: how many */
    struct wick_explain_victim *victims; /* in the order of their first errors */
    size_t nvictims, cap_victims;
    uint32_t *causes; /* of each collection: strings */
    size_t ncauses, cap_causes;
    int64_t direct_peak, direct_limit, direct_count; /* direct buffers when they used most; 0 = not known */
    int64_t direct_least, directs;                   /* what they used least, and how many readings there are */
    int64_t rss, memory_limit, cpus, allowed;        /* peak; allowed: CPUs the process may run on. 0 = not known */
    double cpu_limit, steal, others, jvm; /* the latter three: sums of shares over `machines` and `loads` events */
    int64_t machines, loads;
    struct wick_explain_neighbour *neighbours; /* one row a name */
    size_t nneighbours, cap_neighbours;
    struct wick_explain_listening *listening; /* one row an address */
    size_t nlistening, cap_listening;
    struct wick_explain_cgroup *cgroups;
    size_t ncgroups, cap_cgroups;
    struct wick_explain_kill *kills; /* of a whole machine */
    size_t nkills, cap_kills;
    struct wick_explain_rows operations; /* of the VM thread that are no collections: time */
    struct wick_explain_rows queues;     /* of compilers: sum of averages */
    struct wick_explain_rows reasons;    /* of deoptimisations: how many */
    uint32_t long_method;                /* of the longest compilation: a string */
    int64_t long_ns;
    int64_t code_used, code_limit; /* code cache, when its fullest heap was fullest */
    double code_fullest;           /* that heap's share */
    int64_t off_ns, off_since_ns;  /* compiler switched off; since: at the last event, 0 = on */
    struct wick_explain_counter deopts, compiles, compile_ns, loaded, unloaded;
    struct wick_explain_reading *deopts_then; /* what deopts had grown by, each second */
    size_t ndeopts_then, cap_deopts_then;
    int64_t deopts_ns; /* when that counter was read last */
    struct wick_explain_counter throttled, periods, throttled_ns, oom_kills, safepoints, sync_ns, memory_full_ns,
        io_some_ns;
    struct wick_explain_counter listen_overflows, syn_retransmits; /* of the network namespace */
    struct wick_explain_counter fired, dropped, biased_ns;
    /* CPU time without samples; that of the inputs before; that of the recordings before */
    int64_t unsampled_ns, unsampled_before_ns, unsampled_earlier_ns;
    int64_t unsampled_base_ns; /* of this recording, what it was when the range began */
    int64_t recording_ms;      /* when the recording that the input is a part of began, 0 = not known */
    bool failed;               /* memory ran out */
};

/* Reads n recordings of any format ("-" = standard input) into f, what lies in a range of time (NULL = all); the
 * profile is initialised and outlives it, and covers the range afterwards. Samples are not added to the profile's
 * aggregates. 0 or as `read`; -WICK_E_NOTFOUND if nothing was recorded in that time. */
int wick_explain_read(struct wick_explain_facts *f, struct wick_profile *p, char *const *paths, int n,
                      const struct wick_range *range, wick_analysis_reader *read, struct wick_err *err);
void wick_explain_release(struct wick_explain_facts *f);

/* The same for a reader of one input that grows: begin, and hand over what the visitor asks for. */
void wick_explain_begin(struct wick_explain_facts *f, struct wick_profile *p, const struct wick_range *range);
struct wick_jfr_visitor wick_explain_visitor(struct wick_explain_facts *f);

/* What f would be if the input ended here: rules are applied to that, and then more may be read into f. reader: of the
 * input, for what is alive; NULL = it has been read to its end. *now is to be released also on failure, and before more
 * is read: it shares what does not change, and until then the profile covers the range only. -WICK_E_NOMEM, or
 * _NOTFOUND if no time has been covered yet. */
int wick_explain_so_far(struct wick_explain_facts *f, const struct wick_jfr_reader *reader,
                        struct wick_explain_facts *now, struct wick_err *err);
void wick_explain_so_far_release(struct wick_explain_facts *now);

/* explain_room.c: makes room for one more row; the array, moved or not, or NULL without memory. */
void *wick_explain_room(void *rows, size_t n, size_t *cap, size_t size);

/* Adds the time in which the collections of one input stopped the world between start and end. */
void wick_explain_pauses_add(struct wick_explain_facts *f, int64_t start_ns, int64_t end_ns);

/* explain_pool_facts.c: takes an event wick.ThreadPool. */
void wick_explain_take_pool(struct wick_explain_facts *f, const struct wick_jfr_event *e);

/* Takes an event jdk.ActiveSetting: which threads the wall clock samples. */
void wick_explain_take_setting(struct wick_explain_facts *f, const struct wick_jfr_event *e);

/* explain_labels.c: the value of a sample's label, 0 = it has none; and whom or what a sample of a wait is for, by its
 * labels. Of other samples these are the program's. */
uint32_t wick_explain_label(struct wick_profile *p, const struct wick_sample *s, const char *name);
void wick_explain_learn_end(struct wick_explain_facts *f, const struct wick_sample *s, struct wick_explain_sample *row);

/* Gives wall-clock samples in spans what they stand for by the time in spans, as `wick endpoints` does; `timed` is
 * finished. False without memory. */
bool wick_explain_time_spans(struct wick_explain_facts *f);

/* Gives wall-clock samples without labels their endpoint, and sorts spans by thread and time. */
void wick_explain_join(struct wick_explain_facts *f);

/* The latency that 99 % of the endpoint's root spans do not exceed; -1 = it has none. */
int64_t wick_explain_p99(const struct wick_explain_facts *f, uint32_t endpoint);

/* Wall time in a set of states (bits by enum wick_explain_state) of one endpoint; every_endpoint: of all threads. */
int64_t wick_explain_wall(const struct wick_explain_facts *f, bool every_endpoint, uint32_t endpoint, unsigned states);

/* What the variance of a sum of weights comes from: each sample by its weight times what one sample of the thread
 * stands for (a thread that stays where it is has one sample for many polls). 0 where that is not known. */
static inline double wick_explain_quantum(const struct wick_explain_sample *s)
{
    return s->count ? (double)s->weight_ns * (double)s->weight_ns / (double)s->count : 0;
}

/* The sum of these over samples chosen as by wick_explain_wall. */
double wick_explain_quanta(const struct wick_explain_facts *f, bool every_endpoint, uint32_t endpoint, unsigned states);

/* States in which a thread has work, whether it can get on with it or not. */
enum {
    WICK_EXPLAIN_WORK = 1 << WICK_EXPLAIN_DEFAULT | 1 << WICK_EXPLAIN_RUNNABLE | 1 << WICK_EXPLAIN_WAITING_FOR_CPU |
                        1 << WICK_EXPLAIN_MONITOR | 1 << WICK_EXPLAIN_DISK | 1 << WICK_EXPLAIN_SAFEPOINT |
                        1 << WICK_EXPLAIN_ALLOCATION,
    WICK_EXPLAIN_ALL = (1 << WICK_EXPLAIN_STATES) - 1
};

/* The function under which most weight of samples comes together. */
struct wick_explain_top {
    uint32_t frame;  /* that counts: by `subject` */
    uint32_t caller; /* nearest Java frame below of the program's own, else the nearest Java frame; 0 = none */
    int64_t weight_ns;
    double quanta;     /* as of wick_explain_quanta */
    int64_t caller_ns; /* the part called by the caller's function; by wick_explain_top_of_caller only */
};

enum wick_explain_subject {
    WICK_EXPLAIN_LEAF, /* the leaf that is no kernel code and no broken walk */
    WICK_EXPLAIN_JAVA, /* the nearest Java frame to the leaf, else the leaf */
    WICK_EXPLAIN_STALL /* the JVM's function that makes the thread wait for memory, else the leaf */
};

/* Of the samples of these states and, unless every_endpoint, of one endpoint. All 0 if there is none. */
struct wick_explain_top wick_explain_top(struct wick_explain_facts *f, const struct wick_explain_sample *rows, size_t n,
                                         bool every_endpoint, uint32_t endpoint, unsigned states,
                                         enum wick_explain_subject subject);

/* Of what was found so in all wall-clock samples of these states: makes the caller the one that most weight of it has
 * come from, and fills in caller_ns. As it is if none has one. */
void wick_explain_top_of_caller(struct wick_explain_facts *f, unsigned states, enum wick_explain_subject subject,
                                struct wick_explain_top *top);

/* Whether the frame is Java code, and not the JDK's. */
bool wick_explain_is_program(const struct wick_profile *p, uint32_t frame);

/* Where a library is called by a function with a name, that says more than the library: fsync() for "[libc.so.6]". The
 * stack cut there; as it is where its leaf has a name, or no such function is next to it. */
uint32_t wick_explain_named(const struct wick_profile *p, uint32_t stack);

/* Whether a collection of that name and cause went through all of the heap. What somebody asks Serial or Parallel for
 * is a young collection and a full one after it, of which the JVM's counters may show the name of the first only. */
bool wick_explain_is_full(const char *collector, const char *cause);

#endif
