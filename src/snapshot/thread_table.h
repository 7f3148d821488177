/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_table.h - threads, and the frames of their stacks that refer to objects
 *
 * Memory:  arrays by malloc.
 */
#ifndef WICK_SNAPSHOT_THREAD_TABLE_H
#define WICK_SNAPSHOT_THREAD_TABLE_H

#include "mem/mem.h"
#include "snapshot/number_map.h"

enum { WICK_THREAD_FRAMES_MOST = 4096 };

struct wick_thread_frame {
    wick_addr method; /* Method*, 0 = not known */
    int32_t bci;
    uint32_t thread, depth;
};

struct wick_thread_row {
    wick_addr object; /* the Thread, 0 = not seen */
    uint32_t deepest; /* frames up to the outermost that refers to something */
};

/* A thread's number, from 1 on, is its serial number in the dump. */
struct wick_thread_table {
    struct wick_number_map by_id, by_frame;
    struct wick_thread_row *all;
    struct wick_thread_frame *frames;
    uint32_t n, cap, nframes, frames_cap;
    bool failed;
};

/* The number of the thread with that id of Java's; made if it is new. 0: out of memory, or the id is 0. */
uint32_t wick_thread_table_number(struct wick_thread_table *t, uint64_t id);

/* Notes the method of a frame; the first one that is noted stays. */
void wick_thread_table_frame(struct wick_thread_table *t, uint32_t number, uint32_t depth, wick_addr method,
                             int32_t bci);

/* What was noted of a frame; NULL = nothing. */
const struct wick_thread_frame *wick_thread_table_get(const struct wick_thread_table *t, uint32_t number,
                                                      uint32_t depth);

#endif
