/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookup_profile.h - the lookups of the program's methods, as events wick.LookupProfile
 *
 * Threads: the drain's.
 * Memory:  malloc, until it returns.
 */
#ifndef WICK_RECORD_LOOKUP_PROFILE_H
#define WICK_RECORD_LOOKUP_PROFILE_H

#include "jfr/writer/writer.h"
#include "record/tables.h"

/* Writes what the JVM has counted of the lookups (hotspot/lookups.h) of the methods that the tables know, other than
 * those of the JDK: of 4096 at most, in some 25 microseconds each. Without memory it writes nothing. */
void wick_lookup_profile_write(struct wick_tables *t, const struct wick_jvm *jvm, const struct wick_mem *mem,
                               struct wick_jfr_writer *w, uint64_t now_ns);

#endif
