/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ui_front.h - what the server of `wick ui` borrows from the other commands
 *
 * The tables and findings that other commands print as JSON are answers of the API, from the same functions. They keep
 * what they know of their input for the whole command (cli/input/inputs.h), so only one may run at a time: the server
 * calls them with its lock.
 *
 * Threads: see struct wick_serve_front.
 * Memory:  temporary.
 */
#ifndef WICK_CLI_UI_UI_FRONT_H
#define WICK_CLI_UI_UI_FRONT_H

#include "serve/serve.h"

/* The functions of struct wick_serve_front that need nothing of its own. */
int wick_ui_front_jvms(void *ctx, void (*each)(void *to, const struct wick_serve_jvm *jvm), void *to,
                       struct wick_err *err);
int wick_ui_front_view(void *ctx, const char *view, const struct wick_serve_file *file, const struct wick_ask *a,
                       FILE *out, struct wick_err *err);
int wick_ui_front_copy_kept(void *ctx, const struct wick_growing *g, const struct wick_ask *a, void **copy,
                            struct wick_err *err);
int wick_ui_front_write_kept(void *ctx, void *copy, const struct wick_ask *a, FILE *out, struct wick_err *err);
int wick_ui_front_table(void *ctx, const struct wick_picked *s, const struct wick_ask *a, FILE *out,
                        struct wick_err *err);
int wick_ui_front_changes(void *ctx, struct wick_answer_compared *c, const struct wick_ask *a, FILE *out,
                          struct wick_err *err);

#endif
