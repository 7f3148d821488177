/* SPDX-License-Identifier: Apache-2.0 */
/*
 * requests.h - writes a recording of a few requests whose timeline is known to the millisecond
 *
 *     ms        0    10   20   30        60        80        100          200 210
 *     worker 1  [GET /slow, trace aa..                           ]        [GET /fast, bb..]
 *                         [db.query                ]
 *               run  |monitor (5 samples)|wait CPU |run                    run
 *     worker 2                 [<script>: trace aa..     ] parked
 *     worker 3  parked all the time, without a span
 *
 * requests_write_locks adds who had the locks: of the monitor of worker 1 worker 2, which is seen to have it at 40 ms;
 * and in GET /fast, from 202 to 206 ms, worker 4 that works for another trace, GET /report, cc.., from 150 to 300 ms.
 * From 70 to 75 ms worker 2 waits for worker 3, which is in no span.
 *
 * Memory:  none kept.
 */
#ifndef WICK_TESTS_JFR_REQUESTS_H
#define WICK_TESTS_JFR_REQUESTS_H

#include <stdint.h>

#define REQUESTS_MS      UINT64_C(1000000)
#define REQUESTS_MONO_NS UINT64_C(5000000000000)
#define REQUESTS_TIME_NS UINT64_C(1700000000000000000)
#define REQUESTS_HOSTILE "</script><script>alert(1)</script>\x1b[31m<img src=x onerror=alert(2)>"
#define REQUESTS_SLOW    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa01"
#define REQUESTS_FAST    "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb02"
#define REQUESTS_REPORT  "cccccccccccccccccccccccccccccc03"

/* Writes it to a descriptor of an empty file, which is taken over. 0 or an error. */
int requests_write(int fd);
int requests_write_locks(int fd);

#endif
