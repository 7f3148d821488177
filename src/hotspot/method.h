/* SPDX-License-Identifier: Apache-2.0 */
/*
 * method.h - copying a Java method's names and line table out of metaspace
 *
 * Metaspace is reused after class unloading and redefinition, so a Method* alone names nothing for long. A method is
 * therefore known by its identity, and what a reader needs of it is copied the first time it is seen. No jmethodID is
 * ever made: those are never freed before JDK 26.
 *
 * Threads: any; async-signal-safe with a signal-safe wick_mem.
 * Memory:  the caller's buffers.
 */
#ifndef WICK_HOTSPOT_METHOD_H
#define WICK_HOTSPOT_METHOD_H

#include <stddef.h>

#include "hotspot/jvm.h"

/* Two equal identities mean the same method as long as metaspace was not reused in between, and practically always
 * after: redefining a class may put one method exactly where another one of the same class was, so its name, its
 * signature and its lines are part of it. */
struct wick_hs_method_id {
    wick_addr method, const_method, constants, class_name; /* Method*, ConstMethod*, ConstantPool*, Symbol* */
    wick_addr name, signature;                             /* Symbol* */
    uint64_t lines;                                        /* hash of the line table's first bytes, and sizes */
};

/* Reads the identity. -WICK_E_FAULT if `method` is not (or no longer) a Method*. */
int wick_hs_method_identity(const struct wick_jvm *jvm, const struct wick_mem *mem, wick_addr method,
                            struct wick_hs_method_id *id);

/* A copied method: this header, then the bytes of class name ("java/lang/String"), method name, signature and line
 * table, in that order, without NULs. Names are HotSpot's modified UTF-8. */
struct wick_hs_method {
    uint32_t line_bytes;
    uint32_t access; /* JVM access flags, and WICK_HS_METHOD_BLOCKS */
    uint16_t class_len, name_len, sig_len, unused;
    uint8_t data[];
};
_Static_assert(offsetof(struct wick_hs_method, data) == sizeof(struct wick_hs_method), "the names follow the header");

/* The method has synchronized blocks: known from JDK 21 on, else never set. No access flag is as high. */
#define WICK_HS_METHOD_BLOCKS (1u << 24)

enum { WICK_HS_METHOD_BYTES = 64 << 10 }; /* room for any method with its line table */

/* Copies the method into buf (8-aligned). Returns the number of bytes used (never more than cap; the line table is left
 * out when it does not fit, names are cut at 4 KiB each), or -WICK_E_FAULT, -WICK_E_LIMIT. */
int wick_hs_method_copy(const struct wick_jvm *jvm, const struct wick_mem *mem, const struct wick_hs_method_id *id,
                        void *buf, uint32_t cap);

/* Source line of bci in a copied method, 0 = not known. `excluded`: see unsigned5.h. */
uint32_t wick_hs_method_line(const struct wick_hs_method *m, uint32_t bci, uint8_t excluded);

#endif
