/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock_waits.h - who waited for which lock, and who held it
 *
 * Made of the events jdk.JavaMonitorEnter and jdk.ThreadPark, of wick's recordings or the JDK's own, and of
 * wick.LockOwner, which are joined by the number of the wait; and of profiler.NativeLock and wick.NativeWait. A lock is
 * a class and an identity hash code, or an address where there is no hash code. A native lock is an address;
 * its class is the place where it lies, if it is a variable of a library.
 *
 * Memory:  malloc; wick_lock_waits_release frees all. Names and stacks are numbers of the profile.
 */
#ifndef WICK_ANALYSIS_WAIT_LOCK_WAITS_H
#define WICK_ANALYSIS_WAIT_LOCK_WAITS_H

#include <stdbool.h>

#include "analysis/range.h"
#include "analysis/read.h"
#include "jfr/reader/reader.h"

struct wick_lock_wait_row {
    bool park;                 /* LockSupport.park, not a monitor; or a native condition, not a native lock */
    bool native;               /* of the C library */
    bool timed_out;            /* a park that its time-out ended */
    uint32_t file, class_name; /* number of the input; string of the profile */
    int64_t identity, number;  /* of the lock; of the wait, 0 = none */
    int64_t start_ns, weight_ns, duration_ns; /* start: when it began */
    int64_t owner_ns;                         /* when its owner was seen to have it, 0 = not known */
    uint32_t thread, stack;                   /* who waited, where; numbers in the profile */
    uint32_t owner;                           /* thread that held it, 0 = not known */
    uint32_t owner_stack;                     /* what it did during the wait, 0 = not seen */
};

/* A lock; its waits are rows[first .. first + count). */
struct wick_lock_row {
    uint32_t first, count;
    int64_t total_ns, longest_ns, owned_ns; /* owned: of waits whose owner is known */
};

struct wick_lock_look_row {
    uint32_t file, thread, stack;
    int64_t number, time_ns;
};

struct wick_lock_waits {
    struct wick_profile *profile;
    struct wick_lock_wait_row *rows;
    struct wick_lock_look_row *looks;
    struct wick_lock_row *locks; /* those waited for longest first */
    uint32_t nrows, nlooks, nlocks, cap_rows, cap_looks, file;
    bool not_ours; /* an input does not say whether waits were recorded: it is none of wick's, or an old one */
    bool recorded; /* an input says that they were */
    bool failed;   /* memory ran out */
};

/* A share of a lock's waits: those of one place, or of one owner at one place. A place is a function, whatever the
 * line. */
struct wick_lock_share {
    uint32_t thread; /* the owner; 0 among waiters */
    uint32_t frame;  /* the Java frame at the leaf; of a native lock the first with a symbol; 0 = not known */
    uint32_t own;    /* the nearest frame outside of the JDK's classes, if that is another; of a native lock
                        the nearest one of another library; 0 = none */
    uint32_t function, own_function; /* of these frames */
    uint32_t stack;                  /* the heaviest such stack, which has these frames */
    uint32_t waits, threads;         /* how many; of how many waiting threads */
    int64_t weight_ns;
};

/* Reads n recordings ("-" = standard input); the profile is initialised and outlives the waits. 0 or as
 * `read`. */
int wick_lock_waits_read(struct wick_lock_waits *w, struct wick_profile *p, char *const *paths, int n,
                         wick_analysis_reader *read, struct wick_err *err);
/* What collects, for a reader of one input: start with {.profile, .not_ours = true}, tie at the end; more may be read
 * then, and tied again. */
struct wick_jfr_visitor wick_lock_waits_visitor(struct wick_lock_waits *w);

/* The same for a command that reads other events at the same time: start with {.profile, .file = number of the input},
 * hand over each event of such a type, tie at the end, which joins waits with what was seen of the owners and groups
 * them by lock. Check `failed` afterwards. */
bool wick_lock_waits_wants(const char *type);
void wick_lock_waits_take(struct wick_lock_waits *w, const struct wick_jfr_event *e);
void wick_lock_waits_tie(struct wick_lock_waits *w);

/* Makes `out` the waits in a range of time, of those that last longer the part in it, and of some threads (by number in
 * the profile; NULL = all), after they have been tied: on its own but for the profile. -WICK_E_NOMEM: then `out` has
 * none. */
int wick_lock_waits_choose(struct wick_lock_waits *out, const struct wick_lock_waits *w, const struct wick_range *range,
                           const bool *threads);

void wick_lock_waits_release(struct wick_lock_waits *w);

/* Whether somebody's ownership made the waits for it longer. A park whose owner was never seen is mostly an idle thread
 * of a pool, or one that waits for a condition, of Java or of the C library: nobody blocks it. What is a lock by its
 * class always has an owner; the JDK's recordings do not say who that is. */
bool wick_lock_waits_are_owned(const struct wick_lock_waits *w, const struct wick_lock_row *lock);

/* Where a lock's waiters were, or who owned it and where, heaviest first. *out is malloc'ed, NULL without memory; their
 * number is returned. */
uint32_t wick_lock_waits_shares(const struct wick_lock_waits *w, const struct wick_lock_row *lock, bool owners,
                                struct wick_lock_share **out);

#endif
