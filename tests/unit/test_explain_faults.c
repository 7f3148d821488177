/* SPDX-License-Identifier: Apache-2.0 */
/* Which findings of `wick explain` are faults, and which are a part of another one, or come behind it. */
#include "explain_stacks.h"

#include <stdio.h>

#define PARK "java/util/concurrent/locks/LockSupport.park"
#define LOCK "java/util/concurrent/locks/ReentrantLock.lock"
#define READ "java/net/SocketInputStream.read"

/* Two stations that wait for a lock all the time, and who is in a function of that thread's name. */
static struct scene *stations(const char *name, const char *function, bool moves)
{
    struct scene *s = scene();
    for (int i = 1; i <= 2; i++) {
        char waiter[32];
        snprintf(waiter, sizeof waiter, "station-%d", i);
        add(s, thread_of(s, waiter, i), STACK(s, "app/Station.run", "app/Bridge.duty", LOCK, PARK), WICK_EXPLAIN_PARKED,
            10);
    }
    add(s, thread_of(s, name, 9), STACK(s, "app/Station.run", function, "java/lang/Thread.sleep"),
        WICK_EXPLAIN_SLEEPING, 10);
    s->f.nran -= moves ? 0 : 2;
    return s;
}

/* Who does what they would do, in the function in which they wait, may let them stand by. */
static void test_stuck__may_be_stand_bys_of_one_that_works(void **state)
{
    static const struct {
        const char *name, *function;
        bool moves, searched, stand_bys;
    } cases[] = {{"station-0", "app/Bridge.duty", true, true, true},
                 {"station-0", "app/Bridge.duty", true, false, false}, /* it may be a deadlock */
                 {"station-0", "app/Bridge.duty", false, true, false}, /* it does not go on */
                 {"station-0", "app/Bridge.rest", true, true, false},  /* nothing shows that it has the lock */
                 {"pump-0", "app/Bridge.duty", true, true, false}};    /* it is none of them */
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = stations(cases[i].name, cases[i].function, cases[i].moves);
        s->f.searched = cases[i].searched;
        assert_int_equal(is_neutral(s, "stuck"), cases[i].stand_bys);
        (cases[i].stand_bys ? has : has_not)(
            s, "a holder that does not let go; station-0, which is in that function as well, goes on working: they may "
               "be its stand-bys\n");
    }
}

/* Which one has the lock is not known: one in another function may, as of a read lock where it requests the write
 * lock. */
static void test_stuck__names_each_place(void **state)
{
    struct scene *s = scene();
    (void)state;
    for (int t = 1; t <= 5; t++)
        add(s, thread_of(s, "picker", t),
            STACK(s, "app/Picker.run", t == 4 ? "app/Prices.renew" : "app/Prices.price", LOCK, PARK),
            WICK_EXPLAIN_PARKED, 10);
    has(s, "stuck: 5 threads waited for a lock all the time: picker at app.Prices.price, picker at app.Prices.renew, "
           "picker at app.Prices.price: ");
}

/* What the one that works does comes first, whatever the others' time. */
static void test_stuck__of_stand_bys_comes_last(void **state)
{
    (void)state;
    struct scene *s = stations("station-0", "app/Bridge.duty", true);
    s->f.searched = true;
    cpu(s, STACK(s, "app/Bridge.duty", "java/util/regex/Matcher.match"), 5);
    begins(s, "hot-code: 100 % of CPU time (5.0 s) is matching regular expressions, for app.Bridge.duty\n");
}

/* Two of them work, each with a lock of its own, and one that stands by came later. */
static void test_stuck__may_be_stand_bys_of_several(void **state)
{
    (void)state;
    struct scene *s = stations("station-0", "app/Bridge.duty", true);
    add(s, thread_of(s, "station-8", 8), STACK(s, "app/Station.run", "app/Bridge.duty", "java/lang/Thread.sleep"),
        WICK_EXPLAIN_SLEEPING, 10);
    add(s, thread_of(s, "station-7", 7), STACK(s, "app/Station.run", "app/Bridge.duty", LOCK, PARK),
        WICK_EXPLAIN_PARKED, 7);
    s->f.nran -= 2;
    s->f.searched = true;
    assert_true(is_neutral(s, "stuck"));
    free(explained(s));
}

/* But one that has a lock and waits for an answer that never comes is none of those that work. */
static void test_stuck__beside_one_that_hangs_is_a_fault(void **state)
{
    (void)state;
    struct scene *s = stations("station-0", "app/Bridge.duty", true);
    add(s, thread_of(s, "station-8", 8), STACK(s, "app/Station.run", "app/Bridge.duty", READ), WICK_EXPLAIN_IO, 10);
    s->f.nran -= 2;
    s->f.searched = true;
    assert_false(is_neutral(s, "stuck"));
    free(explained(s));
}

/* A thousand cancelled tasks take next to nothing, a hundred thousand do. */
static void test_cancelled__tasks_are_a_fault_where_they_are_many(void **state)
{
    (void)state;
    for (int many = 0; many <= 1; many++) {
        struct scene *s = scene();
        struct wick_explain_pool pool = {
            .thread = thread_of(s, "deadlines", 1),
            .queue_class =
                wick_profile_cstring(&s->p, "java/util/concurrent/ScheduledThreadPoolExecutor$DelayedWorkQueue"),
            .queued = many ? 100000 : 2500,
            .cancelled = many ? 90000 : 2400};
        s->f.pools = &pool;
        s->f.npools = 1;
        assert_int_equal(is_neutral(s, "cancelled-tasks"), !many);
        free(explained(s));
    }
}

/* Clients wait for a server in this process, whose answers are held back; for another one; or for more than that. */
static void test_held_back__comes_before_who_waits_for_that_server(void **state)
{
    static const struct {
        const char *server;
        double held;
        bool first;
    } cases[] = {{"127.0.0.1:80", 10, true}, {"127.0.0.1:80", 7, false}, {"10.0.0.7:80", 10, false}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct scene *s = scene();
        for (int i = 0; i < 2; i++) {
            add(s, thread_of(s, "till", 1 + i), STACK(s, "app/Till.run", "app/Till.ask@20", READ), WICK_EXPLAIN_IO, 8);
            s->wall[s->f.nwall - 1].server = wick_profile_cstring(&s->p, cases[c].server);
        }
        add(s, thread_of(s, "till", 1),
            STACK(s, "app/Till.run", "app/Till.ask@19", "java/net/SocketOutputStream.write"), WICK_EXPLAIN_RUNNABLE,
            0.1);
        add(s, thread_of(s, "stock", 9), STACK(s, "app/Stock.run", "app/Stock.next@7", READ), WICK_EXPLAIN_HELD_BACK,
            cases[c].held);
        s->wall[s->f.nwall - 1].service = wick_profile_cstring(&s->p, "127.0.0.1:80");
        s->f.ends = s->f.nwall;
        assert_int_equal(is_neutral(s, "held-back"), false);
        begins(s, cases[c].first ? "held-back: " : "waiting: ");
    }
}

/* Those that could share it rest. */
static void test_waiting__beside_threads_without_work_is_a_fault(void **state)
{
    (void)state;
    for (int uneven = 0; uneven <= 1; uneven++) {
        struct scene *s = scene();
        for (int i = 0; i < 8; i++) {
            char name[32];
            double rests = uneven && i ? 9.9 : 0.5;
            snprintf(name, sizeof name, "book-%d", i);
            add(s, thread_of(s, name, 1 + i),
                STACK(s, "app/Book.run", "java/util/concurrent/LinkedBlockingQueue.take", PARK), WICK_EXPLAIN_PARKED,
                rests);
            add(s, thread_of(s, name, 1 + i), STACK(s, "app/Book.run", "app/Book.enter", "java/lang/Thread.sleep"),
                WICK_EXPLAIN_SLEEPING, 10 - rests);
        }
        for (int i = 0; i < 3; i++)
            add(s, thread_of(s, "desk", 20 + i),
                STACK(s, "app/Desk.settle", "java/util/concurrent/CompletableFuture.get", PARK), WICK_EXPLAIN_PARKED,
                10);
        assert_int_equal(is_neutral(s, "waiting"), !uneven);
        has(s,
            uneven ? "in the meantime book-0 has work all the time" : "is waiting for a future, at app.Desk.settle\n");
    }
}

/* Tasks that others run are not what a thread holds up that is busy with something else. */
static void test_saturated_thread__is_not_awaited_by_who_waits_for_tasks_of_others(void **state)
{
    (void)state;
    for (int pool = 0; pool <= 1; pool++) {
        struct scene *s = scene();
        static const char run[] = "java/util/concurrent/ThreadPoolExecutor$Worker.run";
        uint32_t survey = thread_of(s, "survey", 1);
        s->f.allowed = 2;
        cpu(s, STACK(s, "app/Survey.run", "app/Survey.part"), 9);
        s->cpu[0].thread = survey;
        add(s, survey, STACK(s, "app/Survey.run", "app/Survey.part"), WICK_EXPLAIN_RUNNABLE, 10);
        if (pool)
            add(s, thread_of(s, "desk", 2), STACK(s, run, "app/Reading.make"), WICK_EXPLAIN_SAFEPOINT, 9);
        for (int i = 0; i < 3; i++)
            add(s, thread_of(s, "station", 10 + i),
                STACK(s, "app/Main.ask", "java/util/concurrent/FutureTask.get", PARK), WICK_EXPLAIN_PARKED, 10);
        for (uint32_t t = 0; t < s->p.nthreads; t++)
            s->uses[t] = (struct wick_explain_use){0};
        s->uses[survey].cpu_ns = 9 * S;
        s->f.nuses = s->p.nthreads;
        (pool ? has_not : has)(s, "saturated-thread: one thread, survey, has work 90 % of the time");
    }
}

/* A lock that is held while something is done that need not be: without a CPU, or at work. */
static void test_waiting__for_a_holder_of_needless_work_without_a_cpu_is_a_part_of_that(void **state)
{
    (void)state;
    for (int lacks = 0; lacks <= 1; lacks++) {
        struct scene *s = scene();
        uint32_t waits = STACK(s, "app/Desk.run", "app/Desk.note"),
                 logs = STACK(s, "app/Desk.run", "app/Desk.note", "java/util/logging/Logger.log",
                              "java/util/logging/LogRecord.getSourceClassName", "java/lang/Throwable.fill");
        add(s, thread_of(s, "a", 1), waits, WICK_EXPLAIN_MONITOR, 8);
        add(s, thread_of(s, "b", 2), logs, lacks ? WICK_EXPLAIN_WAITING_FOR_CPU : WICK_EXPLAIN_RUNNABLE, 8);
        owned(s, thread_of(s, "a", 1), waits, logs, false, 8);
        cpu(s, logs, 3);
        cpu(s, STACK(s, "app/Main.other"), 3);
        (lacks ? has : has_not)(s, " is logging that finds out where it is called, for app.Desk.note, which calls "
                                   "java.util.logging.Logger.log; 0.8 threads on average wait for a monitor in the "
                                   "meantime, at app.Desk.note\n");
    }
}

/* Half of the time goes to collections of what is made anew where nothing is found, or of what others make. */
static void test_cache_misses__are_a_fault_where_collections_are_for_what_they_make(void **state)
{
    (void)state;
    for (int theirs = 0; theirs <= 1; theirs++) {
        static struct wick_explain_sample made[2];
        static struct wick_explain_heap heaps[2];
        struct scene *s = scene();
        struct wick_explain_lookup lookup = {.frame =
                                                 s->p.stacks[STACK(s, "app/Main.run@9", "app/Main.quote@20")].frame,
                                             .callee = wick_profile_cstring(&s->p, "java/util/Map.get"),
                                             .missed = 5000,
                                             .first_line = 21,
                                             .last_line = 23};
        uint32_t anew = STACK(s, "app/Main.run@9", "app/Main.quote@22", "app/Rates.a"),
                 other = STACK(s, "app/Main.run@10", "app/Other.c");
        made[0] = (struct wick_explain_sample){.stack = anew, .weight_ns = theirs ? 80 : 60};
        made[1] = (struct wick_explain_sample){.stack = other, .weight_ns = theirs ? 20 : 40};
        heaps[0].used = heaps[1].used = 55;
        s->f.alloc = made;
        s->f.nalloc = 2;
        s->f.heaps = heaps;
        s->f.nheaps = 2;
        s->f.heap_used = 55;
        s->f.heap_max = 100;
        s->f.gcs = 50;
        s->f.pauses_ns = 5 * S;
        s->f.lookups = &lookup;
        s->f.nlookups = 1;
        cpu(s, anew, 6);
        cpu(s, other, 4);
        assert_int_equal(is_neutral(s, "cache-misses"), !theirs);
        char *text = explained(s);
        assert_int_equal(strstr(text, "gc-pauses: ") != NULL, !theirs);
        assert_int_equal(strstr(text, " lookups that the JVM counted; most of that time is in app.Rates.a (6.0 s); "
                                      "collections of what it allocates take another ") != NULL,
                         theirs);
        free(text);
    }
}

/* Weak references mostly have what is asked for, until a collection clears them; what that costs is not counted. */
static void test_cache_misses__are_a_fault_where_collections_clear_references(void **state)
{
    static const struct {
        const char *callee;
        int64_t found;
        size_t gcs;
        bool said;
    } cases[] = {{"java/lang/ref/WeakReference.get", 9000, 50, true},
                 {"java/lang/ref/WeakReference.get", 9000, 5, false}, /* too few collections for it */
                 {"java/lang/ref/WeakReference.get", 90, 50, false},  /* mostly there was nothing */
                 {"java/util/Map.get", 9000, 50, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        struct wick_explain_lookup lookup = {.frame =
                                                 s->p.stacks[STACK(s, "app/Main.run@9", "app/Main.quote@20")].frame,
                                             .callee = wick_profile_cstring(&s->p, cases[i].callee),
                                             .found = cases[i].found,
                                             .missed = 400,
                                             .first_line = 21,
                                             .last_line = 23};
        s->f.lookups = &lookup;
        s->f.nlookups = 1;
        s->f.gcs = cases[i].gcs;
        cpu(s, STACK(s, "app/Main.run@9", "app/Main.quote@22", "app/Rates.a"), 6);
        cpu(s, STACK(s, "app/Main.run@10", "app/Other.c"), 4);
        if (cases[i].said)
            assert_false(is_neutral(s, "cache-misses"));
        (cases[i].said ? has : has_not)(
            s, "cache-misses: 60 % of CPU time (6.0 s) is what app.Main.quote:20 does where "
               "java.lang.ref.WeakReference.get finds nothing: each of 5 collections a "
               "second takes away what nothing else refers to; most of that time is in app.Rates.a "
               "(6.0 s)\n");
    }
}

/* A JVM without names of its functions: what calls it shows what it waits for. */
static void test_stubs__show_what_a_jvm_without_names_waits_for(void **state)
{
    static const struct {
        const char *stub, *called, *part;
    } cases[] = {{"stub:SafepointBlob", "libjvm.so:[libjvm.so]", "safepoint"},
                 {"stub:_new_instance_Java", "libjvm.so:[libjvm.so]", "safepoint"},
                 {"stub:_new_array_nozero_Java", "libjvm.so:[libjvm.so]", "safepoint"},
                 {"stub:_new_instance_Java", "libjvm.so:Klass::define", "native"},
                 {"stub:other", "libjvm.so:[libjvm.so]", "native"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wick_explain_findings all;
        struct wick_err err = {0};
        struct scene *s = scene();
        uint32_t stack = push(&s->p, STACK(s, "app/Main.run", "app/Reading.make"), cases[i].stub);
        s->p.frames[s->p.stacks[stack].frame].kind = WICK_FRAME_STUB;
        stack = push(&s->p, push(&s->p, stack, cases[i].called), "libc.so.6:pthread_cond_wait");
        add(s, thread_of(s, "a", 1), stack, WICK_EXPLAIN_NATIVE_WAIT, 8);
        assert_int_equal(wick_explain_apply(&all, &s->f, &err), 0);
        assert_int_equal(all.naccounts, 1);
        for (unsigned part = 0; part < WICK_EXPLAIN_ACCOUNT_PARTS; part++)
            assert_int_equal(all.accounts[0].part_ns[part] > 0, !strcmp(wick_explain_part_name(part), cases[i].part));
        wick_explain_findings_release(&all);
        free(explained(s));
    }
}

/* Frames are copied, which is what the program is for, in a small part of the CPU time that there is, or in most of
 * it. */
static void test_copying__takes_a_quarter_of_a_cpu_to_be_a_fault(void **state)
{
    (void)state;
    for (int much = 0; much <= 1; much++) {
        struct scene *s = scene();
        cpu(s, STACK(s, "app/Wall.place", "java/util/Arrays.copyOf"), much ? 4 : 2);
        (much ? has : has_not)(s, "hot-code: 100 % of CPU time");
    }
}

/* On a crowded machine it may need more, but that is a guess. */
static void test_copying__is_no_fault_by_what_it_might_take(void **state)
{
    (void)state;
    struct scene *s = scene();
    cpu(s, STACK(s, "app/Wall.place", "java/util/Arrays.copyOf"), 1);
    s->f.got_ns = S;
    s->f.hungry_delay_ns = 8 * S;
    assert_true(is_neutral(s, "hot-code"));
    free(explained(s));
}

/* The lock of a class loader is taken by what searches it for classes that are not there. */
static void test_lock_contention__comes_behind_the_needless_work_under_it(void **state)
{
    (void)state;
    for (int same = 0; same <= 1; same++) {
        struct scene *s = scene();
        const char *load = "java/lang/ClassLoader.loadClass", *name = same ? "app/Quotes.lookup@28" : "app/Other.run@9";
        cpu(s, STACK(s, "app/Quotes.lookup@30", "java/lang/Class.forName", load), 2);
        for (int i = 1; i <= 3; i++) {
            add(s, thread_of(s, "quote", i), STACK(s, name, "java/lang/Class.forName", load), WICK_EXPLAIN_MONITOR,
                1.5);
            add(s, thread_of(s, "quote", i), STACK(s, "app/Quotes.run"), WICK_EXPLAIN_RUNNABLE, 8.5);
        }
        begins(s, same ? "hot-code: " : "lock-contention: ");
    }
}

/* Classes that come and go do no harm by that alone, nor do large objects: loading is hot-code's, and collections show
 * the cost. */
static void test_unloading_and_humongous__are_faults_where_collections_take_long(void **state)
{
    (void)state;
    for (int slow = 0; slow <= 1; slow++) {
        struct scene *s = scene();
        for (unsigned i = 0; i < 3; i++)
            s->causes[s->f.ncauses++] = wick_profile_cstring(&s->p, "G1 Humongous Allocation");
        s->f.unloaded.grown = s->f.loaded.grown = 5000;
        s->f.pauses_ns = slow ? 6 * S / 10 : 4 * S / 10;
        assert_int_equal(is_neutral(s, "class-unloading"), !slow);
        assert_int_equal(is_neutral(s, "humongous-allocation"), !slow);
        free(explained(s));
    }
    for (unsigned n = 19; n <= 20; n++) { /* in a second */
        struct scene *s = scene();
        s->f.duration_ns = S;
        for (unsigned i = 0; i < n; i++)
            s->causes[s->f.ncauses++] = wick_profile_cstring(&s->p, "G1 Humongous Allocation");
        s->f.pauses_ns = 3 * S / 100;
        assert_int_equal(is_neutral(s, "humongous-allocation"), n < 20);
        free(explained(s));
    }
    for (int starved = 0; starved <= 1; starved++) { /* who waits for memory waits for a collector, which lacks CPUs */
        struct scene *s = scene();
        for (unsigned i = 0; i < 3; i++)
            s->causes[s->f.ncauses++] = wick_profile_cstring(&s->p, "G1 Humongous Allocation");
        add(s, thread_of(s, "scan", 1), STACK(s, "app/Scan.read"), WICK_EXPLAIN_ALLOCATION, 2);
        s->f.pauses_ns = s->f.gc_ns = S / 10;
        s->f.gc_wait_ns = starved ? 9 * S / 10 : 0;
        assert_int_equal(is_neutral(s, "humongous-allocation"), starved);
        free(explained(s));
    }
}

/* Clients of this machine wait for selectors that spin; those of another one need not. */
static void test_waiting__for_selectors_that_spin_is_a_part_of_that(void **state)
{
    static const char write[] = "java/net/SocketOutputStream.socketWrite";
    (void)state;
    for (int here = 0; here <= 1; here++) {
        struct scene *s = scene();
        uint32_t spin = STACK(s, "app/Hub.run", "sun/nio/ch/SelectorImpl.select", "sun/nio/ch/EPoll.wait");
        cpu(s, spin, 6);
        s->cpu[s->f.ncpu - 1].thread = thread_of(s, "hub", 1);
        add(s, thread_of(s, "hub", 1), spin, WICK_EXPLAIN_RUNNABLE, 10);
        for (int k = 2; k < 6; k++) {
            add(s, thread_of(s, "lane", k), STACK(s, "app/Lane.send", write), WICK_EXPLAIN_IO, 9);
            s->wall[s->f.nwall - 1].server = wick_profile_cstring(&s->p, here ? "127.0.0.1:80" : "10.0.0.1:80");
        }
        s->f.ends = true;
        assert_int_equal(is_neutral(s, "waiting"), here);
        begins(s, here ? "hot-code: " : "waiting: ");
    }
}

/* A thread that waits for a lock by itself, of which it is not seen who has it, may wait for all others to leave it. */
static void test_waiting__by_one_thread_for_a_lock_nobody_is_seen_to_have_is_no_fault(void **state)
{
    (void)state;
    for (int waiters = 1; waiters <= 2; waiters++) {
        struct scene *s = scene();
        uint32_t wait =
            STACK(s, "app/Cashier.run", "java/util/concurrent/locks/ReentrantReadWriteLock$WriteLock.lock", PARK);
        for (int k = 1; k <= waiters; k++)
            add(s, thread_of(s, "cashier", k), wait, WICK_EXPLAIN_PARKED, 6);
        add(s, thread_of(s, "till", 5), STACK(s, "app/Till.run"), WICK_EXPLAIN_RUNNABLE, 2);
        assert_int_equal(is_neutral(s, "waiting"), waiters == 1);
        has(s, "is waiting for a write lock, at app.Cashier.run\n");
    }
}

/* One or two threads that make a class ready ahead of time keep nobody; a crowd that needs it does. */
static void test_waiting__for_a_class_is_a_fault_where_many_do(void **state)
{
    (void)state;
    for (int waiters = 1; waiters <= 4; waiters += 3) {
        struct scene *s = scene();
        uint32_t wait = STACK(s, "app/Press.run", "app/Press.make", "libjvm.so:InstanceKlass::initialize_impl",
                              "libjvm.so:ObjectMonitor::wait");
        for (int k = 1; k <= waiters; k++) {
            add(s, thread_of(s, "press", k), wait, WICK_EXPLAIN_NATIVE_WAIT, 6);
            add(s, thread_of(s, "press", k), STACK(s, "app/Press.run"), WICK_EXPLAIN_RUNNABLE, 3);
        }
        assert_int_equal(is_neutral(s, "waiting"), waiters == 1);
        has(s, "is waiting for a class's initialiser in another thread, at app.Press.make\n");
    }
}

/* Buffers that are taken once, up to the limit, do no harm; who takes and gives some back may ask for one too many. */
static void test_direct_memory__that_stays_the_same_is_no_fault(void **state)
{
    (void)state;
    for (int64_t readings = 1; readings <= 2; readings++)
        for (int64_t least = 124; least >= 120; least -= 4) {
            struct scene *s = scene();
            s->f.direct_peak = 124 << 20;
            s->f.direct_limit = 128 << 20;
            s->f.direct_least = least << 20;
            s->f.directs = readings;
            bool steady = least == 124 && readings == 2;
            if (readings == 2) /* who makes one of another size may find room */
                add(s, thread_of(s, "pump", 1),
                    STACK(s, "app/Pump.take", "java/nio/ByteBuffer.allocateDirect", "java/nio/Bits.reserveMemory"),
                    WICK_EXPLAIN_RUNNABLE, 1);
            assert_int_equal(is_neutral(s, "direct-memory"), steady);
            begins(s, steady ? "direct-memory: direct buffers used 124 MiB of 128 MiB at most, as much all the time: "
                             : "direct-memory: direct buffers used 124 MiB of 128 MiB at most: ");
        }
}

/* Where there is no room, who seeks it rests in between. */
static void test_direct_memory__in_which_room_is_sought_is_a_fault(void **state)
{
    struct scene *s = scene();
    (void)state;
    s->f.direct_peak = s->f.direct_least = 124 << 20;
    s->f.direct_limit = 128 << 20;
    s->f.directs = 2;
    add(s, thread_of(s, "pump", 1),
        STACK(s, "app/Pump.take", "java/nio/ByteBuffer.allocateDirect", "java/nio/Bits.reserveMemory",
              "java/lang/Thread.sleep"),
        WICK_EXPLAIN_SLEEPING, 1);
    assert_false(is_neutral(s, "direct-memory"));
    free(explained(s));
}

/* Without a memory limit nothing shows that the memory is missing elsewhere. */
static void test_oversized_heap__is_a_fault_of_what_takes_half_of_its_limit(void **state)
{
    static const int limits[] = {0, 1024, 512}; /* MiB */
    (void)state;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct scene *s = scene();
        struct wick_explain_heap heaps[4] = {{0}};
        s->f.memory.part[WICK_MEMORY_HEAP].now.resident = 300 << 20;
        s->f.heap_used = 20 << 20;
        s->f.heaps = heaps;
        s->f.nheaps = 4;
        s->f.memory_limit = (int64_t)limits[i] << 20;
        assert_int_equal(is_neutral(s, "oversized-heap"), limits[i] != 512);
        free(explained(s));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_direct_memory__in_which_room_is_sought_is_a_fault),
        cmocka_unit_test(test_direct_memory__that_stays_the_same_is_no_fault),
        cmocka_unit_test(test_copying__is_no_fault_by_what_it_might_take),
        cmocka_unit_test(test_lock_contention__comes_behind_the_needless_work_under_it),
        cmocka_unit_test(test_copying__takes_a_quarter_of_a_cpu_to_be_a_fault),
        cmocka_unit_test(test_stuck__may_be_stand_bys_of_one_that_works),
        cmocka_unit_test(test_stuck__names_each_place),
        cmocka_unit_test(test_stuck__of_stand_bys_comes_last),
        cmocka_unit_test(test_stuck__may_be_stand_bys_of_several),
        cmocka_unit_test(test_stuck__beside_one_that_hangs_is_a_fault),
        cmocka_unit_test(test_cancelled__tasks_are_a_fault_where_they_are_many),
        cmocka_unit_test(test_held_back__comes_before_who_waits_for_that_server),
        cmocka_unit_test(test_waiting__beside_threads_without_work_is_a_fault),
        cmocka_unit_test(test_saturated_thread__is_not_awaited_by_who_waits_for_tasks_of_others),
        cmocka_unit_test(test_waiting__for_a_holder_of_needless_work_without_a_cpu_is_a_part_of_that),
        cmocka_unit_test(test_cache_misses__are_a_fault_where_collections_are_for_what_they_make),
        cmocka_unit_test(test_cache_misses__are_a_fault_where_collections_clear_references),
        cmocka_unit_test(test_unloading_and_humongous__are_faults_where_collections_take_long),
        cmocka_unit_test(test_waiting__for_selectors_that_spin_is_a_part_of_that),
        cmocka_unit_test(test_waiting__by_one_thread_for_a_lock_nobody_is_seen_to_have_is_no_fault),
        cmocka_unit_test(test_waiting__for_a_class_is_a_fault_where_many_do),
        cmocka_unit_test(test_stubs__show_what_a_jvm_without_names_waits_for),
        cmocka_unit_test(test_oversized_heap__is_a_fault_of_what_takes_half_of_its_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
