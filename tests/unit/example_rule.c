/* SPDX-License-Identifier: Apache-2.0 */
/* CONTRIBUTING.md shows this program: a rule of `wick explain` about pauses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/explain/explain_int.h"

/* Its row. wick's own are X(NAME, ...) lines of def/explain.def; docs/explain.md has the same table. */
static const struct wick_explain_rule pauses = {
    .name = "pauses",
    .threshold = 0.1,
    .measure = "share of the time the world was stopped",
    .evidence = "jdk.GarbageCollection",
    .sentence = "{count} collections stopped the JVM for {share} of the time ({time})",
    .advice = "a larger heap, or less allocation",
};

/* Reads facts, compares them with the threshold, and says what it found in figures. The cost, thread time that is at
 * stake, decides where the finding stands in the list. */
static void apply(struct wick_explain *x)
{
    double stopped = (double)x->f->pauses_ns;
    struct wick_explain_finding *r = wick_explain_by_share(x, stopped, (double)x->f->duration_ns, stopped);
    wick_explain_figure(r, "count", WICK_EXPLAIN_NUMBER, (double)x->f->gcs);
}

static void test_rule__fires_at_its_threshold_and_not_below(void **state)
{
    for (int64_t stopped_ns = 99; stopped_ns <= 100; stopped_ns++) {
        struct wick_explain_facts facts = {.duration_ns = 1000, .gcs = 7, .pauses_ns = stopped_ns};
        struct wick_explain_findings found = {0};
        apply(&(struct wick_explain){.f = &facts, .out = &found, .rule = &pauses});
        assert_int_equal(found.n, stopped_ns >= 100);
        if (found.n) {
            assert_string_equal(found.rows[0].figures[found.rows[0].n - 1].key, "count");
            assert_true(found.rows[0].figures[found.rows[0].n - 1].value == 7);
        }
        wick_explain_findings_release(&found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rule__fires_at_its_threshold_and_not_below)};
    return cmocka_run_group_tests_name("example_rule", tests, NULL, NULL);
}
