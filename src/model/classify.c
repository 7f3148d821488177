/* SPDX-License-Identifier: Apache-2.0 */
/*
 * classify.c - tables of names
 *
 * A stack is walked once from its leaf. Names of the JVM's own functions count wherever they stand, since what they
 * call is done for them; the kernel, native and Java classes are decided by the leaf, because that is where the time
 * goes.
 */
#include "model/classify.h"

#include <string.h>

const char *wick_work_name(enum wick_work w)
{
    static const char *const names[] = {
#define X(name, text) text,
#include "def/work.def"
#undef X
    };
    return names[w < WICK_WORK_COUNT ? w : WICK_WORK_OTHER];
}

struct rule {
    const char *prefix;
    enum wick_work work;
};

/* HotSpot's thread names (JDK 8 to 25). */
static const struct rule thread_rules[] = {
    {"GC Thread", WICK_WORK_GC},       {"G1 ", WICK_WORK_GC},
    {"GC task thread", WICK_WORK_GC},  {"ParGC", WICK_WORK_GC},
    {"Concurrent Mark", WICK_WORK_GC}, {"Gang worker", WICK_WORK_GC},
    {"Shenandoah", WICK_WORK_GC},      {"ZDriver", WICK_WORK_GC},
    {"ZWorker", WICK_WORK_GC},         {"ZDirector", WICK_WORK_GC},
    {"ZStat", WICK_WORK_GC},           {"ZUncommitter", WICK_WORK_GC},
    {"XWorker", WICK_WORK_GC},         {"XDriver", WICK_WORK_GC},
    {"XDirector", WICK_WORK_GC},       {"C1 Compiler", WICK_WORK_JIT},
    {"C2 Compiler", WICK_WORK_JIT},    {"JVMCI", WICK_WORK_JIT},
    {"Sweeper", WICK_WORK_JIT},
};

/* Methods and functions, by the beginning of class and name as they are in the profile. */
static const struct rule function_rules[] = {
    {"G1", WICK_WORK_GC},
    {"GenCollect", WICK_WORK_GC},
    {"ParallelScavenge", WICK_WORK_GC},
    {"PSParallelCompact", WICK_WORK_GC},
    {"CollectedHeap::", WICK_WORK_GC},
    {"VM_GC", WICK_WORK_GC},
    {"VM_G1", WICK_WORK_GC},
    {"ZBarrier", WICK_WORK_GC},
    {"ShenandoahHeap", WICK_WORK_GC},
    {"CompileBroker::", WICK_WORK_JIT},
    {"C2Compiler::", WICK_WORK_JIT},
    {"Compiler::", WICK_WORK_JIT},
    {"ClassLoader::", WICK_WORK_CLASS_LOADING},
    {"ClassFileParser::", WICK_WORK_CLASS_LOADING},
    {"SystemDictionary::", WICK_WORK_CLASS_LOADING},
    {"InstanceKlass::link_class", WICK_WORK_CLASS_LOADING},
    {"java/lang/ClassLoader.", WICK_WORK_CLASS_LOADING},
    {"jdk/internal/loader/BuiltinClassLoader.", WICK_WORK_CLASS_LOADING},
    {"java/lang/invoke/InnerClassLambdaMetafactory.", WICK_WORK_CLASS_LOADING},
    {"SafepointSynchronize::", WICK_WORK_SAFEPOINT},
    {"SafepointMechanism::", WICK_WORK_SAFEPOINT},
};

static bool begins(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* Names with a package are Java methods, "class.name", native ones included; others are symbols. */
static bool is_method(const char *rule)
{
    return strchr(rule, '/') != NULL;
}

/* True if the frame is of that class and its name begins so; or, for a symbol, if that does. */
static bool function_begins(const struct wick_profile *p, const struct wick_frame *f, const char *prefix)
{
    const struct wick_function *fn = &p->functions[f->function];
    const char *name = wick_profile_str(p, fn->name);
    if (!is_method(prefix))
        return !wick_frame_kind_is_java(f->kind) && begins(name, prefix);
    const struct wick_string *cls = &p->strings[fn->class_name];
    const char *dot = strrchr(prefix, '.');
    return (size_t)(dot - prefix) == cls->len && memcmp(cls->s, prefix, cls->len) == 0 && begins(name, dot + 1);
}

static enum wick_work by_function(const struct wick_profile *p, uint32_t stack)
{
    enum wick_work best = WICK_WORK_COUNT;
    for (uint32_t s = stack; s; s = p->stacks[s].parent) {
        const struct wick_frame *f = &p->frames[p->stacks[s].frame];
        for (size_t i = 0; i < sizeof function_rules / sizeof *function_rules; i++)
            if (function_rules[i].work < best && function_begins(p, f, function_rules[i].prefix))
                best = function_rules[i].work;
    }
    return best;
}

static enum wick_work by_leaf(const struct wick_profile *p, uint32_t stack)
{
    const struct wick_frame *f = &p->frames[p->stacks[stack].frame];
    const char *library = wick_profile_str(p, p->functions[f->function].class_name);
    switch (f->kind) {
    case WICK_FRAME_KERNEL:
        return WICK_WORK_KERNEL;
    case WICK_FRAME_CPP:
    case WICK_FRAME_STUB:
        return WICK_WORK_VM;
    case WICK_FRAME_NATIVE:
        return strstr(library, "libjvm") ? WICK_WORK_VM : WICK_WORK_NATIVE;
    case WICK_FRAME_JAVA_NATIVE:
        return WICK_WORK_NATIVE;
    case WICK_FRAME_INTERPRETED:
        return WICK_WORK_INTERPRETED;
    case WICK_FRAME_BREAK:
    case WICK_FRAME_UNSAMPLED:
    case WICK_FRAME_OBJECT:
    case WICK_FRAME_BOUNDARY:
        return WICK_WORK_OTHER;
    default:
        return WICK_WORK_JAVA;
    }
}

enum wick_work wick_classify_thread(const char *name)
{
    for (size_t i = 0; i < sizeof thread_rules / sizeof *thread_rules; i++)
        if (begins(name, thread_rules[i].prefix))
            return thread_rules[i].work;
    return WICK_WORK_COUNT;
}

enum wick_work wick_classify(const struct wick_profile *p, uint32_t stack, uint32_t thread)
{
    const char *name = wick_profile_str(p, p->threads[thread].name);
    enum wick_work of_thread = wick_classify_thread(name);
    if (of_thread != WICK_WORK_COUNT)
        return of_thread;
    enum wick_work w = by_function(p, stack);
    if (w != WICK_WORK_COUNT)
        return w;
    return begins(name, "VM Thread") || begins(name, "VM Periodic") ? WICK_WORK_VM : by_leaf(p, stack);
}

/* --- waiting --- */

/* Where threads wait: Java methods as "class.name", anything else by its symbol's beginning. */
static const char *const waits[] = {
    "jdk/internal/misc/Unsafe.park",
    "sun/misc/Unsafe.park",
    "java/lang/Object.wait",
    "java/lang/Thread.sleep",
    "java/lang/ref/Reference.waitForReferencePendingList",
    "sun/nio/ch/EPoll.wait",
    "sun/nio/ch/EPollArrayWrapper.epollWait",
    "sun/nio/ch/KQueue.poll",
    "sun/nio/ch/Net.poll",
    "sun/nio/ch/Net.accept",
    "sun/nio/ch/ServerSocketChannelImpl.accept",
    "java/net/PlainSocketImpl.socketAccept",
    "java/net/SocketInputStream.socketRead0",
    "sun/nio/ch/SocketDispatcher.read0",
    "java/lang/ProcessImpl.waitForProcessExit",
    "java/lang/UNIXProcess.waitForProcessExit",
    "epoll_wait",
    "__epoll_wait",
    "poll",
    "__poll",
    "ppoll",
    "accept",
    "pthread_cond_",
    "__pthread_cond_",
    "__futex_abstimed_wait",
    "futex_wait",
    "sem_wait",
    "nanosleep",
    "clock_nanosleep",
    "__clock_nanosleep",
    "schedule",
    "__schedule",
    "do_epoll_wait",
    "do_nanosleep",
    "Monitor::wait",
    "os::PlatformEvent::park",
    "PlatformEvent::park",
    "Parker::park",
    "ObjectMonitor::wait",
};

#define IDLE_FRAMES 12u /* the kernel's and libc's frames above the one that decides */

static bool is_wait(const struct wick_profile *p, const struct wick_frame *f)
{
    const char *name = wick_profile_str(p, p->functions[f->function].name);
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        size_t n = strlen(waits[i]);
        if (!function_begins(p, f, waits[i]))
            continue;
        if (is_method(waits[i]) || !name[n] || name[n] == '@' || name[n] == '(' || waits[i][n - 1] == '_' || n > 10)
            return true;
    }
    return false;
}

static bool in_request(const struct wick_profile *p, const struct wick_agg *a)
{
    const struct wick_label_set *set = &p->label_sets[a->labels];
    for (uint32_t i = set->first; i < set->first + set->n; i++)
        if (!strcmp(wick_profile_str(p, p->labels[i].key), "endpoint"))
            return p->strings[p->labels[i].value].len > 0;
    return false;
}

bool wick_classify_is_idle(const struct wick_profile *p, const struct wick_agg *a)
{
    static const char *const states[] = {"STATE_SLEEPING", "STATE_PARKED", "STATE_IN_OBJECT_WAIT",
                                         "STATE_IN_OBJECT_WAIT_TIMED", "STATE_PARKED_TIMED"};
    unsigned kind = p->events[a->event].kind, seen = 0;
    const char *state = wick_profile_str(p, p->states[a->state]);
    if (in_request(p, a))
        return false;
    if (kind == WICK_KIND_PARK || kind == WICK_KIND_WAIT)
        return true;
    if (kind != WICK_KIND_WALL && kind != WICK_KIND_NATIVE && kind != WICK_KIND_OTHER)
        return false;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (strcmp(states[i], state) == 0)
            return true;
    for (uint32_t s = a->stack; s && seen++ < IDLE_FRAMES; s = p->stacks[s].parent) {
        const struct wick_frame *f = &p->frames[p->stacks[s].frame];
        if (is_wait(p, f))
            return true;
        if (wick_frame_kind_is_java(f->kind) &&
            !begins(wick_profile_str(p, p->functions[f->function].class_name), "java/"))
            return false; /* the program itself: what it called above was no waiting */
    }
    return false;
}
