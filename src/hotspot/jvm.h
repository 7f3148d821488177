/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jvm.h - one HotSpot JVM, seen through its memory
 *
 * Threads: read-only once wick_jvm_open_code has returned.
 * Memory:  the caller's struct; borrows the wick_mem, which must live as long.
 */
#ifndef WICK_HOTSPOT_JVM_H
#define WICK_HOTSPOT_JVM_H

#include "hotspot/layout.h"
#include "hotspot/step_facts.h"

#include <stdbool.h>

enum wick_jvm_flag {
#define X(id, name) WICK_JVM_FLAG_##id,
#include "hotspot/jvm_flag.def"
#undef X
    WICK_JVM_FLAG_COUNT,
};

/* Where java.lang.VirtualThread keeps what is needed of it; cont = 0: not known. */
struct wick_hs_virtual_fields {
    int32_t cont, carrier, state, id;
    int32_t owner; /* of a StackChunk: the Continuation whose frames it has; 0 = not known */
    uint64_t parked, monitor, object_wait, ready; /* bit n: its frames are frozen in state n, in which it is that */
    uint64_t started;                             /* bit n: in state n it has never run */
};

/* The JDK's own sets of virtual threads, and where their classes keep what is read of them (hotspot/container_draw.h).
 * started, registry: references of JNI to ConcurrentHashMaps, 0 = not known. executor, thread: Klass of
 * ThreadPerTaskExecutor and of VirtualThread, 0 = objects' classes cannot be read. */
struct wick_hs_containers {
    wick_addr started, registry, executor, thread;
    int32_t table, hash, key, next, first; /* of a ConcurrentHashMap, its nodes and tree bins */
    int32_t referent, threads, map;        /* of a WeakReference, the executor, a KeySetView */
    int32_t array_length, array_data;      /* of an array of references */
};

struct wick_jvm {
    const struct wick_mem *mem;
    struct wick_hs_layout layout;
    struct wick_step_jvm step; /* what a stack walk needs */
    struct wick_hs_virtual_fields virtual_thread;
    struct wick_hs_containers containers;
    wick_addr heap_addr[WICK_STEP_HEAPS]; /* CodeHeap* */
    char release[64];                     /* "17.0.15+6-Debian-1deb12u1" */
    int major, minor, security;           /* 17, 0, 15 */
    wick_addr flag[WICK_JVM_FLAG_COUNT];  /* where their values are; 0 = this JVM has none of that name */
};

/* Reads the layout, the version and the places of flags; counters can be asked for from then on. Works as soon as
 * libjvm.so is loaded. -WICK_E_UNSUPPORTED: not HotSpot, or a JDK without something that wick cannot do without; the
 * message names it. */
int wick_jvm_open(struct wick_jvm *jvm, const struct wick_mem *mem, const struct wick_hs_symbols *syms,
                  struct wick_err *err);

/* Completes jvm->step with the code heaps and stubs, which exist once the VM is initialised; -WICK_E_STATE before. */
int wick_jvm_open_code(struct wick_jvm *jvm, struct wick_err *err);

/* End of the committed part of code heap i: what lies below stays mapped as long as the JVM lives. */
wick_addr wick_jvm_heap_committed(const struct wick_jvm *jvm, unsigned i);

/* Whether a flag of type bool is set; without such a flag, or if it cannot be read: if_missing. */
bool wick_jvm_flag_is_set(const struct wick_jvm *jvm, enum wick_jvm_flag flag, bool if_missing);

/* Address of the jvmstat counter (a jlong) of that name, e.g. "sun.cls.unloadedClasses"; 0 with -XX:-UsePerfData. It
 * stays mapped as long as the JVM lives. */
wick_addr wick_jvm_perf_counter(const struct wick_jvm *jvm, const char *name);

/* A walk over all blobs of the code heaps, in the order of their addresses within each heap. Set jvm, zero the rest. */
struct wick_jvm_blobs {
    const struct wick_jvm *jvm;
    uint32_t heap, visited;
    wick_addr at, end; /* next block of this heap, 0 = not begun */
};

/* The address of the next CodeBlob, or false at the end. Blobs come and go while the JVM runs: check what you read. */
bool wick_jvm_blob_next(struct wick_jvm_blobs *it, wick_addr *blob);

/* Highest compile id in use: methods compiled later have greater ones. Visits the head of each nmethod once. */
uint32_t wick_jvm_last_compile_id(const struct wick_jvm *jvm);

#endif
