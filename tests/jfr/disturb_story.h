/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disturb_story.h - writes a recording of a minute in which one thing after another disturbs the program
 *
 *     s            0         10         20         30         40         50         60
 *     compilers    [50 % of one, 50 methods a second, 300 ms at one of them at 5 s]
 *     CPU limit              [200 ms a second]
 *     stolen                                        [25 %      ]
 *     neighbour                                          [35 to 45 s: 2 s of CPU time]
 *     deoptimised                                              [5 a second for 5 s]
 *     always       10 % of the processors had by others, 100 ms a second of pressure on CPUs, 50 ms of GC every 10 s
 *
 * Memory:  none kept.
 */
#ifndef WICK_TESTS_JFR_DISTURB_STORY_H
#define WICK_TESTS_JFR_DISTURB_STORY_H

/* Writes it to a descriptor of an empty file, which is taken over. 0 or an error. */
int disturb_story_write(int fd);

#endif
