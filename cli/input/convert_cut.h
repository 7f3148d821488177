/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert_cut.h - recordings cut out of recordings (wick convert --to jfr)
 */
#ifndef WICK_CLI_INPUT_CONVERT_CUT_H
#define WICK_CLI_INPUT_CONVERT_CUT_H

#include "base/err.h"
#include "cli/input/view.h"

/* Writes to `out` (NULL or "-": standard output) what the view takes of n recordings, the one that began first in
 * front. Inputs may be packed with gzip. 0; -WICK_E_USAGE for options that would change stacks, and for an output that
 * is one of the inputs; -WICK_E_NOTFOUND if nothing is left; errors of reading and writing. even: CPU and wall-clock
 * samples are written anew so that each stands for one interval, for readers that count them. own: see wick_save_open.
 */
int wick_convert_cut(const struct wick_view *view, char *const *paths, int n, const char *out, bool even, bool own,
                     struct wick_err *err);

#endif
