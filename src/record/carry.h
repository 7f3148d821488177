/* SPDX-License-Identifier: Apache-2.0 */
/*
 * carry.h - stacks that outlive a generation of the tables
 *
 * Ids are valid within one generation (tables.h). A stack or a context that is held for longer, as by objects that are
 * still alive, is carried over when the drain thread replaces the tables: its frames are interned in the new ones, and
 * methods are copied from the old arena, because the JVM may have unloaded them since then.
 *
 * A stack has most of its frames in common with others. Each node of the old tree is therefore carried once, and where
 * it went is kept in an array by its number.
 *
 * The new tables are at work while this runs: handlers intern into them at the same time. They are filled up to a part
 * only, so that carrying alone never makes the next generation due.
 *
 * Threads: the drain thread, between wick_recorder_next_generation and wick_recorder_free_generation.
 * Memory:  malloc by _init: 4 bytes for each node and method of the old tables. Freed by _release.
 */
#ifndef WICK_RECORD_CARRY_H
#define WICK_RECORD_CARRY_H

#include "record/tables.h"

struct wick_carry {
    const struct wick_tables *from;
    struct wick_tables *to;
    uint32_t *nodes, *methods; /* by old number: the new one; 0 = not carried yet */
    uint32_t node_count, method_count;
};

/* 0 or -WICK_E_NOMEM; then nothing is carried, and _stack and _context return 0. */
int wick_carry_init(struct wick_carry *c, const struct wick_tables *from, struct wick_tables *to);
void wick_carry_release(struct wick_carry *c);

/* The number of the stack, or context, `old` in the new tables; 0 if there is no room for it, or if it is 0. */
uint32_t wick_carry_stack(struct wick_carry *c, uint32_t old);
uint32_t wick_carry_context(struct wick_carry *c, uint32_t old);

#endif
