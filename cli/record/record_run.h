/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_run.h - one recording from start to end, as `wick record` makes it
 *
 * While it runs four things may happen at any time: an answer from the agent, a question to the perf broker, a signal
 * from the user, the end of the process. One poll loop serves them all, also while an answer is awaited, because the
 * agent may need the broker before it can answer.
 *
 * Threads: one. Blocks SIGINT, SIGTERM and SIGHUP from init to release.
 * Memory:  descriptors only.
 */
#ifndef WICK_CLI_RECORD_RECORD_RUN_H
#define WICK_CLI_RECORD_RECORD_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/record/out_file.h"
#include "client/client.h"
#include "client/rotation.h"

struct wick_recording {
    struct wick_client *client;
    const struct wick_proc *proc; /* for the broker; NULL = no broker */
    int broker;                   /* our end of its socket pair, -1 = none */
    int broker_peer;              /* the agent's end until it is sent */
    struct wick_rotation *files;  /* made of what the broker's other end says is complete; borrowed, NULL = none */
    int signals;                  /* signalfd */
    int child;                    /* pidfd of a command we started, -1 = none */
    int last_signal;
    unsigned stops;          /* signals received that ask for an end */
    bool silent;             /* a question has no answer yet */
    bool child_ended, ended; /* ended: the recording is over although we did not stop it */
    uint64_t started_ns;
    char warned[256]; /* what the agent said last of a recording that is not whole */
};

/* Sets up a recording of proc (NULL = open no perf events for it) through a client, both borrowed. From now
 * on SIGINT, SIGTERM and SIGHUP are blocked and end the recording. 0 or -WICK_E_IO with a message; _release closes. */
int wick_recording_init(struct wick_recording *r, struct wick_client *client, const struct wick_proc *proc,
                        struct wick_err *err);
void wick_recording_release(struct wick_recording *r);

/* Sends the start request with the output's descriptor, the broker and the options. Does not wait. A sequence that is
 * not taken (r->files) needs a target that is this user's and has our root directory: -WICK_E_UNSUPPORTED otherwise. */
int wick_recording_send_start(struct wick_recording *r, const struct wick_opts *o, const struct wick_cli_output *out,
                              struct wick_err *err);

/* True if the files of a sequence may be made by process p itself: it is this user's, and a path means the same to it.
 */
bool wick_recording_may_write(const struct wick_proc *p);

/* Before out is opened: what process p may be handed of one file. Root of another container could make a program of one
 * that stays, owned by the host's root and of any mode: it gets another one (out->apart). A process that is not this
 * user's gets no file that was there before (out->fresh). */
void wick_recording_guard(const struct wick_proc *p, struct wick_cli_output *out);

/* Waits for the agent's answer to a request and shows the notes in it. deadline_ns 0 = as long as the child lives. A
 * signal ends the wait: -WICK_E_INTR. */
int wick_recording_await(struct wick_recording *r, uint64_t deadline_ns, struct wick_err *err);

/* Prints what an answer of the agent notes, a line each. */
void wick_recording_show_notes(const char *text);

/* Records until the deadline (UINT64_MAX = none), a signal, the end of the recording or of the process. 0;
 * -WICK_E_GONE if the process ended, -WICK_E_NOSPACE and others if the recording broke off. */
int wick_recording_run(struct wick_recording *r, uint64_t deadline_ns, struct wick_err *err);

/* Ends the recording and waits until its file is whole. */
int wick_recording_stop(struct wick_recording *r, struct wick_err *err);

/* Waits for the child's end and returns its exit status as a shell would (128 + signal). */
int wick_recording_wait_child(struct wick_recording *r, int pid);

#endif
