/* SPDX-License-Identifier: Apache-2.0 */
/* model/shape.h and model/classify.h: a small profile, shaped, and written as collapsed stacks. */
#include "base/err.h"
#include "export/format_writers.h"
#include "model/classify.h"
#include "model/label.h"
#include "model/shape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct test {
    struct wick_profile p;
    uint16_t cpu, wall;
};

static uint32_t frame(struct wick_profile *p, const char *cls, const char *name, unsigned kind)
{
    uint32_t f = wick_profile_function(p, wick_profile_cstring(p, cls), wick_profile_cstring(p, name), 0);
    return wick_profile_frame(p, f, 7, -1, kind);
}

/* A sample of a thread, with one label, with a stack of "class.name/kind" words, root first. */
static void add(struct test *t, uint16_t event, const char *thread, const char *state, const char *customer,
                const char *stack, int64_t weight)
{
    struct wick_profile *p = &t->p;
    char copy[400], *save = NULL;
    uint32_t s = 0;
    snprintf(copy, sizeof copy, "%s", stack);
    for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
        char *dot = strrchr(w, '.'), *slash = strrchr(w, '/');
        *dot = *slash = 0;
        s = wick_profile_push(p, s, frame(p, w, dot + 1, (unsigned)atoi(slash + 1)));
    }
    struct wick_label l = {wick_profile_cstring(p, "customer"), wick_profile_cstring(p, customer ? customer : "")};
    wick_profile_add(p, &(struct wick_sample){
                            .stack = s,
                            .thread = wick_profile_thread(p, wick_profile_cstring(p, thread), 1, 1, false),
                            .state = wick_profile_state(p, wick_profile_cstring(p, state)),
                            .event = event,
                            .labels = customer ? wick_profile_label_set(p, &l, 1) : 0,
                            .weight = weight,
                            .count = 1,
                            .variance = (double)weight,
                        });
}

static void make(struct test *t)
{
    struct wick_profile *p = &t->p;
    assert_int_equal(wick_profile_init(p), 0);
    p->by_labels = true;
    t->cpu = wick_profile_event(p, wick_profile_cstring(p, "x.Cpu"), WICK_KIND_CPU, WICK_UNIT_NS);
    t->wall = wick_profile_event(p, wick_profile_cstring(p, "x.Wall"), WICK_KIND_WALL, WICK_UNIT_NS);
    add(t, t->cpu, "web-1", "RUNNABLE", "acme", "a/Main.run/1 a/Shop.buy/1 a/Cart.sum/2", 10);
    add(t, t->cpu, "web-2", "RUNNABLE", "bolt", "a/Main.run/1 a/Shop.buy/1 a/Tax.of/1", 20);
    add(t, t->cpu, "web-2", "RUNNABLE", NULL, "a/Main.run/1 a/Log.write/1 libc.write/3 k.do_write/5", 40);
    add(t, t->cpu, "G1 Conc#0", "RUNNABLE", NULL, "libjvm.so.G1ConcurrentMark::mark/4", 80);
    add(t, t->wall, "web-1", "RUNNABLE", NULL, "a/Main.run/1 java/util/Queue.take/1 jdk/internal/misc/Unsafe.park/3",
        1);
    add(t, t->wall, "web-1", "RUNNABLE", NULL, "a/Main.run/1 a/Cart.sum/1", 2);
}

static void check(struct test *t, struct wick_shape *s, uint16_t event, const char *want)
{
    struct wick_export_options o = {.event = event};
    struct wick_err err = {0};
    char *text;
    size_t n;
    assert_int_equal(wick_shape_apply(s, &t->p, NULL, &err), 0);
    for (uint32_t i = 0; i < t->p.naggs; i++) /* what is known of an aggregate moves with it */
        assert_true(wick_profile_sizes(&t->p, i).variance == (double)t->p.aggs[i].weight);
    FILE *out = open_memstream(&text, &n);
    wick_collapsed_out_write(&t->p, &o, out, &err);
    fclose(out);
    assert_string_equal(text, want);
    free(text);
    wick_shape_release(s);
    wick_profile_release(&t->p);
}

static void test(struct wick_shape *s, enum wick_test_what what, const char *key, const char *equal, const char *regex)
{
    struct wick_err err = {0};
    assert_int_equal(wick_shape_test(s, what, key, equal, regex, &err), 0);
}

static void test_shape__threads_labels_and_frames_choose_samples(void **state)
{
    struct test t;
    struct wick_shape s = {0};
    make(&t);
    test(&s, WICK_TEST_VALUE, "thread", NULL, "^web");
    test(&s, WICK_TEST_EXCLUDE, NULL, NULL, "Log");
    check(&t, &s, t.cpu, "a.Main.run;a.Shop.buy;a.Cart.sum 10\na.Main.run;a.Shop.buy;a.Tax.of 20\n");
    make(&t);
    test(&s, WICK_TEST_VALUE, "customer", "bolt", NULL);
    check(&t, &s, t.cpu, "a.Main.run;a.Shop.buy;a.Tax.of 20\n");
    make(&t);
    test(&s, WICK_TEST_INCLUDE, NULL, NULL, "^a\\.Shop");
    test(&s, WICK_TEST_INCLUDE, NULL, NULL, "sum$");
    check(&t, &s, t.cpu, "a.Main.run;a.Shop.buy;a.Cart.sum 10\n");
}

/* By their weight, the CPU samples of make() and one more; each weight is another bit. */
enum { CART = 10, TAX = 20, LOG = 40, MARK = 80, STARTED = 160, ALL = CART + TAX + LOG + MARK + STARTED };

static void check_without(const char *path, int64_t left)
{
    struct test t;
    struct wick_shape s = {0};
    struct wick_err err = {0};
    make(&t);
    add(&t, t.cpu, "web-1", "RUNNABLE", NULL, "java/lang/Thread.run/1 a/Main.run/1 a/Shop.buy/1 a/Cart.sum/1", STARTED);
    assert_int_equal(wick_shape_test_path(&s, path, &err), 0);
    assert_int_equal(wick_shape_apply(&s, &t.p, NULL, &err), 0);
    assert_int_equal(t.p.events[t.cpu].weight, left);
    wick_shape_release(&s);
    wick_profile_release(&t.p);
}

static void test_shape__a_path_leaves_out_one_subtree(void **state)
{
    check_without("a.Main.run;a.Shop.buy;*", ALL - CART - TAX);
    check_without("a.Main.run;*", MARK + STARTED);
    check_without("a.Shop.buy;*", ALL); /* no stack begins there */
    check_without("*;a.Shop.buy;*", LOG + MARK);
    check_without("*;a.Main.run;a.Shop.buy;a.Cart.sum", TAX + LOG + MARK);
    check_without("*;a.Shop.buy", ALL); /* no stack ends there */
    check_without("a.Main.run;a.Shop.buy;a.Cart.sum", ALL - CART);
    check_without("[thread start];a.Main.run;*", ALL - STARTED);
    check_without("[thread start];*", ALL - STARTED);
    /* leaf-up, where the start of a thread is the last box */
    check_without("*;[thread start];a.Main.run;a.Shop.buy;a.Cart.sum", ALL - STARTED);
    check_without("*;[thread start];a.Main.run;*", ALL - STARTED);
    check_without("*;[thread start];a.Shop.buy;*", ALL);
    check_without("a.Main.run;a.Tax.of;*", ALL);
}

/* Of Rust: semicolons belong to types. */
static void test_shape__names_in_a_path_may_have_escapes(void **state)
{
    static const struct {
        const char *path;
        bool left_out;
    } paths[] = {
        {"a.Main.run;[u8\\x3b4]::cmp\\x5c;*", true},
        {"*;[u8\\x3b4]::cmp\\x5c", true},
        {"*;[u8\\x3b4]::cmp\\", true}, /* what is no escape is itself */
        {"*;[u8;4]::cmp\\x5c;*", false},
        {"*;[u8\\x3b4]::cmp\\x5", false},
        {"*;\\x2a", false},
    };
    struct wick_err err = {0};
    for (unsigned i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct test t;
        struct wick_shape s = {0};
        make(&t);
        add(&t, t.cpu, "web-1", "RUNNABLE", NULL, "a/Main.run/1 libx.so.[u8;4]::cmp\\/4", STARTED);
        assert_int_equal(wick_shape_test_path(&s, paths[i].path, &err), 0);
        assert_int_equal(wick_shape_apply(&s, &t.p, NULL, &err), 0);
        assert_int_equal(t.p.events[t.cpu].weight, ALL - (paths[i].left_out ? STARTED : 0));
        wick_shape_release(&s);
        wick_profile_release(&t.p);
    }
}

/* The profiler's frames are not shown, so a path goes over them. */
static void test_shape__a_path_leads_over_frames_of_the_profiler(void **state)
{
    static const char stack[] = "a/Main.run/1 libwick.so.wick_hook/4 a/Shop.buy/1 a/Cart.sum/1";
    static const char *const paths[] = {"a.Main.run;a.Shop.buy;*", "*;a.Main.run;a.Shop.buy;a.Cart.sum"};
    struct wick_err err = {0};
    for (unsigned i = 0; i < 2; i++) {
        struct test t;
        struct wick_shape s = {.no_own = true};
        make(&t);
        add(&t, t.cpu, "web-1", "RUNNABLE", NULL, stack, STARTED);
        add(&t, t.cpu, "web-1", "RUNNABLE", NULL, "a/Main.run/1 libwick.so.wick_hook/4 a/Log.write/1", 320);
        assert_int_equal(wick_shape_test_path(&s, paths[i], &err), 0);
        assert_int_equal(wick_shape_apply(&s, &t.p, NULL, &err), 0);
        assert_int_equal(t.p.events[t.cpu].weight, (i ? TAX : 0) + LOG + MARK + 320);
        wick_shape_release(&s);
        wick_profile_release(&t.p);
    }
}

static void test_shape__what_is_no_path_is_refused(void **state)
{
    static const char *const bad[] = {"a\\x00;*", "", "*", "*;*", ";", "a;;b", "a;*;b", "a;"};
    struct wick_shape s = {0};
    struct wick_err err;
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(wick_shape_test_path(&s, bad[i], &err), -WICK_E_USAGE);
    assert_true(wick_shape_is_plain(&s));
    for (unsigned i = 0; i < WICK_SHAPE_TESTS; i++)
        assert_int_equal(wick_shape_test_path(&s, "a;*", &err), 0);
    assert_int_equal(wick_shape_test_path(&s, "a;*", &err), -WICK_E_LIMIT);
    wick_shape_release(&s);
}

static void test_shape__sums_of_event_types_follow(void **state)
{
    struct test t;
    struct wick_shape s = {0};
    struct wick_err err;
    make(&t);
    test(&s, WICK_TEST_VALUE, "thread", NULL, "^web-2$");
    assert_int_equal(wick_shape_apply(&s, &t.p, NULL, &err), 0);
    assert_int_equal(t.p.events[t.cpu].weight, 60);
    assert_int_equal(t.p.events[t.cpu].count, 2);
    assert_int_equal(t.p.events[t.wall].count, 0);
    wick_shape_release(&s);
    wick_profile_release(&t.p);
}

static void check_focus(struct test *t, const char *method, bool callers, bool reverse, const char *want)
{
    struct wick_shape s = {.reverse = reverse};
    struct wick_err err = {0};
    make(t);
    add(t, t->cpu, "web-1", "RUNNABLE", NULL, "a/Main.run/1 a/Shop.buy/1 a/Cart.sum/1 a/Shop.buy/1 a/Tax.of/1", 5);
    assert_int_equal(wick_shape_focus(&s, method, callers, &err), 0);
    assert_int_equal(wick_shape_focus(&s, method, callers, &err), -WICK_E_USAGE);
    check(t, &s, t->cpu, want);
}

/* What a method calls, and what calls it, of its outermost frames; a name is no expression. */
static void test_shape__stacks_are_cut_at_a_method(void **state)
{
    struct test t;
    struct wick_err err = {0};
    struct wick_shape s = {0};
    (void)state;
    check_focus(&t, "a.Shop.buy", false, false,
                "a.Shop.buy;a.Cart.sum 10\na.Shop.buy;a.Cart.sum;a.Shop.buy;a.Tax.of 5\na.Shop.buy;a.Tax.of 20\n");
    check_focus(&t, "a.Shop.buy", true, false, "a.Shop.buy;a.Main.run 35\n");
    check_focus(&t, "a.Tax.of", true, false,
                "a.Tax.of;a.Shop.buy;a.Cart.sum;a.Shop.buy;a.Main.run 5\na.Tax.of;a.Shop.buy;a.Main.run 20\n");
    check_focus(&t, "a.Log.write", false, true, "do_write;write;a.Log.write 40\n");
    make(&t);
    assert_int_equal(wick_shape_focus(&s, "a.Shop.bu.", false, &err), 0);
    check(&t, &s, t.cpu, "");
}

/* The frames by which threads begin are one, but for a leaf. */
static void test_shape__starts_of_threads_are_one_frame(void **state)
{
    struct test t;
    struct wick_shape s = {.fold_starts = true};
    (void)state;
    make(&t);
    add(&t, t.cpu, "a", "RUNNABLE", NULL,
        "java/lang/Thread.run/1 java/util/concurrent/ThreadPoolExecutor.runWorker/1 a/Main.run/1", 1);
    add(&t, t.cpu, "a", "RUNNABLE", NULL, "java/lang/Thread.run/1", 2);
    add(&t, t.cpu, "a", "RUNNABLE", NULL, "a/Main.run/1 java/lang/Thread.run/1 a/Log.write/1", 4);
    test(&s, WICK_TEST_VALUE, "thread", "a", NULL);
    check(&t, &s, t.cpu,
          "[thread start];a.Main.run 1\n[thread start];java.lang.Thread.run "
          "2\na.Main.run;java.lang.Thread.run;a.Log.write 4\n");
    make(&t);
    s = (struct wick_shape){.fold_starts = true, .reverse = true};
    add(&t, t.cpu, "a", "RUNNABLE", NULL, "java/lang/Thread.run/1 a/Main.run/1", 1);
    test(&s, WICK_TEST_VALUE, "thread", "a", NULL);
    check(&t, &s, t.cpu, "a.Main.run;[thread start] 1\n");
}

static void test_shape__stacks_are_cut_turned_and_folded(void **state)
{
    struct test t;
    struct wick_shape s = {.skip = 1, .depth = 1};
    make(&t);
    check(&t, &s, t.cpu, "a.Log.write 40\na.Shop.buy 30\n");
    make(&t);
    s = (struct wick_shape){.fold_inlined = true};
    test(&s, WICK_TEST_VALUE, "customer", NULL, ".");
    check(&t, &s, t.cpu, "a.Main.run;a.Shop.buy 10\na.Main.run;a.Shop.buy;a.Tax.of 20\n");
    make(&t);
    s = (struct wick_shape){.reverse = true, .depth = 2};
    check(&t, &s, t.cpu,
          "G1ConcurrentMark::mark 80\na.Cart.sum;a.Shop.buy 10\na.Tax.of;a.Shop.buy 20\ndo_write;write 40\n");
}

static void test_shape__groups_become_root_frames_outermost_first(void **state)
{
    struct test t;
    struct wick_shape s = {.by = {"customer", "thread"}, .nby = 2, .skip = 1, .depth = 1};
    make(&t);
    check(&t, &s, t.cpu,
          "[acme];[web-1];a.Shop.buy 10\n[bolt];[web-2];a.Shop.buy 20\n[no customer];[G1 Conc#0] 80\n"
          "[no customer];[web-2];a.Log.write 40\n");
}

static void test_shape__work_is_known_by_threads_functions_and_leaves(void **state)
{
    struct test t;
    struct wick_shape s = {.by = {"work"}, .nby = 1, .depth = 1};
    make(&t);
    add(&t, t.cpu, "main", "RUNNABLE", NULL, "a/Main.run/1 java/lang/ClassLoader.loadClass/1 x/Y.z/1", 3);
    add(&t, t.cpu, "C2 CompilerThread0", "RUNNABLE", NULL, "libc.start_thread/3", 5);
    add(&t, t.cpu, "main", "RUNNABLE", NULL, "a/Main.run/0", 7);
    check(&t, &s, t.cpu,
          "[GC];G1ConcurrentMark::mark 80\n[JIT compiler];start_thread 5\n[Java, interpreted];a.Main.run 7\n"
          "[Java];a.Main.run 30\n[class loading];a.Main.run 3\n[kernel];a.Main.run 40\n");
}

static void test_shape__threads_that_wait_are_hidden_but_never_cpu_time(void **state)
{
    struct test t;
    struct wick_shape s = {.no_idle = true};
    make(&t);
    add(&t, t.wall, "web-3", "STATE_SLEEPING", NULL, "a/Main.run/1", 4);
    check(&t, &s, t.wall, "a.Main.run;a.Cart.sum 2\n");
    make(&t); /* one that waits in a request is not idle: somebody waits for it */
    struct wick_label request = {wick_profile_cstring(&t.p, "endpoint"), wick_profile_cstring(&t.p, "GET /x")};
    s = (struct wick_shape){.no_idle = true};
    t.p.by_labels = false;
    wick_shape_prepare(&s, &t.p);
    assert_true(t.p.by_labels);
    wick_profile_add(&t.p, &(struct wick_sample){.stack = t.p.aggs[4].stack,
                                                 .event = t.wall,
                                                 .labels = wick_profile_label_set(&t.p, &request, 1),
                                                 .weight = 64,
                                                 .count = 1,
                                                 .variance = 64});
    check(&t, &s, t.wall, "a.Main.run;a.Cart.sum 2\na.Main.run;java.util.Queue.take;park 64\n");
    s.no_idle = true;
    make(&t);
    add(&t, t.cpu, "web-1", "STATE_SLEEPING", NULL, "a/Idle.nap/1 jdk/internal/misc/Unsafe.park/3", 4);
    test(&s, WICK_TEST_INCLUDE, NULL, NULL, "Idle");
    check(&t, &s, t.cpu, "a.Idle.nap;park 4\n");
}

static void add_own(struct test *t)
{
    make(t);
    add(t, t->cpu, "wick-drain", "RUNNABLE", NULL, "libc.so.6.start/3 libwick.so.drain/3 libc.so.6.read/3 k.seq_read/5",
        160);
    add(t, t->cpu, "web-1", "RUNNABLE", NULL, "a/Main.run/1 libjvm.so.enter/4 libwick.so.node_sig/3", 320);
    add(t, t->wall, "web-1", "RUNNABLE", NULL, "a/Main.run/1 libwick.so.park/3 libjvm.so.Unsafe_Park/4", 4);
    add(t, t->wall, "mine", "RUNNABLE", NULL, "libc.so.6.start/3 libmine.so.f/3 libwick.so.hook/3 libc.so.6.lock/3", 8);
    add(t, t->wall, "libwick.source", "RUNNABLE", NULL, "a/Main.run/1 libwick/source.Java.run/1", 16);
}

/* Threads that start in libwick.so and leaves in it are left out and added up; where a function of wick's stands for
 * one that it calls, the samples are the program's, without that frame. */
static void test_shape__wicks_own_work_is_left_out_and_added_up(void **state)
{
    struct test t;
    struct wick_shape s = {.no_own = true};
    struct wick_err err = {0};
    assert_true(wick_shape_is_plain(&s));
    add_own(&t);
    assert_int_equal(wick_shape_apply(&s, &t.p, NULL, &err), 0);
    assert_int_equal(t.p.events[t.cpu].own, 480);
    assert_int_equal(t.p.events[t.cpu].weight, 150);
    assert_int_equal(t.p.events[t.wall].own, 0);
    assert_int_equal(t.p.events[t.wall].weight, 31);
    wick_profile_release(&t.p);
    add_own(&t);
    check(&t, &s, t.wall,
          "a.Main.run;Unsafe_Park 4\n"
          "a.Main.run;a.Cart.sum 2\n"
          "a.Main.run;java.util.Queue.take;park 1\n"
          "a.Main.run;libwick.source.Java.run 16\n"
          "start;f;lock 8\n");
    add_own(&t);
    s = (struct wick_shape){0};
    assert_int_equal(wick_shape_apply(&s, &t.p, NULL, &err), 0);
    assert_int_equal(t.p.events[t.cpu].own, 0);
    assert_int_equal(t.p.events[t.cpu].weight, 630);
    wick_profile_release(&t.p);
}

/* What is asked for is there, also where it is one of the frames that are folded. */
static void test_shape__stacks_are_cut_before_frames_are_folded(void **state)
{
    const char *const stack = "java/lang/Thread.run/1 a/Main.run/1 a/Cart.sum/2 a/Tax.of/1";
    static const struct {
        const char *focus, *want;
        bool callers;
    } cases[] = {
        {"java.lang.Thread.run", "java.lang.Thread.run;a.Main.run;a.Tax.of 5\n", false},
        {"java.lang.Thread.run", "java.lang.Thread.run 5\n", true},
        {"a.Main.run", "a.Main.run;[thread start] 5\n", true},
        {"a.Cart.sum", "a.Cart.sum;a.Tax.of 5\n", false},
        {"a.Cart.sum", "a.Cart.sum;a.Main.run;[thread start] 5\n", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct test t;
        struct wick_shape s = {.fold_starts = true, .fold_inlined = true};
        struct wick_err err;
        assert_int_equal(wick_profile_init(&t.p), 0);
        t.p.keep = WICK_KEEP_JAVA_KINDS;
        t.cpu = wick_profile_event(&t.p, wick_profile_cstring(&t.p, "x.Cpu"), WICK_KIND_CPU, WICK_UNIT_NS);
        add(&t, t.cpu, "web-1", "RUNNABLE", NULL, stack, 5);
        assert_int_equal(wick_shape_focus(&s, cases[i].focus, cases[i].callers, &err), 0);
        check(&t, &s, t.cpu, cases[i].want);
    }
}

/* Samples are not kept apart by labels for what a frame says. */
static void test_shape__groups_by_package_need_no_labels(void **state)
{
    struct wick_profile p;
    assert_int_equal(wick_profile_init(&p), 0);
    wick_shape_prepare(&(struct wick_shape){.by = {"package"}, .nby = 1}, &p);
    assert_false(p.by_labels);
    wick_shape_prepare(&(struct wick_shape){.by = {"customer"}, .nby = 1}, &p);
    assert_true(p.by_labels);
    wick_profile_release(&p);
}

static void test_shape__bad_expressions_are_refused(void **state)
{
    struct wick_shape s = {0};
    struct wick_err err;
    assert_int_equal(wick_shape_test(&s, WICK_TEST_INCLUDE, NULL, NULL, "a(", &err), -WICK_E_USAGE);
    assert_true(wick_shape_is_plain(&s));
    for (unsigned i = 0; i < WICK_SHAPE_TESTS; i++)
        test(&s, WICK_TEST_INCLUDE, NULL, NULL, "a");
    assert_int_equal(wick_shape_test(&s, WICK_TEST_INCLUDE, NULL, NULL, "a", &err), -WICK_E_LIMIT);
    wick_shape_release(&s);
}

static void check_normal(const char *cls, const char *name, const char *want)
{
    struct wick_profile p;
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    assert_int_equal(wick_profile_init(&p), 0);
    wick_name_add_frame(&sb, &p, frame(&p, cls, name, WICK_FRAME_C2), WICK_NAME_NORMALISED);
    assert_string_equal(sb.buf, want);
    wick_strbuf_release(&sb);
    wick_profile_release(&p);
}

static void test_name__normalised_is_the_same_in_every_run(void **state)
{
    check_normal("a/B$$Lambda/0x00007f", "run", "a.B$$Lambda.run");
    check_normal("a/B$$Lambda$12/345", "run", "a.B$$Lambda.run");
    check_normal("java/lang/invoke/LambdaForm$MH/0x0000", "invoke", "java.lang.invoke.LambdaForm$MH.invoke");
    check_normal("com/sun/proxy/$Proxy12", "get", "com.sun.proxy.$Proxy.get");
    check_normal("jdk/internal/reflect/GeneratedMethodAccessor7", "invoke",
                 "jdk.internal.reflect.GeneratedMethodAccessor.invoke");
    check_normal("a/B$$EnhancerBySpringCGLIB$$4fe1", "x", "a.B$$EnhancerBySpringCGLIB.x");
    check_normal("a/B", "lambda$main$0", "a.B.lambda$main");
    check_normal("a/B1", "access$000", "a.B1.access$000");
    check_normal("", "lambda$", "lambda$");
}

/* As HotSpot names them, and the kernel cuts them. */
static void test_classify__threads_of_the_jvm_have_their_work_in_their_names(void **state)
{
    static const char *const collect[] = {"GC Thread#0", "GC task thread#", "G1 Conc#0", "ZWorkerYoung#0", "XDirector"};
    (void)state;
    for (size_t i = 0; i < sizeof collect / sizeof *collect; i++)
        assert_int_equal(wick_classify_thread(collect[i]), WICK_WORK_GC);
    assert_int_equal(wick_classify_thread("C2 CompilerThre"), WICK_WORK_JIT);
    assert_int_equal(wick_classify_thread("VM Thread"), WICK_WORK_COUNT);
    assert_int_equal(wick_classify_thread("http-1"), WICK_WORK_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classify__threads_of_the_jvm_have_their_work_in_their_names),
        cmocka_unit_test(test_shape__threads_labels_and_frames_choose_samples),
        cmocka_unit_test(test_shape__a_path_leaves_out_one_subtree),
        cmocka_unit_test(test_shape__names_in_a_path_may_have_escapes),
        cmocka_unit_test(test_shape__a_path_leads_over_frames_of_the_profiler),
        cmocka_unit_test(test_shape__what_is_no_path_is_refused),
        cmocka_unit_test(test_shape__sums_of_event_types_follow),
        cmocka_unit_test(test_shape__stacks_are_cut_turned_and_folded),
        cmocka_unit_test(test_shape__groups_become_root_frames_outermost_first),
        cmocka_unit_test(test_shape__work_is_known_by_threads_functions_and_leaves),
        cmocka_unit_test(test_shape__threads_that_wait_are_hidden_but_never_cpu_time),
        cmocka_unit_test(test_shape__wicks_own_work_is_left_out_and_added_up),
        cmocka_unit_test(test_shape__stacks_are_cut_at_a_method),
        cmocka_unit_test(test_shape__starts_of_threads_are_one_frame),
        cmocka_unit_test(test_shape__stacks_are_cut_before_frames_are_folded),
        cmocka_unit_test(test_shape__groups_by_package_need_no_labels),
        cmocka_unit_test(test_shape__bad_expressions_are_refused),
        cmocka_unit_test(test_name__normalised_is_the_same_in_every_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
