/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot.h - saved memory of a real JVM, small enough for the tree: what walks of some of its threads read, and what
 * they found
 *
 * A file is gzipped text, a line an item (`zcat` shows it; the comment behind a frame names it):
 *
 *      # the JVM and the options
 *      fact NAME VALUE                    a member of struct wick_step_jvm; an offset that is not listed is -1
 *      heap LO HI SEGMAP
 *      rule PC CFA_OFF CFA_KIND CFA_REG CFA_ADD FLAGS HOW:OFF ...      rule PC none
 *      function PC START                  function PC none
 *      mem ADDR HEX                       mem ADDR none: not readable
 *      walk NAME                          what follows is this walk's
 *      mem ADDR HEX                       where it differs from the memory above
 *      state THREAD THREAD_STATE STACK_END ANCHOR_SP ANCHOR_PC ANCHOR_FP UNKNOWN REG0 ... REG16
 *      frame KIND PTR OFF IDENTITY LEVEL LEAF STOP # name
 *
 * Memory is kept in aligned pieces, so a walk that reads a little more than the one that was saved finds it.
 *
 * Threads: one.
 * Memory:  _load and the _add functions allocate, _release frees.
 */
#ifndef WICK_TESTS_SNAPSHOT_SNAPSHOT_H
#define WICK_TESTS_SNAPSHOT_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/step.h"

enum { SNAPSHOT_PIECE = 128, SNAPSHOT_FRAMES = 128 };

struct snapshot_piece {
    uint64_t addr; /* a multiple of SNAPSHOT_PIECE */
    bool none;
    uint8_t bytes[SNAPSHOT_PIECE];
};

struct snapshot_pieces {
    struct snapshot_piece *at; /* by address */
    size_t n;
};

struct snapshot_rule {
    uint64_t pc;
    bool none;
    struct wick_unwind_rule rule;
};

struct snapshot_function {
    uint64_t pc, start; /* start 0: none */
};

struct snapshot_frame {
    struct wick_step_frame frame;
    char name[160];
};

struct snapshot_walk {
    char name[48];
    struct wick_step_state state;
    struct snapshot_pieces own;
    struct snapshot_frame frames[SNAPSHOT_FRAMES];
    int n;
};

struct snapshot {
    char title[256];
    struct wick_step_jvm jvm;
    struct snapshot_pieces memory;
    struct snapshot_rule *rules;
    size_t rule_count;
    struct snapshot_function *functions;
    size_t function_count;
    struct snapshot_walk **walks;
    size_t walk_count;
};

/* Reads a file. 0, or the number of the line that is wrong, or -1 if it cannot be read. */
int snapshot_load(struct snapshot *s, const char *path);
/* Writes a file. 0 or -1. */
int snapshot_save(const struct snapshot *s, const char *path);
void snapshot_release(struct snapshot *s);
void snapshot_walk_free(struct snapshot_walk *w);

/* The piece at that address, NULL = none. */
struct snapshot_piece *snapshot_piece_find(const struct snapshot_pieces *p, uint64_t addr);
/* A new, empty piece at its place. Moves the others. */
struct snapshot_piece *snapshot_piece_add(struct snapshot_pieces *p, uint64_t addr);

struct snapshot_rule *snapshot_rule_find(const struct snapshot *s, uint64_t pc);
struct snapshot_rule *snapshot_rule_add(struct snapshot *s, uint64_t pc);
struct snapshot_function *snapshot_function_find(const struct snapshot *s, uint64_t pc);
struct snapshot_function *snapshot_function_add(struct snapshot *s, uint64_t pc);
struct snapshot_walk *snapshot_walk_add(struct snapshot *s, struct snapshot_walk *w);

#endif
