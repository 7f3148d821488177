/* SPDX-License-Identifier: Apache-2.0 */
/* What `wick explain` says of the other end of sockets and pipes: who it is, and whether it owes an answer. */
#include "explain_stacks.h"

#include <stdio.h>

#include "model/label.h"

#define READ         "java/net/Socket$SocketInputStream.read"
#define WRITE        "java/net/Socket$SocketOutputStream.write"
#define PIPE         "java/io/FileInputStream.read"
#define WAITS(place) "waiting for a server's answer, at " place "\n"

/* A wait of 10 s each for data of a socket, by a thread of its own, with the label of who is at the other end. */
static void at_end(struct scene *s, uint32_t stack, const char *server, const char *service, double seconds)
{
    unsigned n = (unsigned)s->f.nwall;
    char name[16];
    snprintf(name, sizeof name, "t-%u", n);
    add(s, thread_of(s, name, n + 1), stack, WICK_EXPLAIN_IO, seconds);
    s->wall[n].server = server ? wick_profile_cstring(&s->p, server) : 0;
    s->wall[n].service = service ? wick_profile_cstring(&s->p, service) : 0;
    s->f.ends++;
}

/* A server, and who asks another one; `writes` samples of writing the questions. */
static struct scene *asks_and_serves(int writes)
{
    struct scene *s = scene();
    at_end(s, STACK(s, "app/Main.run", "app/Bank.ask", READ), "10.0.0.7:443", NULL, 8);
    at_end(s, STACK(s, "app/Server.serve", READ), NULL, "127.0.0.1:80", 8);
    for (int i = 0; i < writes; i++)
        cpu(s, STACK(s, "app/Main.run", "app/Bank.ask", WRITE), 0.01);
    return s;
}

/* Without lines a process to which clients come has to write where it reads, twice, to be known to ask. */
static void test_ends__say_who_asks_and_whom(void **state)
{
    (void)state;
    has_not(asks_and_serves(0), "server's answer");
    has(asks_and_serves(2), "waiting for a server's answer, at app.Bank.ask, from 10.0.0.7:443\n");
}

/* Who reads and writes asks, unless the others have connected. */
static struct scene *reads_and_writes(const char *service)
{
    struct scene *s = scene();
    at_end(s, STACK(s, "app/Main.run", "app/Server.serve", READ), NULL, service, 8);
    for (int i = 0; i < 4; i++)
        cpu(s, STACK(s, "app/Main.run", "app/Server.serve", WRITE), 0.01);
    return s;
}

static void test_ends__of_accepted_connections_are_not_asked(void **state)
{
    (void)state;
    has_not(reads_and_writes("127.0.0.1:80"), "server's answer");
    has(reads_and_writes(NULL), "waiting for a server's answer, at app.Server.serve\n");
}

static void test_ends__are_named_by_share_where_there_are_several(void **state)
{
    static const char *const servers[] = {"10.0.0.7:443", "10.0.0.8:443", "10.0.0.9:443", NULL};
    (void)state;
    for (int named = 1; named < 4; named++) {
        struct scene *s = scene();
        uint32_t ask = STACK(s, "app/Main.run", "app/Bank.ask", READ);
        for (int i = 0; i < 4; i++)
            at_end(s, ask, servers[i < named ? i : 3], NULL, i ? 1 : 5);
        for (int i = 0; i < 2; i++)
            cpu(s, STACK(s, "app/Main.run", "app/Bank.ask", WRITE), 0.01);
        has(s, named == 1   ? ", at app.Bank.ask, from 10.0.0.7:443\n"
               : named == 2 ? ", from 10.0.0.7:443 (83 %) and 1 other\n"
                            : ", from 10.0.0.7:443 (71 %) and 2 others\n");
    }
}

/* A server in the same process is found in its own stacks. */
static void test_ends__of_the_process_itself_are_said_to_be(void **state)
{
    (void)state;
    struct scene *s = scene();
    at_end(s, STACK(s, "app/Main.run", "app/Bank.ask", READ), "127.0.0.1:80", NULL, 8);
    at_end(s, STACK(s, "app/Server.serve", READ), NULL, "127.0.0.1:80", 1);
    for (int i = 0; i < 2; i++)
        cpu(s, STACK(s, "app/Main.run", "app/Bank.ask", WRITE), 0.01);
    has(s, ", at app.Bank.ask, from 127.0.0.1:80, which is this process\n");
}

/* ... or listens at that address; at all addresses, at those of the loopback. */
static void test_ends__of_the_process_itself_are_where_it_listens(void **state)
{
    static const struct {
        const char *listens, *server;
        bool own;
    } cases[] = {{"127.0.0.1:80", "127.0.0.1:80", true}, {"0.0.0.0:80", "127.0.0.1:80", true},
                 {"[::]:80", "[::1]:80", true},          {"[::]:80", "10.0.0.7:80", false},
                 {"[::]:80", "127.0.0.2:80", true},      {"0.0.0.0:80", "[::1]:80", false},
                 {"[::]:80", "127.0.0.1:180", false},    {"[::]:80", "127.0.0.1:81", false},
                 {"10.0.0.7:80", "127.0.0.1:80", false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        struct wick_explain_listening l = {.address = wick_profile_cstring(&s->p, cases[i].listens), .readings = 10};
        s->f.listening = &l;
        s->f.nlistening = 1;
        at_end(s, STACK(s, "app/Main.run", "app/Bank.ask", READ), cases[i].server, NULL, 8);
        for (int k = 0; k < 2; k++)
            cpu(s, STACK(s, "app/Main.run", "app/Bank.ask", WRITE), 0.01);
        (cases[i].own ? has : has_not)(s, ", which is this process\n");
    }
}

/* What requests wait for is their clients' time as well, if these are known to ask this process; not if they ask
 * another one. */
static void test_ends__of_own_clients_come_down_to_what_requests_wait_for(void **state)
{
    static const struct {
        const char *listens, *server, *wait;
        double waits;
        bool said; /* the clients' wait */
    } cases[] = {{"127.0.0.1:80", "127.0.0.1:80", "java/lang/Thread.join", 5, false},
                 {"127.0.0.1:80", "127.0.0.1:80", "java/lang/Thread.join", 3, true},
                 {"127.0.0.1:80", "127.0.0.1:80", "java/lang/Thread.sleep", 5, false},
                 {"127.0.0.1:80", "127.0.0.1:80", "java/lang/Object.wait", 5, false},
                 {"127.0.0.1:80", "10.0.0.7:443", "java/lang/Thread.join", 8, true},
                 {NULL, "127.0.0.1:80", "java/lang/Object.wait", 7, true}, /* perhaps long polls of others */
                 {NULL, "127.0.0.1:80", "java/lang/Thread.join", 7, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        struct wick_explain_listening l = {.readings = 10};
        l.address = cases[i].listens ? wick_profile_cstring(&s->p, cases[i].listens) : 0;
        s->f.listening = &l;
        s->f.nlistening = cases[i].listens != NULL;
        at_end(s, STACK(s, "app/Main.run", "app/Bank.ask", READ), cases[i].server, NULL, 8);
        for (int k = 0; k < 2; k++)
            cpu(s, STACK(s, "app/Main.run", "app/Bank.ask", WRITE), 0.01);
        add(s, thread_of(s, "door", 20), STACK(s, "app/Shop.run", "java/net/ServerSocket.accept"), WICK_EXPLAIN_IO, 10);
        add(s, thread_of(s, "http", 21),
            STACK(s, "com/sun/net/httpserver/Filter$Chain.doFilter", "app/Shop.handle", cases[i].wait),
            WICK_EXPLAIN_PARKED, cases[i].waits);
        add(s, thread_of(s, "http", 21),
            STACK(s, "java/util/concurrent/ThreadPoolExecutor$Worker.run",
                  "java/util/concurrent/ThreadPoolExecutor.getTask", "java/util/concurrent/locks/LockSupport.park"),
            WICK_EXPLAIN_PARKED, 10 - cases[i].waits);
        char *text = explained(s);
        if ((strstr(text, ", at app.Bank.ask") != NULL) != cases[i].said)
            fail_msg("%zu: %s", i, text);
        free(text);
    }
}

/* Who connects waits for the other end to accept. */
static void test_ends__of_connections_that_are_not_made_are_said(void **state)
{
    (void)state;
    struct scene *s = scene();
    at_end(s, STACK(s, "app/Main.run", "app/Replica.open", "sun/nio/ch/NioSocketImpl.connect"), "10.0.0.7:5432", NULL,
           8);
    has(s, "waiting for a connection to be made, at app.Replica.open, to 10.0.0.7:5432\n");
}

/* Who waits to write waits for the other end to read. */
static void test_ends__of_writes_are_who_does_not_read(void **state)
{
    (void)state;
    for (int served = 0; served < 2; served++) {
        struct scene *s = scene();
        uint32_t send = STACK(s, "app/Main.run", "app/Feed.push", WRITE);
        at_end(s, send, served ? NULL : "10.0.0.7:9092", served ? "10.0.0.1:80" : NULL, 8);
        has(s, served ? ", at app.Feed.push, to clients of 10.0.0.1:80\n" : ", at app.Feed.push, to 10.0.0.7:9092\n");
    }
}

/* What a sample's labels say of the other end; a program may have labels of these names on all of its samples. */
static void test_ends__are_labels_of_waits_only(void **state)
{
    static const struct {
        enum wick_explain_state state;
        const char *labels, *server, *service, *file;
    } cases[] = {
        {WICK_EXPLAIN_IO, "customer=big,peer=10.0.0.7:443", "10.0.0.7:443", "", ""},
        {WICK_EXPLAIN_HELD_BACK, "peer=10.0.0.7:443", "10.0.0.7:443", "", ""},
        {WICK_EXPLAIN_IO, "local=10.0.0.1:80", "", "10.0.0.1:80", ""},
        {WICK_EXPLAIN_IO, "peer=10.0.0.9,local=10.0.0.1:80", "", "10.0.0.1:80",
         ""}, /* of wick host: a client's address */
        {WICK_EXPLAIN_DISK, "file=/data/wal.log", "", "", "/data/wal.log"},
        {WICK_EXPLAIN_MONITOR, "file=orders.csv,peer=a,local=b", "", "", ""},
        {WICK_EXPLAIN_DEFAULT, "local=b", "", "", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        struct wick_label pairs[4];
        uint32_t n = wick_label_parse(&s->p, cases[i].labels, strlen(cases[i].labels), pairs, 0, 4);
        const struct wick_sample sample = {.labels = wick_profile_label_set(&s->p, pairs, n)};
        struct wick_explain_sample row = {.state = cases[i].state};
        wick_explain_learn_end(&s->f, &sample, &row);
        assert_string_equal(wick_profile_str(&s->p, row.server), cases[i].server);
        assert_string_equal(wick_profile_str(&s->p, row.service), cases[i].service);
        assert_string_equal(wick_profile_str(&s->p, row.file), cases[i].file);
        assert_int_equal(s->f.ends, row.server || row.service || row.file);
        wick_profile_release(&s->p);
        free(s);
    }
}

static void test_ends__are_files_as_well(void **state)
{
    (void)state;
    for (int named = 1; named <= 3; named++) {
        struct scene *s = scene();
        uint32_t force = STACK(s, "app/Main.run", "app/Log.append", "sun/nio/ch/FileChannelImpl.force");
        for (int i = 0; i < 3; i++) {
            add(s, thread_of(s, "b", 2), force, WICK_EXPLAIN_DISK, 8);
            s->wall[i].file = i < named ? wick_profile_cstring(&s->p, "/data/wal.log") : 0;
        }
        s->f.ends = (size_t)named;
        has(s, named > 1 ? "fsync (data to reach the disk), at app.Log.append, on /data/wal.log\n"
                         : "fsync (data to reach the disk), at app.Log.append\n"); /* most have no label */
    }
}

/* Who forces data waits for the end of the call, also while the kernel computes for it on a fast disk; who writes them
 * computes. */
static void test_fsync__that_the_kernel_computes_is_waited_for(void **state)
{
    (void)state;
    for (int forces = 0; forces < 2; forces++) {
        struct scene *s = scene();
        uint32_t desk = thread_of(s, "desk", 1),
                 call = forces ? STACK(s, "app/Log.append", "java/io/FileDescriptor.sync", "kernel:fsync")
                               : STACK(s, "app/Log.append", "java/io/FileOutputStream.write", "kernel:write");
        add(s, desk, call, WICK_EXPLAIN_RUNNABLE, 6);
        add(s, desk, call, WICK_EXPLAIN_DISK, 2);
        add(s, desk, STACK(s, "app/Desk.run"), WICK_EXPLAIN_RUNNABLE, 2);
        if (forces)
            begins(s, "waiting: 80 % of the time that threads have work (8.0 s) is waiting for fsync (data "
                      "to reach the disk), at app.Log.append\n");
        else
            begins(s, "waiting: 20 % of the time that threads have work (2.0 s) is waiting for the writing of a file");
    }
}

/* A thread that reads a socket when it has rested waits for an answer, if no other one reads without a rest. */
static void test_answer__is_read_by_who_rests_in_between(void **state)
{
    (void)state;
    for (unsigned who = 0; who < 3; who++) {
        struct scene *s = scene();
        for (unsigned i = 0; i < 5 - (who == 2); i++) {
            then(s, STACK(s, "app/Main.serve", "app/Rates.get", READ), WICK_EXPLAIN_IO);
            then(s, STACK(s, "app/Main.serve", "java/lang/Thread.sleep"), WICK_EXPLAIN_SLEEPING);
        }
        s->f.nran = 0;
        if (who == 1)
            add(s, thread_of(s, "news", 2), STACK(s, "app/Main.news", READ), WICK_EXPLAIN_IO, 10);
        (who ? has_not : has)(s, WAITS("app.Rates.get"));
    }
}

/* Who has the lock waits for the next datagram, and the others for their turn. One that asks, or reads from a
 * connection, also from a client's, keeps them from going on, and so does one that receives where they do not. */
static void test_stand_by__of_threads_that_take_turns_at_receiving(void **state)
{
    static const char *const datagram = "java/net/DatagramSocket.receive";
    static const struct {
        const char *receive, *enters, *sends, *server, *service;
        bool waits;
    } cases[] = {{datagram, "app/Intake.next", NULL, NULL, NULL, false},
                 {datagram, "app/Intake.next", "app/Intake.ask", NULL, NULL, true},
                 {datagram, "app/Intake.size", NULL, NULL, NULL, true},
                 {READ, "app/Intake.next", NULL, NULL, "127.0.0.1:80", true},
                 {READ, "app/Intake.next", NULL, "10.0.0.7:443", NULL, true}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct scene *s = scene();
        uint32_t enter = STACK(s, "app/Main.run", cases[c].enters),
                 receive = STACK(s, "app/Main.run", "app/Intake.next", cases[c].receive);
        at_end(s, receive, cases[c].server, cases[c].service, 9);
        for (unsigned t = 2; t < 5; t++) {
            uint32_t thread = thread_of(s, t == 2 ? "next-2" : t == 3 ? "next-3" : "next-4", t);
            add(s, thread, enter, WICK_EXPLAIN_MONITOR, 9);
            owned(s, thread, enter, receive, false, 9);
        }
        if (cases[c].sends)
            cpu(s, STACK(s, "app/Main.run", cases[c].sends, "java/net/DatagramSocket.send"), 0.01);
        if (cases[c].waits)
            has(s, ", while its holder waits there");
        else
            silent(s);
    }
}

/* What holds up threads that find no room for a direct buffer is no thread that has the JDK's monitor. */
static void test_stand_by__of_threads_that_find_no_room_for_buffers(void **state)
{
    (void)state;
    for (int direct = 0; direct < 2; direct++) {
        struct scene *s = scene();
        uint32_t enter = direct ? STACK(s, "app/Store.keep", "java/nio/Bits.reserveMemory",
                                        "java/lang/ref/Reference.waitForReferenceProcessing")
                                : STACK(s, "app/Store.keep", "java/util/Vector.add");
        for (unsigned t = 1; t < 4; t++)
            add(s, thread_of(s, t == 1 ? "keep-1" : t == 2 ? "keep-2" : "keep-3", t), enter, WICK_EXPLAIN_MONITOR, 9);
        if (direct)
            silent(s);
        else
            has(s, "3 threads waited for a lock all the time: keep-1 at app.Store.keep");
    }
}

/* In a process to which clients come, those ask that sleep between reads from a connection that the process has opened.
 * What comes on one that is only read is news, also after tries to make it, and so is what is acknowledged. */
static void test_answer__is_read_by_who_sleeps_in_between_where_clients_come(void **state)
{
    static const struct {
        const char *turns; /* r: reads, s: sleeps, a: acknowledges what it has read */
        const char *others;
        bool opened, asks;
    } cases[] = {{"rsrsr", "rsrsr", true, true},  {"rsrrr", "", true, false},  {"sssrr", "", true, false},
                 {"rsrsr", "rrrrr", true, false}, {"rasrsr", "", true, false}, {"rsrsr", "", false, false}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct scene *s = scene();
        const char *const of[] = {cases[c].turns, cases[c].others};
        for (unsigned t = 0; t < 2; t++)
            for (const char *turn = of[t]; *turn; turn++) {
                uint32_t thread = thread_of(s, t ? "survey-2" : "survey-1", t + 1);
                if (*turn == 'r') {
                    add(s, thread, STACK(s, "app/Main.survey", "app/Line.read@10", READ), WICK_EXPLAIN_IO, 2);
                    s->wall[s->f.nwall - 1].server = cases[c].opened ? wick_profile_cstring(&s->p, "10.0.0.7:502") : 0;
                } else if (*turn == 's')
                    add(s, thread, STACK(s, "app/Main.survey", "java/lang/Thread.sleep"), WICK_EXPLAIN_SLEEPING, 0.1);
                else
                    add(s, thread, STACK(s, "app/Main.survey", "app/Line.read@12", WRITE), WICK_EXPLAIN_RUNNABLE, 0.1);
            }
        add(s, thread_of(s, "door", 3), STACK(s, "app/Main.door", "java/net/ServerSocket.accept"), WICK_EXPLAIN_IO, 10);
        (cases[c].asks ? has : has_not)(s, "waiting for a server's answer, at app.Line.read");
    }
}

/* A server's thread reads a request before it writes the answer; who asks writes first. */
static void test_answer__is_not_read_by_who_writes_afterwards(void **state)
{
    (void)state;
    for (unsigned serves = 0; serves < 2; serves++) {
        struct scene *s = scene();
        uint32_t t = thread_of(s, "line", 1);
        add(s, t, STACK(s, "app/Main.run", serves ? "app/Line.talk@20" : "app/Line.talk@22", READ), WICK_EXPLAIN_IO, 9);
        add(s, t, STACK(s, "app/Main.run", "app/Line.talk@21", WRITE), WICK_EXPLAIN_RUNNABLE, 0.1);
        if (serves)
            silent(s);
        else
            has(s, "waiting for a server's answer, at app.Line.talk:22\n");
    }
}

/* In a process to which clients come as well. */
static void test_answer__is_read_by_who_makes_the_connection_or_writes_first(void **state)
{
    static const struct {
        unsigned connects, before, after;
        bool asks;
    } cases[] = {{0, 0, 0, false}, {1, 0, 0, false}, {2, 0, 0, true},
                 {0, 1, 0, false}, {0, 2, 0, true},  {0, 2, 3, false}}; /* the last one greets, and then serves */
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        uint32_t t = thread_of(s, "shop", 1);
        add(s, t, STACK(s, "app/Main.run", "app/Prices.ask@20", READ), WICK_EXPLAIN_IO, 9);
        for (unsigned k = 0; k < cases[i].connects; k++)
            cpu(s, STACK(s, "app/Main.run", "app/Prices.ask@18", "sun/nio/ch/NioSocketImpl.connect"), 0.1);
        for (unsigned k = 0; k < cases[i].before; k++)
            cpu(s, STACK(s, "app/Main.run", "app/Prices.ask@19", WRITE), 0.1);
        for (unsigned k = 0; k < cases[i].after; k++)
            cpu(s, STACK(s, "app/Main.run", "app/Prices.ask@21", WRITE), 0.1);
        add(s, thread_of(s, "listener", 2), STACK(s, "app/Main.listen", "java/net/ServerSocket.accept"),
            WICK_EXPLAIN_IO, 10);
        if (cases[i].asks)
            has(s, "waiting for a server's answer, at app.Prices.ask:20\n");
        else
            has_not(s, "waiting:");
    }
}

/* Who asks sends before it receives; who only receives may have nothing to do. */
static void test_datagrams__are_an_answer_where_somebody_asks(void **state)
{
    (void)state;
    for (unsigned asks = 0; asks < 2; asks++) {
        struct scene *s = scene();
        uint32_t t = thread_of(s, "client", 1);
        add(s, t,
            STACK(s, "app/Main.run", "app/Licences.ask@60", "java/net/DatagramSocket.receive",
                  "sun/nio/ch/DatagramSocketAdaptor.receive", "sun/nio/ch/DatagramChannelImpl.blockingReceive",
                  "sun/nio/ch/Net.poll"),
            WICK_EXPLAIN_IO, 9);
        if (asks)
            add(s, t, STACK(s, "app/Main.run", "app/Licences.ask@58", "java/net/DatagramSocket.send"),
                WICK_EXPLAIN_RUNNABLE, 0.1);
        if (asks)
            has(s, "is waiting for a server's answer, at app.Licences.ask:60\n");
        else
            silent(s);
    }
}

/* Who follows what another program writes has nothing to do until it does; who writes to it, or starts it, asks. */
static void test_pipe__is_an_answer_where_somebody_asks(void **state)
{
    static const char writer[] = "java/io/FileWriter.write", buffer[] = "java/io/BufferedOutputStream.write",
                      file[] = "kernel:ext4_file_write_iter", pipe[] = "kernel:anon_pipe_write";
    static const struct {
        const char *by, *in;
        enum wick_explain_state state;
        bool asks;
    } writes[] = {{writer, "kernel:write", WICK_EXPLAIN_RUNNABLE, false}, /* unknown where to: not as to a process */
                  {buffer, "kernel:write", WICK_EXPLAIN_RUNNABLE, true},  {buffer, file, WICK_EXPLAIN_RUNNABLE, false},
                  {buffer, "kernel:write", WICK_EXPLAIN_DISK, false},     {writer, pipe, WICK_EXPLAIN_RUNNABLE, true},
                  {writer, "kernel:write", WICK_EXPLAIN_IO, true}};
    (void)state;
    for (size_t i = 0; i < sizeof writes / sizeof *writes; i++) {
        struct scene *s = scene();
        uint32_t t = thread_of(s, "follower", 1);
        add(s, t, STACK(s, "app/Main.run", "app/Tail.follow", PIPE), WICK_EXPLAIN_IO, 9);
        add(s, t,
            STACK(s, "app/Main.run", "app/Tail.follow", writes[i].by, "java/io/FileOutputStream.write", writes[i].in),
            writes[i].state, 0.1);
        (writes[i].asks ? has : has_not)(s, "is waiting for the reading of a file or pipe, at app.Tail.follow\n");
    }
    for (unsigned who = 0; who < 5; who++) { /* 4: keeps what it reads in a file */
        struct scene *s = scene();
        uint32_t t = thread_of(s, "follower", 1);
        add(s, t, STACK(s, "app/Main.run", "app/Tail.follow", PIPE), who == 3 ? WICK_EXPLAIN_DISK : WICK_EXPLAIN_IO, 9);
        if (who == 1)
            add(s, t, STACK(s, "app/Main.run", "app/Tail.follow", "java/io/FileOutputStream.write"), WICK_EXPLAIN_IO,
                0.1);
        if (who == 2)
            add(s, t, STACK(s, "app/Main.run", "app/Tail.follow", "java/lang/ProcessBuilder.start"), WICK_EXPLAIN_IO,
                0.1);
        if (who == 4)
            add(s, t,
                STACK(s, "app/Main.run", "app/Tail.follow", "java/nio/channels/Channels.write",
                      "sun/nio/ch/FileChannelImpl.write", "sun/nio/ch/FileDispatcherImpl.write0"),
                WICK_EXPLAIN_RUNNABLE, 0.1);
        if (who && who < 4)
            has(s, "is waiting for the reading of a file or pipe, at app.Tail.follow\n");
        else
            silent(s);
    }
}

/* Who starts a process each time before it reads its output waits for it; who does so rarely, or hardly at all, or a
 * thread beside it, may read what it is to do. */
static void test_processes__are_awaited_where_their_output_is_read(void **state)
{
    static const struct {
        int starts;
        double seconds;
        bool other, said;
    } cases[] = {{5, 0.5, false, true}, {3, 0.9, false, false}, {5, 0.2, false, false}, {5, 0.5, true, false}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct scene *s = scene();
        uint32_t t = thread_of(s, "desk", 1), starter = cases[c].other ? thread_of(s, "other", 2) : t;
        uint32_t read = STACK(s, "app/Desk.run", "app/Desk.convert", PIPE);
        for (int i = 0; i < cases[c].starts; i++) {
            add(s, t, read, WICK_EXPLAIN_IO, 1.2);
            add(s, starter, STACK(s, "app/Desk.run", "app/Channel.open", "java/lang/ProcessBuilder.start"),
                WICK_EXPLAIN_NATIVE_WAIT, cases[c].seconds);
        }
        (cases[c].said ? has : has_not)(s, "is waiting for another process, at app.Desk.convert; processes are "
                                           "started at app.Channel.open\n");
    }
}

/* Who keeps a process until it ends, or waits long for what another one has locked, only waits; who is woken again and
 * again, as by one process for each task, or keeps others waiting by it, does not. */
static void test_processes__that_a_thread_keeps_are_no_fault(void **state)
{
    static const char wait_for[] = "java/lang/Process.waitFor", lock[] = "sun/nio/ch/FileDispatcherImpl.lock0";
    static const struct {
        const char *waits;
        bool monitor;
        int64_t woken; /* times in ten seconds */
        bool neutral;
    } cases[] = {{wait_for, false, 10, true}, {lock, false, 10, true},      {wait_for, true, 10, false},
                 {lock, true, 10, false},     {wait_for, false, 90, false}, {lock, false, 90, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        uint32_t keeper = thread_of(s, "keeper", 1), asks = thread_of(s, "asks", 2);
        uint32_t at = STACK(s, "app/Keeper.run", "app/Keeper.keep", cases[i].waits);
        add(s, keeper, at, cases[i].waits == lock ? WICK_EXPLAIN_NATIVE_WAIT : WICK_EXPLAIN_OBJECT_WAIT, 9);
        add(s, keeper, STACK(s, "app/Keeper.run"), WICK_EXPLAIN_RUNNABLE, 1);
        s->uses[keeper].slices = cases[i].woken;
        s->f.nuses = MOST;
        if (cases[i].monitor) {
            add(s, asks, STACK(s, "app/Desk.ask"), WICK_EXPLAIN_MONITOR, 8);
            owned(s, asks, STACK(s, "app/Desk.ask"), at, false, 8);
        }
        assert_int_equal(is_neutral(s, "waiting"), cases[i].neutral);
        free(explained(s));
    }
}

/* Another thread starts processes, for itself. */
static void test_processes__are_started_by_who_waits_for_them(void **state)
{
    (void)state;
    struct scene *s = scene();
    add(s, thread_of(s, "export", 1), STACK(s, "app/Export.run", "java/lang/Process.waitFor"), WICK_EXPLAIN_OBJECT_WAIT,
        9);
    add(s, thread_of(s, "label", 2), STACK(s, "app/Labels.open", "java/lang/ProcessBuilder.start"),
        WICK_EXPLAIN_NATIVE_WAIT, 1);
    has_not(s, "processes are started at");
}

/* Who makes a connection for each question is sampled in that again and again; a pool makes some at first. */
static void test_connections__that_are_made_all_the_time_are_named(void **state)
{
    static const struct {
        int samples, apart_s;
        bool other, said;
        double rest; /* CPU time in other work */
    } cases[] = {{5, 2, false, true, 0.1},
                 {4, 2, false, false, 0.1},
                 {5, 1, false, false, 0.1},
                 {5, 2, true, false, 0.1},
                 {5, 2, false, false, 1}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct scene *s = scene();
        uint32_t clerk = thread_of(s, "clerk", 1);
        add(s, clerk, STACK(s, "app/Clerk.duty", "app/Link.ask", "sun/net/www/http/HttpClient.parseHTTP", READ),
            WICK_EXPLAIN_IO, 9);
        for (int i = 0; i < cases[c].samples; i++) {
            cpu(s, STACK(s, "app/Clerk.duty", "app/Link.<init>", "java/net/Socket.<init>", "java/net/Socket.connect"),
                0.01);
            s->cpu[i].thread = cases[c].other ? thread_of(s, "other", 2) : clerk;
            s->cpu[i].time_ns = i * cases[c].apart_s * S;
        }
        cpu(s, STACK(s, "app/Clerk.duty"), cases[c].rest);
        s->cpu[s->f.ncpu - 1].thread = clerk;
        (cases[c].said ? has : has_not)(s, "; these threads make connections all the time, at app.Link.<init>\n");
    }
}

/* What is read in another function than connections are made in waits for answers, if its threads make them all the
 * time, and not if others do, or one takes long to be made. */
static void test_answers__are_read_by_threads_that_make_connections(void **state)
{
    static const struct {
        int samples, apart_s;
        bool opened, accepted, other, waits, said;
        int readers; /* others that read there, and make no connections */
    } cases[] = {
        {5, 2, true, false, false, false, true},   {4, 2, true, false, false, false, false},
        {5, 1, true, false, false, false, false},  {5, 2, false, true, false, false, false},
        {5, 2, false, false, false, false, false}, {5, 2, true, false, true, false, false},
        {5, 2, true, false, false, true, false},   {5, 2, true, false, false, false, false, 2},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct scene *s = scene();
        uint32_t validator = thread_of(s, "validator", 1), peer = wick_profile_cstring(&s->p, "10.0.0.7:80");
        uint32_t connects = STACK(s, "app/Link.fetch", "java/net/Socket.connect");
        add(s, validator, STACK(s, "app/Link.fetch", "app/Link.drain", READ), WICK_EXPLAIN_IO, 9);
        s->wall[0].server = cases[c].opened ? peer : 0;
        s->wall[0].service = cases[c].accepted ? peer : 0;
        s->f.ends = true;
        for (int i = 0; i < cases[c].readers; i++) {
            add(s, thread_of(s, "subscriber", 20 + i), STACK(s, "app/Feed.run", "app/Link.drain", READ),
                WICK_EXPLAIN_IO, 10);
            s->wall[s->f.nwall - 1].server = peer;
        }
        /* one to which others come as well */
        add(s, thread_of(s, "door", 2), STACK(s, "app/Door.run", "java/net/ServerSocket.accept"), WICK_EXPLAIN_IO, 10);
        for (int i = 0; i < cases[c].samples; i++) {
            uint32_t thread = cases[c].other ? thread_of(s, "other", 3) : validator;
            if (cases[c].waits) {
                add(s, thread, connects, WICK_EXPLAIN_IO, 0.1);
                s->wall[s->f.nwall - 1].time_ns = i * cases[c].apart_s * S;
                continue;
            }
            cpu(s, connects, 0.01);
            s->cpu[i].thread = thread;
            s->cpu[i].time_ns = i * cases[c].apart_s * S;
        }
        (cases[c].said ? has : has_not)(s, "is waiting for a server's answer, at app.Link.drain, ");
    }
}

/* Samples in a row are of one connection, whichever clock took them, however many there are of the other clock. */
static void test_answers__of_few_connections_that_take_long_to_be_made(void **state)
{
    (void)state;
    for (int apart = 0; apart <= 1; apart++) {
        struct scene *s = scene();
        uint32_t validator = thread_of(s, "validator", 1),
                 connects = STACK(s, "app/Link.fetch", "java/net/Socket.connect");
        add(s, validator, STACK(s, "app/Link.fetch", "app/Link.drain", READ), WICK_EXPLAIN_IO, 9);
        s->wall[0].server = wick_profile_cstring(&s->p, "10.0.0.7:80");
        add(s, thread_of(s, "door", 2), STACK(s, "app/Door.run", "java/net/ServerSocket.accept"), WICK_EXPLAIN_IO, 10);
        cpu(s, connects, 0.01);
        s->cpu[0].thread = validator;
        s->cpu[0].time_ns = 9 * S;
        for (int i = 0; i < 4; i++) {
            add(s, validator, connects, WICK_EXPLAIN_RUNNABLE, 0.02);
            s->wall[s->f.nwall - 1].time_ns = i * (apart ? S / 2 : S / 50);
        }
        (apart ? has : has_not)(s, "is waiting for a server's answer, at app.Link.drain");
    }
}

/* A file that is sent waits for who takes it, or for the disk from which it comes. */
static void test_files__that_are_sent_wait_for_who_takes_them(void **state)
{
    (void)state;
    for (int disk = 0; disk <= 1; disk++) {
        struct scene *s = scene();
        add(s, thread_of(s, "courier", 1),
            STACK(s, "app/Edition.deliver", "sun/nio/ch/FileChannelImpl.transferTo",
                  "sun/nio/ch/FileChannelImpl.transferToDirectlyInternal", "libnio.so:sendfile"),
            disk ? WICK_EXPLAIN_DISK : WICK_EXPLAIN_IO, 9);
        (disk ? has_not : has)(s, "is waiting for the other end of a socket to take data, at app.Edition.deliver");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_connections__that_are_made_all_the_time_are_named),
        cmocka_unit_test(test_files__that_are_sent_wait_for_who_takes_them),
        cmocka_unit_test(test_answers__are_read_by_threads_that_make_connections),
        cmocka_unit_test(test_answers__of_few_connections_that_take_long_to_be_made),
        cmocka_unit_test(test_processes__are_awaited_where_their_output_is_read),
        cmocka_unit_test(test_processes__are_started_by_who_waits_for_them),
        cmocka_unit_test(test_ends__say_who_asks_and_whom),
        cmocka_unit_test(test_ends__of_accepted_connections_are_not_asked),
        cmocka_unit_test(test_ends__are_named_by_share_where_there_are_several),
        cmocka_unit_test(test_ends__of_the_process_itself_are_said_to_be),
        cmocka_unit_test(test_ends__of_the_process_itself_are_where_it_listens),
        cmocka_unit_test(test_ends__of_own_clients_come_down_to_what_requests_wait_for),
        cmocka_unit_test(test_ends__of_connections_that_are_not_made_are_said),
        cmocka_unit_test(test_ends__of_writes_are_who_does_not_read),
        cmocka_unit_test(test_ends__are_labels_of_waits_only),
        cmocka_unit_test(test_ends__are_files_as_well),
        cmocka_unit_test(test_fsync__that_the_kernel_computes_is_waited_for),
        cmocka_unit_test(test_stand_by__of_threads_that_take_turns_at_receiving),
        cmocka_unit_test(test_stand_by__of_threads_that_find_no_room_for_buffers),
        cmocka_unit_test(test_answer__is_read_by_who_rests_in_between),
        cmocka_unit_test(test_answer__is_read_by_who_sleeps_in_between_where_clients_come),
        cmocka_unit_test(test_answer__is_not_read_by_who_writes_afterwards),
        cmocka_unit_test(test_answer__is_read_by_who_makes_the_connection_or_writes_first),
        cmocka_unit_test(test_datagrams__are_an_answer_where_somebody_asks),
        cmocka_unit_test(test_pipe__is_an_answer_where_somebody_asks),
        cmocka_unit_test(test_processes__that_a_thread_keeps_are_no_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
