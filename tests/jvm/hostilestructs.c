/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hostilestructs.c - makes the tables that this JVM exports of its own layout lie
 *
 * Loaded by HostileStructs.java. The tables lie in libjvm's data, which is made writable; the JVM does not read them.
 */
#include <dlfcn.h>
#include <jni.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

static uint64_t word(const char *symbol)
{
    const uint64_t *p = dlsym(RTLD_DEFAULT, symbol);
    return p ? *p : 0;
}

static struct {
    char *at;
    uint64_t value;
} truth[1024];
static int truths;

static int put(char *at, uint64_t value)
{
    if (truths == sizeof truth / sizeof *truth)
        return 0;
    uintptr_t page = (uintptr_t)at & ~(uintptr_t)4095;
    if (mprotect((void *)page, 8192, PROT_READ | PROT_WRITE) && mprotect((void *)page, 4096, PROT_READ | PROT_WRITE))
        return 0;
    truth[truths].at = at;
    memcpy(&truth[truths++].value, at, sizeof value);
    memcpy(at, &value, sizeof value);
    return 1;
}

JNIEXPORT jint JNICALL Java_HostileStructs_size(JNIEnv *env, jclass c, jstring type, jlong value);
JNIEXPORT jint JNICALL Java_HostileStructs_fields(JNIEnv *env, jclass c, jstring type, jlong value);
JNIEXPORT jint JNICALL Java_HostileStructs_honest(JNIEnv *env, jclass c);

/* Takes all lies back. */
JNIEXPORT jint JNICALL Java_HostileStructs_honest(JNIEnv *env, jclass c)
{
    (void)env;
    (void)c;
    int n = truths;
    while (truths) {
        truths--;
        memcpy(truth[truths].at, &truth[truths].value, sizeof truth[truths].value);
    }
    return n;
}

/* The size of a type. How many were set. */
JNIEXPORT jint JNICALL Java_HostileStructs_size(JNIEnv *env, jclass c, jstring type, jlong value)
{
    (void)c;
    const char *name = (*env)->GetStringUTFChars(env, type, NULL);
    char *at = (char *)word("gHotSpotVMTypes"), *text;
    int n = 0;
    for (; at && (text = *(char **)(at + word("gHotSpotVMTypeEntryTypeNameOffset")));
         at += word("gHotSpotVMTypeEntryArrayStride"))
        if (!strcmp(text, name))
            n += put(at + word("gHotSpotVMTypeEntrySizeOffset"), (uint64_t)value);
    (*env)->ReleaseStringUTFChars(env, type, name);
    return n;
}

/* The offsets of all fields of a type; of statics, their addresses. */
JNIEXPORT jint JNICALL Java_HostileStructs_fields(JNIEnv *env, jclass c, jstring type, jlong value)
{
    (void)c;
    const char *name = (*env)->GetStringUTFChars(env, type, NULL);
    char *at = (char *)word("gHotSpotVMStructs"), *text;
    int n = 0;
    for (; at && (text = *(char **)(at + word("gHotSpotVMStructEntryTypeNameOffset")));
         at += word("gHotSpotVMStructEntryArrayStride"))
        if (!strcmp(text, name)) {
            int32_t is_static;
            memcpy(&is_static, at + word("gHotSpotVMStructEntryIsStaticOffset"), sizeof is_static);
            n += put(at + word(is_static ? "gHotSpotVMStructEntryAddressOffset" : "gHotSpotVMStructEntryOffsetOffset"),
                     (uint64_t)value);
        }
    (*env)->ReleaseStringUTFChars(env, type, name);
    return n;
}
