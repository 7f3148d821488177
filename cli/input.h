/* SPDX-License-Identifier: Apache-2.0 */
/*
 * input.h - profiles of any format named on the command line become one profile
 *
 * Threads: one at a time.
 * Memory:  the profile is the caller's.
 */
#ifndef WICK_CLI_INPUT_H
#define WICK_CLI_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "jfr/reader.h"
#include "model/profile.h"

/* Reads n files ("-" = standard input) into p, which must be initialised. Damage that leaves something to read is
 * reported on standard error and is no failure. */
int wick_cli_read(struct wick_profile *p, char *const *paths, int n, struct wick_err *err);

/* The same, with what v says about each sample (see jfr/reader.h). */
int wick_cli_read_each(struct wick_profile *p, char *const *paths, int n, const struct wick_jfr_visitor *v,
                       struct wick_err *err);

/* The same for a stream of which n bytes have been read; name is what messages call it. */
int wick_cli_read_stream(struct wick_profile *p, FILE *in, const void *head, size_t n, const char *name,
                         const struct wick_jfr_visitor *v, struct wick_err *err);

/* Says on standard error what of an input was damaged, if anything was. */
void wick_cli_warn(const char *path, const struct wick_jfr_result *r);

enum { WICK_CLI_WHERE_MAX = 8 };

/* Labels that samples must have: key and value, both borrowed. */
struct wick_cli_where {
    const char *text[WICK_CLI_WHERE_MAX]; /* KEY=VALUE */
    uint32_t n;
};

/* Adds the operand of a --where. False if it is none or there are too many. */
bool wick_cli_where(struct wick_cli_where *w, const char *text);

/* As wick_cli_read, only samples that have all labels of `w`; `events` may ask for other events (its filter is not
 * looked at) or be NULL. */
int wick_cli_read_where(struct wick_profile *p, char *const *paths, int n, const struct wick_cli_where *w,
                        const struct wick_jfr_visitor *events, struct wick_err *err);

/* The event type to show: the one named, or the most significant one if name is NULL. Not found: -WICK_E_NOTFOUND and a
 * message that lists what there is. */
int wick_cli_event(const struct wick_profile *p, const char *name, uint16_t *event, struct wick_err *err);

#endif
