/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deadlocks.c - threads that wait for each other in a circle
 *
 * Every Java thread waits for at most one other: the owner of the monitor that it is about to enter, which is read from
 * its JavaThread, or the owner of the java.util.concurrent lock that it is parked on, which is read through JNI.
 * Following these from a thread either ends or comes to a circle.
 *
 * Threads keep running while they are examined, so what is found might never have been true at one time. A deadlock
 * stays: what counts is a circle that each of several passes finds, with the same threads and locks. What they find
 * besides circles are waits that last, also such as began before any recording and have not ended.
 *
 * While waiting for locks is recorded, the drain thread also searches, so that the recording of a JVM that is killed
 * has its deadlocks. It makes one pass a round and does not enter the JVM for it, so it sees monitors only. The search
 * at the end of the recording has all locks, unless it is the JVM that ends it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/event/locks.h"
#include "agent/event/deadlocks.h"
#include "agent/jvm/vm.h"
#include "base/clock.h"
#include "engine/lock/lock.h"

/* Finding the owner of a monitor takes up to a read or two of each thread; OWNER_READS take about half a second, and
 * the drain thread, which has rings to empty, takes no more than ROUND_READS. Thousands of threads mostly wait for few
 * monitors, so it is remembered of each. */
#define SEARCH_NS 10000000000ull /* from one search of the drain thread to the next */

enum {
    THREADS_MOST = 4096,
    PASSES = 3,
    PAUSE_NS = 20000000,
    OWNER_READS = 2000000,
    ROUND_READS = 100000,
    MONITORS = 8192,
    WAITS_SHOWN = 20
};

/* A thread and what it waits for. */
struct node {
    wick_addr java, lock; /* lock: ObjectMonitor, or identity hash code of the synchronizer; 0 = it waits for none */
    uint32_t serial;
    int32_t tid, next; /* the owner's place, -1 = none */
    bool parked;
    char class_name[WICK_LOCK_CLASS]; /* of the synchronizer */
};

struct graph {
    struct node *nodes;
    uint32_t n, reads, unknown; /* unknown: threads that wait for monitors whose owners were not searched for */
    uint32_t reads_most;
    bool parked; /* parked threads were examined, all of them */
    struct {
        wick_addr monitor;
        int32_t owner;
    } known[MONITORS]; /* by hash; never more than half full */
};
_Static_assert(MONITORS >= 2 * THREADS_MOST, "the table of monitors must not fill up");

static int32_t find(const struct graph *g, wick_addr java)
{
    for (uint32_t i = 0; i < g->n; i++)
        if (java && g->nodes[i].java == java)
            return (int32_t)i;
    return -1;
}

static void add_threads(struct graph *g)
{
    uint32_t top = wick_threads_top(&wick_vm.threads);
    for (uint32_t i = 1; i < top && g->n < THREADS_MOST; i++) {
        const struct wick_engine_thread *t = &wick_vm.threads.slots[i];
        wick_addr java = wick_load_acquire(&t->java); /* pairs: wick_threads_java */
        if (java)
            g->nodes[g->n++] =
                (struct node){.java = java, .serial = t->serial, .tid = wick_load_relaxed(&t->tid), .next = -1};
    }
}

/* The place of the monitor's owner, -1 = nobody that is known. */
static int32_t search_owner(struct graph *g, wick_addr monitor)
{
    struct wick_hs_monitor m;
    uint64_t owner = wick_hs_monitor_owner(&wick_vm.jvm, monitor);
    int32_t place = find(g, owner);
    if (place >= 0 || !owner)
        return place;
    wick_hs_monitor_init(&m, &wick_vm.jvm, monitor, owner);
    g->reads += g->n;
    for (uint32_t k = 0; k < g->n; k++)
        if (wick_hs_monitor_owned_by(&wick_vm.jvm, &m, g->nodes[k].java))
            return (int32_t)k;
    return -1;
}

/* The same, searched for once per monitor. False: there are too many to search. */
static bool owner_place(struct graph *g, wick_addr monitor, int32_t *place)
{
    uint32_t at = (uint32_t)(monitor * 0x9e3779b97f4a7c15u >> 40) % MONITORS;
    while (g->known[at].monitor && g->known[at].monitor != monitor)
        at = (at + 1) % MONITORS;
    if (!g->known[at].monitor) {
        if (g->reads >= g->reads_most)
            return false;
        g->known[at].owner = search_owner(g, monitor);
        g->known[at].monitor = monitor;
    }
    *place = g->known[at].owner;
    return true;
}

static void add_monitors(struct graph *g)
{
    for (uint32_t i = 0; i < g->n; i++) {
        struct node *node = &g->nodes[i];
        wick_addr monitor = wick_hs_monitor_pending(&wick_vm.jvm, node->java);
        int32_t owner;
        if (!monitor)
            continue;
        node->lock = monitor;
        if (!owner_place(g, monitor, &owner))
            g->unknown++;
        else if (owner != (int32_t)i)
            node->next = owner;
    }
}

static void add_parked(void *arg, const struct wick_agent_parked *p)
{
    struct graph *g = arg;
    int32_t waiter = find(g, p->thread), owner = find(g, p->owner);
    if (waiter < 0 || owner < 0 || waiter == owner || g->nodes[waiter].next >= 0)
        return;
    struct node *node = &g->nodes[waiter];
    node->next = owner;
    node->parked = true;
    node->lock = p->what.hash;
    memcpy(node->class_name, p->what.class_name, sizeof node->class_name);
}

/* One pass, with parked threads or without: only they need the JVM. False: no memory. */
static bool look(struct graph *g, bool parked)
{
    g->n = g->reads = g->unknown = 0;
    g->reads_most = parked ? OWNER_READS : ROUND_READS;
    memset(g->known, 0, sizeof g->known);
    if (!g->nodes)
        g->nodes = malloc(THREADS_MOST * sizeof *g->nodes);
    if (!g->nodes)
        return false;
    add_threads(g);
    add_monitors(g);
    g->parked = parked && wick_agent_locks_parked(add_parked, g);
    return true;
}

/* Whether `start` is in a circle, and has the lowest place there. */
static bool leads(const struct graph *g, uint32_t start)
{
    int32_t at = g->nodes[start].next;
    for (uint32_t steps = 0; at >= 0 && at > (int32_t)start && steps < g->n; steps++)
        at = g->nodes[at].next;
    return at == (int32_t)start;
}

/* Cuts what the later search does not find as it was. */
static void confirm(struct graph *g, const struct graph *again)
{
    for (uint32_t i = 0; i < g->n; i++) {
        struct node *a = &g->nodes[i];
        int32_t k = find(again, a->java);
        const struct node *b = k >= 0 ? &again->nodes[k] : NULL;
        bool same = a->next >= 0 && b && b->next >= 0 && b->lock == a->lock && b->parked == a->parked &&
                    again->nodes[b->next].java == g->nodes[a->next].java;
        if (!same)
            a->next = -1;
    }
}

static uint32_t circles(const struct graph *g)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->n; i++)
        n += leads(g, i);
    return n;
}

/* A thread's name, with what would break the line replaced. */
static void add_name(struct wick_strbuf *out, const struct node *node)
{
    char name[256];
    struct wick_thread_name n;
    bool known = wick_threads_name(&wick_vm.threads, node->serial, &n, name, sizeof name);
    wick_strbuf_addc(out, '"');
    for (const char *c = !known ? "?" : n.java_name ? n.java_name : n.os_name; *c; c++)
        wick_strbuf_addc(out, (unsigned char)*c < 0x20 || *c == 0x7f ? '?' : *c);
    wick_strbuf_addf(out, "\" (tid %d)", (int)node->tid);
}

static void add_lock(struct wick_strbuf *out, const struct node *node)
{
    if (!node->parked) {
        wick_strbuf_addf(out, "a monitor (%#" PRIx64 ")", node->lock);
        return;
    }
    for (const char *c = node->class_name; *c; c++)
        wick_strbuf_addc(out, *c == '/' ? '.' : (unsigned char)*c < 0x20 ? '?' : *c);
    wick_strbuf_addf(out, "@%" PRIx64, node->lock);
}

/* "a" (tid 1) waits for LOCK held by "b" (tid 2) */
static void add_wait(struct wick_strbuf *out, const struct graph *g, uint32_t i)
{
    add_name(out, &g->nodes[i]);
    wick_strbuf_adds(out, " waits for ");
    add_lock(out, &g->nodes[i]);
    wick_strbuf_adds(out, " held by ");
    add_name(out, &g->nodes[g->nodes[i].next]);
}

static void add_circles(struct wick_strbuf *out, const struct graph *g)
{
    uint32_t number = 0;
    wick_strbuf_addf(out, "deadlocks=%" PRIu32 "\n", circles(g));
    for (uint32_t i = 0; i < g->n; i++) {
        if (!leads(g, i))
            continue;
        wick_strbuf_addf(out, "deadlock_%" PRIu32 "=", ++number);
        add_wait(out, g, i);
        for (int32_t at = g->nodes[i].next; at != (int32_t)i; at = g->nodes[at].next) {
            wick_strbuf_adds(out, ", which waits for ");
            add_lock(out, &g->nodes[at]);
            wick_strbuf_adds(out, " held by ");
            add_name(out, &g->nodes[g->nodes[at].next]);
        }
        wick_strbuf_addc(out, '\n');
    }
}

static void add_waits(struct wick_strbuf *out, const struct graph *g)
{
    uint32_t waits = 0;
    for (uint32_t i = 0; i < g->n; i++)
        waits += g->nodes[i].next >= 0;
    wick_strbuf_addf(out, "lasting_waits=%" PRIu32 "\n", waits);
    if (g->unknown)
        wick_strbuf_addf(out, "unknown_waits=%" PRIu32 "\n", g->unknown);
    for (uint32_t i = 0, shown = 0; i < g->n && shown < WAITS_SHOWN; i++) {
        if (g->nodes[i].next < 0)
            continue;
        wick_strbuf_addf(out, "wait_%" PRIu32 "=", ++shown);
        add_wait(out, g, i);
        wick_strbuf_addc(out, '\n');
    }
}

static bool waits_at_all(const struct graph *g)
{
    for (uint32_t i = 0; i < g->n; i++)
        if (g->nodes[i].next >= 0)
            return true;
    return false;
}

/* Two graphs, of the first pass and of a later one; NULL without memory. */
static struct graph *new_graphs(void)
{
    return calloc(2, sizeof(struct graph));
}

static void free_graphs(struct graph *g)
{
    if (g) {
        free(g[0].nodes);
        free(g[1].nodes);
    }
    free(g);
}

/* All passes, one after another; what lasts is in the first graph. False: nothing is known, or the JVM goes down. */
static bool search_all(struct graph *g)
{
    bool good = g && wick_load_acquire(&wick_vm.live) && look(g, true); /* pairs: become_live in vm.c */
    bool parked = good && g->parked;
    for (int pass = 1; good && pass < PASSES && waits_at_all(g); pass++) {
        const struct timespec pause = {.tv_nsec = PAUSE_NS};
        nanosleep(&pause, NULL);
        good = !wick_load_relaxed(&wick_vm.dying) && look(g + 1, true);
        if (good)
            confirm(g, g + 1);
        parked = parked && g[1].parked;
    }
    if (good)
        g->parked = parked;
    return good;
}

void wick_deadlocks_describe(char *buf, size_t cap)
{
    struct graph *g = new_graphs();
    struct wick_strbuf out = WICK_STRBUF_INIT;
    if (search_all(g)) {
        add_circles(&out, g);
        add_waits(&out, g);
    }
    /* what has no room ends with a whole line */
    snprintf(buf, cap, "%s", out.buf);
    if (out.len >= cap && strrchr(buf, '\n'))
        strrchr(buf, '\n')[1] = 0;
    wick_strbuf_release(&out);
    free_graphs(g);
}

/* ---- in recordings ---- */

/* What the drain thread searches in, or what a search has found that is not yet written. */
static struct {
    struct graph *graphs; /* NULL = no search goes on */
    uint64_t due_ns;
    int passes;    /* that were made */
    bool on;       /* a recording of waiting for locks runs */
    bool found;    /* the search is over */
    bool complete; /* all threads, with what they are parked on */
} watch;

static void watch_clear(void)
{
    free_graphs(watch.graphs);
    watch.graphs = NULL;
    watch.found = false;
    watch.passes = 0;
}

void wick_deadlocks_open(void)
{
    watch_clear();
    watch.on = wick_lock_running();
    watch.due_ns = wick_clock_mono_ns() + SEARCH_NS;
}

void wick_deadlocks_round(uint64_t now_ns)
{
    struct graph *g = watch.graphs;
    if (!watch.on || watch.found || now_ns < watch.due_ns || wick_load_relaxed(&wick_vm.dying))
        return;
    if (!g)
        g = watch.graphs = new_graphs();
    bool good = g && look(g + (watch.passes > 0), false);
    if (good && watch.passes++)
        confirm(g, g + 1);
    if (good && watch.passes < PASSES && waits_at_all(g))
        return; /* goes on in the next round */
    watch.due_ns = now_ns + SEARCH_NS;
    watch.found = good;
    watch.complete = false;
    if (!good)
        watch_clear();
}

void wick_deadlocks_last(void)
{
    if (!watch.on)
        return;
    watch_clear();
    watch.on = false;
    watch.graphs = wick_load_relaxed(&wick_vm.dying) ? NULL : new_graphs();
    watch.found = search_all(watch.graphs);
    watch.complete = watch.found && watch.graphs->parked && watch.graphs->n < THREADS_MOST;
    if (!watch.found)
        watch_clear();
}

static void write_wait(struct wick_jfr_writer *w, const struct graph *g, uint32_t i, uint32_t circle, uint64_t now_ns)
{
    const struct node *node = &g->nodes[i];
    const struct wick_jfr_deadlock event = {
        .start_ns = now_ns,
        .thread = node->serial,
        .owner = g->nodes[node->next].serial,
        .circle = circle,
        .class_name = node->class_name,
        .parked = node->parked,
        .lock = node->lock,
    };
    wick_jfr_write_deadlock(w, &event);
}

bool wick_deadlocks_write(struct wick_jfr_writer *w, uint64_t now_ns)
{
    const struct graph *g = watch.graphs;
    if (!watch.found)
        return false;
    uint32_t number = 0, n = circles(g);
    const struct wick_jfr_deadlock_search search = {
        .start_ns = now_ns, .threads = g->n, .circles = n, .unknown = g->unknown, .complete = watch.complete};
    wick_jfr_write_deadlock_search(w, &search);
    for (uint32_t i = 0; i < g->n; i++) {
        if (!leads(g, i))
            continue;
        write_wait(w, g, i, ++number, now_ns);
        for (int32_t at = g->nodes[i].next; at != (int32_t)i; at = g->nodes[at].next)
            write_wait(w, g, (uint32_t)at, number, now_ns);
    }
    watch_clear();
    return n > 0;
}
