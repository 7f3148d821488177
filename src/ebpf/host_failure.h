/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_failure.h - why the programs of `wick host` could not be loaded, in a sentence that says what is missing
 */
#ifndef WICK_EBPF_HOST_FAILURE_H
#define WICK_EBPF_HOST_FAILURE_H

#include <stdbool.h>

#include "base/err.h"

/* error: an errno. waits: those of -e sched are among them. refused: the verifier has refused one. complaint: what
 * libbpf said last, "" = nothing. Returns the error that is set. */
int wick_host_failure(int error, bool waits, bool refused, const char *complaint, struct wick_err *err);

#endif
