/* SPDX-License-Identifier: Apache-2.0 */
/* wick doctor [PID|NAME]: the findings as a list or as JSON. Exit status 6 if anything fails. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/findings.h"
#include "cli/jvm/target.h"
#include "cli/ui.h"
#include "doctor/doctor.h"

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
    int nrest, dashdash, status;
    int rc = rest ? wick_cmd_parse(argc, argv, &o, rest, &nrest, &dashdash, &err) : -WICK_E_NOMEM;
    if (!rc)
        rc = examine(&o, rest, nrest, &d, &err);
    free(rest);
    if (rc) {
        wick_doctor_clear(&d);
        return rc < 0 ? wick_ui_fail(&err) : 0;
    }
    status = wick_cli_findings_print(&d, o.json);
    wick_doctor_clear(&d);
    return status;
}
