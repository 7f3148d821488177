/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_names.c - see java_names.h
 *
 * JVMTI does not report that a thread is renamed, and a thread that asks it for a name waits for safepoints, which the
 * drain thread must not. So the name is read from the Thread object in memory. That object stays where it is as long as
 * no collector stops the world, which JVMTI does report (gc.h); a read that overlaps a collection is repeated. ZGC and
 * Shenandoah move objects while the program runs, but only what was selected in a pause, which JVMTI also reports: what
 * was valid between two pauses is valid until the next one (hotspot/oop.h says what is).
 *
 * How objects are laid out depends on the JVM's version and options. Offsets of fields are JNI's; the rest is tried on
 * the thread that starts the recording, whose name JVMTI provides, and if no layout yields that name none is used.
 */
#include "agent/jvm/java_names.h"

#include <time.h>

#include "agent/jvm/field.h"
#include "agent/jvm/gc.h"
#include "agent/jvm/vm.h"
#include "base/clock.h"
#include "hotspot/thread_name.h"

enum { SEEN = 1024 };

/* A name that was read: as long as no object is known to have moved, little shows that it is still the thread's. */
struct seen {
    wick_addr java_thread;
    struct wick_hs_thread_name_at at;
    uint32_t moves;
};

static struct {
    struct wick_hs_thread_names fields;
    bool tried, known;
    uint64_t rest_until_ns; /* the collector took too long to wait for it */
    struct seen seen[SEEN]; /* by the JavaThread's address; a thread that has none here is read each time */
} names;

/* Waits for the end of a collection, 20 ms at most, and not at all for a while when that was too short: the program
 * stands still until then, but the collector's threads go on making samples. False if it goes on. */
static bool wait_for_collector(void)
{
    enum { MOST_MS = 20, REST_NS = 200000000 };
    const struct timespec ms = {.tv_nsec = 1000000};
    if (wick_clock_mono_ns() < names.rest_until_ns)
        return !(wick_gc_moves() & 1);
    for (int i = 0; i < MOST_MS && (wick_gc_moves() & 1); i++)
        nanosleep(&ms, NULL);
    bool over = !(wick_gc_moves() & 1);
    if (!over)
        names.rest_until_ns = wick_clock_mono_ns() + REST_NS;
    return over;
}

static struct seen *seen_of(wick_addr java_thread)
{
    return &names.seen[(java_thread * UINT64_C(0x9e3779b97f4a7c15)) >> 54];
}

static bool is_as_seen(const struct seen *s, wick_addr java_thread)
{
    uint32_t moves = wick_gc_moves();
    if (s->java_thread != java_thread || s->moves != moves || (moves & 1) ||
        !wick_hs_thread_name_holds(&wick_vm.jvm, &names.fields, java_thread, &s->at))
        return false;
    atomic_thread_fence(memory_order_acquire); /* pairs: gc_start; what was read was read before the next line */
    return wick_gc_moves() == moves;
}

static enum wick_thread_name_found read_name(void *arg, wick_addr java_thread, char *buf, size_t cap)
{
    enum { ATTEMPTS = 4 };
    struct seen *s = seen_of(java_thread);
    (void)arg;
    if (is_as_seen(s, java_thread))
        return WICK_THREAD_NAME_AS_BEFORE;
    s->java_thread = 0;
    for (int i = 0; i < ATTEMPTS && wait_for_collector(); i++) {
        struct wick_hs_thread_name_at at = {0};
        uint32_t before = wick_gc_moves();
        bool known = !(before & 1) && wick_hs_thread_name(&wick_vm.jvm, &names.fields, java_thread, buf, cap, &at);
        atomic_thread_fence(memory_order_acquire); /* pairs: gc_start; what was read was read before the next line */
        if (wick_gc_moves() != before || (before & 1))
            continue;
        if (known && at.thread)
            *s = (struct seen){java_thread, at, before};
        return known ? WICK_THREAD_NAME_READ : WICK_THREAD_NAME_UNKNOWN;
    }
    return WICK_THREAD_NAME_UNKNOWN;
}

/* Tries the forms on the calling thread. */
static bool find_form(JNIEnv *env)
{
    enum { ATTEMPTS = 8 };
    jvmtiEnv *ti = wick_vm.jvmti;
    bool found = false;
    for (int i = 0; i < ATTEMPTS && !found; i++) { /* a collection may come between */
        jvmtiThreadInfo info = {0};
        jthread own = NULL;
        /* these bring the references to the name up to date, if a collector has not yet */
        if ((*ti)->GetCurrentThread(ti, &own) || !own || (*ti)->GetThreadInfo(ti, own, &info))
            return false;
        wick_addr java = (wick_addr)(*env)->GetLongField(env, own, wick_vm.eetop);
        found = java && wick_hs_thread_names_form(&wick_vm.jvm, &names.fields, java, info.name);
        (*ti)->Deallocate(ti, (unsigned char *)info.name);
        (*env)->DeleteLocalRef(env, info.thread_group);
        (*env)->DeleteLocalRef(env, info.context_class_loader);
        (*env)->DeleteLocalRef(env, own);
    }
    return found;
}

static bool find_fields(JNIEnv *env)
{
    const char *value = wick_vm.jvm.major >= 9 ? "[B" : "[C";
    jclass thread = (*env)->FindClass(env, "java/lang/Thread");
    jclass string = thread ? (*env)->FindClass(env, "java/lang/String") : NULL;
    struct wick_hs_thread_names *f = &names.fields;
    if (!string) {
        (*env)->ExceptionClear(env);
        return false;
    }
    f->name = wick_field_offset(env, thread, "name", "Ljava/lang/String;");
    f->eetop = wick_field_offset(env, thread, "eetop", "J");
    f->value = wick_field_offset(env, string, "value", value);
    f->coder = wick_vm.jvm.major >= 9 ? wick_field_offset(env, string, "coder", "B") : 0;
    (*env)->DeleteLocalRef(env, string);
    (*env)->DeleteLocalRef(env, thread);
    return f->name && f->eetop && f->value && (f->coder || wick_vm.jvm.major < 9);
}

static bool find(void)
{
    bool attached;
    if (!wick_vm.oops_known || !wick_vm.eetop || !wick_gc_calls_back() ||
        !wick_hs_moves_find(&wick_vm.jvm, &names.fields.moves))
        return false;
    JNIEnv *env = wick_vm_enter(&attached);
    if (!env)
        return false;
    bool found = find_fields(env) && find_form(env);
    wick_vm_leave(attached);
    return found;
}

void wick_agent_names_begin(void)
{
    if (!names.tried)
        names.known = find();
    names.tried = true;
    wick_threads_names_from(&wick_vm.threads, names.known ? read_name : NULL, NULL,
                            names.fields.moves.how == WICK_HS_MOVES_COLOURS);
    wick_threads_names_begin(&wick_vm.threads, wick_clock_mono_ns());
}
