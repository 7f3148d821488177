/* SPDX-License-Identifier: Apache-2.0 */
/*
 * started.h - what `wick start` leaves for `wick stop`: where the recording of a process goes
 *
 * The agent could keep it, but the agent is in a process that is not trusted, and a path that comes out of there must
 * not decide which file a privileged user writes. So it is kept in a directory of the user's own: /run/wick of root,
 * $XDG_RUNTIME_DIR/wick or ~/.cache/wick/started of others.
 */
#ifndef WICK_CLIENT_STARTED_H
#define WICK_CLIENT_STARTED_H

#include <stdbool.h>

#include "opt/option.h"
#include "sys/proc.h"

/* Where a recording goes, and what is made of it at its end. */
struct wick_started {
    char path[WICK_OPT_PATH_MAX]; /* absolute */
    char format[16];
    char title[WICK_OPT_STR_MAX];
    bool threads, compat;
    bool sequence; /* several files; path is their pattern */
};

/* Remembers where p's recording goes; fd: the file that is open for it, -1 = none. False if there is no directory that
 * only this user can write to; then `wick stop` has to be given the name. */
bool wick_started_keep(const struct wick_proc *p, const struct wick_started *s, int fd);

/* What was kept for this very process. *fd_is_it: fd refers to the file that was open. False if nothing was kept. */
bool wick_started_find(const struct wick_proc *p, int fd, struct wick_started *s, bool *fd_is_it);

/* Removes what was kept for p, if anything was. */
void wick_started_forget(const struct wick_proc *p);

#endif
