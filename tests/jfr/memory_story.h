/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_story.h - writes a recording of five minutes of memory and collections, which is known to the byte
 *
 *   - 30 readings, ten seconds apart from second 5 on: the heap goes from 200 MiB up by 6 MiB a reading, malloc from
 *     80 up by 10, metaspace, code cache and stacks stay; the cgroup allows 1 GiB, the heap 512 MiB;
 *   - 60 collections, five seconds apart from second 2 on: pauses of 4 ms and one of 120 ms (number 31, "System.gc()");
 *     the heap afterwards is 100 MiB and 2 MiB more each time, before 60 MiB more than that. Number 11 has a hostile
 *     cause, and the heap before it is not known.
 *
 * Memory:  none kept.
 */
#ifndef WICK_TESTS_JFR_MEMORY_STORY_H
#define WICK_TESTS_JFR_MEMORY_STORY_H

/* Writes it to a descriptor of an empty file, which is taken over. 0 or an error. */
int memory_story_write(int fd);

#endif
