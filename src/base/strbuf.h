/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strbuf.h - a growing byte string
 *
 * `buf` is always NUL-terminated and never NULL after _init, so it can be printed at once; `len` counts the bytes
 * before that NUL, which may include other NULs. When memory runs out the string keeps what it had, `failed` is set and
 * further additions are ignored: check `failed` once at the end instead of after every call.
 *
 * Memory:  that of base/block.h; freed by _release. Not for signal handlers.
 */
#ifndef WICK_BASE_STRBUF_H
#define WICK_BASE_STRBUF_H

#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>

struct wick_strbuf {
    char *buf;
    size_t len, cap; /* cap = 0: buf is the shared empty string */
    bool failed;
};

extern char wick_strbuf_empty[];
#define WICK_STRBUF_INIT         \
    {                            \
        .buf = wick_strbuf_empty \
    }

/* Makes sb the empty string; frees its memory and makes it the empty string again. */
void wick_strbuf_init(struct wick_strbuf *sb);
void wick_strbuf_release(struct wick_strbuf *sb);

/* Empties the string and keeps its memory. */
void wick_strbuf_clear(struct wick_strbuf *sb);

/* Shortens the string to len bytes; a longer len changes nothing. */
void wick_strbuf_cut(struct wick_strbuf *sb, size_t len);

/* Makes room for n more bytes (plus NUL). 0 or -WICK_E_NOMEM. */
int wick_strbuf_grow(struct wick_strbuf *sb, size_t n);

/* Appends n bytes, one character, a string, or formatted text. On lack of memory nothing is added and failed is set. */
void wick_strbuf_add(struct wick_strbuf *sb, const void *data, size_t n);
void wick_strbuf_addc(struct wick_strbuf *sb, char c);
void wick_strbuf_adds(struct wick_strbuf *sb, const char *s);
void wick_strbuf_addf(struct wick_strbuf *sb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Hands the malloc'ed string to the caller (who frees it) and leaves sb empty. NULL if memory had run out. */
char *wick_strbuf_take(struct wick_strbuf *sb);

#endif
