/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of threads, and perf events by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/perf_event.h"
#include "engine/thread/threads.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static struct wick_threads ts;

/* The kernel's list of threads may leave out one that lives: this one. Stands before the C library's function. */
static int32_t left_out;

struct dirent *readdir(DIR *d)
{
    static struct dirent *(*real)(DIR *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "readdir");
    struct dirent *e = real(d);
    return e && left_out && atoi(e->d_name) == left_out ? real(d) : e;
}

/* The thread that the test acts for, which the kernel does not know; 0 = none. Stands before the C library's function.
 */
static int32_t acted_tid;

long syscall(long number, ...)
{
    static long (*real)(long, long, long, long, long, long, long);
    long arg[6];
    va_list list;
    va_start(list, number);
    for (size_t i = 0; i < COUNT(arg); i++)
        arg[i] = va_arg(list, long);
    va_end(list);
    if (acted_tid && number == SYS_gettid)
        return acted_tid;
    if (acted_tid && number == SYS_tgkill)
        return 0;
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "syscall");
    return real(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}

struct hook_log {
    int armed, disarmed, late, ended, java;
};

static void on_arm(void *arg, struct wick_engine_thread *t, bool born_late)
{
    struct hook_log *log = arg;
    log->armed++;
    log->late += born_late;
}

static void on_disarm(void *arg, struct wick_engine_thread *t)
{
    struct hook_log *log = arg;
    log->disarmed++;
}

static void on_end(void *arg, struct wick_engine_thread *t)
{
    struct hook_log *log = arg;
    log->ended++;
}

static void on_java(void *arg, struct wick_engine_thread *t)
{
    struct hook_log *log = arg;
    assert_int_equal(wick_load_relaxed(&t->java), 0x1000);
    log->java++;
}

/* A poll that does not rest after the last one. */
static void poll_now(void)
{
    ts.scan_rest_until_ns = 0;
    wick_threads_poll(&ts);
}

static int32_t own_tid(void)
{
    return (int32_t)syscall(SYS_gettid);
}

struct helper {
    pthread_t thread;
    wick_addr java; /* the thread announces itself as this JavaThread; 0 = not a Java thread */
    _Atomic int32_t tid;
    _Atomic int leave, renamed;
    _Atomic(const char *) rename;
    const char *name;
};

static void *help(void *arg)
{
    struct helper *h = arg;
    prctl(PR_SET_NAME, h->name);
    if (h->java)
        wick_threads_java(&ts, own_tid(), h->java, h->name, h->java);
    atomic_store(&h->tid, own_tid());
    while (!atomic_load(&h->leave)) {
        const char *other = atomic_exchange(&h->rename, NULL);
        if (other) {
            prctl(PR_SET_NAME, other);
            atomic_store(&h->renamed, 1);
        }
        usleep(200);
    }
    if (h->java)
        wick_threads_java_end(&ts, own_tid());
    return NULL;
}

static void helper_start_java(struct helper *h, const char *name, wick_addr java)
{
    memset(h, 0, sizeof *h);
    h->name = name;
    h->java = java;
    assert_int_equal(pthread_create(&h->thread, NULL, help, h), 0);
    while (!atomic_load(&h->tid))
        usleep(100);
}

static void helper_start(struct helper *h, const char *name)
{
    helper_start_java(h, name, 0);
}

static void helper_end(struct helper *h)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d", atomic_load(&h->tid));
    atomic_store(&h->leave, 1);
    pthread_join(h->thread, NULL);
    while (!access(path, F_OK)) /* the kernel is a moment later than join */
        usleep(100);
}

static void test_threads__arming_finds_every_thread_and_disarming_lets_all_go(void **state)
{
    struct hook_log log = {0};
    const struct wick_thread_hooks hooks = {on_arm, on_disarm, on_end, &log};
    struct helper h[3];
    assert_int_equal(wick_threads_init(&ts), 0);
    for (int i = 0; i < 3; i++)
        helper_start(&h[i], "helper");
    wick_threads_arm(&ts, &hooks);
    assert_true(log.armed >= 4); /* a sanitizer may have a thread of its own */
    assert_int_equal(log.late, 0);
    assert_non_null(wick_threads_find_sig(&ts, own_tid()));
    for (int i = 0; i < 3; i++)
        assert_non_null(wick_threads_find_sig(&ts, h[i].tid));
    wick_threads_disarm(&ts, &log);
    assert_int_equal(log.disarmed, log.armed);
    wick_threads_disarm(&ts, &log);
    assert_int_equal(log.disarmed, log.armed);
    for (int i = 0; i < 3; i++)
        helper_end(&h[i]);
    wick_threads_release(&ts);
}

/* A scan may find a thread before the JVM announces it. */
static void test_threads__an_armed_thread_that_becomes_a_java_thread_is_announced_once(void **state)
{
    struct hook_log log = {0};
    const struct wick_thread_hooks hooks = {on_arm, on_disarm, on_end, &log, on_java};
    assert_int_equal(wick_threads_init(&ts), 0);
    wick_threads_arm(&ts, &hooks);
    int before = log.armed;
    wick_threads_java(&ts, own_tid(), 0x1000, "attached", 1);
    wick_threads_java(&ts, own_tid(), 0x1000, "renamed", 1);
    assert_int_equal(log.java, 1);
    assert_int_equal(log.armed, before);
    wick_threads_disarm(&ts, &log);
    wick_threads_release(&ts);
}

static void test_threads__two_engines_arm_and_disarm_by_themselves(void **state)
{
    struct hook_log first = {0}, second = {0}, more = {0};
    const struct wick_thread_hooks a = {on_arm, on_disarm, on_end, &first}, b = {on_arm, on_disarm, on_end, &second},
                                   c = {on_arm, on_disarm, on_end, &more};
    struct helper h;
    assert_int_equal(wick_threads_init(&ts), 0);
    assert_int_equal(wick_threads_arm(&ts, &a), 0);
    int before = first.armed;
    assert_int_equal(wick_threads_arm(&ts, &b), 0);
    assert_int_equal(first.armed, before);
    assert_int_equal(second.armed, before);
    wick_threads_disarm(&ts, &first);
    assert_int_equal(first.disarmed, before);
    assert_int_equal(second.disarmed, 0);
    helper_start(&h, "late one");
    poll_now();
    assert_int_equal(first.armed, before);
    assert_int_equal(second.armed, before + 1);
    helper_end(&h);
    for (int i = 1; i < WICK_MAX_HOOKS; i++)
        assert_int_equal(wick_threads_arm(&ts, &c), 0);
    assert_int_equal(wick_threads_arm(&ts, &c), -WICK_E_LIMIT);
    wick_threads_disarm(&ts, &second);
    assert_int_equal(second.disarmed, second.armed);
    wick_threads_disarm(&ts, &more);
    assert_int_equal(more.disarmed, more.armed);
    wick_threads_release(&ts);
}

static void test_threads__a_poll_sees_births_and_deaths(void **state)
{
    struct hook_log log = {0};
    const struct wick_thread_hooks hooks = {on_arm, on_disarm, on_end, &log};
    struct helper h;
    struct wick_thread_name name;
    char text[64];
    assert_int_equal(wick_threads_init(&ts), 0);
    wick_threads_arm(&ts, &hooks);
    int before = log.armed;
    helper_start(&h, "late one");
    int32_t tid = h.tid;
    poll_now();
    assert_int_equal(log.armed, before + 1);
    assert_int_equal(log.late, 1);
    struct wick_engine_thread *t = wick_threads_find_sig(&ts, tid);
    assert_non_null(t);
    uint32_t serial = t->serial;
    assert_true(wick_threads_name(&ts, serial, &name, text, sizeof text));
    assert_string_equal(name.os_name, "late one");
    assert_int_equal(name.tid, tid);
    assert_null(name.java_name);
    helper_end(&h);
    poll_now();
    assert_null(wick_threads_find_sig(&ts, tid));
    assert_int_equal(log.disarmed, 1);
    assert_true(wick_threads_name(&ts, serial, &name, text, sizeof text)); /* until it has been written */
    assert_string_equal(name.os_name, "late one");
    wick_threads_forget(&ts);
    assert_true(wick_threads_name(&ts, serial, &name, text, sizeof text)); /* the next chunk may need it still */
    wick_threads_forget(&ts);
    assert_false(wick_threads_name(&ts, serial, &name, text, sizeof text));
    assert_true(wick_threads_name(&ts, wick_threads_find_sig(&ts, own_tid())->serial, &name, text, sizeof text));
    wick_threads_disarm(&ts, &log);
    wick_threads_release(&ts);
}

/* As many as before, but not the same: detected by the pids given out. */
static void test_threads__one_that_takes_the_place_of_another_is_seen(void **state)
{
    struct hook_log log = {0};
    const struct wick_thread_hooks hooks = {on_arm, on_disarm, on_end, &log};
    struct helper first, second;
    assert_int_equal(wick_threads_init(&ts), 0);
    helper_start(&first, "first");
    wick_threads_arm(&ts, &hooks);
    assert_non_null(wick_threads_find_sig(&ts, first.tid));
    int32_t gone = first.tid;
    helper_end(&first);
    helper_start(&second, "second");
    poll_now();
    assert_null(wick_threads_find_sig(&ts, gone));
    assert_non_null(wick_threads_find_sig(&ts, second.tid));
    helper_end(&second);
    wick_threads_disarm(&ts, &log);
    wick_threads_release(&ts);
}

/* Other processes begin all the time. On a machine that gives out hundreds of pids between two polls a scan is right,
 * so one poll of a hundred without is enough; each would have scanned if pids were not asked for. */
static void test_threads__births_of_others_cause_no_scan(void **state)
{
    struct hook_log log = {0};
    const struct wick_thread_hooks hooks = {on_arm, on_disarm, on_end, &log};
    assert_int_equal(wick_threads_init(&ts), 0);
    wick_threads_arm(&ts, &hooks);
    bool quiet = false;
    for (int i = 0; i < 100 && !quiet; i++) {
        poll_now();
        poll_now();
        uint64_t last = ts.scan_state[1];
        uint32_t scan = ts.scan;
        pid_t child = fork();
        if (!child)
            _exit(0);
        assert_int_equal(waitpid(child, NULL, 0), child);
        poll_now();
        quiet = ts.scan == scan && ts.scan_state[1] != last;
    }
    assert_true(quiet || !ts.pids_are_ours);
    wick_threads_disarm(&ts, &log);
    wick_threads_release(&ts);
}

static void test_threads__one_that_the_kernel_leaves_out_is_not_gone(void **state)
{
    struct hook_log log = {0};
    const struct wick_thread_hooks hooks = {on_arm, on_disarm, on_end, &log};
    struct helper h;
    assert_int_equal(wick_threads_init(&ts), 0);
    helper_start(&h, "left out");
    wick_threads_arm(&ts, &hooks);
    uint32_t serial = wick_threads_find_sig(&ts, h.tid)->serial;
    left_out = h.tid;
    memset(ts.scan_state, 0, sizeof ts.scan_state);
    poll_now();
    left_out = 0;
    assert_int_equal(log.disarmed, 0);
    assert_non_null(wick_threads_find_sig(&ts, h.tid));
    assert_int_equal(wick_threads_find_sig(&ts, h.tid)->serial, serial);
    helper_end(&h);
    wick_threads_disarm(&ts, &log);
    wick_threads_release(&ts);
}

/* Threads are seen before they have named themselves, and may be gone a moment later. */
static void test_threads__the_name_of_a_young_thread_is_read_again(void **state)
{
    struct hook_log log = {0};
    const struct wick_thread_hooks hooks = {on_arm, on_disarm, on_end, &log};
    struct helper h;
    struct wick_thread_name name;
    char text[64];
    assert_int_equal(wick_threads_init(&ts), 0);
    wick_threads_arm(&ts, &hooks);
    helper_start(&h, "java");
    poll_now();
    atomic_store(&h.rename, "worker-1");
    while (!atomic_load(&h.renamed))
        usleep(100);
    poll_now();
    uint32_t serial = wick_threads_find_sig(&ts, h.tid)->serial;
    helper_end(&h);
    poll_now();
    assert_true(wick_threads_name(&ts, serial, &name, text, sizeof text));
    assert_string_equal(name.os_name, "worker-1");
    wick_threads_disarm(&ts, &log);
    wick_threads_release(&ts);
}

static void test_threads__scans_rest_in_proportion_to_their_cost(void **state)
{
    struct hook_log log = {0};
    const struct wick_thread_hooks hooks = {on_arm, on_disarm, on_end, &log};
    struct helper h;
    assert_int_equal(wick_threads_init(&ts), 0);
    wick_threads_arm(&ts, &hooks);
    helper_start(&h, "late one");
    poll_now();
    assert_non_null(wick_threads_find_sig(&ts, h.tid));
    assert_true(ts.scan_rest_until_ns > 0);
    helper_end(&h);
    ts.scan_rest_until_ns = UINT64_MAX; /* still resting */
    wick_threads_poll(&ts);
    assert_int_equal(log.disarmed, 0);
    ts.scan_rest_until_ns = 0; /* what has changed is not forgotten */
    wick_threads_poll(&ts);
    assert_int_equal(log.disarmed, 1);
    wick_threads_disarm(&ts, &log);
    wick_threads_release(&ts);
}

static void test_threads__java_threads_are_known_by_name_until_they_end(void **state)
{
    struct wick_thread_name name;
    char text[64];
    assert_int_equal(wick_threads_init(&ts), 0);
    wick_threads_begin(&ts);
    wick_threads_java(&ts, own_tid(), 0x7000, "http-1 <\"x\">", 42);
    struct wick_engine_thread *t = wick_threads_find_sig(&ts, own_tid());
    assert_non_null(t);
    assert_int_equal(wick_load_relaxed(&t->java), 0x7000);
    assert_true(wick_threads_name(&ts, t->serial, &name, text, sizeof text));
    assert_string_equal(name.java_name, "http-1 <\"x\">");
    assert_int_equal(name.java_tid, 42);
    wick_threads_java(&ts, own_tid(), 0x7000, "renamed", 42);
    assert_true(wick_threads_name(&ts, wick_threads_named(&ts, t->serial, UINT64_MAX), &name, text, sizeof text));
    assert_string_equal(name.java_name, "renamed");
    wick_threads_java_end(&ts, own_tid());
    assert_int_equal(wick_load_relaxed(&t->java), 0);
    assert_true(wick_threads_name(&ts, t->serial, &name, text, sizeof text));
    assert_string_equal(name.java_name, "http-1 <\"x\">"); /* what was recorded under that number */
    wick_threads_java_end(&ts, 999999);                    /* nobody knows it */
    wick_threads_release(&ts);
}

static void test_threads__the_engine_is_notified_of_the_end_of_a_java_thread_once_it_is_armed(void **state)
{
    struct hook_log log = {0};
    const struct wick_thread_hooks hooks = {on_arm, on_disarm, on_end, &log};
    assert_int_equal(wick_threads_init(&ts), 0);
    wick_threads_java(&ts, own_tid(), 0x7000, "before", 1);
    wick_threads_java_end(&ts, own_tid());
    assert_int_equal(log.ended, 0);
    wick_threads_arm(&ts, &hooks);
    wick_threads_java(&ts, own_tid(), 0x7000, "during", 1);
    wick_threads_java_end(&ts, own_tid());
    assert_int_equal(log.ended, 1);
    wick_threads_disarm(&ts, &log);
    wick_threads_java_end(&ts, own_tid());
    assert_int_equal(log.ended, 1);
    wick_threads_release(&ts);
}

/* The kernel gives the id of a thread that ended to another: that is another thread, with another serial number. */
static void test_threads__a_reused_tid_is_another_thread(void **state)
{
    struct hook_log log = {0};
    const struct wick_thread_hooks hooks = {on_arm, on_disarm, on_end, &log};
    struct wick_thread_name name;
    char text[64];
    assert_int_equal(wick_threads_init(&ts), 0);
    wick_threads_arm(&ts, &hooks);
    wick_threads_java(&ts, own_tid(), 0x7000, "first", 1);
    uint32_t first = wick_threads_find_sig(&ts, own_tid())->serial;
    int armed = log.armed;
    wick_threads_java(&ts, own_tid(), 0x8000, "second", 2);
    struct wick_engine_thread *t = wick_threads_find_sig(&ts, own_tid());
    assert_true(t->serial != first);
    assert_int_equal(wick_load_relaxed(&t->java), 0x8000);
    assert_int_equal(log.disarmed, 1);
    assert_int_equal(log.armed, armed + 1);
    assert_true(wick_threads_name(&ts, first, &name, text, sizeof text));
    assert_string_equal(name.java_name, "first");
    wick_threads_disarm(&ts, &log);
    wick_threads_release(&ts);
}

/* --- ids used again, in a pid namespace of the test's own --- */

enum { NO_NAMESPACE = 77 };

#define CHECK(x)                                            \
    do {                                                    \
        if (!(x)) {                                         \
            fprintf(stderr, "line %d: %s\n", __LINE__, #x); \
            _exit(1);                                       \
        }                                                   \
    } while (0)

/* Runs `body` as pid 1 of a new pid namespace with a /proc of its own; skips the test where that is not permitted. */
static void in_own_namespace(void (*body)(void))
{
    int status = 0;
    pid_t outer = fork();
    if (!outer) {
        if (unshare(CLONE_NEWPID | CLONE_NEWNS) && unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS))
            _exit(NO_NAMESPACE);
        pid_t inner = fork();
        if (!inner) {
            if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("proc", "/proc", "proc", 0, NULL))
                _exit(NO_NAMESPACE);
            body();
            _exit(0);
        }
        if (inner < 0 || waitpid(inner, &status, 0) != inner)
            _exit(NO_NAMESPACE);
        _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
    }
    assert_true(outer > 0);
    assert_int_equal(waitpid(outer, &status, 0), outer);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == NO_NAMESPACE)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* The next thread or process gets this id, if nobody has it. */
static void next_tid(int32_t tid)
{
    char text[16];
    int fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        _exit(NO_NAMESPACE);
    int len = snprintf(text, sizeof text, "%d", tid - 1);
    if (write(fd, text, (size_t)len) != len)
        _exit(NO_NAMESPACE);
    close(fd);
}

/* The next thread gets the id of one that has ended. The kernel lets a joined thread's id go some time afterwards, that
 * of a process before waitpid returns: once a process has had it, it is free. */
static void reuse_tid(int32_t tid)
{
    for (pid_t got = 0; got != tid;) {
        next_tid(tid);
        got = fork();
        if (!got)
            _exit(0);
        CHECK(got > 0 && waitpid(got, NULL, 0) == got);
    }
    next_tid(tid);
    usleep(30000); /* the kernel's time of a thread's start counts ticks of 10 ms */
}

/* A thread of Java (`java`) or not, and then one with the same id, `next_java` or not. */
static void reuse(wick_addr java, wick_addr next_java, bool recording)
{
    struct hook_log log = {0};
    const struct wick_thread_hooks hooks = {on_arm, on_disarm, on_end, &log};
    struct helper a, b, other;
    struct wick_thread_name name;
    char text[64];
    CHECK(!wick_threads_init(&ts));
    if (recording) {
        wick_threads_begin(&ts);
        CHECK(!wick_threads_arm(&ts, &hooks));
    }
    helper_start_java(&a, "first", java);
    if (recording)
        poll_now();
    const struct wick_engine_thread *t = wick_threads_find_sig(&ts, a.tid);
    uint32_t serial = t ? t->serial : 0;
    helper_end(&a);
    reuse_tid(a.tid);
    helper_start_java(&b, "second", next_java);
    CHECK(b.tid == a.tid);
    next_tid(a.tid + 1000); /* as many have come and gone as it takes to get there again */
    helper_start(&other, "other");
    helper_end(&other);
    if (recording) {
        poll_now();
    } else {
        wick_threads_begin(&ts);
        CHECK(!wick_threads_arm(&ts, &hooks));
    }
    t = wick_threads_find_sig(&ts, b.tid);
    CHECK(t && t->serial != serial);
    CHECK(wick_load_relaxed(&t->java) == next_java);
    CHECK(wick_threads_name(&ts, t->serial, &name, text, sizeof text));
    CHECK(!strcmp(name.os_name, "second"));
    CHECK(next_java ? name.java_name && !strcmp(name.java_name, "second") : !name.java_name);
    if (recording) {
        CHECK(log.disarmed == 1);
        CHECK(wick_threads_name(&ts, serial, &name, text, sizeof text)); /* its samples keep its name */
        CHECK(java ? name.java_name && !strcmp(name.java_name, "first") : !strcmp(name.os_name, "first"));
    }
    uint32_t second = t->serial;
    poll_now();
    poll_now();
    t = wick_threads_find_sig(&ts, b.tid);
    CHECK(t && t->serial == second); /* and stays what it is */
    helper_end(&b);
    wick_threads_disarm(&ts, &log);
    wick_threads_rest(&ts);
    wick_threads_release(&ts);
}

static void all_reuses(void)
{
    for (int i = 0; i < 8; i++)
        reuse(i & 1 ? 0x7000 : 0, i & 2 ? 0x8000 : 0, i & 4);
}

/* A JavaThread may be where the last one was. */
static void reuse_of_both(void)
{
    reuse(0x7000, 0x7000, true);
    reuse(0x7000, 0x7000, false);
}

static void test_threads__an_id_used_again_is_another_thread(void **state)
{
    in_own_namespace(all_reuses);
    in_own_namespace(reuse_of_both);
}

static void test_threads__while_no_recording_is_on_threads_that_end_leave_nothing(void **state)
{
    struct hook_log log = {0};
    const struct wick_thread_hooks hooks = {on_arm, on_disarm, on_end, &log};
    assert_int_equal(wick_threads_init(&ts), 0);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 200; i++) {
            struct helper h;
            helper_start_java(&h, "short", 0x7000 + 8 * (wick_addr)i);
            helper_end(&h);
            assert_int_equal(ts.name_count, 0);
            assert_int_equal(ts.free_hint, 1);
        }
        struct helper native, java;
        helper_start(&native, "native");
        helper_start_java(&java, "java", 0x9000);
        wick_threads_begin(&ts);
        assert_int_equal(wick_threads_arm(&ts, &hooks), 0);
        assert_non_null(wick_threads_find_sig(&ts, native.tid));
        wick_threads_disarm(&ts, &log);
        wick_threads_rest(&ts);
        assert_null(wick_threads_find_sig(&ts, native.tid));
        assert_non_null(wick_threads_find_sig(&ts, java.tid));
        assert_int_equal(ts.name_count, 1);
        helper_end(&java);
        helper_end(&native);
        assert_int_equal(ts.name_count, 0);
    }
    wick_threads_release(&ts);
}

static void test_threads__slots_are_used_again_but_serials_never(void **state)
{
    uint32_t last = 0;
    assert_int_equal(wick_threads_init(&ts), 0);
    struct hook_log log = {0};
    const struct wick_thread_hooks hooks = {on_arm, on_disarm, on_end, &log};
    wick_threads_arm(&ts, &hooks);
    uint32_t top = ts.top;
    for (int i = 0; i < 20; i++) {
        struct helper h;
        helper_start(&h, "short");
        poll_now();
        struct wick_engine_thread *t = wick_threads_find_sig(&ts, h.tid);
        assert_non_null(t);
        assert_true(t->serial > last);
        last = t->serial;
        helper_end(&h);
        poll_now();
        assert_int_equal(ts.top, top);
    }
    assert_int_equal(log.disarmed, 20);
    wick_threads_disarm(&ts, &log);
    wick_threads_release(&ts);
}

static void born_as(int32_t tid, uint32_t nth)
{
    acted_tid = tid;
    wick_threads_java(&ts, tid, 0x7000 + 8 * (wick_addr)nth, "short", nth);
    const struct wick_engine_thread *t = wick_threads_find_sig(&ts, tid);
    assert_non_null(t);
    assert_int_equal(t->serial, nth);
    assert_int_equal(wick_load_relaxed(&t->tid), tid);
}

/* More births than a number of 16 bits counts and than there are slots, while no recording is on: first of threads that
 * announce their end, then of threads that do not, with ids that come again and again. */
static void test_threads__any_number_of_births_leaves_room_for_the_next(void **state)
{
    enum { BIRTHS = 70000, IDS = 30000, FIRST = 3000000 };
    struct hook_log log = {0};
    const struct wick_thread_hooks hooks = {on_arm, on_disarm, on_end, &log};
    uint32_t nth = 1;
    assert_true((int)BIRTHS > (int)WICK_MAX_THREADS);
    assert_int_equal(wick_threads_init(&ts), 0);
    for (; nth <= BIRTHS; nth++) {
        born_as(FIRST + (int32_t)nth, nth);
        wick_threads_java_end(&ts, acted_tid);
        assert_null(wick_threads_find_sig(&ts, acted_tid));
    }
    assert_int_equal(ts.top, 2);
    assert_int_equal(ts.name_count, 0);
    for (; nth <= 2 * BIRTHS; nth++)
        born_as(FIRST + (int32_t)(nth % IDS), nth);
    assert_int_equal(ts.top, IDS + 1);
    assert_int_equal(ts.overflow, 0);
    acted_tid = 0; /* the kernel knows none of them */
    wick_threads_begin(&ts);
    assert_int_equal(wick_threads_arm(&ts, &hooks), 0);
    struct helper h;
    helper_start(&h, "latest");
    poll_now();
    const struct wick_engine_thread *t = wick_threads_find_sig(&ts, h.tid);
    assert_non_null(t);
    assert_true(t->serial > 2 * BIRTHS);
    assert_null(wick_threads_find_sig(&ts, FIRST));
    assert_int_equal(t - ts.slots, 1); /* theirs are free */
    helper_end(&h);
    wick_threads_disarm(&ts, &log);
    wick_threads_rest(&ts);
    assert_int_equal(ts.name_count, 0);
    wick_threads_release(&ts);
}

static void test_threads__wild_ids_are_nobody(void **state)
{
    static const int32_t wild[] = {0, -1, INT32_MIN, WICK_MAX_TID, INT32_MAX};
    assert_int_equal(wick_threads_init(&ts), 0);
    for (size_t i = 0; i < COUNT(wild); i++) {
        assert_null(wick_threads_find_sig(&ts, wild[i]));
        wick_threads_java(&ts, wild[i], 1, "x", 1);
    }
    assert_int_equal(ts.overflow, 3); /* those that no thread can have; the others have ended */
    assert_int_equal(ts.top, 1);
    wick_threads_release(&ts);
}

static void test_perf_event__names_are_perfs_own(void **state)
{
    static const struct {
        const char *name;
        uint32_t type;
        uint64_t config;
        bool cpu_time;
    } cases[] = {{"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, true},
                 {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, true},
                 {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, false},
                 {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false},
                 {"r1a2b", PERF_TYPE_RAW, 0x1a2b, false},
                 {"r0", PERF_TYPE_RAW, 0, false}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct perf_event_attr attr;
        struct wick_err err = {0};
        bool cpu_time = !cases[i].cpu_time;
        assert_int_equal(wick_perf_event_parse(cases[i].name, &attr, &cpu_time, &err), 0);
        assert_int_equal(attr.type, cases[i].type);
        assert_int_equal(attr.config, cases[i].config);
        assert_int_equal(attr.size, sizeof attr);
        assert_true(attr.sample_period > 0);
        assert_int_equal(cpu_time, cases[i].cpu_time);
    }
}

static void test_perf_event__what_is_no_event_is_refused(void **state)
{
    static const char *const names[] = {
        "",          "r",   "rxyz", "r12 ",    "cpu-cloc",         "cpu-clock2",
        ":",         "a:",  ":b",   "no:such", "../../etc:passwd", "sched:../../../etc/passwd",
        "sched:a/b", "%s%n"};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct perf_event_attr attr;
        struct wick_err err = {0};
        bool cpu_time;
        int r = wick_perf_event_parse(names[i], &attr, &cpu_time, &err);
        assert_true(r == -WICK_E_USAGE || (!strcmp(names[i], "no:such") && r == -WICK_E_PERM));
        assert_true(err.msg[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads__arming_finds_every_thread_and_disarming_lets_all_go),
        cmocka_unit_test(test_threads__an_armed_thread_that_becomes_a_java_thread_is_announced_once),
        cmocka_unit_test(test_threads__two_engines_arm_and_disarm_by_themselves),
        cmocka_unit_test(test_threads__a_poll_sees_births_and_deaths),
        cmocka_unit_test(test_threads__one_that_takes_the_place_of_another_is_seen),
        cmocka_unit_test(test_threads__births_of_others_cause_no_scan),
        cmocka_unit_test(test_threads__one_that_the_kernel_leaves_out_is_not_gone),
        cmocka_unit_test(test_threads__the_name_of_a_young_thread_is_read_again),
        cmocka_unit_test(test_threads__scans_rest_in_proportion_to_their_cost),
        cmocka_unit_test(test_threads__java_threads_are_known_by_name_until_they_end),
        cmocka_unit_test(test_threads__the_engine_is_notified_of_the_end_of_a_java_thread_once_it_is_armed),
        cmocka_unit_test(test_threads__a_reused_tid_is_another_thread),
        cmocka_unit_test(test_threads__an_id_used_again_is_another_thread),
        cmocka_unit_test(test_threads__while_no_recording_is_on_threads_that_end_leave_nothing),
        cmocka_unit_test(test_threads__slots_are_used_again_but_serials_never),
        cmocka_unit_test(test_threads__any_number_of_births_leaves_room_for_the_next),
        cmocka_unit_test(test_threads__wild_ids_are_nobody),
        cmocka_unit_test(test_perf_event__names_are_perfs_own),
        cmocka_unit_test(test_perf_event__what_is_no_event_is_refused),
    };
    return cmocka_run_group_tests_name("engine", tests, NULL, NULL);
}
