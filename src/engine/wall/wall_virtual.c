/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wall_virtual.c - samples of virtual threads that are on no carrier
 *
 * A virtual thread that waits gives its carrier back: what is left is an object and its frozen frames in the heap.
 * Those of interest have a context, and with it a record in the labels, which has a weak reference to the thread. So at
 * each tick some of the n threads are drawn, each with the same probability, and weigh time x n / draws. One that is
 * mounted gives no sample: the carrier has that time.
 *
 * Nothing is stopped for it, so the object and its frames may go away while they are read. The frames are copied. If
 * the thread stands where it did, and no collection has stopped the program, both before and after, the copy is of that
 * wait. Collectors that move objects beside the program leave old copies, which are as good.
 *
 * Ticks at which a collection stops the program go to the next one: in the pause all wait where they do. So does the
 * share of a visit that a collection interrupts, whatever the thread looked like.
 */
#include "engine/wall/wall_visit.h"

#include "jfr/writer/writer.h"

enum { TRIES = 3 };

struct look {
    enum wick_hs_virtual_seen seen;
    wick_addr chunk;
};

/* ZGC leaves references that lead nowhere until they are used: the agent uses them then (labels.virtual_lost). */
static struct look look_at(struct wick_wall_engine *e, const struct wick_label_holder *h)
{
    struct wick_labels *labels = e->recorder->labels;
    struct look l = {.seen = WICK_HS_VIRTUAL_UNKNOWN};
    wick_addr reference = wick_labels_holder_place(labels, h);
    if (reference)
        l.seen = wick_hs_virtual_look(e->recorder->walker.jvm, &e->unmounted.moves, reference, h->id, &l.chunk);
    if (l.seen == WICK_HS_VIRTUAL_UNKNOWN && e->unmounted.moves.how == WICK_HS_MOVES_COLOURS)
        wick_store_relaxed(&labels->virtual_lost, 1);
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
static enum outcome copy(struct wick_wall_engine *e, const struct wick_label_holder *h, struct look *l,
                         struct wick_outside *o, struct wick_context *label)
{
    const struct wick_jvm *jvm = e->recorder->walker.jvm;
    enum outcome what = MOVED;
    for (int i = 0; i < TRIES; i++) {
        uint32_t operation;
        bool same = false;
        uint64_t collections = wick_hs_collections(jvm);
        if (!collections)
            return PAUSED;
        *l = look_at(e, h);
        bool unmounted = l->seen != WICK_HS_VIRTUAL_UNKNOWN && l->seen != WICK_HS_VIRTUAL_MOUNTED &&
                         wick_labels_holder_context(e->recorder->labels, h, label, &operation);
        if (unmounted) {
            *o = (struct wick_outside){.lo = l->chunk, .stack = e->stack};
            o->bytes = wick_mem_read_most(&e->recorder->walker.mem, o->lo, e->stack, WICK_THREAD_LOOK_STACK);
            struct look after = look_at(e, h);
            same = after.seen == l->seen && after.chunk == l->chunk;
        }
        what = wick_hs_collections(jvm) != collections ? PAUSED : !unmounted ? MOUNTED : same ? COPIED : MOVED;
        if (what == COPIED || what == MOUNTED)
            return what;
    }
    return what;
}

/* False if a collection has prevented it: it is owed. */
static bool visit(struct wick_wall_engine *e, const struct wick_label_holder *h, uint64_t now_ns, uint64_t weight)
{
    struct wick_outside o;
    struct wick_context label;
    e->context_seen = true; /* for wick_wall_narrowing */
    struct look l;
    enum outcome what = copy(e, h, &l, &o, &label);
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
    bool any =
        e->filter.kind == WICK_WALL_AUTO || e->filter.kind == WICK_WALL_ALL || e->filter.kind == WICK_WALL_CONTEXT;
    e->unmounted.known =
        any && e->recorder->labels && wick_hs_virtual_known(jvm) && wick_hs_moves_find(jvm, &e->unmounted.moves);
}

void wick_wall_virtual_tick(struct wick_wall_engine *e, uint64_t now_ns, uint64_t time_ns)
{
    struct wick_labels *labels = e->recorder->labels;
    if (!e->unmounted.known || !wick_load_relaxed(&labels->virtual_threads))
        return;
    if (!wick_hs_collections(e->recorder->walker.jvm)) {
        e->unmounted.owed_ns += time_ns;
        return;
    }
    struct wick_label_holder drawn[WICK_WALL_VIRTUAL_DRAWS];
    uint32_t n, draws = wick_labels_draw(labels, &e->random, drawn, WICK_WALL_VIRTUAL_DRAWS, &n);
    time_ns += e->unmounted.owed_ns;
    e->unmounted.owed_ns = 0;
    for (uint32_t i = 0; i < draws; i++)
        if (!visit(e, &drawn[i], now_ns, time_ns * n / draws))
            e->unmounted.owed_ns += time_ns / draws;
}
