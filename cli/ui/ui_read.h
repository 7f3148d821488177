/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ui_read.h - reading a recording for an answer of `wick ui`
 */
#ifndef WICK_CLI_UI_UI_READ_H
#define WICK_CLI_UI_UI_READ_H

#include "jfr/reader/reader.h"

/* As wick_analysis_reader, but prints nothing: the catalog has the notes on a recording. */
int wick_ui_read_quietly(struct wick_profile *p, const char *path, const struct wick_jfr_visitor *v,
                         struct wick_err *err);

#endif
