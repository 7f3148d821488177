/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/findings.h"

#include <stdio.h>

#include "base/err.h"
#include "cli/ui.h"

static const char *const level_names[] = {"OK", "WARN", "FAIL"};

static void print_text(const struct wick_doctor *d)
{
    static const enum wick_ui_colour colours[] = {WICK_UI_GREEN, WICK_UI_YELLOW, WICK_UI_RED};
    for (size_t i = 0; i < d->count; i++) {
        const struct wick_doctor_finding *f = &d->list[i];
        printf("%s%-4s%s  %-18s  ", wick_ui_colour(stdout, colours[f->level]), level_names[f->level],
               wick_ui_colour(stdout, WICK_UI_PLAIN), f->name);
        wick_ui_wrap(stdout, f->what, 26, 26, 110);
        if (*f->fix) {
            printf("%26s-> ", "");
            wick_ui_wrap(stdout, f->fix, 29, 29, 110);
        }
    }
}

static void print_json(const struct wick_doctor *d)
{
    puts("[");
    for (size_t i = 0; i < d->count; i++) {
        const struct wick_doctor_finding *f = &d->list[i];
        printf("  {\"check\": ");
        wick_ui_json_string(stdout, f->name);
        printf(", \"level\": \"%s\", \"what\": ", level_names[f->level]);
        wick_ui_json_string(stdout, f->what);
        printf(", \"fix\": ");
        wick_ui_json_string(stdout, f->fix);
        puts(i + 1 < d->count ? "}," : "}");
    }
    puts("]");
}

int wick_cli_findings_print(const struct wick_doctor *d, bool json)
{
    int status = 0;
    for (size_t i = 0; i < d->count; i++)
        if (d->list[i].level == WICK_DOCTOR_FAIL)
            status = wick_err_exit(WICK_E_UNSUPPORTED);
    if (json)
        print_json(d);
    else
        print_text(d);
    return status;
}
