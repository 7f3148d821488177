/* SPDX-License-Identifier: Apache-2.0 */
/*
 * out_file.h - where a recording goes
 *
 * The agent only ever writes JFR, into a descriptor that we open, so the file belongs to the user who runs `wick`,
 * wherever the JVM lives. If the user asks for a picture, or a recording in another layout, the JFR goes to an unnamed
 * temporary file in the picture's directory and is converted at the end; nothing is left behind if we are killed.
 *
 * Memory:  descriptors closed by wick_cli_output_close.
 */
#ifndef WICK_CLI_RECORD_OUT_FILE_H
#define WICK_CLI_RECORD_OUT_FILE_H

#include <stdbool.h>

#include "opt/option.h"
#include "sys/jvmlist.h"

struct wick_cli_output {
    char path[WICK_OPT_PATH_MAX]; /* absolute name of the final file; for a sequence its pattern */
    char format[16];              /* "jfr", or a name in wick_format_table */
    char title[WICK_OPT_STR_MAX];
    bool threads;
    bool compat;   /* a recording, written anew at the end as `wick convert --compat` does */
    bool sequence; /* several files in the path's directory, made by the agent ... */
    bool taken;    /* ... or here, of what is in fd (client/rotation.h); set before _open */
    bool apart;    /* the JVM gets another file than the one that stays, which is a copy; set before _open */
    bool fresh;    /* what stays is a new file, whatever has its name and mode now; set before _open */
    int fd;        /* the JFR, or -1 for a sequence that is not taken */
    int dir;       /* for a sequence; never sent */
};

/* Decides name and format from the options (-f, -o) and the JVM (NULL: a command about to run), without touching any
 * file. Default: wick-<main>-<pid>-<time>.html here, with --compat .jfr. */
int wick_cli_output_plan(const struct wick_opts *o, const struct wick_jvm_entry *jvm, struct wick_cli_output *out,
                         struct wick_err *err);

/* True if the agent writes into the final file itself, false if that is made at the end. */
bool wick_cli_output_is_direct(const struct wick_cli_output *out);

/* Opens the JFR file or the temporary file: fails now, not after half an hour, if the output cannot be written. */
int wick_cli_output_open(struct wick_cli_output *out, struct wick_err *err);

/* Converts the JFR in fd to out->path unless that is direct, and says where it is. A recording
 * that could not be drawn is kept as <path>.jfr where that is possible; one that is empty leaves no file. */
int wick_cli_output_finish(struct wick_cli_output *out, int fd, struct wick_err *err);

/* The final file could not be made, which is no reason to lose the recording: gives the JFR in `in`, an unnamed file,
 * the name <path>.jfr where that is possible, or a copy of it (out->apart), and adds to err that it did. */
void wick_cli_output_keep(const struct wick_cli_output *out, const char *in, struct wick_err *err);

/* Notes for `wick stop` where the recording of a process goes, and what was noted, as an output that is not open
 * (client/started.h). *fd_is_it: fd refers to the file that was open then. */
bool wick_cli_output_note(const struct wick_cli_output *out, const struct wick_proc *p);
bool wick_cli_output_noted(struct wick_cli_output *out, const struct wick_proc *p, int fd, bool *fd_is_it);

/* Closes what is still open; may be called twice. */
void wick_cli_output_close(struct wick_cli_output *out);

#endif
