/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.h - the boundary between the agent's front end (onload, control) and what records
 *
 * The front end parses options, talks to the CLI and decides when; the functions below do the work. There is at most
 * one recording at a time in a process.
 *
 * Threads: the front end calls start, vm_ready, stop, dump and status one at a time (it holds a lock), mostly from the
 *          thread "wick-control", which is not attached to the JVM and has every signal blocked; start also from
 *          Agent_OnLoad's thread, vm_ready from the one that initialises the VM, and stop from Agent_OnUnload's.
 *          wick_session_running is called from any thread, also while another call is under way.
 * Memory:  see each function. No function here may print, exit or throw into Java.
 */
#ifndef WICK_AGENT_SESSION_H
#define WICK_AGENT_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include <jni.h>

#include "base/err.h"
#include "opt/option.h"

/* What the front end does when the VM is initialised and when it goes down, in a Java thread. */
struct wick_agent_front {
    void (*vm_ready)(void);
    void (*vm_death)(void);
};

/* Prepares what every recording needs (JVMTI, the reading of HotSpot's tables). Called once, from Agent_OnLoad (the VM
 * is not up yet) or Agent_OnAttach, before the first start; front must stay. An error is kept and answered to every
 * start. */
int wick_agent_init(JavaVM *vm, const struct wick_agent_front *front, struct wick_err *err);

/* Starts a recording. out_fd: where the JFR goes, opened for reading and writing, or -1: it is split into files named
 * by the pattern o->file (wick_opt_fix), which are made here. On success the descriptor belongs to the session, on
 * failure it stays the caller's. err->msg may hold notes also on success (err->code 0): one sentence a line for the
 * user, such as "perf events are not permitted: CPU timers are used, kernel frames are missing". Errors: -WICK_E_STATE
 * if one is running, and others with a sentence. */
int wick_session_start(const struct wick_session_opts *o, int out_fd, struct wick_err *err);

/* The same behind what fd holds, a recording of this process that has ended; times: how often that was done to it, from
 * 1 on. */
int wick_session_resume(const struct wick_session_opts *o, int fd, unsigned times, struct wick_err *err);

/* The same in one file out of which the CLI takes each chunk when it ends (wick_perf_broker_take). */
int wick_session_start_taken(const struct wick_session_opts *o, int fd, struct wick_err *err);

/* The VM is up: begins the recording that was started before, if there is one. What hinders it is said on stderr and
 * kept for the status. */
void wick_session_vm_ready(void);

/* Goes on with what was asked to change (wick_opt_change) behind what has been recorded, in the same file: what lies
 * between, some hundredths of a second, is not sampled. If that is not possible the recording goes on as it was.
 * -WICK_E_STATE if none is running, -WICK_E_UNSUPPORTED if it is split into files, others as for a start. err->msg as
 * there. */
int wick_session_change(const struct wick_opts *asked, struct wick_err *err);

/* A sentence for each of the options `given` (WICK_OPT_BIT) that has no effect in the recording that runs, because what
 * takes it does not run. */
void wick_session_unused(uint64_t given, void (*note)(void *arg, const char *sentence), void *arg);

/* Notes a moment in the recording. -WICK_E_STATE if none is running. */
int wick_session_mark(const char *text, struct wick_err *err);

/* Ends the recording and completes the file; the descriptors are closed. -WICK_E_STATE if none is running;
 * -WICK_E_NOSPACE and others if the file is not whole (the recording has ended anyway). */
int wick_session_stop(struct wick_err *err);

/* Writes what has been recorded so far, as whole JFR chunks, to out_fd (borrowed), without ending the recording.
 * -1: nowhere but to the recording itself. */
int wick_session_dump(int out_fd, struct wick_err *err);

/* Describes the recording in lines "key=value\n", cut at cap, always terminated. Keys that the CLI shows: running
 * (0/1), samples, dropped, bytes (of JFR written), elapsed_ns, engine (perf, timer, itimer), event, interval_ns, file,
 * error (a sentence: the recording ended without a command, and why). Others may follow. */
void wick_session_status(char *buf, size_t cap);

/* True from a successful start to the end of the recording, however it ended. */
bool wick_session_running(void);

#endif
