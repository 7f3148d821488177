/* SPDX-License-Identifier: Apache-2.0 */
/*
 * virtual_list.h - the virtual threads that have a context
 *
 * Threads: the front end's, one at a time.
 * Memory:  freed before it returns.
 */
#ifndef WICK_AGENT_LABEL_VIRTUAL_LIST_H
#define WICK_AGENT_LABEL_VIRTUAL_LIST_H

#include <stdint.h>

#include "base/err.h"

/* Writes the virtual threads that have a context to out_fd (borrowed), at most `rows` of them, those that have had it
 * longest first, in the lines that virtual_list.c describes. -WICK_E_UNSUPPORTED, -WICK_E_STATE, -WICK_E_NOMEM and
 * -WICK_E_IO with a sentence. */
int wick_virtual_list_write(uint32_t rows, int out_fd, struct wick_err *err);

#endif
