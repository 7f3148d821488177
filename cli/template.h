/* SPDX-License-Identifier: Apache-2.0 */
/*
 * template.h - the manual page and the completions, from templates and the tables of commands and options
 *
 * Memory:  freed before it returns.
 */
#ifndef WICK_CLI_TEMPLATE_H
#define WICK_CLI_TEMPLATE_H

/* Copies the template to stdout with its marks replaced. Returns the exit status, after a message. */
int wick_template_expand(const char *path);

#endif
