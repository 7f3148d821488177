/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/label/span_probes.h"

#include "base/usdt.h"

/* The kernel writes them, Java reads them; both find them by their place here: begin, end. */
extern uint16_t wick_span_probes_semaphores[2];
WICK_USDT_SEMAPHORE uint16_t wick_span_probes_semaphores[2];

static const struct wick_labels *labels;

void wick_span_probes_init(const struct wick_labels *l)
{
    labels = l;
}

jobject JNICALL Java_wick_Native_probes(JNIEnv *env, jclass cls)
{
    (void)cls;
    return (*env)->NewDirectByteBuffer(env, wick_span_probes_semaphores, sizeof wick_span_probes_semaphores);
}

void JNICALL Java_wick_Native_spanBegun(JNIEnv *env, jclass cls, jlong trace_hi, jlong trace_lo, jlong span,
                                        jlong parent, jint operation, jint label_set)
{
    (void)env, (void)cls;
    const char *name = wick_labels_text(labels, (uint32_t)operation);
    const char *text = wick_labels_text(labels, (uint32_t)label_set);
    WICK_USDT(span__begin, wick_span_probes_semaphores, span, parent, trace_hi, trace_lo, (uintptr_t)name,
              (uintptr_t)text);
}

void JNICALL Java_wick_Native_spanEnded(JNIEnv *env, jclass cls, jlong trace_hi, jlong trace_lo, jlong span,
                                        jlong duration_ns, jint operation, jint label_set)
{
    (void)env, (void)cls;
    const char *name = wick_labels_text(labels, (uint32_t)operation);
    const char *text = wick_labels_text(labels, (uint32_t)label_set);
    WICK_USDT(span__end, wick_span_probes_semaphores + 2, span, duration_ns, trace_hi, trace_lo, (uintptr_t)name,
              (uintptr_t)text);
}
