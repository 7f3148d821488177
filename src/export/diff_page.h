/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff_page.h - two sets of samples compared, as a flame graph on a page
 *
 * Memory:  temporary.
 */
#ifndef WICK_EXPORT_DIFF_PAGE_H
#define WICK_EXPORT_DIFF_PAGE_H

#include "analysis/compare/diff.h"
#include "export/format.h"

/* Writes the page of a comparison of samples of p, of event type o->event. names: what both sides are called, before
 * and after; o->title NULL = these are its title. 0, -WICK_E_NOMEM, or the error of writing. */
int wick_diff_page_write(const struct wick_diff *d, const struct wick_profile *p, const struct wick_export_options *o,
                         const char *const names[2], FILE *out, struct wick_err *err);

#endif
