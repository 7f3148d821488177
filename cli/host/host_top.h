/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_top.h - `wick host top`: who uses the CPUs of this machine now, and who waits for them, again and again
 *
 * Memory:  the recorder's, 8 MiB of recording at most, and 256 MiB of what was read of it.
 */
#ifndef WICK_CLI_HOST_HOST_TOP_H
#define WICK_CLI_HOST_HOST_TOP_H

#include <stdint.h>

#include "base/err.h"
#include "opt/host_events.h"

/* Until duration_ns have passed, or the user ends it. by: a label, "process" for example. 0 or -WICK_E_* with a
 * sentence; the terminal is as it was before in any case. */
int wick_host_top(const struct wick_opt_host_events *events, const char *by, uint64_t duration_ns,
                  struct wick_err *err);

#endif
