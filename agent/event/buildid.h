/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buildid.h - which build of the library this is
 *
 * Threads: any.
 * Memory:  constant.
 */
#ifndef WICK_AGENT_EVENT_BUILDID_H
#define WICK_AGENT_EVENT_BUILDID_H

/* Hex build id of this library (GNU note), 40 digits, or "" if it was linked without. Constant. */
const char *wick_agent_build_id(void);

#endif
