/* SPDX-License-Identifier: Apache-2.0 */
/* What `wick explain` says of threads that wait for one which waits for a time to pass. */
#include "explain_stacks.h"

#define PARK "java/util/concurrent/locks/LockSupport.park"

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

/* Who alone completes futures waits for more elements of a queue than come, until its time-out. Not if elements mostly
 * come, if somebody else completes futures as well, or if a pool runs what is waited for. */
static void test_future__waits_for_the_time_out_of_who_completes_it(void **state)
{
    static const struct {
        unsigned timed, completers; /* timed: of ten waits */
        const char *get;
        bool said;
    } cases[] = {{8, 1, "java/util/concurrent/CompletableFuture.get", true},
                 {4, 1, "java/util/concurrent/CompletableFuture.get", false},
                 {8, 2, "java/util/concurrent/CompletableFuture.get", false},
                 {8, 0, "java/util/concurrent/CompletableFuture.get", false},
                 {8, 1, "java/util/concurrent/FutureTask.get", false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        uint32_t batcher = thread_of(s, "batcher", 1),
                 poll = STACK(s, "app/Batch.run", "app/Batch.collect", "java/util/concurrent/LinkedBlockingQueue.poll",
                              PARK);
        for (unsigned k = 0; k < 3; k++)
            add(s, thread_of(s, "meter", 10 + k), STACK(s, "app/Meter.send", cases[i].get, PARK), WICK_EXPLAIN_PARKED,
                10);
        add(s, batcher, poll, WICK_EXPLAIN_PARKED, 9);
        for (unsigned k = 0; k < 10; k++)
            s->waits[s->f.locks.nrows++] = (struct wick_lock_wait_row){
                .thread = batcher, .stack = poll, .park = true, .timed_out = k < cases[i].timed, .weight_ns = S};
        for (unsigned k = 0; k < cases[i].completers; k++) {
            cpu(s, STACK(s, "app/Batch.run", "java/util/concurrent/CompletableFuture.complete"), 0.1);
            s->cpu[s->f.ncpu - 1].thread = k ? thread_of(s, "timer", 2) : batcher;
            s->cpu[s->f.ncpu - 1].count = 10;
        }
        if (cases[i].said)
            has(s, "is waiting for an element of a queue, at app.Batch.collect; 30.0 s of it by threads that wait for "
                   "a future at app.Meter.send, while the thread that completes them waits there (100 %); 80 % of the "
                   "time "
                   "of such waits ended by a time-out");
        else
            has(s, "is waiting for a future, at app.Meter.send");
    }
}

/* Sixteen waits there, whose lengths are `ms` and `varies` more or less; timed: of these, ended by time-outs. */
static void waited(struct scene *s, uint32_t thread, uint32_t stack, int ms, int varies, int timed)
{
    for (int i = 0; i < 16; i++) {
        int64_t ns = (int64_t)(ms + (i % 2 ? varies : -varies)) * S / 1000;
        s->waits[s->f.locks.nrows++] = (struct wick_lock_wait_row){
            .park = true, .timed_out = i < timed, .thread = thread, .stack = stack, .weight_ns = ns, .duration_ns = ns};
    }
}

/* What polls for work now and then makes each wait for as long as it rests. */
static void test_future__of_one_that_rests_in_between(void **state)
{
    static const struct {
        int64_t runs; /* so it rests for 9 s / runs at a time */
        int rests;
        bool two, said;
    } cases[] = {{900, 9, false, true},   /* 10 ms, and each waits for 8 */
                 {1300, 9, false, true},  /* 7 ms, and its turn */
                 {3000, 9, false, false}, /* 3 ms: they wait for something else */
                 {300, 9, false, false},  /* 30 ms: others complete them */
                 {900, 6, false, false},  /* it works as well */
                 {900, 9, true, false}};  /* which of two it is is not known */
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        uint32_t get = STACK(s, "app/Station.pay", "java/util/concurrent/CompletableFuture.get", PARK);
        for (int k = 0; k < 2; k++)
            add(s, thread_of(s, "station", 10 + k), get, WICK_EXPLAIN_PARKED, 9.5);
        waited(s, thread_of(s, "station", 10), get, 8, 1, 0);
        for (int k = 0; k <= cases[i].two; k++) {
            uint32_t book = thread_of(s, "book", 1 + k);
            add(s, book, STACK(s, "app/Book.run", "app/Book.next", "java/lang/Thread.sleep"), WICK_EXPLAIN_SLEEPING,
                cases[i].rests);
            add(s, book, STACK(s, "app/Book.run"), WICK_EXPLAIN_RUNNABLE, 10 - cases[i].rests);
            s->uses[book].slices = cases[i].runs;
        }
        s->f.nuses = MOST;
        assert_true(is_neutral(s, "waiting"));
        (cases[i].said ? has : has_not)(s, cases[i].runs == 900 ? "; book rests in that time, 10 ms at a time, at "
                                                                  "app.Book.next: as long as these wait\n"
                                                                : "; book rests in that time");
    }
}

/* Several readers wait for room while the sender rests, and it runs as often as one of them finds some. */
static void test_queue_full__by_a_pace_is_no_fault(void **state)
{
    static const struct {
        unsigned rests;
        int64_t runs;
        bool two, neutral;
    } cases[] = {{9, 32, false, true},
                 {9, 7, false, false},   /* fewer times than there is room: another one takes the elements */
                 {9, 400, false, false}, /* it does not run for each */
                 {5, 32, false, false},  /* it is busy as well */
                 {9, 32, true, false}};  /* which of two it is is not known */
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        uint32_t put = STACK(s, "app/Feed.read", "java/util/concurrent/LinkedBlockingQueue.put", PARK);
        for (int k = 0; k < 2; k++) {
            add(s, thread_of(s, "reader", 10 + k), put, WICK_EXPLAIN_PARKED, 10);
            add(s, thread_of(s, "format", 20 + k),
                STACK(s, "app/Feed.format", "java/util/concurrent/LinkedBlockingQueue.put", PARK), WICK_EXPLAIN_PARKED,
                9);
        }
        waited(s, thread_of(s, "reader", 10), put, 100, 30, 0);
        for (int k = 0; k <= cases[i].two; k++) {
            uint32_t sender = thread_of(s, "sender", 1 + k);
            add(s, sender, STACK(s, "app/Feed.send", "app/Feed.pace", "java/lang/Thread.sleep"), WICK_EXPLAIN_SLEEPING,
                cases[i].rests);
            add(s, sender, STACK(s, "app/Feed.send"), WICK_EXPLAIN_RUNNABLE, 10 - cases[i].rests);
            s->uses[sender].slices = cases[i].runs;
        }
        s->f.nuses = MOST;
        assert_int_equal(is_neutral(s, "waiting"), cases[i].neutral);
        (cases[i].neutral ? has : has_not)(s, cases[i].neutral ? "; sender, which runs about as often as one of these "
                                                                 "waits ends, rests for 90 % of its time, at "
                                                                 "app.Feed.pace\n"
                                                               : "which runs about as often");
    }
}

/* Who takes from the queue is seen, and waits for an answer; a thread that ticks as often has nothing to do with it. */
static void test_queue_full__behind_a_slow_consumer_is_a_fault(void **state)
{
    (void)state;
    struct scene *s = scene();
    uint32_t put = STACK(s, "app/Feed.read", "java/util/concurrent/LinkedBlockingQueue.put", PARK),
             ticker = thread_of(s, "ticker", 1);
    for (int k = 0; k < 2; k++)
        add(s, thread_of(s, "reader", 10 + k), put, WICK_EXPLAIN_PARKED, 10);
    waited(s, thread_of(s, "reader", 10), put, 100, 30, 0);
    add(s, thread_of(s, "consumer", 2), STACK(s, "app/Feed.store", "java/net/PlainSocketImpl.socketConnect"),
        WICK_EXPLAIN_IO, 10);
    add(s, ticker, STACK(s, "app/Tick.run", "java/lang/Thread.sleep"), WICK_EXPLAIN_SLEEPING, 10);
    s->uses[ticker].slices = 32;
    s->f.nuses = MOST;
    assert_false(is_neutral(s, "waiting"));
    has_not(s, "which runs about as often");
}

/* One thread computes all the time; the others wait for it for a round time, or for as long as it takes. */
static void test_saturated_thread__until_a_clock_ends_it_is_no_fault(void **state)
{
    static const struct {
        int ms, varies, timed;
        double elsewhere; /* seconds in which others wait for it at another place */
        bool neutral;
    } cases[] = {{500, 10, 0, 0, true}, {500, 100, 0, 0, false}, {440, 5, 0, 0, false},
                 {5, 0, 0, 0, false},   {500, 0, 16, 0, false}, /* what they wait for does not come */
                 {500, 10, 0, 4, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        uint32_t t = thread_of(s, "optimiser", 1), other = thread_of(s, "dispatcher", 2),
                 join = STACK(s, "app/Dispatcher.run", "java/util/concurrent/CompletableFuture.join", PARK);
        cpu(s, STACK(s, "app/Optimiser.run", "app/Optimiser.improve"), 9);
        s->cpu[0].thread = t;
        s->uses[t].cpu_ns = 9 * S + S / 2;
        s->f.nuses = t + 1;
        s->f.allowed = 2;
        add(s, other, join, WICK_EXPLAIN_PARKED, 10);
        if (cases[i].elsewhere > 0)
            add(s, thread_of(s, "clerk", 3),
                STACK(s, "app/Clerk.run", "java/util/concurrent/CompletableFuture.join", PARK), WICK_EXPLAIN_PARKED,
                cases[i].elsewhere);
        waited(s, other, join, cases[i].ms, cases[i].varies, cases[i].timed);
        assert_int_equal(is_neutral(s, "saturated-thread"), cases[i].neutral);
        (cases[i].neutral ? has : has_not)(s, "; each of these waits takes 500 ms, as if a clock ended them; ");
    }
}

/* A thread with all the work: its digests need each other; or all CPUs are taken, so that another thread would have
 * none. */
static void test_saturated_thread__of_digests_or_of_taken_cpus_is_no_fault(void **state)
{
    enum { DIGESTS, LITTLE, PASSWORDS, TAKEN };
    (void)state;
    for (int how = DIGESTS; how <= TAKEN; how++) {
        struct scene *s = scene();
        uint32_t t = thread_of(s, "sealer", 1);
        const char *above = how == PASSWORDS ? "com/sun/crypto/provider/PBKDF2KeyImpl.deriveKey" : "app/Sealer.seal";
        bool most = how == DIGESTS || how == PASSWORDS;
        cpu(s, STACK(s, "app/Sealer.run", above, "java/security/MessageDigest.digest"), most ? 6 : 1);
        cpu(s, STACK(s, "app/Sealer.run"), most ? 3 : 8);
        s->cpu[0].thread = s->cpu[1].thread = t;
        s->uses[t].cpu_ns = 9 * S + S / 2;
        s->f.got_ns = (how == TAKEN ? 18 : 10) * S;
        s->f.nuses = t + 1;
        s->f.allowed = 2;
        add(s, thread_of(s, "intake", 2), STACK(s, "app/Main.put", "java/util/concurrent/ArrayBlockingQueue.put", PARK),
            WICK_EXPLAIN_PARKED, 10);
        if (how == TAKEN) {
            has_not(s, "saturated-thread");
            continue;
        }
        assert_int_equal(is_neutral(s, "saturated-thread"), how == DIGESTS);
        (how == DIGESTS ? has : has_not)(
            s, "; 67 % of its CPU time goes to digests, each of which may need the one before it; ");
    }
}

/* What a task rests for is not seen; whose lock it has in the meantime is. */
static void test_waiting__for_a_task_that_rests_is_no_fault_without_a_lock(void **state)
{
    (void)state;
    for (int lock = 0; lock <= 1; lock++) {
        struct scene *s = scene();
        uint32_t rest = STACK(s, "java/util/concurrent/ThreadPoolExecutor$Worker.run", "app/Chamber.expose",
                              "java/lang/Thread.sleep");
        add(s, thread_of(s, "chamber-1", 1), rest, WICK_EXPLAIN_SLEEPING, 9);
        add(s, thread_of(s, "house", 2),
            STACK(s, "app/House.trial",
                  lock ? "java/util/concurrent/locks/ReentrantLock.lock" : "java/util/concurrent/FutureTask.get", PARK),
            WICK_EXPLAIN_PARKED, 9);
        if (lock)
            owned(s, thread_of(s, "house", 2),
                  STACK(s, "app/House.trial", "java/util/concurrent/locks/ReentrantLock.lock", PARK), rest, true, 9);
        assert_int_equal(is_neutral(s, "waiting"), !lock);
        has(s, "is waiting for a timer (Thread.sleep), at app.Chamber.expose; 9.0 s of it by threads that wait for a ");
    }
}

/* What is forced to the disk takes what the disk takes, however many wait for it. Not so if it is not forced. */
static void test_disk_wait__of_a_group_commit_is_no_fault(void **state)
{
    static const struct {
        const char *writes;
        unsigned owners, reads; /* reads: seconds of others that wait for the disk */
        bool neutral;
    } cases[] = {{"sun/nio/ch/UnixFileDispatcherImpl.force0", 3, 0, true},
                 {"java/io/FileDescriptor.sync", 3, 0, true},
                 {"sun/nio/ch/UnixFileDispatcherImpl.force0", 1, 0, true},
                 {"sun/nio/ch/UnixFileDispatcherImpl.force0", 3, 3, false},
                 {"java/io/RandomAccessFile.writeBytes", 3, 0, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        uint32_t commit = thread_of(s, "commit", 1);
        add(s, commit, STACK(s, "app/Deeds.commit", cases[i].writes), WICK_EXPLAIN_DISK, 5);
        add(s, commit, STACK(s, "app/Deeds.commit"), WICK_EXPLAIN_RUNNABLE, 5);
        add(s, thread_of(s, "search", 2), STACK(s, "app/Search.run"), WICK_EXPLAIN_RUNNABLE, 10);
        if (cases[i].reads)
            add(s, thread_of(s, "reader", 3), STACK(s, "app/Index.read", "java/io/RandomAccessFile.readBytes"),
                WICK_EXPLAIN_DISK, cases[i].reads);
        for (unsigned k = 0; k < cases[i].owners; k++)
            add(s, thread_of(s, "owner", 10 + k),
                STACK(s, "app/Main.enter", "java/util/concurrent/CompletableFuture.get", PARK), WICK_EXPLAIN_PARKED, 8);
        assert_int_equal(is_neutral(s, "disk-wait"), cases[i].neutral);
        free(explained(s));
    }
}

/* Who rests for most of its time, and is woken most often, may be who should take from a full queue. */
static void test_queue_full__mentions_who_rests(void **state)
{
    static const struct {
        int64_t runs, others;
        int rests;
        bool said, lasts; /* lasts: the other one is found in long waits */
    } cases[] = {{475, 157, 9, true},
                 {475, 300, 9, false}, /* which of them is not clear */
                 {475, 300, 9, true, true},
                 {7, 1, 9, false}, /* too rarely to take much */
                 {475, 1, 5, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        uint32_t post = STACK(s, "app/Board.post", "java/util/concurrent/ArrayBlockingQueue.put", PARK);
        for (unsigned k = 0; k < 3; k++)
            add(s, thread_of(s, "desk", 10 + k), post, WICK_EXPLAIN_PARKED, 10);
        waited(s, thread_of(s, "desk", 10), post, 160, 5, 0);
        for (unsigned k = 0; k < 2; k++) {
            uint32_t t = thread_of(s, k ? "main" : "belt-link", 1 + k);
            add(s, t, STACK(s, "app/Belt.run", "app/Belt.backOff", "java/lang/Thread.sleep"), WICK_EXPLAIN_SLEEPING,
                k ? 10 : cases[i].rests);
            if (!k)
                add(s, t, STACK(s, "app/Belt.run"), WICK_EXPLAIN_RUNNABLE, 10 - cases[i].rests);
            if (k)
                s->wall[s->f.nwall - 1].count = cases[i].lasts ? 40 : 1;
            s->uses[t].slices = k ? cases[i].others : cases[i].runs;
        }
        s->f.nuses = MOST;
        assert_true(is_neutral(s, "waiting"));
        (cases[i].said ? has : has_not)(s, cases[i].said
                                               ? "; belt-link, perhaps the thread that takes from it, rests for "
                                                 "90 % of its time, at app.Belt.backOff\n"
                                               : ", perhaps the thread");
    }
}

/* Requests may rest for a time on purpose; if others wait for their lock in the meantime, that is another matter. */
static void test_waiting__of_a_request_that_rests_is_no_fault_without_a_lock(void **state)
{
    (void)state;
    for (int lock = 0; lock <= 1; lock++) {
        struct scene *s = scene();
        uint32_t rest = STACK(s, "com/sun/net/httpserver/Filter$Chain.doFilter", "app/Credit.handle",
                              "java/lang/Thread.sleep"),
                 enter = STACK(s, "com/sun/net/httpserver/Filter$Chain.doFilter", "app/Credit.book",
                               "java/util/concurrent/locks/ReentrantLock.lock", PARK);
        add(s, thread_of(s, "http-1", 1), rest, WICK_EXPLAIN_SLEEPING, 9);
        if (lock) {
            add(s, thread_of(s, "http-2", 2), enter, WICK_EXPLAIN_PARKED, 9);
            owned(s, thread_of(s, "http-2", 2), enter, rest, true, 9);
        }
        assert_int_equal(is_neutral(s, "waiting"), !lock);
        has(s, "is waiting for a timer (Thread.sleep), at app.Credit.handle");
    }
}

/* The same of an endpoint, whose waits are not followed to those who hold what they wait for. */
static void test_endpoint_wait__of_a_rest_is_no_fault_without_a_lock(void **state)
{
    (void)state;
    for (int lock = 0; lock <= 1; lock++) {
        struct scene *s = scene();
        uint32_t rest = STACK(s, "app/Pay.handle", "app/Pay.settle", "java/lang/Thread.sleep"), http;
        http = thread_of(s, "http-1", 1);
        add(s, http, rest, WICK_EXPLAIN_SLEEPING, 2);
        s->wall[0].endpoint = wick_profile_cstring(&s->p, "POST /pay");
        for (unsigned i = 0; i < 2; i++) /* much else */
            add(s, thread_of(s, "other", 2 + i), STACK(s, "app/Main.compute"), WICK_EXPLAIN_RUNNABLE, 10);
        if (lock)
            owned(s, http, STACK(s, "app/Pay.enter"), rest, false, 0.1);
        assert_int_equal(is_neutral(s, "endpoint-wait"), !lock);
        has_not(s, "\nwaiting: ");
    }
}

/* Tasks that ask a server while others wait for them do so at the same time. Not so if they have a lock, for some of
 * those that wait or for all, or if they run one at a time. */
static void test_waiting__for_tasks_that_ask_is_no_fault_without_a_lock(void **state)
{
    enum { FUTURES, LOCK, BOTH, ALONE, CASES };
    static const char worker[] = "java/util/concurrent/ThreadPoolExecutor$Worker.run",
                      future[] = "java/util/concurrent/FutureTask.get",
                      lock[] = "java/util/concurrent/locks/ReentrantLock.lock";
    (void)state;
    for (int how = FUTURES; how < CASES; how++) {
        struct scene *s = scene();
        uint32_t ask = STACK(s, worker, "app/Partner.ask", "sun/net/www/http/HttpClient.parseHTTP",
                             "java/net/Socket$SocketInputStream.read");
        uint32_t enter = STACK(s, "app/Gateway.enter", lock, PARK);
        for (unsigned k = 0; k < (how == ALONE ? 1 : 2); k++)
            add(s, thread_of(s, k ? "calls-1" : "calls-2", 1 + k), ask, WICK_EXPLAIN_IO, 8);
        if (how == ALONE)
            add(s, thread_of(s, "calls-2", 1),
                STACK(s, worker, "java/util/concurrent/ThreadPoolExecutor.getTask", PARK), WICK_EXPLAIN_PARKED, 2);
        if (how != LOCK)
            for (unsigned k = 0; k < (how == ALONE ? 3 : 2); k++)
                add(s, thread_of(s, "house", 10 + k), STACK(s, "app/Gateway.handle", future, PARK), WICK_EXPLAIN_PARKED,
                    8);
        if (how == LOCK || how == BOTH) {
            add(s, thread_of(s, "house", 3), enter, WICK_EXPLAIN_PARKED, 16);
            owned(s, thread_of(s, "house", 3), enter, ask, true, 16);
        }
        assert_int_equal(is_neutral(s, "waiting"), how == FUTURES);
        has(s, "is waiting for a server's answer, at app.Partner.ask; ");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_disk_wait__of_a_group_commit_is_no_fault),
        cmocka_unit_test(test_saturated_thread__of_digests_or_of_taken_cpus_is_no_fault),
        cmocka_unit_test(test_waiting__for_a_task_that_rests_is_no_fault_without_a_lock),
        cmocka_unit_test(test_queue_full__before_a_stage_that_keeps_a_pace_is_no_trouble),
        cmocka_unit_test(test_future__of_one_that_rests_in_between),
        cmocka_unit_test(test_queue_full__by_a_pace_is_no_fault),
        cmocka_unit_test(test_queue_full__mentions_who_rests),
        cmocka_unit_test(test_waiting__of_a_request_that_rests_is_no_fault_without_a_lock),
        cmocka_unit_test(test_endpoint_wait__of_a_rest_is_no_fault_without_a_lock),
        cmocka_unit_test(test_waiting__for_tasks_that_ask_is_no_fault_without_a_lock),
        cmocka_unit_test(test_queue_full__behind_a_slow_consumer_is_a_fault),
        cmocka_unit_test(test_saturated_thread__until_a_clock_ends_it_is_no_fault),
        cmocka_unit_test(test_future__waits_for_the_time_out_of_who_completes_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
