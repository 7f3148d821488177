/* SPDX-License-Identifier: Apache-2.0 */
/*
 * otheragent.c - what Allocations.java loads: another agent that samples allocations, and knows nothing of wick
 *
 * It believes that the interval is what it has set, or the JVM's own if it has not set any.
 */
#include <jvmti.h>
#include <math.h>
#include <string.h>

static const jvmtiCapabilities wanted = {.can_generate_sampled_object_alloc_events = 1};
static jvmtiEnv *ti;
static double interval = 512 * 1024, bytes;
static jrawMonitorID lock;

static void JNICALL sampled(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object, jclass class, jlong size)
{
    char *name = NULL;
    if ((*jvmti)->GetClassSignature(jvmti, class, &name, NULL))
        return;
    if (!strcmp(name, "LAllocations$Mine;")) {
        (*jvmti)->RawMonitorEnter(jvmti, lock);
        bytes += (double)size / -expm1(-(double)size / interval);
        (*jvmti)->RawMonitorExit(jvmti, lock);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
}

JNIEXPORT jboolean JNICALL Java_Allocations_sample(JNIEnv *env, jclass class, jint every);
JNIEXPORT jdouble JNICALL Java_Allocations_sampled(JNIEnv *env, jclass class);
JNIEXPORT void JNICALL Java_Allocations_unsample(JNIEnv *env, jclass class);

/* False: the JVM refuses. */
JNIEXPORT jboolean JNICALL Java_Allocations_sample(JNIEnv *env, jclass class, jint every)
{
    const jvmtiEventCallbacks cb = {.SampledObjectAlloc = sampled};
    JavaVM *vm;
    (*env)->GetJavaVM(env, &vm);
    if (!ti) {
        (*vm)->GetEnv(vm, (void **)&ti, JVMTI_VERSION_11);
        (*ti)->SetEventCallbacks(ti, &cb, sizeof cb);
        (*ti)->CreateRawMonitor(ti, "otheragent", &lock);
    }
    if ((*ti)->AddCapabilities(ti, &wanted))
        return JNI_FALSE;
    bytes = 0;
    if (every > 0 && !(*ti)->SetHeapSamplingInterval(ti, every))
        interval = every;
    (*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, NULL);
    return JNI_TRUE;
}

JNIEXPORT jdouble JNICALL Java_Allocations_sampled(JNIEnv *env, jclass class)
{
    return bytes;
}

JNIEXPORT void JNICALL Java_Allocations_unsample(JNIEnv *env, jclass class)
{
    (*ti)->SetEventNotificationMode(ti, JVMTI_DISABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, NULL);
    (*ti)->RelinquishCapabilities(ti, &wanted);
}
