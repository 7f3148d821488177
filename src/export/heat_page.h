/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heat_page.h - the format heatmap: a page of the cells that analysis/compare/heat.h has collected
 *
 * Memory:  temporary, about 40 bytes for each stack.
 */
#ifndef WICK_EXPORT_HEAT_PAGE_H
#define WICK_EXPORT_HEAT_PAGE_H

#include "analysis/compare/heat.h"
#include "export/format.h"

/* Writer of the format heatmap; see struct wick_format. o->heat must be settled. -WICK_E_UNSUPPORTED if the samples
 * have no times. */
int wick_heat_page_write(const struct wick_profile *p, const struct wick_export_options *o, FILE *out,
                         struct wick_err *err);
/* What it shows of frames. */
unsigned wick_heat_page_keep(unsigned names);

#endif
