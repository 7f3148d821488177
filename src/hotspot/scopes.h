/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scopes.h - which Java methods one pc of a compiled method stands for
 *
 * Threads: any; async-signal-safe with a signal-safe wick_mem.
 * Memory:  the caller's arrays; about 4 KiB of stack.
 */
#ifndef WICK_HOTSPOT_SCOPES_H
#define WICK_HOTSPOT_SCOPES_H

#include <stdbool.h>

#include "hotspot/jvm.h"

struct wick_hs_scope {
    wick_addr method; /* Method* */
    int32_t bci;      /* -1: the invocation itself, not a bytecode */
};

/* A place in compiled code. */
struct wick_hs_at {
    wick_addr nmethod;
    uint32_t off;         /* from the code's begin */
    bool safepoints_only; /* compiled without DebugNonSafepoints: nothing else of it is described */
};

/* Expands a place, innermost method first; at least the compiled method itself is reported when it has no debug
 * information for that. Returns the number of scopes (at most cap; the outermost ones are lost beyond it), or
 * -WICK_E_FAULT / -WICK_E_FORMAT when the nmethod cannot be read (it may just have been freed). */
int wick_hs_scopes(const struct wick_jvm *jvm, const struct wick_mem *mem, const struct wick_hs_at *at,
                   struct wick_hs_scope *out, int cap);

/* Whether this JVM asks its compilers for no other descriptions than those of safepoints, or it is not known. Not if it
 * does by now, though it may not have when older code was compiled. */
bool wick_hs_describes_safepoints_only(const struct wick_jvm *jvm, const struct wick_mem *mem);

/* The offsets from code begin at which the nmethod's debug information stands, ascending: up to and including each, pcs
 * behind the one before have the scopes of that offset. Returns how many (at most cap), or as wick_hs_scopes. */
int wick_hs_scope_ends(const struct wick_jvm *jvm, const struct wick_mem *mem, wick_addr nmethod, uint32_t *out,
                       int cap);

/* The root method of an nmethod or JNI wrapper, 0 if not readable. */
wick_addr wick_hs_nmethod_method(const struct wick_jvm *jvm, const struct wick_mem *mem, wick_addr nmethod);

#endif
