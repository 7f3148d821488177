/* SPDX-License-Identifier: Apache-2.0 */
/* Why the kernel refuses what `wick host` asks for, by logs of its verifier. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ebpf/host_reason.h"

#define BEGIN "libbpf: prog 'sample': -- BEGIN PROG LOAD LOG --\n"
#define END   "-- END PROG LOAD LOG --\n"

static void check_log(const char *log, const char *want)
{
    char reason[400] = "as before";
    assert_true(wick_host_verifier_reason(log, reason, sizeof reason) == (want != NULL));
    assert_string_equal(reason, want ? want : "as before");
}

static void test_host_reason__is_the_last_line_before_the_counts(void **state)
{
    (void)state;
    check_log(BEGIN "Func#2 is safe for any args that match its prototype\n"
                    "; const struct wick_host_rows *rows = bpf_map_lookup_elem(&pages, page);\n"
                    "11: (85) call bpf_map_lookup_elem#1\n"
                    "R2 type=mem expected=fp, pkt, pkt_meta, map_key, map_value\n"
                    "processed 1267 insns (limit 1000000) max_states_per_insn 4 total_states 85 peak_states 85 "
                    "mark_read 20\n" END,
              "R2 type=mem expected=fp, pkt, pkt_meta, map_key, map_value");
    check_log(BEGIN "BPF program is too large. Processed 1000001 insn\n"
                    "processed 1000001 insns (limit 1000000) max_states_per_insn 30 total_states 9 peak_states 9\n" END,
              "BPF program is too large. Processed 1000001 insn");
    check_log("unknown func bpf_loop#181\nprocessed 3 insns (limit 1000000)\n", "unknown func bpf_loop#181");
    check_log("\nprocessed 0 insns (limit 1000000)\n", "");
}

static void test_host_reason__other_texts_have_none(void **state)
{
    (void)state;
    check_log("libbpf: failed to find BTF for extern 'bpf_x'\n", NULL);
    check_log("libbpf: prog 'sample': BPF program load failed: Permission denied\n", NULL);
    check_log(BEGIN "11: (85) call bpf_map_lookup_elem#1\n" END, NULL); /* cut */
    check_log("processed 3 insns\n", NULL);
    check_log("", NULL);
}

static void test_host_reason__is_cut_where_there_is_no_room(void **state)
{
    (void)state;
    char reason[8];
    assert_true(wick_host_verifier_reason("first\nR2 type=mem\nprocessed 1 insns", reason, sizeof reason));
    assert_string_equal(reason, "R2 type");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host_reason__is_the_last_line_before_the_counts),
        cmocka_unit_test(test_host_reason__other_texts_have_none),
        cmocka_unit_test(test_host_reason__is_cut_where_there_is_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
