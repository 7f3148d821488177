/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gzip.h - gzip streams in and out; zlib behind one file
 *
 * Threads: one at a time per stream.
 * Memory:  about 300 kB while writing, 50 kB while reading; both are freed by the closing call.
 */
#ifndef WICK_CODEC_GZIP_H
#define WICK_CODEC_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct wick_gzip;
struct wick_gunzip;

/* A stream that compresses into out; NULL if memory ran out. Equal input gives equal output: no time, no name. */
struct wick_gzip *wick_gzip_new(FILE *out);
/* Adds n bytes. Write errors stay in the FILE. */
void wick_gzip_add(struct wick_gzip *z, const void *data, size_t n);
/* Writes what is left and frees z (may be NULL). */
void wick_gzip_finish(struct wick_gzip *z);

/* True if the bytes begin as a gzip stream does. */
bool wick_gzip_is(const void *data, size_t n);

/* A reader of one stream, or of several one behind the other. NULL if memory ran out. */
struct wick_gunzip *wick_gunzip_new(void);
/* Takes n bytes of input and calls sink with what they unpack to, until sink returns another value than 0. 0, that
 * value, -WICK_E_NOMEM, or -WICK_E_FORMAT where the input is damaged (all before that has been handed out). */
int wick_gunzip_add(struct wick_gunzip *z, const void *data, size_t n,
                    int (*sink)(void *ctx, const void *out, size_t n), void *ctx);
/* Bytes of input used so far: where the damage is after _FORMAT. */
uint64_t wick_gunzip_used(const struct wick_gunzip *z);
/* True if the input so far ends where a stream ends. */
bool wick_gunzip_complete(const struct wick_gunzip *z);
void wick_gunzip_free(struct wick_gunzip *z); /* z may be NULL */

#endif
