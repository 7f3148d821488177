/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zstd.h - a Zstandard stream unpacked; libzstd behind one file, and not needed to build wick
 *
 * Threads: one at a time per stream.
 * Memory:  about 128 kB, and what the stream's window needs (at most 128 MiB); freed by the closing call.
 */
#ifndef WICK_CODEC_ZSTD_H
#define WICK_CODEC_ZSTD_H

#include <stdbool.h>
#include <stddef.h>

struct wick_unzstd;

/* Whether wick was built with libzstd. */
bool wick_unzstd_known(void);

/* A reader of a stream that comes in pieces. NULL if memory ran out or there is no libzstd. */
struct wick_unzstd *wick_unzstd_new(void);
/* Takes a piece and calls sink with what it unpacks to, until sink returns another value than 0. 0, that value, or
 * -WICK_E_FORMAT where the stream is damaged (all before that has been handed out). */
int wick_unzstd_add(struct wick_unzstd *z, const void *data, size_t n,
                    int (*sink)(void *ctx, const void *out, size_t n), void *ctx);
void wick_unzstd_free(struct wick_unzstd *z); /* z may be NULL */

#endif
