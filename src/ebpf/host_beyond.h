/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_beyond.h - a copy of the top of a stack, and what lies beyond it
 *
 * A thread goes on after the sample, and what it does is at the top of its stack. The frames of the functions that wait
 * for it below stay as they are, until it returns to them. So what the copy does not hold, because the stack is larger
 * or the thread has changed to another one within it (stacker::grow of rustc), is read as it is now, and believed if
 * nothing shows that the thread has come back there since. Nothing proves it: a thread that returned beyond and has not
 * gone so far down again leaves these words as they were, for the 50 ms within which a walk is repeated.
 *
 *      copy:  sp | frame | frame | ... | outermost frame     beyond: frame | frame | ... | start of the thread
 *                              these words are still the same: neither they nor those beyond were left
 *
 * Memory:  borrows the copy and the reader.
 */
#ifndef WICK_EBPF_HOST_BEYOND_H
#define WICK_EBPF_HOST_BEYOND_H

#include <stdbool.h>

#include "ebpf/host_event.h"
#include "mem/mem.h"

struct wick_host_beyond {
    const struct wick_host_copy *copy;
    const struct wick_mem *mem; /* of the process; NULL = it cannot be read */
    uint64_t sp;                /* of the last frame on the way up that is in the copy with all below it */
    bool beyond;                /* the walk has passed that */
    bool lost;                  /* and out of a signal handler, whose stack is not erased when it ends */
};

/* A walk begins where the copy does. mem may be NULL. */
struct wick_host_beyond wick_host_beyond(const struct wick_host_copy *copy, const struct wick_mem *mem);

/* As wick_mem_read(): of the copy, or of the process as it is now. */
int wick_host_beyond_read(struct wick_host_beyond *s, uint64_t addr, void *buf, size_t n);

/* A walk has come to a frame whose callees' words end at sp. interrupted: by a signal. */
void wick_host_beyond_come(struct wick_host_beyond *s, uint64_t sp, bool interrupted);

/* Whether what was read beyond the copy until now is believed to have been so at the time of the copy as well: asked
 * after a walk that went there. */
bool wick_host_beyond_holds(const struct wick_host_beyond *s);

#endif
