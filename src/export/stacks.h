/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stacks.h - all stacks as a table, in CSV or JSON, for spreadsheets, databases and scripts
 *
 * One row for each stack, thread and state. docs/formats/tables.md has the columns.
 *
 * Threads: one at a time per profile.
 * Memory:  see shown.h.
 */
#ifndef WICK_EXPORT_STACKS_H
#define WICK_EXPORT_STACKS_H

#include "export/format.h"

/* See struct wick_format. RFC 4180 with a row of names; a cell that a spreadsheet would take for a formula gets an
 * apostrophe before it. */
int wick_stacks_write_csv(const struct wick_profile *p, const struct wick_export_options *o, FILE *out,
                          struct wick_err *err);

/* See struct wick_format. One object, with the rows as objects. */
int wick_stacks_write_json(const struct wick_profile *p, const struct wick_export_options *o, FILE *out,
                           struct wick_err *err);

#endif
