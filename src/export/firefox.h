/* SPDX-License-Identifier: Apache-2.0 */
/*
 * firefox.h - JSON of the Firefox Profiler (profiler.firefox.com): its processed format, version 48
 *
 * The profiler reads every older version, so one is written and kept. docs/formats/firefox.md says what becomes what.
 *
 * Threads: one at a time per profile.
 * Memory:  see shown.h and timeline.h.
 */
#ifndef WICK_EXPORT_FIREFOX_H
#define WICK_EXPORT_FIREFOX_H

#include "export/format.h"

/* See struct wick_format. */
int wick_firefox_write(const struct wick_profile *p, const struct wick_export_options *o, FILE *out,
                       struct wick_err *err);

#endif
