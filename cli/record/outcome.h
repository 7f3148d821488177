/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outcome.h - the line that every recording ends with: how many samples there are, and how many were lost
 */
#ifndef WICK_CLI_RECORD_OUTCOME_H
#define WICK_CLI_RECORD_OUTCOME_H

#include <stdint.h>

/* Counts in a recording (a path, or /proc/self/fd/N) and prints the line. */
void wick_outcome_of_file(const char *path);

/* The same from an agent's answer to "status", where the files are the agent's own. */
void wick_outcome_of_status(const char *text);

#endif
