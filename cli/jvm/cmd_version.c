/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/ui.h"
#include "client/agentlib.h"

int wick_cmd_version(int argc, char **argv)
{
    struct wick_err err = {0};
    struct wick_opts o;
    char **rest = calloc((size_t)argc + 1, sizeof *rest), lib[4096], build[41];
    int nrest, dashdash;
    int rc = rest ? wick_cmd_parse(argc, argv, &o, rest, &nrest, &dashdash, &err) : -WICK_E_NOMEM;
    free(rest);
    if (rc)
        return rc < 0 ? wick_ui_fail(&err) : 0;
    printf("wick %s\n", WICK_VERSION);
    if (!wick_agentlib_find("", lib, sizeof lib, NULL) && !wick_agentlib_build_id(lib, build, NULL))
        wick_ui_print(stdout, "agent %s (build %s)\n", lib, build);
    return 0;
}
