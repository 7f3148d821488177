/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plain.h - a recording with the events that every reader of JFR knows
 *
 * wick's own events have fields beyond the JDK's, and async-profiler's converter, which does not read the size of
 * events that it knows, loses its way in them. So what wick's speed is compared with that of others on is a recording
 * in async-profiler's form: jdk.ExecutionSample of four fields, the interval among the settings, one checkpoint.
 *
 * Memory:  holds the whole recording until it is written.
 */
#ifndef WICK_TESTS_JFR_PLAIN_H
#define WICK_TESTS_JFR_PLAIN_H

#include "jfr/writer/writer.h"

/* Writes a recording with the source's stacks 1 to `stacks`, each seen at least once, and as many samples as are asked
 * for. 0, or 1 after a message on stderr. */
int plain_write(const char *path, const struct wick_jfr_source *source, uint32_t stacks, uint64_t samples);

#endif
