/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jar_labels.c - see jar_labels.h
 *
 * The search for wick.Wick among the loaded classes is done once, when the agent is loaded into a running JVM, and
 * takes about a microsecond a class; asking the application's class loader by name would find neither a web
 * application's copy nor one in a nested jar. The methods are bound again then, because an agent of another build may
 * have been here before.
 */
#include "agent/label/jar_labels.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/label/publish.h"
#include "agent/label/span_probes.h"
#include "agent/jvm/vm.h"
#include "base/clock.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT JNIEXPORT jobject JNICALL Java_wick_Native_connect(JNIEnv *env, jclass cls);
EXPORT JNIEXPORT jobject JNICALL Java_wick_Native_bind(JNIEnv *env, jclass cls, jlong virtual_id);
EXPORT JNIEXPORT void JNICALL Java_wick_Native_unbind(JNIEnv *env, jclass cls, jlong virtual_id);
EXPORT JNIEXPORT jint JNICALL Java_wick_Native_thread(JNIEnv *env, jclass cls);
EXPORT JNIEXPORT jint JNICALL Java_wick_Native_place(JNIEnv *env, jclass cls);
EXPORT JNIEXPORT jobject JNICALL Java_wick_Native_places(JNIEnv *env, jclass cls);
EXPORT JNIEXPORT jint JNICALL Java_wick_Native_intern(JNIEnv *env, jclass cls, jbyteArray utf8);

struct wick_labels wick_agent_labels;

/* Threads of the JVM end, and report it, while an attach is still setting the labels up. */
static _Atomic bool ready;

void wick_agent_labels_init(void)
{
    const struct wick_hs_layout *l = &wick_vm.jvm.layout;
    if (!wick_agent_labels.map && !wick_labels_init(&wick_agent_labels, &wick_vm.mem))
        wick_label_mount_init(&wick_agent_labels.mount, l->thread_object, l->thread_current, l->thread_current_id);
    wick_publish_init(&wick_agent_labels);
    wick_span_probes_init(&wick_agent_labels);
    wick_store_release(&ready, wick_agent_labels.map != NULL); /* pairs: wick_agent_labels_thread_end */
}

static int32_t own_tid(void)
{
    return (int32_t)syscall(SYS_gettid);
}

jobject JNICALL Java_wick_Native_connect(JNIEnv *env, jclass cls)
{
    (void)cls;
    struct wick_label_client *c = wick_agent_labels.map ? wick_labels_connect(&wick_agent_labels) : NULL;
    return c ? (*env)->NewDirectByteBuffer(env, c, sizeof *c) : NULL;
}

/* Searches the calling thread's JavaThread for the place where it keeps the id of the mounted thread. */
static void learn_mount(uint64_t virtual_id)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    uint8_t bytes[WICK_LABEL_MOUNT_BYTES];
    if (wick_load_relaxed(&wick_agent_labels.mount.id_offset))
        return;
    struct wick_engine_thread *t = wick_threads_find_sig(&wick_vm.threads, own_tid());
    wick_addr java = t ? wick_load_acquire(&t->java) : 0; /* pairs: wick_threads_java */
    if (!java || wick_mem_read(&wick_vm.mem, java, bytes, sizeof bytes))
        return;
    pthread_mutex_lock(&lock);
    wick_label_mount_see(&wick_agent_labels.mount, virtual_id, bytes, sizeof bytes);
    pthread_mutex_unlock(&lock);
}

static void clear_exception(JNIEnv *env)
{
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env);
}

/* A weak reference to the calling thread: being listed keeps no thread from being collected. NULL if there is none. */
static void *own_thread(JNIEnv *env)
{
    jthread thread = NULL;
    if ((*wick_vm.jvmti)->GetCurrentThread(wick_vm.jvmti, &thread) || !thread)
        return NULL;
    jweak weak = (*env)->NewWeakGlobalRef(env, thread);
    (*env)->DeleteLocalRef(env, thread);
    clear_exception(env);
    return weak;
}

static uint32_t bind_virtual(JNIEnv *env, uint64_t id)
{
    learn_mount(id);
    void *thread = own_thread(env);
    uint32_t n = wick_labels_bind_virtual(&wick_agent_labels, id, wick_clock_mono_ns(), &thread);
    if (thread)
        (*env)->DeleteWeakGlobalRef(env, thread);
    return n;
}

jobject JNICALL Java_wick_Native_bind(JNIEnv *env, jclass cls, jlong virtual_id)
{
    (void)cls;
    uint32_t n =
        virtual_id ? bind_virtual(env, (uint64_t)virtual_id) : wick_labels_bind(&wick_agent_labels, own_tid(), 0);
    struct wick_label_record *r = &wick_agent_labels.records[n];
    return n ? (*env)->NewDirectByteBuffer(env, r, sizeof *r) : NULL;
}

void JNICALL Java_wick_Native_unbind(JNIEnv *env, jclass cls, jlong virtual_id)
{
    (void)cls;
    wick_publish_thread_end();
    void *thread = wick_labels_unbind_virtual(&wick_agent_labels, (uint64_t)virtual_id);
    if (thread)
        (*env)->DeleteWeakGlobalRef(env, thread);
}

jint JNICALL Java_wick_Native_thread(JNIEnv *env, jclass cls)
{
    (void)env;
    (void)cls;
    const struct wick_engine_thread *t = wick_threads_find_sig(&wick_vm.threads, own_tid());
    return t ? (jint)t->serial : 0;
}

static uint32_t place_of(const struct wick_engine_thread *t)
{
    return t ? (uint32_t)(t - wick_vm.threads.slots) : 0;
}

jint JNICALL Java_wick_Native_place(JNIEnv *env, jclass cls)
{
    (void)env;
    (void)cls;
    return (jint)place_of(wick_threads_find_sig(&wick_vm.threads, own_tid()));
}

jobject JNICALL Java_wick_Native_places(JNIEnv *env, jclass cls)
{
    (void)cls;
    return (*env)->NewDirectByteBuffer(env, wick_agent_labels.places, sizeof *wick_agent_labels.places);
}

jint JNICALL Java_wick_Native_intern(JNIEnv *env, jclass cls, jbyteArray utf8)
{
    char buf[WICK_LABELS_TEXT_MAX];
    (void)cls;
    jsize n = (*env)->GetArrayLength(env, utf8);
    if (n < 0 || n > (jsize)sizeof buf)
        return WICK_LABELS_OVERFLOW;
    (*env)->GetByteArrayRegion(env, utf8, 0, n, (jbyte *)buf);
    return (jint)wick_labels_intern(&wick_agent_labels, buf, (size_t)n);
}

/* Makes this agent's functions those of the class wick.Native. An older copy of the class lacks the last of them. */
static bool rebind(JNIEnv *env, jclass native)
{
    static const JNINativeMethod methods[] = {
        {(char *)"connect", (char *)"()Ljava/nio/ByteBuffer;", (void *)Java_wick_Native_connect},
        {(char *)"bind", (char *)"(J)Ljava/nio/ByteBuffer;", (void *)Java_wick_Native_bind},
        {(char *)"unbind", (char *)"(J)V", (void *)Java_wick_Native_unbind},
        {(char *)"thread", (char *)"()I", (void *)Java_wick_Native_thread},
        {(char *)"place", (char *)"()I", (void *)Java_wick_Native_place},
        {(char *)"places", (char *)"()Ljava/nio/ByteBuffer;", (void *)Java_wick_Native_places},
        {(char *)"intern", (char *)"([B)I", (void *)Java_wick_Native_intern},
        {(char *)"publish", (char *)"()Z", (void *)Java_wick_Native_publish},
        {(char *)"published", (char *)"(J)Ljava/nio/ByteBuffer;", (void *)Java_wick_Native_published},
        {(char *)"key", (char *)"([B)I", (void *)Java_wick_Native_key},
        {(char *)"probes", (char *)"()Ljava/nio/ByteBuffer;", (void *)Java_wick_Native_probes},
        {(char *)"spanBegun", (char *)"(JJJJII)V", (void *)Java_wick_Native_spanBegun},
        {(char *)"spanEnded", (char *)"(JJJJII)V", (void *)Java_wick_Native_spanEnded},
    };
    return (*env)->RegisterNatives(env, native, methods, sizeof methods / sizeof *methods) == JNI_OK;
}

static void call_connect(JNIEnv *env, jclass wick)
{
    jmethodID connect = (*env)->GetStaticMethodID(env, wick, "connect", "()V");
    if (connect)
        (*env)->CallStaticVoidMethod(env, wick, connect);
}

static bool is_class(jclass cls, const char *signature)
{
    char *s;
    if ((*wick_vm.jvmti)->GetClassSignature(wick_vm.jvmti, cls, &s, NULL))
        return false;
    bool same = !strcmp(s, signature);
    (*wick_vm.jvmti)->Deallocate(wick_vm.jvmti, (unsigned char *)s);
    return same;
}

void wick_agent_labels_find(JNIEnv *env)
{
    jvmtiEnv *ti = wick_vm.jvmti;
    jclass *classes;
    jint n;
    if (!wick_agent_labels.map || (*ti)->GetLoadedClasses(ti, &n, &classes))
        return;
    for (jint i = 0; i < n; i++)
        if (is_class(classes[i], "Lwick/Native;") && !rebind(env, classes[i]))
            clear_exception(env);
    for (jint i = 0; i < n; i++) {
        if (is_class(classes[i], "Lwick/Wick;"))
            call_connect(env, classes[i]);
        clear_exception(env);
        (*env)->DeleteLocalRef(env, classes[i]);
    }
    (*ti)->Deallocate(ti, (unsigned char *)classes);
}

void wick_agent_labels_carrier(int32_t tid)
{
    const struct wick_engine_thread *t = wick_threads_find_sig(&wick_vm.threads, tid);
    if (t && wick_load_acquire(&ready)) /* pairs: wick_agent_labels_init */
        wick_labels_carrier(&wick_agent_labels, place_of(t));
}

void wick_agent_labels_thread_end(int32_t tid)
{
    wick_publish_thread_end();
    if (wick_load_acquire(&ready)) /* pairs: wick_agent_labels_init */
        wick_labels_thread_end(&wick_agent_labels, tid, place_of(wick_threads_find_sig(&wick_vm.threads, tid)));
}
