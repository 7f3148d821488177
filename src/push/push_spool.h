/* SPDX-License-Identifier: Apache-2.0 */
/*
 * push_spool.h - messages that wait to be sent: files in a directory, oldest first, within a size
 *
 * A message is in the directory whole or not at all. What an earlier process left there is sent first. One process at
 * a time has the directory. When it is full the oldest messages go.
 *
 * Memory:  16 bytes for each message.
 */
#ifndef WICK_PUSH_PUSH_SPOOL_H
#define WICK_PUSH_PUSH_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/strbuf.h"

struct wick_push_message {
    uint64_t number; /* its name; they grow */
    uint64_t bytes;
};

struct wick_push_spool {
    int dir; /* -1 = not open */
    uint64_t max_bytes, bytes;
    struct wick_push_message *messages; /* oldest first */
    size_t count, cap;
    uint64_t dropped, dropped_bytes; /* messages for which there was no room */
    uint64_t broken;                 /* messages that could not be written or read again */
};

/* Makes the directory if it is not there (0700; its parent must be). Errors with a sentence: also -WICK_E_STATE if
 * another process has it, and -WICK_E_PERM if another user owns it or may write there: what is in it is sent on. */
int wick_push_spool_open(struct wick_push_spool *s, const char *path, uint64_t max_bytes, struct wick_err *err);
void wick_push_spool_close(struct wick_push_spool *s);

/* A file in that directory without a name, open for reading and writing; -1 with errno. */
int wick_push_spool_file(const char *path);

/* Adds a message, and drops the oldest for which there is no room any more. -WICK_E_LIMIT if it alone is larger than
 * the spool may be, which is counted as dropped; -WICK_E_NOSPACE, -WICK_E_IO, -WICK_E_NOMEM, counted as broken. */
int wick_push_spool_add(struct wick_push_spool *s, const void *data, size_t n);

/* Reads the oldest message into out (cleared). -WICK_E_NOTFOUND if there is none; one that cannot be read is removed,
 * and the next one taken. */
int wick_push_spool_oldest(struct wick_push_spool *s, struct wick_strbuf *out);

/* Removes the oldest message: it was sent, or never will be. */
void wick_push_spool_remove(struct wick_push_spool *s);

#endif
