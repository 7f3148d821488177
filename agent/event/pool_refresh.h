/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool_refresh.h - brings references that lead to thread pools up to date where ZGC has left them out of date
 *
 * ZGC updates a reference when the program loads it, or in its next cycle. Those from a thread to its pool are loaded
 * once, at the thread's start, so most of the time memory does not lead to the pool (hotspot/oop.h). Loading them by
 * JNI updates them as the program would.
 *
 * Threads: the control thread, which may wait for the JVM.
 */
#ifndef WICK_AGENT_EVENT_POOL_REFRESH_H
#define WICK_AGENT_EVENT_POOL_REFRESH_H

#include "agent/event/pool_classes.h"

/* Loads those of all Java threads, at most 4,096. Enters the JVM. */
void wick_pool_refresh(struct wick_pool_ids *ids);

#endif
