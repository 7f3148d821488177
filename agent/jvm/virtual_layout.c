/* SPDX-License-Identifier: Apache-2.0 */
/*
 * virtual_layout.c - asks JNI for the fields of virtual threads and of their frames, which HotSpot's tables lack
 *
 * Where a chunk's stack begins is the size of an instance of StackChunk without it, which is in the class's layout
 * helper; the class is found through its mirror. The class itself also has the fields that the JVM has added, which JNI
 * does not know.
 */
#include "agent/jvm/virtual_layout.h"

#include <stdbool.h>

#include "agent/jvm/field.h"
#include "agent/jvm/klass_place.h"
#include "hotspot/klass.h"
#include "hotspot/oop.h"

static jclass carrier_class; /* NULL: this JDK has no virtual threads */

static jclass find_class(JNIEnv *env, const char *name)
{
    jclass c = (*env)->FindClass(env, name);
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env);
    return c;
}

static void read_fields(JNIEnv *env, struct wick_jvm *jvm, jclass continuation, jclass chunk)
{
    struct wick_step_jvm *s = &jvm->step;
    int32_t tail = wick_field_offset(env, continuation, "tail", "Ljdk/internal/vm/StackChunk;");
    s->chunk_parent = wick_field_offset(env, chunk, "parent", "Ljdk/internal/vm/StackChunk;");
    s->chunk_size = wick_field_offset(env, chunk, "size", "I");
    s->chunk_sp = wick_field_offset(env, chunk, "sp", "I");
    s->chunk_bottom = wick_field_offset(env, chunk, "bottom", "I");
    s->chunk_bottom_is_argsize = !s->chunk_bottom;
    if (s->chunk_bottom_is_argsize)
        s->chunk_bottom = wick_field_offset(env, chunk, "argsize", "I");
    wick_addr klass = wick_klass_place_of_mirror(jvm, chunk);
    s->chunk_flags = wick_hs_klass_injected(jvm, klass, "flags", "B");
    jvm->virtual_thread.owner = wick_hs_klass_injected(jvm, klass, "cont", "Ljdk/internal/vm/Continuation;");
    s->chunk_stack = klass ? wick_hs_klass_instance_bytes(jvm, klass) : 0;
    if (s->chunk_parent && s->chunk_size && s->chunk_sp && s->chunk_bottom && s->chunk_stack > s->chunk_bottom &&
        wick_hs_oop_form(jvm))
        s->cont_tail = tail;
}

/* The bits of states by the names that some JDK gives them. */
static uint64_t states(JNIEnv *env, jclass c, const char *const *names)
{
    uint64_t bits = 0;
    for (; *names; names++) {
        jfieldID f = (*env)->GetStaticFieldID(env, c, *names, "I");
        if ((*env)->ExceptionCheck(env))
            (*env)->ExceptionClear(env);
        jint state = f ? (*env)->GetStaticIntField(env, c, f) : -1;
        if (state >= 0 && state < 64)
            bits |= UINT64_C(1) << state;
    }
    return bits;
}

/* Only states in which the frames are frozen: in PARKING, WAITING, BLOCKING and RUNNING some may be on a stack. */
static void read_thread(JNIEnv *env, struct wick_hs_virtual_fields *f, jclass c)
{
    static const char *const parked[] = {"PARKED", "TIMED_PARKED", NULL}, *const monitor[] = {"BLOCKED", NULL},
                             *const object_wait[] = {"WAIT", "TIMED_WAIT", NULL},
                             *const ready[] = {"RUNNABLE", "UNPARKED", "YIELDED", "UNBLOCKED", NULL},
                             *const started[] = {"STARTED", NULL};
    int32_t cont = wick_field_offset(env, c, "cont", "Ljdk/internal/vm/Continuation;");
    f->carrier = wick_field_offset(env, c, "carrierThread", "Ljava/lang/Thread;");
    f->state = wick_field_offset(env, c, "state", "I");
    f->id = wick_field_offset(env, c, "tid", "J");
    f->parked = states(env, c, parked);
    f->monitor = states(env, c, monitor);
    f->object_wait = states(env, c, object_wait);
    f->ready = states(env, c, ready);
    f->started = states(env, c, started);
    f->cont = f->carrier && f->state && f->id && f->parked ? cont : 0;
}

void wick_virtual_layout_open(JNIEnv *env, struct wick_jvm *jvm)
{
    if (jvm->major < 21)
        return;
    jclass continuation = find_class(env, "jdk/internal/vm/Continuation");
    jclass chunk = find_class(env, "jdk/internal/vm/StackChunk");
    jclass carrier = find_class(env, "jdk/internal/misc/CarrierThread");
    jclass thread = find_class(env, "java/lang/VirtualThread");
    if (continuation && chunk)
        read_fields(env, jvm, continuation, chunk);
    if (thread) {
        read_thread(env, &jvm->virtual_thread, thread);
        (*env)->DeleteLocalRef(env, thread);
    }
    if (carrier) {
        carrier_class = (*env)->NewGlobalRef(env, carrier);
        (*env)->DeleteLocalRef(env, carrier);
    }
    if (chunk)
        (*env)->DeleteLocalRef(env, chunk);
    if (continuation)
        (*env)->DeleteLocalRef(env, continuation);
}

bool wick_virtual_layout_is_carrier(JNIEnv *env, jobject thread)
{
    return carrier_class && (*env)->IsInstanceOf(env, thread, carrier_class);
}
