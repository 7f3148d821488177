/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.h - how an analysis gets at a recording's events
 *
 * Where recordings are, what is said of damaged ones and to whom, is for the front end; an analysis says which events
 * it needs and is handed them.
 */
#ifndef WICK_ANALYSIS_READ_H
#define WICK_ANALYSIS_READ_H

#include "jfr/reader/reader.h"

/* Reads the recording at path ("-" = standard input) into p, and hands what v asks for to v. 0 or -WICK_E_*. */
typedef int wick_analysis_reader(struct wick_profile *p, const char *path, const struct wick_jfr_visitor *v,
                                 struct wick_err *err);

#endif
