/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operation.h - what operations of the VM thread are called
 *
 * Threads: the drain thread.
 */
#ifndef WICK_RECORD_OPERATION_H
#define WICK_RECORD_OPERATION_H

#include <stddef.h>

#include "record/drain.h"

/* The name of the operation whose class has that virtual function table, e.g. "G1CollectFull"; "" if it is not known.
 */
void wick_operation_name(struct wick_drain *d, wick_addr virtuals, char *out, size_t cap);

#endif
