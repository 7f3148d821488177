/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of threads in a JVM's memory: a worker leads to its executor, a timer's thread to its queue. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/clock.h"
#include "fake_space.h"
#include "hotspot/thread_pool.h"
#include "hotspot/value.h"

/* Offsets of the fields: all objects have the class at KLASS. */
enum {
    THREAD_OBJECT = 8,
    KLASS = 8,
    EETOP = 16,
    HOLDER = 24,
    TASK = 16,
    POOL = 24,
    VALUE = 12,
    LENGTH = 12,
    DATA = 16
};
enum { CORE = 16, MAXIMUM = 20, CONTROL = 24, QUEUE = 32, COUNT = 16, CAPACITY = 20, ELEMENTS = 24, STATE = 16 };
enum { SUPER = 8, NAME = 16, HELPER = 24, SYMBOL_LENGTH = 0, SYMBOL_BODY = 2, RUNNING = 0x20000000 };

static struct space space;
static struct wick_jvm jvm;
static struct wick_hs_pool_fields fields;
static struct wick_hs_pool found;
static wick_addr java_thread, handle, thread, holder, worker, executor, control, queue, counter, tasks, object;
static wick_addr task_class, array_class, timer_queue_class;

static wick_addr class_of(const char *name, wick_addr super)
{
    wick_addr c = space_take(&space, 64), symbol = space_take(&space, 128);
    space_put16(&space, symbol + SYMBOL_LENGTH, (uint16_t)strlen(name));
    space_put(&space, symbol + SYMBOL_BODY, name, strlen(name));
    space_put64(&space, c + SUPER, super);
    space_put64(&space, c + NAME, symbol);
    return c;
}

static wick_addr object_of(wick_addr class)
{
    wick_addr o = space_take(&space, 64);
    space_put32(&space, o + KLASS, (uint32_t) class);
    return o;
}

static wick_addr counter_of(uint32_t value)
{
    wick_addr o = object_of(class_of("AtomicInteger", 0));
    space_put32(&space, o + VALUE, value);
    return o;
}

/* n tasks from index `first` on, of which each of so many is cancelled (0: none). */
static wick_addr tasks_of(uint32_t first, uint32_t n, uint32_t each)
{
    wick_addr a = space_take(&space, DATA + 8 * (first + n));
    space_put32(&space, a + KLASS, (uint32_t)array_class);
    space_put32(&space, a + LENGTH, first + n);
    for (uint32_t i = 0; i < n; i++) {
        wick_addr task = object_of(task_class);
        space_put32(&space, task + STATE, each && i % each == 0 ? 4 : 0);
        space_put64(&space, a + DATA + 8 * (first + i), task);
    }
    return a;
}

static void set_layout(void)
{
    space_init_jvm(&space, &jvm);
    wick_addr base = space_take(&space, 8);
    wick_addr shift = space_take(&space, 8);
    jvm.major = 21;
    jvm.layout.thread_object = THREAD_OBJECT;
    jvm.layout.object_klass = KLASS;
    jvm.layout.klass_base = base;
    jvm.layout.klass_shift = shift;
    jvm.layout.klass_super = SUPER;
    jvm.layout.klass_name = NAME;
    jvm.layout.klass_layout = HELPER;
    jvm.layout.symbol_length = SYMBOL_LENGTH;
    jvm.layout.symbol_body = SYMBOL_BODY;
}

/* A worker of an executor with 3 threads, 2 core threads and at most 8, and 17 tasks in its queue. */
static int setup(void **state)
{
    (void)state;
    set_layout();
    wick_addr linked = class_of("java/util/concurrent/LinkedBlockingQueue", 0),
              delayed = class_of("DelayedWorkQueue", 0);
    task_class = class_of("FutureTask", 0);
    array_class = class_of("[RunnableScheduledFuture", 0);
    timer_queue_class = class_of("java/util/TaskQueue", 0);
    space_put32(&space, array_class + HELPER, 0x80000000u | DATA << 16);
    fields = (struct wick_hs_pool_fields){
        .eetop = EETOP,
        .holder = HOLDER,
        .task = TASK,
        .timer_queue = QUEUE,
        .value = VALUE,
        .array_length = LENGTH,
        .executors = {{.worker = class_of("ThreadPoolExecutor$Worker", 0),
                       .executor = class_of("ThreadPoolExecutor", 0),
                       .pool = POOL,
                       .core = CORE,
                       .maximum = MAXIMUM,
                       .control = CONTROL,
                       .queue = QUEUE}},
        .timer = class_of("TimerThread", 0),
        .queues = {{.klass = linked, .counter = COUNT, .capacity = CAPACITY + 4},
                   {.klass = delayed,
                    .count = CAPACITY,
                    .elements = ELEMENTS,
                    .task = task_class,
                    .state = STATE,
                    .cancelled_from = 4,
                    .cancelled_to = 6},
                   {.klass = timer_queue_class,
                    .count = CAPACITY,
                    .elements = ELEMENTS,
                    .first = 1,
                    .task = task_class,
                    .state = STATE,
                    .cancelled_from = 4,
                    .cancelled_to = 4}},
    };
    java_thread = space_take(&space, 64);
    handle = space_take(&space, 8);
    thread = object_of(class_of("app/MyThread", 0));
    holder = object_of(class_of("Thread$FieldHolder", 0));
    worker = object_of(fields.executors[0].worker);
    executor = object_of(class_of("app/MyExecutor", fields.executors[0].executor));
    control = counter_of(RUNNING | 3);
    queue = object_of(class_of("app/MyQueue", linked));
    counter = counter_of(17);
    space_put64(&space, java_thread + THREAD_OBJECT, handle);
    space_put64(&space, handle, thread);
    space_put64(&space, thread + EETOP, java_thread);
    space_put64(&space, thread + HOLDER, holder);
    space_put64(&space, holder + TASK, worker);
    space_put64(&space, worker + POOL, executor);
    space_put64(&space, executor + CONTROL, control);
    space_put64(&space, executor + QUEUE, queue);
    space_put32(&space, executor + CORE, 2);
    space_put32(&space, executor + MAXIMUM, 8);
    space_put64(&space, queue + COUNT, counter);
    space_put32(&space, queue + CAPACITY + 4, INT32_MAX);
    return 0;
}

static enum wick_hs_pool_found pool(void)
{
    object = 0;
    enum wick_hs_pool_found what = wick_hs_pool_of(&jvm, &fields, java_thread, &object);
    return wick_hs_pool_is_found(what) && !wick_hs_pool_read(&jvm, &fields, what, object, true, &found)
               ? WICK_HS_POOL_UNREADABLE
               : what;
}

static void test_pool__of_a_worker_is_read(void **state)
{
    (void)state;
    assert_int_equal(pool(), WICK_HS_POOL_EXECUTOR);
    assert_int_equal(object, executor);
    assert_int_equal(found.threads, 3);
    assert_int_equal(found.core, 2);
    assert_int_equal(found.maximum, 8);
    assert_int_equal(found.queued, 17);
    assert_int_equal(found.capacity, -1); /* the greatest int is none */
    assert_string_equal(found.queue_class, "app/MyQueue");
    space_put32(&space, queue + CAPACITY + 4, 40);
    assert_int_equal(pool(), WICK_HS_POOL_EXECUTOR);
    assert_int_equal(found.capacity, 40);
}

/* Without compression a class takes eight bytes. */
static void test_pool__is_read_by_classes_that_are_not_compressed(void **state)
{
    (void)state;
    wick_addr flag = space_take(&space, 1);
    jvm.flag[WICK_JVM_FLAG_COMPRESSED_CLASS_POINTERS] = flag; /* off */
    assert_int_equal(pool(), WICK_HS_POOL_EXECUTOR);
    assert_int_equal(found.queued, 17);
    space_put32(&space, worker + KLASS + 4, 1);
    assert_int_equal(pool(), WICK_HS_POOL_NONE);
}

static void test_pool__of_an_unknown_queue_has_no_length(void **state)
{
    (void)state;
    space_put64(&space, executor + QUEUE, object_of(class_of("app/OwnQueue", 0)));
    assert_int_equal(pool(), WICK_HS_POOL_EXECUTOR);
    assert_int_equal(found.queued, -1);
    assert_int_equal(found.capacity, -1);
}

static void test_pool__only_of_workers(void **state)
{
    (void)state;
    wick_addr job = class_of("app/Job", 0);
    space_put64(&space, holder + TASK, object_of(job));
    assert_int_equal(pool(), WICK_HS_POOL_NONE);
    assert_int_equal(object, job);
    space_put64(&space, holder + TASK, 0);
    assert_int_equal(pool(), WICK_HS_POOL_NONE);
    assert_int_equal(object, 0);
}

static void test_pool__of_a_worker_in_wrappers_is_read(void **state)
{
    (void)state;
    wick_addr outer = class_of("web/Traced", 0), inner = class_of("web/Named", 0), first = object_of(outer),
              second = object_of(inner);
    space_put64(&space, holder + TASK, first);
    space_put64(&space, first + 24, second);
    space_put64(&space, second + 32, worker);
    assert_int_equal(pool(), WICK_HS_POOL_NONE);
    assert_int_equal(object, outer);
    fields.wrappers[0] = (struct wick_hs_wrapper_fields){inner, 32};
    fields.wrappers[1] = (struct wick_hs_wrapper_fields){outer, 24};
    assert_int_equal(pool(), WICK_HS_POOL_EXECUTOR);
    assert_int_equal(object, executor);
    assert_int_equal(found.queued, 17);
    space_put64(&space, second + 32, 0x10);
    assert_int_equal(pool(), WICK_HS_POOL_UNREADABLE);
    space_put64(&space, second + 32, first); /* a circle ends */
    assert_int_equal(pool(), WICK_HS_POOL_NONE);
}

static void test_pool__of_another_class_of_executors_is_read(void **state)
{
    enum { CORE_THERE = 40, MAXIMUM_THERE = 44, CONTROL_THERE = 48, QUEUE_THERE = 56, POOL_THERE = 32 };
    (void)state;
    wick_addr own_worker = class_of("web/Executor$Worker", 0), own = class_of("web/Executor", 0),
              another = object_of(own_worker), theirs = object_of(own);
    space_put64(&space, holder + TASK, another);
    space_put64(&space, another + POOL_THERE, theirs);
    space_put32(&space, theirs + CORE_THERE, 5);
    space_put32(&space, theirs + MAXIMUM_THERE, 200);
    space_put64(&space, theirs + CONTROL_THERE, counter_of(RUNNING | 150));
    space_put64(&space, theirs + QUEUE_THERE, queue);
    assert_int_equal(pool(), WICK_HS_POOL_NONE);
    fields.executors[1] = (struct wick_hs_executor_fields){own_worker,    own,           POOL_THERE, CORE_THERE,
                                                           MAXIMUM_THERE, CONTROL_THERE, QUEUE_THERE};
    assert_int_equal(pool(), WICK_HS_POOL_EXECUTOR);
    assert_int_equal(found.threads, 150);
    assert_int_equal(found.core, 5);
    assert_int_equal(found.maximum, 200);
    assert_int_equal(found.queued, 17);
    space_put64(&space, holder + TASK, worker);
    assert_int_equal(pool(), WICK_HS_POOL_EXECUTOR);
    assert_int_equal(found.maximum, 8);
    /* its class is loaded anew: the worker's at the same place as before, or another class there */
    space_put64(&space, holder + TASK, another);
    fields.executors[1].name = "web/Executor$Worker";
    assert_int_equal(pool(), WICK_HS_POOL_EXECUTOR);
    space_put64(&space, another + POOL_THERE, object_of(class_of("web/Executor", 0)));
    assert_int_equal(pool(), WICK_HS_POOL_NONE);
    assert_int_equal(object, own_worker);
    space_put64(&space, another + POOL_THERE, theirs);
    fields.executors[1].name = "web/OtherExecutor$Worker";
    assert_int_equal(pool(), WICK_HS_POOL_NONE);
    assert_int_equal(object, own_worker);
}

/* Generational ZGC gives null a colour as well. */
static void test_pool__of_a_thread_without_a_task_is_none_with_zgc(void **state)
{
    enum { COLOUR = 13 };
    (void)state;
    wick_addr mask = space_take(&space, 8);
    space_put64(&space, mask, UINT64_C(0xd) << 12);
    jvm.step.oop_kind = WICK_OOP_COLOURED;
    fields.moves = (struct wick_hs_moves){.how = WICK_HS_MOVES_COLOURS, .bad_mask = mask};
    space_put64(&space, handle, thread << (COLOUR + 1) | UINT64_C(1) << COLOUR);
    space_put64(&space, thread + HOLDER, holder << (COLOUR + 1) | UINT64_C(1) << COLOUR);
    space_put64(&space, holder + TASK, UINT64_C(1) << COLOUR | 0x630);
    assert_int_equal(pool(), WICK_HS_POOL_NONE);
    space_put64(&space, holder + TASK, worker << (COLOUR + 2) | UINT64_C(1) << (COLOUR + 1)); /* out of date */
    assert_int_equal(pool(), WICK_HS_POOL_UNREADABLE);
}

/* Memory that is another object's by now, or cannot be read. */
static void test_pool__is_unreadable_where_a_step_leads_elsewhere(void **state)
{
    (void)state;
    space_put64(&space, thread + EETOP, java_thread + 8);
    assert_int_equal(pool(), WICK_HS_POOL_UNREADABLE);
    setup(NULL);
    space_put64(&space, handle, 0x10);
    assert_int_equal(pool(), WICK_HS_POOL_UNREADABLE);
    setup(NULL);
    space_put64(&space, holder + TASK, 0x10);
    assert_int_equal(pool(), WICK_HS_POOL_UNREADABLE);
    setup(NULL);
    space_put64(&space, worker + POOL, queue);
    assert_int_equal(pool(), WICK_HS_POOL_UNREADABLE);
    setup(NULL);
    space_put64(&space, executor + CONTROL, 0);
    assert_int_equal(pool(), WICK_HS_POOL_UNREADABLE);
    setup(NULL);
    space_put64(&space, queue + COUNT, 0);
    assert_int_equal(pool(), WICK_HS_POOL_UNREADABLE);
}

static void delayed_queue(uint32_t n, uint32_t each)
{
    queue = object_of(fields.queues[1].klass);
    tasks = tasks_of(0, n, each);
    space_put32(&space, queue + CAPACITY, n);
    space_put64(&space, queue + ELEMENTS, tasks);
    space_put64(&space, executor + QUEUE, queue);
}

static void test_pool__cancelled_tasks_are_counted_or_estimated(void **state)
{
    (void)state;
    delayed_queue(40, 4);
    assert_int_equal(pool(), WICK_HS_POOL_EXECUTOR);
    assert_int_equal(found.queued, 40);
    assert_int_equal(found.examined, 40);
    assert_int_equal(found.cancelled, 10);
    delayed_queue(1000, 2); /* an even stride alone would meet all of them or none */
    assert_int_equal(pool(), WICK_HS_POOL_EXECUTOR);
    assert_in_range(found.examined, 32, 64);
    assert_in_range(found.cancelled, found.examined / 4, 3 * found.examined / 4);
    space_put32(&space, tasks + LENGTH, 10); /* shorter than it says of itself */
    assert_int_equal(pool(), WICK_HS_POOL_EXECUTOR);
    assert_in_range(found.examined, 0, 10);
}

/* The thread of a timer with six tasks from index 1 on. */
static void timer_of(wick_addr six)
{
    wick_addr waiting = object_of(timer_queue_class);
    thread = object_of(fields.timer);
    tasks = six;
    space_put64(&space, handle, thread);
    space_put64(&space, thread + EETOP, java_thread);
    space_put64(&space, thread + QUEUE, waiting);
    space_put32(&space, waiting + CAPACITY, 6);
    space_put64(&space, waiting + ELEMENTS, tasks);
}

static void test_pool__of_a_timer_is_its_queue(void **state)
{
    (void)state;
    timer_of(tasks_of(1, 6, 3));
    assert_int_equal(pool(), WICK_HS_POOL_TIMER);
    assert_int_equal(found.threads, 1);
    assert_int_equal(found.queued, 6);
    assert_int_equal(found.examined, 6);
    assert_int_equal(found.cancelled, 2);
    space_put64(&space, thread + QUEUE, holder);
    assert_int_equal(pool(), WICK_HS_POOL_UNREADABLE);
}

/* The first task of the array is the next one; a class of its own may have been made of it. */
static void test_pool__of_a_scheduler_says_how_long_its_next_task_has_been_due(void **state)
{
    enum { DUE = 24 };
    const uint64_t second = 1000000000, now = wick_clock_mono_ns();
    (void)state;
    delayed_queue(3, 0);
    assert_int_equal(pool(), WICK_HS_POOL_EXECUTOR);
    assert_int_equal(found.overdue_ns, -1); /* the class of such tasks is not known */
    fields.queues[1].timed = task_class;
    fields.queues[1].due = DUE;
    wick_addr first = wick_hs_u64(jvm.mem, tasks + DATA), second_task = wick_hs_u64(jvm.mem, tasks + DATA + 8);
    space_put64(&space, second_task + DUE, now - 9 * second);
    space_put64(&space, first + DUE, now - 2 * second);
    assert_int_equal(pool(), WICK_HS_POOL_EXECUTOR);
    assert_true(found.overdue_ns >= (int64_t)(2 * second));
    assert_true(found.overdue_ns <= (int64_t)(wick_clock_mono_ns() - now + 2 * second));
    space_put64(&space, first + DUE, now + 3600 * second);
    assert_int_equal(pool(), WICK_HS_POOL_EXECUTOR);
    assert_int_equal(found.overdue_ns, 0);
    space_put64(&space, first + DUE, 0); /* as memory that cannot be read */
    assert_int_equal(pool(), WICK_HS_POOL_EXECUTOR);
    assert_int_equal(found.overdue_ns, -1);
    space_put64(&space, first + DUE, now - 2 * second);
    space_put32(&space, first + STATE, 4); /* cancelled */
    assert_int_equal(pool(), WICK_HS_POOL_EXECUTOR);
    assert_int_equal(found.overdue_ns, -1);
    space_put32(&space, first + STATE, 0);
    space_put32(&space, first + KLASS, (uint32_t)class_of("app/Decorated", 0));
    assert_int_equal(pool(), WICK_HS_POOL_EXECUTOR);
    assert_int_equal(found.overdue_ns, -1);
    space_put32(&space, queue + CAPACITY, 0);
    assert_int_equal(pool(), WICK_HS_POOL_EXECUTOR);
    assert_int_equal(found.overdue_ns, 0);
}

static void test_pool__of_a_timer_says_that_by_the_time_of_day(void **state)
{
    enum { DUE = 24, SECOND = 1000 };
    (void)state;
    const uint64_t now_ms = wick_clock_epoch_ns() / 1000000;
    timer_of(tasks_of(1, 6, 3));
    fields.queues[2].timed = task_class;
    fields.queues[2].due = DUE;
    fields.queues[2].due_epoch_ms = true;
    space_put32(&space, wick_hs_u64(jvm.mem, tasks + DATA + 8) + STATE, 0); /* not cancelled */
    space_put64(&space, wick_hs_u64(jvm.mem, tasks + DATA + 8) + DUE, now_ms - 5 * SECOND);
    assert_int_equal(pool(), WICK_HS_POOL_TIMER);
    assert_in_range(found.overdue_ns / 1000000, 5 * SECOND, 3600 * SECOND);
    space_put64(&space, wick_hs_u64(jvm.mem, tasks + DATA + 8) + DUE, now_ms + 3600 * SECOND);
    assert_int_equal(pool(), WICK_HS_POOL_TIMER);
    assert_int_equal(found.overdue_ns, 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = {
        TEST(test_pool__of_a_worker_is_read),
        TEST(test_pool__is_read_by_classes_that_are_not_compressed),
        TEST(test_pool__of_an_unknown_queue_has_no_length),
        TEST(test_pool__only_of_workers),
        TEST(test_pool__of_a_worker_in_wrappers_is_read),
        TEST(test_pool__of_another_class_of_executors_is_read),
        TEST(test_pool__of_a_thread_without_a_task_is_none_with_zgc),
        TEST(test_pool__is_unreadable_where_a_step_leads_elsewhere),
        TEST(test_pool__cancelled_tasks_are_counted_or_estimated),
        TEST(test_pool__of_a_timer_is_its_queue),
        TEST(test_pool__of_a_scheduler_says_how_long_its_next_task_has_been_due),
        TEST(test_pool__of_a_timer_says_that_by_the_time_of_day),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
