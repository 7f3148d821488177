/* SPDX-License-Identifier: Apache-2.0 */
/* What a socket is connected to, and names of system calls and errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "ebpf/host_socket.h"
#include "sys/system_call.h"

static const struct wick_host_ports given = {32768, 60999};

static struct wick_host_socket_text text_of(const struct wick_host_socket *s)
{
    struct wick_host_socket_text text;
    wick_host_socket_text(s, &given, &text);
    return text;
}

static void test_host_socket__both_ends_have_address_and_port(void **state)
{
    struct wick_host_socket s = {
        .family = AF_INET, .type = SOCK_STREAM, .protocol = 6, .local_port = 40000, .peer_port = 5432};
    memcpy(s.local, (const uint8_t[]){10, 0, 0, 1}, 4);
    memcpy(s.peer, (const uint8_t[]){10, 0, 0, 5}, 4);
    struct wick_host_socket_text text = text_of(&s);
    assert_string_equal(text.protocol, "tcp");
    assert_string_equal(text.local, "10.0.0.1:40000");
    assert_string_equal(text.peer, "10.0.0.5:5432");
    assert_string_equal(text.peer_name, "10.0.0.5:5432");
    assert_string_equal(text.service, "");
}

static void test_host_socket__a_client_is_known_without_its_port(void **state)
{
    struct wick_host_socket s = {
        .family = AF_INET6, .type = SOCK_STREAM, .protocol = 6, .local_port = 8080, .peer_port = 40000};
    s.local[15] = s.peer[15] = 1;
    struct wick_host_socket_text text = text_of(&s);
    assert_string_equal(text.peer, "[::1]:40000");
    assert_string_equal(text.peer_name, "[::1]");
    assert_string_equal(text.service, "[::1]:8080");
}

static void test_host_socket__addresses_of_version_4_are_shown_as_such(void **state)
{
    struct wick_host_socket s = {
        .family = AF_INET6, .type = SOCK_DGRAM, .protocol = 17, .local_port = 8080, .peer_port = 53};
    memcpy(s.local, (const uint8_t[]){[10] = 0xff, 0xff, 127, 0, 0, 1}, 16);
    memcpy(s.peer, (const uint8_t[]){[10] = 0xff, 0xff, 8, 8, 8, 8}, 16);
    struct wick_host_socket_text text = text_of(&s);
    assert_string_equal(text.protocol, "udp");
    assert_string_equal(text.local, "127.0.0.1:8080");
    assert_string_equal(text.peer, "8.8.8.8:53");
}

static void test_host_socket__what_is_not_connected_has_no_peer(void **state)
{
    struct wick_host_socket s = {.family = AF_INET, .type = SOCK_DGRAM, .protocol = 17, .local_port = 5353};
    struct wick_host_socket_text text = text_of(&s);
    assert_string_equal(text.local, "0.0.0.0:5353");
    assert_string_equal(text.peer, "");
    assert_string_equal(text.peer_name, "");
}

static void test_host_socket__those_of_this_machine_have_names(void **state)
{
    static const struct {
        const char *bytes;
        uint16_t length;
        const char *name;
    } cases[] = {{"/run/x", 7, "unix:/run/x"},
                 {"\0abstract", 9, "unix:@abstract"},
                 {"", 0, "unix"},
                 {"/run/x\0garbage", 14, "unix:/run/x"},
                 {"/a\n\x1b", 5, "unix:/a??"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wick_host_socket s = {.family = AF_UNIX, .type = SOCK_STREAM, .length = cases[i].length};
        memcpy(s.path, cases[i].bytes, cases[i].length);
        struct wick_host_socket_text text = text_of(&s);
        assert_string_equal(text.protocol, "unix-stream");
        assert_string_equal(text.peer, cases[i].name);
        assert_string_equal(text.peer_name, cases[i].name);
        assert_string_equal(text.local, "");
    }
    struct wick_host_socket whole = {.family = AF_UNIX, .type = SOCK_DGRAM, .length = UINT16_MAX};
    memset(whole.path, 'x', sizeof whole.path);
    assert_int_equal(strlen(text_of(&whole).peer), strlen("unix:") + WICK_HOST_PATH);
}

static void test_host_socket__other_families_are_numbers(void **state)
{
    assert_string_equal(text_of(&(struct wick_host_socket){.family = AF_NETLINK}).protocol, "netlink");
    assert_string_equal(text_of(&(struct wick_host_socket){.family = 40, .type = 99}).protocol, "family-40");
    assert_string_equal(text_of(&(struct wick_host_socket){.family = AF_INET, .protocol = 132}).protocol, "ip-132");
    assert_string_equal(text_of(&(struct wick_host_socket){.family = AF_UNIX, .type = 99}).protocol, "unix-other");
}

static void test_system_call__calls_and_errors_have_names(void **state)
{
    assert_string_equal(wick_system_call_name(SYS_read), "read");
    assert_string_equal(wick_system_call_name(SYS_futex), "futex");
    assert_string_equal(wick_system_call_name(SYS_clone3), "clone3");
    assert_null(wick_system_call_name(400));
    assert_null(wick_system_call_name(UINT32_MAX));
    assert_string_equal(wick_system_call_error(0), "");
    assert_string_equal(wick_system_call_error(INT64_MIN), "");
    assert_string_equal(wick_system_call_error(-11), "EAGAIN");
    assert_string_equal(wick_system_call_error(-512), "interrupted");
    assert_string_equal(wick_system_call_error(-4000), "error");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host_socket__both_ends_have_address_and_port),
        cmocka_unit_test(test_host_socket__a_client_is_known_without_its_port),
        cmocka_unit_test(test_host_socket__addresses_of_version_4_are_shown_as_such),
        cmocka_unit_test(test_host_socket__what_is_not_connected_has_no_peer),
        cmocka_unit_test(test_host_socket__those_of_this_machine_have_names),
        cmocka_unit_test(test_host_socket__other_families_are_numbers),
        cmocka_unit_test(test_system_call__calls_and_errors_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
