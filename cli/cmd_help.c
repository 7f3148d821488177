/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wick help, --help of every command, and the generator of the manual page and the completions. All of them are prints
 * of two tables: def/command.def and def/option.def.
 *
 * `wick help --expand FILE` copies a template and replaces lines that begin with `@`:
 *
 *   @man-commands           the commands, as roff paragraphs      @man-options COMMAND   its options
 *   @man-exit               exit statuses and their causes        @version               the version, inside any line
 *   @bash-commands          words                                 @bash-cases            a case branch a command
 *   @zsh-commands           quoted name:summary pairs             @zsh-cases             a case branch a command
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/replace.h"
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

/* --- templates ---------------------------------------------------------------------------------------------------- */

/* Text for roff: backslashes and leading dots are escaped, dashes are minus signs. */
static void roff(FILE *f, const char *s)
{
    if (*s == '.' || *s == '\'')
        fputs("\\&", f);
    for (; *s; s++) {
        if (*s == '\\')
            fputs("\\e", f);
        else if (*s == '-')
            fputs("\\-", f);
        else
            fputc(*s, f);
    }
}

static void man_commands(FILE *f)
{
    for (size_t i = 0; i < wick_cmds_count; i++) {
        fprintf(f, ".TP\n\\fBwick %s\\fR ", wick_cmds[i].name);
        roff(f, wick_cmds[i].operands);
        fputc('\n', f);
        roff(f, wick_cmds[i].summary);
        fputs(".\n", f);
    }
}

static void man_options(FILE *f, unsigned where)
{
    for (size_t i = 0; i < WICK_OPT_TABLE_COUNT; i++) {
        const struct wick_opt_desc *d = &wick_opt_table[i];
        if (!(d->where & where))
            continue;
        fputs(".TP\n", f);
        if (d->letter)
            fprintf(f, "\\fB\\-%c\\fR, ", d->letter);
        fputs("\\fB\\-\\-", f);
        roff(f, d->name);
        fprintf(f, "\\fR \\fI%s\\fR\n", d->metavar);
        roff(f, d->help);
        fputs(".\n", f);
        if (*d->def)
            fprintf(f, "Default: %s.\n", d->def);
    }
}

static void man_exit(FILE *f)
{
    static const struct {
        int status;
        const char *text;
    } classes[] = {
#define X(name, exit_code, text) {exit_code, text},
#include "def/err.def"
#undef X
    };
    fputs(".TP\n\\fB0\\fR\nsuccess\n", f);
    for (int status = 1; status < 256; status++) {
        int n = 0;
        for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
            if (classes[i].status == status)
                n += fprintf(f, n ? "; %s" : ".TP\n\\fB%2$d\\fR\n%1$s", classes[i].text, status);
        if (n)
            fputc('\n', f);
    }
}

static void bash_commands(FILE *f)
{
    fputs("    local commands=\"", f);
    for (size_t i = 0; i < wick_cmds_count; i++)
        fprintf(f, "%s%s", i ? " " : "", wick_cmds[i].name);
    fputs("\"\n", f);
}

/* record) flags="..." valued="...";; */
static void bash_cases(FILE *f)
{
    for (size_t c = 0; c < wick_cmds_count; c++) {
        if (!wick_cmds[c].where)
            continue;
        fprintf(f, "    %s)", wick_cmds[c].name);
        for (int valued = 0; valued < 2; valued++) {
            fprintf(f, " %s=\"", valued ? "valued" : "flags");
            for (size_t i = 0; i < WICK_OPT_TABLE_COUNT; i++) {
                const struct wick_opt_desc *d = &wick_opt_table[i];
                if (!(d->where & wick_cmds[c].where) || (d->kind != WICK_OPT_FLAG) != valued)
                    continue;
                fprintf(f, " --%s", d->name);
                if (d->letter)
                    fprintf(f, " -%c", d->letter);
            }
            fputs("\"", f);
        }
        fputs(" ;;\n", f);
    }
}

/* Inside single quotes of zsh's _arguments: quotes, colons and brackets are special. */
static void zsh_text(FILE *f, const char *s)
{
    for (; *s; s++) {
        if (*s == '\'')
            fputs("'\\''", f);
        else if (strchr("[]:\\", *s))
            fprintf(f, "\\%c", *s);
        else
            fputc(*s, f);
    }
}

static void zsh_commands(FILE *f)
{
    for (size_t i = 0; i < wick_cmds_count; i++) {
        fprintf(f, "    '%s:", wick_cmds[i].name);
        zsh_text(f, wick_cmds[i].summary);
        fputs("'\n", f);
    }
}

static void zsh_option(FILE *f, const struct wick_opt_desc *d)
{
    for (int form = 0; form < (d->letter ? 2 : 1); form++) {
        fputs(" \\\n            ", f);
        fprintf(f, form ? "'-%s" : "'--%s", form ? (char[]){d->letter, 0} : d->name);
        fputs(*d->metavar ? form ? "+[" : "=[" : "[", f);
        zsh_text(f, d->help);
        fputs("]", f);
        if (*d->metavar) {
            fputs(":", f);
            zsh_text(f, d->metavar);
            fputs(d->kind == WICK_OPT_PATH ? ":_files" : ":", f);
        }
        fputs("'", f);
    }
}

static void zsh_cases(FILE *f)
{
    for (size_t c = 0; c < wick_cmds_count; c++) {
        const struct wick_cmd *cmd = &wick_cmds[c];
        if (!cmd->where)
            continue;
        fprintf(f, "        %s) _arguments -s", cmd->name);
        for (size_t i = 0; i < WICK_OPT_TABLE_COUNT; i++)
            if (wick_opt_table[i].where & cmd->where)
                zsh_option(f, &wick_opt_table[i]);
        fputs(*cmd->operands ? " \\\n            '*:JVM:_wick_jvms' ;;\n" : " ;;\n", f);
    }
}

static void put_line(FILE *f, const char *line)
{
    static const char mark[] = "@version";
    const char *hit;
    while ((hit = strstr(line, mark))) {
        fprintf(f, "%.*s%s", (int)(hit - line), line, WICK_VERSION);
        line = hit + sizeof mark - 1;
    }
    fputs(line, f);
}

static void expand_line(FILE *f, char *line)
{
    static const struct {
        const char *name;
        void (*print)(FILE *);
    } simple[] = {{"@man-commands", man_commands}, {"@man-exit", man_exit},         {"@bash-commands", bash_commands},
                  {"@bash-cases", bash_cases},     {"@zsh-commands", zsh_commands}, {"@zsh-cases", zsh_cases}};
    char word[64], name[64] = "";
    int words = sscanf(line, "%63s %63s", word, name);
    if (words >= 1 && line[0] == '@') {
        for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
            if (!strcmp(word, simple[i].name)) {
                simple[i].print(f);
                return;
            }
        const struct wick_cmd *cmd = strcmp(word, "@man-options") ? NULL : wick_cmd_find(name);
        if (cmd) {
            man_options(f, cmd->where);
            return;
        }
    }
    put_line(f, line);
}

static int expand(const char *path)
{
    struct wick_err err;
    char *line = NULL;
    size_t cap = 0;
    FILE *f = fopen(path, "re");
    if (!f) {
        wick_err_set(&err, WICK_E_NOTFOUND, "cannot open %s: %s", path, strerror(errno));
        return wick_ui_fail(&err);
    }
    while (getline(&line, &cap, f) > 0)
        expand_line(stdout, line);
    free(line);
    fclose(f);
    return 0;
}

int wick_cmd_help(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "--expand"))
        return expand(argv[2]);
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
