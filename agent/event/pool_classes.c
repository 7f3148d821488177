/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/event/pool_classes.h"

#include <jvmti.h>
#include <string.h>

#include "agent/jvm/boot_class.h"
#include "agent/jvm/field.h"
#include "agent/jvm/klass_place.h"
#include "agent/jvm/vm.h"
#include "base/atomic.h"
#include "hotspot/klass.h"

enum {
    THREADS_MOST = 4096,
    LOCAL_REFS = 24,
    SUPERCLASSES = 16,
    ARRAY_LENGTH = 12,
    COMPACT_ARRAY_LENGTH = 8,
    WIDE_ARRAY_LENGTH = 16
};

static const char atomic_integer[] = "Ljava/util/concurrent/atomic/AtomicInteger;";

/* Executors, the JDK's first. What its pool is to a worker is in a field of that class. */
static const struct executor_class {
    const char *worker, *executor, *pool_type;
} executor_classes[] = {
    {"java/util/concurrent/ThreadPoolExecutor$Worker", "java/util/concurrent/ThreadPoolExecutor",
     "Ljava/util/concurrent/ThreadPoolExecutor;"},
    {"org/apache/tomcat/util/threads/ThreadPoolExecutor$Worker", "org/apache/tomcat/util/threads/ThreadPoolExecutor",
     "Lorg/apache/tomcat/util/threads/ThreadPoolExecutor;"},
};
enum { EXECUTOR_CLASSES = sizeof executor_classes / sizeof *executor_classes };

/* What thread factories have their threads run, which runs the worker. */
static const struct wrapper_class {
    const char *name, *task;
} wrapper_classes[] = {
    {"org/apache/tomcat/util/threads/TaskThread$WrappingRunnable", "wrappedRunnable"},
    {"io/netty/util/concurrent/FastThreadLocalRunnable", "runnable"},
};
enum { WRAPPER_CLASSES = sizeof wrapper_classes / sizeof *wrapper_classes };

/* A class of queues by the names of its fields; NULL: it has none. Names of tasks' states are the class's own. */
static const struct queue_class {
    const char *name, *count, *counter, *capacity, *elements, *elements_type;
    bool fixed;
    uint32_t first;
    const char *task, *state;
    uint32_t cancelled_from, cancelled_to;
    const char *timed, *due;
    bool due_epoch_ms;
} queue_classes[] = {
    {.name = "java/util/concurrent/LinkedBlockingQueue", .counter = "count", .capacity = "capacity"},
    {.name = "java/util/concurrent/LinkedBlockingDeque", .count = "count", .capacity = "capacity"},
    {.name = "java/util/concurrent/ArrayBlockingQueue",
     .count = "count",
     .elements = "items",
     .elements_type = "[Ljava/lang/Object;",
     .fixed = true},
    {.name = "java/util/concurrent/SynchronousQueue"},
    {.name = "java/util/concurrent/PriorityBlockingQueue", .count = "size"},
    {.name = "java/util/concurrent/ScheduledThreadPoolExecutor$DelayedWorkQueue",
     .count = "size",
     .elements = "queue",
     .elements_type = "[Ljava/util/concurrent/RunnableScheduledFuture;",
     .task = "java/util/concurrent/FutureTask",
     .state = "state",
     .cancelled_from = 4, /* CANCELLED, INTERRUPTING, INTERRUPTED */
     .cancelled_to = 6,
     .timed = "java/util/concurrent/ScheduledThreadPoolExecutor$ScheduledFutureTask",
     .due = "time"},
    {.name = "java/util/TaskQueue",
     .count = "size",
     .elements = "queue",
     .elements_type = "[Ljava/util/TimerTask;",
     .first = 1,
     .task = "java/util/TimerTask",
     .state = "state",
     .cancelled_from = 3, /* CANCELLED */
     .cancelled_to = 3,
     .timed = "java/util/TimerTask",
     .due = "nextExecutionTime",
     .due_epoch_ms = true},
};
enum { QUEUE_CLASSES = sizeof queue_classes / sizeof *queue_classes };
_Static_assert((size_t)QUEUE_CLASSES <= (size_t)WICK_POOL_QUEUES, "room for all classes of queues");

/* ---- of any class ---- */

static wick_addr place_of(jclass c)
{
    return c ? wick_klass_place_of_mirror(&wick_vm.jvm, c) : 0;
}

static int32_t offset(JNIEnv *env, jclass c, const char *name, const char *type)
{
    return c && name ? wick_field_offset(env, c, name, type) : 0;
}

static jfieldID field(JNIEnv *env, jclass c, const char *name, const char *type)
{
    jfieldID id = c && name ? (*env)->GetFieldID(env, c, name, type) : NULL;
    (*env)->ExceptionClear(env);
    return id;
}

static jweak weak_of(JNIEnv *env, jclass c)
{
    return c ? (*env)->NewWeakGlobalRef(env, c) : NULL;
}

static void name_of(wick_addr klass, char *out)
{
    wick_hs_klass_name_sig(&wick_vm.jvm, klass, out, WICK_HS_POOL_CLASS);
}

/* ---- what leads from a thread to its pool ---- */

static bool fill_executor(JNIEnv *env, struct wick_pool_classes *c, unsigned at, const struct executor_class *names,
                          jclass worker, jclass executor)
{
    static const char queue_type[] = "Ljava/util/concurrent/BlockingQueue;";
    struct wick_hs_executor_fields f = {
        .worker = place_of(worker),
        .executor = place_of(executor),
        .pool = offset(env, worker, "this$0", names->pool_type),
        .core = offset(env, executor, "corePoolSize", "I"),
        .maximum = offset(env, executor, "maximumPoolSize", "I"),
        .control = offset(env, executor, "ctl", atomic_integer),
        .queue = offset(env, executor, "workQueue", queue_type),
        .name = names == executor_classes ? NULL : names->worker,
    };
    bool whole = f.worker && f.executor && f.pool && f.core && f.maximum && f.control && f.queue;
    jweak weak = whole ? weak_of(env, worker) : NULL;
    if (!weak)
        return false;
    c->fields.executors[at] = f;
    c->ids.executors[at].worker = weak;
    c->ids.executors[at].pool = field(env, worker, "this$0", names->pool_type);
    c->ids.executors[at].control = field(env, executor, "ctl", atomic_integer);
    c->ids.executors[at].queue = field(env, executor, "workQueue", queue_type);
    return true;
}

static bool fill_wrapper(JNIEnv *env, struct wick_pool_classes *c, unsigned at, const struct wrapper_class *names,
                         jclass class)
{
    static const char type[] = "Ljava/lang/Runnable;";
    struct wick_hs_wrapper_fields f = {
        .klass = place_of(class), .task = offset(env, class, names->task, type), .name = names->name};
    jweak weak = f.klass && f.task ? weak_of(env, class) : NULL;
    if (!weak)
        return false;
    c->fields.wrappers[at] = f;
    c->ids.wrappers[at].class = weak;
    c->ids.wrappers[at].task = field(env, class, names->task, type);
    return true;
}

static void fill_timer(JNIEnv *env, struct wick_pool_classes *c)
{
    static const char type[] = "Ljava/util/TaskQueue;";
    jclass timer = wick_boot_class(env, "java/util/TimerThread");
    wick_addr klass = place_of(timer);
    c->fields.timer_queue = offset(env, timer, "queue", type);
    if (!klass || !c->fields.timer_queue)
        return;
    c->fields.timer = klass;
    c->ids.timer = weak_of(env, timer);
    c->ids.timer_queue = field(env, timer, "queue", type);
}

/* ---- queues ---- */

/* What of a queue has to be loaded until its length or its tasks can be read. */
static jfieldID part_of(JNIEnv *env, jclass class, const struct queue_class *names)
{
    return names->counter ? field(env, class, names->counter, atomic_integer)
                          : field(env, class, names->elements, names->elements_type);
}

/* Classes that this JDK has otherwise than here are left out: their queues' lengths are not known. */
static void find_queues(JNIEnv *env, struct wick_pool_classes *c)
{
    size_t n = 0;
    for (size_t i = 0; i < QUEUE_CLASSES; i++) {
        const struct queue_class *from = &queue_classes[i];
        jclass class = wick_boot_class(env, from->name), task = from->task ? wick_boot_class(env, from->task) : NULL,
               timed = from->timed ? wick_boot_class(env, from->timed) : NULL;
        struct wick_hs_queue_fields q = {
            .klass = place_of(class),
            .count = offset(env, class, from->count, "I"),
            .counter = offset(env, class, from->counter, atomic_integer),
            .capacity = offset(env, class, from->capacity, "I"),
            .elements = offset(env, class, from->elements, from->elements_type),
            .fixed = from->fixed,
            .first = from->first,
            .task = place_of(task),
            .state = offset(env, task, from->state, "I"),
            .cancelled_from = from->cancelled_from,
            .cancelled_to = from->cancelled_to,
            .due = offset(env, timed, from->due, "J"),
            .due_epoch_ms = from->due_epoch_ms,
        };
        q.timed = q.due ? place_of(timed) : 0; /* all else may be known without it */
        bool whole = q.klass && !q.count == !from->count && !q.counter == !from->counter &&
                     !q.capacity == !from->capacity && !q.elements == !from->elements && !q.state == !from->state;
        if (!whole)
            continue;
        c->fields.queues[n] = q;
        c->ids.queues[n].class = weak_of(env, class);
        c->ids.queues[n].part = part_of(env, class, from);
        c->ids.queues[n++].size = from->task ? field(env, class, from->count, "I") : NULL;
    }
}

/* ---- the JDK's ---- */

bool wick_pool_classes_find(JNIEnv *env, struct wick_pool_classes *c)
{
    static const char holder_type[] = "Ljava/lang/Thread$FieldHolder;", runnable[] = "Ljava/lang/Runnable;";
    struct wick_hs_pool_fields *f = &c->fields;
    bool held = wick_vm.jvm.major >= 19; /* Thread's own fields are in a holder */
    const char *task = held ? "task" : "target";
    jclass thread = wick_boot_class(env, "java/lang/Thread"),
           owner = held ? wick_boot_class(env, "java/lang/Thread$FieldHolder") : thread,
           atomic = wick_boot_class(env, "java/util/concurrent/atomic/AtomicInteger"),
           worker = wick_boot_class(env, executor_classes[0].worker),
           executor = wick_boot_class(env, executor_classes[0].executor);
    f->eetop = offset(env, thread, "eetop", "J");
    f->holder = offset(env, held ? thread : NULL, "holder", holder_type);
    f->task = offset(env, owner, task, runnable);
    f->value = offset(env, atomic, "value", "I");
    bool compact = wick_jvm_flag_is_set(&wick_vm.jvm, WICK_JVM_FLAG_COMPACT_OBJECT_HEADERS, false);
    f->array_length = compact                                 ? COMPACT_ARRAY_LENGTH
                      : wick_hs_klass_is_narrow(&wick_vm.jvm) ? ARRAY_LENGTH
                                                              : WIDE_ARRAY_LENGTH;
    c->ids.holder = field(env, held ? thread : NULL, "holder", holder_type);
    c->ids.task = field(env, owner, task, runnable);
    fill_timer(env, c);
    find_queues(env, c);
    return f->eetop && !f->holder == !held && f->task && f->value &&
           fill_executor(env, c, 0, &executor_classes[0], worker, executor);
}

/* ---- others ---- */

static const struct executor_class *executor_named(const char *worker)
{
    for (size_t i = 1; i < EXECUTOR_CLASSES; i++)
        if (!strcmp(executor_classes[i].worker, worker))
            return &executor_classes[i];
    return NULL;
}

static const struct wrapper_class *wrapper_named(const char *name)
{
    for (size_t i = 0; i < WRAPPER_CLASSES; i++)
        if (!strcmp(wrapper_classes[i].name, name))
            return &wrapper_classes[i];
    return NULL;
}

bool wick_pool_class_can_be_added(const char *internal)
{
    return executor_named(internal) || wrapper_named(internal);
}

/* The place that has that Klass, as an earlier class had it; else the first whose class is not there any more, or that
 * was never used. */
static unsigned place_for_executor(JNIEnv *env, const struct wick_pool_classes *c, wick_addr worker)
{
    for (unsigned at = 1; at < WICK_HS_EXECUTORS; at++)
        if (c->fields.executors[at].worker == worker)
            return at;
    unsigned at = 1;
    while (at < WICK_HS_EXECUTORS && c->ids.executors[at].worker &&
           !(*env)->IsSameObject(env, c->ids.executors[at].worker, NULL))
        at++;
    return at;
}

static unsigned place_for_wrapper(JNIEnv *env, const struct wick_pool_classes *c, wick_addr klass)
{
    for (unsigned at = 0; at < WICK_HS_WRAPPERS; at++)
        if (c->fields.wrappers[at].klass == klass)
            return at;
    unsigned at = 0;
    while (at < WICK_HS_WRAPPERS && c->ids.wrappers[at].class &&
           !(*env)->IsSameObject(env, c->ids.wrappers[at].class, NULL))
        at++;
    return at;
}

/* The class of that name among an object's and those that it extends. */
static jclass class_named(JNIEnv *env, jobject o, const char *name)
{
    char found[WICK_HS_POOL_CLASS] = "";
    jclass c = o ? (*env)->GetObjectClass(env, o) : NULL;
    for (int i = 0; c && i < SUPERCLASSES; i++) {
        name_of(place_of(c), found);
        if (!strcmp(found, name))
            return c;
        c = (*env)->GetSuperclass(env, c);
    }
    return NULL;
}

static bool add_executor(JNIEnv *env, struct wick_pool_classes *c, const struct executor_class *names, jobject worker,
                         jclass class)
{
    unsigned at = place_for_executor(env, c, place_of(class));
    jfieldID id = field(env, class, "this$0", names->pool_type);
    jobject pool = id ? (*env)->GetObjectField(env, worker, id) : NULL;
    return at < WICK_HS_EXECUTORS && fill_executor(env, c, at, names, class, class_named(env, pool, names->executor));
}

static bool add_wrapper(JNIEnv *env, struct wick_pool_classes *c, const struct wrapper_class *names, jclass class)
{
    unsigned at = place_for_wrapper(env, c, place_of(class));
    return at < WICK_HS_WRAPPERS && fill_wrapper(env, c, at, names, class);
}

static bool add_class_of(JNIEnv *env, struct wick_pool_classes *c, jobject task, jclass class, wick_addr klass)
{
    char name[WICK_HS_POOL_CLASS] = "";
    name_of(klass, name);
    const struct executor_class *executor = executor_named(name);
    const struct wrapper_class *wrapper = wrapper_named(name);
    return executor  ? add_executor(env, c, executor, task, class)
           : wrapper ? add_wrapper(env, c, wrapper, class)
                     : false;
}

struct addition {
    struct wick_pool_classes *classes;
    wick_addr klass;
    bool added;
};

/* Looks for the class in what a thread runs, and in the wrappers known already. */
static bool add_if_run(JNIEnv *env, jthread thread, void *arg)
{
    struct addition *a = arg;
    jobject task = wick_pool_task(env, &a->classes->ids, thread);
    jclass class = task ? (*env)->GetObjectClass(env, task) : NULL;
    a->added = class && place_of(class) == a->klass && add_class_of(env, a->classes, task, class, a->klass);
    return !a->added;
}

bool wick_pool_class_add(JNIEnv *env, struct wick_pool_classes *c, wick_addr klass)
{
    struct addition a = {.classes = c, .klass = klass};
    wick_pool_each_thread(env, add_if_run, &a);
    return a.added;
}

/* ---- by JNI ---- */

bool wick_pool_is_of(JNIEnv *env, jobject o, jweak class)
{
    jclass c = o && class ? (*env)->NewLocalRef(env, class) : NULL;
    bool is = c && (*env)->IsInstanceOf(env, o, c);
    if (c)
        (*env)->DeleteLocalRef(env, c);
    return is;
}

static jobject load(JNIEnv *env, jobject o, jfieldID id)
{
    return o && id ? (*env)->GetObjectField(env, o, id) : NULL;
}

static jobject unwrap(JNIEnv *env, const struct wick_pool_ids *ids, jobject task)
{
    for (int i = 0; i < WICK_HS_WRAPPERS && ids->wrappers[i].class; i++)
        if (wick_pool_is_of(env, task, ids->wrappers[i].class))
            return load(env, task, ids->wrappers[i].task);
    return NULL;
}

jobject wick_pool_task(JNIEnv *env, const struct wick_pool_ids *ids, jthread thread)
{
    jobject task = load(env, ids->holder ? load(env, thread, ids->holder) : thread, ids->task), inner = task;
    for (int depth = 0; inner && depth < WICK_HS_WRAPPED; depth++) {
        inner = unwrap(env, ids, task);
        task = inner ? inner : task;
    }
    return task;
}

void wick_pool_each_thread(JNIEnv *env, bool (*fn)(JNIEnv *env, jthread thread, void *arg), void *arg)
{
    jvmtiEnv *ti = wick_vm.jvmti;
    jthread *threads = NULL;
    bool goes_on = true;
    jint n = 0;
    if ((*ti)->GetAllThreads(ti, &n, &threads))
        return;
    for (jint i = 0; i < n; i++) {
        goes_on &= i < THREADS_MOST && !wick_load_relaxed(&wick_vm.dying);
        if (goes_on && (*env)->PushLocalFrame(env, LOCAL_REFS) == 0) {
            goes_on = fn(env, threads[i], arg);
            (*env)->PopLocalFrame(env, NULL);
        }
        (*env)->DeleteLocalRef(env, threads[i]);
    }
    (*env)->ExceptionClear(env);
    (*ti)->Deallocate(ti, (unsigned char *)threads);
}
