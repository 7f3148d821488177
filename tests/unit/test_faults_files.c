/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_faults_files.c - what is copied, written and read of files, while signals come and pieces are short, and memory,
 * descriptors and disk run out
 *
 * Recordings that are copied, functions that are hooked by what /proc/self/maps says, and the log of slow safepoints.
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
#include <sys/stat.h>
#include <unistd.h>

#include "agent/ownfile.h"
#include "elf/hooks.h"
#include "engine/ttsp_log.h"
#include "faults.h"
#include "jfr/format/jfr_format.h"
#include "mem/mem.h"

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
    for (ssize_t got = 1; arg && !rc && got; n += got > 0 ? got : 0) /* EINTR is met here, too */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults__a_copy_is_whole_after_signals_and_pieces),
        cmocka_unit_test(test_faults__files_of_recordings_give_back_what_they_took),
        cmocka_unit_test(test_faults__functions_are_hooked_after_signals_and_pieces),
        cmocka_unit_test(test_faults__a_log_is_whole_after_signals_and_pieces),
    };
    return cmocka_run_group_tests_name("faults_files", tests, set_up, NULL);
}
