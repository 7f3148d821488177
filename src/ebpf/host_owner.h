/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_owner.h - names of the threads that had a lock that others waited for
 *
 * A lock has the number of its owner as the owner's process knows it, which in a container is another one than here.
 * What a thread is called is asked for when a wait has ended. The owner may be gone by then, or may never have been
 * one: what is no thread of the process gets no name. And since any word of memory may look like a lock, only what
 * waits in a function of the C library that takes one is believed.
 *
 * Java's locks say who has them in objects that move. But who gives one up wakes the thread that is next: HotSpot when
 * a monitor is left, java.util.concurrent when a ReentrantLock or a write lock is unlocked. So a wait for one of these
 * that a thread of the same process ended by futex() was for that thread: the last one of those that had the lock
 * until then. Thread.interrupt() and a tryLock() that gives up wake as well, and are taken for owners. One that a timer
 * or an interrupt of the processor ended says nothing.
 */
#ifndef WICK_EBPF_HOST_OWNER_H
#define WICK_EBPF_HOST_OWNER_H

#include "ebpf/host_process.h"
#include "ebpf/host_tables.h"

enum { WICK_HOST_OWNERS = 1024, WICK_HOST_OWNER_NAME = WICK_HOST_COMM + 12 };

struct wick_host_owners {
    struct wick_host_owner {
        struct wick_host_birth birth;
        uint64_t read_ns; /* 0 = empty */
        uint32_t tid;
        char name[WICK_HOST_OWNER_NAME]; /* "main-4711", with the number of this machine; "" = there is none */
    } of[WICK_HOST_OWNERS];
};

/* Whether a stack of n frames, leaf first, waits within such a function. */
bool wick_host_owner_is_locking(const struct wick_host_tables *t, const struct wick_jfr_frame *frames, uint32_t n);

/* Whether a stack waits for a lock of Java's whose owner wakes the thread that is next. */
bool wick_host_owner_is_java(const struct wick_host_tables *t, const struct wick_jfr_frame *frames, uint32_t n);

/* The name of a thread by its number in its process; NULL = it has none. Borrowed until the next call. */
const char *wick_host_owner_name(struct wick_host_owners *o, struct wick_host_process *p, uint32_t tid,
                                 uint64_t now_ns);

#endif
