/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_sampler.h - the JVM's sampling interval for allocations, which JVMTI can set but not get
 *
 * The interval is a variable of libjvm.so that is not exported. It is found by what it does: the one word among
 * libjvm's variables that takes each of a few values when these are set.
 *
 * Threads: _find and _set the thread that has the capability, one at a time; _interval any thread.
 * Memory:  a copy of libjvm's variables while they are searched.
 */
#ifndef WICK_AGENT_JVM_HEAP_SAMPLER_H
#define WICK_AGENT_JVM_HEAP_SAMPLER_H

#include <jvmti.h>
#include <stdint.h>

#include "elf/image.h"

/* The interval of a JVM in which nobody has set it. */
enum { WICK_HEAP_SAMPLER_DEFAULT = 512 * 1024 };

/* Searches for the variable, once. `jvmti` has the capability. */
void wick_heap_sampler_find(jvmtiEnv *jvmti, const struct wick_elf_image *libjvm);

/* The interval in force. If the variable was not found: what was set last, at first WICK_HEAP_SAMPLER_DEFAULT. */
uint32_t wick_heap_sampler_interval(void);

/* Sets it; `jvmti` has the capability. */
void wick_heap_sampler_set(jvmtiEnv *jvmti, uint32_t interval);

#endif
