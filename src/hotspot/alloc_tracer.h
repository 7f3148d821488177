/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc_tracer.h - AllocTracer: what the JVM calls when an object did not fit into its thread's buffer
 *
 * HotSpot has two functions for its event recorder, called for each object that needs a new buffer and for each one
 * that is allocated outside of buffers. They are in every build, whether it has the recorder or not, and are not
 * exported. They are found by libjvm's symbols, its own or those of its separate debug file; in a build of JDK 8
 * without any by what their code looks like (see the source), which is why each call is checked as well.
 *
 * Threads: _find one; the others any, also in signal handlers.
 * Memory:  the caller's structs.
 */
#ifndef WICK_HOTSPOT_ALLOC_TRACER_H
#define WICK_HOTSPOT_ALLOC_TRACER_H

#include <stdbool.h>

#include "elf/file.h"
#include "hotspot/jvm.h"

enum { WICK_HS_REFILL, WICK_HS_OUTSIDE, WICK_HS_ALLOC_FUNCTIONS };
enum { WICK_HS_ALLOC_ARGUMENTS = 5 };

struct wick_hs_alloc_tracer {
    wick_addr at[WICK_HS_ALLOC_FUNCTIONS]; /* where they begin */
    wick_addr end;                         /* of what a thread calls as it ends; 0 = not known */
    bool has_thread;                       /* they are given object and thread: 8u262 and later */
    bool after;                            /* called when the new buffer is the thread's already: 11 and later */
    bool by_symbols;
};

/* A call. Sizes are in bytes. */
struct wick_hs_slow_alloc {
    wick_addr klass;
    wick_addr thread; /* 0 = not given */
    uint64_t buffer;  /* of the new buffer, 0 = the object is outside */
    uint64_t size;    /* of the object */
};

/* A thread's buffer, and what it has allocated in buffers before and outside of them. */
struct wick_hs_buffer {
    uint64_t allocated;
    uint64_t present, used, desired; /* bytes; present = used = 0: it has none */
};

/* Finds the functions in libjvm, `image`, whose symbols are in the file (NULL = it cannot be opened). Each begins
 * where the unwind tables say that a function begins. -WICK_E_UNSUPPORTED with a sentence. */
int wick_hs_alloc_tracer_find(struct wick_hs_alloc_tracer *t, const struct wick_jvm *jvm,
                              const struct wick_elf_image *image, const struct wick_elf_file *libjvm,
                              struct wick_err *err);

/* The call of function i with those arguments; false: no allocation looks so. */
bool wick_hs_alloc_tracer_call_sig(const struct wick_hs_alloc_tracer *t, unsigned i,
                                   const uint64_t arguments[WICK_HS_ALLOC_ARGUMENTS], struct wick_hs_slow_alloc *out);

/* Whether the JVM's tables have what _buffer_sig reads. */
bool wick_hs_buffer_known(const struct wick_jvm *jvm);

/* The buffer of the calling thread, whose JavaThread that is. */
void wick_hs_buffer_sig(const struct wick_jvm *jvm, wick_addr java, struct wick_hs_buffer *out);

#endif
