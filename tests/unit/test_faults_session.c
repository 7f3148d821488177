/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_faults_session.c - recordings of the agent, from start to stop, while memory, descriptors and threads run out
 *
 * The whole of libwick.so with a JVM that knows nothing. What a recording stands on all the time (registry, images) is
 * set up without a fault. session.c is included: one of its allocations is made only after a handler was lost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <sys/mman.h>

#include "agent/session.c"
#include "agent/event/deadlocks.h"
#include "agent/label/virtual_list.h"
#include "agent/label/virtual_refresh.h"
#include "fake_vm.h"
#include "faults.h"

/* In place of agent/event/memory.c: what the address sanitizer reserves is more than can be walked. */
void wick_memory_open(uint64_t interval_ns)
{
}

void wick_memory_close(void)
{
}

void wick_memory_due(void)
{
}

bool wick_memory_is_short(uint64_t now_ns)
{
    return false;
}

bool wick_memory_look(struct wick_drain *d, uint64_t now_ns)
{
    return false;
}

void wick_memory_end(struct wick_drain *d)
{
}

static char directory[] = "/tmp/wick-faults-XXXXXX";

static int set_up(void **state)
{
    bool changed;
    (void)state;
    fake_vm_init();
    wick_vm.java_vm = &fake_java_vm;
    wick_vm.jvmti = &fake_jvmti_env;
    memset(&wick_vm.jvm.layout, 0xff, sizeof wick_vm.jvm.layout); /* nothing is known of a JVM */
    assert_int_equal(wick_mem_self_init(&wick_vm.mem), 0);
    wick_vm.jvm.mem = &wick_vm.mem;
    wick_vm.jvm.major = 21;
    wick_elf_images_init(&wick_vm.images, 0);
    assert_int_equal(wick_elf_images_refresh(&wick_vm.images, &wick_vm.mem, &changed, NULL), 0);
    wick_vm.libjvm = wick_elf_images_find(&wick_vm.images, (wick_addr)(uintptr_t)set_up);
    assert_int_equal(wick_threads_init(&wick_vm.threads), 0);
    assert_int_equal(wick_labels_init(&wick_agent_labels, &wick_vm.mem), 0);
    assert_non_null(mkdtemp(directory));
    atomic_store(&wick_vm.live, true);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    wick_labels_release(&wick_agent_labels);
    wick_threads_release(&wick_vm.threads);
    wick_elf_images_release(&wick_vm.images);
    return rmdir(directory);
}

static void options(struct wick_opts *o, const char *event)
{
    wick_opt_defaults(o);
    snprintf(o->s.event, sizeof o->s.event, "%s", event);
    o->s.memlimit_bytes = 32 << 20;
}

/* --- attempts --- */

static int one_file(void)
{
    struct wick_opts o;
    struct wick_err err = {0};
    char text[8192];
    options(&o, "ctimer");
    int fd = memfd_create("recording", MFD_CLOEXEC);
    int copy = fd < 0 ? -1 : memfd_create("copy", MFD_CLOEXEC);
    int rc = copy < 0 ? -WICK_E_LIMIT : wick_session_start(&o.s, fd, &err);
    assert_true(copy < 0 || !rc == wick_session_running());
    if (rc) {
        assert_true(copy < 0 || err.msg[0]);
        if (fd >= 0)
            close(fd);
    } else {
        wick_session_mark("half way", &err);
        wick_session_status(text, sizeof text);
        rc = wick_session_dump(copy, &err);
        int stopped = wick_session_stop(&err);
        rc = rc ? rc : stopped;
    }
    if (copy >= 0)
        close(copy);
    assert_false(wick_session_running());
    return rc;
}

/* Started again with other options: as it was, or as asked, or it has ended, and says so. */
static int changed(void *arg)
{
    struct wick_opts o, asked;
    struct wick_err err = {0};
    options(&o, "ctimer");
    wick_opt_defaults(&asked);
    snprintf(asked.s.event, sizeof asked.s.event, "wall");
    asked.given = UINT64_C(1) << WICK_OPT_I_event;
    int fd = memfd_create("recording", MFD_CLOEXEC);
    int rc = fd < 0 ? -WICK_E_LIMIT : wick_session_start(&o.s, fd, &err);
    if (rc) {
        if (fd >= 0)
            close(fd);
        return rc;
    }
    rc = wick_session_change(&asked, &err);
    assert_true(!rc || err.msg[0]);
    assert_true(rc || wick_session_running());
    if (wick_session_running()) {
        int stopped = wick_session_stop(&err);
        rc = rc ? rc : stopped;
    }
    return rc;
}

static void remove_files(void)
{
    char path[512];
    DIR *d = opendir(directory);
    for (struct dirent *e; d && (e = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s", directory, e->d_name);
        if (e->d_name[0] != '.')
            unlink(path);
    }
    if (d)
        closedir(d);
    else
        remove_files();
}

/* A recording of several files, of which the first takes the place of an old one, and a copy of all. */
static int several_files(void *arg)
{
    struct wick_opts o;
    struct wick_err err = {0};
    char path[64];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/r-%d.jfr", directory, i);
        int old = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (old < 0) {
            remove_files();
            return -WICK_E_LIMIT;
        }
        close(old);
    }
    options(&o, "ctimer,nativemem");
    snprintf(o.s.file, sizeof o.s.file, "%s/r-%%n{2}.jfr", directory);
    int rc = wick_session_start(&o.s, -1, &err);
    if (!rc) {
        int copy = memfd_create("copy", MFD_CLOEXEC);
        rc = copy < 0 ? -WICK_E_LIMIT : wick_session_dump(copy, &err);
        if (copy >= 0)
            close(copy);
        int stopped = wick_session_stop(&err);
        rc = rc ? rc : stopped;
    }
    assert_false(wick_session_running());
    remove_files();
    return rc;
}

/* After a handler that did not come back the next recording has tables of its own. */
static int after_a_loss(void *arg)
{
    struct sampling *first = session.sampling;
    first->recorder.keep = true;
    int rc = one_file();
    first->recorder.keep = false;
    if (session.sampling != first)
        free(session.sampling);
    session.sampling = first;
    return rc;
}

/* Without HotSpot's symbols it does not start. */
static int log_of_safepoints(const char *log)
{
    struct wick_opts o;
    struct wick_err err = {0};
    options(&o, "ttsp");
    snprintf(o.s.ttsp_log, sizeof o.s.ttsp_log, "%s", log);
    int fd = memfd_create("recording", MFD_CLOEXEC);
    if (fd >= 0 && !wick_session_start(&o.s, fd, &err))
        wick_session_stop(&err);
    else if (fd >= 0)
        close(fd);
    remove_files();
    return 0;
}

static int slow_safepoints(void *arg)
{
    char log[64];
    snprintf(log, sizeof log, "%s/log", directory);
    return log_of_safepoints(log);
}

static int slow_safepoints_on_stderr(void *arg)
{
    return log_of_safepoints("stderr");
}

static int deadlocks(void *arg)
{
    char text[4096];
    wick_deadlocks_describe(text, sizeof text);
    return 0;
}

static int virtual_threads(void *arg)
{
    struct wick_err err = {0};
    int fd = memfd_create("list", MFD_CLOEXEC);
    if (fd < 0)
        return -WICK_E_LIMIT;
    int rc = wick_virtual_list_write(10, fd, &err);
    assert_true(!rc == !err.msg[0]);
    off_t n = lseek(fd, 0, SEEK_END);
    assert_true(rc || n > 10);
    close(fd);
    return rc;
}

static int virtual_threads_lost(void *arg)
{
    void *handle = fake_object;
    assert_true(wick_labels_bind_virtual(&wick_agent_labels, 7, 1, &handle));
    wick_store_relaxed(&wick_agent_labels.virtual_lost, 1);
    wick_virtual_refresh();
    assert_ptr_equal(wick_labels_unbind_virtual(&wick_agent_labels, 7), fake_object);
    return 0;
}

/* --- tests --- */

static faults_attempt *const parts[] = {
    several_files, changed,         after_a_loss,        slow_safepoints, slow_safepoints_on_stderr,
    deadlocks,     virtual_threads, virtual_threads_lost};

static void each(enum faults_kind kind, unsigned least)
{
    unsigned met = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        assert_int_equal(parts[i](NULL), 0);
        met += faults_each(kind, parts[i], NULL);
    }
    assert_true(met > least);
}

static void test_faults__a_recording_without_memory_leaves_nothing(void **state)
{
    (void)state;
    each(FAULTS_MEMORY, 50);
}

static void test_faults__a_recording_without_descriptors_leaves_nothing(void **state)
{
    (void)state;
    each(FAULTS_DESCRIPTORS, 50);
}

static void test_faults__a_full_disk_ends_no_recording(void **state)
{
    (void)state;
    each(FAULTS_WRITE_ENOSPC, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults__a_recording_without_memory_leaves_nothing),
        cmocka_unit_test(test_faults__a_recording_without_descriptors_leaves_nothing),
        cmocka_unit_test(test_faults__a_full_disk_ends_no_recording),
    };
    return cmocka_run_group_tests_name("faults_session", tests, set_up, tear_down);
}
