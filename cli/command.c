/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of commands, and what is printed of them from def/command.def and def/option.def. The commands that show or
 * convert print their own help (cli/args.h).
 */
#include "cli/command.h"

#include <stdio.h>
#include <string.h>

#include "cli/replace.h"
#include "cli/ui.h"

const struct wick_cmd wick_cmd_table[] = {
#define X(cmd, opts, ops, text) {.name = #cmd, .operands = (ops), .summary = (text), .where = (opts)},
#include "def/command.def"
#undef X
};
const size_t wick_cmd_table_count = sizeof wick_cmd_table / sizeof *wick_cmd_table;

const struct wick_cmd *wick_cmd_find(const char *name)
{
    for (size_t i = 0; i < wick_cmd_table_count; i++)
        if (!strcmp(wick_cmd_table[i].name, name))
            return &wick_cmd_table[i];
    return NULL;
}

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
    bool changes = cmd->where == WICK_CMD_CHANGE; /* what is not given is as it was */
    puts(changes ? "\nOptions (what is not given stays as it is; of those that choose what is recorded, all change if "
                   "one is given):"
                 : "\nOptions:");
    for (size_t i = 0; i < WICK_OPT_TABLE_COUNT; i++) {
        const struct wick_opt_desc *d = &wick_opt_table[i];
        char text[640];
        if (!(d->where & cmd->where))
            continue;
        fputs("  ", stdout);
        int at = 2 + print_option_name(stdout, d);
        printf("%*s", at < 28 ? 28 - at : 2, "");
        bool kept = changes && (d->where & WICK_CMD_AGENT);
        snprintf(text, sizeof text, *d->def && !kept ? "%s (default %s)" : "%s", d->help, d->def);
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
