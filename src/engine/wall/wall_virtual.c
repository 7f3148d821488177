/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wall_virtual.c - samples of virtual threads that are on no carrier
 *
 * A virtual thread that waits gives its carrier back: what is left is an object and its frozen frames in the heap. At
 * each tick some are drawn of two populations, and one that is mounted gives no sample: the carrier has that time.
 *
 *   with a context     these have a record in the labels, and with it a weak reference. Each of the n is as likely as
 *                      the others and weighs time x n / draws
 *   without one        out of the JDK's own sets (hotspot/container_draw.h), each weighing time x the number of threads
 *                      that it stands for; only where the candidates are not narrowed down to those with a context
 *
 * Nothing is stopped for it, so the object and its frames may go away while they are read. The frames are copied. If
 * the thread stands where it did, and no collection has stopped the program, both before and after, the copy is of that
 * wait. Collectors that move objects beside the program leave old copies: those that a valid reference led to a moment
 * ago are as they were then, and a reference that is out of date is not followed (hotspot/oop.h).
 *
 * Ticks at which a collection stops the program go to the next one: in the pause all wait where they do. So does the
 * share of a visit that a collection interrupts, whatever the thread looked like.
 */
#include "engine/wall/wall_visit.h"
#include "hotspot/container_draw.h"

#include "jfr/writer/writer.h"

enum { TRIES = 3, EMPTY_TICKS = 10 };

#define OWED_MOST   1000000000ull
#define WEIGHT_MOST (1ull << 56) /* 2 years: nothing that is right */

/* A thread that was drawn: the holder of a context, or the object at an address, found while the counter of collections
 * stood there. */
struct target {
    const struct wick_label_holder *holder; /* NULL: it has no context */
    wick_addr thread;
    uint64_t collections;
};

struct look {
    enum wick_hs_virtual_seen seen;
    wick_addr chunk;
    uint64_t id;
};

/* ZGC leaves references out of date until they are used: the agent uses them then. */
static void ask_for_use(struct wick_wall_engine *e)
{
    if (e->recorder->labels && e->unmounted.moves.how == WICK_HS_MOVES_COLOURS)
        wick_store_relaxed(&e->recorder->labels->virtual_lost, 1);
}

static struct look look_at_holder(struct wick_wall_engine *e, const struct wick_label_holder *h)
{
    const struct wick_jvm *jvm = e->recorder->walker.jvm;
    struct wick_labels *labels = e->recorder->labels;
    struct look l = {.seen = WICK_HS_VIRTUAL_UNKNOWN, .id = h->id};
    wick_addr reference = wick_labels_holder_place(labels, h);
    if (reference)
        l.seen = wick_hs_virtual_look(jvm, &e->unmounted.moves, wick_hs_oop_behind(jvm, &e->unmounted.moves, reference),
                                      &l.id, &l.chunk);
    if (l.seen == WICK_HS_VIRTUAL_UNKNOWN)
        ask_for_use(e);
    return l;
}

/* id: that it must have, 0 = any. One with a context counts as mounted: it is drawn as a holder. */
static struct look look_at(struct wick_wall_engine *e, const struct target *t, uint64_t id)
{
    if (t->holder)
        return look_at_holder(e, t->holder);
    const struct wick_jvm *jvm = e->recorder->walker.jvm;
    struct look l = {.seen = WICK_HS_VIRTUAL_UNKNOWN, .id = id};
    wick_addr thread = wick_hs_oop_newest(jvm, &e->unmounted.moves, t->thread);
    l.seen = wick_hs_virtual_look(jvm, &e->unmounted.moves, thread, &l.id, &l.chunk);
    if (e->recorder->labels && wick_labels_virtual(e->recorder->labels, l.id))
        l.seen = WICK_HS_VIRTUAL_MOUNTED;
    if (l.seen == WICK_HS_VIRTUAL_UNKNOWN)
        ask_for_use(e);
    return l;
}

static unsigned state_of(enum wick_hs_virtual_seen seen)
{
    return seen == WICK_HS_VIRTUAL_READY         ? WICK_JFR_STATE_WAITING_FOR_CARRIER
           : seen == WICK_HS_VIRTUAL_MONITOR     ? WICK_JFR_STATE_MONITOR
           : seen == WICK_HS_VIRTUAL_OBJECT_WAIT ? WICK_JFR_STATE_OBJECT_WAIT
                                                 : WICK_JFR_STATE_NATIVE_WAIT;
}

enum outcome {
    COPIED,
    MOUNTED, /* or anything else that gives no sample */
    MOVED,   /* unmounted, but never the same before and after */
    PAUSED,  /* a collection stops the program, or has while this was read: nothing is known of the thread */
};

/* Copies what a sample needs of a thread that is found unmounted. COPIED: *l, *o and *label are of one moment. */
static enum outcome copy(struct wick_wall_engine *e, const struct target *t, struct look *l, struct wick_outside *o,
                         struct wick_context *label)
{
    const struct wick_jvm *jvm = e->recorder->walker.jvm;
    enum outcome what = MOVED;
    for (int i = 0; i < TRIES; i++) {
        uint32_t operation;
        bool same = false;
        uint64_t collections = wick_hs_collections(jvm);
        if (!collections || (!t->holder && collections != t->collections))
            return PAUSED;
        *l = look_at(e, t, 0);
        bool unmounted = l->seen != WICK_HS_VIRTUAL_UNKNOWN && l->seen != WICK_HS_VIRTUAL_MOUNTED &&
                         (!t->holder || wick_labels_holder_context(e->recorder->labels, t->holder, label, &operation));
        if (unmounted) {
            *o = (struct wick_outside){.lo = l->chunk, .stack = e->stack};
            if (l->chunk)
                o->bytes = wick_mem_read_most(&e->recorder->walker.mem, o->lo, e->stack, WICK_THREAD_LOOK_STACK);
            struct look after = look_at(e, t, l->id);
            same = after.seen == l->seen && after.chunk == l->chunk;
        }
        bool lost = !t->holder && l->seen == WICK_HS_VIRTUAL_UNKNOWN && e->unmounted.moves.how == WICK_HS_MOVES_COLOURS;
        what = wick_hs_collections(jvm) != collections ? PAUSED
               : lost                                  ? MOVED
               : !unmounted                            ? MOUNTED
               : same                                  ? COPIED
                                                       : MOVED;
        if (what == COPIED || what == MOUNTED)
            return what;
    }
    return what;
}

/* False if a collection has prevented it: it is owed. */
static bool visit(struct wick_wall_engine *e, const struct target *t, uint64_t now_ns, uint64_t weight)
{
    struct wick_outside o;
    struct wick_context label = {0};
    struct look l;
    enum outcome what = copy(e, t, &l, &o, &label);
    if (what != COPIED) {
        if (what == MOVED)
            wick_recorder_drop_sig(e->recorder, WICK_EVENT_WALL, WICK_DROP_THREAD_MOVED, 1, weight);
        return what != PAUSED;
    }
    struct wick_scratch *scratch = wick_recorder_enter_sig(e->recorder);
    if (!scratch) {
        wick_recorder_drop_sig(e->recorder, WICK_EVENT_WALL, WICK_DROP_WALK_IN_PROGRESS, 1, weight);
        return true;
    }
    wick_recorder_sample_sig(e->recorder, scratch,
                             &(struct wick_sample_sig){.outside = &o,
                                                       .frozen = true,
                                                       .chunk = l.chunk,
                                                       .label = &label,
                                                       .time_ns = now_ns,
                                                       .weight = weight,
                                                       .thread = WICK_THREADS_UNMOUNTED,
                                                       .type = WICK_EVENT_WALL,
                                                       .samples = 1,
                                                       .state = (uint8_t)state_of(l.seen)});
    wick_recorder_leave_sig(scratch);
    return true;
}

void wick_wall_virtual_init(struct wick_wall_engine *e)
{
    const struct wick_jvm *jvm = e->recorder->walker.jvm;
    bool all = e->filter.kind == WICK_WALL_AUTO || e->filter.kind == WICK_WALL_ALL;
    bool known = wick_hs_virtual_known(jvm) && wick_hs_moves_find(jvm, &e->unmounted.moves);
    e->unmounted.holders = known && (all || e->filter.kind == WICK_WALL_CONTEXT) && e->recorder->labels;
    /* with ZGC only what can be checked is believed */
    e->unmounted.others = known && all && jvm->containers.started &&
                          (e->unmounted.moves.how != WICK_HS_MOVES_COLOURS || jvm->containers.thread);
}

static void visit_holders(struct wick_wall_engine *e, uint64_t now_ns, uint64_t time_ns)
{
    struct wick_label_holder drawn[WICK_WALL_VIRTUAL_DRAWS];
    uint32_t n, draws = wick_labels_draw(e->recorder->labels, &e->random, drawn, WICK_WALL_VIRTUAL_DRAWS, &n);
    e->context_seen |= draws > 0; /* for wick_wall_narrowing */
    for (uint32_t i = 0; i < draws; i++)
        if (!visit(e, &(struct target){.holder = &drawn[i]}, now_ns, time_ns * n / draws))
            e->unmounted.owed_ns[WICK_WALL_VIRTUAL_HOLDERS] += time_ns / draws;
}

/* Ticks of which nothing is known of some set go to the next one, up to a limit. While there are no such threads at
 * all, one tick in EMPTY_TICKS searches for them, and stands for the others. */
static void visit_others(struct wick_wall_engine *e, uint64_t now_ns, uint64_t time_ns)
{
    const struct wick_jvm *jvm = e->recorder->walker.jvm;
    struct wick_hs_drawn drawn[WICK_WALL_VIRTUAL_OTHERS];
    uint64_t collections = wick_hs_collections(jvm), *owed_ns = &e->unmounted.owed_ns[WICK_WALL_VIRTUAL_REST];
    bool known;
    uint32_t n = wick_hs_containers_draw(jvm, &e->unmounted.moves, &e->random, drawn, WICK_WALL_VIRTUAL_OTHERS, &known);
    if (!known)
        ask_for_use(e);
    if (!collections || wick_hs_collections(jvm) != collections || (!known && time_ns < OWED_MOST)) {
        *owed_ns += time_ns;
        return;
    }
    e->unmounted.skip = n ? 0 : EMPTY_TICKS - 1;
    double all = 0;
    for (uint32_t i = 0; i < n; i++)
        all += drawn[i].stands_for;
    for (uint32_t i = 0; i < n; i++) {
        struct target t = {.thread = drawn[i].thread, .collections = collections};
        double weight = (double)time_ns * drawn[i].stands_for;
        uint64_t ns = weight < (double)WEIGHT_MOST ? (uint64_t)weight : WEIGHT_MOST;
        if (!t.thread)
            ask_for_use(e);
        if (!t.thread)
            wick_recorder_drop_sig(e->recorder, WICK_EVENT_WALL, WICK_DROP_THREAD_MOVED, 1, ns);
        else if (!visit(e, &t, now_ns, ns))
            *owed_ns += (uint64_t)((double)time_ns * drawn[i].stands_for / all);
    }
}

void wick_wall_virtual_tick(struct wick_wall_engine *e, uint64_t now_ns, uint64_t time_ns)
{
    bool holders = e->unmounted.holders && wick_load_relaxed(&e->recorder->labels->virtual_threads),
         others = e->unmounted.others && !(e->filter.kind == WICK_WALL_AUTO && e->context_seen);
    uint64_t *owed_ns = e->unmounted.owed_ns, owed[WICK_WALL_VIRTUAL_KINDS];
    for (int i = 0; i < WICK_WALL_VIRTUAL_KINDS; i++) {
        owed_ns[i] += time_ns;
        owed[i] = owed_ns[i];
    }
    if ((holders || others) && !wick_hs_collections(e->recorder->walker.jvm))
        return;
    memset(owed_ns, 0, sizeof e->unmounted.owed_ns);
    if (holders)
        visit_holders(e, now_ns, owed[WICK_WALL_VIRTUAL_HOLDERS]);
    if (others && e->unmounted.skip) {
        e->unmounted.skip--;
        owed_ns[WICK_WALL_VIRTUAL_REST] = owed[WICK_WALL_VIRTUAL_REST];
    } else if (others) {
        visit_others(e, now_ns, owed[WICK_WALL_VIRTUAL_REST]);
    }
}
