/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copied_heap.h - a dump of a JVM's heap that a copy of its process writes, through a pipe
 *
 * Memory:  the dump is a file without a name in $TMPDIR; its descriptor is the caller's.
 */
#ifndef WICK_CLIENT_COPIED_HEAP_H
#define WICK_CLIENT_COPIED_HEAP_H

#include <stdint.h>

#include "base/err.h"
#include "sys/proc.h"

/* Has the agent in p (loaded from the library lib if it is not there) copy the process and takes the dump; step is
 * called with the bytes that have come. stopped_ns: for how long the program stood still at most, each time if it took
 * several attempts. Its descriptor, or an error with a sentence: -WICK_E_UNSUPPORTED or -WICK_E_NOSPACE if it cannot be
 * copied, -WICK_E_IO if the copy ended before the dump was whole. */
int wick_copied_heap_take(struct wick_proc *p, const char *lib, void (*step)(uint64_t bytes), uint64_t *stopped_ns,
                          struct wick_err *err);

#endif
