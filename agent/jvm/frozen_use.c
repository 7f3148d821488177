/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frozen_use.c - thread -> continuation -> last chunk of frames -> the chunks of their callers
 *
 * A thread that waits again, after a collection and a wait whose frames have not all returned, has its frames in
 * several chunks.
 */
#include "agent/jvm/frozen_use.h"

#include "hotspot/virtual_thread.h"

enum { LOCAL_REFS = 8 };

static struct {
    jclass thread; /* a global reference */
    jfieldID cont, tail, parent;
    bool searched;
} java;

static jclass find_class(JNIEnv *env, const char *name)
{
    return (*env)->ExceptionCheck(env) ? NULL : (*env)->FindClass(env, name);
}

static jfieldID find_field(JNIEnv *env, jclass c, const char *name, const char *type)
{
    return c ? (*env)->GetFieldID(env, c, name, type) : NULL;
}

bool wick_frozen_use_known(JNIEnv *env)
{
    static const char chunk_type[] = "Ljdk/internal/vm/StackChunk;";
    if (!java.searched && !(*env)->PushLocalFrame(env, LOCAL_REFS)) {
        java.searched = true;
        jclass thread = find_class(env, "java/lang/VirtualThread");
        jclass continuation = find_class(env, "jdk/internal/vm/Continuation");
        jclass chunk = find_class(env, "jdk/internal/vm/StackChunk");
        java.thread = chunk ? (*env)->NewGlobalRef(env, thread) : NULL;
        java.cont = find_field(env, java.thread, "cont", "Ljdk/internal/vm/Continuation;");
        java.tail = find_field(env, java.cont ? continuation : NULL, "tail", chunk_type);
        java.parent = find_field(env, java.tail ? chunk : NULL, "parent", chunk_type);
        (*env)->ExceptionClear(env);
        (*env)->PopLocalFrame(env, NULL);
    }
    (*env)->ExceptionClear(env);
    return java.parent;
}

void wick_frozen_use(JNIEnv *env, jobject thread)
{
    bool is = thread && (*env)->IsInstanceOf(env, thread, java.thread);
    jobject cont = is ? (*env)->GetObjectField(env, thread, java.cont) : NULL;
    jobject chunk = cont ? (*env)->GetObjectField(env, cont, java.tail) : NULL;
    for (int i = 0; chunk && i < WICK_HS_CHUNKS_FOLLOWED; i++) {
        jobject parent = (*env)->GetObjectField(env, chunk, java.parent);
        (*env)->DeleteLocalRef(env, chunk);
        chunk = parent;
    }
}
