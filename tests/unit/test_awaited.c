/* SPDX-License-Identifier: Apache-2.0 */
/* What is behind a descriptor that a thread waits at: of real sockets and files, and by the kernel's words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/thread/awaited.h"
#include "labels/labels.h"
#include "mem/mem.h"
#include "loopback.h"

struct bench {
    struct wick_mem mem;
    struct wick_labels labels;
    struct wick_awaited awaited;
};

static int setup(void **state)
{
    struct bench *b = calloc(1, sizeof *b);
    *state = b;
    return wick_mem_self_init(&b->mem) || wick_labels_init(&b->labels, &b->mem);
}

static int teardown(void **state)
{
    struct bench *b = *state;
    wick_labels_release(&b->labels);
    free(b);
    return 0;
}

static const char *of_socket(struct bench *b, int fd)
{
    return wick_labels_text(&b->labels, wick_awaited_socket(&b->awaited, &b->labels, fd));
}

static const char *of_file(struct bench *b, int fd)
{
    return wick_labels_text(&b->labels, wick_awaited_file(&b->labels, fd));
}

static const char *of_child(struct bench *b, pid_t pid)
{
    return wick_labels_text(&b->labels, wick_awaited_child(&b->labels, pid));
}

static void close_both(const int fd[2])
{
    close(fd[0]);
    close(fd[1]);
}

/* Both ports are of those that the kernel gives to clients, so these say nothing. */
static void test_awaited__is_the_server_of_who_has_connected_and_where_clients_come_in_of_who_has_accepted(void **state)
{
    static const char *const forms[] = {"%s=127.0.0.1:%u", "%s=[::1]:%u"};
    struct bench *b = *state;
    for (int i = 0; i < 4; i++) {
        int fd[2], family = i / 2 ? AF_INET6 : AF_INET;
        char expected[2][64], bytes[16] = {0};
        unsigned port = connected(family, fd);
        snprintf(expected[0], sizeof expected[0], forms[i / 2], "peer", port);
        snprintf(expected[1], sizeof expected[1], forms[i / 2], "local", port);
        for (int side = 0; side < 2 && i % 2; side++) { /* with data in both directions, and without */
            assert_int_equal(write(fd[side], bytes, sizeof bytes), sizeof bytes);
            assert_int_equal(recv(fd[!side], bytes, sizeof bytes, MSG_WAITALL), sizeof bytes);
        }
        assert_string_equal(of_socket(b, fd[0]), expected[0]);
        assert_string_equal(of_socket(b, fd[1]), expected[1]);
        assert_string_equal(of_socket(b, fd[0]), expected[0]); /* known by now */
        close_both(fd);
    }
}

enum { CONNECTING = 100 }; /* more than one part of the kernel's answer holds */

/* Sockets that connect to a door whose queue is full, but for the first few of them: it drops their SYNs. Returns the
 * port. family: of the door; mapped: addresses of version 4 in sockets of version 6. */
static unsigned connecting(int family, bool mapped, int *door, int *fds)
{
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    } at = {.any.sa_family = (sa_family_t)family};
    socklen_t size = family == AF_INET ? sizeof at.four : sizeof at.six;
    if (family == AF_INET)
        at.four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    else
        at.six.sin6_addr = in6addr_loopback;
    *door = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_return_code(bind(*door, &at.any, size), 0);
    assert_return_code(listen(*door, 0), 0);
    assert_return_code(getsockname(*door, &at.any, &size), 0);
    unsigned port = ntohs(family == AF_INET ? at.four.sin_port : at.six.sin6_port);
    if (mapped) {
        at.six = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = at.four.sin_port};
        assert_int_equal(inet_pton(AF_INET6, "::ffff:127.0.0.1", &at.six.sin6_addr), 1);
        size = sizeof at.six;
    }
    for (int i = 0; i < CONNECTING; i++) {
        fds[i] = socket(at.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        connect(fds[i], &at.any, size);
    }
    return port;
}

static void test_awaited__is_where_a_connection_goes_that_is_not_made_yet(void **state)
{
    struct bench *b = *state;
    for (int i = 0; i < 3; i++) {
        int door, fds[CONNECTING];
        char expected[64];
        unsigned port = connecting(i == 1 ? AF_INET6 : AF_INET, i == 2, &door, fds);
        snprintf(expected, sizeof expected, i == 1 ? "peer=[::1]:%u" : "peer=127.0.0.1:%u", port);
        for (int k = 2; k < CONNECTING; k++) { /* the queue has room for one, and the kernel may accept one more */
            b->awaited.asked_ns = 0;           /* long ago */
            assert_string_equal(of_socket(b, fds[k]), expected);
        }
        int none = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        b->awaited.asked_ns = 0;
        assert_string_equal(of_socket(b, none), ""); /* connects to nothing */
        close(none);
        for (int k = 0; k < CONNECTING; k++)
            close(fds[k]);
        close(door);
    }
}

static void test_awaited__seeking_where_connections_go_takes_little_time(void **state)
{
    struct bench *b = *state;
    int door, fds[CONNECTING];
    connecting(AF_INET, false, &door, fds);
    assert_string_not_equal(of_socket(b, fds[2]), "");
    assert_true(b->awaited.spare_ns > 0 && b->awaited.spare_ns < 50000000); /* after what it took */
    b->awaited.spare_ns = -3600000000000;                                   /* longer than the test lasts */
    assert_string_equal(of_socket(b, fds[3]), "");
    assert_string_equal(of_socket(b, fds[2]), ""); /* asked anew: it may go elsewhere by now */
    b->awaited.spare_ns = 1;
    assert_string_not_equal(of_socket(b, fds[3]), "");
    for (int k = 0; k < CONNECTING; k++)
        close(fds[k]);
    close(door);
}

static struct tcp_info counted(uint64_t sent, uint64_t retrans, uint64_t acked)
{
    return (struct tcp_info){
        .tcpi_state = 1, .tcpi_bytes_sent = sent, .tcpi_bytes_retrans = retrans, .tcpi_bytes_acked = acked};
}

static void test_awaited__who_has_connected_shows_in_what_was_acknowledged(void **state)
{
    static const struct {
        uint64_t sent, retrans, acked;
        int queued, opened;
    } cases[] = {
        {1000, 0, 1001, 0, 1},    {1000, 0, 1000, 0, 0},  {1300, 300, 1001, 0, 1}, /* sent twice, acknowledged once */
        {1000, 0, 901, 100, 1},   {1000, 0, 900, 100, 0},                          /* on its way */
        {1300, 300, 900, 100, 0}, {1000, 0, 901, 0, -1},                           /* acknowledged in between */
        {1000, 0, 1001, -1, -1},
    };
    const size_t least =
        offsetof(struct tcp_info, tcpi_bytes_retrans) + sizeof((struct tcp_info *)0)->tcpi_bytes_retrans;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tcp_info t = counted(cases[i].sent, cases[i].retrans, cases[i].acked);
        if (wick_awaited_opened(&t, sizeof t, cases[i].queued) != cases[i].opened)
            fail_msg("case %zu", i);
    }
    struct tcp_info t = counted(1000, 0, 901);
    t.tcpi_notsent_bytes = 48; /* held back, say */
    assert_int_equal(wick_awaited_opened(&t, sizeof t, 148), 1);
    t = counted(1000, 0, 1001);
    t.tcpi_state = 8; /* the peer has closed its side */
    assert_int_equal(wick_awaited_opened(&t, sizeof t, 0), 1);
    t.tcpi_state = 5; /* this side has: its FIN is acknowledged as well */
    assert_int_equal(wick_awaited_opened(&t, sizeof t, 0), -1);
    t.tcpi_state = 1;
    assert_int_equal(wick_awaited_opened(&t, least, 0), 1);
    assert_int_equal(wick_awaited_opened(&t, least - 1, 0), -1); /* an old kernel */
}

static void test_awaited__sockets_of_the_machine_have_the_name_of_the_one_that_is_bound(void **state)
{
    struct bench *b = *state;
    struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "\0wick,test=1"};
    socklen_t size = offsetof(struct sockaddr_un, sun_path) + sizeof "\0wick,test=1" - 1;
    int fd[2], door = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_return_code(bind(door, (struct sockaddr *)&at, size), 0);
    assert_return_code(listen(door, 1), 0);
    fd[0] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_return_code(connect(fd[0], (struct sockaddr *)&at, size), 0);
    fd[1] = accept4(door, NULL, NULL, SOCK_CLOEXEC);
    assert_string_equal(of_socket(b, fd[0]), "peer=unix:@wick\\,test\\=1"); /* no other label begins in it */
    assert_string_equal(of_socket(b, fd[1]), "local=unix:@wick\\,test\\=1");
    close_both(fd);
    close(door);
    assert_return_code(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd), 0);
    assert_string_equal(of_socket(b, fd[0]), "");
    close_both(fd);
}

/* As long as a connection is being made it has no other end, and what says who has opened it is not there. */
static void test_awaited__a_socket_is_asked_for_again_until_it_is_connected(void **state)
{
    struct bench *b = *state;
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    char expected[64];
    int door = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_return_code(bind(door, (struct sockaddr *)&at, sizeof at), 0);
    assert_return_code(listen(door, 1), 0);
    assert_return_code(getsockname(door, (struct sockaddr *)&at, &size), 0);
    assert_string_equal(of_socket(b, fd), "");
    assert_return_code(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
    snprintf(expected, sizeof expected, "peer=127.0.0.1:%u", ntohs(at.sin_port));
    assert_string_equal(of_socket(b, fd), expected);
    close(fd);
    close(door);
}

/* The other side acknowledges late, as it has nothing to answer, and the two ports say nothing. */
static void test_awaited__what_is_on_its_way_hides_nothing(void **state)
{
    struct bench *b = *state;
    for (int i = 0; i < 40; i++) {
        int fd[2];
        char bytes[256] = {0};
        connected(AF_INET, fd);
        for (int k = 0; k < 8; k++) { /* after the first, the acknowledgement is delayed */
            assert_int_equal(write(fd[0], bytes, sizeof bytes), sizeof bytes);
            assert_int_equal(recv(fd[1], bytes, sizeof bytes, MSG_WAITALL), sizeof bytes);
            assert_int_equal(write(fd[1], bytes, 4), 4);
            assert_int_equal(recv(fd[0], bytes, 4, MSG_WAITALL), 4);
        }
        assert_int_equal(write(fd[0], bytes, sizeof bytes), sizeof bytes);
        assert_int_equal(strncmp(of_socket(b, fd[0]), "peer=", strlen("peer=")), 0);
        assert_int_equal(strncmp(of_socket(b, fd[1]), "local=", strlen("local=")), 0);
        close_both(fd);
    }
}

static void test_awaited__files_have_their_path(void **state)
{
    struct bench *b = *state;
    char path[] = "/tmp/wick-a,b=XXXXXX", expected[64];
    int fd = mkstemp(path), again = open(path, O_RDONLY | O_CLOEXEC),
        other = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    assert_return_code(fd, 0);
    snprintf(expected, sizeof expected, "file=/tmp/wick-a\\,b\\=%s", path + strlen("/tmp/wick-a,b="));
    assert_string_equal(of_file(b, fd), expected);
    assert_string_equal(of_file(b, again), expected);
    assert_int_equal(strncmp(of_file(b, other), "file=/", strlen("file=/")), 0);
    assert_string_not_equal(of_file(b, other), expected);
    char renamed[sizeof path + 4];
    snprintf(renamed, sizeof renamed, "%s.new", path);
    assert_return_code(rename(path, renamed), 0);
    assert_non_null(strstr(of_file(b, fd), ".new"));
    unlink(renamed);
    assert_non_null(strstr(of_file(b, fd), " (deleted)"));
    close(fd);
    close(again);
    close(other);
}

/* Its name is at the end of a path. */
/* One that sleeps, and one that writes more than a pipe has room for, until something reads it. */
static void test_awaited__processes_have_their_name_and_whether_their_pipe_is_full(void **state)
{
    struct bench *b = *state;
    static char room[1 << 20];
    int pipes[2];
    assert_return_code(pipe(pipes), 0);
    pid_t sleeps = fork();
    if (!sleeps) {
        prctl(PR_SET_NAME, "sleeps,a");
        for (;;)
            pause();
    }
    pid_t writes = fork();
    if (!writes) {
        prctl(PR_SET_NAME, "writes");
        _exit(write(pipes[1], room, sizeof room) != sizeof room);
    }
    while (strcmp(of_child(b, sleeps), "child=sleeps\\,a") != 0)
        usleep(1000);
    while (strcmp(of_child(b, writes), "child=writes,pipe=full") != 0)
        usleep(1000);
    assert_string_equal(of_child(b, sleeps), "child=sleeps\\,a");
    for (ssize_t n = 0, one; n < (ssize_t)sizeof room; n += one) {
        one = read(pipes[0], room, sizeof room);
        assert_true(one > 0);
    }
    int status;
    assert_int_equal(waitpid(writes, &status, 0), writes);
    assert_int_equal(status, 0);
    assert_string_equal(of_child(b, writes), "");
    kill(sleeps, SIGKILL);
    assert_int_equal(waitpid(sleeps, &status, 0), sleeps);
    close_both(pipes);
}

static void test_awaited__of_long_paths_the_end_is_kept(void **state)
{
    struct bench *b = *state;
    char dir[512] = "/tmp/wick-awaited-XXXXXX", path[600];
    assert_non_null(mkdtemp(dir));
    size_t top = strlen(dir);
    for (int i = 0; i < 2; i++) {
        strcat(dir, "/");
        for (int k = 0; k < 70; k++)
            strcat(dir, "\xc3\xa4"); /* two bytes each */
        assert_return_code(mkdir(dir, 0700), 0);
    }
    snprintf(path, sizeof path, "%s/wal.log", dir);
    int fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    const char *label = of_file(b, fd);
    assert_true(strlen(label) <= WICK_AWAITED_PATH + strlen("file="));
    assert_string_equal(label + strlen(label) - strlen("/wal.log"), "/wal.log");
    assert_int_not_equal((unsigned char)label[strlen("file=")] & 0xc0, 0x80); /* no half of a character */
    close(fd);
    unlink(path);
    for (; strlen(dir) >= top; *strrchr(dir, '/') = 0)
        if (rmdir(dir) || strlen(dir) == top)
            break;
}

static void test_awaited__other_descriptors_have_none(void **state)
{
    struct bench *b = *state;
    int pipes[2], door = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_return_code(pipe(pipes), 0);
    const int all[] = {pipes[0], pipes[1], door, -1, 1000000};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_string_equal(of_socket(b, all[i]), "");
    assert_string_equal(of_file(b, -1), "");
    close(pipes[0]);
    close(pipes[1]);
    close(door);
}

/* Programs keep their own labels few; what threads wait for has to leave these room. */
static void test_awaited__texts_are_so_many_at_most(void **state)
{
    struct bench *b = *state;
    char text[32];
    uint32_t first = wick_labels_intern_awaited(&b->labels, WICK_LABELS_ENDS, "peer=a:1", 8);
    assert_int_not_equal(first, 0);
    for (unsigned i = 1; i < WICK_LABELS_AWAITED; i++) {
        int n = snprintf(text, sizeof text, "peer=b:%u", i);
        assert_int_not_equal(wick_labels_intern_awaited(&b->labels, WICK_LABELS_ENDS, text, (size_t)n), 0);
    }
    assert_int_equal(wick_labels_intern_awaited(&b->labels, WICK_LABELS_ENDS, "peer=c:1", 8), 0);
    assert_int_not_equal(wick_labels_intern_awaited(&b->labels, WICK_LABELS_FILES, "file=/c", 7), 0);
    assert_int_equal(wick_labels_intern_awaited(&b->labels, WICK_LABELS_ENDS, "peer=a:1", 8), first); /* known */
    assert_string_equal(wick_labels_text(&b->labels, wick_labels_intern(&b->labels, "customer=big", 12)),
                        "customer=big");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(test_awaited__##name, setup, teardown)
        TEST(is_the_server_of_who_has_connected_and_where_clients_come_in_of_who_has_accepted),
        TEST(is_where_a_connection_goes_that_is_not_made_yet),
        TEST(seeking_where_connections_go_takes_little_time),
        TEST(who_has_connected_shows_in_what_was_acknowledged),
        TEST(sockets_of_the_machine_have_the_name_of_the_one_that_is_bound),
        TEST(a_socket_is_asked_for_again_until_it_is_connected),
        TEST(what_is_on_its_way_hides_nothing),
        TEST(files_have_their_path),
        TEST(processes_have_their_name_and_whether_their_pipe_is_full),
        TEST(of_long_paths_the_end_is_kept),
        TEST(other_descriptors_have_none),
        TEST(texts_are_so_many_at_most),
#undef TEST
    };
    return cmocka_run_group_tests_name("awaited", tests, NULL, NULL);
}
