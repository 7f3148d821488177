/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_vm.h - a JVM's interfaces without a JVM
 *
 * JNI's functions find everything, JVMTI's are not available, but for those that a test replaces. Nothing of HotSpot's
 * layout is known, so nothing is read of any memory.
 */
#ifndef WICK_TESTS_UNIT_FAKE_VM_H
#define WICK_TESTS_UNIT_FAKE_VM_H

#include <jvmti.h>
#include <stdint.h>
#include <string.h>

static uint64_t fake_object[8];
static struct JNINativeInterface_ fake_jni;
static struct jvmtiInterface_1_ fake_jvmti;
static struct JNIInvokeInterface_ fake_invoke;
static const struct JNINativeInterface_ *fake_jni_env = &fake_jni;
static const struct jvmtiInterface_1_ *fake_jvmti_env = &fake_jvmti;
static const struct JNIInvokeInterface_ *fake_java_vm = &fake_invoke;

static void *fake_found(void)
{
    return fake_object;
}

static jvmtiError fake_not_available(void)
{
    return JVMTI_ERROR_NOT_AVAILABLE;
}

static jint JNICALL fake_get_env(JavaVM *vm, void **env, jint version)
{
    (void)vm;
    *env = version >= JVMTI_VERSION_1_0 ? (void *)&fake_jvmti_env : (void *)&fake_jni_env;
    return JNI_OK;
}

static jboolean JNICALL fake_no_exception(JNIEnv *env)
{
    (void)env;
    return JNI_FALSE;
}

static jint JNICALL fake_frame_pushed(JNIEnv *env, jint capacity)
{
    (void)env;
    (void)capacity;
    return JNI_OK;
}

static void fake_fill(void *table, size_t bytes, void (*function)(void))
{
    for (size_t i = 0; i < bytes / sizeof function; i++)
        memcpy((char *)table + i * sizeof function, &function, sizeof function);
}

static void fake_vm_init(void)
{
    fake_fill(&fake_jni, sizeof fake_jni, (void (*)(void))fake_found);
    fake_fill(&fake_jvmti, sizeof fake_jvmti, (void (*)(void))fake_not_available);
    fake_jni.ExceptionCheck = fake_no_exception;
    fake_jni.PushLocalFrame = fake_frame_pushed;
    fake_invoke.GetEnv = fake_get_env;
}

#endif
