/* SPDX-License-Identifier: Apache-2.0 */
/* Whom `wick explain` blames for a wait where no event says who keeps it waiting: by what others do. */
#include <math.h>

#include "explain_stacks.h"

#define PARK   "java/util/concurrent/locks/LockSupport.park"
#define WORKER "java/util/concurrent/ThreadPoolExecutor$Worker.run"
#define READ   "java/net/Socket$SocketInputStream.read"
#define WRITE  "java/net/Socket$SocketOutputStream.write"
#define LOCK   "java/util/concurrent/locks/ReentrantLock.lock"

/* Requests wait for latches that tasks of a timer open, and one of its tasks takes nearly all of its time. */
static void test_latch__waits_for_a_timer_that_is_busy(void **state)
{
    struct scene *s = scene();
    (void)state;
    uint32_t await = STACK(s, "app/Main.run", "app/Lease.await", "java/util/concurrent/CountDownLatch.await", PARK);
    uint32_t task = STACK(s, "java/util/TimerThread.run", "java/util/TimerThread.mainLoop", "app/Archive.write", READ);
    for (unsigned i = 0; i < 3; i++)
        add(s, thread_of(s, "http", 10 + i), await, WICK_EXPLAIN_PARKED, 10);
    add(s, thread_of(s, "maintenance", 1), task, WICK_EXPLAIN_IO, 9.5);
    add(s, thread_of(s, "maintenance", 1),
        STACK(s, "java/util/TimerThread.run", "java/util/TimerThread.mainLoop", "java/lang/Object.wait"),
        WICK_EXPLAIN_OBJECT_WAIT, 0.5);
    begins(s,
           "pool-busy: 3 threads on average wait for latches (30.0 s), and the only thread of maintenance has work 95 "
           "% of the time: tasks queue up; most of it is waiting for data of a socket, at app.Archive.write\n");
}

/* A pool of one whose task waits, 9.5 seconds, while three threads wait for it. */
static struct scene *awaited_pool(const char *method, const char *wait, double seconds)
{
    struct scene *s = scene();
    uint32_t await = STACK(s, "app/Main.run", "app/Lease.await", "java/util/concurrent/CountDownLatch.await", PARK);
    for (unsigned i = 0; i < 3; i++)
        add(s, thread_of(s, "http", 10 + i), await, WICK_EXPLAIN_PARKED, 10);
    add(s, thread_of(s, "lease-1", 1), STACK(s, WORKER, "app/Lease.run", method, wait), WICK_EXPLAIN_PARKED, seconds);
    add(s, thread_of(s, "lease-1", 1), STACK(s, WORKER, "app/Lease.run", "java/lang/Thread.sleep"),
        WICK_EXPLAIN_SLEEPING, 10 - seconds);
    return s;
}

static void test_pool_busy__is_not_said_of_workers_that_wait_for_what_others_hold(void **state)
{
    static const struct {
        const char *method;
        double seconds;
        bool busy;
    } cases[] = {{"java/util/concurrent/Semaphore.acquire", 9, false},
                 {"java/util/concurrent/Semaphore.acquire", 4, true},
                 {"java/util/concurrent/locks/ReentrantLock.lock", 9, false},
                 {"java/util/concurrent/ArrayBlockingQueue.put", 9, false},
                 {"java/util/concurrent/FutureTask.get", 9, true}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        (cases[i].busy ? has : has_not)(awaited_pool(cases[i].method, PARK, cases[i].seconds), "pool-busy: ");
}

/* Those that wait at a barrier for each other are workers themselves. */
static void test_latch__of_workers_says_nothing_of_their_pool(void **state)
{
    struct scene *s = scene();
    (void)state;
    uint32_t await = STACK(s, WORKER, "app/Main.step", "java/util/concurrent/CyclicBarrier.await", PARK);
    for (unsigned i = 0; i < 3; i++)
        add(s, thread_of(s, "pool-1-thread-1", 10 + i), await, WICK_EXPLAIN_PARKED, 10);
    add(s, thread_of(s, "other-1", 1), STACK(s, WORKER, "app/Main.other", "java/lang/Thread.sleep"),
        WICK_EXPLAIN_SLEEPING, 10);
    has_not(s, "pool-busy");
}

/* Threads wait for answers of the server in their own process, which answers with one thread; virtual ones are not. */
static void test_pool_busy__of_a_server_in_the_same_process(void **state)
{
    (void)state;
    for (unsigned c = 0; c < 3; c++) {
        struct scene *s = scene();
        unsigned clients = c ? 3 : 1;
        uint32_t ask = STACK(s, "app/Main.run", "app/Client.ask", "jdk/internal/net/http/HttpClientImpl.send", PARK);
        uint32_t serve = STACK(s, WORKER, "com/sun/net/httpserver/Filter$Chain.doFilter", "app/Stock.handle",
                               "java/lang/Thread.sleep");
        for (unsigned i = 0; i < clients; i++)
            add(s, thread_of(s, "http", 10 + i), ask, WICK_EXPLAIN_PARKED, 10);
        add(s, c < 2 ? thread_of(s, "stock", 1) : thread_of(s, "virtual threads, not mounted", 0), serve,
            WICK_EXPLAIN_SLEEPING, 10);
        if (c == 1)
            begins(s, "pool-busy: 3 threads on average wait for answers, perhaps of a server in this process (30.0 s), "
                      "and the only thread of stock has work 100 % of the time");
        else
            has_not(s, "pool-busy");
    }
}

/* The consumer of a full queue is never done: it waits for something else all the time, or half of it. */
static void test_queue_full__waits_for_what_the_consumer_waits_for(void **state)
{
    (void)state;
    for (unsigned held = 10; held >= 5; held -= 5) {
        struct scene *s = scene();
        uint32_t put = STACK(s, "app/Main.put", "java/util/concurrent/LinkedBlockingQueue.put", PARK);
        uint32_t lock = STACK(s, "app/Spool.run", "app/Spool.append", "sun/nio/ch/FileChannelImpl.lock");
        for (unsigned i = 0; i < 3; i++)
            add(s, thread_of(s, "desk", 10 + i), put, WICK_EXPLAIN_PARKED, 10);
        add(s, thread_of(s, "spooler", 1), lock, WICK_EXPLAIN_NATIVE_WAIT, held);
        if (held < 10)
            add(s, thread_of(s, "spooler", 1), STACK(s, "app/Spool.run"), WICK_EXPLAIN_RUNNABLE, 10 - held);
        else /* and that it lacks a CPU is not its work */
            add(s, thread_of(s, "spooler", 1), STACK(s, "app/Spool.run"), WICK_EXPLAIN_WAITING_FOR_CPU, 2);
        begins(s, held == 10 ? "waiting: 95 % of the time that threads have work (40.0 s) is waiting for a lock of a "
                               "file, at app.Spool.append; 30.0 s of it by threads that wait for room in a queue at "
                               "app.Main.put, while its consumer waits there (83 %)\n\n"
                             : "waiting: 75 % of the time that threads have work (30.0 s) is waiting for room in a "
                               "queue, at app.Main.put; during these waits its consumer is busy at app.Spool.run "
                               "(50 %)\n");
    }
}

/* Who has time to spare empties no queue that is full. */
static void test_queue_full__has_no_consumer_that_rests(void **state)
{
    struct scene *s = scene();
    (void)state;
    for (unsigned i = 0; i < 2; i++)
        add(s, thread_of(s, "desk", 10 + i),
            STACK(s, "app/Main.put", "java/util/concurrent/LinkedBlockingQueue.put", PARK), WICK_EXPLAIN_PARKED, 10);
    add(s, thread_of(s, "mail", 1), STACK(s, "app/Mail.run", "java/lang/Thread.sleep"), WICK_EXPLAIN_SLEEPING, 5);
    add(s, thread_of(s, "mail", 1), STACK(s, "app/Mail.run"), WICK_EXPLAIN_RUNNABLE, 5);
    begins(s, "waiting: 80 % of the time that threads have work (20.0 s) is waiting for room in a queue, at "
              "app.Main.put\n");
}

/* Nor do samples that belong to no thread. */
static void test_queue_full__has_no_consumer_without_a_thread(void **state)
{
    struct scene *s = scene();
    (void)state;
    for (unsigned i = 0; i < 2; i++)
        add(s, thread_of(s, "desk", 10 + i),
            STACK(s, "app/Main.put", "java/util/concurrent/LinkedBlockingQueue.put", PARK), WICK_EXPLAIN_PARKED, 10);
    add(s, 0, STACK(s, "app/Spool.run", "app/Spool.append"), WICK_EXPLAIN_MONITOR, 4);
    add(s, 0, STACK(s, "app/Mail.run", "java/lang/Thread.sleep"), WICK_EXPLAIN_SLEEPING, 5);
    add(s, 0, STACK(s, "app/Spool.run"), WICK_EXPLAIN_RUNNABLE, 1);
    begins(s, "waiting: 80 % of the time that threads have work (20.0 s) is waiting for room in a queue, at "
              "app.Main.put\n");
}

/* Clients wait for a pool, whose workers wait for room in a queue, whose consumer waits for the disk: more workers
 * would help nobody, and who waits for the workers is not who keeps them. */
static void test_pool_busy__is_silent_where_workers_wait_for_others(void **state)
{
    struct scene *s = scene();
    (void)state;
    uint32_t get = STACK(s, "app/Main.order", "java/util/concurrent/FutureTask.get", PARK);
    uint32_t put = STACK(s, WORKER, "app/Main.lambda$order$0", "app/Main.price",
                         "java/util/concurrent/ArrayBlockingQueue.put", PARK);
    for (unsigned i = 0; i < 5; i++)
        add(s, thread_of(s, "client", 10 + i), get, WICK_EXPLAIN_PARKED, 10);
    for (unsigned i = 0; i < 2; i++)
        add(s, thread_of(s, i ? "pool-1-thread-2" : "pool-1-thread-1", 1 + i), put, WICK_EXPLAIN_PARKED, 10);
    add(s, thread_of(s, "audit", 20), STACK(s, "app/Audit.run", "sun/nio/ch/FileChannelImpl.force"), WICK_EXPLAIN_DISK,
        10);
    begins(s,
           "waiting: 100 % of the time that threads have work (80.0 s) is waiting for fsync (data to reach the disk), "
           "at app.Audit.run; 70.0 s of it by threads that wait for a future at app.Main.order, while the task "
           "waits for room in a queue at app.Main.price (100 %), whose consumer waits there (100 %)\n\n");
}

/* Nor where they wait for what is lent, of which there are too few. */
static void test_pool_busy__is_silent_where_workers_wait_for_objects_of_a_pool(void **state)
{
    struct scene *s = scene();
    (void)state;
    uint32_t get = STACK(s, "app/Main.order", "java/util/concurrent/FutureTask.get", PARK);
    uint32_t take = STACK(s, WORKER, "app/Main.lambda$order$0", "app/Main.price", "app/Pool.borrow",
                          "java/util/concurrent/ArrayBlockingQueue.take", PARK);
    uint32_t ask = STACK(s, WORKER, "app/Main.lambda$order$0", "app/Main.price", "app/Partner.ask", READ);
    for (unsigned i = 0; i < 9; i++)
        add(s, thread_of(s, "client", 10 + i), get, WICK_EXPLAIN_PARKED, 10);
    for (unsigned i = 0; i < 4; i++)
        add(s, thread_of(s, "pool-1-thread-1", 1 + i), i ? take : ask, i ? WICK_EXPLAIN_PARKED : WICK_EXPLAIN_IO, 10);
    has(s,
        "a free object of a pool, at app.Main.price; 90.0 s of it by threads that wait for a future at app.Main.order, "
        "while the task waits there (75 %); during these waits borrowers (at least 1.0 threads on average) wait for ");
}

/* The reader of a connection does what is to follow the answers, and all others wait. */
static void test_future__waits_for_what_its_completer_does(void **state)
{
    (void)state;
    for (unsigned most = 0; most <= 1; most++) {
        struct scene *s = scene();
        for (unsigned i = 0; i < 3; i++)
            add(s, thread_of(s, "request", 10 + i),
                STACK(s, "app/Main.request", "java/util/concurrent/CompletableFuture.join", PARK), WICK_EXPLAIN_PARKED,
                10);
        add(s, thread_of(s, "reader", 1),
            STACK(s, "app/Link.read", "java/util/concurrent/CompletableFuture.complete",
                  "java/util/concurrent/CompletableFuture.postComplete", "app/Main.register", "java/lang/Thread.sleep"),
            WICK_EXPLAIN_SLEEPING, most ? 9 : 1);
        add(s, thread_of(s, "reader", 1), STACK(s, "app/Link.read", READ), WICK_EXPLAIN_IO, most ? 1 : 9);
        begins(
            s,
            most ? "waiting: 100 % of the time that threads have work (30.0 s) is waiting for a timer "
                   "(Thread.sleep), at app.Main.register; 30.0 s of it by threads that wait for a future at "
                   "app.Main.request, while the completing thread waits there (100 %); all of that is in reader, which "
                   "completes one future after another\n\n"
                 : "waiting: 100 % of the time that threads have work (30.0 s) is waiting for a future, at "
                   "app.Main.request\n\n");
    }
}

/* A pool that completes futures when a time is over, or an answer comes, works next to nothing: it is no task of its
 * that they wait for. */
static void test_future__is_not_that_of_a_pool_that_hardly_works(void **state)
{
    (void)state;
    for (unsigned works = 0; works <= 1; works++) {
        struct scene *s = scene();
        for (unsigned i = 0; i < 3; i++)
            add(s, thread_of(s, "request", 10 + i),
                STACK(s, "app/Main.request", "java/util/concurrent/CompletableFuture.join", PARK), WICK_EXPLAIN_PARKED,
                10);
        add(s, thread_of(s, "timer", 1), STACK(s, WORKER, "app/Provider.answer"), WICK_EXPLAIN_RUNNABLE,
            works ? 9 : 0.1);
        (works ? has_not : has)(s, "is waiting for a future, at app.Main.request\n");
    }
}

/* What a consumer computes for which others wait is said once, with those who wait. */
static void test_queue_full__is_a_part_of_what_its_consumer_computes(void **state)
{
    struct scene *s = scene();
    (void)state;
    uint32_t admit = STACK(s, "app/Desk.run", "app/Desk.admit", "java/util/HashMap.get");
    for (unsigned i = 0; i < 3; i++)
        add(s, thread_of(s, "line", 10 + i),
            STACK(s, "app/Main.ring", "java/util/concurrent/LinkedBlockingQueue.put", PARK), WICK_EXPLAIN_PARKED, 10);
    add(s, thread_of(s, "desk", 1), admit, WICK_EXPLAIN_RUNNABLE, 10);
    cpu(s, admit, 10);
    begins(s,
           "hot-method: 100 % of CPU time (10.0 s) is in java.util.HashMap.get, called by app.Desk.admit; 3 threads on "
           "average wait for room in a queue in the meantime, at app.Main.ring\n\n");
}

/* A consumer that is never done as it lacks a CPU is the machine's matter, if threads lack one for as long. */
static void test_queue_full__whose_consumer_has_no_cpu_is_no_finding(void **state)
{
    (void)state;
    for (unsigned waited = 5; waited <= 10; waited += 5) {
        struct scene *s = scene();
        add(s, thread_of(s, "desk", 10), STACK(s, "app/Main.put", "java/util/concurrent/LinkedBlockingQueue.put", PARK),
            WICK_EXPLAIN_PARKED, waited);
        add(s, thread_of(s, "mixer", 1), STACK(s, "app/Mixer.run"), WICK_EXPLAIN_WAITING_FOR_CPU, 9);
        (waited > 9 ? has : has_not)(s, "its consumer waits for a CPU at app.Mixer.run (100 %)");
    }
}

/* Nor is it news where the consumer calls what takes the time. */
static void test_queue_full__is_a_part_of_what_its_consumer_calls(void **state)
{
    struct scene *s = scene();
    (void)state;
    add(s, thread_of(s, "line", 10), STACK(s, "app/Main.ring", "java/util/concurrent/LinkedBlockingQueue.put", PARK),
        WICK_EXPLAIN_PARKED, 10);
    add(s, thread_of(s, "desk", 1), STACK(s, "app/Desk.run"), WICK_EXPLAIN_RUNNABLE, 10);
    cpu(s, STACK(s, "app/Desk.run", "app/Desk.admit"), 10);
    begins(s, "hot-method: 100 % of CPU time (10.0 s) is in app.Desk.admit, called by app.Desk.run; 1 thread on "
              "average waits for room in a queue in the meantime, at app.Main.ring\n\n");
}

/* One thread that makes elements runs ahead of who takes them, unless what these do is known to take long. */
static void test_queue_full__of_one_thread_alone_is_no_trouble(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 2; n++) {
        struct scene *s = scene();
        for (unsigned i = 0; i < n; i++)
            add(s, thread_of(s, "reader", 10 + i),
                STACK(s, "app/Main.read", "java/util/concurrent/LinkedBlockingQueue.put", PARK), WICK_EXPLAIN_PARKED,
                10);
        for (unsigned i = 0; i < 3; i++)
            add(s, thread_of(s, "packing", 1 + i), STACK(s, "app/Link.print", READ), WICK_EXPLAIN_IO, 10);
        if (n > 1)
            begins(s, "waiting: 100 % of the time that threads have work (20.0 s) is waiting for room in a queue, at "
                      "app.Main.read\n");
        else
            silent(s);
    }
}

/* Where this process serves clients, those that wait in it may be its own, and its threads lack CPUs. */
static void test_answer__of_a_server_without_a_cpu_is_the_machines_matter(void **state)
{
    (void)state;
    for (unsigned clients = 2; clients <= 6; clients += 4) {
        struct scene *s = scene();
        for (unsigned i = 0; i < clients; i++)
            add(s, thread_of(s, "client", 10 + i),
                STACK(s, "app/Main.ask", "jdk/internal/net/http/HttpClientImpl.send", PARK), WICK_EXPLAIN_PARKED, 8);
        add(s, thread_of(s, "acceptor", 1), STACK(s, "app/Door.run", "java/net/ServerSocket.accept"), WICK_EXPLAIN_IO,
            10);
        add(s, thread_of(s, "handler", 2), STACK(s, "app/Door.answer"), WICK_EXPLAIN_WAITING_FOR_CPU, 6);
        add(s, thread_of(s, "handler", 3), STACK(s, "app/Door.answer"), WICK_EXPLAIN_WAITING_FOR_CPU, 6);
        (clients > 2 ? has : has_not)(s, "is waiting for a server's answer, at app.Main.ask");
    }
}

/* Virtual threads are sampled as one: those of them that rest are not the one that takes clients. */
static void test_sleep__of_virtual_threads_holds_up_no_clients_of_others(void **state)
{
    (void)state;
    for (unsigned one = 0; one <= 1; one++) {
        struct scene *s = scene();
        uint32_t t = thread_of(s, one ? "acceptor" : "virtual threads, not mounted", one);
        for (unsigned i = 0; i < 5; i++)
            add(s, t, STACK(s, "java/lang/VirtualThread.run", "app/Door.run", "java/net/ServerSocket.accept"),
                WICK_EXPLAIN_IO, 0.1);
        add(s, t, STACK(s, "java/lang/VirtualThread.run", "app/Customer.run", "java/lang/Thread.sleep"),
            WICK_EXPLAIN_SLEEPING, 9.5);
        if (one)
            has(s, "is waiting for a timer (Thread.sleep), at app.Customer.run");
        else
            silent(s);
    }
}

/* Clients wait for answers of a server in this process that never rests. */
static void test_answer__waits_for_a_server_that_is_never_done(void **state)
{
    (void)state;
    for (unsigned rests = 0; rests <= 1; rests++) {
        struct scene *s = scene();
        uint32_t server = thread_of(s, "acceptor", 1);
        add(s, thread_of(s, "client", 10), STACK(s, "app/Main.ask", "jdk/internal/net/http/HttpClientImpl.send", PARK),
            WICK_EXPLAIN_PARKED, 10);
        for (unsigned i = 0; i < 5; i++)
            add(s, server, STACK(s, "app/Door.run", "java/net/ServerSocket.accept"), WICK_EXPLAIN_IO, rests ? 1 : 0.1);
        add(s, server, STACK(s, "app/Door.run", "app/Door.greeting", READ), WICK_EXPLAIN_IO, rests ? 5 : 9.5);
        begins(s,
               rests
                   ? "waiting: 100 % of the time that threads have work (10.0 s) is waiting for a server's answer, at "
                     "app.Main.ask\n\n"
                   : "waiting: 100 % of the time that threads have work (19.5 s) is waiting for data of a socket, at "
                     "app.Door.greeting; 10.0 s of it by threads that wait for a server's answer at app.Main.ask, "
                     "while a busy server waits there (100 %)\n\n");
    }
}

/* Threads that are woken often wait to be notified, and nobody else could wake them: not even who sleeps and
 * wakes rarely, or is put on a CPU several times after each long wait. Several who wake less often may bring much each
 * time. */
static void test_object_wait__is_trouble_where_nobody_works(void **state)
{
    static const struct {
        int64_t woken, ticks;
        unsigned tickers;
        bool said, lasts; /* lasts: samples of the same wait follow each other */
    } cases[] = {{200, 10, 1, true},   {200, 100, 1, false},  {20, 1, 1, false},
                 {2000, 100, 1, true}, {2000, 100, 2, false}, {200, 100, 1, true, true}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        for (unsigned k = 0; k < cases[i].tickers; k++) {
            uint32_t tick = thread_of(s, "ticker", 1 + k);
            add(s, tick, STACK(s, "app/Main.main", "java/lang/Thread.sleep"), WICK_EXPLAIN_SLEEPING, 10);
            s->wall[s->f.nwall - 1].count = cases[i].lasts ? 40 : 1;
            s->uses[tick].slices = cases[i].ticks;
        }
        for (unsigned k = 0; k < 3; k++) {
            uint32_t t = thread_of(s, "truck", 10 + k);
            add(s, t, STACK(s, "app/Dock.run", "app/Dock.put", "java/lang/Object.wait"), WICK_EXPLAIN_OBJECT_WAIT, 10);
            s->uses[t].slices = cases[i].woken;
        }
        s->uses[thread_of(s, "C1 CompilerThread", 20)].slices = 900; /* of the JVM: no matter how often */
        s->f.nuses = MOST;
        if (cases[i].said)
            begins(s, "waiting: 100 % of the time that threads have work (30.0 s) is waiting for a notification "
                      "(Object.wait), at app.Dock.put; during these waits hardly any thread works: they wait for each "
                      "other\n\n");
        else
            silent(s);
    }
}

/* Who is parked until a time has passed, nearly each time, rests: it waits for nobody. */
static void test_park__that_ends_by_its_time_is_a_timer(void **state)
{
    (void)state;
    for (unsigned woken = 0; woken <= 1; woken++) {
        struct scene *s = scene();
        uint32_t pace = STACK(s, "app/Pace.run", "app/Pace.await", PARK);
        for (unsigned k = 0; k < 3; k++) {
            uint32_t t = thread_of(s, "pace", 10 + k);
            add(s, t, pace, WICK_EXPLAIN_PARKED, 10);
            s->uses[t].slices = 200;
            for (unsigned i = 0; i < 8; i++)
                s->waits[s->f.locks.nrows++] = (struct wick_lock_wait_row){
                    .thread = t, .stack = pace, .park = true, .timed_out = i || !woken, .weight_ns = S};
        }
        s->f.nuses = MOST;
        if (woken)
            begins(s, "waiting: 100 % of the time that threads have work (30.0 s) is waiting for a permit to go on "
                      "(LockSupport.park), at app.Pace.await; during these waits hardly any thread works: they wait "
                      "for each other\n\n");
        else
            silent(s);
    }
}

/* But a request waits for it. */
static void test_park__that_ends_by_its_time_counts_in_a_request(void **state)
{
    struct scene *s = scene();
    (void)state;
    uint32_t t = thread_of(s, "http", 10),
             nap = STACK(s, "javax/servlet/http/HttpServlet.service", "app/Shop.nap", PARK);
    add(s, t, nap, WICK_EXPLAIN_PARKED, 10);
    for (unsigned i = 0; i < 8; i++)
        s->waits[s->f.locks.nrows++] =
            (struct wick_lock_wait_row){.thread = t, .stack = nap, .park = true, .timed_out = true, .weight_ns = S};
    begins(s, "waiting: 100 % of the time that threads have work (10.0 s) is waiting for a timer "
              "(LockSupport.parkNanos), at app.Shop.nap\n\n");
}

/* Who waits on another object each time waits for a reply: to that, nobody needs to be seen who gives it. Who waits on
 * the same one, or each on its own, or until a time-out, may have nothing to do. */
static void test_reply__is_waited_for_on_a_new_object_each_time(void **state)
{
    static const struct {
        int64_t first, each_thread, each_event; /* the object's identity */
        bool timed_out, park, said;
    } cases[] = {{1, 100, 1, false, false, true}, {1, 100, 1, false, true, true},  {1, 0, 0, false, false, false},
                 {1, 1, 0, false, false, false},  {1, 100, 1, true, false, false}, {0, 0, 0, false, false, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        uint32_t get = cases[i].park ? STACK(s, "app/Main.run", "app/Slip.get", PARK)
                                     : STACK(s, "app/Main.run", "app/Slip.get", "java/lang/Object.wait");
        for (unsigned t = 0; t < 2; t++) {
            uint32_t thread = thread_of(s, "desk", 10 + t);
            add(s, thread, get, cases[i].park ? WICK_EXPLAIN_PARKED : WICK_EXPLAIN_OBJECT_WAIT, 10);
            for (unsigned k = 0; k < 6; k++)
                noticed(s, thread, get, cases[i].first + t * cases[i].each_thread + k * cases[i].each_event,
                        cases[i].timed_out, cases[i].park);
        }
        if (cases[i].said)
            begins(s, "waiting: 100 % of the time that threads have work (20.0 s) is waiting for a reply of another "
                      "thread, at app.Slip.get\n\n");
        else
            silent(s);
    }
}

/* And then its thread is blamed, if one is never done. */
static void test_reply__waits_for_the_thread_that_is_never_done(void **state)
{
    struct scene *s = scene();
    (void)state;
    uint32_t desk = thread_of(s, "desk", 10), get = STACK(s, "app/Main.run", "app/Slip.get", PARK);
    add(s, desk, get, WICK_EXPLAIN_PARKED, 10);
    for (unsigned k = 0; k < 8; k++)
        noticed(s, desk, get, 1 + k, false, true);
    add(s, thread_of(s, "clerk", 1), STACK(s, "app/Clerk.print", "java/io/RandomAccessFile.writeBytes"),
        WICK_EXPLAIN_DISK, 10);
    begins(s, "waiting: 100 % of the time that threads have work (20.0 s) is waiting for the writing of a file or "
              "pipe, at app.Clerk.print; 10.0 s of it by threads that wait for a reply of another thread at "
              "app.Slip.get, while the task waits there (100 %)\n");
}

/* Of two that exchange something either may be the one that has nothing to do. */
static void test_exchange__alone_is_no_trouble(void **state)
{
    struct scene *s = scene();
    (void)state;
    uint32_t t = thread_of(s, "writer", 1);
    add(s, t, STACK(s, "app/Main.write", "java/util/concurrent/Exchanger.exchange", PARK), WICK_EXPLAIN_PARKED, 9);
    add(s, t, STACK(s, "app/Main.write"), WICK_EXPLAIN_RUNNABLE, 1);
    silent(s);
}

/* No event says who owned the lock, but one thread at a time is in the function that takes it. */
static void test_lock__without_owner_is_held_by_who_is_in_its_function(void **state)
{
    (void)state;
    for (unsigned holders = 1; holders <= 2; holders++) {
        struct scene *s = scene();
        uint32_t many = thread_of(s, "virtual threads, not mounted", 0);
        add(s, many, STACK(s, "app/Main.run", "app/Hall.reserve", LOCK, PARK), WICK_EXPLAIN_PARKED, 60);
        for (unsigned i = 0; i < 2 * holders; i++)
            add(s, many, STACK(s, "app/Main.run", "app/Hall.reserve", "app/Hall.price", READ), WICK_EXPLAIN_IO, 5);
        if (holders == 1)
            begins(s, "waiting: 100 % of the time that threads have work (60.0 s) is waiting for data of a socket, at "
                      "app.Hall.price; 60.0 s of it by threads that wait for a lock at app.Hall.reserve, while its "
                      "holder waits there (100 %)\n\n");
        else /* more than one at a time: what they do is done without the lock */
            begins(s, "waiting: 100 % of the time that threads have work (60.0 s) is waiting for a lock, at "
                      "app.Hall.reserve\n\n");
    }
}

/* Nor who held it, and another method of its class does something only while others wait: that is its holder. What is
 * done at any time, in another class, or is for other threads to end, is not. */
static void test_lock__without_owner_is_held_by_who_acts_only_during_the_waits(void **state)
{
    static const struct {
        const char *method, *call;
        enum wick_explain_state state;
        bool always, reads, holds;
    } cases[] = {
        {"app/Board.stream", WRITE, WICK_EXPLAIN_IO, false, false, true},
        {"app/Board.stream", ">app/Board.add", WICK_EXPLAIN_RUNNABLE, false, false, true},
        {"app/Board$1.run", WRITE, WICK_EXPLAIN_IO, false, false, true},
        {"app/Board.stream", READ, WICK_EXPLAIN_IO, false, false, true},
        {"app/Board.stream", READ, WICK_EXPLAIN_IO, false, true, false},
        {"app/Board.stream", WRITE, WICK_EXPLAIN_IO, true, false, false},
        {"app/Boards.stream", WRITE, WICK_EXPLAIN_IO, false, false, false},
        {"app/Board.stream", "java/lang/Thread.sleep", WICK_EXPLAIN_SLEEPING, false, false, false},
        {"app/Board.stream", "java/util/concurrent/FutureTask.get", WICK_EXPLAIN_PARKED, false, false, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        uint32_t quote = STACK(s, "app/Main.run", "app/Board.quote",
                               "java/util/concurrent/locks/ReentrantReadWriteLock$ReadLock.lock", PARK);
        uint32_t stream = STACK(s, "app/Main.feed", cases[i].method, cases[i].call), desk = thread_of(s, "desk", 10);
        for (unsigned t = 0; t < 4; t++)
            add(s, thread_of(s, "desk", 10 + t), quote, WICK_EXPLAIN_PARKED, 6);
        if (cases[i].reads)
            add(s, desk, STACK(s, "app/Main.run", READ), WICK_EXPLAIN_IO, 1);
        for (unsigned k = 0; k < 10; k++) {
            struct wick_lock_wait_row *r = &s->waits[s->f.locks.nrows++];
            *r = (struct wick_lock_wait_row){
                .thread = desk, .stack = quote, .park = true, .start_ns = k * S, .duration_ns = 6 * S / 10};
            add(s, thread_of(s, "feed", 1), stream, cases[i].state, 0.6);
            struct wick_explain_sample *held = &s->wall[s->f.nwall - 1];
            held->time_ns = k * S;
            held->span_ns = cases[i].always ? S : 6 * S / 10;
            held->count = 60;
        }
        if (cases[i].holds)
            has(s, "its holder ");
        else
            has_not(s, "holder");
    }
}

/* In ten samples of a second each a lock that is always held may seem to be held by more than one. */
static void test_lock__without_owner_allows_for_what_samples_may_be_off(void **state)
{
    struct scene *s = scene();
    (void)state;
    uint32_t many = thread_of(s, "virtual threads, not mounted", 0);
    add(s, many, STACK(s, "app/Main.run", "app/Hall.reserve", LOCK, PARK), WICK_EXPLAIN_PARKED, 60);
    add(s, many, STACK(s, "app/Main.run", "app/Hall.reserve", "app/Hall.price", READ), WICK_EXPLAIN_IO, 14);
    s->wall[0].count = 60;
    s->wall[1].count = 10;
    has(s, "is waiting for data of a socket, at app.Hall.price");
}

/* Of all tasks those count that the waiting method wrote down itself, whatever other pools do. */
static void test_future__waits_for_the_task_of_its_own_method(void **state)
{
    struct scene *s = scene();
    (void)state;
    add(s, thread_of(s, "http", 10), STACK(s, "app/Main.plan", "java/util/concurrent/FutureTask.get", PARK),
        WICK_EXPLAIN_PARKED, 10);
    add(s, thread_of(s, "hotels-1", 1), STACK(s, WORKER, "app/Main.lambda$plan$1", "app/Hotels.find", READ),
        WICK_EXPLAIN_IO, 8);
    add(s, thread_of(s, "hotels-2", 2), STACK(s, WORKER, "java/util/concurrent/ThreadPoolExecutor.getTask", PARK),
        WICK_EXPLAIN_PARKED, 10);
    for (unsigned i = 0; i < 3; i++)
        add(s, thread_of(s, "mail-1", 20 + i), STACK(s, WORKER, "app/Mail.lambda$send$0", "java/lang/Thread.sleep"),
            WICK_EXPLAIN_SLEEPING, 10);
    has(s, "is waiting for data of a socket, at app.Hotels.find; 10.0 s of it by threads that wait for a future at "
           "app.Main.plan, while the task waits there (100 %)");
}

/* In a process to which no clients come, who writes to a socket and reads from it asks. */
static void test_socket__is_an_answer_where_nobody_else_asks(void **state)
{
    static const struct {
        unsigned writes;
        bool accepts, spins, said;
    } cases[] = {{2, false, false, true}, {2, true, false, false}, {2, false, true, false}, {1, false, false, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        add(s, thread_of(s, "http", 1), STACK(s, "app/Main.quote", "app/Link.ask", READ), WICK_EXPLAIN_IO, 9);
        for (unsigned k = 0; k < cases[i].writes; k++)
            cpu(s, STACK(s, "app/Main.quote", "app/Link.ask", WRITE), 0.01);
        if (cases[i].accepts)
            add(s, thread_of(s, "acceptor", 2), STACK(s, "app/Main.listen", "java/net/ServerSocket.accept"),
                WICK_EXPLAIN_IO, 10);
        if (cases[i].spins)
            cpu(s, STACK(s, "app/Main.relay", "sun/nio/ch/SelectorImpl.select"), 5);
        (cases[i].said ? has : has_not)(s, "is waiting for a server's answer, at app.Link.ask");
    }
}

/* Virtual threads that were seen in one wait only may have nothing to do, however many they are. */
static void test_virtual_threads__that_do_nothing_else_have_nothing_to_do(void **state)
{
    (void)state;
    for (unsigned seen = 0; seen <= 2; seen += 2) {
        struct scene *s = scene();
        uint32_t many = thread_of(s, "virtual threads, not mounted", 0);
        add(s, many, STACK(s, "app/Main.watch", "java/util/concurrent/Semaphore.acquire", PARK), WICK_EXPLAIN_PARKED,
            400);
        for (unsigned k = 0; k < seen; k++)
            add(s, thread_of(s, "ForkJoinPool-1-worker-1", 3), STACK(s, "app/Main.watch", "app/Main.serve"),
                WICK_EXPLAIN_RUNNABLE, 0.01);
        (seen ? has : has_not)(s, "is waiting for a permit of a semaphore, at app.Main.watch");
    }
}

/* The worker that has the task is ready to run, still where it waited for work, and other processes have the CPUs. */
static void test_future__whose_worker_has_no_cpu_is_no_finding(void **state)
{
    (void)state;
    for (unsigned waited = 2; waited <= 5; waited += 3) {
        struct scene *s = scene();
        uint32_t get = STACK(s, "app/Main.main", "java/util/concurrent/FutureTask.get", PARK);
        add(s, thread_of(s, "main", 1), get, WICK_EXPLAIN_PARKED, waited);
        add(s, thread_of(s, "http-1", 2), STACK(s, WORKER, "java/util/concurrent/ThreadPoolExecutor.getTask", PARK),
            WICK_EXPLAIN_WAITING_FOR_CPU, 3);
        add(s, thread_of(s, "http-2", 3), STACK(s, WORKER, "java/util/concurrent/ThreadPoolExecutor.getTask", PARK),
            WICK_EXPLAIN_PARKED, 10);
        (waited > 3 ? has : has_not)(s, "is waiting for a future, at app.Main.main");
    }
}

/* Nor is a server's answer, for as long as threads here lack CPUs: the peer may be on the same machine. */
static void test_answer__on_a_machine_without_cpus_is_no_finding(void **state)
{
    (void)state;
    for (unsigned waited = 2; waited <= 5; waited += 3) {
        struct scene *s = scene();
        add(s, thread_of(s, "http-1", 1), STACK(s, "app/Main.ask", "jdk/internal/net/http/HttpClientImpl.send", PARK),
            WICK_EXPLAIN_PARKED, waited);
        add(s, thread_of(s, "http-2", 2), STACK(s, "app/Main.run"), WICK_EXPLAIN_WAITING_FOR_CPU, 3);
        (waited > 3 ? has : has_not)(s, "is waiting for a server's answer, at app.Main.ask");
    }
}

/* A comparison takes the time, but not by itself. */
static void test_saturated_thread__says_who_calls_what_takes_its_time(void **state)
{
    struct scene *s = scene();
    (void)state;
    uint32_t t = thread_of(s, "intake", 1),
             at = STACK(s, "app/Window.accept", "java/util/ArrayList.contains", "app/Event.equals");
    cpu(s, at, 9);
    s->cpu[0].thread = t;
    s->uses[t].cpu_ns = 9 * S + S / 2;
    s->f.nuses = t + 1;
    s->f.allowed = 2;
    add(s, thread_of(s, "mqtt", 2), STACK(s, "app/Main.put", "java/util/concurrent/ArrayBlockingQueue.put", PARK),
        WICK_EXPLAIN_PARKED, 10);
    has(s, "most of its work is at app.Event.equals (9.0 s), called by app.Window.accept\n");
}

/* The only worker with work does nothing but reflection: without anybody who waits for it, that comes first. */
static void test_saturated_thread__comes_behind_the_code_that_is_all_it_runs(void **state)
{
    (void)state;
    for (unsigned waiters = 0; waiters <= 1; waiters++) {
        struct scene *s = scene();
        uint32_t t = thread_of(s, "worker", 1),
                 at = STACK(s, WORKER, "app/Tour.length", "java/lang/Class.getMethods", "java/lang/Class.copyMethods");
        cpu(s, at, 6);
        s->cpu[0].thread = t;
        add(s, t, at, WICK_EXPLAIN_RUNNABLE, 10);
        s->uses[t].cpu_ns = 6 * S;
        s->uses[t].delay_ns = 3 * S + S / 2;
        s->f.nuses = t + 1;
        s->f.allowed = 2;
        if (waiters)
            add(s, thread_of(s, "mqtt", 2),
                STACK(s, "app/Main.put", "java/util/concurrent/ArrayBlockingQueue.put", PARK), WICK_EXPLAIN_PARKED, 10);
        begins(s, waiters ? "saturated-thread: " : "hot-code: 100 % of CPU time (6.0 s) is reflection");
    }
}

/* computeIfAbsent runs the program's function with a bin of the map locked; a put is done at once. */
static void test_waiting__for_a_bin_of_a_map(void **state)
{
    (void)state;
    for (unsigned computes = 0; computes < 2; computes++) {
        struct scene *s = scene();
        const char *method = computes ? "java/util/concurrent/ConcurrentHashMap.computeIfAbsent"
                                      : "java/util/concurrent/ConcurrentHashMap.putVal";
        uint32_t of = STACK(s, "app/Main.run", "app/Prices.of", method),
                 load = STACK(s, "app/Main.run", "app/Prices.of", method, "app/Prices.load",
                              "sun/net/www/http/HttpClient.parseHTTP", "sun/nio/ch/NioSocketImpl.implRead");
        add(s, thread_of(s, "a", 1), of, WICK_EXPLAIN_MONITOR, 8);
        add(s, thread_of(s, "b", 2), load, WICK_EXPLAIN_IO, 2);
        owned(s, thread_of(s, "a", 1), of, load, false, 8);
        s->waits[0].class_name = wick_profile_cstring(&s->p, "java/util/concurrent/ConcurrentHashMap$ReservationNode");
        char *text = explained(s);
        assert_non_null(strstr(text, "8.0 s of it by threads that wait for a monitor at app.Prices.of, while its "
                                     "holder waits there (100 %)"));
        assert_int_equal(strstr(text, "; the monitors are bins of a ConcurrentHashMap, each locked for all its keys "
                                      "while computeIfAbsent runs the function it is given\n") != NULL,
                         computes);
        free(text);
    }
}

/* The order changes no cost: each has the time that its sentence has. */
static void test_saturated_thread__keeps_its_cost_behind_the_code(void **state)
{
    struct wick_explain_findings all;
    struct wick_err err = {0};
    struct scene *s = scene();
    (void)state;
    uint32_t t = thread_of(s, "worker", 1),
             at = STACK(s, WORKER, "app/Tour.length", "java/lang/Class.getMethods", "java/lang/Class.copyMethods");
    cpu(s, at, 6);
    s->cpu[0].thread = t;
    add(s, t, at, WICK_EXPLAIN_RUNNABLE, 10);
    s->uses[t].cpu_ns = 6 * S;
    s->uses[t].delay_ns = 3 * S + S / 2;
    s->f.nuses = t + 1;
    s->f.allowed = 2;
    assert_int_equal(wick_explain_apply(&all, &s->f, &err), 0);
    assert_true(all.n >= 2);
    assert_string_equal(all.rows[0].rule->name, "hot-code");
    assert_true(fabs(all.rows[0].cost_ns - 6.0 * S) < 1);
    size_t lone = 1;
    while (lone < all.n && strcmp(all.rows[lone].rule->name, "saturated-thread") != 0)
        lone++;
    assert_true(lone < all.n);
    assert_true(fabs(all.rows[lone].cost_ns - 9.5 * S) < 1);
    wick_explain_findings_release(&all);
    wick_profile_release(&s->p);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_saturated_thread__comes_behind_the_code_that_is_all_it_runs),
        cmocka_unit_test(test_saturated_thread__keeps_its_cost_behind_the_code),
        cmocka_unit_test(test_waiting__for_a_bin_of_a_map),
        cmocka_unit_test(test_latch__waits_for_a_timer_that_is_busy),
        cmocka_unit_test(test_latch__of_workers_says_nothing_of_their_pool),
        cmocka_unit_test(test_pool_busy__is_not_said_of_workers_that_wait_for_what_others_hold),
        cmocka_unit_test(test_pool_busy__of_a_server_in_the_same_process),
        cmocka_unit_test(test_queue_full__waits_for_what_the_consumer_waits_for),
        cmocka_unit_test(test_lock__without_owner_is_held_by_who_is_in_its_function),
        cmocka_unit_test(test_lock__without_owner_is_held_by_who_acts_only_during_the_waits),
        cmocka_unit_test(test_lock__without_owner_allows_for_what_samples_may_be_off),
        cmocka_unit_test(test_future__waits_for_the_task_of_its_own_method),
        cmocka_unit_test(test_socket__is_an_answer_where_nobody_else_asks),
        cmocka_unit_test(test_virtual_threads__that_do_nothing_else_have_nothing_to_do),
        cmocka_unit_test(test_future__whose_worker_has_no_cpu_is_no_finding),
        cmocka_unit_test(test_answer__on_a_machine_without_cpus_is_no_finding),
        cmocka_unit_test(test_saturated_thread__says_who_calls_what_takes_its_time),
        cmocka_unit_test(test_queue_full__has_no_consumer_that_rests),
        cmocka_unit_test(test_queue_full__has_no_consumer_without_a_thread),
        cmocka_unit_test(test_pool_busy__is_silent_where_workers_wait_for_others),
        cmocka_unit_test(test_pool_busy__is_silent_where_workers_wait_for_objects_of_a_pool),
        cmocka_unit_test(test_future__waits_for_what_its_completer_does),
        cmocka_unit_test(test_future__is_not_that_of_a_pool_that_hardly_works),
        cmocka_unit_test(test_queue_full__is_a_part_of_what_its_consumer_computes),
        cmocka_unit_test(test_sleep__of_virtual_threads_holds_up_no_clients_of_others),
        cmocka_unit_test(test_answer__waits_for_a_server_that_is_never_done),
        cmocka_unit_test(test_object_wait__is_trouble_where_nobody_works),
        cmocka_unit_test(test_exchange__alone_is_no_trouble),
        cmocka_unit_test(test_queue_full__whose_consumer_has_no_cpu_is_no_finding),
        cmocka_unit_test(test_queue_full__of_one_thread_alone_is_no_trouble),
        cmocka_unit_test(test_answer__of_a_server_without_a_cpu_is_the_machines_matter),
        cmocka_unit_test(test_park__that_ends_by_its_time_is_a_timer),
        cmocka_unit_test(test_park__that_ends_by_its_time_counts_in_a_request),
        cmocka_unit_test(test_reply__is_waited_for_on_a_new_object_each_time),
        cmocka_unit_test(test_reply__waits_for_the_thread_that_is_never_done),
        cmocka_unit_test(test_queue_full__is_a_part_of_what_its_consumer_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
