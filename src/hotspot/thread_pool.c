/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_pool.c - JavaThread -> Thread -> what it runs -> the pool -> its queue
 *
 *     Thread -(holder)-> task (-> its wrapped task) = Worker -> this$0 = ThreadPoolExecutor
 *                                                                     -> ctl, corePoolSize, maximumPoolSize
 *                                                                     -> workQueue -> count, capacity, tasks
 *     TimerThread -> queue = TaskQueue -> size, tasks
 *
 * Every step is checked: the Thread by its JavaThread's address, the others by their classes. So memory that other
 * objects have by now is not taken for a pool.
 */
#include "hotspot/thread_pool.h"

#include <string.h>

#include "base/clock.h"
#include "hotspot/klass.h"
#include "hotspot/value.h"

/* ThreadPoolExecutor.ctl: the number of workers, below the state of the executor. */
#define WORKERS_MASK 0x1fffffffu

static wick_addr load(const struct wick_jvm *jvm, const struct wick_hs_pool_fields *f, wick_addr object, int32_t field)
{
    return object && field ? wick_hs_oop_load_newest(jvm, &f->moves, object + (unsigned)field) : 0;
}

static uint32_t number(const struct wick_jvm *jvm, wick_addr object, int32_t field)
{
    return object && field ? wick_hs_u32(jvm->mem, object + (unsigned)field) : 0;
}

/* Whether the field's reference is null, which an unreadable one is not. */
static bool is_null(const struct wick_jvm *jvm, wick_addr object, int32_t field)
{
    enum { COLOUR_BITS = 16 }; /* generational ZGC: null has a colour */
    uint64_t v = 0;
    size_t n = jvm->step.oop_kind == WICK_OOP_NARROW ? sizeof(uint32_t) : sizeof v;
    if (wick_mem_read(jvm->mem, object + (unsigned)field, &v, n))
        return false;
    return !(jvm->step.oop_kind == WICK_OOP_COLOURED ? v >> COLOUR_BITS : v);
}

static wick_addr thread_object(const struct wick_jvm *jvm, const struct wick_hs_pool_fields *f, wick_addr java_thread)
{
    int32_t at = jvm->layout.thread_object;
    wick_addr v = at != WICK_HS_NONE ? wick_hs_u64(jvm->mem, java_thread + (unsigned)at) : 0;
    wick_addr object = v && jvm->major >= 16 ? wick_hs_oop_resolve(jvm, v) : v;
    object = wick_hs_oop_newest(jvm, &f->moves, object);
    return object && wick_hs_u64(jvm->mem, object + (unsigned)f->eetop) == java_thread ? object : 0;
}

/* Whether a Klass is still that of the class of that name; NULL = it cannot be another one's. */
static bool is_named(const struct wick_jvm *jvm, wick_addr klass, const char *name)
{
    char now[WICK_HS_POOL_CLASS] = "";
    if (name)
        wick_hs_klass_name_sig(jvm, klass, now, sizeof now);
    return !name || !strcmp(now, name);
}

/* What is in a wrapper, or in one in another; its class is 0 if that cannot be read. */
static wick_addr unwrap(const struct wick_jvm *jvm, const struct wick_hs_pool_fields *f, wick_addr task,
                        wick_addr *klass)
{
    *klass = wick_hs_klass_of(jvm, task);
    for (int i = 0, depth = 0; *klass && depth < WICK_HS_WRAPPED && i < WICK_HS_WRAPPERS && f->wrappers[i].klass;) {
        if (f->wrappers[i++].klass != *klass || !is_named(jvm, *klass, f->wrappers[i - 1].name))
            continue;
        task = load(jvm, f, task, f->wrappers[i - 1].task);
        *klass = wick_hs_klass_of(jvm, task);
        i = 0;
        depth++;
    }
    return task;
}

/* By the class of its workers. */
static const struct wick_hs_executor_fields *executor_of(const struct wick_jvm *jvm,
                                                         const struct wick_hs_pool_fields *f, wick_addr worker)
{
    for (int i = 0; i < WICK_HS_EXECUTORS && f->executors[i].worker; i++)
        if (f->executors[i].worker == worker && is_named(jvm, worker, f->executors[i].name))
            return &f->executors[i];
    return NULL;
}

enum wick_hs_pool_found wick_hs_pool_of(const struct wick_jvm *jvm, const struct wick_hs_pool_fields *f,
                                        wick_addr java_thread, wick_addr *object)
{
    wick_addr thread = thread_object(jvm, f, java_thread), klass = wick_hs_klass_of(jvm, thread);
    if (!klass)
        return WICK_HS_POOL_UNREADABLE;
    if (f->timer && klass == f->timer) {
        *object = load(jvm, f, thread, f->timer_queue);
        return *object ? WICK_HS_POOL_TIMER : WICK_HS_POOL_UNREADABLE;
    }
    wick_addr holder = f->holder ? load(jvm, f, thread, f->holder) : thread;
    if (!holder)
        return WICK_HS_POOL_UNREADABLE;
    wick_addr task = load(jvm, f, holder, f->task);
    *object = 0;
    if (!task)
        return is_null(jvm, holder, f->task) ? WICK_HS_POOL_NONE : WICK_HS_POOL_UNREADABLE;
    task = unwrap(jvm, f, task, &klass);
    const struct wick_hs_executor_fields *e = klass ? executor_of(jvm, f, klass) : NULL;
    *object = e ? load(jvm, f, task, e->pool) : klass;
    if (!e)
        return klass ? WICK_HS_POOL_NONE : WICK_HS_POOL_UNREADABLE;
    wick_addr executor = wick_hs_klass_of(jvm, *object);
    if (wick_hs_klass_is(jvm, executor, e->executor))
        return WICK_HS_POOL_EXECUTOR;
    *object = klass;
    return executor && e->name ? WICK_HS_POOL_NONE : WICK_HS_POOL_UNREADABLE; /* loaded anew at the same place */
}

static const struct wick_hs_queue_fields *queue_of(const struct wick_jvm *jvm, const struct wick_hs_pool_fields *f,
                                                   wick_addr klass)
{
    for (size_t i = 0; i < sizeof f->queues / sizeof *f->queues && f->queues[i].klass; i++)
        if (wick_hs_klass_is(jvm, klass, f->queues[i].klass))
            return &f->queues[i];
    return NULL;
}

static bool is_cancelled(const struct wick_jvm *jvm, const struct wick_hs_queue_fields *q, wick_addr task,
                         wick_addr klass)
{
    uint32_t state = q->task && wick_hs_klass_is(jvm, klass, q->task) ? number(jvm, task, q->state) : 0;
    return state >= q->cancelled_from && state <= q->cancelled_to && state;
}

/* One of each so many tasks in the array. Those that are not of the known class cannot be cancelled. */
static void examine(const struct wick_jvm *jvm, const struct wick_hs_pool_fields *f,
                    const struct wick_hs_queue_fields *q, wick_addr array, struct wick_hs_pool *out)
{
    uint32_t data = (uint32_t)wick_hs_klass_array_data(jvm, wick_hs_klass_of(jvm, array)),
             length = number(jvm, array, f->array_length), queued = (uint32_t)out->queued,
             each = jvm->step.oop_kind == WICK_OOP_NARROW ? sizeof(uint32_t) : sizeof(uint64_t);
    for (uint32_t i = 0, stride = wick_hs_pool_stride(queued); data && i < queued / stride; i++) {
        uint32_t index = q->first + wick_hs_pool_task(i, stride);
        if (index >= length)
            return;
        wick_addr task = wick_hs_oop_load_newest(jvm, &f->moves, array + data + (uint64_t)index * each);
        wick_addr klass = wick_hs_klass_of(jvm, task);
        if (!klass)
            continue;
        out->examined++;
        out->cancelled += is_cancelled(jvm, q, task, klass);
    }
}

/* How long ago the first task was due; one that is cancelled never runs. System.nanoTime() is CLOCK_MONOTONIC, and its
 * differences are what counts. */
static int64_t overdue_ns(const struct wick_jvm *jvm, const struct wick_hs_pool_fields *f,
                          const struct wick_hs_queue_fields *q, wick_addr array, int64_t queued)
{
    enum { NS_PER_MS = 1000000 };
    int32_t data = wick_hs_klass_array_data(jvm, wick_hs_klass_of(jvm, array));
    uint32_t each = jvm->step.oop_kind == WICK_OOP_NARROW ? sizeof(uint32_t) : sizeof(uint64_t);
    if (!queued)
        return 0;
    if (data <= 0 || number(jvm, array, f->array_length) <= q->first)
        return -1;
    wick_addr task = wick_hs_oop_load_newest(jvm, &f->moves, array + (unsigned)data + (uint64_t)q->first * each);
    wick_addr klass = wick_hs_klass_of(jvm, task);
    if (!wick_hs_klass_is(jvm, klass, q->timed) || is_cancelled(jvm, q, task, klass))
        return -1;
    uint64_t due = wick_hs_u64(jvm->mem, task + (unsigned)q->due);
    if (!due) /* unreadable */
        return -1;
    int64_t since =
        q->due_epoch_ms ? (int64_t)(wick_clock_epoch_ns() / NS_PER_MS - due) : (int64_t)(wick_clock_mono_ns() - due);
    if (since <= 0)
        return 0;
    return !q->due_epoch_ms ? since : since < INT64_MAX / NS_PER_MS ? since * NS_PER_MS : -1;
}

/* What the queue says of itself. */
static bool read_queue(const struct wick_jvm *jvm, const struct wick_hs_pool_fields *f, enum wick_hs_pool_found what,
                       wick_addr queue, bool tasks, struct wick_hs_pool *out)
{
    wick_addr klass = wick_hs_klass_of(jvm, queue);
    if (!klass)
        return false;
    wick_hs_klass_name_sig(jvm, klass, out->queue_class, sizeof out->queue_class);
    const struct wick_hs_queue_fields *q = queue_of(jvm, f, klass);
    if (!q)
        return what != WICK_HS_POOL_TIMER;
    wick_addr counter = load(jvm, f, queue, q->counter), array = load(jvm, f, queue, q->elements);
    if ((q->counter && !counter) || (q->elements && !array))
        return false;
    uint32_t capacity = q->fixed ? number(jvm, array, f->array_length) : number(jvm, queue, q->capacity);
    bool limited = (q->fixed || q->capacity) && capacity < INT32_MAX;
    bool holds_none = !q->count && !q->counter;
    int32_t queued = (int32_t)(q->counter ? number(jvm, counter, f->value) : number(jvm, queue, q->count));
    out->queued = queued > 0 ? queued : 0;
    out->capacity = limited ? (int64_t)capacity : holds_none ? 0 : -1;
    if (tasks && q->task && array)
        examine(jvm, f, q, array, out);
    if (q->timed && array)
        out->overdue_ns = overdue_ns(jvm, f, q, array, out->queued);
    return true;
}

static const struct wick_hs_executor_fields *class_of(const struct wick_jvm *jvm, const struct wick_hs_pool_fields *f,
                                                      wick_addr executor)
{
    wick_addr klass = wick_hs_klass_of(jvm, executor);
    for (int i = 0; i < WICK_HS_EXECUTORS && f->executors[i].worker; i++)
        if (wick_hs_klass_is(jvm, klass, f->executors[i].executor))
            return &f->executors[i];
    return NULL;
}

bool wick_hs_pool_read(const struct wick_jvm *jvm, const struct wick_hs_pool_fields *f, enum wick_hs_pool_found what,
                       wick_addr object, bool tasks, struct wick_hs_pool *out)
{
    *out = (struct wick_hs_pool){.threads = 1, .core = 1, .maximum = 1, .queued = -1, .capacity = -1, .overdue_ns = -1};
    if (what == WICK_HS_POOL_TIMER)
        return read_queue(jvm, f, what, object, tasks, out);
    const struct wick_hs_executor_fields *e = what == WICK_HS_POOL_EXECUTOR ? class_of(jvm, f, object) : NULL;
    wick_addr control = e ? load(jvm, f, object, e->control) : 0, queue = e ? load(jvm, f, object, e->queue) : 0;
    if (!control || !queue)
        return false;
    out->threads = number(jvm, control, f->value) & WORKERS_MASK;
    out->core = number(jvm, object, e->core);
    out->maximum = number(jvm, object, e->maximum);
    return read_queue(jvm, f, what, queue, tasks, out);
}
