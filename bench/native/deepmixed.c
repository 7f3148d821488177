/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What bench/java/wick/bench/DeepMixed.java calls at the end of its own recursion: as many native frames as it is asked
 * for, without frame pointers, below which it computes.
 */
#include <jni.h>

static volatile jlong sink;

__attribute__((noinline, noclone)) static jlong compute(jlong rounds)
{
    jlong x = sink;
    for (jlong i = 0; i < rounds; i++)
        x = x * 2862933555777941757 + 3037000493;
    return x;
}

__attribute__((noinline, noclone)) static jlong go_down(jint depth, jlong rounds)
{
    jlong x = depth > 1 ? go_down(depth - 1, rounds) : compute(rounds);
    sink = x; /* behind the call, which is no jump therefore */
    return x ^ depth;
}

JNIEXPORT jlong JNICALL Java_wick_bench_DeepMixed_goDown(JNIEnv *env, jclass cls, jint depth, jlong rounds);
JNIEXPORT jlong JNICALL Java_wick_bench_DeepMixed_goDown(JNIEnv *env, jclass cls, jint depth, jlong rounds)
{
    (void)env, (void)cls;
    return go_down(depth, rounds);
}
