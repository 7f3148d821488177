/* SPDX-License-Identifier: Apache-2.0 */
/*
 * started.h - what `wick start` leaves for `wick stop`: where the recording of a process goes
 *
 * The agent could keep it, but the agent is in a process that is not trusted, and a path that comes out of there must
 * not decide which file a privileged user writes. So it is kept in a directory of the user's own: /run/wick of root,
 * $XDG_RUNTIME_DIR/wick or ~/.cache/wick/started of others.
 */
#ifndef WICK_CLI_RECORD_STARTED_H
#define WICK_CLI_RECORD_STARTED_H

#include <stdbool.h>

#include "cli/record/out_file.h"
#include "sys/proc.h"

/* Remembers where p's recording goes: out, open. False if there is no directory that only this user can write to; then
 * `wick stop` has to be given the name. */
bool wick_started_keep(const struct wick_proc *p, const struct wick_cli_output *out);

/* What was kept for this very process, as an output that is not open. *fd_is_it: fd refers to the file that `start`
 * had opened. False if nothing was kept. */
bool wick_started_find(const struct wick_proc *p, int fd, struct wick_cli_output *out, bool *fd_is_it);

/* Removes what was kept for p, if anything was. */
void wick_started_forget(const struct wick_proc *p);

#endif
