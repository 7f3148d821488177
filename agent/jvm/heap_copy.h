/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_copy.h - a dump of the heap for which the JVM stops for milliseconds: a copy of the process writes it
 *
 * Threads: the control thread.
 * Memory:  none here that stays; the copy shares the JVM's memory with it until one of them writes to it.
 */
#ifndef WICK_AGENT_JVM_HEAP_COPY_H
#define WICK_AGENT_JVM_HEAP_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct wick_heap_copy {
    int32_t pid;         /* of the copy */
    uint64_t stopped_ns; /* the JVM stood still for this long at most, the wait for its threads to stop included */
};

/* Makes a copy of the process that writes a dump of all reachable objects to fd, a pipe, and ends. fd stays the
 * caller's. Whether the dump is whole shows at its end. -WICK_E_UNSUPPORTED (this JVM's heap cannot be copied, or not
 * read), -WICK_E_NOSPACE (memory would not be enough if all of it were copied), -WICK_E_STATE (a copy is being
 * written), -WICK_E_LIMIT (fork failed), with a sentence. */
int wick_heap_copy_make(int fd, struct wick_heap_copy *out, struct wick_err *err);

/* Whether there is a copy that has not been waited for. */
bool wick_heap_copy_lives(void);

/* Waits for the copy if it has ended, and ends it if memory runs short: to be called now and then while it lives. */
void wick_heap_copy_watch(void);

/* Ends the copy, if there is one: nobody will be there to watch it. */
void wick_heap_copy_end(void);

#endif
