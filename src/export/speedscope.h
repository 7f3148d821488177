/* SPDX-License-Identifier: Apache-2.0 */
/*
 * speedscope.h - JSON of speedscope (its file-format-schema), also read by other viewers
 *
 * docs/formats/speedscope.md says what becomes what.
 *
 * Threads: one at a time per profile.
 * Memory:  see shown.h.
 */
#ifndef WICK_EXPORT_SPEEDSCOPE_H
#define WICK_EXPORT_SPEEDSCOPE_H

#include "export/format.h"

/* See struct wick_format. With o->threads, one profile for each thread. */
int wick_speedscope_write(const struct wick_profile *p, const struct wick_export_options *o, FILE *out,
                          struct wick_err *err);

#endif
