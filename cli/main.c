/* SPDX-License-Identifier: Apache-2.0 */
/* `wick`: finds the command in the table and runs it. */
#include <errno.h>
#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/ui.h"

const struct wick_cmd wick_cmds[] = {
#define X(cmd, opts, ops, text) \
    {.name = #cmd, .operands = (ops), .summary = (text), .where = (opts), .run = wick_cmd_##cmd},
#include "def/command.def"
#undef X
};
const size_t wick_cmds_count = sizeof wick_cmds / sizeof *wick_cmds;

const struct wick_cmd *wick_cmd_find(const char *name)
{
    for (size_t i = 0; i < wick_cmds_count; i++)
        if (!strcmp(wick_cmds[i].name, name))
            return &wick_cmds[i];
    return NULL;
}

/* Output that could not be written is an error even when the command did its work. */
static int finish(int status)
{
    if (status || (!fflush(stdout) && !ferror(stdout)))
        return status;
    struct wick_err err;
    wick_err_set(&err, errno == ENOSPC ? WICK_E_NOSPACE : WICK_E_IO, "cannot write the output: %s", strerror(errno));
    return wick_ui_fail(&err);
}

int main(int argc, char **argv)
{
    struct wick_err err;
    const char *name = argc > 1 ? argv[1] : "help";
    setlocale(LC_CTYPE, "");
    mallopt(M_MMAP_THRESHOLD, 1 << 20); /* the tables of a large profile are given back whole, not kept in the heap */
    if (!strcmp(name, "--help") || !strcmp(name, "-h"))
        name = "help";
    else if (!strcmp(name, "--version") || !strcmp(name, "-V"))
        name = "version";
    const struct wick_cmd *cmd = wick_cmd_find(name);
    if (!cmd) {
        wick_err_set(&err, WICK_E_USAGE, "there is no command '%.60s': `wick help` lists them", name);
        return wick_ui_fail(&err);
    }
    if (argc > 1)
        argv[1] = (char *)(uintptr_t)cmd->name; /* commands look themselves up by it: --version is `version` */
    int status = finish(argc > 1 ? cmd->run(argc - 1, argv + 1) : cmd->run(1, argv));
    return argc > 1 ? status : wick_err_exit(WICK_E_USAGE);
}
