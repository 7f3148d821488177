/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vm.h - the JVM we live in: JVMTI, its threads, its facts
 *
 * JVMTI is used for what only the JVM knows: that a Java thread starts or ends, its name, the names of stubs, system
 * properties. No jmethodID is made, and this environment asks for no capability: code that needs one (gc.h, locks.c,
 * allocations.c, mounts.c, exhaustion.c) has an environment of its own.
 *
 * Threads: _init in Agent_OnLoad or Agent_OnAttach; afterwards any thread may read.
 * Memory:  static, and what a JVM has once (names of stubs, properties) by malloc for the life of the process.
 */
#ifndef WICK_AGENT_JVM_VM_H
#define WICK_AGENT_JVM_VM_H

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>

#include "base/err.h"
#include "elf/image.h"
#include "engine/thread/threads.h"
#include "hotspot/jvm.h"
#include "record/walk.h"

struct wick_vm_property {
    char *key, *value;
};

struct wick_vm {
    JavaVM *java_vm;
    jvmtiEnv *jvmti;
    struct wick_mem mem;
    struct wick_elf_images images;
    const struct wick_elf_image *libjvm;
    struct wick_jvm jvm;
    struct wick_threads threads;
    struct wick_stub *stubs;
    uint32_t stub_count;
    struct wick_vm_property *properties;
    uint32_t property_count;
    jfieldID eetop, thread_id; /* of java.lang.Thread */
    uint32_t last_old_compile_id;
    int32_t critical_place; /* see critical_field.h */
    bool oops_known;        /* objects can be read, see hotspot/oop.h */
    bool exact_debug_info;  /* DebugNonSafepoints is on */
    _Atomic bool live;      /* the VM is initialised: recording is possible */
    _Atomic bool dying;     /* it goes down and waits for us: nothing long may be begun or gone on with */
};

/* The one VM of this process. */
extern struct wick_vm wick_vm;

/* What the agent's other parts are notified of; all are called in Java threads. */
struct wick_vm_listener {
    void (*up)(void);              /* its layout is known; no thread has been reported yet */
    void (*ready)(void);           /* it is initialised and all threads are known */
    void (*attached)(JNIEnv *env); /* it had been running when the agent came: after `ready` */
    void (*carrier)(int32_t tid);  /* a thread in the registry carries virtual threads */
    void (*thread_end)(int32_t tid);
    void (*death)(void); /* it goes down */
};

/* Sets up JVMTI and reads HotSpot's layout; l must stay. Errors with a sentence: -WICK_E_UNSUPPORTED, -WICK_E_PERM,
 * -WICK_E_NOMEM.
 */
int wick_vm_init(JavaVM *vm, const struct wick_vm_listener *l, struct wick_err *err);

/* A system property, "" if there is none. */
const char *wick_vm_property(const char *key);

/* Attaches a thread of the agent to the JVM, or finds it attached; `attached` is to be passed to _leave. NULL: the JVM
 * refuses. */
JNIEnv *wick_vm_enter(bool *attached);
void wick_vm_leave(bool attached);

#endif
