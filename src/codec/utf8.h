/* SPDX-License-Identifier: Apache-2.0 */
/*
 * utf8.h - characters as UTF-8, and what is UTF-8 and what is not
 *
 * Names come from anywhere and may hold any bytes; formats that demand UTF-8 get it here.
 *
 * Threads: any.
 */
#ifndef WICK_CODEC_UTF8_H
#define WICK_CODEC_UTF8_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

/* Length of the sequence at s (left > 0 bytes are there), 0 if it is none: overlong, a surrogate, or cut. */
size_t wick_utf8_length(const char *s, size_t left);

/* The character of a sequence of n bytes, as _length gives it. */
uint32_t wick_utf8_decode(const char *s, size_t n);

/* How many bytes _encode writes. */
static inline size_t wick_utf8_size(uint32_t c)
{
    return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
}

/* Writes a character, at most 0x10ffff, to out, which has room for it. Returns how many bytes it takes. Half a
 * surrogate pair becomes three bytes, as in class files, which are not UTF-8: a caller that may have one writes U+FFFD
 * instead. */
size_t wick_utf8_encode(char *out, uint32_t c);

/* Appends a character, as _encode writes it. */
void wick_utf8_addc(struct wick_strbuf *out, uint32_t c);

/* Whether a character acts on the text around it, or is not seen: C0 and C1 controls, the soft hyphen, zero-width and
 * bidirectional controls, fillers, joiners and variation selectors, line and paragraph separators, interlinear marks,
 * the byte order mark, tags, and non-characters. No name is shown with one as it is. */
bool wick_utf8_is_hidden(uint32_t c);

/* Appends n bytes, with U+FFFD for each that belongs to no sequence. */
void wick_utf8_add(struct wick_strbuf *out, const char *s, size_t n);

#endif
