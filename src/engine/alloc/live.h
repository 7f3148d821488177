/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live.h - sampled objects that are still alive: a bounded sample of the heap, without bias
 *
 * Objects whose allocation was sampled are followed by weak references. There is room for a fixed number; which of them
 * are kept when more are alive is decided by priority sampling (Duffield, Lund and Thorup, J. ACM 54(6), 2007), which
 * is the best that can be done for sums of any part of them:
 *
 *      An object that stands for w bytes gets the priority w / u, u drawn uniformly from (0, 1], once and for all. It
 *      is kept while its priority is above the threshold. When there is no room the threshold is raised, to the lowest
 *      quarter of the priorities, and those below go. Those left have been kept with the probability
 *      min(1, w / t), t being the highest threshold since it came, and so stands for max(w, t) bytes.
 *
 * That is unbiased through any sequence of thresholds: whether one object stays does not depend on its own u but
 * through this comparison. The threshold falls again, by half at each sweep, when less than half of the room is used;
 * that only concerns objects that come later.
 *
 * Most objects die young, and between two collections nobody knows which. So that they do not drive out those that
 * stay, there are two rooms with a threshold each: one for objects that have seen no collection yet, and one for
 * survivors. The priority is the same in both.
 *
 *      thread that allocates                    drain thread
 *      wants: above the threshold?
 *      weak reference -> note -- ring -->       add
 *                                               sweep, after a collection: the dead go, survivors change rooms
 *      unwanted: deletes the reference <-- queue --
 *
 * A reference can only be deleted in a thread of the JVM. Those that allocate are at hand, and each new reference comes
 * with a chance to delete old ones, so no thread has to be attached for that, which would run Java code.
 *
 * Threads: wants and unwanted any; all else the drain thread, but init and release.
 * Memory:  malloc: at most 1 MiB, and the names of classes of the objects that are kept.
 */
#ifndef WICK_ENGINE_ALLOC_LIVE_H
#define WICK_ENGINE_ALLOC_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/carry.h"

enum { WICK_LIVE_YOUNG, WICK_LIVE_OLD, WICK_LIVE_ROOMS };
enum { WICK_LIVE_YOUNG_MOST = 4096, WICK_LIVE_OLD_MOST = 8192, WICK_LIVE_QUEUE = 1024 };

struct wick_live_object {
    uint64_t reference;
    uint64_t time_ns; /* of the allocation */
    uint64_t size, weight;
    double priority;
    uint64_t threshold; /* the highest that it has passed */
    const char *class_name;
    uint32_t born; /* collections before it came */
    uint32_t thread, stack, context;
};

struct wick_live_room {
    struct wick_live_object *objects;
    uint32_t count, most;
    _Atomic uint64_t threshold; /* bytes */
};

/* What the JVM knows of references. */
struct wick_live_jvm {
    /* Whether the object has died. */
    bool (*is_gone)(uint64_t reference);
    /* Collections that have ended. */
    uint32_t (*collections)(void);
    /* Deletes references; the owner of the session calls it when no other thread is at work any more. */
    void (*drop)(const uint64_t *references, size_t n);
};

struct wick_live {
    struct wick_live_jvm jvm;
    struct wick_live_room rooms[WICK_LIVE_ROOMS];
    uint64_t seed;
    uint32_t swept; /* collections at the last sweep */
    uint64_t swept_ns;
    struct wick_live_names *names;
    double *priorities; /* scratch */
    uint64_t *unwanted; /* references that wait for room in the queue */
    size_t unwanted_count, unwanted_cap;
    _Atomic uint64_t queue[WICK_LIVE_QUEUE];
    _Atomic uint64_t head, tail; /* of the queue: next to take, written by takers; next to put */
    uint64_t leaked;             /* references for whose deletion there was no memory */
    uint64_t stacks_lost;        /* objects whose stack found no room in the next tables */
};

/* 0 or -WICK_E_NOMEM. _release drops all references. */
int wick_live_init(struct wick_live *l, const struct wick_live_jvm *jvm, uint64_t seed);
void wick_live_release(struct wick_live *l);

/* The priority of the object number n of the recording that stands for so many bytes; 0 = there is no room for it. */
double wick_live_wants(const struct wick_live *l, uint64_t n, uint64_t weight);

/* Follows the object, whose name is copied. Without memory for it its reference is unwanted. */
void wick_live_add(struct wick_live *l, const struct wick_live_object *o);

/* The reference is not needed any more; and one of those to delete, 0 = there is none. */
void wick_live_discard(struct wick_live *l, uint64_t reference);
uint64_t wick_live_unwanted(struct wick_live *l);

/* Releases the objects that have died. Does nothing if there was no collection since the last time; `now` in any
 * case. */
void wick_live_sweep(struct wick_live *l, uint64_t now_ns, bool now);

/* Hands references to those who delete them, as far as the queue has room. */
void wick_live_pass_on(struct wick_live *l);

/* The stacks go into the next generation of tables. */
void wick_live_carry(struct wick_live *l, struct wick_carry *c);

/* Bytes that a kept object stands for. */
static inline uint64_t wick_live_bytes(const struct wick_live_object *o)
{
    return o->weight > o->threshold ? o->weight : o->threshold;
}

#endif
