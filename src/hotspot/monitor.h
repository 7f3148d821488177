/* SPDX-License-Identifier: Apache-2.0 */
/*
 * monitor.h - which thread owns an ObjectMonitor, or a lock of java.util.concurrent
 *
 * What stands in ObjectMonitor::_owner differs:
 *   JDK 8..23   the owner's JavaThread; or, where another thread made the monitor of a lock that was held already, the
 *               BasicLock in the owner's stack (up to 22 by default), or 1 (anonymous: 23; 21 and 22 by option)
 *   JDK 24..    the owner's thread id (JavaThread::_monitor_owner_id, which is that of the mounted virtual thread),
 *               or 1
 * An anonymous owner has the object in its lock stack, a short array in its JavaThread.
 *
 * Threads: any. What is read may change at any time: an answer was right at some instant of the call.
 */
#ifndef WICK_HOTSPOT_MONITOR_H
#define WICK_HOTSPOT_MONITOR_H

#include <stdbool.h>

#include "hotspot/jvm.h"

/* A monitor, or with address 0 a thread as the owner of something else. */
struct wick_hs_monitor {
    wick_addr address;
    uint64_t owner;  /* ObjectMonitor::_owner as it was, or a JavaThread; 0 = nobody */
    uint64_t object; /* compares equal to an entry of the owner's lock stack; 0 = not needed, or not known */
};

/* Reads the owner. */
uint64_t wick_hs_monitor_owner(const struct wick_jvm *jvm, wick_addr monitor);

/* The ObjectMonitor that the thread waits to enter, 0 = none. */
wick_addr wick_hs_monitor_pending(const struct wick_jvm *jvm, wick_addr java_thread);

/* Completes what a comparison needs to know of the monitor. */
void wick_hs_monitor_init(struct wick_hs_monitor *m, const struct wick_jvm *jvm, wick_addr address, uint64_t owner);

/* Whether that thread is the owner. */
bool wick_hs_monitor_owned_by(const struct wick_jvm *jvm, const struct wick_hs_monitor *m, wick_addr java_thread);

/* Where java.util.concurrent keeps an owner; 0 = not known. */
struct wick_hs_ownable {
    int32_t owner; /* AbstractOwnableSynchronizer.exclusiveOwnerThread */
    int32_t eetop; /* Thread.eetop: its JavaThread */
};

/* JavaThread of the owner of the AbstractOwnableSynchronizer behind a local handle of JNI, 0 = none, or not known.
 * Wrong if the collector moves one of the objects during the call: check that there is such a thread. */
wick_addr wick_hs_ownable_owner(const struct wick_jvm *jvm, const struct wick_hs_ownable *o, wick_addr handle);

#endif
