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

/* Who gives up before a packet is sent again waits for the queue all the same, if it is that of this process. */
static void test_overflow__is_the_cause_of_waits_that_time_out(void **state)
{
    static const struct {
        const char *to;
        int64_t most;
        bool said;
    } cases[] = {{"127.0.0.1:8080", 3, true}, {"127.0.0.1:8080", 2, false}, {"127.0.0.1:9090", 3, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = drops(20, true, true, 4);
        struct wick_explain_listening l = {.address = wick_profile_cstring(&s->p, "127.0.0.1:8080"),
                                           .readings = 10,
                                           .with_some = 10,
                                           .waiting = 30,
                                           .most = cases[i].most,
                                           .backlog = 2};
        s->f.listening = &l;
        s->f.nlistening = 1;
        s->f.syn_retransmits.grown = 0;
        s->wall[0].server = s->wall[1].server = wick_profile_cstring(&s->p, cases[i].to);
        (cases[i].said ? has : has_not)(s, "; 2 threads on average wait for connections to be made (20.0 s), most at "
                                           "app.Terminal.run: each tries again");
    }
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

/* A queue in which nobody was seen is not the one that has no room. */
static void test_overflow__is_of_others_where_own_queues_are_empty(void **state)
{
    (void)state;
    for (int64_t most = 0; most <= 1; most++)
        for (int64_t readings = 4; readings <= 5; readings++) {
            struct scene *s = drops(20, false, true, 4);
            struct wick_explain_listening l = {.readings = readings, .most = most, .backlog = 50};
            s->f.listening = &l;
            s->f.nlistening = 1;
            assert_int_equal(is_neutral(s, "listen-overflow"), !most && readings == 5);
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
                                         .backlog = 50,
                                         .changes = 5};
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
    for (int full = 0; full <= 1; full++) {
        s = waiting(&l, 10, "java/net/SocketInputStream.read");
        l.most = full ? 51 : 50;
        s->f.listen_overflows.grown = 20;
        (full ? has_not : has)(s, "slow-accept"); /* listen-overflow says it of this one */
    }
}

/* A port may only be held. A thread that waits for something else would not accept with more CPUs, nor without
 * collections. */
static void test_slow_accept__is_a_fault_unless_held_or_held_up(void **state)
{
    static const struct {
        bool waits, starves, collects;
        int64_t changes, most;
        bool fault;
    } cases[] = {{true, false, false, 5, 7, true},   {true, true, false, 5, 7, true},
                 {true, false, true, 5, 7, true},    {false, false, false, 5, 7, true},
                 {false, true, false, 5, 7, false},  {false, false, true, 5, 7, false},
                 {false, false, false, 0, 7, false}, {false, false, false, 0, 51, true}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wick_explain_listening l;
        struct scene *s = waiting(&l, 10, "java/net/SocketInputStream.read");
        l.changes = cases[i].changes;
        l.most = cases[i].most;
        if (!cases[i].waits)
            s->f.nwall = 0;
        if (cases[i].starves)
            s->f.hungry_got_ns = s->f.hungry_delay_ns = 4 * S;
        if (cases[i].collects)
            s->f.pauses_ns = 3 * S;
        assert_int_equal(is_neutral(s, "slow-accept"), !cases[i].fault);
        free(explained(s));
    }
}

/* Clients of this process wait for what does not accept them. */
static void test_slow_accept__comes_before_those_who_wait_for_it(void **state)
{
    static const char *const servers[] = {"127.0.0.1:8080", "127.0.0.2:8080", "10.0.0.7:8080", "127.0.0.1:8081"};
    struct wick_explain_listening doors[2];
    (void)state;
    for (size_t i = 0; i < sizeof servers / sizeof *servers; i++) {
        struct scene *s = waiting(&doors[0], 10, "java/net/SocketInputStream.read");
        doors[1] = (struct wick_explain_listening){.address = wick_profile_cstring(&s->p, "127.0.0.1:8081")};
        s->f.nlistening = 2;
        for (int k = 0; k < 4; k++) {
            add(s, thread_of(s, "visitor", 30 + k), STACK(s, "app/Visitor.run", "java/net/SocketInputStream.read"),
                WICK_EXPLAIN_IO, 10);
            s->wall[s->f.nwall - 1].server = wick_profile_cstring(&s->p, servers[i]);
            cpu(s, STACK(s, "app/Visitor.run", "java/net/SocketOutputStream.write"), 0.01);
        }
        s->f.ends = true;
        doors[0].waiting = 12; /* the visitors' time is more than that of these connections */
        begins(s, i < 2 ? "slow-accept: " : "waiting: ");
    }
}

/* What it waits for instead comes behind, unless that is mostly what others wait for there, or another kind of wait. */
static void test_slow_accept__comes_before_what_the_thread_that_accepts_waits_for(void **state)
{
    static const char *const latch = "java/util/concurrent/CountDownLatch.await",
                             *const future = "java/util/concurrent/FutureTask.get";
    static const struct {
        unsigned others;
        bool futures, first;
    } cases[] = {{1, false, true}, {4, false, false}, {4, true, false}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct wick_explain_listening l;
        struct scene *s = waiting(&l, 10, latch);
        s->wall[1].state = WICK_EXPLAIN_PARKED;
        for (unsigned k = 0; k < cases[c].others; k++)
            add(s, thread_of(s, "desk", 30 + k),
                STACK(s, "app/Desk.run", "app/Hub.greet", cases[c].futures ? future : latch), WICK_EXPLAIN_PARKED, 8);
        l.waiting = 12;
        begins(s, cases[c].first ? "slow-accept: " : "waiting: ");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overflow__is_of_others_where_own_queues_are_empty),
        cmocka_unit_test(test_slow_accept__names_what_the_thread_that_accepts_waits_for),
        cmocka_unit_test(test_slow_accept__is_a_fault_unless_held_or_held_up),
        cmocka_unit_test(test_slow_accept__comes_before_those_who_wait_for_it),
        cmocka_unit_test(test_slow_accept__comes_before_what_the_thread_that_accepts_waits_for),
        cmocka_unit_test(test_overflow__is_the_cause_of_waits_for_connections),
        cmocka_unit_test(test_overflow__is_the_cause_of_waits_that_time_out),
        cmocka_unit_test(test_overflow__of_others_is_not_why_threads_wait),
        cmocka_unit_test(test_overflow__is_of_others_where_nobody_here_accepts_or_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
