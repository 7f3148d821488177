/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block.h - large blocks of memory that leave malloc as it was
 *
 * The agent shares malloc with the program that it profiles. A large block is a trace there: what is freed stays in an
 * arena, resident, and freeing one that malloc mapped raises the size from which malloc maps, also for the program's
 * blocks. So a block of WICK_BLOCK_LARGE bytes or more is a mapping of its own here. It grows without being copied, and
 * what nobody touched of it is not resident.
 *
 * Threads: one at a time for each block.
 * Memory:  the caller keeps a block's size and frees it by _free. For data without pointers to malloc's blocks: the
 * leak checker of the tests does not search mappings. Not for signal handlers.
 */
#ifndef WICK_BASE_BLOCK_H
#define WICK_BASE_BLOCK_H

#include <stddef.h>

#define WICK_BLOCK_LARGE ((size_t)128 << 10)

/* The block p of `from` bytes (NULL, 0: none) with `to` bytes, at least 1; what is new in it is not set. NULL if there
 * is no memory: p is as it was. */
void *wick_block_resize(void *p, size_t from, size_t to);

/* Frees a block of `bytes` bytes; NULL is none. */
void wick_block_free(void *p, size_t bytes);

/* Sorts n elements of `size` bytes like qsort, but in place: that of the C library takes a block of all of them.
 * Elements that are equal may change places. n log n steps, whatever the order. */
void wick_block_sort(void *array, size_t n, size_t size, int (*compare)(const void *, const void *));

#endif
