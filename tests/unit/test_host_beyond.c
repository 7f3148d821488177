/* SPDX-License-Identifier: Apache-2.0 */
/* What a walk from a copy of a stack believes of the stack beyond it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "ebpf/host_beyond.h"

enum { STACK = 128 << 10, SP = 4096 + 256, OUTERMOST = 60 << 10, OTHER = 1 << 30 };

/* Memory of the thread: its stack as it is now, and another one far away. */
static struct {
    uint8_t stack[STACK], other[4096];
} now;

#define AT UINT64_C(0x7f0000000000)

static int read_now(const struct wick_mem *m, wick_addr addr, void *buf, size_t n)
{
    (void)m;
    if (addr - AT < sizeof now.stack && n <= sizeof now.stack - (addr - AT))
        memcpy(buf, now.stack + (addr - AT), n);
    else if (addr - (AT + OTHER) < sizeof now.other && n <= sizeof now.other - (addr - (AT + OTHER)))
        memcpy(buf, now.other + (addr - (AT + OTHER)), n);
    else
        return -WICK_E_FAULT;
    return 0;
}

static const struct wick_mem mem = {.read = read_now};

/* A copy of the stack's first 64 KiB as they are. */
static struct wick_host_copy *copy_now(void)
{
    struct wick_host_copy *c = calloc(1, sizeof *c);
    assert_non_null(c);
    for (size_t i = 0; i < sizeof now.stack; i++)
        now.stack[i] = (uint8_t)(i * 7 + i / 256);
    memset(now.other, 0x55, sizeof now.other);
    c->at = AT;
    c->n = sizeof c->bytes;
    c->state.sp = AT + SP;
    memcpy(c->bytes, now.stack, sizeof c->bytes);
    return c;
}

static uint64_t read_word(struct wick_host_beyond *b, uint64_t addr)
{
    uint64_t word = 0;
    assert_int_equal(wick_host_beyond_read(b, addr, &word, sizeof word), 0);
    return word;
}

static void test_beyond__what_is_in_the_copy_is_read_there(void **state)
{
    struct wick_host_copy *c = copy_now();
    struct wick_host_beyond b = wick_host_beyond(c, &mem);
    uint64_t before, word;
    memcpy(&before, now.stack + SP + 64, sizeof before);
    memset(now.stack + SP + 64, 0, sizeof before);
    assert_int_equal(read_word(&b, AT + SP + 64), before);
    assert_false(b.beyond);
    assert_int_equal(read_word(&b, AT + OTHER), 0x5555555555555555); /* no part of this stack: code, for example */
    assert_false(b.beyond);
    assert_int_not_equal(wick_host_beyond_read(&b, AT + STACK, &word, sizeof word), 0);
    assert_false(b.beyond);
    b = wick_host_beyond(c, NULL);
    assert_int_not_equal(wick_host_beyond_read(&b, AT + OTHER, &word, sizeof word), 0);
    free(c);
}

/* A larger stack, whose outermost frames in the copy stay while the thread goes on above them. */
static void test_beyond__is_believed_while_the_thread_has_not_come_back(void **state)
{
    struct wick_host_copy *c = copy_now();
    struct wick_host_beyond b = wick_host_beyond(c, &mem);
    memset(now.stack, 0xee, OUTERMOST - 1024); /* what was called since */
    wick_host_beyond_come(&b, AT + SP + 512, false);
    wick_host_beyond_come(&b, AT + OUTERMOST, false);
    assert_false(b.beyond);
    read_word(&b, AT + c->n);
    assert_true(b.beyond);
    wick_host_beyond_come(&b, AT + c->n + 512, false);
    assert_true(wick_host_beyond_holds(&b));
    now.stack[OUTERMOST - 8]++; /* the return address of what the outermost frame had called */
    assert_false(wick_host_beyond_holds(&b));
    free(c);
}

static void test_beyond__another_stack_is_believed_likewise(void **state)
{
    struct wick_host_copy *c = copy_now();
    struct wick_host_beyond b = wick_host_beyond(c, &mem);
    wick_host_beyond_come(&b, AT + OUTERMOST, false);
    wick_host_beyond_come(&b, AT + OTHER + 64, false);
    assert_true(b.beyond);
    assert_true(wick_host_beyond_holds(&b));
    now.stack[OUTERMOST - 64] ^= 1;
    assert_false(wick_host_beyond_holds(&b));
    now.stack[OUTERMOST - 64] ^= 1;
    now.stack[OUTERMOST + 8] ^= 1; /* of the frame that changed stacks: its own words may change */
    assert_true(wick_host_beyond_holds(&b));
    b.mem = NULL;
    assert_false(wick_host_beyond_holds(&b));
    free(c);
}

/* A signal handler's own stack stays as it is when the handler has ended. */
static void test_beyond__what_a_signal_interrupted_is_not(void **state)
{
    struct wick_host_copy *c = copy_now();
    for (unsigned interrupted = 0; interrupted < 2; interrupted++) {
        struct wick_host_beyond b = wick_host_beyond(c, &mem);
        wick_host_beyond_come(&b, AT + OUTERMOST, interrupted); /* a signal within the copy does not matter */
        wick_host_beyond_come(&b, AT + OTHER + 64, interrupted);
        wick_host_beyond_come(&b, AT + OTHER + 128, true); /* nor one beyond */
        assert_int_equal(wick_host_beyond_holds(&b), !interrupted);
    }
    free(c);
}

/* Where hardly anything was called there is nothing to recognise. */
static void test_beyond__few_words_say_nothing(void **state)
{
    struct wick_host_copy *c = copy_now();
    for (uint64_t more = 0; more <= 128; more += 8) {
        struct wick_host_beyond b = wick_host_beyond(c, &mem);
        wick_host_beyond_come(&b, AT + SP + more, false);
        wick_host_beyond_come(&b, AT + OTHER + 64, false);
        assert_int_equal(wick_host_beyond_holds(&b), more >= 64);
    }
    c->n = 0; /* the stack could not be copied */
    struct wick_host_beyond b = wick_host_beyond(c, &mem);
    wick_host_beyond_come(&b, AT + SP + 256, false);
    assert_true(b.beyond);
    assert_false(wick_host_beyond_holds(&b));
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beyond__what_is_in_the_copy_is_read_there),
        cmocka_unit_test(test_beyond__is_believed_while_the_thread_has_not_come_back),
        cmocka_unit_test(test_beyond__another_stack_is_believed_likewise),
        cmocka_unit_test(test_beyond__what_a_signal_interrupted_is_not),
        cmocka_unit_test(test_beyond__few_words_say_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
