/* SPDX-License-Identifier: Apache-2.0 */
/* Why the kernel refuses what `wick host` asks for: logs of the verifier, and the probe of a kernel whose function has
 * a suffix, is missing, or may not be probed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
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

/* A kernel: the functions that can be probed, and what it says of others. */
static struct {
    const char *has; /* NULL = none */
    int of_it, of_others;
    char tried[512];
} kernel;

static int set(void *arg, const char *function)
{
    (void)arg;
    size_t n = strlen(kernel.tried);
    snprintf(kernel.tried + n, sizeof kernel.tried - n, "%s ", function);
    return kernel.has && !strcmp(kernel.has, function) ? kernel.of_it : kernel.of_others;
}

static int probe(const char *has, int of_it, int of_others, const char *symbols, struct wick_err *err)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/wick-host-reason-%d", (int)getpid());
    if (symbols) {
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        fputs(symbols, f);
        assert_int_equal(fclose(f), 0);
    }
    kernel.has = has;
    kernel.of_it = of_it;
    kernel.of_others = of_others;
    *kernel.tried = 0;
    *err = (struct wick_err){0};
    int rc = wick_host_probe_switch(path, set, NULL, err);
    unlink(path);
    assert_int_equal(rc, -err->code);
    return rc;
}

static void check_says(const struct wick_err *err, const char *wanted, const char *unwanted)
{
    assert_non_null(strstr(err->msg, wanted));
    assert_null(strstr(err->msg, unwanted));
    assert_non_null(strstr(err->msg, "-e cpu works"));
}

#define PIECES                                            \
    "0000000000000000 t finish_task\n"                    \
    "0000000000000000 t __pfx_finish_task_switch.x\n"     \
    "0000000000000000 t finish_task_switch_mm\n"          \
    "0000000000000000 t finish_task_switch.cold\n"        \
    "0000000000000000 t finish_task_switch.isra.0.cold\n" \
    "0000000000000000 t finish_task_switch.part.0\n"      \
    "0000000000000000 t finish_task_switch.isra.\n"       \
    "0000000000000000 d finish_task_switch.isra.7\n"      \
    "0000000000000000 t finish_task_switch.isra.8\t[other]\n"

static void test_host_probe__plain_name_needs_no_list(void **state)
{
    (void)state;
    struct wick_err err;
    assert_int_equal(probe(WICK_HOST_SWITCH, 0, ENOENT, NULL, &err), 0);
    assert_string_equal(kernel.tried, "finish_task_switch ");
}

static void test_host_probe__finds_any_variant(void **state)
{
    (void)state;
    static const char *const names[] = {
        "finish_task_switch.isra.0",      "finish_task_switch.isra.12",
        "finish_task_switch.constprop.0", "finish_task_switch.constprop.0.isra.1",
        "finish_task_switch.lto_priv.0",  "finish_task_switch.llvm.13271548293838475",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char symbols[1024], tried[256];
        struct wick_err err;
        snprintf(symbols, sizeof symbols, PIECES "0000000000000000 t %s\n", names[i]);
        snprintf(tried, sizeof tried, "finish_task_switch %s ", names[i]);
        assert_int_equal(probe(names[i], 0, ENOENT, symbols, &err), 0);
        assert_string_equal(kernel.tried, tried);
    }
}

static void test_host_probe__lack_of_rights_is_not_hidden_by_another_name(void **state)
{
    (void)state;
    static const int errors[] = {EPERM, EACCES};
    for (size_t i = 0; i < 2; i++) {
        struct wick_err err;
        assert_int_equal(probe(WICK_HOST_SWITCH, errors[i], ENOENT, PIECES "0 t finish_task_switch.isra.0\n", &err),
                         -WICK_E_PERM);
        assert_string_equal(kernel.tried, "finish_task_switch ");
        check_says(&err, strerror(errors[i]), strerror(ENOENT));
        check_says(&err, "CAP_PERFMON", "CONFIG_KPROBES");
    }
}

static void test_host_probe__failure_has_its_own_reason(void **state)
{
    (void)state;
    struct wick_err err;
    assert_int_equal(probe("finish_task_switch.isra.0", EINVAL, ENOENT, "0 t finish_task_switch.isra.0\n", &err),
                     -WICK_E_UNSUPPORTED);
    check_says(&err, "that of finish_task_switch.isra.0 fails: Invalid argument", "CONFIG_KPROBES");
    assert_int_equal(probe(NULL, 0, ENOENT, PIECES, &err), -WICK_E_UNSUPPORTED);
    check_says(&err, "compiled without a function of that name", "CONFIG_KPROBES");
    assert_int_equal(probe(NULL, 0, ENOENT, "0 t finish_task_switch\n", &err), -WICK_E_UNSUPPORTED);
    check_says(&err, "There is finish_task_switch, but no probe can be set (CONFIG_KPROBES)", "without a function");
    assert_int_equal(probe(NULL, 0, ENOENT, NULL, &err), -WICK_E_UNSUPPORTED);
    check_says(&err, "/proc/kallsyms cannot be read", "without a function");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host_reason__is_the_last_line_before_the_counts),
        cmocka_unit_test(test_host_reason__other_texts_have_none),
        cmocka_unit_test(test_host_reason__is_cut_where_there_is_no_room),
        cmocka_unit_test(test_host_probe__plain_name_needs_no_list),
        cmocka_unit_test(test_host_probe__finds_any_variant),
        cmocka_unit_test(test_host_probe__lack_of_rights_is_not_hidden_by_another_name),
        cmocka_unit_test(test_host_probe__failure_has_its_own_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
