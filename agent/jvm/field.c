/* SPDX-License-Identifier: Apache-2.0 */
/*
 * field.c - see field.h
 *
 * The id of an instance field holds its offset (hotspot/share/runtime/jfieldIDWorkaround.hpp):
 *
 *      bit 0: checked (the class's hash is kept above)    bit 1: instance field
 *      bits 2..8: offset, if checked                       bits 2..63: offset, if not
 */
#include "agent/jvm/field.h"

enum { CHECKED = 1, INSTANCE = 2, ADDRESS_SHIFT = 2, SMALL_OFFSET = 0x7f };

int32_t wick_field_offset(JNIEnv *env, jclass c, const char *name, const char *type)
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
    return offset < WICK_FIELD_OFFSET_END ? (int32_t)offset : 0;
}
