/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure.h - what is written: the event type, its words in other tools' language, and which aggregates belong to it
 *
 * Threads: reads the profile only.
 */
#ifndef WICK_EXPORT_MEASURE_H
#define WICK_EXPORT_MEASURE_H

#include "export/format.h"

/* The event type to write. */
uint16_t wick_measure_event(const struct wick_profile *p, const struct wick_export_options *o);

/* What pprof and OTLP call it: "cpu", "wall", "alloc_space", "inuse_space", or the event's own name. Valid as long as
 * the profile. */
const char *wick_measure_type(const struct wick_profile *p, uint16_t event);

/* "nanoseconds", "bytes" or "count". */
const char *wick_measure_unit(const struct wick_profile *p, uint16_t event);

/* The library of a native or kernel frame, "" where it is a Java method or not known. Valid as long as the profile. */
const char *wick_measure_library(const struct wick_profile *p, const struct wick_frame *f);

#endif
