/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deadlocks.c - threads that wait for each other in a circle
 *
 * Every Java thread waits for at most one other: the owner of the monitor that it wants to enter, which is read from
 * its JavaThread, or the owner of the lock of java.util.concurrent that it is parked on, which JNI tells. Following
 * these from a thread either ends or comes to a circle.
 *
 * Threads go on while they are looked at, so what is found might never have been true at one time. A deadlock stays:
 * what counts is a circle that each of several passes finds, with the same threads and locks.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/locks.h"
#include "agent/session.h"
#include "agent/vm.h"

enum { THREADS_MOST = 4096, PASSES = 3, PAUSE_NS = 20000000 };

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
    uint32_t n;
};

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
        const struct wick_thread *t = &wick_vm.threads.slots[i];
        wick_addr java = wick_load_acquire(&t->java); /* pairs: wick_threads_java */
        if (java)
            g->nodes[g->n++] =
                (struct node){.java = java, .serial = t->serial, .tid = wick_load_relaxed(&t->tid), .next = -1};
    }
}

static void add_monitors(struct graph *g)
{
    for (uint32_t i = 0; i < g->n; i++) {
        struct node *node = &g->nodes[i];
        struct wick_hs_monitor m;
        wick_addr monitor = wick_hs_monitor_pending(&wick_vm.jvm, node->java);
        if (!monitor)
            continue;
        wick_hs_monitor_init(&m, &wick_vm.jvm, monitor, wick_hs_monitor_owner(&wick_vm.jvm, monitor));
        for (uint32_t k = 0; k < g->n && node->next < 0; k++)
            if (k != i && wick_hs_monitor_owned_by(&wick_vm.jvm, &m, g->nodes[k].java))
                node->next = (int32_t)k;
        node->lock = monitor;
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

/* Looks once. False: no memory. */
static bool look(struct graph *g)
{
    g->n = 0;
    if (!g->nodes)
        g->nodes = malloc(THREADS_MOST * sizeof *g->nodes);
    if (!g->nodes)
        return false;
    add_threads(g);
    add_monitors(g);
    wick_agent_locks_parked(add_parked, g);
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

/* Cuts what the later look does not find as it was. */
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

static void tell(struct wick_strbuf *out, const struct graph *g)
{
    uint32_t number = 0;
    wick_strbuf_addf(out, "deadlocks=%" PRIu32 "\n", circles(g));
    for (uint32_t i = 0; i < g->n; i++) {
        if (!leads(g, i))
            continue;
        wick_strbuf_addf(out, "deadlock_%" PRIu32 "=", ++number);
        int32_t at = (int32_t)i;
        do {
            const struct node *node = &g->nodes[at];
            wick_strbuf_adds(out, at == (int32_t)i ? "" : ", which waits for ");
            if (at == (int32_t)i) {
                add_name(out, node);
                wick_strbuf_adds(out, " waits for ");
            }
            add_lock(out, node);
            wick_strbuf_adds(out, " held by ");
            at = node->next;
            add_name(out, &g->nodes[at]);
        } while (at != (int32_t)i);
        wick_strbuf_addc(out, '\n');
    }
}

void wick_session_deadlocks(char *buf, size_t cap)
{
    struct graph g = {0}, again = {0};
    struct wick_strbuf out = WICK_STRBUF_INIT;
    bool good = atomic_load(&wick_vm.live) && look(&g);
    for (int pass = 1; good && pass < PASSES && circles(&g); pass++) {
        const struct timespec pause = {.tv_nsec = PAUSE_NS};
        nanosleep(&pause, NULL);
        good = look(&again);
        if (good)
            confirm(&g, &again);
    }
    if (good)
        tell(&out, &g);
    snprintf(buf, cap, "%s", out.buf);
    wick_strbuf_release(&out);
    free(g.nodes);
    free(again.nodes);
}
