/* SPDX-License-Identifier: Apache-2.0 */
/* What a thread is waiting for: by the kernel's words about it, and by its stack. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/thread/thread_look.h"
#include "jfr/writer/writer.h"
#include "record/wait_state.h"

static void test_wait__texts_of_the_kernel(void **state)
{
    static const struct {
        const char *text;
        enum wick_thread_seen seen;
        uint8_t state;
    } cases[] = {
        {"running\n", WICK_THREAD_READY, 0},
        {"202 0x7f0 0x189 0x0 0x0 0x0 0xffffffff 0x7ffd10 0x7f3020\n", WICK_THREAD_WAITS, WICK_JFR_STATE_NATIVE_WAIT},
        {"230 0x1 0x1 0x0 0x0 0x0 0xffffffff 0x7ffd10 0x7f3020\n", WICK_THREAD_WAITS, WICK_JFR_STATE_SLEEPING},
        {"7 0x0 0x0 0x0 0x0 0x0 0xffffffff 0x7ffd10 0x7f3020\n", WICK_THREAD_WAITS, WICK_JFR_STATE_IO},
        {"-1 0x7ffd10 0x7f3020\n", WICK_THREAD_WAITS, WICK_JFR_STATE_DISK},
        {"", WICK_THREAD_GONE, 0},
        {"-1 0x7ffd10", WICK_THREAD_GONE, 0},
        {"202 0x7f0 0x189", WICK_THREAD_GONE, 0},
        {"nonsense", WICK_THREAD_GONE, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wick_thread_look l = {0};
        assert_int_equal(wick_thread_look_parse(cases[i].text, &l), cases[i].seen);
        if (cases[i].seen != WICK_THREAD_WAITS)
            continue;
        assert_int_equal(l.state, cases[i].state);
        assert_int_equal(l.sp, 0x7ffd10);
        assert_int_equal(l.pc, 0x7f3020);
    }
}

/* Which process the end of which is waited for, by wait4 and waitid. */
static void test_wait__processes(void **state)
{
    static const struct {
        long call;
        uint64_t first, second;
        int32_t child;
    } cases[] = {{SYS_wait4, 4711, 0, 4711}, {SYS_wait4, UINT64_MAX, 0, 0}, {SYS_wait4, 0xffffffff, 0, 0},
                 {SYS_wait4, 0, 0, 0},       {SYS_waitid, 1, 4711, 4711},   {SYS_waitid, 0, 4711, 0},
                 {SYS_futex, 4711, 0, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wick_thread_look l;
        char text[128];
        snprintf(text, sizeof text, "%ld 0x%" PRIx64 " 0x%" PRIx64 " 0x0 0x0 0x0 0x0 0x7ffd10 0x7f3020\n",
                 cases[i].call, cases[i].first, cases[i].second);
        assert_int_equal(wick_thread_look_parse(text, &l), WICK_THREAD_WAITS);
        assert_int_equal(l.child, cases[i].child);
    }
}

/* Which descriptor the thread waits for data of, or for room in. */
static void test_wait__sockets_that_are_read_and_written(void **state)
{
    int pair[2], pipes[2];
    (void)state;
    assert_return_code(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    assert_return_code(pipe(pipes), 0);
    const struct {
        long call;
        int first, second, socket;
        uint64_t polled;
        bool sends;
    } cases[] = {
        {SYS_read, pair[0], 0, pair[0], 0, false},
        {SYS_readv, pair[0], 0, pair[0], 0, false},
        {SYS_recvfrom, 7, 0, 7, 0, false},
        {SYS_recvmsg, 7, 0, 7, 0, false},
        {SYS_read, pipes[0], 0, -1, 0, false},
        {SYS_pread64, pair[0], 0, -1, 0, false},
        {SYS_write, pair[0], 0, pair[0], 0, true},
        {SYS_writev, pair[0], 0, pair[0], 0, true},
        {SYS_sendfile, pair[0], pipes[0], pair[0], 0, true},
        {SYS_sendto, 7, 0, 7, 0, true},
        {SYS_sendmsg, 7, 0, 7, 0, true},
        {SYS_write, pipes[1], 0, -1, 0, true},
        {SYS_accept, 7, 0, -1, 0, false},
        {SYS_connect, 7, 0, 7, 0, true},
        {SYS_ppoll, 0x7f10, 1, -1, 0x7f10, false},
        {SYS_ppoll, 0x7f10, 2, -1, 0, false},
        {SYS_epoll_pwait, 7, 1, -1, 0, false},
        {SYS_futex, 0x7f10, 1, -1, 0, false},
#ifdef SYS_poll
        {SYS_poll, 0x7f10, 1, -1, 0x7f10, false},
#endif
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wick_thread_look l;
        char text[128];
        snprintf(text, sizeof text, "%ld 0x%x 0x%x 0x0 0x0 0x0 0x0 0x7ffd10 0x7f3020\n", cases[i].call,
                 (unsigned)cases[i].first, (unsigned)cases[i].second);
        assert_int_equal(wick_thread_look_parse(text, &l), WICK_THREAD_WAITS);
        assert_int_equal(l.socket, cases[i].socket);
        assert_int_equal(l.sends, cases[i].sends);
        assert_int_equal(l.polled, cases[i].polled);
    }
    for (int i = 0; i < 2; i++) {
        close(pair[i]);
        close(pipes[i]);
    }
}

/* Names as they are in the libjvm of JDK 8 to 25. */
static void test_wait__functions_of_the_jvm_and_java_methods_are_known(void **state)
{
    assert_int_equal(wick_wait_state_native("XPageAllocator::alloc_page_stall(XPageAllocation*)"),
                     WICK_JFR_STATE_ALLOCATION);
    assert_int_equal(wick_wait_state_native("ParallelScavengeHeap::mem_allocate(unsigned long)"),
                     WICK_JFR_STATE_ALLOCATION);
    assert_int_equal(wick_wait_state_native("SafepointSynchronize::block(JavaThread*)"), WICK_JFR_STATE_SAFEPOINT);
    assert_int_equal(wick_wait_state_native("LinuxWaitBarrier::wait(int)"), WICK_JFR_STATE_SAFEPOINT);
    assert_int_equal(wick_wait_state_native("ObjectMonitor::EnterI(JavaThread*)"), 0);
    assert_int_equal(wick_wait_state_native("ObjectMonitor::enter(JavaThread*)"), WICK_JFR_STATE_MONITOR);
    assert_int_equal(wick_wait_state_native("ObjectSynchronizer::wait(Handle, long, JavaThread*)"), 0);
    assert_int_equal(wick_wait_state_native("pthread_cond_wait"), 0);
    assert_int_equal(wick_wait_state_native(NULL), 0);
    assert_int_equal(wick_wait_state_java("java/lang/Thread", "sleep0"), WICK_JFR_STATE_SLEEPING);
    assert_int_equal(wick_wait_state_java("java/lang/Object", "wait0"), WICK_JFR_STATE_OBJECT_WAIT);
    assert_int_equal(wick_wait_state_java("jdk/internal/misc/Unsafe", "park"), WICK_JFR_STATE_PARKED);
    assert_int_equal(wick_wait_state_java("sun/misc/Unsafe", "park"), WICK_JFR_STATE_PARKED);
    assert_int_equal(wick_wait_state_java("java/lang/Thread", "run"), 0);
    assert_int_equal(wick_wait_state_java("my/Thread", "sleep"), 0);
    /* of a virtual thread on no carrier: what made it yield decides, not that it yielded */
    assert_int_equal(wick_wait_state_java("jdk/internal/vm/Continuation", "yield0"), WICK_JFR_STATE_PARKED);
    assert_int_equal(wick_wait_state_java("java/lang/VirtualThread", "sleepNanos"), WICK_JFR_STATE_SLEEPING);
    assert_int_equal(wick_wait_state_java("sun/nio/ch/Poller", "pollDirect"), WICK_JFR_STATE_IO);
    assert_true(wick_wait_state_passes("jdk/internal/vm/Continuation"));
    assert_true(wick_wait_state_passes("java/lang/System$2"));
    assert_false(wick_wait_state_passes("jdk/internal/misc/Unsafe"));
    assert_false(wick_wait_state_passes("my/VirtualThread"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wait__texts_of_the_kernel),
        cmocka_unit_test(test_wait__processes),
        cmocka_unit_test(test_wait__sockets_that_are_read_and_written),
        cmocka_unit_test(test_wait__functions_of_the_jvm_and_java_methods_are_known),
    };
    return cmocka_run_group_tests_name("wait_state", tests, NULL, NULL);
}
