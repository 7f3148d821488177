/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_faults.c - what libwick.so is made of, while memory, descriptors and disk run out at every possible place
 *
 * Each attempt below sets one part up, uses it and takes it down. faults.h says what is checked.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "elf/image.h"
#include "elf/kallsyms.h"
#include "elf/symbols.h"
#include "engine/set/engines.h"
#include "engine/alloc/live.h"
#include "engine/thread/threads.h"
#include "faults.h"
#include "labels/labels.h"
#include "labels/process_context.h"
#include "mem/mem.h"
#include "record/carry.h"
#include "record/names.h"
#include "record/note.h"
#include "record/output.h"
#include "record/recorder.h"
#include "sys/maps.h"

static struct wick_mem mem;

static int set_up(void **state)
{
    return wick_mem_self_init(&mem);
}

/* --- attempts --- */

static int strings(void *arg)
{
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    for (int i = 0; i < 200; i++)
        wick_strbuf_addf(&sb, "%d and a few words more", i);
    int rc = sb.failed ? -WICK_E_NOMEM : 0;
    char *taken = wick_strbuf_take(&sb);
    assert_true(rc || (taken && strlen(taken) > 4000));
    free(taken);
    wick_strbuf_release(&sb);
    return rc;
}

static int recorder(void *arg)
{
    struct wick_recorder r;
    int rc = wick_recorder_init(&r, 8 << 20, 64, 64);
    if (rc)
        return rc;
    struct wick_tables *old = wick_recorder_next_generation(&r);
    if (old)
        wick_recorder_free_generation(&r, old);
    wick_recorder_release(&r);
    return old ? 0 : -WICK_E_NOMEM;
}

static int carry(void *arg)
{
    struct wick_tables *from = wick_tables_new(4 << 20), *to = wick_tables_new(4 << 20);
    struct wick_carry c;
    int rc = from && to ? wick_carry_init(&c, from, to) : -WICK_E_NOMEM;
    if (!rc) {
        uint32_t node = wick_tables_node_sig(from, 0, 1);
        assert_true(node);
        wick_carry_stack(&c, node);
        wick_carry_release(&c);
    }
    wick_tables_free(from);
    wick_tables_free(to);
    return rc;
}

static int notes(void *arg)
{
    struct wick_notes n;
    int rc = wick_notes_init(&n, 100, 48);
    if (rc)
        return rc;
    uint16_t one = wick_notes_take_sig(&n);
    assert_true(one);
    wick_notes_free_sig(&n, one);
    wick_notes_release(&n);
    return 0;
}

static int threads(void *arg)
{
    static struct wick_threads ts;
    int rc = wick_threads_init(&ts);
    if (rc)
        return rc;
    wick_threads_begin(&ts);
    wick_threads_java(&ts, gettid(), 0x1000, "main", 1);
    wick_threads_poll(&ts);
    wick_threads_rest(&ts);
    wick_threads_release(&ts);
    return 0;
}

static int labels(void *arg)
{
    static struct wick_labels l;
    int rc = wick_labels_init(&l, &mem);
    if (rc)
        return rc;
    wick_labels_recording(&l, true);
    wick_labels_bind(&l, gettid(), 0);
    wick_labels_bind_virtual(&l, 77, 1, &(void *){NULL});
    wick_labels_intern(&l, "endpoint", 8);
    wick_labels_unbind_virtual(&l, 77);
    wick_labels_release(&l);
    return 0;
}

static bool is_gone(uint64_t reference)
{
    return false;
}

static uint32_t collections(void)
{
    return 1;
}

static void drop(const uint64_t *references, size_t n)
{
}

static int live(void *arg)
{
    static const struct wick_live_jvm jvm = {is_gone, collections, drop};
    static struct wick_live l;
    int rc = wick_live_init(&l, &jvm, 1);
    if (rc)
        return rc;
    wick_live_sweep(&l, 1, true);
    wick_live_release(&l);
    return 0;
}

static int images(void *arg)
{
    struct wick_elf_images im;
    struct wick_names *names = NULL;
    bool changed;
    wick_elf_images_init(&im, 0);
    int rc = wick_elf_images_refresh(&im, &mem, &changed, NULL);
    /* On failure the set is as before: empty. */
    assert_true(!rc == (wick_elf_images_find(&im, (wick_addr)(uintptr_t)images) != NULL));
    names = rc ? NULL : wick_names_new(&im, &mem);
    if (names) {
        struct wick_name name;
        wick_names_get(names, wick_names_of(names, (uint64_t)(uintptr_t)images, false), &name);
        wick_names_tidy(names);
    }
    rc = rc ? rc : names ? 0 : -WICK_E_NOMEM;
    wick_names_free(names);
    wick_elf_images_release(&im);
    return rc;
}

static int symbols(void *arg)
{
    struct wick_symbols *s = NULL;
    struct wick_err err = {0};
    const struct wick_symbols_from from = {.debug_dir = "/nowhere"};
    int rc = wick_symbols_load(&s, &(struct wick_elf_image){.path = "/proc/self/exe"}, &from, &err);
    assert_true(!rc == !!s);
    assert_true(!rc == !err.msg[0]);
    if (s)
        wick_symbols_free(s);
    return rc;
}

static int kernel_symbols(void *arg)
{
    struct wick_kallsyms *k = NULL;
    struct wick_err err = {0};
    int rc = wick_kallsyms_load(&k, arg, &err);
    assert_true(!rc == !!k);
    if (k) {
        assert_int_equal(wick_kallsyms_count(k), 300);
        wick_kallsyms_free(k);
    }
    return rc;
}

static int context(void *arg)
{
    struct wick_process_context c = {0};
    struct wick_strbuf payload = WICK_STRBUF_INIT;
    wick_strbuf_adds(&payload, "a message");
    int rc = payload.failed ? -WICK_E_NOMEM : 0;
    for (int i = 0; i < 3 && !rc; i++)
        rc = wick_process_context_publish(&c, &payload);
    assert_true(rc || c.header);
    wick_process_context_withdraw(&c);
    assert_false(wick_process_context_exists());
    wick_strbuf_release(&payload);
    return rc;
}

static int mappings(void *arg)
{
    static struct wick_maps maps;
    struct wick_mapping m;
    int proc = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC), n = 0;
    if (proc < 0)
        return -WICK_E_LIMIT;
    int rc = wick_maps_open(&maps, proc);
    if (!rc) {
        while ((rc = wick_maps_next(&maps, &m)) == 1)
            n++;
        assert_true(rc || n > 10);
        wick_maps_close(&maps);
    }
    close(proc);
    return rc;
}

/* --- a recording --- */

static size_t stack_of(void *arg, uint32_t id, struct wick_jfr_frame *out, size_t cap, bool *truncated)
{
    out[0] = (struct wick_jfr_frame){.method = id};
    return 1;
}

static int method_of(void *arg, uint32_t id, struct wick_jfr_method *out)
{
    *out = (struct wick_jfr_method){"a/B", "c", "()V"};
    return 0;
}

static int thread_of(void *arg, uint32_t id, struct wick_jfr_thread *out)
{
    *out = (struct wick_jfr_thread){"native", id, "java", id, "main"};
    return 0;
}

/* The bytes of the recording that no fault met. */
static struct {
    char bytes[1 << 16];
    ssize_t n;
} whole;

static int record(int fd, struct wick_jfr_stats *stats)
{
    static const struct wick_jfr_source source = {NULL, stack_of, method_of, thread_of, NULL};
    const struct wick_jfr_config config = {.start_mono_ns = 1000, .start_epoch_ns = 1763700000000000000};
    struct wick_output out;
    struct wick_jfr_writer *w;
    int copy = dup(fd);
    int rc = copy < 0 ? -WICK_E_LIMIT : wick_output_init_fd(&out, copy);
    if (rc)
        return rc;
    struct wick_jfr_sink sink = wick_output_sink(&out);
    rc = wick_jfr_writer_open(&w, &sink, &source, &config);
    for (uint32_t i = 0; !rc && i < 60; i++) {
        wick_jfr_write_execution_sample(w, &(struct wick_jfr_execution_sample){
                                               .start_ns = 2000 + i, .thread = 1, .stack = 1 + i % 7, .weight_ns = 5});
        if (i % 20 == 19)
            wick_jfr_writer_flush(w, 3000 + i);
    }
    rc = rc ? rc : wick_jfr_writer_close(w, 4000, stats);
    wick_output_release(&out);
    return rc;
}

static int recording(void *arg)
{
    struct wick_jfr_stats stats = {0};
    int fd = memfd_create("faults", MFD_CLOEXEC);
    if (fd < 0)
        return -WICK_E_LIMIT;
    int rc = record(fd, &stats);
    if (arg && !rc) { /* a fault that must not be noticed */
        char bytes[sizeof whole.bytes];
        ssize_t n = 0;
        for (ssize_t got = 1; got > 0; n += got > 0 ? got : 0)
            got = pread(fd, bytes + n, sizeof bytes - (size_t)n, n);
        assert_int_equal(n, whole.n);
        assert_memory_equal(bytes, whole.bytes, (size_t)n);
    }
    close(fd);
    return rc;
}

/* --- tests --- */

static faults_attempt *const parts[] = {strings, recorder, carry,   notes,   threads,  labels,
                                        live,    images,   symbols, context, mappings, recording};

static void test_faults__no_allocation_is_beyond_failing(void **state)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        unsigned met = faults_each(FAULTS_MEMORY, parts[i], NULL);
        if (!met && parts[i] != mappings)
            fail_msg("part %zu has no allocation: the attempt does nothing, or it is not linked with faults.c", i);
    }
}

static void test_faults__no_descriptor_is_taken_for_granted(void **state)
{
    unsigned met = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        met += faults_each(FAULTS_DESCRIPTORS, parts[i], NULL);
    assert_true(met > 5);
}

static char *kernel_text(void)
{
    static char path[] = "/tmp/wick-faults-XXXXXX";
    int fd = mkstemp(path);
    for (int i = 0; i < 300; i++)
        assert_true(dprintf(fd, "%016llx T function_number_%d\n", 0xffffffff81000000ull + 256ull * (unsigned)i, i) > 0);
    close(fd);
    return path;
}

static void test_faults__reading_goes_on_after_signals_and_pieces(void **state)
{
    char *path = kernel_text();
    assert_true(faults_each(FAULTS_MEMORY, kernel_symbols, path) > 0);
    assert_true(faults_each(FAULTS_DESCRIPTORS, kernel_symbols, path) > 0);
    faults_attempt *const readers[] = {symbols, mappings};
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        assert_true(faults_each(FAULTS_READ_EINTR, readers[i], NULL) > 0);
        assert_true(faults_each(FAULTS_READ_SHORT, readers[i], NULL) > 0);
        assert_true(faults_each(FAULTS_READ_EIO, readers[i], NULL) > 0);
    }
    faults_each(FAULTS_READ_EINTR, kernel_symbols, path);
    faults_each(FAULTS_READ_SHORT, kernel_symbols, path);
    faults_each(FAULTS_READ_EIO, kernel_symbols, path);
    unlink(path);
}

static void test_faults__a_recording_is_the_same_after_signals_and_pieces(void **state)
{
    int fd = memfd_create("whole", MFD_CLOEXEC);
    assert_int_equal(record(fd, NULL), 0);
    whole.n = pread(fd, whole.bytes, sizeof whole.bytes, 0);
    assert_in_range(whole.n, 1000, sizeof whole.bytes - 1);
    close(fd);
    assert_true(faults_each(FAULTS_WRITE_EINTR, recording, &whole) > 3);
    assert_true(faults_each(FAULTS_WRITE_SHORT, recording, &whole) > 3);
    assert_true(faults_each(FAULTS_WRITE_ENOSPC, recording, NULL) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults__no_allocation_is_beyond_failing),
        cmocka_unit_test(test_faults__no_descriptor_is_taken_for_granted),
        cmocka_unit_test(test_faults__reading_goes_on_after_signals_and_pieces),
        cmocka_unit_test(test_faults__a_recording_is_the_same_after_signals_and_pieces),
    };
    return cmocka_run_group_tests_name("faults", tests, set_up, NULL);
}
