/* SPDX-License-Identifier: Apache-2.0 */
/*
 * whole.h - reading and writing all of what was asked for, and small files as text
 *
 * read and write may do a part of it, or nothing because a signal came. These go on until all is done.
 *
 * A text always ends with a NUL and is "" if the file cannot be read. Of a file that does not fit, it is the first
 * room - 1 bytes: a caller that needs all of a file, or a number at its end, gives more room than the file ever needs.
 * NULs of the file stay as they are, so the length may be more than strlen() says.
 *
 * Threads: any.
 * Memory:  none but the caller's.
 */
#ifndef WICK_SYS_WHOLE_H
#define WICK_SYS_WHOLE_H

#include <stdbool.h>
#include <sys/types.h>

/* Writes n bytes where the descriptor stands. 0, or the error's number (of errno). */
int wick_whole_write(int fd, const void *bytes, size_t n);

/* Reads up to n bytes from an offset: fewer at the end of the file only. -1 on an error, see errno. */
ssize_t wick_whole_pread(int fd, void *bytes, size_t n, off_t at);

/* Reads the file at path as text. Returns its length, at most room - 1, or -1 if it cannot be opened or read, see
 * errno. */
ssize_t wick_whole_text(const char *path, char *text, size_t room);

/* The same; path starts at the directory dir (a descriptor). */
ssize_t wick_whole_text_at(int dir, const char *path, char *text, size_t room);

/* wick_whole_text of an open file, from its start and without moving its offset. A negative fd is a file that cannot be
 * read. */
ssize_t wick_whole_text_fd(int fd, char *text, size_t room);

/* The same of a file of one line, of /proc say: its end is the line's, so that it needs no read that finds nothing. */
ssize_t wick_whole_line_fd(int fd, char *text, size_t room);

#endif
