/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_containers.c - asks JNI for the sets in ThreadContainers, and for the fields on the way to a thread
 *
 * The sets are KeySetViews of ConcurrentHashMaps, kept in static final fields of the JDK; what is kept here are global
 * references to these maps, whose slots are read later without JNI. Elements of an array begin where the layout helper
 * of its class says. The place of its length is found by an array of a length that nothing else is.
 */
#include "agent/jvm/thread_containers.h"

#include <stdbool.h>
#include <stdint.h>

#include "agent/jvm/field.h"
#include "agent/jvm/klass_place.h"
#include "hotspot/klass.h"
#include "hotspot/oop.h"
#include "hotspot/value.h"

enum { LOCAL_REFS = 24, PROBE_LENGTH = 0x5ac1, HEADER_MOST = 32 };

static bool failed(JNIEnv *env)
{
    if (!(*env)->ExceptionCheck(env))
        return false;
    (*env)->ExceptionClear(env);
    return true;
}

static jclass find_class(JNIEnv *env, const char *name)
{
    jclass c = (*env)->FindClass(env, name);
    return failed(env) ? NULL : c;
}

/* A global reference to the map of the set in a static field, 0 if there is none. */
static wick_addr map_of_set(JNIEnv *env, jclass c, const char *field, jfieldID map)
{
    jfieldID id = c && map ? (*env)->GetStaticFieldID(env, c, field, "Ljava/util/Set;") : NULL;
    if (failed(env) || !id)
        return 0;
    jobject set = (*env)->GetStaticObjectField(env, c, id);
    jobject of = set ? (*env)->GetObjectField(env, set, map) : NULL;
    return of ? (wick_addr)(uintptr_t)(*env)->NewGlobalRef(env, of) : 0;
}

static void find_array(JNIEnv *env, const struct wick_jvm *jvm, struct wick_hs_containers *c)
{
    uint8_t header[HEADER_MOST];
    jclass object = find_class(env, "java/lang/Object"), array_class = find_class(env, "[Ljava/lang/Object;");
    jobject array = object ? (*env)->NewObjectArray(env, PROBE_LENGTH, object, NULL) : NULL;
    if (failed(env) || !array || !array_class)
        return;
    c->array_data = wick_hs_klass_array_data(jvm, wick_klass_place_of_mirror(jvm, array_class));
    wick_addr at = wick_hs_oop_resolve_local(jvm, (wick_addr)(uintptr_t)array);
    if (!at || wick_mem_read(jvm->mem, at, header, sizeof header))
        return;
    for (int32_t i = 8; i <= HEADER_MOST - 4 && !c->array_length; i += 4)
        if (wick_hs_at32(header, i) == PROBE_LENGTH)
            c->array_length = i;
}

static void find_fields(JNIEnv *env, struct wick_hs_containers *c)
{
    jclass map = find_class(env, "java/util/concurrent/ConcurrentHashMap"),
           node = find_class(env, "java/util/concurrent/ConcurrentHashMap$Node"),
           bin = find_class(env, "java/util/concurrent/ConcurrentHashMap$TreeBin");
    if (!map || !node || !bin)
        return;
    c->table = wick_field_offset(env, map, "table", "[Ljava/util/concurrent/ConcurrentHashMap$Node;");
    c->hash = wick_field_offset(env, node, "hash", "I");
    c->key = wick_field_offset(env, node, "key", "Ljava/lang/Object;");
    c->next = wick_field_offset(env, node, "next", "Ljava/util/concurrent/ConcurrentHashMap$Node;");
    c->first = wick_field_offset(env, bin, "first", "Ljava/util/concurrent/ConcurrentHashMap$TreeNode;");
}

/* The executors need the classes of objects, which not every JVM keeps where wick_hs_klass_of reads them. */
static void find_executors(JNIEnv *env, const struct wick_jvm *jvm, struct wick_hs_containers *c)
{
    jclass executor = find_class(env, "java/util/concurrent/ThreadPerTaskExecutor"),
           thread = find_class(env, "java/lang/VirtualThread"), reference = find_class(env, "java/lang/ref/Reference");
    if (!thread || !wick_hs_klass_form(jvm))
        return;
    c->thread = wick_klass_place_of_mirror(jvm, thread);
    if (!executor || !reference || !c->thread || !c->registry)
        return;
    c->threads = wick_field_offset(env, executor, "threads", "Ljava/util/Set;");
    c->referent = wick_field_offset(env, reference, "referent", "Ljava/lang/Object;");
    if (c->threads && c->referent)
        c->executor = wick_klass_place_of_mirror(jvm, executor);
}

static void find(JNIEnv *env, const struct wick_jvm *jvm, struct wick_hs_containers *c)
{
    jclass view = find_class(env, "java/util/concurrent/ConcurrentHashMap$KeySetView"),
           root = find_class(env, "jdk/internal/vm/ThreadContainers$RootContainer$TrackingRootContainer"),
           all = find_class(env, "jdk/internal/vm/ThreadContainers");
    jfieldID map = view ? (*env)->GetFieldID(env, view, "map", "Ljava/util/concurrent/ConcurrentHashMap;") : NULL;
    if (failed(env) || !map)
        return;
    c->map = wick_field_offset(env, view, "map", "Ljava/util/concurrent/ConcurrentHashMap;");
    find_fields(env, c);
    find_array(env, jvm, c);
    if (!c->map || !c->table || !c->hash || !c->key || !c->next || !c->first || !c->array_length || !c->array_data)
        return;
    c->registry = map_of_set(env, all, "CONTAINER_REGISTRY", map);
    find_executors(env, jvm, c);
    c->started = map_of_set(env, root, "VTHREADS", map);
}

void wick_thread_containers_open(JNIEnv *env, struct wick_jvm *jvm)
{
    if (jvm->major < 21)
        return;
    if ((*env)->PushLocalFrame(env, LOCAL_REFS)) {
        (*env)->ExceptionClear(env);
        return;
    }
    find(env, jvm, &jvm->containers);
    (*env)->PopLocalFrame(env, NULL);
}
