/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_nativemem.c - native memory: a library's calls are hooked, and what is recorded is what it did
 *
 * Where every allocation is sampled all sums are exact. Else they are compared at 6 standard deviations, which one of
 * 500 million normal deviates is beyond; numbers come from fixed seeds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <math.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/poisson.h"
#include "engine/nativemem/nativemem.h"
#include "engine/nativemem/nativemem_hooks.h"
#include "nativemem_lib.h"

enum { PAGE = 4096, THREADS = 4 };

static struct wick_mem mem;
static struct wick_jvm jvm;
static struct wick_elf_images images;
static struct wick_threads threads;
static struct wick_recorder recorder;
static struct wick_nativemem engine;
static const struct nativemem_lib *lib;

/* What the recording says. */
static struct {
    uint64_t allocated, ended;     /* events */
    double weight, variance, most; /* of what was allocated */
    char operation[32];            /* of the latest event */
} said;

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1"; /* some requests cannot be met */
}

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
    void *file = dlopen(NATIVEMEM_LIB, RTLD_NOW);
    assert_non_null(file);
    lib = dlsym(file, "nativemem_lib");
    assert_non_null(lib);
    assert_int_equal(wick_mem_self_init(&mem), 0);
    jvm.mem = &mem;
    jvm.major = 17;
    memset(&jvm.layout, 0xff, sizeof jvm.layout);
    wick_elf_images_init(&images, 0);
    assert_int_equal(wick_elf_images_refresh(&images, &mem, &changed, NULL), 0);
    assert_int_equal(wick_threads_init(&threads), 0);
    wick_threads_begin(&threads);
    assert_int_equal(wick_recorder_init(&recorder, 16 << 20, 1 << 15, 64), 0);
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

static void start(uint64_t interval, uint64_t seed)
{
    const struct wick_nativemem_config c = {.interval = interval, .seed = seed};
    memset(&said, 0, sizeof said);
    atomic_store(&recorder.running, 1);
    assert_int_equal(wick_nativemem_start(&engine, &c, &recorder, &threads, NULL), 0);
    assert_int_equal(wick_nativemem_hooks_on(NULL), 0);
}

static void ended(void *arg, const struct wick_nativemem_block *b)
{
    (void)arg, (void)b;
    said.ended++;
}

static const struct wick_nativemem_end to_nobody = {ended, NULL};

static void drain(void)
{
    struct wick_event e;
    for (uint32_t cpu = 0; cpu < recorder.cpus; cpu++) {
        while (wick_ring_get(&recorder.rings[cpu], &e)) {
            const struct wick_nativemem_block *b = wick_nativemem_found(&engine, &e);
            assert_non_null(b);
            said.allocated++;
            said.weight += (double)e.weight;
            said.variance += (double)e.weight * (double)(e.weight - b->size);
            said.most = fmax(said.most, (double)e.weight);
            snprintf(said.operation, sizeof said.operation, "%s", b->operation);
            wick_nativemem_written(&engine, &e, e.thread, &to_nobody);
        }
    }
    wick_nativemem_collect(&engine, &to_nobody);
}

/* Sum and variance of what is alive. */
static double alive(double *variance)
{
    double sum = 0, v = 0;
    for (uint32_t i = 1; i <= wick_nativemem_top(&engine); i++) {
        const struct wick_nativemem_block *b = wick_nativemem_alive(&engine, i);
        double w = b ? (double)wick_nativemem_bytes(b) : 0;
        sum += w;
        v += b ? w * (w - (double)b->size) : 0;
    }
    if (variance)
        *variance = v;
    return sum;
}

static void stop(void)
{
    recorder.patience_ns = 30000000000; /* threads may be kept from the processor for long */
    wick_nativemem_hooks_off();
    wick_nativemem_stop(&engine);
    atomic_store(&recorder.running, 0);
    drain();
    wick_nativemem_release(&engine);
}

/* --- exact --- */

static void test_nativemem__each_function_counts_what_was_asked_for(void **state)
{
    static const char *const names[] = {"malloc",        "calloc",   "realloc", "reallocarray", "posix_memalign",
                                        "aligned_alloc", "memalign", "valloc",  "pvalloc"};
    (void)state;
    start(0, 1);
    for (size_t way = 0; way < sizeof names / sizeof *names; way++) {
        double before = said.weight, bytes = way == NATIVEMEM_PVALLOC ? 2 * PAGE : PAGE + 512;
        uint64_t allocated = said.allocated, gone = said.ended;
        void *p = lib->get((enum nativemem_way)way, NULL, PAGE + 512);
        assert_non_null(p);
        drain();
        assert_int_equal(said.allocated, allocated + 1);
        assert_string_equal(said.operation, names[way]);
        assert_true(said.weight - before == bytes && alive(NULL) == bytes);
        lib->give(p);
        drain();
        assert_int_equal(said.ended, gone + 1);
        assert_true(alive(NULL) == 0 && !engine.followed);
    }
    lib->give(NULL);
    assert_int_equal(wick_nativemem_allocated(), (uint64_t)said.weight);
    stop();
    void *p = lib->get(NATIVEMEM_MALLOC, NULL, 16); /* nothing is interposed any more */
    lib->give(p);
    assert_int_equal(wick_nativemem_allocated(), (uint64_t)said.weight);
}

static void test_nativemem__what_realloc_cannot_do_leaves_the_block_as_it_was(void **state)
{
    (void)state;
    start(0, 1);
    void *p = lib->get(NATIVEMEM_MALLOC, NULL, 1000);
    p = lib->get(NATIVEMEM_REALLOC, p, 2000); /* larger */
    drain();
    assert_true(alive(NULL) == 2000 && said.weight == 3000 && said.ended == 1);
    p = lib->get(NATIVEMEM_REALLOCARRAY, p, 800); /* smaller */
    drain();
    assert_true(alive(NULL) == 800 && said.weight == 3800 && said.ended == 2);
    assert_null(lib->get(NATIVEMEM_REALLOC, p, (size_t)PTRDIFF_MAX & ~7ull));
    drain();
    assert_true(alive(NULL) == 800 && said.weight == 3800 && said.ended == 2 && said.allocated == 3);
    lib->give(p);
    drain();
    assert_true(alive(NULL) == 0 && said.ended == 3);
    stop();
}

/* The event is still in the ring, in front of others, when the block is freed. */
static void test_nativemem__a_block_may_be_freed_before_its_event_is_written(void **state)
{
    void *p[100];
    (void)state;
    start(0, 1);
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 100; i++)
            p[i] = lib->get(NATIVEMEM_MALLOC, NULL, 64);
        for (int i = 0; i < 100; i++)
            lib->give(p[i]);
        wick_nativemem_collect(&engine, &to_nobody);
    }
    assert_int_equal(said.ended, 0);
    drain();
    assert_true(said.allocated == 5000 && said.ended == 5000 && alive(NULL) == 0 && !engine.followed);
    stop();
}

static void test_nativemem__an_event_that_is_lost_takes_its_block_with_it(void **state)
{
    struct wick_event e;
    (void)state;
    start(0, 1);
    void *p = lib->get(NATIVEMEM_MALLOC, NULL, 64), *q = lib->get(NATIVEMEM_MALLOC, NULL, 64);
    lib->give(q);
    wick_nativemem_collect(&engine, &to_nobody);
    for (uint32_t cpu = 0; cpu < recorder.cpus; cpu++)
        while (wick_ring_get(&recorder.rings[cpu], &e))
            wick_nativemem_lost(&engine, &e);
    assert_true(!engine.followed && alive(NULL) == 0);
    lib->give(p);
    drain();
    assert_int_equal(said.ended, 0);
    uint16_t a = wick_notes_take_sig(&engine.notes), b = wick_notes_take_sig(&engine.notes);
    assert_true(a && b && a <= 2 && b <= 2); /* both are free again */
    stop();
}

/* Freed by somebody whose calls are not hooked: known when the address comes again. */
static void test_nativemem__a_block_that_was_freed_unseen_goes_when_its_address_comes_again(void **state)
{
    (void)state;
    start(0, 1);
    char *p = lib->get(NATIVEMEM_MMAP, NULL, 4 * PAGE);
    drain();
    assert_true(alive(NULL) == 4 * PAGE);
    munmap(p, 4 * PAGE); /* this image's own words are left alone */
    assert_ptr_equal(lib->get(NATIVEMEM_MMAP, p, 4 * PAGE), p);
    drain();
    assert_true(alive(NULL) == 4 * PAGE && said.ended == 1);
    lib->unmap(p, 4 * PAGE);
    const struct wick_nativemem_came again = {.address = 0x10000, .size = 24, .left = -1, .operation = "malloc"};
    wick_nativemem_came(&again);
    wick_nativemem_came(&again);
    drain();
    assert_true(alive(NULL) == 24 && engine.reused == 1);
    stop();
}

static void test_nativemem__mappings_go_in_parts(void **state)
{
    (void)state;
    start(0, 1);
    char *p = lib->get(NATIVEMEM_MMAP, NULL, 8 * PAGE);
    drain();
    assert_true(alive(NULL) == 8 * PAGE);
    assert_int_equal(lib->unmap(p + 1, PAGE), -1); /* refused */
    drain();
    assert_true(alive(NULL) == 8 * PAGE && said.ended == 0);
    assert_int_equal(lib->unmap(p + 2 * PAGE, PAGE), 0);
    drain();
    assert_true(alive(NULL) == 7 * PAGE);
    assert_ptr_equal(lib->get(NATIVEMEM_RESERVE, p, PAGE), p); /* given back, the addresses kept */
    drain();
    assert_true(alive(NULL) == 6 * PAGE);
    assert_ptr_equal(lib->get(NATIVEMEM_MMAP, p + 2 * PAGE, 2 * PAGE), p + 2 * PAGE); /* over a hole and a page */
    drain();
    assert_true(alive(NULL) == 7 * PAGE && said.ended == 0);
    assert_int_equal(lib->unmap(p, 8 * PAGE), 0);
    drain();
    assert_true(alive(NULL) == 0 && said.ended == 2 && !wick_nativemem_ranges.used);
    p = lib->get(NATIVEMEM_RESERVE, NULL, 8 * PAGE);
    lib->unmap(p, 8 * PAGE);
    drain();
    assert_int_equal(said.allocated, 2);
    stop();
}

static void test_nativemem__a_mapping_that_is_moved_comes_anew(void **state)
{
    (void)state;
    start(0, 1);
    char *p = lib->get(NATIVEMEM_MMAP, NULL, 4 * PAGE);
    assert_null(lib->remap(p + 1, PAGE, 2 * PAGE, MREMAP_MAYMOVE));
    drain();
    assert_true(alive(NULL) == 4 * PAGE && said.ended == 0);
    p = lib->remap(p, 4 * PAGE, 64 * PAGE, MREMAP_MAYMOVE);
    assert_non_null(p);
    drain();
    assert_true(alive(NULL) == 64 * PAGE && said.weight == 68 * PAGE && said.ended == 1);
    assert_string_equal(said.operation, "mremap");
    p = lib->remap(p, 64 * PAGE, PAGE, MREMAP_MAYMOVE);
    drain();
    assert_true(alive(NULL) == PAGE);
    lib->unmap(p, 64 * PAGE); /* more than there is */
    drain();
    assert_true(alive(NULL) == 0);
    stop();
}

/* Nothing here may call malloc, which moves the end as well. */
static void test_nativemem__the_data_segment_grows_and_shrinks_by_bytes(void **state)
{
    (void)state;
    start(0, 1);
    char *p = lib->move(3000);
    assert_ptr_not_equal(p, MAP_FAILED);
    drain();
    assert_true(alive(NULL) == 3000);
    assert_string_equal(said.operation, "sbrk");
    assert_ptr_equal(lib->move(-1000), p + 3000);
    drain();
    assert_true(alive(NULL) == 2000 && said.ended == 0);
    assert_int_equal(lib->move_to(p + 5000), 0);
    drain();
    assert_true(alive(NULL) == 5000);
    assert_string_equal(said.operation, "brk");
    assert_ptr_equal(lib->move(0), p + 5000);
    assert_ptr_equal(lib->move(INTPTR_MAX), MAP_FAILED);
    lib->move_to((void *)(uintptr_t)64); /* below the segment: refused, whatever it answers */
    assert_ptr_equal(lib->move(0), p + 5000);
    drain();
    assert_true(alive(NULL) == 5000 && said.allocated == 2);
    assert_int_equal(lib->move_to(p), 0);
    drain();
    assert_true(alive(NULL) == 0 && said.ended == 2 && !wick_nativemem_ranges.used);
    stop();
}

/* --- threads --- */

static sem_t may_end;

static void *wait_to_end(void *arg)
{
    while (sem_wait(&may_end))
        ;
    return arg;
}

static void *exit_at_once(void *arg)
{
    pthread_exit(arg);
}

static pthread_t spawned(size_t stack, void *(*run)(void *))
{
    pthread_t t;
    pthread_attr_t a;
    pthread_attr_init(&a);
    assert_int_equal(pthread_attr_setstacksize(&a, stack), 0);
    assert_int_equal(lib->spawn(&t, &a, run, &may_end), 0);
    pthread_attr_destroy(&a);
    return t;
}

static void join(pthread_t t)
{
    void *answer;
    assert_int_equal(pthread_join(t, &answer), 0);
    assert_ptr_equal(answer, &may_end);
}

static void test_threads__a_stack_is_its_creators_until_the_thread_ends(void **state)
{
    enum { STACK = 300 << 10 };
    size_t usual;
    pthread_t t;
    pthread_attr_t a;
    (void)state;
    sem_init(&may_end, 0, 0);
    start(0, 1);
    t = spawned(STACK, wait_to_end);
    drain();
    assert_true(alive(NULL) == STACK && said.ended == 0);
    assert_string_equal(said.operation, "pthread_create");
    sem_post(&may_end);
    join(t);
    drain();
    assert_true(alive(NULL) == 0 && said.allocated == 1 && said.ended == 1);
    join(spawned(STACK, exit_at_once));
    drain();
    assert_true(alive(NULL) == 0 && said.allocated == 2 && said.ended == 2);
    pthread_attr_init(&a);
    pthread_attr_getstacksize(&a, &usual);
    assert_int_equal(lib->spawn(&t, NULL, wait_to_end, &may_end), 0);
    drain();
    assert_true(alive(NULL) == (double)usual);
    pthread_cancel(t);
    pthread_join(t, NULL);
    drain();
    assert_true(alive(NULL) == 0 && said.ended == 3);
    pthread_attr_destroy(&a);
    stop();
}

static void test_threads__neither_a_stack_of_the_programs_own_nor_a_thread_that_cannot_be_made_counts(void **state)
{
    enum { STACK = 1 << 20 };
    pthread_t t;
    pthread_attr_t a;
    void *own = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)state;
    assert_ptr_not_equal(own, MAP_FAILED);
    start(0, 1);
    pthread_attr_init(&a);
    assert_int_equal(pthread_attr_setstack(&a, own, STACK), 0);
    assert_int_equal(lib->spawn(&t, &a, exit_at_once, &may_end), 0);
    join(t);
    pthread_attr_destroy(&a);
    pthread_attr_init(&a);
    assert_int_equal(pthread_attr_setstacksize(&a, (size_t)1 << 50), 0);
    assert_int_not_equal(lib->spawn(&t, &a, exit_at_once, &may_end), 0);
    pthread_attr_destroy(&a);
    drain();
    assert_int_equal(said.allocated, 0);
    stop();
    munmap(own, STACK);
}

static void test_threads__may_outlive_recordings_and_begin_before_them(void **state)
{
    enum { STACK = 256 << 10 };
    (void)state;
    sem_init(&may_end, 0, 0);
    pthread_t before = spawned(STACK, wait_to_end);
    start(0, 1);
    pthread_t during = spawned(STACK, wait_to_end);
    drain();
    assert_true(alive(NULL) == STACK);
    stop();
    start(0, 2);
    pthread_t later = spawned(STACK, wait_to_end);
    for (int i = 0; i < 3; i++)
        sem_post(&may_end);
    join(before);
    join(during);
    join(later);
    drain();
    assert_true(said.allocated == 1 && said.ended == 1 && alive(NULL) == 0);
    stop();
}

/* Whichever comes first, the sample or the thread's end. */
static void test_threads__that_end_at_once_are_freed_once(void **state)
{
    enum { ROUNDS = 200, EACH = 5 };
    pthread_t t[EACH];
    (void)state;
    start(0, 1);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < EACH; i++)
            t[i] = spawned(PTHREAD_STACK_MIN + (128 << 10), exit_at_once);
        for (int i = 0; i < EACH; i++)
            join(t[i]);
        drain();
    }
    assert_true(said.allocated == ROUNDS * EACH && said.ended == ROUNDS * EACH && !engine.followed);
    assert_true(alive(NULL) == 0);
    stop();
}

/* --- by chance --- */

static const size_t sizes[] = {16, 24, 104, 1016, 4096, 32 << 10, 512 << 10};
enum { SIZES = sizeof sizes / sizeof *sizes, INTERVALS = 4, RUNS = SIZES * INTERVALS };

/* Sums of few samples are not normally distributed: a block of 16 bytes at 512 KiB is sampled once in 32,768 times, and
 * counts as 512 KiB then. Bernstein's inequality holds for any number of them; `most` is what one sample counts for.
 * The probability of a failure without a defect is below 2e-9. */
static void check(const char *what, int run, double truth, double estimate, double variance, double most)
{
    static const double log_of_chance = 20.7;
    double off = fabs(estimate - truth);
    if (off * off > 2 * log_of_chance * (variance + most * off / 3))
        fail_msg("run %d: %s: true %g, estimated %g, standard deviation %g", run, what, truth, estimate,
                 sqrt(variance));
}

/* Bytes allocated, and those of them that are not freed, over runs of one size each, and of all. */
static void test_nativemem__sums_are_right_at_any_size_and_interval(void **state)
{
    enum { KEPT = 1000 };
    static void *kept[KEPT];
    double truth = 0, estimate = 0, variance = 0, most = 0;
    (void)state;
    for (int run = 0; run < RUNS; run++) {
        size_t size = sizes[run % SIZES];
        double bytes = 0, left = 0, v;
        uint64_t interval = 1ull << (10 + run % INTERVALS * 3);
        int kinds = size > PAGE ? 200 : KEPT;
        start(interval, (uint64_t)run + 1);
        for (int i = 0; i < 4 * kinds; i++) {
            void **at = &kept[i % kinds];
            if (*at) {
                left -= (double)size;
                lib->give(*at);
            }
            *at = i % 3 ? lib->get(NATIVEMEM_MALLOC, NULL, size) : NULL;
            bytes += i % 3 ? (double)size : 0;
            left += i % 3 ? (double)size : 0;
            if (i % 512 == 0)
                drain();
        }
        drain();
        assert_int_equal(wick_nativemem_allocated(), (uint64_t)bytes);
        double p = -expm1(-(double)size / (double)interval), one = (double)size * (double)size * (1 - p) / p;
        check("allocated", run, bytes, said.weight, one * bytes / (double)size + 1, (double)size / p);
        double now = alive(&v);
        check("alive", run, left, now, one * left / (double)size + 1, (double)size / p);
        truth += bytes + left;
        estimate += said.weight + now;
        variance += 2 * one * (bytes + left) / (double)size;
        most = fmax(most, 2 * (double)size / p); /* a block may count as allocated and as alive */
        for (int i = 0; i < kinds; i++) {
            lib->give(kept[i]);
            kept[i] = NULL;
        }
        drain();
        assert_true(alive(NULL) == 0);
        stop();
    }
    check("all runs together", RUNS, truth, estimate, variance, most);
}

/* More blocks than there is room for: which are followed is left to chance, and what they stand for is right. */
static void test_nativemem__sums_stay_right_when_there_is_no_room_for_all(void **state)
{
    enum { BLOCKS = 60000 };
    static void *block[BLOCKS];
    (void)state;
    for (int run = 0; run < 2; run++) {
        double truth[2] = {0, 0}, sum[2] = {0, 0}, variance[2] = {0, 0}, most[2] = {0, 0};
        start(run % 2 ? 256 : 0, (uint64_t)run + 100);
        for (int i = 0; i < BLOCKS; i++) {
            size_t size = i % 2 ? 96 : i % 64 ? 480 : 8192;
            block[i] = lib->get(NATIVEMEM_MALLOC, NULL, size);
            truth[size > 1000] += (double)size;
            if (i % 1024 == 0) {
                drain();
                assert_true(wick_nativemem_sweep(&engine, &to_nobody));
            }
        }
        drain();
        assert_true(engine.followed <= WICK_NATIVEMEM_ALIVE + 1024 && engine.threshold > 0);
        for (uint32_t i = 1; i <= wick_nativemem_top(&engine); i++) {
            const struct wick_nativemem_block *b = wick_nativemem_alive(&engine, i);
            if (!b)
                continue;
            double w = (double)wick_nativemem_bytes(b);
            sum[b->size > 1000] += w;
            variance[b->size > 1000] += w * (w - (double)b->size);
            most[b->size > 1000] = fmax(most[b->size > 1000], w);
        }
        check("small blocks", run, truth[0], sum[0], variance[0], most[0]);
        check("large blocks", run, truth[1], sum[1], variance[1] + 1, most[1]);
        for (int i = 0; i < BLOCKS; i++)
            lib->give(block[i]);
        drain();
        assert_true(alive(NULL) == 0 && !engine.followed);
        uint64_t high = engine.threshold;
        assert_true(wick_nativemem_sweep(&engine, &to_nobody));
        assert_int_equal(engine.threshold, high / 2);
        assert_int_equal(recorder.missed[WICK_EVENT_NATIVE_MEMORY][WICK_DROP_NOTES_FULL], 0);
        stop();
    }
}

static void test_nativemem__the_interval_grows_with_the_rate_and_sums_stay_right(void **state)
{
    const struct wick_nativemem_config c = {.interval = 1 << 10, .rate = 500, .seed = 3};
    double bytes = 0;
    (void)state;
    memset(&said, 0, sizeof said);
    atomic_store(&recorder.running, 1);
    assert_int_equal(wick_nativemem_start(&engine, &c, &recorder, &threads, NULL), 0);
    assert_int_equal(wick_nativemem_hooks_on(NULL), 0);
    uint64_t now = engine.rate.since_ns;
    for (int tick = 0; tick < 100; tick++, now += 100000000) {
        for (int i = 0; i < 1000; i++, bytes += 4096)
            lib->give(lib->get(NATIVEMEM_MALLOC, NULL, 4096));
        drain();
        wick_nativemem_adjust(&engine, now);
    }
    assert_true(engine.interval > 32 << 10 && engine.changes > 3);
    check("allocated", 0, bytes, said.weight, said.variance, said.most);
    for (int tick = 0; tick < 200; tick++, now += 100000000)
        wick_nativemem_adjust(&engine, now);
    assert_int_equal(engine.interval, 1 << 10);
    uint64_t before = said.allocated; /* nobody waits for what was drawn with the long interval */
    for (int i = 0; i < 200; i++)
        lib->give(lib->get(NATIVEMEM_MALLOC, NULL, 4096));
    drain();
    assert_true(said.allocated - before > 150);
    stop();
}

/* --- many at once --- */

static _Atomic bool leave;
static _Atomic(void *) handed[64];
static _Atomic uint64_t churned;

/* Blocks go from thread to thread. */
static void *churn(void *arg)
{
    uint64_t random = (uint64_t)(uintptr_t)arg, bytes = 0;
    while (!atomic_load(&leave)) {
        size_t size = 16 + 8 * wick_random_below(&random, 200);
        void *p = lib->get(NATIVEMEM_MALLOC, NULL, size);
        bytes += size;
        if (wick_random_below(&random, 4) == 0) {
            p = lib->get(NATIVEMEM_REALLOC, p, 2 * size);
            bytes += 2 * size;
        }
        lib->give(atomic_exchange(&handed[wick_random_below(&random, 64)], p));
        if (wick_random_below(&random, 64) == 0) {
            char *m = lib->get(NATIVEMEM_MMAP, NULL, 4 * PAGE);
            lib->get(NATIVEMEM_RESERVE, m + PAGE, PAGE); /* not a hole: other threads' memory would come into it */
            lib->unmap(m, 4 * PAGE);
            bytes += 4 * PAGE;
        }
    }
    atomic_fetch_add(&churned, bytes);
    return NULL;
}

static void run_threads(void (*disturb)(void))
{
    pthread_t t[THREADS];
    atomic_store(&leave, false);
    atomic_store(&churned, 0);
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&t[i], NULL, churn, (void *)(i + 1)), 0);
    disturb();
    atomic_store(&leave, true);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < 64; i++)
        lib->give(atomic_exchange(&handed[i], NULL));
}

/* At least so long, and until there is enough: on a crowded machine the threads run little. */
static void drain_for_a_while(void)
{
    for (uint64_t end = wick_clock_mono_ns() + 200000000; wick_clock_mono_ns() < end || said.allocated <= 100;) {
        drain();
        wick_nativemem_sweep(&engine, &to_nobody);
        sched_yield();
    }
}

static void test_nativemem__what_threads_hand_to_each_other_is_matched(void **state)
{
    static const uint64_t intervals[] = {0, 512, 64 << 10};
    (void)state;
    for (size_t i = 0; i < sizeof intervals / sizeof *intervals; i++) {
        start(intervals[i], i + 5);
        run_threads(drain_for_a_while);
        drain();
        assert_int_equal(said.allocated, said.ended);
        assert_true(alive(NULL) == 0 && !engine.followed && !wick_nativemem_ranges.used);
        assert_int_equal(wick_nativemem_allocated(), atomic_load(&churned));
        for (size_t k = 0; k < sizeof wick_nativemem_table.filter; k++)
            assert_int_equal(wick_nativemem_table.filter[k], 0);
        stop();
    }
}

static void begin_and_end(void)
{
    for (int i = 0; i < 20; i++) {
        start(i % 2 ? 0 : 256, (uint64_t)i + 1);
        for (int k = 0; k < 5; k++) {
            drain();
            usleep(500);
        }
        stop();
    }
}

static void test_nativemem__recordings_begin_and_end_while_threads_are_inside(void **state)
{
    (void)state;
    run_threads(begin_and_end);
    assert_int_equal(wick_nativemem_gate.lost, 0);
}

static void allocate_in_handler(int number)
{
    (void)number;
    lib->give(lib->get(NATIVEMEM_MMAP, NULL, 0)); /* fails, and is nothing */
    void *p = lib->get(NATIVEMEM_MMAP, NULL, PAGE);
    lib->unmap(p, PAGE);
}

static void interrupt(void)
{
    for (int i = 0; i < 200; i++) {
        kill(getpid(), SIGUSR1);
        drain();
        usleep(200);
    }
}

/* What is not allowed in handlers is left out: the true functions, not ours, would not stand it. */
static void test_nativemem__handlers_may_allocate(void **state)
{
    (void)state;
    signal(SIGUSR1, allocate_in_handler);
    start(0, 1);
    run_threads(interrupt);
    drain();
    assert_true(alive(NULL) == 0);
    assert_int_equal(said.allocated, said.ended);
    stop();
    signal(SIGUSR1, SIG_DFL);
}

static void test_nativemem__a_child_samples_nothing_and_one_of_vfork_frees(void **state)
{
    int status;
    (void)state;
    start(0, 1);
    void *p = lib->get(NATIVEMEM_MALLOC, NULL, 64);
    drain();
    pid_t child = fork();
    if (!child) {
        for (int i = 0; i < 1000; i++)
            lib->give(lib->get(NATIVEMEM_MALLOC, NULL, 64));
        lib->give(p);
        _exit(engine.samples == 1 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    drain();
    assert_true(said.allocated == 1 && alive(NULL) == 64);
    lib->give(p);
    drain();
    assert_true(alive(NULL) == 0);
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nativemem__each_function_counts_what_was_asked_for),
        cmocka_unit_test(test_nativemem__what_realloc_cannot_do_leaves_the_block_as_it_was),
        cmocka_unit_test(test_nativemem__a_block_may_be_freed_before_its_event_is_written),
        cmocka_unit_test(test_nativemem__an_event_that_is_lost_takes_its_block_with_it),
        cmocka_unit_test(test_nativemem__a_block_that_was_freed_unseen_goes_when_its_address_comes_again),
        cmocka_unit_test(test_nativemem__mappings_go_in_parts),
        cmocka_unit_test(test_nativemem__a_mapping_that_is_moved_comes_anew),
        cmocka_unit_test(test_nativemem__the_data_segment_grows_and_shrinks_by_bytes),
        cmocka_unit_test(test_threads__a_stack_is_its_creators_until_the_thread_ends),
        cmocka_unit_test(test_threads__neither_a_stack_of_the_programs_own_nor_a_thread_that_cannot_be_made_counts),
        cmocka_unit_test(test_threads__may_outlive_recordings_and_begin_before_them),
        cmocka_unit_test(test_threads__that_end_at_once_are_freed_once),
        cmocka_unit_test(test_nativemem__sums_are_right_at_any_size_and_interval),
        cmocka_unit_test(test_nativemem__sums_stay_right_when_there_is_no_room_for_all),
        cmocka_unit_test(test_nativemem__the_interval_grows_with_the_rate_and_sums_stay_right),
        cmocka_unit_test(test_nativemem__what_threads_hand_to_each_other_is_matched),
        cmocka_unit_test(test_nativemem__recordings_begin_and_end_while_threads_are_inside),
        cmocka_unit_test(test_nativemem__handlers_may_allocate),
        cmocka_unit_test(test_nativemem__a_child_samples_nothing_and_one_of_vfork_frees),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
