/* SPDX-License-Identifier: Apache-2.0 */
/*
 * demangle.h - C++ and Rust symbol names as people write them
 *
 * The only place that knows libiberty (linked statically, its symbols hidden).
 *
 * Threads: any ordinary thread, with at least 512 KiB of stack: the library recurses, and keeps its work there.
 */
#ifndef WICK_ELF_DEMANGLE_H
#define WICK_ELF_DEMANGLE_H

#include <stddef.h>

enum {
    WICK_DEMANGLE_PARAMS = 1,    /* keep parameter lists: foo(int, char const*) */
    WICK_DEMANGLE_TEMPLATES = 2, /* keep template arguments of any length; else lists over 80 bytes become <...> */
    WICK_DEMANGLE_CLONES = 4,    /* keep what compilers append to parts and copies of a function: .cold, .isra.0 */
};

/* Writes the readable form of a symbol to out (cap >= 16 bytes, cut if longer, always NUL-terminated); a name that is
 * not mangled, or cannot be demangled within bounds, is copied. Returns the length. Any bytes are safe. */
size_t wick_demangle(const char *symbol, unsigned flags, char *out, size_t cap);

#endif
