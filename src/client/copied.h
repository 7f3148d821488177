/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copied.h - takes a recording out of a file that a JVM has a descriptor of
 *
 * The process under study can do to that file what its descriptor allows: let it grow while it is read, or give it a
 * length that nothing stands behind. Such a hole costs the process nothing, and as a copy would fill our disk. A
 * recording has none, so what has one is no recording, nor is what lacks JFR's magic number; and what comes after the
 * copy has begun is left where it is.
 */
#ifndef WICK_CLIENT_COPIED_H
#define WICK_CLIENT_COPIED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* Whether all bytes of fd in [from, to) are really there, as far as the file system says. */
bool wick_copied_is_dense(int fd, uint64_t from, uint64_t to);

/* Copies `from`, as long as it is now, into `to`, a file of ours named `path` that is empty. -WICK_E_FORMAT for a file
 * with holes or one that does not begin as a recording does, or what writing fails with. */
int wick_copied_take(int from, int to, const char *path, struct wick_err *err);

#endif
