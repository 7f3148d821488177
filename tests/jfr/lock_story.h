/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock_story.h - a recording of who blocked whom: workers wait for sessions that writers hold, writers for the cache
 * that the cleaner holds; slow safepoints, of which five waited for the cleaner; and names that are hostile
 */
#ifndef WICK_TESTS_JFR_LOCK_STORY_H
#define WICK_TESTS_JFR_LOCK_STORY_H

/* Writes it to fd, which is closed. 0 or -1. */
int lock_story_write(int fd);

#endif
