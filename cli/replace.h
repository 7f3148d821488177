/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replace.h - which files a command may replace
 *
 * Outputs are made again and again under one name, so what wick wrote, and any recording or profile that it could have
 * written, is replaced without asking. Anything else that has the name was put there by somebody who may miss it.
 */
#ifndef WICK_CLI_REPLACE_H
#define WICK_CLI_REPLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Set by --force: every regular file may be replaced. */
extern bool wick_replace_force;

/* 0 if path may be written: it does not exist, is empty, is no regular file (opening it decides about those) or
 * is ours; otherwise -WICK_E_USAGE and a message. NULL and "-" are standard output. */
int wick_replace_check(const char *path, struct wick_err *err);

#endif
