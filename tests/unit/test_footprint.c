/* SPDX-License-Identifier: Apache-2.0 */
/* Reading mappings, and whose memory they are, from a made-up /proc/PID and what lies at some addresses. */
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_mem.h"
#include "base/err.h"
#include "footprint/footprint.h"

#define ARENA 0x7f0000000000ull
#define CHUNK 0x7f1000001000ull
#define PAGE  4096ull
#define MIB   (1ull << 20)

static char dir[64];

static int make_dir(void **state)
{
    (void)state;
    snprintf(dir, sizeof dir, "/tmp/wick-footprint-XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", dir);
    return system(command);
}

static FILE *file(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    return f;
}

/* One mapping as the kernel writes it. */
static void line(FILE *f, uint64_t lo, uint64_t hi, const char *rights, uint64_t offset, unsigned inode,
                 const char *path)
{
    fprintf(f, "%llx-%llx %s %08llx fe:00 %-10u                 %s\n", (unsigned long long)lo, (unsigned long long)hi,
            rights, (unsigned long long)offset, inode, path);
}

/* Pages are resident from an address on, and the next one is swapped out: pagemap as the kernel has it. */
static void touch(uint64_t from, unsigned pages)
{
    char path[128];
    snprintf(path, sizeof path, "%s/pagemap", dir);
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0);
    for (unsigned i = 0; i <= pages; i++) {
        uint64_t entry = i < pages ? 1ull << 63 | 1ull << 56 : pages ? 1ull << 62 : 0;
        assert_int_equal(pwrite(fd, &entry, 8, (off_t)((from / PAGE + i) * 8)), 8);
    }
    close(fd);
}

static void map(FILE *f, uint64_t lo, uint64_t hi, const char *rights, unsigned inode, const char *path, unsigned kib)
{
    line(f, lo, hi, rights, 0, inode, path);
    touch(lo, kib / 4);
}

static int open_dir(void)
{
    int fd = open(dir, O_PATH | O_DIRECTORY);
    assert_true(fd >= 0);
    return fd;
}

/* Every second has a path: of every length, with blanks and text in the form of a line. */
static const char *path_of(unsigned i, char out[300])
{
    snprintf(out, 300, i % 2 ? "/opt/%0*u 7f00-7fff rw-p 0" : "", (int)(i / 2) + 1, i);
    return out;
}

static void test_maps__mappings_come_one_by_one_over_many_buffers(void **state)
{
    struct wick_maps *s = malloc(sizeof *s);
    struct wick_mapping m;
    FILE *f = file("maps");
    char path[300];
    (void)state;
    assert_non_null(s);
    for (unsigned i = 0; i < 500; i++)
        line(f, (i + 1) * 16 * PAGE, (i + 2) * 16 * PAGE, i % 3 ? "rw-p" : "r-xs", i * PAGE, i % 2 ? i : 0,
             path_of(i, path));
    assert_int_equal(fclose(f), 0);
    int fd = open_dir();
    assert_int_equal(wick_maps_open(s, fd), 0);
    for (unsigned i = 0; i < 500; i++) {
        assert_int_equal(wick_maps_next(s, &m), 1);
        assert_int_equal(m.lo, (i + 1) * 16 * PAGE);
        assert_int_equal(m.hi, (i + 2) * 16 * PAGE);
        assert_int_equal(m.offset, i * PAGE);
        assert_true(m.readable);
        assert_int_equal(m.writable, i % 3 != 0);
        assert_int_equal(m.executable, i % 3 == 0);
        assert_int_equal(m.shared, i % 3 == 0);
        assert_int_equal(m.file, i % 2);
        assert_string_equal(m.path, path_of(i, path));
    }
    assert_int_equal(wick_maps_next(s, &m), 0);
    wick_maps_close(s);
    close(fd);
    free(s);
}

static void test_maps__garbage_is_refused(void **state)
{
    static const char *const texts[] = {
        "",         "x",          "12",          "12-",          "12-34",         "34-12 rw-p 0 0 0 ",
        "12-34 rw", "12-34 rw-p", "12-34 rw-p ", "12-34 rw-p 0", "12-34 rw-p 0 1"};
    struct wick_mapping m;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(wick_maps_parse(texts[i], &m));
    assert_true(wick_maps_parse("12-34 rw-p 00 fe:00 0", &m));
    assert_string_equal(m.path, "");
}

static void test_maps__text_without_an_end_is_an_error(void **state)
{
    struct wick_maps *s = malloc(sizeof *s);
    struct wick_mapping m;
    FILE *f = file("maps");
    (void)state;
    assert_non_null(s);
    for (int i = 0; i < 3 * WICK_MAPS_BUFFER; i++)
        fputc('x', f);
    assert_int_equal(fclose(f), 0);
    int fd = open_dir();
    assert_int_equal(wick_maps_open(s, fd), 0);
    assert_int_equal(wick_maps_next(s, &m), -WICK_E_FORMAT);
    wick_maps_close(s);
    close(fd);
    free(s);
}

static void test_maps__a_path_of_any_length_hides_no_mapping(void **state)
{
    static char path[3 * WICK_MAPS_BUFFER];
    struct wick_maps *s = malloc(sizeof *s);
    struct wick_mapping m;
    (void)state;
    assert_non_null(s);
    for (size_t length = WICK_MAPS_BUFFER - 200; length < sizeof path; length += length < WICK_MAPS_BUFFER ? 1 : 7919) {
        FILE *f = file("maps");
        memset(path, 'p', length);
        path[0] = '/';
        path[length] = 0;
        line(f, PAGE, 2 * PAGE, "r-xp", 0, 1, path);
        line(f, 2 * PAGE, 3 * PAGE, "rw-p", 0, 2, "/next");
        assert_int_equal(fclose(f), 0);
        int fd = open_dir();
        assert_int_equal(wick_maps_open(s, fd), 0);
        assert_int_equal(wick_maps_next(s, &m), 1);
        assert_int_equal(m.lo, PAGE);
        assert_int_equal(strncmp(m.path, path, strlen(m.path)), 0);
        assert_int_equal(wick_maps_next(s, &m), 1);
        assert_int_equal(m.lo, 2 * PAGE);
        assert_string_equal(m.path, "/next");
        assert_int_equal(wick_maps_next(s, &m), 0);
        wick_maps_close(s);
        close(fd);
    }
    free(s);
}

static void test_maps__an_address_is_found_whatever_paths_say(void **state)
{
    struct wick_mapping m = {.lo = 7};
    FILE *f = file("maps");
    char path[5000];
    (void)state;
    memset(path, '/', sizeof path);
    memcpy(path + 4000, "5000-6000 rwxp 0 0:0 1", 22); /* a part of a line has the form of one */
    path[sizeof path - 1] = 0;
    line(f, 0x1000, 0x2000, "rw-p", 0, 0, "");
    line(f, 0x2000, 0x3000, "r-xp", 0x10, 7, path);
    fputs("5000-6000\n-\n\n6000-5000 rwxp 0 0:0 1\nffffffffffffffffffff-0 rwxp 0 0:0 1\n", f);
    line(f, 0x5000, 0x6000, "r--s", 0x20, 4000000000u, path);
    fputs("8000-9000 rwxp 0 0:0 1", f); /* has no end */
    assert_int_equal(fclose(f), 0);
    int dir_fd = open_dir(), fd = openat(dir_fd, "maps", O_RDONLY);
    assert_true(wick_maps_find(fd, 0x2fff, &m));
    assert_int_equal(m.lo, 0x2000);
    assert_int_equal(m.hi, 0x3000);
    assert_true(m.executable && !m.writable);
    assert_int_equal(m.inode, 7);
    assert_string_equal(m.path, "");
    for (unsigned i = 0; i < 2; i++) {
        static const uint64_t none[] = {0x3000, 0x8000};
        m.lo = 7;
        assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
        assert_false(wick_maps_find(fd, none[i], &m));
        assert_int_equal(m.lo, 7);
    }
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    assert_true(wick_maps_find(fd, 0x5000, &m));
    assert_int_equal(m.inode, 4000000000u);
    assert_true(m.shared && !m.executable);
    close(fd);
    close(dir_fd);
}

static void test_maps__this_process_has_its_code(void **state)
{
    struct wick_maps *s = malloc(sizeof *s);
    struct wick_mapping m;
    uint64_t here = (uintptr_t)&test_maps__this_process_has_its_code;
    bool found = false;
    (void)state;
    assert_non_null(s);
    assert_int_equal(wick_maps_open_process(s, 0), 0);
    for (int round = 0; round < 2; round++) {
        while (wick_maps_next(s, &m) == 1)
            found |= here >= m.lo && here < m.hi && m.executable;
        assert_true(found);
        found = false;
        wick_maps_begin(s, s->fd);
    }
    wick_maps_close(s);
    assert_int_equal(wick_maps_open_process(s, INT_MAX), -WICK_E_GONE);
    free(s);
}

/* ---- whose memory ---- */

/* The head of an arena's heap of 1 MiB, and a block of 2 MiB. */
static const uint64_t arena_head[4] = {ARENA + 0x30, 0, MIB, MIB}, chunk_head[2] = {0, 2 * MIB + 2};

static struct {
    struct wick_mem_range ranges[2];
    struct wick_mem_fake fake;
    struct wick_mem mem;
    struct wick_jvm jvm;
    struct wick_footprint_jvm of;
    struct wick_footprint_walk walk;
} t;

/* A JVM about which only its memory is known. */
static void set_up(void)
{
    memset(&t, 0, sizeof t);
    t.ranges[0] = (struct wick_mem_range){ARENA, sizeof arena_head, arena_head};
    t.ranges[1] = (struct wick_mem_range){CHUNK, sizeof chunk_head, chunk_head};
    t.fake = (struct wick_mem_fake){t.ranges, 2};
    wick_mem_fake_init(&t.mem, &t.fake);
    t.jvm.mem = &t.mem;
    memset(&t.jvm.layout, 0xff, sizeof t.jvm.layout); /* WICK_HS_NONE */
    t.jvm.layout.loaders = t.jvm.layout.java_heap = t.jvm.layout.barrier_set = t.jvm.layout.smr_list =
        t.jvm.layout.thread_list = t.jvm.layout.klass_of_object = 0;
    t.of.jvm = &t.jvm;
}

static unsigned kernel_rss = 10000; /* KiB */

/* Thread 7 sleeps with that stack pointer, thread 8 runs. */
static void make_threads(uint64_t sp)
{
    char path[128];
    snprintf(path, sizeof path, "%s/task", dir);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/task/7", dir);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/task/8", dir);
    mkdir(path, 0700);
    FILE *f = file("task/7/syscall");
    fprintf(f, "202 0x1 0x80 0x0 0x0 0x0 0x0 0x%llx 0x7f0000000001\n", (unsigned long long)sp);
    assert_int_equal(fclose(f), 0);
    f = file("task/8/syscall");
    fputs("running\n", f);
    assert_int_equal(fclose(f), 0);
    f = file("status");
    fprintf(f, "Name:\tjava\nVmRSS:\t   %u kB\nVmPTE:\t     40 kB\n", kernel_rss);
    assert_int_equal(fclose(f), 0);
}

static const struct wick_footprint *walk(uint32_t most)
{
    int fd = open_dir(), rc;
    assert_int_equal(wick_footprint_begin(&t.walk, &t.of, fd), 0);
    while ((rc = wick_footprint_step(&t.walk, most)) > 0)
        ;
    assert_int_equal(rc, 0);
    wick_footprint_end(&t.walk);
    close(fd);
    return &t.walk.out;
}

static uint64_t resident(const struct wick_footprint *f, enum wick_memory_part part)
{
    return f->row[part].resident >> 10;
}

static void write_process(void)
{
    FILE *f = file("maps");
    map(f, 0x1000, 0x9000, "rw-p", 0, "[heap]", 16);
    line(f, 0x100000, 0x300000, "rw-s", 0x10000, 5, "/memfd:java_heap (deleted)"); /* three views of the same pages */
    line(f, 0x10100000, 0x10300000, "rw-s", 0x10000, 5, "/memfd:java_heap (deleted)");
    line(f, 0x20100000, 0x20300000, "rw-s", 0x10000, 5, "/memfd:java_heap (deleted)");
    touch(0x100000, 25);
    touch(0x10100000, 25);
    touch(0x20102000, 25); /* two pages further on */
    map(f, 0x30400000, 0x30500000, "rw-s", 6, "/memfd:ring (deleted)", 8);
    map(f, 0x30500000, 0x30600000, "r--s", 7, "/data/index.bin", 64);
    map(f, 0x30600000, 0x30700000, "rw-p", 8, "/jdk/lib/server/classes.jsa", 48);
    map(f, 0x30700000, 0x30702000, "r--p", 9, "/lib/libc.so.6", 4);
    map(f, 0x30702000, 0x30704000, "rw-p", 9, "/lib/libc.so.6", 4);
    map(f, 0x30704000, 0x30710000, "rw-p", 0, "", 8);  /* its .bss */
    map(f, 0x30800000, 0x30880000, "rw-p", 0, "", 12); /* a stack */
    map(f, 0x30900000, 0x30980000, "rw-p", 0, "", 20); /* nobody's */
    map(f, ARENA, ARENA + MIB, "rw-p", 0, "", 500);
    map(f, ARENA + MIB, ARENA + 64 * MIB, "---p", 0, "", 0);
    map(f, CHUNK, CHUNK + 2 * MIB, "rw-p", 0, "", 2048);
    map(f, 0x7ffc00000000, 0x7ffc00021000, "rw-p", 0, "[stack]", 32);
    map(f, 0x7ffc00022000, 0x7ffc00024000, "r-xp", 0, "[vdso]", 4);
    line(f, 0xffffffffff600000, 0xffffffffff601000, "--xp", 0, 0, "[vsyscall]");
    assert_int_equal(fclose(f), 0);
}

static void test_footprint__each_mapping_has_its_owner(void **state)
{
    (void)state;
    set_up();
    make_threads(0x3087f000);
    write_process();
    for (uint32_t most = 1; most < 100; most += 98) { /* in steps, and at once */
        const struct wick_footprint *f = walk(most);
        assert_int_equal(resident(f, WICK_MEMORY_HEAP), 4 * 27);
        assert_int_equal(resident(f, WICK_MEMORY_REPEATED), 4 * (75 - 27));
        assert_int_equal(resident(f, WICK_MEMORY_SHARED), 8);
        assert_int_equal(resident(f, WICK_MEMORY_FILES), 64);
        assert_int_equal(resident(f, WICK_MEMORY_CLASS_ARCHIVE), 48);
        assert_int_equal(resident(f, WICK_MEMORY_LIBRARIES), 4 + 4 + 8 + 4);
        assert_int_equal(resident(f, WICK_MEMORY_STACKS), 12 + 32);
        assert_int_equal(resident(f, WICK_MEMORY_MALLOC), 16 + 500 + 2048);
        assert_int_equal(resident(f, WICK_MEMORY_OTHER), 20);
        assert_int_equal(f->row[WICK_MEMORY_STACKS].count, 2);
        assert_int_equal(resident(f, WICK_MEMORY_PAGE_TABLES), 40);
        assert_int_equal(resident(f, WICK_MEMORY_KERNEL_STACKS), 32);
        assert_int_equal(f->resident >> 10, 108 + 8 + 64 + 48 + 20 + 44 + 2564 + 20);
        assert_int_equal(f->row[WICK_MEMORY_OTHER].swapped, PAGE);
        assert_int_equal(f->row[WICK_MEMORY_MALLOC].swapped, 2 * PAGE); /* of the block all is resident */
    }
}

/* Pages that were only read count if another process has them as well, and not if they are the page of zeros: that
 * shows in the kernel's sum. */
static void test_footprint__the_page_of_zeros_is_no_memory(void **state)
{
    (void)state;
    for (int zeros = 0; zeros < 2; zeros++) {
        set_up();
        kernel_rss = zeros ? 100 : 500;
        make_threads(0);
        FILE *f = file("maps");
        map(f, 0x10000000, 0x10500000, "rw-p", 0, "", 100);
        line(f, 0x20000000, 0x20500000, "rw-p", 0, 0, "");
        assert_int_equal(fclose(f), 0);
        char path[128];
        snprintf(path, sizeof path, "%s/pagemap", dir);
        int fd = open(path, O_WRONLY);
        for (unsigned i = 0; i < 100; i++) {
            uint64_t entry = 1ull << 63;
            assert_int_equal(pwrite(fd, &entry, 8, (off_t)((0x20000000 / PAGE + i) * 8)), 8);
        }
        close(fd);
        const struct wick_footprint *out = walk(10);
        assert_int_equal(resident(out, WICK_MEMORY_OTHER), zeros ? 100 : 500);
        assert_int_equal(out->resident >> 10, zeros ? 100 : 500);
        assert_int_equal(remove_dir(state), 0);
        assert_int_equal(make_dir(state), 0);
    }
    kernel_rss = 10000;
}

/* Bytes in the form of a block header whose size is beyond any limit. */
static void test_footprint__a_size_beyond_everything_is_none(void **state)
{
    static const uint64_t heads[][2] = {{0, (uint64_t)-6}, {0, (uint64_t)-14}, {0, ~0ull << 12 | 2}, {0, 2}};
    (void)state;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        set_up();
        make_threads(0);
        t.ranges[0] = (struct wick_mem_range){CHUNK, sizeof heads[i], heads[i]};
        FILE *f = file("maps");
        map(f, CHUNK, CHUNK + MIB, "rw-p", 0, "", 100);
        assert_int_equal(fclose(f), 0);
        assert_int_equal(resident(walk(10), WICK_MEMORY_OTHER), 100);
    }
}

static void test_footprint__tables_of_the_collector_are_known_by_their_size(void **state)
{
    (void)state;
    set_up();
    make_threads(0);
    FILE *f = file("maps");
    /* of a heap of 1 GiB: a bit for each word of 8 bytes, a third of it touched; and as much that is none */
    map(f, 0x10000000, 0x10500000, "rw-p", 0, "", 5000);
    map(f, 0x10500000, 0x11000000, "---p", 0, "", 0);
    map(f, 0x20000000, 0x20500000, "rw-p", 0, "", 3000);
    assert_int_equal(fclose(f), 0);
    uint64_t region[2] = {0x80000000, (1ull << 30) / 8}, heap = 0x5000, pointer[1] = {heap};
    struct wick_mem_range ranges[] = {{0x5020, sizeof region, region}, {0x4000, sizeof pointer, pointer}};
    t.fake = (struct wick_mem_fake){ranges, 2};
    t.jvm.layout.java_heap = 0x4000;
    t.jvm.layout.java_heap_reserved = 0x20;
    t.jvm.layout.region_start = 0;
    t.jvm.layout.region_words = 8;
    const struct wick_footprint *out = walk(10);
    assert_int_equal(resident(out, WICK_MEMORY_GC), 5000);
    assert_int_equal(resident(out, WICK_MEMORY_OTHER), 3000);
}

/* A process whose mappings may not be read, or that has ended. */
static void test_footprint__without_mappings_is_an_error(void **state)
{
    (void)state;
    set_up();
    int fd = open("/proc/self/fdinfo", O_PATH | O_DIRECTORY);
    assert_int_equal(wick_footprint_begin(&t.walk, &t.of, fd), -WICK_E_GONE);
    close(fd);
}

static void test_footprint__of_this_process_is_its_resident_set(void **state)
{
    char *block = malloc(8 * MIB);
    (void)state;
    set_up();
    assert_non_null(block);
    memset(block, 1, 8 * MIB);
    assert_int_equal(wick_mem_self_init(&t.mem), 0);
    int fd = open("/proc/self", O_PATH | O_DIRECTORY);
    assert_int_equal(wick_footprint_begin(&t.walk, &t.of, fd), 0);
    assert_int_equal(wick_footprint_step(&t.walk, UINT32_MAX), 0);
    wick_footprint_end(&t.walk);
    close(fd);
    uint64_t sum = 0;
    for (int i = 0; i < WICK_MEMORY_PARTS; i++)
        if (wick_memory_part_resident((enum wick_memory_part)i))
            sum += t.walk.out.row[i].resident;
    assert_int_equal(sum, t.walk.out.resident);
    assert_true(sum > 8 * MIB);
    free(block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_maps__mappings_come_one_by_one_over_many_buffers, make_dir, remove_dir),
        cmocka_unit_test(test_maps__garbage_is_refused),
        cmocka_unit_test_setup_teardown(test_maps__a_path_of_any_length_hides_no_mapping, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(test_maps__text_without_an_end_is_an_error, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(test_maps__an_address_is_found_whatever_paths_say, make_dir, remove_dir),
        cmocka_unit_test(test_maps__this_process_has_its_code),
        cmocka_unit_test_setup_teardown(test_footprint__each_mapping_has_its_owner, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(test_footprint__the_page_of_zeros_is_no_memory, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(test_footprint__a_size_beyond_everything_is_none, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(test_footprint__tables_of_the_collector_are_known_by_their_size, make_dir,
                                        remove_dir),
        cmocka_unit_test(test_footprint__without_mappings_is_an_error),
        cmocka_unit_test(test_footprint__of_this_process_is_its_resident_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
