/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tracer's native half as far as a profiler sees it: publishes the trace context of the calling thread (OTEP 4947).
 * Loaded by Published.java.
 */
#include <jni.h>
#include <stdatomic.h>
#include <stdint.h>

struct record {
    uint8_t trace[16], span[8], valid, flags;
    uint16_t attrs_size;
};

extern __thread struct record *otel_thread_ctx_v1;
__thread struct record *otel_thread_ctx_v1;
static __thread struct record own;

static void put(uint8_t *to, jlong v)
{
    for (int i = 0; i < 8; i++)
        to[i] = (uint8_t)((uint64_t)v >> (56 - 8 * i));
}

JNIEXPORT void JNICALL Java_Published_publish(JNIEnv *env, jclass cls, jlong hi, jlong lo, jlong span);
JNIEXPORT void JNICALL Java_Published_publish(JNIEnv *env, jclass cls, jlong hi, jlong lo, jlong span)
{
    (void)env, (void)cls;
    own.valid = 0;
    atomic_signal_fence(memory_order_seq_cst);
    put(own.trace, hi);
    put(own.trace + 8, lo);
    put(own.span, span);
    atomic_signal_fence(memory_order_seq_cst);
    own.valid = 1;
    otel_thread_ctx_v1 = &own;
}

JNIEXPORT void JNICALL Java_Published_clear(JNIEnv *env, jclass cls);
JNIEXPORT void JNICALL Java_Published_clear(JNIEnv *env, jclass cls)
{
    (void)env, (void)cls;
    own.valid = 0;
}
