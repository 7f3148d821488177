/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_faults_tables.c - tables that grow while a recording runs, and files that are read on the way, while memory and
 * descriptors run out
 *
 * What does not fit is left out, counted or said; what was there before stays.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/block.h"
#include "base/strbuf.h"
#include "elf/file.h"
#include "elf/hooks.h"
#include "elf/image.h"
#include "elf/symbols.h"
#include "engine/alloc/live.h"
#include "engine/nativemem/nativemem.h"
#include "sys/perf_event.h"
#include "engine/thread/thread_facts.h"
#include "engine/thread/threads.h"
#include "fake_mem.h"
#include "faults.h"
#include "footprint/footprint.h"
#include "labels/foreign.h"
#include "labels/process_context.h"
#include "mem/mem.h"
#include "symbolize/kernel_names.h"
#include "symbolize/symbolize.h"
#include "sys/neighbours.h"
#include "sys/sock.h"

static struct wick_mem mem;
static char dir[] = "/tmp/wick-faults-XXXXXX";

static FILE *file(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    return f;
}

/* /proc/PID of a made-up process: two views of a heap's file, and a stack whose thread sleeps. */
static void make_process(void)
{
    char path[64];
    static const char *const folders[] = {"task", "task/7"};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, folders[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    FILE *f = file("maps");
    for (int i = 0; i < 2; i++)
        fprintf(f, "%x-%x rw-s 00010000 fe:00 5    /memfd:java_heap (deleted)\n", 0x100000 + (i << 24),
                0x300000 + (i << 24));
    fputs("30800000-30880000 rw-p 00000000 00:00 0\n", f);
    assert_int_equal(fclose(f), 0);
    f = file("pagemap");
    for (uint64_t page = 0, here = 1ull << 63 | 1ull << 56; page < 0x1400; page++)
        assert_int_equal(fwrite(&here, 8, 1, f), 1);
    assert_int_equal(fclose(f), 0);
    f = file("task/7/syscall");
    fputs("202 0x1 0x80 0x0 0x0 0x0 0x0 0x3087f000 0x7f0000000001\n", f);
    assert_int_equal(fclose(f), 0);
    f = file("status");
    fputs("Name:\tjava\nVmRSS:\t   100 kB\nVmPTE:\t     40 kB\n", f);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(mkdir((snprintf(path, sizeof path, "%s/8", dir), path), 0700), 0);
    f = file("8/stat");
    fputs("8 (java) S 1 8 8 0 -1 0 0 0 0 0 500 500 0 0 20 0 1 0 77 0 0", f);
    for (int i = 0; i < 28; i++)
        fputs(" 0", f);
    assert_int_equal(fclose(f), 0);
    f = file("8/comm");
    fputs("java\n", f);
    assert_int_equal(fclose(f), 0);
    snprintf(path, sizeof path, "%s/debug", dir);
    assert_int_equal(symlink("/proc/self/exe", path), 0);
    f = file("kallsyms");
    for (int i = 0; i < 100; i++)
        fprintf(f, "%016llx T function_%d\n", 0xffffffff81000000ull + 256ull * (unsigned)i, i);
    assert_int_equal(fclose(f), 0);
}

static int set_up(void **state)
{
    assert_non_null(mkdtemp(dir));
    make_process();
    return wick_mem_self_init(&mem);
}

static int tear_down(void **state)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r '%s'", dir);
    return system(command);
}

/* --- attempts --- */

/* Grows beyond what is mapped, and shrinks again; what could not change is as it was. */
static int blocks(void *arg)
{
    static const size_t sizes[] = {100, WICK_BLOCK_LARGE, 4 * WICK_BLOCK_LARGE, 200};
    size_t size = 0;
    char *p = NULL;
    int rc = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && !rc; i++) {
        char *q = wick_block_resize(p, size, sizes[i]);
        rc = q ? 0 : -WICK_E_NOMEM;
        assert_true(!size || (q ? q : p)[0] == 'x');
        p = q ? q : p;
        size = q ? sizes[i] : size;
        if (q)
            p[0] = 'x';
    }
    wick_block_free(p, size);
    return rc;
}

static int long_text(void *arg)
{
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    for (size_t i = 0; i < WICK_BLOCK_LARGE / 8 && !sb.failed; i++)
        wick_strbuf_adds(&sb, "12345678");
    size_t len = sb.len;
    char *taken = wick_strbuf_take(&sb);
    assert_true(!taken || strlen(taken) == len);
    int rc = taken ? 0 : -WICK_E_NOMEM;
    free(taken);
    wick_strbuf_release(&sb);
    return rc;
}

static int symbol_of_file(void *arg)
{
    struct wick_elf_file f;
    struct wick_mem m;
    struct stat st;
    uint64_t vaddr = 0;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -WICK_E_LIMIT;
    wick_mem_file_init(&m, fd);
    assert_int_equal(fstat(fd, &st), 0);
    assert_int_equal(wick_elf_file_init(&f, &m, (uint64_t)st.st_size), 0);
    int rc = wick_elf_find_symtab(&f, "main", &vaddr, NULL);
    assert_true(!rc == !!vaddr);
    close(fd);
    return rc;
}

/* A debug file that is found by name and checksum, in place of a build id: this program, which does not fit. */
static int debug_file(void *arg)
{
    static const struct {
        char name[8];
        uint32_t crc;
    } link = {"debug", 1};
    struct wick_elf_file f = {.mem = mem, .debuglink = {.off = (uintptr_t)&link, .size = sizeof link}}, out;
    char path[64];
    snprintf(path, sizeof path, "%s/program", dir);
    assert_true(wick_elf_open_debug(&f, path, -1, "/nowhere", &out) < 0);
    return 0;
}

/* This process as another one sees it. */
static int images_from_outside(void *arg)
{
    struct wick_elf_images im;
    struct wick_err err = {0};
    bool changed;
    wick_elf_images_init(&im, getpid());
    int rc = wick_elf_images_refresh(&im, &mem, &changed, &err);
    const struct wick_elf_image *image = wick_elf_images_find(&im, (wick_addr)(uintptr_t)images_from_outside);
    assert_true(!rc == !!image);
    if (image) {
        struct wick_symbols *s = NULL;
        const struct wick_symbols_from from = {.pid = getpid(), .debug_dir = "/nowhere"};
        rc = wick_symbols_load(&s, image, &from, &err);
        if (s)
            wick_symbols_free(s);
        /* Its path is another file's by now: what is mapped is opened. */
        struct wick_elf_image moved = *image;
        moved.path = "/nowhere";
        int fd = wick_elf_open_image(&moved, 0, -1);
        if (fd >= 0)
            close(fd);
    }
    wick_elf_images_release(&im);
    return rc;
}

static struct wick_elf_images own;

/* Code outside of all images. */
static int anonymous_code(void *arg)
{
    struct wick_symbolizer s;
    struct wick_code_name name;
    wick_symbolizer_init(&s, &own, 0, NULL, NULL);
    wick_symbolize(&s, (uintptr_t)&s, &name);
    assert_true(name.symbol[0]);
    wick_symbolizer_release(&s);
    return 0;
}

static int kernel_functions(void *arg)
{
    char path[64], name[64];
    snprintf(path, sizeof path, "%s/kallsyms", dir);
    struct wick_kernel_names names = {.path = path};
    int found = 0;
    wick_kernel_names_begin(&names);
    for (uint64_t i = 0; i < 90; i++)
        found += wick_kernel_names_find(&names, 0xffffffff81000010 + 256 * i, NULL, name, sizeof name);
    for (uint64_t i = 0; i < 90; i++) /* of those that are kept */
        wick_kernel_names_find(&names, 0xffffffff81000010 + 256 * i, NULL, name, sizeof name);
    wick_kernel_names_tidy(&names, true);
    wick_kernel_names_release(&names);
    return found == 90 ? 0 : -WICK_E_NOMEM;
}

static int footprint(void *arg)
{
    static struct wick_mem_fake fake;
    static struct wick_jvm jvm;
    static struct wick_footprint_walk walk;
    struct wick_mem nothing;
    struct wick_footprint_jvm of = {.jvm = &jvm};
    int proc = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (proc < 0)
        return -WICK_E_LIMIT;
    wick_mem_fake_init(&nothing, &fake);
    memset(&jvm.layout, 0xff, sizeof jvm.layout);
    jvm.layout.loaders = jvm.layout.java_heap = jvm.layout.barrier_set = jvm.layout.smr_list = jvm.layout.thread_list =
        jvm.layout.klass_of_object = 0;
    jvm.mem = &nothing;
    int rc = wick_footprint_begin(&walk, &of, proc);
    if (!rc) {
        while ((rc = wick_footprint_step(&walk, 1)) > 0)
            ;
        wick_footprint_end(&walk);
    }
    close(proc);
    return rc;
}

static bool is_gone(uint64_t reference)
{
    return reference > 200;
}

static uint32_t collections(void)
{
    return 9;
}

static void drop(const uint64_t *references, size_t n)
{
}

/* 1,000 objects of a class each, of which 200 stay. */
static int live_objects(void *arg)
{
    static const struct wick_live_jvm jvm = {is_gone, collections, drop};
    static struct wick_live l;
    int rc = wick_live_init(&l, &jvm, 1);
    if (rc)
        return rc;
    for (uint64_t i = 1; i <= 1000; i++) {
        char name[16];
        snprintf(name, sizeof name, "a.C%d", (int)i);
        wick_live_add(
            &l, &(struct wick_live_object){
                    .reference = i, .time_ns = i, .size = 16, .weight = 512, .priority = 1e9, .class_name = name});
    }
    uint32_t kept = l.rooms[WICK_LIVE_YOUNG].count + l.rooms[WICK_LIVE_OLD].count;
    assert_true(kept + l.unwanted_count + l.leaked <= 1000);
    wick_live_sweep(&l, UINT64_C(100000000000), true);
    for (int r = 0; r < WICK_LIVE_ROOMS; r++)
        for (uint32_t i = 0; i < l.rooms[r].count; i++)
            assert_true(!strncmp(l.rooms[r].objects[i].class_name, "a.C", 3));
    for (uint64_t i = 1; i <= 300; i++)
        wick_live_discard(&l, 1000 + i);
    wick_live_pass_on(&l);
    wick_live_release(&l);
    return 0;
}

static int blocks_alive(void *arg)
{
    static struct wick_nativemem e;
    wick_store_relaxed(&e.followed, WICK_NATIVEMEM_ALIVE);
    assert_false(wick_nativemem_sweep(&e, NULL)); /* nothing to judge by */
    return 0;
}

/* A thread that gets other names: it has one of them. */
static int renamed(void *arg)
{
    static struct wick_threads ts;
    struct wick_thread_name out;
    char text[64], name[16];
    int rc = wick_threads_init(&ts);
    if (rc)
        return rc;
    wick_threads_begin(&ts);
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "name %d", i);
        wick_threads_java(&ts, gettid(), 0x1000, name, 1);
    }
    const struct wick_engine_thread *t = wick_threads_find_sig(&ts, gettid());
    if (t && wick_threads_name(&ts, t->serial, &out, text, sizeof text) && out.java_name)
        assert_true(!strncmp(out.java_name, "name ", 5));
    wick_threads_rest(&ts);
    wick_threads_release(&ts);
    return 0;
}

/* Without descriptors there is no file to map: anonymous memory with a name. */
static int nameless_context(void *arg)
{
    struct wick_process_context c = {0};
    struct wick_strbuf payload = WICK_STRBUF_INIT;
    struct rlimit was, none;
    wick_strbuf_adds(&payload, "a message");
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
    none = was;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    if (!payload.failed) /* kernels that name no memory have none then */
        wick_process_context_publish(&c, &payload);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
    wick_process_context_withdraw(&c);
    wick_strbuf_release(&payload);
    assert_false(wick_process_context_exists());
    return 0;
}

/* A library that publishes contexts is looked for; there is none. */
static int foreign(void *arg)
{
    struct wick_label_foreign f = {0};
    assert_false(wick_label_foreign_exists(&mem) && wick_process_context_exists());
    wick_label_foreign_find(&f, &own, &mem, true);
    return 0;
}

/* There is one. The first thread's block would say nothing, so this runs in another. */
static int publisher(void *arg)
{
    struct wick_label_foreign f = {0};
    wick_label_foreign_find(&f, arg, &mem, true);
    return wick_load_relaxed(&f.way) ? 0 : -WICK_E_NOMEM;
}

static void *search_publisher(void *arg)
{
    return (void *)(uintptr_t)faults_each(FAULTS_DESCRIPTORS, publisher, arg);
}

/* One process that comes, and has used CPU time. */
static int neighbours(void *arg)
{
    struct wick_neighbours n;
    struct wick_neighbour out[4];
    uint64_t period_ns;
    wick_neighbours_init(&n, "/nowhere", 1);
    wick_neighbours_read(&n, 60000000000u, out, 4, &period_ns);
    n.proc = dir;
    wick_neighbours_read(&n, 120000000000u, out, 4, &period_ns);
    wick_neighbours_release(&n);
    return 0;
}

static int facts(void *arg)
{
    struct wick_thread_now now;
    struct wick_thread_rules rules;
    wick_thread_now(gettid(), &now);
    wick_thread_rules(gettid(), &rules);
    return 0;
}

static int tracepoint(void *arg)
{
    struct perf_event_attr attr;
    struct wick_err err = {0};
    bool cpu_time;
    assert_true(wick_perf_event_parse("no:such_tracepoint", &attr, &cpu_time, &err) && err.msg[0]);
    return 0;
}

static int connection(void *arg)
{
    char name[WICK_SOCK_NAME_MAX];
    int listens = wick_sock_listen(getpid(), name);
    int fd = listens < 0 ? -1 : wick_sock_connect(name);
    int rc = fd < 0 ? -WICK_E_LIMIT : 0;
    if (fd >= 0)
        close(fd);
    if (listens >= 0)
        close(listens);
    return rc;
}

/* --- tests --- */

static const struct {
    const char *name;
    faults_attempt *attempt;
    bool allocates, opens;
} parts[] = {
    {"blocks", blocks, true, false},
    {"long text", long_text, true, false},
    {"symbol of a file", symbol_of_file, true, true},
    {"debug file", debug_file, true, true},
    {"images from outside", images_from_outside, true, true},
    {"anonymous code", anonymous_code, false, true},
    {"kernel functions", kernel_functions, true, true},
    {"footprint", footprint, true, true},
    {"live objects", live_objects, true, false},
    {"blocks alive", blocks_alive, true, false},
    {"renamed", renamed, true, true},
    {"nameless context", nameless_context, true, true},
    {"foreign", foreign, false, false},
    {"neighbours", neighbours, true, true},
    {"facts", facts, false, true},
    {"tracepoint", tracepoint, false, true},
    {"connection", connection, false, true},
};

static void test_faults__what_does_not_fit_is_left_out(void **state)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        print_message("# %s\n", parts[i].name);
        unsigned memory = faults_each(FAULTS_MEMORY, parts[i].attempt, NULL);
        if (parts[i].allocates && !memory)
            fail_msg("%s allocates nothing", parts[i].name);
        assert_int_equal(parts[i].attempt(NULL), 0);
    }
}

static void test_faults__what_cannot_be_opened_is_done_without(void **state)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        print_message("# %s\n", parts[i].name);
        unsigned descriptors = faults_each(FAULTS_DESCRIPTORS, parts[i].attempt, NULL);
        if (parts[i].opens && !descriptors)
            fail_msg("%s opens nothing", parts[i].name);
        assert_int_equal(parts[i].attempt(NULL), 0);
    }
}

static void test_faults__a_publisher_that_cannot_be_opened_is_left_alone(void **state)
{
    struct wick_elf_images images;
    bool changed;
    pthread_t thread;
    void *met;
    void *library = dlopen(PUBLISHER_DYNAMIC, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    wick_elf_images_init(&images, 0);
    assert_int_equal(wick_elf_images_refresh(&images, NULL, &changed, NULL), 0);
    assert_int_equal(pthread_create(&thread, NULL, search_publisher, &images), 0);
    assert_int_equal(pthread_join(thread, &met), 0);
    assert_true((uintptr_t)met > 0);
    wick_elf_images_release(&images);
    dlclose(library);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults__what_does_not_fit_is_left_out),
        cmocka_unit_test(test_faults__what_cannot_be_opened_is_done_without),
        cmocka_unit_test(test_faults__a_publisher_that_cannot_be_opened_is_left_alone),
    };
    return cmocka_run_group_tests_name("faults_tables", tests, set_up, tear_down);
}
