/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mounts.c - see mounts.h
 *
 * HotSpot reports mounts by two JVMTI extension events (JDK 21 and later), but only of virtual threads for which it
 * keeps JVMTI state. It creates that state at a virtual thread's start if the event of starts is enabled, so we enable
 * it; each one that starts is marked by a value of JVMTI's thread-local storage. A thread without it started before
 * that and gets its state when an event is enabled for that thread alone.
 *
 * Each mount of any virtual thread costs two calls from then on. An environment of its own keeps the capability apart
 * from what else wick does with JVMTI.
 */
#include "agent/jvm/mounts.h"

#include <jvmti.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>

#include "agent/jvm/vm.h"

/* jvmti.h of JDK 21 and later has names for these; ours may come from an older one. */
enum { CAN_SUPPORT_VIRTUAL_THREADS = 44, VIRTUAL_THREAD_START = 87, VIRTUAL_THREAD_END = 88 };

static jvmtiEnv *env_of_mounts; /* NULL: the JVM does not report mounts */
static wick_mounts_seen *notify;

static void JNICALL on_start(jvmtiEnv *ti, JNIEnv *env, jthread thread)
{
    (void)env;
    (void)thread;
    (*ti)->SetThreadLocalStorage(ti, NULL, ti); /* any value is a mark */
}

/* Extension events are declared with an ellipsis; these two pass a JNIEnv and the virtual thread. */
static void JNICALL on_mount(jvmtiEnv *ti, ...)
{
    va_list args;
    va_start(args, ti);
    JNIEnv *env = va_arg(args, JNIEnv *);
    jthread thread = va_arg(args, jthread);
    va_end(args);
    notify((uint64_t)(*env)->GetLongField(env, thread, wick_vm.thread_id));
}

static void JNICALL on_unmount(jvmtiEnv *ti, ...)
{
    (void)ti;
    notify(0);
}

static void free_event(jvmtiEnv *ti, jvmtiExtensionEventInfo *e)
{
    for (jint i = 0; i < e->param_count; i++)
        (*ti)->Deallocate(ti, (unsigned char *)e->params[i].name);
    (*ti)->Deallocate(ti, (unsigned char *)e->params);
    (*ti)->Deallocate(ti, (unsigned char *)e->id);
    (*ti)->Deallocate(ti, (unsigned char *)e->short_description);
}

static bool ask_for(jvmtiEnv *ti, const jvmtiExtensionEventInfo *e)
{
    static const struct {
        const char *id;
        jvmtiExtensionEvent call;
    } wanted[] = {{"com.sun.hotspot.events.VirtualThreadMount", on_mount},
                  {"com.sun.hotspot.events.VirtualThreadUnmount", on_unmount}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!strcmp(e->id, wanted[i].id))
            return !(*ti)->SetExtensionEventCallback(ti, e->extension_event_index, wanted[i].call) &&
                   !(*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, (jvmtiEvent)e->extension_event_index, NULL);
    return false;
}

static bool ask_for_mounts(jvmtiEnv *ti)
{
    jvmtiExtensionEventInfo *events;
    jint n;
    int given = 0;
    if ((*ti)->GetExtensionEvents(ti, &n, &events))
        return false;
    for (jint i = 0; i < n; i++) {
        given += ask_for(ti, &events[i]);
        free_event(ti, &events[i]);
    }
    (*ti)->Deallocate(ti, (unsigned char *)events);
    return given == 2;
}

static bool ask_for_starts(jvmtiEnv *ti)
{
    void *calls[VIRTUAL_THREAD_START - JVMTI_MIN_EVENT_TYPE_VAL + 1] = {0}; /* jvmtiEventCallbacks, up to this one */
    calls[VIRTUAL_THREAD_START - JVMTI_MIN_EVENT_TYPE_VAL] = (void *)on_start;
    return !(*ti)->SetEventCallbacks(ti, (const jvmtiEventCallbacks *)(void *)calls, sizeof calls) &&
           !(*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, (jvmtiEvent)VIRTUAL_THREAD_START, NULL);
}

static bool add_capability(jvmtiEnv *ti)
{
    jvmtiCapabilities wanted = {0};
    ((unsigned char *)&wanted)[CAN_SUPPORT_VIRTUAL_THREADS / 8] = 1u << CAN_SUPPORT_VIRTUAL_THREADS % 8;
    return !(*ti)->AddCapabilities(ti, &wanted);
}

static jvmtiEnv *open_locked(void)
{
    jvmtiEnv *ti;
    if (!wick_vm.thread_id || (*wick_vm.java_vm)->GetEnv(wick_vm.java_vm, (void **)&ti, JVMTI_VERSION_1_2) != JNI_OK)
        return NULL;
    if (add_capability(ti) && ask_for_starts(ti) && ask_for_mounts(ti))
        return ti;
    (*ti)->DisposeEnvironment(ti);
    return NULL;
}

bool wick_mounts_follow(wick_mounts_seen *seen)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool opened;
    void *mark = NULL;
    pthread_mutex_lock(&lock);
    notify = seen;
    if (!opened)
        env_of_mounts = open_locked();
    opened = true;
    jvmtiEnv *ti = env_of_mounts;
    pthread_mutex_unlock(&lock);
    if (!ti || (*ti)->GetThreadLocalStorage(ti, NULL, &mark))
        return false;
    if (mark)
        return true;
    jthread self;
    bool good = !(*ti)->GetCurrentThread(ti, &self) &&
                !(*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, (jvmtiEvent)VIRTUAL_THREAD_END, self);
    return good && !(*ti)->SetThreadLocalStorage(ti, NULL, ti);
}
