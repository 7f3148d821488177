/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/label/virtual_refresh.h"

#include "agent/jvm/vm.h"
#include "agent/label/jar_labels.h"

enum { LOCAL_REFS = 8 };

static struct {
    jfieldID cont, tail; /* of VirtualThread and of Continuation; tail = NULL: not known */
    bool searched;
} java;

static void find_fields(JNIEnv *env)
{
    if (java.searched || (*env)->PushLocalFrame(env, LOCAL_REFS))
        return;
    java.searched = true;
    jclass thread = (*env)->FindClass(env, "java/lang/VirtualThread");
    jclass continuation = thread ? (*env)->FindClass(env, "jdk/internal/vm/Continuation") : NULL;
    java.cont = continuation ? (*env)->GetFieldID(env, thread, "cont", "Ljdk/internal/vm/Continuation;") : NULL;
    java.tail = java.cont ? (*env)->GetFieldID(env, continuation, "tail", "Ljdk/internal/vm/StackChunk;") : NULL;
    (*env)->ExceptionClear(env);
    (*env)->PopLocalFrame(env, NULL);
}

static void *to_local(void *env, void *weak)
{
    return (*(JNIEnv *)env)->NewLocalRef(env, weak);
}

static void use(JNIEnv *env, const struct wick_label_holder *h)
{
    if ((*env)->PushLocalFrame(env, LOCAL_REFS)) {
        (*env)->ExceptionClear(env);
        return;
    }
    jobject thread = wick_labels_holder_thread(&wick_agent_labels, h, to_local, env);
    jobject cont = thread ? (*env)->GetObjectField(env, thread, java.cont) : NULL;
    if (cont)
        (void)(*env)->GetObjectField(env, cont, java.tail);
    (*env)->PopLocalFrame(env, NULL);
}

bool wick_virtual_refresh_needed(void)
{
    return wick_vm.jvm.major >= 21 && wick_agent_labels.map &&
           wick_jvm_flag_is_set(&wick_vm.jvm, WICK_JVM_FLAG_Z, false);
}

void wick_virtual_refresh(void)
{
    bool attached;
    if (!wick_load_relaxed(&wick_agent_labels.virtual_lost))
        return;
    wick_store_relaxed(&wick_agent_labels.virtual_lost, 0);
    if (!wick_load_acquire(&wick_vm.live) || wick_load_relaxed(&wick_vm.dying)) /* pairs: become_live in vm.c */
        return;
    JNIEnv *env = wick_vm_enter(&attached);
    if (!env)
        return;
    find_fields(env);
    uint32_t top = java.tail ? wick_labels_record_top(&wick_agent_labels) : 0;
    for (uint32_t n = 1; n < top && !wick_load_relaxed(&wick_vm.dying); n++) {
        struct wick_label_holder h;
        if (wick_labels_holder_at(&wick_agent_labels, n, &h))
            use(env, &h);
    }
    wick_vm_leave(attached);
}
