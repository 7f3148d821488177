/* SPDX-License-Identifier: Apache-2.0 */
/* Queues, compilations and deoptimisations, as they lie in a JVM's memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "fake_space.h"
#include "hotspot/compiler.h"

enum { ENV = 0x70, TASK = 0x40, METHOD = 0x10, OSR = 0x20, LEVEL = 0x30, ID = 8 };

static struct space space;
static struct wick_jvm jvm;
static struct wick_hs_compiler compiler;
static wick_addr thread, task, queue;

/* A JVM of which no more is known than its compilers; one thread compiles. */
static int setup(void **state)
{
    (void)state;
    space_init_jvm(&space, &jvm);
    jvm.major = 17;
    jvm.layout.compiler_env = ENV;
    jvm.layout.env_task = TASK;
    jvm.layout.task_method = METHOD;
    jvm.layout.task_osr_bci = OSR;
    jvm.layout.task_level = LEVEL;
    jvm.layout.task_id = ID;
    thread = space_take(&space, 256);
    wick_addr env = space_take(&space, 256), name = space_take(&space, 32);
    task = space_take(&space, 256);
    queue = space_take(&space, 256);
    space_put64(&space, thread + ENV, env);
    space_put64(&space, env + TASK, task);
    space_put64(&space, task + METHOD, 0x7000);
    space_put64(&space, task + OSR, UINT64_MAX);
    space_put64(&space, task + LEVEL, 4);
    space_put64(&space, task + ID, 77);
    space_put64(&space, name, 0x203243); /* "C2 " */
    space_put64(&space, queue, name);
    compiler = (struct wick_hs_compiler){.jvm = &jvm};
    compiler.queue[1] = space_take(&space, 8);
    space_put64(&space, compiler.queue[1], queue);
    return 0;
}

static void test_compiler__work_of_a_thread(void **state)
{
    struct wick_hs_compilation c;
    (void)state;
    assert_true(wick_hs_compiler_work(&jvm, thread, &c));
    assert_int_equal(c.id, 77);
    assert_int_equal(c.level, 4);
    assert_int_equal(c.method, 0x7000);
    assert_false(c.osr);
    space_put64(&space, task + OSR, 12);
    assert_true(wick_hs_compiler_work(&jvm, thread, &c));
    assert_true(c.osr);
}

static void test_compiler__garbage_is_no_work(void **state)
{
    struct wick_hs_compilation c;
    (void)state;
    space_put64(&space, task + LEVEL, 9);
    assert_false(wick_hs_compiler_work(&jvm, thread, &c));
    space_put64(&space, thread + ENV, 0);
    assert_false(wick_hs_compiler_work(&jvm, thread, &c));
    assert_false(wick_hs_compiler_work(&jvm, 0x10, &c)); /* the thread is gone */
    jvm.layout.env_task = WICK_HS_NONE;
    assert_false(wick_hs_compiler_work(&jvm, thread, &c));
}

static void test_compiler__queue_of_each_layout(void **state)
{
    uint32_t n = 0;
    (void)state;
    space_put64(&space, queue + 32, 41);
    space_put64(&space, queue + 40, 42);
    assert_true(wick_hs_compiler_waiting(&compiler, 1, &n));
    assert_int_equal(n, 41);
    jvm.major = 8;
    assert_true(wick_hs_compiler_waiting(&compiler, 1, &n));
    assert_int_equal(n, 42);
    assert_false(wick_hs_compiler_waiting(&compiler, 0, &n)); /* no such compiler */
    compiler.queue[0] = compiler.queue[1];
    assert_false(wick_hs_compiler_waiting(&compiler, 0, &n)); /* another's */
    space_put64(&space, queue + 40, UINT32_MAX);
    assert_false(wick_hs_compiler_waiting(&compiler, 1, &n));
}

static void test_compiler__without_symbols_nothing_is_known(void **state)
{
    uint32_t n;
    (void)state;
    wick_hs_compiler_open(&compiler, &jvm, NULL, 0);
    assert_false(wick_hs_compiler_waiting(&compiler, 0, &n));
    assert_false(wick_hs_compiler_deopts(&compiler, &n));
    assert_false(wick_hs_compiler_stopped(&compiler));
}

static void test_compiler__switch_and_deoptimisations(void **state)
{
    uint32_t n;
    (void)state;
    compiler.compiles = space_take(&space, 8);
    compiler.deopts = space_take(&space, 8);
    space_put64(&space, compiler.compiles, 1);
    space_put64(&space, compiler.deopts, 5);
    assert_false(wick_hs_compiler_stopped(&compiler));
    space_put64(&space, compiler.compiles, 0);
    assert_true(wick_hs_compiler_stopped(&compiler));
    assert_true(wick_hs_compiler_deopts(&compiler, &n));
    assert_int_equal(n, 5);
    assert_false(wick_hs_compiler_reason(&compiler, 1, &n)); /* how many there are is not known */
}

static void test_compiler__reasons_of_deoptimisations(void **state)
{
    enum { REASONS = 3, BYTES = 24 };
    static const char *const names[REASONS] = {"none", "null_check", "unstable_if"};
    char name[12];
    uint32_t n;
    (void)state;
    compiler.deopts = space_take(&space, REASONS * BYTES);
    compiler.reasons = space_take(&space, REASONS * 8);
    compiler.nreasons = REASONS;
    compiler.reason_bytes = BYTES;
    for (uint32_t i = 0; i < REASONS; i++) {
        wick_addr text = space_take(&space, 16);
        for (size_t k = 0; k <= strlen(names[i]); k += 8) {
            uint64_t word = 0;
            memcpy(&word, names[i] + k, strnlen(names[i] + k, 8));
            space_put64(&space, text + k, word);
        }
        space_put64(&space, compiler.reasons + i * 8, text);
        space_put64(&space, compiler.deopts + i * BYTES, 10 + i);
    }
    assert_true(wick_hs_compiler_reason(&compiler, 2, &n));
    assert_int_equal(n, 12);
    assert_true(wick_hs_compiler_reason_name(&compiler, 2, name, sizeof name));
    assert_string_equal(name, "unstable_if");
    assert_false(wick_hs_compiler_reason_name(&compiler, 2, name, 8)); /* longer than there is room for */
    assert_false(wick_hs_compiler_reason(&compiler, 0, &n));           /* all of them */
    assert_false(wick_hs_compiler_reason(&compiler, REASONS, &n));
    assert_false(wick_hs_compiler_reason_name(&compiler, REASONS, name, sizeof name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_compiler__work_of_a_thread, setup),
        cmocka_unit_test_setup(test_compiler__garbage_is_no_work, setup),
        cmocka_unit_test_setup(test_compiler__queue_of_each_layout, setup),
        cmocka_unit_test_setup(test_compiler__without_symbols_nothing_is_known, setup),
        cmocka_unit_test_setup(test_compiler__switch_and_deoptimisations, setup),
        cmocka_unit_test_setup(test_compiler__reasons_of_deoptimisations, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
