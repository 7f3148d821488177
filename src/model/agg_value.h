/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agg_value.h - what an aggregate has under a key: a label, or thread, state, event, kind, package, work, tid
 *
 * The package is that of the Java frame nearest to the leaf.
 *
 * Threads: reads the profile only.
 */
#ifndef WICK_MODEL_AGG_VALUE_H
#define WICK_MODEL_AGG_VALUE_H

#include "base/strbuf.h"
#include "model/profile.h"

/* Appends the value of a key for an aggregate; false if it has none. */
bool wick_agg_value(struct wick_strbuf *out, const struct wick_profile *p, const struct wick_agg *a, const char *key);

#endif
