/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ui/ui_views.h"

#include "cli/input/inputs.h"
#include "import/input.h"

int wick_ui_no_events(struct wick_err *err)
{
    return wick_err_set(err, WICK_E_FORMAT,
                        "this is not a JFR recording; other formats contain only samples, not the events to show here");
}

int wick_ui_range(const struct wick_ask *a, struct wick_range *range, struct wick_err *err)
{
    int rc = wick_ask_number(a, "from", 0, INT64_MAX, 0, &range->from_ns, err);
    rc = rc ? rc : wick_ask_number(a, "to", 0, INT64_MAX, 0, &range->to_ns, err);
    if (!rc && range->to_ns && range->to_ns <= range->from_ns)
        rc = wick_err_set(err, WICK_E_USAGE, "nothing lies between from and to");
    return rc;
}

int wick_ui_read_quietly(struct wick_profile *p, const char *path, const struct wick_jfr_visitor *v,
                         struct wick_err *err)
{
    struct wick_jfr_result res;
    int rc = wick_input_read_file(p, path, v, &res, err);
    if (!rc && !res.is_jfr)
        return wick_ui_no_events(err);
    if (!rc)
        wick_cli_note_input(&res);
    return rc;
}
