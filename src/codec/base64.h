/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base64.h - bytes as base64 text, while they come
 *
 * Threads: one at a time per stream.
 * Memory:  the stream itself.
 */
#ifndef WICK_CODEC_BASE64_H
#define WICK_CODEC_BASE64_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct wick_base64 {
    FILE *out; /* write errors stay in it */
    size_t len;
    uint8_t buf[3 * 4096]; /* whole groups of three, so that blocks join without padding */
};

/* Begins a stream into out. */
void wick_base64_init(struct wick_base64 *b, FILE *out);
/* Adds n bytes. */
void wick_base64_add(struct wick_base64 *b, const void *data, size_t n);
/* A variable-length integer (base/leb128.h, JFR flavour). */
void wick_base64_add_int(struct wick_base64 *b, uint64_t v);
/* Writes what is left, and the padding. */
void wick_base64_finish(struct wick_base64 *b);

#endif
