/* SPDX-License-Identifier: Apache-2.0 */
/* Each rule of `wick explain` fires at its threshold and is silent below, in recordings written by wick's own writer.
 *
 * A scene says how ten seconds of a service went; the default one is a busy service without troubles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/explain/explain_text.h"
#include "cli/input/inputs.h"
#include "explain_scene.h"

static const struct scene healthy = {.got = 10000,
                                     .collector = 500,
                                     .sampled = 10000,
                                     .hot = 1000,
                                     .run = 8000,
                                     .sleep = 1000,
                                     .periods = 100,
                                     .fired = 1000,
                                     .others = 0.05f,
                                     .rss = 500 << 20,
                                     .limit = 1 << 30};
static const struct scene idle = {.got = 100,
                                  .delay = 300,
                                  .sampled = 100,
                                  .hot = 100,
                                  .periods = 100,
                                  .throttled = 50,
                                  .sync = 900,
                                  .late = 500,
                                  .memory_full = 2000,
                                  .biased = 100,
                                  .unsampled = 100,
                                  .fired = 10,
                                  .dropped = 10,
                                  .others = 1,
                                  .steal = 0.5f,
                                  .collector = 90};

/* What the rules find in a scene, as text: "rule: sentence" lines. The caller frees it. */
static char *explained_files(const struct scene *s, int n)
{
    struct wick_strbuf out = WICK_STRBUF_INIT;
    struct wick_explain_findings all;
    struct wick_explain_facts f;
    struct wick_profile p;
    struct wick_err err = {0};
    char path[64], *const paths[] = {path, path};
    int fd = explain_scene_record(s);
    assert_true(fd >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert_int_equal(wick_profile_init(&p), 0);
    if (wick_explain_read(&f, &p, paths, n, NULL, wick_cli_read_events, &err) || wick_explain_apply(&all, &f, &err))
        fail_msg("%s", err.msg);
    for (size_t i = 0; i < all.n; i++) {
        wick_strbuf_addf(&out, "%s: ", all.rows[i].rule->name);
        wick_explain_text_sentence(&out, &all.rows[i]);
        wick_strbuf_addc(&out, '\n');
    }
    wick_explain_findings_release(&all);
    wick_explain_release(&f);
    wick_profile_release(&p);
    close(fd);
    return wick_strbuf_take(&out);
}

static char *explained(const struct scene *s)
{
    return explained_files(s, 1);
}

static char *explained_by(struct scene s)
{
    return explained(&s);
}

static void silent(struct scene s)
{
    char *text = explained(&s);
    assert_string_equal(text, "");
    free(text);
}

static void says(struct scene s, const char *line)
{
    char *text = explained(&s);
    if (!strstr(text, line))
        fail_msg("no \"%s\" in:\n%s", line, text);
    free(text);
}

/* The healthy scene with changes. */
#define SCENE(...)                \
    ({                            \
        struct scene s = healthy; \
        struct scene *c = &s;     \
        (void)(__VA_ARGS__);      \
        s;                        \
    })

static void test_healthy__nothing_stands_out(void **state)
{
    silent(healthy);
}

static void test_idle__nothing_stands_out_whatever_the_machine_suffers(void **state)
{
    silent(idle);
}

/* Samples weigh ten seconds, and the spans say that it was nine. */
static void test_endpoints__have_the_time_that_their_spans_say(void **state)
{
    says(SCENE(c->run = 5000, c->sleep = 0, c->stall = 5000, c->in_spans = 9000),
         "allocation-stall: GET /x: p99 900 ms; 50 % of its wall time (4.5 s) is in allocation stalls ");
}

static void test_allocation_stalls__by_the_endpoint_of_spans(void **state)
{
    silent(SCENE(c->run = 9600, c->sleep = 0, c->stall = 400));
    says(SCENE(c->run = 5000, c->sleep = 0, c->stall = 5000),
         "allocation-stall: GET /x: p99 900 ms; 50 % of its wall time (5.0 s) is in allocation stalls "
         "(ZPageAllocator::alloc_page_stall under java.nio.ByteBuffer.allocate:9): the collector frees memory later "
         "than it is needed (at most 1 GiB)\n");
    says(SCENE(c->run = 9400, c->sleep = 0, c->stall = 600), "allocation-stall: GET /x");
}

static void test_allocation_stalls__by_the_endpoint_of_cpu_samples(void **state)
{
    silent(SCENE(c->pool_run = 9600, c->pool_stall = 400));
    says(SCENE(c->pool_run = 7500, c->pool_stall = 2500), "allocation-stall: GET /pool: 25 % of its wall time (2.5 s)");
}

static void test_cpu_starvation__compares_runnable_time(void **state)
{
    silent(SCENE(c->got = 20000, c->collector = 0, c->delay = 4900));
    says(SCENE(c->got = 20000, c->collector = 0, c->delay = 51000),
         "cpu-starvation: threads wait for a CPU 72 % of the time in which they could run (51.0 s): 7.1 could run on "
         "average, and 2 had a CPU\n");
    says(SCENE(c->got = 20000, c->collector = 0, c->delay = 51000, c->run = 2000, c->queue = 6000, c->sleep = 2000),
         "could run (51.0 s), GET /x 60 % of its wall time: 7.1 could run on average");
    /* a quarter of a thread is no starvation, nor are threads that need a CPU now and then */
    silent(SCENE(c->got = 4000, c->collector = 0, c->delay = 2400, c->others = 1.0f));
    silent(SCENE(c->got = 1000, c->collector = 0, c->delay = 3900, c->others = 1.0f));
}

static void test_neighbours__need_both_busy_processors_and_starvation(void **state)
{
    silent(SCENE(c->others = 1.0f, c->named = 9000));
    says(SCENE(c->delay = 5000, c->others = 0.5f), "neighbours: other processes use 2 CPUs of the 4 that this one may "
                                                   "run on, while threads here wait for one (5.0 "
                                                   "s) (an estimate)\n");
    char *text = explained_by(SCENE(c->delay = 5000, c->others = 0.2f));
    assert_null(strstr(text, "neighbours"));
    free(text);
}

static void test_neighbours__are_named(void **state)
{
    says(SCENE(c->delay = 5000, c->others = 0.5f, c->named = 15000),
         "wait for one (5.0 s); most: cc1 (pid 77, 1.50 CPUs), java app.Other (several, 0.02 CPUs) (an estimate)\n");
}

static void test_neighbours__are_not_blamed_for_the_cpu_limit(void **state)
{
    char *text = explained_by(SCENE(c->delay = 6000, c->others = 0.5f, c->throttled = 50));
    assert_null(strstr(text, "neighbours"));
    assert_non_null(strstr(text, "cpu-limit"));
    free(text);
    says(SCENE(c->delay = 9000, c->others = 0.5f, c->throttled = 50),
         "neighbours: other processes use 2 CPUs of the 4 that this one may run on, while threads here wait for one "
         "(4.5 s) (an estimate)\n");
}

static void test_cpu_limit__counts_throttled_periods(void **state)
{
    silent(SCENE(c->throttled = 9));
    says(SCENE(c->throttled = 10),
         "cpu-limit: the CPU limit of 2 CPUs stopped the cgroup in 10 % of its periods, 500 ms in all\n");
}

static void test_hot_method__names_method_and_caller(void **state)
{
    silent(SCENE(c->hot = 3900));
    silent(SCENE(c->got = 2000, c->collector = 0, c->sampled = 450, c->hot = 450, c->fired = 0)); /* hardly any time */
    says(SCENE(c->got = 2000, c->delay = 8000, c->collector = 0, c->sampled = 450, c->hot = 450, c->fired = 0),
         "hot-method: 100 %"); /* crowding leaves little */
    says(SCENE(c->hot = 4100),
         "hot-method: 41 % (24 to 60 %) of CPU time (4.1 s) is in app.Main.hot:7, called by app.Main.run:11\n");
}

static void test_own_work__is_seen_by_no_rule(void **state)
{
    silent(SCENE(c->own = 20000));
    says(SCENE(c->hot = 4100, c->own = 20000),
         "hot-method: 41 % (24 to 60 %) of CPU time (4.1 s) is in app.Main.hot:7, called by app.Main.run:11\n");
}

static void test_lock_contention__counts_only_time_with_work(void **state)
{
    silent(SCENE(c->monitor = 800, c->sleep = 3000));
    says(SCENE(c->run = 8500, c->sleep = 0, c->monitor = 1500),
         "lock-contention: threads wait for monitors 15 % of the time they "
         "have work (1.5 s), most at app.Main.enter:7 (1.5 s)\n");
    /* from a fifth of the time at one place on, that is named instead */
    char *text = explained_by(SCENE(c->run = 7500, c->sleep = 0, c->monitor = 2500));
    assert_non_null(strstr(text,
                           "waiting: 25 % of the time that threads have work (2.5 s) is waiting for a monitor, at "
                           "app.Main.enter:7\n"));
    assert_null(strstr(text, "lock-contention"));
    free(text);
}

static void test_endpoint_wait__names_the_kind_of_waiting(void **state)
{
    silent(SCENE(c->run = 6000, c->sleep = 5500));
    says(SCENE(c->run = 4000, c->sleep = 6000), "endpoint-wait: GET /x: p99 900 ms; 60 % of its wall time (6.0 s) is "
                                                "waiting for a timer (Thread.sleep), most at app.Main.nap:7");
}

static void test_unmounted_wait__is_the_rest_of_the_time_of_virtual_threads(void **state)
{
    silent(SCENE(c->sleep = 0, c->carrier = 6000, c->virtual_requests = 9000)); /* a third waits */
    char *text = explained_by(SCENE(c->sleep = 0, c->carrier = 1000, c->virtual_requests = 9000));
    assert_non_null(strstr(text,
                           "unmounted-wait: GET /v: p99 9.0 s; 89 % of its time (8.0 s) its virtual threads are not "
                           "mounted: they wait, for something or for a carrier, and no sample shows for what\n"));
    free(text);
    /* what their carriers do for others is not theirs */
    text = explained_by(SCENE(c->sleep = 0, c->carrier_idle = 9000, c->virtual_requests = 9000));
    assert_non_null(strstr(text, "unmounted-wait: GET /v: p99 9.0 s; 100 % of its time (9.0 s)"));
    assert_null(strstr(text, "endpoint-wait"));
    free(text);
}

static void test_waiting__counts_virtual_threads_that_are_on_no_carrier(void **state)
{
    char *text = explained_by(SCENE(c->sleep = 0, c->carrier = 1000, c->unmounted = 8000, c->virtual_requests = 9000));
    assert_non_null(strstr(text, "waiting: 47 % of the time that threads have work (8.0 s) is waiting for a monitor, "
                                 "at app.Main.enter:7\n"));
    assert_null(strstr(text, "unmounted-wait"));
    assert_null(strstr(text, "stuck:")); /* they are many, though all wait at one place */
    free(text);
    says(SCENE(c->sleep = 0, c->carrier = 1000, c->no_carrier = 8000, c->virtual_requests = 9000),
         "(8.0 s) is waiting for a free carrier thread, at app.Main.");
}

/* As of a thread whose id another one has by the time that it is read. */
static void test_cpu_time__that_does_not_fit_is_none(void **state)
{
    (void)state;
    silent(SCENE(c->wrapped = true));
}

static void test_gc__pauses_and_cpu_time(void **state)
{
    silent(SCENE(c->pauses = 950));
    says(SCENE(c->pauses = 1100),
         "gc-pauses: 1 collection stopped the JVM for 11 % of the time (1.1 s, the longest 1.1 s), "
         "most for Allocation Failure; 900 MiB were in use after a collection, of 1 GiB at most\n");
    says(SCENE(c->pauses = 6000, c->nested = 5900, c->beyond = 6000),
         "gc-pauses: 3 collections stopped the JVM for 70 % of the time (7.0 s, the longest 6.0 s)");
    says(SCENE(c->beyond = 8000, c->pauses = 500),
         "gc-pauses: 2 collections stopped the JVM for 15 % of the time (1.5 s, the longest 1.0 s)");
    silent(SCENE(c->collector = 2400));
    says(SCENE(c->collector = 2600), "gc-cpu: threads of the collector use 26 % of the CPU time (2.6 s)\n");
}

static void test_a_notification__without_a_weight_weighs_what_it_lasted(void **state)
{
    struct wick_explain_facts f;
    struct wick_profile p;
    struct wick_err err = {0};
    char path[64], *const paths[] = {path};
    int fd = explain_scene_record(&(struct scene){.notified = 70});
    (void)state;
    assert_true(fd >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert_int_equal(wick_profile_init(&p), 0);
    assert_int_equal(wick_explain_read(&f, &p, paths, 1, NULL, wick_cli_read_events, &err), 0);
    assert_int_equal(f.nnotices, 1);
    assert_int_equal(f.notices[0].weight_ns, 70000000);
    wick_explain_release(&f);
    wick_profile_release(&p);
    close(fd);
}

static void test_safepoints__slow_threads_and_slow_safepoints(void **state)
{
    silent(SCENE(c->late = 90));
    says(SCENE(c->late = 200),
         "late-safepoints: 1 safepoint was slow to be reached, 200 ms in all, the longest after 200 "
         "ms; most by worker: compiled code "
         "without a safepoint poll, at app.Main.loop:7 from app.Main.run:11\n");
    /* what a lack of CPUs adds is no fault of the code: part of the time, or the reason for all of it */
    says(SCENE(c->late = 400, c->late_delay = 100),
         "late-safepoints: 1 safepoint was slow to be reached, 300 ms in all, the longest after 400 "
         "ms; most by worker: compiled code "
         "without a safepoint poll, at app.Main.loop:7 from app.Main.run:11\n");
    says(SCENE(c->late = 400, c->late_delay = 100),
         "starved-safepoints: 1 safepoint was slow to be reached because threads had no CPU to get there, 100 ms in "
         "all, the longest after 400 ms; most by worker\n");
    says(SCENE(c->late = 200, c->late_delay = 110),
         "starved-safepoints: 1 safepoint was slow to be reached because threads had no CPU to get there, 200 ms in "
         "all, the longest after 200 ms; most by worker\n");
    says(
        SCENE(c->late = 400, c->late_delay = 250),
        "late-safepoints: 1 safepoint was slow to be reached, 150 ms in all, the longest after 400 ms; most by worker: "
        "it ran for long without reaching one, at app.Main.loop:7 from app.Main.run:11\n");
    /* three for one reason weigh more than the longest, which is the only one for its reason */
    says(SCENE(c->late = 110, c->stalls = 3),
         "late-safepoints: 4 safepoints were slow to be reached, 290 ms in all, the longest after 110 ms; most by "
         "worker: in the JVM's own code, at ZPageAllocator::alloc_page_stall from app.Main.run:11\n");
    says(SCENE(c->late = 110, c->stalls = 1),
         "the longest after 110 ms; most by worker: compiled code without a safepoint poll, at app.Main.loop:7");
    silent(SCENE(c->sync = 480));
    says(SCENE(c->sync = 520), "slow-safepoints: 50 safepoints took 520 ms to be reached, 5.2 % of the time\n");
}

static void test_compilers__queues_deoptimisations_and_room_for_code(void **state)
{
    silent(SCENE(c->waiting = 90));
    says(SCENE(c->waiting = 150),
         "compile-queue: 150 methods waited for C2 on average, 200 at most: until then they run in slower "
         "code; the longest compilation, of app.Main.hot, took 700 ms (an estimate)\n");
    char *text = explained_by(SCENE(c->waiting = 150, c->got = 4000, c->delay = 8000)); /* all lack a CPU */
    assert_non_null(strstr(text, "cpu-starvation"));
    assert_null(strstr(text, "compile-queue"));
    free(text);
    silent(SCENE(c->deopts = 190));
    silent(SCENE(c->deopts = 300, c->warm = 290)); /* it warmed up */
    says(SCENE(c->deopts = 300), "deoptimisations: 300 deoptimisations, 30 a second: compiled code was thrown away or "
                                 "left for the interpreter, 75 % of them for class_check, and recompiled: 1.5 s of "
                                 "compiling\n");
    silent(SCENE(c->code = 0.9f));
    says(SCENE(c->code = 0.96f), "code-cache: the code cache is 96 % full (32 MiB of 64 MiB): what is not compiled");
    says(SCENE(c->code = 0.5f, c->compiler_off = 2000),
         "code-cache: the code cache is 50 % full (32 MiB of 64 MiB); the compiler was switched off for 2.0 s: what");
}

static void test_classes__unloading_is_known_by_its_rate(void **state)
{
    silent(SCENE(c->unloaded = 90));
    says(SCENE(c->unloaded = 150),
         "class-unloading: 150 classes were unloaded, 15 a second, and 150 loaded: collections");
}

static void test_vm_operations__are_reported_but_for_collections(void **state)
{
    silent(SCENE(c->operation = 450));
    says(SCENE(c->operation = 600),
         "vm-operations: the VM thread was at ThreadDump for 6.0 % of the time (about 600 ms)");
}

/* Figures that a damaged recording can hold: the sanitizer says whether a sum overflows. */
static void test_explain__sums_of_hostile_figures_do_not_overflow(void **state)
{
    const unsigned most = UINT32_MAX;
    free(explained_by(SCENE(c->got = most, c->delay = most, c->hot = most, c->run = most, c->monitor = most,
                            c->throttled = most, c->pauses = most, c->sync = most, c->late = most)));
    free(explained_by((struct scene){.huge = true}));
}

static void test_memory__limit_and_pressure(void **state)
{
    silent(SCENE(c->rss = 910ull << 20));
    says(SCENE(c->rss = 960ull << 20),
         "memory-limit: resident memory reached 960 MiB, 94 % of the cgroup's limit of 1 GiB\n");
    says(SCENE(c->kills = 2), "of 1 GiB; the OOM killer ended 2 processes\n");
    silent(SCENE(c->rss = 960ull << 20, c->limit = 0));
    silent(SCENE(c->memory_full = 480));
    says(SCENE(c->memory_full = 520), "memory-pressure: all tasks waited for memory 5.2 % of the time (520 ms)\n");
}

static void test_out_of_memory__of_threads_names_who_makes_them(void **state)
{
    says(SCENE(c->unstarted = 3), "out-of-memory: OutOfMemoryError: unable to create native thread, 3 times, first in "
                                  "thread pool; most threads are made in app.Main.run:11\n");
}

/* Not of one that was not seen before, or went on. */
static void test_out_of_memory__says_that_its_thread_has_ended(void **state)
{
    (void)state;
    says(SCENE(c->dies = true, c->pool_run = 100),
         "out-of-memory: OutOfMemoryError: Java heap space, first in thread pool, which has ended since, so that "
         "nothing does its work any more");
    /* nor only of the first kind of error; before one that was survived */
    struct scene both = SCENE(c->dies = true, c->pool_run = 100, c->unstarted = 1);
    char *text = explained(&both);
    const char *ended = strstr(text, "Java heap space, first in thread pool, which has ended since, so that nothing");
    const char *survived = strstr(text, "native thread");
    assert_true(ended && survived && ended < survived);
    free(text);
    says(SCENE(c->dies = true), "out-of-memory: OutOfMemoryError: Java heap space, first in thread pool, of ");
    says(SCENE(c->dies = c->idles = true, c->pool_run = 100), "Java heap space, first in thread pool, of ");
    says(SCENE(c->unstarted = 1, c->pool_run = 100), "native thread, first in thread pool; most");
}

/* A deadlock that arose during the recording; before, its threads had work. */
static void test_stuck__is_a_deadlock_that_was_recorded(void **state)
{
    (void)state;
    silent(SCENE(c->searched = true));
    says(SCENE(c->deadlock = 2, c->run = 5000, c->monitor = 900),
         "stuck: 2 threads waited for a lock to the end: pool, worker at app.Main.enter:7: a deadlock, as found while "
         "it was recorded: worker waits for a monitor that pool holds, pool waits for a app.Lock that worker holds\n");
}

static void test_direct_memory__is_near_its_limit(void **state)
{
    silent(SCENE(c->direct = 94));
    says(SCENE(c->direct = 95),
         "direct-memory: direct buffers used 95 MiB of 100 MiB at most: one that does not fit any "
         "more fails with OutOfMemoryError (direct buffer memory); there are 5 of them\n");
}

static void test_slow_accept__is_about_the_socket_with_the_longest_queue(void **state)
{
    says(SCENE(c->queued = 3, c->queue_moves = true),
         "slow-accept: 3.5 connections on average wait at 127.0.0.1:8080 to be accepted, 4 at most, of a backlog of "
         "50\n");
    says(SCENE(c->queued = 3, c->queue_moves = false), "slow-accept: 3 connections on average wait at 127.0.0.1:8080");
    silent(SCENE(c->queued = 0, c->queue_moves = true));
}

static void test_humongous__allocations_are_named_by_class_and_place(void **state)
{
    silent(SCENE(c->humongous = 1));
    silent(SCENE(c->humongous = 2)); /* a fifth, but only two */
    says(SCENE(c->humongous = 4),
         "humongous-allocation: 4 of 10 collections were for humongous allocations, objects of half a "
         "region or more; most are byte[] of 3 MiB, from app.Main.hot:7");
}

static void test_promotion__of_what_dies_soon(void **state)
{
    silent(SCENE(c->promoted = 1, c->pauses = 600)); /* that one falls as well: two */
    silent(SCENE(c->promoted = 3, c->pauses = 400)); /* they cost little */
    says(SCENE(c->promoted = 3, c->pauses = 600),
         "promotion: 4 collections of the old generation found 56 % of what was in use dead (375 MiB each)");
    /* of classes that come and go, another rule says more */
    char *text = explained_by(SCENE(c->promoted = 3, c->pauses = 600, c->unloaded = 150));
    assert_null(strstr(text, "promotion: "));
    assert_non_null(strstr(text, "class-unloading: "));
    free(text);
}

static void test_oversized_heap__is_a_multiple_of_what_is_in_use(void **state)
{
    silent(SCENE(c->heap = 900, c->in_use = 120));
    silent(SCENE(c->heap = 200, c->in_use = 10));                 /* not worth a sentence */
    silent(SCENE(c->heap = 900));                                 /* no collections */
    silent(SCENE(c->heap = 900, c->in_use = 5, c->pauses = 200)); /* a smaller one would be collected all the time */
    says(SCENE(c->heap = 900, c->in_use = 50),
         "oversized-heap: 900 MiB of the heap are resident, of 2 GiB at most, but at most 50 MiB were in use after 4 "
         "collections, which took 4.0 ms in all");
}

static void test_cleaners__are_behind_if_they_never_wait(void **state)
{
    silent(SCENE(c->finalizing = 7000));
    silent(SCENE(c->finalizing = 300, c->unread = 60000)); /* what it did then is not known */
    says(SCENE(c->finalizing = 9500),
         "cleaners-behind: the thread Finalizer is busy 95 % of the time, most at app.Main.hot:7");
}

static void test_disk_wait__counts_only_time_with_work(void **state)
{
    silent(SCENE(c->run = 9200, c->disk = 800));
    says(SCENE(c->run = 7000, c->sleep = 0, c->disk = 3000),
         "disk-wait: threads wait for a disk 30 % of the time they have work (3.0 s)");
}

static void test_steal__is_a_share_of_the_machine(void **state)
{
    silent(SCENE(c->steal = 0.04f));
    says(SCENE(c->steal = 0.08f), "steal: the hypervisor gave 8.0 % of the machine's CPU time to other guests\n");
}

static void test_cautions__stand_last(void **state)
{
    silent(SCENE(c->biased = 2900, c->unsampled = 1000, c->dropped = 49));
    says(SCENE(c->biased = 3100), "biased-profile: caution: 31 % of the samples' CPU time");
    says(SCENE(c->unsampled = 1200), "unsampled-cpu: caution: no sample stands for 11 % of the CPU time (1.2 s)\n");
    says(SCENE(c->dropped = 51), "lost-samples: caution: 5.1 % of the samples (51) were lost\n");
    char *text = explained_by(SCENE(c->dropped = 900, c->throttled = 10));
    assert_true(strstr(text, "cpu-limit") < strstr(text, "lost-samples"));
    free(text);
}

/* A sample stands for the time before it, so what none stands for yet grows and falls all the time. */
static void test_unsampled__is_no_counter_and_of_one_unit(void **state)
{
    silent(SCENE(c->unsampled_once = 2500));
    silent(SCENE(c->unsampled_once = 2500, c->unsampled = 1000));
    says(SCENE(c->unsampled_once = 2500, c->unsampled = 1200), "no sample stands for 11 % of the CPU time (1.2 s)");
    silent(SCENE(c->sampled = 0, c->hot = 0, c->unsampled = 10000)); /* of the wall clock only */
}

/* Totals of a recording's next file include those of the one before. */
static void test_totals__go_on_in_the_next_file_of_a_recording(void **state)
{
    const struct scene part = SCENE(c->unsampled = 1200, c->part = true),
                       whole = SCENE(c->unsampled = 1200, c->part = false);
    char *one = explained_files(&part, 2), *two = explained_files(&whole, 2);
    assert_null(strstr(one, "unsampled-cpu"));
    assert_non_null(strstr(two, "no sample stands for 11 % of the CPU time (2.4 s)"));
    free(one);
    free(two);
}

/* A fault of the JVM comes before what only says where time goes, if it costs a good part of that. */
static void test_findings__stand_in_the_order_of_what_they_cost(void **state)
{
    for (int much = 0; much < 2; much++) {
        char *text = explained_by(SCENE(c->hot = 5000, c->delay = 8000, c->run = 9000, c->stall = much ? 1000 : 590));
        const char *starved = strstr(text, "cpu-starvation"), *hot = strstr(text, "hot-method"),
                   *stall = strstr(text, "allocation-stall");
        assert_true(starved && hot && stall && starved < hot && starved < stall);
        assert_int_equal(stall < hot, much);
        free(text);
    }
}

static uint32_t frame_of(struct wick_profile *p, uint32_t below, const char *class, const char *name,
                         enum wick_frame_kind kind)
{
    uint32_t function = wick_profile_function(p, wick_profile_cstring(p, class), wick_profile_cstring(p, name), 0);
    return wick_profile_push(p, below, wick_profile_frame(p, function, 0, -1, kind));
}

/* Native memory: what two stacks hold at the first moment and at the last, in MiB and in so many samples of blocks of
 * 64 KiB; with a reading each second between, which come and go or rise. */
static char *explained_native(const int64_t (*held)[2], int64_t samples, bool rises)
{
    enum { SECONDS = 30, MIB = 1 << 20 };
    struct wick_strbuf out = WICK_STRBUF_INIT;
    struct wick_explain_native rows[2][2];
    struct wick_trend_point points[SECONDS];
    struct wick_explain_findings all;
    struct wick_profile p;
    struct wick_err err = {0};
    assert_int_equal(wick_profile_init(&p), 0);
    uint32_t java = frame_of(&p, 0, "app/Main", "run", WICK_FRAME_C2);
    const uint32_t stack[2] = {frame_of(&p, frame_of(&p, java, "app/Cache", "put", WICK_FRAME_C2), "libapp.so",
                                        "cache_put", WICK_FRAME_NATIVE),
                               frame_of(&p, java, "libapp.so", "other", WICK_FRAME_NATIVE)};
    for (int moment = 0; moment < 2; moment++)
        for (int k = 0; k < 2; k++)
            rows[moment][k] = (struct wick_explain_native){
                .stack = stack[k], .bytes = held[k][moment] * MIB, .samples = samples, .blocks = held[k][moment] * 16};
    double from = (double)(held[0][0] + held[1][0]), to = (double)(held[0][1] + held[1][1]);
    for (int i = 0; i < SECONDS; i++)
        points[i] = (struct wick_trend_point){i, MIB * (rises ? from + (to - from) * i / SECONDS : i % 2 ? from : to)};
    struct wick_explain_facts f = {.p = &p,
                                   .duration_ns = SECONDS * 1000000000ll,
                                   .kills_since = -1,
                                   .native = points,
                                   .nnative = SECONDS,
                                   .native_first = {1, rows[0], 2, 2},
                                   .native_last = {2, rows[1], 2, 2}};
    assert_int_equal(wick_explain_apply(&all, &f, &err), 0);
    for (size_t i = 0; i < all.n; i++) {
        wick_strbuf_addf(&out, "%s: ", all.rows[i].rule->name);
        wick_explain_text_sentence(&out, &all.rows[i]);
    }
    wick_strbuf_adds(&out, "\n");
    wick_explain_findings_release(&all);
    wick_profile_release(&p);
    return wick_strbuf_take(&out);
}

static void test_native_leak__names_the_stack_that_holds_the_growth(void **state)
{
    static const int64_t grows[][2] = {{10, 60}, {200, 205}}, little[][2] = {{10, 14}, {200, 202}};
    (void)state;
    char *text = explained_native(grows, 1000, true);
    assert_non_null(strstr(text, "native-leak: native memory that is not freed grew by 55 MiB to 265 MiB"));
    assert_non_null(strstr(text, "50 MiB of it from app.Cache.put"));
    assert_non_null(strstr(text, "called by app.Main.run"));
    assert_non_null(strstr(text, "by cache_put"));
    free(text);
    text = explained_native(little, 1000, true);
    assert_string_equal(text, "\n");
    free(text);
    text = explained_native(grows, 1000, false); /* comes and goes */
    assert_string_equal(text, "\n");
    free(text);
    text = explained_native(grows, 3, true); /* may be chance */
    assert_string_equal(text, "\n");
    free(text);
}

/* A finding has room for the figures of its sentence. */
static void test_sentences__have_no_more_places_than_a_finding_has_figures(void **state)
{
    for (unsigned i = 0; i < WICK_EXPLAIN_RULES; i++) {
        unsigned places = 0;
        for (const char *s = wick_explain_rules[i].sentence; (s = strchr(s, '{')); s++)
            places++;
        if (places > WICK_EXPLAIN_FIGURES)
            fail_msg("%s has %u places", wick_explain_rules[i].name, places);
    }
}

/* docs/explain.md has a row for every rule, as in the table. */
static void test_docs__agree_with_the_table(void **state)
{
    FILE *in = fopen(WICK_DOCS "/explain.md", "re");
    struct wick_strbuf doc = WICK_STRBUF_INIT;
    char part[4096];
    assert_non_null(in);
    for (size_t n; (n = fread(part, 1, sizeof part, in)) > 0;)
        wick_strbuf_add(&doc, part, n);
    fclose(in);
    for (unsigned i = 0; i < WICK_EXPLAIN_RULES; i++) {
        const struct wick_explain_rule *r = &wick_explain_rules[i];
        struct wick_strbuf row = WICK_STRBUF_INIT;
        bool share = strstr(r->measure, "share") != NULL;
        wick_strbuf_addf(&row, "| `%s` | %g %s%s%s | %s | %s |\n", r->name, share ? 100 * r->threshold : r->threshold,
                         share ? "% " : "", r->measure, r->busy ? "; busy" : "", r->evidence, r->advice);
        if (!strstr(doc.buf, row.buf))
            fail_msg("docs/explain.md lacks the row\n%s", row.buf);
        wick_strbuf_release(&row);
    }
    wick_strbuf_release(&doc);
}

static uint32_t push(struct wick_profile *p, uint32_t parent, const char *name, unsigned kind)
{
    uint32_t function = wick_profile_function(p, 0, wick_profile_string(p, name, strlen(name)), 0);
    return wick_profile_push(p, parent, wick_profile_frame(p, function, -1, -1, kind));
}

static void test_named__a_function_says_more_than_its_library(void **state)
{
    struct wick_profile p;
    (void)state;
    assert_int_equal(wick_profile_init(&p), 0);
    uint32_t start = push(&p, 0, "[libc.so.6]", WICK_FRAME_NATIVE), run = push(&p, start, "run", WICK_FRAME_NATIVE),
             fsync = push(&p, run, "fsync", WICK_FRAME_NATIVE),
             inner = push(&p, fsync, "[libc.so.6]", WICK_FRAME_NATIVE),
             innermost = push(&p, inner, "[libc.so.6]", WICK_FRAME_NATIVE),
             own = push(&p, start, "[libown.so]", WICK_FRAME_NATIVE);
    assert_int_equal(wick_explain_named(&p, fsync), fsync);
    assert_int_equal(wick_explain_named(&p, inner), fsync);
    assert_int_equal(wick_explain_named(&p, innermost), fsync);
    assert_int_equal(wick_explain_named(&p, own), own); /* below it is no function with a name */
    assert_int_equal(wick_explain_named(&p, start), start);
    wick_profile_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_named__a_function_says_more_than_its_library),
        cmocka_unit_test(test_healthy__nothing_stands_out),
        cmocka_unit_test(test_idle__nothing_stands_out_whatever_the_machine_suffers),
        cmocka_unit_test(test_endpoints__have_the_time_that_their_spans_say),
        cmocka_unit_test(test_allocation_stalls__by_the_endpoint_of_spans),
        cmocka_unit_test(test_allocation_stalls__by_the_endpoint_of_cpu_samples),
        cmocka_unit_test(test_cpu_starvation__compares_runnable_time),
        cmocka_unit_test(test_neighbours__need_both_busy_processors_and_starvation),
        cmocka_unit_test(test_neighbours__are_named),
        cmocka_unit_test(test_neighbours__are_not_blamed_for_the_cpu_limit),
        cmocka_unit_test(test_cpu_limit__counts_throttled_periods),
        cmocka_unit_test(test_hot_method__names_method_and_caller),
        cmocka_unit_test(test_own_work__is_seen_by_no_rule),
        cmocka_unit_test(test_lock_contention__counts_only_time_with_work),
        cmocka_unit_test(test_endpoint_wait__names_the_kind_of_waiting),
        cmocka_unit_test(test_unmounted_wait__is_the_rest_of_the_time_of_virtual_threads),
        cmocka_unit_test(test_waiting__counts_virtual_threads_that_are_on_no_carrier),
        cmocka_unit_test(test_cpu_time__that_does_not_fit_is_none),
        cmocka_unit_test(test_gc__pauses_and_cpu_time),
        cmocka_unit_test(test_a_notification__without_a_weight_weighs_what_it_lasted),
        cmocka_unit_test(test_safepoints__slow_threads_and_slow_safepoints),
        cmocka_unit_test(test_compilers__queues_deoptimisations_and_room_for_code),
        cmocka_unit_test(test_classes__unloading_is_known_by_its_rate),
        cmocka_unit_test(test_vm_operations__are_reported_but_for_collections),
        cmocka_unit_test(test_explain__sums_of_hostile_figures_do_not_overflow),
        cmocka_unit_test(test_memory__limit_and_pressure),
        cmocka_unit_test(test_out_of_memory__of_threads_names_who_makes_them),
        cmocka_unit_test(test_out_of_memory__says_that_its_thread_has_ended),
        cmocka_unit_test(test_stuck__is_a_deadlock_that_was_recorded),
        cmocka_unit_test(test_direct_memory__is_near_its_limit),
        cmocka_unit_test(test_slow_accept__is_about_the_socket_with_the_longest_queue),
        cmocka_unit_test(test_humongous__allocations_are_named_by_class_and_place),
        cmocka_unit_test(test_promotion__of_what_dies_soon),
        cmocka_unit_test(test_oversized_heap__is_a_multiple_of_what_is_in_use),
        cmocka_unit_test(test_cleaners__are_behind_if_they_never_wait),
        cmocka_unit_test(test_disk_wait__counts_only_time_with_work),
        cmocka_unit_test(test_steal__is_a_share_of_the_machine),
        cmocka_unit_test(test_cautions__stand_last),
        cmocka_unit_test(test_unsampled__is_no_counter_and_of_one_unit),
        cmocka_unit_test(test_totals__go_on_in_the_next_file_of_a_recording),
        cmocka_unit_test(test_findings__stand_in_the_order_of_what_they_cost),
        cmocka_unit_test(test_native_leak__names_the_stack_that_holds_the_growth),
        cmocka_unit_test(test_sentences__have_no_more_places_than_a_finding_has_figures),
        cmocka_unit_test(test_docs__agree_with_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
