/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ui_safepoints.c - the answer of `wick ui` about slow safepoints and the threads that were slow to reach them
 */
#include "cli/ui/ui_followed.h"
#include "cli/ui/ui_views.h"

#include "cli/wait/ttsp_table.h"

int wick_ui_safepoints(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err)
{
    enum { ROWS = 200, MOST_ROWS = 1000 };
    static const struct wick_ttsp_most most = {.blames = 100, .threads = 5, .signals = 20, .frames = 60, .name = 200};
    int64_t rows;
    int rc = wick_ask_number(a, "rows", 1, MOST_ROWS, ROWS, &rows, err);
    const struct wick_ttsp_incidents *in = rc ? NULL : wick_ui_followed_safepoints(file, err);
    if (!in)
        return -err->code;
    const struct wick_ttsp_options o = {.rows = (uint32_t)rows, .json = true, .most = most};
    rc = wick_ttsp_table_write(in, &o, out, err);
    wick_ui_followed_trim();
    return rc;
}
