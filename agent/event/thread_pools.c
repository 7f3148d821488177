/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_pools.c - see thread_pools.h
 *
 * What a thread runs never changes, so each is examined once: it is of a pool that is known, of a new one, or of none.
 * From then on one thread of each pool leads to it, and another when that one has ended. Everything is read from
 * memory, in the drain thread, and what a collection interrupts is dropped (gc.h). With ZGC references are out of date
 * most of the time, so the control thread, which may wait for the JVM, has them brought up to date (pool_refresh.h) and
 * reads at once; the drain thread writes what that found.
 */
#include "agent/event/thread_pools.h"

#include <pthread.h>
#include <string.h>

#include "agent/event/pool_classes.h"
#include "agent/event/pool_refresh.h"
#include "agent/jvm/gc.h"
#include "agent/jvm/vm.h"
#include "base/atomic.h"
#include "hotspot/klass.h"
#include "hotspot/thread_pool.h"

enum {
    POOLS_MOST = 64,
    NEW_MOST = 512, /* threads that are examined in one round */
    FAILURES_MOST = 8,
    TASKS_EACH = 8, /* readings: tasks are examined in one of so many, as that takes most of the time */
    TRIES = 200,    /* rounds: a JVM that is only just starting lets no thread in */
    LOCAL_REFS = 48,
    ADDITIONS_MOST = 32, /* attempts in a recording to find the fields of a class */
    NOT_EXAMINED = 0,
    NO_WORKER = UINT8_MAX, /* any other: of pools[that - 1] */
    NO_ROOM = NO_WORKER - 1
};

/* A pool, and the thread that leads to it. */
struct pool {
    uint32_t slot, serial; /* serial 0 = there is no such pool */
    wick_addr object;      /* in this round */
    bool fresh;            /* what was found is not written yet */
    unsigned failures;     /* rounds in a row in which its thread did not lead to it */
    unsigned readings;
    uint32_t examined, cancelled; /* of its tasks, when they were examined last */
    struct wick_hs_pool found;
};

static struct {
    struct wick_pool_classes classes;
    struct pool pools[POOLS_MOST];
    struct {
        uint32_t serial;
        uint8_t what;
    } threads[WICK_MAX_THREADS]; /* by slot */
    int tries;
    bool given_up;
    bool unreadable; /* something was in this round */
    bool known;
    wick_addr unknown; /* Klass of what a thread runs, if its fields can be found; 0 = there is none */
    uint32_t additions;
    pthread_mutex_t lock; /* of all this; the classes are written by the drain thread alone */
} seen = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- where the fields are ---- */

static bool can_be_read(void)
{
    return wick_vm.oops_known && wick_gc_calls_back() && wick_hs_klass_known(&wick_vm.jvm) &&
           wick_hs_moves_find(&wick_vm.jvm, &seen.classes.fields.moves);
}

/* The JDK's classes. */
static void find_first(JNIEnv *env)
{
    struct wick_pool_classes found = seen.classes;
    bool known = wick_pool_classes_find(env, &found);
    pthread_mutex_lock(&seen.lock);
    seen.classes = found;
    seen.known = known;
    pthread_mutex_unlock(&seen.lock);
    seen.given_up = !known;
}

/* A class that a thread has been seen to run. */
static void find_unknown(JNIEnv *env, wick_addr klass)
{
    struct wick_pool_classes found = seen.classes;
    if (!wick_pool_class_add(env, &found, klass))
        return;
    pthread_mutex_lock(&seen.lock);
    seen.classes = found;
    pthread_mutex_unlock(&seen.lock);
}

/* A class that could not be added then is seen again in the next round, if it still runs: once a second. */
static wick_addr take_unknown(void)
{
    pthread_mutex_lock(&seen.lock);
    wick_addr unknown = seen.unknown;
    seen.unknown = 0;
    pthread_mutex_unlock(&seen.lock);
    return unknown;
}

void wick_thread_pools_find(void)
{
    bool attached;
    wick_addr unknown = take_unknown();
    if ((seen.known && !unknown) || seen.given_up || wick_load_relaxed(&wick_vm.dying))
        return;
    bool can = seen.known || can_be_read();
    JNIEnv *env = can ? wick_vm_enter(&attached) : NULL;
    seen.given_up = !env && !seen.known && (!can || ++seen.tries >= TRIES);
    if (!env)
        return;
    if ((*env)->PushLocalFrame(env, LOCAL_REFS) == 0) {
        if (seen.known)
            find_unknown(env, unknown);
        else
            find_first(env);
        (*env)->PopLocalFrame(env, NULL);
    }
    (*env)->ExceptionClear(env);
    wick_vm_leave(attached);
}

/* ---- what they are now ---- */

void wick_thread_pools_open(void)
{
    pthread_mutex_lock(&seen.lock);
    memset(seen.pools, 0, sizeof seen.pools);
    seen.additions = 0;
    memset(seen.threads, 0, wick_threads_top(&wick_vm.threads) * sizeof *seen.threads);
    pthread_mutex_unlock(&seen.lock);
}

/* The JavaThread of a slot, if it is that thread's still; 0 = it has ended. */
static wick_addr java_of(uint32_t slot, uint32_t serial)
{
    const struct wick_engine_thread *t = &wick_vm.threads.slots[slot];
    wick_addr java = wick_load_acquire(&t->java); /* pairs: wick_threads_java */
    return t->serial == serial ? java : 0;
}

static bool is_zgc(void)
{
    return seen.classes.fields.moves.how == WICK_HS_MOVES_COLOURS;
}

/* The next of its threads, in a circle: perhaps the same one. False: all have ended. */
static bool find_leader(struct pool *p, uint32_t top)
{
    uint8_t what = (uint8_t)(p - seen.pools + 1);
    for (uint32_t n = 1; n <= top; n++) {
        uint32_t i = (p->slot + n) % top;
        if (i && seen.threads[i].what == what && java_of(i, seen.threads[i].serial)) {
            p->slot = i;
            p->serial = seen.threads[i].serial;
            return true;
        }
    }
    p->serial = 0;
    return false;
}

/* What a thread leads to; its facts, where it leads to a pool. Unreadable if it ends in that time, as its JavaThread
 * may be another one's then. */
static enum wick_hs_pool_found examine(uint32_t slot, uint32_t serial, bool tasks, wick_addr *object,
                                       struct wick_hs_pool *out)
{
    wick_addr java = java_of(slot, serial);
    enum wick_hs_pool_found what =
        java ? wick_hs_pool_of(&wick_vm.jvm, &seen.classes.fields, java, object) : WICK_HS_POOL_UNREADABLE;
    if (wick_hs_pool_is_found(what) &&
        !wick_hs_pool_read(&wick_vm.jvm, &seen.classes.fields, what, *object, tasks, out))
        what = WICK_HS_POOL_UNREADABLE;
    if (java_of(slot, serial) != java)
        what = WICK_HS_POOL_UNREADABLE;
    seen.unreadable |= what == WICK_HS_POOL_UNREADABLE;
    return what;
}

/* Reads the known pools again. Whether all could be: only then a thread of a new one is distinguished from theirs. */
static bool read_known(uint32_t top)
{
    bool all = true;
    for (uint32_t k = 0; k < POOLS_MOST; k++) {
        struct pool *p = &seen.pools[k];
        p->object = 0;
        if (!p->serial || (!java_of(p->slot, p->serial) && !find_leader(p, top)))
            continue;
        wick_addr object = 0;
        bool tasks = p->readings % TASKS_EACH == 0;
        if (wick_hs_pool_is_found(examine(p->slot, p->serial, tasks, &object, &p->found))) {
            p->object = object;
            p->readings += !tasks || !is_zgc() || p->found.examined; /* there they may become readable at once */
        }
        p->failures = p->object ? 0 : p->failures + 1;
        if (p->failures >= FAILURES_MOST)
            find_leader(p, top); /* for the next round */
        all &= p->object != 0;
    }
    return all;
}

/* An object that was read before may have been copied since: Shenandoah does that at any time. */
static wick_addr newest(wick_addr object)
{
    return wick_hs_oop_newest(&wick_vm.jvm, &seen.classes.fields.moves, object);
}

/* Which of the pools it is, 0 = none. */
static uint8_t place_of(wick_addr object)
{
    for (uint32_t k = 0; k < POOLS_MOST; k++)
        if (seen.pools[k].serial && seen.pools[k].object && newest(seen.pools[k].object) == newest(object))
            return (uint8_t)(k + 1);
    return 0;
}

static bool has_room(void)
{
    for (uint32_t k = 0; k < POOLS_MOST; k++)
        if (!seen.pools[k].serial)
            return true;
    return false;
}

/* The new pool's place, if there is one. */
static uint8_t add(uint32_t slot, uint32_t serial, wick_addr object, const struct wick_hs_pool *found)
{
    for (uint32_t k = 0; k < POOLS_MOST; k++)
        if (!seen.pools[k].serial) {
            seen.pools[k] = (struct pool){.slot = slot,
                                          .serial = serial,
                                          .object = object,
                                          .examined = found->examined,
                                          .cancelled = found->cancelled,
                                          .readings = !is_zgc() || found->examined,
                                          .found = *found};
            return (uint8_t)(k + 1);
        }
    return NO_ROOM;
}

/* Whether nothing has moved since `before`, so that what was read until now is right. */
static bool is_as_before(uint32_t before)
{
    atomic_thread_fence(memory_order_acquire); /* pairs: gc_start; what was read was read before the next line */
    return wick_gc_moves() == before;
}

/* Whether what a thread runs is of a class that can be added; it is, then, before the next round. */
static bool is_to_be_added(wick_addr klass)
{
    char name[WICK_HS_POOL_CLASS] = "";
    if (!klass || seen.unknown == klass)
        return klass != 0;
    wick_hs_klass_name_sig(&wick_vm.jvm, klass, name, sizeof name);
    if (seen.additions >= ADDITIONS_MOST || !wick_pool_class_can_be_added(name))
        return false;
    if (seen.unknown)
        return true; /* after that one */
    seen.unknown = klass;
    seen.additions++;
    return true;
}

/* Threads that have come since. False: a collection came between. */
static bool examine_new(uint32_t top, uint32_t before)
{
    bool room = has_room();
    for (uint32_t i = 1, left = NEW_MOST; i < top && left; i++) {
        uint32_t serial = wick_vm.threads.slots[i].serial;
        uint8_t before_this = seen.threads[i].serial == serial ? seen.threads[i].what : NOT_EXAMINED;
        wick_addr object = 0;
        struct wick_hs_pool found;
        if (!java_of(i, serial) || !(before_this == NOT_EXAMINED || (before_this == NO_ROOM && room)))
            continue;
        left--;
        enum wick_hs_pool_found what = examine(i, serial, true, &object, &found);
        if (!is_as_before(before))
            return false;
        uint8_t place = what == WICK_HS_POOL_NONE && !is_to_be_added(object) ? NO_WORKER : NOT_EXAMINED;
        if (wick_hs_pool_is_found(what)) {
            place = place_of(object);
            if (!place)
                place = add(i, serial, object, &found);
        }
        seen.threads[i].serial = serial;
        seen.threads[i].what = place;
    }
    return true;
}

static void write_pool(struct wick_jfr_writer *w, const struct pool *p, uint64_t now_ns)
{
    const struct wick_hs_pool *f = &p->found;
    bool examined = f->queued >= 0 && p->examined;
    const struct wick_jfr_thread_pool event = {
        .start_ns = now_ns,
        .thread = p->serial,
        .queue_class = f->queue_class,
        .threads = f->threads,
        .core = f->core,
        .maximum = f->maximum,
        .queued = f->queued,
        .capacity = f->capacity,
        .overdue_ns = (uint64_t)f->overdue_ns,
        .cancelled = examined ? (uint64_t)f->queued * p->cancelled / p->examined : 0,
    };
    wick_jfr_write_thread_pool(w, &event);
}

/* The result for tasks is kept until they are examined again: at the next reading if this one is not right. */
static void keep_examined(struct pool *p, bool right)
{
    if (!p->object || !p->found.examined)
        return;
    if (!right) {
        p->readings -= p->readings > 0;
        return;
    }
    p->examined = p->found.examined;
    p->cancelled = p->found.cancelled;
}

/* Reads all pools again; false: nothing is known now. *whole: whatever was read could be. */
static bool read_all(bool *whole)
{
    uint32_t before = wick_gc_moves(), top = wick_threads_top(&wick_vm.threads);
    *whole = false;
    if (!seen.known || (before & 1) || wick_load_relaxed(&wick_vm.dying))
        return false;
    seen.unreadable = false;
    bool all = read_known(top);
    bool right = is_as_before(before) && (!all || examine_new(top, before));
    for (uint32_t k = 0; k < POOLS_MOST; k++) {
        struct pool *p = &seen.pools[k];
        p->fresh = right && p->serial && p->object;
        keep_examined(p, right);
    }
    *whole = right && !seen.unreadable;
    return right;
}

void wick_thread_pools_write(struct wick_jfr_writer *w, uint64_t now_ns)
{
    bool whole;
    pthread_mutex_lock(&seen.lock);
    if (is_zgc() || read_all(&whole))
        for (uint32_t k = 0; k < POOLS_MOST; k++) {
            if (seen.pools[k].fresh)
                write_pool(w, &seen.pools[k], now_ns);
            seen.pools[k].fresh = false;
        }
    pthread_mutex_unlock(&seen.lock);
}

bool wick_thread_pools_refresh_needed(void)
{
    return wick_jvm_flag_is_set(&wick_vm.jvm, WICK_JVM_FLAG_Z, false);
}

void wick_thread_pools_refresh(void)
{
    bool whole = true, waits = false;
    pthread_mutex_lock(&seen.lock);
    bool known = seen.known && is_zgc();
    for (uint32_t k = 0; known && k < POOLS_MOST; k++)
        waits |= seen.pools[k].fresh;
    if (known && !waits)
        read_all(&whole);
    struct wick_pool_ids ids = seen.classes.ids;
    pthread_mutex_unlock(&seen.lock);
    if (whole)
        return;
    wick_pool_refresh(&ids);
    pthread_mutex_lock(&seen.lock);
    read_all(&whole);
    pthread_mutex_unlock(&seen.lock);
}
