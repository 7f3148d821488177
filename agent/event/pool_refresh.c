/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/event/pool_refresh.h"

#include "agent/jvm/vm.h"
#include "base/atomic.h"
#include "hotspot/thread_pool.h"

static jobject load(JNIEnv *env, jobject o, jfieldID id)
{
    return o && id ? (*env)->GetObjectField(env, o, id) : NULL;
}

/* Those that are examined; a Timer's array begins with an empty place, so with the first one next to each. */
static void use_tasks(JNIEnv *env, jobjectArray tasks, uint32_t n)
{
    uint32_t length = (uint32_t)(*env)->GetArrayLength(env, tasks);
    for (uint32_t i = 0, stride = wick_hs_pool_stride(n); i < n / stride; i++)
        for (uint32_t k = wick_hs_pool_task(i, stride), end = k + 2; k < end && k < length; k++)
            (*env)->DeleteLocalRef(env, (*env)->GetObjectArrayElement(env, tasks, (jsize)k));
}

static void use_queue(JNIEnv *env, const struct wick_pool_ids *ids, jobject queue)
{
    for (int i = 0; queue && i < WICK_POOL_QUEUES && ids->queues[i].class; i++)
        if (wick_pool_is_of(env, queue, ids->queues[i].class)) {
            jobject part = load(env, queue, ids->queues[i].part);
            if (part && ids->queues[i].size)
                use_tasks(env, part, (uint32_t)(*env)->GetIntField(env, queue, ids->queues[i].size));
        }
}

static bool use_thread(JNIEnv *env, jthread thread, void *arg)
{
    const struct wick_pool_ids *ids = arg;
    if (wick_pool_is_of(env, thread, ids->timer)) {
        use_queue(env, ids, load(env, thread, ids->timer_queue));
        return true;
    }
    jobject task = wick_pool_task(env, ids, thread);
    for (int i = 0; task && i < WICK_HS_EXECUTORS && ids->executors[i].worker; i++)
        if (wick_pool_is_of(env, task, ids->executors[i].worker)) {
            jobject pool = load(env, task, ids->executors[i].pool);
            (void)load(env, pool, ids->executors[i].control);
            use_queue(env, ids, load(env, pool, ids->executors[i].queue));
        }
    return true;
}

void wick_pool_refresh(struct wick_pool_ids *ids)
{
    bool attached;
    if (!wick_load_acquire(&wick_vm.live) || wick_load_relaxed(&wick_vm.dying)) /* pairs: become_live in vm.c */
        return;
    JNIEnv *env = wick_vm_enter(&attached);
    if (!env)
        return;
    wick_pool_each_thread(env, use_thread, ids);
    wick_vm_leave(attached);
}
