/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/label/virtual_refresh.h"

#include <stdlib.h>

#include "agent/jvm/frozen_use.h"
#include "agent/jvm/thread_containers.h"
#include "agent/jvm/vm.h"
#include "agent/label/jar_labels.h"

enum { LOCAL_REFS = 8 };

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
    wick_frozen_use(env, wick_labels_holder_thread(&wick_agent_labels, h, to_local, env));
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
    uint32_t room = wick_frozen_use_known(env) ? wick_labels_holders(&wick_agent_labels, NULL, 0) : 0;
    struct wick_label_holder *all = room ? malloc(room * sizeof *all) : NULL;
    uint32_t n = all ? wick_labels_holders(&wick_agent_labels, all, room) : 0;
    for (uint32_t i = 0; i < n && i < room && !wick_load_relaxed(&wick_vm.dying); i++)
        use(env, &all[i]);
    free(all);
    if (!wick_load_relaxed(&wick_vm.dying))
        wick_thread_containers_use(env);
    wick_vm_leave(attached);
}
