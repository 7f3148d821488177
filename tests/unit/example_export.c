/* SPDX-License-Identifier: Apache-2.0 */
/* CONTRIBUTING.md shows this program: a format to convert to, a line for each function with its weight. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdlib.h>

#include "codec/plain.h"
#include "export/shown.h"
#include "profile_build.h"

/* Writes p to out; who calls opens and closes it. wick_shown has the samples of the event type that was asked for, with
 * names as they are to be shown. Names come from the recording and may hold anything, so they are escaped. */
static int write_weights(const struct wick_profile *p, const struct wick_export_options *o, FILE *out,
                         struct wick_err *err)
{
    struct wick_shown s;
    struct wick_strbuf name = WICK_STRBUF_INIT;
    int rc = wick_shown_init(&s, p, o, err);
    if (rc)
        return rc;
    int64_t *self = calloc(s.q.nframes, sizeof *self);
    for (uint32_t i = 0; self && i < s.q.naggs; i++)
        self[s.q.stacks[s.q.aggs[i].stack].frame] += wick_shown_value(o, &s.q.aggs[i]);
    for (uint32_t i = 1; self && i < s.q.nframes; i++) {
        wick_strbuf_clear(&name);
        wick_plain_add(&name, wick_shown_name(&s, i)->s, wick_shown_name(&s, i)->len, "");
        if (self[i])
            fprintf(out, "%" PRId64 " %s\n", self[i], name.buf);
    }
    rc = self && !name.failed ? 0 : wick_err_set(err, WICK_E_NOMEM, "out of memory");
    free(self);
    wick_strbuf_release(&name);
    wick_shown_release(&s);
    return rc;
}

/* Its row. wick's own are in export/format.c, their extensions in def/format.def. */
static const struct wick_format weights = {
    .name = "weights",
    .extensions = (const char *const[]){"weights", NULL},
    .text = "a line for each function: its weight, its name",
    .write = write_weights,
};

static void test_export__a_function_stands_on_its_line_with_its_weight(void **state)
{
    struct wick_profile p;
    const struct wick_export_options o = {.event = build_profile(&p), .counts = true};
    char *text = build_text(&p, &o, weights.write, NULL);
    assert_string_equal(text, "3 x.Y.inlined\n3 do_syscall_64\n2 write\n");
    free(text);
    wick_profile_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_export__a_function_stands_on_its_line_with_its_weight)};
    return cmocka_run_group_tests_name("example_export", tests, NULL, NULL);
}
