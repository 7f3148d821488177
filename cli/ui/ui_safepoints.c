/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ui_safepoints.c - the answer of `wick ui` about slow safepoints and the threads that were slow to reach them
 *
 * Memory:  that of the recording's incidents (analysis/wait/ttsp_incidents.h), while it runs.
 */
#include "cli/ui/ui_views.h"

#include "cli/wait/ttsp_table.h"

int wick_ui_safepoints(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err)
{
    enum { ROWS = 200, MOST_ROWS = 1000 };
    static const struct wick_ttsp_most most = {.blames = 100, .threads = 5, .signals = 20, .frames = 60, .name = 200};
    struct wick_ttsp_incidents in;
    struct wick_profile p;
    int64_t rows;
    int rc = wick_ask_number(a, "rows", 1, MOST_ROWS, ROWS, &rows, err);
    if (rc)
        return rc;
    if (wick_profile_init(&p))
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    rc = wick_ttsp_incidents_read(&in, &p, (char *const *)(uintptr_t)&file->path, 1, wick_ui_read_quietly, err);
    if (!rc) {
        const struct wick_ttsp_options o = {.rows = (uint32_t)rows, .json = true, .most = most};
        rc = wick_ttsp_table_write(&in, &o, out, err);
    }
    wick_ttsp_incidents_release(&in);
    wick_profile_release(&p);
    return rc;
}
