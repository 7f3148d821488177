/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ownfile.h - the files of recordings that the agent's own option string asks for
 *
 * `start,file=...` opens one, `resume` goes on in it, and after the end `dump,file=...` and `stop,file=...` write what
 * was recorded to another. A recording that has a file of its own is found again by its name, if it is still the same
 * file. One without (no file= was given, or it became another format and was removed) is kept by its descriptor until
 * the next start, if it is not larger than WICK_OWNFILE_KEPT_MAX: its space on the disk is not free until then.
 *
 * Threads: one at a time (the front end's lock).
 * Memory:  static.
 */
#ifndef WICK_AGENT_OWNFILE_H
#define WICK_AGENT_OWNFILE_H

#include <sys/types.h>

#include "agent/stop_convert.h"
#include "base/err.h"
#include "opt/option.h"

#define WICK_OWNFILE_KEPT_MAX ((off_t)256 << 20)

struct wick_ownfile {
    char file[WICK_OPT_PATH_MAX]; /* what was asked for, expanded; "" = nothing */
    bool open;                    /* the rest says which recording it is */
    bool named;                   /* it is in `file` itself */
    int fd;                       /* else, -1 = not kept */
    dev_t dev;
    ino_t ino;
    unsigned long starts; /* %n of files that are not split */
    unsigned resumed;     /* how often this recording has gone on */
};

#define WICK_OWNFILE_INIT \
    {                     \
        .fd = -1          \
    }

/* Expands o->file and opens the file that the recording goes to, which is to become o->file as c says. *fd: for the
 * session, -1 if the recording is split. again: the recording before goes on if it is still there; f->resumed is not 0
 * then. Forgets the recording before. Errors with a sentence. */
int wick_ownfile_open(struct wick_ownfile *f, struct wick_session_opts *o, bool again, struct wick_convert *c, int *fd,
                      struct wick_err *err);

/* The recording has ended and what it was to become is made. */
void wick_ownfile_ended(struct wick_ownfile *f);

/* Nothing is kept any more. */
void wick_ownfile_forget(struct wick_ownfile *f);

/* A descriptor of the recording that has ended, for reading; -1 = there is none, or see errno. The caller closes it. */
int wick_ownfile_recording(const struct wick_ownfile *f);

/* Whether this error (errno) is a lack of descriptors or memory: what could not be opened may well be there. */
bool wick_ownfile_is_short(int error);

/* A file for a copy of a recording: `dump` and `stop` with a file of their own. */
struct wick_ownfile_copy {
    struct wick_convert convert;
    char file[WICK_OPT_PATH_MAX];
    int fd; /* open for writing; -1: the file is the recording itself */
};

/* Opens a file for a copy, as the pattern names it. Errors with a sentence. */
int wick_ownfile_copy_open(const struct wick_ownfile *f, const char *pattern, bool threads, bool compat,
                           struct wick_ownfile_copy *copy, struct wick_err *err);

/* rc: how writing it went. Closes the copy and makes of it what its name says. */
int wick_ownfile_copy_close(struct wick_ownfile_copy *copy, int rc, struct wick_err *err);

/* Appends the first `bytes` of a file to another. -WICK_E_IO, -WICK_E_NOSPACE. */
int wick_ownfile_copy_bytes(int from, int to, uint64_t bytes, struct wick_err *err);

/* Marks the last chunk of a copy as the last one of its recording: what was asked for up to a moment is complete,
 * though the recording goes on. A file that is no sequence of chunks is left as it is. */
void wick_ownfile_mark_complete(int fd);

/* Copies the whole of a file. */
int wick_ownfile_copy_all(int from, int to, struct wick_err *err);

#endif
