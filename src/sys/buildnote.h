/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buildnote.h - the build id in an ELF note segment: the same question to a file (CLI) and to an image in memory
 * (agent)
 *
 * Threads: any.
 */
#ifndef WICK_SYS_BUILDNOTE_H
#define WICK_SYS_BUILDNOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Finds the GNU build id in the notes p[0..len) and writes it in hex, at most 40 digits and a NUL, to out[41]. Any
 * bytes allowed. False, and out untouched, if there is none. */
bool wick_buildnote_find(const uint8_t *p, size_t len, char *out);

#endif
