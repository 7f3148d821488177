/* SPDX-License-Identifier: Apache-2.0 */
/* What `wick explain` says of waiting and of threads. */
#include <math.h>

#include "explain_stacks.h"

#include "analysis/wait/deadlock.h"

#define PARK "java/util/concurrent/locks/LockSupport.park"

static void test_waiting__adds_up_by_what_is_waited_for_and_by_whom(void **state)
{
    struct scene *s = scene();
    (void)state;
    uint32_t wait = STACK(s, "app/Main.run", "app/Main.ask", "java/util/concurrent/Semaphore.acquire", PARK);
    add(s, thread_of(s, "a", 1), wait, WICK_EXPLAIN_PARKED, 3);
    add(s, thread_of(s, "b", 2), wait, WICK_EXPLAIN_PARKED, 4);
    add(s, thread_of(s, "b", 2), STACK(s, "app/Main.run"), WICK_EXPLAIN_RUNNABLE, 3);
    begins(s, "waiting: 70 % of the time that threads have work (7.0 s) is waiting for a permit of a semaphore, at "
              "app.Main.ask\n\n");
}

/* A few samples may be chance, thousands are none; a share of unknown samples has no
 * interval. */
static void test_waiting__is_decided_by_enough_samples(void **state)
{
    static const struct {
        uint64_t looks;
        const char *line;
    } cases[] = {
        {8, "\n? waiting: 30 % (9 to 66 %) of the time that threads have work (3.0 s) is waiting for a permit of a "
            "semaphore, at app.Main.ask (record 72 s)\n"},
        {100, "waiting: 30 % (22 to 40 %) of the time"},
        {1000000, "waiting: 30 % of the time"},
        {0, "waiting: 30 % of the time"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        add(s, thread_of(s, "a", 1), STACK(s, "app/Main.ask", "java/util/concurrent/Semaphore.acquire", PARK),
            WICK_EXPLAIN_PARKED, 3);
        add(s, thread_of(s, "a", 1), STACK(s, "app/Main.run"), WICK_EXPLAIN_RUNNABLE, 7);
        s->wall[0].count = cases[i].looks * 3 / 10;
        s->wall[1].count = cases[i].looks * 7 / 10;
        begins(s, cases[i].line);
    }
}

/* Two long samples say next to nothing, wherever the share lies. */
static void test_waiting__is_not_decided_by_two_samples(void **state)
{
    struct scene *s = scene();
    (void)state;
    add(s, thread_of(s, "a", 1), STACK(s, "app/Main.ask", "java/util/concurrent/Semaphore.acquire", PARK),
        WICK_EXPLAIN_PARKED, 9.4);
    add(s, thread_of(s, "a", 1), STACK(s, "app/Main.run"), WICK_EXPLAIN_RUNNABLE, 0.6);
    s->wall[0].count = s->wall[1].count = 1;
    begins(s, "\n? waiting: 94 % (");
}

static void test_waiting__is_silent_for_those_without_work(void **state)
{
    struct scene *s = scene();
    (void)state;
    uint32_t consumer = STACK(s, "app/Main.consume", "java/util/concurrent/LinkedBlockingQueue.take", PARK);
    uint32_t worker = STACK(s, "java/util/concurrent/ThreadPoolExecutor$Worker.run",
                            "java/util/concurrent/ThreadPoolExecutor.getTask", PARK);
    add(s, thread_of(s, "pool-1-thread-1", 1), worker, WICK_EXPLAIN_PARKED, 10);
    add(s, thread_of(s, "consumer", 2), consumer, WICK_EXPLAIN_PARKED, 9);
    add(s, thread_of(s, "consumer", 2), STACK(s, "app/Main.consume"), WICK_EXPLAIN_RUNNABLE, 1);
    add(s, thread_of(s, "poller", 3), STACK(s, "app/Main.poll", "java/lang/Thread.sleep"), WICK_EXPLAIN_SLEEPING, 10);
    silent(s);
}

/* main, that waits for the end of everything, is no trouble. */
static void test_waiting__needs_a_thread_that_goes_on(void **state)
{
    struct scene *s = scene();
    (void)state;
    add(s, thread_of(s, "main", 1), STACK(s, "app/Main.main", "java/util/concurrent/CountDownLatch.await", PARK),
        WICK_EXPLAIN_PARKED, 10);
    s->f.nran = 1;
    silent(s);
}

static void test_waiting__goes_to_what_the_holder_waits_for(void **state)
{
    struct scene *s = scene();
    (void)state;
    uint32_t enter = STACK(s, "app/Main.run", "app/Log.append"),
             force = STACK(s, "app/Main.run", "app/Log.append", "sun/nio/ch/FileChannelImpl.force");
    add(s, thread_of(s, "a", 1), enter, WICK_EXPLAIN_MONITOR, 8);
    add(s, thread_of(s, "b", 2), force, WICK_EXPLAIN_DISK, 2);
    owned(s, thread_of(s, "a", 1), enter, force, false, 6);
    owned(s, thread_of(s, "a", 1), enter, enter, false, 2);
    begins(
        s,
        "waiting: 100 % of the time that threads have work (10.0 s) is waiting for fsync (data to reach the disk), at "
        "app.Log.append; 8.0 s of it by threads that wait for a monitor at app.Log.append, while its holder waits "
        "there (75 "
        "%)\n\n");
}

/* A request waits for the cache's lock, whose holder waits for the log's, whose holder waits for the disk. */
static void test_waiting__follows_a_chain_to_its_end(void **state)
{
    struct scene *s = scene();
    (void)state;
    uint32_t get = STACK(s, "app/Main.run", "app/Cache.get"),
             append = STACK(s, "app/Main.run", "app/Cache.get", "app/Log.append",
                            "java/util/concurrent/locks/ReentrantLock.lock", PARK),
             force = STACK(s, "app/Main.flush", "app/Log.flush", "sun/nio/ch/FileChannelImpl.force");
    add(s, thread_of(s, "a", 1), get, WICK_EXPLAIN_MONITOR, 6);
    add(s, thread_of(s, "b", 2), append, WICK_EXPLAIN_PARKED, 3);
    add(s, thread_of(s, "c", 3), force, WICK_EXPLAIN_DISK, 1);
    owned(s, thread_of(s, "a", 1), get, append, false, 5);
    owned(s, thread_of(s, "a", 1), get, get, false, 1);
    owned(s, thread_of(s, "b", 2), append, force, true, 3);
    begins(
        s,
        "waiting: 100 % of the time that threads have work (10.0 s) is waiting for fsync (data to reach the disk), at "
        "app.Log.flush; 9.0 s of it by threads that wait for a monitor at app.Cache.get, while its holder waits for a "
        "lock at app.Log.append (83 %), whose holder waits there (100 %)\n\n");
}

/* Two locks that are waited for in turn by each other's holders: no end, and no endless walk. */
static void test_waiting__a_chain_that_closes_ends(void **state)
{
    struct scene *s = scene();
    (void)state;
    uint32_t one = STACK(s, "app/Main.run", "app/One.get"), two = STACK(s, "app/Main.run", "app/Two.get");
    add(s, thread_of(s, "a", 1), one, WICK_EXPLAIN_MONITOR, 6);
    add(s, thread_of(s, "b", 2), two, WICK_EXPLAIN_MONITOR, 4);
    owned(s, thread_of(s, "a", 1), one, two, false, 6);
    owned(s, thread_of(s, "b", 2), two, one, false, 4);
    begins(s, "waiting: 100 % of the time that threads have work (10.0 s) is waiting for a monitor, at app.One.get; "
              "10.0 s of "
              "it by threads that wait for a monitor at app.Two.get, while its holder waits there (100 %)\n\n");
}

/* The holder is ready to run, and the cgroup is stopped. */
static void test_waiting__says_that_the_holder_has_no_cpu(void **state)
{
    struct scene *s = scene();
    (void)state;
    uint32_t enter = STACK(s, "app/Main.run", "app/Log.append"), sums = STACK(s, "app/Main.run", "app/Log.sum");
    add(s, thread_of(s, "a", 1), enter, WICK_EXPLAIN_MONITOR, 8);
    add(s, thread_of(s, "b", 2), sums, WICK_EXPLAIN_RUNNABLE, 2);
    add(s, thread_of(s, "b", 2), sums, WICK_EXPLAIN_WAITING_FOR_CPU, 6);
    owned(s, thread_of(s, "a", 1), enter, sums, false, 6);
    s->f.periods.grown = 100;
    s->f.throttled.grown = 40;
    char *text = explained(s);
    assert_non_null(
        strstr(text, "is waiting for a monitor, at app.Log.append; during these waits its holder waits for a CPU at "
                     "app.Log.sum (100 %): the CPU limit stops the cgroup in 40 % of its periods\n"));
    free(text);
}

static void test_waiting__says_where_the_holder_computes(void **state)
{
    struct scene *s = scene();
    (void)state;
    uint32_t enter = STACK(s, "app/Main.run", "app/Log.append");
    add(s, thread_of(s, "a", 1), enter, WICK_EXPLAIN_MONITOR, 8);
    owned(s, thread_of(s, "a", 1), enter, STACK(s, "app/Main.run", "app/Log.sum"), false, 6);
    begins(s, "waiting: 100 % of the time that threads have work (8.0 s) is waiting for a monitor, at app.Log.append; "
              "during these waits its holder is busy at app.Log.sum (100 %)\n\n");
}

/* `askers` threads wait for futures; the worker has a task that sleeps, and no work for the rest of ten seconds. */
static struct scene *pool(unsigned askers, double busy)
{
    struct scene *s = scene();
    uint32_t ask = STACK(s, "app/Main.ask", "java/util/concurrent/FutureTask.get", PARK);
    uint32_t works =
        STACK(s, "java/util/concurrent/ThreadPoolExecutor$Worker.run", "app/Task.call", "java/lang/Thread.sleep");
    uint32_t idles = STACK(s, "java/util/concurrent/ThreadPoolExecutor$Worker.run",
                           "java/util/concurrent/ThreadPoolExecutor.getTask", PARK);
    for (unsigned i = 0; i < askers; i++)
        add(s, thread_of(s, "http", 10 + i), ask, WICK_EXPLAIN_PARKED, 10);
    add(s, thread_of(s, "lookup-1", 1), works, WICK_EXPLAIN_SLEEPING, busy);
    if (busy < 10)
        add(s, thread_of(s, "lookup-1", 1), idles, WICK_EXPLAIN_PARKED, 10 - busy);
    return s;
}

static void test_pool_busy__when_more_wait_than_it_has_threads(void **state)
{
    (void)state;
    begins(pool(3, 9.5),
           "pool-busy: 3 threads on average wait for futures (30.0 s), and the only thread of lookup has work "
           "95 % of the time: tasks queue up; most of it is waiting for a timer (Thread.sleep), at "
           "app.Task.call\n\n");
    /* with time to spare, it is what its thread does for long that the others wait behind */
    begins(pool(3, 8.0),
           "waiting: 100 % of the time that threads have work (30.0 s) is waiting for a timer (Thread.sleep), "
           "at app.Task.call; 30.0 s of it by threads that wait for a future at app.Main.ask, while the task waits "
           "there (100 %); all of that is in lookup-1, the only thread of its pool, which runs nothing else in that "
           "time\n\n");
    begins(pool(1, 8.0),
           "waiting: 100 % of the time that threads have work (10.0 s) is waiting for a timer (Thread.sleep), "
           "at app.Task.call; 10.0 s of it by threads that wait for a future at app.Main.ask, while the task waits "
           "there (100 %)\n\n");
}

/* A batch that waits for its own parallel computation does not wait for anything else. */
static void test_waiting__for_tasks_that_compute_is_computing(void **state)
{
    struct scene *s = scene();
    (void)state;
    add(s, thread_of(s, "main", 1), STACK(s, "app/Main.main", "java/util/concurrent/FutureTask.get", PARK),
        WICK_EXPLAIN_PARKED, 10);
    add(s, thread_of(s, "pool-1-thread-1", 2),
        STACK(s, "java/util/concurrent/ThreadPoolExecutor$Worker.run", "app/Task.call"), WICK_EXPLAIN_RUNNABLE, 10);
    silent(s);
    s = scene(); /* in many places, none of which takes half of the time */
    add(s, thread_of(s, "main", 1), STACK(s, "app/Main.main", "java/util/concurrent/FutureTask.get", PARK),
        WICK_EXPLAIN_PARKED, 10);
    uint32_t worker = thread_of(s, "pool-1-thread-1", 2),
             runs = STACK(s, "java/util/concurrent/ThreadPoolExecutor$Worker.run");
    add(s, worker, push(&s->p, runs, "app/Task.blur"), WICK_EXPLAIN_RUNNABLE, 2);
    add(s, worker, push(&s->p, runs, "app/Task.scale"), WICK_EXPLAIN_RUNNABLE, 2);
    add(s, worker, push(&s->p, runs, "app/Task.sharpen"), WICK_EXPLAIN_WAITING_FOR_CPU, 2);
    add(s, worker, push(&s->p, push(&s->p, runs, "app/Task.load"), "java/lang/Thread.sleep"), WICK_EXPLAIN_SLEEPING, 4);
    silent(s);
}

/* A reference to a method has a frame of a class that the JDK makes; the program's place is the one that uses it. */
static void test_waiting__is_at_the_code_that_uses_a_method_reference(void **state)
{
    struct scene *s = scene();
    (void)state;
    add(s, thread_of(s, "main", 1),
        STACK(s, "app/Main.cheapest", "java/util/stream/ReferencePipeline.map", "app/Main$$Lambda$7+0x00007f.apply",
              "java/util/concurrent/Semaphore.acquire", PARK),
        WICK_EXPLAIN_PARKED, 8);
    begins(s, "waiting: 100 % of the time that threads have work (8.0 s) is waiting for a permit of a semaphore, at "
              "app.Main.cheapest\n");
}

/* Virtual threads that could run, and a carrier with a CPU for so much of the time in which it could run. */
static struct scene *carriers(double share)
{
    struct scene *s = scene();
    uint32_t carrier = thread_of(s, "ForkJoinPool-1-worker-1", 1),
             many = thread_of(s, "virtual threads, not mounted", 2);
    uint32_t mounted =
        STACK(s, "java/util/concurrent/ForkJoinWorkerThread.run", "java/lang/VirtualThread.runContinuation",
              "java/lang/VirtualThread.run", "app/Main.report");
    uint32_t loop = STACK(s, "java/util/concurrent/ForkJoinWorkerThread.run", "java/util/concurrent/ForkJoinPool.scan");
    add(s, many, STACK(s, "java/lang/VirtualThread.run", "app/Main.ping", "java/lang/Thread.sleep"),
        WICK_EXPLAIN_WAITING_FOR_CARRIER, 9);
    add(s, carrier, mounted, WICK_EXPLAIN_RUNNABLE, 10 * share);
    add(s, carrier, loop, WICK_EXPLAIN_WAITING_FOR_CPU, 10 - 10 * share);
    return s;
}

static void test_waiting__for_carriers_that_have_no_cpu_is_waiting_for_the_machine(void **state)
{
    (void)state;
    begins(carriers(0.8),
           "waiting: 47 % of the time that threads have work (9.0 s) is waiting for a free carrier thread, "
           "at app.Main.ping; during these waits 1 carrier is taken 80 % of the time, "
           "most at app.Main.report\n");
    char *text = explained(carriers(0.3));
    assert_null(strstr(text, "waiting: "));
    free(text);
    struct scene *s = carriers(0.3); /* an option allows one, while there are two CPUs */
    s->f.carriers = 1;
    s->f.allowed = 2;
    has(s, "waiting for a free carrier thread");
    s = carriers(0.3); /* as many as there are CPUs */
    s->f.carriers = s->f.allowed = 2;
    has_not(s, "waiting for a free carrier thread");
    s = carriers(0.3); /* one less than there are CPUs */
    s->f.carriers = 3;
    s->f.allowed = 4;
    has_not(s, "waiting for a free carrier thread");
    s = carriers(0.3); /* but most of the time the carrier is blocked in what is mounted */
    add(s, thread_of(s, "ForkJoinPool-1-worker-1", 1),
        STACK(s, "java/util/concurrent/ForkJoinWorkerThread.run", "java/lang/VirtualThread.runContinuation",
              "java/lang/VirtualThread.run", "app/Main.load"),
        WICK_EXPLAIN_DISK, 15);
    text = explained(s);
    assert_non_null(strstr(text, "waiting for a free carrier thread"));
    free(text);
}

static void test_stuck__threads_whose_wait_never_ends(void **state)
{
    (void)state;
    for (int ends = 0; ends < 2; ends++) {
        struct scene *s = scene();
        uint32_t here = STACK(s, "app/Main.run", "app/Main.transfer");
        add(s, thread_of(s, "teller-1", 1), here, WICK_EXPLAIN_WAITING_FOR_CPU, 1); /* on its way to sleep again */
        add(s, thread_of(s, "teller-1", 1), here, WICK_EXPLAIN_MONITOR, 9);
        add(s, thread_of(s, "teller-2", 2), here, WICK_EXPLAIN_MONITOR, 10);
        if (ends) {
            owned(s, thread_of(s, "teller-1", 1), here, 0, false, 1);
            owned(s, thread_of(s, "teller-2", 2), here, 0, false, 1);
        }
        begins(s, ends ? "waiting: "
                       : "stuck: 2 threads waited for a lock all the time: teller-1 at app.Main.transfer, "
                         "teller-2 at app.Main.transfer: a deadlock, or a holder that does not let go\n\n");
    }
}

/* What the JVM says makes a deadlock of what else may be a holder that does not let go. */
static void test_stuck__is_a_deadlock_if_the_jvm_says_so(void **state)
{
    static const struct {
        const char *answer, *line;
    } cases[] = {
        {NULL, ": a deadlock, or a holder that does not let go\n"},
        {"", ": no deadlock, as the JVM finds none, but a holder that does not let go\n"},
        {"a waits for a Lock that b holds", ": a deadlock, as the JVM finds it: a waits for a Lock that b holds\n"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        add(s, thread_of(s, "a", 1), STACK(s, "app/Main.run", "app/Main.transfer"), WICK_EXPLAIN_MONITOR, 10);
        s->f.deadlock = cases[i].answer;
        char *text = explained(s);
        if (!strstr(text, cases[i].line))
            fail_msg("no \"%s\" in: %s", cases[i].line, text);
        free(text);
    }
}

/* A thread is drawn now and then: what its samples weigh is its life on average only, the first and the last one are
 * near its start and end. Not so where it was no candidate for some of the time, by the setting or by that sum. */
static void test_accounts__have_the_life_of_a_thread_by_its_samples_ends(void **state)
{
    static const struct {
        bool all;
        double each, wall;
    } cases[] = {{true, 0.18, 2.02}, {false, 0.18, 1.8}, {true, 0.05, 0.5}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct scene *s = scene();
        struct wick_explain_findings all;
        struct wick_err err = {0};
        uint32_t sleeps = STACK(s, "app/Main.serve", "java/lang/Thread.sleep"), brief = thread_of(s, "brief", 2);
        s->f.all_threads = cases[k].all;
        add(s, thread_of(s, "long", 1), sleeps, WICK_EXPLAIN_SLEEPING, 10);
        s->wall[0].count = 1000;
        s->wall[0].span_ns = 10 * S;
        for (unsigned i = 0; i < 10; i++) {
            add(s, brief, sleeps, WICK_EXPLAIN_SLEEPING, cases[k].each);
            s->wall[1 + i].time_ns = 2 * S + i * S / 5;
            s->wall[1 + i].span_ns = 180 * S / 1000;
            s->wall[1 + i].count = 10;
        }
        assert_int_equal(wick_explain_apply(&all, &s->f, &err), 0);
        assert_int_equal(all.naccounts, 2);
        assert_int_equal(all.accounts[1].thread, brief);
        assert_true(fabs(all.accounts[0].wall_ns - 10.0 * S) < 1000);
        assert_true(fabs(all.accounts[1].wall_ns - cases[k].wall * S) < 1000);
        double sum = 0;
        for (unsigned i = 0; i < WICK_EXPLAIN_ACCOUNT_PARTS; i++)
            sum += all.accounts[1].part_ns[i];
        assert_true(fabs(sum - all.accounts[1].wall_ns) < 1000);
        wick_explain_findings_release(&all);
        wick_profile_release(&s->p);
        free(s);
    }
}

/* Every sample is in one part of its endpoint's account and of its thread's. */
static void test_accounts__add_up_to_the_wall_time(void **state)
{
    struct scene *s = scene();
    struct wick_explain_findings all;
    struct wick_err err = {0};
    uint32_t http = thread_of(s, "http", 1), here = STACK(s, "app/Main.serve");
    double sum = 0;
    (void)state;
    add(s, http, here, WICK_EXPLAIN_RUNNABLE, 1);
    add(s, http, here, WICK_EXPLAIN_WAITING_FOR_CPU, 2);
    add(s, http, STACK(s, "app/Main.serve", "java/lang/Thread.sleep"), WICK_EXPLAIN_SLEEPING, 3);
    add(s, http, here, WICK_EXPLAIN_MONITOR, 0.5);
    add(s, http, here, WICK_EXPLAIN_UNKNOWN, 0.25);
    for (int i = 1; i < 4; i++)
        s->wall[i].endpoint = wick_profile_cstring(&s->p, "GET /x");
    assert_int_equal(wick_explain_apply(&all, &s->f, &err), 0);
    assert_int_equal(all.naccounts, 2);
    assert_string_equal(wick_profile_str(&s->p, all.accounts[0].endpoint), "GET /x");
    assert_true(all.accounts[0].wall_ns == 5.5 * S);
    assert_true(all.accounts[1].thread == http && all.accounts[1].wall_ns == 6.75 * S);
    for (unsigned k = 0; k < WICK_EXPLAIN_ACCOUNT_PARTS; k++) {
        const char *name = wick_explain_part_name(k);
        double ns = all.accounts[1].part_ns[k];
        double expected = !strcmp(name, "cpu")        ? 1
                          : !strcmp(name, "cpu-wait") ? 2
                          : !strcmp(name, "sleep")    ? 3
                          : !strcmp(name, "monitor")  ? 0.5
                          : !strcmp(name, "other")    ? 0.25
                                                      : 0;
        if (ns != expected * S)
            fail_msg("%s: %g", name, ns);
        sum += ns;
    }
    assert_true(sum == all.accounts[1].wall_ns);
    wick_explain_findings_release(&all);
    wick_profile_release(&s->p);
    free(s);
}

/* Without a deadlock that the agent found, a search that was complete says so. */
static void test_stuck__is_no_deadlock_if_a_search_found_none(void **state)
{
    struct scene *s = scene();
    (void)state;
    add(s, thread_of(s, "a", 1), STACK(s, "app/Main.run", "app/Main.transfer"), WICK_EXPLAIN_MONITOR, 10);
    s->f.searched = true;
    begins(s, "stuck: 1 thread waited for a lock all the time: a at app.Main.transfer: no deadlock, as none was found "
              "while it was recorded, but a holder that does not let go\n\n");
}

/* Nothing else knows of it: these threads hold no lock that a search for deadlocks sees. */
static void test_stuck__knows_of_class_initialisers(void **state)
{
    (void)state;
    for (int ends = 0; ends < 2; ends++) {
        struct scene *s = scene();
        uint32_t here = STACK(s, "app/Main.run", "app/Main.quote", "libjvm.so:InstanceKlass::initialize_impl",
                              "libjvm.so:ObjectMonitor::wait");
        add(s, thread_of(s, "a", 1), here, WICK_EXPLAIN_NATIVE_WAIT, 10);
        if (ends)
            add(s, thread_of(s, "a", 1), STACK(s, "app/Main.run"), WICK_EXPLAIN_RUNNABLE, 1);
        s->f.searched = true;
        begins(s, ends ? "waiting: "
                       : "stuck: 1 thread waited for a lock all the time: a at app.Main.quote: initialisers of classes "
                         "that wait for each other, or one that does not end\n\n");
    }
}

static void deadlock(const char *dump, unsigned threads, const char *says)
{
    struct wick_strbuf out = WICK_STRBUF_INIT;
    assert_int_equal(wick_deadlock_parse(dump, strlen(dump), &out), threads);
    assert_string_equal(out.len ? out.buf : "", says);
    wick_strbuf_release(&out);
}

#define DEADLOCK_HEAD "Found one Java-level deadlock:\n=============================\n"

static void test_deadlock__is_read_from_the_end_of_a_thread_dump(void **state)
{
    (void)state;
    deadlock(DEADLOCK_HEAD
             "\"a:1\":\n  waiting to lock monitor 0x1 (object 0x2, a Account),\n  which is held by \"b\"\n"
             "\"b\":\n  waiting for ownable synchronizer 0x3, (a x.Lock$Sync),\n  which is held by \"a:1\"\n"
             "\nJava stack information for the threads listed above:\n\"c\":\n  which is held by \"d\"\n"
             "\nFound 1 deadlock.\n\n",
             2, "a:1 waits for a Account that b holds, b waits for a x.Lock$Sync that a:1 holds");
    /* the name of a thread is not the JVM's word */
    deadlock("\"x\n" DEADLOCK_HEAD "\"a\":\n  which is held by \"b\"\n\" #7 prio=5\n\nJNI global refs: 4\n", 0, "");
    deadlock("", 0, "");
}

#define READ  "java/net/SocketInputStream.read"
#define WRITE "java/net/SocketOutputStream.write"

/* A client that waits for an answer, or a server that has answered in two pieces, for its next request. */
static void test_held_back__is_said_before_what_else_is_waited_for(void **state)
{
    static const char till[] = "held-back: 32 % of the time that threads have work (6.0 s) is waiting for the "
                               "acknowledgement until which Nagle's algorithm holds back what was written to the "
                               "socket, at app.Till.ask:20; these threads write to sockets at app.Till.send:9\n",
                      stock[] = "held-back: 21 % of the time that threads have work (4.0 s) is waiting for the "
                                "acknowledgement until which Nagle's algorithm holds back what was written to the "
                                "socket, at app.Stock.next:7\n\n";
    (void)state;
    for (unsigned i = 0; i < 2; i++) { /* what is no fault comes first if it costs a third more */
        struct scene *s = scene();
        uint32_t client = thread_of(s, "till", 1), server = thread_of(s, "stock", 2);
        add(s, client, STACK(s, "app/Till.run", "app/Till.ask@20", READ), WICK_EXPLAIN_HELD_BACK, 6);
        add(s, client, STACK(s, "app/Till.run", "app/Till.ask@20", READ), WICK_EXPLAIN_IO, 2);
        add(s, client, STACK(s, "app/Till.run", "app/Till.send@9", WRITE), WICK_EXPLAIN_RUNNABLE, 1);
        add(s, client, STACK(s, "app/Till.run"), WICK_EXPLAIN_RUNNABLE, 1);
        add(s, server, STACK(s, "app/Stock.run", "app/Stock.next@7", READ), WICK_EXPLAIN_HELD_BACK, 4);
        add(s, server, STACK(s, "app/Stock.run", "app/Stock.next@7", READ), WICK_EXPLAIN_IO, 6);
        add(s, thread_of(s, "other", 3), STACK(s, "app/Main.run", "java/util/concurrent/Semaphore.acquire", PARK),
            WICK_EXPLAIN_PARKED, i ? 7 : 9);
        char *text = explained(s);
        const char *wait = strstr(text, "waiting: "), *first = strstr(text, "held-back: ");
        if (!wait || !first || (i ? first > wait || !strstr(text, till) || !strstr(text, stock) : wait > first))
            fail_msg("%s", text);
        free(text);
    }
}

/* Two threads have a connection in common: one reads what comes, while the other one writes. */
static void test_held_back__is_not_said_of_those_who_only_read(void **state)
{
    (void)state;
    for (int who = 0; who < 3; who++) {
        struct scene *s = scene();
        uint32_t reader = thread_of(s, "reader", 1), writer = thread_of(s, "writer", 2);
        add(s, reader, STACK(s, "app/Feed.read", READ), WICK_EXPLAIN_HELD_BACK, 8);
        for (int i = 0; i < (who ? 8 : 7); i++)
            add(s, writer, STACK(s, "app/Feed.write", WRITE), WICK_EXPLAIN_RUNNABLE, 0.1);
        if (who == 2)
            add(s, reader, STACK(s, "app/Feed.ask", WRITE), WICK_EXPLAIN_RUNNABLE, 0.1);
        char *text = explained(s);
        assert_int_equal(!strstr(text, "held-back: "), who == 1);
        free(text);
    }
}

/* The other end, on the same machine, may acknowledge late because it has no CPU. */
static void test_held_back__is_not_said_where_threads_lack_cpus_for_as_long(void **state)
{
    (void)state;
    for (int lacks = 4; lacks <= 8; lacks += 4) {
        struct scene *s = scene();
        add(s, thread_of(s, "till", 1), STACK(s, "app/Till.ask", READ), WICK_EXPLAIN_HELD_BACK, 6);
        add(s, thread_of(s, "other", 2), STACK(s, "app/Main.run"), WICK_EXPLAIN_WAITING_FOR_CPU, lacks);
        (lacks < 6 ? has : has_not)(s, "held-back: ");
    }
}

/* Such waits are said once, and not of each endpoint again; and who waits for the thread waits for that. */
static void test_held_back__is_where_chains_end(void **state)
{
    struct scene *s = scene();
    (void)state;
    uint32_t ask = STACK(s, "app/Main.order", "app/Till.ask", READ);
    add(s, thread_of(s, "http", 1), ask, WICK_EXPLAIN_HELD_BACK, 10);
    s->wall[0].endpoint = wick_profile_cstring(&s->p, "PUT /order");
    uint32_t enter = STACK(s, "app/Main.order");
    add(s, thread_of(s, "http", 2), enter, WICK_EXPLAIN_MONITOR, 10);
    owned(s, thread_of(s, "http", 2), enter, ask, false, 10);
    begins(s, "held-back: 100 % of the time that threads have work (20.0 s) is waiting for the acknowledgement until "
              "which Nagle's algorithm holds back what was written to the socket, at app.Till.ask; 10.0 s of it by "
              "threads that wait for a monitor at app.Main.order, while its holder waits there (100 %)\n\n");
}

static void test_endpoints__count_waits_that_depend_on_who_waits(void **state)
{
    struct scene *s = scene();
    (void)state;
    add(s, thread_of(s, "http", 1), STACK(s, "app/Main.serve", "java/net/SocketInputStream.read"), WICK_EXPLAIN_IO, 8);
    s->wall[0].endpoint = wick_profile_cstring(&s->p, "GET /x");
    begins(s, "endpoint-wait: GET /x: 100 % of its wall time (8.0 s) is waiting for data of a socket, most at "
              "app.Main.serve (8.0 s)\n\n");
}

/* The JDK's own threads wait for the end of processes; most of that time these wait for a reader, or few do. */
static void test_process__that_nobody_reads_is_said_to_wait_itself(void **state)
{
    (void)state;
    for (unsigned full = 4; full <= 8; full += 4) {
        struct scene *s = scene();
        uint32_t reaps = STACK(s, "java/lang/Thread.run", "java/lang/ProcessHandleImpl.waitForProcessExit0");
        add(s, thread_of(s, "press-1", 1), STACK(s, "app/Press.render", "java/lang/ProcessImpl.waitFor", PARK),
            WICK_EXPLAIN_OBJECT_WAIT, 10);
        for (unsigned i = 0; i < 2; i++) {
            add(s, thread_of(s, "process reaper", 2), reaps, WICK_EXPLAIN_NATIVE_WAIT, i ? full : 10 - full);
            s->wall[s->f.nwall - 1].child = wick_profile_cstring(&s->p, "seq");
            s->wall[s->f.nwall - 1].pipe_full = i;
        }
        begins(s, full > 5 ? "waiting: 100 % of the time that threads have work (10.0 s) is waiting for another "
                             "process, at app.Press.render; 80 % of the time that process, seq, itself waits, for "
                             "somebody to read what it writes to a pipe\n"
                           : "waiting: 100 % of the time that threads have work (10.0 s) is waiting for another "
                             "process, at app.Press.render\n");
    }
}

/* A writer that needs a CPU all the time, got `cpu` seconds of one, and others with what they got. */
static struct scene *writer(double cpu, double others, int cpus)
{
    struct scene *s = scene();
    s->f.allowed = cpus;
    uses(s, thread_of(s, "writer", 1), STACK(s, "app/Log.write", "app/Log.pack"), cpu / 2, 0);
    uses(s, thread_of(s, "writer", 1), STACK(s, "app/Log.write", "app/Log.pad"), cpu / 2, 0);
    s->uses[thread_of(s, "writer", 1)] = (struct wick_explain_use){(int64_t)(cpu * S), (int64_t)((9.5 - cpu) * S), 9};
    uses(s, thread_of(s, "client", 2), STACK(s, "app/Client.run", "app/Client.one"), others / 2, 0);
    uses(s, thread_of(s, "client", 2), STACK(s, "app/Client.run", "app/Client.other"), others / 2, 0);
    s->uses[thread_of(s, "client", 2)].cpu_ns = (int64_t)(others * S);
    return s;
}

static void awaits(struct scene *s, double seconds)
{
    add(s, thread_of(s, "client", 2),
        STACK(s, "app/Client.run", "app/Client.ask", "java/util/concurrent/FutureTask.get", PARK), WICK_EXPLAIN_PARKED,
        seconds);
}

/* What it needs counts, not what it got on a crowded machine. */
static void test_saturated_thread__is_named_with_who_waits(void **state)
{
    struct scene *s = writer(9, 1, 4);
    (void)state;
    awaits(s, 20);
    begins(s, "saturated-thread: one thread, writer, has work 95 % of the time (9.5 s), and no other thread as much as "
              "half of it, though the process may use 4 CPUs: 2 threads on average wait for a future at the same time: "
              "nothing "
              "gets through faster than that thread; most of its work is at app.Log.pa");
    s = writer(6, 1, 4);
    awaits(s, 20);
    begins(s, "saturated-thread: one thread, writer, has work 95 % of the time");
}

/* A stage of a pipeline holds up the one behind it now and then; what threads queue for is a bottleneck. */
static void test_saturated_thread__is_neutral_where_less_than_one_waits(void **state)
{
    (void)state;
    for (unsigned waited = 7; waited <= 20; waited += 13) {
        struct wick_explain_findings all;
        struct wick_err err = {0};
        struct scene *s = writer(9, 1, 4);
        awaits(s, waited);
        assert_int_equal(wick_explain_apply(&all, &s->f, &err), 0);
        assert_true(all.n > 0);
        assert_string_equal(all.rows[0].rule->name, "saturated-thread");
        assert_int_equal(all.rows[0].neutral, waited < 10);
        wick_explain_findings_release(&all);
        wick_profile_release(&s->p);
        free(s);
    }
}

static void test_saturated_thread__of_an_event_loop_needs_no_waiter(void **state)
{
    struct scene *s = writer(9, 1, 4);
    (void)state;
    add(s, thread_of(s, "writer", 1), STACK(s, "app/Log.write", "sun/nio/ch/SelectorImpl.select"), WICK_EXPLAIN_IO,
        0.1);
    begins(s, "saturated-thread: one thread, writer, has work 95 % of the time (9.5 s), and no other thread as much as "
              "half of it, though the process may use 4 CPUs: nothing gets through faster than that thread; most");
}

/* A batch in one thread, two that share the work, one CPU. */
static void test_saturated_thread__is_none_without_demand_or_with_company(void **state)
{
    (void)state;
    struct scene *s[] = {writer(9, 6, 4), writer(9, 1, 1), writer(9, 1, 4), writer(9, 1, 4)};
    awaits(s[0], 20);
    awaits(s[1], 20);
    awaits(s[2], 4); /* hardly anybody waits */
    for (unsigned i = 0; i < sizeof s / sizeof *s; i++) {
        char *text = explained(s[i]);
        assert_null(strstr(text, "saturated-thread"));
        free(text);
    }
}

/* A thread that forces a file now and then and rests for longer could do more, and nobody waits for it. */
static void test_file_sync__of_one_thread_that_rests_is_no_trouble(void **state)
{
    static const struct {
        double forces, sleeps;
        unsigned threads;
        bool said;
    } cases[] = {{4, 6, 1, false}, {6, 4, 1, true}, {4, 6, 2, true}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        for (unsigned k = 0; k < cases[i].threads; k++) {
            uint32_t t = thread_of(s, "journal", 1 + k);
            add(s, t, STACK(s, "app/Journal.run", "sun/nio/ch/FileChannelImpl.force"), WICK_EXPLAIN_DISK,
                cases[i].forces);
            add(s, t, STACK(s, "app/Journal.run", "java/lang/Thread.sleep"), WICK_EXPLAIN_SLEEPING, cases[i].sleeps);
        }
        if (cases[i].said)
            begins(s, "waiting: 100 % of the time that threads have work");
        else
            silent(s);
    }
}

/* Monitors of the JDK, where no code of the program runs, are the machine's matter while threads lack CPUs. */
static void test_lock_contention__of_the_jdk_itself_without_cpus_is_no_finding(void **state)
{
    (void)state;
    for (unsigned lacks = 0; lacks <= 1; lacks++) {
        struct scene *s = scene();
        add(s, thread_of(s, "selector", 1),
            STACK(s, "java/lang/Thread.run", "jdk/internal/loader/BuiltinClassLoader.loadClassOrNull"),
            WICK_EXPLAIN_MONITOR, 3);
        add(s, thread_of(s, "main", 2), STACK(s, "app/Main.run"),
            lacks ? WICK_EXPLAIN_WAITING_FOR_CPU : WICK_EXPLAIN_RUNNABLE, 10);
        char *text = explained(s);
        assert_int_equal(strstr(text, "lock-contention") != NULL, !lacks);
        free(text);
    }
}

/* The program's own function is the place, not the method of the JDK that it calls. */
static void test_disk_wait__is_at_the_programs_own_function(void **state)
{
    struct scene *s = scene();
    (void)state;
    add(s, thread_of(s, "a", 1), STACK(s, "app/Main.run", "app/Log.commit", "java/io/RandomAccessFile.writeBytes"),
        WICK_EXPLAIN_DISK, 3);
    add(s, thread_of(s, "b", 2), STACK(s, "app/Main.run"), WICK_EXPLAIN_RUNNABLE, 10);
    add(s, thread_of(s, "c", 3), STACK(s, "app/Main.run"), WICK_EXPLAIN_RUNNABLE, 10);
    begins(s, "disk-wait: threads wait for a disk 13 % of the time they have work (3.0 s), most at app.Log.commit "
              "(3.0 s), in java.io.RandomAccessFile.writeBytes\n");
}

/* What others of the program wait there is not that function's. */
static void test_disk_wait__has_the_time_of_the_function_that_it_names(void **state)
{
    struct scene *s = scene();
    (void)state;
    add(s, thread_of(s, "a", 1), STACK(s, "app/Main.run", "app/Log.commit", "java/io/RandomAccessFile.writeBytes"),
        WICK_EXPLAIN_DISK, 4);
    add(s, thread_of(s, "b", 2), STACK(s, "app/Main.run", "app/Index.load", "java/io/RandomAccessFile.writeBytes"),
        WICK_EXPLAIN_DISK, 3);
    add(s, thread_of(s, "c", 3), STACK(s, "app/Main.start", "app/Index.load", "java/io/RandomAccessFile.writeBytes"),
        WICK_EXPLAIN_DISK, 3);
    for (unsigned i = 0; i < 7; i++)
        add(s, thread_of(s, "d", 4 + i), STACK(s, "app/Main.run"), WICK_EXPLAIN_RUNNABLE, 10);
    begins(s, "disk-wait: threads wait for a disk 12 % of the time they have work (10.0 s), most at app.Index.load "
              "(6.0 s), in java.io.RandomAccessFile.writeBytes\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accounts__have_the_life_of_a_thread_by_its_samples_ends),
        cmocka_unit_test(test_file_sync__of_one_thread_that_rests_is_no_trouble),
        cmocka_unit_test(test_lock_contention__of_the_jdk_itself_without_cpus_is_no_finding),
        cmocka_unit_test(test_disk_wait__is_at_the_programs_own_function),
        cmocka_unit_test(test_disk_wait__has_the_time_of_the_function_that_it_names),
        cmocka_unit_test(test_waiting__adds_up_by_what_is_waited_for_and_by_whom),
        cmocka_unit_test(test_waiting__is_decided_by_enough_samples),
        cmocka_unit_test(test_waiting__is_not_decided_by_two_samples),
        cmocka_unit_test(test_waiting__is_silent_for_those_without_work),
        cmocka_unit_test(test_waiting__needs_a_thread_that_goes_on),
        cmocka_unit_test(test_waiting__goes_to_what_the_holder_waits_for),
        cmocka_unit_test(test_waiting__follows_a_chain_to_its_end),
        cmocka_unit_test(test_waiting__a_chain_that_closes_ends),
        cmocka_unit_test(test_waiting__says_that_the_holder_has_no_cpu),
        cmocka_unit_test(test_waiting__says_where_the_holder_computes),
        cmocka_unit_test(test_pool_busy__when_more_wait_than_it_has_threads),
        cmocka_unit_test(test_waiting__for_tasks_that_compute_is_computing),
        cmocka_unit_test(test_waiting__is_at_the_code_that_uses_a_method_reference),
        cmocka_unit_test(test_waiting__for_carriers_that_have_no_cpu_is_waiting_for_the_machine),
        cmocka_unit_test(test_stuck__threads_whose_wait_never_ends),
        cmocka_unit_test(test_stuck__is_a_deadlock_if_the_jvm_says_so),
        cmocka_unit_test(test_accounts__add_up_to_the_wall_time),
        cmocka_unit_test(test_stuck__is_no_deadlock_if_a_search_found_none),
        cmocka_unit_test(test_stuck__knows_of_class_initialisers),
        cmocka_unit_test(test_deadlock__is_read_from_the_end_of_a_thread_dump),
        cmocka_unit_test(test_held_back__is_said_before_what_else_is_waited_for),
        cmocka_unit_test(test_held_back__is_not_said_of_those_who_only_read),
        cmocka_unit_test(test_held_back__is_not_said_where_threads_lack_cpus_for_as_long),
        cmocka_unit_test(test_held_back__is_where_chains_end),
        cmocka_unit_test(test_endpoints__count_waits_that_depend_on_who_waits),
        cmocka_unit_test(test_process__that_nobody_reads_is_said_to_wait_itself),
        cmocka_unit_test(test_saturated_thread__is_named_with_who_waits),
        cmocka_unit_test(test_saturated_thread__is_neutral_where_less_than_one_waits),
        cmocka_unit_test(test_saturated_thread__of_an_event_loop_needs_no_waiter),
        cmocka_unit_test(test_saturated_thread__is_none_without_demand_or_with_company),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
