/* SPDX-License-Identifier: Apache-2.0 */
/*
 * running.h - a JVM and its agent, as the commands see them that act on a recording which runs without them
 *
 * Memory:  what _begin allocates or opens, _end gives back, also after an error.
 */
#ifndef WICK_CLI_RECORD_RUNNING_H
#define WICK_CLI_RECORD_RUNNING_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "cli/jvm/target.h"
#include "client/client.h"
#include "opt/option.h"

struct wick_running {
    struct wick_opts o;
    struct wick_proc p;
    struct wick_jvm_entry jvm;
    struct wick_client *client;
    bool open; /* p is */
};

/* Parses the command line and opens the target. words: the operands behind it, with a space between them; NULL if the
 * command takes none. 0, 1 = help was printed, or an error. */
int wick_running_begin(int argc, char **argv, struct wick_running *s, struct wick_strbuf *words, struct wick_err *err);

/* Prints the error if rc is one. The command's exit status. */
int wick_running_end(struct wick_running *s, int rc, const struct wick_err *err);

/* A stopped process does not answer, which says nothing about whether it is recorded: -WICK_E_TIMEOUT. */
int wick_running_refuse_stopped(struct wick_running *s, struct wick_err *err);

/* Connects to the agent that is there; it is not loaded for a mere question. */
int wick_running_find(struct wick_running *s, struct wick_err *err);

#endif
