/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_record_run.c - how `wick record` ends when the JVM or the recording does
 *
 * The agent is a double: the other end of a socket pair. Its answer lies in the socket before the command asks, so that
 * each order of events is certain. A JVM that ends may still answer once, with vm_ended=1, or close the connection
 * before the question, after it, or when nothing is asked; the user sees the same each time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/record/record_run.h"
#include "sys/sock.h"

enum { PID = 4711 };

static struct {
    struct wick_client client;
    struct wick_recording recording;
    int agent;
    struct wick_err err;
} t;

static int set_up(void **state)
{
    int pair[2];
    memset(&t, 0, sizeof t);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    wick_client_init(&t.client);
    t.client.fd = pair[0];
    t.client.pid = PID;
    t.agent = pair[1];
    assert_int_equal(wick_recording_init(&t.recording, &t.client, NULL, &t.err), 0);
    return 0; /* started_ns is 0: the first question is due at once */
}

static int tear_down(void **state)
{
    wick_recording_release(&t.recording);
    wick_client_close(&t.client);
    if (t.agent >= 0)
        close(t.agent);
    return 0;
}

static void answer(const char *packet)
{
    assert_int_equal(wick_sock_send(t.agent, packet, strlen(packet), NULL, 0, 0), 0);
}

/* The agent reads on, but says nothing more. */
static void fall_silent_for_good(void)
{
    assert_int_equal(shutdown(t.agent, SHUT_WR), 0);
}

static void expect_ended_process(void)
{
    assert_int_equal(wick_recording_run(&t.recording, UINT64_MAX, &t.err), -WICK_E_GONE);
    assert_string_equal(t.err.msg, "process 4711 ended during the recording");
    assert_true(t.recording.ended);
}

static void test_run__the_last_answer_of_a_jvm_is_its_end(void **state)
{
    answer("0\nrunning=0\nsamples=12\nvm_ended=1\n");
    expect_ended_process();
}

/* What stopped the recording is the end of the JVM, even if that was an error to the recording. */
static void test_run__an_error_in_the_last_answer_is_no_other_end(void **state)
{
    answer("0\nrunning=0\nerror_code=2\nerror=the drain has ended\nvm_ended=1\n");
    expect_ended_process();
}

static void test_run__a_jvm_that_ends_before_the_question_is_ended(void **state)
{
    close(t.agent);
    t.agent = -1;
    expect_ended_process();
}

static void test_run__a_jvm_that_ends_after_the_question_is_ended(void **state)
{
    fall_silent_for_good();
    expect_ended_process();
    char question[64] = "";
    assert_true(recv(t.agent, question, sizeof question - 1, MSG_DONTWAIT) > 0);
    assert_non_null(strstr(question, "status"));
}

static void test_run__a_jvm_that_ends_when_nothing_is_asked_is_ended(void **state)
{
    char question[64];
    t.recording.started_ns = UINT64_MAX / 2; /* no question is ever due */
    fall_silent_for_good();
    expect_ended_process();
    assert_int_equal(recv(t.agent, question, sizeof question, MSG_DONTWAIT), -1);
}

static void test_run__a_recording_that_was_stopped_elsewhere_is_no_error(void **state)
{
    answer("0\nrunning=0\n");
    assert_int_equal(wick_recording_run(&t.recording, UINT64_MAX, &t.err), 0);
    assert_true(t.recording.ended);
}

static void test_run__a_recording_that_broke_off_says_why(void **state)
{
    char packet[128];
    snprintf(packet, sizeof packet, "0\nrunning=0\nerror_code=%d\nerror=no space left on /data\n", WICK_E_NOSPACE);
    answer(packet);
    assert_int_equal(wick_recording_run(&t.recording, UINT64_MAX, &t.err), -WICK_E_NOSPACE);
    assert_string_equal(t.err.msg, "the recording broke off: no space left on /data");
    assert_true(t.recording.ended);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_run__the_last_answer_of_a_jvm_is_its_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_run__an_error_in_the_last_answer_is_no_other_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_run__a_jvm_that_ends_before_the_question_is_ended, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_run__a_jvm_that_ends_after_the_question_is_ended, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_run__a_jvm_that_ends_when_nothing_is_asked_is_ended, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_run__a_recording_that_was_stopped_elsewhere_is_no_error, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_run__a_recording_that_broke_off_says_why, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("record_run", tests, NULL, NULL);
}
