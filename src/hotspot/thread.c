/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread.c - walking ThreadsList (JDK 11 and later) or the linked Threads::_thread_list (JDK 8)
 */
#include "hotspot/thread.h"

#include "hotspot/value.h"

enum { MAX_THREADS = 1 << 20, IN_NATIVE = 4, BLOCKED = 10, PER_READ = 256 };

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

/* The JVM's list of threads: an array from JDK 10 on, links before. */
struct cursor {
    const struct wick_jvm *jvm;
    wick_addr at; /* where the next one's address stands in the array; or it itself */
    uint32_t left;
    bool linked;
};

static int begin(struct cursor *c, const struct wick_jvm *jvm)
{
    const struct wick_hs_layout *l = &jvm->layout;
    if (l->smr_list && l->threadslist_length != WICK_HS_NONE && l->threadslist_threads != WICK_HS_NONE) {
        wick_addr list = wick_hs_u64(jvm->mem, l->smr_list);
        wick_addr array = list ? wick_hs_u64(jvm->mem, list + (unsigned)l->threadslist_threads) : 0;
        uint32_t len = list ? wick_hs_u32(jvm->mem, list + (unsigned)l->threadslist_length) : 0;
        *c = (struct cursor){jvm, array, len, false};
        return array && len <= MAX_THREADS ? 0 : -WICK_E_FAULT;
    }
    if (l->thread_list && l->thread_next != WICK_HS_NONE) {
        *c = (struct cursor){jvm, wick_hs_u64(jvm->mem, l->thread_list), MAX_THREADS, true};
        return 0;
    }
    return -WICK_E_FAULT;
}

/* Whether there is another one; *thread is 0 where it cannot be read. */
static bool next(struct cursor *c, wick_addr *thread)
{
    if (!c->left-- || !c->at)
        return false;
    *thread = c->linked ? c->at : wick_hs_u64(c->jvm->mem, c->at);
    c->at = c->linked ? wick_hs_u64(c->jvm->mem, c->at + (unsigned)c->jvm->layout.thread_next) : c->at + 8;
    return true;
}

/* Entries without an OS thread are threads that are just starting or ending: at most cap of them are skipped, so a list
 * of nothing else takes no longer than one of threads. */
int wick_hs_threads(const struct wick_jvm *jvm, struct wick_hs_thread *out, int cap)
{
    struct cursor c;
    wick_addr t;
    int n = 0, rc = begin(&c, jvm);
    for (int i = 0; !rc && n < cap && i / 2 < cap && next(&c, &t); i++) {
        int32_t tid = t ? wick_hs_thread_tid(jvm, t) : 0;
        if (tid > 0)
            out[n++] = (struct wick_hs_thread){t, tid};
    }
    return rc ? rc : n;
}

wick_addr wick_hs_thread_of(const struct wick_jvm *jvm, int32_t tid)
{
    struct cursor c;
    wick_addr t;
    if (begin(&c, jvm))
        return 0;
    while (next(&c, &t))
        if (t && wick_hs_thread_tid(jvm, t) == tid)
            return t;
    return 0;
}

uint32_t wick_hs_thread_state_sig(const struct wick_jvm *jvm, wick_addr thread)
{
    return wick_hs_u32(jvm->mem, thread + (unsigned)jvm->layout.thread_state);
}

bool wick_hs_thread_awaited_sig(const struct wick_jvm *jvm, uint32_t state)
{
    const struct wick_hs_layout *l = &jvm->layout;
    uint32_t native = l->state_in_native == WICK_HS_NONE ? IN_NATIVE : (uint32_t)l->state_in_native;
    uint32_t blocked = l->state_blocked == WICK_HS_NONE ? BLOCKED : (uint32_t)l->state_blocked;
    return state != 0 && state != native && state != blocked;
}

/* Adds the thread if it is awaited. */
static void take_awaited(const struct wick_jvm *jvm, wick_addr t, struct wick_hs_thread *out, int cap,
                         uint32_t *awaited)
{
    if (!wick_hs_thread_awaited_sig(jvm, wick_hs_thread_state_sig(jvm, t)))
        return;
    int32_t tid = wick_hs_thread_tid(jvm, t);
    if (tid <= 0)
        return;
    if (*awaited < (uint32_t)cap)
        out[*awaited] = (struct wick_hs_thread){t, tid};
    ++*awaited;
}

static int awaited_in_array(const struct wick_jvm *jvm, struct wick_hs_thread *out, int cap, uint32_t *awaited,
                            uint32_t *all)
{
    const struct wick_hs_layout *l = &jvm->layout;
    wick_addr list = wick_hs_u64(jvm->mem, l->smr_list), some[PER_READ];
    wick_addr array = list ? wick_hs_u64(jvm->mem, list + (unsigned)l->threadslist_threads) : 0;
    uint32_t len = list ? wick_hs_u32(jvm->mem, list + (unsigned)l->threadslist_length) : 0;
    if (!array || len > MAX_THREADS)
        return -WICK_E_FAULT;
    for (uint32_t i = 0; i < len; i += PER_READ) {
        uint32_t n = len - i < PER_READ ? len - i : PER_READ;
        if (wick_mem_read(jvm->mem, array + 8 * (uint64_t)i, some, n * sizeof *some))
            return -WICK_E_FAULT;
        for (uint32_t k = 0; k < n; k++)
            take_awaited(jvm, some[k], out, cap, awaited);
    }
    *all = len;
    return 0;
}

static int awaited_in_links(const struct wick_jvm *jvm, struct wick_hs_thread *out, int cap, uint32_t *awaited,
                            uint32_t *all)
{
    wick_addr t = wick_hs_u64(jvm->mem, jvm->layout.thread_list);
    uint32_t n = 0;
    for (; t && n < MAX_THREADS; n++) {
        take_awaited(jvm, t, out, cap, awaited);
        t = wick_hs_u64(jvm->mem, t + (unsigned)jvm->layout.thread_next);
    }
    *all = n;
    return 0;
}

int wick_hs_threads_awaited(const struct wick_jvm *jvm, struct wick_hs_thread *out, int cap, uint32_t *awaited,
                            uint32_t *all)
{
    const struct wick_hs_layout *l = &jvm->layout;
    *awaited = *all = 0;
    if (l->smr_list && l->threadslist_length != WICK_HS_NONE && l->threadslist_threads != WICK_HS_NONE)
        return awaited_in_array(jvm, out, cap, awaited, all);
    if (l->thread_list && l->thread_next != WICK_HS_NONE)
        return awaited_in_links(jvm, out, cap, awaited, all);
    return -WICK_E_FAULT;
}
