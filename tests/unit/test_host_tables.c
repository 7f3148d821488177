/* SPDX-License-Identifier: Apache-2.0 */
/* What `wick host` interns and caches, without a kernel side. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/frame_kind.h"
#include "ebpf/host_cache.h"
#include "ebpf/host_tables.h"

static void test_methods__equal_ones_have_one_number_and_keep_their_texts(void **state)
{
    struct wick_host_tables t = {0};
    char name[] = "run";
    const struct wick_jfr_method java = {.class_name = "a/B", .name = name, .signature = "()V"};
    const struct wick_jfr_method native = {.class_name = "a/B", .name = "run"};
    uint32_t first = wick_host_method(&t, &java), second = wick_host_method(&t, &native);
    assert_int_equal(first, 1);
    assert_int_equal(second, 2); /* without a signature it is another one */
    assert_int_equal(wick_host_method(&t, &java), first);
    name[0] = 'f';
    assert_int_equal(wick_host_method(&t, &java), 3);
    struct wick_jfr_method out;
    struct wick_jfr_source s = wick_host_tables_source(&t);
    assert_int_equal(s.method(s.arg, first, &out), 0);
    assert_string_equal(out.name, "run");
    assert_string_equal(out.signature, "()V");
    assert_int_equal(s.method(s.arg, second, &out), 0);
    assert_null(out.signature);
    assert_int_equal(s.method(s.arg, 0, &out), -WICK_E_NOTFOUND);
    assert_int_equal(s.method(s.arg, 4, &out), -WICK_E_NOTFOUND);
    wick_host_tables_release(&t);
}

/* Names of as many bytes as there are, until no more are kept. */
static void test_methods_and_contexts__are_bounded(void **state)
{
    enum { LONG = 1 << 20, MOST = 300 };
    struct wick_host_tables t = {0};
    char *name = calloc(1, LONG + 1);
    assert_non_null(name);
    memset(name, 'x', LONG);
    uint32_t methods = 0, contexts = 0;
    for (uint32_t i = 0; i < MOST; i++) {
        snprintf(name, 8, "%07u", i);
        name[7] = 'x';
        const struct wick_jfr_method m = {.name = name};
        methods += wick_host_method(&t, &m) != 0;
        contexts += wick_host_context(&t, name) != 0;
    }
    assert_int_equal(methods, 255); /* of 256 MiB and a little each */
    assert_int_equal(contexts, 63);
    const struct wick_jfr_method small = {.name = "small"};
    uint32_t known = wick_host_method(&t, &small);
    assert_int_equal(known, methods + 1); /* which fits, and what is known stays so */
    assert_int_equal(wick_host_method(&t, &small), known);
    free(name);
    wick_host_tables_release(&t);
}

static void test_methods_and_contexts__start_anew_and_what_is_carried_over_keeps_its_text(void **state)
{
    struct wick_host_tables t = {0}, old;
    const struct wick_jfr_method a = {.class_name = "a/B", .name = "run", .signature = "()V"}, b = {.name = "main"};
    struct wick_jfr_method out;
    struct wick_jfr_context labels;
    wick_host_method(&t, &a);
    uint32_t kept = wick_host_method(&t, &b), set = wick_host_context(&t, "process=b");
    assert_true(wick_host_lasting_bytes(&t) > 0);
    wick_host_tables_renew(&t, &old);
    assert_int_equal(wick_host_lasting_bytes(&t), 0);
    struct wick_jfr_source s = wick_host_tables_source(&t);
    assert_int_equal(s.method(s.arg, kept, &out), -WICK_E_NOTFOUND); /* numbers of before say nothing */
    uint32_t now = wick_host_carry_method(&t, &old, kept), set_now = wick_host_carry_context(&t, &old, set);
    assert_int_equal(wick_host_carry_method(&t, &old, kept), now);
    assert_int_equal(wick_host_carry_method(&t, &old, 0), 0);
    assert_int_equal(wick_host_carry_method(&t, &old, 3), 0);
    assert_int_equal(wick_host_carry_context(&t, &old, set + 1), 0);
    wick_host_tables_release(&old);
    assert_int_equal(s.method(s.arg, now, &out), 0);
    assert_string_equal(out.name, "main");
    assert_int_equal(s.context(s.arg, set_now, &labels), 0);
    assert_string_equal(labels.labels, "process=b");
    assert_int_equal(wick_host_method(&t, &a), 2); /* it was not carried over */
    wick_host_tables_release(&t);
}

static void test_stacks__differ_by_every_part_of_a_frame(void **state)
{
    struct wick_host_tables t = {0};
    const struct wick_jfr_frame base[2] = {{1, 10, 5, WICK_FRAME_C2}, {2, 0, 0, WICK_FRAME_NATIVE}};
    struct wick_jfr_frame other[2], out[2];
    bool truncated;
    uint32_t first = wick_host_stack(&t, base, 2, false);
    for (int part = 0; part < 4; part++) {
        memcpy(other, base, sizeof base);
        other[1].method += part == 0;
        other[1].line += part == 1;
        other[1].bci += part == 2;
        other[1].kind = part == 3 ? WICK_FRAME_CPP : other[1].kind;
        assert_int_equal(wick_host_stack(&t, other, 2, false), first + 1 + (uint32_t)part);
    }
    assert_int_equal(wick_host_stack(&t, base, 1, false), 6);
    assert_int_equal(wick_host_stack(&t, base, 2, true), 7);
    assert_int_equal(wick_host_stack(&t, base, 2, false), first);
    struct wick_jfr_source s = wick_host_tables_source(&t);
    assert_int_equal(s.stack(s.arg, 7, out, 2, &truncated), 2);
    assert_true(truncated);
    assert_int_equal(s.stack(s.arg, first, out, 1, &truncated), 1);
    assert_true(truncated); /* there was no room */
    assert_int_equal(out[0].line, 10);
    wick_host_forget_passing(&t);
    assert_int_equal(wick_host_passing_bytes(&t), 0);
    assert_int_equal(s.stack(s.arg, first, out, 2, &truncated), 0);
    assert_int_equal(wick_host_stack(&t, other, 2, false), 1);
    wick_host_tables_release(&t);
}

static void test_threads__a_number_used_again_or_another_name_is_another_thread(void **state)
{
    struct wick_host_tables t = {0};
    struct wick_host_tid a = {.start_ns = 5, .tid = 7, .comm = "worker"}, b = a, c = a;
    b.start_ns = 6;
    snprintf(c.comm, sizeof c.comm, "renamed");
    assert_int_equal(wick_host_thread_number(&t, &a), 1);
    assert_int_equal(wick_host_thread_number(&t, &b), 2);
    assert_int_equal(wick_host_thread_number(&t, &c), 3);
    assert_int_equal(wick_host_thread_number(&t, &a), 1);
    assert_int_equal(wick_host_context(&t, "process=x-1"), 1);
    assert_int_equal(wick_host_context(&t, "process=x-2"), 2);
    assert_int_equal(wick_host_context(&t, "process=x-1"), 1);
    struct wick_jfr_context out;
    struct wick_jfr_source s = wick_host_tables_source(&t);
    assert_int_equal(s.context(s.arg, 2, &out), 0);
    assert_string_equal(out.labels, "process=x-2");
    assert_int_equal(s.context(s.arg, 3, &out), -WICK_E_NOTFOUND);
    wick_host_tables_release(&t);
}

static void test_cache__gives_back_what_was_put_and_replaces_it(void **state)
{
    struct wick_host_cache c = {0};
    struct wick_jfr_frame frames[3] = {{.method = 1}, {.method = 2}, {.method = 3}};
    const struct wick_host_key key = {4096, 1, 2}, near = {4096, 2, 2};
    assert_null(wick_host_cache_find(&c, &key));
    wick_host_cache_put(&c, &key, 10, frames, 1);
    assert_null(wick_host_cache_find(&c, &near));
    wick_host_cache_put(&c, &near, 11, frames + 1, 1);
    wick_host_cache_put(&c, &key, 12, frames, 3); /* longer: it moves */
    const struct wick_host_cached *e = wick_host_cache_find(&c, &key);
    assert_int_equal(e->n, 3);
    assert_int_equal(e->at_ns, 12);
    assert_int_equal(c.frames[e->first + 2].method, 3);
    e = wick_host_cache_find(&c, &near);
    assert_int_equal(c.frames[e->first].method, 2);
    wick_host_cache_clear(&c);
    assert_null(wick_host_cache_find(&c, &key));
}

static void test_cache__is_bounded(void **state)
{
    struct wick_host_cache c = {0};
    const struct wick_jfr_frame f = {.method = 9};
    for (uint64_t i = 0; i < 100000; i++) {
        const struct wick_host_key key = {i, 0, 0};
        wick_host_cache_put(&c, &key, i, &f, 1);
        assert_non_null(wick_host_cache_find(&c, &key));
    }
    assert_true(c.cap <= 65536 && c.cap_frames <= 65536);
    wick_host_cache_clear(&c);
    /* one that is replaced by more frames each time: what it had stays behind */
    static struct wick_jfr_frame many[256];
    for (uint32_t i = 0; i < 100000; i++) {
        const struct wick_host_key key = {i / 256, 0, 0};
        wick_host_cache_put(&c, &key, i, many, 1 + i % 256);
        assert_int_equal(wick_host_cache_find(&c, &key)->n, 1 + i % 256);
    }
    assert_true(c.cap_frames <= 262144);
    wick_host_cache_clear(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_methods__equal_ones_have_one_number_and_keep_their_texts),
        cmocka_unit_test(test_methods_and_contexts__are_bounded),
        cmocka_unit_test(test_methods_and_contexts__start_anew_and_what_is_carried_over_keeps_its_text),
        cmocka_unit_test(test_stacks__differ_by_every_part_of_a_frame),
        cmocka_unit_test(test_threads__a_number_used_again_or_another_name_is_another_thread),
        cmocka_unit_test(test_cache__gives_back_what_was_put_and_replaces_it),
        cmocka_unit_test(test_cache__is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
