/* SPDX-License-Identifier: Apache-2.0 */
/*
 * look.h - a short recording that a command analyses itself: `wick top PID` and similar ones
 *
 * Threads: the command's one.
 * Memory:  the recording is in memory and gone afterwards.
 */
#ifndef WICK_CLI_RECORD_LOOK_H
#define WICK_CLI_RECORD_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "cli/args.h"
#include "client/client.h"

/* An option of `wick record`; without a value it is left out. */
struct wick_look_option {
    const char *flag, *value;
};

/* Shows the recordings. 0 or -WICK_E_* with a sentence. */
typedef int wick_look_show(void *arg, char *const *paths, int n, struct wick_err *err);

/* An option that such a command takes itself. */
struct wick_look_flag {
    enum wick_arg arg;
    enum { WICK_LOOK_SWITCH, WICK_LOOK_NUMBER, WICK_LOOK_TEXT } kind;
    void *value; /* bool, uint32_t, const char * */
};

/* Parses the options of the command argv[0], --help among them, which prints `usage` first; the words begin at optind
 * then. -1 = go on, otherwise the exit status. */
int wick_look_parse(const char *usage, const struct wick_look_flag *flags, size_t n, int argc, char **argv);

/* A command whose operands are recordings, or one JVM to record. */
struct wick_look_command {
    const char *name; /* of the command */
    wick_look_show *show;
    void *arg;
    const struct wick_look_option *options; /* for a JVM, of the recording to make */
    size_t noptions;
    /* In place of the first ones, if the JVM cannot record what these ask for; NULL = there are none. */
    const struct wick_look_option *fallback; /* as many; taken if the options are refused */
    int first_jdk;                           /* before which the fallback is taken at once; 0 = for none */
    /* A JVM was recorded, and the agent is still there to be asked; before show. NULL = nothing to ask. */
    void (*ask)(void *arg, struct wick_client *client);
    const char *live_names; /* options given that are for a JVM only, as the user knows them; NULL = none was given */
};

/* Whether the words mean a JVM. */
bool wick_look_is_jvm(char *const *words, int n);

/* Shows the recordings that n words name, or records the JVM that the only word means and shows that. 0 or -WICK_E_*
 * with a sentence; *pid as above, 0 for recordings. */
int wick_look_at_words(const struct wick_look_command *c, char *const *words, int n, int *pid, struct wick_err *err);

#endif
