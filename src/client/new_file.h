/* SPDX-License-Identifier: Apache-2.0 */
/*
 * new_file.h - files for recordings: opened early, replaced safely
 *
 * A descriptor or an error is returned. No symbolic link is followed at the end of a name.
 *
 * Threads: any.
 */
#ifndef WICK_CLIENT_NEW_FILE_H
#define WICK_CLIENT_NEW_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct stat;

/* The directory of a file's name. */
void wick_new_file_directory(const char *path, char *dir, size_t cap);

/* Sets err to "cannot WHAT PATH" with the reason in errno. */
int wick_new_file_error(const char *what, const char *path, struct wick_err *err);

/* Opens an unnamed temporary file for reading and writing in dir, or in $TMPDIR or /tmp where dir's file system has
 * none. may_stay: it can be given a name. */
int wick_new_file_temp(const char *dir, bool may_stay, struct wick_err *err);

/* Whether a file can be written at the end, which should be said at the start. Leaves no trace. */
int wick_new_file_check(const char *path, struct wick_err *err);

/* Opens a new file under that name, whatever has it now; or, _named, the one that is there, emptied. */
int wick_new_file_fresh(const char *path, struct wick_err *err);
int wick_new_file_named(const char *path, struct wick_err *err);

/* Copies the recording that is the file `in` to a name that nothing has. True if all of it is there. */
bool wick_new_file_keep(const char *in, const char *path);

/* Copies a recording that the JVM holds a descriptor of into the file that stays, in place of one of that name. */
int wick_new_file_copy(int from, const char *path, struct wick_err *err);

/* Takes back modes that a JVM may have given to a file it has a descriptor of, if it is root where it runs: nothing
 * that wick leaves can be executed, least of all as its owner. */
void wick_new_file_strip_mode(int fd, const struct stat *st);

#endif
