/* SPDX-License-Identifier: Apache-2.0 */
/* What `wick explain` says of what requests do: ask one peer after another, compute, or never begin. */
#include "explain_stacks.h"

#define PARK   "java/util/concurrent/locks/LockSupport.park"
#define WORKER "java/util/concurrent/ThreadPoolExecutor$Worker.run"

static void has_not(struct scene *s, const char *part)
{
    char *text = explained(s);
    if (strstr(text, part))
        fail_msg("\"%s\" in:\n%s", part, text);
    free(text);
}

/* The thread that gives a pool its tasks runs some itself. */
static void test_pool_busy__whose_queue_is_full(void **state)
{
    (void)state;
    for (unsigned free = 0; free < 2; free++) {
        struct scene *s = scene();
        uint32_t self = STACK(s, "app/Main.intake", "java/util/concurrent/ThreadPoolExecutor.execute",
                              "java/util/concurrent/ThreadPoolExecutor$CallerRunsPolicy.rejectedExecution",
                              "app/Main.label", "java/lang/Thread.sleep");
        uint32_t task = STACK(s, WORKER, "app/Main.label", "java/lang/Thread.sleep"),
                 idle = STACK(s, WORKER, "java/util/concurrent/ThreadPoolExecutor.getTask", PARK);
        add(s, thread_of(s, "intake", 1), self, WICK_EXPLAIN_SLEEPING, 10);
        add(s, thread_of(s, "sorter-1", 2), task, WICK_EXPLAIN_SLEEPING, 10);
        add(s, thread_of(s, "sorter-2", 3), free ? idle : task, free ? WICK_EXPLAIN_PARKED : WICK_EXPLAIN_SLEEPING, 10);
        if (free)
            has_not(s, "pool-busy");
        else
            begins(s, "pool-busy: 1 thread on average runs its tasks itself, since its queue is full (10.0 s), and the "
                      "2 threads of sorter have work 100 % of the time: tasks queue up; most of it is waiting for a "
                      "timer (Thread.sleep), at app.Main.label\n");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pool_busy__whose_queue_is_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
