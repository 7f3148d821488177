/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack_line.h - a line of collapsed stacks, as all readers and writers of such text have it
 *
 * "root;caller;leaf 123": frames between semicolons, a space, the weight. A frame is its name, then `:LINE` if it is
 * Java and the line is known, then the suffix `_[letter]` of its kind (def/frame.def). In a name, what would end a
 * frame, a backslash, and all that is not shown as it is (codec/plain.h) becomes \xNN, byte by byte; reading undoes
 * that, and the escape of a star, and leaves any other backslash as it is.
 *
 * Threads: any.
 */
#ifndef WICK_CODEC_STACK_LINE_H
#define WICK_CODEC_STACK_LINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"

/* Splits a line of n bytes without its line break into its frames, the first *stack bytes, and its weight. False if it
 * is none: without frames or weight, or with one of more than 64 bits. */
bool wick_stack_line_split(const char *line, size_t n, size_t *stack, uint64_t *weight);

/* The next frame between *from and end, which is not empty, and its length; *from moves behind it. NULL at the end. */
static inline const char *wick_stack_line_next(const char **from, const char *end, size_t *n)
{
    while (*from < end) {
        const char *s = *from, *semi = memchr(s, ';', (size_t)(end - s)), *to = semi ? semi : end;
        *from = semi ? semi + 1 : end;
        *n = (size_t)(to - s);
        if (*n)
            return s;
    }
    return NULL;
}

/* The frame of *n bytes without escapes: s itself if it has none, otherwise in `room`, whose content is replaced. */
const char *wick_stack_line_unescape(struct wick_strbuf *room, const char *s, size_t *n);

/* Appends a name with escapes. */
void wick_stack_line_add_name(struct wick_strbuf *out, const char *s, size_t n);

/* Appends the suffix of a kind, if that kind has one. */
void wick_stack_line_add_kind(struct wick_strbuf *out, unsigned kind);

/* Writes a line: n bytes of frames, and the weight. The caller asks `out` whether that failed. */
void wick_stack_line_write(FILE *out, const char *frames, size_t n, uint64_t weight);

#endif
