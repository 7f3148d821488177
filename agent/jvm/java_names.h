/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_names.h - what Java threads are called while a recording runs
 *
 * Threads: the session's, when a recording begins.
 * Memory:  static.
 */
#ifndef WICK_AGENT_JVM_JAVA_NAMES_H
#define WICK_AGENT_JVM_JAVA_NAMES_H

/* A recording begins: all Java threads are known by the names that they have now, and from now on names that change are
 * seen, where that can be done. */
void wick_agent_names_begin(void);

#endif
