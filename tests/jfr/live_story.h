/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live_story.h - writes a recording of a minute of live objects, which is known to the byte
 *
 * At seconds 10, 20 ... 60 there are listed, each a sample that stands for 1 MiB: 20 char[] that app.Main.load
 * allocated at the start and that stay; of LIVE_STORY_LEAK, by app.Main.put, 4 more each time, from 4 on; and one
 * byte[] by app.Main.put that is there at second 30 only. A collection every five seconds goes down from 200 MiB to
 * 40 MiB and 4 MiB more each time.
 *
 * Memory:  none kept.
 */
#ifndef WICK_TESTS_JFR_LIVE_STORY_H
#define WICK_TESTS_JFR_LIVE_STORY_H

#define LIVE_STORY_LEAK "app/Session<img src=x onerror=alert(1)>"

/* Writes it to a descriptor of an empty file, which is taken over. 0 or an error. */
int live_story_write(int fd);

#endif
