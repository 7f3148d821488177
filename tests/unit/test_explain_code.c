/* SPDX-License-Identifier: Apache-2.0 */
/* What `wick explain` says of what the CPU time is for, and of processes that wait for it. */
#include "explain_stacks.h"

static void test_hot_code__adds_up_what_the_jdk_does_for_a_function(void **state)
{
    struct scene *s = scene();
    (void)state;
    cpu(s, STACK(s, "app/Main.check", "java/util/regex/Matcher.match", "java/util/regex/Pattern$Loop.match"), 2);
    cpu(s, STACK(s, "app/Main.check", "java/util/regex/Matcher.match", "java/util/regex/Pattern$Curly.match"), 2.5);
    cpu(s, STACK(s, "app/Main.a"), 2.5);
    cpu(s, STACK(s, "app/Main.b"), 3);
    begins(s, "hot-code: 45 % of CPU time (4.5 s) is matching regular expressions, for app.Main.check\n\n");
}

/* An event loop of which `waits` seconds are in its selector without a CPU, and eight on one. */
static struct scene *event_loop(double waits)
{
    struct scene *s = scene();
    uint32_t thread = thread_of(s, "loop", 1),
             selects = STACK(s, "app/Gateway.loop", "sun/nio/ch/SelectorImpl.select", "sun/nio/ch/EPoll.wait"),
             reads = STACK(s, "app/Gateway.loop", "app/Gateway.read");
    if (waits > 0)
        add(s, thread, selects, WICK_EXPLAIN_IO, waits);
    add(s, thread, selects, WICK_EXPLAIN_RUNNABLE, 6);
    add(s, thread, reads, WICK_EXPLAIN_RUNNABLE, 2);
    cpu(s, selects, 6);
    cpu(s, reads, 2);
    for (size_t i = 0; i < s->f.ncpu; i++)
        s->cpu[i].thread = thread;
    return s;
}

static void test_hot_code__is_a_selector_that_never_waits(void **state)
{
    static const char spins[] = "is spinning on a selector that returns at once, for app.Gateway.loop\n";
    (void)state;
    begins(event_loop(0), "hot-code: 75 % of CPU time (6.0 s) is spinning on a selector that returns at once, for "
                          "app.Gateway.loop\n");
    char *text = explained(event_loop(2)); /* that waits a fifth of the time has done what there was to do */
    assert_null(strstr(text, spins));
    free(text);
}

/* What a ForkJoinPool does for its tasks is no work of theirs; what a parallel stream computes in its tasks is. */
static void test_hot_code__is_of_tasks_that_are_too_small(void **state)
{
    static const char join[] = "java/util/concurrent/ForkJoinTask.join";
    struct scene *s = scene();
    (void)state;
    cpu(s, STACK(s, "app/Sum.compute", join, "java/util/concurrent/ForkJoinTask.awaitDone"), 2);
    cpu(s,
        STACK(s, "app/Sum.compute", join, "java/util/concurrent/ForkJoinTask.doExec", "app/Sum.compute",
              "java/util/concurrent/ForkJoinTask.fork", "java/util/concurrent/ForkJoinPool$WorkQueue.push",
              "jdk/internal/misc/Unsafe.putReference"),
        2.5);
    cpu(s, STACK(s, "app/Sum.compute"), 2.5);
    cpu(s, STACK(s, "app/Main.b"), 3);
    begins(s, "hot-code: 45 % of CPU time (4.5 s) is handing out and joining tasks of a ForkJoinPool, for "
              "app.Sum.compute\n\n");
    s = scene();
    for (unsigned i = 0; i < 2; i++)
        cpu(s,
            STACK(s, "app/Main.sum", "java/util/stream/ReduceOps$ReduceOp.evaluateParallel",
                  "java/util/concurrent/ForkJoinTask.invoke", "java/util/stream/AbstractTask.compute",
                  i ? "java/util/Spliterators$A.forEach" : "java/util/stream/Sink.accept"),
            2.2);
    cpu(s, STACK(s, "app/Main.a"), 2.5);
    cpu(s, STACK(s, "app/Main.b"), 3);
    silent(s);
}

/* A codec that each thread makes anew is the program's own code, below the JDK's for thread locals. */
static void test_hot_code__is_of_values_of_thread_locals(void **state)
{
    static const char *const gets[] = {"java/lang/ThreadLocal.setInitialValue", "java/lang/ThreadLocal.getEntry"};
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct scene *s = scene();
        cpu(s, STACK(s, "app/Badge.draw", "java/lang/ThreadLocal.get", gets[i], "app/Badge.make", "app/Codec.tables"),
            2.2);
        cpu(s, STACK(s, "app/Badge.draw", "java/lang/ThreadLocal.get", gets[i], "app/Badge.make", "app/Codec.fill"),
            2.3);
        cpu(s, STACK(s, "app/Main.a"), 2.5);
        cpu(s, STACK(s, "app/Main.b"), 3);
        if (i)
            silent(s);
        else
            begins(s, "hot-code: 45 % of CPU time (4.5 s) is making the initial values of thread locals, for "
                      "app.Badge.draw\n\n");
    }
}

/* Of the map's user, with what the map calls of the keys; the method on top says no more than that. */
static void test_hot_code__is_of_keys_that_collide(void **state)
{
    static const char put[] = "java/util/HashMap.putVal", find[] = "java/util/HashMap$TreeNode.find";
    struct scene *s = scene();
    (void)state;
    cpu(s, STACK(s, "app/Main.match", put, find, "java/util/HashMap.comparableClassFor"), 5);
    cpu(s, STACK(s, "app/Main.match", put, find, "app/Line$Key.equals", "java/lang/String.equals"), 1);
    cpu(s, STACK(s, "app/Main.match", put), 1);
    cpu(s, STACK(s, "app/Main.b"), 3);
    char *text = explained(s);
    if (!strstr(text, "hot-code: 60 % of CPU time (6.0 s) is finding keys of maps whose hash codes collide, for "
                      "app.Main.match, which calls java.util.HashMap.putVal; the keys are of app.Line$Key\n") ||
        strstr(text, "hot-method") || strstr(text, "hot-calls"))
        fail_msg("%s", text);
    free(text);
    s = scene(); /* too little of any one user: the method stands out */
    for (unsigned i = 0; i < 2; i++)
        cpu(s, STACK(s, i ? "app/Main.a" : "app/Main.b", find, "java/util/HashMap.comparableClassFor"), 3);
    cpu(s, STACK(s, "app/Main.c"), 4);
    begins(s, "hot-method: 60 % of CPU time (6.0 s) is in java.util.HashMap.comparableClassFor");
}

/* No method of the JDK stands out, but who calls them does; not if it is the function's own code. */
static void test_hot_calls__adds_up_what_a_function_calls(void **state)
{
    struct scene *s = scene();
    (void)state;
    cpu(s, STACK(s, "app/Main.find", "java/util/HashMap.get", "java/util/HashMap.getNode"), 2);
    cpu(s, STACK(s, "app/Main.find", "java/util/HashMap.get", "java/util/TreeMap.getEntry"), 3.5);
    cpu(s, STACK(s, "app/Main.find"), 1.5);
    cpu(s, STACK(s, "app/Main.b"), 3);
    begins(s,
           "hot-calls: 55 % of CPU time (5.5 s) is in what app.Main.find calls, mostly through java.util.HashMap.get, "
           "most in java.util.TreeMap.getEntry (3.5 s)\n\n");
    s = scene();
    cpu(s, STACK(s, "app/Main.find", "java/util/HashMap.get"), 2);
    cpu(s, STACK(s, "app/Main.find", "java/util/HashMap.put"), 2.5);
    cpu(s, STACK(s, "app/Main.a"), 2.5);
    cpu(s, STACK(s, "app/Main.b"), 3);
    silent(s);
}

/* Half of what an ordinary program does is done by the JDK for one function of it. */
static struct scene *indexing(double merge, double write, double get, double others)
{
    struct scene *s = scene();
    cpu(s, STACK(s, "app/Main.index", "java/util/Map.merge"), merge);
    cpu(s, STACK(s, "app/Main.index", "libc.so.6:write", "kernel:vfs_write"), write / 2);
    cpu(s, STACK(s, "app/Main.index", "libc.so.6:fsync", "kernel:vfs_fsync"), write / 2);
    cpu(s, STACK(s, "app/Main.index", "java/util/HashMap.get"), get);
    cpu(s, STACK(s, "app/Main.index", "java/util/HashMap.put"), get);
    cpu(s, STACK(s, "app/Main.a"), others / 2);
    cpu(s, STACK(s, "app/Main.b"), others / 2);
    return s;
}

static void test_hot_calls__are_most_of_what_runs(void **state)
{
    (void)state;
    silent(indexing(1, 0, 1.2, 4));
    begins(
        indexing(2, 0, 2, 4),
        "hot-calls: 60 % of CPU time (6.0 s) is in what app.Main.index calls, most in java.util.Map.merge (2.0 s)\n");
    begins(indexing(1, 3, 1, 4), "hot-calls: 60 % of CPU time (6.0 s) is in what app.Main.index calls, most in write ");
    begins(indexing(3.2, 0, 1.4, 4), "hot-calls: 60 % of CPU time (6.0 s) is in what app.Main.index calls, most in ");
    begins(indexing(2.6, 0, 2.6, 2.2), "hot-calls: 78 % of CPU time (7.8 s) is in what app.Main.index calls, most in ");
}

/* Nobody calls the kernel when a page of the heap is touched for the first time, or when the time slice is over. */
static void test_hot_calls__are_no_page_faults_or_interrupts(void **state)
{
    static const char *const kernel[][2] = {{"kernel:asm_exc_page_fault", "kernel:do_anonymous_page"},
                                            {"kernel:asm_sysvec_apic_timer_interrupt", "kernel:schedule"},
                                            {"kernel:asm_exc_page_fault", "kernel:filemap_map_pages"}};
    (void)state;
    for (size_t i = 0; i < sizeof kernel / sizeof *kernel; i++) {
        struct scene *s = scene();
        cpu(s, STACK(s, "app/Main.parse", kernel[i][0], kernel[i][1], "kernel:next"), 4);
        cpu(s, STACK(s, "app/Main.parse", "java/util/HashMap.put", kernel[i][0], kernel[i][1]), 1);
        cpu(s, STACK(s, "app/Main.parse", "java/util/HashMap.get"), 2);
        cpu(s, STACK(s, "app/Main.a"), 1);
        cpu(s, STACK(s, "app/Main.b"), 2);
        if (i == 2) /* of a file that is mapped */
            begins(s, "hot-calls: 70 % of CPU time (7.0 s) is in what app.Main.parse calls, most in ");
        else
            silent(s);
    }
}

/* A system call is what its caller asked for; what the JVM does is named by rules about it. */
static void test_hot_method__is_of_the_program_or_its_libraries(void **state)
{
    struct scene *s = scene();
    (void)state;
    cpu(s, STACK(s, "app/Main.store", "java/io/RandomAccessFile.write", "libc.so.6:write", "kernel:vfs_write"), 8);
    cpu(s, STACK(s, "app/Main.a"), 2);
    begins(s, "hot-calls: 80 % of CPU time (8.0 s) is in what app.Main.store calls, mostly through "
              "java.io.RandomAccessFile.write, most in write (8.0 s)\n\n");
    s = scene();
    cpu(s, STACK(s, "libc.so.6:clone", "libapp.so:serve", "libc.so.6:write", "kernel:vfs_write"), 8);
    begins(s, "hot-method: 100 % of CPU time (8.0 s) is in write\n\n");
    s = scene();
    cpu(s, STACK(s, "app/Main.pack", "libzstd.so:compress"), 8);
    begins(s, "hot-method: 100 % of CPU time (8.0 s) is in compress, called by app.Main.pack\n\n");
    s = scene();
    cpu(s, STACK(s, "libc.so.6:clone", "libjvm.so:GCTaskThread::run", "libjvm.so:PSScavenge::drain"), 8);
    silent(s);
}

/* What threads do to wait and to wake each other is the cost of waiting. */
static void test_hot_method__is_no_wait(void **state)
{
    struct scene *s = scene();
    (void)state;
    cpu(s, STACK(s, "app/Main.get", "libjvm.so:ObjectMonitor::enter", "libc.so.6:pthread_cond_wait"), 3);
    cpu(s, STACK(s, "app/Main.get", "libjvm.so:ObjectMonitor::exit", "kernel:do_syscall_64", "kernel:futex_wake"), 3);
    cpu(s, STACK(s, "app/Main.a"), 2);
    cpu(s, STACK(s, "app/Main.b"), 2);
    silent(s);
}

/* A process of a whole machine that waits for a CPU which another one has. */
static void queue(struct scene *s, const char *process, const char *rival, double seconds)
{
    add(s, thread_of(s, process, 0), STACK(s, "kernel:schedule"), WICK_EXPLAIN_WAITING_FOR_CPU, seconds);
    s->wall[s->f.nwall - 1].process = wick_profile_cstring(&s->p, process);
    s->f.rivals += rival != NULL;
    s->wall[s->f.nwall - 1].rival = rival ? wick_profile_cstring(&s->p, rival) : 0;
}

static void test_crowded_out__names_who_has_the_cpus(void **state)
{
    struct scene *s = scene();
    (void)state;
    queue(s, "java-4711", "cc1-12", 2.5);
    queue(s, "java-4711", "java-4711", 0.9);
    queue(s, "java-4711", "sh-3", 0.1);
    queue(s, "java-4711", NULL, 0.5);
    queue(s, "sh-3", "cc1-12", 2.4);
    begins(s, "crowded-out: java-4711 waits for a CPU for 4.0 s; the CPUs are used by cc1-12 (62 %), its own "
              "threads (22 %)\n\n");
    s = scene();
    queue(s, "java-4711", "cc1-12", 4);
    cpu(s, STACK(s, "app/Main.a"), 12);
    s->cpu[0].process = wick_profile_cstring(&s->p, "java-4711");
    cpu(s, STACK(s, "app/Main.b"), 12);
    cpu(s, STACK(s, "app/Main.c"), 12);
    begins(s, "crowded-out: java-4711 waits for a CPU for 4.0 s, 25 % of the time in which its threads can run; the "
              "CPUs are used by ");
    s = scene();
    queue(s, "java-4711", "cc1-12", 4);
    cpu(s, STACK(s, "app/Main.a"), 37);
    s->cpu[0].process = wick_profile_cstring(&s->p, "java-4711");
    cpu(s, STACK(s, "app/Main.b"), 37);
    cpu(s, STACK(s, "app/Main.c"), 37);
    silent(s);
}

/* A process of a whole machine that sleeps until another one has done something. */
static void depend(struct scene *s, const char *process, const char *peer, const char *doing, double seconds)
{
    add(s, thread_of(s, process, 0), STACK(s, "kernel:schedule"), WICK_EXPLAIN_IO, seconds);
    s->wall[s->f.nwall - 1].process = wick_profile_cstring(&s->p, process);
    s->wall[s->f.nwall - 1].peer = wick_profile_cstring(&s->p, peer);
    s->wall[s->f.nwall - 1].doing = wick_profile_cstring(&s->p, doing);
    s->f.peers++;
}

static void test_starved_peer__names_who_has_no_cpu_and_who_has_it(void **state)
{
    struct scene *s = scene();
    (void)state;
    depend(s, "java-1", "postgres-2", "run-queue", 3);
    depend(s, "java-1", "nginx-3", "run-queue", 1);
    depend(s, "java-1", "postgres-2", "on-cpu", 2);
    depend(s, "java-1", "postgres-2", "interrupt", 90); /* nobody could do anything about that */
    depend(s, "java-1", "java-1", "run-queue", 90);     /* its own threads are not another process */
    queue(s, "postgres-2", "cc1-12", 0.2);
    begins(
        s,
        "starved-peer: java-1 waits 4.0 s for processes that have no CPU: postgres-2 (75 %), nginx-3 (25 %); that is "
        "67 % of the time in which it depends on what others do; the CPUs that postgres-2 waits for are used by "
        "cc1-12 (100 %)\n\n");
    s = scene();
    depend(s, "java-1", "postgres-2", "run-queue", 4);
    depend(s, "java-1", "postgres-2", "on-cpu", 17);
    silent(s);
}

/* The time of all processes is in one sum, so the sentence has to say whose it is. */
static void test_hot_method__of_a_whole_machine_has_its_process(void **state)
{
    struct scene *s = scene();
    (void)state;
    cpu(s, STACK(s, "app/Main.run", "app/Main.a"), 1);
    cpu(s, STACK(s, "app/Main.run", "app/Main.a"), 5);
    s->cpu[0].process = wick_profile_cstring(&s->p, "java-1");
    s->cpu[1].process = wick_profile_cstring(&s->p, "java-2");
    begins(s, "hot-method: 100 % of CPU time (6.0 s) is in app.Main.a, called by app.Main.run, in java-2\n\n");
}

static void limit(struct scene *s, const char *path, const char *container, double cpus, int64_t periods,
                  int64_t throttled, double seconds)
{
    static struct wick_explain_cgroup rows[4];
    s->f.cgroups = rows;
    rows[s->f.ncgroups++] = (struct wick_explain_cgroup){.path = wick_profile_cstring(&s->p, path),
                                                         .container = wick_profile_cstring(&s->p, container),
                                                         .limit = cpus,
                                                         .periods.grown = periods,
                                                         .throttled.grown = throttled,
                                                         .throttled_ns.grown = (int64_t)(seconds * S)};
}

static void use(struct scene *s, const char *process, const char *cgroup, uint32_t stack, double seconds)
{
    cpu(s, stack, seconds);
    s->cpu[s->f.ncpu - 1].process = wick_profile_cstring(&s->p, process);
    s->cpu[s->f.ncpu - 1].cgroup = wick_profile_cstring(&s->p, cgroup);
}

static void test_throttled__names_the_cgroup_and_who_used_its_time(void **state)
{
    struct scene *s = scene();
    (void)state;
    limit(s, "/pod", "", 0.5, 100, 9, 0.3);        /* below the threshold */
    limit(s, "/pod/app", "4f5e", 1.5, 200, 50, 7); /* what uses CPU time is in it and below it */
    limit(s, "/pod/apple", "", 1, 5, 2, 0.1);      /* too few periods */
    use(s, "java-7", "/pod/app", STACK(s, "app/Main.a"), 2);
    use(s, "sh-8", "/pod/app/inner", STACK(s, "app/Main.b"), 1);
    use(s, "cc1-9", "/pod/apple", STACK(s, "app/Main.c"), 3);
    use(s, "cc1-9", "/pod", STACK(s, "app/Main.d"), 3);
    begins(
        s,
        "throttled: /pod/app (container 4f5e) was stopped at its CPU limit of 1.5 CPUs in 25 % of its periods (50 of "
        "200), 7.0 s in all; its CPU time is used by java-7 (67 %), sh-8 (33 %), most at app.Main.a\n\n");
    s = scene();
    limit(s, "/a", "", 0, 10, 4, 1);
    limit(s, "/b", "", 1, 10, 10, 2);
    begins(s, "throttled: /b was stopped at its CPU limit of 1 CPU in 100 % of its periods (10 of 10), 2.0 s in all\n"
              "throttled: /a was stopped at its CPU limit in 40 % of its periods (4 of 10), 1.0 s in all\n\n");
}

static void kill_of(struct scene *s, const char *victim, const char *cgroup, const char *container, int64_t kills,
                    int64_t anonymous, int64_t shared)
{
    static struct wick_explain_kill rows[4];
    s->f.kills = rows;
    rows[s->f.nkills++] = (struct wick_explain_kill){.victim = wick_profile_cstring(&s->p, victim),
                                                     .cgroup = wick_profile_cstring(&s->p, cgroup),
                                                     .container = wick_profile_cstring(&s->p, container),
                                                     .kills = kills,
                                                     .resident = anonymous + shared + (1 << 20),
                                                     .anonymous = anonymous,
                                                     .shared = shared};
}

static void test_oom_victim__names_the_last_of_each_cgroup(void **state)
{
    struct scene *s = scene();
    (void)state;
    kill_of(s, "python3-9", "", "", 1, 31 << 20, 8 << 20);
    kill_of(s, "java-7", "/pod/app", "4f5e", 3, 63 << 20, 0);
    begins(s, "oom-victim: the kernel killed java-7 (container 4f5e) for lack of memory, the latest of 3 kills in "
              "/pod/app: it had 64 MiB, 63 MiB of it anonymous\n"
              "oom-victim: the kernel killed python3-9 for lack of memory: it had 40 MiB, 31 MiB of it anonymous, 8 "
              "MiB shared (tmpfs counts as memory)\n\n");
}

static void test_throttled__is_silent_of_limits_that_are_not_reached(void **state)
{
    struct scene *s = scene();
    (void)state;
    limit(s, "/a", "", 2, 1000, 0, 0);
    limit(s, "/b", "", 2, 1000, 99, 3);
    limit(s, "/c", "", 2, 2, 2, 3);
    limit(s, "/d", "", 2, 0, 0, 0);
    silent(s);
}

static void test_crowded_out__is_a_part_of_the_time_with_work(void **state)
{
    struct scene *s = scene();
    struct wick_explain_findings all;
    struct wick_err err = {0};
    (void)state;
    queue(s, "java-4711", "cc1-12", 4);
    queue(s, "sh-3", NULL, 1);
    cpu(s, STACK(s, "app/Main.a"), 5);
    s->f.got_ns = 0;
    assert_int_equal(wick_explain_apply(&all, &s->f, &err), 0);
    assert_true(all.parts.starved_ns == 5.0 * S);
    assert_true(wick_explain_stake(&all, WICK_EXPLAIN_OF_MACHINE) == 0.4);
    wick_explain_findings_release(&all);
    wick_profile_release(&s->p);
    free(s);
}

static void test_hot_code__is_silent_below_its_threshold(void **state)
{
    struct scene *s = scene();
    (void)state;
    cpu(s, STACK(s, "app/Main.check", "java/util/regex/Matcher.match"), 3.5);
    cpu(s, STACK(s, "app/Main.a"), 3);
    cpu(s, STACK(s, "app/Main.b"), 3.5);
    silent(s);
}

/* A library with a kind of its own is not the program, who calls it is. */
static void test_hot_code__of_libraries_is_for_their_caller(void **state)
{
    struct scene *s = scene();
    (void)state;
    cpu(s,
        STACK(s, "app/Main.store", "com/fasterxml/jackson/databind/ObjectMapper.writeValue", "java/util/HashMap.get"),
        2);
    cpu(s, STACK(s, "app/Main.store", "com/fasterxml/jackson/core/JsonGenerator.writeString"), 2.5);
    cpu(s, STACK(s, "app/Main.b"), 2.5);
    cpu(s, STACK(s, "app/Main.c"), 3);
    begins(s, "hot-code: 45 % of CPU time (4.5 s) is serialising objects, for app.Main.store\n\n");
    s = scene();
    cpu(s,
        STACK(s, "app/Orders$total.invoke", "clojure/lang/Reflector.invokeInstanceMethod",
              "clojure/lang/Reflector.getMethods", "java/lang/Class.getMethods"),
        3);
    cpu(s, STACK(s, "app/Orders$total.invoke", "clojure/lang/Reflector.getMethods", "java/lang/Class.copyMethods"), 2);
    cpu(s, STACK(s, "app/Main.a"), 5);
    begins(s, "hot-code: 50 % of CPU time (5.0 s) is reflection that Clojure does, for app.Orders$total.invoke\n");
    /* a method that does most of such work is no finding of its own */
    s = scene();
    cpu(s,
        STACK(s, "app/Orders$total.invoke", "clojure/lang/Reflector.getMethods", "java/util/ArrayList.add",
              "java/util/ArrayList.grow"),
        5);
    cpu(s, STACK(s, "app/Orders$total.invoke", "clojure/lang/Reflector.getMethods", "java/lang/Class.copyMethods"), 3);
    cpu(s, STACK(s, "app/Main.a"), 2);
    begins(s, "hot-code: 80 % of CPU time (8.0 s) is reflection that Clojure does, for app.Orders$total.invoke\n\n");
}

/* Some work is expensive by being done anew each time: what it is made of stands out nowhere. */
static void test_hot_code__knows_what_is_made_anew_each_time(void **state)
{
    static const struct {
        const char *called, *leaf, *what;
    } cases[] = {
        {"java/util/zip/ZipFile.<init>", "java/util/zip/ZipFile$Source.initCEN", "opening and reading archives"},
        {"java/util/jar/JarFile.getManifest", "java/util/HashMap.get", "opening and reading archives"},
        {"java/util/zip/ZipFile$ZipFileInputStream.read", "java/io/RandomAccessFile.readBytes",
         "reading entries of archives"},
        {"java/lang/String.matches", "java/util/regex/Pattern.compile", "compiling regular expressions anew"},
        {"java/text/RuleBasedCollator.getCollationKey", "java/text/MergeCollation.a", "making keys of texts"},
        {"javax/xml/xpath/XPathFactory.newInstance", "java/util/ServiceLoader$LazyIterator.next",
         "making factories, engines and compiled scripts anew"},
        {"javax/xml/parsers/DocumentBuilder.parse", "com/sun/org/apache/xerces/internal/dom/A.b",
         "reading and writing"},
        {"javax/net/ssl/SSLContext.init", "sun/security/ssl/TrustStoreManager.load", "cryptography"},
        {"javax/crypto/SecretKeyFactory.generateSecret", "com/sun/crypto/provider/PBKDF2KeyImpl.deriveKey",
         "deriving keys from passwords"},
        {"java/time/LocalDateTime.format", "java/time/format/DateTimeFormatter.formatTo", "formatting text"},
        {"java/util/GregorianCalendar.<init>", "sun/util/calendar/ZoneInfo.getOffsets", "computing dates"},
        {"java/util/ResourceBundle.getBundle", "java/util/HashMap.get", "locales and resource bundles"},
        {"java/text/RuleBasedCollator.compare", "java/text/CollationElementIterator.next", "comparing text by the"},
        {"java/util/ServiceLoader.load", "java/util/jar/JarFile.getEntry", "looking up services and resources"},
        {"java/lang/Class.getResource", "java/util/zip/ZipFile.getEntry", "looking up services and resources"},
        {"java/security/AccessController.doPrivileged", "java/util/ServiceLoader.load",
         "looking up services and resources"},
        {"java/beans/Introspector.getBeanInfo", "java/lang/Class.getMethods", "reflection"},
        {"java/beans/PropertyEditorManager.findEditor", "java/lang/Class.forName", "looking up classes by name"},
        {"java/lang/invoke/MethodHandles$Lookup.findVirtual", "java/lang/invoke/MemberName.init", "reflection"},
        {"java/lang/invoke/Invokers$Holder.invoke_MT", "java/lang/invoke/LambdaForm$MH.invoke", "reflection"},
        {"java/util/zip/ZipInputStream.read", "java/util/zip/Inflater.inflate", "compressing or expanding"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        char line[128];
        cpu(s, STACK(s, "app/Main.load", cases[i].called, cases[i].leaf), 3);
        cpu(s, STACK(s, "app/Main.load", cases[i].called, cases[i].leaf, "java/util/HashMap.get"), 3);
        cpu(s, STACK(s, "app/Main.b"), 4);
        snprintf(line, sizeof line, "hot-code: 60 %% of CPU time (6.0 s) is %s", cases[i].what);
        begins(s, line);
    }
}

/* Some programs are there to compress: that most of little CPU time is for it is no trouble. */
static void test_hot_code__compressing_takes_much_of_a_cpu(void **state)
{
    (void)state;
    for (unsigned much = 0; much <= 1; much++) {
        struct scene *s = scene();
        cpu(s, STACK(s, "app/Tile.paint", "java/util/zip/Deflater.deflate"), much ? 3 : 0.8);
        cpu(s, STACK(s, "app/Main.run"), 0.2);
        if (much)
            begins(s, "hot-code: 94 % of CPU time (3.0 s) is compressing or expanding data, for app.Tile.paint\n");
        else
            silent(s);
    }
}

/* The runtime library of a language is no more the program than the JDK is. */
static void test_hot_calls__of_other_languages_are_of_the_program(void **state)
{
    static const char *const libraries[] = {"kotlin/collections/CollectionsKt.sorted", "scala/collection/Map.get",
                                            "clojure/core$reduce.invokeStatic", "org/codehaus/groovy/runtime/X.plus"};
    (void)state;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        struct scene *s = scene();
        cpu(s, STACK(s, "app/Main.find", libraries[i], "java/util/HashMap.get"), 3);
        cpu(s, STACK(s, "app/Main.find", libraries[i]), 5);
        cpu(s, STACK(s, "app/Main.b"), 2);
        s->f.got_ns = 10 * S;
        char *text = explained(s);
        if (!strstr(text, "called by app.Main.find") && !strstr(text, "is in what app.Main.find calls"))
            fail_msg("%s", text);
        free(text);
    }
}

/* Of 200 threads that wait in a function all are notified for one piece of work. */
static struct scene *herd(double threads, double waking)
{
    struct scene *s = scene();
    uint32_t waits = STACK(s, "app/Main.run", "app/Jobs.take", "java/lang/Object.wait");
    add(s, thread_of(s, "worker", 1), waits, WICK_EXPLAIN_OBJECT_WAIT, 10 * threads);
    cpu(s,
        STACK(s, "app/Main.run", "app/Jobs.take", "java/lang/Object.wait", "libjvm.so:ObjectMonitor::wait",
              "libc.so.6:pthread_cond_wait", "kernel:futex_wait"),
        waking - 1);
    cpu(s, STACK(s, "app/Main.run", "app/Jobs.take", "libjvm.so:ObjectMonitor::exit", "kernel:futex_wake"), 1);
    cpu(s, STACK(s, "app/Main.run", "app/Main.a"), 5 - waking / 2);
    cpu(s, STACK(s, "app/Main.run", "app/Main.b"), 5 - waking / 2);
    return s;
}

static void test_hot_code__of_threads_that_wake_for_nothing(void **state)
{
    (void)state;
    begins(herd(200, 6), "hot-code: 60 % of CPU time (6.0 s) is waking threads that wait again, for app.Jobs.take\n");
    silent(herd(200, 3));
    silent(herd(4, 6)); /* two threads that hand something over have that cost as well */
}

/* Objects that a function allocates, and collections of them. */
static struct scene *garbage(double computes, double pauses_s, int64_t in_use, bool elsewhere)
{
    static struct wick_explain_heap heaps[2];
    static struct wick_explain_sample objects[2];
    struct scene *s = scene();
    cpu(s, STACK(s, "app/Main.field", "javax/xml/xpath/XPath.evaluate"), computes);
    cpu(s, STACK(s, "app/Main.b"), 10 - computes);
    uint32_t at = elsewhere ? STACK(s, "app/Main.b") : STACK(s, "app/Main.field", "javax/xml/xpath/XPath.evaluate");
    objects[0] = (struct wick_explain_sample){.stack = at, .weight_ns = 900};
    objects[1] = (struct wick_explain_sample){.stack = STACK(s, "app/Main.b"), .weight_ns = 100};
    heaps[0].used = heaps[1].used = in_use;
    s->f.alloc = objects;
    s->f.nalloc = 2;
    s->f.heaps = heaps;
    s->f.nheaps = 2;
    s->f.heap_used = in_use;
    s->f.heap_max = 100;
    s->f.gcs = 50;
    s->f.pauses_ns = (int64_t)(pauses_s * S);
    return s;
}

static void test_hot_code__includes_collections_of_what_it_allocates(void **state)
{
    static const struct {
        double computes, pauses_s;
        int64_t in_use;
        bool elsewhere, unknown, included;
    } cases[] = {
        {8, 2, 20, false, false, true},  {8, 2, 70, false, false, false}, /* the heap is too small */
        {8, 2, 20, true, false, false},                                   /* garbage of others */
        {4, 6, 20, false, false, false},                                  /* there is more to gain from the heap */
        {8, 2, 20, false, true, true}, /* where is not recorded: nearly all the CPU time will do */
        {6, 2, 20, false, true, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = garbage(cases[i].computes, cases[i].pauses_s, cases[i].in_use, cases[i].elsewhere);
        s->f.nalloc = cases[i].unknown ? 0 : s->f.nalloc;
        char *text = explained(s);
        bool included = strstr(
            text,
            "is reading and writing XML, for app.Main.field; collections of what it allocates take another 2.5 s\n");
        if (included != cases[i].included || !strstr(text, "gc-pauses: ") != cases[i].included)
            fail_msg("case %zu: %s", i, text);
        free(text);
    }
}

/* A pool for each request: threads that begin and end run little code of the program, or none. */
static void test_hot_code__of_who_starts_threads_is_what_these_cost(void **state)
{
    (void)state;
    for (unsigned starts = 0; starts < 2; starts++) {
        struct scene *s = scene();
        cpu(s, STACK(s, "app/Main.report", "java/lang/Thread.start0", "libc.so.6:pthread_create"), 0.2 + starts);
        cpu(s, STACK(s, "app/Main.run"), 2.8 - starts);
        cpu(s, STACK(s, "libjvm.so:Thread::call_run", "libjvm.so:JavaThread::exit", "libjvm.so:Threads::remove"), 3);
        uint32_t function =
            wick_profile_function(&s->p, 0, wick_profile_cstring(&s->p, "[not sampled: thread or recording ended]"), 0);
        cpu(s, wick_profile_push(&s->p, 0, wick_profile_frame(&s->p, function, 0, -1, WICK_FRAME_UNSAMPLED)), 4);
        char *text = explained(s);
        if ((strstr(text, "hot-code: 82 % of CPU time (8.2 s) is starting threads, for app.Main.report\n") != NULL) !=
            (starts == 1))
            fail_msg("%s", text);
        free(text);
    }
}

/* The JVM compiles and collects beside it. */
static void test_hot_code__is_compared_with_what_java_code_takes(void **state)
{
    (void)state;
    for (unsigned most = 0; most < 2; most++) {
        struct scene *s = scene();
        cpu(s, STACK(s, "app/Main.check", "java/util/regex/Matcher.match"), 3);
        cpu(s, STACK(s, "app/Main.b"), most ? 1.5 : 2.5);
        cpu(s, STACK(s, "libjvm.so:CompileBroker::compiler_thread_loop"), most ? 5.5 : 4.5);
        if (most)
            begins(s, "hot-code: 30 % of CPU time (3.0 s) is matching regular expressions, for app.Main.check\n");
        else
            silent(s);
    }
}

/* A service that reads a little XML now and then, or builds strings, does nothing wrong, if it does little else. */
static void test_hot_code__of_usual_work_needs_more_of_a_cpu(void **state)
{
    static const struct {
        const char *called;
        double seconds;
        bool found, neutral;
    } cases[] = {
        {"javax/xml/parsers/SAXParser.parse", 0.9, false, false},
        {"javax/xml/parsers/SAXParser.parse", 1.1, true, true}, /* what rests for so long is not slow for that */
        {"javax/xml/parsers/SAXParser.parse", 2.6, true, false},
        {"java/util/regex/Matcher.match", 0.9, true, true},
        {"java/util/regex/Matcher.match", 2.6, true, true}, /* what it is for, as far as can be seen */
        {"java/util/regex/Pattern.compile", 2.6, true, false},
        {"java/util/zip/ZipFile$ZipFileInputStream.read", 2.6, true, true},
        {"java/util/zip/ZipFile.<init>", 2.6, true, false},
        {"java/text/RuleBasedCollator.getCollationKey", 2.6, true, true},
        {"java/text/RuleBasedCollator.compare", 2.6, true, false},
        {"java/lang/StringBuilder.append", 2.4, false, false},
        {"java/lang/String.split", 8, false, false}, /* by one character: no regular expression is made */
        {"java/lang/StringBuilder.append", 2.6, true, false},
        {"java/math/BigDecimal.multiply", 2, true, true},
        {"javax/crypto/SecretKeyFactory.generateSecret", 2, true, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        cpu(s, STACK(s, "app/Main.feed", cases[i].called, "java/util/HashMap.get"), cases[i].seconds / 2);
        cpu(s, STACK(s, "app/Main.feed", cases[i].called), cases[i].seconds / 2);
        cpu(s, STACK(s, "app/Main.b"), 0.5);
        struct wick_explain_findings all;
        struct wick_err err = {0};
        assert_int_equal(wick_explain_apply(&all, &s->f, &err), 0);
        bool found = all.n && !strcmp(all.rows[0].rule->name, "hot-code");
        assert_int_equal(found, cases[i].found);
        assert_int_equal(found && all.rows[0].neutral, cases[i].neutral);
        wick_explain_findings_release(&all);
        wick_profile_release(&s->p);
        free(s);
    }
}

/* What is hot and is still interpreted at the end cannot be compiled; what is in part was compiled on the way. */
static void test_hot_method__says_that_it_is_interpreted(void **state)
{
    (void)state;
    for (unsigned compiled = 0; compiled <= 2; compiled += 2) {
        struct scene *s = scene();
        uint32_t stack = STACK(s, "app/Main.run", "app/Tariff.rate");
        uint32_t function = s->p.frames[s->p.stacks[stack].frame].function;
        uint32_t slow = wick_profile_push(&s->p, STACK(s, "app/Main.run"),
                                          wick_profile_frame(&s->p, function, 0, -1, WICK_FRAME_INTERPRETED));
        cpu(s, slow, 8 - compiled);
        if (compiled)
            cpu(s, stack, compiled);
        begins(s, compiled ? "hot-method: 100 % of CPU time (8.0 s) is in app.Tariff.rate, called by app.Main.run\n"
                           : "hot-method: 100 % of CPU time (8.0 s) is in app.Tariff.rate, called by app.Main.run; "
                             "that method is interpreted all the time, and not compiled\n");
    }
}

/* Threads of HTTP clients, `rate` new clients a second for the ten seconds, or up to the fifth. */
static struct scene *clients(int rate, int until)
{
    struct scene *s = scene();
    uint32_t makes = STACK(s, "app/Partner.stock", "jdk/internal/net/http/HttpClientBuilderImpl.build",
                           "jdk/internal/net/http/HttpClientImpl.<init>"),
             waits = STACK(s, "jdk/internal/net/http/HttpClientImpl$SelectorManager.run",
                           "sun/nio/ch/SelectorImpl.select", "sun/nio/ch/EPoll.wait");
    char name[64];
    for (int second = 0; second <= 10; second++) {
        snprintf(name, sizeof name, "HttpClient-%d-SelectorManager", 1 + rate * (second < until ? second : until));
        add(s, thread_of(s, name, 100 + second), waits, WICK_EXPLAIN_IO, 1);
        s->wall[s->f.nwall - 1].time_ns = 50 * S + second * S;
    }
    cpu(s, makes, 1);
    cpu(s, STACK(s, "app/Main.a"), 3);
    cpu(s, STACK(s, "app/Main.b"), 3);
    cpu(s, STACK(s, "app/Main.c"), 3);
    return s;
}

static void test_http_clients__are_counted_by_their_numbers(void **state)
{
    (void)state;
    begins(clients(4, 10), "http-clients: 36 HttpClients were made, 4 a second, in app.Partner.stock: each has a "
                           "thread, a pool of threads and connections of its own (an estimate)\n\n");
    silent(clients(1, 10));
    silent(clients(30, 4)); /* all that the program needs */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hot_method__says_that_it_is_interpreted),
        cmocka_unit_test(test_hot_code__adds_up_what_the_jdk_does_for_a_function),
        cmocka_unit_test(test_hot_calls__adds_up_what_a_function_calls),
        cmocka_unit_test(test_hot_calls__are_most_of_what_runs),
        cmocka_unit_test(test_hot_calls__are_no_page_faults_or_interrupts),
        cmocka_unit_test(test_hot_method__is_of_the_program_or_its_libraries),
        cmocka_unit_test(test_hot_method__is_no_wait),
        cmocka_unit_test(test_crowded_out__names_who_has_the_cpus),
        cmocka_unit_test(test_starved_peer__names_who_has_no_cpu_and_who_has_it),
        cmocka_unit_test(test_throttled__names_the_cgroup_and_who_used_its_time),
        cmocka_unit_test(test_oom_victim__names_the_last_of_each_cgroup),
        cmocka_unit_test(test_throttled__is_silent_of_limits_that_are_not_reached),
        cmocka_unit_test(test_crowded_out__is_a_part_of_the_time_with_work),
        cmocka_unit_test(test_hot_method__of_a_whole_machine_has_its_process),
        cmocka_unit_test(test_hot_code__of_libraries_is_for_their_caller),
        cmocka_unit_test(test_hot_code__knows_what_is_made_anew_each_time),
        cmocka_unit_test(test_hot_code__compressing_takes_much_of_a_cpu),
        cmocka_unit_test(test_hot_calls__of_other_languages_are_of_the_program),
        cmocka_unit_test(test_hot_code__of_threads_that_wake_for_nothing),
        cmocka_unit_test(test_hot_code__is_a_selector_that_never_waits),
        cmocka_unit_test(test_hot_code__is_of_tasks_that_are_too_small),
        cmocka_unit_test(test_hot_code__is_of_values_of_thread_locals),
        cmocka_unit_test(test_hot_code__is_of_keys_that_collide),
        cmocka_unit_test(test_http_clients__are_counted_by_their_numbers),
        cmocka_unit_test(test_hot_code__of_who_starts_threads_is_what_these_cost),
        cmocka_unit_test(test_hot_code__is_compared_with_what_java_code_takes),
        cmocka_unit_test(test_hot_code__of_usual_work_needs_more_of_a_cpu),
        cmocka_unit_test(test_hot_code__includes_collections_of_what_it_allocates),
        cmocka_unit_test(test_hot_code__is_silent_below_its_threshold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
