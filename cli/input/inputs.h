/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inputs.h - profiles of any format named on the command line become one profile
 *
 * Memory:  the profile is the caller's.
 */
#ifndef WICK_CLI_INPUT_INPUTS_H
#define WICK_CLI_INPUT_INPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "jfr/reader/reader.h"
#include "model/profile.h"

/* Reads n files ("-" = standard input) into p, which must be initialised, with what v says about each sample (see
 * jfr/reader/reader.h). Damage that leaves something to read is reported on standard error and is no failure. */
int wick_cli_read_each(struct wick_profile *p, char *const *paths, int n, const struct wick_jfr_visitor *v,
                       struct wick_err *err);

/* The same for one file whose events v asks for. -WICK_E_FORMAT if it is of a format that has no events. */
int wick_cli_read_events(struct wick_profile *p, const char *path, const struct wick_jfr_visitor *v,
                         struct wick_err *err);

/* The same for a stream of which n bytes have been read; name is what messages call it. */
int wick_cli_read_stream(struct wick_profile *p, FILE *in, const void *head, size_t n, const char *name,
                         const struct wick_jfr_visitor *v, struct wick_err *err);

/* The time that a file covers, in ns since 1970 or of perf's clock: widens *start and *end, which are 0 at first. If
 * no header has it, the file is read once for it; standard input ("-") then becomes a file in memory, so that it can be
 * read again. -WICK_E_FORMAT if the times of its samples are unknown. */
int wick_cli_span(const char *path, int64_t *start_ns, int64_t *end_ns, struct wick_err *err);

/* Says on standard error what of an input was damaged or is missing, if anything. */
void wick_cli_warn(const char *path, const struct wick_jfr_result *r);

/* The same without a word: only for wick_cli_is_unfinished(). */
void wick_cli_note_input(const struct wick_jfr_result *r);

/* Forgets what is known of the inputs that were read so far, for who reads some again and again. */
void wick_cli_forget_inputs(void);

/* Whether an input that was read so far is a recording without its end: "unfinished" in JSON. */
bool wick_cli_is_unfinished(void);

/* The event type to show: the one named, or the most significant one if name is NULL. Not found: -WICK_E_NOTFOUND and a
 * message that lists what there is. */
int wick_cli_event(const struct wick_profile *p, const char *name, uint16_t *event, struct wick_err *err);

#endif
