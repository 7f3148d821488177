/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assets.h - the files of web/flame/ as bytes, made at build time by web/embed.py
 */
#ifndef WICK_FLAME_ASSETS_H
#define WICK_FLAME_ASSETS_H

#include <stddef.h>

/* The page up to the title, from there to the data, and the rest. */
extern const char wick_flame_html_head[], wick_flame_html_body[], wick_flame_html_tail[];
extern const size_t wick_flame_html_head_len, wick_flame_html_body_len, wick_flame_html_tail_len;

/* Style and script of the SVG; neither holds the sequence "]]>". */
extern const char wick_flame_svg_css[], wick_flame_svg_js[];
extern const size_t wick_flame_svg_css_len, wick_flame_svg_js_len;

#endif
