/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_faults_engines.c - engines that start, and the drain with a recording, while memory, descriptors and disk run
 * out
 *
 * What an engine stands on (registry, recorder, images) is set up without a fault: test_faults.c has its failures. An
 * engine that could not start has given back what it took, so the next one can.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/alloc/alloc.h"
#include "engine/cpu/cpu.h"
#include "engine/lock/lock.h"
#include "engine/nativemem/nativemem.h"
#include "engine/nativemem/nativemem_threads.h"
#include "engine/ttsp/ttsp.h"
#include "engine/wall/wall.h"
#include "faults.h"
#include "record/drain.h"

static struct wick_mem mem;
static struct wick_jvm jvm;
static struct wick_elf_images images;
static struct wick_threads threads;
static struct wick_recorder recorder;

static int set_up(void **state)
{
    bool changed;
    assert_int_equal(wick_mem_self_init(&mem), 0);
    memset(&jvm.layout, 0xff, sizeof jvm.layout); /* nothing is known of a JVM */
    jvm.mem = &mem;
    wick_elf_images_init(&images, 0);
    assert_int_equal(wick_elf_images_refresh(&images, &mem, &changed, NULL), 0);
    assert_int_equal(wick_threads_init(&threads), 0);
    assert_int_equal(wick_recorder_init(&recorder, 8 << 20, 256, 64), 0);
    assert_int_equal(wick_walker_init(&recorder.walker, &jvm, &images), 0);
    wick_threads_begin(&threads);
    wick_threads_java(&threads, gettid(), 0x1000, "main", 1);
    atomic_store(&recorder.running, 1);
    wick_nativemem_threads_init();
    return 0;
}

static int tear_down(void **state)
{
    wick_threads_rest(&threads);
    wick_walker_release(&recorder.walker);
    wick_recorder_release(&recorder);
    wick_threads_release(&threads);
    wick_elf_images_release(&images);
    return 0;
}

/* --- attempts --- */

static int cpu(void *arg)
{
    static struct wick_cpu_engine e;
    struct wick_err err = {0};
    const struct wick_cpu_config c = {.event = arg, .interval = 1000000000};
    int rc = wick_cpu_start(&e, &c, &recorder, &threads, &err);
    assert_true(!rc || err.msg[0]);
    /* what fails without a descriptor is neither forbidden nor unknown to this kernel */
    assert_false(strstr(e.note, "backward") || strstr(e.note, "permitted"));
    assert_false(strstr(err.msg, "does not offer") || strstr(err.msg, "this kernel has no"));
    if (!rc)
        wick_cpu_stop(&e);
    return rc;
}

static int cpu_timer(void *arg)
{
    static char event[] = "ctimer";
    return cpu(event);
}

static int cpu_perf(void *arg)
{
    static char event[] = "cpu-clock";
    return cpu(event);
}

static int cpu_any(void *arg)
{
    static char event[] = "cpu";
    return cpu(event);
}

static int wall(void *arg)
{
    static struct wick_wall_engine e;
    struct wick_err err = {0};
    int rc = wick_wall_start(&e, &(struct wick_wall_config){.seed = 1}, &recorder, &threads, 0, &err);
    assert_true(!rc || err.msg[0]);
    if (!rc) {
        wick_wall_stop(&e);
        wick_wall_release(&e);
    }
    return rc;
}

static int lock(void *arg)
{
    static struct wick_lock_engine e;
    struct wick_err err = {0};
    const struct wick_lock_config c = {.java = true, .interval_ns = 1000000, .seed = 1};
    int rc = wick_lock_start(&e, &c, &jvm, &recorder, &threads, &err);
    assert_true(!rc || err.msg[0]);
    if (!rc) {
        wick_lock_stop(&e);
        wick_lock_release(&e);
    }
    return rc;
}

static int ttsp(void *arg)
{
    static struct wick_ttsp_engine e;
    struct wick_err err = {0};
    struct wick_ttsp_config c = {.interval_ns = 1000000000, .critical_place = WICK_HS_NONE};
    for (int i = 0; i < WICK_TTSP_STEPS; i++)
        c.threshold_ns[i] = 1000000000ull * (unsigned)(i + 1);
    const struct wick_elf_image *self = wick_elf_images_find(&images, (wick_addr)(uintptr_t)ttsp);
    int rc = wick_ttsp_start(&e, &c, &jvm, self, &recorder, &threads, &err);
    assert_true(!rc || err.msg[0]);
    if (!rc)
        wick_ttsp_stop(&e);
    return rc;
}

static uint64_t in_force(void)
{
    return 1 << 20;
}

static void change(uint64_t interval)
{
}

static int alloc(void *arg)
{
    static struct wick_alloc_engine e;
    static const struct wick_hs_alloc_tracer tracer;
    struct wick_err err = {0};
    const struct wick_alloc_config c = {
        .interval = 1 << 20, .in_force = in_force, .change = change, .tracer = arg ? &tracer : NULL, .jvm = &jvm};
    int rc = wick_alloc_start(&e, &c, &recorder, &threads, &err);
    if (!rc) {
        wick_alloc_stop(&e);
        wick_alloc_release(&e);
    }
    return rc;
}

static int alloc_traced(void *arg)
{
    return alloc(&threads);
}

static int nativemem(void *arg)
{
    static struct wick_nativemem e;
    struct wick_err err = {0};
    int rc = wick_nativemem_start(&e, &(struct wick_nativemem_config){.interval = 1 << 20, .seed = 1}, &recorder,
                                  &threads, &err);
    if (!rc) {
        wick_nativemem_stop(&e);
        wick_nativemem_release(&e);
    }
    return rc;
}

static void *end_at_once(void *arg)
{
    return arg;
}

/* A thread whose stack is followed, as the hook of pthread_create makes one. */
static int nativemem_thread(void *arg)
{
    struct wick_nativemem_thread *t = wick_nativemem_threads_new(end_at_once, &threads);
    pthread_t thread;
    void *result = NULL;
    (void)arg;
    if (!t)
        return -WICK_E_NOMEM;
    if (pthread_create(&thread, NULL, wick_nativemem_threads_run, t)) {
        wick_nativemem_threads_failed(t);
        return -WICK_E_NOMEM;
    }
    wick_nativemem_threads_counted(t);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, &threads);
    return 0;
}

/* --- a recording --- */

static int thread_of(void *arg, uint32_t serial, struct wick_jfr_thread *out)
{
    *out = (struct wick_jfr_thread){"native", serial, "java", serial, "main"};
    return 0;
}

static void event(void *arg, struct wick_drain *d, const struct wick_event *e)
{
    wick_jfr_write_execution_sample(
        d->writer, &(struct wick_jfr_execution_sample){
                       .start_ns = e->time_ns, .thread = e->thread, .stack = e->stack, .weight_ns = 5});
}

static void lost(void *arg, const struct wick_event *e)
{
}

static void chunk_end(void *arg)
{
}

static void chunk_begin(void *arg, struct wick_jfr_writer *w, uint64_t now_ns)
{
}

static int drain_to(int fd)
{
    static struct wick_drain d;
    const struct wick_drain_host host = {
        .thread = thread_of, .event = event, .lost = lost, .chunk_end = chunk_end, .chunk_begin = chunk_begin};
    const struct wick_drain_config c = {.start_ns = wick_clock_mono_ns(),
                                        .chunk_bytes = 4 << 20,
                                        .chunk_ns = UINT64_C(60000000000),
                                        .memory_limit = 4 << 20,
                                        .max_frames = 64};
    struct wick_err err = {0};
    struct wick_output out;
    int rc = wick_output_init_fd(&out, fd);
    if (rc)
        return rc;
    rc = wick_drain_open(&d, &recorder, &images, &out, &host, &c, &err);
    if (rc) {
        assert_true(err.msg[0]);
        wick_output_release(&out);
        return rc;
    }
    uint64_t now = wick_clock_mono_ns();
    for (uint32_t i = 0; i < 30; i++)
        wick_drain_put(&d, &(struct wick_event){
                               .time_ns = now + i, .thread = 1, .type = WICK_EVENT_CPU, .samples = 1, .weight = 5});
    for (uint32_t i = 0; i < 300; i++) /* of tables that are still to come */
        wick_drain_put(&d, &(struct wick_event){.time_ns = now + i,
                                                .thread = 1,
                                                .type = WICK_EVENT_CPU,
                                                .samples = 1,
                                                .weight = 5,
                                                .generation = d.tables->generation + 1});
    wick_drain_round(&d);
    int flushed = wick_drain_flush(&d, now + 100);
    struct wick_totals sum;
    struct wick_jfr_stats stats;
    rc = wick_drain_close(&d, now + 200, &sum, &stats);
    wick_output_release(&out);
    return flushed ? flushed : rc;
}

static int drain(void *arg)
{
    int fd = memfd_create("drain", MFD_CLOEXEC), copy = fd < 0 ? -1 : dup(fd);
    if (copy < 0) {
        if (fd >= 0)
            close(fd);
        return -WICK_E_LIMIT;
    }
    int rc = drain_to(copy);
    close(fd);
    return rc;
}

/* --- tests --- */

static const struct {
    const char *name;
    faults_attempt *attempt;
    bool maps; /* takes memory as it starts */
} parts[] = {{"cpu by timers", cpu_timer, false},
             {"cpu by perf events", cpu_perf, false},
             {"cpu by what there is", cpu_any, false},
             {"wall", wall, true},
             {"lock", lock, true},
             {"ttsp", ttsp, false},
             {"alloc", alloc, true},
             {"alloc on JDK 8", alloc_traced, true},
             {"nativemem", nativemem, true},
             {"a thread beside nativemem", nativemem_thread, true},
             {"drain", drain, true}};

static void test_faults__an_engine_without_memory_leaves_nothing(void **state)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        unsigned met = faults_each(FAULTS_MEMORY, parts[i].attempt, NULL);
        if (parts[i].maps && !met)
            fail_msg("%s has no allocation: the attempt does nothing, or it is not linked with faults.c",
                     parts[i].name);
        assert_int_equal(parts[i].attempt(NULL), 0);
    }
}

static void test_faults__an_engine_without_descriptors_leaves_nothing(void **state)
{
    unsigned met = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        met += faults_each(FAULTS_DESCRIPTORS, parts[i].attempt, NULL);
        assert_int_equal(parts[i].attempt(NULL), 0);
    }
    assert_true(met > 3);
}

static void test_faults__a_full_disk_ends_no_drain(void **state)
{
    assert_true(faults_each(FAULTS_WRITE_ENOSPC, drain, NULL) > 1);
    assert_true(faults_each(FAULTS_WRITE_EINTR, drain, NULL) > 1);
    assert_true(faults_each(FAULTS_WRITE_SHORT, drain, NULL) > 1);
    faults_each(FAULTS_READ_EIO, drain, NULL);
    faults_each(FAULTS_READ_EINTR, drain, NULL);
    faults_each(FAULTS_READ_SHORT, drain, NULL);
    assert_int_equal(drain(NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults__an_engine_without_memory_leaves_nothing),
        cmocka_unit_test(test_faults__an_engine_without_descriptors_leaves_nothing),
        cmocka_unit_test(test_faults__a_full_disk_ends_no_drain),
    };
    return cmocka_run_group_tests_name("faults_engines", tests, set_up, tear_down);
}
