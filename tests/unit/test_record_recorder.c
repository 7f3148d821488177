/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder's accounting, its generations and its end, under threads that behave as handlers do.
 *
 * The walk itself is replaced: a context's registers say which stack it is. So this also runs under the thread
 * sanitizer (test_record_race), which cannot follow a real one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "record/recorder.h"

enum { HANDLERS = 4, SAMPLES = 20000, STACKS = 50, DEPTH = 12 };

int wick_walk_sig(struct wick_walker *w, struct wick_tables *t, wick_addr java, struct wick_stack_window *window,
                  const ucontext_t *uc, wick_addr from, uint64_t *frames, int cap, struct wick_walk_result *out)
{
    uint64_t stack = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
    int n = DEPTH < cap ? DEPTH : cap;
    for (int i = 0; i < n; i++)
        frames[i] = WICK_FRAME_NATIVE(0x1000 + (i < 2 ? stack * 8 : 0) + (uint64_t)i, i > 0);
    *out = (struct wick_walk_result){.state = 8, .flags = stack % 5 == 0 ? WICK_EVENT_BROKEN : 0};
    return n;
}

int wick_walk_here_sig(struct wick_walker *w, struct wick_tables *t, wick_addr java, struct wick_stack_window *window,
                       uint64_t *frames, int cap, struct wick_walk_result *out)
{
    frames[0] = WICK_FRAME_NATIVE(0x2000, false);
    *out = (struct wick_walk_result){.state = 4};
    return 1;
}

int wick_walk_outside_sig(struct wick_walker *w, struct wick_tables *t, wick_addr java, const struct wick_outside *o,
                          uint64_t *frames, int cap, struct wick_walk_result *out)
{
    frames[0] = WICK_FRAME_NATIVE(o->pc, false);
    *out = (struct wick_walk_result){.state = 10, .flags = WICK_EVENT_GAP};
    return 1;
}

int wick_walk_frozen_sig(struct wick_walker *w, struct wick_tables *t, wick_addr chunk, const struct wick_outside *o,
                         uint64_t *frames, int cap, struct wick_walk_result *out)
{
    frames[0] = WICK_FRAME_NATIVE(chunk, false);
    frames[1] = WICK_FRAME(WICK_FRAME_BOUNDARY, WICK_BOUNDARY_UNMOUNTED);
    *out = (struct wick_walk_result){0};
    return 2;
}

static struct wick_recorder rec;

/* One sample as a handler makes it. */
static void fire(uint64_t stack, uint64_t weight, uint32_t thread)
{
    ucontext_t uc;
    struct wick_stack_window window = {0, 0};
    memset(&uc, 0, sizeof uc);
    uc.uc_mcontext.gregs[REG_RIP] = (greg_t)stack;
    struct wick_scratch *s = wick_recorder_enter_sig(&rec);
    if (!s) {
        if (atomic_load(&rec.running))
            wick_recorder_drop_sig(&rec, WICK_EVENT_CPU, WICK_DROP_WALK_IN_PROGRESS, 1, weight);
        return;
    }
    const struct wick_sample_sig in = {
        .context = &uc, .window = &window, .time_ns = 1, .weight = weight, .thread = thread, .type = WICK_EVENT_CPU};
    wick_recorder_sample_sig(&rec, s, &in);
    wick_recorder_leave_sig(s);
}

static uint64_t drops_of(const struct wick_totals *t)
{
    uint64_t sum = 0;
    for (int i = 0; i < WICK_DROP_COUNT; i++)
        sum += t->drops[i];
    return sum;
}

struct drained {
    uint64_t events, weight, broken;
};

/* Empties all rings; checks that each stack can be read in its generation. */
static void drain(struct drained *d, const struct wick_tables *tables)
{
    for (uint32_t c = 0; c < rec.cpus; c++) {
        struct wick_event e;
        while (wick_ring_get(&rec.rings[c], &e)) {
            d->events++;
            d->weight += e.weight;
            d->broken += (e.flags & WICK_EVENT_BROKEN) != 0;
            if (!tables || e.generation != tables->generation)
                continue;
            uint32_t node = e.stack, depth = 0;
            for (; node; node = tables->nodes[node].parent)
                depth++;
            assert_int_equal(depth, tables->nodes[e.stack].depth);
            assert_true(depth == DEPTH || depth == 1);
        }
    }
}

static void *handler(void *arg)
{
    uint32_t id = (uint32_t)(uintptr_t)arg;
    for (uint64_t i = 0; i < SAMPLES; i++)
        fire(i * (id + 1) % STACKS, 10 + i % 7, id + 1);
    return NULL;
}

static void start(pthread_t *threads)
{
    for (uintptr_t i = 0; i < HANDLERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, handler, (void *)i), 0);
}

static void join(pthread_t *threads)
{
    for (int i = 0; i < HANDLERS; i++)
        pthread_join(threads[i], NULL);
}

static void begin(uint32_t ring_events)
{
    assert_int_equal(wick_recorder_init(&rec, 0, ring_events, 0), 0);
    atomic_store(&rec.running, 1);
}

static void test_recorder__accounts_balance_with_a_tiny_ring_and_no_reader(void **state)
{
    struct wick_totals t;
    struct drained d = {0};
    pthread_t threads[HANDLERS];
    uint64_t weight = 0;
    for (uint64_t i = 0; i < SAMPLES; i++)
        weight += 10 + i % 7;
    begin(16);
    start(threads);
    join(threads);
    wick_recorder_totals(&rec, &t);
    assert_int_equal(t.fired, HANDLERS * SAMPLES);
    assert_int_equal(t.fired, t.recorded + drops_of(&t));
    assert_int_equal(t.of[WICK_EVENT_CPU].weight + t.of[WICK_EVENT_CPU].drop_weight, HANDLERS * weight);
    assert_true(t.drops[WICK_DROP_RING_FULL] > 0);
    assert_int_equal(drops_of(&t), t.drops[WICK_DROP_RING_FULL] + t.drops[WICK_DROP_WALK_IN_PROGRESS]);
    drain(&d, atomic_load(&rec.tables));
    assert_int_equal(d.events, t.recorded);
    assert_int_equal(d.weight, t.of[WICK_EVENT_CPU].weight);
    assert_int_equal(d.broken, t.broken);
    wick_recorder_release(&rec);
}

/* Generations change under the handlers' feet; what was recorded can be read in its own. */
static void test_recorder__generations_change_without_losing_a_sample(void **state)
{
    struct wick_totals t;
    struct drained d = {0};
    pthread_t threads[HANDLERS];
    begin(1 << 16);
    start(threads);
    for (int i = 0; i < 40; i++) {
        struct wick_tables *old = wick_recorder_next_generation(&rec);
        assert_non_null(old);
        assert_int_equal(atomic_load(&rec.tables)->generation, old->generation + 1);
        uint32_t nodes = wick_load_relaxed(&old->node_count);
        drain(&d, old);
        assert_int_equal(wick_load_relaxed(&old->node_count), nodes); /* no thread is at work in it */
        wick_tables_free(old);
    }
    join(threads);
    drain(&d, atomic_load(&rec.tables));
    wick_recorder_totals(&rec, &t);
    assert_int_equal(t.fired, HANDLERS * SAMPLES);
    assert_int_equal(d.events, t.recorded);
    assert_int_equal(t.recorded + drops_of(&t), t.fired);
    wick_recorder_release(&rec);
}

static void test_recorder__after_quiesce_no_handler_is_at_work_and_none_begins(void **state)
{
    for (int round = 0; round < 5; round++) {
        struct wick_totals before, after;
        pthread_t threads[HANDLERS];
        begin(1 << 10);
        start(threads);
        usleep(2000);
        wick_recorder_quiesce(&rec);
        wick_recorder_totals(&rec, &before);
        for (uint32_t i = 0; i < rec.scratch_count; i++)
            assert_true(wick_load_acquire(&rec.scratch[i].busy) == 0 || !atomic_load(&rec.running));
        assert_int_equal(before.fired, before.recorded + drops_of(&before));
        join(threads);
        wick_recorder_totals(&rec, &after);
        assert_int_equal(after.recorded, before.recorded);
        assert_int_equal(after.of[WICK_EVENT_CPU].weight, before.of[WICK_EVENT_CPU].weight);
        wick_recorder_release(&rec);
    }
}

struct slow {
    _Atomic int entered, leave, done;
};

static void *slow_handler(void *arg)
{
    struct slow *s = arg;
    struct wick_scratch *scratch = wick_recorder_enter_sig(&rec);
    atomic_store(&s->entered, 1);
    while (!atomic_load(&s->leave))
        usleep(100);
    atomic_store(&s->done, 1);
    wick_recorder_leave_sig(scratch);
    return NULL;
}

static void *release_later(void *arg)
{
    struct slow *s = arg;
    usleep(30000);
    atomic_store(&s->leave, 1);
    return NULL;
}

static void test_recorder__quiesce_and_generations_wait_for_a_handler_that_lost_its_cpu(void **state)
{
    for (int generations = 0; generations < 2; generations++) {
        struct slow s = {0};
        pthread_t handler_thread, other;
        begin(16);
        pthread_create(&handler_thread, NULL, slow_handler, &s);
        while (!atomic_load(&s.entered))
            usleep(100);
        pthread_create(&other, NULL, release_later, &s);
        if (generations)
            wick_tables_free(wick_recorder_next_generation(&rec));
        else
            wick_recorder_quiesce(&rec);
        assert_int_equal(atomic_load(&s.done), 1);
        pthread_join(handler_thread, NULL);
        pthread_join(other, NULL);
        wick_recorder_release(&rec);
    }
}

static void test_recorder__is_idle_while_no_handler_is_at_work(void **state)
{
    begin(16);
    assert_true(wick_recorder_is_idle(&rec));
    struct wick_scratch *s = wick_recorder_enter_sig(&rec);
    assert_non_null(s);
    assert_false(wick_recorder_is_idle(&rec));
    fire(1, 100, 1); /* others begin and end in between */
    assert_false(wick_recorder_is_idle(&rec));
    wick_recorder_leave_sig(s);
    assert_true(wick_recorder_is_idle(&rec));
    wick_recorder_release(&rec);
}

/* A handler that never comes back holds up one change of generations, not the later ones nor the end; what it may use
 * stays mapped. */
static void test_recorder__a_handler_that_never_leaves_is_given_up_once(void **state)
{
    begin(16);
    struct wick_scratch *gone = wick_recorder_enter_sig(&rec);
    assert_non_null(gone);
    const struct wick_tables *used = atomic_load(&rec.tables);
    struct wick_tables *old = wick_recorder_next_generation(&rec);
    assert_ptr_equal(old, used);
    assert_int_equal(rec.lost, 1);
    assert_int_equal(wick_load_relaxed(&gone->busy), WICK_SCRATCH_LOST);
    wick_recorder_free_generation(&rec, old);
    assert_int_equal(used->generation, 1);
    /* it may also have found the second one before it was given up */
    const struct wick_tables *second = atomic_load(&rec.tables);
    wick_recorder_free_generation(&rec, wick_recorder_next_generation(&rec));
    assert_int_equal(second->generation, 2);
    assert_int_equal(rec.lost, 1);
    wick_recorder_quiesce(&rec);
    assert_int_equal(rec.lost, 1);
    wick_recorder_release(&rec);
    assert_int_equal(wick_load_relaxed(&gone->busy), WICK_SCRATCH_LOST);
    assert_int_equal(used->generation + second->generation, 3);
    wick_recorder_leave_sig(gone); /* writes to the mapping */
}

/* One that comes back after all: its sample is a drop, and its scratch area is waited for again. */
static void test_recorder__a_handler_that_was_given_up_and_comes_back_drops_its_sample(void **state)
{
    struct wick_totals t;
    ucontext_t uc;
    struct wick_stack_window window = {0, 0};
    memset(&uc, 0, sizeof uc);
    begin(16);
    struct wick_scratch *late = wick_recorder_enter_sig(&rec);
    wick_recorder_free_generation(&rec, wick_recorder_next_generation(&rec));
    const struct wick_sample_sig in = {.context = &uc, .window = &window, .time_ns = 1, .weight = 7, .thread = 1};
    assert_false(wick_recorder_sample_sig(&rec, late, &in));
    wick_recorder_leave_sig(late);
    wick_recorder_totals(&rec, &t);
    assert_int_equal(t.fired, 1);
    assert_int_equal(t.fired, t.recorded + drops_of(&t));
    assert_int_equal(t.of[WICK_EVENT_CPU].drop_weight, 7);
    assert_int_equal(wick_load_relaxed(&late->busy), WICK_SCRATCH_FREE);
    fire(1, 1, 1);
    wick_recorder_totals(&rec, &t);
    assert_int_equal(t.recorded, 1);
    wick_recorder_quiesce(&rec);
    wick_recorder_release(&rec);
}

static void test_recorder__without_a_scratch_area_nothing_is_touched(void **state)
{
    struct wick_totals t;
    begin(16);
    uint32_t n = 0;
    while (wick_recorder_enter_sig(&rec))
        n++;
    assert_int_equal(n, rec.scratch_count);
    fire(1, 100, 1);
    wick_recorder_totals(&rec, &t);
    assert_int_equal(t.fired, 1);
    assert_int_equal(t.drops[WICK_DROP_WALK_IN_PROGRESS], 1);
    assert_int_equal(t.of[WICK_EVENT_CPU].drop_weight, 100);
    wick_recorder_leave_sig(&rec.scratch[3]);
    fire(1, 100, 1);
    wick_recorder_totals(&rec, &t);
    assert_int_equal(t.recorded, 1);
    wick_recorder_release(&rec);
}

/* The drain thread may be away for two seconds. */
static void test_recorder__rings_have_room_for_two_seconds_within_bounds(void **state)
{
    const size_t plenty = SIZE_MAX / 2, per_ring = 8 * (size_t)sysconf(_SC_NPROCESSORS_CONF);
    assert_int_equal(wick_recorder_ring(0, 0, plenty), 2048);
    assert_int_equal(wick_recorder_ring(0, 10000000, plenty), 2048);
    assert_int_equal(wick_recorder_ring(0, 1000000, plenty), 2048);
    assert_int_equal(wick_recorder_ring(0, 200000, plenty), 16384);
    assert_int_equal(wick_recorder_ring(0, 100000, plenty), 32768);
    assert_int_equal(wick_recorder_ring(0, 1, plenty), 32768);
    assert_int_equal(wick_recorder_ring(0, 100000, per_ring * 4096 * sizeof(struct wick_ring_cell)), 4096);
    assert_int_equal(wick_recorder_ring(0, 100000, 1 << 20), 2048);
    assert_int_equal(wick_recorder_ring(100, 100000, plenty), 128);
}

static void test_recorder__a_stopped_one_takes_nothing(void **state)
{
    assert_int_equal(wick_recorder_init(&rec, 0, 16, 0), 0);
    assert_null(wick_recorder_enter_sig(&rec));
    for (uint32_t i = 0; i < rec.scratch_count; i++)
        assert_int_equal(wick_load_relaxed(&rec.scratch[i].busy), 0);
    wick_recorder_release(&rec);
}

/* CPU time without samples becomes a sample of one frame, and is accounted for. */
static void test_recorder__notes_are_samples(void **state)
{
    struct wick_totals t;
    struct wick_event e = {0};
    bool found = false;
    begin(16);
    wick_recorder_note(&rec, WICK_EVENT_PERF, 7, 12345, 3, WICK_STOP_YOUNG_THREAD);
    wick_recorder_totals(&rec, &t);
    assert_int_equal(t.fired, 1);
    assert_int_equal(t.recorded, 1);
    assert_int_equal(t.of[WICK_EVENT_PERF].weight, 12345);
    assert_int_equal(t.of[WICK_EVENT_CPU].weight, 0); /* another unit */
    for (uint32_t c = 0; c < rec.cpus && !found; c++)
        found = wick_ring_get(&rec.rings[c], &e);
    assert_true(found);
    assert_int_equal(e.thread, 3);
    assert_int_equal(e.type, WICK_EVENT_PERF);
    uint64_t frame = atomic_load(&rec.tables)->nodes[e.stack].frame;
    assert_int_equal(WICK_FRAME_KIND(frame), WICK_FRAME_BREAK);
    assert_int_equal(frame & 0xff, WICK_STOP_YOUNG_THREAD);
    wick_recorder_release(&rec);
}

/* The frames of one sample, leaf first, as "k" (kernel), "n" (native) and "." (the mark that there were more). */
static void assert_kept(uint32_t most, uint32_t kept, uint32_t kernel_count, uint64_t skip_hi, const char *expected)
{
    char got[64] = "";
    size_t n = 0;
    uint64_t kernel[8] = {0};
    struct wick_event e;
    ucontext_t uc = {0};
    struct wick_stack_window window = {0, 0};
    assert_int_equal(wick_recorder_init(&rec, 4 << 20, 16, most), 0);
    rec.kept_frames = kept;
    atomic_store(&rec.running, true);
    struct wick_scratch *s = wick_recorder_enter_sig(&rec);
    assert_non_null(s);
    wick_recorder_walk_sig(&rec, s,
                           &(struct wick_sample_sig){.context = &uc,
                                                     .window = &window,
                                                     .kernel = kernel,
                                                     .kernel_count = kernel_count,
                                                     .skip_lo = 0x1000,
                                                     .skip_hi = skip_hi,
                                                     .weight = 1,
                                                     .type = WICK_EVENT_CPU},
                           &e);
    wick_recorder_leave_sig(s);
    const struct wick_tables *t = atomic_load(&rec.tables);
    for (uint32_t node = e.stack; node; node = t->nodes[node].parent) {
        uint64_t frame = t->nodes[node].frame;
        unsigned kind = WICK_FRAME_KIND(frame);
        bool is_mark = frame == WICK_FRAME(WICK_FRAME_BREAK, WICK_STOP_TRUNCATED);
        got[n++] = kind == WICK_FRAME_KERNEL ? 'k' : kind == WICK_FRAME_NATIVE ? 'n' : is_mark ? '.' : '?';
    }
    assert_string_equal(got, expected);
    wick_recorder_release(&rec);
}

static void test_recorder__a_deep_stack_keeps_the_frames_at_its_leaf(void **state)
{
    assert_kept(DEPTH, 0, 0, 0, "nnnnnnnnnnnn");
    assert_kept(DEPTH - 1, 0, 0, 0, "nnnnnnnnnnn.");
    assert_kept(5, 0, 0, 0, "nnnnn.");
    assert_kept(5, 0, 2, 0, "kknnn."); /* kernel frames count */
    assert_kept(5, 0, 5, 0, "kkkkk.");
    assert_kept(5, 0, 8, 0, "kkkkk.");
    assert_kept(5, 3, 2, 0, "kkn."); /* of a deeper one fewer */
    assert_kept(DEPTH + 2, 3, 2, 0, "kknnnnnnnnnnnn");
    assert_kept(DEPTH + 1, 3, 2, 0, "kkn.");
    assert_kept(5, 0, 0, 0x1008, "nnnn"); /* what is left out at the leaf does not count */
    assert_kept(3, 0, 0, 0x1008, "nnn.");
}

/* With more stacks than the tables hold, what finds no room is a named drop. */
static void test_recorder__a_full_stack_table_is_a_named_drop(void **state)
{
    struct wick_totals t;
    struct drained d = {0};
    begin(1 << 10);
    for (uint64_t i = 0; i < 150000; i++) {
        fire(i, 1, 1);
        if (i % 500 == 0)
            drain(&d, atomic_load(&rec.tables));
    }
    drain(&d, atomic_load(&rec.tables));
    wick_recorder_totals(&rec, &t);
    assert_true(t.drops[WICK_DROP_STACK_TABLE_FULL] > 0);
    assert_int_equal(t.fired, t.recorded + drops_of(&t));
    assert_int_equal(t.of[WICK_EVENT_CPU].weight + t.of[WICK_EVENT_CPU].drop_weight, t.fired);
    assert_int_equal(d.events, t.recorded);
    wick_recorder_release(&rec);
}

/* Samples of the wall clock weigh apart from CPU time; one event may stand for many samples. */
static void test_recorder__wall_samples_have_accounts_of_their_own(void **state)
{
    struct wick_totals t;
    struct wick_event e;
    const struct wick_outside o = {.pc = 0x4000, .sp = 0x7000};
    begin(64);
    fire(1, 10, 1);
    struct wick_scratch *s = wick_recorder_enter_sig(&rec);
    const struct wick_sample_sig in = {
        .outside = &o, .time_ns = 1, .weight = 1000, .thread = 2, .type = WICK_EVENT_WALL, .samples = 1, .state = 7};
    assert_true(wick_recorder_walk_sig(&rec, s, &in, &e));
    wick_recorder_leave_sig(s);
    assert_int_equal(e.type, WICK_EVENT_WALL);
    assert_int_equal(e.state, 7);
    assert_int_equal(e.java_state, 10);
    wick_recorder_totals(&rec, &t);
    assert_int_equal(t.fired, 1); /* nothing is booked before the caller says so */
    wick_recorder_count_sig(&rec, &e);
    e.samples = 41;
    e.weight = 41000;
    e.flags = 0;
    wick_recorder_count_sig(&rec, &e);
    wick_recorder_drop_sig(&rec, WICK_EVENT_WALL, WICK_DROP_THREAD_MOVED, 3, 3000);
    wick_recorder_totals(&rec, &t);
    assert_int_equal(t.fired, 1 + 42 + 3);
    assert_int_equal(t.recorded, 1 + 42);
    assert_int_equal(t.of[WICK_EVENT_CPU].weight, 10);
    assert_int_equal(t.of[WICK_EVENT_CPU].drop_weight, 0);
    assert_int_equal(t.of[WICK_EVENT_WALL].weight, 42000);
    assert_int_equal(t.of[WICK_EVENT_WALL].drop_weight, 3000);
    assert_int_equal(t.gaps, 1);
    wick_recorder_uncount(&rec, WICK_DROP_OUT_OF_MEMORY, &e);
    wick_recorder_totals(&rec, &t);
    assert_int_equal(t.fired, t.recorded + drops_of(&t));
    assert_int_equal(t.recorded, 2);
    assert_int_equal(t.of[WICK_EVENT_WALL].weight, 1000);
    assert_int_equal(t.of[WICK_EVENT_WALL].drop_weight, 44000);
    wick_recorder_quiesce(&rec);
    wick_recorder_release(&rec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorder__wall_samples_have_accounts_of_their_own),
        cmocka_unit_test(test_recorder__accounts_balance_with_a_tiny_ring_and_no_reader),
        cmocka_unit_test(test_recorder__generations_change_without_losing_a_sample),
        cmocka_unit_test(test_recorder__after_quiesce_no_handler_is_at_work_and_none_begins),
        cmocka_unit_test(test_recorder__quiesce_and_generations_wait_for_a_handler_that_lost_its_cpu),
        cmocka_unit_test(test_recorder__is_idle_while_no_handler_is_at_work),
        cmocka_unit_test(test_recorder__a_handler_that_never_leaves_is_given_up_once),
        cmocka_unit_test(test_recorder__a_handler_that_was_given_up_and_comes_back_drops_its_sample),
        cmocka_unit_test(test_recorder__without_a_scratch_area_nothing_is_touched),
        cmocka_unit_test(test_recorder__rings_have_room_for_two_seconds_within_bounds),
        cmocka_unit_test(test_recorder__a_stopped_one_takes_nothing),
        cmocka_unit_test(test_recorder__notes_are_samples),
        cmocka_unit_test(test_recorder__a_deep_stack_keeps_the_frames_at_its_leaf),
        cmocka_unit_test(test_recorder__a_full_stack_table_is_a_named_drop),
    };
    return cmocka_run_group_tests_name("record_recorder", tests, NULL, NULL);
}
