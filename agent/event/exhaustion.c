/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exhaustion.c - see exhaustion.h
 *
 * A program that is out of memory may fail thousands of times a second, in many threads. Reports go into a queue of
 * fixed size, each by the thread that failed, which takes a place by adding to `tail`; what finds no room is counted.
 */
#include "agent/event/exhaustion.h"

#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/jvm/vm.h"
#include "base/atomic.h"
#include "base/clock.h"

#define LOOK_NS 10000000000ull

enum { QUEUE = 64, MESSAGE = 96 };

struct report {
    _Atomic uint64_t ready; /* number of the report + 1, once it is complete */
    uint64_t time_ns;
    uint32_t thread;
    jint flags;
    char message[MESSAGE];
};

static struct {
    _Atomic uint64_t head, tail, missed;
    struct report queue[QUEUE];
    _Atomic bool open; /* a recording runs */
    uint64_t looked_ns;
} reports;

static uint32_t own_thread(void)
{
    const struct wick_engine_thread *t = wick_threads_find_sig(&wick_vm.threads, (int32_t)syscall(SYS_gettid));
    return t ? t->serial : 0;
}

static void JNICALL exhausted(jvmtiEnv *jvmti, JNIEnv *env, jint flags, const void *reserved, const char *message)
{
    (void)jvmti, (void)env, (void)reserved;
    if (!wick_load_acquire(&reports.open)) /* pairs: wick_exhaustion_open */
        return;
    uint64_t at = wick_load_relaxed(&reports.tail);
    do {
        if ((int64_t)(at - wick_load_acquire(&reports.head)) >= QUEUE) { /* pairs: wick_exhaustion_write */
            wick_add_relaxed(&reports.missed, 1);
            return;
        }
    } while (!wick_cas_acq_rel(&reports.tail, &at, at + 1)); /* pairs: itself, in other threads */
    struct report *r = &reports.queue[at % QUEUE];
    r->time_ns = wick_clock_mono_ns();
    r->thread = own_thread();
    r->flags = flags;
    snprintf(r->message, sizeof r->message, "%s", message ? message : "");
    wick_store_release(&r->ready, at + 1); /* pairs: wick_exhaustion_write */
}

void wick_exhaustion_init(JavaVM *vm)
{
    const jvmtiCapabilities wanted = {.can_generate_resource_exhaustion_heap_events = 1,
                                      .can_generate_resource_exhaustion_threads_events = 1};
    const jvmtiEventCallbacks cb = {.ResourceExhausted = exhausted};
    jvmtiEnv *ti;
    if ((*vm)->GetEnv(vm, (void **)&ti, JVMTI_VERSION_1_1) != JNI_OK)
        return;
    if ((*ti)->AddCapabilities(ti, &wanted) || (*ti)->SetEventCallbacks(ti, &cb, sizeof cb) ||
        (*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_RESOURCE_EXHAUSTED, NULL))
        (*ti)->DisposeEnvironment(ti);
}

void wick_exhaustion_open(void)
{
    wick_store_release(&reports.head, wick_load_acquire(&reports.tail)); /* pairs: exhausted */
    wick_store_relaxed(&reports.missed, 0);
    reports.looked_ns = 0;
    wick_store_release(&reports.open, true); /* pairs: exhausted */
}

bool wick_exhaustion_write(struct wick_jfr_writer *w, uint64_t now_ns)
{
    uint64_t head = wick_load_relaxed(&reports.head), first = head;
    for (;; head++) {
        const struct report *r = &reports.queue[head % QUEUE];
        if (wick_load_acquire(&r->ready) != head + 1) /* pairs: exhausted */
            break;
        const struct wick_jfr_out_of_memory event = {
            .start_ns = r->time_ns,
            .thread = r->thread,
            .message = r->message,
            .heap = (r->flags & JVMTI_RESOURCE_EXHAUSTED_JAVA_HEAP) != 0,
            .threads = (r->flags & JVMTI_RESOURCE_EXHAUSTED_THREADS) != 0,
            .missed = atomic_exchange(&reports.missed, 0),
        };
        wick_jfr_write_out_of_memory(w, &event);
        wick_store_release(&reports.head, head + 1); /* pairs: exhausted */
    }
    if (head == first || (reports.looked_ns && now_ns - reports.looked_ns < LOOK_NS))
        return false;
    reports.looked_ns = now_ns;
    return true;
}
