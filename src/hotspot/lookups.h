/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookups.h - how often the lookups of a method find nothing, as the JVM counted it
 *
 * While HotSpot runs a method in the interpreter or in code of C1 it counts in its MethodData which way each branch
 * goes, to compile it better later on. Where a method asks for something and tests the answer for null,
 *
 *      v = cache.get(key);
 *      if (v == null) { v = make(key); cache.put(key, v); }
 *
 * these counters are the hit rate of the cache, of every call, without any of them being traced. They stand still once
 * C2 has compiled the method: what they say is of the time before.
 *
 * Threads: any; async-signal-safe with a signal-safe wick_mem.
 * Memory:  the caller's buffers.
 */
#ifndef WICK_HOTSPOT_LOOKUPS_H
#define WICK_HOTSPOT_LOOKUPS_H

#include "hotspot/method.h"

enum { WICK_HS_LOOKUP_NAME = 256, WICK_HS_LOOKUP_ENTRIES = 512 };

struct wick_hs_lookup {
    uint32_t bci;                /* of the call that looks up */
    uint32_t miss_from, miss_to; /* the bytecodes that run where it gave null, up to the end of the method at most */
    uint64_t found, missed;
    char callee[WICK_HS_LOOKUP_NAME]; /* "java/util/Map.get", as the method names it */
};

/* A call, or a test for null, that the JVM has counted. */
struct wick_hs_lookup_entry {
    uint16_t bci;
    bool call, named;                      /* named: class and name were looked for */
    uint64_t taken, not ;                  /* of a test: whether it jumped */
    wick_addr class_name, name, signature; /* of a call: Symbols, 0 = not known */
};

/* What is read of one method; reused for the next. */
struct wick_hs_lookup_room {
    uint8_t code[8 << 10];
    uint64_t data[2 << 10];
    struct wick_hs_lookup_entry entries[WICK_HS_LOOKUP_ENTRIES];
};

/* The lookups of a method that also stores what it makes where it found nothing, by a method of the same class, or of
 * any where a java.lang.ref.Reference had lost what it referred to: at most cap. 0 = it has none, was not profiled, or
 * this JDK does not say. Some 10 reads, and 6 for each call that a lookup may be. */
int wick_hs_lookups(const struct wick_jvm *jvm, const struct wick_mem *mem, const struct wick_hs_method_id *id,
                    struct wick_hs_lookup_room *room, struct wick_hs_lookup *out, int cap);

#endif
