/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine of locks with a JVM that is made by hand: two locks, whose owners stand where a JVM keeps them (one in an
 * ObjectMonitor, one in an AbstractOwnableSynchronizer), and threads that take them. Each lock has threads of its own,
 * and each wait is written down. So of every stack of an owner it is known whose it may be: of another thread than
 * the one that waits, which takes the same lock, and which answered for itself.
 *
 * Other threads disturb them: some take notes and give them back, so that places are used again and again; one sends
 * tickets that are out of date.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/poisson.h"
#include "base/random.h"
#include "engine/lock/lock.h"

/* An offset of 0 says that a field is not known. */
enum { LOCKS = 2, TAKERS = 3, BORROWERS = 2, WAITS_MOST = 1 << 16, OWNER_PLACE = 8, MS = 1000000 };

/* As a JavaThread, a java.lang.Thread, an ObjectMonitor or an AbstractOwnableSynchronizer. */
struct java_thread {
    _Atomic uint64_t pending;
};

struct object {
    _Atomic uint64_t at[2];
};

struct lock {
    pthread_mutex_t mutex;
    struct object owner; /* lock 0: its JavaThread, lock 1: its java.lang.Thread */
    _Atomic uint64_t handle;
};

struct taker {
    pthread_t thread;
    _Atomic int32_t tid;
    _Atomic uint32_t serial;
    struct java_thread java;
    struct object object;
    struct lock *lock;
    uint32_t number;
    uint64_t sampled, *since; /* by the number in the id */
};

static struct lock locks[LOCKS];
static struct taker takers[LOCKS * TAKERS];
static _Atomic int leave, disturb;
static pthread_t borrowers[BORROWERS];
static _Atomic uint64_t borrowed, forged, spoilt;
static struct wick_mem mem;
static struct wick_jvm jvm;
static struct wick_elf_images images;
static struct wick_threads threads;
static struct wick_recorder recorder;
static struct wick_lock_engine engine;

/* What the events said. */
static struct {
    uint64_t waits, weight_ns, asked, walked, word[WICK_LOCK_NOTES + 1];
} found;

#if defined(__SANITIZE_THREAD__)
/* Walks, JavaThreads and monitors are read as they are found: memory of other threads. The cache of unwind rules is
 * read while others may write; what was read is thrown away then (a sequence lock), which the sanitizer does not
 * know. */
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
    return "race:step_read\nrace:read_monitor\nrace:rule_cached\nrace:rule_store\n";
}
#endif

static void nap_ns(long ns)
{
    nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

/* Computes; the call is where a signal comes in under the thread sanitizer. */
static void work_ns(uint64_t ns)
{
    for (uint64_t end = wick_clock_mono_ns() + ns; wick_clock_mono_ns() < end;)
        (void)getppid();
}

static bool is_monitor(const struct lock *l)
{
    return l == &locks[0];
}

static void wait_for(struct taker *t)
{
    struct lock *l = t->lock;
    struct wick_lock_done done;
    struct wick_lock_what what = {.class_name = "Lock"};
    enum wick_lock_kind kind = is_monitor(l) ? WICK_LOCK_MONITOR : WICK_LOCK_PARK;
    atomic_store(&t->java.pending, (uint64_t)(uintptr_t)&l->owner);
    wick_lock_begin(kind, 0, is_monitor(l) ? NULL : &l->handle);
    pthread_mutex_lock(&l->mutex);
    atomic_store(&t->java.pending, 0);
    if (!wick_lock_end(kind, &done))
        return;
    t->sampled++;
    t->since[(uint32_t)done.id % WAITS_MOST] = done.start_ns;
    wick_lock_record(&done, &what);
}

static void *take_turns(void *arg)
{
    struct taker *t = arg;
    atomic_store(&t->tid, (int32_t)syscall(SYS_gettid));
    while (!atomic_load(&t->serial))
        usleep(100);
    for (uint32_t turn = t->number; !atomic_load(&leave); turn++) {
        if (pthread_mutex_trylock(&t->lock->mutex))
            wait_for(t);
        atomic_store(&t->lock->owner.at[OWNER_PLACE / 8],
                     (uint64_t)(uintptr_t)(is_monitor(t->lock) ? (void *)&t->java : &t->object));
        if (turn % 2) /* one that sleeps is walked, one that computes is asked */
            nap_ns(2 * MS);
        else
            work_ns(2 * MS);
        atomic_store(&t->lock->owner.at[OWNER_PLACE / 8], 0);
        pthread_mutex_unlock(&t->lock->mutex);
        if (turn % 3 == 0)
            nap_ns(MS / 2);
    }
    return NULL;
}

/* Uses notes like a thread that records a wait: while it has one no other thread may write there. */
static void *borrow(void *arg)
{
    uint64_t mark = (uint64_t)(uintptr_t)arg << 32;
    while (!atomic_load(&leave)) {
        if (!atomic_load(&disturb)) {
            usleep(200);
            continue;
        }
        uint32_t lane = wick_gate_enter_sig(&wick_lock_gate);
        struct wick_lock_engine *e = atomic_load(&wick_lock_current);
        struct wick_lock_note *n = e ? wick_lock_note_take_sig(e) : NULL;
        if (n) {
            uint64_t word = atomic_load(&n->word);
            n->done.id = ++mark;
            n->owner = (uint32_t)mark;
            n->owner_java = mark;
            sched_yield();
            atomic_fetch_add(&spoilt, n->done.id != mark || n->owner != (uint32_t)mark || n->owner_java != mark ||
                                          atomic_load(&n->word) != word);
            wick_lock_note_free_sig(e, n);
            atomic_fetch_add(&borrowed, 1);
        }
        wick_gate_leave_sig(&wick_lock_gate, lane);
        if (mark % 64 == 0)
            usleep(200);
    }
    return NULL;
}

static void send_ticket(uint64_t ticket, int32_t tid)
{
    siginfo_t info;
    memset(&info, 0, sizeof info);
    info.si_signo = engine.signal.number;
    info.si_code = SI_QUEUE;
    info.si_pid = getpid();
    info.si_value.sival_ptr = (void *)(uintptr_t)ticket;
    syscall(SYS_rt_tgsigqueueinfo, getpid(), tid, engine.signal.number, &info);
}

/* Sends a ticket of a use of a note that is over. */
static void forge(uint32_t turn)
{
    uint32_t number = 1 + turn % 16; /* of those in use most */
    const struct wick_lock_note *n = wick_notes_at_sig(&engine.notes, number);
    uint64_t word = atomic_load(&n->word), uses = word >> 2;
    if (!uses)
        return;
    send_ticket((uses - 1) << 16 | number, atomic_load(&takers[turn % (LOCKS * TAKERS)].tid));
    atomic_fetch_add(&forged, 1);
}

static int set_up(void **state)
{
    bool changed;
    (void)state;
    assert_int_equal(wick_mem_self_init(&mem), 0);
    jvm.mem = &mem;
    jvm.major = 17;
    memset(&jvm.layout, 0xff, sizeof jvm.layout);
    jvm.layout.thread_pending_monitor = offsetof(struct java_thread, pending);
    jvm.layout.monitor_owner = OWNER_PLACE;
    wick_elf_images_init(&images, 0);
    assert_int_equal(wick_elf_images_refresh(&images, &mem, &changed, NULL), 0);
    assert_int_equal(wick_threads_init(&threads), 0);
    wick_threads_begin(&threads);
    assert_int_equal(wick_recorder_init(&recorder, 8 << 20, 1024, 64), 0);
    assert_int_equal(wick_walker_init(&recorder.walker, &jvm, &images), 0);
    for (int i = 0; i < LOCKS; i++) {
        pthread_mutex_init(&locks[i].mutex, NULL);
        atomic_store(&locks[i].handle, (uint64_t)(uintptr_t)&locks[i].owner);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    wick_walker_release(&recorder.walker);
    wick_recorder_release(&recorder);
    wick_threads_release(&threads);
    wick_elf_images_release(&images);
    return 0;
}

static void begin_takers(void)
{
    atomic_store(&leave, 0);
    for (uint32_t i = 0; i < LOCKS * TAKERS; i++) {
        struct taker *t = &takers[i];
        memset(t, 0, sizeof *t);
        t->number = i;
        t->lock = &locks[i % LOCKS];
        t->since = calloc(WAITS_MOST, sizeof *t->since);
        atomic_store(&t->object.at[OWNER_PLACE / 8], (uint64_t)(uintptr_t)&t->java);
        assert_int_equal(pthread_create(&t->thread, NULL, take_turns, t), 0);
        while (!atomic_load(&t->tid))
            usleep(100);
        wick_threads_java(&threads, t->tid, (wick_addr)(uintptr_t)&t->java, "java", i + 1);
        atomic_store(&t->serial, wick_threads_find_sig(&threads, t->tid)->serial);
    }
    for (uintptr_t i = 0; i < BORROWERS; i++)
        assert_int_equal(pthread_create(&borrowers[i], NULL, borrow, (void *)(i + 1)), 0);
}

static void end_takers(void)
{
    atomic_store(&leave, 1);
    for (int i = 0; i < BORROWERS; i++)
        pthread_join(borrowers[i], NULL);
    for (int i = 0; i < LOCKS * TAKERS; i++) {
        pthread_join(takers[i].thread, NULL);
        wick_threads_java_end(&threads, takers[i].tid);
    }
}

static void forget_takers(void)
{
    for (int i = 0; i < LOCKS * TAKERS; i++)
        free(takers[i].since);
    wick_threads_poll(&threads);
}

static void start(void)
{
    struct wick_err err = {0};
    const struct wick_lock_config c = {
        .java = true, .interval_ns = MS / 10, .seed = 1, .ownable = {.owner = OWNER_PLACE, .eetop = OWNER_PLACE}};
    memset(&found, 0, sizeof found);
    atomic_store(&recorder.running, 1);
    assert_int_equal(wick_lock_start(&engine, &c, &jvm, &recorder, &threads, &err), 0);
}

static struct taker *taker_of(uint32_t serial)
{
    for (int i = 0; i < LOCKS * TAKERS; i++)
        if (atomic_load(&takers[i].serial) == serial)
            return &takers[i];
    return NULL;
}

static void check_owner(const struct wick_lock_note *n, const struct wick_event *e, const struct taker *waiter)
{
    const struct taker *owner = taker_of(n->owner);
    assert_int_equal(e->thread, n->owner); /* the thread that was asked has answered */
    assert_non_null(owner);
    assert_ptr_not_equal(owner, waiter);
    assert_ptr_equal(owner->lock, waiter->lock);
    assert_int_equal(n->owner_java, (uintptr_t)&owner->java);
    assert_true(e->time_ns >= n->done.start_ns + n->done.duration_ns);
    if (e->time_ns > n->done.start_ns + n->done.duration_ns)
        found.asked++;
    else
        found.walked++;
}

static void check_wait(const struct wick_lock_note *n, const struct wick_event *e, const struct taker *waiter)
{
    const struct taker *owner = taker_of(n->owner);
    assert_int_equal(e->thread, waiter->serial);
    assert_int_equal(n->done.kind, is_monitor(waiter->lock) ? WICK_LOCK_MONITOR : WICK_LOCK_PARK);
    assert_int_equal(n->done.start_ns, waiter->since[(uint32_t)n->done.id % WAITS_MOST]);
    assert_int_equal(e->time_ns, n->done.start_ns);
    assert_string_equal(n->what.class_name, "Lock");
    if (n->owner)
        assert_true(owner && owner != waiter && owner->lock == waiter->lock);
    found.waits++;
    found.weight_ns += n->done.weight_ns;
}

static void drain(void)
{
    struct wick_event e;
    for (uint32_t cpu = 0; cpu < recorder.cpus; cpu++) {
        while (wick_ring_get(&recorder.rings[cpu], &e)) {
            const struct wick_lock_note *n = wick_lock_found(&engine, &e);
            assert_non_null(n);
            uint64_t word = atomic_load(&n->word);
            const struct taker *waiter = taker_of((uint32_t)(n->done.id >> 32));
            assert_int_equal(e.type, WICK_EVENT_LOCK);
            assert_int_equal(word & 3, WICK_LOCK_HELD);
            assert_true(word > found.word[e.note]); /* one event for each use */
            found.word[e.note] = word;
            assert_non_null(waiter);
            if (n->of_owner)
                check_owner(n, &e, waiter);
            else
                check_wait(n, &e, waiter);
            wick_lock_consumed(&engine, &e);
        }
    }
}

static void stop(void)
{
    wick_lock_stop(&engine);
    wick_recorder_quiesce(&recorder);
    drain();
    const struct wick_lock_note *n;
    for (uint32_t i = 1; (n = wick_notes_at_sig(&engine.notes, i)); i++) /* asked and not answered may be left */
        assert_int_not_equal(atomic_load(&n->word) & 3, WICK_LOCK_HELD);
}

static void test_lock__owners_answer_for_themselves_and_nothing_is_counted_twice(void **state)
{
    enum { ENOUGH = 60 };
    uint64_t sampled = 0;
    (void)state;
    begin_takers();
    start();
    atomic_store(&disturb, 1);
    for (uint32_t turn = 0; found.asked < ENOUGH || found.walked < ENOUGH || found.waits < 4 * ENOUGH ||
                            !atomic_load(&borrowed) || !atomic_load(&forged);
         turn++) {
        usleep(500);
        forge(turn);
        drain();
    }
    end_takers();
    stop();
    struct wick_lock_totals totals;
    wick_lock_totals_get(&engine, &totals);
    for (int i = 0; i < LOCKS * TAKERS; i++)
        sampled += takers[i].sampled;
    assert_int_equal(atomic_load(&spoilt), 0);
    assert_true(atomic_load(&borrowed) > 0 && atomic_load(&forged) > 0);
    assert_int_equal(found.waits, totals.recorded);
    assert_int_equal(found.weight_ns, totals.recorded_ns);
    assert_int_equal(sampled, totals.recorded + totals.lost);
    assert_int_equal(found.asked + found.walked, totals.owners);
    assert_true(totals.owners <= totals.looks);
    wick_lock_release(&engine);
    forget_takers();
}

/* Each thread draws for itself: threads that drew the same numbers, even at different times, would be sampled or
 * skipped together, and sums would scatter more than chance allows. */
static void test_lock__threads_do_not_draw_the_same_numbers(void **state)
{
    enum { DRAWS = 1000 };
    static uint64_t drawn[LOCKS * TAKERS][DRAWS];
    int n = 0;
    (void)state;
    begin_takers();
    start();
    while (found.waits < 200) {
        usleep(500);
        drain();
    }
    end_takers();
    stop();
    for (uint32_t i = 1; i < wick_threads_top(&threads) && n < LOCKS * TAKERS; i++) {
        uint64_t random = engine.waits[i].random;
        for (int k = 0; random && k < DRAWS; k++)
            drawn[n][k] = wick_random_u64(&random);
        n += engine.waits[i].random != 0;
    }
    assert_true(n > 1);
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++)
            for (int k = 0; k < DRAWS; k++)
                assert_true(drawn[i][k] != drawn[j][0] && drawn[j][k] != drawn[i][0]);
    wick_lock_release(&engine);
    forget_takers();
}

/* Sums of weights are right whatever the interval is when a wait begins. Six standard deviations: one in a
 * hundred million. */
static void test_lock__more_samples_than_asked_for_make_the_interval_longer(void **state)
{
    enum { RATE = 5, WAITS = 3000, SECONDS_MOST = 20 };
    struct wick_err err = {0};
    struct wick_lock_totals t;
    double weight = 0, variance = 0;
    uint64_t samples = 0;
    (void)state;
    const struct wick_lock_config c = {.java = true, .interval_ns = MS / 10, .rate = RATE, .seed = 1};
    struct java_thread java = {0};
    int32_t tid = (int32_t)syscall(SYS_gettid);
    wick_threads_java(&threads, tid, (uintptr_t)&java, "main", 1);
    assert_int_equal(wick_lock_start(&engine, &c, &jvm, &recorder, &threads, &err), 0);
    uint64_t begin = wick_clock_mono_ns(), longest = 0;
    double seconds = 0;
    int n = 0;
    for (; n < WAITS && seconds < SECONDS_MOST; n++) {
        struct wick_lock_done done;
        double interval = (double)atomic_load(&engine.kinds[WICK_LOCK_PARK].interval_ns);
        wick_lock_totals_get(&engine, &t);
        uint64_t before = t.waited_ns[WICK_LOCK_PARK];
        wick_lock_begin(WICK_LOCK_PARK, 0, NULL);
        nap_ns(MS / 10);
        bool sampled = wick_lock_end(WICK_LOCK_PARK, &done);
        wick_lock_totals_get(&engine, &t);
        double waited = (double)(t.waited_ns[WICK_LOCK_PARK] - before),
               p = wick_poisson_one_minus_exp(waited / interval);
        samples += sampled;
        weight += sampled ? (double)done.weight_ns : 0;
        variance += waited * waited * (1 - p) / p;
        wick_lock_adjust(&engine, wick_clock_mono_ns());
        uint64_t now = atomic_load(&engine.kinds[WICK_LOCK_PARK].interval_ns);
        longest = now > longest ? now : longest;
        seconds = (double)(wick_clock_mono_ns() - begin) / 1e9;
    }
    wick_lock_stop(&engine);
    double all = (double)t.waited_ns[WICK_LOCK_PARK];
    if (n > 2 * RATE * seconds) /* else there were not more samples than asked for */
        assert_true(longest > MS / 10);
    assert_int_equal(atomic_load(&engine.kinds[WICK_LOCK_MONITOR].interval_ns), MS / 10); /* none of that kind */
    if (n > 8 * RATE * seconds)
        assert_true((double)samples < (double)n / 4);
    assert_true((weight - all) * (weight - all) < 36 * variance);
    wick_lock_release(&engine);
    wick_threads_java_end(&threads, tid);
}

/* An owner that sleeps in short naps: of many attempts to copy its stack some find that it ran before they were
 * complete. */
static void *own_and_nap(void *arg)
{
    struct taker *t = arg;
    atomic_store(&t->tid, (int32_t)syscall(SYS_gettid));
    while (!atomic_load(&leave))
        nap_ns(MS / 20);
    return NULL;
}

/* Goes on until that happened often enough. */
static void test_lock__an_owner_that_ran_while_it_was_examined_is_examined_again(void **state)
{
    enum { AGAIN = 20 };
    struct wick_lock_totals totals = {0};
    uint64_t waits = 0;
    struct taker *t = &takers[0], *owner = &takers[2];
    (void)state;
    atomic_store(&leave, 0);
    memset(takers, 0, sizeof takers);
    t->lock = owner->lock = &locks[0];
    t->since = calloc(WAITS_MOST, sizeof *t->since);
    assert_int_equal(pthread_create(&owner->thread, NULL, own_and_nap, owner), 0);
    while (!atomic_load(&owner->tid))
        usleep(100);
    atomic_store(&t->tid, (int32_t)syscall(SYS_gettid));
    for (int i = 0; i < 3; i += 2) {
        wick_threads_java(&threads, takers[i].tid, (wick_addr)(uintptr_t)&takers[i].java, "java", (uint64_t)i + 1);
        atomic_store(&takers[i].serial, wick_threads_find_sig(&threads, takers[i].tid)->serial);
    }
    atomic_store(&locks[0].owner.at[OWNER_PLACE / 8], (uint64_t)(uintptr_t)&owner->java);
    start();
    for (; totals.looks < totals.owners + AGAIN; waits++) {
        struct wick_lock_done done;
        struct wick_lock_what what = {.class_name = "Lock"};
        uint64_t before = found.asked + found.walked;
        atomic_store(&t->java.pending, (uint64_t)(uintptr_t)&locks[0].owner);
        wick_lock_begin(WICK_LOCK_MONITOR, 0, NULL);
        while (found.asked + found.walked == before) {
            usleep(1000);
            drain();
        }
        assert_true(wick_lock_end(WICK_LOCK_MONITOR, &done));
        t->since[(uint32_t)done.id % WAITS_MOST] = done.start_ns;
        wick_lock_record(&done, &what);
        wick_lock_totals_get(&engine, &totals);
    }
    atomic_store(&locks[0].owner.at[OWNER_PLACE / 8], 0);
    atomic_store(&leave, 1);
    pthread_join(owner->thread, NULL);
    stop();
    assert_int_equal(found.waits, waits);
    assert_int_equal(found.asked + found.walked, waits);
    wick_lock_release(&engine);
    for (int i = 0; i < 3; i += 2)
        wick_threads_java_end(&threads, takers[i].tid);
    forget_takers();
}

static void test_lock__stops_in_the_middle_leave_nothing_behind(void **state)
{
    enum { RECORDINGS = 25 };
    (void)state;
    begin_takers();
    atomic_store(&disturb, 1);
    for (int i = 0; i < RECORDINGS; i++) {
        start();
        for (int turn = 0; turn < 6; turn++) {
            usleep((unsigned)(i % 5) * 500);
            forge((uint32_t)(i * 6 + turn));
            drain();
        }
        int number = engine.signal.number;
        struct sigaction after;
        stop();
        assert_int_equal(sigaction(number, NULL, &after), 0);
        assert_ptr_equal(after.sa_handler, SIG_DFL);
        assert_int_equal(found.waits, atomic_load(&engine.recorded));
        assert_int_equal(found.asked + found.walked, atomic_load(&engine.owners));
        wick_lock_release(&engine);
    }
    end_takers();
    assert_int_equal(atomic_load(&spoilt), 0);
    forget_takers();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lock__owners_answer_for_themselves_and_nothing_is_counted_twice),
        cmocka_unit_test(test_lock__threads_do_not_draw_the_same_numbers),
        cmocka_unit_test(test_lock__more_samples_than_asked_for_make_the_interval_longer),
        cmocka_unit_test(test_lock__an_owner_that_ran_while_it_was_examined_is_examined_again),
        cmocka_unit_test(test_lock__stops_in_the_middle_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
