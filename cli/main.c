/* SPDX-License-Identifier: Apache-2.0 */
/* `wick`: finds the command in the table and runs it; `wick help`. */
#include <errno.h>
#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "base/sum.h"
#include "cli/template.h"
#include "cli/ui.h"

/* By the command's place in the table. */
static int (*const runs[])(int argc, char **argv) = {
#define X(cmd, opts, ops, text) wick_cmd_##cmd,
#include "def/command.def"
#undef X
};

static int run(const struct wick_cmd *cmd, int argc, char **argv)
{
    return runs[cmd - wick_cmd_table](argc, argv);
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
    if (cmd && !cmd->where && strcmp(cmd->name, "help"))
        return run(cmd, 2, (char *[]){argv[1], "--help", NULL});
    if (cmd) {
        wick_cmd_print_help(cmd);
        return 0;
    }
    puts("wick: a profiler for the JVM\n\nUsage: wick COMMAND [OPTION...] [OPERAND...]\n\nCommands:");
    for (size_t i = 0; i < wick_cmd_table_count; i++)
        printf("  %-9s  %-23s  %s\n", wick_cmd_table[i].name, wick_cmd_table[i].operands, wick_cmd_table[i].summary);
    puts("\n`wick help COMMAND` lists a command's options. To start: wick ps; wick record -d 10 NAME");
    return 0;
}

enum { LONGEST = 24 };

/* How many letters must be put in, left out, replaced or swapped with the next one to make one word of the other. */
static unsigned distance(const char *a, const char *b)
{
    unsigned rows[3][LONGEST + 1], *last = rows[0], *row = rows[1], *before = rows[2], n = (unsigned)strlen(b);
    for (unsigned k = 0; k <= n; k++)
        last[k] = k;
    for (unsigned i = 1; a[i - 1]; i++) {
        row[0] = i;
        for (unsigned k = 1; k <= n; k++) {
            unsigned least = last[k - 1] + (a[i - 1] != b[k - 1]);
            least = last[k] + 1 < least ? last[k] + 1 : least;
            least = row[k - 1] + 1 < least ? row[k - 1] + 1 : least;
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1] && before[k - 2] + 1 < least)
                least = before[k - 2] + 1;
            row[k] = least;
        }
        unsigned *free_row = before;
        before = last;
        last = row;
        row = free_row;
    }
    return last[n];
}

/* The command that was meant by a word that is none, NULL if it resembles none. */
static const char *nearest(const char *word)
{
    const char *best = NULL;
    unsigned least = 3;
    for (size_t i = 0; i < wick_cmd_table_count && strlen(word) <= LONGEST; i++) {
        unsigned d = distance(word, wick_cmd_table[i].name);
        if (d < least && d < strlen(wick_cmd_table[i].name) - 1) {
            least = d;
            best = wick_cmd_table[i].name;
        }
    }
    return best;
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
        const char *near = nearest(name);
        wick_err_set(&err, WICK_E_USAGE, "there is no command '%.60s'%s%s%s: `wick help` lists them", name,
                     near ? " (did you mean `wick " : "", near ? near : "", near ? "`?)" : "");
        return wick_ui_fail(&err);
    }
    if (argc > 1)
        argv[1] = (char *)(uintptr_t)cmd->name; /* commands look themselves up by it: --version is `version` */
    int status = finish(argc > 1 ? run(cmd, argc - 1, argv + 1) : run(cmd, 1, argv));
    if (wick_sum_was_exceeded())
        wick_ui_note(
            "warning: a sum is too large for 64 bits: where a figure is the largest possible, the true one is larger");
    return argc > 1 ? status : wick_err_exit(WICK_E_USAGE);
}
