/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stop_convert.h - a recording for which the agent's own option string asks for another format than JFR
 *
 * `file=profile.html` is recorded to profile.html.jfr. At the end the command `wick`, searched for beside the library,
 * writes the requested file and the recording is removed. If there is no command, or it fails, the recording stays.
 *
 * Threads: one at a time (the front end's lock).
 * Memory:  static: 256 KiB for stacks.
 */
#ifndef WICK_AGENT_STOP_CONVERT_H
#define WICK_AGENT_STOP_CONVERT_H

#include <stdbool.h>

#include "base/err.h"
#include "opt/option.h"

struct wick_convert {
    char file[WICK_OPT_PATH_MAX];          /* what was asked for; "" = nothing is to be converted */
    char recording[WICK_OPT_PATH_MAX + 8]; /* where the recording is */
    bool threads;
    bool compat;     /* it stays a recording, for readers that count (wick convert --compat) */
    bool no_command; /* found at the start */
};

/* True if the name ends as that of a format other than JFR that `wick convert` writes. */
bool wick_stop_convert_is_wanted(const char *file);

/* Makes a new file for the recording beside `file` and returns its descriptor, open for reading and writing; or
 * -WICK_E_PERM, -WICK_E_NOSPACE, -WICK_E_IO, -WICK_E_LIMIT with a sentence. */
int wick_stop_convert_begin(struct wick_convert *c, const char *file, bool threads, bool compat, struct wick_err *err);

/* Nothing was recorded: removes the recording. Does nothing if nothing is to be converted. */
void wick_stop_convert_cancel(struct wick_convert *c);

/* The recording is complete: makes the file that was asked for. Waits for the command, a minute at most. On failure the
 * recording stays and err has a sentence that names it. Does nothing if nothing is to be converted. */
int wick_stop_convert_finish(struct wick_convert *c, struct wick_err *err);

#endif
