/* SPDX-License-Identifier: Apache-2.0 */
/*
 * args.h - the command lines of the commands that show or convert, parsed from one list (def/tool_option.def)
 *
 * A command loops over its options and switches over enum wick_arg:
 *
 *     wick_args_start(WICK_ARGS_TOP);
 *     while ((arg = wick_args_next(argc, argv)) != WICK_ARG_END)
 *         switch (arg) ...                       optarg is the value
 *
 * and prints wick_args_help() below what it says of itself. Which options there are, their letters, whether they take
 * a value, and what help, manual and completions say of them is in the list alone.
 *
 * Threads: one, as getopt's.
 * Memory:  static.
 */
#ifndef WICK_CLI_ARGS_H
#define WICK_CLI_ARGS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/strbuf.h"

enum wick_arg {
    WICK_ARG_END = -1,
    WICK_ARG_UNKNOWN = '?', /* getopt has complained */
    WICK_ARG_FIRST = 256,
    WICK_ARG_BEFORE_FIRST = WICK_ARG_FIRST - 1,
#define X(id, ...) WICK_ARG_##id,
#include "def/tool_option.def"
#undef X
    WICK_ARG_LIMIT
};

/* Who takes an option: a bit for each command. */
enum wick_args_command {
    WICK_ARGS_TOP = 1 << 0,
    WICK_ARGS_ENDPOINTS = 1 << 1,
    WICK_ARGS_TRACE = 1 << 2,
    WICK_ARGS_EXPLAIN = 1 << 3,
    WICK_ARGS_LOCKS = 1 << 4,
    WICK_ARGS_TTSP = 1 << 5,
    WICK_ARGS_MEMORY = 1 << 6,
    WICK_ARGS_FLAME = 1 << 7,
    WICK_ARGS_HEATMAP = 1 << 8,
    WICK_ARGS_CONVERT = 1 << 9,
    WICK_ARGS_DIFF = 1 << 10,
    WICK_ARGS_STACK = 1 << 11,
    WICK_ARGS_MAP = 1 << 12,
    WICK_ARGS_HEAP = 1 << 13,
    WICK_ARGS_HOST = 1 << 14,
    WICK_ARGS_UI = 1 << 15,
};

enum wick_args_section {
    WICK_ARGS_OPTIONS = 1 << 0,
    WICK_ARGS_SAMPLES = 1 << 1,
    WICK_ARGS_STACKS = 1 << 2,
    WICK_ARGS_LIVE = 1 << 3,
};

struct wick_arg_desc {
    const char *name, *metavar, *words, *def, *help, *more;
    unsigned commands, section;
    char letter;
};

/* wick_arg_table[arg - WICK_ARG_FIRST] */
extern const struct wick_arg_desc wick_arg_table[WICK_ARG_LIMIT - WICK_ARG_FIRST];

#define WICK_ARGS_FOR_EACH(d)                            \
    for (const struct wick_arg_desc *d = wick_arg_table; \
         d < wick_arg_table + sizeof wick_arg_table / sizeof *wick_arg_table; d++)

/* The bit of a command by its name, 0 if it takes its options elsewhere. */
unsigned wick_args_command(const char *name);

/* Starts anew with the options of one command. */
void wick_args_start(unsigned command);

/* The next option: enum wick_arg. --force is taken care of and not returned. */
int wick_args_next(int argc, char **argv);

/* "--rows" of an option, for messages. */
const char *wick_args_name(int arg);

/* What counts where an option is not given, as text and as a number. */
const char *wick_args_default(int arg);
uint32_t wick_args_default_number(int arg);

/* Prints the options of a command as --help does, section by section. */
void wick_args_help(unsigned command, FILE *f);

/* Appends text, with `separator` between the words that <kinds>, <keys>, <formats>, <events>, <host-words> and
 * <host-events> in it stand for. */
void wick_args_expand(struct wick_strbuf *out, const char *text, const char *separator);

#endif
