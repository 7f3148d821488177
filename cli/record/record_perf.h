/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_perf.h - wick record --perf
 */
#ifndef WICK_CLI_RECORD_RECORD_PERF_H
#define WICK_CLI_RECORD_RECORD_PERF_H

#include "opt/option.h"

/* Records with perf: the whole machine (-a), a JVM (one word in rest) or a command (rest from dashdash on). Returns the
 * exit status. */
int wick_record_perf(const struct wick_opts *o, char **rest, int nrest, int dashdash);

#endif
