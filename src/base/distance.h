/* SPDX-License-Identifier: Apache-2.0 */
/*
 * distance.h - how much two names differ, to recognise a typing error
 *
 * Threads: pure function.
 */
#ifndef WICK_BASE_DISTANCE_H
#define WICK_BASE_DISTANCE_H

#include <stddef.h>

/* How many letters must be added, removed or replaced to get from a (n bytes) to b. Names of 64 bytes and more have
 * nothing in common with others: SIZE_MAX. */
size_t wick_distance(const char *a, size_t n, const char *b);

#endif
