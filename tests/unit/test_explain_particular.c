/* SPDX-License-Identifier: Apache-2.0 */
/* Work of the JDK that a part of it shows to be of a particular kind, and what comparisons of a sort do. */
#include "explain_stacks.h"

#include <stdio.h>

/* Ten seconds of CPU time, of which so many are in one stack. */
static struct scene *with(struct scene *s, uint32_t stack, double seconds)
{
    cpu(s, stack, seconds);
    cpu(s, STACK(s, "app/Main.other"), 10 - seconds);
    return s;
}

static void test_logging__that_searches_for_its_caller(void **state)
{
    static const char log[] = "java/util/logging/Logger.log", publish[] = "java/util/logging/FileHandler.publish";
    static const struct {
        const char *log, *finds, *said;
    } cases[] = {{log, "java/util/logging/LogRecord.getSourceClassName", "java.util.logging.Logger.log\n"},
                 {log, "java/util/logging/LogRecord$CallerFinder.get", "java.util.logging.Logger.log\n"},
                 {"ch/qos/logback/classic/Logger.info", "ch/qos/logback/classic/spi/CallerData.extract",
                  "ch.qos.logback.classic.Logger.info\n"},
                 {"org/apache/logging/log4j/Logger.info", "org/apache/logging/log4j/util/StackLocator.calcLocation",
                  "org.apache.logging.log4j.Logger.info\n"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        uint32_t record = STACK(s, "app/Main.note", cases[i].log, publish, cases[i].finds, "java/lang/Throwable.fill");
        cpu(s, STACK(s, "app/Main.note", cases[i].log, publish, "java/io/FileOutputStream.write"), 3);
        char *text = explained(with(s, record, 4));
        static const char said[] = " is logging that finds out where it is called, for app.Main.note, which calls ";
        if (!strstr(text, said) || !strstr(text, cases[i].said))
            fail_msg("%s", text);
        free(text);
    }
    struct scene *s = scene();
    has(with(s, STACK(s, "app/Main.note", log, publish, "java/io/FileOutputStream.write"), 6),
        "hot-code: 60 % of CPU time (6.0 s) is logging, for app.Main.note\n");
}

/* A formatter, or what makes a message's text, is the program's and a part of logging. */
static void test_logging__has_what_the_program_formats_for_it(void **state)
{
    static const char publish[] = "java/util/logging/StreamHandler.publish";
    static const struct {
        const char *caller, *formats;
        bool logs;
    } cases[] = {{publish, "java/text/MessageFormat.format", true},
                 {publish, "app/Plain.digits", false}, /* computes itself */
                 {"app/Report.write", "java/text/MessageFormat.format", true},
                 {"java/util/logging/Level.parse", "java/util/logging/LogRecord.getMessage", false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        uint32_t stack = STACK(s, "app/Main.note", "java/util/logging/Logger.log", cases[i].caller, "app/Plain.format",
                               cases[i].formats);
        (cases[i].logs ? has : has_not)(with(s, stack, 6), " (6.0 s) is logging, for app.Main.note\n");
    }
}

/* What nobody of the program logs has the program's function that does something with it. */
static void test_logging__of_its_own_thread_is_where_the_program_does_it(void **state)
{
    (void)state;
    struct scene *s = scene();
    has(with(s, STACK(s, "java/util/logging/Worker.run", "app/Shelf.append", "java/util/zip/Deflater.deflate"), 6),
        " (6.0 s) is compressing or expanding data, for app.Shelf.append");
}

/* Who makes connections closes them as well. */
static void test_connecting__has_what_closing_takes(void **state)
{
    (void)state;
    struct scene *s = scene();
    cpu(s, STACK(s, "app/Lane.ask", "java/net/Socket.close", "libc.so.6:close"), 2);
    cpu(s, STACK(s, "app/Main.b"), 2);
    cpu(s, STACK(s, "app/Main.c"), 3);
    cpu(s, STACK(s, "app/Lane.ask", "java/net/Socket.connect", "libc.so.6:connect"), 3);
    has(s, "hot-code: 50 % of CPU time (5.0 s) is making and closing connections, for app.Lane.ask");
}

static void test_serialisation__that_describes_classes_again(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct scene *s = scene();
        const char *reads = "java/io/ObjectInputStream.readObject";
        cpu(s, STACK(s, "app/Main.take", reads, "java/io/ObjectInputStream.readArray"), i ? 1 : 6);
        has(with(s,
                 STACK(s, "app/Main.take", reads, "java/io/ObjectInputStream.readClassDesc",
                       "java/io/ObjectInputStream.resolveClass", "java/lang/Class.forName"),
                 i ? 6 : 1),
            i ? " is serialising objects with the descriptions of their classes, again and again, for app.Main.take, "
                "which calls java.io.ObjectInputStream.readObject\n"
              : " is serialising objects, for app.Main.take\n");
    }
}

/* Two functions have a part each of needless work; one of a third of it, or of what may be needed, is not enough. */
static void test_needless__work_of_two_functions_counts_together(void **state)
{
    static const struct {
        double first, second, third;
        const char *leaf;
        bool said;
    } cases[] = {{3.0, 2.5, 0, "pow", true},
                 {4.5, 0.5, 0, "pow", false}, /* by far most is for one */
                 {2.0, 1.5, 1.5, "pow", false},
                 {3.0, 2.5, 0, "add", false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static const char ten[] = "java/math/BigDecimal.bigTenToThe";
        char leaf[32];
        struct scene *s = scene();
        snprintf(leaf, sizeof leaf, "java/math/BigInteger.%s", cases[i].leaf);
        cpu(s, STACK(s, "app/Ledger.run", "java/math/BigDecimal.add", ten, leaf), cases[i].first);
        cpu(s,
            STACK(s, "app/Ledger.run", "app/Ledger.accrue", "java/math/BigDecimal.multiply",
                  "java/math/BigInteger.multiply"),
            cases[i].second);
        if (cases[i].third > 0)
            cpu(s, STACK(s, "app/Ledger.run", "app/Ledger.round", "java/math/BigDecimal.setScale", ten, leaf),
                cases[i].third);
        cpu(s, STACK(s, "app/Main.more"), 10 - cases[i].first - cases[i].second - cases[i].third);
        char *text = explained(s);
        if ((strstr(text, "on numbers of hundreds of digits, for app.Ledger.run and app.Ledger.accrue (45 % of it, on "
                          "numbers of 19 digits at least)\n") != NULL) != cases[i].said)
            fail_msg("%zu: %s", i, text);
        free(text);
    }
}

/* Logging is beside what any of several functions does; of a program that does little else it may be enough. */
static void test_logging__of_two_functions_counts_together(void **state)
{
    (void)state;
    for (int little = 0; little < 2; little++) {
        struct scene *s = scene();
        double of = little ? 0.2 : 1;
        cpu(s, STACK(s, "app/Rater.rate", "java/util/logging/Logger.entering"), 2.5 * of);
        cpu(s, STACK(s, "app/Tariff.price", "java/util/logging/Logger.exiting"), 2 * of);
        cpu(s, STACK(s, "app/Rater.rate"), 0.5 * of);
        cpu(s, STACK(s, "libjvm.so:CompileBroker::compiler_thread_loop"), 6 * of);
        struct wick_explain_findings all;
        struct wick_err err = {0};
        assert_int_equal(wick_explain_apply(&all, &s->f, &err), 0);
        assert_int_equal(all.n, 1);
        assert_string_equal(wick_explain_figure_of(&all.rows[0], "frame")->text, "app.Rater.rate");
        assert_string_equal(wick_explain_figure_of(&all.rows[0], "second")->text, "app.Tariff.price (44 % of it)");
        assert_int_equal(all.rows[0].neutral, little);
        wick_explain_findings_release(&all);
        wick_profile_release(&s->p);
        free(s);
    }
}

/* Who reads documents in one function and writes them in another one of the same class has one thing done. */
static void test_work__of_two_functions_of_one_class_counts_together(void **state)
{
    static const struct {
        const char *writer;
        double first, second, compilers;
        const char *said; /* NULL: nothing */
    } cases[] = {{"app/Note.format", 3.0, 2.5, 0,
                  "hot-code: 55 % of CPU time (5.5 s) is reading and writing XML, for app.Note.parse and "
                  "app.Note.format (45 % of it)\n"},
                 {"app/Page.format", 3.0, 2.5, 0, NULL}, /* two classes may each need it */
                 {"app/Note.format", 2.5, 2.3, 0, NULL}, /* it is less than half */
                 {"app/Note.format", 2.5, 2.3, 2.4,      /* but not of what Java code takes */
                  "hot-code: 48 % of CPU time (4.8 s) is reading and writing XML, for app.Note.parse and "
                  "app.Note.format (48 % of it)\n"},
                 {"app/Note.format", 3.9, 0.7, 0, NULL}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        cpu(s, STACK(s, "app/Main.run", "app/Note.parse", "javax/xml/parsers/DocumentBuilder.parse"), cases[i].first);
        cpu(s, STACK(s, "app/Main.run", cases[i].writer, "javax/xml/transform/Transformer.transform"), cases[i].second);
        cpu(s, STACK(s, "app/Main.more"), 10 - cases[i].first - cases[i].second - cases[i].compilers);
        cpu(s, STACK(s, "libjvm.so:CompileBroker::compiler_thread_loop"), cases[i].compilers);
        (cases[i].said ? begins : has_not)(s, cases[i].said ? cases[i].said : "hot-code: ");
    }
}

#define SORT    "java/util/ArrayList.sort", "java/util/TimSort.binarySort"
#define COMPARE "java/util/Comparator$$Lambda.compare", "java/util/Comparator.lambda$comparingLong$1"

static void test_sorting__by_what_comparisons_compute(void **state)
{
    (void)state;
    struct scene *s = scene();
    begins(with(s,
                STACK(s, "app/Spool.oldest", SORT, COMPARE, "java/io/File.lastModified", "java/io/UnixFileSystem.stat",
                      "libc.so.6:fstatat", "kernel:vfs_statx"),
                6),
           "hot-code: 60 % of CPU time (6.0 s) is sorting by what each comparison computes, or asks the system for, "
           "anew, for app.Spool.oldest, which calls java.io.File.lastModified\n");
    static const char entry[] = "java/util/Map$Entry$$Lambda.compare",
                      by_value[] = "java/util/Map$Entry.lambda$comparingByValue$1";
    for (unsigned i = 0; i < 6; i++) {
        s = scene();
        uint32_t stack = i == 0   ? STACK(s, "app/Spool.oldest", SORT, COMPARE, "java/lang/Long.compare")
                         : i == 1 ? STACK(s, "app/Spool.oldest", SORT, COMPARE, "java/time/LocalDate.compareTo",
                                          "java/time/LocalDate.compareTo0")
                         : i == 2 ? STACK(s, "app/Spool.oldest", SORT, "java/lang/String.compareTo")
                         : i == 3 ? STACK(s, "app/Spool.oldest", SORT, entry, by_value, "java/lang/Long.compareTo")
                         : i == 4 ? STACK(s, "app/Spool.oldest", SORT, COMPARE, "java/util/HashMap$Node.getValue")
                                  : STACK(s, "app/Spool.oldest", SORT, "java/util/Arrays.copyOfRange");
        begins(with(s, stack, 6), "hot-code: 60 % of CPU time (6.0 s) is sorting, for app.Spool.oldest\n");
    }
}

/* A comparator of the program is where the work is, which does not show the sort. */
static void test_sorting__is_said_of_a_comparator(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct scene *s = scene();
        const char *compare = i == 2 ? "app/Spool.pick" : "app/Spool.lambda$oldest$0";
        uint32_t sorted = STACK(s, "app/Main.run", "app/Spool.oldest", SORT, "java/util/Comparator$$Lambda.compare",
                                "app/Spool$$Lambda.apply", compare, "java/io/File.lastModified", "libc.so.6:fstatat"),
                 alone = STACK(s, "app/Main.run", "app/Spool.watch", compare, "java/io/File.lastModified");
        cpu(s, alone, i == 1 ? 3 : 0.5);
        char *text = explained(with(s, sorted, 6));
        bool said = strstr(text, ", for each comparison of a sort at app.Spool.oldest") != NULL;
        if (said != (i != 1))
            fail_msg("%u: %s", i, text);
        free(text);
    }
}

/* A stack of n calls of one method of that class by itself. */
static uint32_t nested(struct scene *s, const char *method, const char *between, unsigned n)
{
    uint32_t stack = push(&s->p, push(&s->p, 0, "app/Main.run"), "app/Fund.value");
    while (n--) {
        stack = push(&s->p, stack, method);
        stack = between ? push(&s->p, stack, between) : stack;
    }
    return push(&s->p, stack, "java/util/ArrayList.get");
}

static void test_wrappers__one_in_another(void **state)
{
    static const char get[] = "java/util/Collections$UnmodifiableList.get",
                      then[] = "java/util/function/Function.lambda$andThen$1",
                      lambda[] = "java/util/function/Function$$Lambda.apply";
    (void)state;
    struct scene *s = scene();
    begins(with(s, nested(s, get, NULL, 40), 6),
           "hot-code: 60 % of CPU time (6.0 s) is going through many wrappers, one in another, for app.Fund.value, "
           "which calls java.util.Collections$UnmodifiableList.get\n");
    s = scene();
    has(with(s, nested(s, then, lambda, 20), 6), "going through many wrappers");
    s = scene();
    has_not(with(s, nested(s, get, NULL, 4), 6), "wrappers");
    s = scene(); /* recursion of others is none */
    has_not(with(s, nested(s, "java/util/TreeMap.buildFromSorted", NULL, 40), 6), "wrappers");
}

/* Threads that live long make each value once: less is enough, also where other code takes more. */
static void test_thread_locals__need_less(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct scene *s = scene();
        cpu(s, STACK(s, "app/Main.render", "app/Main.draw"), 5);
        (i ? has : has_not)(with(s,
                                 STACK(s, "app/Main.render", "java/lang/ThreadLocal.get",
                                       "java/lang/ThreadLocal.setInitialValue", "app/Canvas.<init>"),
                                 i ? 4 : 1.5),
                            "is making the initial values of thread locals");
    }
}

/* The method on top of the stack says no more than that. */
static void test_thread_locals__are_said_without_the_method_below(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct scene *s = scene();
        const char *value = i ? "java/lang/ThreadLocal.setInitialValue" : "java/lang/ThreadLocal.getEntry";
        uint32_t stack = STACK(s, "app/Main.price", "java/lang/ThreadLocal.get", value, "app/Workspace.<init>");
        (i ? has_not : has)(with(s, stack, 6), "hot-method: 60 %");
    }
}

static void test_field_by_field__is_a_stream_of_fields_on_a_file(void **state)
{
    static const struct {
        const char *above, *fields, *file;
        bool is;
    } cases[] = {
        {NULL, "java/io/DataOutputStream.writeInt", "java/io/FileOutputStream.write", true},
        {NULL, "java/io/DataInputStream.readInt", "java/io/FileInputStream.read", true},
        {"java/io/DataInputStream.readLong", "java/io/DataInputStream.readFully", "java/io/FileInputStream.read", true},
        {NULL, "java/io/DataInputStream.readFully", "java/io/FileInputStream.read",
         false}, /* an array of the program's */
        {NULL, "java/io/DataOutputStream.write", "java/io/FileOutputStream.write", false},
        {"java/io/RandomAccessFile.readInt", "java/io/RandomAccessFile.read", "java/io/RandomAccessFile.read0", true},
        {NULL, "java/io/RandomAccessFile.read", "java/io/RandomAccessFile.readBytes", false},
        {NULL, "java/io/FileInputStream.read", "java/io/FileInputStream.read0", true},
        {"java/io/DataOutputStream.writeInt", "java/io/BufferedOutputStream.flushBuffer",
         "java/io/FileOutputStream.write", false},
        {NULL, "java/io/DataInputStream.readInt", "java/util/zip/InflaterInputStream.read", true},
        {NULL, "java/io/DataOutputStream.writeInt", "java/util/zip/GZIPOutputStream.write", false}, /* it compresses */
        {"java/io/DataInputStream.readInt", "java/util/zip/CheckedInputStream.read",
         "sun/nio/ch/ChannelInputStream.read", true},
        {"java/io/DataInputStream.read", "java/util/zip/CheckedInputStream.read", "sun/nio/ch/ChannelInputStream.read",
         false},
        {"java/io/DataInputStream.readInt", "java/io/BufferedInputStream.fill",
         "java/util/zip/InflaterInputStream.read", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        uint32_t stack = STACK(s, "app/Day.store");
        stack = cases[i].above ? push(&s->p, stack, cases[i].above) : stack;
        cpu(s, push(&s->p, push(&s->p, stack, cases[i].fields), cases[i].file), 8);
        (cases[i].is ? has : has_not)(
            s, "is reading and writing files, or compressed data, field by field, without a buffer, for app.Day.store");
    }
}

/* What a stub of the JVM does is known by its name. */
static void test_code__of_stubs_for_digests_is_cryptography(void **state)
{
    (void)state;
    struct scene *s = scene();
    cpu(s, STACK(s, "app/Delay.run", "stub:sha256_implCompress"), 8);
    s->p.frames[s->p.stacks[s->cpu[0].stack].frame].kind = WICK_FRAME_STUB;
    has(s, "is cryptography, for app.Delay.run");
}

/* Who takes what is there has something to do with it as well. */
static void test_polling__of_queues_that_return_at_once_is_hot_where_little_is_done_besides(void **state)
{
    (void)state;
    for (unsigned polls = 2; polls <= 8; polls += 6) {
        struct scene *s = scene();
        cpu(s, STACK(s, "app/Book.settle", "app/Book.next", "java/util/concurrent/ConcurrentLinkedQueue.poll"), polls);
        cpu(s, STACK(s, "app/Book.settle", "app/Deal.close"), 10 - polls);
        if (polls == 8)
            begins(s, "hot-code: 80 % of CPU time (8.0 s) is polling queues in a loop (poll, peek and isEmpty of a "
                      "ConcurrentLinkedQueue return at once), for app.Book.next, which calls "
                      "java.util.concurrent.ConcurrentLinkedQueue.poll\n");
        else
            has_not(s, "polling queues");
    }
    for (unsigned loop = 5; loop <= 7; loop++) { /* the loop's own time is a part of it, if it is no more than that */
        struct scene *s = scene();
        cpu(s, STACK(s, "app/Book.settle", "app/Book.next", "java/util/concurrent/ConcurrentLinkedQueue.poll"), 3);
        cpu(s, STACK(s, "app/Book.settle", "app/Book.next"), loop < 7 ? 4 : 7);
        if (loop == 5)
            begins(s, "hot-code: 100 % of CPU time (7.0 s) is polling queues in a loop");
        else if (loop == 6)
            has_not(s, "hot-method"); /* the same once more */
        else
            has_not(s, "polling queues");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_polling__of_queues_that_return_at_once_is_hot_where_little_is_done_besides),
        cmocka_unit_test(test_logging__has_what_the_program_formats_for_it),
        cmocka_unit_test(test_logging__of_its_own_thread_is_where_the_program_does_it),
        cmocka_unit_test(test_connecting__has_what_closing_takes),
        cmocka_unit_test(test_code__of_stubs_for_digests_is_cryptography),
        cmocka_unit_test(test_field_by_field__is_a_stream_of_fields_on_a_file),
        cmocka_unit_test(test_logging__that_searches_for_its_caller),
        cmocka_unit_test(test_serialisation__that_describes_classes_again),
        cmocka_unit_test(test_needless__work_of_two_functions_counts_together),
        cmocka_unit_test(test_logging__of_two_functions_counts_together),
        cmocka_unit_test(test_work__of_two_functions_of_one_class_counts_together),
        cmocka_unit_test(test_sorting__by_what_comparisons_compute),
        cmocka_unit_test(test_sorting__is_said_of_a_comparator),
        cmocka_unit_test(test_wrappers__one_in_another),
        cmocka_unit_test(test_thread_locals__need_less),
        cmocka_unit_test(test_thread_locals__are_said_without_the_method_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
