/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forms that recordings of different programs have: what means the same is written differently, and the same words mean
 * something else.
 */
#include "jfr/cut/cut.h"
#include "jfr/reader/reader.h"
#include "jfr_build.h"
#include "model/name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { THREAD = 20, STATE, KIND, TRACE, FRAME, METHOD, CLASS, SYMBOL };
enum { ACC_PUBLIC = 1, ACC_NATIVE = 0x100 };
#define N(array) (sizeof(array) / sizeof *(array))

/* clang-format off */
static const char *const types[] = {
    "10 boolean", "11 int", "12 long", "13 java.lang.String",
    "30 jdk.jfr.Timestamp value:13", "31 jdk.jfr.Timespan value:13",
    "20 java.lang.Thread osName:13 osThreadId:12 javaName:13 javaThreadId:12",
    "21 jdk.types.ThreadState name:13",
    "22 jdk.types.FrameType description:13",
    "23 jdk.types.StackTrace truncated:10 frames:24a",
    "24 jdk.types.StackFrame method:25p lineNumber:11 bytecodeIndex:11 type:22p",
    "25 jdk.types.Method type:26p name:27p descriptor:27p modifiers:11 hidden:10",
    "26 java.lang.Class classLoader:26p name:27p",
    "27 jdk.types.Symbol string:13",
    "E100 jdk.ExecutionSample startTime:12T sampledThread:20p stackTrace:23p state:21p",
    "E102 jdk.ActiveSetting startTime:12T id:12 name:13 value:13",
};
/* clang-format on */

/* A frame by what its method's constant says, and by its kind: the number of a name in `kinds`. */
struct frame {
    const char *class_name, *name, *descriptor;
    int modifiers, kind;
};

static const char *const kinds[] = {"Interpreted", "JIT compiled", "Native"};
enum { INTERPRETED, COMPILED, NATIVE };
static const char *const states[] = {"STATE_DEFAULT", "STATE_SLEEPING"};
enum { DEFAULT = 1, SLEEPING };

/* The constants of one stack of n frames, leaf first: method k has the symbols 3k + 1 to 3k + 3 and the class k. */
static void put_constants(struct jfr_build *j, const struct frame *f, int n)
{
    struct wick_strbuf b = WICK_STRBUF_INIT;
    jfr_put(&b, KIND);
    jfr_put(&b, N(kinds));
    for (size_t i = 0; i < N(kinds); i++) {
        jfr_put(&b, (int64_t)i);
        jfr_put_utf8(&b, kinds[i]);
    }
    jfr_put(&b, SYMBOL);
    jfr_put(&b, 3 * n);
    for (int i = 0; i < n; i++) {
        const char *const text[] = {f[i].class_name, f[i].name, f[i].descriptor};
        for (int k = 0; k < 3; k++) {
            jfr_put(&b, 3 * i + k + 1);
            jfr_put_utf8(&b, text[k]);
        }
    }
    jfr_put(&b, CLASS);
    jfr_put(&b, n);
    for (int i = 0; i < n; i++) {
        jfr_put(&b, i);
        jfr_put(&b, 0);
        jfr_put(&b, 3 * i + 1);
    }
    jfr_put(&b, METHOD);
    jfr_put(&b, n);
    for (int i = 0; i < n; i++) {
        jfr_put(&b, i);
        jfr_put(&b, i);
        jfr_put(&b, 3 * i + 2);
        jfr_put(&b, 3 * i + 3);
        jfr_put(&b, f[i].modifiers);
        wick_strbuf_addc(&b, 0);
    }
    jfr_put(&b, TRACE);
    jfr_put(&b, 1);
    jfr_put(&b, 1);
    wick_strbuf_addc(&b, 0);
    jfr_put(&b, n);
    for (int i = 0; i < n; i++) {
        jfr_put(&b, i);
        jfr_put(&b, 0);
        jfr_put(&b, -1);
        jfr_put(&b, f[i].kind);
    }
    jfr_put(&b, STATE);
    jfr_put(&b, N(states));
    for (size_t i = 0; i < N(states); i++) {
        jfr_put(&b, (int64_t)i + 1);
        jfr_put_utf8(&b, states[i]);
    }
    jfr_checkpoint(j, 6, &b);
    wick_strbuf_release(&b);
}

/* A chunk with one sample of that stack. */
static void put_chunk(struct jfr_build *j, const struct frame *f, int n)
{
    jfr_begin(j);
    JFR_EVENT(j, 100, JFR_BUILD_START_TICKS + 1000, 0, 1, DEFAULT);
    jfr_metadata(j, types, N(types));
    put_constants(j, f, n);
    jfr_end(j);
}

static void assert_stack(const struct wick_profile *p, uint32_t stack, unsigned flags, const char *want)
{
    struct wick_strbuf text = WICK_STRBUF_INIT;
    for (; stack; stack = p->stacks[stack].parent) {
        wick_name_add_frame(&text, p, p->stacks[stack].frame, flags);
        wick_strbuf_addc(&text, ' ');
    }
    assert_string_equal(text.buf, want);
    wick_strbuf_release(&text);
}

/* Reads a recording of this one stack and compares what becomes of it. */
static void check_frames(const struct frame *f, int n, unsigned keep, unsigned flags, const char *want)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct wick_jfr_result res;
    struct wick_profile p;
    put_chunk(&j, f, n);
    assert_int_equal(wick_profile_init(&p), 0);
    p.keep = keep;
    assert_int_equal(wick_jfr_read_memory(&p, j.out.buf, j.out.len, NULL, &res, NULL), 0);
    assert_int_equal(res.problems, 0);
    assert_int_equal(p.naggs, 1);
    assert_stack(&p, p.aggs[0].stack, flags, want);
    wick_profile_release(&p);
    wick_strbuf_release(&j.out);
}

static void test_frames__native_methods_of_java_keep_their_class(void **state)
{
    static const struct frame jdk[] = {
        {"java/lang/Object", "wait", "(J)V", ACC_PUBLIC | ACC_NATIVE, NATIVE},
        {"a/B", "run", "()V", ACC_PUBLIC, COMPILED},
        {"a/B", "call0", "(Ljava/lang/String;)I", ACC_NATIVE, NATIVE},
    };
    (void)state;
    check_frames(jdk, 3, WICK_KEEP_ALL, WICK_NAME_ANNOTATE, "java.lang.Object.wait_[N] a.B.run_[j] a.B.call0_[N] ");
    check_frames(jdk, 3, 0, WICK_NAME_ANNOTATE, "java.lang.Object.wait_[N] a.B.run_[j] a.B.call0_[N] ");
    check_frames(jdk, 3, WICK_KEEP_ALL, WICK_NAME_SIGNATURES,
                 "java.lang.Object.wait(long)void a.B.run()void a.B.call0(java.lang.String)int ");
}

static void test_frames__native_code_is_none_of_java_whatever_its_modifiers_say(void **state)
{
    static const struct frame profilers[] = {
        {"libc.so.6", "write", "()L;", ACC_NATIVE, NATIVE},
        {"/usr/lib/libz.so.1", "deflate", "()V", 0, NATIVE},
        {"", "start_thread", "", ACC_NATIVE, NATIVE},
        {"java/lang/Object", "wait", "(J)V", ACC_NATIVE, INTERPRETED},
    };
    (void)state;
    check_frames(profilers, 4, WICK_KEEP_ALL, WICK_NAME_ANNOTATE,
                 "write_[n] deflate_[n] start_thread_[n] java.lang.Object.wait_[0] ");
}

/* Chunks of debug versions of the JVM; the flag is the last bit of the header. */
static void test_chunks__without_compressed_integers_are_refused_with_the_reason(void **state)
{
    static const struct frame f[] = {{"a/B", "run", "()V", ACC_PUBLIC, COMPILED}};
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct wick_jfr_cut_result made = {0};
    struct wick_jfr_result res;
    struct wick_err err = {0};
    struct wick_profile p;
    (void)state;
    put_chunk(&j, f, 1);
    size_t second = j.out.len;
    put_chunk(&j, f, 1);
    j.out.buf[second + 67] = 0;
    assert_int_equal(wick_profile_init(&p), 0);
    assert_int_equal(wick_jfr_read_memory(&p, j.out.buf, j.out.len, NULL, &res, &err), 0);
    assert_int_equal(res.samples, 1);
    assert_int_equal(res.chunks, 1);
    assert_int_equal(res.lost_bytes, j.out.len - second);
    assert_int_equal(res.first_offset, second + 66);
    assert_non_null(strstr(res.first, "integers are not compressed"));
    assert_int_equal(wick_jfr_read_memory(&p, j.out.buf + second, j.out.len - second, NULL, &res, &err),
                     -WICK_E_FORMAT);
    assert_non_null(strstr(err.msg, "integers are not compressed"));
    const struct wick_jfr_cut cut = {.out = fopen("/dev/null", "w")};
    assert_int_equal(wick_jfr_cut_memory(&p, j.out.buf, j.out.len, &cut, &made, &res, &err), 0);
    assert_int_equal(made.chunks, 1);
    assert_int_equal(res.lost_bytes, j.out.len - second);
    assert_int_equal(wick_jfr_cut_memory(&p, j.out.buf + second, j.out.len - second, &cut, &made, &res, &err),
                     -WICK_E_FORMAT);
    assert_non_null(strstr(err.msg, "integers are not compressed"));
    fclose(cut.out);
    wick_profile_release(&p);
    wick_strbuf_release(&j.out);
}

static void put_setting(struct jfr_build *j, const char *name, const char *value)
{
    struct wick_strbuf b = WICK_STRBUF_INIT;
    jfr_put(&b, JFR_BUILD_START_TICKS);
    jfr_put(&b, 100);
    jfr_put_utf8(&b, name);
    jfr_put_utf8(&b, value);
    jfr_event(j, 102, &b);
    wick_strbuf_release(&b);
}

/* Two chunks of a second each; async-profiler's settings are in the first. In the second a sample on a CPU is one on
 * the wall clock. */
static void put_two_chunks(struct jfr_build *j, const char *interval)
{
    static const struct frame f[] = {{"a/B", "run", "()V", ACC_PUBLIC, COMPILED}};
    for (int64_t chunk = 0; chunk < 2; chunk++) {
        int64_t second = chunk * JFR_BUILD_FREQUENCY;
        jfr_begin(j);
        JFR_EVENT(j, 100, JFR_BUILD_START_TICKS + second + 1000, 0, 1, DEFAULT);
        if (chunk)
            JFR_EVENT(j, 100, JFR_BUILD_START_TICKS + second + 2000, 0, 1, SLEEPING);
        else if (interval)
            put_setting(j, "wall", "30000000");
        if (!chunk && interval)
            put_setting(j, "interval", interval);
        jfr_metadata(j, types, N(types));
        put_constants(j, f, 1);
        jfr_end(j);
    }
}

static void assert_event(const struct wick_profile *p, const char *name, uint64_t count, int64_t weight)
{
    uint16_t e = wick_profile_find_event(p, name);
    assert_int_equal(p->events[e].count, count);
    assert_int_equal(p->events[e].weight, weight);
}

static void test_settings__of_the_first_chunk_are_those_of_all(void **state)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct wick_profile p;
    (void)state;
    put_two_chunks(&j, "5000000");
    size_t n = j.out.len;
    put_two_chunks(&j, NULL);
    assert_int_equal(wick_profile_init(&p), 0);
    assert_int_equal(wick_jfr_read_memory(&p, j.out.buf, n, NULL, NULL, NULL), 0);
    assert_event(&p, "cpu", 2, 10000000);
    assert_event(&p, "wall", 1, 30000000);
    assert_int_equal(wick_jfr_read_memory(&p, j.out.buf + n, j.out.len - n, NULL, NULL, NULL), 0);
    assert_int_equal(p.nevents, 4); /* of another file they are not */
    assert_event(&p, "cpu", 2, 10000000);
    wick_profile_release(&p);
    wick_strbuf_release(&j.out);
}

static void test_settings__stay_in_a_cut_that_begins_later(void **state)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct wick_jfr_cut_result made = {0};
    struct wick_profile p;
    char *out;
    size_t n;
    (void)state;
    put_two_chunks(&j, "5000000");
    const struct wick_jfr_cut cut = {.filter.from_ns = JFR_BUILD_START_NS + 1000000100,
                                     .out = open_memstream(&out, &n)};
    assert_int_equal(wick_profile_init(&p), 0);
    assert_int_equal(wick_jfr_cut_memory(&p, j.out.buf, j.out.len, &cut, &made, NULL, NULL), 0);
    fclose(cut.out);
    assert_int_equal(made.chunks, 1);
    assert_int_equal(made.samples, 2);
    assert_int_equal(wick_jfr_read_memory(&p, out, n, NULL, NULL, NULL), 0);
    assert_event(&p, "cpu", 1, 5000000);
    assert_event(&p, "wall", 1, 30000000);
    wick_profile_release(&p);
    wick_strbuf_release(&j.out);
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames__native_methods_of_java_keep_their_class),
        cmocka_unit_test(test_frames__native_code_is_none_of_java_whatever_its_modifiers_say),
        cmocka_unit_test(test_chunks__without_compressed_integers_are_refused_with_the_reason),
        cmocka_unit_test(test_settings__of_the_first_chunk_are_those_of_all),
        cmocka_unit_test(test_settings__stay_in_a_cut_that_begins_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
