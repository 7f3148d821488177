/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Native waits: those of threads that the registry knows and of others, made up so that their lengths are known to the
 * nanosecond; and real ones, in a library whose calls are hooked. Recordings begin and end all the time.
 *
 * The variance of a sum of weights is at most interval x total; sums are checked at 6 standard deviations.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"
#include "elf/image_scan.h"
#include "engine/lock/lock.h"
#include "engine/lock/lock_native.h"

enum { WAITERS = 4, KNOWN = 2, WAITS = 3000, MS = 1000000, SIGMAS = 6 };

static struct wick_mem mem;
static struct wick_jvm jvm;
static struct wick_elf_images images;
static struct wick_threads threads;
static struct wick_recorder recorder;
static struct wick_lock_engine engine;
static const int locks[WAITERS] = {0};
static _Atomic int leave;

struct waiter {
    pthread_t thread;
    int number;
    _Atomic int32_t tid;
    uint64_t waited_ns;
    uint64_t random;
};

static struct waiter waiters[WAITERS];
static struct {
    uint64_t waits, weight_ns, looks;
    uint64_t wait, look;      /* ids of the latest wait, and of the latest one whose owner was examined */
    uint32_t owner, answered; /* whose the lock of that wait was, and whose stack was taken */
} found;

#if defined(__SANITIZE_THREAD__)
/* The cache of unwind rules is a sequence lock, and walks read what they find. */
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
    return "race:step_read\nrace:rule_cached\nrace:rule_store\n";
}
#endif

static int set_up(void **state)
{
    bool changed;
    (void)state;
    assert_int_equal(wick_mem_self_init(&mem), 0);
    jvm.mem = &mem;
    memset(&jvm.layout, 0xff, sizeof jvm.layout);
    wick_elf_images_init(&images, 0);
    assert_int_equal(wick_elf_images_refresh(&images, &mem, &changed, NULL), 0);
    assert_int_equal(wick_threads_init(&threads), 0);
    wick_threads_begin(&threads);
    assert_int_equal(wick_recorder_init(&recorder, 8 << 20, 1024, 64), 0);
    assert_int_equal(wick_walker_init(&recorder.walker, &jvm, &images), 0);
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

static void start(void)
{
    struct wick_err err = {0};
    const struct wick_lock_config c = {.native = true, .native_interval_ns = MS, .seed = 1};
    memset(&found, 0, sizeof found);
    atomic_store(&recorder.running, 1);
    assert_int_equal(wick_lock_start(&engine, &c, &jvm, &recorder, &threads, &err), 0);
}

static void drain(void)
{
    struct wick_event e;
    for (uint32_t cpu = 0; cpu < recorder.cpus; cpu++) {
        while (wick_ring_get(&recorder.rings[cpu], &e)) {
            const struct wick_lock_note *n = wick_lock_found(&engine, &e);
            assert_non_null(n);
            if (n->of_owner) {
                assert_int_equal(e.thread, n->owner);
                found.looks++;
                found.look = n->done.id;
                found.answered = e.thread;
                wick_lock_consumed(&engine, &e);
                continue;
            }
            assert_int_equal(e.time_ns, n->done.start_ns);
            found.wait = n->done.id;
            found.owner = n->owner;
            assert_non_null(n->what.operation);
            found.waits++;
            found.weight_ns += n->done.weight_ns;
            if (n->done.kind == WICK_LOCK_SIGNAL) { /* made up: the address identifies the waiter */
                const struct waiter *w = &waiters[(const int *)(uintptr_t)n->what.address - locks];
                assert_int_equal(n->what.tid, atomic_load(&w->tid));
                assert_int_equal(e.thread != 0, w->number < KNOWN);
            }
            wick_lock_consumed(&engine, &e);
        }
    }
}

static void stop(struct wick_lock_totals *totals)
{
    wick_lock_stop(&engine);
    wick_recorder_quiesce(&recorder);
    drain();
    wick_lock_totals_get(&engine, totals);
    assert_int_equal(found.waits, totals->recorded);
    assert_int_equal(found.weight_ns, totals->recorded_ns);
    wick_lock_release(&engine);
}

static void record_wait(struct waiter *w, ucontext_t *here)
{
    uint64_t ns = wick_random_below(&w->random, 3 * MS);
    uint64_t now = wick_clock_mono_ns();
    const struct wick_lock_native n = {.session = wick_lock_native_session(),
                                       .kind = WICK_LOCK_SIGNAL,
                                       .operation = "made up",
                                       .lock = &locks[w->number],
                                       .start_ns = now,
                                       .end_ns = now + ns,
                                       .here = here};
    wick_lock_native_waited(&n);
    w->waited_ns += ns;
}

static void *wait_often(void *arg)
{
    struct waiter *w = arg;
    ucontext_t here;
    getcontext(&here);
    atomic_store(&w->tid, (int32_t)syscall(SYS_gettid));
    if (w->number < KNOWN)
        wick_threads_java(&threads, w->tid, 0, "known", (uint64_t)w->number + 1);
    for (int i = 0; i < WAITS || !atomic_load(&leave); i++) {
        record_wait(w, &here);
        if (i % 16 == 0)
            usleep(100);
    }
    if (w->number < KNOWN)
        wick_threads_java_end(&threads, w->tid);
    return NULL;
}

static void begin_waiters(void)
{
    for (int i = 0; i < WAITERS; i++) {
        waiters[i].number = i;
        waiters[i].waited_ns = 0;
        waiters[i].random = (uint64_t)i;
        assert_int_equal(pthread_create(&waiters[i].thread, NULL, wait_often, &waiters[i]), 0);
    }
}

/* Counts are exact. The recorded weights scatter, and what threads draw depends on how they run, so the bound has an
 * error rate: a wait of w has a variance of at most w * MS and is off by at most 4 MS. The waits sum up to about n =
 * 18,000 MS, and Bernstein's inequality gives 2 exp(-36 n / (2 (n + 4 * 6 sqrt(n) / 3))) for 6 deviations: less than
 * one false failure in ten million runs, whatever the machine does. A wait in 20 that is lost or counted twice is more
 * than these 4.5 %. */
static void test_native__counts_are_exact_and_weights_sum_up(void **state)
{
    struct wick_lock_totals totals;
    uint64_t waited = 0;
    (void)state;
    start();
    atomic_store(&leave, 1); /* each waits so often and no more */
    begin_waiters();
    for (int i = 0; i < WAITERS; i++) {
        while (pthread_tryjoin_np(waiters[i].thread, NULL)) {
            drain();
            usleep(500);
        }
        waited += waiters[i].waited_ns;
    }
    stop(&totals);
    assert_int_equal(totals.waits[WICK_LOCK_SIGNAL], WAITERS * WAITS);
    assert_int_equal(totals.waited_ns[WICK_LOCK_SIGNAL], waited);
    assert_int_equal(totals.waits[WICK_LOCK_NATIVE], 0);
    double off = fabs((double)(totals.recorded_ns + totals.lost_ns) - (double)waited);
    assert_true(off <= SIGMAS * sqrt((double)MS * (double)waited));
}

static void test_native__recordings_end_while_threads_wait(void **state)
{
    enum { RECORDINGS = 25 };
    struct wick_lock_totals totals;
    (void)state;
    atomic_store(&leave, 0);
    begin_waiters();
    for (int i = 0; i < RECORDINGS; i++) {
        start();
        for (int turn = 0; turn < 6; turn++) {
            usleep((unsigned)(i % 5) * 300);
            drain();
        }
        stop(&totals);
        assert_int_equal(wick_lock_native_session(), 0);
    }
    atomic_store(&leave, 1);
    for (int i = 0; i < WAITERS; i++)
        pthread_join(waiters[i].thread, NULL);
}

/* --- a library's calls -------------------------------------------------------------------------------------------- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int (*lib_lock)(pthread_mutex_t *), (*lib_unlock)(pthread_mutex_t *);

static void *open_library(void)
{
    void *lib = dlopen(GOT_NOW, RTLD_NOW);
    assert_non_null(lib);
    lib_lock = (int (*)(pthread_mutex_t *))dlsym(lib, "got_lock");
    lib_unlock = (int (*)(pthread_mutex_t *))dlsym(lib, "got_unlock");
    return lib;
}

static void *ask_for_mutex(void *arg)
{
    (void)arg;
    assert_int_equal(lib_lock(&mutex), 0);
    assert_int_equal(lib_unlock(&mutex), 0);
    return NULL;
}

/* Until a thread waits for the mutex: the C library marks one that a thread sleeps for by the lock word 2. */
static void await_waiter(bool asleep)
{
    while (__atomic_load_n(&mutex.__data.__lock, __ATOMIC_RELAXED) != 2)
        if (asleep)
            usleep(100);
}

/* Lets a thread ask for the mutex, and returns once it waits there. */
static void make_wait(pthread_t *t)
{
    pthread_mutex_lock(&mutex);
    assert_int_equal(pthread_create(t, NULL, ask_for_mutex, NULL), 0);
    await_waiter(true);
}

static void test_native__only_contended_locks_count(void **state)
{
    struct wick_lock_totals totals;
    struct wick_err err = {0};
    void *lib = open_library();
    pthread_t t;
    (void)state;
    start();
    assert_int_equal(wick_lock_native_on(0, &err), 0);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(lib_lock(&mutex), 0);
        assert_int_equal(lib_unlock(&mutex), 0);
    }
    make_wait(&t);
    pthread_mutex_unlock(&mutex);
    pthread_join(t, NULL);
    make_wait(&t); /* and one that is inside when the recording ends */
    wick_lock_native_off();
    stop(&totals);
    pthread_mutex_unlock(&mutex);
    pthread_join(t, NULL);
    assert_int_equal(totals.waits[WICK_LOCK_NATIVE], 1);
    assert_true(totals.waited_ns[WICK_LOCK_NATIVE] > 0);
    dlclose(lib);
}

static uint32_t known(const char *name)
{
    int32_t tid = (int32_t)syscall(SYS_gettid);
    wick_threads_java(&threads, tid, 0, name, (uint64_t)tid);
    return wick_threads_find_sig(&threads, tid)->serial;
}

static void *be_known_and_ask(void *arg)
{
    known("waiter");
    ask_for_mutex(arg);
    wick_threads_java_end(&threads, (int32_t)syscall(SYS_gettid));
    return NULL;
}

/* The owner is asked while the other waits, and the wait names it afterwards. */
static void test_native__the_owner_of_the_mutex_reports_its_stack(void **state)
{
    struct wick_lock_totals totals;
    struct wick_err err = {0};
    void *lib = open_library();
    uint32_t self = known("owner"), waits = 0;
    pthread_t t;
    (void)state;
    start();
    assert_int_equal(wick_lock_native_on(0, &err), 0);
    for (int turn = 0; turn < 2;) { /* it computes, and it sleeps */
        uint64_t before = found.looks;
        pthread_mutex_lock(&mutex);
        assert_int_equal(pthread_create(&t, NULL, be_known_and_ask, NULL), 0);
        await_waiter(turn > 0);
        uint64_t until = wick_clock_mono_ns() + 500 * (uint64_t)MS;
        for (; found.looks == before && wick_clock_mono_ns() < until; drain())
            if (turn)
                usleep(3000);
        pthread_mutex_unlock(&mutex);
        pthread_join(t, NULL);
        drain();
        waits++;
        if (found.looks == before)
            continue; /* a wait is examined once, in vain if the owner wakes or is put to sleep just then */
        assert_int_equal(found.answered, self);
        assert_int_equal(found.look, found.wait);
        assert_int_equal(found.owner, self);
        turn++;
    }
    wick_lock_native_off();
    stop(&totals);
    assert_int_equal(totals.waits[WICK_LOCK_NATIVE], waits);
    wick_threads_java_end(&threads, (int32_t)syscall(SYS_gettid));
    dlclose(lib);
}

/* A lock that fails is no wait, and the next one is examined as usual. */
static void test_native__a_wait_in_vain_is_not_counted(void **state)
{
    struct wick_lock_totals totals;
    struct wick_err err = {0};
    void *lib = open_library();
    pthread_mutexattr_t attr;
    pthread_mutex_t checked;
    (void)state;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    assert_int_equal(pthread_mutex_init(&checked, &attr), 0);
    known("checked");
    start();
    assert_int_equal(wick_lock_native_on(0, &err), 0);
    int first = lib_lock(&checked), again = lib_lock(&checked);
    wick_lock_native_off();
    for (uint32_t i = 0; i < wick_threads_top(&threads); i++)
        assert_int_equal(atomic_load(&engine.waits[i].since_ns), 0);
    stop(&totals);
    assert_int_equal(first, 0);
    assert_int_equal(again, EDEADLK);
    assert_int_equal(totals.waits[WICK_LOCK_NATIVE], 0);
    wick_threads_java_end(&threads, (int32_t)syscall(SYS_gettid));
    pthread_mutex_unlock(&checked);
    pthread_mutex_destroy(&checked);
    dlclose(lib);
}

/* The calling thread gets the same place under another number, as one that was born when this one had ended. */
static uint32_t become_another(void)
{
    static const uint64_t java[4096], *next = &java[2048]; /* JavaThreads, of which only the address counts */
    int32_t tid = (int32_t)syscall(SYS_gettid);
    wick_threads_java(&threads, tid, (uintptr_t)++next, "another", (uint64_t)tid);
    return wick_threads_find_sig(&threads, tid)->serial;
}

static _Atomic int32_t helper_tid;

static void *own_until_released(void *arg)
{
    known("helper");
    atomic_store(&helper_tid, (int32_t)syscall(SYS_gettid));
    sem_wait(arg); /* it sleeps all the time: the watcher's first poll succeeds */
    wick_threads_java_end(&threads, atomic_load(&helper_tid));
    return NULL;
}

/* Until a thread sleeps. */
static void await_sleep(int32_t tid)
{
    char path[64], text[512] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
    for (const char *state = NULL; !state || state[2] != 'S'; state = strrchr(text, ')')) {
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        assert_true(fd >= 0);
        ssize_t n = read(fd, text, sizeof text - 1);
        close(fd);
        assert_true(n > 0);
        text[n] = 0;
    }
}

/* A wait of the calling thread, made up, that is a sample; examined: once the watcher has seen the owner. */
static void wait_for(const int *holder, bool examined)
{
    uint64_t now = wick_clock_mono_ns(), before = atomic_load(&engine.looks);
    ucontext_t here;
    struct wick_lock_native n = {.session = wick_lock_native_session(),
                                 .kind = WICK_LOCK_NATIVE,
                                 .operation = "made up",
                                 .lock = holder,
                                 .start_ns = now,
                                 .end_ns = now + 1000 * (uint64_t)MS,
                                 .here = &here};
    getcontext(&here);
    n.id = wick_lock_native_begin(n.session, holder, now);
    assert_int_not_equal(n.id, 0);
    while (examined && atomic_load(&engine.looks) == before)
        usleep(1000);
    /* it keeps what it saw a moment later */
    const struct wick_engine_thread *self = wick_threads_find_sig(&threads, (int32_t)syscall(SYS_gettid));
    while (examined && atomic_load(&engine.waits[self - threads.slots].seen_owner) >> 32 != (uint32_t)n.id)
        usleep(1000);
    wick_lock_native_waited(&n);
    drain();
    assert_int_equal(found.wait, n.id);
}

/* Places in the tables are reused; what one thread left there is not attributed to the next. */
static void test_native__a_place_s_next_thread_has_nothing_of_the_last(void **state)
{
    struct wick_lock_totals totals;
    pthread_t t;
    sem_t end;
    int owner, nobody = 0;
    (void)state;
    sem_init(&end, 0, 0);
    atomic_store(&helper_tid, 0);
    assert_int_equal(pthread_create(&t, NULL, own_until_released, &end), 0);
    while (!(owner = atomic_load(&helper_tid)))
        usleep(100);
    await_sleep(owner);
    start();
    uint32_t first = become_another();
    wait_for(&owner, true);
    uint32_t seen = found.owner;
    uint32_t second = become_another();
    wait_for(&nobody, false);
    uint32_t left = found.owner;
    wick_lock_begin(WICK_LOCK_WAIT, 0, NULL); /* and one that does not end: of a monitor that the thread has not */
    become_another();
    wait_for(&owner, false);
    stop(&totals);
    uint32_t helper = wick_threads_find_sig(&threads, owner)->serial;
    sem_post(&end);
    pthread_join(t, NULL);
    sem_destroy(&end);
    wick_threads_java_end(&threads, (int32_t)syscall(SYS_gettid));
    assert_int_not_equal(first, second);
    assert_int_equal(seen, helper);
    assert_int_equal(left, 0);
    assert_int_equal(found.owner, helper);
}

/* However short and many the waits, the watcher is woken once in a millisecond at most. */
static void test_native__many_short_waits_wake_the_watcher_rarely(void **state)
{
    enum { SHORT = 4000 };
    struct wick_lock_totals totals;
    const int nobody = 0;
    uint64_t wakes = 0;
    (void)state;
    known("short");
    start();
    while (!atomic_load(&engine.asleep))
        usleep(100);
    uint64_t since = wick_clock_mono_ns();
    for (int i = 0; i < SHORT; i++) {
        ucontext_t here;
        uint64_t now = wick_clock_mono_ns();
        struct wick_lock_native n = {.session = wick_lock_native_session(),
                                     .kind = WICK_LOCK_NATIVE,
                                     .operation = "made up",
                                     .lock = &nobody,
                                     .start_ns = now,
                                     .end_ns = now + 1,
                                     .here = &here};
        getcontext(&here);
        wakes += atomic_load(&engine.asleep);
        n.id = wick_lock_native_begin(n.session, &nobody, now);
        wick_lock_native_waited(&n);
        usleep(20);
    }
    uint64_t most = (wick_clock_mono_ns() - since) / MS + 2;
    stop(&totals);
    wick_threads_java_end(&threads, (int32_t)syscall(SYS_gettid));
    assert_int_equal(totals.waits[WICK_LOCK_NATIVE], SHORT);
    assert_in_range(wakes, 1, most);
}

/* The kernel id in a lock that processes share may be that of another pid namespace's thread, and also of one of
 * ours. */
static void test_native__owners_of_shared_locks_are_not_reported(void **state)
{
    const pthread_mutex_t private = PTHREAD_MUTEX_INITIALIZER;
    struct wick_lock_totals totals;
    struct wick_err err = {0};
    void *lib = open_library();
    pthread_mutexattr_t attr;
    pthread_t t;
    (void)state;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    assert_int_equal(pthread_mutex_init(&mutex, &attr), 0);
    known("owner");
    start();
    assert_int_equal(wick_lock_native_on(0, &err), 0);
    for (int i = 0; i < 10 || !found.waits; i++) {
        pthread_mutex_lock(&mutex);
        assert_int_equal(pthread_create(&t, NULL, be_known_and_ask, NULL), 0);
        usleep(10000);
        pthread_mutex_unlock(&mutex);
        pthread_join(t, NULL);
        drain();
    }
    wick_lock_native_off();
    stop(&totals);
    mutex = private;
    wick_threads_java_end(&threads, (int32_t)syscall(SYS_gettid));
    dlclose(lib);
    assert_int_equal(found.owner, 0);
    assert_int_equal(totals.looks, 0);
}

/* A thread that blocks signals may take them by sigwait(), so it gets none of ours. */
static void test_native__who_blocks_signals_gets_none(void **state)
{
    struct wick_lock_totals totals;
    struct wick_err err = {0};
    void *lib = open_library();
    sigset_t all, before, pending;
    pthread_t t;
    (void)state;
    known("owner");
    start();
    assert_int_equal(wick_lock_native_on(0, &err), 0);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pthread_mutex_lock(&mutex);
    assert_int_equal(pthread_create(&t, NULL, be_known_and_ask, NULL), 0);
    while (!atomic_load(&engine.looks))
        ;
    for (uint64_t until = wick_clock_mono_ns() + 50 * (uint64_t)MS; wick_clock_mono_ns() < until;)
        ;
    sigpending(&pending);
    pthread_mutex_unlock(&mutex);
    pthread_join(t, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    int got = sigismember(&pending, engine.signal.number);
    wick_lock_native_off();
    stop(&totals);
    wick_threads_java_end(&threads, (int32_t)syscall(SYS_gettid));
    dlclose(lib);
    assert_int_equal(got, 0);
}

static void *end_with_it(void *arg)
{
    pthread_mutex_lock(arg);
    return NULL;
}

/* A robust mutex whose owner ended, and that no thread made consistent, returns that error to all from then on. */
static void test_native__robust_mutexes_stay_not_recoverable(void **state)
{
    struct wick_err err = {0};
    void *lib = open_library();
    const struct timespec past = {1, 0};
    pthread_mutexattr_t attr;
    pthread_mutex_t robust;
    pthread_t t;
    (void)state;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    assert_int_equal(pthread_mutex_init(&robust, &attr), 0);
    assert_int_equal(pthread_create(&t, NULL, end_with_it, &robust), 0);
    pthread_join(t, NULL);
    assert_int_equal(wick_lock_native_on(0, &err), 0);
    assert_int_equal(lib_lock(&robust), EOWNERDEAD);
    assert_int_equal(lib_unlock(&robust), 0);
    int first = lib_lock(&robust), second = pthread_mutex_timedlock(&robust, &past);
    wick_lock_native_off();
    dlclose(lib);
    assert_int_equal(first, ENOTRECOVERABLE);
    assert_int_equal(second, ENOTRECOVERABLE);
    pthread_mutexattr_destroy(&attr);
    pthread_mutex_destroy(&robust);
}

/* --- other agents ------------------------------------------------------------------------------------------------- */

struct words {
    wick_addr at[4];
    int n;
};

static void keep_word(void *arg, const struct wick_elf_slot *slot)
{
    struct words *w = arg;
    if (w->n < 4)
        w->at[w->n++] = slot->addr;
}

struct wanted {
    const void *inside;
    struct words *words;
};

static int words_of_image(struct dl_phdr_info *info, size_t size, void *arg)
{
    static const char *const names[] = {"pthread_mutex_lock"};
    struct wanted *w = arg;
    struct wick_elf_image image;
    wick_addr inside = (uintptr_t)w->inside;
    (void)size;
    if (wick_elf_image_describe(&mem, info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum, &image) ||
        inside < image.map_lo || inside >= image.map_hi)
        return 0;
    wick_elf_got_slots(&mem, &image, names, 1, keep_word, w->words);
    return 1;
}

/* The words by which the image that holds an address calls pthread_mutex_lock. */
static struct words words_of(const void *inside)
{
    struct words all = {.n = 0};
    dl_iterate_phdr(words_of_image, &(struct wanted){inside, &all});
    assert_true(all.n > 0);
    return all;
}

static uintptr_t put_word(wick_addr at, uintptr_t value)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uintptr_t *word = (uintptr_t *)(uintptr_t)at;
    assert_int_equal(mprotect((void *)(uintptr_t)(at & ~(wick_addr)(page - 1)), page, PROT_READ | PROT_WRITE), 0);
    return __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);
}

enum { MOST_CALLS = 100 };

static _Atomic int peer_calls;
static int (*true_lock)(pthread_mutex_t *);

/* What another agent interposes for all images but itself; its own calls go through a word that is ours. */
static int peer_lock(pthread_mutex_t *m)
{
    if (!pthread_mutex_trylock(m))
        return 0;
    if (atomic_fetch_add(&peer_calls, 1) > MOST_CALLS) /* it is called by whom it has called */
        return true_lock(m);
    return lib_lock(m);
}

/* Another agent comes later, and also changes our own image's words. */
static void test_native__another_agent_s_functions_do_not_lead_in_a_circle(void **state)
{
    struct wick_lock_totals totals;
    struct wick_err err = {0};
    void *lib = open_library();
    uintptr_t before[4];
    pthread_t t;
    (void)state;
    true_lock = (int (*)(pthread_mutex_t *))dlsym(RTLD_DEFAULT, "pthread_mutex_lock");
    const struct words own = words_of((const void *)(uintptr_t)wick_lock_native_on);
    start();
    assert_int_equal(wick_lock_native_on(0, &err), 0);
    for (int i = 0; i < own.n; i++)
        before[i] = put_word(own.at[i], (uintptr_t)peer_lock);
    atomic_store(&peer_calls, 0);
    make_wait(&t);
    pthread_mutex_unlock(&mutex);
    pthread_join(t, NULL);
    const int circle = atomic_load(&peer_calls);
    wick_lock_native_off();
    stop(&totals);
    start(); /* and when it was there before us */
    assert_int_equal(wick_lock_native_on(0, &err), 0);
    make_wait(&t);
    pthread_mutex_unlock(&mutex);
    pthread_join(t, NULL);
    wick_lock_native_off();
    for (int i = 0; i < own.n; i++)
        put_word(own.at[i], before[i]);
    const struct words theirs = words_of((const void *)(uintptr_t)lib_lock);
    assert_int_equal(*(uintptr_t *)(uintptr_t)theirs.at[0], (uintptr_t)true_lock);
    stop(&totals);
    assert_true(circle < MOST_CALLS);
    assert_int_equal(totals.waits[WICK_LOCK_NATIVE], 1);
    dlclose(lib);
}

static void *refresh_often(void *arg)
{
    (void)arg;
    while (!atomic_load(&leave))
        wick_lock_native_refresh();
    return NULL;
}

/* The drain thread searches for libraries until the recording has ended. */
static void test_native__a_delayed_search_for_libraries_patches_nothing(void **state)
{
    enum { TURNS = 100 };
    const uintptr_t truth = (uintptr_t)dlsym(RTLD_DEFAULT, "pthread_mutex_lock");
    struct wick_err err = {0};
    int left = 0;
    pthread_t t;
    (void)state;
    atomic_store(&leave, 0);
    assert_int_equal(pthread_create(&t, NULL, refresh_often, NULL), 0);
    for (int i = 0; i < TURNS; i++) {
        void *lib = open_library();
        assert_non_null(lib);
        const struct words w = words_of(dlsym(lib, "got_lock"));
        assert_int_equal(wick_lock_native_on(0, &err), 0);
        void *late = dlopen(GOT_NOPLT, RTLD_NOW);
        assert_non_null(late);
        const struct words v = words_of(dlsym(late, "got_lock"));
        wick_lock_native_off();
        usleep(200);
        left += __atomic_load_n((uintptr_t *)(uintptr_t)w.at[0], __ATOMIC_SEQ_CST) != truth;
        left += __atomic_load_n((uintptr_t *)(uintptr_t)v.at[0], __ATOMIC_SEQ_CST) != truth;
        dlclose(late);
        dlclose(lib);
    }
    atomic_store(&leave, 1);
    pthread_join(t, NULL);
    assert_int_equal(left, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_native__counts_are_exact_and_weights_sum_up),
        cmocka_unit_test(test_native__recordings_end_while_threads_wait),
        cmocka_unit_test(test_native__only_contended_locks_count),
        cmocka_unit_test(test_native__the_owner_of_the_mutex_reports_its_stack),
        cmocka_unit_test(test_native__a_wait_in_vain_is_not_counted),
        cmocka_unit_test(test_native__a_place_s_next_thread_has_nothing_of_the_last),
        cmocka_unit_test(test_native__many_short_waits_wake_the_watcher_rarely),
        cmocka_unit_test(test_native__owners_of_shared_locks_are_not_reported),
        cmocka_unit_test(test_native__who_blocks_signals_gets_none),
        cmocka_unit_test(test_native__robust_mutexes_stay_not_recoverable),
        cmocka_unit_test(test_native__another_agent_s_functions_do_not_lead_in_a_circle),
        cmocka_unit_test(test_native__a_delayed_search_for_libraries_patches_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
