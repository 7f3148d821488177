/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_assets.h - the page of web/heap/ as bytes, made at build time by web/embed.py
 */
#ifndef WICK_CLI_HEAP_HEAP_ASSETS_H
#define WICK_CLI_HEAP_HEAP_ASSETS_H

#include <stddef.h>

/* The page up to the title, from there to the tree, from there to the suspects, and the rest. */
extern const char wick_heap_assets_head[], wick_heap_assets_body[], wick_heap_assets_facts[], wick_heap_assets_tail[];
extern const size_t wick_heap_assets_head_len, wick_heap_assets_body_len, wick_heap_assets_facts_len,
    wick_heap_assets_tail_len;

#endif
