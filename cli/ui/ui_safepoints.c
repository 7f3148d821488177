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
    struct wick_ttsp_incidents chosen = {0};
    struct wick_range range;
    int64_t rows;
    int rc = wick_ask_number(a, "rows", 1, MOST_ROWS, ROWS, &rows, err);
    rc = rc ? rc : wick_ui_range(a, &range, err);
    const struct wick_ttsp_incidents *in = rc ? NULL : wick_ui_followed_safepoints(file, err);
    if (!in)
        return -err->code;
    const struct wick_ttsp_options o = {.rows = (uint32_t)rows, .json = true, .most = most};
    if (!wick_range_is_all(&range)) {
        if (wick_ttsp_incidents_choose(&chosen, in, &range))
            rc = wick_err_set(err, WICK_E_NOMEM, "out of memory");
        in = &chosen;
    }
    rc = rc ? rc : wick_ttsp_table_write(in, &o, out, err);
    wick_ttsp_incidents_release(&chosen);
    wick_ui_followed_trim();
    return rc;
}
