/* SPDX-License-Identifier: Apache-2.0 */
/* Streams that begin tasks one after another. */
#include "explain_stacks.h"

#include <stdio.h>

#define PARK   "java/util/concurrent/locks/LockSupport.park"
#define JOIN   "java/util/concurrent/CompletableFuture.join"
#define WORKER "java/util/concurrent/ThreadPoolExecutor$Worker.run"

/* Threads that join futures below so many stages of a stream, and workers that do what these stand for, or rest. */
static struct scene *joins(int stages, double tasks, double idle)
{
    static const char *const accepts[] = {"java/util/stream/ReferencePipeline$3$1.accept",
                                          "java/util/stream/ReferencePipeline$2$1.accept"};
    struct scene *s = scene();
    for (int i = 0; i < 2; i++) {
        char name[32];
        snprintf(name, sizeof name, "http-%d", i);
        uint32_t plan = push(&s->p, STACK(s, "app/Planner.plan"), "java/util/stream/ReferencePipeline.collect");
        for (int k = 0; k < stages; k++)
            plan = push(&s->p, plan, accepts[k]);
        add(s, thread_of(s, name, i + 1), push(&s->p, push(&s->p, plan, JOIN), PARK), WICK_EXPLAIN_PARKED, 8);
        snprintf(name, sizeof name, "fetch-%d", i);
        uint32_t worker = thread_of(s, name, i + 10);
        add(s, worker, STACK(s, WORKER, "app/Airline.fare", "java/lang/Thread.sleep"), WICK_EXPLAIN_SLEEPING,
            tasks / 2);
        add(s, worker, STACK(s, WORKER, "java/util/concurrent/ThreadPoolExecutor.getTask", PARK), WICK_EXPLAIN_PARKED,
            idle / 2);
    }
    return s;
}

static void test_streams__that_wait_in_themselves_run_one_task_at_a_time(void **state)
{
    static const char text[] =
        "; 1 task runs at a time for each thread that waits, which does so within the stream that starts them";
    (void)state;
    has(joins(2, 16, 40), text);
    has_not(joins(1, 16, 40), text); /* the futures are a list that was made before */
    has_not(joins(2, 64, 80), text); /* tasks were started before, in a stage that keeps them */
    has_not(joins(2, 16, 10), text); /* no worker is free for more */
    struct scene *s = joins(2, 16, 40);
    for (int i = 0; i < 2; i++) {
        uint32_t server = thread_of(s, i ? "server-1" : "server-2", 30 + i);
        add(s, server, STACK(s, WORKER, "app/Stub.answer", "java/lang/Thread.sleep"), WICK_EXPLAIN_SLEEPING, 5);
        add(s, server, STACK(s, WORKER, "java/util/concurrent/ThreadPoolExecutor.getTask", PARK), WICK_EXPLAIN_PARKED,
            5);
    }
    has(s, text); /* the tasks of another pool are others */
}

/* Futures that something else than tasks completes: the frames below which one is begun, and those below the wait. */
struct begun {
    const char *run, *first[3], *begins;
    unsigned samples;
    const char *waits[5];
};

#define MAP  "java/util/stream/ReferencePipeline$3$1.accept"
#define KEEP "java/util/stream/ReferencePipeline$2$1.accept"

static uint32_t through(struct scene *s, uint32_t stack, const char *const *names, unsigned n)
{
    for (unsigned i = 0; i < n && names[i]; i++)
        stack = push(&s->p, stack, names[i]);
    return stack;
}

static struct scene *asks(const struct begun *b)
{
    static const char collect[] = "java/util/stream/ReferencePipeline.collect";
    struct scene *s = scene();
    uint32_t first = through(s, push(&s->p, STACK(s, b->run), collect), b->first, 3),
             waits = through(s, push(&s->p, STACK(s, "app/Planner.plan@7"), collect), b->waits, 5);
    for (unsigned i = 0; i < b->samples; i++)
        cpu(s, push(&s->p, push(&s->p, push(&s->p, first, "app/Line.ask"), "libjvm.so:call_stub"), b->begins), 0.01);
    cpu(s, push(&s->p, push(&s->p, first, "app/Audit.log"), b->begins), 0.01);
    add(s, thread_of(s, "http", 1), push(&s->p, push(&s->p, waits, JOIN), PARK), WICK_EXPLAIN_PARKED, 8);
    return s;
}

static void test_streams__that_begin_what_they_wait_for(void **state)
{
    static const char run[] = "app/Planner.plan@7", lambda[] = "app/Planner.lambda$plan$1",
                      schedule[] = "java/util/concurrent/ScheduledThreadPoolExecutor.schedule",
                      text[] = "; app.Line.ask begins one of them at a time, in an earlier stage of the same stream: "
                               "the next one only when this one is complete";
    static const struct {
        struct begun b;
        bool said;
    } cases[] = {
        {{run, {MAP}, schedule, 2, {MAP, MAP}}, true},
        {{run, {MAP}, "java/net/http/HttpClient.sendAsync", 2, {MAP, MAP}}, true},
        {{run, {MAP}, schedule, 2, {MAP, MAP, lambda}}, true},
        {{run, {MAP}, schedule, 2, {MAP, MAP, "app/Planner.got"}}, true},
        {{run, {MAP}, schedule, 1, {MAP, MAP}}, false},
        {{run, {NULL}, schedule, 2, {MAP, MAP}}, false},
        {{run, {MAP, MAP}, schedule, 2, {MAP, MAP}}, false},
        {{run, {MAP}, schedule, 2, {MAP}}, false},
        {{"app/Planner.plan@6", {MAP}, schedule, 2, {MAP, MAP}}, false}, /* a stream before */
        {{run, {KEEP}, schedule, 2, {MAP, MAP}}, false},
        {{run, {MAP}, schedule, 2, {MAP, lambda, "java/util/stream/ReferencePipeline.collect", MAP}},
         false}, /* within */
        {{run, {MAP}, schedule, 2, {"java/util/stream/SortedOps$RefSortingSink.end", MAP, MAP}}, false},
        {{run, {MAP}, schedule, 2, {"java/util/stream/AbstractTask.compute", MAP, MAP}}, false},
        {{run, {MAP}, "java/util/HashMap.get", 2, {MAP, MAP}}, false},
        {{run, {MAP}, "java/util/Timer.isAsyncNow", 2, {MAP, MAP}}, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        (cases[i].said ? has : has_not)(asks(&cases[i].b), text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams__that_wait_in_themselves_run_one_task_at_a_time),
        cmocka_unit_test(test_streams__that_begin_what_they_wait_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
