/* SPDX-License-Identifier: Apache-2.0 */
/* What `wick explain` says of event loops that wait for something else than events. */
#include "explain_stacks.h"

#define PARK   "java/util/concurrent/locks/LockSupport.park"
#define SELECT "sun/nio/ch/SelectorImpl.select"
#define READ   "java/net/Socket$SocketInputStream.read"

/* A loop that waits for events in two samples, and as long in another way. */
static struct scene *loop(uint32_t (*other)(struct scene *s), enum wick_explain_state state, double seconds)
{
    struct scene *s = scene();
    uint32_t t = thread_of(s, "gateway-loop", 1);
    add(s, t, STACK(s, "app/Gateway.run", SELECT), WICK_EXPLAIN_IO, (10 - seconds) / 2);
    add(s, t, STACK(s, "app/Gateway.run", SELECT), WICK_EXPLAIN_IO, (10 - seconds) / 2);
    add(s, t, other(s), state, seconds);
    return s;
}

static uint32_t asks(struct scene *s)
{
    return STACK(s, "app/Gateway.run", "app/Gateway.handle", "app/Desk.confirm", READ);
}

static uint32_t sleeps(struct scene *s)
{
    return STACK(s, "app/Gateway.run", "app/Gateway.handle", "java/lang/Thread.sleep");
}

static uint32_t pauses(struct scene *s)
{
    return STACK(s, "app/Gateway.run", "java/lang/Thread.sleep");
}

static uint32_t takes(struct scene *s)
{
    return STACK(s, "app/Gateway.run", "app/Gateway.next", "java/util/concurrent/LinkedBlockingQueue.take", PARK);
}

static uint32_t computes(struct scene *s)
{
    return STACK(s, "app/Gateway.run", "app/Gateway.handle");
}

static void test_loop__that_waits_for_something_else_is_reported(void **state)
{
    (void)state;
    has(loop(asks, WICK_EXPLAIN_IO, 4),
        "blocked-loop: gateway-loop runs an event loop, and for 40 % of the time (4.0 s) it waits for something else, "
        "most for data of a socket, at app.Desk.confirm: in that time nobody else that it serves gets on\n");
    has(loop(sleeps, WICK_EXPLAIN_SLEEPING, 4), "most for a timer (Thread.sleep), at app.Gateway.handle: in");
}

static void test_loop__is_not_blocked_by_little_by_pauses_of_its_own_or_by_work(void **state)
{
    (void)state;
    has_not(loop(asks, WICK_EXPLAIN_IO, 1.9), "blocked-loop");
    has_not(loop(pauses, WICK_EXPLAIN_SLEEPING, 4), "blocked-loop");
    has_not(loop(takes, WICK_EXPLAIN_PARKED, 4), "blocked-loop");
    has_not(loop(computes, WICK_EXPLAIN_RUNNABLE, 4), "blocked-loop");
}

/* A loop that is blocked nearly all the time is seen at its selector rarely, and then on a CPU; a client of the JDK may
 * have a selector of its own, for an answer. */
static void test_loop__has_a_selector_of_the_programs(void **state)
{
    (void)state;
    for (unsigned client = 0; client < 2; client++) {
        struct scene *s = scene();
        add(s, thread_of(s, "worker", 1), asks(s), WICK_EXPLAIN_IO, 4);
        cpu(s,
            client ? STACK(s, "app/Gateway.run", "com/sun/jndi/dns/DnsClient.blockingReceive", SELECT)
                   : STACK(s, "app/Gateway.run", SELECT),
            0.01);
        s->cpu[s->f.ncpu - 1].thread = thread_of(s, "worker", 1);
        (client ? has_not : has)(s, "blocked-loop: worker runs an event loop");
    }
}

/* Clients on the same machine wait because of it; what others wait for elsewhere is not the loop's. */
static void test_loop__comes_before_those_who_wait_for_its_answers(void **state)
{
    (void)state;
    for (unsigned near = 0; near <= 1; near++) {
        struct scene *s = loop(asks, WICK_EXPLAIN_IO, 4);
        uint32_t server = wick_profile_cstring(&s->p, near ? "127.0.0.1:8080" : "10.1.2.3:5432");
        for (unsigned i = 0; i < 4; i++) {
            add(s, thread_of(s, "meter", 10 + i),
                STACK(s, "app/Meter.send", "sun/net/www/http/HttpClient.parseHTTP", READ), WICK_EXPLAIN_IO, 10);
            s->wall[s->f.nwall - 1].server = server;
            s->f.ends++;
        }
        begins(s, near ? "blocked-loop: " : "waiting: ");
    }
}

/* A client's own selector is not around what its user does; a framework's loop selects in a function of its own. */
static void test_loop__is_around_what_blocks_it(void **state)
{
    (void)state;
    for (unsigned framework = 0; framework <= 1; framework++) {
        struct scene *s = scene();
        uint32_t t = thread_of(s, "consumer", 1);
        for (unsigned i = 0; i < 2; i++)
            add(s, t,
                framework ? STACK(s, "lib/nio/Loop.run", "lib/nio/Loop.select", SELECT)
                          : STACK(s, "app/Consumer.run", "lib/Client.poll", "lib/net/Channels.select", SELECT),
                WICK_EXPLAIN_IO, 3);
        add(s, t,
            framework
                ? STACK(s, "lib/nio/Loop.run", "lib/nio/Loop.process", "app/Handler.read", "app/Desk.confirm", READ)
                : STACK(s, "app/Consumer.run", "app/Store.write", READ),
            WICK_EXPLAIN_IO, 4);
        (framework ? has : has_not)(s, "blocked-loop: consumer runs an event loop");
    }
}

/* Clients wait for the loop, which waits for a task, which rests: that the loop waits comes first. */
static void test_loop__comes_before_what_it_waits_for(void **state)
{
    (void)state;
    struct scene *s = scene();
    uint32_t t = thread_of(s, "gateway-loop", 1);
    for (int i = 0; i < 2; i++)
        add(s, t, STACK(s, "app/Gateway.run", SELECT), WICK_EXPLAIN_IO, 0.2);
    add(s, t, STACK(s, "app/Gateway.run", "app/Desk.check", "java/util/concurrent/CompletableFuture.join", PARK),
        WICK_EXPLAIN_PARKED, 9.6);
    add(s, thread_of(s, "register-1", 2),
        STACK(s, "java/util/concurrent/ThreadPoolExecutor$Worker.run", "app/Register.look", "java/lang/Thread.sleep"),
        WICK_EXPLAIN_SLEEPING, 10);
    for (int i = 0; i < 3; i++)
        add(s, thread_of(s, "pilot", 10 + i),
            STACK(s, "app/Pilot.run", "sun/net/www/http/HttpClient.parseHTTP", "sun/nio/ch/NioSocketImpl.implRead"),
            WICK_EXPLAIN_IO, 10);
    begins(s, "blocked-loop: gateway-loop runs an event loop, ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loop__comes_before_what_it_waits_for),
        cmocka_unit_test(test_loop__that_waits_for_something_else_is_reported),
        cmocka_unit_test(test_loop__is_not_blocked_by_little_by_pauses_of_its_own_or_by_work),
        cmocka_unit_test(test_loop__has_a_selector_of_the_programs),
        cmocka_unit_test(test_loop__comes_before_those_who_wait_for_its_answers),
        cmocka_unit_test(test_loop__is_around_what_blocks_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
