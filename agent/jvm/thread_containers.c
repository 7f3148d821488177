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
#include "agent/jvm/frozen_use.h"
#include "agent/jvm/klass_place.h"
#include "hotspot/klass.h"
#include "hotspot/oop.h"
#include "hotspot/value.h"

enum { LOCAL_REFS = 24, PROBE_LENGTH = 0x5ac1, HEADER_MOST = 32, USES_MOST = 50000 };

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

/* What _use needs of Java; NULL: not known. */
static struct {
    jobject started, registry; /* global references */
    jclass view, bin, executor;
    jfieldID map, table, key, next, first, referent, threads;
} java;

static jclass global_class(JNIEnv *env, const char *name)
{
    jclass c = find_class(env, name);
    return c ? (*env)->NewGlobalRef(env, c) : NULL;
}

static jfieldID field_of(JNIEnv *env, jclass c, const char *name, const char *type)
{
    jfieldID id = c ? (*env)->GetFieldID(env, c, name, type) : NULL;
    return failed(env) ? NULL : id;
}

/* The map of a set, if it is one of those; a local reference. */
static jobject map_of(JNIEnv *env, jobject set)
{
    bool is = set && java.map && (*env)->IsInstanceOf(env, set, java.view);
    return is ? (*env)->GetObjectField(env, set, java.map) : NULL;
}

/* A global reference to the map of the set in a static field, NULL if there is none. */
static jobject map_of_static(JNIEnv *env, jclass c, const char *field)
{
    jfieldID id = c ? (*env)->GetStaticFieldID(env, c, field, "Ljava/util/Set;") : NULL;
    if (failed(env) || !id)
        return NULL;
    jobject map = map_of(env, (*env)->GetStaticObjectField(env, c, id));
    return map ? (*env)->NewGlobalRef(env, map) : NULL;
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
    static const char node_type[] = "Ljava/util/concurrent/ConcurrentHashMap$Node;",
                      table_type[] = "[Ljava/util/concurrent/ConcurrentHashMap$Node;",
                      tree_type[] = "Ljava/util/concurrent/ConcurrentHashMap$TreeNode;",
                      map_type[] = "Ljava/util/concurrent/ConcurrentHashMap;";
    jclass map = find_class(env, "java/util/concurrent/ConcurrentHashMap"),
           node = find_class(env, "java/util/concurrent/ConcurrentHashMap$Node");
    java.bin = global_class(env, "java/util/concurrent/ConcurrentHashMap$TreeBin");
    java.view = global_class(env, "java/util/concurrent/ConcurrentHashMap$KeySetView");
    if (!map || !node || !java.bin || !java.view)
        return;
    java.map = field_of(env, java.view, "map", map_type);
    java.table = field_of(env, map, "table", table_type);
    java.key = field_of(env, node, "key", "Ljava/lang/Object;");
    java.next = field_of(env, node, "next", node_type);
    java.first = field_of(env, java.bin, "first", tree_type);
    c->map = wick_field_offset(env, java.view, "map", map_type);
    c->table = wick_field_offset(env, map, "table", table_type);
    c->hash = wick_field_offset(env, node, "hash", "I");
    c->key = wick_field_offset(env, node, "key", "Ljava/lang/Object;");
    c->next = wick_field_offset(env, node, "next", node_type);
    c->first = wick_field_offset(env, java.bin, "first", tree_type);
}

/* The executors need the classes of objects, which not every JVM keeps where wick_hs_klass_of reads them. */
static void find_executors(JNIEnv *env, const struct wick_jvm *jvm, struct wick_hs_containers *c)
{
    jclass reference = find_class(env, "java/lang/ref/Reference"), thread = find_class(env, "java/lang/VirtualThread"),
           executor = find_class(env, "java/util/concurrent/ThreadPerTaskExecutor");
    if (!thread || !wick_hs_klass_form(jvm))
        return;
    c->thread = wick_klass_place_of_mirror(jvm, thread);
    if (!executor || !reference || !c->thread || !c->registry)
        return;
    java.executor = (*env)->NewGlobalRef(env, executor);
    java.threads = field_of(env, executor, "threads", "Ljava/util/Set;");
    java.referent = field_of(env, reference, "referent", "Ljava/lang/Object;");
    c->threads = wick_field_offset(env, executor, "threads", "Ljava/util/Set;");
    c->referent = wick_field_offset(env, reference, "referent", "Ljava/lang/Object;");
    if (java.executor && c->threads && c->referent)
        c->executor = wick_klass_place_of_mirror(jvm, executor);
}

static void find(JNIEnv *env, const struct wick_jvm *jvm, struct wick_hs_containers *c)
{
    find_fields(env, c);
    find_array(env, jvm, c);
    if (!c->map || !c->table || !c->hash || !c->key || !c->next || !c->first || !c->array_length || !c->array_data)
        return;
    java.registry = map_of_static(env, find_class(env, "jdk/internal/vm/ThreadContainers"), "CONTAINER_REGISTRY");
    c->registry = (wick_addr)(uintptr_t)java.registry;
    find_executors(env, jvm, c);
    java.started = map_of_static(
        env, find_class(env, "jdk/internal/vm/ThreadContainers$RootContainer$TrackingRootContainer"), "VTHREADS");
    c->started = (wick_addr)(uintptr_t)java.started;
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

/* ---- references that a collector has left out of date ---- */

static uint32_t uses_left; /* of this call: a slot or a node each */

static void use_map(JNIEnv *env, jobject map, void (*use_key)(JNIEnv *env, jobject key));

static void use_container(JNIEnv *env, jobject weak)
{
    jobject container = (*env)->GetObjectField(env, weak, java.referent);
    bool is = container && (*env)->IsInstanceOf(env, container, java.executor);
    jobject map = is ? map_of(env, (*env)->GetObjectField(env, container, java.threads)) : NULL;
    if (map)
        use_map(env, map, wick_frozen_use);
}

/* Gives the node's reference back and returns one to the next node of its list, NULL = there is none. */
static jobject use_node(JNIEnv *env, jobject node, void (*use_key)(JNIEnv *env, jobject key))
{
    jobject next = NULL;
    if (!(*env)->PushLocalFrame(env, LOCAL_REFS)) {
        jobject key = (*env)->GetObjectField(env, node, java.key);
        bool bin = !key && (*env)->IsInstanceOf(env, node, java.bin);
        if (key)
            use_key(env, key);
        next = (*env)->PopLocalFrame(env, (*env)->GetObjectField(env, node, bin ? java.first : java.next));
    }
    failed(env);
    (*env)->DeleteLocalRef(env, node);
    return next;
}

/* From a slot on that moves with each call, at the latest until all uses are spent. */
static void use_map(JNIEnv *env, jobject map, void (*use_key)(JNIEnv *env, jobject key))
{
    static uint32_t from;
    jobjectArray table = (*env)->GetObjectField(env, map, java.table);
    uint32_t n = table ? (uint32_t)(*env)->GetArrayLength(env, table) : 0;
    for (uint32_t i = 0; i < n && uses_left; i++) {
        jobject node = (*env)->GetObjectArrayElement(env, table, (jsize)((from + i) % n));
        for (uses_left--; node && uses_left; uses_left--)
            node = use_node(env, node, use_key);
        (*env)->DeleteLocalRef(env, node);
    }
    from += n ? 1 + n / 2 : 0;
}

void wick_thread_containers_use(JNIEnv *env)
{
    uses_left = USES_MOST;
    if (!java.started || !java.table || !java.key || !java.next || !java.first || !wick_frozen_use_known(env))
        return;
    if ((*env)->PushLocalFrame(env, LOCAL_REFS)) {
        (*env)->ExceptionClear(env);
        return;
    }
    if (java.registry && java.threads && java.referent)
        use_map(env, java.registry, use_container);
    use_map(env, java.started, wick_frozen_use);
    failed(env);
    (*env)->PopLocalFrame(env, NULL);
}
