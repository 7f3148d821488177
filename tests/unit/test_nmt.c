/* SPDX-License-Identifier: Apache-2.0 */
/* The JVM's report of its native memory, as JDK 8 and 27 print it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "footprint/nmt.h"

#define KIB 1024ull

static int parse(const char *text, struct wick_nmt *n)
{
    memset(n, 0, sizeof *n);
    return wick_nmt_parse(text, strlen(text), n);
}

static const struct wick_nmt_category *category(const struct wick_nmt *n, const char *name)
{
    for (uint32_t i = 0; i < n->count; i++)
        if (!strcmp(n->category[i].name, name))
            return &n->category[i];
    fail_msg("there is no %s", name);
    return NULL;
}

static void test_nmt__of_jdk_8(void **state)
{
    struct wick_nmt n;
    (void)state;
    assert_int_equal(parse("\nNative Memory Tracking:\n\nTotal: reserved=1396269KB, committed=97301KB\n"
                           "-                 Java Heap (reserved=65536KB, committed=65536KB)\n"
                           "                            (mmap: reserved=65536KB, committed=65536KB) \n \n"
                           "-                    Thread (reserved=10284KB, committed=10284KB)\n"
                           "                            (thread #11)\n"
                           "                            (stack: reserved=10240KB, committed=10240KB)\n"
                           "                            (malloc=33KB #60) \n"
                           "                            (arena=12KB #20)\n \n"
                           "-                        GC (reserved=5870KB, committed=5870KB)\n"
                           "                            (malloc=3466KB #111) \n"
                           "                            (mmap: reserved=2404KB, committed=2404KB) \n \n"
                           "Virtual memory map:\n \n"
                           "[0x00000000fc000000 - 0x0000000100000000] reserved 65536KB for Java Heap from\n"
                           "    [0x00007f0d77613708]\n\n"
                           "\t[0x00000000ffe00000 - 0x0000000100000000] committed 2048KB from\n"
                           "[0x00007f0000000000 - 0x00007f0000200000] reserved 2048KB for GC from\n",
                           &n),
                     0);
    assert_int_equal(n.count, 3);
    assert_int_equal(category(&n, "Java Heap")->committed, 65536 * KIB);
    assert_int_equal(category(&n, "Thread")->malloced, 45 * KIB);
    assert_int_equal(category(&n, "Thread")->mapped, 10240 * KIB);
    assert_int_equal(category(&n, "GC")->malloced, 3466 * KIB);
    assert_int_equal(n.malloced, (3466 + 45) * KIB);
    assert_int_equal(n.committed, (65536 + 10284 + 5870) * KIB);
    assert_int_equal(n.gc.count, 1); /* and not what is committed of the heap */
    assert_true(n.gc.rows[0].lo == 0x7f0000000000 && n.gc.rows[0].hi == 0x7f0000200000);
    wick_nmt_release(&n);
}

static void test_nmt__of_jdk_27(void **state)
{
    struct wick_nmt n;
    (void)state;
    assert_int_equal(parse("\nNative Memory Tracking:\n\n(Omitting categories weighting less than 1KB)\n\n"
                           "Total: reserved=1305318KB, committed=111626KB\n"
                           "       malloc: 7159KB #6324, peak=6862KB #6325\n\n"
                           "-                     Class (reserved=1048637KB, committed=189KB)\n"
                           "                            (classes #531)\n"
                           "                            (  instance classes #443, array classes #88)\n"
                           "                            (malloc=61KB tag=Class #578) (at peak)\n"
                           "                            (mmap: reserved=1048576KB, committed=128KB, at peak)\n"
                           "                            (  Metadata:   )\n"
                           "                            (    reserved=65536KB, committed=128KB)\n \n"
                           "-        Shared class space (reserved=16384KB, committed=14040KB, readonly=0KB)\n"
                           "                            (mmap: reserved=16384KB, committed=14040KB, peak=14100KB)\n\n"
                           "Virtual memory map:\n\n"
                           "[0x00000000fc000000 - 0x00000000fd000000] reserved and committed 16384KB for GC from\n"
                           "[0x000000001b000000 - 0x000000001c000000] reserved 16384KB for GCCardSet\n\n"
                           "Memory file details\n\nDetails:\n\n[0x00007f8a101e9161]G1CollectedHeap()+0x511\n",
                           &n),
                     0);
    assert_int_equal(category(&n, "Class")->malloced, 61 * KIB);
    assert_int_equal(category(&n, "Class")->mapped, 128 * KIB); /* Metadata is besides, not of it */
    assert_int_equal(category(&n, "Shared class space")->committed, 14040 * KIB);
    assert_int_equal(n.gc.count, 1);
    wick_nmt_release(&n);
}

static void test_nmt__what_is_malformed_is_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "hello\n",
        "Native Memory Tracking:\n",
        "Native Memory Tracking:\n- GC (reserved=1MB, committed=1MB)\n",
        "Native Memory Tracking:\n- GC (reserved=1KB)\n",
        "Native Memory Tracking:\n- (reserved=1KB, committed=1KB)\n",
        "Native Memory Tracking:\n- G\033[1m (reserved=1KB, committed=1KB)\n",
        "Native Memory Tracking:\n- GC (reserved=1KB, committed=99999999999999999999KB)\n",
        "Native Memory Tracking:\n- GC (reserved=1KB, committed=1KB)\n  (malloc=x)\n",
        "Native Memory Tracking:\n- GC (reserved=1KB, committed=1KB)\nVirtual memory map:\n[0x1 - zz] reserved 1KB for "
        "GC\n",
        "Native Memory Tracking:\n- A name that is much longer than any of them (reserved=1KB, committed=1KB)\n",
    };
    struct wick_nmt n;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (parse(bad[i], &n) != -WICK_E_FORMAT || n.count)
            fail_msg("accepted: %s", bad[i]);
    assert_int_equal(parse("Native memory tracking is not enabled\n", &n), -WICK_E_NOTFOUND);
}

static void test_nmt__sums_that_are_too_large_are_the_largest_number(void **state)
{
    struct wick_nmt n;
    char text[2000] = "Native Memory Tracking:\n";
    (void)state;
    for (int i = 0; i < 5; i++)
        strcat(text, "- GC (reserved=1KB, committed=4000000000000000KB)\n  (malloc=4000000000000000KB)\n");
    assert_int_equal(parse(text, &n), 0);
    assert_true(n.committed == UINT64_MAX);
    assert_true(n.malloced == UINT64_MAX);
    wick_nmt_release(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nmt__of_jdk_8),
        cmocka_unit_test(test_nmt__of_jdk_27),
        cmocka_unit_test(test_nmt__what_is_malformed_is_refused),
        cmocka_unit_test(test_nmt__sums_that_are_too_large_are_the_largest_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
