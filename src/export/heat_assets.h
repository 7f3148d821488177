/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heat_assets.h - the page of web/heat/ as bytes, made at build time by web/embed.py
 */
#ifndef WICK_EXPORT_HEAT_ASSETS_H
#define WICK_EXPORT_HEAT_ASSETS_H

#include <stddef.h>

/* The page up to the title, from there to the call tree, from there to the slices, and the rest. */
extern const char wick_heat_assets_head[], wick_heat_assets_body[], wick_heat_assets_slices[], wick_heat_assets_tail[];
extern const size_t wick_heat_assets_head_len, wick_heat_assets_body_len, wick_heat_assets_slices_len,
    wick_heat_assets_tail_len;

#endif
