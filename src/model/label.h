/* SPDX-License-Identifier: Apache-2.0 */
/*
 * label.h - what a thread was working on when a sample was taken: sets of (key, value) pairs
 *
 * The keys "endpoint", "traceId" and "spanId" are the recording's own fields of the context, all others the program's
 * labels. Sets are interned in the profile (label_sets); number 0 is the empty set.
 *
 * Threads: one at a time, as for the profile.
 * Memory:  in the profile.
 */
#ifndef WICK_MODEL_LABEL_H
#define WICK_MODEL_LABEL_H

#include "model/profile.h"

enum { WICK_LABELS_MAX = 64 }; /* pairs in a set; more are left out */

/* The number of the set of n pairs in any order; of equal keys the last one counts. 0 when memory ran out. */
uint32_t wick_profile_label_set(struct wick_profile *p, const struct wick_label *pairs, uint32_t n);

/* The value (a string number) of a key (a string number) in a set; 0 if the set has no such key. */
uint32_t wick_profile_label(const struct wick_profile *p, uint32_t set, uint32_t key);

/* Gives the key's label in a set another value (string numbers), for readers that learn only at the end what something
 * is called. Nothing happens if the set has no such key. */
void wick_profile_relabel(struct wick_profile *p, uint32_t set, uint32_t key, uint32_t value);

/* The string number of a key, 0 if the profile holds no string like it. */
uint32_t wick_profile_label_key(const struct wick_profile *p, const char *key);

/* Takes len bytes of text apart, `key=value,key=value` with a backslash before any of \ , = in them, and appends at
 * most cap - n pairs to pairs, which holds n; ids of spans and traces only with by_span. Returns the new n. Text that
 * is none becomes pairs as far as it goes. */
uint32_t wick_label_parse(struct wick_profile *p, const char *text, size_t len, struct wick_label *pairs, uint32_t n,
                          uint32_t cap);

#endif
