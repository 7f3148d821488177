/* SPDX-License-Identifier: Apache-2.0 */
/*
 * safepoint.h - where a JVM stands on its way to a safepoint, seen through its memory
 *
 * The JVM exports no table of its safepoint state. Two sources, best first:
 *
 *   symbols    SafepointSynchronize::_state and its neighbours, by libjvm's own symbol table or its separate debug
 *              file: exact, with the JVM's own times of start, synchronisation and end
 *   counters   jvmstat's `sun.rt.safepoints`, which grows when a safepoint begins, and `sun.rt.safepointSyncTime`,
 *              which grows when all threads have arrived; for builds without symbols. What happened between two polls
 *              is deduced; `certain` is false after polls that were too far apart, until a counter moves
 *
 * Threads: one at a time for wick_hs_safepoint_look; the others only read.
 * Memory:  the caller's struct; borrows the JVM.
 */
#ifndef WICK_HOTSPOT_SAFEPOINT_H
#define WICK_HOTSPOT_SAFEPOINT_H

#include <stdbool.h>

#include "elf/file.h"
#include "hotspot/jvm.h"

enum wick_hs_safepoint_source { WICK_HS_SAFEPOINT_NONE, WICK_HS_SAFEPOINT_SYMBOLS, WICK_HS_SAFEPOINT_COUNTERS };

struct wick_hs_safepoint {
    const struct wick_jvm *jvm;
    enum wick_hs_safepoint_source source;
    /* symbols; 0 = this JDK has none */
    wick_addr state;                     /* SafepointSynchronize::_state: 0 none, 1 synchronizing, 2 synchronized */
    wick_addr counter;                   /* SafepointSynchronize::_safepoint_counter: odd from start to end */
    wick_addr begin_ns, sync_ns, end_ns; /* SafepointTracing, 14..: times of the last safepoint */
    wick_addr begin_ticks;               /* RuntimeService::_safepoint_timer, 8..13: ns since tick_origin */
    wick_addr tick_origin;               /* initial_time_count: when the VM's clock began */
    wick_addr operation;                 /* VMThread::_cur_vm_operation */
    wick_addr op_type, op_names;         /* SafepointTracing::_current_type, VM_Operation::_names; 14.. */
    /* jvmstat counters, 0 without UsePerfData */
    wick_addr count, sync_total, time_total;
    /* counters: what the last poll saw */
    uint64_t last_count, last_sync;
    bool waiting, unsure;
};

/* What one poll saw. */
struct wick_hs_safepoint_view {
    uint64_t id;        /* of the present or last safepoint; another one has another id */
    bool synchronising; /* threads are awaited */
    bool stopped;       /* all have arrived and the operation runs (symbols only) */
    bool certain;       /* false: synchronising is possible but not known */
    uint64_t begin_ns;  /* CLOCK_MONOTONIC; 0 = not known */
};

/* Finds what can be observed. `libjvm` is libjvm's file, NULL if it cannot be opened, and `bias` what turns its virtual
 * addresses into addresses. 0 or -WICK_E_UNSUPPORTED. Reads the file's whole symbol table: tens of milliseconds. */
int wick_hs_safepoint_open(struct wick_hs_safepoint *sp, const struct wick_jvm *jvm, const struct wick_elf_file *libjvm,
                           wick_addr bias);

/* Where the JVM stands now. */
void wick_hs_safepoint_look(struct wick_hs_safepoint *sp, struct wick_hs_safepoint_view *out);

/* Whether safepoint `id` still holds its threads, so that one which gave way stands where it did. Async-signal-safe
 * with a signal-safe memory. */
bool wick_hs_safepoint_holds_sig(const struct wick_hs_safepoint *sp, uint64_t id);

/* When the present or last safepoint began, if the JVM says so; 0 otherwise. */
uint64_t wick_hs_safepoint_begin_ns(const struct wick_hs_safepoint *sp);

/* When the last safepoint's threads had all arrived, and when it ended, if the JVM says so; 0 otherwise. */
uint64_t wick_hs_safepoint_sync_ns(const struct wick_hs_safepoint *sp);
uint64_t wick_hs_safepoint_end_ns(const struct wick_hs_safepoint *sp);

/* Sum of all times to safepoint so far in ns (exact, from the JVM's own clock), 0 without jvmstat. */
uint64_t wick_hs_safepoint_sync_total(const struct wick_hs_safepoint *sp);

/* Number of safepoints so far, 0 without jvmstat. */
uint64_t wick_hs_safepoint_count(const struct wick_hs_safepoint *sp);

/* When the VM's clock began (CLOCK_MONOTONIC ns): what its log calls uptime counts from here. 0 = not known. */
uint64_t wick_hs_safepoint_vm_start_ns(const struct wick_hs_safepoint *sp);

/* Name of the operation that the safepoint is for, "" if it is not known. */
void wick_hs_safepoint_operation(const struct wick_hs_safepoint *sp, char *name, size_t cap);

/* Where the VM thread keeps what it works at (VMThread::_cur_vm_operation), by libjvm's file as above; 0 = not known.
 */
wick_addr wick_hs_operation_find(const struct wick_elf_file *libjvm, wick_addr bias);

/* The virtual function table of the class of the operation that the VM thread works at, `place` as found by
 * wick_hs_operation_find; 0 = none. Operations without a safepoint (handshakes) are among them. */
wick_addr wick_hs_operation_class(const struct wick_jvm *jvm, wick_addr place);

/* The virtual function table of that operation's class, 0 = none: for JDKs where the name must be found by it. */
wick_addr wick_hs_safepoint_operation_class(const struct wick_hs_safepoint *sp);

#endif
