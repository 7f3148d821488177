/* SPDX-License-Identifier: Apache-2.0 */
/* What `wick explain` says of threads that wait for one which waits for a time to pass. */
#include "explain_stacks.h"

#define PARK "java/util/concurrent/locks/LockSupport.park"

/* The stages of a pipeline, a thread each, run ahead of one that keeps a pace, unless somebody waits for them. */
static void test_queue_full__before_a_stage_that_keeps_a_pace_is_no_trouble(void **state)
{
    static const struct {
        unsigned readers, paced, futures; /* futures: seconds of waiting for one */
        int64_t woken;
        bool said;
    } cases[] = {{1, 9, 0, 4000, false},
                 {2, 9, 0, 4000, true},
                 {1, 4, 0, 4000, true},
                 {1, 9, 0, 20, true},
                 {1, 9, 2, 4000, true}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        uint32_t deliver = thread_of(s, "deliver", 1), other = thread_of(s, "other", 2);
        for (unsigned k = 0; k < cases[i].readers; k++)
            add(s, thread_of(s, "reader", 10 + k),
                STACK(s, "app/Feed.read", "java/util/concurrent/LinkedBlockingQueue.put", PARK), WICK_EXPLAIN_PARKED,
                10);
        add(s, thread_of(s, "format", 3),
            STACK(s, "app/Feed.format", "java/util/concurrent/LinkedBlockingQueue.put", PARK), WICK_EXPLAIN_PARKED, 10);
        add(s, deliver, STACK(s, "app/Feed.deliver", "java/lang/Thread.sleep"), WICK_EXPLAIN_SLEEPING, cases[i].paced);
        add(s, deliver, STACK(s, "app/Feed.deliver"), WICK_EXPLAIN_RUNNABLE, 10 - cases[i].paced);
        s->uses[deliver].slices = cases[i].woken;
        s->f.nuses = MOST;
        if (cases[i].futures)
            add(s, other, STACK(s, "app/Main.ask", "java/util/concurrent/FutureTask.get", PARK), WICK_EXPLAIN_PARKED,
                cases[i].futures);
        if (cases[i].said)
            has(s, "waiting for room in a queue, at app.Feed.");
        else
            silent(s);
    }
}

/* Who alone completes futures waits for more elements of a queue than come, until its time-out. Not if elements mostly
 * come, if somebody else completes futures as well, or if a pool runs what is waited for. */
static void test_future__waits_for_the_time_out_of_who_completes_it(void **state)
{
    static const struct {
        unsigned timed, completers; /* timed: of ten waits */
        const char *get;
        bool said;
    } cases[] = {{8, 1, "java/util/concurrent/CompletableFuture.get", true},
                 {4, 1, "java/util/concurrent/CompletableFuture.get", false},
                 {8, 2, "java/util/concurrent/CompletableFuture.get", false},
                 {8, 0, "java/util/concurrent/CompletableFuture.get", false},
                 {8, 1, "java/util/concurrent/FutureTask.get", false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        uint32_t batcher = thread_of(s, "batcher", 1),
                 poll = STACK(s, "app/Batch.run", "app/Batch.collect", "java/util/concurrent/LinkedBlockingQueue.poll",
                              PARK);
        for (unsigned k = 0; k < 3; k++)
            add(s, thread_of(s, "meter", 10 + k), STACK(s, "app/Meter.send", cases[i].get, PARK), WICK_EXPLAIN_PARKED,
                10);
        add(s, batcher, poll, WICK_EXPLAIN_PARKED, 9);
        for (unsigned k = 0; k < 10; k++)
            s->waits[s->f.locks.nrows++] = (struct wick_lock_wait_row){
                .thread = batcher, .stack = poll, .park = true, .timed_out = k < cases[i].timed, .weight_ns = S};
        for (unsigned k = 0; k < cases[i].completers; k++) {
            cpu(s, STACK(s, "app/Batch.run", "java/util/concurrent/CompletableFuture.complete"), 0.1);
            s->cpu[s->f.ncpu - 1].thread = k ? thread_of(s, "timer", 2) : batcher;
            s->cpu[s->f.ncpu - 1].count = 10;
        }
        if (cases[i].said)
            has(s, "is waiting for an element of a queue, at app.Batch.collect; 30.0 s of it by threads that wait for "
                   "a future at app.Meter.send, while the thread that completes them waits there (100 %); 80 % of the "
                   "time "
                   "of such waits ended by a time-out");
        else
            has(s, "is waiting for a future, at app.Meter.send");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queue_full__before_a_stage_that_keeps_a_pace_is_no_trouble),
        cmocka_unit_test(test_future__waits_for_the_time_out_of_who_completes_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
