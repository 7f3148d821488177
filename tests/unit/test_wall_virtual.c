/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of virtual threads that are on no carrier, while a collection begins at any moment of a visit. */
#include "wall_scene.h"

#include "fake_space.h"

enum { ID = 16, STATE = 24, CARRIER = 32, CONT = 40, TAIL = 16, COUNT = 8, PAUSED = 12, CHUNK_BYTES = 8192 };
enum { TABLE = 16, HASH = 12, KEY = 16, NEXT = 24, LENGTH = 12, DATA = 16, SLOTS = 16 };
enum { PARKED = 5, THREAD = 77, NEVER = 1 << 20, MOST_READS = 200 };

static struct space space;
static struct wick_mem mem;
static struct wick_jvm jvm;
static wick_addr heap, handle, behind; /* behind: what the handle refers to */
static uint32_t reads, pause_at;
static int population; /* of which the thread is */

static uint64_t no_cpu(int32_t tid)
{
    (void)tid;
    return 0;
}

static int no_sched(struct wick_thread_files *files, int32_t tid, struct wick_thread_sched *out)
{
    (void)files, (void)tid, (void)out;
    return -1;
}

/* As the collection begins, the objects go elsewhere. */
static int read_and_count(const struct wick_mem *m, wick_addr addr, void *buf, size_t n)
{
    if (++reads >= pause_at) {
        space_put32(&space, heap + PAUSED, 1);
        space_put64(&space, handle, heap);
    }
    return wick_mem_fake_read(m, addr, buf, n);
}

/* A ConcurrentHashMap with the thread as its only key. */
static wick_addr set_of(wick_addr thread)
{
    wick_addr map = space_take(&space, 32), table = space_take(&space, DATA + SLOTS * 8), node = space_take(&space, 64);
    jvm.containers = (struct wick_hs_containers){
        .table = TABLE, .hash = HASH, .key = KEY, .next = NEXT, .array_length = LENGTH, .array_data = DATA};
    space_put64(&space, map + TABLE, table);
    space_put32(&space, table + LENGTH, SLOTS);
    space_put64(&space, table + DATA + 8 * 5, node);
    space_put64(&space, node + KEY, thread);
    return map;
}

static uint64_t owed(void)
{
    return wall.unmounted.owed_ns[population];
}

/* A thread that is parked, and one tick of 10 ms of which that read and all later ones fall into a collection. */
static void tick(uint32_t read)
{
    static const struct wick_wall_eyes eyes = {.cpu_ns = no_cpu, .sched = no_sched};
    space_init_jvm(&space, &jvm);
    mem = (struct wick_mem){.read = read_and_count, .ctx = &space.fake, .fd = -1};
    jvm.mem = &mem;
    jvm.step.cont_tail = TAIL;
    jvm.virtual_thread = (struct wick_hs_virtual_fields){
        .cont = CONT, .carrier = CARRIER, .state = STATE, .id = ID, .parked = 1u << PARKED};
    wick_addr thread = space_take(&space, 64), cont = space_take(&space, 32), variable = space_take(&space, 8);
    wick_addr map = set_of(thread);
    handle = space_take(&space, 8);
    heap = space_take(&space, 32);
    behind = population == WICK_WALL_VIRTUAL_HOLDERS ? thread : map;
    space_put64(&space, handle, behind);
    space_put64(&space, thread + ID, THREAD);
    space_put32(&space, thread + STATE, PARKED);
    space_put64(&space, thread + CONT, cont);
    space_put64(&space, cont + TAIL, space_take(&space, CHUNK_BYTES));
    space_put64(&space, variable, heap);
    jvm.layout.java_heap = variable;
    jvm.layout.java_heap_collections = COUNT;
    jvm.layout.java_heap_paused = PAUSED;
    wall_scene_begin(&eyes, 0, 4, population == WICK_WALL_VIRTUAL_HOLDERS ? "context" : "all");
    rec.walker.jvm = &jvm;
    rec.walker.mem = mem;
    wall.stack = malloc(WICK_THREAD_LOOK_STACK);
    assert_non_null(wall.stack);
    if (population == WICK_WALL_VIRTUAL_HOLDERS) {
        wall.unmounted.holders = true;
        void *weak = (void *)(uintptr_t)(handle | 1);
        wick_store_relaxed(&labels.records[wick_labels_bind_virtual(&labels, THREAD, 1, &weak)].current, 1);
    } else {
        wall.unmounted.others = true;
        jvm.containers.started = handle | 2;
    }
    reads = 0;
    pause_at = read;
    wick_wall_virtual_tick(&wall, 10 * MS, 10 * MS);
}

static void test_wall__a_visit_that_a_collection_interrupts_is_owed(void **state)
{
    uint32_t sampled = 0, interrupted = 0;
    population = *(const int *)*state;
    for (uint32_t read = 1; read <= MOST_READS; read++) {
        struct wick_totals t;
        tick(read);
        wick_recorder_totals(&rec, &t);
        assert_int_equal(t.drops[WICK_DROP_THREAD_MOVED], 0);
        assert_int_equal(t.fired * 10 * MS + owed(), 10 * MS);
        sampled += t.fired != 0;
        interrupted += owed() != 0;
        wall_scene_end();
    }
    assert_true(sampled && interrupted > 10);
}

static void test_wall__what_is_owed_goes_to_the_next_tick(void **state)
{
    struct wick_totals t;
    population = *(const int *)*state;
    tick(1);
    assert_int_equal(owed(), 10 * MS);
    pause_at = NEVER;
    space_put32(&space, heap + PAUSED, 0);
    space_put64(&space, handle, behind);
    wick_wall_virtual_tick(&wall, 20 * MS, 10 * MS);
    wick_recorder_totals(&rec, &t);
    assert_int_equal(t.of[WICK_EVENT_WALL].weight + t.of[WICK_EVENT_WALL].drop_weight, 20 * MS);
    assert_int_equal(owed(), 0);
    wall_scene_end();
}

int main(void)
{
    int holders = WICK_WALL_VIRTUAL_HOLDERS, rest = WICK_WALL_VIRTUAL_REST;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_wall__a_visit_that_a_collection_interrupts_is_owed, &holders),
        cmocka_unit_test_prestate(test_wall__a_visit_that_a_collection_interrupts_is_owed, &rest),
        cmocka_unit_test_prestate(test_wall__what_is_owed_goes_to_the_next_tick, &holders),
        cmocka_unit_test_prestate(test_wall__what_is_owed_goes_to_the_next_tick, &rest),
    };
    return cmocka_run_group_tests_name("wall_virtual", tests, NULL, NULL);
}
