/* SPDX-License-Identifier: Apache-2.0 */
/*
 * whole.h - reading and writing all of what was asked for
 *
 * read and write may do a part of it, or nothing because a signal came. These go on until all is done.
 *
 * Threads: any.
 */
#ifndef WICK_SYS_WHOLE_H
#define WICK_SYS_WHOLE_H

#include <stdbool.h>
#include <sys/types.h>

/* Writes n bytes where the descriptor stands. 0, or the error's number (of errno). */
int wick_whole_write(int fd, const void *bytes, size_t n);

/* Reads up to n bytes from an offset: fewer at the end of the file only. -1 on an error, see errno. */
ssize_t wick_whole_pread(int fd, void *bytes, size_t n, off_t at);

#endif
