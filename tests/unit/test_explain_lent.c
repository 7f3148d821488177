/* SPDX-License-Identifier: Apache-2.0 */
/* What `wick explain` says of threads that wait for what is lent: permits, and objects of a pool. */
#include "explain_stacks.h"

#define PARK "java/util/concurrent/locks/LockSupport.park"
#define READ "java/net/Socket$SocketInputStream.read"

/* That few permits are lent is the cause, and what is done with them is said, if it is known. */
static void test_semaphore__says_what_is_done_with_permits(void **state)
{
    (void)state;
    for (unsigned have = 1; have <= 9; have += 8) {
        struct scene *s = scene();
        for (unsigned i = 0; i < 4; i++)
            add(s, thread_of(s, "http", 10 + i),
                STACK(s, "app/Main.run", "app/Main.pay", "java/util/concurrent/Semaphore.acquire", PARK),
                WICK_EXPLAIN_PARKED, 10);
        add(s, thread_of(s, "http", 20), STACK(s, "app/Main.run", "app/Main.pay", "app/Bank.call", READ),
            WICK_EXPLAIN_IO, have);
        begins(s, have > 1 ? "waiting: 100 % of the time that threads have work (40.0 s) is waiting for a permit of a "
                             "semaphore, at app.Main.pay; during these waits borrowers (at least 0.9 threads on "
                             "average) wait for data of a socket at "
                             "app.Bank.call (100 %)\n\n"
                           : "waiting: 100 % of the time that threads have work (40.0 s) is waiting for a permit of a "
                             "semaphore, at app.Main.pay\n\n");
    }
}

/* Those that have an object of a pool may be in another function than those that wait for one: readers wait, as writers
 * keep their connections for as long as a row is locked. */
static void test_pool__has_objects_lent_to_any_function_that_waits_for_it(void **state)
{
#define POOLED "org/apache/tomcat/jdbc/pool/ConnectionPool.borrowConnection", PARK
    (void)state;
    for (unsigned takes = 0; takes <= 1; takes++) {
        struct scene *s = scene();
        uint32_t reads = STACK(s, "app/Accounts.doGet", POOLED), writes = STACK(s, "app/Accounts.doPost", POOLED);
        for (unsigned i = 0; i < 4; i++)
            add(s, thread_of(s, "http", 10 + i), reads, WICK_EXPLAIN_PARKED, 10);
        if (takes)
            add(s, thread_of(s, "http", 14), writes, WICK_EXPLAIN_PARKED, 1);
        add(s, thread_of(s, "http", 20), STACK(s, "app/Accounts.doPost", "app/Accounts.credit", READ), WICK_EXPLAIN_IO,
            10);
        add(s, thread_of(s, "http", 21), STACK(s, "app/Accounts.doGet", "app/Accounts.balance"), WICK_EXPLAIN_RUNNABLE,
            1);
        (takes ? has : has_not)(
            s, "is waiting for a free object of a pool, at app.Accounts.doGet; during these waits borrowers (at least "
               "1.1 threads on average) wait for data of a socket at app.Accounts.credit (91 %)\n");
    }
#undef POOLED
}

/* Who has an object of one pool has none of another. */
static void test_pool__lends_nothing_to_who_waits_for_another_one(void **state)
{
    (void)state;
    for (unsigned same = 0; same <= 1; same++) {
        struct scene *s = scene();
        uint32_t dao = STACK(s, "app/Dao.find", "app/db/RowPool.take", PARK),
                 ask = STACK(s, "app/Partner.ask", same ? "app/db/RowPool.take" : "app/http/LinkPool.take", PARK);
        for (unsigned i = 0; i < 4; i++)
            add(s, thread_of(s, "http", 10 + i), dao, WICK_EXPLAIN_PARKED, 10);
        add(s, thread_of(s, "http", 14), ask, WICK_EXPLAIN_PARKED, 1);
        add(s, thread_of(s, "http", 20), STACK(s, "app/Partner.ask", "app/Partner.stock", READ), WICK_EXPLAIN_IO, 10);
        (same ? has : has_not)(s, "at app.Dao.find; during these waits borrowers (");
    }
}

/* Threads that have a permit keep all CPUs computing, and there is none left for more of them. */
static void test_semaphore__is_neutral_where_permits_take_all_cpus(void **state)
{
    static const struct {
        int64_t cpus, got;
        double limit, others; /* others: of the machine, by other processes */
        bool io, neutral;
    } cases[] = {{2, 20, 0, 0, false, true},     {4, 20, 0, 0, false, false},    {4, 20, 0, 0.5, false, true},
                 {16, 20, 2, 0.25, false, true}, {16, 8, 2, 0.25, false, false}, {2, 20, 0, 0, true, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        struct wick_explain_findings all;
        struct wick_err err = {0};
        for (unsigned k = 0; k < 4; k++)
            add(s, thread_of(s, "http", 10 + k),
                STACK(s, "app/Main.run", "app/Main.login", "java/util/concurrent/Semaphore.acquire", PARK),
                WICK_EXPLAIN_PARKED, 10);
        for (unsigned k = 0; k < 2; k++)
            add(s, thread_of(s, "http", 20 + k),
                cases[i].io ? STACK(s, "app/Main.run", "app/Main.login", "app/Bank.call", READ)
                            : STACK(s, "app/Main.run", "app/Main.login", "app/Hash.derive"),
                cases[i].io ? WICK_EXPLAIN_IO : WICK_EXPLAIN_RUNNABLE, 10);
        s->f.allowed = cases[i].cpus;
        s->f.got_ns = cases[i].got * S;
        s->f.cpu_limit = cases[i].limit;
        s->f.others = cases[i].others;
        s->f.machines = 1;
        assert_int_equal(wick_explain_apply(&all, &s->f, &err), 0);
        assert_true(all.n > 0);
        assert_string_equal(all.rows[0].rule->name, "waiting");
        assert_int_equal(all.rows[0].neutral, cases[i].neutral);
        wick_explain_findings_release(&all);
        (cases[i].neutral ? has : has_not)(s,
                                           "100 % of its CPUs are taken or needed, so with more of them threads would "
                                           "wait for a CPU instead\n");
    }
}

/* Those that have one lack a CPU: the machine's findings say so. */
static void test_semaphore__is_neutral_where_permits_wait_for_a_cpu(void **state)
{
    (void)state;
    for (int lacks = 0; lacks <= 1; lacks++) {
        struct scene *s = scene();
        struct wick_explain_findings all;
        struct wick_err err = {0};
        bool found = false;
        for (unsigned k = 0; k < 16; k++)
            add(s, thread_of(s, "sender", 10 + k),
                STACK(s, "app/Main.run", "app/Quota.await", "java/util/concurrent/Semaphore.acquire", PARK),
                WICK_EXPLAIN_PARKED, 10);
        uint32_t has_one = lacks ? STACK(s, "app/Main.run", "app/Quota.await")
                                 : STACK(s, "app/Main.run", "app/Quota.await", "app/Bank.call", READ);
        add(s, thread_of(s, "sender", 30), has_one, lacks ? WICK_EXPLAIN_WAITING_FOR_CPU : WICK_EXPLAIN_IO, 10);
        assert_int_equal(wick_explain_apply(&all, &s->f, &err), 0);
        for (size_t i = 0; i < all.n; i++)
            if (!strcmp(all.rows[i].rule->name, "waiting")) {
                found = true;
                assert_int_equal(all.rows[i].neutral, lacks);
            }
        wick_explain_findings_release(&all);
        char *text = explained(s);
        if (!found || (strstr(text, "for a CPU at app.Quota.await") != NULL) != lacks)
            fail_msg("%d: %s", lacks, text);
        free(text);
    }
}

/* So do consumers of a full queue. */
static void test_full_queue__is_neutral_where_its_consumers_take_all_cpus(void **state)
{
    (void)state;
    for (int taken = 0; taken <= 1; taken++) {
        struct scene *s = scene();
        struct wick_explain_findings all;
        struct wick_err err = {0};
        uint32_t computes = STACK(s, "app/Model.work", "app/Model.simulate");
        add(s, thread_of(s, "planner", 1),
            STACK(s, "app/Main.plan", "java/util/concurrent/ArrayBlockingQueue.put", PARK), WICK_EXPLAIN_PARKED, 10);
        for (unsigned k = 0; k < 2; k++) {
            uint32_t worker = thread_of(s, "model", 10 + k);
            add(s, worker, computes, WICK_EXPLAIN_RUNNABLE, 9.5);
            add(s, worker, STACK(s, "app/Model.work", "java/util/concurrent/ArrayBlockingQueue.take", PARK),
                WICK_EXPLAIN_PARKED, 0.5);
            cpu(s, push(&s->p, computes, "app/Model.draw"), 3);
            cpu(s, push(&s->p, computes, "app/Model.log"), 3.5);
            cpu(s, push(&s->p, computes, "app/Model.exp"), 3.5);
        }
        s->f.allowed = taken ? 2 : 4;
        s->f.got_ns = 20 * S;
        s->f.machines = 1;
        assert_int_equal(wick_explain_apply(&all, &s->f, &err), 0);
        bool found = false;
        for (size_t i = 0; i < all.n; i++)
            if (!strcmp(all.rows[i].rule->name, "waiting")) {
                found = true;
                assert_int_equal(all.rows[i].neutral, taken);
            }
        wick_explain_findings_release(&all);
        char *text = explained(s);
        if (!found)
            fail_msg("%s", text);
        assert_non_null(strstr(text, "during these waits its consumer is busy at app.Model.simulate"));
        assert_int_equal(strstr(text, "of its CPUs are taken or needed") != NULL, taken);
        free(text);
    }
}

/* A consumer that collections stop is slow by these. */
static void test_full_queue__is_neutral_where_collections_stop_its_consumer(void **state)
{
    (void)state;
    for (int seconds = 2; seconds <= 3; seconds++) {
        struct scene *s = scene();
        uint32_t work = STACK(s, "app/Model.work", "app/Model.simulate"), worker = thread_of(s, "model", 10);
        for (unsigned k = 0; k < 2; k++)
            add(s, thread_of(s, "planner", 1 + k),
                STACK(s, "app/Main.plan", "java/util/concurrent/ArrayBlockingQueue.put", PARK), WICK_EXPLAIN_PARKED,
                10);
        add(s, worker, work, WICK_EXPLAIN_RUNNABLE, 9);
        add(s, worker, STACK(s, "app/Model.work", "java/util/concurrent/ArrayBlockingQueue.take", PARK),
            WICK_EXPLAIN_PARKED, 1);
        s->f.pauses_ns = seconds * S;
        assert_int_equal(is_neutral(s, "waiting"), seconds == 3);
        has(s, "during these waits its consumer is busy at app.Model.simulate");
    }
}

/* Consumers that keep a pace on purpose wait for a timer, and so do those that are too slow: nothing shows which. */
static void test_full_queue__is_neutral_where_nothing_shows_who_takes_from_it(void **state)
{
    (void)state;
    struct scene *s = scene();
    struct wick_explain_findings all;
    struct wick_err err = {0};
    for (unsigned i = 0; i < 3; i++)
        add(s, thread_of(s, "campaign", 10 + i),
            STACK(s, "app/Main.submit", "java/util/concurrent/ArrayBlockingQueue.put", PARK), WICK_EXPLAIN_PARKED, 10);
    add(s, thread_of(s, "carrier", 2), STACK(s, "app/Carrier.run", "app/Carrier.pace", PARK), WICK_EXPLAIN_PARKED, 10);
    assert_int_equal(wick_explain_apply(&all, &s->f, &err), 0);
    assert_int_equal(all.n, 1);
    assert_true(all.rows[0].neutral);
    wick_explain_findings_release(&all);
    begins(s, "waiting: 100 % of the time that threads have work (30.0 s) is waiting for room in a queue, at "
              "app.Main.submit\n");
}

/* Carriers that compute on as many CPUs as there are, what hot-code or hot-method names; and others. */
static void test_unstarted_threads__are_neutral_where_carriers_compute_what_is_said(void **state)
{
    enum { NAMED, METHOD, WAITS, FEWER, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        struct scene *s = scene();
        struct wick_explain_findings all;
        struct wick_err err = {0};
        bool found = false;
        uint32_t many = wick_profile_thread(&s->p, wick_profile_cstring(&s->p, "virtual threads"), 0, 0, false);
        uint32_t carrier = STACK(s, "java/util/concurrent/ForkJoinWorkerThread.run",
                                 "java/lang/VirtualThread.runContinuation", "app/Quote.price"),
                 table = push(&s->p, carrier, i == METHOD ? "app/Table.build" : "java/util/regex/Pattern.match");
        add(s, many, STACK(s, "libjvm.so:not_mounted"), WICK_EXPLAIN_WAITING_FOR_CARRIER, 40);
        for (unsigned k = 0; k < 2; k++) {
            add(s, thread_of(s, k ? "ForkJoinPool-1-worker-1" : "ForkJoinPool-1-worker-2", 1 + k),
                i == WAITS ? push(&s->p, carrier, READ) : table, i == WAITS ? WICK_EXPLAIN_IO : WICK_EXPLAIN_RUNNABLE,
                9);
            cpu(s, table, 9);
        }
        s->f.allowed = i == FEWER ? 4 : 2;
        s->f.got_ns = 18 * S;
        assert_int_equal(wick_explain_apply(&all, &s->f, &err), 0);
        for (size_t k = 0; k < all.n; k++)
            if (!strcmp(all.rows[k].rule->name, "unstarted-threads")) {
                found = true;
                assert_int_equal(all.rows[k].neutral, i <= METHOD);
            }
        assert_true(found);
        wick_explain_findings_release(&all);
        (i <= METHOD ? has : has_not)(s, "; that is 90 % of its CPUs, so more carriers would have none\n");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_semaphore__says_what_is_done_with_permits),
        cmocka_unit_test(test_pool__has_objects_lent_to_any_function_that_waits_for_it),
        cmocka_unit_test(test_pool__lends_nothing_to_who_waits_for_another_one),
        cmocka_unit_test(test_semaphore__is_neutral_where_permits_take_all_cpus),
        cmocka_unit_test(test_semaphore__is_neutral_where_permits_wait_for_a_cpu),
        cmocka_unit_test(test_full_queue__is_neutral_where_its_consumers_take_all_cpus),
        cmocka_unit_test(test_full_queue__is_neutral_where_collections_stop_its_consumer),
        cmocka_unit_test(test_full_queue__is_neutral_where_nothing_shows_who_takes_from_it),
        cmocka_unit_test(test_unstarted_threads__are_neutral_where_carriers_compute_what_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
