/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own_tid.h - the calling thread's kernel id, without a system call
 *
 * The C library keeps the id in its record of the thread, which lies around the address that the thread pointer has
 * (struct pthread, whose layout it does not publish). The place is found by searching the records of several threads
 * for their ids: what is right in all of them and stands alone is it. Until then, and where none is found, the kernel
 * is asked.
 *
 * Threads: any; _sig is async-signal-safe. In a child of vfork, which runs with its parent's record, the parent's id.
 */
#ifndef WICK_ENGINE_THREAD_OWN_TID_H
#define WICK_ENGINE_THREAD_OWN_TID_H

#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/atomic.h"
#include "mem/mem.h"

extern _Atomic int32_t wick_own_tid_place; /* bytes from the thread pointer; 0 = not known */

/* Searches the calling thread's record. Two threads that call it are enough, as a rule. mem: this process. */
void wick_own_tid_learn(const struct wick_mem *mem);

static inline int32_t wick_own_tid_sig(void)
{
    int32_t place = wick_load_relaxed(&wick_own_tid_place);
    if (!place)
        return (int32_t)syscall(SYS_gettid);
    return *(const volatile int32_t *)((const char *)__builtin_thread_pointer() + place);
}

#endif
