/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_arguments.h - what the arguments of a JVM say
 */
#ifndef WICK_ANALYSIS_EXPLAIN_EXPLAIN_ARGUMENTS_H
#define WICK_ANALYSIS_EXPLAIN_EXPLAIN_ARGUMENTS_H

#include <stdint.h>

/* "-Xmx1g -Dx=y": the heap's limit in bytes. The last -Xmx or -XX:MaxHeapSize counts, as for the JVM. 0 = neither. */
int64_t wick_explain_heap_option(const char *arguments);

#endif
