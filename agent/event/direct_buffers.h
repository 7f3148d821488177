/* SPDX-License-Identifier: Apache-2.0 */
/*
 * direct_buffers.h - how much memory direct buffers use, and how much they may
 *
 * The OutOfMemoryError of direct buffers is thrown by Java code, so the JVM does not report it (exhaustion.h). That
 * code, java.nio.Bits, keeps an account: buffers and their bytes, and the limit (-XX:MaxDirectMemorySize) beyond which
 * it throws. An allocation that does not fit waits half a second for collections first, so rounds of the drain thread,
 * 20 a second, see how high the account went.
 *
 * Threads: the drain thread; _open by the session's owner while it does not run.
 * Memory:  static, and three global references of JNI to objects that live as long as the JVM.
 */
#ifndef WICK_AGENT_EVENT_DIRECT_BUFFERS_H
#define WICK_AGENT_EVENT_DIRECT_BUFFERS_H

#include <stdbool.h>
#include <stdint.h>

#include "jfr/writer/writer.h"

/* A recording begins: what was before is forgotten. */
void wick_direct_buffers_open(void);

/* Finds the account, once in the life of the JVM, for which the thread enters it; no lock may be held. Does nothing
 * when it is known, or cannot be. */
void wick_direct_buffers_find(void);

/* A round. True if the limit was just reached, or nearly, and the last time is ten seconds ago: time to read where
 * memory is. */
bool wick_direct_buffers_look(uint64_t now_ns);

/* Writes the account, with its peak since the last time; nothing if it is not known. */
void wick_direct_buffers_write(struct wick_jfr_writer *w, uint64_t now_ns);

#endif
