/* SPDX-License-Identifier: Apache-2.0 */
/* wick doctor [PID|NAME]: the findings as a list or as JSON. Exit status 6 if anything fails. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/jvm/target.h"
#include "cli/ui.h"
#include "doctor/doctor.h"

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

static int examine(const struct wick_opts *o, char **rest, int nrest, struct wick_doctor *d, struct wick_err *err)
{
    struct wick_proc p;
    struct wick_jvm_entry jvm;
    const char *word;
    wick_doctor_host(d, o->lib);
    if (!nrest)
        return 0;
    int rc = wick_target_operand(rest, nrest, "doctor", &word, err);
    if (!rc)
        rc = wick_target_open(word, &p, &jvm, err);
    if (rc)
        return rc;
    wick_doctor_jvm(d, &p, &jvm);
    wick_proc_close(&p);
    return 0;
}

int wick_cmd_doctor(int argc, char **argv)
{
    struct wick_err err = {0};
    struct wick_opts o;
    struct wick_doctor d = {0};
    char **rest = calloc((size_t)argc + 1, sizeof *rest);
    int nrest, dashdash, status = 0;
    int rc = rest ? wick_cmd_parse(argc, argv, &o, rest, &nrest, &dashdash, &err) : -WICK_E_NOMEM;
    if (!rc)
        rc = examine(&o, rest, nrest, &d, &err);
    free(rest);
    if (rc) {
        wick_doctor_clear(&d);
        return rc < 0 ? wick_ui_fail(&err) : 0;
    }
    for (size_t i = 0; i < d.count; i++)
        if (d.list[i].level == WICK_DOCTOR_FAIL)
            status = wick_err_exit(WICK_E_UNSUPPORTED);
    if (o.json)
        print_json(&d);
    else
        print_text(&d);
    wick_doctor_clear(&d);
    return status;
}
