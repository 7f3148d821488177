/* SPDX-License-Identifier: Apache-2.0 */
/*
 * halves.h - writes a recording of ten seconds with two different halves
 *
 * In the first five seconds the thread "early" computes in app.Main.first, in the last five the thread "late" in
 * HALVES_LAST. In the seventh both a wait for a monitor of a second, which stands for two, and a slow safepoint of half
 * a second begin, and the CPU limit stops the cgroup in the last five seconds only. Each second there are 8 safepoints
 * and 1 MiB more of malloc, and the thread that computes waits for a CPU for half a second besides.
 */
#ifndef WICK_TESTS_JFR_HALVES_H
#define WICK_TESTS_JFR_HALVES_H

#include <stdint.h>

#define HALVES_SECOND  UINT64_C(1000000000)
#define HALVES_MONO_NS UINT64_C(5000000000000)
#define HALVES_TIME_NS UINT64_C(1700000000000000000)
#define HALVES_LAST    "last<img src=x onerror=alert(1)>"

enum { HALVES_SECONDS = 10, HALVES_HALF = 5, HALVES_SAMPLES = 100 /* a second */ };

/* Writes it to a descriptor of an empty file, which is taken over. 0 or -1. */
int halves_write(int fd);

#endif
