/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command.h - the table of commands and what they share
 *
 * A command is one function in one file and one line in def/command.def.
 */
#ifndef WICK_CLI_COMMAND_H
#define WICK_CLI_COMMAND_H

#include <stddef.h>

#include "base/err.h"
#include "opt/option.h"

struct wick_cmd {
    const char *name, *operands, *summary;
    unsigned where; /* WICK_CMD_*; 0 = it parses its own options */
};

#define X(name, where, operands, summary) int wick_cmd_##name(int argc, char **argv);
#include "def/command.def"
#undef X

extern const struct wick_cmd wick_cmd_table[];
extern const size_t wick_cmd_table_count;

/* NULL if there is none of this name. */
const struct wick_cmd *wick_cmd_find(const char *name);

/* Parses a command's options into o (filled with defaults first) and its operands into rest[argc]. Returns 0 to go on,
 * 1 if --help was printed (exit 0), or an error. */
int wick_cmd_parse(int argc, char **argv, struct wick_opts *o, char **rest, int *nrest, int *dashdash,
                   struct wick_err *err);

/* Prints the help of one command to stdout. */
void wick_cmd_print_help(const struct wick_cmd *cmd);

#endif
