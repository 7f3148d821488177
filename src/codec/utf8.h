/* SPDX-License-Identifier: Apache-2.0 */
/*
 * utf8.h - what is UTF-8 and what is not
 *
 * Names come from anywhere and may hold any bytes; formats that demand UTF-8 get it here.
 *
 * Threads: any.
 * Memory:  the caller's.
 */
#ifndef WICK_CODEC_UTF8_H
#define WICK_CODEC_UTF8_H

#include "base/strbuf.h"

/* Length of the sequence at s (left > 0 bytes are there), 0 if it is none: overlong, a surrogate, or cut. */
size_t wick_utf8_length(const char *s, size_t left);

/* Appends n bytes, with U+FFFD for each that belongs to no sequence. */
void wick_utf8_add(struct wick_strbuf *out, const char *s, size_t n);

#endif
