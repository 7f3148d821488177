/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wick help, and --help of every command: prints of the tables def/command.def and def/option.def. The commands that
 * show or convert print their own (cli/args.h).
 */
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/replace.h"
#include "cli/template.h"
#include "cli/ui.h"

#define WIDTH 100

/* "-e, --event EVENT" */
static int print_option_name(FILE *f, const struct wick_opt_desc *d)
{
    int n = d->letter ? fprintf(f, "-%c, --%s", d->letter, d->name) : fprintf(f, "    --%s", d->name);
    return *d->metavar ? n + fprintf(f, " %s", d->metavar) : n;
}

void wick_cmd_print_help(const struct wick_cmd *cmd)
{
    printf("Usage: wick %s%s%s%s\n\n%s.\n", cmd->name, cmd->where ? " [OPTION...]" : "", *cmd->operands ? " " : "",
           cmd->operands, cmd->summary);
    if (!cmd->where)
        return;
    puts("\nOptions:");
    for (size_t i = 0; i < WICK_OPT_TABLE_COUNT; i++) {
        const struct wick_opt_desc *d = &wick_opt_table[i];
        char text[640];
        if (!(d->where & cmd->where))
            continue;
        fputs("  ", stdout);
        int at = 2 + print_option_name(stdout, d);
        printf("%*s", at < 28 ? 28 - at : 2, "");
        snprintf(text, sizeof text, *d->def ? "%s (default %s)" : "%s", d->help, d->def);
        wick_ui_wrap(stdout, text, at < 28 ? 28 : at + 2, 28, WIDTH);
    }
}

int wick_cmd_parse(int argc, char **argv, struct wick_opts *o, char **rest, int *nrest, int *dashdash,
                   struct wick_err *err)
{
    const struct wick_cmd *cmd = wick_cmd_find(argv[0]);
    wick_opt_defaults(o);
    *nrest = *dashdash = 0;
    int rc = wick_opt_parse_args(argc, argv, cmd->where, o, rest, nrest, dashdash, err);
    if (rc) {
        char *end = err->msg + strlen(err->msg);
        snprintf(end, sizeof err->msg - (size_t)(end - err->msg), " (`wick %s --help` lists the options)", cmd->name);
        return rc;
    }
    wick_ui_set_quiet(o->quiet);
    wick_replace_force |= o->force;
    if (o->help)
        wick_cmd_print_help(cmd);
    return o->help;
}

int wick_cmd_help(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "--expand"))
        return wick_template_expand(argv[2]);
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
        argv[1] = argv[0];
    const struct wick_cmd *cmd = argc > 1 ? wick_cmd_find(argv[1]) : NULL;
    if (argc > 1 && !cmd) {
        struct wick_err err;
        wick_err_set(&err, WICK_E_USAGE, "there is no command '%.60s': `wick help` lists them", argv[1]);
        return wick_ui_fail(&err);
    }
    if (cmd && !cmd->where && cmd->run != wick_cmd_help)
        return cmd->run(2, (char *[]){argv[1], "--help", NULL});
    if (cmd) {
        wick_cmd_print_help(cmd);
        return 0;
    }
    puts("wick: a profiler for the JVM\n\nUsage: wick COMMAND [OPTION...] [OPERAND...]\n\nCommands:");
    for (size_t i = 0; i < wick_cmds_count; i++)
        printf("  %-9s  %-23s  %s\n", wick_cmds[i].name, wick_cmds[i].operands, wick_cmds[i].summary);
    puts("\n`wick help COMMAND` lists a command's options. To start: wick ps; wick record -d 10 NAME");
    return 0;
}
