/* SPDX-License-Identifier: Apache-2.0 */
/*
 * virtual_refresh.h - references to virtual threads that ZGC has left out of date
 *
 * ZGC moves an object beside the program and updates a reference to it when that is used. The references to a virtual
 * thread that waits are used by nobody, so until the next collection they lead to where the thread was, and the wall
 * clock, which reads them in memory, does not find it. Each is right again once it has been used.
 *
 * Threads: one that may wait for the JVM (wick-control).
 */
#ifndef WICK_AGENT_LABEL_VIRTUAL_REFRESH_H
#define WICK_AGENT_LABEL_VIRTUAL_REFRESH_H

#include <stdbool.h>

/* Whether this JVM's collector is one of those. */
bool wick_virtual_refresh_needed(void);

/* If one was not found since the last call: uses the references to all virtual threads that have a context, to those in
 * the JDK's own sets (agent/jvm/thread_containers.h), and to their frames. */
void wick_virtual_refresh(void);

#endif
