/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/event/pool_refresh.h"

#include <jvmti.h>

#include "agent/jvm/boot_class.h"
#include "agent/jvm/vm.h"
#include "base/atomic.h"
#include "hotspot/thread_pool.h"

enum { THREADS_MOST = 4096, LOCAL_REFS = 24, QUEUES = 5 };

/* What leads from a thread to the length of its pool's queue; NULL: this JDK has none of that name. */
static struct {
    bool tried;
    jclass worker, timer, queues[QUEUES];                 /* global references */
    jfieldID holder, task, pool, control, queue, waiting; /* waiting: of a TimerThread */
    jfieldID parts[QUEUES];                               /* of queues: an object that has the length, or the tasks */
    jfieldID sizes[QUEUES];                               /* of those whose tasks can be cancelled */
} java;

static jclass global_class(JNIEnv *env, const char *name)
{
    jclass c = wick_boot_class(env, name);
    return c ? (*env)->NewGlobalRef(env, c) : NULL;
}

static jfieldID field(JNIEnv *env, jclass c, const char *name, const char *type)
{
    jfieldID id = c ? (*env)->GetFieldID(env, c, name, type) : NULL;
    (*env)->ExceptionClear(env);
    return id;
}

static void find(JNIEnv *env)
{
    static const char counter[] = "Ljava/util/concurrent/atomic/AtomicInteger;", runnable[] = "Ljava/lang/Runnable;";
    static const struct {
        const char *name, *part, *type, *size;
    } queues[QUEUES] = {
        {"java/util/concurrent/LinkedBlockingQueue", "count", counter},
        {"java/util/concurrent/ArrayBlockingQueue", "items", "[Ljava/lang/Object;"},
        {"java/util/concurrent/PriorityBlockingQueue", "queue", "[Ljava/lang/Object;"},
        {"java/util/concurrent/ScheduledThreadPoolExecutor$DelayedWorkQueue", "queue",
         "[Ljava/util/concurrent/RunnableScheduledFuture;", "size"},
        {"java/util/TaskQueue", "queue", "[Ljava/util/TimerTask;", "size"},
    };
    bool held = wick_vm.jvm.major >= 19; /* as in thread_pools.c */
    jclass thread = wick_boot_class(env, "java/lang/Thread"),
           holder = held ? wick_boot_class(env, "java/lang/Thread$FieldHolder") : NULL,
           executor = wick_boot_class(env, "java/util/concurrent/ThreadPoolExecutor");
    java.worker = global_class(env, "java/util/concurrent/ThreadPoolExecutor$Worker");
    java.timer = global_class(env, "java/util/TimerThread");
    java.holder = field(env, held ? thread : NULL, "holder", "Ljava/lang/Thread$FieldHolder;");
    java.task = field(env, held ? holder : thread, held ? "task" : "target", runnable);
    java.pool = field(env, java.worker, "this$0", "Ljava/util/concurrent/ThreadPoolExecutor;");
    java.control = field(env, executor, "ctl", counter);
    java.queue = field(env, executor, "workQueue", "Ljava/util/concurrent/BlockingQueue;");
    java.waiting = field(env, java.timer, "queue", "Ljava/util/TaskQueue;");
    for (int i = 0; i < QUEUES; i++) {
        java.queues[i] = global_class(env, queues[i].name);
        java.parts[i] = field(env, java.queues[i], queues[i].part, queues[i].type);
        java.sizes[i] = queues[i].size ? field(env, java.queues[i], queues[i].size, "I") : NULL;
    }
}

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

static void use_queue(JNIEnv *env, jobject queue)
{
    for (int i = 0; queue && i < QUEUES; i++)
        if (java.queues[i] && (*env)->IsInstanceOf(env, queue, java.queues[i])) {
            jobject part = load(env, queue, java.parts[i]);
            if (part && java.sizes[i])
                use_tasks(env, part, (uint32_t)(*env)->GetIntField(env, queue, java.sizes[i]));
        }
}

static void use_thread(JNIEnv *env, jthread thread)
{
    if (java.timer && (*env)->IsInstanceOf(env, thread, java.timer)) {
        use_queue(env, load(env, thread, java.waiting));
        return;
    }
    jobject task = load(env, java.holder ? load(env, thread, java.holder) : thread, java.task);
    if (!task || !java.worker || !(*env)->IsInstanceOf(env, task, java.worker))
        return;
    jobject pool = load(env, task, java.pool);
    (void)load(env, pool, java.control);
    use_queue(env, load(env, pool, java.queue));
}

static void use_all(JNIEnv *env)
{
    jvmtiEnv *ti = wick_vm.jvmti;
    jthread *threads = NULL;
    jint n = 0;
    if ((*ti)->GetAllThreads(ti, &n, &threads))
        return;
    for (jint i = 0; i < n; i++) {
        bool wanted = i < THREADS_MOST && !wick_load_relaxed(&wick_vm.dying);
        if (wanted && (*env)->PushLocalFrame(env, LOCAL_REFS) == 0) {
            use_thread(env, threads[i]);
            (*env)->PopLocalFrame(env, NULL);
        }
        (*env)->DeleteLocalRef(env, threads[i]);
    }
    (*env)->ExceptionClear(env);
    (*ti)->Deallocate(ti, (unsigned char *)threads);
}

void wick_pool_refresh(void)
{
    bool attached;
    if (!wick_load_acquire(&wick_vm.live) || wick_load_relaxed(&wick_vm.dying)) /* pairs: become_live in vm.c */
        return;
    JNIEnv *env = wick_vm_enter(&attached);
    if (!env)
        return;
    if (!java.tried && (*env)->PushLocalFrame(env, LOCAL_REFS) == 0) {
        java.tried = true;
        find(env);
        (*env)->PopLocalFrame(env, NULL);
    }
    (*env)->ExceptionClear(env);
    use_all(env);
    wick_vm_leave(attached);
}
