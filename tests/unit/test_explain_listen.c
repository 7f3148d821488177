/* SPDX-License-Identifier: Apache-2.0 */
/* Connections that a listening socket has no room for. */
#include "explain_stacks.h"

#define CONNECT "java/net/Socket.connect", "sun/nio/ch/NioSocketImpl.connect"

/* Two threads that connect all the time, if asked for, one that accepts, but is busy for so many seconds, and so many
 * drops in ten seconds. */
static struct scene *drops(int64_t n, bool connects, bool accepts, unsigned busy)
{
    struct scene *s = scene();
    for (unsigned i = 0; connects && i < 2; i++)
        add(s, thread_of(s, "terminal", 10 + i), STACK(s, "app/Terminal.run", CONNECT, "libc.so.6:poll"),
            WICK_EXPLAIN_IO, 10);
    if (accepts) {
        uint32_t acceptor = thread_of(s, "acceptor", 20);
        add(s, acceptor,
            STACK(s, "app/Server.run", "java/net/ServerSocket.accept", "sun/nio/ch/NioSocketImpl.accept",
                  "libc.so.6:accept"),
            WICK_EXPLAIN_IO, 10 - busy);
        if (busy)
            add(s, acceptor, STACK(s, "app/Server.run", "app/Server.greet"), WICK_EXPLAIN_RUNNABLE, busy);
    }
    s->f.listen_overflows.grown = s->f.syn_retransmits.grown = n;
    return s;
}

static void test_overflow__is_the_cause_of_waits_for_connections(void **state)
{
    (void)state;
    begins(
        drops(20, true, true, 4),
        "listen-overflow: 20 times, 2 a second, somebody tried to connect to a listening socket, of this process or of "
        "another one "
        "in its network namespace, whose queue of connections to be accepted was full; 2 threads on average wait for "
        "connections to be made (20.0 s), most at app.Terminal.run: each tries again after 1 s, then after 2 "
        "s and more\n\n");
    /* too few for so many waits: something else keeps those, too */
    struct scene *s = drops(6, true, true, 4);
    s->f.duration_ns = 4 * S; /* or the drops would be too few a second */
    char *text = explained(s);
    if (!strstr(text, "waiting: ") || !strstr(text, "a connection to be made, at app.Terminal.run"))
        fail_msg("%s", text);
    free(text);
}

/* A machine that does not answer is tried at ever longer intervals, while somebody else finds a queue full. */
static void test_overflow__of_others_is_not_why_threads_wait(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct scene *s = drops(20, true, true, 4);
        s->f.syn_retransmits.grown = i ? 6 : 60;
        char *text = explained(s);
        if (!strstr(text, "waiting: ") || !strstr(text, "a connection to be made, at app.Terminal.run") ||
            strstr(text, "wait for connections to be made"))
            fail_msg("%s", text);
        free(text);
    }
}

static void test_overflow__is_of_others_where_nobody_here_accepts_or_waits(void **state)
{
    (void)state;
    has(drops(20, false, true, 4),
        "listen-overflow: 20 times, 2 a second, somebody tried to connect to a listening socket, of this "
        "process or of another one in its network namespace, whose queue of connections to be "
        "accepted was full: each tries");
    for (unsigned busy = 0; busy <= 4; busy += 4) { /* all who come are accepted, but for a moment, or are not */
        struct scene *s = drops(20, false, true, busy);
        assert_int_equal(is_neutral(s, "listen-overflow"), !busy);
        free(explained(s));
    }
    has_not(drops(20, false, false, 4), "listen-overflow");
    has_not(drops(4, true, true, 4), "listen-overflow");
}

/* A queue that is hardly used is not the one that has no room. */
static void test_overflow__is_of_others_where_own_queues_have_room(void **state)
{
    (void)state;
    for (int64_t most = 25; most <= 26; most++)
        for (int64_t readings = 4; readings <= 5; readings++) {
            struct scene *s = drops(20, false, true, 4);
            struct wick_explain_listening l = {.readings = readings, .most = most, .backlog = 50};
            s->f.listening = &l;
            s->f.nlistening = 1;
            assert_int_equal(is_neutral(s, "listen-overflow"), most == 25 && readings == 5);
            free(explained(s));
        }
}

/* Ten readings of a listening socket, of which so many have three connections each, and who accepts. */
static struct scene *waiting(struct wick_explain_listening *l, int64_t with_some, const char *instead)
{
    struct scene *s = scene();
    *l = (struct wick_explain_listening){.address = wick_profile_cstring(&s->p, "0.0.0.0:8080"),
                                         .readings = 10,
                                         .with_some = with_some,
                                         .waiting = 3 * with_some,
                                         .most = 7,
                                         .backlog = 50};
    s->f.listening = l;
    s->f.nlistening = 1;
    uint32_t door = thread_of(s, "door", 20);
    add(s, door, STACK(s, "app/Hub.run", "java/net/ServerSocket.accept"), WICK_EXPLAIN_IO, 1);
    add(s, door, STACK(s, "app/Hub.run", "app/Hub.greet", instead, "java/net/SocketInputStream.socketRead0"),
        WICK_EXPLAIN_IO, 9);
    return s;
}

static void test_slow_accept__names_what_the_thread_that_accepts_waits_for(void **state)
{
    struct wick_explain_listening l;
    (void)state;
    has(waiting(&l, 8, "java/net/SocketInputStream.read"),
        "slow-accept: 2.4 connections on average wait at 0.0.0.0:8080 to be accepted, 7 at most, of a backlog of 50; "
        "door, which accepts, waits for data of a socket, at app.Hub.greet, 90 % of the time");
    has_not(waiting(&l, 7, "java/net/SocketInputStream.read"), "slow-accept"); /* they are taken at times */
    struct scene *s = waiting(&l, 10, "java/net/SocketInputStream.read");
    l.waiting = 9;
    has_not(s, "slow-accept"); /* less than one on average */
    s = waiting(&l, 10, "java/net/SocketInputStream.read");
    s->f.hungry_got_ns = s->f.hungry_delay_ns = 4 * S;
    assert_true(is_neutral(s, "slow-accept")); /* threads lack CPUs */
    free(explained(s));
    s = waiting(&l, 10, "java/net/SocketInputStream.read");
    s->f.pauses_ns = 3 * S;
    assert_true(is_neutral(s, "slow-accept")); /* collections stop them */
    free(explained(s));
    for (int full = 0; full <= 1; full++) {
        s = waiting(&l, 10, "java/net/SocketInputStream.read");
        l.most = full ? 51 : 50;
        s->f.listen_overflows.grown = 20;
        (full ? has_not : has)(s, "slow-accept"); /* listen-overflow says it of this one */
    }
}

/* A port may be held by who never accepts, and who waits for the next connection has taken all there were. */
static void test_slow_accept__is_a_fault_of_who_has_something_else_to_do(void **state)
{
    static const struct {
        double rests;
        bool seen;
        int64_t fell;
        bool fault;
    } cases[] = {{2, true, 0, true}, {8, true, 5, false}, {0, false, 0, false}, {0, false, 3, true}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wick_explain_listening l;
        struct scene *s = waiting(&l, 10, "java/net/SocketInputStream.read");
        l.fell = cases[i].fell;
        s->f.nwall = 0;
        add(s, thread_of(s, "door", 20), STACK(s, "app/Hub.run", "app/Hub.greet"), WICK_EXPLAIN_RUNNABLE,
            10 - cases[i].rests);
        if (cases[i].seen)
            add(s, thread_of(s, "door", 20), STACK(s, "app/Hub.run", "java/net/ServerSocket.accept"), WICK_EXPLAIN_IO,
                cases[i].rests);
        assert_int_equal(is_neutral(s, "slow-accept"), !cases[i].fault);
        free(explained(s));
    }
}

/* Clients of this process wait for what does not accept them. */
static void test_slow_accept__comes_before_those_who_wait_for_it(void **state)
{
    static const char *const servers[] = {"127.0.0.1:8080", "127.0.0.2:8080", "10.0.0.7:8080", "127.0.0.1:8081"};
    (void)state;
    for (size_t i = 0; i < sizeof servers / sizeof *servers; i++) {
        struct wick_explain_listening l;
        struct scene *s = waiting(&l, 10, "java/net/SocketInputStream.read");
        for (int k = 0; k < 4; k++) {
            add(s, thread_of(s, "visitor", 30 + k), STACK(s, "app/Visitor.run", "java/net/SocketInputStream.read"),
                WICK_EXPLAIN_IO, 10);
            s->wall[s->f.nwall - 1].server = wick_profile_cstring(&s->p, servers[i]);
            cpu(s, STACK(s, "app/Visitor.run", "java/net/SocketOutputStream.write"), 0.01);
        }
        s->f.ends = true;
        l.waiting = 12; /* the visitors' time is more than that of these connections */
        begins(s, i < 2 ? "slow-accept: " : "waiting: ");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overflow__is_of_others_where_own_queues_have_room),
        cmocka_unit_test(test_slow_accept__names_what_the_thread_that_accepts_waits_for),
        cmocka_unit_test(test_slow_accept__is_a_fault_of_who_has_something_else_to_do),
        cmocka_unit_test(test_slow_accept__comes_before_those_who_wait_for_it),
        cmocka_unit_test(test_overflow__is_the_cause_of_waits_for_connections),
        cmocka_unit_test(test_overflow__of_others_is_not_why_threads_wait),
        cmocka_unit_test(test_overflow__is_of_others_where_nobody_here_accepts_or_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
