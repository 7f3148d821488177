/* SPDX-License-Identifier: Apache-2.0 */
/* What `wick explain` makes of the fields of thread pools (wick.ThreadPool). */
#include "explain_stacks.h"

#include <stdio.h>

#define PARK   "java/util/concurrent/locks/LockSupport.park"
#define FUTURE "java/util/concurrent/FutureTask.get"
#define WORKER "java/util/concurrent/ThreadPoolExecutor$Worker.run"

static struct wick_explain_pool pools[4];

/* The pool of that thread, of 4 core threads and at most 32, by ten readings over nine seconds. */
static struct wick_explain_pool *pool_of(struct scene *s, uint32_t thread, const char *queue, int64_t first,
                                         int64_t last)
{
    struct wick_explain_pool *o = &pools[s->f.npools++];
    s->f.pools = pools;
    *o = (struct wick_explain_pool){.thread = thread,
                                    .queue_class = wick_profile_cstring(&s->p, queue),
                                    .first_ns = S,
                                    .last_ns = 10 * S,
                                    .threads = 4,
                                    .core = 4,
                                    .maximum = 32,
                                    .capacity = -1,
                                    .queued = last,
                                    .first_queued = first,
                                    .queued_sum = 5.0 * (double)(first + last),
                                    .readings = 10,
                                    .rises = last > first ? 9 : 0};
    return o;
}

/* Two workers that sleep in their tasks, busy for so many of ten seconds. */
static struct scene *workers(double busy)
{
    struct scene *s = scene();
    uint32_t works = STACK(s, WORKER, "app/Label.print", "java/lang/Thread.sleep"),
             idles = STACK(s, WORKER, "java/util/concurrent/ThreadPoolExecutor.getTask", PARK);
    for (unsigned i = 1; i <= 2; i++) {
        uint32_t t = thread_of(s, i == 1 ? "labels-1" : "labels-2", i);
        add(s, t, works, WICK_EXPLAIN_SLEEPING, busy);
        if (busy < 10)
            add(s, t, idles, WICK_EXPLAIN_PARKED, 10 - busy);
    }
    return s;
}

#define LINKED "java/util/concurrent/LinkedBlockingQueue"

static void test_queue__that_grows_is_reported_with_what_keeps_the_pool_small(void **state)
{
    (void)state;
    struct scene *s = workers(10);
    pool_of(s, thread_of(s, "labels-1", 1), LINKED, 500, 1400);
    has(s, "growing-queue: tasks come faster than labels runs them: its queue, which has no limit, grew from 500 to "
           "1400 tasks, by 100 a second; its 2 threads have work 100 % of the time; most of it is waiting for a timer "
           "(Thread.sleep), at app.Label.print; its core size is 4, and it makes more threads, up to its maximum of "
           "32, only when its queue is full, which one without a limit never is\n");
}

/* What else a queue may do, or be. */
static void test_queue__is_not_reported_otherwise(void **state)
{
    enum { GROWS, FALLS, LIMITED, TIMED, STAYS, UNKNOWN, IDLE, LIKE_ANOTHER, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        struct scene *s = workers(i == IDLE ? 5 : 10);
        uint32_t thread = thread_of(s, "labels-1", 1);
        struct wick_explain_pool *o = pool_of(
            s, thread, i == TIMED ? "java/util/concurrent/ScheduledThreadPoolExecutor$DelayedWorkQueue" : LINKED, 500,
            i == STAYS ? 510 : 1400);
        o->fallen = i == FALLS ? 300 : 0;
        o->capacity = i == LIMITED ? 5000 : -1;
        if (i == UNKNOWN)
            o->queued = o->first_queued = -1;
        if (i == LIKE_ANOTHER)
            pool_of(s, thread_of(s, "labels-2", 2), LINKED, 500, 1400);
        (i == GROWS ? has : has_not)(s, "growing-queue: ");
    }
}

/* Four threads wait for futures of the two workers. */
static struct scene *asked(void)
{
    struct scene *s = workers(10);
    for (unsigned i = 0; i < 4; i++)
        add(s, thread_of(s, "http", 20 + i), STACK(s, "app/Main.ask", "java/util/concurrent/FutureTask.get", PARK),
            WICK_EXPLAIN_PARKED, 10);
    return s;
}

static void test_pool_busy__has_the_length_of_the_queue(void **state)
{
    (void)state;
    has(asked(), "at app.Label.print\n");
    struct scene *s = asked();
    pool_of(s, thread_of(s, "labels-1", 1), LINKED, 7, 7);
    has(s, "pool-busy: 4 threads on average wait for futures (40.0 s), and the 2 threads of labels have work 100 % of "
           "the time: tasks queue up; most of it is waiting for a timer (Thread.sleep), at app.Label.print; 7 tasks "
           "are in its queue on average; its core size is 4, and");
    s = asked();
    pool_of(s, thread_of(s, "labels-1", 1), LINKED, 500, 1400);
    has(s, "; 950 tasks are in its queue on average, 500 at first and 1400 in the end; its core size");
    s = asked();
    pool_of(s, thread_of(s, "labels-1", 1), LINKED, 500, 1400);
    has_not(s, "growing-queue"); /* it is said already */
}

/* It may make threads before it is full. */
static void test_pool_busy__does_not_know_when_queues_of_others_are_full(void **state)
{
    (void)state;
    struct scene *s = asked();
    pool_of(s, thread_of(s, "labels-1", 1), "org/apache/tomcat/util/threads/TaskQueue", 7, 7);
    has(s, "; 7 tasks are in its queue on average\n");
}

static void test_pool_busy__not_if_its_queue_is_empty(void **state)
{
    (void)state;
    struct scene *s = asked();
    pool_of(s, thread_of(s, "labels-1", 1), LINKED, 0, 0);
    has_not(s, "pool-busy");
    s = asked();
    pool_of(s, thread_of(s, "labels-1", 1), "java/util/concurrent/SynchronousQueue", 0, 0)->capacity = 0;
    has(s, "pool-busy"); /* which never has any */
}

/* Tasks that block have the threads of the common pool, so that those of others wait in its queue. */
static void test_pool_busy__names_the_common_pool(void **state)
{
    static const char worker[] = "java/util/concurrent/ForkJoinWorkerThread.run";
    (void)state;
    for (unsigned waiters = 3; waiters <= 8; waiters += 5) {
        struct scene *s = scene();
        uint32_t sends = STACK(s, worker, "app/Archive.send", "java/lang/Thread.sleep"),
                 idles = STACK(s, worker, "java/util/concurrent/ForkJoinPool.awaitWork", PARK);
        for (unsigned i = 1; i <= 2; i++) {
            uint32_t t =
                thread_of(s, i == 1 ? "ForkJoinPool.commonPool-worker-1" : "ForkJoinPool.commonPool-worker-2", i);
            add(s, t, sends, WICK_EXPLAIN_SLEEPING, 8.5);
            add(s, t, idles, WICK_EXPLAIN_PARKED, 1.5);
        }
        for (unsigned i = 0; i < waiters; i++)
            add(s, thread_of(s, "http", 20 + i), STACK(s, "app/Main.quote", FUTURE, PARK), WICK_EXPLAIN_PARKED,
                waiters > 3 ? 10 : 8);
        (waiters > 3 ? has : has_not)(
            s, "pool-busy: 8 threads on average wait for futures (80.0 s), and the 2 threads of "
               "ForkJoinPool.commonPool-worker have work 85 % of the time: tasks queue up; most of it is waiting for a "
               "timer (Thread.sleep), at app.Archive.send; it is the common pool, which all tasks share that are given "
               "no executor\n");
    }
}

/* `cancelled` of 100,000 tasks, in a heap of which `kept` MiB stay in use. */
static struct scene *cancelled(bool timer, int64_t cancelled, int64_t kept)
{
    static struct wick_explain_heap heaps[4];
    struct scene *s = workers(1);
    struct wick_explain_pool *o =
        pool_of(s, thread_of(s, "deadlines", 1),
                timer ? "java/util/TaskQueue" : "java/util/concurrent/ScheduledThreadPoolExecutor$DelayedWorkQueue",
                100000, 100000);
    o->cancelled = cancelled;
    for (size_t i = 0; i < sizeof heaps / sizeof *heaps; i++)
        heaps[i].used = kept << 20;
    s->f.heaps = heaps;
    s->f.nheaps = sizeof heaps / sizeof *heaps;
    s->f.heap_max = 64 << 20;
    return s;
}

static void test_cancelled__tasks_that_stay_in_a_queue_are_reported(void **state)
{
    (void)state;
    has(cancelled(false, 90000, 0),
        "cancelled-tasks: 90 % of the 100000 tasks in the queue of deadlines (ScheduledThreadPoolExecutor) are "
        "cancelled: each stays there, with all that it refers to, until it would be due\n");
    has(cancelled(true, 90000, 0), "in the queue of deadlines (java.util.Timer) are cancelled");
    has_not(cancelled(false, 40000, 0), "cancelled-tasks");
    struct scene *s = cancelled(false, 900, 0);
    pools[0].queued = 1000;
    has_not(s, "cancelled-tasks");
}

/* Collections are their effect if they take much of what stays in the heap: 90,000 tasks take 5.5 MiB at least; or if
 * their queue is what keeps it alive, with what they refer to. */
static void test_cancelled__tasks_are_blamed_for_collections(void **state)
{
    static const char *const holders[] = {NULL, "java.util.HashMap keeps 38 MiB alive, held by app.Cache",
                                          "java.util.TimerTask[32768] keeps 38 MiB alive, held by java.util.TaskQueue"};
    (void)state;
    for (int i = 0; i < 4; i++) {
        int64_t kept = i ? 40 : 20;
        bool blamed = i == 0 || i == 3;
        struct scene *s = cancelled(i > 0, 90000, kept);
        s->f.heap_holder =
            (struct wick_explain_holder){.said = i ? holders[i - 1] : NULL, .bytes = 38 << 20, .share = 0.95};
        static struct wick_explain_pause pauses[10];
        for (size_t k = 0; k < 10; k++)
            pauses[k] = (struct wick_explain_pause){.begin_ns = (int64_t)k * S,
                                                    .end_ns = (int64_t)k * S + S / 2,
                                                    .paused_ns = S / 2,
                                                    .longest_ns = S / 2,
                                                    .exact = true};
        s->f.pause = pauses;
        s->f.npause = 10;
        s->f.gcs = 10;
        s->f.pauses_ns = 5 * S;
        s->f.longest_ns = S / 2;
        char *said = explained(s);
        assert_true((strstr(said, "; collections of the heap that they fill take ") != NULL) == blamed);
        assert_true((strstr(said, "gc-pauses: ") != NULL) == !blamed);
        assert_true((strstr(said, "; java.util.TimerTask[32768] keeps 38 MiB alive") != NULL) == (i == 3));
        free(said);
    }
}

/* One thread waits for tasks of four workers, which have work for so many of ten seconds each. */
static struct scene *groups(const char *call, double works, unsigned waiters)
{
    struct scene *s = scene();
    uint32_t pays = STACK(s, WORKER, "app/Bank.pay", "java/lang/Thread.sleep"),
             idles = STACK(s, WORKER, "java/util/concurrent/ThreadPoolExecutor.getTask", PARK);
    for (unsigned i = 0; i < waiters; i++)
        add(s, thread_of(s, "payouts", 20 + i), STACK(s, "app/Run.release", call, FUTURE, PARK), WICK_EXPLAIN_PARKED,
            10);
    for (unsigned i = 0; i < 4; i++) {
        uint32_t t = thread_of(s, i ? i > 1 ? i > 2 ? "teller-4" : "teller-3" : "teller-2" : "teller-1", 1 + i);
        add(s, t, pays, WICK_EXPLAIN_SLEEPING, works);
        add(s, t, idles, WICK_EXPLAIN_PARKED, 10 - works);
    }
    return s;
}

static void test_group__whose_slowest_task_is_awaited_is_said(void **state)
{
    static const char said[] = "; the futures are those of a group (invokeAll), so that each wait takes as long as its "
                               "slowest task, while the 4 threads of teller have no work for 70 % of the time",
                      invoke_all[] = "java/util/concurrent/AbstractExecutorService.invokeAll";
    (void)state;
    has(groups(invoke_all, 3, 1), said);
    has_not(groups("app/Run.each", 3, 1), "invokeAll");
    has_not(groups(invoke_all, 7, 1), "invokeAll"); /* they have work most of the time */
    has_not(groups(invoke_all, 3, 2), "invokeAll"); /* other groups are given to it as well */
}

/* What its tasks wait for, a server's answer, is where time goes; that they come faster than that is the fault. */
static void test_queue__that_grows_comes_before_the_answers_its_tasks_wait_for(void **state)
{
    (void)state;
    struct scene *s = scene();
    uint32_t asks = STACK(s, WORKER, "app/Letters.print", "sun/net/www/http/HttpClient.parseHTTP",
                          "sun/nio/ch/NioSocketImpl.implRead");
    for (unsigned i = 1; i <= 2; i++)
        add(s, thread_of(s, i == 1 ? "labels-1" : "labels-2", i), asks, WICK_EXPLAIN_IO, 10);
    pool_of(s, thread_of(s, "labels-1", 1), LINKED, 500, 1400);
    begins(s, "growing-queue: tasks come faster than labels runs them: its queue, which has no limit, grew from 500 to "
              "1400 tasks, by 100 a second; its 2 threads have work 100 % of the time; most of it is waiting for a "
              "server's answer, at app.Letters.print; ");
}

/* Tasks that wait for tasks of their own pool, beside those of another one, which may be theirs. */
static void test_pool_busy__with_tasks_that_wait_for_tasks_of_the_same_pool(void **state)
{
    (void)state;
    for (int other = 0; other <= 1; other++) {
        struct scene *s = scene();
        uint32_t nested = STACK(s, WORKER, "app/Claim.review", FUTURE, PARK);
        for (unsigned i = 1; i <= 20; i++) {
            char name[16];
            snprintf(name, sizeof name, "reviewer-%u", i);
            uint32_t t = thread_of(s, name, i);
            add(s, t, nested, WICK_EXPLAIN_PARKED, i > 1 ? 10 : 0.1);
            if (i > 1)
                continue;
            add(s, t, STACK(s, WORKER, "app/Claim.inspect", "java/lang/Thread.sleep"), WICK_EXPLAIN_SLEEPING, 9.9);
        }
        for (unsigned i = 0; i < 3; i++)
            add(s, thread_of(s, "client", 40 + i), STACK(s, "app/Client.ask", FUTURE, PARK), WICK_EXPLAIN_PARKED, 10);
        if (other)
            add(s, thread_of(s, "store-1", 50), STACK(s, WORKER, "app/Store.read", "java/lang/Thread.sleep"),
                WICK_EXPLAIN_SLEEPING, 10);
        pool_of(s, thread_of(s, "reviewer-1", 1), LINKED, 20, 20);
        (other ? has_not : has)(s, "most of it is waiting for a future, at app.Claim.review; 95 % of it is waiting for "
                                   "tasks of the same pool, which queue up behind those that wait for them; ");
    }
}

/* Where all of its threads wait, until a time-out, hardly a task is seen that does not. One that another thread runs,
 * or for which tasks of another pool wait, may be what is waited for. */
static void test_pool_busy__with_nothing_but_tasks_that_wait_for_tasks_of_the_same_pool(void **state)
{
    enum { ALONE, COME, RUNS, WAITS, CASES };
    static const char *const runs = "java/util/concurrent/FutureTask.run";
    (void)state;
    for (int how = ALONE; how < CASES; how++) {
        struct scene *s = scene();
        uint32_t review = STACK(s, WORKER, "app/Claim.review", FUTURE, PARK);
        for (unsigned i = 1; i <= 4; i++)
            add(s, thread_of(s, i == 1 ? "reviewer-1" : "reviewer-2", i), review, WICK_EXPLAIN_PARKED, 10);
        for (unsigned i = 0; i < 6; i++)
            add(s, thread_of(s, "client", 40 + i), STACK(s, "app/Client.ask", FUTURE, PARK), WICK_EXPLAIN_PARKED, 10);
        for (uint32_t i = 0; i < 10; i++)
            s->waits[s->f.locks.nrows++] = (struct wick_lock_wait_row){.thread = 1,
                                                                       .stack = review,
                                                                       .identity = i + 1,
                                                                       .park = true,
                                                                       .timed_out = how != COME,
                                                                       .weight_ns = 4 * S,
                                                                       .duration_ns = S / 4};
        add(s, thread_of(s, "store", 50), STACK(s, how == RUNS ? runs : "app/Main.run", "app/Store.read"),
            WICK_EXPLAIN_RUNNABLE, 10);
        if (how == WAITS)
            add(s, thread_of(s, "files-1", 51), STACK(s, WORKER, "app/Files.read", FUTURE, PARK), WICK_EXPLAIN_PARKED,
                10);
        pool_of(s, thread_of(s, "reviewer-1", 1), LINKED, 20, 20);
        (how == ALONE ? has : has_not)(s, "; 100 % of it is waiting for tasks of the same pool, ");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queue__that_grows_comes_before_the_answers_its_tasks_wait_for),
        cmocka_unit_test(test_pool_busy__with_tasks_that_wait_for_tasks_of_the_same_pool),
        cmocka_unit_test(test_pool_busy__with_nothing_but_tasks_that_wait_for_tasks_of_the_same_pool),
        cmocka_unit_test(test_queue__that_grows_is_reported_with_what_keeps_the_pool_small),
        cmocka_unit_test(test_queue__is_not_reported_otherwise),
        cmocka_unit_test(test_pool_busy__has_the_length_of_the_queue),
        cmocka_unit_test(test_pool_busy__does_not_know_when_queues_of_others_are_full),
        cmocka_unit_test(test_pool_busy__not_if_its_queue_is_empty),
        cmocka_unit_test(test_pool_busy__names_the_common_pool),
        cmocka_unit_test(test_cancelled__tasks_that_stay_in_a_queue_are_reported),
        cmocka_unit_test(test_cancelled__tasks_are_blamed_for_collections),
        cmocka_unit_test(test_group__whose_slowest_task_is_awaited_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
