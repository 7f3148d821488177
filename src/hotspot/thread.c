/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread.c - walking ThreadsList (JDK 11 and later) or the linked Threads::_thread_list (JDK 8)
 */
#include "hotspot/thread.h"

#include "hotspot/value.h"

enum { MAX_THREADS = 1 << 20 };

int32_t wick_hs_thread_tid(const struct wick_jvm *jvm, wick_addr thread)
{
    wick_addr os = wick_hs_u64(jvm->mem, thread + (unsigned)jvm->layout.thread_osthread);
    return os ? (int32_t)wick_hs_u32(jvm->mem, os + (unsigned)jvm->layout.osthread_tid) : 0;
}

bool wick_hs_thread_enters_monitor(const struct wick_jvm *jvm, wick_addr thread)
{
    int32_t at = jvm->layout.thread_pending_monitor;
    return at != WICK_HS_NONE && wick_hs_u64(jvm->mem, thread + (unsigned)at);
}

wick_addr wick_hs_thread_stack_end(const struct wick_jvm *jvm, wick_addr thread)
{
    int32_t off = jvm->layout.thread_stack_base;
    return off == WICK_HS_NONE ? 0 : wick_hs_u64(jvm->mem, thread + (unsigned)off);
}

static int from_array(const struct wick_jvm *jvm, struct wick_hs_thread *out, int cap)
{
    const struct wick_hs_layout *l = &jvm->layout;
    wick_addr list = wick_hs_u64(jvm->mem, l->smr_list);
    wick_addr array = list ? wick_hs_u64(jvm->mem, list + (unsigned)l->threadslist_threads) : 0;
    uint32_t len = list ? wick_hs_u32(jvm->mem, list + (unsigned)l->threadslist_length) : 0;
    if (!array || len > MAX_THREADS)
        return -WICK_E_FAULT;
    int n = 0;
    for (uint32_t i = 0; i < len && n < cap; i++) {
        wick_addr t = wick_hs_u64(jvm->mem, array + 8 * (uint64_t)i);
        int32_t tid = t ? wick_hs_thread_tid(jvm, t) : 0;
        if (tid > 0)
            out[n++] = (struct wick_hs_thread){t, tid};
    }
    return n;
}

static int from_links(const struct wick_jvm *jvm, struct wick_hs_thread *out, int cap)
{
    wick_addr t = wick_hs_u64(jvm->mem, jvm->layout.thread_list);
    int n = 0;
    for (int i = 0; t && n < cap && i < MAX_THREADS; i++) {
        int32_t tid = wick_hs_thread_tid(jvm, t);
        if (tid > 0)
            out[n++] = (struct wick_hs_thread){t, tid};
        t = wick_hs_u64(jvm->mem, t + (unsigned)jvm->layout.thread_next);
    }
    return n;
}

int wick_hs_threads(const struct wick_jvm *jvm, struct wick_hs_thread *out, int cap)
{
    const struct wick_hs_layout *l = &jvm->layout;
    if (l->smr_list && l->threadslist_length != WICK_HS_NONE && l->threadslist_threads != WICK_HS_NONE)
        return from_array(jvm, out, cap);
    if (l->thread_list && l->thread_next != WICK_HS_NONE)
        return from_links(jvm, out, cap);
    return -WICK_E_FAULT;
}
