/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_int.h - what the rules of `wick explain` share: making a finding and giving it figures
 *
 * Memory:  that of the findings.
 */
#ifndef WICK_ANALYSIS_EXPLAIN_EXPLAIN_INT_H
#define WICK_ANALYSIS_EXPLAIN_EXPLAIN_INT_H

#include "analysis/explain/explain_rules.h"

#define WICK_EXPLAIN_GROWN_LEAST  (8.0 * (1 << 20)) /* bytes of native memory: growth by less is not worth a finding */
#define WICK_EXPLAIN_WORTH_NAMING 0.20              /* share of bytes: who has less is not named */

struct wick_explain_enter {
    uint32_t first; /* 1 + the row of the first wait, 0 = none */
    bool others;    /* waits for other monitors as well */
};

/* Of hot-code, hot-method or hot-calls: that finding, and the program's function that has others compute. */
struct wick_explain_hot {
    size_t finding;
    uint32_t function; /* 0 = none */
    uint32_t work;     /* the program's function that computes, or has others compute; 0 = there is no finding */
};

struct wick_explain {
    struct wick_explain_facts *f;
    struct wick_explain_findings *out;
    const struct wick_explain_rule *rule; /* that is being applied */
    struct wick_wait *waits;              /* of each wall-clock sample of the facts; kind NONE: it does not wait */
    struct wick_wait *at_stacks;          /* of the stacks that were asked for, and which those are */
    bool *at_known;
    bool *syncs;                         /* by function: most of what the kernel computes in its writes is for a disk */
    uint32_t *ran;                       /* by thread: readings of its CPU time in which it had used some */
    struct wick_explain_enter *enters;   /* by frame: of which monitors threads wait there */
    struct wick_explain_course *courses; /* by function of the program that virtual threads begin in */
    uint32_t *jams;                      /* by function: threads that waited there for room in a queue, all the time */
    bool *holds_back;                    /* by function: most of its waits for data of sockets are held back */
    bool *stuck;                         /* by thread: the rule of that name has it */
    bool *pressed;                       /* by thread: it takes clients or events, and has no time to wait for them */
    bool closed;                         /* threads wait for each other, and hardly anybody works */
    /* What rules have said already: kinds of waiting (bits), waiting for monitors and disks, futures, what most CPU
     * time is for, that the collector's threads wait for each other, that the program has too many threads. */
    uint64_t kinds_said;
    double monitors_said_ns, disks_said_ns;
    uint64_t pool_kinds; /* kinds of waits that pool-busy or listen-overflow has said, as bits */
    uint32_t pool_name;  /* whose pool it has said */
    struct wick_explain_hot hot;
    struct { /* cache-misses' finding, and what it is about; NULL: there is none */
        size_t finding;
        const struct wick_explain_lookup *lookup;
    } misses;
    struct { /* hot-code's finding, and the thread that does most of it and hardly anything else; 0: there is none */
        size_t finding;
        uint32_t thread;
        bool needless; /* work that need not be done, rather than work to be shared */
    } coded;
    bool collisions_said; /* hot-code has said what keys cost whose hash codes collide */
    bool locals_said;     /* likewise of values of thread locals */
    uint32_t loop_said;   /* the function whose own time hot-code has counted as polling; 0 = none's */
    bool serves;          /* clients may come to this process */
    bool pool_said, code_said, method_said, calls_said, gc_threads_said, crowd_said, saturated_said;
    bool code_raised; /* hot-code comes first for virtual threads that wait for what computes it */
};

_Static_assert(WICK_WAIT_KINDS <= 64, "kinds_said has a bit for each");

/* As wick_wait_of(), which walks the stack and compares names; here but once for each stack. */
struct wick_wait wick_explain_wait_at(const struct wick_explain *x, uint32_t stack);

/* A new finding of the rule, NULL without memory; what follows takes NULL. */
struct wick_explain_finding *wick_explain_found(struct wick_explain *x, double cost_ns);

/* A figure of it; text is copied; a frame is named as everywhere, and left out if it is 0. */
void wick_explain_figure(struct wick_explain_finding *r, const char *key, enum wick_explain_unit unit, double value);
void wick_explain_say(struct wick_explain *x, struct wick_explain_finding *r, const char *key, const char *text);
void wick_explain_say_frame(struct wick_explain *x, struct wick_explain_finding *r, const char *key, uint32_t frame);

/* The frame to which most of the weight of the samples of CPU time and the wall clock goes, where `of` says to which
 * each goes (0 = none); 0 = none has any. */
uint32_t wick_explain_heaviest(struct wick_explain *x,
                               uint32_t (*of)(const struct wick_profile *p, uint32_t stack, const void *arg),
                               const void *arg);

/* A finding if the part is at least the rule's threshold of the whole, with the figures share and time; else NULL. */
struct wick_explain_finding *wick_explain_by_share(struct wick_explain *x, double part_ns, double whole_ns,
                                                   double cost_ns);
struct wick_explain_finding *wick_explain_by_share_from(struct wick_explain *x, double part_ns, double whole_ns,
                                                        double cost_ns, double least); /* least: the threshold */

/* explain_sure.c: adds the figure `share`, a part of a whole, with its interval; `quanta` is that of the part's
 * samples. If so few samples do not decide whether the rule applies, the finding becomes an open question. */
void wick_explain_share_of(struct wick_explain *x, struct wick_explain_finding *r, double part_ns, double whole_ns,
                           double quanta);
/* Adds the figure `left`, its share of a part of that whole, in the same way: this one decides. */
void wick_explain_share_left(struct wick_explain *x, struct wick_explain_finding *r, double part_ns, double left_ns,
                             double quanta);

/* Takes findings that are open questions out of the list. */
void wick_explain_set_aside(struct wick_explain_findings *out);

/* explain_neutral.c: which findings only say where time goes. */
void wick_explain_learn_neutral(const struct wick_explain_facts *f, struct wick_explain_findings *out);

/* explain_when.c: whether what it rests on happened within a short time, and when. Filters first. */
void wick_explain_learn_when(const struct wick_explain_facts *f, struct wick_explain_finding *r);

/* explain_collections.c: what threads of the collector used while they waited for one another; and of the time in which
 * they could run, that in which they had a CPU, without that. 1 = not known. */
void wick_explain_learn_collectors(struct wick_explain *x);
double wick_explain_collectors_got(const struct wick_explain_facts *f);

/* explain_group.c: how the time went; the cost of collections that stop the program; the order of findings. */
void wick_explain_learn_parts(struct wick_explain *x);
void wick_explain_learn_accounts(struct wick_explain *x); /* explain_account.c */
double wick_explain_stopped(const struct wick_explain *x);

/* Of the CPUs that the process may run on, what others use; of the periods of its CPU limit, those that it was stopped
 * in. */
double wick_explain_others(const struct wick_explain_facts *f);
double wick_explain_limited(const struct wick_explain_facts *f);

/* What the VM thread used, NULL = it is not known. */
const struct wick_explain_use *wick_explain_vm_thread(const struct wick_explain_facts *f);

/* The share of the time in which collections would stop the program if neither waited for CPUs. */
double wick_explain_pauses_by_work(const struct wick_explain *x);

/* What CPU time would have been without waiting for CPUs, if all who compute wait alike: crowding hides no hot code. */
double wick_explain_wanted(const struct wick_explain *x, double cpu_ns);
void wick_explain_rank(struct wick_explain_findings *out);

/* What selects the samples that a finding rests on; nothing for 0. */
void wick_explain_filter_frame(struct wick_explain *x, struct wick_explain_finding *r, uint32_t frame);
void wick_explain_filter_state(struct wick_explain *x, struct wick_explain_finding *r, enum wick_explain_state state);
void wick_explain_filter_thread(struct wick_explain *x, struct wick_explain_finding *r, uint32_t thread);
void wick_explain_filter_endpoint(struct wick_explain *x, struct wick_explain_finding *r, uint32_t endpoint);
void wick_explain_filter_process(struct wick_explain *x, struct wick_explain_finding *r, uint32_t process);
void wick_explain_filter_cgroup(struct wick_explain *x, struct wick_explain_finding *r, uint32_t cgroup);

/* A step of the chain of blame; `kind` is not copied. */
void wick_explain_link(struct wick_explain *x, struct wick_explain_finding *r, const char *kind, uint32_t frame,
                       double share);

/* Whether thread time is that share of the recording, so worth a sentence. */
bool wick_explain_counts(const struct wick_explain_facts *f, double ns, double least);

/* Adds which endpoint a finding is about, and its latency. 0 = threads of none. */
void wick_explain_say_where(struct wick_explain *x, struct wick_explain_finding *r, uint32_t endpoint);

/* Calls rule for every endpoint of wall-clock samples, the "none" of threads without one included. */
void wick_explain_each_endpoint(struct wick_explain *x, void (*rule)(struct wick_explain *x, uint32_t endpoint));

static inline double wick_explain_share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* explain_memory.c: the rules about memory, and what is said of allocations beside other findings. */
void wick_explain_memory_limit(struct wick_explain *x);
void wick_explain_memory_pressure(struct wick_explain *x);
void wick_explain_oom_killed(struct wick_explain *x);
void wick_explain_out_of_memory(struct wick_explain *x);
void wick_explain_direct_memory(struct wick_explain *x);
void wick_explain_heap_limit(struct wick_explain *x);
void wick_explain_page_cache(struct wick_explain *x);
void wick_explain_memory_growth(struct wick_explain *x);
void wick_explain_live_set(struct wick_explain *x);

/* -Xmx, as the JVM says or its command line; 0 = not known. */
double wick_explain_heap_most(const struct wick_explain_facts *f);

/* Whether one object keeps so much of what is alive, and of the heap, that this fills it. */
bool wick_explain_fills(const struct wick_explain_facts *f, const struct wick_explain_holder *h);

/* Adds who holds something, if a heap dump has shown it. */
void wick_explain_say_holder(struct wick_explain *x, struct wick_explain_finding *r,
                             const struct wick_explain_holder *h);

/* Adds to a finding about allocations that wait why they do, and what helps. What stays in use is not known to be
 * needed: only who holds it says whether the heap is too small. room: collections leave half of it free; pause: they
 * stop the program. */
void wick_explain_say_stalled(struct wick_explain *x, struct wick_explain_finding *r, bool room, bool pause);

/* explain_collections.c: the rules about what collections cost. */
void wick_explain_starved_collections(struct wick_explain *x);
void wick_explain_allocation_stall(struct wick_explain *x);
void wick_explain_gc_pauses(struct wick_explain *x);
void wick_explain_gc_cpu(struct wick_explain *x);

/* What is in use after one of the later collections, at least, as a share of the heap's maximum; 0 = not known. */
double wick_explain_heap_kept(const struct wick_explain_facts *f);

/* explain_heap.c: the rules about what collections find. */
void wick_explain_humongous(struct wick_explain *x);
bool wick_explain_promotes(const struct wick_explain *x);      /* whether that rule fires */
bool wick_explain_unloads(const struct wick_explain_facts *f); /* whether class-unloading fires */
void wick_explain_promotion(struct wick_explain *x);
void wick_explain_oversized(struct wick_explain *x);
void wick_explain_cleaners(struct wick_explain *x);
void wick_explain_gc_threads(struct wick_explain *x);
void wick_explain_explicit_gc(struct wick_explain *x);
bool wick_explain_collects_for_buffers(const struct wick_explain_facts *f); /* that are made anew */
bool wick_explain_seeks_buffers(const struct wick_explain_facts *f); /* a thread rests in between: there is no room */

/* Whether collections are mostly for that cause, so that not the heap is to blame. */
bool wick_explain_mostly_for(const struct wick_explain_facts *f, const char *cause);

/* Whether the program or a tool asked for most of them: System.gc(), histograms and dumps of the heap, and the like. */
bool wick_explain_mostly_asked_for(const struct wick_explain_facts *f);

/* Adds the program's frame that most often calls what defines classes, as "frame", and the one that calls that from
 * another class, as "caller". */
void wick_explain_say_defining(struct wick_explain *x, struct wick_explain_finding *r);

/* Adds as "user" the code that most often makes objects of a class, or starts them, by samples of any kind. */
void wick_explain_say_user(struct wick_explain *x, struct wick_explain_finding *r, const char *class_name);

/* Adds of which class most of the objects are, and where those were allocated (class, frame, caller); and by the key
 * `size`, unless that is NULL, what one of them weighs on average. Nothing if there are none. */
void wick_explain_say_class(struct wick_explain *x, struct wick_explain_finding *r,
                            const struct wick_explain_sample *rows, size_t n, const char *size);

/* explain_course.c: what a thread does as far as others depend on it: nothing, waiting for one of them, or what only it
 * or somebody outside of the process can end. */
enum wick_explain_act { WICK_EXPLAIN_RESTS, WICK_EXPLAIN_AWAITS, WICK_EXPLAIN_ACTS };
enum wick_explain_act wick_explain_course_of(const struct wick_explain *x, size_t i);
bool wick_explain_is_inner(enum wick_wait_kind kind); /* another thread of the process ends such a wait */
bool wick_explain_learn_courses(struct wick_explain *x);
bool wick_explain_is_often(const struct wick_explain_facts *f, uint32_t thread); /* it is woken five times a second */

/* explain_reply.c: gives waits their kind that are for replies. False without memory. */
bool wick_explain_find_replies(struct wick_explain *x);

/* explain_questions.c: finds the reads of sockets that wait for answers (WICK_WAIT_PEER), and whether clients may come
 * to this process. */
void wick_explain_find_questions(struct wick_explain *x);

/* explain_questions.c: whether what waits in that function for data of a socket receives datagrams outside of requests,
 * and its class is not seen to send any. */
bool wick_explain_receives_only(const struct wick_explain *x, uint32_t function);

/* explain_course.c: whether the sample is of a wait of half a second or more, which did not end in between. */
bool wick_explain_is_long(const struct wick_explain_sample *s);

/* explain_wait_kinds.c: whether it stands for virtual threads, of which each is seen once at most. */
bool wick_explain_is_unmounted(const struct wick_explain *x, uint32_t thread);

/* explain_wait_kinds.c: fills in what rules about waiting share, false without memory. */
bool wick_explain_learn_waits(struct wick_explain *x);
bool wick_explain_wait_counts(const struct wick_explain *x, size_t i);  /* the wait of wall-clock sample i is trouble */
bool wick_explain_is_trouble(const struct wick_explain *x, size_t i);   /* for others than its own endpoint */
bool wick_explain_joins(const struct wick_explain *x, size_t i);        /* it waits for other threads to end */
bool wick_explain_moved(const struct wick_explain *x, uint32_t thread); /* it ran at some time */
/* Whether the owner of the lock of that wait waits for another monitor itself. */
bool wick_explain_owner_enters(const struct wick_explain *x, const struct wick_lock_wait_row *r);

/* explain_blame.c: where threads wait, added up, and whom those wait for. Rows are malloc'ed, the caller frees them. */
#define WICK_EXPLAIN_CHAIN_MOST 0.50 /* a link carries at least this share */

/* A step of a chain: what the owner or the task does, and how much of the time. */
struct wick_explain_link {
    enum wick_wait_kind kind;
    uint32_t stack;
    double share;
    double threads; /* on average: that have an object, of borrowers; that act, of takers */
    enum {
        WICK_EXPLAIN_HOLDER,
        WICK_EXPLAIN_TASK,
        WICK_EXPLAIN_TAKER,
        WICK_EXPLAIN_SERVER,
        WICK_EXPLAIN_BORROWER,
        WICK_EXPLAIN_COMPLETER, /* of futures: runs what is to follow them */
        WICK_EXPLAIN_GATHERER   /* likewise: waits for more of what completes them */
    } who;
};

/* Where the program waits for something, or computes (WICK_WAIT_NONE). */
struct wick_explain_place {
    enum wick_wait_kind kind, via;                      /* via: of the wait that leads here, NONE = none does */
    uint32_t function, stack;                           /* the program's; the heaviest stack, cut there */
    struct wick_explain_link links[WICK_EXPLAIN_LINKS]; /* from `via` to here; a last one of kind NONE computes */
    unsigned nlinks;
    bool request; /* a thread's end is waited for there within a request: that counts in any case */
    uint32_t via_stack;
    int64_t ns, heaviest_ns, through_ns; /* through: what of ns was waited for at `via` */
    int64_t futures_ns;                  /* what of that by futures */
    double quanta;                       /* as of wick_explain_quanta */
};

/* Of each wall-clock sample, whether its thread has an object of the pool that is waited for there; false: none has. */
bool wick_explain_has_lent(struct wick_explain *x, const struct wick_explain_place *at, bool *lent);

/* explain_worker.c: adds in which only thread all is that others wait for: of its pool, or of those that have work. */
void wick_explain_say_worker(struct wick_explain *x, struct wick_explain_finding *r,
                             const struct wick_explain_place *at);

/* The same: whether of threads that each have a queue of their own few have all the work, while somebody waits at the
 * place for long enough to say so. */
bool wick_explain_is_worker_uneven(struct wick_explain *x, const struct wick_explain_place *at);

/* explain_scheduler.c */
void wick_explain_blocked_scheduler(struct wick_explain *x);

/* explain_young.c: a part of jvm-option. */
void wick_explain_young(struct wick_explain *x);

/* explain_soft.c: whether the collector or the program is at soft references; adds that collections find many. */
bool wick_explain_is_soft(const struct wick_profile *p, uint32_t stack);
void wick_explain_say_soft(struct wick_explain *x, struct wick_explain_finding *r);
/* explain_finalizable.c: adds to one about collections whose objects have a finalize() method, and who makes them. */
void wick_explain_say_finalizable(struct wick_explain *x, struct wick_explain_finding *r);
/* What to do about a cache of soft references that fills the heap. */
extern const char wick_explain_soft_advice[];

/* explain_lazy.c: adds that tasks run one after another, as a stream starts them. */
void wick_explain_say_lazy(struct wick_explain *x, struct wick_explain_finding *r, const struct wick_explain_place *at);

/* explain_barrier.c: the same of tasks that are given to a pool group by group (barrier). */
void wick_explain_say_barrier(struct wick_explain *x, struct wick_explain_finding *r,
                              const struct wick_explain_place *at);

/* Whether a wait is one of those at the place. */
bool wick_explain_waits_there(const struct wick_explain *x, struct wick_wait w, const struct wick_explain_place *at);

/* explain_lent.c: adds how many had one at times, and how many at others, where objects get lost. */
void wick_explain_say_lost(struct wick_explain *x, struct wick_explain_finding *r, const struct wick_explain_place *at);
/* Adds that those who have one keep all CPUs computing, so that more of them would not help. */
void wick_explain_say_taken(struct wick_explain *x, struct wick_explain_finding *r,
                            const struct wick_explain_place *at);

/* explain_ran_out.c: adds whose time-out ends the waits there. */
void wick_explain_say_ran_out(struct wick_explain *x, struct wick_explain_finding *r,
                              const struct wick_explain_place *at);

/* Whether none of the waits there ended during the recording. */
bool wick_explain_none_ends(const struct wick_explain *x, const struct wick_explain_place *at);

/* Of the time of waits there that ended, the share that a time-out ended; 0 = little is known. */
double wick_explain_timed_out(const struct wick_explain *x, const struct wick_explain_place *at);

/* explain_blame.c: the same of all waits there, whether they are for the same thing each time or not. */
double wick_explain_ran_out(struct wick_explain *x, const struct wick_explain_place *at);

struct wick_explain_places {
    struct wick_explain_place *rows;
    size_t n, cap;
};

static inline uint32_t wick_explain_frame_at(const struct wick_profile *p, uint32_t stack)
{
    return p->stacks[stack].frame;
}

static inline uint32_t wick_explain_function_at(const struct wick_profile *p, uint32_t stack)
{
    return p->frames[p->stacks[stack].frame].function;
}

/* Whether the stack has a frame of the function. */
bool wick_explain_goes_through(const struct wick_profile *p, uint32_t stack, uint32_t function);

/* Adds to the place of that wait, a new one if there is none. */
void wick_explain_places_add(struct wick_explain *x, struct wick_explain_places *all, struct wick_wait w, int64_t ns,
                             double quanta);
void wick_explain_places_sort(struct wick_explain_places *all); /* those with most time first */
int64_t wick_explain_places_sum(const struct wick_explain_places *all);

/* What those mostly do who have what is lent, a permit or an object of a pool, where others wait for one; false if
 * nothing is known, or they do nothing half of the time. That few are lent stays a cause of its own. */
bool wick_explain_borrowers(struct wick_explain *x, const struct wick_explain_place *at, struct wick_explain_link *out);

/* Moves the time of place i to where its chain ends. Returns time that is nobody's waiting. */
int64_t wick_explain_follow(struct wick_explain *x, struct wick_explain_places *all, size_t i);

/* explain_waits.c: the rules about waiting; they belong in this order, as each leaves out what those before said. */
void wick_explain_stuck(struct wick_explain *x);       /* explain_stuck.c */
void wick_explain_pool_busy(struct wick_explain *x);   /* explain_pool.c */
void wick_explain_queue_grows(struct wick_explain *x); /* as well, after it */
void wick_explain_held_back(struct wick_explain *x);
void wick_explain_waiting(struct wick_explain *x);
void wick_explain_waits_of_endpoint(struct wick_explain *x, uint32_t endpoint);
/* Whether carriers of virtual threads lack CPUs most of the time: then the machine keeps virtual threads waiting. */
bool wick_explain_carriers_lack_cpu(struct wick_explain *x);
int64_t wick_explain_without_cpu(const struct wick_explain *x); /* time of the program's threads, if most lack one */

/* explain_held_back.c: whether those who wait at a place while something is held back may have written it, and where
 * they write (writer). */
bool wick_explain_may_write(struct wick_explain *x, const struct wick_explain_place *at);
void wick_explain_say_writer(struct wick_explain *x, struct wick_explain_finding *r,
                             const struct wick_explain_place *at);

void wick_explain_blocked_loop(struct wick_explain *x); /* explain_loop.c; after them */

/* Samples of something, and when the first and the last one was. */
struct wick_explain_seen {
    uint32_t n;
    int64_t first_ns, last_ns;
};

/* explain_ends.c: counts a sample at that time. */
void wick_explain_see(struct wick_explain_seen *seen, int64_t time_ns);

/* explain_ends.c: which stacks make a connection; and whether these samples of it show that some are made all the
 * time. */
void wick_explain_mark_connects(const struct wick_profile *p, bool *stacks);
bool wick_explain_connects_again(const struct wick_explain_facts *f, const struct wick_explain_seen *seen);

/* explain_ends.c: adds to a finding about waits for answers where those who ask make connections all the time. */
void wick_explain_say_connector(struct wick_explain *x, struct wick_explain_finding *r,
                                const struct wick_explain_place *at);
/* explain_ends.c: adds to a finding about waits for processes that these wait for somebody to read what they write, and
 * where they are started. */
void wick_explain_say_child(struct wick_explain *x, struct wick_explain_finding *r,
                            const struct wick_explain_place *at);
/* explain_ends.c: notes in a finding about waits for processes, or for locks of files, whether these are long ones:
 * those who wait there are put on a CPU rarely, but for what they do in between, which may be many short things. */
void wick_explain_learn_lasting(struct wick_explain *x, struct wick_explain_finding *r,
                                const struct wick_explain_place *at);

/* explain_ends.c: puts it behind held-back, where that is about the server that it waits for. */
void wick_explain_follow_held_back(struct wick_explain *x, struct wick_explain_finding *r);

/* explain_ends.c: whether that server is this process itself; not known where there are several. */
bool wick_explain_is_own(const struct wick_explain_facts *f, uint32_t server);

/* explain_ends.c: whether who listens at that address takes the connections to that server, "127.0.0.1:80" or a figure
 * that begins so. Of who listens at all addresses, those of the loopback: which others are the machine's is not
 * recorded. */
bool wick_explain_is_listener_of(const char *address, const char *server);

/* explain_ends.c: adds to a finding about waits of that kind at that function which server or file they are for;
 * endpoint: only those of its requests, 0 = all. */
void wick_explain_say_end(struct wick_explain *x, struct wick_explain_finding *r, enum wick_wait_kind kind,
                          uint32_t function, uint32_t endpoint);

/* explain_lock_class.c: adds to a finding about waiting at a place what the class of the lock says of it. */
void wick_explain_say_lock_class(struct wick_explain *x, struct wick_explain_finding *r,
                                 const struct wick_explain_place *at);

/* explain_lengths.c: two digits of an estimate. */
double wick_explain_two_digits(double n);
/* Waits of that kind at that function, estimated from `events` of them: how many, the sum of their lengths, and of the
 * squares of these; timed: of those that their time-outs ended. All 0: there are too few events to say. */
struct wick_explain_lengths {
    size_t events;
    double n, ns, squares, timed_ns;
};
struct wick_explain_lengths wick_explain_lengths_at(const struct wick_explain *x, enum wick_wait_kind kind,
                                                    uint32_t function);
/* adds to it how many waits of that kind there were at that function, and how long each took. */
void wick_explain_say_lengths(struct wick_explain *x, struct wick_explain_finding *r, enum wick_wait_kind kind,
                              uint32_t function);

/* explain_pace.c: whether a clock sets the pace of those who wait. Adds to a finding about waiting for a thread at that
 * function that all of these waits take the same round time (period); and to one about waiting for room in a queue
 * which thread keeps a pace, and may be the one that takes elements from it (pacer, resting, timer). */
void wick_explain_say_period(struct wick_explain_finding *r, const struct wick_explain_lengths *of);
void wick_explain_say_pacer(struct wick_explain *x, struct wick_explain_finding *r,
                            const struct wick_explain_place *at);

/* explain_code.c: CPU time of threads in Java code, with what that calls, but for what they do to wait. Compilers take
 * much beside it where the machine is busy. */
double wick_explain_java_ns(const struct wick_explain_facts *f);
#define WICK_EXPLAIN_JAVA_LEAST 0.60 /* of it: most of what the program does */

/* Whether so much CPU time is so little that it may be what the program is for. */
bool wick_explain_is_little(const struct wick_explain *x, double ns);

/* explain_spread.c: a finding about needless work that several functions have the JDK do, or if least_ns is 0 about
 * what two functions of one class do both ways, if it takes so long together and `is_hot` finds that enough. code: enum
 * wick_explain_code. Returns the function that has most of it, 0 = there is none. */
uint32_t wick_explain_spread(struct wick_explain *x, double least_ns,
                             bool (*is_hot)(const struct wick_explain *x, unsigned code, double ns));

/* explain_sequence.c: adds to a finding about waiting for peers, at that function, what waits so several times one
 * after another each time that it works (sequence, times, each, sites); nothing for other kinds. endpoint: 0 = any. */
void wick_explain_say_sequence(struct wick_explain *x, struct wick_explain_finding *r, enum wick_wait_kind kind,
                               uint32_t function, uint32_t endpoint);

/* explain_threads.c: how the program's threads use the CPUs. */
uint32_t wick_explain_pool_others(struct wick_profile *p, uint32_t thread); /* threads of the same pool, by name */
uint32_t wick_explain_pool_name(struct wick_profile *p, uint32_t thread);   /* "pool-1-thread-12": "pool-1-thread" */
bool wick_explain_has_java(const struct wick_profile *p, uint32_t stack);
void wick_explain_saturated(struct wick_explain *x);
void wick_explain_unstarted(struct wick_explain *x);
void wick_explain_say_carriers(struct wick_explain *x, struct wick_explain_finding *r); /* what they are taken by */
/* Whose monitor pins the carriers of virtual threads that wait at that frame. */
void wick_explain_say_pinning(struct wick_explain *x, struct wick_explain_finding *r, uint32_t at_frame);
void wick_explain_http_clients(struct wick_explain *x);
void wick_explain_too_many(struct wick_explain *x);
double wick_explain_compiled(const struct wick_explain_facts *f); /* CPU time of the compilers; 0 = not known */
uint32_t
wick_explain_deoptimised(struct wick_explain *x); /* where threads lose compiled code: a frame, 0 = not known */
double wick_explain_deoptimising(const struct wick_explain *x); /* CPU time of threads that lose it */

/* explain_safepoints.c: the time that it takes to reach safepoints, and operations of the VM thread. */
void wick_explain_say_who_asks(struct wick_explain *x, struct wick_explain_finding *r,
                               const struct wick_explain_row *o);
void wick_explain_late_safepoints(struct wick_explain *x);
void wick_explain_starved_safepoints(struct wick_explain *x);
void wick_explain_slow_safepoints(struct wick_explain *x);

/* explain_host.c: processes of a whole machine. */
void wick_explain_crowded_out(struct wick_explain *x);
void wick_explain_starved_peer(struct wick_explain *x);
void wick_explain_throttled(struct wick_explain *x);
void wick_explain_oom_victim(struct wick_explain *x);

/* explain_misses.c: marks the stacks that lead through what the lookup's function does where it found nothing. */
void wick_explain_mark_misses(const struct wick_profile *p, const struct wick_explain_lookup *l, bool *through);

/* explain_code.c: what the CPU time is used for. */
void wick_explain_cache_misses(struct wick_explain *x);
void wick_explain_hot_code(struct wick_explain *x);
void wick_explain_hot_calls(struct wick_explain *x);
void wick_explain_hot_method(struct wick_explain *x);

/* explain_endpoint_cpu.c: requests of the endpoint that compute; 0 = those without a span. */
void wick_explain_endpoint_cpu(struct wick_explain *x, uint32_t endpoint);

/* explain_options.c: options of the JVM that make the program slow. */
void wick_explain_jvm_options(struct wick_explain *x);

/* explain_keys.c: the stack, cut at the program's function that uses a map, if the map searches keys there whose hash
 * codes collide; else 0. */
uint32_t wick_explain_collides(const struct wick_profile *p, uint32_t stack);
/* Adds as "keys" the class whose hashCode, equals and compareTo take most time of those that maps call for the
 * function; nothing if none was seen. */
void wick_explain_say_keys(struct wick_explain *x, struct wick_explain_finding *r, uint32_t function);

/* explain_pool_facts.c: what a pool's own fields say; by what the names of its threads have in common, NULL = nothing
 * is known, or of several pools. */
const struct wick_explain_pool *wick_explain_pool_named(const struct wick_explain *x, uint32_t name);
/* Whether its tasks wait for their time. */
bool wick_explain_pool_is_timed(const struct wick_explain *x, const struct wick_explain_pool *o);
bool wick_explain_pool_is_timer(const struct wick_explain *x,
                                const struct wick_explain_pool *o); /* java.util.Timer's */
/* Whether more and more tasks come into its queue, which has no limit, and hardly ever fewer. */
bool wick_explain_pool_grows(const struct wick_explain *x, const struct wick_explain_pool *o);
/* Adds how many tasks are queued and what keeps the pool from making more threads (queued, size). */
void wick_explain_say_pool(struct wick_explain *x, struct wick_explain_finding *r, uint32_t name);
/* The rule about cancelled tasks, and whether those fill the heap. */
void wick_explain_cancelled(struct wick_explain *x);

/* explain_garbage.c: makes findings about collections a part of what leads to them. */
void wick_explain_garbage(struct wick_explain *x);

/* Frees what a finding has. */
void wick_explain_finding_release(struct wick_explain_finding *r);

/* explain_native.c: native memory that is not freed. */
void wick_explain_native_leak(struct wick_explain *x);

/* Adds where most is allocated, and of which class, if that was recorded. */
void wick_explain_say_allocations(struct wick_explain *x, struct wick_explain_finding *r);

/* explain_listen.c: the rules about connections that listening sockets have no room for, or that are not accepted. */
void wick_explain_listen_overflow(struct wick_explain *x);
void wick_explain_slow_accept(struct wick_explain *x);

/* explain_sort.c: says of a function of the program that comparisons of a sort are what it runs for, and where that is
 * sorted. */
void wick_explain_say_sort(struct wick_explain *x, struct wick_explain_finding *r, uint32_t function);

#endif
