/* SPDX-License-Identifier: Apache-2.0 */
/*
 * atomic.h - short names for C11 atomics with the order always visible at the call
 *
 * Every use of an order stronger than relaxed names its partner in a comment: `pairs: <place>`. Sequential consistency
 * has no short name here: the comment says what needs it.
 *
 * Threads: any; async-signal-safe (lock-free for the sizes used: checked below).
 */
#ifndef WICK_BASE_ATOMIC_H
#define WICK_BASE_ATOMIC_H

#include <stdatomic.h>
#include <stdint.h>

_Static_assert(ATOMIC_LONG_LOCK_FREE == 2 && ATOMIC_POINTER_LOCK_FREE == 2, "signal handlers need lock-free atomics");

#define wick_load_relaxed(p)     atomic_load_explicit((p), memory_order_relaxed)
#define wick_load_acquire(p)     atomic_load_explicit((p), memory_order_acquire)
#define wick_store_relaxed(p, v) atomic_store_explicit((p), (v), memory_order_relaxed)
#define wick_store_release(p, v) atomic_store_explicit((p), (v), memory_order_release)
#define wick_add_relaxed(p, v)   atomic_fetch_add_explicit((p), (v), memory_order_relaxed)
#define wick_add_release(p, v)   atomic_fetch_add_explicit((p), (v), memory_order_release)
#define wick_sub_relaxed(p, v)   atomic_fetch_sub_explicit((p), (v), memory_order_relaxed)
#define wick_sub_acq_rel(p, v)   atomic_fetch_sub_explicit((p), (v), memory_order_acq_rel)
#define wick_xchg_acq_rel(p, v)  atomic_exchange_explicit((p), (v), memory_order_acq_rel)

/* Strong compare-and-swap; on success acquire+release, on failure acquire (and *expected is updated). */
#define wick_cas_acq_rel(p, expected, v) \
    atomic_compare_exchange_strong_explicit((p), (expected), (v), memory_order_acq_rel, memory_order_acquire)

/* Keeps the compiler, not the processor, from moving accesses across: enough between a thread and its own signal
 * handler. */
#define wick_signal_fence() atomic_signal_fence(memory_order_seq_cst)

#endif
