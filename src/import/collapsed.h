/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collapsed.h - reads collapsed stacks, wick's own and those of other tools, into a call tree
 *
 * One stack a line: frames from the root to the leaf between semicolons, a space, a weight. A frame's kind is its
 * suffix `_[letter]` (def/frame.def); a Java frame may carry a line number as `name:123` before it. Text of other tools
 * without suffixes gets its kinds from the form of the names, which is a guess.
 *
 * Beside import/collapsed_in.c, which makes a profile of the same lines, since `wick flame` draws the tree alone, and
 * refuses a line that is no stack instead of going on behind it.
 *
 * Threads: one at a time per tree.
 * Memory:  one line, and one stack's frames, during the call.
 */
#ifndef WICK_IMPORT_COLLAPSED_H
#define WICK_IMPORT_COLLAPSED_H

#include <stdio.h>

#include "base/err.h"
#include "flame/tree.h"

/* Adds all stacks of in, called `name` in messages, to t. Empty lines are skipped. -WICK_E_FORMAT with the number of
 * the first line that is no stack, _IO, _NOMEM, _LIMIT; what came before the line is in t then. */
int wick_collapsed_read(struct wick_tree *t, FILE *in, const char *name, struct wick_err *err);

#endif
