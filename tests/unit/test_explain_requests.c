/* SPDX-License-Identifier: Apache-2.0 */
/* What `wick explain` says of what requests do: ask one peer after another, compute, or never begin. */
#include "explain_stacks.h"

#include <stdio.h>

#define PARK   "java/util/concurrent/locks/LockSupport.park"
#define WORKER "java/util/concurrent/ThreadPoolExecutor$Worker.run"
#define READ   "java/net/Socket$SocketInputStream.read"
#define SEND   "jdk/internal/net/http/HttpClientImpl.send"
#define PIPE   "java/io/FileInputStream.read"

/* `rounds` of three waits each by functions that app.Trip.board calls, or by one of them. */
static struct scene *asks(unsigned rounds, bool same, bool pauses)
{
    struct scene *s = scene();
    const char *const who[] = {"app/Weather.get", "app/Traffic.get", "app/Fares.get"};
    for (unsigned i = 0; i < 3 * rounds; i++) {
        then(s, STACK(s, "app/Main.serve", "app/Trip.board", who[same ? 0 : i % 3], SEND, PARK), WICK_EXPLAIN_PARKED);
        if (pauses && i % 3 == 2)
            then(s, STACK(s, "app/Main.serve", "java/lang/Thread.sleep"), WICK_EXPLAIN_SLEEPING);
    }
    return s;
}

static void test_sequence__of_peers_is_named_with_who_asks(void **state)
{
    (void)state;
    has(asks(8, false, true), "; app.Trip.board waits so 3 times one after another, 200 ms each (app.Weather.get, "
                              "app.Traffic.get, app.Fares.get)\n");
    /* pauses too short to be seen */
    has(asks(8, false, false), "; app.Trip.board waits so 3 times one after another, 200 ms each (");
    has_not(asks(4, false, true), "one after another"); /* too few to say so */
}

/* How often one function asked in a round is known from what else made its thread run. */
static void test_sequence__of_one_function_needs_rounds(void **state)
{
    (void)state;
    struct scene *s = asks(8, true, true);
    uint32_t t = thread_of(s, "http", 1);
    s->uses[t].slices = 24 + 8;
    s->f.nuses = t + 1;
    has(s, "; app.Trip.board waits so 3 times one after another, 200 ms each\n");
    s = asks(8, true, true);
    s->uses[t].slices = 24 + 20; /* there may have been more rounds than pauses that were seen */
    s->f.nuses = t + 1;
    has_not(s, "one after another");
    s = asks(8, true, false); /* it never pauses: each may be a round */
    s->uses[t].slices = 24;
    s->f.nuses = t + 1;
    has_not(s, "one after another");
}

static void test_sequence__within_spans_is_counted(void **state)
{
    (void)state;
    for (unsigned per_span = 1; per_span <= 3; per_span += 2) {
        struct scene *s = asks(8, true, false);
        struct wick_explain_span spans[24];
        uint32_t endpoint = wick_profile_cstring(&s->p, "GET /trip"), t = thread_of(s, "http", 1);
        for (unsigned i = 0; i < s->f.nwall; i++)
            s->wall[i].endpoint = endpoint;
        s->f.nspans = 24 / per_span;
        for (unsigned i = 0; i < s->f.nspans; i++) {
            int64_t begin = s->wall[i * per_span].time_ns;
            spans[i] = (struct wick_explain_span){
                .begin_ns = begin, .end_ns = begin + per_span * S / 5, .thread = t, .endpoint = endpoint, .root = true};
        }
        s->f.spans = spans;
        if (per_span == 3)
            has(s, "; app.Trip.board waits so 3 times one after another, 200 ms each\n");
        else
            has_not(s, "one after another");
    }
}

/* Work that comes in any order is no sequence. */
static void test_sequence__is_none_of_what_comes_in_any_order(void **state)
{
    static const unsigned order[] = {0, 1, 1, 0, 0, 1, 0, 0, 1, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 0, 1, 0};
    struct scene *s = scene();
    (void)state;
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++)
        then(s, STACK(s, "app/Main.serve", order[i] ? "app/Weather.get" : "app/Fares.get", SEND, PARK),
             WICK_EXPLAIN_PARKED);
    has_not(s, "one after another");
}

/* The peer may be on the same machine. */
static void test_endpoint_wait__for_a_peer_on_a_machine_without_cpus(void **state)
{
    (void)state;
    for (unsigned waited = 2; waited <= 5; waited += 3) {
        struct scene *s = scene();
        add(s, thread_of(s, "http", 1), STACK(s, "app/Main.serve", READ), WICK_EXPLAIN_IO, waited);
        s->wall[0].endpoint = wick_profile_cstring(&s->p, "GET /trip");
        add(s, thread_of(s, "other", 2), STACK(s, "app/Main.run"), WICK_EXPLAIN_WAITING_FOR_CPU, 3);
        (waited > 3 ? has : has_not)(s, "endpoint-wait: GET /trip");
    }
}

/* A request of 20 ms, and what it does in ten seconds. */
static struct scene *request(double computes, double lacks, double waits, int64_t took_ns)
{
    static struct wick_explain_span span;
    struct scene *s = scene();
    uint32_t endpoint = wick_profile_cstring(&s->p, "GET /plots"), t = thread_of(s, "http", 1);
    add(s, t, STACK(s, "app/Main.serve", "app/Plots.overlap", "java/util/HashMap.get"), WICK_EXPLAIN_RUNNABLE,
        computes);
    add(s, t, STACK(s, "app/Main.serve", "app/Plots.overlap"), WICK_EXPLAIN_WAITING_FOR_CPU, lacks);
    add(s, t, STACK(s, "app/Main.serve", READ), WICK_EXPLAIN_IO, waits);
    for (size_t i = 0; i < s->f.nwall; i++)
        s->wall[i].endpoint = endpoint;
    span = (struct wick_explain_span){.end_ns = took_ns, .thread = t, .endpoint = endpoint, .root = true};
    s->f.spans = &span;
    s->f.nspans = 1;
    s->f.got_ns = S / 2; /* next to nothing of the machine */
    return s;
}

static void test_endpoint_cpu__of_a_process_that_computes_little(void **state)
{
    (void)state;
    has(request(0.6, 0.1, 0.3, 20000000),
        "endpoint-cpu: GET /plots: p99 20 ms; 70 % of its wall time (700 ms) is computing in "
        "app.Plots.overlap, and in what that calls for it\n");
    has(request(0.6, 3.0, 0.3, 20000000), "endpoint-cpu: ");   /* without the CPUs that it lacks */
    has_not(request(0.3, 0.1, 0.7, 20000000), "endpoint-cpu"); /* it waits */
    struct scene *s = request(0.6, 0.1, 0.3, 20000000);
    s->f.got_ns = 3 * S; /* that of the others stands out as little */
    has_not(s, "endpoint-cpu");
    has_not(request(0.6, 0.1, 0.3, 9000000), "endpoint-cpu");     /* nobody notices */
    has_not(request(0.15, 0.02, 0.05, 20000000), "endpoint-cpu"); /* too little of the time */
}

/* Requests of which only the frames of the server are known: so many CPU samples of 10 ms in each. between: the thread
 * is seen elsewhere between two of them. */
static struct scene *spanless(unsigned samples, unsigned each, const char *handler, bool between)
{
    struct scene *s = scene();
    uint32_t t = thread_of(s, "pool-1-thread-1", 1),
             stack = STACK(s, handler, "app/Register.answer", "app/Names.alike");
    for (unsigned i = 0; i < samples; i++) {
        if (between && i)
            cpu(s, STACK(s, "java/util/concurrent/ThreadPoolExecutor.getTask"), 0.01);
        cpu(s, stack, 0.01);
        s->cpu[s->f.ncpu - 1].time_ns = ((int64_t)(i / each) * 400 + (int64_t)(i % each) * 10) * (S / 1000);
        if (between && i)
            s->cpu[s->f.ncpu - 2].time_ns = s->cpu[s->f.ncpu - 1].time_ns;
    }
    for (size_t i = 0; i < s->f.ncpu; i++)
        s->cpu[i].thread = t;
    add(s, t, stack, WICK_EXPLAIN_RUNNABLE, samples * 0.01);
    s->f.got_ns = S * 7 / 10;
    return s;
}

static void test_endpoint_cpu__of_requests_without_spans(void **state)
{
    static const char *const handler = "com/sun/net/httpserver/Filter$Chain.doFilter";
    (void)state;
    has(spanless(24, 2, handler, false),
        "endpoint-cpu: the handling of requests: 100 % of its wall time (240 ms) is computing in app.Names.alike, and "
        "in what that calls for it\n");
    has_not(spanless(24, 1, handler, false), "endpoint-cpu"); /* no longer than a sample */
    has_not(spanless(24, 2, handler, true), "endpoint-cpu");
    has_not(spanless(24, 2, "app/Timer.run", false), "endpoint-cpu");
    has_not(spanless(16, 2, handler, false), "endpoint-cpu"); /* too little of the time */
    for (int waits = 1; waits <= 3; waits += 2) {
        struct scene *s = spanless(24, 2, handler, false);
        add(s, thread_of(s, "pool-1-thread-2", 2), STACK(s, handler, "app/Store.ask", READ), WICK_EXPLAIN_IO,
            waits * 0.1);
        (waits == 1 ? has : has_not)(s, "endpoint-cpu");
    }
    struct scene *s = spanless(24, 2, "java/lang/VirtualThread.runContinuation", false); /* each may be another one */
    uint32_t stack = STACK(s, "java/lang/VirtualThread.runContinuation", handler, "app/Names.alike");
    for (size_t i = 0; i < s->f.ncpu; i++)
        s->cpu[i].stack = stack;
    s->wall[0].stack = stack;
    has_not(s, "endpoint-cpu");
}

/* The only carrier is held by a read in native code; others never begin, and have no frames. */
static struct scene *unstarted(double threads, double lacks)
{
    struct scene *s = scene();
    uint32_t many = wick_profile_thread(&s->p, wick_profile_cstring(&s->p, "virtual threads"), 0, 0, false);
    uint32_t mounted = STACK(s, "java/util/concurrent/ForkJoinWorkerThread.run",
                             "java/lang/VirtualThread.runContinuation", "app/Scale.read", PIPE);
    add(s, many, STACK(s, "libjvm.so:not_mounted"), WICK_EXPLAIN_WAITING_FOR_CARRIER, 10 * threads);
    add(s, thread_of(s, "ForkJoinPool-1-worker-1", 1), mounted, WICK_EXPLAIN_IO, 10 - lacks);
    if (lacks > 0)
        add(s, thread_of(s, "ForkJoinPool-1-worker-1", 1), mounted, WICK_EXPLAIN_WAITING_FOR_CPU, lacks);
    return s;
}

static void test_unstarted_threads__are_counted_with_what_keeps_the_carriers(void **state)
{
    (void)state;
    begins(
        unstarted(7, 0),
        "unstarted-threads: 7 virtual threads on average were started and have not run yet (70.0 s): no carrier is "
        "free for them; 1 carrier is taken 100 % of the time, most at app.Scale.read, which waits for data of a pipe "
        "or terminal\n");
    has_not(unstarted(0.9, 0), "unstarted-threads");
    has_not(unstarted(7, 9), "unstarted-threads"); /* the carrier has no CPU */
    struct scene *s = unstarted(7, 0);
    add(s, thread_of(s, "ForkJoinPool-1-worker-2", 2),
        STACK(s, "java/util/concurrent/ForkJoinWorkerThread.run", "java/lang/VirtualThread.runContinuation",
              "app/Main.call", "java/lang/VirtualThread.parkOnCarrierThread"),
        WICK_EXPLAIN_PARKED, 10);
    has_not(s, "unstarted-threads"); /* that it pins its carrier is said */
}

/* Where carriers compute on all CPUs there cannot be more of them: what they compute comes first. */
static void test_unstarted_threads__come_behind_what_carriers_compute(void **state)
{
    (void)state;
    for (int cpus = 2; cpus <= 4; cpus += 2) {
        struct scene *s = scene();
        uint32_t many = wick_profile_thread(&s->p, wick_profile_cstring(&s->p, "virtual threads"), 0, 0, false);
        uint32_t run =
            STACK(s, "java/util/concurrent/ForkJoinWorkerThread.run", "java/lang/VirtualThread.runContinuation",
                  "app/Lab.evaluate", "java/lang/ThreadLocal.setInitialValue", "app/Lab.calibrate");
        s->f.allowed = cpus;
        add(s, many, STACK(s, "libjvm.so:not_mounted"), WICK_EXPLAIN_WAITING_FOR_CARRIER, 70);
        for (int i = 0; i < 2; i++)
            add(s, thread_of(s, i ? "ForkJoinPool-1-worker-2" : "ForkJoinPool-1-worker-1", 1 + i), run,
                WICK_EXPLAIN_RUNNABLE, 9.5);
        cpu(s, run, 15);
        begins(s, cpus == 2 ? "hot-code: 100 % of CPU time (15.0 s) is making the initial values of thread locals"
                            : "unstarted-threads: 7 virtual threads");
    }
}

/* So it is of those that have run, and wait for a carrier again; while the program is stopped nobody computes. */
static void test_waiting__for_a_carrier_comes_behind_what_carriers_compute(void **state)
{
    (void)state;
    for (int paused = 0; paused <= 2; paused += 2) {
        struct scene *s = scene();
        uint32_t many = thread_of(s, "virtual threads, not mounted", 2);
        uint32_t run =
            STACK(s, "java/util/concurrent/ForkJoinWorkerThread.run", "java/lang/VirtualThread.runContinuation",
                  "app/Lab.evaluate", "java/lang/ThreadLocal.setInitialValue", "app/Lab.calibrate");
        s->f.allowed = 2;
        s->f.pauses_ns = paused * S;
        s->f.gcs = 1;
        add(s, many,
            STACK(s, "java/lang/VirtualThread.run", "app/Lab.receive", "java/net/Socket$SocketInputStream.read"),
            WICK_EXPLAIN_WAITING_FOR_CARRIER, 70);
        for (int i = 0; i < 2; i++)
            add(s, thread_of(s, i ? "ForkJoinPool-1-worker-2" : "ForkJoinPool-1-worker-1", 3 + i), run,
                WICK_EXPLAIN_RUNNABLE, 7);
        cpu(s, run, 14);
        char *text = explained(s);
        const char *code = strstr(text, "hot-code: 100 %"), *waits = strstr(text, "waiting for a free carrier thread");
        if (!code || !waits || (code < waits) != (paused > 0) ||
            !strstr(text, "88 % of its CPUs are taken or needed") != !paused)
            fail_msg("%s", text);
        free(text);
    }
}

/* Others wait for futures of those threads: that comes after what keeps these from running, unless it is much more. */
static void test_unstarted_threads__come_before_who_waits_for_them(void **state)
{
    (void)state;
    for (unsigned askers = 8; askers <= 16; askers += 8) {
        struct scene *s = unstarted(7, 0);
        for (unsigned i = 0; i < askers; i++)
            add(s, thread_of(s, "client", 10 + i),
                STACK(s, "app/Main.ask", "java/util/concurrent/CompletableFuture.get", PARK), WICK_EXPLAIN_PARKED, 10);
        begins(s, askers == 8 ? "unstarted-threads: " : "waiting: ");
    }
}

/* A pool of `threads` whose tasks compute or lack a CPU, and wait for a peer for the rest of ten seconds; four times as
 * many threads that wait for them, and two CPUs. */
static struct scene *computing_pool(unsigned threads, double rest)
{
    struct scene *s = scene();
    s->f.allowed = 2;
    for (unsigned i = 0; i < threads; i++) {
        char name[24];
        snprintf(name, sizeof name, "score-%u", i);
        add(s, thread_of(s, name, 1 + i), STACK(s, WORKER, "app/Model.apply"), WICK_EXPLAIN_RUNNABLE, 6);
        add(s, thread_of(s, name, 1 + i), STACK(s, WORKER, "app/Model.apply"), WICK_EXPLAIN_WAITING_FOR_CPU, 4 - rest);
        if (rest > 0)
            add(s, thread_of(s, name, 1 + i), STACK(s, WORKER, "app/Model.load", SEND, PARK), WICK_EXPLAIN_PARKED,
                rest);
    }
    for (unsigned i = 0; i < 4 * threads; i++)
        add(s, thread_of(s, "client", 10 + i), STACK(s, "app/Main.ask", "java/util/concurrent/FutureTask.get", PARK),
            WICK_EXPLAIN_PARKED, 10);
    return s;
}

static void test_pool_busy__is_no_matter_of_threads_where_all_cpus_compute(void **state)
{
    (void)state;
    has(computing_pool(1, 0), "pool-busy: ");
    has_not(computing_pool(2, 0), "pool-busy");
    has_not(computing_pool(3, 0), "pool-busy");
    has(computing_pool(2, 3.9), "pool-busy: "); /* most of its time, but there are CPUs left */
    struct scene *s = computing_pool(2, 3.9);
    s->f.pauses_ns = 4 * S; /* but not while collections stop it */
    has_not(s, "pool-busy");
}

/* Long polls in a process that also asks a slow peer: what is waited for in them may be nothing but news. */
static void test_waiting__for_a_peer_is_said_beside_requests_that_poll(void **state)
{
    struct scene *s = scene();
    (void)state;
    add(s, thread_of(s, "acceptor", 1), STACK(s, "app/Server.run", "sun/nio/ch/ServerSocketChannelImpl.accept"),
        WICK_EXPLAIN_IO, 10);
    for (unsigned i = 0; i < 4; i++) {
        add(s, thread_of(s, "http", 10 + i),
            STACK(s, "com/sun/net/httpserver/Filter$Chain.doFilter", "app/Lobby.await", "java/lang/Object.wait"),
            WICK_EXPLAIN_PARKED, 10);
        add(s, thread_of(s, "hook", 20 + i), STACK(s, "app/Hook.run", SEND, PARK), WICK_EXPLAIN_PARKED, 10);
    }
    has(s, "server's answer, at app.Hook.run");
}

/* Clients in the process of their server wait for what its requests wait for. */
static void test_waiting__of_own_clients_is_what_their_requests_wait_for(void **state)
{
    (void)state;
    for (unsigned waits = 4; waits <= 10; waits += 6) {
        struct scene *s = scene();
        add(s, thread_of(s, "acceptor", 1), STACK(s, "app/Server.run", "sun/nio/ch/ServerSocketChannelImpl.accept"),
            WICK_EXPLAIN_IO, 10);
        for (unsigned i = 0; i < 4; i++) {
            add(s, thread_of(s, "http", 10 + i),
                STACK(s, "com/sun/net/httpserver/Filter$Chain.doFilter", "app/Desk.place",
                      "java/util/concurrent/Semaphore.acquire", PARK),
                WICK_EXPLAIN_PARKED, waits);
            add(s, thread_of(s, "http", 10 + i),
                STACK(s, WORKER, "java/util/concurrent/ThreadPoolExecutor.getTask", PARK), WICK_EXPLAIN_PARKED,
                10.01 - waits);
        }
        for (unsigned i = 0; i < 5; i++)
            add(s, thread_of(s, "client", 20 + i), STACK(s, "app/Client.run", SEND, PARK), WICK_EXPLAIN_PARKED, 10);
        if (waits == 10)
            has_not(s, "server's answer"); /* the permits are said */
        else
            has(s, "server's answer"); /* of another server, most of it */
    }
}

/* A carrier that rests is free: what has not run yet waits for it to wake up. */
static void test_unstarted_threads__do_not_wait_for_carriers_that_rest(void **state)
{
    (void)state;
    for (unsigned takes = 2; takes <= 8; takes += 6) {
        struct scene *s = unstarted(7, 0);
        s->wall[1].weight_ns = takes * S;
        add(s, s->wall[1].thread,
            STACK(s, "java/util/concurrent/ForkJoinWorkerThread.run", "java/util/concurrent/ForkJoinPool.awaitWork",
                  "java/util/concurrent/locks/LockSupport.park"),
            WICK_EXPLAIN_PARKED, 10 - takes);
        (takes > 5 ? has : has_not)(s, "unstarted-threads");
    }
}

/* While carriers block, the JDK adds others for a time, which rest afterwards: no virtual thread may run on them. */
static void test_unstarted_threads__wait_although_added_carriers_rest(void **state)
{
    (void)state;
    for (unsigned cpus = 1; cpus <= 8; cpus *= 8) {
        struct scene *s = unstarted(7, 0);
        s->f.allowed = (int64_t)cpus;
        for (unsigned i = 0; i < 10; i++) {
            char name[40];
            snprintf(name, sizeof name, "ForkJoinPool-1-worker-%u", 2 + i);
            uint32_t added = thread_of(s, name, 2 + i);
            add(s, added,
                STACK(s, "java/util/concurrent/ForkJoinWorkerThread.run", "java/lang/VirtualThread.runContinuation",
                      "app/Main.run"),
                WICK_EXPLAIN_RUNNABLE, 0.1);
            add(s, added,
                STACK(s, "java/util/concurrent/ForkJoinWorkerThread.run", "java/util/concurrent/ForkJoinPool.awaitWork",
                      PARK),
                WICK_EXPLAIN_PARKED, 9.9);
        }
        (cpus == 1 ? has : has_not)(s, "unstarted-threads");
    }
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

/* A pool that is made for one request and ends with it has no queue that others wait in. */
static void test_pool_busy__is_no_pool_that_ends_at_once(void **state)
{
    struct scene *s = scene();
    (void)state;
    add(s, thread_of(s, "http", 1), STACK(s, "app/Main.report", "java/util/concurrent/FutureTask.get", PARK),
        WICK_EXPLAIN_PARKED, 9);
    add(s, thread_of(s, "pool-7-thread-1", 2), STACK(s, WORKER, "app/Main.part", "java/lang/Thread.sleep"),
        WICK_EXPLAIN_SLEEPING, 0.2);
    has_not(s, "pool-busy");
}

/* That a pool has not ended is nobody's trouble while its workers have nothing to do, or compute. A lambda of the
 * waiting method that makes the pool's threads is no task. */
static void test_waiting__for_a_pool_to_end_is_waiting_for_its_tasks(void **state)
{
    static const struct {
        double waits, computes, makes;
        bool said;
    } cases[] = {{9, 0, 0, true}, {9, 0, 0.1, true}, {2, 0, 0, false}, {0, 9, 0, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        uint32_t worker = thread_of(s, "pool-1-thread-1", 2);
        add(s, thread_of(s, "main", 1),
            STACK(s, "app/Main.batch", "java/util/concurrent/ThreadPoolExecutor.awaitTermination",
                  "java/util/concurrent/locks/AbstractQueuedSynchronizer$ConditionObject.awaitNanos", PARK),
            WICK_EXPLAIN_PARKED, 10);
        add(s, worker, STACK(s, WORKER, "app/Main.part", "java/lang/Thread.sleep"), WICK_EXPLAIN_SLEEPING,
            cases[i].waits + 0.1);
        add(s, worker, STACK(s, WORKER, "app/Main.part"), WICK_EXPLAIN_RUNNABLE, cases[i].computes + 0.1);
        if (cases[i].makes > 0)
            add(s, thread_of(s, "main", 1),
                STACK(s, "app/Main.batch", "java/util/concurrent/ThreadPoolExecutor.addWorker",
                      "java/util/concurrent/ThreadPoolExecutor$Worker.<init>", "app/Main.lambda$batch$0"),
                WICK_EXPLAIN_RUNNABLE, cases[i].makes);
        if (!cases[i].said)
            silent(s);
        else
            has(s, "is waiting for a timer (Thread.sleep), at app.Main.part; 10.0 s of it by threads that wait for the "
                   "tasks of a pool to end at app.Main.batch, while the task waits there (");
    }
}

/* Tasks that wait for tasks of the same pool, none of which can begin: no thread runs any more. */
static void test_pool_busy__whose_tasks_wait_for_each_other(void **state)
{
    (void)state;
    for (unsigned who = 0; who < 3; who++) { /* 1: another worker has something to do; 2: one of a kind may be idle */
        struct scene *s = scene();
        uint32_t get = STACK(s, "app/Main.serve", "java/util/concurrent/FutureTask.get", PARK),
                 nested = STACK(s, WORKER, "app/Main.report", "java/util/concurrent/FutureTask.get", PARK);
        add(s, thread_of(s, "http", 1), get, WICK_EXPLAIN_PARKED, 10);
        add(s, thread_of(s, "report-1", 2), nested, WICK_EXPLAIN_PARKED, 10);
        if (who != 2)
            add(s, thread_of(s, "report-2", 3), nested, WICK_EXPLAIN_PARKED, 10);
        if (who == 1)
            add(s, thread_of(s, "service", 4), STACK(s, WORKER, "app/Main.run", "java/lang/Thread.sleep"),
                WICK_EXPLAIN_SLEEPING, 10);
        s->f.nran = 1; /* nobody ran */
        s->ran[0] = 0;
        if (who)
            has_not(s, "pool-busy");
        else
            begins(
                s,
                "pool-busy: 3 threads on average wait for futures (30.0 s), and the 2 threads of report have work 100 "
                "% of the time: tasks queue up; most of it is waiting for a future, at app.Main.report\n");
    }
}

/* A request that joins the threads that it starts waits for what they wait for, not for what they compute. */
static void test_waiting__for_threads_to_end_is_waiting_for_their_work(void **state)
{
    (void)state;
    for (unsigned computes = 0; computes < 3; computes++) { /* 2: and somebody waits for the request */
        struct scene *s = scene();
        uint32_t part = STACK(s, "java/lang/Thread.run", "app/Main.lambda$request$0", "app/Main.ask");
        const char *root = computes == 2 ? "javax/servlet/http/HttpServlet.service" : "java/lang/Thread.run";
        add(s, thread_of(s, "http", 1),
            STACK(s, root, "app/Main.request", "java/lang/Thread.join", "java/lang/Object.wait"),
            WICK_EXPLAIN_OBJECT_WAIT, 9);
        add(s, thread_of(s, "Thread-7", 2), computes ? part : push(&s->p, part, "java/lang/Thread.sleep"),
            computes ? WICK_EXPLAIN_RUNNABLE : WICK_EXPLAIN_SLEEPING, 8);
        if (computes == 2)
            has(s, "is waiting for another thread's end, at app.Main.request\n");
        else if (computes)
            silent(s);
        else
            has(s,
                "is waiting for a timer (Thread.sleep), at app.Main.ask; 9.0 s of it by threads that wait for another "
                "thread's end at app.Main.request, while the task waits there (100 %)\n");
    }
}

/* Nobody gives back what the pool has lent: no thread runs. */
static void test_waiting__for_a_pool_that_is_never_free_again(void **state)
{
    struct scene *s = scene();
    (void)state;
    add(s, thread_of(s, "http", 1),
        STACK(s, "app/Dao.find", "app/ConnectionPool.take", "java/util/concurrent/ArrayBlockingQueue.take", PARK),
        WICK_EXPLAIN_PARKED, 10);
    s->f.nran = 1;
    s->ran[0] = 0;
    has(s, "is waiting for a free object of a pool, at app.Dao.find; during these waits nothing is given back, so that "
           "none of them ended\n");
}

/* Nobody empties the queue any more: a client waits, or several threads do, while one or two may run ahead. */
static void test_waiting__for_room_that_never_comes(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads++)
        for (unsigned k = 0; k < 3; k++) {
            bool request = k & 1, brief = k & 2;
            struct scene *s = scene();
            uint32_t put =
                STACK(s, "app/Bank.transfer", "app/Audit.write", "java/util/concurrent/ArrayBlockingQueue.put", PARK);
            for (unsigned i = 0; i < threads; i++) {
                add(s, thread_of(s, "http", i + 1), put, WICK_EXPLAIN_PARKED, 10);
                s->wall[i].endpoint = request ? wick_profile_cstring(&s->p, "POST /transfer") : 0;
            }
            s->f.nran = 1;
            s->ran[0] = 0;
            s->f.duration_ns = brief ? 2 * S : s->f.duration_ns;
            if (brief) /* nobody's CPU time is known well enough */
                silent(s);
            else if (request || threads == 3)
                has(s, "is waiting for room in a queue, at app.Audit.write; during these waits nothing is taken from "
                       "it, so that none of them ended\n");
            else
                silent(s);
        }
}

/* A latch that is never counted down: each wait for it takes as long as it may. */
static void test_waiting__says_that_time_outs_end_it(void **state)
{
    (void)state;
    /* polled: one latch again and again, by who does something else in between; soon, latest, late: two of them are
     * counted down, at once, hardly before the time is over, or at any time, which others' recordings do not show */
    enum { COUNTED_DOWN, TIMED, POLLED, SOON, LATEST, LATE, NOT_OURS };
    for (unsigned how = COUNTED_DOWN; how <= NOT_OURS; how++) {
        struct scene *s = scene();
        uint32_t t = thread_of(s, "http", 1),
                 await = STACK(s, "app/Page.assemble", "java/util/concurrent/CountDownLatch.await", PARK);
        add(s, t, await, WICK_EXPLAIN_PARKED, 10);
        for (unsigned i = 0; i < (how >= SOON ? 10 : 8); i++) {
            bool comes = how == COUNTED_DOWN ? i > 0 : i >= 8;
            int64_t ns = !comes || how < SOON ? S : how == SOON ? S / 100 : how == LATEST ? S * 9 / 10 : S / 2;
            s->waits[s->f.locks.nrows++] = (struct wick_lock_wait_row){.park = true,
                                                                       .thread = t,
                                                                       .stack = await,
                                                                       .weight_ns = ns,
                                                                       .duration_ns = ns,
                                                                       .timed_out = !comes,
                                                                       .identity = how == POLLED ? 77 : 100 + i};
        }
        s->f.locks.not_ours = how == NOT_OURS;
        bool said = how == TIMED || how == SOON || how == LATEST || how == NOT_OURS;
        (said ? has : has_not)(s, "of the time of such waits ended by a time-out: what they wait for did not come\n");
    }
}

/* Who waits for a task of a ForkJoinPool looks for others in the meantime. */
static void test_hot_code__of_who_seeks_tasks_is_spinning(void **state)
{
    struct scene *s = scene();
    (void)state;
    cpu(s, STACK(s, "app/Main.total", "java/util/concurrent/ForkJoinPool$WorkQueue.helpComplete"), 6);
    cpu(s, STACK(s, "app/Main.total", "java/util/concurrent/ForkJoinPool$WorkQueue.helpComplete", "app/Main.add"), 3.9);
    begins(s,
           "hot-code: 61 % of CPU time (6.0 s) is waiting in a loop (Thread.yield, Thread.onSpinWait, a ForkJoinPool "
           "that looks for tasks), for app.Main.total\n\n");
}

/* Three desks that do little else than ask: how often is known by how often they are woken. */
static void test_waiting__for_one_short_answer_after_another(void **state)
{
    static const struct {
        int64_t slices;
        unsigned seconds;
        bool said;
        uint64_t count; /* samples of one wait */
    } cases[] = {{20000, 8, true, 1}, {4000, 8, false, 1}, {20000, 5, false, 1}, {20000, 8, false, 4}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        for (unsigned k = 1; k <= 3; k++) {
            uint32_t t = thread_of(s, "desk", k);
            add(s, t,
                STACK(s, "app/Desk.run", "app/Store.prices", "sun/net/www/http/HttpClient.parseHTTP",
                      "sun/nio/ch/NioSocketImpl.implRead"),
                WICK_EXPLAIN_IO, cases[i].seconds);
            s->wall[s->f.nwall - 1].count = cases[i].count;
            add(s, t, STACK(s, "app/Desk.run"), WICK_EXPLAIN_RUNNABLE, 10 - cases[i].seconds);
            s->uses[t].slices = cases[i].slices;
        }
        s->f.nuses = MOST;
        (cases[i].said ? has : has_not)(s,
                                        "; each of these threads waits some 2000 times a second, 0.4 ms each: it asks "
                                        "one question after another, or reads a long answer in pieces\n");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_waiting__for_one_short_answer_after_another),
        cmocka_unit_test(test_sequence__of_peers_is_named_with_who_asks),
        cmocka_unit_test(test_sequence__of_one_function_needs_rounds),
        cmocka_unit_test(test_sequence__within_spans_is_counted),
        cmocka_unit_test(test_sequence__is_none_of_what_comes_in_any_order),
        cmocka_unit_test(test_pool_busy__is_no_pool_that_ends_at_once),
        cmocka_unit_test(test_pool_busy__whose_tasks_wait_for_each_other),
        cmocka_unit_test(test_waiting__for_threads_to_end_is_waiting_for_their_work),
        cmocka_unit_test(test_waiting__for_a_pool_that_is_never_free_again),
        cmocka_unit_test(test_waiting__for_room_that_never_comes),
        cmocka_unit_test(test_waiting__says_that_time_outs_end_it),
        cmocka_unit_test(test_waiting__for_a_pool_to_end_is_waiting_for_its_tasks),
        cmocka_unit_test(test_endpoint_wait__for_a_peer_on_a_machine_without_cpus),
        cmocka_unit_test(test_endpoint_cpu__of_a_process_that_computes_little),
        cmocka_unit_test(test_endpoint_cpu__of_requests_without_spans),
        cmocka_unit_test(test_unstarted_threads__are_counted_with_what_keeps_the_carriers),
        cmocka_unit_test(test_unstarted_threads__come_behind_what_carriers_compute),
        cmocka_unit_test(test_waiting__for_a_carrier_comes_behind_what_carriers_compute),
        cmocka_unit_test(test_unstarted_threads__come_before_who_waits_for_them),
        cmocka_unit_test(test_pool_busy__is_no_matter_of_threads_where_all_cpus_compute),
        cmocka_unit_test(test_waiting__of_own_clients_is_what_their_requests_wait_for),
        cmocka_unit_test(test_waiting__for_a_peer_is_said_beside_requests_that_poll),
        cmocka_unit_test(test_unstarted_threads__do_not_wait_for_carriers_that_rest),
        cmocka_unit_test(test_unstarted_threads__wait_although_added_carriers_rest),
        cmocka_unit_test(test_pool_busy__whose_queue_is_full),
        cmocka_unit_test(test_hot_code__of_who_seeks_tasks_is_spinning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
