/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.h - hostile names made safe and short
 *
 * A name may hold any bytes: class files allow almost everything, thread names and symbols the rest.
 *
 * Threads: any.
 * Memory:  appends to the caller's strbuf; running out of memory sets its `failed`.
 */
#ifndef WICK_FLAME_TEXT_H
#define WICK_FLAME_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

/* Appends the name as valid UTF-8 without NUL: everything else is kept. */
void wick_text_add_utf8(struct wick_strbuf *sb, const char *s, size_t n);

/* Appends the name for XML or HTML text and for attributes in double or single quotes: markup escaped; characters that
 * XML 1.0 forbids, controls and those that change the direction or visibility of text (bidi, zero width) become U+FFFD.
 */
void wick_text_add_xml(struct wick_strbuf *sb, const char *s, size_t n);

/* Narrows a name to what identifies it: a Java name without its package and arguments (`HashMap.get`), a C++ name
 * without its outer namespaces and arguments (`State::trim`). *s, *n then denote a part of the same bytes. */
void wick_text_shorten(const char **s, size_t *n, int is_java);

/* Appends, escaped as by _add_xml, the longest form of the name that fits max_chars: whole, shortened, the method
 * alone, that cut with an ellipsis. Appends nothing if max_chars < 3. */
void wick_text_add_label(struct wick_strbuf *sb, const char *s, size_t n, int is_java, size_t max_chars);

/* Appends, escaped as by _add_xml, the text, or its beginning and an ellipsis: at most max_chars characters. 1 if it
 * was cut, else 0. */
int wick_text_add_cut(struct wick_strbuf *sb, const char *s, size_t n, size_t max_chars);

/* Appends a weight for people: ns as "1.23 s", bytes as "1.20 MiB", else "12,345 unit" (unit is escaped as by
 * _add_xml). */
void wick_text_add_weight(struct wick_strbuf *sb, uint64_t weight, const char *unit);

#endif
