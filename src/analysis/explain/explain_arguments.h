/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_arguments.h - what the arguments of a JVM say
 */
#ifndef WICK_ANALYSIS_EXPLAIN_EXPLAIN_ARGUMENTS_H
#define WICK_ANALYSIS_EXPLAIN_EXPLAIN_ARGUMENTS_H

#include "analysis/explain/explain_facts.h"

/* A string of the profile, "-Xmx1g -Dx=y": keeps it, the heap's limit, if it is larger than what is known, and how many
 * virtual threads may run at a time. The last option of each kind counts, as for the JVM. */
void wick_explain_take_arguments(struct wick_explain_facts *f, uint32_t string);

/* The bytes that the last of such options gives ("-Xmx": -Xmx64m), and the word in *last; 0 = there is none. */
int64_t wick_explain_size_option(const char *arguments, const char *const *options, size_t n, const char **last);

#endif
