/* SPDX-License-Identifier: Apache-2.0 */
/* What `wick explain` says of threads that wait for one which waits for a time to pass. */
#include "explain_stacks.h"

#define PARK "java/util/concurrent/locks/LockSupport.park"

static void has(struct scene *s, const char *part)
{
    char *text = explained(s);
    if (!strstr(text, part))
        fail_msg("no \"%s\" in:\n%s", part, text);
    free(text);
}

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queue_full__before_a_stage_that_keeps_a_pace_is_no_trouble),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
