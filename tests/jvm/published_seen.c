/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the calling thread publishes, as native code in the same process finds it: by the dynamic linker. Loaded by
 * Publishes.java.
 */
#include <dlfcn.h>
#include <jni.h>
#include <stddef.h>
#include <stdint.h>

enum { SPAN = 16, VALID = 24 };

JNIEXPORT jlong JNICALL Java_Publishes_seen(JNIEnv *env, jclass cls, jstring agent);
JNIEXPORT jlong JNICALL Java_Publishes_seen(JNIEnv *env, jclass cls, jstring agent)
{
    static void *library;
    (void)cls;
    if (!library) {
        const char *path = (*env)->GetStringUTFChars(env, agent, NULL);
        library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
        (*env)->ReleaseStringUTFChars(env, agent, path);
    }
    const uint8_t **pointer = library ? dlsym(library, "otel_thread_ctx_v1") : NULL;
    if (!pointer)
        return -1;
    const uint8_t *record = *pointer;
    uint64_t span = 0;
    for (int i = 0; record && record[VALID] == 1 && i < 8; i++)
        span = span << 8 | record[SPAN + i];
    return (jlong)span;
}
