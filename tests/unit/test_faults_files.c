/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_faults_files.c - what is copied, written and read of files, while signals come and pieces are short, and memory,
 * descriptors and disk run out
 *
 * Recordings that are copied, functions that are hooked by what /proc/self/maps says, the log of slow safepoints, and
 * what is read of the machine.
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
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/ownfile.h"
#include "elf/hooks.h"
#include "engine/ttsp/ttsp.h"
#include "faults.h"
#include "jfr/format/jfr_format.h"
#include "labels/published.h"
#include "mem/mem.h"
#include "record/output.h"
#include "sys/cgroup_memory.h"
#include "sys/hostload.h"
#include "sys/neighbours.h"
#include "sys/pagemap.h"
#include "sys/sock.h"
#include "sys/tcp_connecting.h"

static struct wick_mem mem;

static int set_up(void **state)
{
    return wick_mem_self_init(&mem);
}

/* --- copies of recordings --- */

enum { BYTES = 200001 }; /* several buffers */

static uint8_t original[BYTES], copied[BYTES + 1];
static int original_fd = -1;

/* One chunk, as far as its header. */
static void make_original(void)
{
    for (size_t i = 0; i < BYTES; i++)
        original[i] = (uint8_t)(i * 31 >> 3);
    memset(original, 0, WICK_JFR_HDR_SIZE);
    memcpy(original, WICK_JFR_MAGIC, 4);
    for (int i = 0; i < 8; i++)
        original[WICK_JFR_HDR_CHUNK_SIZE + i] = (uint8_t)((uint64_t)BYTES >> (56 - 8 * i));
    original_fd = memfd_create("original", MFD_CLOEXEC);
    assert_int_equal(pwrite(original_fd, original, BYTES, 0), BYTES);
}

/* arg: the fault must not be noticed. */
static int copy(void *arg)
{
    struct wick_err err = {0};
    int fd = memfd_create("copy", MFD_CLOEXEC);
    if (fd < 0)
        return -WICK_E_LIMIT;
    int rc = wick_ownfile_copy_all(original_fd, fd, &err);
    assert_true(!rc == !err.msg[0]);
    assert_true(!rc || rc == -WICK_E_NOSPACE || rc == -WICK_E_IO);
    if (!rc)
        wick_ownfile_mark_complete(fd);
    ssize_t n = 0;
    for (ssize_t got = 1; arg && !rc && got; n += got > 0 ? got : 0) /* EINTR is also met here */
        got = pread(fd, copied + n, sizeof copied - (size_t)n, n);
    if (arg && !rc) {
        assert_int_equal(n, BYTES);
        assert_int_equal(copied[WICK_JFR_HDR_FLAGS + 1], WICK_JFR_FLAG_FINAL_CHUNK);
        copied[WICK_JFR_HDR_FLAGS + 1] = 0;
        assert_memory_equal(copied, original, BYTES);
    }
    close(fd);
    return rc;
}

static void test_faults__a_copy_is_whole_after_signals_and_pieces(void **state)
{
    static const enum faults_kind harmless[] = {FAULTS_READ_EINTR, FAULTS_READ_SHORT, FAULTS_WRITE_EINTR,
                                                FAULTS_WRITE_SHORT};
    make_original();
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        assert_true(faults_each(harmless[i], copy, original) > 3);
    assert_true(faults_each(FAULTS_READ_EIO, copy, NULL) > 3);
    assert_true(faults_each(FAULTS_WRITE_ENOSPC, copy, NULL) > 3);
    close(original_fd);
}

/* --- files of recordings --- */

static int open_own(struct wick_ownfile *f, const char *file)
{
    struct wick_session_opts o = {0};
    struct wick_convert c = {0};
    struct wick_err err = {0};
    int fd;
    snprintf(o.file, sizeof o.file, "%s", file);
    int rc = wick_ownfile_open(f, &o, false, &c, &fd, &err);
    assert_true(!rc == (fd >= 0) && !rc == !err.msg[0]);
    if (fd >= 0)
        close(fd);
    return rc;
}

/* One that has no name, one that has; a failure leaves the one before as it was. */
static int own_files(void *arg)
{
    struct wick_ownfile f = WICK_OWNFILE_INIT;
    struct wick_ownfile_copy to;
    struct wick_err err = {0};
    int rc = open_own(&f, "");
    bool kept = f.open;
    rc = rc ? rc : open_own(&f, arg);
    assert_true(!kept || f.open);
    if (!rc) {
        int recording = wick_ownfile_recording(&f);
        rc = recording >= 0 ? 0 : -WICK_E_LIMIT;
        if (recording >= 0)
            close(recording);
    }
    rc = rc ? rc : wick_ownfile_copy_open(&f, "/tmp/wick-faults-%p.copy", false, false, &to, &err);
    if (!rc)
        rc = wick_ownfile_copy_close(&to, 0, &err);
    wick_ownfile_ended(&f);
    wick_ownfile_forget(&f);
    return rc;
}

static int open_again(struct wick_ownfile *f, const char *file, int *fd)
{
    struct wick_session_opts o = {0};
    struct wick_convert c = {0};
    struct wick_err err = {0};
    snprintf(o.file, sizeof o.file, "%s", file);
    return wick_ownfile_open(f, &o, true, &c, fd, &err);
}

/* One that goes on has what was recorded before; one that cannot is still there. */
static int gone_on(void *arg)
{
    static const char part[] = "the first part";
    struct wick_ownfile f = WICK_OWNFILE_INIT;
    char text[32] = "";
    int fd, rc = open_own(&f, arg);
    if (rc)
        return rc;
    fd = wick_ownfile_recording(&f);
    if (fd >= 0 && f.named) { /* that is for reading */
        close(fd);
        fd = open(f.file, O_RDWR | O_CLOEXEC);
    }
    rc = fd < 0 ? -WICK_E_LIMIT : 0;
    if (!rc) {
        assert_int_equal(pwrite(fd, part, sizeof part, 0), sizeof part);
        close(fd);
        rc = open_again(&f, arg, &fd);
        assert_true(rc || f.resumed == 1);
        if (rc)
            fd = wick_ownfile_recording(&f);
        assert_int_equal(pread(fd, text, sizeof text, 0), sizeof part);
        assert_string_equal(text, part);
        close(fd);
    }
    wick_ownfile_forget(&f);
    return rc;
}

static void test_faults__a_recording_goes_on_or_stays_as_it_was(void **state)
{
    char path[64];
    assert_true(faults_each(FAULTS_DESCRIPTORS, gone_on, "") > 3);
    assert_true(faults_each(FAULTS_DESCRIPTORS, gone_on, "/tmp/wick-faults-%p.jfr") > 3);
    snprintf(path, sizeof path, "/tmp/wick-faults-%d.jfr", (int)getpid());
    assert_int_equal(unlink(path), 0);
}

static void test_faults__files_of_recordings_give_back_what_they_took(void **state)
{
    char copy_path[64];
    assert_true(faults_each(FAULTS_DESCRIPTORS, own_files, "/tmp/wick-faults-%p.jfr") > 2);
    assert_true(faults_each(FAULTS_MEMORY, own_files, "/tmp/wick-faults-%p.jfr") > 1);
    for (int i = 0; i < 2; i++) {
        snprintf(copy_path, sizeof copy_path, "/tmp/wick-faults-%d.%s", (int)getpid(), i ? "copy" : "jfr");
        assert_int_equal(unlink(copy_path), 0);
    }
}

/* A file whose number has come round is a recording, so the next one takes its place. */
static int replaced(void *arg)
{
    struct wick_output o;
    char pattern[64], old[64], name[WICK_OUTPUT_NAME_MAX] = "";
    uint64_t base;
    int dir = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    snprintf(pattern, sizeof pattern, "wick-faults-%d-%%n{2}", (int)getpid());
    snprintf(old, sizeof old, "wick-faults-%d-0.jfr", (int)getpid());
    int fd = openat(dir, old, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_int_equal(pwrite(fd, WICK_JFR_MAGIC, 4, 0), 4);
    close(fd);
    assert_int_equal(wick_output_init_dir(&o, dir, pattern, 0, 0), 0);
    struct wick_jfr_sink sink = wick_output_sink(&o);
    int rc = sink.begin(sink.arg, 1, &base);
    if (!rc && wick_output_segment_name(&o, 0, name))
        unlinkat(dir, name, 0);
    rc = rc ? rc : strcmp(name, old) ? -WICK_E_IO : 0;
    unlinkat(dir, old, 0);
    wick_output_release(&o);
    return rc;
}

static void test_faults__an_old_file_is_replaced_though_signals_came(void **state)
{
    assert_true(faults_each(FAULTS_READ_EINTR, replaced, NULL) > 0);
    assert_true(faults_each(FAULTS_READ_SHORT, replaced, NULL) > 0);
}

/* --- recordings that become something else --- */

/* There is no command beside this program, so the recording stays: it is said where. */
static int converted(void *arg)
{
    struct wick_convert c;
    struct wick_err err = {0};
    int fd = wick_stop_convert_begin(&c, arg, false, false, &err);
    assert_true((fd >= 0) == !err.msg[0]);
    if (fd < 0)
        return fd;
    close(fd);
    assert_int_equal(wick_stop_convert_finish(&c, &err), -WICK_E_IO);
    assert_non_null(strstr(err.msg, c.recording));
    assert_int_equal(unlink(c.recording), 0);
    return 0;
}

static void test_faults__a_recording_that_is_not_converted_stays(void **state)
{
    char name[64];
    snprintf(name, sizeof name, "/tmp/wick-faults-%d.html", (int)getpid());
    assert_true(faults_each(FAULTS_DESCRIPTORS, converted, name) > 3);
}

/* --- hooks --- */

static char *our_getenv(const char *name)
{
    return NULL;
}

/* All words that hold the function hold ours, and the true one again afterwards. */
static int hooks(void *arg)
{
    static struct wick_elf_hooks h;
    const struct wick_elf_hook hook = {.name = "getenv", .truth = (uintptr_t)getenv, .ours = (uintptr_t)our_getenv};
    const struct wick_elf_hooks rest = {.hooks = &hook, .n = 1, .mem = mem};
    struct wick_elf_hooks_count during, after;
    uint32_t *words = arg;
    int rc = wick_elf_hooks_on(&h, &hook, 1);
    if (rc)
        return rc;
    wick_elf_hooks_count(&h, &during);
    wick_elf_hooks_off(&h);
    wick_elf_hooks_count(&rest, &after);
    if (!*words)
        *words = during.words;
    return during.words == *words && !after.words ? 0 : -WICK_E_IO;
}

static void test_faults__functions_are_hooked_after_signals_and_pieces(void **state)
{
    uint32_t words = 0;
    assert_int_equal(hooks(&words), 0);
    if (!words) {
        print_message("# no library here calls getenv\n");
        skip();
    }
    assert_true(faults_each(FAULTS_READ_EINTR, hooks, &words) > 3);
    assert_true(faults_each(FAULTS_READ_SHORT, hooks, &words) > 3);
    assert_true(faults_each(FAULTS_DESCRIPTORS, hooks, &words) > 3);
}

/* --- the log of slow safepoints --- */

static int slow_safepoint(void *arg)
{
    static struct wick_threads threads; /* nobody is in it */
    static const struct wick_ttsp_incident incident = {.operation = "G1CollectFull", .java_threads = 3};
    char text[512] = "";
    int fd = memfd_create("log", MFD_CLOEXEC);
    if (fd < 0)
        return -WICK_E_LIMIT;
    wick_ttsp_log(fd, &threads, &incident, 0);
    ssize_t n = lseek(fd, 0, SEEK_END);
    for (ssize_t at = 0, got = 1; at < n && at < (ssize_t)sizeof text - 1 && got > 0; at += got > 0 ? got : 0)
        got = pread(fd, text + at, sizeof text - 1 - (size_t)at, at);
    close(fd);
    return strstr(text, "G1CollectFull threads: 3 late: 0\n\n") ? 0 : -WICK_E_IO;
}

static void test_faults__a_log_is_whole_after_signals_and_pieces(void **state)
{
    assert_true(faults_each(FAULTS_WRITE_EINTR, slow_safepoint, NULL) > 0);
    assert_true(faults_each(FAULTS_WRITE_SHORT, slow_safepoint, NULL) > 0);
    assert_true(faults_each(FAULTS_WRITE_ENOSPC, slow_safepoint, NULL) > 0);
    assert_true(faults_each(FAULTS_MEMORY, slow_safepoint, NULL) > 0);
    assert_true(faults_each(FAULTS_DESCRIPTORS, slow_safepoint, NULL) > 1);
}

/* --- the machine --- */

static int load(void *arg)
{
    struct wick_hostload h;
    struct wick_hostload_now now;
    wick_hostload_open(&h, "");
    wick_hostload_read(&h, &now);
    bool known = now.machine.known && now.process.known;
    wick_hostload_close(&h);
    return known ? 0 : -WICK_E_LIMIT;
}

static int cgroup(void *arg)
{
    struct wick_cgroup g;
    struct wick_cgroup_memory m;
    if (wick_cgroup_find("", WICK_CGROUP_MEMORY, &g)) {
        wick_cgroup_limit(&g, WICK_CGROUP_MEMORY);
        wick_cgroup_memory_read(&g, &m);
    }
    return 0; /* there may be none */
}

static int others(void *arg)
{
    struct wick_neighbours n;
    struct wick_neighbour out[4];
    uint64_t period_ns;
    wick_neighbours_init(&n, "/proc", (int32_t)getpid());
    for (uint64_t now = 1; now <= 3; now++)
        wick_neighbours_read(&n, now * 60000000000u, out, 4, &period_ns);
    wick_neighbours_release(&n);
    return 0;
}

static int pages(void *arg)
{
    struct wick_pagemap p;
    uint64_t lo = (uintptr_t)original & ~UINT64_C(4095), end = lo;
    int proc = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
    int rc = proc < 0 ? -WICK_E_LIMIT : wick_pagemap_open(&p, proc);
    if (!rc) {
        int n = wick_pagemap_read(&p, lo, lo + 8192, &end);
        rc = n < 0 ? n : 0;
        wick_pagemap_close(&p);
    }
    if (proc >= 0)
        close(proc);
    return rc;
}

static int peer(void *arg)
{
    wick_sock_uid_is_ambiguous(getuid());
    return 0;
}

static int connecting(void *arg)
{
    struct wick_tcp_target to;
    assert_true(wick_tcp_connecting(AF_INET, UINT64_MAX, &to) != WICK_TCP_FOUND); /* no socket has that cookie */
    return 0;
}

static int published(void *arg)
{
    static const struct wick_published_resource resource = {"till", ""};
    struct wick_published p = WICK_PUBLISHED_INIT;
    int rc = wick_published_begin(&p, &mem, &resource, 16);
    int key = rc ? 0 : wick_published_key(&p, "customer", 8);
    wick_published_end(&p);
    assert_false(wick_process_context_exists());
    if (p.records)
        munmap(p.records, 16 * sizeof *p.records);
    while (p.key_count)
        free(p.keys[--p.key_count]);
    return rc ? rc : key < 0 ? -WICK_E_NOMEM : 0;
}

static int pattern(void *arg)
{
    char name[256];
    int rc = wick_opt_expand("%p-%t-%n{3}-%{HOME}-%%", 7, 1763700000, 2, name, sizeof name);
    return rc ? rc : wick_opt_fix("a%{HOME}-%n.jfr", 7, name, sizeof name);
}

static void test_faults__what_is_known_of_the_machine_needs_nothing(void **state)
{
    static const struct {
        faults_attempt *attempt;
        bool allocates, opens;
    } parts[] = {{load, false, true}, {cgroup, false, true},     {others, true, true},     {pages, false, true},
                 {peer, false, true}, {connecting, false, true}, {published, true, false}, {pattern, true, false}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        unsigned memory = faults_each(FAULTS_MEMORY, parts[i].attempt, NULL);
        unsigned descriptors = faults_each(FAULTS_DESCRIPTORS, parts[i].attempt, NULL);
        if ((parts[i].allocates && !memory) || (parts[i].opens && !descriptors))
            fail_msg("part %zu meets nothing: %u of memory, %u of descriptors", i, memory, descriptors);
        assert_int_equal(parts[i].attempt(NULL), 0);
        faults_each(FAULTS_READ_EIO, parts[i].attempt, NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults__a_copy_is_whole_after_signals_and_pieces),
        cmocka_unit_test(test_faults__a_recording_goes_on_or_stays_as_it_was),
        cmocka_unit_test(test_faults__an_old_file_is_replaced_though_signals_came),
        cmocka_unit_test(test_faults__files_of_recordings_give_back_what_they_took),
        cmocka_unit_test(test_faults__a_recording_that_is_not_converted_stays),
        cmocka_unit_test(test_faults__functions_are_hooked_after_signals_and_pieces),
        cmocka_unit_test(test_faults__a_log_is_whole_after_signals_and_pieces),
        cmocka_unit_test(test_faults__what_is_known_of_the_machine_needs_nothing),
    };
    return cmocka_run_group_tests_name("faults_files", tests, set_up, NULL);
}
