/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vm.c - see vm.h
 *
 * Two moments. At Agent_OnLoad the VM's flags are parsed, but nothing is compiled yet: the right time to ask for exact
 * debug information (DebugNonSafepoints), which compilers record for each compilation as the flag then is. The rest
 * waits for VMInit. At Agent_OnAttach both happen at once, and methods compiled before keep their coarse information;
 * the highest compile id later identifies them.
 *
 * The flag is written in place: the JVM offers no way to set it at run time, save by enabling CompiledMethodLoad
 * events, for which it makes a jmethodID per compiled method.
 */
#include "agent/jvm/vm.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/jvm/thread_containers.h"
#include "agent/jvm/virtual_layout.h"
#include "agent/jvm/critical_field.h"
#include "elf/dynsym.h"
#include "engine/breakpoint.h"
#include "hotspot/cont_entry.h"
#include "hotspot/oop.h"
#include "hotspot/thread.h"
#include "sys/proc.h"
#include "sys/whole.h"

enum { STARTING_POLLS = 1000, STARTING_POLL_NS = 10000000 }; /* 10 s */
enum { COMMAND_BYTES = 1 << 17 };                            /* of a command line, of an environment */

struct wick_vm wick_vm;

static const struct wick_vm_listener *listener;

static wick_addr find_symbol(void *arg, const char *name)
{
    const struct wick_vm *v = arg;
    wick_addr addr = 0;
    return wick_elf_dynsym(&v->mem, v->libjvm, name, &addr) ? 0 : addr;
}

/* Makes a Java thread known. `env` belongs to the calling thread. */
static void register_thread(JNIEnv *env, jthread thread)
{
    jvmtiThreadInfo info = {0};
    int64_t java = (*env)->GetLongField(env, thread, wick_vm.eetop);
    int32_t tid = java ? wick_hs_thread_tid(&wick_vm.jvm, (wick_addr)java) : 0;
    if (tid <= 0)
        return;
    jlong id = wick_vm.thread_id ? (*env)->GetLongField(env, thread, wick_vm.thread_id) : 0;
    if ((*wick_vm.jvmti)->GetThreadInfo(wick_vm.jvmti, thread, &info))
        return;
    wick_threads_java(&wick_vm.threads, tid, (wick_addr)java, info.name, (uint64_t)id);
    wick_threads_java_priority(&wick_vm.threads, tid, info.priority);
    if (wick_virtual_layout_is_carrier(env, thread))
        listener->carrier(tid);
    (*wick_vm.jvmti)->Deallocate(wick_vm.jvmti, (unsigned char *)info.name);
    (*env)->DeleteLocalRef(env, info.thread_group);
    (*env)->DeleteLocalRef(env, info.context_class_loader);
}

static void register_all_threads(JNIEnv *env)
{
    jthread *threads;
    jint n;
    if ((*wick_vm.jvmti)->GetAllThreads(wick_vm.jvmti, &n, &threads))
        return;
    for (jint i = 0; i < n; i++) {
        register_thread(env, threads[i]);
        (*env)->DeleteLocalRef(env, threads[i]);
    }
    (*wick_vm.jvmti)->Deallocate(wick_vm.jvmti, (unsigned char *)threads);
}

static void JNICALL thread_start(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    (void)jvmti;
    if (wick_vm.eetop)
        register_thread(env, thread);
}

static void JNICALL thread_end(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    (void)jvmti;
    if (wick_vm.eetop)
        register_thread(env, thread);                   /* the name may have changed since the start */
    listener->thread_end((int32_t)syscall(SYS_gettid)); /* its slot may be another's afterwards */
    wick_threads_java_end(&wick_vm.threads, (int32_t)syscall(SYS_gettid));
}

/* Stubs are collected while `collecting`: compilers may generate code, and report it in their own threads, at the same
 * time. */
static pthread_mutex_t stub_lock = PTHREAD_MUTEX_INITIALIZER;
static bool collecting;

static void add_stub_locked(const char *name, const void *address, jint length)
{
    static uint32_t cap;
    if (wick_vm.stub_count == cap) {
        uint32_t more = cap ? cap * 2 : 256;
        struct wick_stub *p = realloc(wick_vm.stubs, more * sizeof *p);
        if (!p)
            return;
        wick_vm.stubs = p;
        cap = more;
    }
    char *copy = strdup(name ? name : "stub");
    if (copy)
        wick_vm.stubs[wick_vm.stub_count++] =
            (struct wick_stub){(uint64_t)(uintptr_t)address, (uint64_t)(uintptr_t)address + (uint64_t)length, copy};
}

static void JNICALL code_generated(jvmtiEnv *jvmti, const char *name, const void *address, jint length)
{
    (void)jvmti;
    pthread_mutex_lock(&stub_lock);
    if (collecting && address && length > 0)
        add_stub_locked(name, address, length);
    pthread_mutex_unlock(&stub_lock);
}

static void set_collecting(bool on)
{
    pthread_mutex_lock(&stub_lock);
    collecting = on;
    pthread_mutex_unlock(&stub_lock);
}

static int by_address(const void *a, const void *b)
{
    const struct wick_stub *x = a, *y = b;
    return x->lo < y->lo ? -1 : x->lo > y->lo;
}

/* The names of stubs: JVMTI reports them all on one request. */
static void collect_stubs(void)
{
    jvmtiEnv *ti = wick_vm.jvmti;
    set_collecting(true);
    (*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_DYNAMIC_CODE_GENERATED, NULL);
    (*ti)->GenerateEvents(ti, JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
    (*ti)->SetEventNotificationMode(ti, JVMTI_DISABLE, JVMTI_EVENT_DYNAMIC_CODE_GENERATED, NULL);
    set_collecting(false);
    qsort(wick_vm.stubs, wick_vm.stub_count, sizeof *wick_vm.stubs, by_address);
    /* the walker's search expects disjoint ranges: a blob that contains others ends where they begin */
    uint32_t n = 0;
    for (uint32_t i = 0; i < wick_vm.stub_count; i++) {
        struct wick_stub s = wick_vm.stubs[i];
        if (n && wick_vm.stubs[n - 1].hi > s.lo)
            wick_vm.stubs[n - 1].hi = s.lo;
        if (n && wick_vm.stubs[n - 1].lo == wick_vm.stubs[n - 1].hi)
            n--;
        wick_vm.stubs[n++] = s;
    }
    wick_vm.stub_count = n;
}

static void collect_properties(void)
{
    jvmtiEnv *ti = wick_vm.jvmti;
    char **keys;
    jint n;
    if ((*ti)->GetSystemProperties(ti, &n, &keys))
        return;
    wick_vm.properties = calloc((size_t)n + 1, sizeof *wick_vm.properties);
    for (jint i = 0; i < n; i++) {
        char *value;
        if (wick_vm.properties && !(*ti)->GetSystemProperty(ti, keys[i], &value)) {
            wick_vm.properties[wick_vm.property_count++] = (struct wick_vm_property){strdup(keys[i]), strdup(value)};
            (*ti)->Deallocate(ti, (unsigned char *)value);
        }
        (*ti)->Deallocate(ti, (unsigned char *)keys[i]);
    }
    (*ti)->Deallocate(ti, (unsigned char *)keys);
}

const char *wick_vm_property(const char *key)
{
    for (uint32_t i = 0; i < wick_vm.property_count; i++)
        if (wick_vm.properties[i].key && wick_vm.properties[i].value && !strcmp(wick_vm.properties[i].key, key))
            return wick_vm.properties[i].value;
    return "";
}

JNIEnv *wick_vm_enter(bool *attached)
{
    JavaVM *vm = wick_vm.java_vm;
    JNIEnv *env = NULL;
    JavaVMAttachArgs args = {JNI_VERSION_1_6, "wick-control", NULL};
    *attached = false;
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_6) == JNI_OK)
        return env;
    wick_breakpoint_unblock(); /* to attach allocates */
    if ((*vm)->AttachCurrentThreadAsDaemon(vm, (void **)&env, &args) != JNI_OK)
        return NULL;
    *attached = true;
    return env;
}

void wick_vm_leave(bool attached)
{
    if (attached)
        (*wick_vm.java_vm)->DetachCurrentThread(wick_vm.java_vm);
}

/* What only the code of a stub says. */
static void learn_from_stubs(void)
{
    for (uint32_t i = 0; i < wick_vm.stub_count; i++)
        if (wick_hs_is_cont_stub(wick_vm.stubs[i].name))
            wick_hs_cont_entry_learn(&wick_vm.jvm, wick_vm.stubs[i].lo, wick_vm.stubs[i].hi);
}

/* The VM is initialised; runs in a Java thread. */
static void become_live(JNIEnv *env)
{
    jclass thread = (*env)->FindClass(env, "java/lang/Thread");
    struct wick_err err = {0};
    if (thread) {
        wick_vm.eetop = (*env)->GetFieldID(env, thread, "eetop", "J");
        if ((*env)->ExceptionCheck(env))
            (*env)->ExceptionClear(env);
        wick_vm.thread_id = (*env)->GetFieldID(env, thread, "tid", "J");
    }
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env);
    if (thread)
        (*env)->DeleteLocalRef(env, thread);
    if (wick_jvm_open_code(&wick_vm.jvm, &err))
        return;
    wick_vm.oops_known = wick_hs_oop_form(&wick_vm.jvm);
    wick_virtual_layout_open(env, &wick_vm.jvm);
    if (wick_vm.oops_known)
        wick_thread_containers_open(env, &wick_vm.jvm);
    collect_stubs();
    learn_from_stubs();
    collect_properties();
    listener->up();
    if (wick_vm.eetop)
        register_all_threads(env);
    const struct wick_engine_thread *own = wick_threads_find_sig(&wick_vm.threads, (int32_t)syscall(SYS_gettid));
    wick_vm.critical_place = wick_critical_field_find(env, &wick_vm.jvm, own ? wick_load_relaxed(&own->java) : 0);
    /* pairs: the acquire loads of live, as in session.c: who sees it sees what was found out above */
    wick_store_release(&wick_vm.live, true);
    listener->ready();
}

static void JNICALL vm_init(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    (void)jvmti;
    (void)thread;
    become_live(env);
}

static void JNICALL vm_death(jvmtiEnv *jvmti, JNIEnv *env)
{
    (void)jvmti;
    (void)env;
    wick_store_relaxed(&wick_vm.dying, true);
    listener->death();
}

/* Whether the JVM was started with that; the flag alone may have been set by another agent later. */
static bool is_asked_from_start(void)
{
    static char command[COMMAND_BYTES], env[COMMAND_BYTES]; /* an agent is loaded once */
    ssize_t n = wick_whole_text("/proc/self/cmdline", command, sizeof command);
    ssize_t m = wick_whole_text("/proc/self/environ", env, sizeof env);
    return n >= 0 && m >= 0 && wick_proc_jvm_flag(command, (size_t)n, env, (size_t)m, "DebugNonSafepoints") == 1;
}

/* Of what is compiled from now on. Unless the JVM was asked before, what it has compiled has no exact information. */
static void ask_for_exact_debug_info(bool live)
{
    wick_addr flag = wick_vm.jvm.flag[WICK_JVM_FLAG_DEBUG_NON_SAFEPOINTS];
    uint8_t *value = (uint8_t *)(uintptr_t)flag, on = 0;
    bool known = flag && !wick_mem_read(&wick_vm.mem, flag, &on, 1);
    if (live && !(on && is_asked_from_start()) && !wick_jvm_open_code(&wick_vm.jvm, NULL))
        wick_vm.last_old_compile_id = wick_jvm_last_compile_id(&wick_vm.jvm);
    if (!known)
        return;
    *(volatile uint8_t *)value = 1;
    wick_vm.exact_debug_info = true;
}

static int open_jvm(struct wick_err *err)
{
    bool changed;
    int r = wick_mem_self_init(&wick_vm.mem);
    if (r)
        return wick_err_set(
            err, WICK_E_PERM,
            "neither process_vm_readv nor /proc/self/mem is permitted (a seccomp filter?): wick cannot read "
            "the JVM's memory safely");
    wick_elf_images_init(&wick_vm.images, 0);
    r = wick_elf_images_refresh(&wick_vm.images, &wick_vm.mem, &changed, err);
    if (r)
        return r;
    wick_vm.libjvm = wick_elf_images_find(&wick_vm.images, (wick_addr)(uintptr_t)(*wick_vm.java_vm)->GetEnv);
    if (!wick_vm.libjvm)
        return wick_err_set(err, WICK_E_UNSUPPORTED, "libjvm.so is not among the loaded libraries");
    const struct wick_hs_symbols syms = {find_symbol, &wick_vm};
    return wick_jvm_open(&wick_vm.jvm, &wick_vm.mem, &syms, err);
}

/* JNI_OK: JVMTI is there. The attach listener takes commands a moment before the JVM's live phase, which is long on a
 * crowded machine; until then HotSpot says JNI_EDETACHED (JvmtiExport::get_jvmti_interface). */
static jint get_jvmti(JavaVM *vm)
{
    jint r = JNI_EDETACHED;
    for (int i = 0; r == JNI_EDETACHED && i < STARTING_POLLS; i++) {
        if (i)
            nanosleep(&(struct timespec){0, STARTING_POLL_NS}, NULL);
        r = (*vm)->GetEnv(vm, (void **)&wick_vm.jvmti, JVMTI_VERSION_1_0);
    }
    return r;
}

int wick_vm_init(JavaVM *vm, const struct wick_vm_listener *l, struct wick_err *err)
{
    jvmtiEventCallbacks cb = {
        .VMInit = vm_init,
        .VMDeath = vm_death,
        .ThreadStart = thread_start,
        .ThreadEnd = thread_end,
        .DynamicCodeGenerated = code_generated,
    };
    static const jvmtiEvent wanted[] = {JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_DEATH, JVMTI_EVENT_THREAD_START,
                                        JVMTI_EVENT_THREAD_END};
    jvmtiPhase phase;
    listener = l;
    wick_vm.java_vm = vm;
    jint got = get_jvmti(vm);
    if (got == JNI_EDETACHED)
        return wick_err_set(err, WICK_E_STATE, "this JVM is neither starting nor live: is it ending?");
    if (got != JNI_OK)
        return wick_err_set(err, WICK_E_UNSUPPORTED, "this JVM offers no JVMTI");
    int r = open_jvm(err);
    if (!r && (r = wick_threads_init(&wick_vm.threads)))
        wick_err_set(err, WICK_E_NOMEM, "no memory for the table of threads");
    if (r)
        return r;
    jvmtiEnv *ti = wick_vm.jvmti;
    bool live = !(*ti)->GetPhase(ti, &phase) && phase == JVMTI_PHASE_LIVE;
    ask_for_exact_debug_info(live);
    if ((*ti)->SetEventCallbacks(ti, &cb, sizeof cb))
        return wick_err_set(err, WICK_E_UNSUPPORTED, "this JVM refuses JVMTI callbacks");
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if ((*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, wanted[i], NULL))
            return wick_err_set(err, WICK_E_UNSUPPORTED, "this JVM refuses the JVMTI event %d", (int)wanted[i]);
    if (live) {
        JNIEnv *env;
        if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_6) != JNI_OK)
            return wick_err_set(err, WICK_E_STATE, "the agent was loaded by a thread that is not attached to the JVM");
        become_live(env);
        listener->attached(env);
    }
    return 0;
}
