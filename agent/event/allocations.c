/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/event/allocations.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "agent/jvm/attach_mask.h"
#include "agent/jvm/class_name.h"
#include "agent/jvm/gc.h"
#include "agent/jvm/heap_sampler.h"
#include "agent/jvm/vm.h"
#include "base/registers.h"
#include "engine/alloc/alloc.h"
#include "engine/breakpoint.h"
#include "hotspot/alloc_gap.h"
#include "hotspot/thread.h"

enum { FIRST_JDK = 11, TRACED_JDK = 8, DELETE_MOST = 4, GAP_ROUNDS = 2 };

/* A jweak is the address of the JVM's slot, with its kind in the lowest bits. Pointers of ZGC carry a colour: one that
 * is null has nothing else. No object lies in the first 64 KiB. */
#define SLOT_KIND   7u
#define COLOUR_BITS 16

static const jvmtiCapabilities capability = {.can_generate_sampled_object_alloc_events = 1};

static struct {
    jvmtiEnv *jvmti;
    bool ours, on;  /* the capability, which one agent can have at a time; reports are made */
    uint32_t found; /* the interval before it was changed */
    struct wick_hs_alloc_gap gap;
    /* JDK 8 */
    bool traced; /* the tracer is known */
    struct wick_hs_alloc_tracer tracer;
    _Atomic uint32_t interval;
} allocations = {.gap = {.place = WICK_HS_NONE}};

/* At most one reference is made at a time, and so they are deleted faster than they are made. */
static void delete_unwanted(JNIEnv *env)
{
    uint64_t reference;
    for (int i = 0; i < DELETE_MOST && (reference = wick_alloc_unwanted()); i++)
        (*env)->DeleteWeakGlobalRef(env, (jweak)(uintptr_t)reference);
}

/* Called in the thread that allocates, by the JVM. */
static __attribute__((noinline)) void JNICALL sampled(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object,
                                                      jclass class, jlong size)
{
    struct wick_alloc_draw draw;
    char name[WICK_ALLOC_CLASS];
    ucontext_t here;
    if (size <= 0 || !wick_alloc_drawn((uint64_t)size, &draw))
        return;
    wick_agent_class_name(jvmti, class, name, sizeof name);
    jweak reference = draw.priority > 0 ? (*env)->NewWeakGlobalRef(env, object) : NULL;
    wick_registers_here(&here);
    /* behind the frame of this function: its saved frame pointer and its return address */
    uintptr_t from = (uintptr_t)__builtin_frame_address(0) + 2 * sizeof(void *);
    if (!wick_alloc_record(&draw, name, (uintptr_t)reference, &here, from) && reference)
        (*env)->DeleteWeakGlobalRef(env, reference);
    delete_unwanted(env);
}

/* An environment, for good; it has the capability only while a recording needs it. */
static int open_jvmti(struct wick_err *err)
{
    const jvmtiEventCallbacks cb = {.SampledObjectAlloc = sampled};
    jvmtiEnv *ti = NULL;
    if (allocations.jvmti)
        return 0;
    if ((*wick_vm.java_vm)->GetEnv(wick_vm.java_vm, (void **)&ti, JVMTI_VERSION_11) == JNI_OK &&
        !(*ti)->SetEventCallbacks(ti, &cb, sizeof cb)) {
        allocations.jvmti = ti;
        return 0;
    }
    if (ti)
        (*ti)->DisposeEnvironment(ti);
    return wick_err_set(err, WICK_E_UNSUPPORTED, "this JVM refuses to report allocations");
}

/* The place of the threads' gaps. The calling thread has a buffer when it has made an object, until a collection. */
static void find_gap(JNIEnv *env)
{
    for (int i = 0; i < GAP_ROUNDS && allocations.gap.place == WICK_HS_NONE; i++) {
        jstring some = (*env)->NewStringUTF(env, "wick");
        if (!some)
            (*env)->ExceptionClear(env); /* no memory */
        wick_hs_alloc_gap_find(&allocations.gap, &wick_vm.jvm, allocations.found, (int32_t)syscall(SYS_gettid));
        (*env)->DeleteLocalRef(env, some);
    }
}

/* In a thread that is attached to the JVM. */
static int take_over(JNIEnv *env, struct wick_err *err)
{
    int rc = open_jvmti(err);
    if (rc)
        return rc;
    jvmtiError refused = (*allocations.jvmti)->AddCapabilities(allocations.jvmti, &capability);
    if (refused == JVMTI_ERROR_NOT_AVAILABLE)
        return wick_err_set(
            err, WICK_E_STATE,
            "another agent samples allocations, and the JVM allows only one: stop that one, or leave alloc out");
    if (refused)
        return wick_err_set(err, WICK_E_UNSUPPORTED, "this JVM refuses to report allocations (JVMTI error %d)",
                            (int)refused);
    allocations.ours = true;
    wick_heap_sampler_find(allocations.jvmti, wick_vm.libjvm);
    allocations.found = wick_heap_sampler_interval();
    find_gap(env);
    return 0;
}

static bool notify(bool on)
{
    return !(*allocations.jvmti)
                ->SetEventNotificationMode(allocations.jvmti, on ? JVMTI_ENABLE : JVMTI_DISABLE,
                                           JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, NULL);
}

/* --- JDK 8 ------------------------------------------------------------------------------------------------------- */

static int find_tracer(struct wick_err *err)
{
    struct wick_elf_file file;
    if (allocations.traced)
        return 0;
    if (!wick_vm.libjvm || !wick_hs_buffer_known(&wick_vm.jvm))
        return wick_err_set(err, WICK_E_UNSUPPORTED,
                            "this JVM's tables do not say where threads keep their buffers, which sampling allocations "
                            "on JDK %d needs: leave alloc out",
                            TRACED_JDK);
    if (!wick_jvm_flag_is_set(&wick_vm.jvm, WICK_JVM_FLAG_TLAB, false))
        return wick_err_set(err, WICK_E_UNSUPPORTED,
                            "allocations of JDK %d are sampled where threads fill their buffers, and this JVM has none "
                            "(-XX:-UseTLAB): leave alloc out",
                            TRACED_JDK);
    bool open = !wick_elf_open_symbols(wick_vm.libjvm, &file);
    int rc = wick_hs_alloc_tracer_find(&allocations.tracer, &wick_vm.jvm, wick_vm.libjvm, open ? &file : NULL, err);
    if (open)
        wick_elf_file_release(&file);
    allocations.traced = !rc;
    return rc;
}

const struct wick_hs_alloc_tracer *wick_agent_allocations_tracer(void)
{
    return wick_vm.jvm.major < FIRST_JDK ? &allocations.tracer : NULL;
}

bool wick_agent_allocations_guard(void)
{
    return wick_breakpoint_guard();
}

static int set_breakpoints(uint64_t interval, struct wick_err *err)
{
    wick_store_relaxed(&allocations.interval, (uint32_t)interval);
    if (!wick_attach_mask_set(wick_vm.java_vm))
        return wick_err_set(err, WICK_E_UNSUPPORTED,
                            "allocations of JDK %d are found by breakpoints, and this JVM's functions that attach "
                            "threads cannot be replaced (they are write-protected, or another agent has replaced "
                            "them since), so threads may attach that a breakpoint ends: leave alloc out",
                            TRACED_JDK);
    return wick_breakpoint_set(allocations.tracer.at, WICK_HS_ALLOC_FUNCTIONS, wick_alloc_slow_sig, err);
}

/* --- either ------------------------------------------------------------------------------------------------------ */

int wick_agent_allocations_open(struct wick_err *err)
{
    JNIEnv *env;
    bool attached;
    if (wick_vm.jvm.major == TRACED_JDK)
        return find_tracer(err);
    if (wick_vm.jvm.major < FIRST_JDK)
        return wick_err_set(err, WICK_E_UNSUPPORTED,
                            "allocations can be sampled on JDK %d and from JDK %d on, and this is JDK %d: leave alloc "
                            "out; `jcmd PID GC.class_histogram` counts what is alive by class",
                            TRACED_JDK, FIRST_JDK, wick_vm.jvm.major);
    if (!(env = wick_vm_enter(&attached)))
        return wick_err_set(err, WICK_E_STATE, "the JVM does not let a thread of the agent attach");
    int rc = take_over(env, err);
    wick_vm_leave(attached);
    return rc;
}

int wick_agent_allocations_on(uint64_t interval, struct wick_err *err)
{
    bool attached;
    if (wick_agent_allocations_tracer())
        return set_breakpoints(interval, err);
    if (!wick_vm_enter(&attached))
        return wick_err_set(err, WICK_E_STATE, "the JVM does not let a thread of the agent attach");
    wick_heap_sampler_set(allocations.jvmti, (uint32_t)interval);
    allocations.on = notify(true);
    wick_vm_leave(attached);
    return allocations.on ? 0 : wick_err_set(err, WICK_E_UNSUPPORTED, "this JVM refuses to report allocations");
}

void wick_agent_allocations_off(void)
{
    bool attached;
    if (wick_agent_allocations_tracer() && wick_breakpoint_clear())
        wick_attach_mask_clear(wick_vm.java_vm);
    if (!allocations.ours || !wick_vm_enter(&attached))
        return;
    if (allocations.on)
        notify(false);
    wick_heap_sampler_set(allocations.jvmti, allocations.found);
    (*allocations.jvmti)->RelinquishCapabilities(allocations.jvmti, &capability);
    allocations.on = allocations.ours = false;
    wick_vm_leave(attached);
}

uint64_t wick_agent_allocations_interval(void)
{
    return wick_agent_allocations_tracer() ? wick_load_relaxed(&allocations.interval) : wick_heap_sampler_interval();
}

void wick_agent_allocations_change(uint64_t interval)
{
    bool attached;
    if (wick_agent_allocations_tracer()) {
        wick_store_relaxed(&allocations.interval, (uint32_t)interval);
        return;
    }
    if (!wick_vm_enter(&attached))
        return;
    wick_heap_sampler_set(allocations.jvmti, (uint32_t)interval);
    wick_vm_leave(attached);
}

/* Whether the calling thread's JavaThread is the one at that address: the environment that JNI gives it is a part. */
static bool is_own(uint64_t java_thread)
{
    void *env = NULL;
    return (*wick_vm.java_vm)->GetEnv(wick_vm.java_vm, &env, JNI_VERSION_1_6) == JNI_OK &&
           (uintptr_t)env - java_thread < (uint64_t)wick_vm.jvm.layout.javathread_size;
}

bool wick_agent_allocations_give_gap(uint64_t java_thread, uint64_t bytes, bool own)
{
    if (allocations.gap.place == WICK_HS_NONE)
        return false;
    if (own ? !is_own(java_thread) : wick_hs_thread_tid(&wick_vm.jvm, java_thread) <= 0)
        return false;
    return wick_hs_alloc_gap_set(&allocations.gap, java_thread, bytes);
}

bool wick_agent_allocations_is_gone(uint64_t reference)
{
    const uint64_t *slot = (const uint64_t *)(uintptr_t)(reference & ~(uint64_t)SLOT_KIND);
    return *(const volatile uint64_t *)slot >> COLOUR_BITS == 0;
}

void wick_agent_allocations_drop(const uint64_t *references, size_t n)
{
    JNIEnv *env;
    bool attached;
    if (!(env = wick_vm_enter(&attached)))
        return;
    for (size_t i = 0; i < n; i++)
        (*env)->DeleteWeakGlobalRef(env, (jweak)(uintptr_t)references[i]);
    wick_vm_leave(attached);
}

uint32_t wick_agent_allocations_collections(void)
{
    return wick_gc_moves() / 2;
}
