/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph_out.h - a heap that stands still, written as a dump while the JVM walks its references
 *
 * The JVM reports each reference that it follows; of the objects it says where they are, and what they hold is read
 * there. Everything that it reports is held against memory: a reference that does not fit ends the dump.
 *
 * Memory:  a bit for each 8 bytes of the heap's address range, as far as it has objects; tables of classes and
 *          threads. Never freed: the process ends with the dump.
 */
#ifndef WICK_SNAPSHOT_GRAPH_OUT_H
#define WICK_SNAPSHOT_GRAPH_OUT_H

#include "hotspot/oop.h"
#include "snapshot/dump_out.h"
#include "snapshot/klass_table.h"
#include "snapshot/thread_table.h"

/* Kinds of references as JVMTI numbers them (jvmtiHeapReferenceKind). */
enum wick_graph_out_kind {
    WICK_GRAPH_CLASS = 1, /* from an object to its class: once for each object that is visited, but for classes */
    WICK_GRAPH_CLASS_LOADER = 4,
    WICK_GRAPH_SIGNERS = 5,
    WICK_GRAPH_PROTECTION_DOMAIN = 6,
    WICK_GRAPH_CONSTANT_POOL = 9,
    WICK_GRAPH_JNI_GLOBAL = 21, /* the first of the roots */
    WICK_GRAPH_SYSTEM_CLASS = 22,
    WICK_GRAPH_MONITOR = 23,
    WICK_GRAPH_STACK_LOCAL = 24,
    WICK_GRAPH_JNI_LOCAL = 25,
    WICK_GRAPH_THREAD = 26,
};

struct wick_graph_out_ref {
    int kind;                   /* enum wick_graph_out_kind, or another number of JVMTI's */
    wick_addr object, referrer; /* referrer: 0 = a root */
    uint64_t bytes;             /* of object in memory, as the JVM says */
    uint64_t thread_id;         /* STACK_LOCAL, JNI_LOCAL: Java's id */
    uint32_t depth;             /* of the frame */
    wick_addr method;           /* jmethodID, 0 = none */
    int32_t bci;
};

struct wick_graph_out {
    const struct wick_jvm *jvm;
    struct wick_hs_moves moves;
    wick_addr from, to;       /* the heap's addresses */
    uint8_t *seen;            /* a bit for each 8 bytes of them */
    uint64_t nseen, nvisited; /* objects without classes: referred to, and written */
    bool compact, wide_klass; /* headers; classes are referred to by whole addresses */
    wick_addr klass_base;
    unsigned klass_shift;
    uint32_t collections; /* of garbage, when the dump was begun; of a JVM that counts them */
    const char *problem;  /* why no dump can be made, NULL = none */
    bool again;           /* it is by chance: a dump of a later moment can be made */
    struct wick_klass_table klasses;
    struct wick_thread_table threads;
    struct wick_number_map strings; /* symbols that have been written */
    struct wick_dump_out out;
};

/* Whether this JVM's heap can be read so, and where it is: what can be said before it stands still. `jvm`'s form of
 * references is known (wick_hs_oop_form). NULL, or why not. */
const char *wick_graph_out_obstacle(const struct wick_jvm *jvm, wick_addr *from, wick_addr *to);

/* Begins the dump on descriptor fd. False: out of memory, or the heap is not known. */
bool wick_graph_out_begin(struct wick_graph_out *g, const struct wick_jvm *jvm, int fd, uint64_t now_ms);

/* One reference. False: the dump cannot be made (why: g->problem), or its reader has gone. */
bool wick_graph_out_reference(struct wick_graph_out *g, const struct wick_graph_out_ref *r);

/* All references have been reported: classes, threads and the end. False if the dump is not whole. */
bool wick_graph_out_finish(struct wick_graph_out *g);

#endif
