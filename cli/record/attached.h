/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attached.h - recording a JVM that runs already: find it, load the agent, record, end
 *
 * The steps are separate because commands do their own work between them: what can go wrong on our side should do so
 * before the JVM is touched.
 *
 * Memory:  everything is given back by wick_attached_close.
 */
#ifndef WICK_CLI_RECORD_ATTACHED_H
#define WICK_CLI_RECORD_ATTACHED_H

#include <stdbool.h>

#include "cli/record/out_file.h"
#include "client/client.h"
#include "sys/jvmlist.h"

struct wick_attached {
    struct wick_proc proc;
    struct wick_jvm_entry jvm;
    struct wick_client *client; /* NULL before wick_attached_attach */
};

/* Finds the JVM that the user named (cli/jvm/target.h). Nothing to close on failure. */
int wick_attached_open(struct wick_attached *l, const char *word, struct wick_err *err);

/* Loads the agent or finds it there. -WICK_E_STATE if a recording is running. */
int wick_attached_attach(struct wick_attached *l, const struct wick_opts *o, struct wick_err *err);

/* Records into out, which is open, for o's duration or until a signal. *started: there may be something in out, also
 * after an error. */
int wick_attached_record(struct wick_attached *l, const struct wick_opts *o, const struct wick_cli_output *out,
                         bool *started, struct wick_err *err);

/* Ends the connection; a recording that still runs on it ends with it. */
void wick_attached_close(struct wick_attached *l);

/* A moment from now on the monotonic clock, UINT64_MAX = never. */
uint64_t wick_attached_deadline(uint64_t duration_ns);

#endif
