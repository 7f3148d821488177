/* SPDX-License-Identifier: Apache-2.0 */
/*
 * template.c - the manual page and the completions, from templates and the tables of commands and options
 *
 * `wick help --expand FILE` copies a template and replaces lines that begin with `@`:
 *
 *   @man-commands           the commands, as roff paragraphs      @man-options COMMAND   its options
 *   @man-exit               exit statuses and their causes        @man-samples           options that choose samples
 *   @version                the version, inside any line          @man-stacks            options that shape stacks
 *   @bash-commands          words                                 @bash-cases            a case branch a command
 *   @zsh-commands           quoted name:summary pairs             @zsh-cases             a case branch a command
 *   @bash-tool-cases        a case branch for each command whose options are in tool_option.def
 *   @bash-operands          a case branch for each of these that takes JVMs or commands
 *   @bash-values            a case branch for each option of option.def whose values can be offered
 *
 * Options are in two lists, those of a recording (option.def) and those of what shows one (tool_option.def); in what
 * is printed there is no difference.
 */
#include "cli/template.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/args.h"
#include "cli/command.h"
#include "cli/ui.h"

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

/* A line of text, with the lists that marks in it stand for. */
static void put_text(FILE *f, const char *text)
{
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    wick_args_expand(&sb, text, ", ");
    roff(f, sb.buf);
    fputc('\n', f);
    wick_strbuf_release(&sb);
}

static void man_commands(FILE *f)
{
    for (size_t i = 0; i < wick_cmd_table_count; i++) {
        fprintf(f, ".TP\n\\fBwick %s\\fR ", wick_cmd_table[i].name);
        roff(f, wick_cmd_table[i].operands);
        fputc('\n', f);
        roff(f, wick_cmd_table[i].summary);
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

/* Options of tool_option.def: of the commands, in the sections; each once. */
static void man_tool_options(FILE *f, unsigned commands, unsigned sections)
{
    struct wick_strbuf text = WICK_STRBUF_INIT;
    WICK_ARGS_FOR_EACH(d)
    {
        if (!(d->commands & commands) || !(d->section & sections) || !*d->help)
            continue;
        fputs(".TP\n", f);
        if (d->letter)
            fprintf(f, "\\fB\\-%c\\fR, ", d->letter);
        fputs("\\fB\\-\\-", f);
        roff(f, d->name);
        fprintf(f, "\\fR \\fI%s\\fR\n", d->metavar);
        wick_strbuf_clear(&text);
        wick_strbuf_addf(&text, "%s%s.", d->section == WICK_ARGS_LIVE ? "For a JVM. " : "", d->help);
        if (*d->def)
            wick_strbuf_addf(&text, " Default: %s.", d->def);
        if (*d->more)
            wick_strbuf_addf(&text, " %s", d->more);
        put_text(f, text.buf);
    }
    wick_strbuf_release(&text);
}

static void man_samples(FILE *f)
{
    man_tool_options(f, WICK_ARGS_FLAME, WICK_ARGS_SAMPLES);
}

static void man_stacks(FILE *f)
{
    man_tool_options(f, WICK_ARGS_FLAME, WICK_ARGS_STACKS);
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
    for (size_t i = 0; i < wick_cmd_table_count; i++)
        fprintf(f, "%s%s", i ? " " : "", wick_cmd_table[i].name);
    fputs("\"\n", f);
}

/* record) flags="..." valued="...";; */
static void bash_cases(FILE *f)
{
    for (size_t c = 0; c < wick_cmd_table_count; c++) {
        if (!wick_cmd_table[c].where)
            continue;
        fprintf(f, "    %s)", wick_cmd_table[c].name);
        for (int valued = 0; valued < 2; valued++) {
            fprintf(f, " %s=\"", valued ? "valued" : "flags");
            for (size_t i = 0; i < WICK_OPT_TABLE_COUNT; i++) {
                const struct wick_opt_desc *d = &wick_opt_table[i];
                if (!(d->where & wick_cmd_table[c].where) || (d->kind != WICK_OPT_FLAG) != valued)
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

static void bash_spellings(FILE *f, const char *name, char letter, const char *between)
{
    fprintf(f, "--%s", name);
    if (letter)
        fprintf(f, "%s-%c", between, letter);
}

/* What follows an option, whose spellings are written. */
static void bash_value(FILE *f, const char *offered)
{
    struct wick_strbuf words = WICK_STRBUF_INIT;
    wick_args_expand(&words, offered, " ");
    if (*offered == '<' && words.buf[0] == '<') /* files or directories */
        fprintf(f, ") mapfile -t COMPREPLY < <(compgen -%c -- \"$cur\")", offered[1]);
    else if (words.len)
        fprintf(f, ") mapfile -t COMPREPLY < <(compgen -W \"%s\" -- \"$cur\")", words.buf);
    else
        fputs(")", f);
    fputs(words.len ? "; return ;;\n" : " return ;;\n", f);
    wick_strbuf_release(&words);
}

/* top) own="..."; case $prev in ... esac ;; */
static void bash_tool_cases(FILE *f)
{
    for (size_t c = 0; c < wick_cmd_table_count; c++) {
        unsigned command = wick_args_command(wick_cmd_table[c].name);
        if (!command)
            continue;
        fprintf(f, "    %s)\n        own=\"", wick_cmd_table[c].name);
        WICK_ARGS_FOR_EACH(d)
        if ((d->commands & command) && *d->help) {
            bash_spellings(f, d->name, d->letter, " ");
            fputc(' ', f);
        }
        fputs("\"\n        case $prev in\n", f);
        WICK_ARGS_FOR_EACH(d)
        if ((d->commands & command) && *d->metavar) {
            fputs("        ", f);
            bash_spellings(f, d->name, d->letter, "|");
            bash_value(f, d->words);
        }
        fputs("        esac ;;\n", f);
    }
}

static void bash_values(FILE *f)
{
    for (size_t i = 0; i < WICK_OPT_TABLE_COUNT; i++) {
        const struct wick_opt_desc *d = &wick_opt_table[i];
        if (!*d->words)
            continue;
        fputs("    ", f);
        bash_spellings(f, d->name, d->letter, "|");
        bash_value(f, d->words);
    }
}

static bool takes_jvms(const struct wick_cmd *cmd)
{
    return strstr(cmd->operands, "PID");
}

static bool takes_files(const struct wick_cmd *cmd)
{
    return strstr(cmd->operands, "FILE") || strstr(cmd->operands, "DUMP");
}

/* The words of which one may follow a command, "[a|b]", with blanks between; false if its operands are something
 * else. */
static bool takes_words(const struct wick_cmd *cmd, char words[32])
{
    if (sscanf(cmd->operands, "[%31[a-z|]]", words) != 1)
        return false;
    for (char *bar; (bar = strchr(words, '|'));)
        *bar = ' ';
    return true;
}

/* Those that take files alone are what remains. */
static void bash_operands(FILE *f)
{
    for (size_t c = 0; c < wick_cmd_table_count; c++) {
        const struct wick_cmd *cmd = &wick_cmd_table[c];
        if (cmd->where)
            continue;
        char word[32];
        const char *words = takes_jvms(cmd)                    ? "$(_wick_jvms)"
                            : strstr(cmd->operands, "COMMAND") ? "$commands"
                            : takes_words(cmd, word)           ? word
                                                               : NULL;
        if (words)
            fprintf(f, "    %s) mapfile -t COMPREPLY < <(compgen %s-W \"%s\" -- \"$cur\"); return ;;\n", cmd->name,
                    takes_files(cmd) ? "-f " : "", words);
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
    for (size_t i = 0; i < wick_cmd_table_count; i++) {
        fprintf(f, "    '%s:", wick_cmd_table[i].name);
        zsh_text(f, wick_cmd_table[i].summary);
        fputs("'\n", f);
    }
}

/* An option as zsh's _arguments takes it, in both spellings. */
struct zsh_option {
    const char *name, *metavar, *help, *action;
    char letter;
    bool again; /* may be given several times */
};

static void zsh_option(FILE *f, const struct zsh_option *o)
{
    for (int form = 0; form < (o->letter ? 2 : 1); form++) {
        fprintf(f, form ? " \\\n            '%s-%s" : " \\\n            '%s--%s", o->again ? "*" : "",
                form ? (char[]){o->letter, 0} : o->name);
        fputs(*o->metavar ? form ? "+[" : "=[" : "[", f);
        zsh_text(f, o->help);
        fputs("]", f);
        if (*o->metavar) {
            fputs(":", f);
            zsh_text(f, o->metavar);
            fprintf(f, ":%s", o->action);
        }
        fputs("'", f);
    }
}

/* What offers these words. A bare colon would end the action. */
static void zsh_action(struct wick_strbuf *out, const char *words)
{
    struct wick_strbuf list = WICK_STRBUF_INIT;
    wick_strbuf_clear(out);
    if (!strcmp(words, "<files>"))
        wick_strbuf_adds(out, "_files");
    else if (!strcmp(words, "<dirs>"))
        wick_strbuf_adds(out, "_files -/");
    else if (*words) {
        wick_args_expand(&list, words, " ");
        wick_strbuf_addc(out, '(');
        for (const char *s = list.buf; *s; s++)
            wick_strbuf_addf(out, *s == ':' ? "\\%c" : "%c", *s);
        wick_strbuf_addc(out, ')');
    }
    wick_strbuf_release(&list);
}

static void zsh_record_options(FILE *f, unsigned where)
{
    struct wick_strbuf action = WICK_STRBUF_INIT;
    for (size_t i = 0; i < WICK_OPT_TABLE_COUNT; i++) {
        const struct wick_opt_desc *d = &wick_opt_table[i];
        if (!(d->where & where))
            continue;
        zsh_action(&action, d->words);
        zsh_option(
            f, &(struct zsh_option){
                   .name = d->name, .metavar = d->metavar, .help = d->help, .action = action.buf, .letter = d->letter});
    }
    wick_strbuf_release(&action);
}

static void zsh_tool_options(FILE *f, unsigned command)
{
    struct wick_strbuf help = WICK_STRBUF_INIT, action = WICK_STRBUF_INIT;
    WICK_ARGS_FOR_EACH(d)
    {
        if (!(d->commands & command) || !*d->help)
            continue;
        wick_strbuf_clear(&help);
        wick_args_expand(&help, d->help, ", ");
        zsh_action(&action, d->words);
        zsh_option(f, &(struct zsh_option){.name = d->name,
                                           .metavar = d->metavar,
                                           .help = help.buf,
                                           .action = action.buf,
                                           .letter = d->letter,
                                           .again = d->section != WICK_ARGS_OPTIONS});
    }
    wick_strbuf_release(&help);
    wick_strbuf_release(&action);
}

/* What its operands are: recordings, JVMs or either. */
static const char *zsh_operands(const struct wick_cmd *cmd)
{
    bool jvm = takes_jvms(cmd), file = takes_files(cmd);
    return !*cmd->operands ? ""
           : jvm && file   ? "'*:JVM or recording:_wick_jvms_or_files'"
           : jvm           ? "'*:JVM:_wick_jvms'"
                           : "'*:recording:_files'";
}

static void zsh_cases(FILE *f)
{
    for (size_t c = 0; c < wick_cmd_table_count; c++) {
        const struct wick_cmd *cmd = &wick_cmd_table[c];
        unsigned command = wick_args_command(cmd->name);
        if (!cmd->where && !command)
            continue;
        fprintf(f, "        %s) _arguments -s", cmd->name);
        zsh_record_options(f, cmd->where);
        zsh_tool_options(f, command);
        char word[32];
        if (takes_words(cmd, word))
            fprintf(f, " \\\n            '1:what:(%s)' ;;\n", word);
        else
            fprintf(f, " \\\n            %s ;;\n", zsh_operands(cmd));
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
    } simple[] = {
        {"@man-commands", man_commands},       {"@man-exit", man_exit},           {"@man-samples", man_samples},
        {"@man-stacks", man_stacks},           {"@bash-commands", bash_commands}, {"@bash-cases", bash_cases},
        {"@bash-tool-cases", bash_tool_cases}, {"@bash-values", bash_values},     {"@bash-operands", bash_operands},
        {"@zsh-commands", zsh_commands},       {"@zsh-cases", zsh_cases}};
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
            man_tool_options(f, wick_args_command(name), WICK_ARGS_OPTIONS | WICK_ARGS_LIVE);
            return;
        }
    }
    put_line(f, line);
}

int wick_template_expand(const char *path)
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
