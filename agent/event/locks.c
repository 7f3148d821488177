/* SPDX-License-Identifier: Apache-2.0 */
/*
 * locks.c - see locks.h
 *
 * Monitors. JVMTI calls MonitorContendedEnter and -Entered, MonitorWait and -Waited in the thread that waits; a monitor
 * that nobody contends for costs nothing.
 *
 * java.util.concurrent. All of it waits in Unsafe.park, a native method. Which C function implements it is found
 * through Unsafe.registerNatives(), which hands the JVM's own functions to JNI's RegisterNatives: it is called once
 * more while this thread, and no other, has a table of JNI functions whose RegisterNatives substitutes our function for
 * the JVM's and remembers that. The JVM warns of foreign code that rebinds its methods, and treats as foreign any code
 * without a caller among its own classes; so registerNatives is called through a method handle, whose frames are the
 * JVM's.
 *
 * This is done once in the life of a JVM, by the first recording that needs it. Each binding makes the JVM generate a
 * new wrapper in the code cache, and the one before stays there (permanently where the JDK has no sweeper, or an idle
 * one), so binding and unbinding with each recording would fill the cache. While no recording of locks runs, our
 * function jumps to the JVM's and leaves no frame of its own: a load and a jump more a park (bench/parks.py).
 *
 * Most of the extra cost of a park is the search for the owner: four JNI calls, well below a microsecond in all, beside
 * the two context switches of a park. The names of classes are asked for waits that are recorded only.
 *
 * Virtual threads wait without either: they leave their carrier (docs/locks.md). From JDK 24 on they do so for
 * monitors, and JVMTI still reports it; the engine, which knows carriers only, is not notified then, since other
 * threads wait on the same carrier between the start and the end.
 */
#include "agent/event/locks.h"

#include <stdlib.h>
#include <string.h>

#include "agent/jvm/class_name.h"
#include "agent/jvm/field.h"
#include "agent/jvm/vm.h"

typedef void JNICALL park_function(JNIEnv *env, jobject unsafe, jboolean absolute, jlong time);

static struct {
    jvmtiEnv *jvmti;
    jclass unsafe, ownable;   /* Unsafe; AbstractOwnableSynchronizer */
    jclass leaver;            /* of threads that leave their carrier while they wait for monitors; NULL = none do */
    jobject register_natives; /* MethodHandle */
    jmethodID invoke;         /* its invokeWithArguments */
    jobjectArray no_arguments;
    jfieldID blocker, owner, eetop;
    _Atomic(park_function *) park; /* the JVM's; NULL: ours has not been bound */
    jint(JNICALL *register_function)(JNIEnv *, jclass, const JNINativeMethod *, jint);
    struct wick_hs_ownable places;
    bool monitors_on;
    _Atomic(park_function *) parked_by; /* what ours goes on with: the JVM's, or recorded_park() */
} locks;

static const jvmtiEvent monitor_events[] = {JVMTI_EVENT_MONITOR_CONTENDED_ENTER, JVMTI_EVENT_MONITOR_CONTENDED_ENTERED,
                                            JVMTI_EVENT_MONITOR_WAIT, JVMTI_EVENT_MONITOR_WAITED};
enum { MONITOR_EVENTS = sizeof monitor_events / sizeof *monitor_events, METHODS_MOST = 512 };

/* --- in threads that wait --- */

/* The class and the identity of the object that was waited for. */
static void describe(JNIEnv *env, jobject object, struct wick_lock_what *out)
{
    jint hash = 0;
    jclass class = object ? (*env)->GetObjectClass(env, object) : NULL;
    if (!class)
        return;
    wick_agent_class_name(locks.jvmti, class, out->class_name, sizeof out->class_name);
    if (!(*locks.jvmti)->GetObjectHashCode(locks.jvmti, object, &hash))
        out->hash = (uint32_t)hash;
    (*env)->DeleteLocalRef(env, class);
}

static bool leaves(JNIEnv *env, jthread thread)
{
    return locks.leaver && (*env)->IsInstanceOf(env, thread, locks.leaver);
}

static void JNICALL contended_enter(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object)
{
    if (!leaves(env, thread))
        wick_lock_begin(WICK_LOCK_MONITOR, 0, NULL);
}

static void JNICALL contended_entered(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object)
{
    struct wick_lock_done done;
    struct wick_lock_what what = {0};
    if (leaves(env, thread) || !wick_lock_end(WICK_LOCK_MONITOR, &done))
        return;
    describe(env, object, &what);
    wick_lock_record(&done, &what);
}

/* The timeout is passed at the start and read at the end: a thread is in one Object.wait at a time. */
static void JNICALL monitor_wait(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object, jlong timeout)
{
    if (!leaves(env, thread))
        wick_lock_begin(WICK_LOCK_WAIT, (uint64_t)timeout, NULL);
}

static void JNICALL monitor_waited(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object, jboolean timed_out)
{
    struct wick_lock_done done;
    struct wick_lock_what what = {.timed_out = timed_out};
    if (leaves(env, thread) || !wick_lock_end(WICK_LOCK_WAIT, &done))
        return;
    what.timeout = (int64_t)done.owner;
    describe(env, object, &what);
    what.address = what.hash;
    wick_lock_record(&done, &what);
}

/* What the calling thread is about to park on, as a local reference. */
static jobject blocker_of(JNIEnv *env)
{
    jthread thread = NULL;
    if ((*locks.jvmti)->GetCurrentThread(locks.jvmti, &thread) || !thread)
        return NULL;
    jobject blocker = (*env)->GetObjectField(env, thread, locks.blocker);
    (*env)->DeleteLocalRef(env, thread);
    return blocker;
}

/* JavaThread of the owner of an AbstractOwnableSynchronizer, 0 = it has none. */
static wick_addr owner_of(JNIEnv *env, jobject ownable)
{
    wick_addr java = 0;
    jobject owner = (*env)->GetObjectField(env, ownable, locks.owner);
    if (owner) {
        java = (wick_addr)(*env)->GetLongField(env, owner, locks.eetop);
        (*env)->DeleteLocalRef(env, owner);
    }
    return java;
}

static void JNICALL recorded_park(JNIEnv *env, jobject unsafe, jboolean absolute, jlong time)
{
    struct wick_lock_done done;
    park_function *original = wick_load_relaxed(&locks.park);
    jobject blocker = wick_lock_running() ? blocker_of(env) : NULL;
    bool ownable = blocker && (*env)->IsInstanceOf(env, blocker, locks.ownable);
    wick_lock_begin(WICK_LOCK_PARK, ownable ? owner_of(env, blocker) : 0, ownable ? blocker : NULL);
    original(env, unsafe, absolute, time);
    if (wick_lock_end(WICK_LOCK_PARK, &done)) {
        struct wick_lock_what what = {.timeout = absolute || !time ? INT64_MIN : time,
                                      .until = absolute ? time : INT64_MIN};
        describe(env, blocker, &what);
        what.address = what.hash;
        wick_lock_record(&done, &what);
    }
    if (blocker)
        (*env)->DeleteLocalRef(env, blocker);
}

/* Unsafe.park is bound to this permanently: a load and a jump. Nothing may follow the call, or it is no tail call. */
static void JNICALL park(JNIEnv *env, jobject unsafe, jboolean absolute, jlong time)
{
    park_function *next = wick_load_relaxed(&locks.parked_by);
    next(env, unsafe, absolute, time);
}

/* --- on and off --- */

/* True, and no longer pending, if the last call threw. */
static bool failed(JNIEnv *env)
{
    bool thrown = (*env)->ExceptionCheck(env);
    (*env)->ExceptionClear(env);
    return thrown;
}

/* RegisterNatives of the thread that switches. */
static jint JNICALL register_park(JNIEnv *env, jclass class, const JNINativeMethod *methods, jint n)
{
    JNINativeMethod *copy = n > 0 && n <= METHODS_MOST ? malloc((size_t)n * sizeof *copy) : NULL;
    if (!copy)
        return locks.register_function(env, class, methods, n);
    memcpy(copy, methods, (size_t)n * sizeof *copy);
    for (jint i = 0; i < n; i++) {
        if (strcmp(copy[i].name, "park") != 0 || strcmp(copy[i].signature, "(ZJ)V") != 0)
            continue;
        wick_store_relaxed(&locks.park, (park_function *)copy[i].fnPtr);
        wick_store_relaxed(&locks.parked_by, (park_function *)copy[i].fnPtr);
        copy[i].fnPtr = (void *)park;
    }
    jint rc = locks.register_function(env, class, copy, n);
    free(copy);
    return rc;
}

/* Binds Unsafe.park to ours, once: lets Unsafe register its methods again, through register_park. */
static bool bind_park(JNIEnv *env)
{
    const struct JNINativeInterface_ *own = *env;
    struct JNINativeInterface_ table = *own;
    if (wick_load_relaxed(&locks.park))
        return true;
    locks.register_function = own->RegisterNatives;
    table.RegisterNatives = register_park;
    *env = &table;
    own->CallObjectMethod(env, locks.register_natives, locks.invoke, locks.no_arguments);
    *env = own;
    return !failed(env) && wick_load_relaxed(&locks.park);
}

/* A global reference in place of a local one; NULL stays NULL. */
static jobject keep(JNIEnv *env, jobject local)
{
    jobject global = local ? (*env)->NewGlobalRef(env, local) : NULL;
    (*env)->DeleteLocalRef(env, local);
    return global;
}

/* The value of a static field, a local reference. */
static jobject static_object(JNIEnv *env, const char *class_name, const char *field, const char *type)
{
    jclass c = (*env)->FindClass(env, class_name);
    jfieldID f = c ? (*env)->GetStaticFieldID(env, c, field, type) : NULL;
    return f ? (*env)->GetStaticObjectField(env, c, f) : NULL;
}

/* What a call of Java returned; NULL if it threw. */
static jobject unless_thrown(JNIEnv *env, jobject result)
{
    return (*env)->ExceptionCheck(env) ? NULL : result;
}

/* A method handle of Unsafe.registerNatives: MethodHandles.Lookup.IMPL_LOOKUP.findStatic(Unsafe.class,
 * "registerNatives", MethodType.methodType(void.class)). NULL, with an exception, if it cannot be made. */
static jobject find_register_natives(JNIEnv *env)
{
    jobject lookup = static_object(env, "java/lang/invoke/MethodHandles$Lookup", "IMPL_LOOKUP",
                                   "Ljava/lang/invoke/MethodHandles$Lookup;");
    jobject none = lookup ? static_object(env, "java/lang/Void", "TYPE", "Ljava/lang/Class;") : NULL;
    jclass types = none ? (*env)->FindClass(env, "java/lang/invoke/MethodType") : NULL;
    jmethodID make =
        types ? (*env)->GetStaticMethodID(env, types, "methodType", "(Ljava/lang/Class;)Ljava/lang/invoke/MethodType;")
              : NULL;
    jobject type = make ? unless_thrown(env, (*env)->CallStaticObjectMethod(env, types, make, none)) : NULL;
    jmethodID find = type ? (*env)->GetMethodID(env, (*env)->GetObjectClass(env, lookup), "findStatic",
                                                "(Ljava/lang/Class;Ljava/lang/String;Ljava/lang/invoke/MethodType;)"
                                                "Ljava/lang/invoke/MethodHandle;")
                          : NULL;
    jstring name = find ? (*env)->NewStringUTF(env, "registerNatives") : NULL;
    return name ? unless_thrown(env, (*env)->CallObjectMethod(env, lookup, find, locks.unsafe, name, type)) : NULL;
}

static bool find_fields(JNIEnv *env)
{
    if (locks.owner)
        return true;
    jclass thread = (*env)->FindClass(env, "java/lang/Thread");
    locks.ownable = keep(env, (*env)->FindClass(env, "java/util/concurrent/locks/AbstractOwnableSynchronizer"));
    if (locks.ownable && wick_vm.jvm.major >= 24)
        locks.leaver = keep(env, (*env)->FindClass(env, "java/lang/BaseVirtualThread"));
    if (!thread || !locks.ownable || (*env)->ExceptionCheck(env))
        return false;
    locks.blocker = (*env)->GetFieldID(env, thread, "parkBlocker", "Ljava/lang/Object;");
    locks.eetop = locks.blocker ? (*env)->GetFieldID(env, thread, "eetop", "J") : NULL;
    locks.owner =
        locks.eetop ? (*env)->GetFieldID(env, locks.ownable, "exclusiveOwnerThread", "Ljava/lang/Thread;") : NULL;
    locks.places.owner = wick_field_offset(env, locks.ownable, "exclusiveOwnerThread", "Ljava/lang/Thread;");
    locks.places.eetop = wick_field_offset(env, thread, "eetop", "J");
    return locks.owner;
}

static bool find_handle(JNIEnv *env)
{
    jclass handle = (*env)->FindClass(env, "java/lang/invoke/MethodHandle");
    jclass object = handle ? (*env)->FindClass(env, "java/lang/Object") : NULL;
    const char *unsafe = wick_vm.jvm.major >= 9 ? "jdk/internal/misc/Unsafe" : "sun/misc/Unsafe";
    locks.unsafe = object ? keep(env, (*env)->FindClass(env, unsafe)) : NULL;
    if (!locks.unsafe)
        return false;
    locks.invoke = (*env)->GetMethodID(env, handle, "invokeWithArguments", "([Ljava/lang/Object;)Ljava/lang/Object;");
    locks.no_arguments = locks.invoke ? keep(env, (*env)->NewObjectArray(env, 0, object, NULL)) : NULL;
    locks.register_natives = locks.no_arguments ? keep(env, find_register_natives(env)) : NULL;
    return locks.register_natives;
}

/* Finds what is needed of Java's classes, once; `all`: also to replace Unsafe.park. */
static bool find_all(JNIEnv *env, bool all)
{
    if (locks.register_natives)
        return true;
    if ((*env)->PushLocalFrame(env, 32)) {
        failed(env);
        return false;
    }
    bool found = find_fields(env) && (!all || find_handle(env));
    found &= !failed(env);
    (*env)->PopLocalFrame(env, NULL);
    return found;
}

static int open_jvmti(struct wick_err *err)
{
    const jvmtiCapabilities wanted = {.can_generate_monitor_events = 1};
    const jvmtiEventCallbacks cb = {.MonitorContendedEnter = contended_enter,
                                    .MonitorContendedEntered = contended_entered,
                                    .MonitorWait = monitor_wait,
                                    .MonitorWaited = monitor_waited};
    jvmtiEnv *ti = NULL;
    if (locks.jvmti)
        return 0;
    if ((*wick_vm.java_vm)->GetEnv(wick_vm.java_vm, (void **)&ti, JVMTI_VERSION_1_0) == JNI_OK &&
        !(*ti)->AddCapabilities(ti, &wanted) && !(*ti)->SetEventCallbacks(ti, &cb, sizeof cb)) {
        locks.jvmti = ti;
        return 0;
    }
    if (ti)
        (*ti)->DisposeEnvironment(ti);
    return wick_err_set(err, WICK_E_UNSUPPORTED, "this JVM does not report contended monitors");
}

static bool set_monitors(bool on)
{
    bool good = true;
    for (int i = 0; i < MONITOR_EVENTS; i++)
        good &=
            !(*locks.jvmti)
                 ->SetEventNotificationMode(locks.jvmti, on ? JVMTI_ENABLE : JVMTI_DISABLE, monitor_events[i], NULL);
    return good;
}

/* Runs in a thread that is attached to the JVM. */
static int switch_on(JNIEnv *env, struct wick_err *err)
{
    locks.monitors_on = true;
    if (!set_monitors(true))
        return wick_err_set(err, WICK_E_UNSUPPORTED, "this JVM does not report contended monitors");
    if (!bind_park(env))
        return wick_err_set(err, WICK_E_UNSUPPORTED, "this JVM's Unsafe.park cannot be replaced");
    wick_store_relaxed(&locks.parked_by, recorded_park);
    return 0;
}

static void switch_off(void)
{
    wick_store_relaxed(&locks.parked_by, wick_load_relaxed(&locks.park));
    if (locks.monitors_on)
        set_monitors(false);
    locks.monitors_on = false;
}

int wick_agent_locks_find(struct wick_hs_ownable *out, struct wick_err *err)
{
    bool attached;
    JNIEnv *env = wick_vm_enter(&attached);
    if (!env)
        return wick_err_set(err, WICK_E_STATE, "the JVM does not let a thread of the agent attach");
    int rc = open_jvmti(err);
    if (!rc && !find_all(env, true))
        rc = wick_err_set(err, WICK_E_UNSUPPORTED, "this JVM's Unsafe.park, or what it parks on, cannot be found");
    wick_vm_leave(attached);
    *out = wick_vm.oops_known ? locks.places : (struct wick_hs_ownable){0};
    return rc;
}

/* Reports what one thread is parked on. */
static void report_parked(JNIEnv *env, jthread thread, void (*report)(void *arg, const struct wick_agent_parked *p),
                          void *arg)
{
    struct wick_agent_parked p = {.thread = (wick_addr)(*env)->GetLongField(env, thread, locks.eetop)};
    jobject blocker = p.thread ? (*env)->GetObjectField(env, thread, locks.blocker) : NULL;
    if (blocker && (*env)->IsInstanceOf(env, blocker, locks.ownable))
        p.owner = owner_of(env, blocker);
    if (p.owner) {
        describe(env, blocker, &p.what);
        report(arg, &p);
    }
    if (blocker)
        (*env)->DeleteLocalRef(env, blocker);
}

bool wick_agent_locks_parked(void (*report)(void *arg, const struct wick_agent_parked *p), void *arg)
{
    bool attached, all = false;
    jthread *threads = NULL;
    jint n = 0;
    JNIEnv *env = wick_vm_enter(&attached);
    if (!env)
        return false;
    if (!open_jvmti(NULL) && find_all(env, false) && !(*locks.jvmti)->GetAllThreads(locks.jvmti, &n, &threads)) {
        all = true;
        for (jint i = 0; i < n; i++) {
            all = all && !wick_load_relaxed(&wick_vm.dying);
            if (all)
                report_parked(env, threads[i], report, arg);
            (*env)->DeleteLocalRef(env, threads[i]);
        }
        (*locks.jvmti)->Deallocate(locks.jvmti, (unsigned char *)threads);
    }
    wick_vm_leave(attached);
    return all;
}

int wick_agent_locks_on(struct wick_err *err)
{
    bool attached;
    JNIEnv *env = wick_vm_enter(&attached);
    if (!env)
        return wick_err_set(err, WICK_E_STATE, "the JVM does not let a thread of the agent attach");
    int rc = switch_on(env, err);
    if (rc)
        switch_off();
    wick_vm_leave(attached);
    return rc;
}

void wick_agent_locks_off(void)
{
    bool attached;
    if (!locks.monitors_on || !wick_vm_enter(&attached))
        return;
    switch_off();
    wick_vm_leave(attached);
}
