/* SPDX-License-Identifier: Apache-2.0 */
/*
 * critical_field.c - see critical_field.h
 *
 * No table contains the place, so a tiny array is held for a moment, twice over, and the number in the own JavaThread
 * that goes from 0 to 1 to 2 with it, and back, is the counter. What else changes during the test (statistics, handles)
 * does not do that. JDK 27 has a second number that counts the same; the first one serves.
 */
#include "agent/jvm/critical_field.h"

#include <string.h>

enum { LEAST = 64, MOST = 8192, MOST_FOUND = 2 };

static int copy(const struct wick_jvm *jvm, wick_addr java, uint8_t *out, uint32_t n)
{
    return wick_mem_read(jvm->mem, java, out, n);
}

static uint32_t at(const uint8_t *p, uint32_t i)
{
    uint32_t v;
    memcpy(&v, p + i, sizeof v);
    return v;
}

/* How much of a JavaThread there is; its size stands in the table of types. */
static uint32_t size_of(const struct wick_jvm *jvm)
{
    int32_t n = jvm->layout.javathread_size;
    return n < LEAST ? 0 : n > MOST ? MOST : (uint32_t)n;
}

int32_t wick_critical_field_find(JNIEnv *env, const struct wick_jvm *jvm, wick_addr java)
{
    uint8_t before[MOST], once[MOST], twice[MOST], after[MOST];
    uint32_t n = size_of(jvm);
    int32_t place = WICK_HS_NONE, found = 0;
    jbyteArray array = n && java ? (*env)->NewByteArray(env, 1) : NULL;
    if (!array) {
        (*env)->ExceptionClear(env);
        return WICK_HS_NONE;
    }
    int r = copy(jvm, java, before, n);
    void *p = (*env)->GetPrimitiveArrayCritical(env, array, NULL), *again = NULL;
    if (p) {
        r |= copy(jvm, java, once, n);
        again = (*env)->GetPrimitiveArrayCritical(env, array, NULL);
    }
    if (again) {
        r |= copy(jvm, java, twice, n);
        (*env)->ReleasePrimitiveArrayCritical(env, array, again, JNI_ABORT);
    }
    if (p)
        (*env)->ReleasePrimitiveArrayCritical(env, array, p, JNI_ABORT);
    r |= copy(jvm, java, after, n);
    (*env)->DeleteLocalRef(env, array);
    for (uint32_t i = n & ~3u; again && !r && i >= 4;) {
        i -= 4;
        if (at(before, i) == 0 && at(once, i) == 1 && at(twice, i) == 2 && at(after, i) == 0) {
            place = (int32_t)i;
            found++;
        }
    }
    return found <= MOST_FOUND ? place : WICK_HS_NONE;
}
