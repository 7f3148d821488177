/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page_assets.h - the pages of web/spans/, made at build time by web/embed.py: what stands before and after the
 * data
 */
#ifndef WICK_CLI_PAGE_ASSETS_H
#define WICK_CLI_PAGE_ASSETS_H

extern const char wick_page_trace_head[], wick_page_trace_tail[];
extern const char wick_page_endpoints_head[], wick_page_endpoints_tail[];

#endif
