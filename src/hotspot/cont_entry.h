/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cont_entry.h - where a JavaThread keeps its ContinuationEntry, by the code that HotSpot generated
 *
 * JDK 25 exports JavaThread::_cont_entry; 21 to 24, which have virtual threads as well, do not. But StubRoutines'
 * cont_returnBarrier begins with what the field is for (gen_cont_thaw in stubGenerator_x86_64.cpp):
 *
 *      49 8b a7 .. .. .. ..      mov rsp, [r15 + disp32]       r15: the JavaThread
 *
 * and so does the barrier for exceptions, with the same displacement. They are the only loads of rsp from the thread in
 * these stubs.
 *
 * Threads: any.
 */
#ifndef WICK_HOTSPOT_CONT_ENTRY_H
#define WICK_HOTSPOT_CONT_ENTRY_H

#include <stdbool.h>

#include "hotspot/jvm.h"

/* Whether a stub of that name, as JVMTI or the JVM itself calls it, puts frames of virtual threads back. */
bool wick_hs_is_cont_stub(const char *name);

/* The field's place by the code from lo to hi, WICK_HS_NONE if none or several lie within a JavaThread. */
int32_t wick_hs_cont_entry_place(const struct wick_jvm *jvm, wick_addr lo, wick_addr hi);

/* Learns it from a stub if the tables do not have it. */
void wick_hs_cont_entry_learn(struct wick_jvm *jvm, wick_addr lo, wick_addr hi);

#endif
