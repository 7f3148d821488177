/* SPDX-License-Identifier: Apache-2.0 */
/*
 * virtual_threads.c - asks JNI for the fields, because HotSpot's tables do not have them
 *
 * The id of an instance field holds its offset (hotspot/share/runtime/jfieldIDWorkaround.hpp):
 *
 *      bit 0: checked (the class's hash is kept above)    bit 1: instance field
 *      bits 2..8: offset, if checked                       bits 2..63: offset, if not
 *
 * Where a chunk's stack begins is the size of an instance of StackChunk without it, which is in the class's layout
 * helper; the class is found through its mirror.
 */
#include "agent/virtual_threads.h"

#include <stdbool.h>

#include "hotspot/value.h"

enum { CHECKED = 1, INSTANCE = 2, ADDRESS_SHIFT = 2, SMALL_OFFSET = 0x7f, MAX_OFFSET = 4096 };

/* Offset of a field, 0 if there is none of that name and type. */
static int32_t field_offset(JNIEnv *env, jclass c, const char *name, const char *type)
{
    uintptr_t id = (uintptr_t)(*env)->GetFieldID(env, c, name, type);
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionClear(env);
        return 0;
    }
    if (!(id & INSTANCE))
        return 0;
    uintptr_t offset = id >> ADDRESS_SHIFT;
    if (id & CHECKED)
        offset &= SMALL_OFFSET;
    return offset < MAX_OFFSET ? (int32_t)offset : 0;
}

static jclass carrier_class; /* NULL: this JDK has no virtual threads */

static jclass find_class(JNIEnv *env, const char *name)
{
    jclass c = (*env)->FindClass(env, name);
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env);
    return c;
}

/* Size of an instance, 0 if it cannot be told. c is a local reference, which is the address of the mirror's address. */
static int32_t instance_bytes(const struct wick_jvm *jvm, jclass c)
{
    const struct wick_hs_layout *l = &jvm->layout;
    if (!l->mirror_klass || l->klass_layout < 0)
        return 0;
    wick_addr mirror = wick_hs_u64(jvm->mem, (wick_addr)(uintptr_t)c);
    uint32_t at = wick_hs_u32(jvm->mem, l->mirror_klass);
    wick_addr klass = at && at < MAX_OFFSET ? wick_hs_u64(jvm->mem, mirror + at) : 0;
    int32_t helper = klass ? (int32_t)wick_hs_u32(jvm->mem, klass + (unsigned)l->klass_layout) : 0;
    return helper > 0 && helper < MAX_OFFSET ? helper & ~7 : 0;
}

static bool flag_is_set(const struct wick_jvm *jvm, const char *name, bool if_missing)
{
    uint8_t value = 0;
    wick_addr at = wick_jvm_flag(jvm, name);
    return at ? !wick_mem_read(jvm->mem, at, &value, 1) && value : if_missing;
}

static bool read_oop_form(struct wick_jvm *jvm)
{
    const struct wick_hs_layout *l = &jvm->layout;
    struct wick_step_jvm *s = &jvm->step;
    s->oop_kind = WICK_OOP_PLAIN;
    if (flag_is_set(jvm, "UseCompressedOops", false)) {
        s->oop_kind = WICK_OOP_NARROW;
        s->oop_base = l->oop_base ? wick_hs_u64(jvm->mem, l->oop_base) : 0;
        s->oop_shift = l->oop_shift ? wick_hs_u32(jvm->mem, l->oop_shift) : 0;
        return l->oop_base && s->oop_shift < 8;
    }
    /* 21 and 22 also have the older ZGC, whose references can be used as they are; 24 and later only this one */
    if (flag_is_set(jvm, "UseZGC", false) && flag_is_set(jvm, "ZGenerational", true))
        s->oop_kind = WICK_OOP_COLOURED;
    return true;
}

static void read_fields(JNIEnv *env, struct wick_jvm *jvm, jclass continuation, jclass chunk)
{
    struct wick_step_jvm *s = &jvm->step;
    int32_t tail = field_offset(env, continuation, "tail", "Ljdk/internal/vm/StackChunk;");
    s->chunk_parent = field_offset(env, chunk, "parent", "Ljdk/internal/vm/StackChunk;");
    s->chunk_size = field_offset(env, chunk, "size", "I");
    s->chunk_sp = field_offset(env, chunk, "sp", "I");
    s->chunk_bottom = field_offset(env, chunk, "bottom", "I");
    s->chunk_bottom_is_argsize = !s->chunk_bottom;
    if (s->chunk_bottom_is_argsize)
        s->chunk_bottom = field_offset(env, chunk, "argsize", "I");
    s->chunk_stack = instance_bytes(jvm, chunk);
    if (s->chunk_parent && s->chunk_size && s->chunk_sp && s->chunk_bottom && s->chunk_stack > s->chunk_bottom &&
        read_oop_form(jvm))
        s->cont_tail = tail;
}

void wick_virtual_threads_open(JNIEnv *env, struct wick_jvm *jvm)
{
    if (jvm->major < 21)
        return;
    jclass continuation = find_class(env, "jdk/internal/vm/Continuation");
    jclass chunk = find_class(env, "jdk/internal/vm/StackChunk");
    jclass carrier = find_class(env, "jdk/internal/misc/CarrierThread");
    if (continuation && chunk)
        read_fields(env, jvm, continuation, chunk);
    if (carrier) {
        carrier_class = (*env)->NewGlobalRef(env, carrier);
        (*env)->DeleteLocalRef(env, carrier);
    }
    if (chunk)
        (*env)->DeleteLocalRef(env, chunk);
    if (continuation)
        (*env)->DeleteLocalRef(env, continuation);
}

bool wick_virtual_threads_is_carrier(JNIEnv *env, jobject thread)
{
    return carrier_class && (*env)->IsInstanceOf(env, thread, carrier_class);
}
