/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gc.c - a queue from the callbacks to the drain thread, and a count by which readers notice that objects have moved
 *
 * The count (wick_gc_moves) becomes odd at the start of a collection and even, and greater, at its end. A reader of
 * objects in memory takes it before and after, and drops what it read if it was odd or has changed: nothing in the
 * collector waits for readers.
 *
 * Callbacks come one after another, since each is inside a stop of the world, so the queue has one writer at a time;
 * the reader is the drain thread. What JVMTI does not say comes from jvmstat counters, which lie in memory that stays:
 * the cause, and which collector's number of invocations grew. What is in use comes from the collectors' own
 * structures, which stand still like everything else: the counters of spaces say at the start what the collection
 * before left, and Shenandoah's at the end what was in use some time ago. Where the structures are not known (CMS) the
 * counters have it for the end.
 */
#include "agent/jvm/gc.h"

#include <stdio.h>
#include <string.h>

#include "agent/jvm/vm.h"
#include "base/atomic.h"
#include "base/clock.h"
#include "hotspot/heap_use.h"

enum { QUEUE = 2048, COLLECTORS = 4, SPACES = 12, CAUSE = 48, NAME = 48 };

struct collection {
    uint64_t begin_ns, end_ns, used_before, used_after;
    char cause[CAUSE];
    uint32_t collector; /* COLLECTORS = not known */
};

static struct {
    _Atomic uint32_t moves; /* odd while a collection has stopped the world */
    _Atomic bool open;      /* a recording runs and the counters are found */
    _Atomic uint64_t head, tail;
    struct collection queue[QUEUE];
    struct collection now;
    uint64_t invocations[COLLECTORS];
    _Atomic uint64_t lost;
    bool calls_back;  /* the JVM calls back */
    uint32_t next_id; /* the reader's */
} gc;

static struct {
    const char *cause, *last_cause;
    const uint64_t *invocations[COLLECTORS], *used[SPACES];
    const char *name[COLLECTORS];
} counters;

static uint64_t load(const uint64_t *counter)
{
    return counter ? *(const volatile uint64_t *)counter : 0;
}

/* Before or after the collector's own scope the cause is "No GC" and the last one says more. */
static void read_cause(const char *counter)
{
    bool known = gc.now.cause[0] && strcmp(gc.now.cause, "No GC") != 0;
    if (counter && !known)
        snprintf(gc.now.cause, CAUSE, "%.47s", counter);
}

static void JNICALL gc_start(jvmtiEnv *jvmti)
{
    (void)jvmti;
    /* pairs: the fences of the readers, in java_names.c and direct_buffers.c; seq_cst: before the objects are moved */
    atomic_store(&gc.moves, wick_load_relaxed(&gc.moves) | 1);
    if (!wick_load_acquire(&gc.open)) /* pairs: wick_gc_open */
        return;
    gc.now = (struct collection){.begin_ns = wick_clock_mono_ns(), .used_before = wick_hs_heap_use(&wick_vm.jvm)};
    for (int i = 0; i < COLLECTORS; i++)
        gc.invocations[i] = load(counters.invocations[i]);
    read_cause(counters.cause);
}

static uint64_t used_after(void)
{
    uint64_t used = wick_hs_heap_use(&wick_vm.jvm), counted = 0;
    for (int i = 0; i < SPACES; i++)
        counted += load(counters.used[i]);
    return used ? used : counted;
}

static void JNICALL gc_finish(jvmtiEnv *jvmti)
{
    (void)jvmti;
    wick_store_release(&gc.moves, (wick_load_relaxed(&gc.moves) | 1) + 1); /* pairs: wick_gc_moves */
    uint64_t tail = wick_load_relaxed(&gc.tail);
    if (!wick_load_acquire(&gc.open) || !gc.now.begin_ns) /* pairs: wick_gc_open */
        return;
    gc.now.end_ns = wick_clock_mono_ns();
    gc.now.collector = COLLECTORS;
    read_cause(counters.cause);
    read_cause(counters.last_cause);
    for (uint32_t i = COLLECTORS; i-- > 0;)
        if (load(counters.invocations[i]) != gc.invocations[i])
            gc.now.collector = i;
    gc.now.used_after = used_after();
    if (tail - wick_load_acquire(&gc.head) >= QUEUE) { /* pairs: wick_gc_write */
        wick_add_relaxed(&gc.lost, 1);
    } else {
        gc.queue[tail % QUEUE] = gc.now;
        wick_store_release(&gc.tail, tail + 1); /* pairs: wick_gc_write */
    }
    gc.now.begin_ns = 0;
}

uint32_t wick_gc_moves(void)
{
    return wick_load_acquire(&gc.moves); /* pairs: gc_finish */
}

bool wick_gc_calls_back(void)
{
    return gc.calls_back;
}

void wick_gc_init(JavaVM *vm)
{
    const jvmtiCapabilities wanted = {.can_generate_garbage_collection_events = 1};
    const jvmtiEventCallbacks cb = {.GarbageCollectionStart = gc_start, .GarbageCollectionFinish = gc_finish};
    jvmtiEnv *ti;
    if ((*vm)->GetEnv(vm, (void **)&ti, JVMTI_VERSION_1_0) != JNI_OK)
        return;
    if ((*ti)->AddCapabilities(ti, &wanted) || (*ti)->SetEventCallbacks(ti, &cb, sizeof cb) ||
        (*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_GARBAGE_COLLECTION_START, NULL) ||
        (*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH, NULL))
        (*ti)->DisposeEnvironment(ti);
    else
        gc.calls_back = true;
}

static const void *counter(const char *fmt, int a, int b)
{
    char name[64];
    snprintf(name, sizeof name, fmt, a, b);
    return (const void *)(uintptr_t)wick_jvm_perf_counter(&wick_vm.jvm, name);
}

void wick_gc_open(void)
{
    if (!wick_load_relaxed(&gc.open)) {
        int spaces = 0;
        counters.cause = counter("sun.gc.cause", 0, 0);
        counters.last_cause = counter("sun.gc.lastCause", 0, 0);
        for (int i = 0; i < COLLECTORS; i++) {
            counters.invocations[i] = counter("sun.gc.collector.%d.invocations", i, 0);
            counters.name[i] = counter("sun.gc.collector.%d.name", i, 0);
        }
        for (int g = 0; g < 3; g++)
            for (int s = 0; s < SPACES / 3; s++)
                counters.used[spaces++] = counter("sun.gc.generation.%d.space.%d.used", g, s);
        wick_store_release(&gc.open, true); /* pairs: gc_start, gc_finish */
    }
    wick_store_release(&gc.head, wick_load_acquire(&gc.tail)); /* pairs: gc_finish */
}

void wick_gc_write(struct wick_jfr_writer *w)
{
    uint64_t head = wick_load_relaxed(&gc.head), tail = wick_load_acquire(&gc.tail); /* pairs: gc_finish */
    for (; head < tail; head++) {
        const struct collection *c = &gc.queue[head % QUEUE];
        char name[NAME] = "";
        if (c->collector < COLLECTORS && counters.name[c->collector])
            snprintf(name, sizeof name, "%.47s", counters.name[c->collector]);
        const struct wick_jfr_garbage_collection event = {
            .start_ns = c->begin_ns,
            .duration_ns = c->end_ns - c->begin_ns,
            .gc_id = ++gc.next_id,
            .name = name,
            .cause = c->cause,
            .sum_of_pauses_ns = c->end_ns - c->begin_ns,
            .longest_pause_ns = c->end_ns - c->begin_ns,
            .used_after = c->used_after,
            .used_before = c->used_before,
        };
        wick_jfr_write_garbage_collection(w, &event);
        wick_store_release(&gc.head, head + 1); /* pairs: gc_finish */
    }
}
