/* SPDX-License-Identifier: Apache-2.0 */
/* Lengths of instructions, against what a disassembler makes of code of the JVM and of libraries; where they lead. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "hotspot/x86_insn.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* One of each opcode of one byte and of many others, as `objdump -d` divides libjvm, libc, libm and libcrypto. */
/* clang-format off */
static const char *const insns[] = {
    "62f17d486ac1", "62b1ed406ccb", "62a1ed406dd3", "62e1fd086ee9", "62f17fc96f0f", "62f17d4870d24e",
    "62f1654872cb10", "62f1bd2073d134", "62d165497433", "62e1fd087ec1", "62e1fe287f07", "62f17c481006",
    "62f17c481107", "6291f528d4c8", "c4413d64c3", "c4410966ff", "c441396ac1", "c441096ccf", "c441096df7",
    "c4a1796e040f", "c4a17a6f5c06f0", "c4417970c300", "c4c13972d11e", "c4c10d73d01d", "c4c14574fd", "c4a17d760c0e",
    "c5d166ec", "c5f96ac1", "c5f96cda", "c5f96dc2", "c5f96ec6", "c5fe6f0e", "c5f970fbfa", "c5b972d41f", "c5b973db04",
    "c5fd740f", "c5fd76da", "c5f877", "4cc5a97c02", "c5f97e07", "0000", "4801c6", "410a542418", "6800000000",
    "4869c09145041d", "6a00", "416bd41c", "6c", "6d", "480b30", "6e", "6f", "7003", "7189", "727d", "73c6", "7402",
    "7572", "76b4", "7756", "0c80", "7804", "7903", "7a02", "7bd3", "7c3a", "7d2b", "7e20", "7f11", "803d8c362c0100",
    "81fbff000000", "664181fecc00", "0d00002000", "4883ec08", "4584ed", "4885c0", "8602", "4987dd", "884340",
    "4889042518000000", "8a7738", "488b053d5d2901", "8c4646", "488dbde0ecffff", "8e4747", "8f45fd", "6690", "91",
    "4892", "93", "94", "95", "0f00050a0f0409", "0f01e8", "66440f64c6", "660f65c8", "660f66c8", "660f68c1",
    "660f69cd", "66440f6af8", "0f6bea", "660f6cc1", "660f6dd4", "0f0b", "66480f6ec8", "660f6f0d5446f800",
    "660f70d200", "660f71d008", "660f72f110", "660f73d808", "660f74c1", "660f75c5", "660f76c9", "0f7833", "0f790cfb",
    "f30f7e052af51b01", "f30f7f0f", "0f8039150000", "0f8141feffff", "0f8224ffffff", "0f83c3000000", "0f84b7000000",
    "0f85cd000000", "0f86b1090000", "0f87ab010000", "0f882efdffff", "0f89f1feffff", "0f8ab8fdffff", "0f8b71feffff",
    "0f0e", "0f8c94000000", "0f8dfe010000", "0f8e7c000000", "0f8fe4000000", "0f90c0", "0f918808be2046", "0f92c2",
    "0fa4c005", "480fbae020", "f30fc2c205", "660fc6c001", "480fc8", "660f3800c2", "440f38c8d4", "0f38c9dc",
    "0f38cade", "0f38cbd1", "450f38ccd3", "96", "97", "4898", "99", "9b", "9c", "9d", "9e", "9f", "100402",
    "a0a0fb5ba0a0fba452", "a1379696a10a05050f", "4ea1a3cd7ac73acdd6f4", "a2a2fd5fa2a2fd45af", "a3a3fe804040c08040",
    "a4", "f348a5", "a6", "a7", "a801", "a900000008", "66a9ff7f", "4911d0", "f3aa", "f348ab", "43ac", "ad", "ae",
    "af", "b058", "b1e9", "b201", "b3d4", "1236", "b45a", "41b504", "41b604", "b7c2", "b863000000",
    "48b80000000001000000", "b94a000000", "ba2f000000", "bb01000000", "41bc07000000", "41bd01000000", "1313",
    "be3c000000", "bf40000000", "c0e804", "48c1ee3f", "c2c25d", "c3", "c604256009000000", "c70511592c0100000000",
    "48c705dd582c0100000000", "66c743360400", "41020414", "1418", "47c86464ac", "c9", "ca8c46", "cb", "cc", "cdeb",
    "cf", "d0e8", "48d1fe", "15effafa15", "d2d2", "d3e6", "d7", "d80dba681600", "d945ec", "da7542", "db6c2418",
    "dc6e6e", "ddd9", "dee1", "dfe0", "e0e0", "e1fd", "e271", "e3a9", "e472", "e534", "e64d", "e732", "e886c3af00",
    "e9e0ffffff", "eb92", "ec", "ed", "ee", "ef", "1828", "f1", "f4", "41f5", "41f6c601", "f739", "66f7de", "f8",
    "f9", "19c9", "40fa", "fb", "fc", "fd", "fec1", "ffd0", "1a1a", "1b80809b1b80", "1cff", "1d25feffff", "034210",
    "20c8", "21d0", "402230", "2302", "247f", "25f00f0000", "0404", "28d1", "4829fe", "402a7141", "2b461c", "2c01",
    "482d34020000", "30c0", "31ff", "480570080000", "66050078", "4032b0a7000000", "483304fa", "34dd", "3562646574",
    "4438e8", "4839d0", "443a27", "3b4304", "3c03", "3dffff0000", "08d0", "50", "4151", "4152", "53", "4154",
};
/* clang-format on */

static size_t bytes_of(const char *hex, uint8_t *out)
{
    size_t n = strlen(hex) / 2;
    for (size_t i = 0; i < n; i++) {
        const char digits[] = {hex[2 * i], hex[2 * i + 1], 0};
        out[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    return n;
}

static void test_x86_insn__its_length_is_that_of_a_disassembler(void **state)
{
    for (size_t i = 0; i < COUNT(insns); i++) {
        struct wick_x86_insn insn;
        uint8_t code[32];
        size_t n = bytes_of(insns[i], code);
        memset(code + n, 0x90, sizeof code - n);
        assert_int_equal(wick_x86_insn(code, sizeof code, &insn), n);
        assert_int_equal(insn.length, n);
        for (size_t cut = 0; cut < n; cut++)
            assert_int_equal(wick_x86_insn(code, cut, &insn), 0);
    }
}

static void test_x86_insn__prefixes_without_end_are_no_instruction(void **state)
{
    struct wick_x86_insn insn;
    uint8_t code[32];
    memset(code, 0x66, sizeof code);
    assert_int_equal(wick_x86_insn(code, sizeof code, &insn), 0);
    code[14] = 0x90;
    assert_int_equal(wick_x86_insn(code, sizeof code, &insn), 15);
}

static void test_x86_insn__what_64_bit_code_does_not_have_is_none(void **state)
{
    static const char *const none[] = {"06", "27",       "60",       "82c001",         "9a",
                                       "ce", "d400",     "ea",       "0f04",           "0f0a",
                                       "d5", "c4e06000", "c4e44000", "62f47c0880c001", "62f77c0800c0"};
    for (size_t i = 0; i < COUNT(none); i++) {
        struct wick_x86_insn insn;
        uint8_t code[32] = {0};
        bytes_of(none[i], code);
        assert_int_equal(wick_x86_insn(code, sizeof code, &insn), 0);
    }
}

static void test_x86_insn__it_leads_to_the_next_or_to_its_target(void **state)
{
    static const struct {
        const char *hex;
        enum wick_x86_flow flow;
        int32_t target;
    } cases[] = {
        {"4801c6", WICK_X86_NEXT, 0},       {"85c0", WICK_X86_NEXT, 0}, /* test between registers */
        {"410502000000", WICK_X86_NEXT, 0}, {"418502", WICK_X86_POLL, 0},
        {"850500000000", WICK_X86_POLL, 0}, {"e886c3af00", WICK_X86_CALL, 0xafc386},
        {"41ffd2", WICK_X86_CALL, 0},       {"ff5010", WICK_X86_CALL, 0},
        {"e9e0ffffff", WICK_X86_JUMP, -32}, {"eb92", WICK_X86_JUMP, -110},
        {"75f0", WICK_X86_FORK, -16},       {"0f84b7000000", WICK_X86_FORK, 183},
        {"e3a9", WICK_X86_FORK, -87},       {"c3", WICK_X86_END, 0},
        {"c20800", WICK_X86_END, 0},        {"ffe0", WICK_X86_END, 0},
        {"41ffe2", WICK_X86_END, 0},        {"cc", WICK_X86_END, 0},
        {"0f0b", WICK_X86_END, 0},          {"f4", WICK_X86_END, 0},
        {"ffc0", WICK_X86_NEXT, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct wick_x86_insn insn;
        uint8_t code[32] = {0};
        size_t n = bytes_of(cases[i].hex, code);
        assert_int_equal(wick_x86_insn(code, sizeof code, &insn), n);
        assert_int_equal(insn.flow, cases[i].flow);
        assert_int_equal(insn.target, cases[i].target);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_x86_insn__its_length_is_that_of_a_disassembler),
        cmocka_unit_test(test_x86_insn__prefixes_without_end_are_no_instruction),
        cmocka_unit_test(test_x86_insn__what_64_bit_code_does_not_have_is_none),
        cmocka_unit_test(test_x86_insn__it_leads_to_the_next_or_to_its_target),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
