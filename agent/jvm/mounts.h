/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mounts.h - notifications of which virtual thread runs on which kernel thread
 *
 * Threads: _follow in virtual threads, one at a time or not; the functions it is given run in the carrier.
 * Memory:  a JVMTI environment for the life of the process.
 */
#ifndef WICK_AGENT_JVM_MOUNTS_H
#define WICK_AGENT_JVM_MOUNTS_H

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

/* The virtual thread with that Thread.threadId() has been mounted on the calling thread; 0: the mounted one goes. */
typedef void wick_mounts_seen(uint64_t virtual_id);

/* Subscribes to each mount and unmount from now on. The first call asks for all virtual threads that start later, each
 * call for the calling one, which may have started before. False: this JVM does not report mounts. */
bool wick_mounts_follow(wick_mounts_seen *seen);

#endif
