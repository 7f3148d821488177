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
#include "base/sum.h"
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
    for (size_t i = 0; i < wick_cmds_count && strlen(word) <= LONGEST; i++) {
        unsigned d = distance(word, wick_cmds[i].name);
        if (d < least && d < strlen(wick_cmds[i].name) - 1) {
            least = d;
            best = wick_cmds[i].name;
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
    int status = finish(argc > 1 ? cmd->run(argc - 1, argv + 1) : cmd->run(1, argv));
    if (wick_sum_was_exceeded())
        wick_ui_note(
            "warning: a sum is too large for 64 bits: where a figure is the largest possible, the true one is larger");
    return argc > 1 ? status : wick_err_exit(WICK_E_USAGE);
}
