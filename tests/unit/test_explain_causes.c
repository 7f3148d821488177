/* SPDX-License-Identifier: Apache-2.0 */
/* What `wick explain` adds to a wait or to hot code of its cause: lost objects, streams that wait, options, buffers. */
#include "explain_stacks.h"

#include <stdio.h>

#include "analysis/explain/explain_arguments.h"

#define PARK   "java/util/concurrent/locks/LockSupport.park"
#define WORKER "java/util/concurrent/ThreadPoolExecutor$Worker.run"
#define MATCH  "app/Check.valid", "java/util/regex/Matcher.matches"
#define TURN                                                                         \
    "java/util/regex/Pattern$Loop.match", "java/util/regex/Pattern$GroupHead.match", \
        "java/util/regex/Pattern$Curly.match"

/* ---- kinds of work ---- */

static void test_nested_repetitions__are_loops_with_a_repetition_in_each_turn(void **state)
{
    (void)state;
    struct scene *s = scene();
    cpu(s, STACK(s, MATCH, TURN, TURN, TURN, TURN, TURN, TURN, TURN), 8);
    has(s, "is matching regular expressions with a repetition within a repetition, for app.Check.valid");
    s = scene(); /* each turn matches one thing: (?:a|b)+ */
    cpu(s,
        STACK(s, MATCH, "java/util/regex/Pattern$Loop.match", "java/util/regex/Pattern$Branch.match",
              "java/util/regex/Pattern$Loop.match", "java/util/regex/Pattern$Branch.match",
              "java/util/regex/Pattern$Loop.match", "java/util/regex/Pattern$Branch.match",
              "java/util/regex/Pattern$Loop.match", "java/util/regex/Pattern$Branch.match",
              "java/util/regex/Pattern$Loop.match", "java/util/regex/Pattern$Branch.match",
              "java/util/regex/Pattern$Loop.match", "java/util/regex/Pattern$Branch.match",
              "java/util/regex/Pattern$Loop.match"),
        8);
    has(s, "is matching regular expressions, for app.Check.valid");
    s = scene(); /* few turns */
    cpu(s, STACK(s, MATCH, TURN, TURN, TURN), 8);
    has(s, "is matching regular expressions, for app.Check.valid");
}

static void test_class_lookup__defines_next_to_nothing(void **state)
{
    (void)state;
    for (int defines = 0; defines < 2; defines++) {
        struct scene *s = scene();
        cpu(s,
            STACK(s, "app/Rules.find", "java/lang/Class.forName",
                  "jdk/internal/loader/BuiltinClassLoader.findClassOnClassPathOrNull"),
            7);
        if (defines)
            cpu(s, STACK(s, "app/Rules.find", "java/lang/Class.forName", "java/lang/ClassLoader.defineClass1"), 1);
        has(s, defines ? "is loading and defining classes, for app.Rules.find"
                       : "is looking up classes by name (and defining none), for app.Rules.find");
    }
}

/* ---- the JVM ---- */

static struct scene *collects(const char *cause)
{
    struct scene *s = scene();
    for (int i = 0; i < 4; i++)
        s->causes[s->f.ncauses++] = wick_profile_cstring(&s->p, cause);
    s->f.gcs = 4;
    s->f.pauses_ns = 5 * S;
    return s;
}

static void test_explicit_gc__of_direct_buffers_is_theirs(void **state)
{
    (void)state;
    struct scene *s = collects("System.gc()");
    s->f.direct_peak = s->f.direct_limit = 16 << 20; /* that is said only once */
    add(s, thread_of(s, "a", 1),
        STACK(s, "app/Scan.encode", "java/nio/ByteBuffer.allocateDirect", "java/nio/Bits.reserveMemory",
              "java/lang/System.gc"),
        WICK_EXPLAIN_NATIVE_WAIT, 2);
    has(s,
        "4 of 4 collections were asked for by direct buffers that found no room, which are made anew again and again "
        "instead of being used again, from app.Scan.encode (16 MiB at most, full 0.4 times a second);");
    s = collects("System.gc()"); /* collections free nothing: it sleeps and tries again */
    s->f.direct_peak = s->f.direct_limit = 16 << 20;
    add(s, thread_of(s, "a", 1), STACK(s, "app/Scan.encode", "java/nio/Bits.reserveMemory", "java/lang/System.gc"),
        WICK_EXPLAIN_NATIVE_WAIT, 1);
    add(s, thread_of(s, "a", 1), STACK(s, "app/Scan.encode", "java/nio/Bits.reserveMemory", "java/lang/Thread.sleep"),
        WICK_EXPLAIN_SLEEPING, 8);
    char *text = explained(s);
    if (!strstr(text, "asked for by direct buffers that found no room, from app.Scan.encode") ||
        !strstr(text, "direct-memory: "))
        fail_msg("%s", text);
    free(text);
    s = collects("System.gc()");
    add(s, thread_of(s, "a", 1), STACK(s, "app/Scan.tidy", "java/lang/System.gc"), WICK_EXPLAIN_NATIVE_WAIT, 2);
    has(s, "4 of 4 collections were asked for by System.gc(), from app.Scan.tidy;");
}

/* What costs more the more elements there are, also where the time is in what it calls of them. */
static void test_searching__is_of_collections_that_are_gone_through(void **state)
{
    static const char *const searches[][2] = {
        {"java/util/PriorityQueue.remove", "java/util/PriorityQueue.indexOf"},
        {"java/util/concurrent/ConcurrentLinkedQueue.size", "java/util/concurrent/ConcurrentLinkedQueue.succ"},
        {"java/util/LinkedList.get", "java/util/LinkedList.node"},
        {"java/util/ArrayList.contains", "java/util/ArrayList.indexOf"}};
    (void)state;
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++)
        for (unsigned compares = 0; compares < 2; compares++) {
            struct scene *s = scene();
            uint32_t stack = STACK(s, "app/Book.cancel", searches[i][0], searches[i][1]);
            bool calls = compares && strstr(searches[i][1], "indexOf");
            cpu(s, calls ? push(&s->p, stack, "app/Offer.equals") : stack, 8);
            begins(s, "hot-code: 100 % of CPU time (8.0 s) is searching collections from one end to the other, for "
                      "app.Book.cancel, which calls java.util.");
        }
    struct scene *s = scene(); /* the program's own search */
    cpu(s, STACK(s, "app/Book.cancel", "app/Offer.equals"), 8);
    has_not(s, "searching collections");
    s = scene(); /* looks each element up */
    cpu(s, STACK(s, "app/Book.may", "java/util/AbstractCollection.containsAll", "java/util/HashSet.contains"), 8);
    has_not(s, "searching collections");
    s = scene(); /* the head of a heap is found at once */
    cpu(s, STACK(s, "app/Book.next", "java/util/PriorityQueue.poll", "java/util/PriorityQueue.siftDown"), 8);
    has_not(s, "searching collections");
}

/* Finding a factory is a part of what reading a document costs; if it is a third of that, it is what to change. */
static void test_factories__are_named_where_they_cost_a_good_part(void **state)
{
    (void)state;
    for (unsigned made = 2; made <= 4; made += 2) {
        struct scene *s = scene();
        cpu(s,
            STACK(s, "app/Doc.field", "javax/xml/xpath/XPathFactory.newInstance",
                  "javax/xml/xpath/XPathFactoryFinder.newFactory"),
            made);
        cpu(s, STACK(s, "app/Doc.field", "com/sun/org/apache/xpath/internal/jaxp/XPathImpl.evaluate"), 8 - made);
        begins(s, made == 4 ? "hot-code: 100 % of CPU time (8.0 s) is making factories, engines and compiled scripts "
                            : "hot-code: 100 % of CPU time (8.0 s) is reading and writing XML, for app.Doc.field");
    }
}

/* So is compiling a stylesheet, an expression or a schema each time. */
static void test_xml__that_is_compiled_anew_is_not_what_is_read(void **state)
{
    static const char *const compilers[][2] = {
        {"com/sun/org/apache/xalan/internal/xsltc/trax/TransformerFactoryImpl.newTransformer",
         "com/sun/org/apache/xalan/internal/xsltc/trax/TransformerFactoryImpl.newTemplates"},
        {"com/sun/org/apache/xpath/internal/jaxp/XPathImpl.evaluate", "com/sun/org/apache/xpath/internal/XPath.<init>"},
        {"javax/xml/validation/SchemaFactory.newSchema", "com/sun/org/apache/xerces/internal/impl/xs/A.b"}};
    (void)state;
    for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++)
        for (unsigned compiled = 2; compiled <= 5; compiled += 3) {
            struct scene *s = scene();
            char what[200], callee[100];
            snprintf(callee, sizeof callee, "%s", compilers[i][0]);
            for (char *c = callee; *c; c++)
                *c = *c == '/' ? '.' : *c;
            snprintf(what, sizeof what,
                     compiled == 5 ? "is compiling stylesheets, schemas and XPath expressions anew, for app.Doc.field, "
                                     "which calls %s\n"
                                   : "hot-code: 100 %% of CPU time (8.0 s) is reading and writing XML",
                     callee);
            cpu(s, STACK(s, "app/Doc.field", compilers[i][0], compilers[i][1], "java/util/HashMap.get"), compiled);
            cpu(s, STACK(s, "app/Doc.field", "com/sun/org/apache/xpath/internal/XPathContext.<init>"), 8 - compiled);
            has(s, what);
        }
}

/* What is called for a kind within a kind is not what is called for the rest of it; and the larger kind is named. */
static void test_xml__names_the_call_that_compiles(void **state)
{
    (void)state;
    for (unsigned made = 0; made <= 4; made += 4) {
        struct scene *s = scene();
        cpu(s,
            STACK(s, "app/Doc.field", "javax/xml/validation/SchemaFactory.newSchema",
                  "com/sun/org/apache/xerces/internal/impl/xs/A.b"),
            3);
        cpu(s,
            made ? STACK(s, "app/Doc.field", "javax/xml/parsers/DocumentBuilderFactory.newInstance",
                         "javax/xml/parsers/FactoryFinder.find")
                 : STACK(s, "app/Doc.field", "javax/xml/parsers/DocumentBuilder.parse"),
            5);
        has(s,
            made ? "is making factories, engines and compiled scripts anew (XML, scripting), for app.Doc.field, which "
                   "calls javax.xml.parsers.DocumentBuilderFactory.newInstance\n"
                 : "is compiling stylesheets, schemas and XPath expressions anew, for app.Doc.field, which calls "
                   "javax.xml.validation.SchemaFactory.newSchema\n");
    }
}

/* A script that is compiled each time, and one that computes. */
static void test_scripts__that_are_compiled_anew_are_not_those_that_compute(void **state)
{
    (void)state;
    for (unsigned compiled = 1; compiled <= 4; compiled += 3) {
        struct scene *s = scene();
        cpu(s,
            STACK(s, "app/Tariff.premium", "javax/script/AbstractScriptEngine.eval",
                  "jdk/nashorn/internal/runtime/Context.compileScript",
                  "jdk/nashorn/internal/codegen/Compiler.compile"),
            compiled);
        cpu(s,
            STACK(s, "app/Tariff.premium", "javax/script/AbstractScriptEngine.eval",
                  "jdk/nashorn/internal/scripts/Script$1.run"),
            8 - compiled);
        begins(s, compiled == 4 ? "hot-code: 100 % of CPU time (8.0 s) is making factories, engines and compiled "
                                : "hot-code: 100 % of CPU time (8.0 s) is evaluating scripts, for app.Tariff.premium");
    }
}

/* Work that need not be done comes before the thread that does it, also where others wait for that. */
static void test_needless_code__comes_before_its_thread(void **state)
{
    (void)state;
    struct scene *s = scene();
    uint32_t t = thread_of(s, "writer", 1),
             at = STACK(s, "app/Day.run", "app/Day.store", "java/io/DataOutputStream.writeInt",
                        "java/io/FileOutputStream.write");
    cpu(s, at, 9.5);
    s->cpu[0].thread = t;
    add(s, t, at, WICK_EXPLAIN_RUNNABLE, 10);
    s->uses[t].cpu_ns = 9 * S + S / 2;
    s->f.nuses = t + 1;
    s->f.allowed = 2;
    add(s, thread_of(s, "mqtt", 2),
        STACK(s, "app/Main.put", "java/util/concurrent/ArrayBlockingQueue.put",
              "java/util/concurrent/locks/LockSupport.park"),
        WICK_EXPLAIN_PARKED, 10);
    begins(s, "hot-code: 100 % of CPU time (9.5 s) is reading and writing files, or compressed data, field by field, "
              "without a buffer, for "
              "app.Day.store, which calls java.io.DataOutputStream.writeInt; ");
}

/* What pins the carrier is the monitor of a method further out than the place that waits. */
static void test_carriers__are_pinned_by_the_method_that_synchronizes(void **state)
{
    (void)state;
    static const uint8_t declared[] = {WICK_FUNCTION_SYNCHRONIZED | WICK_FUNCTION_PLAIN, WICK_FUNCTION_SYNCHRONIZED,
                                       WICK_FUNCTION_SYNCHRONIZED, WICK_FUNCTION_PLAIN | WICK_FUNCTION_BLOCKS,
                                       WICK_FUNCTION_PLAIN | WICK_FUNCTION_BLOCKS};
    /* 2: on a JDK whose monitors do not pin; 4: called by a synchronized method */
    for (unsigned known = 0; known < 5; known++) {
        struct scene *s = scene();
        add(s, thread_of(s, "", 0), 0, WICK_EXPLAIN_WAITING_FOR_CARRIER, 70);
        uint32_t method = STACK(s, "java/util/concurrent/ForkJoinWorkerThread.run",
                                "java/lang/VirtualThread.runContinuation", "app/Main.call", "app/Account.redeem");
        s->p.functions[s->p.frames[s->p.stacks[method].frame].function].declared = declared[known];
        uint32_t caller = s->p.frames[s->p.stacks[s->p.stacks[method].parent].frame].function;
        s->p.functions[caller].declared = known == 4 ? WICK_FUNCTION_SYNCHRONIZED : WICK_FUNCTION_PLAIN;
        add(s, thread_of(s, "ForkJoinPool-1-worker-1", 1),
            push(&s->p, push(&s->p, method, "app/Line.book"), "java/lang/VirtualThread.parkOnCarrierThread"),
            WICK_EXPLAIN_PARKED, 10);
        s->f.jvm_version = wick_profile_cstring(&s->p, known != 2 ? "OpenJDK (21.0.8+9)" : "OpenJDK (25+36)");
        static const char *const said[] = {NULL, ", within the synchronized method app.Account.redeem", NULL,
                                           ", within app.Account.redeem, which has a synchronized block",
                                           ", within the synchronized method app.Main.call"};
        if (said[known])
            has(s, said[known]);
        else
            has_not(s, ", within ");
    }
}

/* A thread of a scheduler runs so many exports of 0.8 s each within 8 s, each seen `visits` times, and wakes `wakes`
 * times between them without being seen. */
static struct scene *scheduled(unsigned exports, unsigned threads, unsigned wakes, unsigned visits, bool ticks)
{
    struct scene *s = scene();
#define TASK                                                                                                   \
    "java/util/concurrent/ThreadPoolExecutor$Worker.run", "java/util/concurrent/ThreadPoolExecutor.runWorker", \
        "java/util/concurrent/ScheduledThreadPoolExecutor$ScheduledFutureTask.run"
    uint32_t t = thread_of(s, "clock-1", 1),
             rest = STACK(s, WORKER, "java/util/concurrent/ScheduledThreadPoolExecutor$DelayedWorkQueue.take",
                          "java/util/concurrent/locks/LockSupport.park"),
             export = STACK(s, TASK, "app/Export.run", "app/Export.send", "java/net/Socket$SocketInputStream.read"),
             tick = STACK(s, TASK, "app/Arena.tick");
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned k = 0; k <= wakes; k++) {
            add(s, t, rest, WICK_EXPLAIN_PARKED, 1.0 / (wakes + 1));
            s->wall[s->f.nwall - 1].time_ns = 2 * i * S + k * S / 100;
        }
        if (i < exports) {
            add(s, t, export, WICK_EXPLAIN_IO, 0.8);
            s->wall[s->f.nwall - 1].time_ns = (2 * i + 1) * S;
            s->wall[s->f.nwall - 1].count = visits;
        }
    }
    cpu(s, ticks ? tick : export, 0.02);
    s->cpu[0].thread = t;
    if (threads > 1)
        add(s, thread_of(s, "clock-2", 2), rest, WICK_EXPLAIN_PARKED, 10);
    return s;
}

/* Of a scheduler with one thread a long task makes the others late, though the thread rests most of the time. */
static void test_schedulers__of_one_thread_are_blocked_by_a_long_task(void **state)
{
    (void)state;
    begins(scheduled(4, 1, 5, 20, true),
           "blocked-scheduler: clock-1, the only thread of a scheduler, runs app.Export.run for 32 % of the time (3.2 "
           "s), 800 ms at a time, most of it waiting for data of a socket, at app.Export.send: its other tasks, for "
           "which it wakes 2 times a second or more, are delayed by as much\n");
    has_not(scheduled(4, 2, 5, 20, true), "blocked-scheduler");  /* another thread takes the ticks */
    has_not(scheduled(4, 1, 1, 20, true), "blocked-scheduler");  /* nothing is to be done often */
    has_not(scheduled(4, 1, 5, 20, false), "blocked-scheduler"); /* the waits of one task */
    has_not(scheduled(1, 1, 5, 20, true), "blocked-scheduler");  /* a tenth of the time */
    has_not(scheduled(4, 1, 5, 1, true), "blocked-scheduler");   /* one sample stands for all of a run */
}

/* Others that run too rarely for the thread to wake often: its queue says that they are due and wait. Where the thread
 * lacks a CPU in its task they are due as well, and where they are for a moment only they are not delayed. */
static void test_schedulers__are_blocked_where_others_are_due(void **state)
{
    static const struct {
        size_t overdue;
        double each_ns;
        bool waits, timer, others, blocked; /* others: one is seen, and is in the queue */
    } cases[] = {{4, 400e6, true, false, false, true}, {2, 400e6, true, false, false, false},
                 {4, 30e6, true, false, false, false}, {4, 400e6, false, false, false, false},
                 {4, 400e6, true, true, false, false}, /* its own next run is in a Timer's queue */
                 {4, 400e6, true, true, true, true}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scheduled(4, 1, 1, 20, cases[i].others);
        for (size_t k = 0; k < s->f.nwall; k++)
            if (s->wall[k].state == WICK_EXPLAIN_IO && !cases[i].waits)
                s->wall[k].state = WICK_EXPLAIN_RUNNABLE;
        struct wick_explain_pool queue = {
            .thread = s->wall[0].thread,
            .queue_class = wick_profile_cstring(
                &s->p, cases[i].timer ? "java/util/TaskQueue"
                                      : "java/util/concurrent/ScheduledThreadPoolExecutor$DelayedWorkQueue"),
            .first_ns = S,
            .last_ns = 9 * S,
            .queued = 1,
            .queued_sum = cases[i].others ? 20 : 10,
            .readings = 10,
            .timed = 10,
            .overdue = cases[i].overdue,
            .overdue_ns = (double)cases[i].overdue * cases[i].each_ns};
        s->f.pools = &queue;
        s->f.npools = 1;
        if (cases[i].blocked)
            begins(s, "blocked-scheduler: clock-1, the only thread of a scheduler, runs app.Export.run for 32 % of the "
                      "time (3.2 s), 800 ms at a time, most of it waiting for data of a socket, at app.Export.send: "
                      "its other tasks are delayed by as much; in 4 of 10 readings of its queue the next task had been "
                      "due for 400 ms on average\n");
        else
            has_not(s, "blocked-scheduler");
    }
}

/* Other tasks are too short to be sampled, but in its queue; those that are cancelled do not run. */
static void test_schedulers__with_tasks_in_their_queues_have_others(void **state)
{
    static const struct {
        int64_t queued, cancelled;
        bool others;
    } cases[] = {{20, 0, true}, {20, 18, false}, {3, 0, true}, {2, 0, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scheduled(4, 1, 5, 20, false);
        struct wick_explain_pool queue = {
            .thread = s->wall[0].thread,
            .queue_class =
                wick_profile_cstring(&s->p, "java/util/concurrent/ScheduledThreadPoolExecutor$DelayedWorkQueue"),
            .first_ns = S,
            .last_ns = 9 * S,
            .queued = cases[i].queued,
            .queued_sum = 10.0 * (double)cases[i].queued,
            .readings = 10,
            .cancelled = cases[i].cancelled};
        s->f.pools = &queue;
        s->f.npools = 1;
        (cases[i].others ? has : has_not)(s, "blocked-scheduler: clock-1, ");
    }
}

static struct scene *with_young(const char *arguments, int64_t gcs)
{
    struct scene *s = collects("Allocation Failure");
    wick_explain_take_arguments(&s->f, wick_profile_cstring(&s->p, arguments));
    s->f.gcs = gcs;
    s->f.gc_ns = 6 * S;
    return s;
}

static void test_young__is_too_small_by_an_option_where_collections_stop_the_program(void **state)
{
    (void)state;
    has(with_young("-Xmx200m -Xmn2m", 1000), "jvm-option: -Xmn2m leaves so little of the heap to new objects ");
    has(with_young("-Xmx200m -XX:MaxNewSize=4m", 1000), "jvm-option: -XX:MaxNewSize=4m leaves ");
    has_not(with_young("-Xmx200m -Xmn2m -Xmn60m", 1000), "jvm-option"); /* the last one counts */
    has_not(with_young("-Xmx200m -Xmn20m", 1000), "jvm-option");
    has_not(with_young("-Xmx200m -Xmn2m", 30), "jvm-option");
    has_not(with_young("-Xmn2m", 1000), "jvm-option"); /* of what heap is not known */
}

/* Four samples may be of a few references that the JDK has. */
static void test_collections__that_find_soft_references_say_so(void **state)
{
    static const char text[] = "; soft references are among what collections go through (";
    (void)state;
    for (unsigned samples = 4; samples <= 5; samples++) {
        struct scene *s = with_young("-Xmx200m", 1000);
        for (unsigned i = 0; i < samples; i++)
            cpu(s, STACK(s, "libjvm.so:GangWorker::loop", "libjvm.so:RefProcPhase1Task::work"), 0.01);
        cpu(s, STACK(s, "app/Main.run"), 1);
        (samples == 5 ? has : has_not)(s, text);
    }
    struct scene *s = with_young("-Xmx200m", 1000);
    for (unsigned i = 0; i < 5; i++)
        cpu(s, STACK(s, "libjvm.so:GangWorker::loop", "libjvm.so:RefProcPhase1Task::work"), 0.01);
    cpu(s, STACK(s, "app/Main.run"), 20); /* next to nothing */
    has_not(s, text);
}

/* To JDK 8 threads enter a monitor of the JDK's own to have a collection run. */
static void test_monitors__of_the_slow_path_of_allocations_are_not_the_programs(void **state)
{
    (void)state;
    for (int stub = 0; stub < 2; stub++) {
        struct scene *s = scene();
        uint32_t make = STACK(s, "app/Main.run", "app/Claim.make"), stack = push(&s->p, make, "stub:_new_array_Java");
        s->p.frames[s->p.stacks[stack].frame].kind = stub ? WICK_FRAME_STUB : WICK_FRAME_NATIVE;
        add(s, thread_of(s, "a", 1), push(&s->p, stack, "libjvm.so:wait"), WICK_EXPLAIN_MONITOR, 8);
        add(s, thread_of(s, "b", 2), STACK(s, "app/Main.work"), WICK_EXPLAIN_RUNNABLE, 8);
        owned(s, thread_of(s, "a", 1), s->wall[0].stack, s->wall[1].stack, false, 8);
        (stub ? has_not : has)(s, "monitor");
    }
}

/* ---- waits ---- */

/* Eight threads that wait for one of a pool's objects, and those that have one: lent[i] threads in a 16th of 8 s.
 * quiet: nobody waits where so many or fewer have one. */
static struct scene *lends(const double *lent, double quiet)
{
    static const char take[] = "app/ConnectionPool.take";
    struct scene *s = scene();
    uint32_t waits = STACK(s, "app/Desk.refund", take, PARK),
             has_one = STACK(s, "app/Desk.refund", "java/lang/Thread.sleep");
    s->f.duration_ns = 8 * S;
    for (int i = 0; i < 16; i++) {
        add(s, thread_of(s, "taker", 1), waits, WICK_EXPLAIN_PARKED, lent[i] <= quiet ? 0.1 : 4);
        s->wall[s->f.nwall - 1].count = 80;
        add(s, thread_of(s, "taker", 1), has_one, WICK_EXPLAIN_SLEEPING, lent[i] / 2);
        s->wall[s->f.nwall - 1].count = (uint64_t)(lent[i] * 25); /* a sample each 20 ms of a thread */
        s->f.nran = 0;
        for (int k = 1; k <= 2; k++) {
            s->wall[s->f.nwall - k].time_ns = i * S / 2;
            s->wall[s->f.nwall - k].span_ns = S / 2;
        }
    }
    for (uint32_t t = 1; t <= 2; t++)
        for (int k = 0; k < 2; k++)
            s->ran[s->f.nran++] = t;
    return s;
}

static void test_pools__that_lose_objects_lend_fewer_at_times(void **state)
{
    static const double lost[16] = {4, 3, 2, 1, 1, 1, 1, 1, 4, 4, 3, 2, 1, 1, 1, 1},
                        small[16] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2},
                        grows[16] = {0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4};
    static const char text[] =
        "; though threads wait for one, as few as 1 are seen to have one at times, and 3.8 at others: some "
        "that are taken there are not given back";
    (void)state;
    has(lends(lost, 0), text);
    has_not(lends(small, 0), "not given back");
    has_not(lends(grows, -1), "not given back");
    has_not(lends(lost, 1), "not given back"); /* nobody waits then: there was less to do */
}

/* Three threads that hand things to a writer; `alike` others of its name, which rest for so long of ten seconds. */
static struct scene *hand_over(int alike, double rest, bool pool)
{
    struct scene *s = scene();
    uint32_t put = STACK(s, "app/Main.put", "java/util/concurrent/LinkedBlockingQueue.put", PARK);
    uint32_t take = pool ? STACK(s, WORKER, "java/util/concurrent/ThreadPoolExecutor.getTask", PARK)
                         : STACK(s, "app/Writer.run", "java/util/concurrent/LinkedBlockingQueue.take", PARK);
    for (int i = 0; i < 3; i++)
        add(s, thread_of(s, "desk", 10 + i), put, WICK_EXPLAIN_PARKED, 10);
    add(s, thread_of(s, "writer-0", 1),
        STACK(s, "app/Writer.run", "app/Writer.store", "sun/nio/ch/FileChannelImpl.force"), WICK_EXPLAIN_DISK, 9.5);
    for (int i = 1; i <= alike; i++) {
        char name[32];
        snprintf(name, sizeof name, "writer-%d", i);
        add(s, thread_of(s, name, 1 + i), take, WICK_EXPLAIN_PARKED, rest);
        add(s, thread_of(s, name, 1 + i), STACK(s, "app/Writer.run"), WICK_EXPLAIN_RUNNABLE, 10 - rest);
    }
    return s;
}

static void test_workers__of_which_one_gets_all_are_said_to_be_idle(void **state)
{
    static const char text[] =
        "; all of that is in writer-0, while the other 3 threads of that name have nothing to do";
    (void)state;
    has(hand_over(3, 9.8, false), text);
    has_not(hand_over(3, 9.8, true), "nothing to do");  /* any of them would take a task */
    has_not(hand_over(3, 5, false), "nothing to do");   /* they have work as well */
    has_not(hand_over(1, 9.8, false), "nothing to do"); /* one in reserve */
    has_not(hand_over(0, 10, false), "nothing to do");
}

/* Clients wait for permits; of eight lanes, each with a queue of its own, so many have work all the time, and each of
 * the others rests for so many of ten seconds. */
static struct scene *lanes(int busy, double rest, bool pool)
{
    struct scene *s = scene();
    uint32_t take = pool ? STACK(s, WORKER, "java/util/concurrent/ThreadPoolExecutor.getTask", PARK)
                         : STACK(s, "app/Lane.run", "java/util/concurrent/LinkedBlockingQueue.take", PARK);
    for (int i = 0; i < 3; i++)
        add(s, thread_of(s, "desk", 20 + i), STACK(s, "app/Desk.scan", "java/util/concurrent/Semaphore.acquire", PARK),
            WICK_EXPLAIN_PARKED, 10);
    for (int i = 0; i < 8; i++) {
        char name[32];
        snprintf(name, sizeof name, "lane-%d", i);
        double rests = i < busy ? 0.5 : rest;
        add(s, thread_of(s, name, 1 + i), take, WICK_EXPLAIN_PARKED, rests);
        add(s, thread_of(s, name, 1 + i), STACK(s, "app/Lane.run", "app/Store.write"), WICK_EXPLAIN_RUNNABLE,
            10 - rests);
    }
    return s;
}

static void test_workers__of_which_few_get_all_are_uneven(void **state)
{
    (void)state;
    has(lanes(2, 9.9, false),
        "; in the meantime lane-0 and lane-1 have work all the time, and the other 6 threads of that name little");
    has_not(lanes(3, 9.9, false), "in the meantime lane"); /* more than a quarter */
    has_not(lanes(2, 5, false), "in the meantime lane");   /* the others work as well */
    has_not(lanes(2, 9.9, true), "in the meantime lane");  /* any of them would take a task */
    has_not(lanes(0, 9.9, false), "in the meantime lane");
}

/* One thread waits for room in the queue of the only one of eight belts that has work all the time; each of the others
 * rests for so many of ten seconds. */
static struct scene *belts(double rest)
{
    struct scene *s = scene();
    uint32_t take = STACK(s, "app/Sorter.belt", "java/util/concurrent/ArrayBlockingQueue.take", PARK);
    add(s, thread_of(s, "check-in", 20),
        STACK(s, "app/Sorter.checkIn", "java/util/concurrent/ArrayBlockingQueue.put", PARK), WICK_EXPLAIN_PARKED, 9.7);
    for (int i = 0; i < 8; i++) {
        char name[32];
        snprintf(name, sizeof name, "belt-%d", i);
        add(s, thread_of(s, name, 1 + i), take, WICK_EXPLAIN_PARKED, i ? rest : 0.5);
        add(s, thread_of(s, name, 1 + i), STACK(s, "app/Sorter.belt", "app/Sorter.push", "java/lang/Thread.sleep"),
            WICK_EXPLAIN_SLEEPING, i ? 10 - rest : 9.5);
    }
    return s;
}

static void test_workers__one_of_which_gets_all_hold_up_who_makes_it(void **state)
{
    (void)state;
    has(belts(8.5), "waiting: 100 % of the time that threads have work (9.7 s) is waiting for room in a queue, at "
                    "app.Sorter.checkIn; in the meantime belt-0 has work all the time, and the other 7 threads of that "
                    "name little to do");
    has_not(belts(7), "waiting: ");   /* others have something to do as well: it only runs ahead of them */
    has_not(belts(0.5), "waiting: "); /* all have */
}

/* Of a wait of 20 ms every tenth is recorded, and weighs ten. */
static void test_lengths__follow_from_the_events_of_waits(void **state)
{
    (void)state;
    for (int events = 11; events <= 12; events++) {
        struct scene *s = scene();
        uint32_t take = STACK(s, "app/Main.take", "java/util/concurrent/Semaphore.acquire", PARK);
        add(s, thread_of(s, "a", 1), take, WICK_EXPLAIN_PARKED, 8);
        for (int i = 0; i < events; i++) {
            owned(s, thread_of(s, "a", 1), take, 0, true, 0.2);
            s->waits[s->f.locks.nrows - 1].duration_ns = S / 50;
        }
        (events < 12 ? has_not : has)(s, "; about 120 waits for a permit of a semaphore, 20 ms each on average");
    }
}

/* Who releases a fair lock hands it over; the owner of one that is held for long, or is not fair, is another matter. */
static void test_waiting__for_a_fair_lock_that_is_handed_over_often(void **state)
{
    static const struct {
        const char *class_name;
        int64_t each_ns;
        unsigned locks;
        bool said;
    } cases[] = {{"java/util/concurrent/locks/ReentrantLock$FairSync", 100000, 1, true},
                 {"java/util/concurrent/locks/ReentrantReadWriteLock$FairSync", 100000, 1, true},
                 {"java/util/concurrent/locks/ReentrantLock$NonfairSync", 100000, 1, false},
                 {"java/util/concurrent/locks/ReentrantLock$FairSync", 10000000, 1, false},
                 {"java/util/concurrent/locks/ReentrantLock$FairSync", 100000, 10, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        uint32_t take = STACK(s, "app/Main.next", "java/util/concurrent/locks/ReentrantLock.lock", PARK);
        add(s, thread_of(s, "a", 1), take, WICK_EXPLAIN_PARKED, 8);
        for (unsigned n = 0; n < cases[i].locks; n++) {
            owned(s, thread_of(s, "a", 1), take, 0, true, 8.0 / cases[i].locks);
            s->waits[n].identity = n;
            s->waits[n].duration_ns = cases[i].each_ns;
            s->waits[n].class_name = wick_profile_cstring(&s->p, cases[i].class_name);
        }
        (cases[i].said ? has : has_not)(s,
                                        "; the lock is fair: it is handed 8000 times a second to the thread that has "
                                        "waited longest, which has to be woken for it");
    }
}

/* A thread waits for a latch so many times; each wait ends so long after another thread's wait for a notification. */
static struct scene *released(int64_t after_ns, unsigned waits, bool timed_out, bool same, int64_t whole_ns)
{
    struct scene *s = scene();
    uint32_t desk = thread_of(s, "desk", 1), cook = same ? desk : thread_of(s, "cook", 2);
    uint32_t latch = STACK(s, "app/Desk.order", "java/util/concurrent/CountDownLatch.await", PARK);
    uint32_t take = STACK(s, "app/Pass.take", "java/lang/Object.wait");
    add(s, desk, latch, WICK_EXPLAIN_PARKED, 8);
    s->f.duration_ns = whole_ns;
    for (unsigned i = 0; i < waits; i++) {
        noticed(s, cook, take, 7, timed_out, false);
        s->notices[i].end_ns = s->notices[i].weight_ns = (int64_t)(waits - i) * 12000000;
        owned(s, desk, latch, 0, true, 0.01);
        s->waits[i].start_ns = s->notices[i].end_ns - 10000000;
        s->waits[i].duration_ns = 10000000 + after_ns;
        s->waits[i].identity = i;
    }
    return s;
}

static void test_waiting__that_ends_when_the_time_of_another_wait_is_over(void **state)
{
    static const char soon[] =
        "; 100 % of that time is in waits that ended within 1.0 ms of a time-out at app.Pass.take: perhaps "
        "nothing notified that thread before\n",
                      later[] =
                          "; 100 % of that time is in waits that ended within 5.0 ms of a time-out at app.Pass.take",
                      any[] = "ended within";
    (void)state;
    has(released(500000, 40, true, false, 10 * S), soon);
    has(released(3000000, 40, true, false, 10 * S), later);
    has(released(500000, 40, true, false, S / 2), soon);
    has_not(released(3000000, 40, true, false, S / 2), any); /* half of the time is so soon after one */
    has_not(released(6000000, 40, true, false, 10 * S), any);
    has_not(released(-500000, 40, true, false, 10 * S), any); /* before it */
    has_not(released(500000, 40, false, false, 10 * S), any);
    has_not(released(500000, 40, true, true, 10 * S), any);
    has_not(released(500000, 29, true, false, 10 * S), any);
    struct scene *s = released(500000, 40, true, false, 10 * S);
    for (unsigned i = 0; i < 40; i++)
        s->waits[i].timed_out = true; /* both began at once, with the same time-out */
    has_not(s, any);
    s = released(500000, 40, true, false, 10 * S);
    for (unsigned i = 0; i < 40; i++) /* few bursts in which many end, most of the time-outs release nobody */
        s->waits[i].start_ns = s->notices[i % 8].end_ns - 10000000;
    has_not(s, any);
    s = released(6000000, 40, true, false, 10 * S);
    s->waits[7].duration_ns -= 5500000; /* one, which was longer than all others */
    s->waits[7].weight_ns = 100 * S;
    has_not(s, any);
    s = released(6000000, 60, true, false, 10 * S);
    for (unsigned i = 0; i < 60; i += 4) { /* few, which are most of the time */
        s->waits[i].duration_ns -= 5500000;
        s->waits[i].weight_ns *= 5;
    }
    has(s, "; 62 % of that time is in waits that ended within 1.0 ms of a time-out at app.Pass.take");
    s = released(6000000, 60, true, false, 10 * S);
    for (unsigned i = 0; i < 60; i += 2)
        s->waits[i].duration_ns -= 5500000; /* each second one */
    has(s, "; 50 % of that time is in waits that ended within 1.0 ms of a time-out at app.Pass.take");
}

static void test_many_digits__are_what_the_jdk_does_with_long_numbers_only(void **state)
{
    static const struct {
        const char *first, *second, *leaf;
        double others; /* seconds of work with few digits */
        bool many;
    } cases[] = {
        {"java/math/BigDecimal.setScale", "java/math/BigDecimal.bigTenToThe", "java/math/BigInteger.pow", 8, true},
        {"java/math/BigDecimal.multiply", "java/math/BigInteger.multiply", "java/math/BigInteger.multiplyKaratsuba", 8,
         true},
        {"java/math/BigDecimal.multiply", "java/math/BigInteger.multiply", "java/math/BigInteger.multiplyKaratsuba", 16,
         false},
        {"java/math/BigDecimal.multiply", "java/math/BigInteger.multiply", "java/math/BigInteger.multiplyToLen", 0,
         false},
        {"java/math/BigInteger.modPow", "java/math/BigInteger.oddModPow", "java/math/BigInteger.multiplyKaratsuba", 0,
         false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        cpu(s, STACK(s, "app/Loan.value", cases[i].first, cases[i].second, cases[i].leaf), 4);
        if (cases[i].others > 0)
            cpu(s, STACK(s, "app/Loan.value", "java/math/BigDecimal.add"), cases[i].others);
        has(s, cases[i].many ? "is arithmetic with BigDecimal on numbers of hundreds of digits, for app.Loan.value"
                             : "is arithmetic with BigInteger and BigDecimal, for app.Loan.value");
    }
}

static void test_interning__is_the_work_of_who_calls_it(void **state)
{
    (void)state;
    struct scene *s = scene();
    cpu(s, STACK(s, "app/Main.run", "app/Main.canonical", "java/lang/String.intern"), 6);
    cpu(s, STACK(s, "app/Main.run", "app/Main.parse"), 4);
    begins(s, "hot-code: 60 % of CPU time (6.0 s) is interning strings (String.intern), for app.Main.canonical\n");
}

/* The class that defines others is as a rule a loader; who asks it to is to change. */
static void test_class_unloading__names_the_loader_and_its_caller(void **state)
{
    (void)state;
    struct scene *s = scene();
    cpu(s,
        STACK(s, "app/Main.run", "app/Main.formula", "app/Loader.load", "app/Loader.define",
              "java/lang/ClassLoader.defineClass"),
        6);
    s->f.unloaded.grown = s->f.loaded.grown = 5000;
    has(s, "class-unloading: 5000 classes were unloaded, 500 a second, and 5000 loaded, most by app.Loader.define, "
           "called by app.Main.formula: collections");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nested_repetitions__are_loops_with_a_repetition_in_each_turn),
        cmocka_unit_test(test_class_lookup__defines_next_to_nothing),
        cmocka_unit_test(test_explicit_gc__of_direct_buffers_is_theirs),
        cmocka_unit_test(test_searching__is_of_collections_that_are_gone_through),
        cmocka_unit_test(test_factories__are_named_where_they_cost_a_good_part),
        cmocka_unit_test(test_xml__that_is_compiled_anew_is_not_what_is_read),
        cmocka_unit_test(test_xml__names_the_call_that_compiles),
        cmocka_unit_test(test_scripts__that_are_compiled_anew_are_not_those_that_compute),
        cmocka_unit_test(test_needless_code__comes_before_its_thread),
        cmocka_unit_test(test_carriers__are_pinned_by_the_method_that_synchronizes),
        cmocka_unit_test(test_schedulers__of_one_thread_are_blocked_by_a_long_task),
        cmocka_unit_test(test_schedulers__are_blocked_where_others_are_due),
        cmocka_unit_test(test_schedulers__with_tasks_in_their_queues_have_others),
        cmocka_unit_test(test_young__is_too_small_by_an_option_where_collections_stop_the_program),
        cmocka_unit_test(test_collections__that_find_soft_references_say_so),
        cmocka_unit_test(test_monitors__of_the_slow_path_of_allocations_are_not_the_programs),
        cmocka_unit_test(test_pools__that_lose_objects_lend_fewer_at_times),
        cmocka_unit_test(test_workers__of_which_one_gets_all_are_said_to_be_idle),
        cmocka_unit_test(test_workers__of_which_few_get_all_are_uneven),
        cmocka_unit_test(test_workers__one_of_which_gets_all_hold_up_who_makes_it),
        cmocka_unit_test(test_lengths__follow_from_the_events_of_waits),
        cmocka_unit_test(test_waiting__for_a_fair_lock_that_is_handed_over_often),
        cmocka_unit_test(test_waiting__that_ends_when_the_time_of_another_wait_is_over),
        cmocka_unit_test(test_many_digits__are_what_the_jdk_does_with_long_numbers_only),
        cmocka_unit_test(test_interning__is_the_work_of_who_calls_it),
        cmocka_unit_test(test_class_unloading__names_the_loader_and_its_caller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
