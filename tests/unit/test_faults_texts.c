/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_faults_texts.c - small files as text, and what is read from them, while signals come, pieces are short and no
 * descriptor is left
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/thread/thread_facts.h"
#include "engine/thread/thread_look.h"
#include "engine/thread/threads.h"
#include "faults.h"
#include "sys/cgroup_memory.h"
#include "sys/hostload.h"
#include "sys/neighbours.h"
#include "sys/whole.h"

/* A tree of files, under a directory of its own. */
static char root[32];

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s%s", root, name);
    return path;
}

static void put_bytes(const char *name, const char *bytes, size_t n)
{
    char path[256];
    snprintf(path, sizeof path, "%s%s", root, name);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *f = fopen(path, "we");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

static void put(const char *name, const char *text)
{
    put_bytes(name, text, strlen(text));
}

static int make_root(void **state)
{
    strcpy(root, "/tmp/wick-texts.XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r '%s'", root);
    return system(command);
}

/* --- the functions --- */

static void test_text__what_fits_is_read_and_always_ends(void **state)
{
    char text[8];
    put("/digits", "0123456");
    put("/empty", "");
    put_bytes("/nuls", "a\0b", 3);
    memset(text, 'x', sizeof text);
    assert_int_equal(wick_whole_text(path_of("/digits"), text, 8), 7);
    assert_string_equal(text, "0123456");
    assert_int_equal(wick_whole_text(path_of("/digits"), text, 7), 6);
    assert_string_equal(text, "012345");
    assert_int_equal(wick_whole_text(path_of("/digits"), text, 1), 0);
    assert_string_equal(text, "");
    memset(text, 'x', sizeof text);
    assert_int_equal(wick_whole_text(path_of("/empty"), text, sizeof text), 0);
    assert_string_equal(text, "");
    memset(text, 'x', sizeof text);
    assert_int_equal(wick_whole_text(path_of("/nuls"), text, sizeof text), 3);
    assert_memory_equal(text, "a\0b\0x", 5);
}

static void test_text__a_file_that_cannot_be_read_is_empty_and_says_why(void **state)
{
    char text[8] = "before";
    errno = 0;
    assert_int_equal(wick_whole_text(path_of("/missing"), text, sizeof text), -1);
    assert_int_equal(errno, ENOENT);
    assert_string_equal(text, "");
    strcpy(text, "before");
    assert_int_equal(wick_whole_text(root, text, sizeof text), -1);
    assert_int_equal(errno, EISDIR);
    assert_string_equal(text, "");
    strcpy(text, "before");
    assert_int_equal(wick_whole_text_fd(-1, text, sizeof text), -1);
    assert_string_equal(text, "");
}

static void test_text__a_directory_and_an_open_file_lead_to_it(void **state)
{
    char text[8];
    put("/below/digits", "0123456");
    int dir = open(path_of("/below"), O_PATH | O_DIRECTORY | O_CLOEXEC);
    int fd = open(path_of("/below/digits"), O_RDONLY | O_CLOEXEC);
    assert_int_equal(wick_whole_text_at(dir, "digits", text, sizeof text), 7);
    assert_string_equal(text, "0123456");
    assert_int_equal(wick_whole_text_at(dir, "none", text, sizeof text), -1);
    assert_string_equal(text, "");
    assert_int_equal(lseek(fd, 5, SEEK_SET), 5);
    assert_int_equal(wick_whole_line_fd(fd, text, 4), 3);
    assert_string_equal(text, "012");
    assert_int_equal(wick_whole_line_fd(-1, text, sizeof text), -1);
    assert_string_equal(text, "");
    assert_int_equal(wick_whole_text_fd(fd, text, sizeof text), 7);
    assert_string_equal(text, "0123456");
    assert_int_equal(lseek(fd, 0, SEEK_CUR), 5);
    close(fd);
    close(dir);
}

/* --- what is read with them --- */

enum { BYTES = 9000 }; /* several pages */
static char original[BYTES + 1], read_back[BYTES + 1];

static int text(void *arg)
{
    memset(read_back, 'x', sizeof read_back);
    ssize_t n = wick_whole_text(path_of("/text"), read_back, sizeof read_back);
    assert_int_equal(strlen(read_back), n < 0 ? 0 : n);
    return n == BYTES && !strcmp(read_back, original) ? 0 : -1;
}

static int load(void *arg)
{
    struct wick_hostload h;
    struct wick_hostload_now now;
    wick_hostload_open(&h, root);
    wick_hostload_read(&h, &now);
    wick_hostload_close(&h);
    return now.machine.user == 120 && now.machine.blocked == 2 && now.process.peak_bytes == 2000 * 1024 &&
                   now.cpu.throttled == 20 && now.cpu.limit > 0.49 && now.cpu.limit < 0.51 &&
                   now.memory.current_bytes == 900 && now.memory.max_bytes == 5000 && now.memory.oom_kills == 1 &&
                   now.pressure.cpu_some_ns == 11000
               ? 0
               : -1;
}

static int memory(void *arg)
{
    struct wick_cgroup g;
    struct wick_cgroup_memory m;
    bool found = wick_cgroup_find(root, WICK_CGROUP_MEMORY, &g) && wick_cgroup_memory_read(&g, &m);
    return found && m.limit == 5000 && m.current == 900 && m.high == 4000 && m.anonymous == 600 && m.oom_kills == 1
               ? 0
               : -1;
}

static int others(void *arg)
{
    struct wick_neighbours n;
    struct wick_neighbour out[2] = {0};
    uint64_t period_ns;
    wick_neighbours_init(&n, path_of("/proc"), 1);
    n.read_ns = 1; /* as if there had been none at the last reading */
    uint32_t count = wick_neighbours_read(&n, 2, out, 2, &period_ns);
    wick_neighbours_release(&n);
    return count == 1 && out[0].pid == 20 && !strcmp(out[0].name, "java org.acme.Main") ? 0 : -1;
}

static int thread(void *arg)
{
    char name[16] = "before";
    int32_t tid = (int32_t)syscall(SYS_gettid);
    struct wick_thread_look look;
    struct wick_thread_sched sched = {0};
    struct wick_thread_now now;
    struct wick_thread_files files;
    int why = wick_thread_files_open(&files, true);
    enum wick_thread_seen seen = why ? WICK_THREAD_GONE : wick_thread_look(&files, tid, &look);
    int rc = why ? -1 : wick_thread_sched(&files, tid, &sched);
    wick_thread_now(tid, &now);
    wick_threads_os_name(tid, name);
    wick_thread_files_close(&files);
    return !rc && seen != WICK_THREAD_GONE && sched.slices && now.state == 'R' && !strcmp(name, "texts") ? 0 : -1;
}

static void make_files(void)
{
    static const char command[] = "/usr/bin/java\0-Xmx1g\0org.acme.Main";
    memset(original, 't', BYTES);
    put("/text", original);
    put("/proc/stat", "cpu  100 20 30 400 50 6 7 80 9 10\nprocs_running 5\nprocs_blocked 2\n");
    put("/proc/self/status", "Name:\tjava\nVmHWM:\t    2000 kB\nVmRSS:\t    1000 kB\n");
    put("/proc/self/cgroup", "0::/pod\n");
    put("/sys/fs/cgroup/pod/cpu.stat", "nr_periods 50\nnr_throttled 20\nthrottled_usec 7\n");
    put("/sys/fs/cgroup/pod/cpu.max", "50000 100000\n");
    put("/sys/fs/cgroup/pod/cpu.pressure", "some avg10=0.00 total=11\n");
    put("/sys/fs/cgroup/pod/memory.current", "900\n");
    put("/sys/fs/cgroup/pod/memory.high", "4000\n");
    put("/sys/fs/cgroup/pod/memory.max", "5000\n");
    put("/sys/fs/cgroup/pod/memory.stat", "anon 600\nfile 100\n");
    put("/sys/fs/cgroup/pod/memory.events", "low 0\nhigh 0\nmax 4\noom 2\noom_kill 1\n");
    put("/proc/20/stat", "20 (java) R 1 1 1 0 -1 4194304 100 0 0 0 90 20 900 900 20 0 1 0 6 1 1");
    put("/proc/20/comm", "java\n");
    put_bytes("/proc/20/cmdline", command, sizeof command);
    prctl(PR_SET_NAME, "texts");
}

static void test_faults__small_files_are_whole_after_signals_and_pieces(void **state)
{
    static faults_attempt *const parts[] = {text, load, memory, others, thread};
    make_files();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        assert_int_equal(parts[i](NULL), 0);
        assert_true(faults_each(FAULTS_READ_EINTR, parts[i], NULL) > 0);
        assert_true(faults_each(FAULTS_READ_SHORT, parts[i], NULL) > 0);
        assert_true(faults_each(FAULTS_READ_EIO, parts[i], NULL) > 0);
        assert_true(faults_each(FAULTS_DESCRIPTORS, parts[i], NULL) > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text__what_fits_is_read_and_always_ends),
        cmocka_unit_test(test_text__a_file_that_cannot_be_read_is_empty_and_says_why),
        cmocka_unit_test(test_text__a_directory_and_an_open_file_lead_to_it),
        cmocka_unit_test(test_faults__small_files_are_whole_after_signals_and_pieces),
    };
    return cmocka_run_group_tests_name("faults_texts", tests, make_root, remove_root);
}
