/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pprof.h - profile.proto, the format of Go's pprof, compressed with gzip
 *
 * docs/formats/pprof.md says what becomes what.
 *
 * Threads: one at a time per profile.
 * Memory:  4 bytes for each frame and function of the profile, the names once more, and zlib's.
 */
#ifndef WICK_EXPORT_PPROF_H
#define WICK_EXPORT_PPROF_H

#include "export/format.h"

/* See struct wick_format. */
int wick_pprof_write(const struct wick_profile *p, const struct wick_export_options *o, FILE *out,
                     struct wick_err *err);

#endif
