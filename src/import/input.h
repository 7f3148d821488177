/* SPDX-License-Identifier: Apache-2.0 */
/*
 * input.h - any profile into the model: which format it is, is seen from its first bytes
 *
 * Read are JFR recordings, pprof, perf.data, the text of `perf script` and collapsed stacks, each also compressed with
 * gzip. The calls are those of jfr/reader/reader.h and mean the same; a recording goes straight there. Several inputs
 * may be read into one profile.
 *
 * A damaged input is read as far as it makes sense; where the damage begins is in the result. Offsets are those of the
 * unpacked input.
 *
 * Threads: one at a time per profile.
 * Memory:  text is read as a stream, so memory grows with the number of different stacks; pprof, JFR and perf.data
 *          (but for its form for pipes) that do not come from a plain file are held as a whole (at most 4 GiB).
 */
#ifndef WICK_IMPORT_INPUT_H
#define WICK_IMPORT_INPUT_H

#include "jfr/reader/reader.h"

#include <stdio.h>

enum wick_input_format {
    WICK_INPUT_UNKNOWN,
    WICK_INPUT_JFR,
    WICK_INPUT_PPROF,
    WICK_INPUT_PERF,      /* the text of `perf script` */
    WICK_INPUT_PERF_DATA, /* perf's own file */
    WICK_INPUT_COLLAPSED,
    WICK_INPUT_GZIP, /* one of the others, packed */
};

/* How many bytes of an input wick_input_is() should see, if there are as many. */
#define WICK_INPUT_HEAD 4096u

/* What these first bytes are the beginning of. */
enum wick_input_format wick_input_is(const void *head, size_t n);

/* Reads a file into p (initialised, may already hold other inputs); path "-" = standard input. v and res may be NULL;
 * res is set in any case. 0 if something could be read: check res. Otherwise -WICK_E_IO, _NOTFOUND, _PERM, _FORMAT, or
 * _NOMEM, with a message. A regular file must not be shortened while it is open. */
int wick_input_read_file(struct wick_profile *p, const char *path, const struct wick_jfr_visitor *v,
                         struct wick_jfr_result *res, struct wick_err *err);

/* The same from memory (borrowed during the call). mapped: it is a file's, and pages that have been read are given
 * back. */
int wick_input_read_block(struct wick_profile *p, const void *data, size_t size, bool mapped,
                          const struct wick_jfr_visitor *v, struct wick_jfr_result *res, struct wick_err *err);

/* The same from a stream of which n bytes have been read already (all of it, or at least 16). */
int wick_input_read_stream(struct wick_profile *p, FILE *from, const void *head, size_t n,
                           const struct wick_jfr_visitor *v, struct wick_jfr_result *res, struct wick_err *err);

#endif
