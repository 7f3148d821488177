/* SPDX-License-Identifier: Apache-2.0 */
/* What malloc holds free: of made-up arenas of both forms, of broken ones, and of this process as glibc itself says. */
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_mem.h"
#include "footprint/arenas.h"
#include "sys/maps.h"

#define LIBC  0x700000ull
#define HEAP  0x800000ull
#define OTHER 0x7f0000000000ull
#define PAGE  4096ull

enum { LIBC_WORDS = 1024, HEAP_WORDS = 1024, MAIN_AT = 0x320, MP_AT = 0x100, LISTS = 127 };

static struct {
    uint64_t libc[LIBC_WORDS], heap[HEAP_WORDS], other[HEAP_WORDS];
    struct wick_mem_range ranges[3];
    struct wick_mem_fake fake;
    struct wick_mem mem;
    struct wick_pagemap pagemap;
    struct wick_arenas_walk walk;
    uint32_t bins;
} t;

static uint64_t *at(uint64_t addr)
{
    return addr >= OTHER  ? &t.other[(addr - OTHER) / 8]
           : addr >= HEAP ? &t.heap[(addr - HEAP) / 8]
                          : &t.libc[(addr - LIBC) / 8];
}

static uint64_t list_of(uint64_t arena, uint32_t i)
{
    return arena + t.bins + (i - 1) * 16ull - 16;
}

static void make_arena(uint64_t arena, uint64_t next, uint64_t top, uint64_t top_size, uint64_t system)
{
    for (uint32_t i = 1; i <= LISTS; i++)
        at(list_of(arena, i))[2] = at(list_of(arena, i))[3] = list_of(arena, i);
    at(arena + t.bins - 16)[0] = top;
    at(top)[1] = top_size | 1;
    at(arena + t.bins + 2048)[0] = next;
    at(arena + t.bins + 2064)[0] = 1;
    at(arena + t.bins + 2072)[0] = at(arena + t.bins + 2080)[0] = system;
}

/* Puts a chunk into a list, behind its head. */
static void make_free(uint64_t arena, uint32_t list, uint64_t chunk, uint64_t size)
{
    uint64_t self = list_of(arena, list), next = at(self)[2];
    at(chunk)[1] = size | 1;
    at(chunk)[2] = next;
    at(chunk)[3] = self;
    at(next)[3] = chunk;
    at(self)[2] = chunk;
}

/* Two arenas: 64 KiB, of which 4 KiB are at the end and 544 + 48 + 2048 free; 32 KiB, of which 1 KiB and 64 are. Three
 * blocks of 1 MiB in all have mappings of their own. */
static void set_up(uint32_t bins, unsigned shift)
{
    memset(&t, 0, sizeof t);
    t.bins = bins;
    t.ranges[0] = (struct wick_mem_range){LIBC, sizeof t.libc, t.libc};
    t.ranges[1] = (struct wick_mem_range){HEAP, sizeof t.heap, t.heap};
    t.ranges[2] = (struct wick_mem_range){OTHER, sizeof t.other, t.other};
    t.fake = (struct wick_mem_fake){t.ranges, 3};
    wick_mem_fake_init(&t.mem, &t.fake);
    t.pagemap.fd = -1;
    memcpy((char *)t.libc + MP_AT + shift, (uint32_t[]){3, 65536, 4, 0}, 16);
    at(LIBC + MP_AT + 16 + (shift ? 8 : 0))[0] = 1 << 20;
    at(LIBC + MP_AT + 16 + (shift ? 8 : 0))[1] = 2 << 20;
    make_arena(LIBC + MAIN_AT, OTHER + 0x30, HEAP + 0x1000, 4096, 64 << 10);
    make_arena(OTHER + 0x30, LIBC + MAIN_AT, OTHER + 0x1f00, 1024, 32 << 10);
    at(OTHER)[0] = OTHER + 0x30;
    make_free(LIBC + MAIN_AT, 1, HEAP + 0x100, 544);
    make_free(LIBC + MAIN_AT, 3, HEAP + 0x400, 48);
    make_free(LIBC + MAIN_AT, 70, HEAP + 0x500, 2048);
    make_free(OTHER + 0x30, 4, OTHER + 0x1000, 64);
}

static uint32_t most; /* chunks; 0 = as many as there are */

static const struct wick_arenas *read_arenas(void)
{
    wick_arenas_begin(&t.walk, &t.mem, &t.pagemap, LIBC, LIBC + sizeof t.libc, most);
    while (wick_arenas_step(&t.walk))
        ;
    return &t.walk.out;
}

static void test_arenas__both_forms_are_read(void **state)
{
    (void)state;
    for (int form = 0; form < 4; form++) {
        set_up(form & 1 ? 112 : 24, form & 2 ? 4 : 0);
        if (form & 1) { /* a fastbin of two chunks, their links plain or mangled */
            uint64_t first = HEAP + 0x1800, second = HEAP + 0x1900;
            at(LIBC + MAIN_AT + 16 + 8)[0] = first;
            at(first)[1] = at(second)[1] = 48 | 1;
            at(first)[2] = form & 2 ? second : second ^ (first + 16) >> 12;
            at(second)[2] = form & 2 ? 0 : (second + 16) >> 12;
        }
        const struct wick_arenas *a = read_arenas();
        uint64_t fast = form & 1 ? 96 : 0;
        assert_int_equal(a->state, WICK_ARENAS_KNOWN);
        assert_int_equal(a->arenas, 2);
        assert_int_equal(a->free, 544 + 48 + 2048 + 64 + fast);
        assert_int_equal(a->top, 4096 + 1024);
        assert_int_equal(a->used, (96 << 10) - a->free - a->top);
        assert_int_equal(a->blocks, 3);
        assert_int_equal(a->mapped, 1 << 20);
        assert_int_equal(a->trimmable, 0);
    }
}

static void test_arenas__the_work_is_bounded(void **state)
{
    (void)state;
    set_up(112, 4);
    most = 10;
    const struct wick_arenas *a = read_arenas();
    most = 0;
    assert_int_equal(a->state, WICK_ARENAS_PARTLY);
    assert_int_equal(a->arenas, 2);
    assert_int_equal(a->top, 4096 + 1024);
    assert_true(a->free < 544 + 48 + 2048 + 64);
}

/* What each of them makes of the arenas. */
static void break_link(void)
{
    at(HEAP + 0x400)[2] = HEAP + 0x500;
}

static void break_size(void)
{
    at(HEAP + 0x400)[1] = 64 | 1;
}

static void break_big(void)
{
    at(HEAP + 0x100)[1] = 1ull << 46;
}

static void break_cycle(void)
{
    at(HEAP + 0x400)[2] = at(HEAP + 0x400)[3] = HEAP + 0x400;
}

static void break_away(void)
{
    at(list_of(LIBC + MAIN_AT, 3))[2] = 0x123450;
}

static void test_arenas__a_broken_list_counts_for_what_was_seen(void **state)
{
    static void (*const breaks[])(void) = {break_link, break_size, break_big, break_cycle, break_away};
    (void)state;
    for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++) {
        set_up(112, 4);
        breaks[i]();
        const struct wick_arenas *a = read_arenas();
        assert_int_equal(a->state, WICK_ARENAS_PARTLY);
        assert_true(a->free <= 544 + 48 + 2048 + 64);
        assert_true(a->free >= 2048 + 64);
        assert_int_equal(a->top, 4096 + 1024);
    }
}

static void no_ring(void)
{
    at(LIBC + MAIN_AT + t.bins + 2048)[0] = HEAP + 0x30;
}

static void no_head(void)
{
    at(OTHER)[0] = OTHER + 0x40;
}

static void ring_without_main(void)
{
    at(OTHER + 0x30 + t.bins + 2048)[0] = OTHER + 0x30;
}

static void no_lists(void)
{
    at(list_of(LIBC + MAIN_AT, 40))[2] = 1;
}

static void top_too_large(void)
{
    at(HEAP + 0x1000)[1] = 128 << 10;
}

static void more_than_there_is(void)
{
    at(LIBC + MAIN_AT + t.bins + 2072)[0] = 4096;
    at(OTHER + 0x30 + t.bins + 2072)[0] = 1024;
}

static void no_blocks(void)
{
    at(LIBC + MP_AT)[0] = at(LIBC + MP_AT)[1] = 0;
}

static void test_arenas__nothing_is_said_of_what_is_not_understood(void **state)
{
    static void (*const breaks[])(void) = {
        no_ring, no_head, ring_without_main, no_lists, top_too_large, more_than_there_is, no_blocks};
    (void)state;
    for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++) {
        set_up(112, 4);
        breaks[i]();
        const struct wick_arenas *a = read_arenas();
        assert_int_equal(a->state, WICK_ARENAS_UNKNOWN);
        assert_int_equal(a->free + a->used + a->top + a->arenas + a->mapped + a->trimmable, 0);
    }
}

static void test_arenas__another_allocator_or_library_is_named(void **state)
{
    (void)state;
    set_up(112, 4);
    memset(at(LIBC + MAIN_AT), 0, 2200);
    at(LIBC + MAIN_AT + 112 + 2048)[0] = LIBC + MAIN_AT;
    at(LIBC + MAIN_AT + 112 + 2064)[0] = 1;
    assert_int_equal(read_arenas()->state, WICK_ARENAS_UNUSED);
    wick_arenas_begin(&t.walk, &t.mem, &t.pagemap, 0, 0, 0);
    assert_false(wick_arenas_step(&t.walk));
    assert_int_equal(t.walk.out.state, WICK_ARENAS_NO_GLIBC);
}

/* ---- this process ---- */

#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__

struct numbers {
    size_t arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost;
};
struct small_numbers {
    int arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost;
};

/* mallinfo2 (glibc 2.33 and later), and mallinfo. */
static struct {
    struct numbers (*now)(void);
    struct small_numbers (*old)(void);
} glibc;

/* A name that is not found is an error with a text, which takes memory: before anything is compared. */
static void find_functions(void)
{
    void *now = dlsym(RTLD_DEFAULT, "mallinfo2"), *old = dlsym(RTLD_DEFAULT, "mallinfo");
    memcpy(&glibc.now, &now, sizeof now);
    memcpy(&glibc.old, &old, sizeof old);
}

static struct numbers ask_glibc(void)
{
    if (glibc.now)
        return glibc.now();
    struct small_numbers n = glibc.old();
    return (struct numbers){.fordblks = (unsigned)n.fordblks,
                            .uordblks = (unsigned)n.uordblks,
                            .hblkhd = (unsigned)n.hblkhd,
                            .hblks = (unsigned)n.hblks};
}

static void find_libc(uint64_t *lo, uint64_t *hi)
{
    struct wick_maps *s = malloc(sizeof *s);
    struct wick_mapping m;
    assert_non_null(s);
    assert_int_equal(wick_maps_open_process(s, 0), 0);
    while (wick_maps_next(s, &m) == 1)
        if (m.writable && (strstr(m.path, "/libc.so.6") || strstr(m.path, "/libc-2."))) {
            *lo = m.lo;
            *hi = m.hi;
        }
    wick_maps_close(s);
    free(s);
}

static struct wick_arenas read_own(uint64_t lo, uint64_t hi)
{
    int proc = open("/proc/self", O_PATH | O_DIRECTORY);
    assert_int_equal(wick_mem_self_init(&t.mem), 0);
    assert_int_equal(wick_pagemap_open(&t.pagemap, proc), 0);
    wick_arenas_begin(&t.walk, &t.mem, &t.pagemap, lo, hi, 0);
    while (wick_arenas_step(&t.walk))
        ;
    wick_pagemap_close(&t.pagemap);
    wick_mem_release(&t.mem);
    close(proc);
    return t.walk.out;
}

static uint64_t resident_bytes(void)
{
    char text[128] = "";
    int fd = open("/proc/self/statm", O_RDONLY);
    assert_true(read(fd, text, sizeof text - 1) > 0);
    close(fd);
    return strtoull(strchr(text, ' '), NULL, 10) * PAGE;
}

enum { BLOCKS = 20000 };

static struct {
    void *block[BLOCKS];
    void *large;
    size_t size;
    int keep; /* one of so many */
    pthread_barrier_t ready, end;
} p;

static void make_fragments(void)
{
    for (int i = 0; i < BLOCKS; i++)
        memset(p.block[i] = malloc(p.size), 1, p.size);
    for (int i = 0; i < BLOCKS - 1; i++)
        if (i % p.keep) {
            free(p.block[i]);
            p.block[i] = NULL;
        }
}

static void *thread(void *ctx)
{
    (void)ctx;
    make_fragments();
    pthread_barrier_wait(&p.ready);
    pthread_barrier_wait(&p.end);
    for (int i = 0; i < BLOCKS; i++)
        free(p.block[i]);
    return NULL;
}

static void compare(uint64_t lo, uint64_t hi, size_t size, int keep)
{
    struct wick_arenas a = read_own(lo, hi);
    struct numbers s = ask_glibc();
    uint64_t freed = size * (BLOCKS - BLOCKS / (uint64_t)keep), before = resident_bytes();
    assert_int_equal(a.state, WICK_ARENAS_KNOWN);
    assert_int_equal(a.free + a.top, s.fordblks);
    assert_int_equal(a.used, s.uordblks);
    assert_int_equal(a.mapped, s.hblkhd);
    assert_int_equal(a.blocks, s.hblks);
    assert_true(a.mapped >= 3 << 20);
    assert_true(a.free + a.top + (64 << 10) > freed);
    malloc_trim(0);
    uint64_t after = resident_bytes(), given = before > after ? before - after : 0;
    /* the kernel counts some dozens of pages by processor, and glibc joins what is in fastbins */
    uint64_t slack = a.trimmable / 50 + (512 << 10) * (uint64_t)sysconf(_SC_NPROCESSORS_CONF);
    assert_true(given + slack > a.trimmable && given < a.trimmable + slack);
    assert_true(read_own(lo, hi).trimmable < 128 << 10);
}

static void test_arenas__of_this_process_are_what_glibc_says(void **state)
{
    static const struct {
        size_t size;
        int keep;
    } cases[] = {{100, 2}, {700, 2}, {3000, 2}, {20000, 2}, {3000, 1000}, {3000, BLOCKS}};
    uint64_t lo = 0, hi = 0;
    (void)state;
    find_libc(&lo, &hi);
    find_functions();
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        pthread_t id;
        p.size = cases[i / 2].size;
        p.keep = cases[i / 2].keep;
        mallopt(M_MMAP_THRESHOLD, 1 << 20);
        p.large = malloc(3 << 20);
        pthread_barrier_init(&p.ready, NULL, 2);
        pthread_barrier_init(&p.end, NULL, 2);
        if (i % 2) { /* in an arena other than the first */
            assert_int_equal(pthread_create(&id, NULL, thread, NULL), 0);
            pthread_barrier_wait(&p.ready);
            compare(lo, hi, p.size, p.keep);
            pthread_barrier_wait(&p.end);
            pthread_join(id, NULL);
        } else {
            make_fragments();
            compare(lo, hi, p.size, p.keep);
            for (int k = 0; k < BLOCKS; k++)
                free(p.block[k]);
        }
        free(p.large);
    }
}

static volatile int stop;

static void *allocating(void *ctx)
{
    void *kept[512] = {0};
    unsigned seed = (unsigned)(uintptr_t)ctx;
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        unsigned k = (seed = seed * 1103515245 + 12345) >> 16;
        free(kept[k % 512]);
        kept[k % 512] = malloc((seed >> 8) % 9000 + 1);
        if (kept[k % 512])
            memset(kept[k % 512], (int)k, 1);
    }
    for (int i = 0; i < 512; i++)
        free(kept[i]);
    return NULL;
}

/* Whatever is read while threads allocate must end, and be possible. */
static void test_arenas__of_a_busy_process_are_possible(void **state)
{
    pthread_t id[2];
    uint64_t lo = 0, hi = 0;
    (void)state;
    find_libc(&lo, &hi);
    for (uintptr_t i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&id[i], NULL, allocating, (void *)(i + 1)), 0);
    for (int i = 0; i < 200; i++) {
        struct wick_arenas a = read_own(lo, hi);
        if (wick_arenas_known(&a))
            assert_true(a.used + a.free + a.top < 1ull << 30 && a.trimmable <= a.free + a.top);
        else
            assert_int_equal(a.state, WICK_ARENAS_UNKNOWN);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < 2; i++)
        pthread_join(id[i], NULL);
}

#define OF_THIS_PROCESS                                                 \
    cmocka_unit_test(test_arenas__of_this_process_are_what_glibc_says), \
        cmocka_unit_test(test_arenas__of_a_busy_process_are_possible),
#else
#define OF_THIS_PROCESS
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_arenas__both_forms_are_read),
                                       cmocka_unit_test(test_arenas__the_work_is_bounded),
                                       cmocka_unit_test(test_arenas__a_broken_list_counts_for_what_was_seen),
                                       cmocka_unit_test(test_arenas__nothing_is_said_of_what_is_not_understood),
                                       cmocka_unit_test(test_arenas__another_allocator_or_library_is_named),
                                       OF_THIS_PROCESS};
    return cmocka_run_group_tests_name("arenas", tests, NULL, NULL);
}
