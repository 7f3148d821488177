/* SPDX-License-Identifier: Apache-2.0 */
/* What `wick explain` prints around its sentences: how findings hang together, and where their pictures go. */
#include "explain_stacks.h"

#define PARK "java/util/concurrent/locks/LockSupport.park"
#define READ "java/net/Socket$SocketInputStream.read"

/* The text for a recording of that name. */
static char *printed(struct scene *s)
{
    char *text = NULL, path[] = "app.jfr", *const paths[] = {path};
    size_t len;
    struct wick_explain_findings all;
    struct wick_err err = {0};
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    assert_int_equal(wick_explain_apply(&all, &s->f, &err), 0);
    wick_explain_text_write(&all, &s->f, &(struct wick_explain_input){paths, 1, 0}, false, out);
    fclose(out);
    wick_explain_findings_release(&all);
    wick_profile_release(&s->p);
    free(s);
    return text;
}

/* Requests wait for connections of a pool, since those that have one wait for a database: two findings, one cause. */
static void test_findings__say_which_comes_down_to_which(void **state)
{
    (void)state;
    for (int other = 0; other < 2; other++) {
        struct scene *s = scene();
        for (unsigned i = 0; i < 6; i++)
            add(s, thread_of(s, "http", 10 + i),
                STACK(s, "app/Web.doGet", "org/apache/tomcat/jdbc/pool/ConnectionPool.borrowConnection",
                      "java/util/concurrent/Semaphore.acquire", PARK),
                WICK_EXPLAIN_PARKED, 10);
        for (unsigned i = 0; i < 4; i++)
            add(s, thread_of(s, "http", 20 + i),
                STACK(s, other ? "app/Report.run" : "app/Web.doGet", other ? "app/Report.sum" : "app/Web.credit",
                      "org/postgresql/core/VisibleBufferedInputStream.readMore", READ),
                WICK_EXPLAIN_IO, 10);
        char *text = printed(s);
        if (!strstr(text, "waiting for a server's answer, at"))
            fail_msg("no second finding:\n%s", text);
        if ((strstr(text, "; this is the cause of finding 1\n") != NULL) != !other ||
            (strstr(text, "which comes down to waiting for a server's") != NULL) != !other ||
            (strstr(text, "   -> first finding 2, which is its cause; then: ") != NULL) != !other)
            fail_msg("%d:\n%s", other, text);
        if (!strstr(text, " -o waiting.html app.jfr\n") || !strstr(text, " -o waiting-2.html app.jfr\n"))
            fail_msg("not a file for each:\n%s", text);
        free(text);
    }
}

/* What a program computes, and what it waits for that others do, is where its time goes; a fault is what shows one. */
static void test_headline__finds_no_fault_with_work_alone(void **state)
{
    static const struct {
        const char *caller, *leaf;
        bool neutral;
    } cases[] = {{"java/util/zip/Deflater.deflate", "java/util/zip/Deflater.deflateBytesBytes", true},
                 {"app/Codec.step", "app/Codec.turn", true},
                 {"java/util/regex/Pattern.compile", "java/util/regex/Pattern.atom", false},
                 {"java/lang/String.format", "java/util/Formatter.parse", false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        cpu(s, STACK(s, "app/Main.pack", cases[i].caller, cases[i].leaf), 9);
        cpu(s, STACK(s, "app/Main.a"), 1);
        char *text = printed(s);
        if ((strstr(text, "\nTime goes to ") != NULL) != cases[i].neutral ||
            (strstr(text, "   -> if it should be less: ") != NULL) != cases[i].neutral)
            fail_msg("%zu:\n%s", i, text);
        free(text);
    }
    for (int locked = 0; locked < 2; locked++) {
        struct scene *s = scene();
        for (unsigned i = 0; i < 4; i++)
            add(s, thread_of(s, "http", 20 + i),
                STACK(s, "app/Web.doGet", "app/Web.credit", "org/postgresql/core/VisibleBufferedInputStream.readMore",
                      READ),
                WICK_EXPLAIN_IO, 10);
        for (unsigned i = 0; locked && i < 4; i++)
            add(s, thread_of(s, "http", 30 + i), STACK(s, "app/Web.doGet"), WICK_EXPLAIN_MONITOR, 10);
        char *text = printed(s);
        if ((strstr(text, "\nTime goes to waiting for a server's answer, at app.Web.credit, ") != NULL) != !locked)
            fail_msg("%d:\n%s", locked, text);
        free(text);
    }
}

/* Requests that wait for elements of a queue may be long polls: nobody may have anything for them. */
static void test_headline__finds_no_fault_with_long_polls(void **state)
{
    (void)state;
    struct scene *s = scene();
    for (unsigned i = 0; i < 4; i++)
        add(s, thread_of(s, "http", 20 + i),
            STACK(s, "com/sun/net/httpserver/Filter$Chain.doFilter", "app/Board.next",
                  "java/util/concurrent/LinkedBlockingQueue.poll", PARK),
            WICK_EXPLAIN_PARKED, 10);
    char *text = printed(s);
    if (!strstr(text, "\nTime goes to waiting for an element of a queue, at app.Board.next, "))
        fail_msg("%s", text);
    free(text);
}

/* A thread for dead objects that is behind is a fault, and that others wait for permits may be none: it comes first. */
static void test_headline__begins_with_the_fault(void **state)
{
    (void)state;
    for (unsigned waiters = 2; waiters <= 10; waiters += 8) {
        struct scene *s = scene();
        add(s, thread_of(s, "Cleaner-0", 1),
            STACK(s, "jdk/internal/ref/CleanerImpl.run", "app/Rack.stow", "app/Arm.stow", READ), WICK_EXPLAIN_IO, 10);
        for (unsigned i = 0; i < waiters; i++)
            add(s, thread_of(s, "station", 20 + i),
                STACK(s, "app/Station.run", "app/Rack.load", "java/util/concurrent/Semaphore.acquire", PARK),
                WICK_EXPLAIN_PARKED, 10);
        char *text = printed(s);
        bool first = strstr(text, "\nA fault shows in the JVM: finalizers and cleaners that are behind, ") != NULL;
        const char *jvm = strstr(text, "\nThe JVM\n"), *program = strstr(text, "\nThe program\n");
        if (!strstr(text, "threads on\n   average wait for a permit of a semaphore in the meantime, at app.Rack.load, "
                          "in a class whose\n   methods it runs\n"))
            fail_msg("%s", text);
        if (!first != (waiters == 10) || !jvm || !program || (jvm < program) != first)
            fail_msg("%u:\n%s", waiters, text);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_findings__say_which_comes_down_to_which),
        cmocka_unit_test(test_headline__finds_no_fault_with_work_alone),
        cmocka_unit_test(test_headline__finds_no_fault_with_long_polls),
        cmocka_unit_test(test_headline__begins_with_the_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
