/* SPDX-License-Identifier: Apache-2.0 */
/* What `wick explain` says of what the JVM itself does: collections, compilation, operations of the VM thread. */
#include "explain_stacks.h"

/* Of a collector that stops the program it is the pause, and the way there, that the thread waits for. */
static void test_stall__is_no_pause_of_a_collector_that_stops_the_program(void **state)
{
    static const char *const functions[] = {"libjvm.so:ZPageAllocator::alloc_page_stall",
                                            "libjvm.so:G1CollectedHeap::mem_allocate"};
    (void)state;
    for (int stops = 0; stops < 2; stops++)
        for (int paused = 0; paused < 2; paused++) {
            struct scene *s = scene();
            add(s, thread_of(s, "a", 1), STACK(s, "app/Main.run", "app/Main.make", functions[stops]),
                WICK_EXPLAIN_ALLOCATION, 3);
            add(s, thread_of(s, "a", 1), STACK(s, "app/Main.run"), WICK_EXPLAIN_RUNNABLE, 7);
            s->f.pauses_ns = paused ? 6 * S / 10 : S / 100;
            char *text = explained(s);
            assert_int_equal(strstr(text, "allocation-stall: ") != NULL, !stops || paused);
            free(text);
        }
}

/* Waiting for collections that stop the program and leave room is no stall; what stays in use is not called needed. */
static void test_stall__of_a_heap_with_room_is_a_pause(void **state)
{
    (void)state;
    for (int full = 0; full < 2; full++) {
        struct scene *s = scene();
        add(s, thread_of(s, "a", 1), STACK(s, "app/Main.run", "libjvm.so:G1CollectedHeap::mem_allocate"),
            WICK_EXPLAIN_ALLOCATION, 3);
        add(s, thread_of(s, "a", 1), STACK(s, "app/Main.run"), WICK_EXPLAIN_RUNNABLE, 7);
        s->f.pauses_ns = 6 * S / 10;
        s->f.heap_max = 64 << 20;
        s->f.heap_used = full ? 45 << 20 : 5 << 20;
        char *text = explained(s);
        if (full ? !strstr(text, "much of the heap stays in use (at most 64 MiB), 45 MiB were in use after")
                 : *text != '\n')
            fail_msg("%s", text);
        free(text);
    }
}

/* Pauses that would be short if the collector had CPUs are the machine's; not if the program lacks them as much, but if
 * most of what the collector got is one thread's that waited for the others. */
static void test_gc_pauses__of_a_collector_without_cpus_are_the_machines(void **state)
{
    enum { COLLECTOR, BOTH, SPINS, EVEN, CASES };
    (void)state;
    for (int how = COLLECTOR; how < CASES; how++) {
        struct scene *s = scene();
        bool both = how == BOTH || how == EVEN;
        for (uint32_t i = 0; how >= SPINS && i < 3; i++) {
            uint32_t t = thread_of(s, i < 2 ? "GC Thread#0" : "G1 Conc#0", 100 + i);
            s->uses[t].cpu_ns = i < 2 ? how == EVEN ? S / 4 : i ? S * 49 / 100 : S / 100 : 0;
            s->uses[t].delay_ns = S;
            s->f.nuses = MOST;
        }
        s->f.pauses_ns = 2 * S;
        s->f.gcs = 20;
        s->f.gc_ns = S / 2;
        s->f.gc_wait_ns = 2 * S;
        s->f.got_ns = 2 * S;
        s->f.hungry_got_ns = 2 * S;
        s->f.hungry_delay_ns = how == COLLECTOR ? 0 : 6 * S;
        char *text = explained(s);
        if (!strstr(text, both ? "gc-pauses: 20 collections stopped the JVM for 20 % of the time (2.0 s"
                               : "starved-collections: 20 collections stopped the JVM for 20 % of the time (2.0 s), "
                                 "because threads of the collector had no CPU for 80 % of the time in which they "
                                 "could run\n"))
            fail_msg("%s", text);
        assert_true(!strstr(text, both ? "starved-coll" : "gc-pauses"));
        free(text);
    }
}

/* A process that computes for 10 s, 2 s of that in the collector; `n` collections of the recording leave so many MiB of
 * 100 in use, every fourth one `least`. */
static struct scene *collects(size_t n, int64_t most, int64_t least)
{
    static struct wick_explain_heap heaps[64];
    struct scene *s = scene();
    for (size_t i = 0; i < n; i++)
        heaps[i].used = (i % 4 ? most : least) << 20;
    s->f.heaps = heaps;
    s->f.nheaps = n;
    s->f.gcs = n;
    s->f.heap_used = most << 20;
    s->f.heap_max = 100 << 20;
    s->f.gc_ns = 2 * S;
    s->f.got_ns = 10 * S;
    return s;
}

/* Less CPU time of the collector is enough in a heap that most collections leave nearly full. */
static void test_gc_cpu__of_a_full_heap_counts_sooner(void **state)
{
    (void)state;
    has(collects(40, 90, 72),
        "gc-cpu: threads of the collector use 20 % of the CPU time (2.0 s); most collections leave "
        "three quarters of the heap in use or more: 90 MiB after one, of 100 MiB at most\n");
    has_not(collects(38, 90, 72), "gc-cpu"); /* too few to know */
    has_not(collects(40, 90, 68), "gc-cpu"); /* some find what can go */
    has_not(collects(40, 70, 70), "gc-cpu"); /* there is room */
    struct scene *s = collects(40, 90, 72);
    s->f.gc_ns = S;
    has_not(s, "gc-cpu");
    s = collects(40, 70, 70);
    s->f.gc_ns = 3 * S;
    has(s, "gc-cpu: threads of the collector use 30 % of the CPU time (3.0 s)\n");
}

/* That pauses are long without CPUs does not make a full heap large enough. */
static void test_starved_collections__of_a_full_heap_are_not_only_the_machines(void **state)
{
    (void)state;
    for (int full = 0; full < 2; full++) {
        struct scene *s = collects(40, full ? 90 : 30, full ? 70 : 20);
        s->f.pauses_ns = 2 * S;
        s->f.gc_ns = S / 2;
        s->f.gc_wait_ns = 2 * S;
        has(s, full ? "had no CPU for 80 % of the time in which they could run; 90 MiB were in use after a collection, "
                      "of 100 "
                      "MiB at most\n"
                    : "had no CPU for 80 % of the time in which they could run\n");
    }
}

/* Eight safepoints that were reached after so many ms each, and the slowest thread, which had no CPU for some. */
static struct scene *late(int64_t reach, int64_t own, int64_t starved, double lack)
{
    static struct wick_ttsp_slow slow[8];
    static struct wick_ttsp_culprit culprits[8];
    struct scene *s = scene();
    uint32_t stack = STACK(s, "app/Main.run", "app/Main.fold");
    for (uint32_t i = 0; i < 8; i++) {
        slow[i] = (struct wick_ttsp_slow){.reach_ns = reach * S / 1000, .first = i, .count = 1};
        culprits[i] = (struct wick_ttsp_culprit){.thread = thread_of(s, "worker", 1),
                                                 .waited_ns = own * S / 1000,
                                                 .why = 2 * starved >= own ? WICK_TTSP_STARVED : WICK_TTSP_LOOP,
                                                 .frame = s->p.stacks[stack].frame,
                                                 .starved_ns = starved * S / 1000,
                                                 .ran_ns = (own - starved) * S / 1000};
    }
    s->f.ttsp.slow = slow;
    s->f.ttsp.culprits = culprits;
    s->f.ttsp.nslow = s->f.ttsp.nculprits = 8;
    s->f.hungry_delay_ns = (int64_t)(lack * 1000);
    s->f.hungry_got_ns = (int64_t)(1000 - lack * 1000);
    return s;
}

/* What passes after the slowest thread was there, and what one does in slices, is for the machine; to run for long is
 * not, however long the thread had no CPU besides. */
static void test_safepoints__are_slow_by_what_their_slowest_thread_ran(void **state)
{
    (void)state;
    has(late(50, 20, 0, 0), "late-safepoints: 8 safepoints were slow to be reached, 400 ms in all");
    has(late(50, 20, 0, 0.3), "late-safepoints: 8 safepoints were slow to be reached, 160 ms in all");
    has(late(50, 20, 0, 0.3),
        "starved-safepoints: 8 safepoints were slow to be reached because threads had no CPU to get "
        "there, 240 ms in all");
    has_not(late(50, 20, 0, 0.8), "late-safepoints");
    has(late(80, 60, 0, 0.8), "late-safepoints: 8 safepoints were slow to be reached, 480 ms in all");
    has_not(late(400, 400, 310, 0.8), "late-safepoints");
    has(late(500, 500, 380, 0.8),
        "late-safepoints: 8 safepoints were slow to be reached, 960 ms in all, the longest after 500 "
        "ms; most by worker: it ran for long without reaching one, at app.Main.fold\n");
}

static void test_gc_threads__are_compared_with_the_cpus_that_there_are(void **state)
{
    (void)state;
    for (int enough = 0; enough < 2; enough++) {
        struct scene *s = scene();
        char name[32];
        for (int i = 0; i < 8; i++) { /* Parallel of JDK 8 calls them otherwise, cut by the kernel */
            snprintf(name, sizeof name, i % 2 ? "GC Thread#%d" : "GC task thread#", i);
            (void)thread_of(s, name, 100 + i);
        }
        s->f.allowed = enough ? 5 : 16;
        s->f.cpu_limit = enough ? 0 : 2;
        s->f.periods.grown = 100;
        s->f.throttled.grown = enough ? 0 : 9;
        s->f.pauses_ns = S * 8 / 10;
        if (enough)
            silent(s);
        else
            begins(s,
                   "gc-threads: 8 threads collect in parallel, and the process may use 2 CPUs: they wait for each "
                   "other, and use up the CPU limit (9.0 % of its periods stopped), while collections stop the JVM for "
                   "8.0 % of the time (800 ms)\n");
    }
}

static void test_explicit_gc__names_the_caller_instead_of_the_heap(void **state)
{
    struct scene *s = scene();
    (void)state;
    for (int i = 0; i < 4; i++)
        s->causes[s->f.ncauses++] = wick_profile_cstring(&s->p, i ? "System.gc()" : "Allocation Failure");
    s->f.gcs = 4;
    s->f.pauses_ns = 3 * S;
    add(s, thread_of(s, "main", 1), STACK(s, "app/Main.ask", "java/lang/System.gc", "java/lang/Runtime.gc"),
        WICK_EXPLAIN_NATIVE_WAIT, 3);
    begins(
        s,
        "explicit-gc: 3 of 4 collections were asked for by System.gc(), from app.Main.ask; collections stopped the JVM "
        "for 30 % of the time (3.0 s)\n\n");
}

/* The heap is none too small for who has it inspected. */
static void test_explicit_gc__names_tools_that_have_the_heap_collected(void **state)
{
    struct scene *s = scene();
    (void)state;
    for (int i = 0; i < 4; i++)
        s->causes[s->f.ncauses++] =
            wick_profile_cstring(&s->p, i ? "Heap Inspection Initiated GC" : "Allocation Failure");
    s->f.gcs = 4;
    s->f.pauses_ns = 3 * S;
    add(s, thread_of(s, "exporter", 1),
        STACK(s, "app/Exporter.export", "com/sun/jmx/mbeanserver/JmxMBeanServer.invoke",
              "com/sun/management/internal/DiagnosticCommandImpl.invoke",
              "com/sun/management/internal/DiagnosticCommandImpl.executeDiagnosticCommand"),
        WICK_EXPLAIN_NATIVE_WAIT, 3);
    begins(s, "explicit-gc: 3 of 4 collections were asked for by a class histogram, from app.Exporter.export; "
              "collections stopped the JVM for 30 % of the time (3.0 s)\n\n");
}

/* A larger heap does not help against collections that an option asks for. */
static void test_gc_pauses__of_periodic_collections_are_the_options(void **state)
{
    (void)state;
    for (int periodic = 0; periodic < 2; periodic++) {
        struct wick_explain_findings all;
        struct wick_err err = {0};
        struct scene *s = scene();
        for (int i = 0; i < 4; i++)
            s->causes[s->f.ncauses++] =
                wick_profile_cstring(&s->p, periodic && i ? "G1 Periodic Collection" : "G1 Evacuation Pause");
        s->f.gcs = 4;
        s->f.pauses_ns = 3 * S;
        assert_int_equal(wick_explain_apply(&all, &s->f, &err), 0);
        assert_true(all.n > 0);
        assert_string_equal(all.rows[0].rule->name, "gc-pauses");
        const char *advice = all.rows[0].advice ? all.rows[0].advice : all.rows[0].rule->advice;
        assert_int_equal(strstr(advice, "-XX:G1PeriodicGCInterval") != NULL, periodic);
        assert_int_equal(strstr(advice, "a larger heap") != NULL, !periodic);
        wick_explain_findings_release(&all);
        wick_profile_release(&s->p);
        free(s);
    }
}

/* Several that ask are counted together, the commonest is named. */
static void test_explicit_gc__counts_all_who_ask(void **state)
{
    static const char *const causes[] = {"System.gc()", "System.gc()", "Heap Dump Initiated GC", "Allocation Failure"};
    struct scene *s = scene();
    (void)state;
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        s->causes[s->f.ncauses++] = wick_profile_cstring(&s->p, causes[i]);
    s->f.gcs = 4;
    s->f.pauses_ns = 3 * S;
    begins(s, "explicit-gc: 3 of 4 collections were asked for by System.gc() and others; "
              "collections stopped the JVM for 30 % of the time (3.0 s)\n\n");
}

/* By the CPU time of the compilers where that is less than their time by the clock, and with the place. */
static void test_deoptimisations__have_a_place_and_cost_cpu_time(void **state)
{
    struct scene *s = scene();
    (void)state;
    s->f.deopts.grown = 1000;
    s->f.compile_ns.grown = 6 * S;
    uint32_t main = thread_of(s, "main", 1), c2 = thread_of(s, "C2 CompilerThre", 2);
    s->uses[c2].cpu_ns = 2 * S;
    s->f.nuses = c2 + 1;
    uint32_t at = STACK(s, "app/Main.run", "app/Main.price");
    uint32_t function =
        wick_profile_function(&s->p, 0, wick_profile_cstring(&s->p, "Deoptimization::uncommon_trap"), 0);
    uint32_t leaf = wick_profile_push(&s->p, at, wick_profile_frame(&s->p, function, 0, -1, WICK_FRAME_NATIVE));
    add(s, main, leaf, WICK_EXPLAIN_RUNNABLE, 0.1);
    begins(s, "deoptimisations: 1000 deoptimisations, 100 a second: compiled code was thrown away or left for the "
              "interpreter, most at app.Main.price, and recompiled: 2.0 s of compiling\n\n");
    s = scene();
    s->f.deopts.grown = 1000;
    s->f.compile_ns.grown = 6 * S;
    s->uses[thread_of(s, "C2 CompilerThre", 1)].cpu_ns = S / 10; /* it hardly had a CPU */
    s->f.nuses = 2;
    silent(s);
}

/* While a program warms up, most is compiled for the first time: what is thrown away is compiled twice at most. */
static void test_deoptimisations__cost_what_is_compiled_again(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct scene *s = scene();
        s->f.deopts.grown = 300;
        s->f.compile_ns.grown = 6 * S;
        s->f.compiles.grown = i ? 12000 : 1200;
        if (i)
            has_not(s, "deoptimisations");
        else
            has(s, "and recompiled: 3.0 s of compiling\n");
    }
}

/* An exception that compiled code leaves for each time costs no compiling. */
static void test_deoptimisations__cost_what_leaving_takes(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct scene *s = scene();
        uint32_t at = STACK(s, "app/Main.run", "app/Main.price");
        uint32_t function =
            wick_profile_function(&s->p, 0, wick_profile_cstring(&s->p, "Deoptimization::uncommon_trap"), 0);
        cpu(s, wick_profile_push(&s->p, at, wick_profile_frame(&s->p, function, 0, -1, WICK_FRAME_NATIVE)),
            i ? 2 : 0.5);
        cpu(s, STACK(s, "app/Main.run"), 8);
        s->f.deopts.grown = 100000;
        s->f.compile_ns.grown = S / 100;
        if (i)
            has(s, "and recompiled: 10 ms of compiling; threads spend 20 % of CPU time leaving "
                   "compiled code, as they do where an exception is thrown there each time\n");
        else
            has_not(s, "deoptimisations");
    }
}

/* Hundreds at once, when an assumption of much code fails, are over with that, and a short command only warms up. */
static void test_deoptimisations__go_on(void **state)
{
    enum { GO_ON, ONCE, SHORT, COURSES };
    (void)state;
    for (unsigned course = 0; course < COURSES; course++) {
        struct wick_explain_reading readings[11];
        struct scene *s = scene();
        for (unsigned i = 0; i <= 10; i++)
            readings[i] = (struct wick_explain_reading){i * S, course == ONCE ? (i < 8 ? 0 : 400) : 40 * (int64_t)i};
        s->f.deopts.grown = 400;
        s->f.deopts_then = readings;
        s->f.ndeopts_then = course == SHORT ? 3 : 11; /* 2 s */
        if (course != GO_ON)
            silent(s);
        else
            begins(s, "deoptimisations: 400 deoptimisations, 40 a second: ");
    }
}

/* Of Serial and Parallel a failed allocation asks the VM thread for a collection: none of its other operations. */
static void test_vm_operations__are_not_asked_for_by_allocations(void **state)
{
    static const char *const allocates[] = {"libjvm.so:GenCollectedHeap::mem_allocate_work(unsigned long, bool)",
                                            "libjvm.so:ParallelScavengeHeap::mem_allocate(unsigned long)",
                                            "libjvm.so:G1CollectedHeap::attempt_allocation_slow(unsigned long)"};
    (void)state;
    for (size_t i = 0; i < sizeof allocates / sizeof *allocates; i++) {
        struct scene *s = scene();
        struct wick_explain_row row = {.name = wick_profile_cstring(&s->p, "ThreadDump"), .sum = 2.0 * S};
        add(s, thread_of(s, "worker", 1),
            STACK(s, "app/Main.run", "java/util/Arrays.copyOf", "libjvm.so:MemAllocator::mem_alloc() const",
                  allocates[i], "libjvm.so:VMThread::execute(VM_Operation*)"),
            WICK_EXPLAIN_ALLOCATION, 1.5);
        s->f.operations.rows = &row;
        s->f.operations.n = 1;
        char *text = explained(s);
        assert_non_null(strstr(text, "vm-operations: the VM thread was at ThreadDump"));
        assert_null(strstr(text, "most of it for"));
        free(text);
    }
}

/* Who asks for an operation waits for it, and who asks for a collection for something else. */
static void test_vm_operations__name_who_asks(void **state)
{
    static const char plain[] = "vm-operations: the VM thread was at ThreadDump for 20 % of the time (about 2.0 s): ";
    (void)state;
    for (unsigned asks = 0; asks < 2; asks++) {
        struct scene *s = scene();
        struct wick_explain_row row = {.name = wick_profile_cstring(&s->p, "ThreadDump"), .sum = 2.0 * S};
        add(s, thread_of(s, "watch", 1),
            STACK(s, "app/Watch.look", "sun/management/ThreadImpl.dumpAllThreads", "sun/management/ThreadImpl.dump0",
                  "libjvm.so:jmm_DumpThreads", "libjvm.so:VMThread::execute(VM_Operation*)"),
            WICK_EXPLAIN_NATIVE_WAIT, asks ? 1.5 : 0.5);
        add(s, thread_of(s, "worker", 2),
            STACK(s, "app/Main.run", "java/lang/Runtime.gc", "libjvm.so:JVM_GC", "libjvm.so:VMThread::execute(VM_Op*)"),
            WICK_EXPLAIN_NATIVE_WAIT, 4);
        s->f.operations.rows = &row;
        s->f.operations.n = 1;
        char *text = explained(s);
        assert_true((strstr(text, plain) == NULL) == asks);
        assert_true((strstr(text, "(about 2.0 s), most of it for sun.management.ThreadImpl.dumpAllThreads, called at "
                                  "app.Watch.look: threads wait") != NULL) == asks);
        free(text);
    }
}

/* A name like those of java.net.http's threads is not enough: pools of the program may have it as well. */
static void test_http_clients__are_none_of_the_programs_own_pools(void **state)
{
    static const struct {
        const char *name;
        bool client;
    } cases[] = {{"HttpClient-%d-SelectorManager", true},
                 {"HttpClient-%d-Worker-0", true},
                 {"HttpClient-%d", false},
                 {"HttpClient--%d", false},
                 {"HttpClient-%d-Retry", false},
                 {"HttpClient-%d-", false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        char name[64];
        for (int second = 0; second <= 10; second++) {
            snprintf(name, sizeof name, cases[i].name, 1 + 4 * second);
            add(s, thread_of(s, name, 100 + second),
                STACK(s, "java/lang/Thread.run", "sun/nio/ch/SelectorImpl.select", "sun/nio/ch/EPoll.wait"),
                WICK_EXPLAIN_IO, 1);
            s->wall[s->f.nwall - 1].time_ns = 50 * S + second * S;
        }
        char *text = explained(s);
        if ((strstr(text, "http-clients: 36 HttpClients were made") != NULL) != cases[i].client)
            fail_msg("%s: %s", cases[i].name, text);
        free(text);
    }
}

/* By the kernel's 15 bytes. */
static void test_http_clients__have_names_that_are_cut(void **state)
{
    (void)state;
    for (int rate = 4; rate <= 40; rate *= 10) {
        struct scene *s = scene();
        char name[64];
        for (int second = 0; second <= 10; second++) {
            snprintf(name, sizeof name, "HttpClient-%d-SelectorManager", 1 + rate * second);
            name[15] = 0;
            add(s, thread_of(s, name, 100 + second),
                STACK(s, "java/lang/Thread.run", "sun/nio/ch/SelectorImpl.select", "sun/nio/ch/EPoll.wait"),
                WICK_EXPLAIN_IO, 1);
            s->wall[s->f.nwall - 1].time_ns = 50 * S + second * S;
        }
        char *text = explained(s);
        assert_non_null(strstr(text, "http-clients: "));
        free(text);
    }
}

/* What clients in other processes wait for is not seen, but that threads which serve them wait for somebody is. */
static void test_file_sync__of_a_server_may_be_what_its_clients_wait_for(void **state)
{
    (void)state;
    for (unsigned waits = 0; waits <= 1; waits++) {
        struct scene *s = scene();
        uint32_t journal = thread_of(s, "journal", 1), http = thread_of(s, "http", 2);
        add(s, journal, STACK(s, "app/Journal.run", "sun/nio/ch/FileChannelImpl.force"), WICK_EXPLAIN_DISK, 4);
        add(s, journal,
            STACK(s, "app/Journal.run", "java/util/concurrent/LinkedBlockingQueue.take",
                  "java/util/concurrent/locks/LockSupport.park"),
            WICK_EXPLAIN_PARKED, 6);
        add(s, thread_of(s, "acceptor", 3), STACK(s, "app/Server.run", "sun/nio/ch/ServerSocketChannelImpl.accept"),
            WICK_EXPLAIN_IO, 10);
        add(s, http, STACK(s, "app/Server.serve"), WICK_EXPLAIN_RUNNABLE, waits ? 7 : 10);
        if (waits)
            add(s, http,
                STACK(s, "app/Server.serve", "java/util/concurrent/CompletableFuture.get",
                      "java/util/concurrent/locks/LockSupport.park"),
                WICK_EXPLAIN_PARKED, 3);
        char *text = explained(s);
        if ((strstr(text, "waiting for fsync (data to reach the disk), at app.Journal.run") != NULL) != waits)
            fail_msg("%u: %s", waits, text);
        free(text);
    }
}

/* On top: a method of the program, compiled or interpreted so, or one inlined into it. */
static uint32_t method_of(struct scene *s, enum wick_frame_kind kind)
{
    uint32_t function =
        wick_profile_function(&s->p, wick_profile_cstring(&s->p, "app/Main"), wick_profile_cstring(&s->p, "run"), 0);
    uint32_t inlined =
        wick_profile_function(&s->p, wick_profile_cstring(&s->p, "app/Main"), wick_profile_cstring(&s->p, "sum"), 0);
    uint32_t stack = wick_profile_push(&s->p, 0, wick_profile_frame(&s->p, function, 0, -1, kind));
    return wick_profile_push(&s->p, stack, wick_profile_frame(&s->p, inlined, 0, -1, WICK_FRAME_INLINED));
}

/* An option is named where the time is in what it leads to; the last one counts. */
static void test_jvm_option__of_compilers_shows_in_the_frames(void **state)
{
    static const struct {
        const char *arguments;
        enum wick_frame_kind kind;
        const char *says;
    } cases[] = {
        {"-Xmx1g -XX:TieredStopAtLevel=1", WICK_FRAME_C1,
         "jvm-option: -XX:TieredStopAtLevel=1 keeps the compiler C2 from working: 80 % of CPU time (8.0 s) is in "
         "methods "
         "compiled by C1 "},
        {"-XX:TieredStopAtLevel=1", WICK_FRAME_C2, NULL},
        {"-XX:TieredStopAtLevel=1 -XX:TieredStopAtLevel=4", WICK_FRAME_C1, NULL},
        {"-Xmx1g", WICK_FRAME_C1, NULL},
        {"-XX:TieredStopAtLevel=0", WICK_FRAME_INTERPRETED, "jvm-option: -XX:TieredStopAtLevel=0 keeps"},
        {"-Xint", WICK_FRAME_INTERPRETED, "jvm-option: -Xint keeps the compilers from working: 80 %"},
        {"-Xint -Xmixed", WICK_FRAME_INTERPRETED, NULL},
        {"-Dx=-Xint", WICK_FRAME_INTERPRETED, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        s->f.arguments = wick_profile_cstring(&s->p, cases[i].arguments);
        cpu(s, method_of(s, cases[i].kind), 8);
        cpu(s, STACK(s, "libc.so.6:write"), 2);
        char *text = explained(s);
        if (cases[i].says ? strncmp(text, cases[i].says, strlen(cases[i].says)) != 0 : !!strstr(text, "jvm-option"))
            fail_msg("%s: %s", cases[i].arguments, text);
        free(text);
    }
}

/* Functions of the JVM have no names in many builds, stubs do. */
static void test_jvm_option__of_allocation_buffers_shows_in_calls_of_the_jvm(void **state)
{
    static const char *const calls[] = {"libjvm.so:MemAllocator::allocate", "stub:_new_instance_Java",
                                        "stub:_new_array_Java", "libjvm.so:"};
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct scene *s = scene();
        s->f.arguments = wick_profile_cstring(&s->p, "-XX:-UseTLAB");
        cpu(s, STACK(s, "app/Main.read", calls[i], "libjvm.so:"), 6);
        cpu(s, STACK(s, "app/Main.sum"), 4);
        if (i < 3)
            begins(s, "jvm-option: -XX:-UseTLAB has the JVM take the memory of each object");
        else
            has_not(s, "jvm-option");
    }
}

/* What a program would compute with CPUs to run on counts, not what it gets. */
static void test_jvm_option__counts_on_a_crowded_machine(void **state)
{
    (void)state;
    for (unsigned crowded = 0; crowded < 2; crowded++) {
        struct scene *s = scene();
        s->f.arguments = wick_profile_cstring(&s->p, "-XX:TieredStopAtLevel=1");
        s->f.got_ns = S + S / 2;
        s->f.hungry_delay_ns = crowded ? 8 * S : 0;
        cpu(s, method_of(s, WICK_FRAME_C1), 1.5);
        (crowded ? has : has_not)(s, "jvm-option: -XX:TieredStopAtLevel=1 keeps");
    }
}

/* No harm is done where the collector finds no soft references; what it clears costs what is made anew. */
static void test_jvm_option__of_soft_references_needs_some(void **state)
{
    struct wick_explain_sample made[1];
    (void)state;
    for (int finds = 0; finds < 2; finds++) {
        struct scene *s = scene();
        s->f.arguments = wick_profile_cstring(&s->p, "-XX:SoftRefLRUPolicyMSPerMB=0");
        s->f.gcs = 500;
        uint32_t load = STACK(s, "app/Rates.load", "java/lang/Float.parseFloat");
        made[0] = (struct wick_explain_sample){.stack = load, .weight_ns = 1 << 20};
        s->f.alloc = made;
        s->f.nalloc = 1;
        cpu(s, load, 3);
        cpu(s, STACK(s, "app/Main.a"), 3);
        cpu(s, STACK(s, "app/Main.b"), 3);
        cpu(s, STACK(s, finds ? "libjvm.so:ReferenceProcessor::process_soft_ref_reconsider_work" : "libjvm.so:x"), 1);
        if (!finds) {
            silent(s);
            continue;
        }
        begins(s, "jvm-option: -XX:SoftRefLRUPolicyMSPerMB=0 has each collection clear all soft references, so that "
                  "what caches keep by them is made anew after it (500 collections, 50 a second): 10 % of CPU time "
                  "(1.0 s) is the work on soft references; 100 % of what is allocated is for app.Rates.load, which "
                  "computes for 3.0 s ");
    }
}

static void looks_up(struct scene *s, struct wick_explain_lookup *l, uint32_t stack, int64_t found, int64_t missed)
{
    *l = (struct wick_explain_lookup){.frame = s->p.stacks[stack].frame,
                                      .callee = wick_profile_cstring(&s->p, "app/Cache.get"),
                                      .found = found,
                                      .missed = missed,
                                      .first_line = 21,
                                      .last_line = 23};
    s->f.lookups = l;
    s->f.nlookups++;
}

/* A cache that never hits is what is computed where it has nothing: of enough lookups that miss, of no other line. */
static void test_cache_misses__are_what_is_made_where_nothing_is_found(void **state)
{
    (void)state;
    static const struct {
        int64_t found, missed;
        const char *at;
        bool said;
    } cases[] = {{250, 4750, "app/Main.quote@22", true},
                 {250, 4750, "app/Main.quote@25", false}, /* behind it, as what is found is also used */
                 {2000, 3000, "app/Main.quote@22", false},
                 {0, 150, "app/Main.quote@22", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wick_explain_lookup lookup;
        struct scene *s = scene();
        looks_up(s, &lookup, STACK(s, "app/Main.run@9", "app/Main.quote@20"), cases[i].found, cases[i].missed);
        cpu(s, STACK(s, "app/Main.run@9", cases[i].at, "app/Rates.a"), 3);
        cpu(s, STACK(s, "app/Main.run@9", cases[i].at, "app/Rates.b"), 3);
        cpu(s, STACK(s, "app/Main.run@10", "app/Other.c"), 2);
        cpu(s, STACK(s, "app/Main.run@11", "app/Other.d"), 2);
        if (cases[i].said)
            begins(s, "cache-misses: 60 % of CPU time (6.0 s) is what app.Main.quote:20 does where app.Cache.get finds "
                      "nothing: that was so in 95 % of 5000 lookups that the JVM counted\n");
        else
            has_not(s, "cache-misses");
    }
}

/* Of several the one that costs most. */
/* C2 compiled it early, and the CPU time shows what still happens. */
static void test_cache_misses__of_few_lookups_are_enough(void **state)
{
    (void)state;
    struct wick_explain_lookup lookup;
    struct scene *s = scene();
    looks_up(s, &lookup, STACK(s, "app/Main.run@9", "app/Main.quote@20"), 0, 819);
    cpu(s, STACK(s, "app/Main.run@9", "app/Main.quote@22", "app/Rates.a"), 6);
    cpu(s, STACK(s, "app/Main.run@9", "app/Main.price@22", "app/Rates.b"), 4);
    has(s, "that was so in 100 % of 819 lookups");
}

static void test_cache_misses__are_those_that_cost_most(void **state)
{
    (void)state;
    struct wick_explain_lookup both[2];
    struct scene *s = scene();
    looks_up(s, &both[0], STACK(s, "app/Main.run@9", "app/Main.quote@20"), 0, 9000);
    looks_up(s, &both[1], STACK(s, "app/Main.run@9", "app/Main.price@20"), 0, 2000);
    s->f.lookups = both;
    cpu(s, STACK(s, "app/Main.run@9", "app/Main.quote@22", "app/Rates.a"), 4);
    cpu(s, STACK(s, "app/Main.run@9", "app/Main.price@22", "app/Rates.b"), 6);
    begins(s, "cache-misses: 60 % of CPU time (6.0 s) is what app.Main.price:20 does where");
}

/* Who registers objects with a finalize() method, by the constructors above the JDK's own: one may call that of its
 * superclass, or make another object. */
static void test_collections__of_finalizable_objects_say_whose(void **state)
{
    static const struct {
        const char *outer, *inner, *registers;
        int samples;
        double seconds;
        const char *named;
        int64_t finalizes_ms; /* CPU time of the thread that runs them */
    } cases[] = {
        {"app/Scan.<init>", "java/lang/Object.<init>", "libjvm.so:SharedRuntime::register_finalizer", 3, 0.2,
         "app.Scan"},
        {"app/LaneScan.<init>", "app/Scan.<init>", "java/lang/ref/Finalizer.register", 3, 0.2,
         "app.LaneScan or app.Scan"},
        {"app/Report.<init>", "java/io/FileInputStream.<init>", "java/lang/ref/Finalizer.register", 3, 0.2,
         "java.io.FileInputStream"},
        {"app/Scan.<init>", "java/lang/Object.<init>", "libjvm.so:SharedRuntime::register_finalizer", 2, 0.2, NULL},
        {"app/Scan.<init>", "java/lang/Object.<init>", "libjvm.so:SharedRuntime::register_finalizer", 3, 0.02, NULL},
        {"app/Scan.<init>", "java/lang/Object.<init>", "libjvm.so:SharedRuntime::register_finalizer", 1, 0.02,
         "app.Scan", 40},
        {"app/Scan.<init>", "java/lang/Object.<init>", "libjvm.so:SharedRuntime::register_finalizer", 1, 0.02, NULL,
         20}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        for (int k = 0; k < 4; k++)
            s->causes[s->f.ncauses++] = wick_profile_cstring(&s->p, "Allocation Failure");
        s->f.gcs = 4;
        s->f.pauses_ns = 5 * S;
        s->uses[thread_of(s, "Finalizer", 9)].cpu_ns = cases[i].finalizes_ms * S / 1000;
        s->f.nuses = MOST;
        for (int k = 0; k < cases[i].samples; k++)
            add(s, thread_of(s, "lane", 1),
                STACK(s, "app/Lane.next", cases[i].outer, cases[i].inner, cases[i].registers), WICK_EXPLAIN_RUNNABLE,
                cases[i].seconds);
        char text[160];
        snprintf(text, sizeof text, "; objects of %s, made at %s, have a finalize() method, so that",
                 cases[i].named ? cases[i].named : "", i == 2 ? "app.Report.<init>" : "app.Lane.next");
        if (cases[i].named)
            has(s, text);
        else
            has_not(s, "finalize()");
    }
}

/* Collections that find a thousand classes a second to unload are what these cost. */
static void test_class_unloading__comes_before_the_collections_that_it_makes_expensive(void **state)
{
    (void)state;
    for (int many = 0; many <= 1; many++) {
        struct scene *s = scene();
        for (int k = 0; k < 4; k++)
            s->causes[s->f.ncauses++] = wick_profile_cstring(&s->p, "G1 Evacuation Pause");
        s->f.gcs = 4;
        s->f.pauses_ns = 5 * S;
        s->f.unloaded.grown = s->f.loaded.grown = many ? 20000 : 2000;
        add(s, thread_of(s, "a", 1), STACK(s, "app/Main.run"), WICK_EXPLAIN_RUNNABLE, 10);
        begins(s, many ? "class-unloading: " : "gc-pauses: ");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_class_unloading__comes_before_the_collections_that_it_makes_expensive),
        cmocka_unit_test(test_collections__of_finalizable_objects_say_whose),
        cmocka_unit_test(test_stall__is_no_pause_of_a_collector_that_stops_the_program),
        cmocka_unit_test(test_stall__of_a_heap_with_room_is_a_pause),
        cmocka_unit_test(test_gc_pauses__of_a_collector_without_cpus_are_the_machines),
        cmocka_unit_test(test_gc_cpu__of_a_full_heap_counts_sooner),
        cmocka_unit_test(test_starved_collections__of_a_full_heap_are_not_only_the_machines),
        cmocka_unit_test(test_safepoints__are_slow_by_what_their_slowest_thread_ran),
        cmocka_unit_test(test_gc_threads__are_compared_with_the_cpus_that_there_are),
        cmocka_unit_test(test_explicit_gc__names_the_caller_instead_of_the_heap),
        cmocka_unit_test(test_explicit_gc__names_tools_that_have_the_heap_collected),
        cmocka_unit_test(test_gc_pauses__of_periodic_collections_are_the_options),
        cmocka_unit_test(test_explicit_gc__counts_all_who_ask),
        cmocka_unit_test(test_deoptimisations__have_a_place_and_cost_cpu_time),
        cmocka_unit_test(test_deoptimisations__cost_what_is_compiled_again),
        cmocka_unit_test(test_deoptimisations__cost_what_leaving_takes),
        cmocka_unit_test(test_deoptimisations__go_on),
        cmocka_unit_test(test_vm_operations__are_not_asked_for_by_allocations),
        cmocka_unit_test(test_vm_operations__name_who_asks),
        cmocka_unit_test(test_jvm_option__of_compilers_shows_in_the_frames),
        cmocka_unit_test(test_jvm_option__of_allocation_buffers_shows_in_calls_of_the_jvm),
        cmocka_unit_test(test_jvm_option__counts_on_a_crowded_machine),
        cmocka_unit_test(test_jvm_option__of_soft_references_needs_some),
        cmocka_unit_test(test_cache_misses__are_what_is_made_where_nothing_is_found),
        cmocka_unit_test(test_cache_misses__of_few_lookups_are_enough),
        cmocka_unit_test(test_cache_misses__are_those_that_cost_most),
        cmocka_unit_test(test_http_clients__are_none_of_the_programs_own_pools),
        cmocka_unit_test(test_http_clients__have_names_that_are_cut),
        cmocka_unit_test(test_file_sync__of_a_server_may_be_what_its_clients_wait_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
