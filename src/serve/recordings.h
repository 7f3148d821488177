/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recordings.h - recordings that are started in the browser
 *
 * Each is a `wick record` of its own: the same program with the same options, so it does, refuses and says what that
 * does, and a JVM that does not answer holds up nothing else. It ends with this process, however that ends.
 *
 * Threads: any; one lock of its own. A thread waits for each recording, because a child whose parent thread has ended
 *          would also be ended.
 * Memory:  some hundred bytes for each recording, kept until wick_serve_recorder_release.
 */
#ifndef WICK_SERVE_RECORDINGS_H
#define WICK_SERVE_RECORDINGS_H

#include <pthread.h>
#include <stdbool.h>

#include "base/err.h"
#include "serve/ask.h"

enum { WICK_SERVE_RECORDINGS = 8 }; /* at once */

struct wick_serve_recording;

struct wick_serve_recorder {
    const char *dir; /* absolute; where the files go */
    const char *lib; /* --lib, or NULL */
    pthread_mutex_t lock;
    pthread_cond_t ended;
    struct wick_serve_recording **recordings; /* their numbers are from 1 on */
    unsigned n;
    bool ending; /* with the lock: wick ui is being ended */
};

/* dir and lib are borrowed. */
void wick_serve_recorder_init(struct wick_serve_recorder *r, const char *dir, const char *lib);

/* Asks all recordings to end; those that begin are no longer waited for. */
void wick_serve_recorder_end(struct wick_serve_recorder *r);

/* Ends all recordings and waits for them. */
void wick_serve_recorder_release(struct wick_serve_recorder *r);

/* Starts a recording as a request's body says, and waits until something is recorded: the file (malloc'ed), the JVM's
 * process and the number of the recording. -WICK_E_USAGE, or what `wick record` failed with. */
int wick_serve_record(struct wick_serve_recorder *r, const struct wick_ask *body, char **path, int *pid,
                      unsigned *number, struct wick_err *err);

/* Ends a recording and waits until its file is complete. -WICK_E_STATE if it has already ended, _TIMEOUT. */
int wick_serve_record_stop(struct wick_serve_recorder *r, unsigned number, struct wick_err *err);

/* It goes on with other events or intervals, or a moment is marked in it. -WICK_E_STATE if it has ended, or what the
 * command failed with. */
int wick_serve_record_change(struct wick_serve_recorder *r, unsigned number, const struct wick_ask *body,
                             struct wick_err *err);
int wick_serve_record_mark(struct wick_serve_recorder *r, unsigned number, const char *text, struct wick_err *err);

/* Whether it goes on. why: what `wick record` said if it ended with an error, or warned of; "" = nothing. */
bool wick_serve_record_runs(struct wick_serve_recorder *r, unsigned number, char *why, size_t cap);

#endif
