/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool_classes.h - the classes of thread pools, of what their threads run, and of their queues: where each keeps its
 * fields, for reading memory and for JNI
 *
 * Those of the JDK are found at once. Of others, such as Tomcat's, the names are known; where their fields are is found
 * when a thread of such a class has been seen, in the class that it has, as several loaders may have one of that name.
 *
 * Threads: attached to the JVM; the caller keeps others out.
 * Memory:  a weak global reference for each class, for the life of the process: copies of these lists may be in use.
 */
#ifndef WICK_AGENT_EVENT_POOL_CLASSES_H
#define WICK_AGENT_EVENT_POOL_CLASSES_H

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>

#include "hotspot/thread_pool.h"

enum { WICK_POOL_QUEUES = sizeof((struct wick_hs_pool_fields *)0)->queues / sizeof(struct wick_hs_queue_fields) };

/* By the same places as those of `fields` in struct wick_pool_classes. */
struct wick_pool_ids {
    jfieldID holder, task; /* of Thread: holder is NULL where task is Thread's own */
    struct {
        jweak worker; /* NULL = the end of the list */
        jfieldID pool, control, queue;
    } executors[WICK_HS_EXECUTORS];
    struct {
        jweak class; /* NULL = the end of the list */
        jfieldID task;
    } wrappers[WICK_HS_WRAPPERS];
    jweak timer;
    jfieldID timer_queue;
    struct {
        jweak class;         /* NULL = the end of the list */
        jfieldID part, size; /* what has the length or the tasks; size: of a queue whose tasks can be cancelled */
    } queues[WICK_POOL_QUEUES];
};

struct wick_pool_classes {
    struct wick_hs_pool_fields fields;
    struct wick_pool_ids ids;
};

/* Finds the JDK's; `fields.moves` stays as it is. False: this JDK has them otherwise. */
bool wick_pool_classes_find(JNIEnv *env, struct wick_pool_classes *c);

/* Whether a class of that internal name can be added: one that is not the JDK's. */
bool wick_pool_class_can_be_added(const char *internal);

/* Adds that class, if a thread runs an instance of it now. Goes through all Java threads. False: it was not found, has
 * other fields, or there is no room. */
bool wick_pool_class_add(JNIEnv *env, struct wick_pool_classes *c, wick_addr klass);

/* Calls fn for each Java thread, at most 4,096, until it returns false; local references that it makes are dropped. */
void wick_pool_each_thread(JNIEnv *env, bool (*fn)(JNIEnv *env, jthread thread, void *arg), void *arg);

/* What a thread runs, without the wrappers that are known: a local reference, NULL if it is itself what it runs. */
jobject wick_pool_task(JNIEnv *env, const struct wick_pool_ids *ids, jthread thread);

/* Whether an object is of that class or one that extends it; not if the class has been unloaded. */
bool wick_pool_is_of(JNIEnv *env, jobject o, jweak class);

#endif
