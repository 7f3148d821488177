/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ui_assets.h - the pages of web/ui/ and what they use, made at build time by web/embed.py
 */
#ifndef WICK_CLI_UI_UI_ASSETS_H
#define WICK_CLI_UI_UI_ASSETS_H

#include "serve/serve.h"

/* The first is the page at /; the last has no path. */
extern const struct wick_serve_asset wick_ui_assets[];

#endif
