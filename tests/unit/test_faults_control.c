/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_faults_control.c - commands to the agent, and the socket that carries them, while memory, descriptors and
 * threads run out
 *
 * The JVM is still starting, so recordings are prepared and not begun: test_faults_session.c has those. control.c is
 * included, so that packets are served in the thread that the faults are for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "agent/control.c"
#include "faults.h"

#include <limits.h>
#include <sys/mman.h>

static const struct wick_err no_error;

static bool is_over(void)
{
    pthread_mutex_lock(&ctl.lock);
    bool over = !ctl.started;
    pthread_mutex_unlock(&ctl.lock);
    return over;
}

static void end_thread(void)
{
    pthread_mutex_lock(&ctl.lock);
    ctl.retired = true;
    pthread_mutex_unlock(&ctl.lock);
    wake();
    while (!is_over())
        sched_yield();
}

/* --- attempts --- */

static int listening(void *arg)
{
    struct wick_err err = {0};
    int rc = wick_control_start(&no_error, &err);
    assert_true(!rc == !err.msg[0]);
    if (!rc)
        end_thread();
    if (ctl.wake_fd >= 0)
        close(ctl.wake_fd);
    ctl.wake_fd = -1;
    return rc;
}

static int run(const char *options, struct wick_err *err)
{
    *err = (struct wick_err){0};
    int rc = wick_control_run(options, strlen(options), err);
    assert_true(!rc || err->msg[0]);
    return rc;
}

static int commands(void *arg)
{
    struct wick_err err;
    int rc = run("start,event=ctimer,file=/tmp/wick-faults-%p.jfr", &err);
    assert_true(!rc == wick_session_running());
    rc = rc ? rc : run("status", &err);
    if (wick_session_running()) {
        int stopped = run("stop", &err);
        if (stopped) /* no memory for the answer: it goes on */
            stopped = run("stop", &err);
        rc = rc ? rc : stopped;
    }
    assert_false(wick_session_running());
    return rc;
}

/* A packet as the control thread gets it; whatever it carries is taken. */
static bool serve(struct client *c, int peer, const char *packet, int fd)
{
    static char reply[WICK_SOCK_REPLY_MAX];
    int back[WICK_SOCK_FDS], n = 0;
    bool served = serve_packet_locked(c, packet, strlen(packet), &fd, fd >= 0);
    if (!served)
        return false;
    ssize_t len = wick_sock_recv(peer, reply, sizeof reply, back, WICK_SOCK_FDS, &n, 0);
    if (len == -WICK_E_FORMAT)
        return false; /* no number for the recording that came with the answer */
    assert_true(len > 0);
    while (n > 0)
        close(back[--n]);
    return !strncmp(reply, "0\n", 2);
}

static int packets(void *arg)
{
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    struct client c = {.fd = pair[0]};
    int out = memfd_create("out", MFD_CLOEXEC);
    bool good = out >= 0 && serve(&c, pair[1], "wick1 o -\nstart,event=ctimer", out) &&
                serve(&c, pair[1], "wick1 - -\nstatus", -1);
    if (wick_session_running())
        good = serve(&c, pair[1], "wick1 - -\nstop", -1) && good;
    if (wick_session_running()) { /* no memory for the answer: it goes on */
        assert_true(serve(&c, pair[1], "wick1 - -\nstop", -1));
        good = false;
    }
    close(pair[0]);
    close(pair[1]);
    return good ? 0 : -WICK_E_NOMEM;
}

/* A stop may have no memory for its answer: the recording goes on. */
static int stop_surely(void)
{
    struct wick_err err;
    int rc = run("stop", &err);
    if (wick_session_running())
        assert_int_equal(run("stop", &err), 0);
    return rc;
}

/* A recording without a file of its own is kept until the next one starts. */
static void forget_kept(void)
{
    struct wick_err err;
    while (run("start,event=ctimer,file=/tmp/wick-faults-%p.jfr", &err)) /* one fault at most */
        ;
    stop_surely();
}

/* After its end it is read, and goes on. */
static int read_kept(void)
{
    struct wick_err err;
    int rc = run("start,event=ctimer", &err);
    rc = rc ? rc : stop_surely();
    if (rc)
        return rc;
    rc = run("stop,file=/tmp/wick-faults-%p.kept", &err);
    assert_null(strstr(err.msg, "none is kept"));
    int resumed = run("resume,event=ctimer", &err);
    if (wick_session_running())
        rc = stop_surely() || rc;
    return rc ? rc : resumed;
}

static int kept(void *arg)
{
    int rc = read_kept();
    forget_kept();
    return rc;
}

/* A caller is let in at once, unless there is no descriptor for it. */
static int accepting(void *arg)
{
    char name[WICK_SOCK_NAME_MAX];
    for (int i = 0; i < MAX_CLIENTS; i++)
        ctl.clients[i] = (struct client){.fd = -1};
    ctl.pause_until = 0;
    ctl.listen_fd = wick_sock_listen(getpid(), name);
    int caller = ctl.listen_fd < 0 ? -1 : wick_sock_connect(name);
    for (int i = 0; caller >= 0 && i < 2 && !ctl.pause_until && ctl.clients[0].fd < 0; i++)
        accept_client_locked(1);
    int rc = ctl.clients[0].fd < 0 ? -WICK_E_LIMIT : 0;
    if (!rc)
        drop_client_locked(&ctl.clients[0]);
    if (caller >= 0)
        close(caller);
    if (ctl.listen_fd >= 0)
        close(ctl.listen_fd);
    ctl.listen_fd = -1;
    return rc;
}

/* Every place holds a recording: what came with the request is closed, and so is the connection. */
static int no_place(void *arg)
{
    static const char packet[] = "wick1 o -\nstatus";
    struct wick_err err = {0};
    int pair[2], out = memfd_create("out", MFD_CLOEXEC);
    if (out < 0)
        return -WICK_E_LIMIT;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    assert_int_equal(wick_sock_send(pair[0], packet, sizeof packet - 1, &out, 1, 0), 0);
    for (int i = 0; i < MAX_CLIENTS; i++)
        ctl.clients[i] = (struct client){.fd = INT_MAX, .holds = true};
    assert_int_equal(wick_control_adopt(pair[1], &err), -WICK_E_LIMIT); /* also without a number for the descriptor */
    assert_true(err.msg[0]);
    for (int i = 0; i < MAX_CLIENTS; i++)
        ctl.clients[i] = (struct client){.fd = -1};
    close(pair[0]);
    close(out);
    return 0;
}

/* --- tests --- */

static void each(faults_attempt *attempt, unsigned memory, unsigned descriptors)
{
    assert_int_equal(attempt(NULL), 0);
    assert_true(faults_each(FAULTS_MEMORY, attempt, NULL) >= memory);
    assert_true(faults_each(FAULTS_DESCRIPTORS, attempt, NULL) >= descriptors);
    assert_int_equal(attempt(NULL), 0);
}

static void test_faults__the_socket_is_there_or_it_is_said_why_not(void **state)
{
    each(listening, 0, 3);
}

static void test_faults__a_caller_is_let_in_though_a_signal_came(void **state)
{
    each(accepting, 0, 3);
    assert_true(faults_each(FAULTS_READ_EINTR, accepting, NULL) > 0);
}

static void test_faults__a_command_is_carried_out_or_refused(void **state)
{
    char path[64];
    each(commands, 3, 1);
    snprintf(path, sizeof path, "/tmp/wick-faults-%d.jfr", (int)getpid());
    assert_int_equal(unlink(path), 0);
}

static void test_faults__a_packet_is_answered_or_its_sender_dropped(void **state)
{
    each(packets, 3, 1);
    each(no_place, 0, 1);
    assert_true(faults_each(FAULTS_READ_EINTR, packets, NULL) > 0);
    assert_true(faults_each(FAULTS_WRITE_EINTR, packets, NULL) > 0);
}

static void test_faults__a_recording_that_is_kept_is_not_lost(void **state)
{
    char path[64];
    each(kept, 3, 3);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "/tmp/wick-faults-%d.%s", (int)getpid(), i ? "kept" : "jfr");
        assert_int_equal(unlink(path), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults__the_socket_is_there_or_it_is_said_why_not),
        cmocka_unit_test(test_faults__a_command_is_carried_out_or_refused),
        cmocka_unit_test(test_faults__a_caller_is_let_in_though_a_signal_came),
        cmocka_unit_test(test_faults__a_packet_is_answered_or_its_sender_dropped),
        cmocka_unit_test(test_faults__a_recording_that_is_kept_is_not_lost),
    };
    wick_commands_init(&no_error);
    return cmocka_run_group_tests_name("faults_control", tests, NULL, NULL);
}
