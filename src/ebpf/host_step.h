/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_step.h - whether what is known of a thread still holds, for the kernel side
 *
 * A native thread that leaves the JVM and comes back has another JavaThread then, and what it had may be another
 * thread's by now. So a JavaThread is believed as long as it leads to the OSThread that it had, and that names this
 * thread:
 *
 *      JavaThread._osthread --> OSThread._thread_id == number of the thread in the JVM's pid namespace
 *
 * Threads: as unwind/step_walk.h, after which it is included.
 */
#ifndef WICK_EBPF_HOST_STEP_H
#define WICK_EBPF_HOST_STEP_H

#include "ebpf/host_event.h"

struct wick_step_env;

/* As unwind/step.h says: 0, or non-zero if the bytes are not readable. */
int step_read(struct wick_step_env *env, uint64_t addr, void *buf, uint64_t n);

STEP_INLINE int host_is_thread(struct wick_step_env *env, const struct wick_host_java_thread *t)
{
    uint64_t osthread = 0;
    uint32_t id = 0;
    return !step_read(env, t->osthread_at, &osthread, sizeof osthread) && osthread == t->osthread &&
           !step_read(env, t->id_at, &id, sizeof id) && id == t->id;
}

#endif
